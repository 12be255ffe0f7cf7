//! What a block looks like: a header with mark bits, then cells of one size.
//!
//! Invariant B1: a cell number below `ncells` lies whole inside the block (or the run of blocks of a large object).

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "an access is an address and a read or write: one operation in two steps"
)]
#![expect(unsafe_code, reason = "raw memory: invariant B1")]

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::BLOCK;

/// Words of mark bits: one bit for each cell of the smallest class.
const MARK_WORDS: usize = 64;

/// Bytes of a block before the first cell.
pub(super) const BLOCK_HEADER: usize = size_of::<BlockHeader>();

/// Cell sizes in bytes, header word included. Chosen so that a cell wastes at most about a fifth.
pub(super) const CLASSES: [u32; 39] = [
    16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 144, 160, 192, 224, 256, 320, 384, 448, 512,
    640, 768, 896, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 4096, 5120, 6144, 8112, 10816, 16224,
    21632, 32448,
];

/// The class of a large object.
pub(super) const LARGE: u32 = CLASSES.len() as u32;

/// The biggest object that is not large, in bytes with its header word.
pub(super) const MAX_SMALL: usize = CLASSES[CLASSES.len() - 1] as usize;

/// Class of a size in words, header included, for the sizes that occur all the time.
const SMALL_TABLE: usize = 130;
static CLASS_OF: [u8; SMALL_TABLE] = class_table();

const fn class_table() -> [u8; SMALL_TABLE] {
    let mut t = [0u8; SMALL_TABLE];
    let mut words = 0;
    let mut class = 0;
    while words < SMALL_TABLE {
        while (CLASSES[class] as usize) < words * 8 {
            class += 1;
        }
        t[words] = class as u8;
        words += 1;
    }
    t
}

/// The size class of a small object, from the table alone.
#[inline(always)]
pub(super) fn small_class_of(words: usize) -> Option<usize> {
    (words < SMALL_TABLE).then(|| CLASS_OF[words] as usize)
}

/// The size class of an object of so many words, header included; `None` if it is large.
#[inline]
pub(super) fn class_of(words: usize) -> Option<usize> {
    if let Some(class) = small_class_of(words) {
        return Some(class);
    }
    let bytes = words.checked_mul(8)?;
    if bytes > MAX_SMALL {
        return None;
    }
    Some(CLASSES.partition_point(|c| (*c as usize) < bytes))
}

/// The header of a block. Fields change only while one M owns the block or the world is stopped; marks are atomic because
/// several Ms mark.
#[repr(C)]
#[derive(Debug)]
pub(super) struct BlockHeader {
    cell: AtomicU64,
    ncells: AtomicU32,
    class: AtomicU32,
    /// 2^32 / cell size, rounded up: turns a division into a multiplication.
    recip: AtomicU64,
    /// Of a large object: how many blocks.
    span: AtomicU64,
    marks: [AtomicU64; MARK_WORDS],
}

impl BlockHeader {
    /// Makes a zeroed block one of a class.
    pub(super) fn init_small(&self, class: usize) {
        let cell = u64::from(CLASSES[class]);
        self.cell.store(cell, Ordering::Relaxed);
        self.ncells.store(((BLOCK - BLOCK_HEADER) as u64 / cell) as u32, Ordering::Relaxed);
        self.class.store(class as u32, Ordering::Relaxed);
        self.recip.store((1u64 << 32).div_ceil(cell), Ordering::Relaxed);
        self.span.store(1, Ordering::Relaxed);
        self.clear_marks();
    }

    /// Makes a zeroed run of blocks one large object.
    pub(super) fn init_large(&self, span: usize) {
        self.cell.store((span * BLOCK - BLOCK_HEADER) as u64, Ordering::Relaxed);
        self.ncells.store(1, Ordering::Relaxed);
        self.class.store(LARGE, Ordering::Relaxed);
        self.recip.store(0, Ordering::Relaxed);
        self.span.store(span as u64, Ordering::Relaxed);
        self.clear_marks();
    }

