//! The deadlock check, and tracebacks of all goroutines.
//!
//! Whenever an M goes to sleep (or waits for its locked G), under the central lock: if no M is running, no
//! timer is alive and nobody waits in the poller, then nothing can ever run again. An M in the poller and an
//! M in a blocking native are running Ms, so waiting for them is no deadlock.

#![expect(unsafe_code, reason = "tracebacks read the coroutines of goroutines that do not run")]

use super::events::{Ev, Stat};
use super::g::{GInfo, GRef, Status};
use super::rt::{Central, NOBODY, Rt};
use super::{Machine, ProcessEnd};
use crate::sync::{Arc, Ordering};
use std::time::Duration;

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
            let mut waiting = 0;
            self.each_live_g(|g| waiting += u64::from(g.status() == Status::Waiting));
            let timers = self.live_timers.load(Ordering::SeqCst);
            let net = self.net_waiters.load(Ordering::SeqCst);
            let ev = Ev::DeadCheck { run: running, waiting, timers, net, verdict: text };
            self.emit(-1, NOBODY, 0, &ev);
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

/// `SIGQUIT`: Go's head, all goroutines, and the end. Called on a thread of its own. The Ps have a moment to stop, so that
/// running goroutines can be shown too; if one hangs in a native, the dump comes without them.
pub(crate) fn quit<M: Machine>(rt: &Arc<Rt<M>>) {
    let world = (0..QUIT_TRIES).find_map(|_| {
        let turn = rt.world.try_lock();
        if turn.is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        turn
    });
    let stopped = world.is_some() && !rt.config.deterministic && rt.stop_from_outside(QUIT_TRIES);
    let traces = traceback_except(rt, None, stopped);
    rt.config.sink.write(&format!("SIGQUIT: quit\nPC=0x0 m=0 sigcode=0\n{traces}"));
    rt.end(ProcessEnd::fatal("SIGQUIT: quit"));
    rt.let_go();
}

/// How many milliseconds the Ps have to stop for the dump.
const QUIT_TRIES: u32 = 200;

/// All goroutines, in the order of their records, each after an empty line.
pub(crate) fn traceback_all<M: Machine>(rt: &Rt<M>) -> String {
    traceback_except(rt, None, false)
}

/// As [`traceback_all`], without one of them. In a stopped world the running ones have saved their state, so they have
/// frames to show.
pub(crate) fn traceback_except<M: Machine>(
    rt: &Rt<M>,
    except: Option<GRef>,
    stopped: bool,
) -> String {
    let mut out = String::new();
    let mut gs = Vec::new();
    rt.each_live_g(|g| gs.push(g));
    for g in gs {
        if Some(g) != except && !g.is_system.get() {
            out.push('\n');
            traceback_one(rt, g, stopped, &mut out);
        }
    }
    out
}

fn traceback_one<M: Machine>(rt: &Rt<M>, g: GRef, stopped: bool, out: &mut String) {
    let info = GInfo::of(g, rt.clock.now());
    out.push_str(&info.header());
    if matches!(g.status(), Status::Running | Status::Syscall) && !stopped {
        out.push_str("\tgoroutine running on other thread; stack unavailable\n");
        return;
    }
    // SAFETY: nobody runs this G: in a deadlock report nothing runs, and all others stop the world first. A G in a
    // blocking native has saved its state and does not go on without a P.
    rt.machine.traceback(&info, unsafe { &*g.co::<M::Co>() }, out);
}
