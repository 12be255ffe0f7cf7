//! Stopping the world: for the collector and for a change of GOMAXPROCS.
//!
//! One at a time (`Rt::world`); a goroutine that waits for its turn behaves like any running one and stops
//! for the others. The stopper sets `WANT_STOP` and every P's preempt flag, and then waits until each P is
//! its own, idle, taken out of a syscall's slot, or stopped in place: an M stops inside `refill` or at the
//! top of `find_work`, keeps its P, and sleeps at the gate. Nobody takes an idle P while the stop lasts.
//! Goroutines in blocking natives go on; they use nothing of the guest's.

#![expect(
    unsafe_code,
    reason = "in a stopped world the stopper may look into every P and every goroutine"
)]

use super::Machine;
use super::cx::Cx;
use super::events::{Ev, EventHook, Stat};
use super::g::{G, GRef, Status};
use super::p::{POwn, pstatus};
use super::rt::{Rt, WANT_STOP};
use crate::sync::{Arc, AtomicUsize, Ordering, thread};

/// How long the stopper waits before it asks again and looks into the slots again.
const ASK_AGAIN_NS: u64 = 100_000;

/// A stopped world.
#[derive(Debug)]
pub struct World<'a, M: Machine> {
    rt: &'a Rt<M>,
}

impl<M: Machine> World<'_, M> {
    /// The machine.
    pub fn machine(&self) -> &M {
        &self.rt.machine
    }

    /// Lets a watcher see everything from now on.
    pub(crate) fn begin_watch(&self, hook: Arc<dyn EventHook>) {
        self.rt.begin_watch(hook);
    }

    /// Tells the watcher, if there is one.
    pub fn tell(&self, ev: &Ev<'_>) {
        if self.rt.has_hook() {
            self.rt.emit_here(ev);
        }
    }

    /// Every goroutine that exists, with its coroutine.
    pub fn each_g(&mut self, mut f: impl FnMut(GRef, &mut M::Co)) {
        self.with_gs(|gs| while gs.each_of_share(&mut f) {});
    }

    /// Calls `f` with all goroutines that exist, to be shared out among threads.
    pub fn with_gs<R>(&mut self, f: impl FnOnce(&Gs<'_, M>) -> R) -> R {
        let all = self.rt.all_gs.lock();
        f(&Gs { all: &all, next: AtomicUsize::new(0) })
    }

    /// The machine's part of every P.
    pub fn each_local(&mut self, mut f: impl FnMut(&mut M::Local)) {
        for p in self.rt.allp() {
            let core = p.core.load(Ordering::Acquire);
            // SAFETY: the holders of all Ps sleep at the gate or are this thread, which holds no reference
            // into its P here.
            f(unsafe { &mut (*core).local });
        }
    }

    /// The words of pending `AfterFunc` timers, which a collector must mark.
    pub fn each_timer_word(&mut self, mut f: impl FnMut(u64)) {
        for p in self.rt.allp() {
            p.timers.each_timer(&mut |timer| {
                if let Some(word) = timer.func_word() {
                    f(word);
                }
            });
        }
    }
}

/// The goroutines of a stopped world. Each is handed out once.
#[derive(Debug)]
pub struct Gs<'a, M: Machine> {
    all: &'a [Box<[G<M::Co>]>],
    next: AtomicUsize,
}

// SAFETY: `each_of_share` gives each goroutine to one thread only.
unsafe impl<M: Machine> Sync for Gs<'_, M> {}

/// Slabs of records in one share.
const SHARE: usize = 16;

impl<M: Machine> Gs<'_, M> {
    /// How many there are, those that have ended and wait for reuse included.
    pub fn len(&self) -> usize {
        self.all.iter().map(|slab| slab.len()).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Takes a share and calls `f` with each of its goroutines that lives, and its coroutine. Values that are on their
    /// way to or from it stand in `g.wake.words()`. False if all shares were taken.
    pub fn each_of_share(&self, mut f: impl FnMut(GRef, &mut M::Co)) -> bool {
        let from = self.next.fetch_add(SHARE, Ordering::Relaxed);
        let Some(rest) = self.all.get(from..).filter(|rest| !rest.is_empty()) else { return false };
        for g in rest.iter().take(SHARE).flatten().map(GRef::of) {
            if !matches!(g.status(), Status::Idle | Status::Dead) {
                // SAFETY: nobody runs goroutines now, except inside blocking natives, which do not touch their
                // coroutine; the caller's own one is saved; no other thread gets this share.
                f(g, unsafe { &mut *g.co::<M::Co>() });
            }
        }
        true
    }
}

