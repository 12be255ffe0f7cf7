//! Events as JSON Lines: `{"n":…,"t":…,"m":…,"p":…,"g":…,"ev":"go.start",…}`.
//!
//! `n` numbers the lines in the order in which the hook was called; since an event is emitted before the
//! thing it speaks of is handed over, that order is a possible order of what happened. `t` is nanoseconds by
//! the runtime's clock, `p` is -1 and `g` 0 where there is none.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the table is in three parts; each passes on the rest"
)]

use crate::sched::events::{Ev, EventHook, From, Queue, Stamp};
use crate::sched::{Machine, Runtime};
use crate::sync::Lock;
use serde_json::{Map, Value, json};
use std::io::Write;

/// A hook that writes events to a stream.
pub struct JsonTrace {
    out: Lock<Out>,
}

struct Out {
    n: u64,
    stream: Box<dyn Write + Send>,
    /// Nothing more is written: it was finished, or writing failed, which must not stop the program.
    closed: bool,
}

impl std::fmt::Debug for JsonTrace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JsonTrace").finish_non_exhaustive()
    }
}

impl JsonTrace {
    /// Writes to `stream`, which should be buffered; call [`JsonTrace::finish`] at the end.
    #[must_use]
    pub fn new(stream: Box<dyn Write + Send>) -> JsonTrace {
        JsonTrace { out: Lock::new(Out { n: 0, stream, closed: false }) }
    }

    /// Writes out what is buffered. Events that come later, from threads that still run, are left out: the trace ends with a
    /// whole line.
    ///
    /// # Errors
    /// What the stream says.
    pub fn finish(&self) -> std::io::Result<()> {
        let mut out = self.out.lock();
        out.closed = true;
        out.stream.flush()
    }
}

impl EventHook for JsonTrace {
    fn event(&self, stamp: Stamp, ev: &Ev<'_>) {
        let (name, fields) = describe(ev);
        let mut out = self.out.lock();
        if out.closed {
            return;
        }
        let mut line = Map::new();
        line.insert("n".to_owned(), json!(out.n));
        line.insert("t".to_owned(), json!(stamp.t));
        line.insert("m".to_owned(), json!(i64::from(stamp.m as i32)));
        line.insert("p".to_owned(), json!(stamp.p));
        line.insert("g".to_owned(), json!(stamp.g));
        line.insert("ev".to_owned(), json!(name));
        if let Value::Object(fields) = fields {
            line.extend(fields);
        }
        out.n += 1;
        out.closed = writeln!(out.stream, "{}", Value::Object(line)).is_err();
    }
}

/// The counters as one JSON object, with `latency_us`: how many goroutines had been runnable for up to so many
/// microseconds (and more than the class before) when they ran; and `blocked_ns`: how long they had waited, by reason.
/// `more` are counters of others.
#[must_use]
pub fn stats_json<M: Machine>(runtime: &Runtime<M>, more: &[(&'static str, u64)]) -> String {
    let stats = runtime.stats();
    let latencies = runtime.latencies();
    let mut map: Map<String, Value> =
        stats.iter().chain(more).map(|(k, v)| ((*k).to_owned(), json!(v))).collect();
    let classes = latencies.iter().filter(|(_, n)| *n > 0);
    let classes: Map<String, Value> = classes.map(|(us, n)| (us.to_string(), json!(n))).collect();
    map.insert("latency_us".to_owned(), Value::Object(classes));
    let blocked = runtime.blocked().into_iter().filter(|(_, ns)| *ns > 0);
    let blocked: Map<String, Value> =
        blocked.map(|(why, ns)| (why.to_owned(), json!(ns))).collect();
    map.insert("blocked_ns".to_owned(), Value::Object(blocked));
    Value::Object(map).to_string()
}

fn from_name(from: From) -> &'static str {
    match from {
        From::Runnext => "runnext",
        From::Local => "local",
        From::Global61 => "global61",
        From::Global => "global",
        From::Steal => "steal",
        From::Netpoll => "netpoll",
        From::Locked => "locked",
    }
}

fn queue_name(queue: Queue) -> &'static str {
    match queue {
        Queue::Runnext => "runnext",
        Queue::Local => "local",
        Queue::Global => "global",
    }
}

