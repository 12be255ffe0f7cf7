//! Reading values for printing.

use crate::bytecode::module::TypeKind;

/// An integer of any type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Int {
    Signed(i64),
    Unsigned(u64),
}

/// The integer in a canonical word, if the type is an integer type.
#[expect(clippy::wildcard_enum_match_arm, reason = "all other kinds are no integers")]
pub(super) fn integer(kind: &TypeKind, v: u64) -> Option<Int> {
    Some(match kind {
        TypeKind::Int | TypeKind::Int64 => Int::Signed(v as i64),
        TypeKind::Int8 => Int::Signed(i64::from(v as i8)),
        TypeKind::Int16 => Int::Signed(i64::from(v as i16)),
        TypeKind::Int32 => Int::Signed(i64::from(v as i32)),
        TypeKind::Uint | TypeKind::Uint64 | TypeKind::Uintptr => Int::Unsigned(v),
        TypeKind::Uint8 => Int::Unsigned(v & 0xFF),
        TypeKind::Uint16 => Int::Unsigned(v & 0xFFFF),
        TypeKind::Uint32 => Int::Unsigned(v & 0xFFFF_FFFF),
        _ => return None,
    })
}
