//! The runtime: what all Ms of one scheduler share, and the handle by which a program is run.
//!
//! Lock order: timer, channel, semaphore bucket or descriptor < timer heap < `central` < `all_gs`, `ended`.
//! Nothing is readied under a channel, semaphore or timer lock.

#![expect(
    unsafe_code,
    reason = "the runtime frees the records that raw references point to, at its end"
)]

use crossbeam_utils::CachePadded;

use super::config::Config;
use super::cx::Cx;
use super::events::{Ev, Stamp, Stat, Stats};
use super::g::{G, GHead, GRef, Status};
use super::m::{Mach, live_threads};
use super::p::{PCore, POwn, PShared, pstatus};
use super::wait_table::WaitTable;
use super::{Machine, ProcessEnd};
use crate::netpoll::Poller;
use crate::sync::{
    Arc, AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Clock, Gate, Lock,
    LockGuard, Ordering, RelBool, RelU32, RelU64,
};
use std::collections::VecDeque;

/// Somebody wants all Ps to stop.
pub(crate) const WANT_STOP: u32 = 1;
/// Fuel of a slice and of a step in deterministic mode, if the configuration does not say.
const STEPPED_SLICE: i64 = 20_000;
const STEPPED_REFILL: i64 = 1_000;

/// The M of events that happen on no M: on sysmon's thread, under the lock, before the start.
pub(crate) const NOBODY: u32 = u32::MAX;

/// The runtime ends.
pub(crate) const WANT_END: u32 = 2;

/// The state of the scheduler that one lock guards.
#[derive(Debug)]
pub(crate) struct Central<M: Machine> {
    /// Sleeping Ms; the last to sleep is the first to wake (its caches are warm).
    pub(crate) idle_ms: Vec<Arc<Mach<M>>>,
    /// Ps without work, last in first out.
    pub(crate) idle_ps: Vec<POwn<M>>,
    /// The global queue.
    pub(crate) runq: VecDeque<GRef>,
    /// Dead Gs that a P gave away.
    pub(crate) gfree: Vec<GRef>,
    /// All Ms that exist.
    pub(crate) m_count: u32,
    /// Ms numbered so far.
    pub(crate) m_next: u32,
    /// Ms with a locked G that wait for just that G.
    pub(crate) idle_locked: i64,
    /// Ps that exist and are not retired.
    pub(crate) live_ps: u32,
    /// Ps stopped in place for a stop-the-world.
    pub(crate) stopped: u32,
    /// Counts stops, so that a stopped M knows that its stop is over.
    pub(crate) stop_epoch: u64,
    /// Ps beyond GOMAXPROCS, for reuse.
    pub(crate) dead_ps: Vec<POwn<M>>,
    /// The Ms, for schedtrace.
    pub(crate) all_ms: Vec<Arc<Mach<M>>>,
}

/// The table of all Ps; replaced as a whole when it grows.
#[derive(Debug)]
pub(crate) struct AllP<M: Machine>(pub(crate) Vec<*const PShared<M>>);

/// The records of all Ps, and every version of the table.
type PRecords<M> = (Vec<Box<PShared<M>>>, Vec<Box<AllP<M>>>);

/// Records of goroutines, some at a time.
pub(crate) type Slabs<M> = Vec<Box<[G<<M as Machine>::Co>]>>;

