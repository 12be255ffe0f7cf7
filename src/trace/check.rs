//! Reads a trace and says where it breaks the scheduler's invariants.
//!
//! Per goroutine: created once, started only when runnable, stopped, blocked or ended only when running,
//! unblocked only when blocked and by what it waited for. Per P: started only when nobody has it. Per M: one goroutine at a
//! time. The global queue is as long as puts and gets make it, and is looked at first in every 61st round and no other. At
//! most one M waits in the poller. What the program says comes from a goroutine that runs. Between the points where a world has stopped and goes on, nothing starts; GOMAXPROCS
//! changes only there. No timer fires early. Over all: as many were created as ended or are left.
//!
//! A trace may begin late: it begins then with the states of all goroutines and Ps.

use serde_json::Value;
use std::collections::BTreeMap;

/// What a trace contains.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Lines read.
    pub events: usize,
    /// Goroutines created, or there at the beginning.
    pub created: usize,
    /// Goroutines that ended.
    pub ended: usize,
    /// Broken invariants, with the number of the line's event; empty if all is well.
    pub broken: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Runnable,
    Running(i64),
    Waiting,
    Syscall,
    Ended,
}

#[derive(Debug, Default)]
struct Checker {
    gs: BTreeMap<u64, State>,
    /// What each waiting goroutine waits for.
    objects: BTreeMap<u64, u64>,
    /// The M that has each P.
    ps: BTreeMap<i64, i64>,
    /// The goroutine that each M runs.
    ms: BTreeMap<i64, u64>,
    /// Length of the global queue; unknown at the start of a trace that began late.
    global: Option<u64>,
    /// The M that waits in the poller.
    poller: Option<i64>,
    /// A stop of the world is under way, and whether all have stopped.
    stop: Option<bool>,
    /// The trace began with states.
    late: bool,
    summary: Summary,
}

/// Checks a whole trace, given as JSON Lines.
#[must_use]
pub fn check(lines: &str) -> Summary {
    let mut checker = Checker { global: Some(0), ..Checker::default() };
    for line in lines.lines() {
        match serde_json::from_str::<Value>(line) {
            Ok(event) => checker.event(&event),
            Err(error) => checker.summary.broken.push(format!("not JSON: {error}: {line}")),
        }
        checker.summary.events += 1;
    }
    checker.finish()
}

fn number(event: &Value, key: &str) -> i64 {
    event[key].as_i64().unwrap_or(-1)
}

fn id(event: &Value, key: &str) -> u64 {
    event[key].as_u64().unwrap_or(0)
}

impl Checker {
    fn broken(&mut self, event: &Value, what: &str) {
        self.summary.broken.push(format!("event {}: {what}: {event}", id(event, "n")));
    }

    /// `ok` must hold.
    fn demand(&mut self, event: &Value, ok: bool, what: &str) {
        if !ok {
            self.broken(event, what);
        }
    }

    /// The goroutine must be in a state that `ok` likes; it goes to `next`.
    fn go(&mut self, event: &Value, g: u64, ok: fn(State) -> bool, next: State) {
        match self.gs.insert(g, next) {
            Some(state) if ok(state) => {}
            Some(state) => self.broken(event, &format!("goroutine {g} was {state:?}")),
            None => self.broken(event, &format!("goroutine {g} was never created")),
        }
    }

    fn event(&mut self, event: &Value) {
        let (g, m) = (id(event, "g"), number(event, "m"));
        match event["ev"].as_str().unwrap_or("") {
            "go.create" => self.create(event, id(event, "new"), State::Runnable),
            "go.status" => self.status(event, g, m),
            "go.start" => self.start(event, g, m),
            "go.stop" => {
                self.go(event, g, is_running, State::Runnable);
                self.ms.remove(&m);
            }
            "go.block" => {
                self.go(event, g, is_running, State::Waiting);
                self.objects.insert(g, id(event, "obj"));
                self.ms.remove(&m);
            }
            "go.unblock" => self.unblock(event),
            "go.end" => {
                self.summary.ended += 1;
                self.go(event, g, is_running, State::Ended);
                self.ms.remove(&m);
            }
            "go.sysenter" => self.go(event, g, is_running, State::Syscall),
            "go.sysexit" if event["how"] == "global" => {
                self.go(event, g, |s| s == State::Syscall, State::Runnable);
                self.ms.remove(&m);
            }
            "go.sysexit" => self.go(event, g, |s| s == State::Syscall, State::Running(m)),
            name => self.event_of_p(event, name, m),
        }
    }

    fn create(&mut self, event: &Value, new: u64, state: State) {
        self.summary.created += 1;
        if self.gs.insert(new, state).is_some() {
            self.broken(event, "a goroutine number was used twice");
        }
    }

