//! The deadlock check, and tracebacks of all goroutines.
//!
//! Whenever an M goes to sleep (or waits for its locked G), under the central lock: if no M is running, no
//! timer is alive and nobody waits in the poller, then nothing can ever run again. An M in the poller and an
//! M in a blocking native are running Ms, so waiting for them is no deadlock.

#![expect(unsafe_code, reason = "tracebacks read the coroutines of goroutines that do not run")]

use super::events::{Ev, Stat};
use super::g::{GInfo, GRef, Status};
use super::rt::{Central, Rt};
use super::{Machine, ProcessEnd};
use crate::sync::Ordering;

/// What the check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Something runs or will run.
    Alive,
    /// Virtual time: the clock may jump to this timer.
    Jump(i64),
    /// Nothing ever will: Go's text.
    Dead(&'static str),
    /// A lost wake-up of our own.
    Fault(&'static str),
}

const ASLEEP: &str = "all goroutines are asleep - deadlock!";
const NO_GOROUTINES: &str = "no goroutines (main called runtime.Goexit) - deadlock!";

impl<M: Machine> Rt<M> {
    /// The check. The caller has entered the sleeping M into the idle ones.
    pub(crate) fn check_dead(&self, c: &mut Central<M>) -> Verdict {
        let running = self.running_ms(c);
        if running > 0 || self.wants.load(Ordering::SeqCst) != 0 {
            return Verdict::Alive;
        }
        self.loose_stats.add(Stat::DeadCheck, 1);
        let verdict = self.judge(c);
        if self.has_hook() {
            let text = match verdict {
                Verdict::Alive => "alive",
                Verdict::Jump(_) => "jump",
                Verdict::Dead(text) | Verdict::Fault(text) => text,
            };
            self.emit(-1, 0, 0, &Ev::DeadCheck { run: running, verdict: text });
        }
        verdict
    }

    pub(crate) fn judge(&self, c: &Central<M>) -> Verdict {
        if !c.runq.is_empty() || self.allp().any(|p| !p.thief.is_empty()) {
            return Verdict::Fault("no thread is running, but a goroutine is runnable");
        }
        if self.num_goroutine() == 0 {
            return Verdict::Dead(NO_GOROUTINES);
        }
        let timer = self.next_timer();
        if timer != 0 {
            return if self.clock.is_virtual() { Verdict::Jump(timer) } else { Verdict::Alive };
        }
        if self.net_waiters.load(Ordering::SeqCst) > 0 {
            return Verdict::Alive;
        }
        Verdict::Dead(ASLEEP)
    }

    /// Writes Go's report and ends the program.
    pub(crate) fn report_dead(&self, text: &'static str) {
        let traces = traceback_all(self);
        self.config.sink.write(&format!("fatal error: {text}\n{traces}"));
        self.end(ProcessEnd::fatal(text));
    }
}

/// All goroutines, in the order of their records, each after an empty line.
pub(crate) fn traceback_all<M: Machine>(rt: &Rt<M>) -> String {
    traceback_except(rt, None)
}

/// As [`traceback_all`], without one of them.
pub(crate) fn traceback_except<M: Machine>(rt: &Rt<M>, except: Option<GRef>) -> String {
    let mut out = String::new();
    let mut gs = Vec::new();
    rt.each_live_g(|g| gs.push(g));
    for g in gs {
        if Some(g) != except && !g.is_system.get() {
            out.push('\n');
            traceback_one(rt, g, &mut out);
        }
    }
    out
}

fn traceback_one<M: Machine>(rt: &Rt<M>, g: GRef, out: &mut String) {
    let info = GInfo::of(g, rt.clock.now());
    out.push_str(&info.header());
    if matches!(g.status(), Status::Running | Status::Syscall) {
        out.push_str("\tgoroutine running on other thread; stack unavailable\n");
        return;
    }
    // SAFETY: the G is waiting or runnable. In a deadlock report nothing runs; in the report of a panic
    // another M may start it meanwhile, so the caller stops the world first (`Cx::traceback_others`).
    rt.machine.traceback(&info, unsafe { &*g.co::<M::Co>() }, out);
}