/// The name of an event and its own fields.
fn describe(ev: &Ev<'_>) -> (&'static str, Value) {
    match *ev {
        Ev::GoCreate { new, func, at, q } => {
            let q = queue_name(q);
            ("go.create", json!({"new": new, "fn": func, "file": at.file, "line": at.line, "q": q}))
        }
        Ev::GoStatus { state, reason } => ("go.status", json!({"state": state, "reason": reason})),
        Ev::GNew { new } => ("g.new", json!({"new": new})),
        Ev::GReuse { new } => ("g.reuse", json!({"new": new})),
        Ev::GoStart { from, inherit, tick, wait_ns } => (
            "go.start",
            json!({"from": from_name(from), "inherit": inherit, "tick": tick, "wait_ns": wait_ns}),
        ),
        Ev::GoStop { reason, q, ran_ns, fuel } => {
            let q = queue_name(q);
            ("go.stop", json!({"reason": reason, "q": q, "ran_ns": ran_ns, "fuel": fuel}))
        }
        Ev::GoBlock { reason, go_reason, obj, at } => (
            "go.block",
            json!({"reason": reason, "go": go_reason, "obj": obj, "file": at.file, "line": at.line}),
        ),
        Ev::GoUnblock { who, obj, q } => {
            ("go.unblock", json!({"who": who, "obj": obj, "q": queue_name(q)}))
        }
        Ev::GoEnd { why } => ("go.end", json!({"why": why})),
        Ev::GoSysEnter { name, kind } => ("go.sysenter", json!({"name": name, "kind": kind})),
        Ev::GoSysExit { how, in_ns } => ("go.sysexit", json!({"how": how, "in_ns": in_ns})),
        Ev::ChOp { ch, op, way, woke } => {
            ("ch.op", json!({"ch": ch, "op": op, "way": way, "woke": woke}))
        }
        Ev::SelPick { cases, ready, chosen } => {
            ("sel.pick", json!({"cases": cases, "ready": ready, "chosen": chosen}))
        }
        Ev::LockWait { obj, reason } => ("lock.wait", json!({"obj": obj, "reason": reason})),
        Ev::LockGot { obj, wait_ns, handoff } => {
            ("lock.got", json!({"obj": obj, "wait_ns": wait_ns, "handoff": handoff}))
        }
        ref other => describe_threads(other),
    }
}

/// Events of Ps, Ms and queues.
fn describe_threads(ev: &Ev<'_>) -> (&'static str, Value) {
    match *ev {
        Ev::ProcsChange { old, new } => ("p.resize", json!({"old": old, "new": new})),
        Ev::PStatus { status } => ("p.status", json!({"status": status})),
        Ev::PStart => ("p.start", json!({})),
        Ev::PStop { why } => ("p.stop", json!({"why": why})),
        Ev::PSteal { from_m, by, in_ns } => {
            ("p.steal", json!({"from_m": from_m as i32, "by": by, "in_ns": in_ns}))
        }
        Ev::PHandoff { why, to } => ("p.handoff", json!({"why": why, "to": to})),
        Ev::RunqKick { who } => ("runq.kick", json!({"who": who})),
        Ev::RunqOverflow { n, glen } => ("runq.overflow", json!({"k": n, "glen": glen})),
        Ev::GlobPut { n, glen, why } => ("glob.put", json!({"k": n, "glen": glen, "why": why})),
        Ev::GlobGet { n, glen, why } => ("glob.get", json!({"k": n, "glen": glen, "why": why})),
        Ev::StealOk { victim, n, victim_len, runnext } => (
            "steal.ok",
            json!({"victim": victim, "k": n, "victim_len": victim_len, "runnext": runnext}),
        ),
        Ev::MNew { m } => ("m.new", json!({"new": m})),
        Ev::MExit { why } => ("m.exit", json!({"why": why})),
        Ev::MPark { why } => ("m.park", json!({"why": why})),
        Ev::MUnpark { by_m } => ("m.unpark", json!({"by_m": by_m})),
        Ev::SpinBegin { nspin } => ("spin.begin", json!({"nspin": nspin})),
        Ev::SpinEnd { found, nspin } => ("spin.end", json!({"found": found, "nspin": nspin})),
        ref other => describe_time(other),
    }
}

