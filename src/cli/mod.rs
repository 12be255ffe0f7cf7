//! Arguments and exit codes; one file for each subcommand.
//!
//! The only part of gmpl that reads arguments, prints and exits.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is the command")]

mod check;
mod disasm;
mod explain;
mod program;
mod project;
mod quit;
mod report;
mod run;
pub(crate) mod settings;
mod source;
mod test;

use std::path::PathBuf;
use std::process::ExitCode;

use lexopt::Arg;

pub(crate) use program::{locate, on_big_stack};
pub(crate) use run::exit_now;
use settings::Settings;

const HELP: &str = "\
gmpl runs Go programs on a GMP scheduler of its own.

  gmpl run [FLAGS] FILE [ARGS]        run a program (gmpl FILE does the same)
  gmpl check FILE...                  say what is wrong with a program
  gmpl test [FLAGS] [DIR|FILES]       run tests: -run -v -bench -count -short -timeout -failfast ...
  gmpl explain [CODE]                 what a kind of error means, with an example
  gmpl disasm [--all] [--func NAME] FILE   list its bytecode
  gmpl repl                           an interactive session (gmpl alone on a terminal)
  gmpl version
  gmpl help

Flags of run:
  --procs N         GOMAXPROCS          --sched-stats    counters as JSON at the end
  --trace FILE      scheduler events    --seed N         the random choices
  --deterministic   one thread steps all Ps, the same way each time
  --virtual-time    time stands still while anything runs
  --gc-stress N     collect at every N-th safe point
  --queues global   no local queues, as before Go 1.1
  --no-opt          plain bytecode

Flags of run, check and disasm:
  --all-errors                        show all errors, not only ten
  --error-format human|short|json     short: Go's words alone
  --color auto|always|never           auto heeds NO_COLOR and CLICOLOR_FORCE

Examples:
  gmpl run examples/sieve.gmp
  gmpl run --procs 1 --trace t.jsonl examples/workerpool.gmp
  GODEBUG=schedtrace=10 gmpl run examples/matmul.gmp
";

/// Threads other than the first allocate from arenas of 64 MiB of address space, which the allocator of glibc makes accessible
/// page by page: a system call for every eight goroutines. With this it does so at once.
///
/// What the smallest program needs of the first thread's heap is asked for at once, too: a page at a time it takes 200 faults.
fn let_arenas_grow() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const ARENA: i32 = 64 << 20;
        const FIRST: usize = 3 << 18;
        #[expect(unsafe_code, reason = "a setting of the allocator, before there are threads")]
        // SAFETY: see the reason. If it is refused, nothing is lost.
        unsafe {
            libc::mallopt(libc::M_TOP_PAD, ARENA);
        }
        // Together more than the heap has, and each less than what is mapped on its own.
        let blocks = [Vec::<u8>::with_capacity(120 << 10), Vec::with_capacity(120 << 10)];
        let blocks = std::hint::black_box(blocks);
        let page = blocks[0].as_ptr().map_addr(|a| a.next_multiple_of(4096));
        #[expect(unsafe_code, reason = "advice about memory")]
        // SAFETY: the pages keep what is in them; what is no memory is refused.
        unsafe {
            libc::madvise(page.cast_mut().cast(), FIRST, libc::MADV_POPULATE_WRITE);
        }
    }
}

/// The command.
pub(crate) fn main() -> ExitCode {
    std::panic::set_hook(Box::new(bug));
    let_arenas_grow();
    let mut args = lexopt::Parser::from_env();
    let command = match args.next() {
        Ok(Some(Arg::Value(command))) => command,
        Ok(Some(Arg::Long("help") | Arg::Short('h'))) => "help".into(),
        Ok(None) if std::io::IsTerminal::is_terminal(&std::io::stdin()) => "repl".into(),
        Ok(None) => "help".into(),
        Ok(Some(Arg::Long("version") | Arg::Short('V'))) => "version".into(),
        Ok(Some(other)) => return usage(&other.unexpected().to_string()),
        Err(e) => return usage(&e.to_string()),
    };
    match command.to_str() {
        Some("run") => run::main(args),
        Some("check") => check::main(args),
        Some("test") => test::main(args),
        Some("explain") => explain::main(args),
        Some("disasm") => disasm::main(args),
        Some("repl") => repl(args),
        Some("version") => {
            println!("gmpl {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        Some("help") => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        _ => {
            let file = PathBuf::from(&command);
            if file.exists() || file.extension().is_some_and(|e| e == "gmp" || e == "go") {
                return run::from(args, Some(file));
            }
            usage(&format!("unknown command {}", command.display()))
        }
    }
}

fn repl(mut args: lexopt::Parser) -> ExitCode {
    let mut settings = Settings::default();
    loop {
        match args.next() {
            Ok(None) => return crate::repl::main(&settings),
            Ok(Some(Arg::Long(name))) => {
                let name = name.to_owned();
                match settings.flag(&name, &mut args) {
                    Ok(true) => {}
                    Ok(false) => return usage(&format!("unknown flag --{name}")),
                    Err(e) => return usage(&e.to_string()),
                }
            }
            Ok(Some(other)) => return usage(&other.unexpected().to_string()),
            Err(e) => return usage(&e.to_string()),
        }
    }
}

/// A wrong command line.
fn usage(message: &str) -> ExitCode {
    eprintln!("gmpl: {message}\n(gmpl help says what there is)");
    ExitCode::from(2)
}

/// A panic of gmpl itself is a bug: says so in one place and ends with status 70.
fn bug(info: &std::panic::PanicHookInfo<'_>) {
    if info.payload().is::<gmpl::value::OutOfMemory>() {
        eprintln!("runtime: out of memory\nfatal error: out of memory");
        exit_now(2);
    }
    eprintln!(
        "gmpl: internal error: {info}\nThis is a bug of gmpl: please report it with the program that shows it."
    );
    exit_now(70);
}
