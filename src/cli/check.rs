//! `gmpl check FILE...`: says what is wrong with a program, without running it.

use super::{source, usage};
use gmpl::diag;
use gmpl::source::SourceMap;
use gmpl::syntax;
use lexopt::Arg;
use std::path::PathBuf;
use std::process::ExitCode;

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
    let mut map = SourceMap::new();
    let mut errors = vec![];
    for path in files {
        match source::read(path) {
            Ok(text) => {
                let id = map.add(path.display().to_string(), text);
                errors.extend(syntax::parse(&map, id).errors);
            }
            Err(message) => {
                eprintln!("{message}");
                return ExitCode::FAILURE;
            }
        }
    }
    diag::order(&mut errors);
    eprint!("{}", diag::render_all(&map, &errors, all));
    if errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