impl<M: Machine> Cx<'_, M> {
    /// Stops all other Ps, calls `f`, lets them go on. The goroutine's state is saved; it goes on afterwards
    /// on the same P. While the program ends the others are not waited for, and `f` is not called.
    pub fn stop_the_world<R: Default>(
        &mut self,
        g: GRef,
        reason: &'static str,
        f: impl FnOnce(&mut World<'_, M>) -> R,
    ) -> R {
        debug_assert_eq!(g.status(), Status::Running);
        let rt = self.rt;
        let _turn = loop {
            if let Some(guard) = rt.world.try_lock() {
                break guard;
            }
            self.stop_here();
            thread::yield_now();
        };
        let begin = rt.clock.now();
        self.ev(&Ev::StwBegin { reason });
        let stopped = if rt.config.deterministic { Ok(Vec::new()) } else { self.stop_others() };
        self.ev(&Ev::StwStopped { stop_ns: rt.clock.now() - begin });
        let (result, taken) = match stopped {
            Ok(taken) => (f(&mut World { rt }), taken),
            Err(taken) => (R::default(), taken),
        };
        let total = rt.clock.now() - begin;
        self.ev(&Ev::StwEnd { total_ns: total });
        if !rt.config.deterministic {
            rt.restart(taken);
        }
        self.alone = rt.alone.load(Ordering::Relaxed);
        self.count(Stat::StwN, 1);
        self.p().shared().stats.raise(Stat::StwMaxNs, u64::try_from(total).unwrap_or(0));
        self.p().pace.forget();
        result
    }

    /// The Ps that were taken out of calls; as an error if the program ends, and others may run.
    fn stop_others(&mut self) -> Result<Vec<POwn<M>>, Vec<POwn<M>>> {
        let rt = self.rt;
        let mut c = rt.central();
        rt.wants.fetch_or(WANT_STOP, Ordering::SeqCst);
        let mut taken = Vec::new();
        loop {
            for p in rt.allp() {
                if !p.preempt.swap(true, Ordering::SeqCst) {
                    p.asked_at.set(rt.clock.now());
                }
                let in_slot = p.slot.swap(std::ptr::null_mut(), Ordering::SeqCst);
                let Some(own) = POwn::from_raw(in_slot) else { continue };
                let from_m = u32::try_from(p.m.get()).unwrap_or(u32::MAX);
                // Nobody's from now on, also for a watcher that comes in this stop.
                p.m.set(-1);
                p.status.set(pstatus::IDLE);
                if rt.has_hook() {
                    let in_ns = rt.clock.now() - p.sys_since.get();
                    let ev = Ev::PSteal { from_m, by: "stw", in_ns };
                    rt.emit(i64::from(p.id), self.m.id, 0, &ev);
                }
                taken.push(own);
            }
            if rt.is_ending() {
                return Err(taken);
            }
            let stopped = c.idle_ps.len() + c.stopped as usize + taken.len() + 1;
            if stopped >= c.live_ps as usize {
                return Ok(taken);
            }
            c = rt.stop_gate.wait_for(&rt.central, c, ASK_AGAIN_NS);
        }
    }

    /// If a stop is wanted, sleeps at the gate until it is over. The P is kept.
    pub(crate) fn stop_here(&mut self) {
        let rt = self.rt;
        let mut c = rt.central();
        if rt.wants.load(Ordering::SeqCst) & WANT_STOP == 0 {
            return;
        }
        self.p().shared().status.set(pstatus::GCSTOP);
        self.ev(&Ev::MPark { why: "gcstop" });
        c.stopped += 1;
        let epoch = c.stop_epoch;
        rt.stop_gate.open();
        // Also while the program ends: who stopped the world counts on it.
        while c.stop_epoch == epoch {
            c = rt.stop_gate.wait(c);
        }
        drop(c);
        self.alone = rt.alone.load(Ordering::Relaxed);
        let p = self.p();
        p.shared().status.set(pstatus::RUNNING);
        p.pace.forget();
        self.mark_run();
    }

    /// At a scheduling point: stops if that is wanted, and gives up a P that is beyond GOMAXPROCS.
    pub(crate) fn heed_stop(&mut self) {
        let rt = self.rt;
        if rt.wants.load(Ordering::Relaxed) & WANT_STOP != 0 {
            self.stop_here();
        }
        if self.p().id >= rt.procs.get() {
            self.stop_spinning(false);
            if let Some((g, _)) = self.pending.take() {
                rt.global_push(g, "resize");
            }
            self.ev(&Ev::PStop { why: "gcstop" });
            if let Some(p) = self.take_p() {
                rt.retire(&mut rt.central(), p);
            }
        }
    }

    /// `runtime.GOMAXPROCS(n)`: n below 1 only reads. Returns the old value.
    pub fn set_procs(&mut self, g: GRef, n: i64) -> u32 {
        let old = self.rt.procs.get();
        let Ok(n) = u32::try_from(n) else { return old };
        if n < 1 {
            return old;
        }
        self.rt.procs_follow.store(false, Ordering::SeqCst);
        self.change_procs(g, n);
        old
    }

    /// `runtime.SetDefaultGOMAXPROCS`: what nobody has set by hand, from now on followed again.
    pub fn set_default_procs(&mut self, g: GRef) {
        self.rt.procs_follow.store(true, Ordering::SeqCst);
        self.change_procs(g, self.rt.default_procs());
    }

    /// If sysmon has seen that the number of usable CPUs changed.
    pub(crate) fn follow_procs(&mut self, g: GRef) {
        if self.rt.procs_wanted.load(Ordering::Relaxed)
            && self.rt.procs_wanted.swap(false, Ordering::SeqCst)
            && self.rt.procs_follow.load(Ordering::SeqCst)
        {
            self.change_procs(g, self.rt.default_procs());
        }
    }

    fn change_procs(&mut self, g: GRef, n: u32) {
        let n = n.min(super::config::MAX_PROCS);
        if n == self.rt.procs.get() {
            return;
        }
        self.stop_the_world(g, "GOMAXPROCS", |world| {
            let rt = world.rt;
            let mut c = rt.central();
            rt.set_procs(&mut c, n);
            rt.alone.store(n == 1 && c.live_ps == 1, Ordering::SeqCst);
        });
        if self.p().id >= n {
            self.p().shared().preempt.store(true, Ordering::SeqCst);
        }
    }
}