/// What all Ms share. What some of them write often has cache lines of its own, so that what all read stays in their caches.
pub(crate) struct Rt<M: Machine> {
    pub(crate) machine: M,
    pub(crate) config: Config,
    pub(crate) clock: Clock,
    pub(crate) central: CachePadded<Lock<Central<M>>>,
    /// Opened when a P stopped, and when the world goes on.
    pub(crate) stop_gate: Gate,
    /// `WANT_STOP`, `WANT_END`. Changed under `central`; read at every scheduling point.
    pub(crate) wants: AtomicU32,
    /// GOMAXPROCS. Changed in a stopped world.
    pub(crate) procs: RelU32,
    /// There is one P, so that spin locks need no read-modify-write. Changed in a stopped world.
    pub(crate) alone: AtomicBool,
    /// Length of `central.idle_ps`. Written under `central`.
    pub(crate) npidle: CachePadded<AtomicU32>,
    /// Ms that look for work without having any.
    pub(crate) nmspinning: CachePadded<AtomicU32>,
    /// Somebody had work but found no idle P: the next M that goes idle must look again.
    pub(crate) needspinning: AtomicU32,
    /// Length of `central.runq`. Written under `central`.
    pub(crate) glen: CachePadded<AtomicUsize>,
    /// Length of `central.gfree`: whether it is worth the lock to look there.
    pub(crate) gfree_len: AtomicUsize,
    /// Timers in heaps that are alive; they hold off the deadlock report.
    pub(crate) live_timers: CachePadded<AtomicI64>,
    /// Goroutines committed to waiting in the poller; they hold off the deadlock report.
    pub(crate) net_waiters: CachePadded<AtomicI64>,
    /// When the poller was last asked; 0 while an M waits in it.
    pub(crate) last_poll: AtomicI64,
    /// Until when that M waits; 0 for ever.
    pub(crate) poll_until: AtomicI64,
    pub(crate) poller: Poller,
    pub(crate) net: super::net::NetTable,
    /// Goroutine numbers given out in batches.
    pub(crate) next_id: CachePadded<AtomicU64>,
    /// All G records, in order of creation, as they were made together.
    pub(crate) all_gs: CachePadded<Lock<Slabs<M>>>,
    allp: AtomicPtr<AllP<M>>,
    /// The records behind `allp` and its older versions; only grown.
    p_records: Lock<PRecords<M>>,
    /// GOMAXPROCS follows the number of usable CPUs: nobody has set it by hand.
    pub(crate) procs_follow: AtomicBool,
    /// That number has changed; the next goroutine at a refill does what is needed. Set by sysmon.
    pub(crate) procs_wanted: AtomicBool,
    pub(crate) max_threads: RelU32,
    /// Goroutines that wait for words of guest memory.
    pub(crate) wait_table: WaitTable,
    /// Held by the goroutine that stops the world.
    pub(crate) world: Lock<()>,
    /// Counters of what happens without a P. Approximate.
    pub(crate) loose_stats: Stats,
    pub(crate) sysmon: super::sysmon::SysmonState,
    /// When the last collection ended, told by the machine; sysmon forces one after two minutes.
    pub(crate) last_gc: RelU64,
    /// Somebody is told of events: the watcher of `config`, or `late`.
    pub(crate) watched: RelBool,
    /// A watcher that came while the program ran.
    pub(crate) late: super::late::Late,
    ended: Lock<Option<ProcessEnd>>,
    end_gate: Gate,
}

impl<M: Machine> std::fmt::Debug for Rt<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rt").field("config", &self.config).finish_non_exhaustive()
    }
}

// SAFETY: the raw pointers in the P table point to records that `p_records` owns; all else is Sync.
unsafe impl<M: Machine> Send for Rt<M> {}
// SAFETY: as above; coroutines inside `all_gs` are reached only by the rule of `GRef::co`.
unsafe impl<M: Machine> Sync for Rt<M> {}

