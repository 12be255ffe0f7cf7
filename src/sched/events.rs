//! What the scheduler says about itself: events for a watcher, counters for everybody.
//!
//! Events cost one predictable branch when nobody watches. Counters belong to a P and are written by its
//! owner alone, without read-modify-write; readers sum them. A counter shared by all Ps would cost more
//! than a switch of goroutines.

use super::wait::WaitReason;
use crate::sync::RelU64;

/// Where a started G was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// The P's runnext.
    Runnext,
    /// The P's queue.
    Local,
    /// The global queue, at the 61st tick.
    Global61,
    /// The global queue, because the local one was empty.
    Global,
    /// Another P.
    Steal,
    /// The poller.
    Netpoll,
    /// It was locked to this M.
    Locked,
}

/// Which queue a G went to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    /// The runnext of the P.
    Runnext,
    /// The tail of the P's queue.
    Local,
    /// The tail of the global queue.
    Global,
}

/// A place in the program, as the machine names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The function.
    pub func: String,
    /// The file, as tracebacks name it; empty if nothing is known.
    pub file: String,
    /// The line in it.
    pub line: u32,
}

/// One event; the fields that all have stand in [`Stamp`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the fields are named and explained in docs/scheduler.md")]
pub enum Ev<'a> {
    ProcsChange { old: u32, new: u32 },
    PStatus { status: u32 },
    PStart,
    PStop { why: &'static str },
    PSteal { from_m: u32, by: &'static str, in_ns: i64 },
    PHandoff { why: &'static str, to: &'static str },
    GoCreate { new: u64, func: &'a str, at: &'a Place, q: Queue },
    GoStatus { state: u32, reason: &'static str },
    GNew { new: u64 },
    GReuse { new: u64 },
    GoStart { from: From, inherit: bool, tick: u32, wait_ns: i64 },
    GoStop { reason: &'static str, q: Queue, ran_ns: i64, fuel: i64 },
    GoBlock { reason: &'static str, go_reason: &'static str, obj: u64, at: &'a Place },
    GoUnblock { who: u64, obj: u64, q: Queue },
    GoEnd { why: &'static str },
    GoSysEnter { name: &'a str, kind: &'static str },
    GoSysExit { how: &'static str, in_ns: i64 },
    RunqKick { who: u64 },
    RunqOverflow { n: usize, glen: usize },
    GlobPut { n: usize, glen: usize, why: &'static str },
    GlobGet { n: usize, glen: usize, why: &'static str },
    StealOk { victim: u32, n: usize, victim_len: usize, runnext: bool },
    MNew { m: u32 },
    MExit { why: &'static str },
    MPark { why: &'static str },
    MUnpark { by_m: i64 },
    SpinBegin { nspin: u32 },
    SpinEnd { found: bool, nspin: u32 },
    NpPoll { block: bool, until: i64, events: usize, ready: usize },
    NpReady { fd: i64, mode: &'static str, who: u64 },
    NpOpen { fd: i64 },
    NpClose { fd: i64 },
    NpBreak { when: i64 },
    TAdd { id: u64, kind: &'static str, when: i64, period: i64 },
    TFire { id: u64, kind: &'static str, when: i64, late_ns: i64, victim: u32 },
    TStop { id: u64, pending: bool },
    PreemptReq { who: u64, by: &'static str, ran_ns: i64 },
    PreemptHit { by: &'static str, ran_ns: i64, fuel: i64, delay_ns: i64 },
    SysmonTick { delay_us: u64, idle: bool },
    SysmonRetake { n: usize },
    SysmonNetpoll { n: usize },
    SysmonForceGc,
    ChOp { ch: u64, op: &'static str, way: &'static str, woke: u64 },
    SelPick { cases: usize, ready: usize, chosen: u32 },
    LockWait { obj: u64, reason: &'static str },
    LockGot { obj: u64, wait_ns: i64, handoff: bool },
    StackGrow { who: u64, old: u64, new: u64 },
    StackShrink { who: u64, old: u64, new: u64 },
    StwBegin { reason: &'static str },
    StwStopped { stop_ns: i64 },
    StwEnd { total_ns: i64 },
    GcBegin { n: u64, trigger: &'static str },
    GcEnd { n: u64, live: u64, freed: u64, goal: u64 },
    DeadCheck { run: i64, waiting: u64, timers: i64, net: i64, verdict: &'static str },
    Decision { kind: &'static str, n: u32, chosen: u32 },
    User { name: &'static str, id: u64, parent: u64, category: &'a str, text: &'a str },
}

/// Who and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Nanoseconds by the runtime's clock.
    pub t: i64,
    /// The thread's number.
    pub m: u32,
    /// The P's number, or -1.
    pub p: i64,
    /// The goroutine's number, or 0.
    pub g: u64,
}

/// A watcher of events. Called on the thread where it happens, possibly under the scheduler's lock: must
/// not call back into the runtime.
pub trait EventHook: Send + Sync {
    /// Something happened.
    fn event(&self, stamp: Stamp, ev: &Ev<'_>);
}

macro_rules! stats {
    ($($name:ident $text:literal)*) => {
        /// A counter. One whose name ends in `max` or `max_ns` is a maximum: readers take the largest, not the sum.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the name in the output, beside each, says it")]
        pub enum Stat { $($name,)* }

        impl Stat {
            /// All counters with their names in the output.
            pub const ALL: &'static [(Stat, &'static str)] = &[$((Stat::$name, $text),)*];

            /// Whether readers take the largest of the Ps' values.
            #[must_use]
            pub fn is_maximum(self) -> bool {
                let name = Stat::ALL[self as usize].1;
                name.ends_with("max") || name.ends_with("max_ns")
            }
        }

        const STATS: usize = [$(Stat::$name,)*].len();
    };
}

stats! {
    GoCreated "go.created"
    GoEnded "go.ended"
    GNew "g.new"
    GReuse "g.reuse"
    RunnextPut "runnext.put"
    RunnextKick "runnext.kick"
    RunnextStolen "runnext.stolen"
    LocalPut "local.put"
    Overflow "runq.overflow"
    OverflowGs "runq.overflow_gs"
    GlobPut "glob.put"
    GlobGet61 "glob.get.61"
    GlobGetEmpty "glob.get.empty"
    GlobGetRecheck "glob.get.recheck"
    GlobLock "glob.lock"
    GlobMax "glob.max"
    StealRounds "steal.rounds"
    StealOk "steal.ok"
    StealGs "steal.gs"
    SpinBegin "spin.begin"
    SpinFound "spin.found"
    MNew "m.new"
    MMax "m.max"
    MPark "m.park"
    MUnpark "m.unpark"
    Handoff "handoff"
    Retake "retake"
    SysEnter "sys.enter"
    SysKept "sys.kept"
    SysOldp "sys.oldp"
    SysIdlep "sys.idlep"
    SysGlobal "sys.global"
    PreemptReq "preempt.req"
    PreemptHit "preempt.hit"
    Refill "refill"
    SliceMaxNs "slice.max_ns"
    RunMaxNs "run.max_ns"
    PollBlock "np.poll.block"
    PollNonblock "np.poll.nonblock"
    NetReady "np.ready"
    TimerAdd "timer.add"
    TimerFire "timer.fire"
    TimerLateMaxNs "timer.late_max_ns"
    ChanDirect "chan.direct"
    ChanBuffer "chan.buffer"
    ChanBlock "chan.block"
    SelectBlock "select.block"
    LockBlock "lock.block"
    LockHandoff "lock.handoff"
    StwN "stw.n"
    StwMaxNs "stw.max_ns"
    GcN "gc.n"
    StackGrow "stk.grow"
    StackShrink "stk.shrink"
    StackInuseMax "stk.inuse_max"
    DeadCheck "dead.check"
}

/// Classes of waiting times: powers of two of microseconds, the last is everything above.
pub const LATENCY_CLASSES: usize = 24;

/// The counters of one P (or of what happens without a P).
#[derive(Debug)]
pub struct Stats {
    counters: [RelU64; STATS],
    /// How long Gs that were taken from a queue had been runnable.
    latency: [RelU64; LATENCY_CLASSES],
    /// How long Gs that were woken had waited, in nanoseconds, by reason.
    blocked: [RelU64; WaitReason::ALL.len()],
}

impl Default for Stats {
    fn default() -> Stats {
        Stats {
            counters: std::array::from_fn(|_| RelU64::new(0)),
            latency: std::array::from_fn(|_| RelU64::new(0)),
            blocked: std::array::from_fn(|_| RelU64::new(0)),
        }
    }
}

impl Stats {
    /// Adds to a counter; only the owner of the P calls this.
    #[inline(always)]
    pub fn add(&self, stat: Stat, by: u64) {
        self.counters[stat as usize].bump(by);
    }

    /// Raises a maximum; only the owner of the P calls this.
    pub fn raise(&self, stat: Stat, to: u64) {
        self.counters[stat as usize].raise(to);
    }

    /// Reads a counter.
    pub fn get(&self, stat: Stat) -> u64 {
        self.counters[stat as usize].get()
    }

    /// Notes that a G was runnable for this long; only the owner of the P calls this.
    #[inline]
    pub(crate) fn note_latency(&self, ns: i64) {
        let us = u64::try_from(ns).unwrap_or(0) / 1000;
        let class = (64 - us.leading_zeros()) as usize;
        self.latency[class.min(LATENCY_CLASSES - 1)].bump(1);
    }

    /// Notes that a G that is woken had waited this long; only the owner of the P calls this.
    #[inline]
    pub(crate) fn note_blocked(&self, reason: WaitReason, ns: i64) {
        if ns > 0 {
            self.blocked[reason as usize].bump(ns as u64);
        }
    }

    /// How long Gs that were woken had waited for this reason, in nanoseconds.
    pub fn blocked(&self, reason: WaitReason) -> u64 {
        self.blocked[reason as usize].get()
    }

    /// How many Gs waited less than 2 to the power of `class` microseconds (and not less than half of it).
    pub fn latency(&self, class: usize) -> u64 {
        self.latency[class].get()
    }
}
