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
    /// Once writing fails, nothing more is written: a trace must not stop the program.
    broken: bool,
}

impl std::fmt::Debug for JsonTrace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JsonTrace").finish_non_exhaustive()
    }
}

impl JsonTrace {
    /// Writes to `stream`, which should be buffered; call [`JsonTrace::flush`] at the end.
    #[must_use]
    pub fn new(stream: Box<dyn Write + Send>) -> JsonTrace {
        JsonTrace { out: Lock::new(Out { n: 0, stream, broken: false }) }
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// What the stream says.
    pub fn flush(&self) -> std::io::Result<()> {
        self.out.lock().stream.flush()
    }
}

impl EventHook for JsonTrace {
    fn event(&self, stamp: Stamp, ev: &Ev) {
        let (name, fields) = describe(ev);
        let mut out = self.out.lock();
        if out.broken {
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
        out.broken = writeln!(out.stream, "{}", Value::Object(line)).is_err();
    }
}

/// The counters as one JSON object.
#[must_use]
pub fn stats_json(stats: &[(&'static str, u64)]) -> String {
    let map: Map<String, Value> = stats.iter().map(|(k, v)| ((*k).to_owned(), json!(v))).collect();
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
fn describe(ev: &Ev) -> (&'static str, Value) {
    match *ev {
        Ev::GoCreate { new, site, q } => {
            ("go.create", json!({"new": new, "site": site, "q": queue_name(q)}))
        }
        Ev::GNew { new } => ("g.new", json!({"new": new})),
        Ev::GReuse { new } => ("g.reuse", json!({"new": new})),
        Ev::GoStart { from, inherit } => {
            ("go.start", json!({"from": from_name(from), "inherit": inherit}))
        }
        Ev::GoStop { reason, q } => ("go.stop", json!({"reason": reason, "q": queue_name(q)})),
        Ev::GoBlock { reason, obj } => ("go.block", json!({"reason": reason, "obj": obj})),
        Ev::GoUnblock { who, q } => ("go.unblock", json!({"who": who, "q": queue_name(q)})),
        Ev::GoEnd => ("go.end", json!({})),
        Ev::GoSysEnter { kind } => ("go.sysenter", json!({"kind": kind})),
        Ev::GoSysExit { how } => ("go.sysexit", json!({"how": how})),
        Ev::ChOp { ch, op, way } => ("ch.op", json!({"ch": ch, "op": op, "way": way})),
        Ev::SelPick { cases, chosen } => ("sel.pick", json!({"cases": cases, "chosen": chosen})),
        Ev::Decision { kind, n, chosen } => {
            ("dec", json!({"kind": kind, "of": n, "chosen": chosen}))
        }
        ref other => describe_threads(other),
    }
}

/// Events of Ps, Ms and queues.
fn describe_threads(ev: &Ev) -> (&'static str, Value) {
    match *ev {
        Ev::ProcsChange { old, new } => ("p.resize", json!({"old": old, "new": new})),
        Ev::PStart => ("p.start", json!({})),
        Ev::PStop { why } => ("p.stop", json!({"why": why})),
        Ev::PSteal { from_m, by } => ("p.steal", json!({"from_m": from_m, "by": by})),
        Ev::PHandoff { why, to } => ("p.handoff", json!({"why": why, "to": to})),
        Ev::RunqKick { who } => ("runq.kick", json!({"who": who})),
        Ev::RunqOverflow { n, glen } => ("runq.overflow", json!({"k": n, "glen": glen})),
        Ev::GlobPut { n, glen, why } => ("glob.put", json!({"k": n, "glen": glen, "why": why})),
        Ev::GlobGet { n, glen, why } => ("glob.get", json!({"k": n, "glen": glen, "why": why})),
        Ev::StealOk { victim, n, runnext } => {
            ("steal.ok", json!({"victim": victim, "k": n, "runnext": runnext}))
        }
        Ev::MNew { m } => ("m.new", json!({"new": m})),
        Ev::MExit { why } => ("m.exit", json!({"why": why})),
        Ev::MPark { why } => ("m.park", json!({"why": why})),
        Ev::MUnpark => ("m.unpark", json!({})),
        Ev::SpinBegin => ("spin.begin", json!({})),
        Ev::SpinEnd { found } => ("spin.end", json!({"found": found})),
        ref other => describe_rest(other),
    }
}

/// Events of the poller, timers, sysmon and stops.
fn describe_rest(ev: &Ev) -> (&'static str, Value) {
    match *ev {
        Ev::NpPoll { block, timeout_ns, ready } => {
            ("np.poll", json!({"block": block, "until": timeout_ns, "ready": ready}))
        }
        Ev::NpReady { fd, mode, who } => ("np.ready", json!({"fd": fd, "mode": mode, "who": who})),
        Ev::TAdd { id, kind, when } => ("t.add", json!({"id": id, "kind": kind, "when": when})),
        Ev::TFire { id, kind, when, late_ns } => {
            ("t.fire", json!({"id": id, "kind": kind, "when": when, "late_ns": late_ns}))
        }
        Ev::TStop { id } => ("t.stop", json!({"id": id})),
        Ev::PreemptReq { by } => ("preempt.req", json!({"by": by})),
        Ev::PreemptHit { by } => ("preempt.hit", json!({"by": by})),
        Ev::SysmonRetake { n } => ("sysmon.retake", json!({"k": n})),
        Ev::SysmonNetpoll { n } => ("sysmon.netpoll", json!({"k": n})),
        Ev::StwBegin { reason } => ("stw.begin", json!({"reason": reason})),
        Ev::StwStopped { stop_ns } => ("stw.stopped", json!({"stop_ns": stop_ns})),
        Ev::StwEnd { total_ns } => ("stw.end", json!({"total_ns": total_ns})),
        Ev::DeadCheck { run, verdict } => ("dead.check", json!({"run": run, "verdict": verdict})),
        ref other => ("other", json!({"debug": format!("{other:?}")})),
    }
}