impl<M: Machine> Rt<M> {
    fn new(mut config: Config, machine: M) -> Rt<M> {
        if config.deterministic {
            // Nothing may depend on the clock, so fuel is not calibrated.
            config.slice_fuel.get_or_insert(STEPPED_SLICE);
            config.refill_fuel.get_or_insert(STEPPED_REFILL);
        }
        let clock = if config.virtual_time { Clock::virtual_at_zero() } else { Clock::real() };
        let rt = Rt {
            machine,
            clock,
            central: CachePadded::new(Lock::new(Central {
                idle_ms: Vec::new(),
                idle_ps: Vec::new(),
                runq: VecDeque::new(),
                gfree: Vec::new(),
                m_count: 0,
                m_next: 0,
                idle_locked: 0,
                live_ps: 0,
                stopped: 0,
                stop_epoch: 0,
                dead_ps: Vec::new(),
                all_ms: Vec::new(),
            })),
            stop_gate: Gate::new(),
            wants: AtomicU32::new(0),
            procs: RelU32::new(0),
            alone: AtomicBool::new(config.procs <= 1),
            npidle: CachePadded::new(AtomicU32::new(0)),
            nmspinning: CachePadded::new(AtomicU32::new(0)),
            needspinning: AtomicU32::new(0),
            glen: CachePadded::new(AtomicUsize::new(0)),
            gfree_len: AtomicUsize::new(0),
            live_timers: CachePadded::new(AtomicI64::new(0)),
            net_waiters: CachePadded::new(AtomicI64::new(0)),
            last_poll: AtomicI64::new(1),
            poll_until: AtomicI64::new(0),
            poller: Poller::new(),
            net: super::net::NetTable::default(),
            next_id: CachePadded::new(AtomicU64::new(1)),
            all_gs: CachePadded::new(Lock::new(Vec::new())),
            allp: AtomicPtr::new(std::ptr::null_mut()),
            p_records: Lock::new((Vec::new(), Vec::new())),
            procs_follow: AtomicBool::new(config.procs_follow && !config.deterministic),
            procs_wanted: AtomicBool::new(false),
            max_threads: RelU32::new(config.max_threads),
            wait_table: WaitTable::default(),
            world: Lock::new(()),
            loose_stats: Stats::default(),
            sysmon: super::sysmon::SysmonState::default(),
            last_gc: RelU64::new(0),
            watched: RelBool::new(config.events.is_some()),
            late: super::late::Late::default(),
            ended: Lock::new(None),
            end_gate: Gate::new(),
            config,
        };
        let procs = rt.config.procs.clamp(1, super::config::MAX_PROCS);
        rt.set_procs(&mut rt.central.lock(), procs);
        rt
    }

    /// All Ps that ever existed, by number. Those at or above [`Rt::procs`] are dead or retiring.
    #[inline]
    pub(crate) fn allp(&self) -> impl ExactSizeIterator<Item = &PShared<M>> {
        // SAFETY: `allp` is set before the first M starts and its versions are kept to the end.
        let table = unsafe { &*self.allp.load(Ordering::Acquire) };
        table.0.iter().map(|p| {
            // SAFETY: `p_records` owns the record to the end.
            unsafe { &**p }
        })
    }

    /// The shared half of the P with this number.
    #[inline]
    pub(crate) fn p_at(&self, id: u32) -> &PShared<M> {
        // SAFETY: as in `allp`.
        let table = unsafe { &*self.allp.load(Ordering::Acquire) };
        // SAFETY: `p_records` owns the record to the end.
        unsafe { &*table.0[id as usize] }
    }

    /// Makes GOMAXPROCS `procs`: new Ps go to the idle list, surplus ones are retired by their holders
    /// (`Cx::retire_surplus`) or, if idle, at once. Before the start or in a stopped world.
    pub(crate) fn set_procs(&self, c: &mut Central<M>, procs: u32) {
        let old = self.procs.get();
        self.procs.set(procs);
        let mut kept = Vec::new();
        for p in std::mem::take(&mut c.idle_ps) {
            if p.id < procs { kept.push(p) } else { self.retire(c, p) }
        }
        let mut dead = std::mem::take(&mut c.dead_ps);
        dead.sort_by_key(|p| p.id);
        let mut fresh = Vec::new();
        for p in dead {
            if p.id < procs {
                c.live_ps += 1;
                fresh.push(p);
            } else {
                c.dead_ps.push(p);
            }
        }
        fresh.extend(self.create_ps(procs, &mut c.live_ps));
        // The idle list is a stack: the lowest number is to be taken first.
        for p in fresh.into_iter().rev() {
            p.shared().status.set(pstatus::IDLE);
            kept.push(p);
        }
        c.idle_ps = kept;
        self.npidle.store(u32::try_from(c.idle_ps.len()).unwrap_or(u32::MAX), Ordering::SeqCst);
        if self.has_hook() {
            self.emit_here(&Ev::ProcsChange { old, new: procs });
        }
    }

