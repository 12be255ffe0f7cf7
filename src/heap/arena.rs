//! The reserved address space and the table that says which block belongs to what.
//!
//! Invariant: `table[n]` is 0 for a block that is not in use, else 1 + the number of the block with the header (itself for a small
//! block, the first of the run for a large object).

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "an access is an address and a read or write: one operation in two steps"
)]
#![expect(
    unsafe_code,
    reason = "raw memory: invariant A1, a block number below `top` is inside the mapping"
)]

use std::ptr::{self, NonNull};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use super::BLOCK;
use super::block::BlockHeader;

/// Address space asked for, largest first; less is taken where the system does not give so much.
const RESERVE: [usize; 4] = [1 << 38, 1 << 36, 1 << 34, 1 << 32];

/// Blocks that are made accessible at once: limits on data (`ulimit -d`) count what is accessible, not what is reserved.
const COMMIT: usize = 64;

/// From this block on the system is asked for huge pages.
const HUGE_FROM: usize = 2 * COMMIT;

#[derive(Debug)]
pub(super) struct Arena {
    map: NonNull<u8>,
    map_len: usize,
    table: NonNull<AtomicU32>,
    table_len: usize,
    /// First block, aligned.
    base: usize,
    blocks: usize,
    /// Blocks handed out so far.
    top: AtomicUsize,
    /// Blocks that are accessible.
    committed: Mutex<usize>,
}

// SAFETY: A1. The mapping belongs to this value; access to block contents is governed by the heap's protocols.
unsafe impl Send for Arena {}
// SAFETY: as above; the fields themselves are atomics or never change.
unsafe impl Sync for Arena {}

fn map(len: usize, prot: i32) -> Option<NonNull<u8>> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: an anonymous mapping at an address the system chooses touches nothing that exists.
    let p = unsafe { libc::mmap(ptr::null_mut(), len, prot, flags, -1, 0) };
    if p == libc::MAP_FAILED { None } else { NonNull::new(p.cast()) }
}

impl Arena {
    pub(super) fn reserve() -> Result<Arena, String> {
        for len in RESERVE {
            let Some(region) = map(len, libc::PROT_NONE) else { continue };
            let base = (region.as_ptr() as usize).next_multiple_of(BLOCK);
            let blocks = (region.as_ptr() as usize + len - base) / BLOCK;
            let table_len = blocks * size_of::<AtomicU32>();
            let Some(table) = map(table_len, libc::PROT_READ | libc::PROT_WRITE) else {
                // SAFETY: A1: exactly the mapping made above, used by nobody.
                unsafe { libc::munmap(region.as_ptr().cast(), len) };
                continue;
            };
            return Ok(Arena {
                map: region,
                map_len: len,
                table: table.cast(),
                table_len,
                base,
                blocks,
                top: AtomicUsize::new(0),
                committed: Mutex::new(0),
            });
        }
        Err(format!("cannot reserve address space: {}", std::io::Error::last_os_error()))
    }

    fn entry(&self, number: usize) -> &AtomicU32 {
        debug_assert!(number < self.blocks);
        // SAFETY: A1: the table has one entry a block; zero bytes are a valid AtomicU32.
        unsafe { self.table.add(number).as_ref() }
    }

    /// The block that an address lies in, if that is in the part in use.
    #[inline]
    pub(super) fn block_of(&self, addr: usize) -> Option<usize> {
        let number = addr.wrapping_sub(self.base) / BLOCK;
        (number < self.top.load(Ordering::Relaxed)).then_some(number)
    }

    /// The block with the header of the object or cells in this block.
    #[inline]
    pub(super) fn head(&self, number: usize) -> Option<usize> {
        (self.entry(number).load(Ordering::Acquire) as usize).checked_sub(1)
    }

    pub(super) fn set_head(&self, number: usize, head: Option<usize>) {
        let value = head.map_or(0, |h| u32::try_from(h + 1).expect("block numbers fit in 32 bits"));
        self.entry(number).store(value, Ordering::Release);
    }

    pub(super) fn address(&self, number: usize) -> usize {
        self.base + number * BLOCK
    }

    /// The header of a block in use (or about to be).
    #[inline]
    pub(super) fn header(&self, number: usize) -> &'static BlockHeader {
        debug_assert!(number < self.top.load(Ordering::Relaxed));
        let p = self.address(number) as *const BlockHeader;
        // SAFETY: A1: the block is mapped; its first bytes are a header of atomics, for which zero bytes are valid. The lifetime is that of
        // the heap, which outlives every user of it.
        unsafe { &*p }
    }

    /// Takes `n` adjacent blocks that were never used. `None`: the address space is used up.
    pub(super) fn grow(&self, n: usize) -> Option<usize> {
        let first = self.top.fetch_add(n, Ordering::Relaxed);
        if first + n > self.blocks {
            self.top.fetch_sub(n, Ordering::Relaxed);
            return None;
        }
        self.commit(first + n).then_some(first)
    }

    /// Makes the blocks below `end` accessible.
    fn commit(&self, end: usize) -> bool {
        let mut committed = self.committed.lock().expect("never held across a panic");
        if end <= *committed {
            return true;
        }
        let to = end.next_multiple_of(COMMIT).min(self.blocks);
        let p = self.address(*committed) as *mut libc::c_void;
        // SAFETY: A1: inside the mapping; these blocks were never used.
        let r = unsafe {
            libc::mprotect(p, (to - *committed) * BLOCK, libc::PROT_READ | libc::PROT_WRITE)
        };
        if r == 0 {
            if *committed >= HUGE_FROM {
                self.ask_for_huge_pages(*committed, to);
            }
            *committed = to;
        }
        r == 0
    }

    /// A heap that is not small takes its memory from the system in large pieces: fewer page faults, and fewer misses while marking.
    fn ask_for_huge_pages(&self, from: usize, to: usize) {
        #[cfg(target_os = "linux")]
        {
            let p = self.address(from) as *mut libc::c_void;
            // SAFETY: A1: inside the mapping. A hint: if the system refuses, nothing is lost.
            unsafe { libc::madvise(p, (to - from) * BLOCK, libc::MADV_HUGEPAGE) };
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (from, to);
    }

    pub(super) fn in_use(&self) -> usize {
        self.top.load(Ordering::Relaxed)
    }

    /// Gives the memory of blocks back to the system; they read as zero afterwards.
    pub(super) fn release(&self, first: usize, n: usize) {
        let p = self.address(first) as *mut libc::c_void;
        // SAFETY: A1: inside the mapping, and the caller says that nobody uses these blocks.
        unsafe { libc::madvise(p, n * BLOCK, libc::MADV_DONTNEED) };
    }

    /// Zeroes a block.
    pub(super) fn clear(&self, number: usize) {
        let p = self.address(number) as *mut u8;
        // SAFETY: A1, and the caller says that nobody uses this block.
        unsafe { ptr::write_bytes(p, 0, BLOCK) };
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: A1: exactly the mapping of `reserve`; the heap is gone, so nobody uses it.
        unsafe { libc::munmap(self.map.as_ptr().cast(), self.map_len) };
        // SAFETY: as above, for the table.
        unsafe { libc::munmap(self.table.as_ptr().cast(), self.table_len) };
    }
}
