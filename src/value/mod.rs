//! What guest values look like in memory, and the operations that only need them: strings, slices, interfaces, maps, equality,
//! hashing. The forms themselves are described in `bytecode::layout`.
//!
//! Not here: anything that may park or call guest code.
//!
//! Invariants:
//! * V1: every access to a word that the guest can reach is a relaxed atomic (or a `memmove` of the C library), so a race of
//!   the guest reads an old or a new word and nothing worse.
//! * V2: headers of strings and slices are written before the pointer to them is published and never change; data, len and cap of one header
//!   always belong together.
//! * V3: nothing here recurses over guest data; comparing and hashing keep their own stack.

pub mod append_vec;
mod dense;
pub mod equal;
pub mod hash;
pub mod iface;
pub mod map;
pub mod mem;
pub mod text;
pub mod types;

use crate::heap::{Cache, Heap, SHAPE_HEADER, SHAPE_RAW};

/// The memory is used up: unwinds to the loop of the M, which ends the program with Go's text.
#[derive(Clone, Copy, Debug)]
pub struct OutOfMemory;

/// The means to allocate: the heap and the cache of the P at hand.
#[derive(Debug)]
pub struct Alloc<'a> {
    pub heap: &'a Heap,
    pub cache: &'a mut Cache,
}

impl Alloc<'_> {
    /// A zeroed object.
    ///
    /// # Panics
    /// With [`OutOfMemory`], which the M's loop turns into a fatal error of the guest.
    #[inline]
    pub fn object(&mut self, words: usize, header: u32) -> *mut u64 {
        let p = self.cache.alloc(self.heap, words, u64::from(header));
        if p.is_null() {
            std::panic::panic_any(OutOfMemory);
        }
        p
    }

    /// As [`Alloc::object`] if the cache of the P has the memory at hand.
    #[inline(always)]
    pub fn quick_object(&mut self, words: usize, header: u32) -> Option<*mut u64> {
        self.cache.alloc_quickly(words, u64::from(header))
    }

    /// A new string with these bytes.
    pub fn string(&mut self, bytes: &[u8]) -> u64 {
        if bytes.is_empty() {
            return 0;
        }
        let p = self.string_buffer(bytes.len());
        mem::write_bytes(text::data(p), bytes);
        p
    }

    /// A new string of this length whose bytes are still zero; the caller fills them before anybody sees it.
    pub fn string_buffer(&mut self, len: usize) -> u64 {
        if len == 0 {
            return 0;
        }
        let p = self.object(2 + len.div_ceil(8), SHAPE_RAW);
        mem::store(p, 0, p as u64 + 16);
        mem::store(p, 1, len as u64);
        p as u64
    }

    /// A string header for bytes that are inside another object.
    pub fn string_header(&mut self, data: u64, len: u64) -> u64 {
        if len == 0 {
            return 0;
        }
        let p = self.object(2, SHAPE_HEADER);
        mem::store(p, 0, data);
        mem::store(p, 1, len);
        p as u64
    }

    /// A slice header.
    #[inline]
    pub fn slice_header(&mut self, data: u64, len: u64, cap: u64) -> u64 {
        let p = self.object(3, SHAPE_HEADER);
        mem::store(p, 0, data);
        mem::store(p, 1, len);
        mem::store(p, 2, cap);
        p as u64
    }

    /// A byte slice with these bytes.
    pub fn byte_slice(&mut self, bytes: &[u8]) -> u64 {
        let p = self.object(bytes.len().div_ceil(8).max(1), SHAPE_RAW);
        mem::write_bytes(p as u64, bytes);
        self.slice_header(p as u64, bytes.len() as u64, bytes.len() as u64)
    }

    /// A slice of words: strings, pointers (`header` is the element's type id) or numbers ([`SHAPE_RAW`]).
    pub fn word_slice(&mut self, words: &[u64], header: u32) -> u64 {
        let p = self.object(words.len().max(1), header);
        for (i, w) in words.iter().enumerate() {
            mem::store(p, i, *w);
        }
        self.slice_header(p as u64, words.len() as u64, words.len() as u64)
    }
}