    fn create_ps(&self, procs: u32, live: &mut u32) -> Vec<POwn<M>> {
        let mut records = self.p_records.lock();
        let have = u32::try_from(records.0.len()).unwrap_or(u32::MAX);
        let mut made = Vec::new();
        for id in have..procs {
            let (shared, own) = POwn::create(id, &self.machine, self.config.seed);
            records.0.push(shared);
            made.push(own);
            *live += 1;
        }
        if !made.is_empty() {
            let mut table = Box::new(AllP(records.0.iter().map(|p| &raw const **p).collect()));
            self.allp.store(&raw mut *table, Ordering::Release);
            records.1.push(table);
        }
        made
    }

    /// Takes a P beyond GOMAXPROCS out of use: its Gs go to the head of the global queue, its timers to
    /// another P.
    pub(crate) fn retire(&self, c: &mut Central<M>, mut p: POwn<M>) {
        let mut gs = Vec::new();
        gs.extend(p.runnext.take());
        gs.extend(GRef::from_ptr(p.shared().offer.swap(std::ptr::null_mut(), Ordering::AcqRel)));
        while let Some(g) = p.queue.pop() {
            gs.push(g);
        }
        let n = gs.len();
        for g in gs.into_iter().rev() {
            c.runq.push_front(g);
        }
        self.note_glen(c);
        if n > 0 && self.has_hook() {
            self.emit_here(&Ev::GlobPut { n, glen: c.runq.len(), why: "resize" });
        }
        c.gfree.append(&mut p.gfree);
        self.note_gfree(c);
        p.shared().timers.move_to(&self.p_at(0).timers);
        p.shared().status.set(pstatus::DEAD);
        c.live_ps -= 1;
        c.dead_ps.push(p);
    }

    /// Appends to the global queue. The caller wakes somebody if needed.
    pub(crate) fn global_push(&self, g: GRef, why: &'static str) {
        let mut c = self.central.lock();
        c.runq.push_back(g);
        self.note_glen(&c);
        self.loose_stats.add(Stat::GlobLock, 1);
        if self.has_hook() {
            self.emit_here(&Ev::GlobPut { n: 1, glen: c.runq.len(), why });
        }
    }

    /// The list of dead Gs has grown or shrunk.
    pub(crate) fn note_gfree(&self, c: &Central<M>) {
        self.gfree_len.store(c.gfree.len(), Ordering::Relaxed);
    }

    /// The global queue has grown.
    pub(crate) fn note_glen(&self, c: &Central<M>) {
        let len = c.runq.len();
        self.glen.store(len, Ordering::SeqCst);
        self.loose_stats.raise(Stat::GlobMax, len as u64);
    }

    /// What GOMAXPROCS is if nobody says otherwise.
    pub(crate) fn default_procs(&self) -> u32 {
        (self.config.default_procs)().clamp(1, super::config::MAX_PROCS)
    }

    /// Adds `n` new records to the list of all, which is locked once for them, and to `new`, of which the last is used first.
    pub(crate) fn new_gs(&self, n: usize, new: &mut Vec<GRef>) {
        let make = || G { head: GHead::new(), co: self.machine.new_co().into() };
        let slab: Box<[G<M::Co>]> = std::iter::repeat_with(make).take(n).collect();
        new.extend(slab.iter().rev().map(GRef::of));
        self.all_gs.lock().push(slab);
    }

    /// Calls `f` with every G that is neither idle nor dead. Stable only in a stopped world.
    pub(crate) fn each_live_g(&self, mut f: impl FnMut(GRef)) {
        for g in self.all_gs.lock().iter().flatten() {
            let g = GRef::of(g);
            if !matches!(g.status(), Status::Idle | Status::Dead) {
                f(g);
            }
        }
    }

    /// Sum of one counter.
    pub(crate) fn stat(&self, stat: Stat) -> u64 {
        let loose = self.loose_stats.get(stat);
        let of_ps = self.allp().map(|p| p.stats.get(stat));
        if stat.is_maximum() { of_ps.fold(loose, u64::max) } else { of_ps.sum::<u64>() + loose }
    }

