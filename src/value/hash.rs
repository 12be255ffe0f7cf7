//! Hashing of map keys.

use std::hash::{BuildHasher, Hasher};

use crate::bytecode::module::TypeKind;

use super::types::TypeTable;
use super::{iface, mem, text};

/// A key holds a type that cannot be hashed: its id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unhashable(pub u32);

/// The hash of a word.
#[inline(always)]
pub fn word(seed: u64, w: u64) -> u64 {
    // A folded multiplication: high and low half of the 128-bit product.
    let m = u128::from(w ^ seed ^ 0xA076_1D64_78BD_642F) * 0x9E37_79B9_7F4A_7C15_u128;
    (m >> 64) as u64 ^ m as u64
}

/// The hash of bytes.
#[inline]
pub fn bytes(seed: u64, b: &[u8]) -> u64 {
    let mut h = foldhash::fast::FixedState::with_seed(seed).build_hasher();
    h.write(b);
    h.finish()
}

/// The hash of a value in memory form.
///
/// # Errors
/// The dynamic type that cannot be hashed.
pub fn general(types: &TypeTable, seed: u64, ty: u32, addr: u64) -> Result<u64, Unhashable> {
    let mut h = seed;
    let mut todo = vec![(ty, addr)];
    while let Some((ty, addr)) = todo.pop() {
        h = word(h, part(types, seed, ty, addr, &mut todo)?);
    }
    Ok(h)
}

fn part(
    types: &TypeTable,
    seed: u64,
    ty: u32,
    addr: u64,
    todo: &mut Vec<(u32, u64)>,
) -> Result<u64, Unhashable> {
    let t = types.at(ty);
    Ok(match &t.desc.kind {
        TypeKind::String => bytes(seed, text::bytes(mem::load64(addr))),
        TypeKind::Float64 => float(f64::from_bits(mem::load64(addr)), addr),
        TypeKind::Float32 => float(f64::from(f32::from_bits(mem::load32(addr) as u32)), addr),
        TypeKind::Complex128 => word(
            float(f64::from_bits(mem::load64(addr)), addr),
            float(f64::from_bits(mem::load64(addr + 8)), addr),
        ),
        TypeKind::Complex64 => {
            let half = |a| float(f64::from(f32::from_bits(mem::load32(a) as u32)), addr);
            word(half(addr), half(addr + 8))
        }
        TypeKind::Interface(_) => {
            let w = mem::load64(addr);
            let dynamic = iface::type_of(w);
            if dynamic != 0 {
                if !types.at(dynamic).desc.comparable {
                    return Err(Unhashable(dynamic));
                }
                todo.push((dynamic, iface::payload(w)));
            }
            u64::from(dynamic)
        }
        TypeKind::Struct(fields) => {
            todo.extend(
                fields.iter().filter(|f| f.name != "_").map(|f| (f.ty, addr + u64::from(f.offset))),
            );
            1
        }
        TypeKind::Array(n, elem) => {
            let stride = types.at(*elem).stride as u64;
            todo.extend((0..*n).map(|i| (*elem, addr + i * stride)));
            2
        }
        TypeKind::Slice(_) | TypeKind::Map(..) | TypeKind::Func { .. } => {
            return Err(Unhashable(ty));
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
        | TypeKind::Chan(..) => mem::load_width(addr, t.desc.packed),
    })
}

/// Both zeros are equal, so they hash alike; a NaN equals nothing, so it may hash to anything.
fn float(f: f64, addr: u64) -> u64 {
    if f == 0.0 {
        0
    } else if f.is_nan() {
        addr
    } else {
        f.to_bits()
    }
}
