//! Codes of errors: each has an explanation with an example that gives exactly this code; and the forms in which errors are shown.

use std::path::PathBuf;
use std::process::{Command, Output};

use gmpl::diag::{Code, Form, Format, render_all};
use gmpl::library::Library;
use gmpl::types::Checker;

fn checked(name: &str, text: &str) -> Checker {
    let mut checker = Checker::new(Box::new(Library));
    checker.check_program(vec![(name.to_string(), text.to_string())]);
    checker
}

/// An example that no page has room for.
fn too_deep() -> String {
    let n = 6_000;
    format!("package main\n\nvar x = {}1{}\n\nfunc main() {{}}\n", "-(".repeat(n), ")".repeat(n))
}

fn wrong_examples() -> String {
    let mut wrong = String::new();
    for &code in Code::ALL {
        let text = if code == Code::TooDeep { too_deep() } else { code.example().to_string() };
        let mut checker = checked("example.go", &text);
        checker.require_bodies();
        let told: Vec<&str> = checker.diagnostics().iter().map(|d| d.code.name()).collect();
        if told.is_empty() || told.iter().any(|t| *t != code.name()) {
            wrong.push_str(&format!("{}: {told:?}\n", code.name()));
        }
    }
    wrong
}

#[test]
fn every_example_has_its_error_and_no_other() {
    // as the command gives it
    let thread = std::thread::Builder::new().stack_size(512 << 20).spawn(wrong_examples);
    let wrong = thread.expect("a thread").join().expect("no example crashes");
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_section_of_the_page_is_for_a_code() {
    let page = include_str!("../docs/errors.md");
    let heads: Vec<&str> = page.lines().filter_map(|l| l.strip_prefix("## ")).collect();
    let names: Vec<&str> = Code::ALL.iter().map(|c| c.name()).collect();
    assert_eq!(heads, names);
    for code in Code::ALL {
        assert!(code.explanation().len() > 30, "{} is not explained", code.name());
    }
}

const WRONG: &str = "package main\n\nfunc add(first, second int) int { return first + second }\n\nfunc main() {\n\ttotal := add(1)\n\tprintln(totl)\n}\n";

fn shown(form: Form, color: bool) -> String {
    let checker = checked("a.go", WRONG);
    let format = Format { form, color, all: false };
    render_all(checker.source_map(), checker.diagnostics(), format)
}

#[test]
fn short_is_what_go_prints() {
    insta::assert_snapshot!(shown(Form::Short, false));
}

#[test]
fn human_has_the_line_the_code_and_hints() {
    insta::assert_snapshot!(shown(Form::Human, false));
}

#[test]
fn human_in_colour() {
    insta::assert_snapshot!(shown(Form::Human, true).replace('\u{1b}', "ESC"));
}

#[test]
fn json_has_everything() {
    insta::assert_snapshot!(shown(Form::Json, true));
}

// ---- the command ----

fn file(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("gmpl-codes-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary folder");
    let path = dir.join(name);
    std::fs::write(&path, WRONG).expect("writable");
    path
}

fn gmpl(args: &[&str], env: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gmpl"));
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("TERM");
    command.envs(env.iter().copied()).output().expect("the command starts")
}

#[test]
fn colour_is_chosen_by_flag_environment_and_terminal() {
    let path = file("color.go").display().to_string();
    let is_colored = |flags: &[&str], env: &[(&str, &str)]| {
        let args: Vec<&str> = [&["check"], flags, &[path.as_str()]].concat();
        let out = gmpl(&args, env);
        assert_eq!(out.status.code(), Some(1));
        out.stderr.contains(&0x1b)
    };
    let force = ("CLICOLOR_FORCE", "1");
    assert!(!is_colored(&[], &[]), "standard error is no terminal here");
    assert!(is_colored(&["--color=always"], &[("NO_COLOR", "1")]));
    assert!(is_colored(&[], &[force]));
    assert!(!is_colored(&[], &[("CLICOLOR_FORCE", "0")]));
    assert!(!is_colored(&[], &[force, ("NO_COLOR", "1")]));
    assert!(!is_colored(&["--color=never"], &[force]));
    assert!(!is_colored(&["--error-format=json"], &[force]));
    assert!(!is_colored(&["--error-format", "short"], &[force]));
}

#[test]
fn run_and_disasm_take_the_flags_too() {
    let path = file("run.go").display().to_string();
    for command in ["run", "disasm", "check"] {
        let out = gmpl(&[command, "--error-format=short", &path], &[]);
        let text = String::from_utf8_lossy(&out.stderr).replace(&path, "run.go");
        assert_eq!(text, shown(Form::Short, false).replace("a.go", "run.go"), "{command}");
    }
    let out = gmpl(&["check", "--error-format=xml", &path], &[]);
    assert_eq!(out.status.code(), Some(2));
}

#[test]
fn explain_explains() {
    let text = |args: &[&str]| {
        let out = gmpl(args, &[]);
        (out.status.code(), String::from_utf8_lossy(&out.stdout).into_owned(), out.stderr)
    };
    let (code, all, _) = text(&["explain"]);
    assert_eq!((code, all.lines().count()), (Some(0), Code::ALL.len()));
    let (code, one, _) = text(&["explain", "unusedvar"]);
    assert_eq!(code, Some(0));
    assert!(
        one.starts_with("UnusedVar\n\nA local variable is declared and never used.\n"),
        "{one}"
    );
    let (code, _, err) = text(&["explain", "UnusedVars"]);
    assert_eq!(code, Some(2));
    assert!(String::from_utf8_lossy(&err).contains("did you mean UnusedVar?"));
}

#[test]
fn ten_errors_are_shown_and_a_word_about_the_rest() {
    let calls: String = (0..12).map(|i| format!("\tu{i}()\n")).collect();
    let text = format!("package main\n\nfunc main() {{\n\tunused := 1\n{calls}}}\n");
    let checker = checked("a.go", &text);
    let format = Format { form: Form::Short, ..Format::default() };
    insta::assert_snapshot!(render_all(checker.source_map(), checker.diagnostics(), format));
    let all =
        render_all(checker.source_map(), checker.diagnostics(), Format { all: true, ..format });
    assert_eq!(all.lines().count(), 13);
}

#[test]
fn of_more_than_ten_errors_those_that_go_meets_first_are_shown() {
    let broken: String = (0..12).map(|_| "func ) {}\n").collect();
    let text = format!("package main\n\nfunc f() {{\n\tbreak\n}}\n\n{broken}");
    let checker = checked("a.go", &text);
    let format = Format { form: Form::Short, ..Format::default() };
    let shown = render_all(checker.source_map(), checker.diagnostics(), format);
    let first = "a.go:4:2: break is not in a loop, switch, or select\na.go:7:6: syntax error:";
    assert!(shown.starts_with(first), "{shown}");
    assert_eq!(shown.lines().count(), 11);
}

#[test]
fn what_stands_far_to_the_right_is_told_by_its_line() {
    for (column, place) in [(254, "3:254"), (255, "3"), (315, "3")] {
        let text = format!("package main\n\nfunc main() {{{}x() }}\n", " ".repeat(column - 14));
        let checker = checked("a.go", &text);
        let format = Format { form: Form::Short, ..Format::default() };
        let shown = render_all(checker.source_map(), checker.diagnostics(), format);
        assert_eq!(shown, format!("a.go:{place}: undefined: x\n"));
    }
}

const SCRIPT: &str = "import \"os\"\n\nunused := 1\nused := 2\nfunc f() { inner := 3 }\nif used > 1 {\n\tlocal := 4\n}\nf()\nfmt.Println(used)\n";

#[test]
fn what_a_script_does_not_use_is_a_warning() {
    let checker = checked("script.gmp", SCRIPT);
    assert_eq!(checker.diagnostics(), []);
    let format = Format::default();
    insta::assert_snapshot!(render_all(checker.source_map(), checker.warnings(), format));
}

#[test]
fn warnings_do_not_keep_a_script_from_running() {
    let path = file("script.gmp");
    std::fs::write(&path, SCRIPT).expect("writable");
    let out = gmpl(&["run", "--error-format=short", &path.display().to_string()], &[]);
    assert_eq!((out.status.code(), out.stdout.as_slice()), (Some(0), &b"2\n"[..]));
    assert_eq!(String::from_utf8_lossy(&out.stderr).matches("warning: ").count(), 4);
}
