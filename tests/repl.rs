//! The REPL, driven as a person would: the real binary on a pseudo-terminal.

use std::process::Command;

use rexpect::session::{PtySession, spawn_command};

const PATIENCE_MS: u64 = 10_000;

fn start(home: &str) -> PtySession {
    start_on(home, "dumb")
}

fn start_on(home: &str, term: &str) -> PtySession {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gmpl"));
    command.arg("repl").env("XDG_STATE_HOME", home).env("TERM", term).env_remove("GOMAXPROCS");
    let mut session = spawn_command(command, Some(PATIENCE_MS)).expect("the command starts");
    session.exp_string("Ctrl-D leaves").expect("the greeting");
    session
}

fn home(name: &str) -> String {
    let dir = std::env::temp_dir().join(format!("gmpl-repl-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder for the history");
    dir.display().to_string()
}

fn line(s: &mut PtySession, text: &str, want: &str) {
    s.send_line(text).expect("can be sent");
    s.exp_string(want).unwrap_or_else(|e| panic!("{text:?} should show {want:?}: {e}"));
}

#[test]
fn values_are_shown_with_their_types() {
    let mut s = start(&home("values"));
    line(&mut s, "1 + 2", "3 (int)");
    line(&mut s, "x := \"a\" + \"b\"", "> ");
    line(&mut s, "x", "\"ab\" (string)");
    line(&mut s, "strings.Fields(\"p q\")", "[p q] ([]string)");
    line(&mut s, ":type 1.5", "float64");
    line(&mut s, "type T struct{ A, B int }", "> ");
    line(&mut s, "T{1, 2}", "{A:1 B:2} (main.T)");
    line(&mut s, "func (t T) Sum() int { return t.A + t.B }", "> ");
    line(&mut s, "T{1, 2}.Sum()", "3 (int)");
}

#[test]
fn variables_of_the_library_have_their_values_when_they_are_first_named() {
    let mut s = start(&home("library"));
    line(&mut s, "io.Discard != nil", "true (bool)");
    line(&mut s, "io.EOF.Error()", "\"EOF\" (string)");
    line(&mut s, "io.EOF == io.EOF && io.EOF != io.ErrUnexpectedEOF", "true (bool)");
    line(&mut s, "x := time.UTC.String()", "> ");
    line(&mut s, "x", "\"UTC\" (string)");
}

#[test]
fn blocks_go_over_several_lines_and_names_can_be_redefined() {
    let mut s = start(&home("blocks"));
    s.send_line("func f(n int) int {").expect("can be sent");
    s.send_line("return n * 2").expect("can be sent");
    s.send_line("}").expect("can be sent");
    line(&mut s, "f(21)", "42 (int)");
    line(&mut s, "func f(n int) string { return \"new\" }", "> ");
    line(&mut s, "f(1)", "\"new\" (string)");
}

#[test]
fn errors_and_panics_leave_the_session_whole() {
    let mut s = start(&home("errors"));
    line(&mut s, "y + 1", "undefined: y");
    line(&mut s, "var a []int", "> ");
    line(&mut s, "a[3]", "index out of range [3] with length 0");
    line(&mut s, "go panic(\"in the background\")", "in the background");
    line(&mut s, "len(a)", "0 (int)");
}

#[test]
fn goroutines_keep_running_between_inputs() {
    let mut s = start(&home("goroutines"));
    line(&mut s, "c := make(chan int)", "> ");
    line(&mut s, "go func() { for i := 0; ; i++ { c <- i } }()", "> ");
    line(&mut s, "<-c + <-c + <-c", "3 (int)");
    line(&mut s, ":goroutines", "1");
}

#[test]
fn control_c_stops_what_runs() {
    let mut s = start(&home("interrupt"));
    s.send_line("for {}").expect("can be sent");
    std::thread::sleep(std::time::Duration::from_millis(300));
    s.send_control('c').expect("can be sent");
    s.exp_string("interrupted").expect("said so");
    line(&mut s, "6 * 7", "42 (int)");
    s.send_control('d').expect("can be sent");
    s.exp_eof().expect("the session ends");
}

#[test]
fn history_is_kept_in_a_file() {
    let home = home("history");
    // Only a terminal that can edit lines has a history. It drops what is typed before its prompt is there.
    let mut s = start_on(&home, "xterm");
    s.exp_string("\u{1b}[2C").expect("the prompt");
    std::thread::sleep(std::time::Duration::from_millis(200));
    line(&mut s, "40 + 2", "42 (int)");
    s.exp_string("\u{1b}[2C").expect("the prompt");
    std::thread::sleep(std::time::Duration::from_millis(200));
    s.send_control('d').expect("can be sent");
    s.exp_eof().expect("the session ends");
    let text = std::fs::read_to_string(format!("{home}/gmpl/history")).expect("a history");
    assert!(text.contains("40 + 2"), "{text}");
}
