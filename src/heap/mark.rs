//! Marking and sweeping, while the world is stopped.
//!
//! Marking is conservative about where words come from (any word may be offered) and exact inside objects (shapes). It never
//! recurses: grey objects wait on a stack. Several markers may work at once; one that has something to give gives half of it to
//! one that has nothing, through a pool.
//!
//! Marking is waiting for memory. So an object that a word points to is only asked for, and looked at when some others have been
//! asked for after it ([`AHEAD`]).
//!
//! Sweeping is only counting: a block without marks is free, one with some is offered for allocation again, which then runs
//! through its unmarked cells. Native parts of dead objects are dropped here.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "an access is an address and a read or write: one operation in two steps"
)]
#![expect(
    unsafe_code,
    reason = "raw memory: an object is read only through its cell (invariant B1)"
)]

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use crossbeam_utils::CachePadded;

use crate::sync::cache::fetch_soon;

use super::block::{BlockHeader, LARGE, header_of, header_word};
use super::{
    BLOCK, BUILTIN, Heap, SHAPE_CHAN, SHAPE_HEADER, SHAPE_MAP, SHAPE_NATIVE, SHAPE_RAW, Shape,
};

/// A marker with more grey objects than this gives half of them to one that waits.
const LOCAL_MAX: usize = 16;
/// Objects that are on their way from memory at once; a core has about a dozen requests under way.
const AHEAD: usize = 16;
/// Heaps smaller than this are marked by one thread: starting others would take longer.
const PARALLEL_MIN: u64 = 16 << 20;

/// So many native parts are dropped by one thread.
const SPECIALS_MIN: usize = 8192;

/// What the heap does not know about objects with a native part.
pub trait TraceSpecial: Sync {
    /// Offers every word that the native part of the object refers to.
    fn trace(&self, shape: u32, payload: *mut u64, marker: &mut Marker<'_>);
    /// Everything that can be reached is marked, and `lives` says of an address whether the object there is. Words that are offered now keep
    /// their objects.
    fn settle(&self, lives: &dyn Fn(u64) -> bool, marker: &mut Marker<'_>);
    /// What is not marked now dies.
    fn bury(&self, lives: &dyn Fn(u64) -> bool);
    /// Drops the native part. The object is dead.
    fn drop_native(&self, shape: u32, payload: *mut u64);
    /// The shape of objects of a guest type.
    fn shape(&self, id: u32) -> &Shape;
}

/// Where marking starts.
#[expect(missing_debug_implementations, reason = "functions")]
pub struct Roots<'a> {
    /// Offers what one marker offers alone.
    pub first: &'a (dyn Fn(&mut Marker<'_>) + Sync),
    /// Offers a share of what all markers offer together; false if none is left.
    pub share: &'a (dyn Fn(&mut Marker<'_>) -> bool + Sync),
    /// There are so many shares that several threads are worth it, however small the heap is.
    pub many: bool,
}

/// A cell that a word points into.
#[derive(Clone, Copy, Debug)]
struct Target {
    block: &'static BlockHeader,
    cell: usize,
    payload: usize,
}

/// A worker of the mark phase. It changes with every object, and what others look at as often must not lie beside it.
#[derive(Debug)]
pub struct Marker<'h> {
    heap: &'h Heap,
    grey: Vec<usize>,
    /// What was asked for, a ring: the next place to be used holds the oldest.
    ahead: [Option<Target>; AHEAD],
    next: usize,
    /// No other marker is at work.
    alone: bool,
}