    /// Goroutines that exist. Exact when nobody runs.
    pub(crate) fn num_goroutine(&self) -> u64 {
        self.stat(Stat::GoCreated).saturating_sub(self.stat(Stat::GoEnded))
    }

    /// Whether anybody watches events.
    #[inline(always)]
    pub(crate) fn has_hook(&self) -> bool {
        self.watched.get()
    }

    /// Tells the watcher of something without a P, on this thread.
    pub(crate) fn emit_here(&self, ev: &Ev<'_>) {
        self.emit(-1, super::watch::me() as u32, 0, ev);
    }

    /// Tells the watcher.
    #[cold]
    pub(crate) fn emit(&self, p: i64, m: u32, g: u64, ev: &Ev<'_>) {
        let stamp = Stamp { t: self.clock.now(), m, p, g };
        if let Some(hook) = &self.config.events {
            hook.event(stamp, ev);
        }
        self.late.event(stamp, ev);
    }

    /// Ends the program: the first end counts.
    pub(crate) fn end(&self, end: ProcessEnd) {
        let mut ended = self.ended.lock();
        if ended.is_none() {
            *ended = Some(end);
        }
        drop(ended);
        self.end_gate.open();
        self.stop_all();
    }

    /// Whether the program has ended.
    pub(crate) fn is_ending(&self) -> bool {
        self.wants.load(Ordering::Relaxed) & WANT_END != 0
    }

    /// Tells every M to leave.
    fn stop_all(&self) {
        let c = self.central.lock();
        self.wants.fetch_or(WANT_END, Ordering::SeqCst);
        for p in self.allp() {
            p.preempt.store(true, Ordering::SeqCst);
        }
        for m in &c.all_ms {
            m.parker.unpark();
        }
        drop(c);
        self.stop_gate.open();
        self.poller.wake();
        self.sysmon.wake();
    }

    pub(crate) fn central(&self) -> LockGuard<'_, Central<M>> {
        self.central.lock()
    }
}

impl<M: Machine> Drop for Rt<M> {
    fn drop(&mut self) {
        for p in &self.p_records.get_mut().0 {
            let core: *mut PCore<M> = p.core.load(Ordering::Relaxed);
            // SAFETY: the last M is gone (each holds an Arc of the runtime), so nobody owns the core any more;
            // it came from a box in `POwn::create` and is freed once, here.
            drop(unsafe { Box::from_raw(core) });
        }
    }
}

/// A scheduler with its machine: one program.
#[derive(Debug)]
pub struct Runtime<M: Machine> {
    rt: Arc<Rt<M>>,
}

impl<M: Machine> Runtime<M> {
    /// A runtime in which nothing runs yet.
    #[must_use]
    pub fn new(config: Config, machine: M) -> Runtime<M> {
        Runtime { rt: Arc::new(Rt::new(config, machine)) }
    }

    /// Runs the main goroutine, prepared by `init`, and returns when the program has ended. Other goroutines
    /// may still be running on other threads then: drop the runtime to end them, or leave the process.
    pub fn run_main(&self, init: impl FnOnce(&mut M::Co)) -> ProcessEnd {
        self.start_main(init);
        if self.rt.config.deterministic {
            super::stepper::run(&self.rt);
        } else {
            if !crate::sync::MODEL {
                super::sysmon::start(&self.rt);
            }
            super::m::start_first(&self.rt);
        }
        let mut ended = self.rt.ended.lock();
        loop {
            if let Some(end) = &*ended {
                return end.clone();
            }
            ended = self.rt.end_gate.wait(ended);
        }
    }

