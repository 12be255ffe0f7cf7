//! How an M without work goes to sleep, and how it is sure not to miss any.
//!
//! The race: a submitter publishes work and looks whether anybody sleeps; an M looks for work and goes to
//! sleep. Each must see the other. Work that can be published without owning a running P stands in the
//! global queue, and "look there and put the P on the idle list" is one critical section. Work in the ring
//! of a running P cannot be missed for longer than that P's next refill. A spinning M, which others rely on
//! not to wake a second one, drops out of `nmspinning`, fences, and looks at everything once more.
//!
//! The last M to go idle waits in the poller until the next timer, without a P; at most one does
//! (`last_poll` is 0 meanwhile). All others sleep in their parkers.

use super::Machine;
use super::cx::Cx;
use super::deadlock::Verdict;
use super::events::{Ev, From, Queue, Stat};
use super::g::{GRef, Status};
use super::m::Mach;
use super::rt::{Central, NOBODY, Rt};
use crate::netpoll::{Readiness, Wait};
use crate::sync::{Arc, LockGuard, Ordering, fence};

/// An idle M sleeps this much beyond the first timer, so that sleepers that were set in a row wake together
/// and in order. (Go's poller rounds up to whole milliseconds.)
const SLACK_NS: i64 = 100_000;

impl<M: Machine> Cx<'_, M> {
    /// Gives up the P and sleeps until there may be work; or finds some at the last moment. In any case the
    /// caller starts over.
    pub(crate) fn go_idle(&mut self) {
        let rt = self.rt;
        let mut c = rt.central();
        if rt.wants.load(Ordering::SeqCst) != 0 {
            return;
        }
        if !c.runq.is_empty() {
            let g = self.take_global(c, "recheck");
            self.count(Stat::GlobGetRecheck, 1);
            self.stop_spinning(true);
            self.pending = g.map(|g| (g, From::Global));
            return;
        }
        if !self.spinning && rt.needspinning.swap(0, Ordering::SeqCst) != 0 {
            drop(c);
            self.start_spinning();
            return;
        }
        self.ev(&Ev::PStop { why: "idle" });
        if let Some(p) = self.take_p() {
            rt.put_idle_p(&mut c, p);
        }
        drop(c);
        if self.spinning {
            self.stop_spinning(false);
            fence(Ordering::SeqCst);
            if self.look_again() {
                return;
            }
        }
        self.wait_idle();
    }

    /// Looks at all rings, offers and the global queue without a P. True: got a P back and spins.
    fn look_again(&mut self) -> bool {
        let rt = self.rt;
        let something = rt.glen.load(Ordering::SeqCst) != 0
            || rt.allp().any(|p| !p.thief.is_empty() || !p.offer.load(Ordering::SeqCst).is_null());
        if !something {
            return false;
        }
        let mut c = rt.central();
        let p = rt.take_idle_p(&mut c);
        drop(c);
        match p {
            Some(p) => {
                self.set_p(p);
                self.start_spinning();
                true
            }
            None => {
                rt.needspinning.store(1, Ordering::SeqCst);
                false
            }
        }
    }

    /// Without a P: waits in the poller if nobody does and there is something to wait for, else sleeps.
    fn wait_idle(&mut self) {
        let rt = self.rt;
        let until = rt.next_timer();
        if rt.clock.is_virtual() {
            self.sleep_until_given_p();
            return;
        }
        if until == 0 && rt.net_waiters.load(Ordering::SeqCst) == 0 {
            self.sleep_until_given_p();
            return;
        }
        if rt.last_poll.swap(0, Ordering::SeqCst) == 0 {
            // Somebody waits there already; it must not wait beyond our timers.
            rt.wake_poller_for(until);
            self.sleep_until_given_p();
            return;
        }
        self.wait_in_poller(until);
    }

    fn wait_in_poller(&mut self, until: i64) {
        let rt = self.rt;
        rt.poll_until.store(until, Ordering::SeqCst);
        // A timer that was added before this store, by an M that saw no poller, is found here.
        let until = rt.next_timer();
        rt.poll_until.store(until, Ordering::SeqCst);
        let wait = match until {
            0 => Wait::Forever,
            when => Wait::Nanos(u64::try_from(when + SLACK_NS - rt.clock.now()).unwrap_or(0)),
        };
        self.count(Stat::PollBlock, 1);
        self.ev(&Ev::MPark { why: "poll" });
        self.m.blocked.set(true);
        let ready = rt.poller.wait(wait);
        self.m.blocked.set(false);
        rt.poll_until.store(0, Ordering::SeqCst);
        rt.tell_poll(&self.m, true, until, &ready);
        rt.last_poll.store(rt.clock.now(), Ordering::SeqCst);
        let mut c = rt.central();
        let p = rt.take_idle_p(&mut c);
        drop(c);
        match p {
            Some(p) => {
                self.set_p(p);
                self.take_ready(ready);
                if self.pending.is_none() {
                    self.start_spinning();
                } else {
                    // Somebody else has to look after the poller and the timers now.
                    self.maybe_wake();
                }
            }
            None => {
                let gs = rt.net.ready_list(rt, ready);
                rt.inject(gs);
            }
        }
    }

    /// With a P: turns readiness into runnable Gs; the first is kept to run, the others are spread.
    fn take_ready(&mut self, ready: Vec<Readiness>) {
        let mut gs = self.rt.net.ready_list(self.rt, ready);
        if gs.is_empty() {
            return;
        }
        self.count(Stat::NetReady, gs.len() as u64);
        let first = gs.remove(0);
        first.set_status(Status::Runnable);
        self.note_woken(first);
        if self.rt.has_hook() {
            self.tell_unblocked(first, Queue::Runnext);
        }
        self.pending = Some((first, From::Netpoll));
        self.inject_ready(gs);
    }

    /// `g` waited until now.
    fn note_woken(&mut self, g: GRef) {
        let now = self.stamp();
        self.p().shared().stats.note_blocked(g.reason(), now - g.since.get());
        g.since.set(now);
    }

    /// As many as there are idle Ps go to the global queue, the others to the own ring.
    fn inject_ready(&mut self, mut gs: Vec<GRef>) {
        let idle = self.rt.npidle.load(Ordering::Relaxed) as usize;
        let local = gs.split_off(idle.min(gs.len()));
        self.rt.inject(gs);
        for g in local {
            g.set_status(Status::Runnable);
            self.note_woken(g);
            if self.rt.has_hook() {
                self.tell_unblocked(g, Queue::Local);
            }
            self.put_tail(g);
        }
    }

    /// Asks the poller without waiting, if anybody waits for it and nobody is in it.
    pub(crate) fn poll_now(&mut self) -> Option<(GRef, From)> {
        let rt = self.rt;
        if rt.net_waiters.load(Ordering::Relaxed) == 0 || rt.last_poll.load(Ordering::Relaxed) == 0
        {
            return None;
        }
        let ready = rt.poller.try_now()?;
        self.count(Stat::PollNonblock, 1);
        if !ready.is_empty() {
            rt.tell_poll(&self.m, false, 0, &ready);
        }
        self.take_ready(ready);
        self.pending.take()
    }

    /// Sleeps in the parker, on the list of idle Ms, until a P was handed over or the runtime ends.
    pub(crate) fn sleep_until_given_p(&mut self) {
        let rt = self.rt;
        let mut c = rt.central();
        if rt.is_ending() {
            return;
        }
        // Work may have come to the global queue between giving up the P and here; whoever put it there
        // found either an idle P and took it, or none. An idle P with global work must not be left.
        if rt.wants.load(Ordering::SeqCst) == 0
            && !c.runq.is_empty()
            && let Some(p) = rt.take_idle_p(&mut c)
        {
            drop(c);
            self.set_p(p);
            return;
        }
        self.count(Stat::MPark, 1);
        self.ev(&Ev::MPark { why: "idle" });
        c.idle_ms.push(Arc::clone(&self.m));
        let verdict = rt.check_dead(&mut c);
        rt.act_on(verdict, c);
        self.park_m();
    }

    /// Sleeps until a P was handed over or the runtime ends.
    pub(crate) fn park_m(&mut self) {
        self.m.blocked.set(true);
        loop {
            if self.take_next_p() {
                break;
            }
            if self.rt.is_ending() {
                break;
            }
            self.m.parker.park();
        }
        self.m.blocked.set(false);
    }
}

