//! `Cx`: one M at work, as the code that runs on it sees it. This is the interface for machines.
//!
//! It owns the M's P (or none, in a syscall and while idle), the fuel of the running goroutine, and knows
//! the runtime. Here: creating, readying, parking and ending goroutines, switching between them, and the
//! refill of fuel at which everything periodic happens. Elsewhere: finding work (`find_work`), going idle
//! (`idle`), blocking natives (`blocking`), stopping the world (`stw`), timers (`timers`).
//!
//! Wake-ups. A readied G goes to runnext, and a runnext that it displaces goes to the ring. Another P is
//! woken only when the ring has `WAKE_AT` Gs, or by the next refill if anything waits then. Go wakes at
//! each ready, which makes two goroutines in a ping-pong wake an idle thread at every message. No fence is
//! needed when pushing to the own ring: a missed idle M costs one refill (about 100 µs), never the G, since
//! this P keeps running and comes past its own ring.

#![expect(
    unsafe_code,
    reason = "coroutines are reached through raw pointers by the rule of GRef::co"
)]

use super::events::{Ev, From, Queue, Stat};
use super::g::{GRef, Status};
use super::m::{Mach, no_g};
use super::p::{PCore, POwn, pstatus};
use super::rt::Rt;
use super::wait::WaitReason;
use super::{Exit, Flow, Machine, Refill};
use crate::sync::{Arc, Ordering};

/// How many Gs in the ring make it worth to wake another P at once.
const WAKE_AT: usize = 2;
/// How long one refill of fuel is meant to last.
const REFILL_NS: i64 = 100_000;
/// Goroutine numbers that a P reserves at once when there are several Ps.
const ID_BATCH: u64 = 16;
/// A P keeps at most this many dead Gs, and gives away half of them then (Go's numbers).
const GFREE_MAX: usize = 64;

/// New records are made this many at once.
const NEW_GS: usize = 16;

/// One M at work.
#[derive(Debug)]
pub struct Cx<'rt, M: Machine> {
    /// Fuel left. [`Machine::run`] takes it, counts down, and puts the rest back when it returns or switches.
    pub fuel: i64,
    pub(crate) rt: &'rt Arc<Rt<M>>,
    pub(crate) m: Arc<Mach<M>>,
    pub(crate) p: Option<POwn<M>>,
    /// Looking for work without having any; counted in `nmspinning`.
    pub(crate) spinning: bool,
    /// There is one P: spin locks need no read-modify-write, since only the holder of the P uses them.
    pub(crate) alone: bool,
    /// Everything goes through the global queue; a copy of the configuration.
    pub(crate) only_global: bool,
    /// A G that was found but not started.
    pub(crate) pending: Option<(GRef, From)>,
    /// The P that the M had before a syscall.
    pub(crate) old_p: u32,
    /// Stepped mode: the last refill ended the step, not the slice.
    pub(crate) step_over: bool,
    /// The thread is to end with the goroutine that was locked to it.
    pub(crate) leaving: bool,
    /// The clock and the fuel burnt when the running goroutine started. Kept only while somebody watches.
    pub(crate) run_mark: (i64, i64),
}

impl<'rt, M: Machine> Cx<'rt, M> {
    pub(crate) fn new(rt: &'rt Arc<Rt<M>>, m: Arc<Mach<M>>) -> Cx<'rt, M> {
        Cx {
            fuel: 0,
            rt,
            m,
            p: None,
            spinning: false,
            alone: false,
            only_global: rt.config.local_queue == 0,
            pending: None,
            old_p: 0,
            step_over: false,
            leaving: false,
            run_mark: (0, 0),
        }
    }

    /// The machine.
    #[inline(always)]
    pub fn machine(&self) -> &'rt M {
        &self.rt.machine
    }

    /// The machine's part of the P.
    #[inline(always)]
    pub fn local(&mut self) -> &mut M::Local {
        &mut self.p().local
    }

    /// The number of the P.
    pub fn p_id(&mut self) -> u32 {
        self.p().id
    }

    /// The number of the M.
    pub fn m_id(&self) -> u32 {
        self.m.id
    }

    /// The coroutine of a G. Raw, because of the park protocol: the caller runs the G, or created it and has
    /// not given it away.
    #[inline(always)]
    pub fn co(&self, g: GRef) -> *mut M::Co {
        g.co::<M::Co>()
    }

