//! What a running M tells the watcher: events with what they need to say computed. Nothing here changes the
//! scheduler's state, and nothing is called when nobody watches.

#![expect(unsafe_code, reason = "places are read from coroutines whose state is saved")]

use super::Machine;
use super::cx::Cx;
use super::events::{Ev, From, Place, Queue, Stat};
use super::g::{GHead, GRef};
use super::wait::WaitReason;
use std::cell::Cell;

thread_local! {
    /// The M that this thread is, or -1; only events say it.
    static ME: Cell<i64> = const { Cell::new(-1) };
}

/// This thread is the M with this number.
pub(crate) fn i_am(m: u32) {
    ME.set(i64::from(m));
}

/// The M that this thread is, or -1.
pub(crate) fn me() -> i64 {
    ME.get()
}

impl<M: Machine> Cx<'_, M> {
    /// Tells the watcher, if there is one.
    #[cold]
    pub(crate) fn ev(&self, ev: &Ev<'_>) {
        if self.rt.has_hook() {
            let p = self.p.as_ref().map_or(-1, |p| i64::from(p.id));
            let cur: *mut GHead = self.m.cur_g.get();
            let g = GRef::from_ptr(cur).map_or(0, |g| g.id.get());
            self.rt.emit(p, self.m.id, g, ev);
        }
    }

    /// For machines: tells the watcher of something that the scheduler does not know about.
    pub fn tell(&self, ev: &Ev<'_>) {
        self.ev(ev);
    }

    /// A collection ended: counts it, and puts off the one that sysmon forces.
    pub fn note_gc(&mut self) {
        self.count(Stat::GcN, 1);
        self.rt.last_gc.set(u64::try_from(self.now()).unwrap_or(0));
    }

    /// The stack of `g` changed its size from `old` to `new` bytes; all stacks take `all` bytes now.
    pub fn note_stack(&mut self, g: GRef, old: u64, new: u64, all: u64) {
        let grew = new > old;
        self.count(if grew { Stat::StackGrow } else { Stat::StackShrink }, 1);
        self.p().shared().stats.raise(Stat::StackInuseMax, all);
        if self.rt.has_hook() {
            let who = g.id.get();
            let grow = Ev::StackGrow { who, old, new };
            self.ev(&if grew { grow } else { Ev::StackShrink { who, old, new } });
        }
    }

    /// The present time for `GHead::since`: exact while somebody watches, else good to one refill.
    #[inline]
    pub(crate) fn stamp(&mut self) -> i64 {
        if self.rt.has_hook() { self.rt.clock.now() } else { self.p().now }
    }

    /// Where a goroutine of this M stands; its state is saved.
    pub(crate) fn place_of(&self, g: GRef) -> Place {
        // SAFETY: the M runs this G, or just made it, and nobody else may touch it now.
        self.rt.machine.place(unsafe { &*g.co::<M::Co>() })
    }

    pub(crate) fn tell_created(&self, g: GRef, reused: bool) {
        let new = g.id.get();
        self.ev(&if reused { Ev::GReuse { new } } else { Ev::GNew { new } });
        let func = self.place_of(g).func;
        let at = self.rt.machine.site_place(g.site.get());
        self.ev(&Ev::GoCreate { new, func: &func, at: &at, q: Queue::Runnext });
    }

    pub(crate) fn tell_unblocked(&self, g: GRef, q: Queue) {
        self.ev(&Ev::GoUnblock { who: g.id.get(), obj: g.object.get(), q });
    }

    pub(crate) fn tell_blocked(&self, g: GRef, reason: WaitReason, obj: u64) {
        let at = self.place_of(g);
        let (reason, go_reason) = (reason.text(), reason.trace_text());
        self.ev(&Ev::GoBlock { reason, go_reason, obj, at: &at });
    }

    pub(crate) fn tell_started(&mut self, g: GRef, from: From, inherit: bool) {
        let now = self.rt.clock.now();
        let wait_ns = (now - g.since.get()).max(0);
        self.run_mark = (now, self.burnt());
        let tick = self.p().tick;
        self.ev(&Ev::GoStart { from, inherit, tick, wait_ns });
    }

    pub(crate) fn tell_stopped(&mut self, reason: &'static str, q: Queue) {
        let (ran_ns, fuel) = self.ran();
        self.ev(&Ev::GoStop { reason, q, ran_ns, fuel });
    }

    pub(crate) fn tell_ended(&self, g: GRef) {
        // SAFETY: the G has ended on this M and is on no list yet.
        let why = self.rt.machine.how_ended(unsafe { &*g.co::<M::Co>() });
        self.ev(&Ev::GoEnd { why });
    }

    pub(crate) fn tell_preempted(&mut self, by: &'static str) {
        if !self.rt.has_hook() {
            return;
        }
        let (ran_ns, fuel) = self.ran();
        let asked = self.p().shared().asked_at.get();
        let delay_ns = if by == "budget" { 0 } else { self.rt.clock.now() - asked };
        self.ev(&Ev::PreemptHit { by, ran_ns, fuel, delay_ns });
    }

    /// Fuel that this P has burnt, unspent grants of earlier owners included.
    pub(crate) fn burnt(&mut self) -> i64 {
        let fuel = self.fuel;
        let p = self.p();
        p.burnt + p.grant - fuel
    }

    /// Time and fuel of the running goroutine since it started on this M.
    fn ran(&mut self) -> (i64, i64) {
        self.mark_run();
        let (since, fuel) = self.run_mark;
        (self.rt.clock.now() - since, (self.burnt() - fuel).max(0))
    }
}
