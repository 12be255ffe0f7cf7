//! Comparison of values of any type (Go specification, "Comparison operators").

use crate::bytecode::module::TypeKind;

use super::types::TypeTable;
use super::{iface, mem, text};

/// Two interfaces hold a type that cannot be compared: its id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uncomparable(pub u32);

/// A comparison still to do: type and the two addresses, in memory form.
type Pair = (u32, u64, u64);

/// Whether two values in memory form are equal. Parts are compared in the order of the source, and the first difference
/// decides before a later part can fail.
///
/// # Errors
/// The dynamic type that cannot be compared.
pub fn equal(types: &TypeTable, ty: u32, a: u64, b: u64) -> Result<bool, Uncomparable> {
    let mut todo: Vec<Pair> = Vec::new();
    let mut next = Some((ty, a, b));
    while let Some((ty, a, b)) = next {
        if !step(types, ty, a, b, &mut todo)? {
            return Ok(false);
        }
        next = todo.pop();
    }
    Ok(true)
}

/// Compares one value, or pushes its parts. False: different.
fn step(
    types: &TypeTable,
    ty: u32,
    a: u64,
    b: u64,
    todo: &mut Vec<Pair>,
) -> Result<bool, Uncomparable> {
    let t = types.at(ty);
    Ok(match &t.desc.kind {
        TypeKind::String => text::bytes(mem::load64(a)) == text::bytes(mem::load64(b)),
        TypeKind::Float64 => f64::from_bits(mem::load64(a)) == f64::from_bits(mem::load64(b)),
        TypeKind::Float32 => float32(a) == float32(b),
        TypeKind::Complex128 => {
            f64::from_bits(mem::load64(a)) == f64::from_bits(mem::load64(b))
                && f64::from_bits(mem::load64(a + 8)) == f64::from_bits(mem::load64(b + 8))
        }
        TypeKind::Complex64 => float32(a) == float32(b) && float32(a + 8) == float32(b + 8),
        TypeKind::Interface(_) => return interface(types, mem::load64(a), mem::load64(b), todo),
        TypeKind::Struct(fields) => {
            for f in fields.iter().rev().filter(|f| f.name != "_") {
                todo.push((f.ty, a + u64::from(f.offset), b + u64::from(f.offset)));
            }
            true
        }
        TypeKind::Array(n, elem) => return array(types, *n, *elem, a, b, todo),
        TypeKind::Slice(_) | TypeKind::Map(..) | TypeKind::Func { .. } => {
            return Err(Uncomparable(ty));
        }
        TypeKind::Bool
        | TypeKind::Int
        | TypeKind::Int8
        | TypeKind::Int16
        | TypeKind::Int32
        | TypeKind::Int64
        | TypeKind::Uint
        | TypeKind::Uint8
        | TypeKind::Uint16
        | TypeKind::Uint32
        | TypeKind::Uint64
        | TypeKind::Uintptr
        | TypeKind::UnsafePointer
        | TypeKind::Pointer(_)
        | TypeKind::Chan(..) => {
            mem::load_width(a, t.desc.packed) == mem::load_width(b, t.desc.packed)
        }
    })
}

fn float32(addr: u64) -> f32 {
    f32::from_bits(mem::load32(addr) as u32)
}

fn interface(
    types: &TypeTable,
    a: u64,
    b: u64,
    todo: &mut Vec<Pair>,
) -> Result<bool, Uncomparable> {
    let (ta, tb) = (iface::type_of(a), iface::type_of(b));
    if ta != tb {
        return Ok(false);
    }
    if ta == 0 {
        return Ok(true);
    }
    if !types.at(ta).desc.comparable {
        return Err(Uncomparable(ta));
    }
    todo.push((ta, iface::payload(a), iface::payload(b)));
    Ok(true)
}

fn array(
    types: &TypeTable,
    n: u64,
    elem: u32,
    a: u64,
    b: u64,
    todo: &mut Vec<Pair>,
) -> Result<bool, Uncomparable> {
    let stride = types.at(elem).stride as u64;
    // Elements without parts are compared here; only others take a place on the stack, one at a time from the front.
    let mut parts = Vec::new();
    for i in 0..n {
        let (x, y) = (a + i * stride, b + i * stride);
        if !step(types, elem, x, y, &mut parts)? {
            return Ok(false);
        }
        if parts.is_empty() {
            continue;
        }
        if i + 1 < n {
            // The rest of this array waits below the parts of this element.
            push_rest(elem, i + 1, n, stride, a, b, todo);
        }
        todo.append(&mut parts);
        return Ok(true);
    }
    Ok(true)
}

fn push_rest(elem: u32, from: u64, n: u64, stride: u64, a: u64, b: u64, todo: &mut Vec<Pair>) {
    for i in (from..n).rev() {
        todo.push((elem, a + i * stride, b + i * stride));
    }
}