    /// The runtime's clock in nanoseconds.
    pub fn now(&self) -> i64 {
        self.rt.clock.now()
    }

    /// A free choice: a number below `n`. All choices of the scheduler and of the guest (select, map
    /// iteration, random numbers) come from here.
    #[inline]
    pub fn choose(&mut self, kind: &'static str, n: u32) -> u32 {
        let chosen = self.p().random(n.max(1));
        if self.rt.has_hook() {
            self.ev(&Ev::Decision { kind, n, chosen });
        }
        chosen
    }

    /// 64 random bits from the same seam.
    pub fn random_u64(&mut self) -> u64 {
        let high = u64::from(self.choose("u64", u32::MAX));
        (high << 32) | u64::from(self.choose("u64", u32::MAX))
    }

    /// How many goroutines exist.
    pub fn num_goroutine(&self) -> u64 {
        self.rt.num_goroutine()
    }

    /// How many threads exist.
    pub fn threads(&self) -> u64 {
        u64::from(self.rt.central().m_count)
    }

    /// How many goroutines are in this state now.
    pub fn goroutines_in(&self, status: Status) -> u64 {
        let mut n = 0;
        self.rt.each_live_g(|g| n += u64::from(g.status() == status));
        n
    }

    /// GOMAXPROCS.
    pub fn procs(&self) -> u32 {
        self.rt.procs.get()
    }

    /// Sets the limit on threads and returns the old one. Below the present number the program ends.
    pub fn set_max_threads(&mut self, max: u32) -> u32 {
        let old = self.rt.max_threads.get();
        self.rt.max_threads.set(max);
        if self.rt.central().m_count > max {
            self.rt.threads_exhausted();
        }
        old
    }

    /// The value of one counter, summed over all Ps.
    pub fn stat(&self, stat: Stat) -> u64 {
        self.rt.stat(stat)
    }

    /// Writes to the sink of the runtime's configuration (standard error).
    pub fn write_error(&self, text: &str) {
        self.rt.config.sink.write(text);
    }

    /// Headers and frames of all goroutines except the running one, each with an empty line before it. Stops the
    /// world, so the state of `running` must be saved, and its stack may have moved afterwards.
    pub fn traceback_others(&mut self, running: GRef) -> String {
        let rt = self.rt;
        self.stop_the_world(running, "all goroutines stack trace", |_| {
            super::deadlock::traceback_except(rt, Some(running), true)
        })
    }

    /// The header line of one goroutine's traceback.
    pub fn info(&self, g: GRef) -> super::g::GInfo {
        super::g::GInfo::of(g, self.now())
    }

    // ---- creating, readying, parking, ending -------------------------------------------------------------

    /// The `go` statement: a new goroutine whose coroutine `init` prepares. It goes to runnext; the caller
    /// goes on. `site` is the machine's word about the place; `parent` is `None` for the runtime's own.
    pub fn spawn(
        &mut self,
        parent: Option<GRef>,
        site: u64,
        init: impl FnOnce(&mut M::Co),
    ) -> GRef {
        let (g, reused) = self.free_g();
        // SAFETY: the record is free (or new) and in no queue, so this M is the only one to touch it.
        init(unsafe { &mut *g.co::<M::Co>() });
        let id = self.next_id();
        g.id.set(id);
        g.parent.set(parent.map_or(0, |p| p.id.get()));
        g.site.set(site);
        g.set_status(Status::Runnable);
        self.count(Stat::GoCreated, 1);
        if self.rt.has_hook() {
            self.tell_created(g, reused);
        }
        self.put_next(g);
        g
    }

    /// A dead record, or a new one.
    #[inline]
    fn free_g(&mut self) -> (GRef, bool) {
        let (g, reused) = match self.p().gfree.pop() {
            Some(g) => (g, true),
            None => self.free_g_slow(),
        };
        self.note_free();
        self.count(if reused { Stat::GReuse } else { Stat::GNew }, 1);
        (g, reused)
    }

    #[cold]
    fn free_g_slow(&mut self) -> (GRef, bool) {
        let rt = self.rt;
        let p = self.p();
        if rt.gfree_len.load(Ordering::Relaxed) > 0 {
            let mut c = rt.central();
            let keep = c.gfree.len().saturating_sub(GFREE_MAX / 2);
            p.gfree.extend(c.gfree.drain(keep..));
            rt.note_gfree(&c);
        }
        if let Some(g) = p.gfree.pop() {
            return (g, true);
        }
        if p.gnew.is_empty() {
            rt.new_gs(NEW_GS, &mut p.gnew);
        }
        (p.gnew.pop().expect("there are new ones"), false)
    }

