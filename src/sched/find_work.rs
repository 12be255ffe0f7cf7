//! Where the next goroutine comes from.
//!
//! The order, in which the first source that has something wins: what was found before and kept; every 61st
//! tick one G of the global queue; runnext; the ring; the own offer; due timers (they fill runnext and the
//! ring); a batch of the global queue; the poller, without waiting; the other Ps, in a random order, four
//! times, with their timers and offers the last time. Then the M goes idle (`idle`), which looks once more.

use super::Machine;
use super::cx::Cx;
use super::events::{Ev, From, Stat};
use super::g::GRef;
use super::rt::Central;
use crate::sync::{LockGuard, Ordering, thread};

/// At most this many Gs are taken from the global queue, or from another P, at once.
const BATCH: usize = 128;
/// How often all other Ps are asked before the M goes idle. A model checker need not try the same again and again.
const STEAL_PASSES: u32 = if crate::sync::MODEL { 1 } else { 4 };

impl<M: Machine> Cx<'_, M> {
    /// The next G to run; waits for one. `None`: the runtime ends, or this M does.
    pub(crate) fn find_work(&mut self) -> Option<(GRef, From)> {
        loop {
            if self.rt.is_ending() || self.leaving {
                return None;
            }
            if let Some(g) = self.m.locked()
                && self.pending.is_none_or(|(found, _)| found != g)
            {
                self.wait_for_locked(g);
                continue;
            }
            if self.p.is_none() {
                self.sleep_until_given_p();
                continue;
            }
            self.heed_stop();
            if self.p.is_none() {
                continue;
            }
            if let Some((g, from)) = self.look() {
                if self.passes_on(g) {
                    continue;
                }
                return Some((g, from));
            }
            self.go_idle();
        }
    }

    /// One round through all sources.
    pub(crate) fn look(&mut self) -> Option<(GRef, From)> {
        if let Some(found) = self.pending.take() {
            return Some(found);
        }
        if self.rt.config.hostile.steal_first
            && let Some(found) = self.steal()
        {
            return self.found(found);
        }
        if let Some(g) = self.global_at_61() {
            return self.found((g, From::Global61));
        }
        if let Some(found) = self.own() {
            return self.found(found);
        }
        if self.p().shared().timers.next_when() != i64::MAX {
            let now = self.rt.clock.now();
            self.p().now = now;
            self.run_due_timers(now);
            if let Some(found) = self.own() {
                return self.found(found);
            }
        }
        if let Some(g) = self.global_batch() {
            return self.found((g, From::Global));
        }
        if let Some(found) = self.poll_now() {
            return self.found(found);
        }
        if self.may_spin()
            && let Some(found) = self.steal()
        {
            return self.found(found);
        }
        None
    }

    /// Work was found: a spinning M stops spinning, and sees that another one starts (one wakes the next).
    fn found(&mut self, found: (GRef, From)) -> Option<(GRef, From)> {
        if self.spinning {
            self.stop_spinning(true);
            self.maybe_wake();
        }
        Some(found)
    }

    /// Runnext, the ring, the own offer.
    fn own(&mut self) -> Option<(GRef, From)> {
        let p = self.p();
        if let Some(g) = p.runnext.take() {
            return Some((g, From::Runnext));
        }
        if let Some(g) = p.queue.pop() {
            return Some((g, From::Local));
        }
        self.take_offer()
    }

    fn take_offer(&mut self) -> Option<(GRef, From)> {
        let offer = &self.p().shared().offer;
        if offer.load(Ordering::Relaxed).is_null() {
            return None;
        }
        GRef::from_ptr(offer.swap(std::ptr::null_mut(), Ordering::AcqRel))
            .map(|g| (g, From::Runnext))
    }

    fn global_at_61(&mut self) -> Option<GRef> {
        if !self.p().tick.is_multiple_of(61) || self.rt.glen.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut c = self.rt.central();
        let g = c.runq.pop_front()?;
        self.rt.glen.store(c.runq.len(), Ordering::SeqCst);
        self.ev(&Ev::GlobGet { n: 1, glen: c.runq.len(), why: "61" });
        drop(c);
        self.count(Stat::GlobLock, 1);
        self.count(Stat::GlobGet61, 1);
        Some(g)
    }

    fn global_batch(&mut self) -> Option<GRef> {
        if self.rt.glen.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let rt = self.rt;
        let g = self.take_global(rt.central(), "empty");
        self.count(Stat::GlobLock, 1);
        if g.is_some() {
            self.count(Stat::GlobGetEmpty, 1);
        }
        g
    }

    /// Takes this P's share of the global queue: the first G is returned, the others go to the ring, when the lock is free again: to
    /// fetch the records takes longer than all else.
    pub(crate) fn take_global(
        &mut self,
        mut c: LockGuard<'_, Central<M>>,
        why: &'static str,
    ) -> Option<GRef> {
        let len = c.runq.len();
        let n = len.min(BATCH).min(len / self.rt.procs.get() as usize + 1);
        let room = self.rt.config.local_queue.saturating_sub(self.p().queue.len());
        let n = n.min(room + 1);
        let first = c.runq.pop_front()?;
        let mut taken = [first; BATCH];
        for (to, g) in taken.iter_mut().zip(c.runq.drain(..n - 1)) {
            *to = g;
        }
        self.rt.glen.store(c.runq.len(), Ordering::SeqCst);
        if self.rt.has_hook() {
            self.ev(&Ev::GlobGet { n, glen: c.runq.len(), why });
        }
        drop(c);
        let p = self.p();
        for g in &taken[..n - 1] {
            g.fetch_soon::<M::Co>();
            p.queue.push(*g);
        }
        Some(first)
    }

    /// Whether this M may look at other Ps: at most half of the busy Ps' Ms do.
    fn may_spin(&mut self) -> bool {
        let rt = self.rt;
        let procs = rt.procs.get();
        if procs == 1 {
            return self.rt.config.deterministic;
        }
        if self.spinning {
            return true;
        }
        let busy = procs.saturating_sub(rt.npidle.load(Ordering::Relaxed));
        if 2 * rt.nmspinning.load(Ordering::Relaxed) >= busy {
            return false;
        }
        self.start_spinning();
        true
    }

    pub(crate) fn start_spinning(&mut self) {
        if !self.spinning {
            self.spinning = true;
            self.m.spinning.set(true);
            let nspin = self.rt.nmspinning.fetch_add(1, Ordering::SeqCst) + 1;
            self.count(Stat::SpinBegin, 1);
            self.ev(&Ev::SpinBegin { nspin });
        }
    }

    pub(crate) fn stop_spinning(&mut self, found: bool) {
        if self.spinning {
            self.spinning = false;
            self.m.spinning.set(false);
            let nspin = self.rt.nmspinning.fetch_sub(1, Ordering::SeqCst) - 1;
            self.count(Stat::SpinFound, u64::from(found));
            self.ev(&Ev::SpinEnd { found, nspin });
        }
    }

    /// Asks the other Ps.
    fn steal(&mut self) -> Option<(GRef, From)> {
        self.count(Stat::StealRounds, 1);
        let n = self.rt.allp().len() as u32;
        for pass in 0..STEAL_PASSES {
            let last = pass + 1 == STEAL_PASSES;
            let start = self.choose("steal", n);
            let step = self.coprime_step(n);
            for i in 0..n {
                if self.rt.wants.load(Ordering::Relaxed) != 0 {
                    return None;
                }
                let victim = (start + i * step) % n;
                if let Some(found) = self.steal_from(victim, last) {
                    return Some(found);
                }
            }
            if !last {
                thread::yield_now();
            }
        }
        None
    }

    /// A step that visits each of `n` Ps once.
    fn coprime_step(&mut self, n: u32) -> u32 {
        loop {
            let step = 1 + self.choose("steal step", n);
            if num_integer::gcd(step, n) == 1 {
                return step % n.max(2);
            }
        }
    }

    fn steal_from(&mut self, victim: u32, last_pass: bool) -> Option<(GRef, From)> {
        let shared = self.rt.p_at(victim);
        if last_pass && shared.timers.next_when() != i64::MAX {
            let now = self.rt.clock.now();
            if shared.timers.next_when() <= now {
                self.run_timers_of(victim, now);
                if let Some(found) = self.own() {
                    return Some(found);
                }
            }
        }
        if victim == self.p().id {
            return None;
        }
        if let Some(g) = self.steal_ring(victim) {
            return Some((g, From::Steal));
        }
        if !last_pass || shared.offer.load(Ordering::Relaxed).is_null() {
            return None;
        }
        let g = GRef::from_ptr(shared.offer.swap(std::ptr::null_mut(), Ordering::AcqRel))?;
        self.count(Stat::RunnextStolen, 1);
        self.ev(&Ev::StealOk { victim, n: 1, victim_len: 0, runnext: true });
        Some((g, From::Steal))
    }

    fn steal_ring(&mut self, victim: u32) -> Option<GRef> {
        let shared = self.rt.p_at(victim);
        if shared.thief.is_empty() {
            return None;
        }
        let limit = BATCH.min(self.rt.config.local_queue.div_ceil(2));
        let (victim_len, had) = (shared.thief.len(), self.p().queue.len());
        let g = shared.thief.steal_half(&self.p().queue, limit)?;
        // Others may have stolen from the own ring meanwhile: then this is too few, but one at least.
        let n = (self.p().queue.len() + 1).saturating_sub(had).max(1);
        self.count(Stat::StealOk, 1);
        self.count(Stat::StealGs, n as u64);
        self.ev(&Ev::StealOk { victim, n, victim_len, runnext: false });
        Some(g)
    }
}
