//! Interface values: one word, 0 for nil, else the address of an immutable box whose header is the dynamic type and whose
//! payload is the value in memory form.
//!
//! Rejected: two words (type, data): they could tear under a race of the guest, and a torn pair is a memory error.

use super::types::TypeTable;
use super::{Alloc, mem};

/// The dynamic type, 0 for nil.
#[inline(always)]
pub fn type_of(w: u64) -> u32 {
    if w == 0 { 0 } else { mem::load((w - 8) as *const u64, 0) as u32 }
}

/// The address of the value in memory form. Not for nil.
#[inline(always)]
pub fn payload(w: u64) -> u64 {
    w
}

/// Boxes a value given in register form at `src`.
#[inline]
pub fn make(alloc: &mut Alloc<'_>, types: &TypeTable, ty: u32, src: *const u64) -> u64 {
    let d = &types.at(ty).desc;
    let words = d.words as usize;
    let p = alloc.object(words, ty);
    if d.mem {
        types.copy(types.at(ty), p as u64, mem::load(src, 0));
    } else {
        mem::copy_words(p as u64, src as u64, words);
    }
    p as u64
}

/// As [`make`] for a value of one word, if the memory is at hand.
#[inline(always)]
pub fn make_quickly(alloc: &mut Alloc<'_>, types: &TypeTable, ty: u32, word: u64) -> Option<u64> {
    let d = &types.at(ty).desc;
    if d.mem || d.words != 1 {
        return None;
    }
    let p = alloc.quick_object(1, ty)?;
    mem::store(p, 0, word);
    Some(p as u64)
}

/// As [`unbox`] if the value is one slot.
#[inline(always)]
pub fn unbox_quickly(types: &TypeTable, ty: u32, w: u64) -> Option<u64> {
    let d = &types.at(ty).desc;
    if d.mem {
        return Some(w);
    }
    (d.slots == 1).then(|| mem::load64(w))
}

/// Boxes a value of one word.
#[inline]
pub fn make_word(alloc: &mut Alloc<'_>, ty: u32, word: u64) -> u64 {
    let p = alloc.object(1, ty);
    mem::store(p, 0, word);
    p as u64
}

/// Copies the value of a box to registers; a memory-resident value is given as a pointer to the box, which never changes.
#[inline]
pub fn unbox(types: &TypeTable, ty: u32, w: u64, dst: *mut u64) {
    let d = &types.at(ty).desc;
    if d.mem {
        mem::store(dst, 0, w);
        return;
    }
    mem::copy_words(dst as u64, w, usize::from(d.slots));
}
