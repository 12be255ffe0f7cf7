//! The block heap and its stop-the-world mark-sweep collector.
//!
//! Address space is reserved once (`arena`) and handed out in 64 KiB blocks. A small block holds cells of one size class; a
//! large object takes a run of blocks (`block`). Every P allocates from its own [`Cache`] by bumping through runs of free cells. A
//! cell starts with one header word, the guest's pointer is to the word after it (the payload).
//!
//! Invariants:
//! * Header word: low half the [`Shape`] id (which for objects of guest types is the runtime type id), high half free for the owner. A free
//!   cell that an allocation run has reached has header 0; a dead cell keeps its header until it is reused. So any word can be
//!   asked whether it points into an allocated cell, and marking may be conservative about words (stacks, closures).
//! * Nothing moves. The collector runs while the world is stopped; caches are flushed before it marks.
//! * Objects with a native part (maps, channels) are on the list of specials; the collector drops that part when the object died and
//!   clears its header.
//!
//! Rejected: a malloc per object (2x slower, prototype figures in the design notes), a free list in cells (destroys
//! bump allocation), moving (interior pointers are everywhere in Go).

mod arena;
mod block;
mod cache;
mod mark;
mod stats;

pub use cache::Cache;
pub use mark::{Marker, Roots, TraceSpecial};
pub use stats::{GcStats, PAUSES, Pause};

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;

use arena::Arena;
use block::{BlockHeader, CLASSES};
use stats::Log;

/// Bytes of a block; also its alignment.
pub const BLOCK: usize = 1 << 16;

/// Shape ids from here on are built in; below it they are runtime type ids.
pub const BUILTIN: u32 = 0xFFFF_FF00;
/// No pointers inside.
pub const SHAPE_RAW: u32 = BUILTIN;
/// {data, len} or {data, len, cap}: the first word is a pointer.
pub const SHAPE_HEADER: u32 = BUILTIN + 1;
/// Every word may be a pointer.
pub const SHAPE_WORDS: u32 = BUILTIN + 2;
/// Native part: a map. The first word is a `Box`.
pub const SHAPE_MAP: u32 = BUILTIN + 3;
/// Native part: a channel.
pub const SHAPE_CHAN: u32 = BUILTIN + 4;
/// Native part: anything else a native keeps (timers, files, builders).
pub const SHAPE_NATIVE: u32 = BUILTIN + 5;

/// Where the pointers of an object are: a pattern over words that repeats to the end of the cell.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// Words after which the pattern repeats; 0 means no pointers at all.
    pub period: u32,
    /// Bit i of word i / 64: word i may be a pointer.
    pub bits: Vec<u64>,
}

impl Shape {
    /// A shape from one flag a word.
    pub fn new(pointers: &[bool], words: u32) -> Shape {
        if !pointers.iter().any(|p| *p) {
            return Shape::default();
        }
        let mut bits = vec![0u64; (words as usize).div_ceil(64)];
        for (i, _) in pointers.iter().enumerate().filter(|(_, p)| **p) {
            bits[i / 64] |= 1 << (i % 64);
        }
        Shape { period: words, bits }
    }
}

/// Free lists and everything that is not per P.
#[derive(Debug, Default)]
struct Central {
    /// Blocks with free cells, by class.
    partial: Vec<Vec<usize>>,
    /// Free single blocks, as block numbers. `true`: known to be zero.
    free: Vec<(usize, bool)>,
    /// Payload addresses of objects with a native part.
    specials: Vec<usize>,
}

/// The heap of one machine.
#[derive(Debug)]
pub struct Heap {
    arena: Arena,
    central: CachePadded<Mutex<Central>>,
    /// What refills of caches count: not beside what all read.
    counters: CachePadded<Counters>,
    /// How many bytes are handed out until the next collection is due.
    next: AtomicU64,
    wanted: AtomicBool,
    /// Bytes that the last collection left.
    live: AtomicU64,
    /// Percentage of growth; `u64::MAX` is off (GOGC=off).
    percent: AtomicU64,
    /// Memory limit in bytes.
    limit: AtomicU64,
    log: Mutex<Log>,
}

/// What refills of caches count.
#[derive(Debug, Default)]
struct Counters {
    /// Bytes handed out since the last collection, and in all.
    since: AtomicU64,
    total: AtomicU64,
    /// Cells handed out to caches so far, without those that came back unused.
    objects: AtomicU64,
    refills: AtomicU64,
    /// Memory of native parts (map tables), for the trigger only.
    native_bytes: AtomicUsize,
}

/// The least heap at which a collection starts (Go: 4 MiB).
const MIN_TRIGGER: u64 = 4 << 20;