/// Events of the poller, timers, preemption and sysmon.
fn describe_time(ev: &Ev<'_>) -> (&'static str, Value) {
    match *ev {
        Ev::NpPoll { block, until, events, ready } => {
            ("np.poll", json!({"block": block, "until": until, "events": events, "ready": ready}))
        }
        Ev::NpReady { fd, mode, who } => ("np.ready", json!({"fd": fd, "mode": mode, "who": who})),
        Ev::NpOpen { fd } => ("np.open", json!({"fd": fd})),
        Ev::NpClose { fd } => ("np.close", json!({"fd": fd})),
        Ev::NpBreak { when } => ("np.break", json!({"when": when})),
        Ev::TAdd { id, kind, when, period } => {
            ("t.add", json!({"id": id, "kind": kind, "when": when, "period": period}))
        }
        Ev::TFire { id, kind, when, late_ns, victim } => (
            "t.fire",
            json!({"id": id, "kind": kind, "when": when, "late_ns": late_ns, "victim_p": victim}),
        ),
        Ev::TStop { id, pending } => ("t.stop", json!({"id": id, "pending": pending})),
        Ev::PreemptReq { who, by, ran_ns } => {
            ("preempt.req", json!({"who": who, "by": by, "ran_ns": ran_ns}))
        }
        Ev::PreemptHit { by, ran_ns, fuel, delay_ns } => {
            ("preempt.hit", json!({"by": by, "ran_ns": ran_ns, "fuel": fuel, "delay_ns": delay_ns}))
        }
        Ev::SysmonTick { delay_us, idle } => {
            ("sysmon.tick", json!({"delay_us": delay_us, "idle": idle}))
        }
        Ev::SysmonRetake { n } => ("sysmon.retake", json!({"k": n})),
        Ev::SysmonNetpoll { n } => ("sysmon.netpoll", json!({"k": n})),
        Ev::SysmonForceGc => ("sysmon.forcegc", json!({})),
        ref other => describe_rest(other),
    }
}

/// Events of stops, collections, stacks, checks and of the program itself.
fn describe_rest(ev: &Ev<'_>) -> (&'static str, Value) {
    match *ev {
        Ev::StackGrow { who, old, new } => {
            ("stk.grow", json!({"who": who, "old": old, "new": new}))
        }
        Ev::StackShrink { who, old, new } => {
            ("stk.shrink", json!({"who": who, "old": old, "new": new}))
        }
        Ev::StwBegin { reason } => ("stw.begin", json!({"reason": reason})),
        Ev::StwStopped { stop_ns } => ("stw.stopped", json!({"stop_ns": stop_ns})),
        Ev::StwEnd { total_ns } => ("stw.end", json!({"total_ns": total_ns})),
        Ev::GcBegin { n, trigger } => ("gc.begin", json!({"cycle": n, "trigger": trigger})),
        Ev::GcEnd { n, live, freed, goal } => {
            ("gc.end", json!({"cycle": n, "live": live, "freed": freed, "goal": goal}))
        }
        Ev::DeadCheck { run, waiting, timers, net, verdict } => (
            "dead.check",
            json!({"run": run, "waiting": waiting, "timers": timers, "netwaiters": net,
                "verdict": verdict}),
        ),
        Ev::Decision { kind, n, chosen } => {
            ("dec", json!({"kind": kind, "of": n, "chosen": chosen}))
        }
        Ev::User { name, id, parent, category, text } => {
            (name, json!({"id": id, "parent": parent, "category": category, "text": text}))
        }
        ref other => ("other", json!({"debug": format!("{other:?}")})),
    }
}
