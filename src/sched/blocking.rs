//! Blocking natives, and goroutines that are locked to their thread.
//!
//! A native that may block briefly is wrapped in [`Cx::enter_syscall`] and [`Cx::exit_syscall`]: the P goes
//! into its slot, where the M, sysmon and a stop-the-world race to swap it out; whoever gets a non-null
//! pointer owns the P, and no further agreement is needed. Leaving with the P still in the slot costs one
//! swap. A native that blocks for sure uses [`Cx::enter_blocking`], which hands the P over at once.
//! In both, the goroutine's state is saved and no pointer into the guest's heap may be used.

use super::Machine;
use super::cx::Cx;
use super::events::{Ev, Stat};
use super::g::{GRef, Status};
use super::m::no_g;
use super::p::POwn;
use super::rt::Rt;
use crate::sync::{Arc, Ordering};

impl<M: Machine> Cx<'_, M> {
    /// Before a native that may block. The goroutine's state is saved.
    pub fn enter_syscall(&mut self, g: GRef) {
        self.enter(g, "may");
        let Some(p) = self.take_p() else { return };
        let shared = self.rt.p_at(p.id);
        shared.sys_tick.set(shared.sys_tick.get().wrapping_add(1));
        shared.has_next.set(!p.has_no_work());
        shared.sys_since.set(self.run_mark.0);
        self.old_p = p.id;
        shared.slot.store(p.into_raw(), Ordering::SeqCst);
        self.rt.sysmon.wake_if_asleep();
    }

    /// Before a native that blocks for sure (a read of standard input, waiting for a process).
    pub fn enter_blocking(&mut self, g: GRef) {
        if self.rt.config.deterministic {
            return self.enter_syscall(g);
        }
        self.enter(g, "blocking");
        self.ev(&Ev::PStop { why: "handoff" });
        let Some(p) = self.take_p() else { return };
        self.old_p = p.id;
        self.rt.hand_off(p, "blocking");
    }

    fn enter(&mut self, g: GRef, kind: &'static str) {
        self.count(Stat::SysEnter, 1);
        if self.rt.has_hook() {
            let name = self.place_of(g).func;
            self.ev(&Ev::GoSysEnter { name: &name, kind });
            self.run_mark.0 = self.rt.clock.now();
        }
        g.set_status(Status::Syscall);
        self.m.in_syscall.set(true);
        if self.rt.config.deterministic {
            self.m.in_syscall.set(false);
        }
    }

    /// After the native. True: there is a P, go on. False: the goroutine is on the global queue; return
    /// [`super::Exit::LostP`] and do not touch it again (its saved state says how to go on).
    pub fn exit_syscall(&mut self, g: GRef) -> bool {
        self.m.in_syscall.set(false);
        let shared = self.rt.p_at(self.old_p);
        let kept = POwn::from_raw(shared.slot.swap(std::ptr::null_mut(), Ordering::SeqCst));
        if let Some(p) = kept {
            if p.shared().m.get() == i64::from(self.m.id) {
                self.got_p(g, p, Stat::SysKept, "kept");
            } else {
                // It was given to another M, which now is in a syscall itself.
                self.got_p(g, p, Stat::SysOldp, "oldp");
            }
            return true;
        }
        let mut c = self.rt.central();
        let idle = self.rt.take_idle_p(&mut c);
        if let Some(p) = idle {
            drop(c);
            self.got_p(g, p, Stat::SysIdlep, "idlep");
            return true;
        }
        let in_ns = self.rt.clock.now() - self.run_mark.0.max(self.rt.late.since());
        self.ev(&Ev::GoSysExit { how: "global", in_ns });
        self.count(Stat::SysGlobal, 1);
        g.set_status(Status::Runnable);
        g.since.set(self.rt.clock.now());
        c.runq.push_back(g);
        self.rt.note_glen(&c);
        self.ev(&Ev::GlobPut { n: 1, glen: c.runq.len(), why: "sysexit" });
        false
    }

    #[inline]
    fn got_p(&mut self, g: GRef, p: POwn<M>, stat: Stat, how: &'static str) {
        let fuel = self.fuel;
        g.set_status(Status::Running);
        if stat == Stat::SysKept {
            self.m.p.set(i64::from(p.id));
            self.p = Some(p);
            self.fuel = fuel;
        } else {
            if stat == Stat::SysOldp && self.rt.has_hook() {
                let from_m = u32::try_from(p.shared().m.get()).unwrap_or(u32::MAX);
                let in_ns = self.rt.clock.now() - p.shared().sys_since.get();
                let ev = Ev::PSteal { from_m, by: "m", in_ns };
                self.rt.emit(i64::from(p.id), self.m.id, 0, &ev);
            }
            self.set_p(p);
        }
        self.p().pace.forget();
        self.count(stat, 1);
        if self.rt.has_hook() {
            let now = self.rt.clock.now();
            let in_ns = now - self.run_mark.0.max(self.rt.late.since());
            self.ev(&Ev::GoSysExit { how, in_ns });
            self.run_mark = (now, self.burnt());
        }
        // A stop that began meanwhile is seen at the next refill; make it the very next one.
        if self.rt.wants.load(Ordering::SeqCst) != 0 {
            self.fuel = 0;
        }
    }

    /// `runtime.LockOSThread`: from now on `g` runs on this M only, and this M runs nothing else.
    pub fn lock_os_thread(&mut self, g: GRef) {
        g.lock_depth.set(g.lock_depth.get() + 1);
        g.locked_m.set(self.m.id + 1);
        self.m.locked_g.set(g.as_ptr());
    }

    /// `runtime.UnlockOSThread`: undoes one lock.
    pub fn unlock_os_thread(&mut self, g: GRef) {
        let depth = g.lock_depth.get();
        g.lock_depth.set(depth.saturating_sub(1));
        if depth <= 1 {
            g.locked_m.set(0);
            self.m.locked_g.set(no_g());
        }
    }

    /// A goroutine ended while locked: its thread ends with it.
    pub(crate) fn unlock_dead(&mut self, g: GRef) {
        g.lock_depth.set(0);
        g.locked_m.set(0);
        self.m.locked_g.set(no_g());
        if !self.rt.config.deterministic {
            self.leaving = true;
        }
    }

    /// The M's locked G cannot run now: hands the P off and sleeps until somebody brings a P for it.
    pub(crate) fn wait_for_locked(&mut self, g: GRef) {
        let rt = self.rt;
        self.stop_spinning(false);
        if let Some(other) = self.pending.take() {
            rt.global_push(other.0, "locked");
        }
        if self.p.is_some() {
            self.ev(&Ev::PStop { why: "locked" });
        }
        if let Some(p) = self.take_p() {
            rt.hand_off(p, "locked");
        }
        let mut c = rt.central();
        if rt.is_ending() {
            return;
        }
        c.idle_locked += 1;
        let verdict = rt.check_dead(&mut c);
        rt.act_on(verdict, c);
        self.park_m();
        if self.p.is_some() {
            self.pending = Some((g, super::events::From::Locked));
        }
    }

    /// If `g` is locked to another M, gives it the P and goes to sleep. True: start over.
    pub(crate) fn passes_on(&mut self, g: GRef) -> bool {
        let locked_to = g.locked_m.get();
        if locked_to == 0 || locked_to == self.m.id + 1 || self.rt.config.deterministic {
            return false;
        }
        let rt = self.rt;
        self.stop_spinning(false);
        let mut c = rt.central();
        let Some(m) = c.all_ms.iter().find(|m| m.id + 1 == locked_to).map(Arc::clone) else {
            // Its M has gone, which only the end of the runtime can do.
            return false;
        };
        self.ev(&Ev::PStop { why: "locked" });
        let Some(p) = self.take_p() else { return false };
        c.idle_locked -= 1;
        drop(c);
        m.next_p.store(p.into_raw(), Ordering::Release);
        m.parker.unpark();
        true
    }
}

