//! The interactive session: statements, declarations and expressions, one piece after the other, in one program that keeps
//! running between them.
//!
//! The front end (this thread) reads, checks and compiles; the pieces run as goroutines of a runtime on other threads. An expression
//! is shown with its type: every input is first tried as `session.Show(input)`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a front end of the command"
)]

mod editor;
mod interrupt;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use gmpl::compile::{Compiler, Options};
use gmpl::diag::{self, Format};
use gmpl::library::Library;
use gmpl::natives::session::Event;
use gmpl::sched::Runtime;
use gmpl::types::Checker;
use gmpl::types::typed::Source;
use gmpl::vm::Vm;

use crate::cli::{locate, settings::Settings};
use editor::{Editor, Input};

const HELP: &str = "\
Type Go: statements, declarations, expressions; packages of the library need no import.
A line that is not complete goes on in the next. Ctrl-C drops the input or stops what runs, Ctrl-D leaves.
  :help          this text
  :type EXPR     the type of an expression, without evaluating it
  :goroutines    how many goroutines there are
  :quit          leave
";

/// Runs a session on standard input and output.
pub(crate) fn main(settings: &Settings) -> ExitCode {
    crate::cli::on_big_stack(|| match Session::start(settings) {
        Ok(session) => session.talk(),
        Err(e) => {
            eprintln!("gmpl: {e}");
            ExitCode::FAILURE
        }
    })
}

struct Session {
    checker: Checker,
    compiler: Compiler,
    runtime: std::sync::Arc<Runtime<Vm>>,
    events: Receiver<Event>,
    inputs: u32,
}

impl Session {
    fn start(settings: &Settings) -> Result<Session, String> {
        let mut checker = Checker::new(Box::new(Library));
        let mut compiler = Compiler::new(Options { opt: !settings.no_opt });
        let entry = piece(&mut checker, &mut compiler, "session", "session.Loop()")
            .map_err(|_| "the session cannot start (this is a bug of gmpl)".to_string())?;
        let mut config = settings.vm(vec!["gmpl".into()]);
        config.session = true;
        let vm = Vm::new(config, &compiler.module)?;
        vm.load(&compiler.module)?;
        vm.set_locate(locate(checker.source_map()));
        let events = vm.natives_state.session.events();
        let runtime = std::sync::Arc::new(Runtime::new(settings.sched(), vm));
        let program = std::sync::Arc::clone(&runtime);
        std::thread::spawn(move || {
            let end = program.run_main(|co| program.machine().start_func(co, entry));
            // The guest ended the program itself (os.Exit, a fatal error): so does the session.
            crate::cli::exit_now(end.code);
        });
        Ok(Session { checker, compiler, runtime, events, inputs: 0 })
    }

    fn talk(mut self) -> ExitCode {
        interrupt::install();
        let mut editor = match Editor::new(history_file()) {
            Ok(e) => e,
            Err(e) => {
                eprintln!("gmpl: {e}");
                return ExitCode::FAILURE;
            }
        };
        if editor.is_terminal() {
            println!("gmpl {} (:help says how, Ctrl-D leaves)", env!("CARGO_PKG_VERSION"));
        }
        loop {
            match editor.read() {
                Input::Text(text) if text.trim().is_empty() => {}
                Input::Text(text) if text.trim_start().starts_with(':') => {
                    if !self.command(text.trim()) {
                        break;
                    }
                }
                Input::Text(text) => self.input(&text),
                Input::Dropped => {}
                Input::End => break,
            }
        }
        editor.save();
        crate::cli::exit_now(0)
    }

    fn command(&mut self, line: &str) -> bool {
        match line.split_once(' ').map_or((line, ""), |(c, rest)| (c, rest.trim())) {
            (":quit" | ":q", _) => return false,
            (":help" | ":h", _) => print!("{HELP}"),
            // The loop of the session is not the user's.
            (":goroutines", _) => println!("{}", self.runtime.num_goroutine().saturating_sub(1)),
            (":type", expr) if !expr.is_empty() => {
                self.input(&format!("fmt.Printf(\"%T\\n\", {expr})"))
            }
            (command, _) => println!("unknown command {command}; :help says what there is"),
        }
        true
    }

    /// Runs one input: as an expression to show if it is one, else as it stands.
    fn input(&mut self, text: &str) {
        self.inputs += 1;
        let name = format!("<{}>", self.inputs);
        let shown = format!("session.Show({})", text.trim_end());
        // What printing returns is of no interest.
        let show = if text.trim_start().starts_with("fmt.Print") { text } else { &shown };
        let entry = piece(&mut self.checker, &mut self.compiler, &name, show)
            .or_else(|_| piece(&mut self.checker, &mut self.compiler, &name, text));
        let entry = match entry {
            Ok(entry) => entry,
            Err(message) => {
                eprint!("{message}");
                return;
            }
        };
        let vm = self.runtime.machine();
        if let Err(e) = vm.load(&self.compiler.module) {
            eprintln!("gmpl: {e}");
            return;
        }
        vm.set_locate(locate(self.checker.source_map()));
        vm.natives_state.session.send(entry);
        self.wait();
    }

    /// Until the piece has ended, or Ctrl-C.
    fn wait(&self) {
        interrupt::clear();
        let mut running = None;
        loop {
            match self.events.recv_timeout(Duration::from_millis(20)) {
                Ok(Event::Started(g)) => running = Some(g),
                Ok(Event::Finished(g)) if Some(g) == running => return,
                // A goroutine of an earlier piece died.
                Ok(Event::Finished(_)) => {}
                Err(RecvTimeoutError::Timeout) if interrupt::seen() => {
                    if let Some(g) = running {
                        self.runtime.machine().natives_state.session.stop(g);
                    }
                    println!("interrupted");
                    return;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}

/// Checks and compiles a piece; the function to run, or the messages.
fn piece(
    checker: &mut Checker,
    compiler: &mut Compiler,
    name: &str,
    text: &str,
) -> Result<u32, String> {
    let body = checker.check_chunk(name, text).map_err(|chunk| {
        diag::render_all(checker.source_map(), &chunk.errors, Format::default())
    })?;
    let mut bodies = checker.inits();
    bodies.push(body);
    compiler
        .compile_chunk(checker, bodies)
        .map_err(|errors| diag::render_all(checker.source_map(), &errors, Format::default()))
}

/// Where the lines typed are kept: the XDG state folder.
fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let state = state
        .or_else(|| std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".local/state")))?;
    let dir = state.join("gmpl");
    std::fs::create_dir_all(&dir).ok()?;
    Some(dir.join("history"))
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("inputs", &self.inputs).finish_non_exhaustive()
    }
}