    pub(super) fn class(&self) -> u32 {
        self.class.load(Ordering::Relaxed)
    }

    pub(super) fn ncells(&self) -> usize {
        self.ncells.load(Ordering::Relaxed) as usize
    }

    pub(super) fn cell_bytes(&self) -> usize {
        self.cell.load(Ordering::Relaxed) as usize
    }

    pub(super) fn span(&self) -> usize {
        self.span.load(Ordering::Relaxed) as usize
    }

    /// The cell an address lies in; `None` for the header and the waste at the end.
    #[inline]
    pub(super) fn cell_of(&self, addr: usize) -> Option<usize> {
        let offset =
            addr.wrapping_sub(self as *const BlockHeader as usize).checked_sub(BLOCK_HEADER)?;
        // For a large object the factor is 0, and so is the cell. Offsets fit in 32 bits where it is not.
        let cell =
            ((offset as u64).wrapping_mul(self.recip.load(Ordering::Relaxed)) >> 32) as usize;
        (cell < self.ncells()).then_some(cell)
    }

    /// The address of a cell's header word.
    #[inline]
    pub(super) fn cell_address(&self, cell: usize) -> usize {
        debug_assert!(cell < self.ncells());
        self as *const BlockHeader as usize + BLOCK_HEADER + cell * self.cell_bytes()
    }

    #[inline]
    pub(super) fn cell_payload(&self, cell: usize) -> *mut u64 {
        (self.cell_address(cell) + 8) as *mut u64
    }

    pub(super) fn clear_marks(&self) {
        for w in &self.marks {
            w.store(0, Ordering::Relaxed);
        }
    }

    pub(super) fn is_marked(&self, cell: usize) -> bool {
        self.marks[cell / 64].load(Ordering::Relaxed) >> (cell % 64) & 1 == 1
    }

    /// Marks a cell; true if it was not marked before. `alone`: nobody else marks.
    #[inline]
    pub(super) fn mark(&self, cell: usize, alone: bool) -> bool {
        let word = &self.marks[cell / 64];
        let bit = 1u64 << (cell % 64);
        let bits = word.load(Ordering::Relaxed);
        if bits & bit != 0 {
            return false;
        }
        if alone {
            word.store(bits | bit, Ordering::Relaxed);
            return true;
        }
        word.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }

    pub(super) fn count_marked(&self) -> usize {
        self.marks.iter().map(|w| w.load(Ordering::Relaxed).count_ones() as usize).sum()
    }

    /// The next run of unmarked cells at or after `from`: (first, end).
    pub(super) fn free_run(&self, from: usize) -> Option<(usize, usize)> {
        let n = self.ncells();
        let first = self.next_bit(from, n, false);
        if first >= n {
            return None;
        }
        Some((first, self.next_bit(first, n, true)))
    }

    /// The first cell at or after `i` whose mark is `set`, or `n`.
    fn next_bit(&self, mut i: usize, n: usize, set: bool) -> usize {
        while i < n {
            let mut w = self.marks[i / 64].load(Ordering::Relaxed);
            if !set {
                w = !w;
            }
            w >>= i % 64;
            if w != 0 {
                return (i + w.trailing_zeros() as usize).min(n);
            }
            i = (i / 64 + 1) * 64;
        }
        n
    }
}

/// The header word of an object, by its payload address.
#[inline]
pub(super) fn header_word(payload: *mut u64) -> &'static AtomicU64 {
    // SAFETY: B1: the payload of a cell follows its header word, which is mapped and only accessed atomically.
    unsafe { &*payload.sub(1).cast::<AtomicU64>() }
}

/// The header of an object: 0 if the cell is free.
#[inline]
pub(super) fn header_of(payload: *mut u64) -> u64 {
    header_word(payload).load(Ordering::Relaxed)
}
