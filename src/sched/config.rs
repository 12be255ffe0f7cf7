//! What a runtime is told when it is made. The library reads no environment; the command line fills this in.

use super::events::EventHook;
use crate::sync::Arc;
use std::io::Write;

/// The local queue's length in Go.
pub const LOCAL_QUEUE: usize = 256;
/// Go's limit on threads.
pub const MAX_THREADS: u32 = 10_000;
/// The most Ps; a plain upper bound, far above any machine (there is no limit of 256, unlike old Go).
pub const MAX_PROCS: u32 = 1 << 16;
/// Go's time slice.
pub const SLICE_NS: i64 = 10_000_000;

/// Go's two minutes.
pub const FORCE_GC_NS: u64 = 120_000_000_000;

/// Where the scheduler's own output goes: fatal errors, tracebacks, schedtrace.
pub trait Sink: Send + Sync {
    /// Writes the whole text at once.
    fn write(&self, text: &str);
}

/// The standard error stream of the process.
#[derive(Debug, Default, Clone, Copy)]
pub struct Stderr;

impl Sink for Stderr {
    fn write(&self, text: &str) {
        // Nothing can be done about a closed stderr, as in Go.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

/// Settings that only provoke rare orders; the ordinary tests must pass with any of them.
#[derive(Debug, Clone, Default)]
pub struct Hostile {
    /// Look at the other Ps before the own queues.
    pub steal_first: bool,
    /// Every slice ends at its first refill.
    pub tiny_slice: bool,
    /// Sysmon takes Ps out of syscalls at its first look.
    pub retake_at_once: bool,
    /// Every wake-up also wakes an idle thread for nothing.
    pub spurious_wakes: bool,
}

/// How a runtime is to work.
#[derive(Clone)]
pub struct Config {
    /// GOMAXPROCS.
    pub procs: u32,
    /// The number of Ps if nobody says otherwise; asked again while the program runs.
    pub default_procs: fn() -> u32,
    /// GOMAXPROCS is not set by hand: it follows `default_procs`, which is looked at once a second.
    pub procs_follow: bool,
    /// The limit on threads.
    pub max_threads: u32,
    /// How many Gs a local queue holds before half of it moves to the global queue. 0: there are no local queues,
    /// all goes through the global one, as before Go 1.1; a measuring aid.
    pub local_queue: usize,
    /// The time slice in nanoseconds, counted in fuel that is calibrated against the clock.
    pub slice_ns: i64,
    /// The slice in fuel, fixed: the same program is then preempted at the same points in each run.
    pub slice_fuel: Option<i64>,
    /// The fuel of one refill, fixed; else it is calibrated to about 100 µs.
    pub refill_fuel: Option<i64>,
    /// A collection is forced after this time without one.
    pub force_gc_ns: u64,
    /// Seeds all free choices.
    pub seed: u64,
    /// All simulated Ps are stepped on one thread, in an order drawn from the seed.
    pub deterministic: bool,
    /// Time stands still while anything runs and jumps to the next timer otherwise.
    pub virtual_time: bool,
    /// Print the state of the scheduler each this many milliseconds (`GODEBUG=schedtrace`).
    pub schedtrace_ms: Option<u64>,
    /// The long form of schedtrace (`GODEBUG=scheddetail=1`).
    pub scheddetail: bool,
    /// Rare orders on purpose.
    pub hostile: Hostile,
    /// Where fatal errors go.
    pub sink: Arc<dyn Sink>,
    /// Who watches events.
    pub events: Option<Arc<dyn EventHook>>,
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("procs", &self.procs)
            .field("max_threads", &self.max_threads)
            .field("local_queue", &self.local_queue)
            .field("seed", &self.seed)
            .field("deterministic", &self.deterministic)
            .field("hostile", &self.hostile)
            .finish_non_exhaustive()
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            procs: default_procs(),
            default_procs,
            procs_follow: false,
            max_threads: MAX_THREADS,
            local_queue: LOCAL_QUEUE,
            slice_ns: SLICE_NS,
            slice_fuel: None,
            refill_fuel: None,
            force_gc_ns: FORCE_GC_NS,
            seed: 0,
            deterministic: false,
            virtual_time: false,
            schedtrace_ms: None,
            scheddetail: false,
            hostile: Hostile::default(),
            sink: Arc::new(Stderr),
            events: None,
        }
    }
}

/// The number of Ps if nobody says otherwise: the CPUs that this process may use, by affinity and quota.
#[must_use]
pub fn default_procs() -> u32 {
    crate::sync::cpus()
}
