//! Sysmon: a thread without a P that looks after what no M can see.
//!
//! It takes Ps out of syscalls that last, asks goroutines to stop that have held a P too long (a backstop
//! for natives that charge no fuel), polls if nobody did for 10 ms, starts an M for overdue timers, has a
//! collection forced after two minutes, and prints schedtrace. It sleeps 20 µs between looks, longer when
//! there was nothing to do for a while, and deeply while all Ps are idle.

use super::Machine;
use super::events::{Ev, Stat};
use super::g::GRef;
use super::p::{POwn, PShared};
use super::rt::{NOBODY, Rt, WANT_STOP};
use crate::sync::{Arc, AtomicBool, Ordering, Parker, thread};

/// Shortest and longest sleep, and how many looks without work come before it grows (Go's numbers).
const DELAY_MIN_US: u64 = 20;
const DELAY_MAX_US: u64 = 10_000;
const QUIET_ROUNDS: u32 = 50;
/// A P may stay in a syscall, or the poller unasked, for this long in any case.
const PATIENCE_NS: i64 = 10_000_000;
/// The deep sleep ends by itself after this.
const DEEP_NS: u64 = 60_000_000_000;
/// How often the number of usable CPUs is looked at, at most.
const CPUS_NS: i64 = 1_000_000_000;

/// What others know of sysmon.
#[derive(Debug, Default)]
pub(crate) struct SysmonState {
    parker: Parker,
    asleep: AtomicBool,
}

impl SysmonState {
    /// Ends a deep sleep.
    pub(crate) fn wake(&self) {
        self.asleep.store(false, Ordering::SeqCst);
        self.parker.unpark();
    }

    /// Ends a deep sleep, if there is one; cheap otherwise.
    #[inline]
    pub(crate) fn wake_if_asleep(&self) {
        if self.asleep.load(Ordering::Relaxed) {
            self.wake();
        }
    }
}

/// Starts the thread.
pub(crate) fn start<M: Machine>(rt: &Arc<Rt<M>>) {
    let rt = Arc::clone(rt);
    let builder = thread::Builder::new().name("gmpl-sysmon".to_owned()).stack_size(256 << 10);
    // Without sysmon programs still run: slices are counted by the Ms themselves.
    let _ = builder.spawn(move || watch(&rt));
}

fn watch<M: Machine>(rt: &Arc<Rt<M>>) {
    let mut trace = super::schedtrace::Tracer::new(rt);
    let (mut quiet, mut delay) = (0, DELAY_MIN_US);
    let (mut told, mut procs_checked) = (0, 0);
    loop {
        rt.sysmon.parker.park_for(delay * 1000);
        if rt.is_ending() {
            return;
        }
        trace.tick(rt);
        if rt.has_hook() && delay != told {
            // Sampled: only when the rhythm changes.
            told = delay;
            let idle = rt.npidle.load(Ordering::SeqCst) == rt.procs.get();
            rt.emit(-1, NOBODY, 0, &Ev::SysmonTick { delay_us: delay, idle });
        }
        if deep_sleep(rt, &trace) {
            (quiet, delay) = (0, DELAY_MIN_US);
            continue;
        }
        poll(rt);
        start_for_timers(rt);
        let did = retake(rt);
        force_gc(rt);
        update_procs(rt, &mut procs_checked);
        // As in Go only this makes the rhythm fast again. A busy server is polled here every time.
        quiet = if did { 0 } else { quiet + 1 };
        delay = match quiet {
            0 => DELAY_MIN_US,
            n if n > QUIET_ROUNDS => (delay * 2).min(DELAY_MAX_US),
            _ => delay,
        };
    }
}

/// While all Ps are idle or the world is stopped: sleeps until somebody wakes it. True if it slept.
fn deep_sleep<M: Machine>(rt: &Arc<Rt<M>>, trace: &super::schedtrace::Tracer) -> bool {
    let quiet = || {
        rt.npidle.load(Ordering::SeqCst) == rt.procs.get()
            || rt.wants.load(Ordering::SeqCst) & WANT_STOP != 0
    };
    if trace.is_on() || !quiet() {
        return false;
    }
    rt.sysmon.asleep.store(true, Ordering::SeqCst);
    if quiet() && !rt.is_ending() {
        rt.sysmon.parker.park_for(DEEP_NS);
    }
    rt.sysmon.asleep.store(false, Ordering::SeqCst);
    true
}

/// Asks the poller if nobody did for a while.
fn poll<M: Machine>(rt: &Arc<Rt<M>>) {
    let last = rt.last_poll.load(Ordering::SeqCst);
    let now = rt.clock.now();
    if rt.net_waiters.load(Ordering::SeqCst) == 0 || last == 0 || last + PATIENCE_NS > now {
        return;
    }
    // An M that is about to wait in the poller sets this to 0; it must not be overwritten.
    if rt.last_poll.compare_exchange(last, now, Ordering::SeqCst, Ordering::SeqCst).is_err() {
        return;
    }
    let Some(ready) = rt.poller.try_now() else { return };
    let gs = rt.net.ready_list(rt, ready);
    let n = gs.len();
    rt.inject(gs);
    if n > 0 && rt.has_hook() {
        rt.emit(-1, NOBODY, 0, &Ev::SysmonNetpoll { n });
    }
}