impl Heap {
    /// A heap with its address space reserved but not used.
    ///
    /// # Errors
    /// The text of the operating system's error if no address space can be had.
    pub fn new() -> Result<Heap, String> {
        let central = Central { partial: vec![Vec::new(); CLASSES.len()], ..Central::default() };
        Ok(Heap {
            arena: Arena::reserve()?,
            central: CachePadded::new(Mutex::new(central)),
            counters: CachePadded::default(),
            next: AtomicU64::new(MIN_TRIGGER),
            wanted: AtomicBool::new(false),
            live: AtomicU64::new(0),
            percent: AtomicU64::new(100),
            limit: AtomicU64::new(u64::MAX),
            log: Mutex::new(Log::default()),
        })
    }

    /// Whether a collection is due. One relaxed load.
    pub fn gc_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    /// Asks for a collection at the next safe point.
    pub fn want_gc(&self) {
        self.wanted.store(true, Ordering::Relaxed);
    }

    /// How large the heap may be when the next collection is due.
    pub fn goal(&self) -> u64 {
        let next = self.next.load(Ordering::Relaxed);
        self.live.load(Ordering::Relaxed).saturating_add(next)
    }

    /// Sets GOGC (percent, `None` is off) and returns the old value.
    pub fn set_gc_percent(&self, percent: Option<u64>) -> Option<u64> {
        let old = self.percent.swap(percent.unwrap_or(u64::MAX), Ordering::Relaxed);
        self.set_next_trigger();
        (old != u64::MAX).then_some(old)
    }

    /// Sets the soft memory limit in bytes and returns the old one.
    pub fn set_limit(&self, bytes: u64) -> u64 {
        let old = self.limit.swap(bytes, Ordering::Relaxed);
        self.set_next_trigger();
        old
    }

    /// Figures of the collections so far.
    pub fn stats(&self) -> GcStats {
        let mut s = self.log.lock().expect("never held across a panic").totals;
        s.live_bytes =
            self.live.load(Ordering::Relaxed) + self.counters.since.load(Ordering::Relaxed);
        s.allocated_bytes = self.counters.total.load(Ordering::Relaxed);
        s.refills = self.counters.refills.load(Ordering::Relaxed);
        s.objects = self.counters.objects.load(Ordering::Relaxed);
        s
    }

    /// The last pauses: that of the n-th collection, from 0, is at n modulo the length.
    pub fn pauses(&self) -> [Pause; PAUSES] {
        self.log.lock().expect("never held across a panic").pauses
    }

    /// Counts a collection that the program asked for.
    pub fn count_forced(&self) {
        self.log.lock().expect("never held across a panic").totals.forced += 1;
    }

    /// Counts memory of native parts in or out, so that the trigger sees it.
    pub fn account_native(&self, grown: usize) {
        self.counters.native_bytes.fetch_add(grown, Ordering::Relaxed);
        self.charge(grown as u64);
    }

    fn charge(&self, bytes: u64) {
        let since = self.counters.since.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.counters.total.fetch_add(bytes, Ordering::Relaxed);
        if since >= self.next.load(Ordering::Relaxed) {
            self.want_gc();
        }
    }

    fn set_next_trigger(&self) {
        let live = self.live.load(Ordering::Relaxed);
        let percent = self.percent.load(Ordering::Relaxed);
        let mut next = if percent == u64::MAX {
            u64::MAX
        } else {
            (live.max(MIN_TRIGGER) as u128 * u128::from(percent) / 100).min(u128::from(u64::MAX))
                as u64
        };
        let limit = self.limit.load(Ordering::Relaxed);
        if limit != u64::MAX {
            next = next.min(limit.saturating_sub(live).max(MIN_TRIGGER / 4));
        }
        self.next.store(next, Ordering::Relaxed);
    }

    /// The payload address of the allocated cell that `word` points into, if it does.
    pub fn find(&self, word: u64) -> Option<*mut u64> {
        let (block, cell) = self.locate(word as usize)?;
        let payload = block.cell_payload(cell);
        (block::header_of(payload) != 0).then_some(payload)
    }

    /// Bytes from an address to the end of the allocated cell that it lies in, if it does.
    pub fn room_from(&self, addr: u64) -> Option<u64> {
        let payload = self.find(addr)?;
        let (block, _) = self.locate(addr as usize)?;
        Some(payload as u64 + block.cell_bytes() as u64 - 8 - addr)
    }

    fn locate(&self, addr: usize) -> Option<(&'static BlockHeader, usize)> {
        let number = self.arena.block_of(addr)?;
        let head = self.arena.head(number)?;
        let block = self.arena.header(head);
        let cell = block.cell_of(addr)?;
        Some((block, cell))
    }
}
