//! What scanning needs of the host: storing through pointers of any type. The rules of scanning are in `std/fmt`.

use crate::bytecode::module::TypeKind;
use crate::natives::reflect::kind_number;
use crate::natives::{Ncx, Outcome};
use crate::value::{iface, mem, text};

/// The type that an interface's pointer points to, and the pointer.
fn target(n: &Ncx<'_, '_>) -> Option<(u32, u64)> {
    let w = n.arg(0);
    let ty = iface::type_of(w);
    if ty == 0 {
        return None;
    }
    let TypeKind::Pointer(elem) = n.vm.types.at(ty).desc.kind else { return None };
    Some((elem, mem::load64(iface::payload(w))))
}

/// `func pointee(arg any) (kind, bits int)`; for a slice the bits are those of an element.
pub(super) fn pointee(n: &mut Ncx<'_, '_>) -> Outcome {
    let Some((elem, _)) = target(n) else {
        n.ret(0, 0);
        n.ret(1, 0);
        return Outcome::Done;
    };
    let d = &n.vm.types.at(elem).desc;
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the rest are one word in packed form, or are not scanned"
    )]
    let bits = match d.kind {
        TypeKind::Complex64 => 64,
        TypeKind::Complex128 => 128,
        TypeKind::Slice(e) => match n.vm.types.at(e).desc.kind {
            TypeKind::Uint8 => 8,
            _ => 0,
        },
        _ => u64::from(d.packed) * 8,
    };
    let kind = kind_number(&d.kind);
    n.ret(0, kind);
    n.ret(1, bits);
    Outcome::Done
}

/// `func setBits(arg any, bits uint64)`: an integer or a bool.
pub(super) fn set_bits(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = n.arg(1);
    let Some((elem, p)) = target(n) else { return Outcome::Done };
    if p == 0 {
        return Outcome::Trap(crate::vm::trap::Trap::Nil);
    }
    mem::store_width(p, n.vm.types.at(elem).desc.packed, v);
    Outcome::Done
}

/// `func setFloat(arg any, half int, f float64)`: a float, or half of a complex number.
pub(super) fn set_float(n: &mut Ncx<'_, '_>) -> Outcome {
    let (half, v) = (n.arg(1), n.float(2));
    let Some((elem, p)) = target(n) else { return Outcome::Done };
    if p == 0 {
        return Outcome::Trap(crate::vm::trap::Trap::Nil);
    }
    let narrow = u64::from((v as f32).to_bits());
    #[expect(clippy::wildcard_enum_match_arm, reason = "the guest's half calls for no other kinds")]
    match n.vm.types.at(elem).desc.kind {
        TypeKind::Float32 => mem::store32(p, narrow),
        TypeKind::Complex64 => mem::store64(p + 8 * half, narrow),
        TypeKind::Complex128 => mem::store64(p + 8 * half, v.to_bits()),
        _ => mem::store64(p, v.to_bits()),
    }
    Outcome::Done
}

/// `func setText(arg any, s string)`: a string, or a new byte slice.
pub(super) fn set_text(n: &mut Ncx<'_, '_>) -> Outcome {
    let s = n.arg(1);
    let Some((elem, p)) = target(n) else { return Outcome::Done };
    if p == 0 {
        return Outcome::Trap(crate::vm::trap::Trap::Nil);
    }
    let word = if n.vm.types.at(elem).desc.kind == TypeKind::String {
        s
    } else {
        n.alloc().byte_slice(text::bytes(s))
    };
    mem::store64(p, word);
    Outcome::Done
}