    /// Tells schedtrace how many dead records the P has.
    #[inline]
    fn note_free(&mut self) {
        let p = self.p();
        p.shared().gfree_count.set(p.gfree.len() as u32);
    }

    fn next_id(&mut self) -> u64 {
        let p = self.p();
        if p.ids.0 == p.ids.1 {
            let first = self.rt.next_id.fetch_add(ID_BATCH, Ordering::Relaxed);
            let p = self.p();
            p.ids = (first, first + ID_BATCH);
        }
        let p = self.p();
        p.ids.0 += 1;
        p.ids.0 - 1
    }

    /// Makes a waiting G runnable; it runs next on this P. The caller took it out of all wait queues and
    /// holds no lock.
    #[inline]
    pub fn ready(&mut self, g: GRef) {
        g.set_status(Status::Runnable);
        let p = self.p();
        p.shared().stats.note_blocked(g.reason(), p.now - g.since.get());
        if self.rt.has_hook() {
            self.tell_unblocked(g, Queue::Runnext);
        }
        if self.rt.config.hostile.spurious_wakes {
            self.rt.wake_p();
        }
        self.put_next(g);
    }

    /// Marks `g` as waiting. Call it under the lock of what it waits for and before it is entered there; then
    /// unlock as the last act and answer [`Flow::Park`].
    #[inline]
    pub(crate) fn begin_wait(&mut self, g: GRef, reason: WaitReason, object: u64) {
        let now = self.stamp();
        if self.rt.has_hook() {
            self.tell_blocked(g, reason, object);
        }
        g.begin_wait(reason, object, now);
    }

    /// Parks `g` for ever: an operation on a nil channel, a select without cases.
    pub fn park_forever(&mut self, g: GRef, reason: WaitReason) -> Flow {
        self.begin_wait(g, reason, 0);
        Flow::Park
    }

    /// Parks `g` until somebody calls [`Cx::ready`] with it. `commit` publishes it, after it is waiting; once
    /// published it may run elsewhere at any time.
    pub fn park(
        &mut self,
        g: GRef,
        reason: WaitReason,
        object: u64,
        commit: impl FnOnce(),
    ) -> Flow {
        self.begin_wait(g, reason, object);
        commit();
        Flow::Park
    }

    /// Into runnext; what was there goes to the tail of the ring.
    #[inline]
    pub(crate) fn put_next(&mut self, g: GRef) {
        let now = self.stamp();
        self.count(Stat::RunnextPut, 1);
        g.since.set(now);
        if self.only_global {
            self.overflow(g);
            return;
        }
        let p = self.p();
        if let Some(old) = p.runnext.replace(g) {
            self.count(Stat::RunnextKick, 1);
            if self.rt.has_hook() {
                self.ev(&Ev::RunqKick { who: old.id.get() });
            }
            self.put_tail(old);
        }
    }

    /// To the tail of the ring.
    #[inline]
    pub(crate) fn put_tail(&mut self, g: GRef) {
        let limit = self.rt.config.local_queue;
        let p = self.p();
        let len = p.queue.len();
        if len >= limit {
            self.overflow(g);
            return;
        }
        p.queue.push(g);
        self.count(Stat::LocalPut, 1);
        if len + 1 >= WAKE_AT {
            self.maybe_wake();
        }
    }

    /// Moves the oldest half of a full ring and the new G to the global queue, in order, in one lock.
    #[cold]
    fn overflow(&mut self, g: GRef) {
        let half = self.rt.config.local_queue / 2;
        let rt = self.rt;
        let p = self.p();
        let mut batch: Vec<GRef> = std::iter::from_fn(|| p.queue.pop()).take(half).collect();
        batch.push(g);
        let n = batch.len();
        let mut c = rt.central();
        c.runq.extend(batch);
        let glen = c.runq.len();
        rt.note_glen(&c);
        if rt.has_hook() && !self.only_global {
            self.ev(&Ev::RunqOverflow { n, glen });
        }
        self.ev(&Ev::GlobPut { n, glen, why: "overflow" });
        drop(c);
        self.count(Stat::GlobLock, 1);
        if self.only_global {
            self.maybe_wake();
            return;
        }
        self.count(Stat::Overflow, 1);
        self.count(Stat::OverflowGs, n as u64);
        self.maybe_wake();
    }

