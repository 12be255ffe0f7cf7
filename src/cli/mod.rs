//! Arguments and exit codes; one file for each subcommand.
//!
//! The only part of gmpl that reads arguments, prints and exits.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is the command")]

mod check;
mod disasm;
mod source;

use std::process::ExitCode;

const HELP: &str = "\
gmpl runs Go programs on a GMP scheduler of its own.

  gmpl check [--all-errors] FILE...   say what is wrong with a program
  gmpl disasm [--all] [--func NAME] [--no-opt] FILE...   list its bytecode
  gmpl version
";

/// The command.
pub(crate) fn main() -> ExitCode {
    let mut args = lexopt::Parser::from_env();
    let command = match args.next() {
        Ok(Some(lexopt::Arg::Value(command))) => command.to_string_lossy().into_owned(),
        Ok(Some(lexopt::Arg::Long("help") | lexopt::Arg::Short('h')) | None) => "help".into(),
        Ok(Some(other)) => return usage(&other.unexpected().to_string()),
        Err(e) => return usage(&e.to_string()),
    };
    match command.as_str() {
        "check" => check::main(args),
        "disasm" => disasm::main(args),
        "version" => {
            println!("gmpl {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        "help" => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        _ => usage(&format!("unknown command {command:?}")),
    }
}

/// A wrong command line.
fn usage(message: &str) -> ExitCode {
    eprintln!("gmpl: {message}\n\n{HELP}");
    ExitCode::from(2)
}
