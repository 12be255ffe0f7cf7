//! Programs with the recorded behaviour of real Go 1.27.3.
//!
//! `bugs/`: made after public reports about Go interpreters, compilers and schedulers; `NAME.out` is standard output, `NAME.rc` the exit
//! status where not 0, `NAME.stderr` the shape of standard error, `NAME.err` the compile errors.
//! `probes/`: one program with a small probe for each rule of the scheduler and the run-time texts; `EXPECTED.txt` is what each prints.
//! Addresses and code offsets are masked. What is compared of standard error: its first line, and for `bugs/` the headers of goroutines.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A hang is a failure, not a test that never ends.
const PATIENCE: Duration = Duration::from_secs(60);

fn run(args: &[&str], dir: &Path, procs: &str) -> Output {
    let child = Command::new(env!("CARGO_BIN_EXE_gmpl"))
        .args(args)
        .current_dir(dir)
        .env("GOMAXPROCS", procs)
        .env_remove("GODEBUG")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let id = child.id();
    let began = Instant::now();
    let watcher =
        std::thread::spawn(move || child.wait_with_output().expect("it can be waited for"));
    while !watcher.is_finished() {
        assert!(began.elapsed() < PATIENCE, "{args:?} (process {id}) does not end");
        std::thread::sleep(Duration::from_millis(2));
    }
    watcher.join().expect("joined")
}

/// Long hexadecimal numbers are addresses.
fn masked(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(i) = rest.find("0x") {
        let digits = rest[i + 2..].chars().take_while(char::is_ascii_hexdigit).count();
        out.push_str(&rest[..i]);
        out.push_str(if digits >= 4 { "0xADDR" } else { &rest[i..i + 2 + digits] });
        rest = &rest[i + 2 + digits..];
    }
    out.push_str(rest);
    if let Some(i) = out.rfind(" +0x") {
        out.truncate(i);
    }
    out
}

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().map(masked).collect()
}

fn first(list: &[String]) -> Option<&String> {
    list.iter().find(|l| !l.is_empty())
}

fn sorted(dir: &Path, ext: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).expect("a folder");
    let mut list: Vec<PathBuf> = entries
        .map(|e| e.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == ext))
        .collect();
    list.sort();
    list
}

fn beside(program: &Path, ext: &str) -> Option<String> {
    std::fs::read_to_string(program.with_extension(ext)).ok()
}

/// What is wrong with one program of `bugs/` at this number of Ps.
fn bug(program: &Path, procs: &str) -> Option<String> {
    let dir = program.parent().expect("in a folder");
    let name = program.file_name().expect("a file").to_string_lossy().into_owned();
    if let Some(want) = beside(program, "err") {
        let out = run(&["check", &name], dir, procs);
        let got: Vec<String> =
            lines(&out.stderr).into_iter().filter(|l| l.starts_with(&name)).collect();
        let want: Vec<String> = want
            .lines()
            .map(|l| l.trim_start_matches("./").to_string())
            .filter(|l| l.starts_with(&name))
            .collect();
        return (got != want).then(|| format!("{name}: want {want:#?}\ngot {got:#?}"));
    }
    let out = run(&["run", &name], dir, procs);
    let status: i32 = beside(program, "rc").map_or(0, |s| s.trim().parse().expect("a number"));
    let want = beside(program, "out").unwrap_or_default();
    let got = String::from_utf8_lossy(&out.stdout);
    if got != want || out.status.code() != Some(status) {
        return Some(format!(
            "{name}: want {want:?} and status {status}\ngot {got:?} and {:?}",
            out.status.code()
        ));
    }
    let want = lines(beside(program, "stderr").unwrap_or_default().as_bytes());
    let got = lines(&out.stderr);
    let heads = |l: &[String]| -> Vec<String> {
        l.iter().filter(|l| l.starts_with("goroutine 1 ")).cloned().collect()
    };
    let differs = first(&got) != first(&want) || heads(&got) != heads(&want);
    (differs && !want.is_empty()).then(|| format!("{name}: stderr: want {want:#?}\ngot {got:#?}"))
}

#[test]
fn programs_after_bug_reports() {
    let list = sorted(&root().join("tests/bugs"), "go");
    assert!(list.len() > 30, "the programs are missing");
    let wrong: Vec<String> =
        list.iter().flat_map(|p| [bug(p, "1"), bug(p, "4")]).flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[derive(Debug, Default)]
struct Probe {
    name: String,
    out: Vec<String>,
    err: Vec<String>,
    status: i32,
}

fn probes() -> Vec<Probe> {
    let text = std::fs::read_to_string(root().join("tests/probes/EXPECTED.txt")).expect("readable");
    let mut list: Vec<Probe> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            list.push(Probe { name: name.into(), ..Probe::default() });
            continue;
        }
        let Some(p) = list.last_mut() else { continue };
        if let Some(l) = line.strip_prefix("out|") {
            p.out.push(masked(l.strip_prefix(' ').unwrap_or(l)));
        } else if let Some(l) = line.strip_prefix("err|") {
            p.err.push(masked(l.strip_prefix(' ').unwrap_or(l)));
        } else if let Some(s) = line.strip_prefix("exit ") {
            p.status = s.trim().parse().unwrap_or(0);
        }
    }
    list
}

/// Probes whose recorded output is not ours, each with its reason.
const DIFFERENT: &[(&str, &str)] = &[
    ("s_stack_grow", "a stack starts with 512 bytes here, not with 2048"),
    ("s_stackdump", "the file is shown with its path"),
    (
        "s_steal",
        "records 3 for GOMAXPROCS 2, as a preempted goroutine counts twice there; it never exceeds 2 here",
    ),
];

/// Their output does not depend on the number of Ps, but on how the goroutines that print interleave, with more than one.
const ONE_P: &[&str] = &["o_gosched_global_last"];

/// The status as a shell shows it: death by a signal is 128 and its number.
fn shells(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().or_else(|| status.signal().map(|n| 128 + n)).unwrap_or(-1)
}

fn probe(p: &Probe) -> Option<String> {
    let one = p.name.starts_with("g_") || ONE_P.contains(&p.name.as_str());
    let procs = match p.name.as_str() {
        "r_threads_hello" => "64",
        _ if one => "1",
        _ => "2",
    };
    let out = run(&["run", ".", &p.name], &root().join("tests/probes"), procs);
    let (got, err) = (lines(&out.stdout), lines(&out.stderr));
    let mut why = Vec::new();
    if got != p.out {
        why.push(format!("stdout: want {:?}\n   got {got:?}", p.out));
    }
    if shells(out.status) != p.status {
        why.push(format!("status: want {} got {:?}", p.status, out.status));
    }
    if first(&err) != first(&p.err) {
        why.push(format!("stderr: want {:?} got {:?}", first(&p.err), first(&err)));
    }
    (!why.is_empty()).then(|| format!("{}: {}", p.name, why.join("\n   ")))
}

#[test]
fn probes_print_what_go_prints() {
    let list = probes();
    assert!(list.len() > 200, "the probes are missing");
    let next = AtomicUsize::new(0);
    let wrong = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                while let Some(p) = list.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if DIFFERENT.iter().any(|(n, _)| *n == p.name) {
                        continue;
                    }
                    // Some depend on how busy the machine is: a second look, and a third.
                    if let Some(w) = probe(p).and_then(|_| probe(p)).and_then(|_| probe(p)) {
                        wrong.lock().expect("never held across a panic").push(w);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("never held across a panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
