//! What collections did: counters, and the last pauses.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The pause that a collection made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pause {
    /// Its length in nanoseconds, from when all others had stopped.
    pub ns: u64,
    /// When it ended: nanoseconds since 1970.
    pub end: u64,
}

/// This many pauses are remembered, as in Go's `runtime.MemStats`.
pub const PAUSES: usize = 256;

/// Counters of the heap.
#[derive(Clone, Copy, Debug, Default)]
pub struct GcStats {
    /// Collections so far.
    pub collections: u64,
    /// Those that the program asked for.
    pub forced: u64,
    /// Bytes that the last collection left, and what was handed out since.
    pub live_bytes: u64,
    /// The last pause.
    pub last: Pause,
    /// All pauses together, in nanoseconds.
    pub total_pause_ns: u64,
    /// Bytes handed out to caches so far.
    pub allocated_bytes: u64,
    /// How often a P's cache could not serve an allocation: it had no cell left, or the object is large (counter `alloc.slow`).
    pub refills: u64,
    /// Objects handed out to caches so far.
    pub objects: u64,
    /// Objects that were freed.
    pub freed: u64,
}

/// The counters that collections write.
#[derive(Debug)]
pub(super) struct Log {
    pub(super) totals: GcStats,
    /// That of the n-th collection, from 0, is at n modulo the length.
    pub(super) pauses: [Pause; PAUSES],
}

impl Default for Log {
    fn default() -> Self {
        Log { totals: GcStats::default(), pauses: [Pause::default(); PAUSES] }
    }
}

impl Log {
    /// Notes a collection that took this long. `freed`: objects that were freed so far.
    pub(super) fn note(&mut self, took: Duration, freed: u64) {
        let nanos = |d: Duration| u64::try_from(d.as_nanos()).unwrap_or(u64::MAX);
        let end = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, nanos);
        let pause = Pause { ns: nanos(took), end };
        let totals = &mut self.totals;
        self.pauses[totals.collections as usize % PAUSES] = pause;
        totals.collections += 1;
        totals.last = pause;
        totals.total_pause_ns += pause.ns;
        totals.freed = freed;
    }
}