impl<'h> Marker<'h> {
    fn new(heap: &'h Heap, alone: bool) -> Marker<'h> {
        Marker { heap, grey: Vec::new(), ahead: [None; AHEAD], next: 0, alone }
    }

    /// Offers a word: if it points into an allocated cell, the object lives.
    #[inline]
    pub fn word(&mut self, word: u64) {
        let Some((block, cell)) = self.heap.locate(word as usize) else { return };
        let payload = block.cell_payload(cell);
        fetch_soon(payload.cast());
        let target = Target { block, cell, payload: payload as usize };
        let oldest = self.ahead[self.next].replace(target);
        self.next = (self.next + 1) % AHEAD;
        if let Some(t) = oldest {
            self.look(t);
        }
    }

    /// Marks an allocated cell, and makes it grey if it was not marked.
    #[inline]
    fn look(&mut self, t: Target) {
        if header_of(t.payload as *mut u64) != 0 && t.block.mark(t.cell, self.alone) {
            self.grey.push(t.payload);
        }
    }

    /// The next object to scan.
    #[inline]
    fn pop(&mut self) -> Option<usize> {
        if self.grey.is_empty() {
            for i in 0..AHEAD {
                if let Some(t) = self.ahead[(self.next + i) % AHEAD].take() {
                    self.look(t);
                }
            }
        }
        self.grey.pop()
    }

    /// Offers `n` words of memory.
    ///
    /// # Safety
    /// They must be readable, and nobody may free them meanwhile.
    pub unsafe fn words(&mut self, start: *const u64, n: usize) {
        for i in 0..n {
            // SAFETY: in the range the caller vouches for; relaxed atomic, as all guest memory.
            let w = unsafe { (*start.add(i).cast::<AtomicU64>()).load(Ordering::Relaxed) };
            if w != 0 {
                self.word(w);
            }
        }
    }

    /// Offers what an object refers to, but not the object.
    pub fn inside(&mut self, payload: u64, special: &dyn TraceSpecial) {
        if self.heap.find(payload).is_some_and(|p| p as u64 == payload) {
            self.scan(payload as *mut u64, special);
        }
    }

    fn scan(&mut self, payload: *mut u64, special: &dyn TraceSpecial) {
        let id = header_of(payload) as u32;
        let Some((block, _)) = self.heap.locate(payload as usize) else { return };
        let words = block.cell_bytes() / 8 - 1;
        match id {
            SHAPE_RAW => {}
            SHAPE_HEADER => {
                // SAFETY: the payload of a cell has at least one word.
                unsafe { self.words(payload, 1) };
            }
            SHAPE_MAP | SHAPE_CHAN | SHAPE_NATIVE => special.trace(id, payload, self),
            _ if id >= BUILTIN => {
                // SAFETY: B1: a cell has this many payload words.
                unsafe { self.words(payload, words) };
            }
            _ => self.scan_shape(payload, words, special.shape(id)),
        }
    }

    fn scan_shape(&mut self, payload: *mut u64, words: usize, shape: &Shape) {
        let period = shape.period as usize;
        if period == 0 {
            return;
        }
        let mut at = 0;
        while at < words {
            for (k, &bits) in shape.bits.iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    let i = at + k * 64 + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    if i < words {
                        // SAFETY: B1: i is below the number of payload words.
                        unsafe { self.words(payload.add(i), 1) };
                    }
                }
            }
            at += period;
        }
    }

    /// Offers the shared roots, as many shares as it gets, and marks what hangs on them and on what others give.
    fn work(&mut self, roots: &Roots<'_>, special: &dyn TraceSpecial, pool: &Pool) {
        while (roots.share)(self) {}
        self.drain(special, pool);
    }

    fn drain(&mut self, special: &dyn TraceSpecial, pool: &Pool) {
        loop {
            while let Some(p) = self.pop() {
                self.scan(p as *mut u64, special);
                if self.grey.len() > LOCAL_MAX && pool.hungry() {
                    let half = self.grey.len() / 2;
                    pool.give(self.grey.drain(..half).collect());
                }
            }
            match pool.take() {
                Some(more) => self.grey = more,
                None => return,
            }
        }
    }
}

/// Surplus of grey objects, and how many markers have nothing to do.
struct Pool {
    chunks: Mutex<Vec<Vec<usize>>>,
    /// Chunks that nobody has taken.
    given: AtomicUsize,
    waiting: AtomicUsize,
    markers: usize,
}

impl Pool {
    fn new(markers: usize) -> Pool {
        let (given, waiting) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Pool { chunks: Mutex::new(Vec::new()), given, waiting, markers }
    }

    fn hungry(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > self.given.load(Ordering::Relaxed)
    }

    fn give(&self, chunk: Vec<usize>) {
        self.given.fetch_add(1, Ordering::Relaxed);
        self.chunks.lock().expect("never held across a panic").push(chunk);
    }

    fn try_take(&self) -> Option<Vec<usize>> {
        let chunk = self.chunks.lock().expect("never held across a panic").pop()?;
        self.given.fetch_sub(1, Ordering::Relaxed);
        Some(chunk)
    }

    /// More work, or `None` once every marker has run out.
    fn take(&self) -> Option<Vec<usize>> {
        if let Some(c) = self.try_take() {
            return Some(c);
        }
        self.waiting.fetch_add(1, Ordering::AcqRel);
        loop {
            if self.waiting.load(Ordering::Acquire) == self.markers {
                return None;
            }
            // A marker that takes work stops waiting first, so `waiting == markers` means that all are out of work and the pool
            // is empty: only a marker with work gives.
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            if let Some(c) = self.try_take() {
                return Some(c);
            }
            self.waiting.fetch_add(1, Ordering::AcqRel);
            std::hint::spin_loop();
            std::thread::yield_now();
        }
    }
}

