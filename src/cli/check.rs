//! `gmpl check FILE...`: says what is wrong with a program, without running it.

use super::{source, usage};
use gmpl::diag;
use gmpl::library::Library;
use gmpl::types::Checker;
use lexopt::Arg;
use std::path::PathBuf;
use std::process::ExitCode;

/// Address space for the checker's stack; only what is used is paid for.
const CHECKER_STACK: usize = 512 << 20;
/// Exit status of a bug in gmpl itself.
const INTERNAL_ERROR: u8 = 70;

/// Runs the subcommand.
pub(crate) fn main(mut args: lexopt::Parser) -> ExitCode {
    let mut all = false;
    let mut files: Vec<PathBuf> = vec![];
    loop {
        match args.next() {
            Ok(Some(Arg::Long("all-errors"))) => all = true,
            Ok(Some(Arg::Value(file))) => files.push(file.into()),
            Ok(Some(other)) => return usage(&other.unexpected().to_string()),
            Ok(None) => break,
            Err(e) => return usage(&e.to_string()),
        }
    }
    if files.is_empty() {
        return usage("check needs a file");
    }
    check(&files, all)
}

fn check(files: &[PathBuf], all: bool) -> ExitCode {
    let mut texts = vec![];
    for path in files {
        match source::read(path) {
            Ok(text) => texts.push((path.display().to_string(), text)),
            Err(message) => {
                eprintln!("{message}");
                return ExitCode::FAILURE;
            }
        }
    }
    // the checker recurses over what the parser took, which may nest deep
    let run = move || {
        let mut checker = Checker::new(Box::new(Library));
        checker.check_program(texts);
        let errors = checker.diagnostics();
        eprint!("{}", diag::render_all(checker.source_map(), errors, all));
        errors.is_empty()
    };
    let thread = std::thread::Builder::new().stack_size(CHECKER_STACK).spawn(run);
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        Ok(Ok(false)) => ExitCode::FAILURE,
        Ok(Err(_)) | Err(_) => ExitCode::from(INTERNAL_ERROR),
    }
}
