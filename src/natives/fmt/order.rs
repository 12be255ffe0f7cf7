//! The order in which map keys are printed: Go's `internal/fmtsort` rules.

use std::cmp::Ordering;

use crate::bytecode::module::TypeKind;
use crate::value::{iface, mem, text};
use crate::vm::Vm;

use super::value::{Int, integer};

/// Compares two values in memory form: numbers and strings by value, false before true, NaN before numbers, structs and arrays by
/// their parts, interfaces by type and then value, nil first.
#[expect(clippy::wildcard_enum_match_arm, reason = "the rest are the integer kinds")]
pub(in crate::natives) fn compare(vm: &Vm, ty: u32, a: u64, b: u64) -> Ordering {
    let t = vm.types.at(ty);
    let f64_at = |p: u64| f64::from_bits(mem::load64(p));
    let f32_at = |p: u64| f64::from(f32::from_bits(mem::load32(p) as u32));
    match &t.desc.kind {
        TypeKind::String => text::bytes(mem::load64(a)).cmp(text::bytes(mem::load64(b))),
        TypeKind::Float64 => float(f64_at(a), f64_at(b)),
        TypeKind::Float32 => float(f32_at(a), f32_at(b)),
        TypeKind::Complex128 => {
            float(f64_at(a), f64_at(b)).then_with(|| float(f64_at(a + 8), f64_at(b + 8)))
        }
        TypeKind::Complex64 => {
            float(f32_at(a), f32_at(b)).then_with(|| float(f32_at(a + 8), f32_at(b + 8)))
        }
        TypeKind::Struct(fields) => {
            let mut parts = fields
                .iter()
                .map(|f| compare(vm, f.ty, a + u64::from(f.offset), b + u64::from(f.offset)));
            parts.find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        }
        TypeKind::Array(n, e) => {
            let stride = vm.types.at(*e).stride as u64;
            let mut parts = (0..*n).map(|i| compare(vm, *e, a + i * stride, b + i * stride));
            parts.find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        }
        TypeKind::Interface(_) => {
            let (x, y) = (mem::load64(a), mem::load64(b));
            let (tx, ty) = (iface::type_of(x), iface::type_of(y));
            if tx != ty || tx == 0 {
                return tx.cmp(&ty);
            }
            compare(vm, tx, iface::payload(x), iface::payload(y))
        }
        kind => {
            let (x, y) = (mem::load_width(a, t.desc.packed), mem::load_width(b, t.desc.packed));
            match (integer(kind, x), integer(kind, y)) {
                (Some(Int::Signed(x)), Some(Int::Signed(y))) => x.cmp(&y),
                _ => x.cmp(&y),
            }
        }
    }
}

fn float(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan()))
}
