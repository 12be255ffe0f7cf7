//! Golden orders: generated programs whose order is fully determined on one P must run in Go's order.
//!
//! `tests/order/scenario.rs` makes them. What real Go did for the first of them is recorded in `tests/order/recorded.txt`. With
//! `GMPL_FUZZ_GO=go` real Go runs all of them; `GMPL_ORDER_SEEDS=0..4000` says which, `GMPL_ORDER_RECORD=1` writes the record anew.
//! A line that differs is tried again a few times: a machine that is busy can take a slice away from a program, which changes its order.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[path = "order/scenario.rs"]
mod scenario;

/// Scenarios in one program.
const BATCH: u64 = 100;
/// How many are recorded.
const RECORDED: u64 = 200;
/// How often a batch is run before a difference counts.
const TRIES: usize = 6;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn seeds() -> Range<u64> {
    let text = std::env::var("GMPL_ORDER_SEEDS").unwrap_or_else(|_| format!("0..{RECORDED}"));
    let (from, to) = text.split_once("..").expect("FROM..TO");
    from.parse().expect("a number")..to.parse().expect("a number")
}

/// The line of each scenario.
fn lines(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .filter_map(|l| l.split_once(' '))
        .map(|(n, l)| (n.to_owned(), l.to_owned()))
        .collect()
}

fn output(command: &mut Command) -> BTreeMap<String, String> {
    let out = command.stdin(Stdio::null()).env("GOMAXPROCS", "1").output().expect("it starts");
    assert!(out.status.success(), "{command:?}: {}", String::from_utf8_lossy(&out.stderr));
    lines(&String::from_utf8_lossy(&out.stdout))
}

fn gmpl(flags: &[&str], file: &Path) -> BTreeMap<String, String> {
    output(Command::new(env!("CARGO_BIN_EXE_gmpl")).arg("run").args(flags).arg(file))
}

struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let dir = std::env::temp_dir().join(format!("gmpl-order-{}", std::process::id()));
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

/// What real Go prints: of several runs the line that most have.
fn real(go: &str, dir: &Path, file: &Path) -> BTreeMap<String, String> {
    let binary = dir.join("real");
    let built = Command::new(go).arg("build").arg("-o").arg(&binary).arg(file).output();
    let built = built.expect("GMPL_FUZZ_GO is a go command");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let runs: Vec<_> = (0..3).map(|_| output(&mut Command::new(&binary))).collect();
    let names: Vec<&String> = runs[0].keys().collect();
    let most = |name: &String| {
        let [a, b, c] = [0, 1, 2].map(|i| &runs[i][name]);
        if a == b || a == c { a.clone() } else { b.clone() }
    };
    names.into_iter().map(|name| (name.clone(), most(name))).collect()
}

/// The scenarios of a batch that do not run as `want` says in any of several runs.
fn differences(file: &Path, want: &BTreeMap<String, String>) -> Vec<String> {
    let mut wrong: Vec<&String> = want.keys().collect();
    let mut last = BTreeMap::new();
    for i in 0..TRIES {
        last = gmpl(if i == 1 { &["--deterministic"] } else { &[] }, file);
        wrong.retain(|name| last.get(*name) != want.get(*name));
        if wrong.is_empty() && i >= 1 {
            return Vec::new();
        }
    }
    let show = |name: &&String| {
        let none = String::new();
        let got = last.get(*name).unwrap_or(&none);
        format!("{name}\n  want {}\n  got  {got}", want[*name])
    };
    wrong.iter().map(show).collect()
}

fn batches(seeds: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    (seeds.start..seeds.end)
        .step_by(BATCH as usize)
        .map(move |from| from..(from + BATCH).min(seeds.end))
}

#[test]
fn programs_run_in_gos_order() {
    let folder = Folder::new();
    let go = std::env::var("GMPL_FUZZ_GO").ok();
    let record = root().join("tests/order/recorded.txt");
    let recorded = lines(&std::fs::read_to_string(&record).unwrap_or_default());
    let (mut wrong, mut all) = (Vec::new(), BTreeMap::new());
    for batch in batches(seeds()) {
        let file = folder.0.join(format!("order{}.go", batch.start));
        std::fs::write(&file, scenario::program(batch.clone())).expect("written");
        let want = match &go {
            Some(go) => real(go, &folder.0, &file),
            None => batch
                .map(|s| format!("s{s}"))
                .filter_map(|n| recorded.get_key_value(&n))
                .map(|(n, l)| (n.clone(), l.clone()))
                .collect(),
        };
        wrong.extend(differences(&file, &want));
        all.extend(want);
    }
    if std::env::var("GMPL_ORDER_RECORD").is_ok() {
        let text: String =
            (0..RECORDED).map(|s| format!("s{s} {}\n", all[&format!("s{s}")])).collect();
        std::fs::write(record, text).expect("written");
    }
    assert!(all.len() >= 100, "the record is missing");
    let n = wrong.len();
    assert!(n == 0, "{n} of {} differ:\n{}", all.len(), wrong[..n.min(5)].join("\n"));
}
