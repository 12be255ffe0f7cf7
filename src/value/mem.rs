//! Access to guest memory.
//!
//! The functions take addresses that came from the machine: registers that hold pointers, headers, objects. They are safe to
//! call in the sense of the crate's own discipline (invariant M1): an address is a live object's, or static, and the access stays
//! inside it, which the bytecode's checks and the verifier guarantee.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "an access is an address and a read or write: one operation in two steps"
)]
#![expect(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "addresses come from the machine, which vouches for them (M1)"
)]
#![expect(unsafe_code, reason = "guest memory: invariant M1, the address is inside a live object")]

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// Word `i` of an object.
#[inline(always)]
pub fn load(p: *const u64, i: usize) -> u64 {
    debug_assert!(!p.is_null() && p.is_aligned());
    // SAFETY: M1.
    let word = unsafe { &*p.add(i).cast::<AtomicU64>() };
    word.load(Ordering::Relaxed)
}

/// Sets word `i` of an object.
#[inline(always)]
pub fn store(p: *mut u64, i: usize, v: u64) {
    debug_assert!(!p.is_null() && p.is_aligned());
    // SAFETY: M1.
    let word = unsafe { &*p.add(i).cast::<AtomicU64>() };
    word.store(v, Ordering::Relaxed);
}

/// The word at an address.
#[inline(always)]
pub fn load64(addr: u64) -> u64 {
    load(addr as *const u64, 0)
}

/// Sets the word at an address.
#[inline(always)]
pub fn store64(addr: u64, v: u64) {
    store(addr as *mut u64, 0, v);
}

macro_rules! narrow {
    ($load:ident, $store:ident, $atomic:ty, $int:ty) => {
        /// The scalar of this width at an address.
        #[inline(always)]
        pub fn $load(addr: u64) -> u64 {
            // SAFETY: M1.
            let cell = unsafe { &*(addr as *const $atomic) };
            u64::from(cell.load(Ordering::Relaxed))
        }

        /// Sets the scalar of this width at an address.
        #[inline(always)]
        pub fn $store(addr: u64, v: u64) {
            // SAFETY: M1.
            let cell = unsafe { &*(addr as *const $atomic) };
            cell.store(v as $int, Ordering::Relaxed);
        }
    };
}

narrow!(load8, store8, AtomicU8, u8);
narrow!(load16, store16, AtomicU16, u16);
narrow!(load32, store32, AtomicU32, u32);

/// The scalar of `width` bytes (1, 2, 4, 8) at an address.
pub fn load_width(addr: u64, width: u8) -> u64 {
    match width {
        1 => load8(addr),
        2 => load16(addr),
        4 => load32(addr),
        _ => load64(addr),
    }
}

/// Sets the scalar of `width` bytes at an address.
pub fn store_width(addr: u64, width: u8, v: u64) {
    match width {
        1 => store8(addr, v),
        2 => store16(addr, v),
        4 => store32(addr, v),
        _ => store64(addr, v),
    }
}

/// Copies bytes; the ranges may overlap. Done by the C library, so that a race of the guest stays outside Rust's memory model.
#[inline]
pub fn copy_bytes(dst: u64, src: u64, n: usize) {
    if n == 0 {
        return;
    }
    // SAFETY: M1 for both ranges.
    unsafe { libc::memmove(dst as *mut libc::c_void, src as *const libc::c_void, n) };
}

/// Copies words; the ranges may overlap.
#[inline]
pub fn copy_words(dst: u64, src: u64, n: usize) {
    if n <= 4 {
        let mut w = [0u64; 4];
        for (i, x) in w.iter_mut().enumerate().take(n) {
            *x = load(src as *const u64, i);
        }
        for (i, x) in w.iter().enumerate().take(n) {
            store(dst as *mut u64, i, *x);
        }
        return;
    }
    copy_bytes(dst, src, n * 8);
}

/// Zeroes bytes.
pub fn zero_bytes(p: u64, n: usize) {
    if n == 0 {
        return;
    }
    // SAFETY: M1.
    unsafe { libc::memset(p as *mut libc::c_void, 0, n) };
}

/// Writes host bytes into guest memory.
pub fn write_bytes(dst: u64, bytes: &[u8]) {
    copy_bytes(dst, bytes.as_ptr() as u64, bytes.len());
}

/// Copies guest bytes into a host vector.
pub fn read_bytes(src: u64, n: usize) -> Vec<u8> {
    let mut v = vec![0u8; n];
    copy_bytes(v.as_mut_ptr() as u64, src, n);
    v
}