/// Timers of idle Ps may be due while no M waits in the poller.
fn start_for_timers<M: Machine>(rt: &Arc<Rt<M>>) {
    let next = rt.next_timer();
    let due = next != 0 && next < rt.clock.now();
    if due && rt.npidle.load(Ordering::SeqCst) != 0 && rt.last_poll.load(Ordering::SeqCst) != 0 {
        rt.wake_p();
    }
}

fn force_gc<M: Machine>(rt: &Arc<Rt<M>>) {
    let now = u64::try_from(rt.clock.now()).unwrap_or(0);
    if now.saturating_sub(rt.last_gc.get()) > rt.config.force_gc_ns {
        rt.last_gc.set(now);
        if rt.has_hook() {
            rt.emit(-1, NOBODY, 0, &Ev::SysmonForceGc);
        }
        rt.machine.force_gc();
    }
}

/// Looks at every P. True if one was taken or asked.
fn retake<M: Machine>(rt: &Arc<Rt<M>>) -> bool {
    let now = rt.clock.now();
    let mut n = 0;
    for p in rt.allp() {
        if p.slot.load(Ordering::Relaxed).is_null() {
            ask_to_stop(rt, p, now);
        } else if retake_one(rt, p, now) {
            n += 1;
        }
    }
    if n > 0 && rt.has_hook() {
        rt.emit(-1, NOBODY, 0, &Ev::SysmonRetake { n });
    }
    n > 0
}

/// A P in a syscall: takes it at the second look, unless nobody needs it.
fn retake_one<M: Machine>(rt: &Arc<Rt<M>>, p: &PShared<M>, now: i64) -> bool {
    let tick = p.sys_tick.get();
    if p.seen.sys_tick.get() != tick && !rt.config.hostile.retake_at_once {
        p.seen.sys_tick.set(tick);
        p.seen.sys_when.set(now);
        return false;
    }
    let others = rt.nmspinning.load(Ordering::SeqCst) + rt.npidle.load(Ordering::SeqCst);
    let idle = p.queue_len() == 0 && !p.has_next.get() && rt.glen.load(Ordering::SeqCst) == 0;
    if idle && others > 0 && p.seen.sys_when.get() + PATIENCE_NS > now {
        return false;
    }
    let Some(own) = POwn::from_raw(p.slot.swap(std::ptr::null_mut(), Ordering::SeqCst)) else {
        return false;
    };
    rt.loose_stats.add(Stat::Retake, 1);
    if rt.has_hook() {
        let from_m = u32::try_from(p.m.get()).unwrap_or(NOBODY);
        let in_ns = rt.clock.now() - p.sys_since.get();
        rt.emit(i64::from(p.id), NOBODY, 0, &Ev::PSteal { from_m, by: "sysmon", in_ns });
    }
    rt.hand_off(own, "retake");
    true
}

/// A P that has run one slice for too long: a native that charges no fuel, or a long chain of wake-ups.
fn ask_to_stop<M: Machine>(rt: &Arc<Rt<M>>, p: &PShared<M>, now: i64) {
    let tick = p.sched_tick.get();
    if p.seen.sched_tick.get() != tick || p.status.get() != super::p::pstatus::RUNNING {
        p.seen.sched_tick.set(tick);
        p.seen.sched_when.set(now);
        return;
    }
    if p.seen.sched_when.get() + 2 * PATIENCE_NS <= now && rt.config.slice_fuel.is_none() {
        let ran_ns = now - p.seen.sched_when.get();
        p.seen.sched_when.set(now);
        if !p.preempt.swap(true, Ordering::SeqCst) {
            p.asked_at.set(now);
        }
        rt.loose_stats.add(Stat::PreemptReq, 1);
        if rt.has_hook() {
            let who = running_on(rt, p);
            let ev = Ev::PreemptReq { who, by: "sysmon", ran_ns };
            rt.emit(i64::from(p.id), NOBODY, 0, &ev);
        }
    }
}

/// The goroutine that the holder of this P runs; 0 if it just switches.
fn running_on<M: Machine>(rt: &Rt<M>, p: &PShared<M>) -> u64 {
    let m = p.m.get();
    let c = rt.central();
    let m = c.all_ms.iter().find(|other| i64::from(other.id) == m);
    m.and_then(|m| GRef::from_ptr(m.cur_g.get())).map_or(0, |g| g.id.get())
}

/// Once a second: whether the CPUs that the process may use are others now. The next goroutine at a refill changes
/// GOMAXPROCS then, since only who holds a P can stop the world.
fn update_procs<M: Machine>(rt: &Arc<Rt<M>>, checked: &mut i64) {
    let now = rt.clock.now();
    if now - *checked < CPUS_NS || !rt.procs_follow.load(Ordering::SeqCst) {
        return;
    }
    *checked = now;
    if rt.default_procs() != rt.procs.get() {
        rt.procs_wanted.store(true, Ordering::SeqCst);
    }
}