impl<M: Machine> Rt<M> {
    /// Stops all Ps for good, for a last dump by a thread that is no M. Gives up after `tries` milliseconds: false.
    pub(crate) fn stop_from_outside(&self, tries: u32) -> bool {
        let mut c = self.central();
        self.wants.fetch_or(WANT_STOP, Ordering::SeqCst);
        let mut taken = 0;
        for _ in 0..tries {
            for p in self.allp() {
                p.preempt.store(true, Ordering::SeqCst);
                let in_slot = p.slot.swap(std::ptr::null_mut(), Ordering::SeqCst);
                taken += usize::from(POwn::from_raw(in_slot).is_some());
            }
            if c.idle_ps.len() + c.stopped as usize + taken >= c.live_ps as usize {
                return true;
            }
            c = self.stop_gate.wait_for(&self.central, c, 10 * ASK_AGAIN_NS);
        }
        false
    }

    /// After [`Rt::stop_from_outside`], when the program has ended: who sleeps at the gate leaves.
    pub(crate) fn let_go(&self) {
        let mut c = self.central();
        c.stopped = 0;
        c.stop_epoch += 1;
        self.wants.fetch_and(!WANT_STOP, Ordering::SeqCst);
        self.stop_gate.open();
    }

    /// Lets the world go on. `taken` are the Ps that were in slots.
    fn restart(self: &Arc<Self>, taken: Vec<POwn<M>>) {
        let mut c = self.central();
        for p in self.allp() {
            p.preempt.store(false, Ordering::SeqCst);
        }
        for p in taken {
            self.put_idle_p(&mut c, p);
        }
        c.stopped = 0;
        c.stop_epoch += 1;
        self.wants.fetch_and(!WANT_STOP, Ordering::SeqCst);
        self.stop_gate.open();
        let (busy, idle): (Vec<_>, Vec<_>) =
            std::mem::take(&mut c.idle_ps).into_iter().partition(|p| !p.has_no_work());
        c.idle_ps = idle;
        self.npidle.store(u32::try_from(c.idle_ps.len()).unwrap_or(u32::MAX), Ordering::SeqCst);
        drop(c);
        for p in busy {
            self.start_m(self.central(), p, false);
        }
        if self.npidle.load(Ordering::SeqCst) != 0 {
            self.wake_p();
        }
    }
}