    /// Wakes another P if one is idle and nobody is looking for work.
    #[inline]
    pub(crate) fn maybe_wake(&self) {
        if self.rt.npidle.load(Ordering::Relaxed) != 0
            && self.rt.nmspinning.load(Ordering::Relaxed) == 0
        {
            self.rt.wake_p();
        }
    }

    // ---- switching ---------------------------------------------------------------------------------------

    /// Deals with `g`, which gives up the M by `exit`, and picks the next G of this P if that needs no more
    /// than a look at its own queues. `None`: return [`Exit::Switched`] from `run`.
    #[inline]
    pub fn switch(&mut self, g: GRef, exit: Exit) -> Option<GRef> {
        if matches!(exit, Exit::Gosched) && self.yields_alone() {
            let next = self.rotate(g)?;
            self.start(next, From::Global);
            return Some(next);
        }
        if !matches!(exit, Exit::Parked) && !self.finish(g, exit) {
            return None;
        }
        let (next, from) = self.pick_local()?;
        self.start(next, from);
        Some(next)
    }

    /// Whether a `Gosched` can be followed only by the global queue: nothing local, no timer, no request.
    fn yields_alone(&mut self) -> bool {
        if self.m.locked_g.get() != no_g() || self.rt.has_hook() || self.rt.config.deterministic {
            return false;
        }
        let p = self.p();
        let shared = p.shared();
        !p.tick.is_multiple_of(61)
            && p.has_no_work()
            && shared.timers.next_when() == i64::MAX
            && !shared.preempt.load(Ordering::Relaxed)
    }

    /// `Gosched` with empty local queues: to the tail of the global queue and take this P's share of it, in
    /// one critical section.
    fn rotate(&mut self, g: GRef) -> Option<GRef> {
        g.set_status(Status::Runnable);
        g.since.set(self.p().now);
        let rt = self.rt;
        let mut c = rt.central();
        c.runq.push_back(g);
        let next = self.take_global(c, "empty")?;
        self.count(Stat::GlobPut, 1);
        self.count(Stat::GlobLock, 1);
        self.count(Stat::GlobGetEmpty, 1);
        if next.locked_m.get() != 0 {
            self.pending = Some((next, From::Global));
            self.m.cur_g.set(no_g());
            return None;
        }
        Some(next)
    }

    /// The next G of the own queues, if nothing else has a claim.
    #[inline]
    fn pick_local(&mut self) -> Option<(GRef, From)> {
        if self.m.locked_g.get() != no_g() || self.leaving || self.step_over {
            return None;
        }
        let global_waits = self.rt.glen.load(Ordering::Relaxed) != 0;
        let p = self.p.as_deref_mut()?;
        if p.shared().preempt.load(Ordering::Relaxed) || (global_waits && p.tick.is_multiple_of(61))
        {
            return None;
        }
        let found = match p.runnext.take() {
            Some(g) => (g, From::Runnext),
            None => (p.queue.pop()?, From::Local),
        };
        if found.0.locked_m.get() != 0 {
            self.pending = Some(found);
            return None;
        }
        Some(found)
    }

    /// `g` begins to run on this M.
    #[inline]
    pub(crate) fn start(&mut self, g: GRef, from: From) {
        g.set_status(Status::Running);
        self.m.cur_g.set(g.as_ptr());
        let inherit = from == From::Runnext;
        let fuel = self.fuel;
        let p = self.p();
        p.run_began = p.now;
        if !inherit {
            p.slice_began = p.now;
            p.tick = p.tick.wrapping_add(1);
            p.shared().sched_tick.set(p.tick);
            p.slice_used = fuel - p.grant;
            p.shared().stats.note_latency(p.now - g.since.get());
        }
        if self.rt.has_hook() {
            self.tell_started(g, from, inherit);
        }
    }

