//! Allocation: each P has a [`Cache`] with one run of free cells for each size class.
//!
//! Invariant C1: the cells from `cur` to `end` of a run are unmarked, zeroed, and belong to this cache alone.
//! A block in a cache is on no list of the heap.

#![expect(unsafe_code, reason = "raw memory: invariant C1")]

use std::ptr;
use std::sync::atomic::Ordering;

use super::block::{BLOCK_HEADER, CLASSES, class_of, header_word, small_class_of};
use super::{BLOCK, Heap};

/// A run of free cells, as addresses, and where in its block to look for the next.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    cur: usize,
    end: usize,
    block: Option<usize>,
    next_cell: usize,
    /// All of the block from `next_cell` on is zero.
    zero: bool,
}

/// The allocation cache of one P.
#[derive(Debug)]
pub struct Cache {
    runs: [Run; CLASSES.len()],
    specials: Vec<usize>,
}

impl Default for Cache {
    fn default() -> Self {
        Cache::new()
    }
}

impl Cache {
    /// An empty cache.
    pub fn new() -> Cache {
        Cache { runs: [Run::default(); CLASSES.len()], specials: Vec::new() }
    }

    /// A new object of `words` payload words, all zero, with this header. Null if there is no memory left.
    #[inline]
    pub fn alloc(&mut self, heap: &Heap, words: usize, header: u64) -> *mut u64 {
        if let Some(class) = class_of(words + 1) {
            let run = &mut self.runs[class];
            let next = run.cur + CLASSES[class] as usize;
            if next <= run.end {
                let cell = run.cur as *mut u64;
                run.cur = next;
                return start(cell, header);
            }
            return self.refill(heap, class, header);
        }
        heap.counters.refills.fetch_add(1, Ordering::Relaxed);
        alloc_large(heap, words, header)
    }

    /// As [`Cache::alloc`] if the cache has a cell for a small object at hand; otherwise nothing was done.
    #[inline(always)]
    pub fn alloc_quickly(&mut self, words: usize, header: u64) -> Option<*mut u64> {
        let class = small_class_of(words + 1)?;
        let run = &mut self.runs[class];
        let next = run.cur + CLASSES[class] as usize;
        if next > run.end {
            return None;
        }
        let cell = run.cur as *mut u64;
        run.cur = next;
        Some(start(cell, header))
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self, heap: &Heap, class: usize, header: u64) -> *mut u64 {
        heap.counters.refills.fetch_add(1, Ordering::Relaxed);
        loop {
            if self.next_run(heap, class) {
                let run = &mut self.runs[class];
                let cell = run.cur as *mut u64;
                run.cur += CLASSES[class] as usize;
                return start(cell, header);
            }
            let Some((block, zero)) = take_block(heap, class) else { return ptr::null_mut() };
            self.runs[class] = Run { cur: 0, end: 0, block: Some(block), next_cell: 0, zero };
        }
    }

    /// Moves on to the next run of free cells in the current block.
    fn next_run(&mut self, heap: &Heap, class: usize) -> bool {
        let run = &mut self.runs[class];
        let Some(number) = run.block else { return false };
        let block = heap.arena.header(number);
        let Some((first, end)) = block.free_run(run.next_cell) else {
            run.block = None;
            return false;
        };
        let bytes = (end - first) * CLASSES[class] as usize;
        run.cur = block.cell_address(first);
        run.end = run.cur + bytes;
        run.next_cell = end;
        if !run.zero {
            // SAFETY: C1: these cells are unmarked, and the block belongs to this cache.
            unsafe { ptr::write_bytes(run.cur as *mut u8, 0, bytes) };
        }
        heap.charge(bytes as u64);
        heap.counters.objects.fetch_add((end - first) as u64, Ordering::Relaxed);
        true
    }

    /// Cells, and their bytes, that this cache was handed and has not used.
    pub fn unused(&self) -> (u64, u64) {
        self.runs.iter().zip(CLASSES).fold((0, 0), |(cells, bytes), (run, size)| {
            let left = (run.end - run.cur) as u64;
            (cells + left / u64::from(size), bytes + left)
        })
    }

    /// Registers an object with a native part, so that the collector drops that part.
    pub fn add_special(&mut self, payload: *mut u64) {
        self.specials.push(payload as usize);
        if self.specials.len() >= 256 {
            // The list only matters to a collection, which flushes; this bounds its size.
            self.specials.reserve(256);
        }
    }

    /// Gives everything back to the heap. Called while the world is stopped, before marking.
    pub fn flush(&mut self, heap: &Heap) {
        let (cells, bytes) = self.unused();
        heap.counters.objects.fetch_sub(cells, Ordering::Relaxed);
        heap.counters.total.fetch_sub(bytes, Ordering::Relaxed);
        self.runs = [Run::default(); CLASSES.len()];
        let mut central = heap.central.lock().expect("never held across a panic");
        central.specials.append(&mut self.specials);
    }
}

#[inline]
fn start(cell: *mut u64, header: u64) -> *mut u64 {
    let payload = cell.wrapping_add(1);
    header_word(payload).store(header, Ordering::Relaxed);
    payload
}

/// A block with free cells of the class: a partly used one, a free one, or a new one. And whether its cells are all zero.
fn take_block(heap: &Heap, class: usize) -> Option<(usize, bool)> {
    let mut central = heap.central.lock().expect("never held across a panic");
    if let Some(b) = central.partial[class].pop() {
        return Some((b, false));
    }
    let (block, zero) = match central.free.pop() {
        Some(b) => b,
        None => (heap.arena.grow(1)?, true),
    };
    drop(central);
    if !zero {
        heap.arena.clear(block);
    }
    heap.arena.header(block).init_small(class);
    heap.arena.set_head(block, Some(block));
    Some((block, true))
}

fn alloc_large(heap: &Heap, words: usize, header: u64) -> *mut u64 {
    let Some(bytes) = words.checked_mul(8).and_then(|b| b.checked_add(8 + BLOCK_HEADER)) else {
        return ptr::null_mut();
    };
    let span = bytes.div_ceil(BLOCK);
    let Some(first) = take_span(heap, span) else { return ptr::null_mut() };
    let block = heap.arena.header(first);
    block.init_large(span);
    for b in first..first + span {
        heap.arena.set_head(b, Some(first));
    }
    heap.charge((span * BLOCK) as u64);
    heap.counters.objects.fetch_add(1, Ordering::Relaxed);
    start(block.cell_address(0) as *mut u64, header)
}

/// Adjacent free blocks, zeroed: from the free list if a run of them is there, else new ones.
fn take_span(heap: &Heap, span: usize) -> Option<usize> {
    let mut central = heap.central.lock().expect("never held across a panic");
    let free = &mut central.free;
    free.sort_unstable();
    let mut start = 0;
    for i in 0..free.len() {
        if i > 0 && free[i].0 != free[i - 1].0 + 1 {
            start = i;
        }
        if i + 1 - start == span {
            let taken: Vec<(usize, bool)> = free.drain(start..=i).collect();
            drop(central);
            if taken.iter().any(|(_, zero)| !zero) {
                heap.arena.release(taken[0].0, span);
            }
            return Some(taken[0].0);
        }
    }
    drop(central);
    heap.arena.grow(span)
}
