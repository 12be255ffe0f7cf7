//! The same programs in a hostile world: tiny queues and slices, stealing first, wake-ups for nothing, collections all the time, plain
//! bytecode, one thread that steps all Ps. They must print what they print in peace. And traces must satisfy the invariants of `trace::check`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sorted(dir: &str, ext: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(dir)).expect("a folder");
    let mut list: Vec<PathBuf> = entries
        .map(|e| e.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == ext))
        .collect();
    list.sort();
    list
}

/// Standard output and exit status.
fn run(program: &Path, flags: &[&str], hostile: &str) -> (String, Option<i32>) {
    let out = Command::new(env!("CARGO_BIN_EXE_gmpl"))
        .arg("run")
        .args(flags)
        .arg(program)
        .current_dir(root())
        .env("GMPL_HOSTILE", hostile)
        .env_remove("GODEBUG")
        .stdin(Stdio::null())
        .output()
        .expect("the command starts");
    (String::from_utf8_lossy(&out.stdout).into_owned(), out.status.code())
}

/// Programs whose output does not depend on the schedule, and those after bug reports.
fn corpus() -> Vec<PathBuf> {
    let mut list = sorted("examples", "gmp");
    for dir in ["tests/bugs", "tests/programs", "tests/std"] {
        list.extend(sorted(dir, "go").into_iter().filter(|p| p.with_extension("out").exists()));
    }
    list
}

/// A mode leaves out what cannot work in it: real time and real sockets under a stepped or virtual clock, races against the clock.
fn same(flags: &[&str], hostile: &str, leave_out: &[&str]) {
    for program in corpus() {
        let name = program.file_stem().expect("a name").to_string_lossy().into_owned();
        if leave_out.contains(&name.as_str()) {
            continue;
        }
        let peace = run(&program, &["--procs", "2"], "");
        let here = run(&program, flags, hostile);
        assert_eq!(here, peace, "{name} with {flags:?} and GMPL_HOSTILE={hostile:?}");
    }
}

/// Too slow under a collection at every step, a race of the clock against a slow machine, or a count of collections.
const SLOW: &[&str] = &[
    "gc_stats",
    "ratelimiter",
    "selects",
    "starvation",
    "scheduler_rules",
    "queens",
    "matmul",
    "36-preempt-tight-loop",
    "37-gosched-fairness",
    "scheduler_rules",
];

#[test]
fn tiny_queues_and_stealing_first() {
    same(&["--procs", "4"], "queue4,steal", &["selects"]);
}

#[test]
fn a_slice_is_one_refill_and_threads_wake_for_nothing() {
    same(&["--procs", "4"], "slice1,spurious,retake", &["selects", "37-gosched-fairness"]);
}

#[test]
fn a_collection_at_every_safe_point() {
    same(&["--procs", "2", "--gc-stress", "1"], "", SLOW);
}

#[test]
fn stacks_that_grow_at_every_call() {
    same(&["--procs", "4"], "stack64", &["selects"]);
}

#[test]
fn everything_at_once() {
    let all = "queue4,steal,slice1,spurious,retake,stack64";
    same(&["--procs", "4"], all, &["selects", "37-gosched-fairness"]);
}

#[test]
fn plain_bytecode() {
    same(&["--no-opt", "--procs", "2"], "", &["selects"]);
}

#[test]
fn a_race_on_a_map_is_reported_or_harmless() {
    for span in ["100", "5000", "100000"] {
        let out = Command::new(env!("CARGO_BIN_EXE_gmpl"))
            .args(["run", "--procs", "4", "--gc-stress", "50", "tests/map_races.go", span])
            .current_dir(root())
            .output()
            .expect("the command starts");
        let err = String::from_utf8_lossy(&out.stderr);
        let reported =
            out.status.code() == Some(2) && err.starts_with("fatal error: concurrent map");
        assert!(reported || out.status.success(), "{span}: {:?} {err}", out.status);
    }
}

#[test]
fn traces_satisfy_the_invariants() {
    let dir = std::env::temp_dir().join(format!("gmpl-traces-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    for program in sorted("examples", "gmp") {
        let name = program.file_stem().expect("a name").to_string_lossy().into_owned();
        let file = dir.join(format!("{name}.jsonl"));
        for procs in ["1", "4"] {
            run(&program, &["--procs", procs, "--trace", &file.display().to_string()], "");
            let lines = std::fs::read_to_string(&file).expect("a trace");
            let summary = gmpl::trace::check(&lines);
            assert!(
                summary.broken.is_empty(),
                "{name} with {procs} Ps: {:#?}",
                &summary.broken[..summary.broken.len().min(5)]
            );
        }
    }
}
