//! Runs programs with a trace and counters and gives both as data.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) status: Option<i32>,
    pub(crate) events: Vec<Value>,
    pub(crate) stats: Value,
}

impl Ran {
    /// A counter.
    pub(crate) fn stat(&self, name: &str) -> u64 {
        self.stats[name].as_u64().unwrap_or_else(|| panic!("there is no counter {name}"))
    }

    /// The events with this name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Value> {
        self.events.iter().filter(move |e| e["ev"] == name)
    }

    /// How many events have this name and satisfy `pick`.
    pub(crate) fn count(&self, name: &str, pick: impl Fn(&Value) -> bool) -> usize {
        self.all(name).filter(|e| pick(e)).count()
    }

    /// The place of the first event with this name that satisfies `pick`, from `start` on.
    pub(crate) fn find(
        &self,
        start: usize,
        name: &str,
        pick: impl Fn(&Value) -> bool,
    ) -> Option<usize> {
        (start..self.events.len()).find(|i| self.events[*i]["ev"] == name && pick(&self.events[*i]))
    }
}

/// A number of an event.
pub(crate) fn int(event: &Value, key: &str) -> i64 {
    event[key].as_i64().unwrap_or_else(|| panic!("no {key} in {event}"))
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder of this test's own, removed when dropped.
#[derive(Debug)]
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("gmpl-rows-{}-{n}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        Folder(dir)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left behind in a temporary folder does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A program whose `main` has this body, or a whole one.
fn source(body: &str) -> String {
    if body.trim_start().starts_with("package ") {
        return body.to_owned();
    }
    format!("package main\n\n{body}")
}

pub(crate) fn command(dir: &Path, flags: &[&str], body: &str) -> Command {
    let file = dir.join("p.go");
    std::fs::write(&file, source(body)).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gmpl"));
    command.arg("run").args(flags).arg(file).env_remove("GODEBUG").env_remove("GOMAXPROCS");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a program with a trace and counters. The trace must keep the invariants.
pub(crate) fn traced(flags: &[&str], body: &str) -> Ran {
    let folder = Folder::new();
    let file = folder.0.join("t.jsonl");
    let name = file.display().to_string();
    let mut all = vec!["--trace", &name, "--sched-stats"];
    all.extend(flags);
    let out = command(&folder.0, &all, body).output().expect("the command starts");
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let summary = gmpl::trace::check(&text);
    assert!(summary.broken.is_empty(), "{:#?}", &summary.broken[..summary.broken.len().min(5)]);
    let err = String::from_utf8_lossy(&out.stderr).into_owned();
    let stats = err.lines().last().and_then(|l| serde_json::from_str(l).ok());
    Ran {
        out: String::from_utf8_lossy(&out.stdout).into_owned(),
        stats: stats.unwrap_or_else(|| panic!("no counters: {err}")),
        err,
        status: out.status.code(),
        events: text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect(),
    }
}

/// Standard output, standard error and status of a program without a trace.
pub(crate) fn plain(flags: &[&str], body: &str) -> (String, String, Option<i32>) {
    let folder = Folder::new();
    let out = command(&folder.0, flags, body).output().expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&out.stdout), text(&out.stderr), out.status.code())
}

/// What a probe of `tests/probes` prints.
pub(crate) fn probe(name: &str) -> (String, String, Option<i32>) {
    let out = Command::new(env!("CARGO_BIN_EXE_gmpl"))
        .args(["run", ".", name])
        .current_dir(root().join("tests/probes"))
        .env_remove("GODEBUG")
        .output()
        .expect("the command starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&out.stdout), text(&out.stderr), out.status.code())
}
