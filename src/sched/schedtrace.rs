//! The state of the scheduler as text: `GODEBUG=schedtrace=ms,scheddetail=1` in Go's exact format, and the
//! dump of an internal error. Runs on sysmon's thread, so it works when all Ps hang.

use super::Machine;
use super::g::{GRef, Status};
use super::m::Mach;
use super::rt::{Central, Rt, WANT_STOP};
use crate::sync::Ordering;
use std::fmt::Write;

/// Prints the trace when its time has come.
#[derive(Debug)]
pub(crate) struct Tracer {
    every_ns: Option<i64>,
    /// Time of the first line, from which all are counted.
    start: Option<i64>,
    next: i64,
}

impl Tracer {
    pub(crate) fn new<M: Machine>(rt: &Rt<M>) -> Tracer {
        let every_ns = rt
            .config
            .schedtrace_ms
            .map(|ms| i64::try_from(ms).unwrap_or(i64::MAX / 2_000_000) * 1_000_000);
        Tracer { every_ns, start: None, next: 0 }
    }

    /// Whether the user asked for it.
    pub(crate) fn is_on(&self) -> bool {
        self.every_ns.is_some()
    }

    /// Prints if it is time.
    pub(crate) fn tick<M: Machine>(&mut self, rt: &Rt<M>) {
        let Some(every) = self.every_ns else { return };
        let now = rt.clock.now();
        if now < self.next {
            return;
        }
        let start = *self.start.get_or_insert(now);
        self.next = now + every;
        let c = rt.central();
        let text = describe(rt, &c, (now - start) / 1_000_000, rt.config.scheddetail);
        drop(c);
        rt.config.sink.write(&text);
    }
}

/// The whole state, for an internal error: does not wait for the lock, which the broken thread may hold.
pub(crate) fn dump<M: Machine>(rt: &Rt<M>) -> String {
    let ms = rt.clock.now() / 1_000_000;
    match rt.central.try_lock() {
        Some(c) => describe(rt, &c, ms, true),
        None => format!("SCHED {ms}ms: the scheduler's lock is held\n"),
    }
}

/// One trace, short or detailed.
fn describe<M: Machine>(rt: &Rt<M>, c: &Central<M>, ms: i64, detail: bool) -> String {
    let mut out = String::new();
    let idle_threads = c.idle_ms.len();
    let _ = write!(
        out,
        "SCHED {ms}ms: gomaxprocs={} idleprocs={} threads={} spinningthreads={} needspinning={} idlethreads={} runqueue={}",
        rt.procs.get(),
        c.idle_ps.len(),
        c.m_count + 1,
        rt.nmspinning.load(Ordering::Relaxed),
        rt.needspinning.load(Ordering::Relaxed),
        idle_threads,
        c.runq.len(),
    );
    if detail {
        describe_detail(rt, c, &mut out);
    } else {
        describe_queues(rt, &mut out);
    }
    out
}

fn describe_queues<M: Machine>(rt: &Rt<M>, out: &mut String) {
    let procs = rt.procs.get() as usize;
    let (mut lens, mut ticks) = (String::new(), String::new());
    for p in rt.allp().take(procs) {
        let _ = write!(lens, "{} ", p.queue_len());
        let _ = write!(ticks, "{} ", p.sched_tick.get());
    }
    let _ = writeln!(out, " [ {lens}] schedticks=[ {ticks}]");
}

fn describe_detail<M: Machine>(rt: &Rt<M>, c: &Central<M>, out: &mut String) {
    let _ = writeln!(
        out,
        " gcwaiting={} nmidlelocked={} stopwait={} sysmonwait=false",
        rt.wants.load(Ordering::Relaxed) & WANT_STOP != 0,
        c.idle_locked,
        if rt.wants.load(Ordering::Relaxed) & WANT_STOP == 0 {
            0
        } else {
            c.live_ps.saturating_sub(c.stopped)
        },
    );
    for p in rt.allp().take(rt.procs.get() as usize) {
        let _ = writeln!(
            out,
            "  P{}: status={} schedtick={} syscalltick={} m={} runqsize={} gfreecnt={} timerslen={}",
            p.id,
            p.status.get(),
            p.sched_tick.get(),
            p.sys_tick.get(),
            nil_below_zero(p.m.get()),
            p.queue_len(),
            p.gfree_count.get(),
            p.timers.len(),
        );
    }
    for m in c.all_ms.iter().rev() {
        describe_m(c, m, out);
    }
    for g in rt.all_gs.lock().iter().flatten() {
        describe_g(c, GRef::of(g), out);
    }
}

fn nil_below_zero(n: i64) -> String {
    if n < 0 { "nil".to_owned() } else { n.to_string() }
}

fn describe_m<M: Machine>(c: &Central<M>, m: &Mach<M>, out: &mut String) {
    let g_id =
        |ptr| GRef::from_ptr(ptr).map_or_else(|| "nil".to_owned(), |g| g.id.get().to_string());
    let _ = writeln!(
        out,
        "  M{}: p={} curg={} mallocing=0 throwing=0 preemptoff= locks=0 dying=0 spinning={} blocked={} lockedg={}",
        m.id,
        nil_below_zero(m.p.get()),
        g_id(m.cur_g.get()),
        m.spinning.get(),
        m.blocked.get() || Rt::is_idle(c, m),
        g_id(m.locked_g.get()),
    );
}

fn describe_g<M: Machine>(c: &Central<M>, g: GRef, out: &mut String) {
    let status = g.status();
    if matches!(status, Status::Idle) {
        return;
    }
    let reason = if status == Status::Waiting { g.reason().text() } else { "" };
    let m = c.all_ms.iter().find(|m| m.cur_g.get() == g.as_ptr()).map_or(-1, |m| i64::from(m.id));
    let locked = i64::from(g.locked_m.get()) - 1;
    let _ = writeln!(
        out,
        "  G{}: status={}({reason}) m={} lockedm={}",
        g.id.get(),
        status as u32,
        nil_below_zero(m),
        nil_below_zero(locked),
    );
}