    fn start_main(&self, init: impl FnOnce(&mut M::Co)) {
        let mut new = Vec::new();
        self.rt.new_gs(1, &mut new);
        let g = new[0];
        // SAFETY: the G was just made and is in no queue.
        init(unsafe { &mut *g.co::<M::Co>() });
        g.id.set(self.rt.next_id.fetch_add(1, Ordering::Relaxed));
        g.is_main.set(true);
        g.set_status(Status::Runnable);
        g.since.set(self.rt.clock.now());
        self.rt.loose_stats.add(Stat::GoCreated, 1);
        if self.rt.has_hook() {
            let new = g.id.get();
            // SAFETY: the G is in no queue yet.
            let at = self.rt.machine.place(unsafe { &*g.co::<M::Co>() });
            let q = super::events::Queue::Global;
            self.rt.emit(-1, NOBODY, 0, &Ev::GNew { new });
            self.rt.emit(-1, NOBODY, 0, &Ev::GoCreate { new, func: &at.func, at: &at, q });
        }
        self.rt.global_push(g, "main");
    }

    /// The machine.
    pub fn machine(&self) -> &M {
        &self.rt.machine
    }

    /// How many goroutines exist.
    pub fn num_goroutine(&self) -> u64 {
        self.rt.num_goroutine()
    }

    /// The value of one counter, summed over all Ps.
    pub fn stat(&self, stat: Stat) -> u64 {
        self.rt.stat(stat)
    }

    /// All counters with their names.
    pub fn stats(&self) -> Vec<(&'static str, u64)> {
        let live = ("go.live", self.num_goroutine());
        let all = Stat::ALL.iter().map(|(stat, name)| (*name, self.rt.stat(*stat)));
        std::iter::once(live).chain(all).collect()
    }

    /// How long goroutines taken from a queue had been runnable: classes `(microseconds, count)`, each up to
    /// that time and above the one before. Those that run at once through runnext are not in it. Good to about
    /// 100 µs.
    pub fn latencies(&self) -> Vec<(u64, u64)> {
        let count = |class| self.rt.allp().map(|p| p.stats.latency(class)).sum();
        (0..super::events::LATENCY_CLASSES).map(|class| (1 << class, count(class))).collect()
    }

    /// For how long goroutines that were woken had waited, in nanoseconds, by reason. Good to about 100 µs.
    pub fn blocked(&self) -> Vec<(&'static str, u64)> {
        let sum = |reason| {
            let of_ps: u64 = self.rt.allp().map(|p| p.stats.blocked(reason)).sum();
            of_ps + self.rt.loose_stats.blocked(reason)
        };
        super::WaitReason::ALL.iter().map(|reason| (reason.text(), sum(*reason))).collect()
    }

    /// Threads that exist.
    pub fn threads(&self) -> u32 {
        self.rt.central.lock().m_count
    }

    /// What `SIGQUIT` does: writes all goroutines to the sink and ends the program with status 2. To be called on a
    /// thread of its own, once.
    pub fn quitter(&self) -> impl FnOnce() + Send + use<M> {
        let rt = Arc::clone(&self.rt);
        move || super::deadlock::quit(&rt)
    }

    /// Ends the program from outside, as `os.Exit(code)` would.
    pub fn end(&self, end: ProcessEnd) {
        self.rt.end(end);
    }

    /// Waits until every M has left, except those that are in a blocking native (they leave when it returns).
    fn join(&self) {
        let mut c = self.rt.central.lock();
        while live_threads(&c) > 0 {
            c = self.rt.stop_gate.wait_for(&self.rt.central, c, 2_000_000);
        }
        let mut ids: Vec<u32> = c.idle_ps.iter().map(|p| p.id).collect();
        ids.sort_unstable();
        debug_assert!(ids.windows(2).all(|w| w[0] != w[1]), "a P was owned twice: {ids:?}");
    }
}

impl<M: Machine> Drop for Runtime<M> {
    fn drop(&mut self) {
        self.rt.end(ProcessEnd::exit(0));
        self.join();
    }
}

impl<M: Machine> Rt<M> {
    /// Used by an M to hold its own reference.
    pub(crate) fn cx<'rt>(self: &'rt Arc<Rt<M>>, m: Arc<Mach<M>>) -> Cx<'rt, M> {
        Cx::new(self, m)
    }
}