    /// Deals with a G that gave up the M. False: the M must leave its loop.
    pub(crate) fn finish(&mut self, g: GRef, exit: Exit) -> bool {
        match exit {
            Exit::Parked | Exit::Switched | Exit::LostP => {}
            Exit::Gosched => self.requeue_global(g, "gosched"),
            Exit::Yielded => {
                g.set_status(Status::Runnable);
                let now = self.stamp();
                g.since.set(now);
                if self.rt.has_hook() {
                    self.tell_stopped("yield", Queue::Local);
                }
                self.put_tail(g);
            }
            Exit::Preempted if self.step_over => {
                g.set_status(Status::Runnable);
                if self.rt.has_hook() {
                    self.tell_stopped("step", Queue::Local);
                }
                self.pending = Some((g, From::Local));
            }
            Exit::Preempted => {
                self.count(Stat::PreemptHit, 1);
                self.requeue_global(g, "preempt");
            }
            Exit::Done => self.reap(g),
            Exit::End(end) => {
                self.rt.end(end);
                return false;
            }
        }
        self.m.cur_g.set(no_g());
        !self.leaving
    }

    fn requeue_global(&mut self, g: GRef, why: &'static str) {
        g.set_status(Status::Runnable);
        let now = self.stamp();
        g.since.set(now);
        if self.rt.has_hook() {
            self.tell_stopped(why, Queue::Global);
        }
        self.rt.global_push(g, why);
        self.count(Stat::GlobPut, 1);
    }

    /// A goroutine ended: its record is free.
    #[inline]
    fn reap(&mut self, g: GRef) {
        if self.rt.has_hook() {
            self.tell_ended(g);
        }
        g.set_status(Status::Dead);
        // SAFETY: the G is dead and in no queue; this M still is the only one to touch it.
        self.rt.machine.recycle(unsafe { &mut *g.co::<M::Co>() });
        self.count(Stat::GoEnded, 1);
        if g.lock_depth.get() > 0 {
            self.unlock_dead(g);
        }
        g.is_main.set(false);
        let p = self.p();
        p.gfree.push(g);
        if p.gfree.len() >= GFREE_MAX {
            self.give_gs();
        }
        self.note_free();
    }

    #[cold]
    fn give_gs(&mut self) {
        let rt = self.rt;
        let mut c = rt.central();
        c.gfree.extend(self.p().gfree.drain(GFREE_MAX / 2..));
        rt.note_gfree(&c);
    }

    // ---- fuel --------------------------------------------------------------------------------------------

    /// The fuel is used up. About every 100 µs: looks at stop requests, the end of the slice, due timers,
    /// and whether other Ps could help. The goroutine's state is saved; it may be scanned and moved here.
    #[cold]
    #[inline(never)]
    pub fn refill(&mut self, g: GRef) -> Refill {
        debug_assert_eq!(g.status(), Status::Running);
        let now = self.rt.clock.now();
        self.count(Stat::Refill, 1);
        let p = self.p();
        let grant = p.grant;
        p.pace.learn(grant, now);
        p.slice_used += grant;
        p.burnt += grant;
        p.now = now;
        let (slice, run) = (now - p.slice_began, now - p.run_began);
        let stats = &p.shared().stats;
        stats.raise(Stat::SliceMaxNs, u64::try_from(slice).unwrap_or(0));
        stats.raise(Stat::RunMaxNs, u64::try_from(run).unwrap_or(0));
        self.new_grant();
        self.follow_procs(g);
        if self.heed_requests() {
            return Refill::Preempt;
        }
        self.run_due_timers(now);
        self.share_work();
        if self.rt.config.deterministic {
            self.step_over = true;
        }
        if self.slice_is_over() {
            self.step_over = false;
            self.tell_preempted("budget");
            return Refill::Preempt;
        }
        if self.step_over {
            return Refill::Preempt;
        }
        Refill::Run(self.fuel)
    }

    /// Looks at the P's preempt flag. True: the goroutine must give up the M.
    fn heed_requests(&mut self) -> bool {
        let shared = self.p().shared();
        if !shared.preempt.load(Ordering::Relaxed) {
            return false;
        }
        shared.preempt.store(false, Ordering::SeqCst);
        if self.rt.wants.load(Ordering::SeqCst) == 0 {
            self.tell_preempted("sysmon");
            return true;
        }
        self.tell_preempted("stw");
        self.stop_here();
        let surplus = self.p().id >= self.rt.procs.get();
        if surplus {
            // The P must not run another goroutine of its queue before it is retired.
            self.p().shared().preempt.store(true, Ordering::SeqCst);
        }
        surplus || self.rt.is_ending()
    }