    /// The state of a goroutine at the beginning of a trace that began late. The world is stopped then.
    fn status(&mut self, event: &Value, g: u64, m: i64) {
        (self.late, self.global, self.stop) = (true, None, Some(true));
        let state = match id(event, "state") {
            2 => State::Running(m),
            3 => State::Syscall,
            4 => State::Waiting,
            _ => State::Runnable,
        };
        if is_running(state) || state == State::Syscall {
            self.ms.insert(m, g);
        }
        self.create(event, g, state);
    }

    fn start(&mut self, event: &Value, g: u64, m: i64) {
        self.go(event, g, |s| s == State::Runnable, State::Running(m));
        if let Some(other) = self.ms.insert(m, g) {
            self.broken(event, &format!("the thread still ran goroutine {other}"));
        }
        let has = self.ps.get(&number(event, "p")) == Some(&m);
        self.demand(event, has, "the thread does not have this P");
        self.demand(event, self.stop != Some(true), "the world is stopped");
        // The tick counts this start already, and runs over at 2 to the power of 32.
        let round = id(event, "tick").wrapping_sub(1);
        let first = event["from"] == "global61";
        self.demand(event, !first || round.is_multiple_of(61), "not a 61st round");
    }

    fn unblock(&mut self, event: &Value) {
        let who = id(event, "who");
        self.go(event, who, |s| s == State::Waiting, State::Runnable);
        if let Some(object) = self.objects.remove(&who) {
            let same = object == id(event, "obj");
            self.demand(event, same, &format!("goroutine {who} waited for {object}"));
        }
    }

    fn event_of_p(&mut self, event: &Value, name: &str, m: i64) {
        let p = number(event, "p");
        match name {
            "p.start" => {
                if let Some(other) = self.ps.insert(p, m) {
                    self.broken(event, &format!("thread {other} still had this P"));
                }
            }
            // A trace that begins late says so of all Ps, also of those that nobody has.
            "p.status" if m >= 0 => {
                self.ps.insert(p, m);
            }
            "p.status" => {}
            "p.stop" | "p.steal" => {
                let had = self.ps.remove(&p);
                self.demand(event, had.is_some(), "nobody had this P");
            }
            "p.resize" => {
                let ok = self.stop == Some(true) || id(event, "old") == 0;
                self.demand(event, ok, "the world is not stopped");
            }
            _ => self.event_of_all(event, name, m),
        }
    }

    fn event_of_all(&mut self, event: &Value, name: &str, m: i64) {
        match name {
            "glob.put" => self.global(event, |len, k| Some(len + k)),
            "glob.get" => self.global(event, u64::checked_sub),
            "m.park" if event["why"] == "poll" => {
                let other = self.poller.replace(m);
                self.demand(event, other.is_none(), "another thread waits in the poller");
            }
            "np.poll" if event["block"] == true => {
                let other = self.poller.take();
                self.demand(event, other == Some(m) || self.late, "it did not wait in the poller");
            }
            "stw.begin" => {
                let other = self.stop.replace(false);
                self.demand(event, other.is_none(), "another stop is under way");
            }
            "stw.stopped" => {
                let begun = self.stop.replace(true);
                self.demand(event, begun == Some(false), "no stop has begun");
            }
            "stw.end" => {
                let stopped = self.stop.take();
                self.demand(event, stopped == Some(true), "the world was not stopped");
            }
            "t.fire" => self.demand(event, number(event, "late_ns") >= 0, "too early"),
            name if name.starts_with("user.") => {
                let running = self.gs.get(&id(event, "g")) == Some(&State::Running(m));
                self.demand(event, running, "the goroutine does not run");
            }
            "dec" => self.demand(event, id(event, "chosen") < id(event, "of"), "no such choice"),
            _ => {}
        }
    }

    /// The global queue changes by `k`.
    fn global(&mut self, event: &Value, change: fn(u64, u64) -> Option<u64>) {
        let glen = id(event, "glen");
        if let Some(len) = self.global {
            let ok = change(len, id(event, "k")) == Some(glen);
            self.demand(event, ok, &format!("the global queue had {len}"));
        }
        self.global = Some(glen);
    }

    fn finish(mut self) -> Summary {
        let alive = self.gs.values().filter(|s| **s != State::Ended).count();
        if self.summary.created != self.summary.ended + alive {
            self.summary.broken.push(format!(
                "{} created, but {} ended and {alive} are left",
                self.summary.created, self.summary.ended
            ));
        }
        self.summary
    }
}

fn is_running(state: State) -> bool {
    matches!(state, State::Running(_))
}