impl<M: Machine> Rt<M> {
    /// Finds a new holder for a P whose M blocks, or puts it on the idle list.
    pub(crate) fn hand_off(self: &Arc<Self>, p: POwn<M>, why: &'static str) {
        self.loose_stats.add(Stat::Handoff, 1);
        let id = i64::from(p.id);
        let mut c = self.central();
        let wanted = self.wants.load(Ordering::SeqCst) != 0;
        let surplus = p.id >= self.procs.get();
        let has_work = !p.has_no_work() || !c.runq.is_empty();
        let nobody_looks =
            self.nmspinning.load(Ordering::SeqCst) + self.npidle.load(Ordering::SeqCst) == 0;
        let nobody_polls = self.last_poll.load(Ordering::SeqCst) != 0
            && (self.net_waiters.load(Ordering::SeqCst) > 0 || self.next_timer() != 0);
        let to = if wanted || surplus || !(has_work || nobody_looks || nobody_polls) {
            let when = p.shared().timers.next_when();
            self.put_idle_p(&mut c, p);
            drop(c);
            self.wake_poller_for(if when == i64::MAX { 0 } else { when });
            "idle"
        } else if has_work || nobody_polls {
            self.start_m(c, p, false);
            "m"
        } else if self.nmspinning.compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst).is_ok()
        {
            self.start_m(c, p, true);
            "spin"
        } else {
            self.start_m(c, p, false);
            "m"
        };
        if self.has_hook() {
            self.emit(id, 0, 0, &Ev::PHandoff { why, to });
        }
    }
}