impl Heap {
    /// A collection: the world is stopped and all caches are flushed. `threads` is how many markers may work at once.
    /// Returns the live bytes.
    pub fn collect(&self, special: &dyn TraceSpecial, threads: usize, roots: &Roots<'_>) -> u64 {
        let began = Instant::now();
        for n in 0..self.arena.in_use() {
            if self.arena.head(n) == Some(n) {
                self.arena.header(n).clear_marks();
            }
        }
        let heap = self.live.load(Ordering::Relaxed) + self.counters.since.load(Ordering::Relaxed);
        let threads = if heap >= PARALLEL_MIN || roots.many { threads.max(1) } else { 1 };
        // On cache lines of their own: side by side they made marking with two threads as slow as with one.
        let mut marker = CachePadded::new(Marker::new(self, threads == 1));
        (roots.first)(&mut marker);
        let pool = CachePadded::new(Pool::new(threads));
        std::thread::scope(|s| {
            for _ in 1..threads {
                s.spawn(|| CachePadded::new(Marker::new(self, false)).work(roots, special, &pool));
            }
            marker.work(roots, special, &pool);
        });
        let lives = |addr: u64| {
            self.locate(addr as usize).is_none_or(|(block, cell)| block.is_marked(cell))
        };
        special.settle(&lives, &mut marker);
        marker.drain(special, &Pool::new(1));
        special.bury(&lives);
        self.drop_dead_specials(special, threads);
        let (live, objects) = self.sweep();
        self.finish(live, objects, began);
        live
    }

    /// Drops the native parts of dead objects; threads share them out.
    fn drop_dead_specials(&self, special: &dyn TraceSpecial, threads: usize) {
        let mut central = self.central.lock().expect("never held across a panic");
        let all = std::mem::take(&mut central.specials);
        let share = all.len().div_ceil(threads).max(SPECIALS_MIN);
        let alive = |part: &[usize]| -> Vec<usize> {
            part.iter().copied().filter(|&p| self.keep_special(p, special)).collect()
        };
        let alive = &alive;
        central.specials = std::thread::scope(|s| {
            let mut parts = all.chunks(share);
            let mine = parts.next().unwrap_or_default();
            let others: Vec<_> = parts.map(|part| s.spawn(move || alive(part))).collect();
            let mut kept = alive(mine);
            for other in others {
                kept.extend(other.join().expect("dropping a native part does not panic"));
            }
            kept
        });
    }

    /// Whether the object lives; if not, its native part is dropped.
    fn keep_special(&self, p: usize, special: &dyn TraceSpecial) -> bool {
        let payload = p as *mut u64;
        let alive = self.locate(p).is_some_and(|(block, cell)| block.is_marked(cell));
        if !alive {
            special.drop_native(header_of(payload) as u32, payload);
            header_word(payload).store(0, Ordering::Relaxed);
        }
        alive
    }

    /// Rebuilds the lists of free and partly used blocks; returns the live bytes and objects.
    fn sweep(&self) -> (u64, u64) {
        let mut central = self.central.lock().expect("never held across a panic");
        for list in &mut central.partial {
            list.clear();
        }
        let (mut live, mut objects) = (0u64, 0u64);
        let mut n = 0;
        while n < self.arena.in_use() {
            if self.arena.head(n) != Some(n) {
                n += 1;
                continue;
            }
            let block = self.arena.header(n);
            let (marked, span) = (block.count_marked(), block.span());
            live += (marked * block.cell_bytes()) as u64;
            objects += marked as u64;
            if marked == 0 {
                self.free_blocks(n, span, block.class() == LARGE, &mut central.free);
            } else if marked < block.ncells() {
                central.partial[block.class() as usize].push(n);
            }
            n += span;
        }
        // Low addresses first, so that the heap stays dense.
        for list in &mut central.partial {
            list.reverse();
        }
        (live, objects)
    }

    fn free_blocks(&self, first: usize, span: usize, release: bool, free: &mut Vec<(usize, bool)>) {
        if release {
            self.arena.release(first, span);
        }
        for b in first..first + span {
            self.arena.set_head(b, None);
            free.push((b, release));
        }
    }

    fn finish(&self, live: u64, objects: u64, began: Instant) {
        self.live.store(live, Ordering::Relaxed);
        self.counters.since.store(0, Ordering::Relaxed);
        self.set_next_trigger();
        self.wanted.store(false, Ordering::Relaxed);
        let freed = self.counters.objects.load(Ordering::Relaxed).saturating_sub(objects);
        self.log.lock().expect("never held across a panic").note(began.elapsed(), freed);
    }

    /// Drops the native parts of all objects: the machine ends.
    pub fn drop_all_specials(&self, special: &dyn TraceSpecial) {
        let mut central = self.central.lock().expect("never held across a panic");
        for p in central.specials.drain(..) {
            let payload = p as *mut u64;
            special.drop_native(header_of(payload) as u32, payload);
            header_word(payload).store(0, Ordering::Relaxed);
        }
    }

    /// Bytes of address space in use, for `runtime.MemStats`.
    pub fn reserved_bytes(&self) -> u64 {
        (self.arena.in_use() * BLOCK) as u64
    }
}