impl<M: Machine> Rt<M> {
    /// Tells the watcher that the poller was asked.
    fn tell_poll(&self, m: &Mach<M>, block: bool, until: i64, ready: &[Readiness]) {
        if self.has_hook() {
            let sides = ready.iter().map(|r| usize::from(r.read) + usize::from(r.write)).sum();
            let ev = Ev::NpPoll { block, until, events: ready.len(), ready: sides };
            self.emit(-1, m.id, 0, &ev);
        }
    }

    /// Makes waiting Gs runnable without a P: to the global queue, and as many Ms are started as there are
    /// idle Ps for them.
    pub(crate) fn inject(self: &Arc<Self>, gs: Vec<GRef>) {
        if gs.is_empty() {
            return;
        }
        let n = gs.len();
        let mut c = self.central();
        let now = self.clock.now();
        for g in gs {
            g.set_status(Status::Runnable);
            self.loose_stats.note_blocked(g.reason(), now - g.since.get());
            g.since.set(now);
            if self.has_hook() {
                let (who, obj) = (g.id.get(), g.object.get());
                self.emit(-1, NOBODY, 0, &Ev::GoUnblock { who, obj, q: Queue::Global });
            }
            c.runq.push_back(g);
        }
        self.note_glen(&c);
        if self.has_hook() {
            self.emit_here(&Ev::GlobPut { n, glen: c.runq.len(), why: "netpoll" });
        }
        drop(c);
        if self.config.deterministic {
            return;
        }
        for _ in 0..n {
            let mut c = self.central();
            let Some(p) = self.take_idle_p(&mut c) else { return };
            self.start_m(c, p, false);
        }
    }