    fn slice_is_over(&mut self) -> bool {
        let config = &self.rt.config;
        let fixed = config.slice_fuel;
        let (slice_ns, tiny) = (config.slice_ns, config.hostile.tiny_slice);
        let nobody_waits = self.rt.glen.load(Ordering::Relaxed) == 0;
        let p = self.p();
        let slice = fixed.unwrap_or_else(|| p.pace.fuel_for(slice_ns));
        if p.slice_used < slice && !tiny {
            return false;
        }
        p.slice_used = 0;
        p.slice_began = p.now;
        !(nobody_waits && p.has_no_work())
    }

    /// Fuel for one refill.
    pub(crate) fn new_grant(&mut self) {
        let fixed = self.rt.config.refill_fuel;
        let p = self.p();
        p.grant = fixed.unwrap_or_else(|| p.pace.fuel_for(REFILL_NS));
        self.fuel = p.grant;
    }

    /// Lets idle Ps take part: offers a runnext that has not run since the last refill, and wakes a P if
    /// anything waits.
    fn share_work(&mut self) {
        let rt = self.rt;
        if rt.npidle.load(Ordering::Relaxed) == 0 {
            return;
        }
        let p = self.p();
        let puts = p.shared().stats.get(Stat::RunnextPut);
        let stale = p.runnext_seen == puts;
        p.runnext_seen = puts;
        if stale
            && p.shared().offer.load(Ordering::Relaxed).is_null()
            && let Some(g) = p.runnext.take()
        {
            p.shared().offer.store(g.as_ptr(), Ordering::SeqCst);
        }
        let offered = !p.shared().offer.load(Ordering::Relaxed).is_null();
        if offered || !p.queue.is_empty() || rt.glen.load(Ordering::Relaxed) != 0 {
            self.maybe_wake();
        }
    }

    // ---- the P -------------------------------------------------------------------------------------------

    /// The P; there is one whenever a goroutine runs outside a syscall.
    #[inline(always)]
    pub(crate) fn p(&mut self) -> &mut PCore<M> {
        self.p.as_deref_mut().expect("an M that runs a goroutine owns a P")
    }

    /// Takes over a P, with fresh fuel.
    pub(crate) fn set_p(&mut self, mut p: POwn<M>) {
        p.now = self.rt.clock.now();
        let shared = p.shared();
        shared.status.set(pstatus::RUNNING);
        shared.m.set(i64::from(self.m.id));
        if self.rt.wants.load(Ordering::Relaxed) == 0 {
            // A request to the last holder is void. (A stop-the-world repeats its own.)
            shared.preempt.store(false, Ordering::Relaxed);
        }
        self.rt.sysmon.wake_if_asleep();
        self.m.p.set(i64::from(p.id));
        self.p = Some(p);
        self.alone = self.rt.alone.load(Ordering::Relaxed);
        self.new_grant();
        if self.rt.has_hook() {
            self.ev(&Ev::PStart);
        }
    }

    /// Gives the P away.
    pub(crate) fn take_p(&mut self) -> Option<POwn<M>> {
        self.m.p.set(-1);
        self.p.take()
    }

    /// Takes the P that a waker handed over.
    pub(crate) fn take_next_p(&mut self) -> bool {
        let raw = self.m.next_p.swap(std::ptr::null_mut(), Ordering::AcqRel);
        let Some(p) = POwn::from_raw(raw) else { return false };
        self.spinning = self.m.next_spinning.get();
        self.m.next_spinning.set(false);
        self.m.spinning.set(self.spinning);
        self.set_p(p);
        true
    }

    /// The bucket for goroutines that wait for the word at this address.
    #[inline]
    pub(crate) fn bucket(&self, key: u64) -> &'rt super::wait_table::Bucket {
        self.rt.wait_table.bucket(key)
    }

    /// Adds to a counter of the P.
    #[inline(always)]
    pub(crate) fn count(&mut self, stat: Stat, by: u64) {
        match &self.p {
            Some(p) => p.shared().stats.add(stat, by),
            None => self.rt.loose_stats.add(stat, by),
        }
    }

    /// Whether anybody watches events.
    #[inline(always)]
    pub fn is_watched(&self) -> bool {
        self.rt.has_hook()
    }
}
