//! `gmpl test` on the packages of `tests/testing`: what it prints, with times masked, and its exit status. What real `go test` prints for
//! the same packages (as `.go` files) is the same but for tracebacks, which show gmpl's own frames.

use std::path::Path;
use std::process::Command;

/// Times become `0.00s`, figures of benchmarks `N`; a traceback is cut after its first line.
fn masked(text: &str) -> String {
    let mut out = String::new();
    let mut in_traceback = false;
    for line in text.lines() {
        in_traceback |= line.starts_with("goroutine ");
        in_traceback &= !line.starts_with("exit status") && !line.starts_with("FAIL");
        if in_traceback {
            continue;
        }
        out.push_str(&mask_line(line));
        out.push('\n');
    }
    out
}

fn mask_line(line: &str) -> String {
    if line.starts_with("cpu: ") {
        return "cpu: C".into();
    }
    let is_figure = |w: &str| w.parse::<f64>().is_ok();
    if line.starts_with("Benchmark") {
        let words = line.split_whitespace().map(|w| if is_figure(w) { "N" } else { w });
        return words.collect::<Vec<_>>().join(" ");
    }
    let time = |w: &str| {
        let core = w.trim_matches(['(', ')']);
        core.strip_suffix('s').is_some_and(|n| n.contains('.') && is_figure(n))
    };
    let words: Vec<String> = line
        .split(' ')
        .map(|w| {
            w.split('\t')
                .map(|p| {
                    if time(p) { p.replace(p.trim_matches(['(', ')']), "0.00s") } else { p.into() }
                })
                .collect::<Vec<_>>()
                .join("\t")
        })
        .collect();
    words.join(" ")
}

/// Runs `gmpl test` in a folder of `tests/testing`; both streams in the order go test shows them, and the status.
fn run(dir: &str, args: &[&str]) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/testing");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gmpl"));
    command.arg("test").args(args).current_dir(root.join(dir)).env("GOMAXPROCS", "2");
    let out = command.output().expect("the command starts");
    let text = format!(
        "{}-- standard error\n{}-- status {}\n",
        masked(&String::from_utf8_lossy(&out.stdout)),
        masked(&String::from_utf8_lossy(&out.stderr)),
        out.status.code().unwrap_or(-1)
    );
    text.replace(&root.display().to_string(), "ROOT")
}

#[test]
fn what_fails_is_shown() {
    insta::assert_snapshot!(run("mixed", &[]));
}

#[test]
fn verbose() {
    insta::assert_snapshot!(run("mixed", &["-v", "-run", "Good|Bad|Fatal|Skip|Sub|Env|Example"]));
}

#[test]
fn parallel_subtests_pause_and_go_on() {
    let text = run("mixed", &["-v", "-run", "Par"]);
    let at =
        |what: &str| text.find(what).unwrap_or_else(|| panic!("{what:?} is missing in\n{text}"));
    assert!(
        at("=== PAUSE TestPar/2") < at("=== NAME  TestPar\n    mixed_test.gmp:51: parent done")
    );
    assert!(at("parent done") < at("=== CONT  TestPar/0"));
    assert!(at("mixed_test.gmp:48: done 2") < at("--- PASS: TestPar (0.00s)"));
    assert!(at("--- PASS: TestPar (0.00s)") < at("    --- PASS: TestPar/0 (0.00s)"));
}

#[test]
fn subtests_are_chosen_by_name() {
    insta::assert_snapshot!(run("mixed", &["-v", "-run", "Sub/b", "-skip", "Sub/a"]));
}

#[test]
fn failfast_and_count() {
    insta::assert_snapshot!(run("mixed", &["-failfast", "-count=2", "-run", "Bad|Fatal"]));
}

#[test]
fn a_list_of_packages() {
    insta::assert_snapshot!(run(
        ".",
        &["./mixed", "./external", "./empty", "./wrong", "./command", "./setup"]
    ));
}

#[test]
fn a_panic_ends_the_package() {
    insta::assert_snapshot!(run("panics", &[]));
}

#[test]
fn external_tests_and_test_main() {
    insta::assert_snapshot!(run("external", &["-v"]));
}

/// A folder may hold external tests and nothing else.
#[test]
fn tests_without_a_package() {
    let text = run("outside", &["-v"]);
    assert!(text.contains("--- PASS: TestAlone") && text.ends_with("-- status 0\n"), "{text}");
}

#[test]
fn fuzz_seeds_cleanups_and_names() {
    insta::assert_snapshot!(run("kinds", &["-v"]));
}

#[test]
fn benchmarks() {
    insta::assert_snapshot!(run("kinds", &["-run", "none", "-bench", ".", "-benchtime", "10x"]));
}

#[test]
fn a_timeout_names_the_tests() {
    insta::assert_snapshot!(run("slow", &["-timeout", "50ms"]));
}

#[test]
fn nothing_to_run_and_lists_and_bad_patterns() {
    let all = [
        run("mixed", &["-run", "xx"]),
        run("mixed", &["-list", "Bad|Loop"]),
        run("mixed", &["-run", "("]),
        run("kinds", &["-short", "-v", "-run", "Short"]),
        run("mixed", &["mixed_test.gmp", "mixed.gmp", "-run", "Good"]),
    ];
    insta::assert_snapshot!(all.join("\n"));
}