    /// The first live timer of all Ps, or 0.
    pub(crate) fn next_timer(&self) -> i64 {
        if self.live_timers.load(Ordering::SeqCst) <= 0 {
            return 0;
        }
        let first = self.allp().map(|p| p.timers.next_when()).min().unwrap_or(i64::MAX);
        if first == i64::MAX { 0 } else { first }
    }

    /// An M that waits in the poller beyond `when` must come out.
    pub(crate) fn wake_poller_for(&self, when: i64) {
        if when == 0 || self.last_poll.load(Ordering::SeqCst) != 0 {
            return;
        }
        let until = self.poll_until.load(Ordering::SeqCst);
        if until == 0 || until > when {
            if self.has_hook() {
                self.emit(-1, NOBODY, 0, &Ev::NpBreak { when });
            }
            self.poller.wake();
        }
    }

    /// Carries out what the deadlock check found. Consumes the lock.
    pub(crate) fn act_on(self: &Arc<Self>, verdict: Verdict, mut c: LockGuard<'_, Central<M>>) {
        match verdict {
            Verdict::Alive => {}
            Verdict::Jump(when) => {
                self.clock.advance_to(when);
                if let Some(p) = self.take_idle_p(&mut c) {
                    self.start_m(c, p, false);
                }
            }
            Verdict::Dead(text) => {
                drop(c);
                self.report_dead(text);
            }
            Verdict::Fault(what) => {
                drop(c);
                super::m::internal_error(self, what);
            }
        }
    }

    /// Running Ms: all but the idle ones and those that wait for their locked G.
    pub(crate) fn running_ms(&self, c: &Central<M>) -> i64 {
        i64::from(c.m_count) - c.idle_ms.len() as i64 - c.idle_locked
    }

    /// Whether `m` is asleep; for dumps.
    pub(crate) fn is_idle(c: &Central<M>, m: &Mach<M>) -> bool {
        c.idle_ms.iter().any(|idle| idle.id == m.id)
    }
}
