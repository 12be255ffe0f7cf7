//! Reads a trace and says where it breaks the scheduler's invariants.
//!
//! Per goroutine: created once, started only when runnable, stopped, blocked or ended only when running,
//! unblocked only when blocked. Per P: started only when nobody has it. Per M: one goroutine at a time. Over
//! all: as many were created as ended or are left.

use serde_json::Value;
use std::collections::BTreeMap;

/// What a trace contains.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Lines read.
    pub events: usize,
    /// Goroutines created.
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
    /// The M that has each P.
    ps: BTreeMap<i64, i64>,
    /// The goroutine that each M runs.
    ms: BTreeMap<i64, u64>,
    summary: Summary,
}

/// Checks a whole trace, given as JSON Lines.
#[must_use]
pub fn check(lines: &str) -> Summary {
    let mut checker = Checker::default();
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
            "go.create" => {
                self.summary.created += 1;
                let new = id(event, "new");
                if self.gs.insert(new, State::Runnable).is_some() {
                    self.broken(event, "a goroutine number was used twice");
                }
            }
            "go.start" => self.start(event, g, m),
            "go.stop" => {
                self.go(event, g, is_running, State::Runnable);
                self.ms.remove(&m);
            }
            "go.block" => {
                self.go(event, g, is_running, State::Waiting);
                self.ms.remove(&m);
            }
            "go.unblock" => {
                self.go(event, id(event, "who"), |s| s == State::Waiting, State::Runnable);
            }
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

    fn start(&mut self, event: &Value, g: u64, m: i64) {
        self.go(event, g, |s| s == State::Runnable, State::Running(m));
        if let Some(other) = self.ms.insert(m, g) {
            self.broken(event, &format!("the thread still ran goroutine {other}"));
        }
        if self.ps.get(&number(event, "p")) != Some(&m) {
            self.broken(event, "the thread does not have this P");
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
            "p.stop" | "p.steal" if self.ps.remove(&p).is_none() => {
                self.broken(event, "nobody had this P");
            }
            _ => {}
        }
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
