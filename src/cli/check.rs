//! `gmpl check FILE...`: says what is wrong with a program, without running it.

use super::report::Report;
use super::{program, usage};
use lexopt::Arg;
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs the subcommand.
pub(crate) fn main(mut args: lexopt::Parser) -> ExitCode {
    let mut report = Report::default();
    let mut files: Vec<PathBuf> = vec![];
    loop {
        match args.next() {
            Ok(Some(Arg::Long(name))) => {
                let name = name.to_owned();
                match report.flag(&name, &mut args) {
                    Ok(true) => {}
                    Ok(false) => return usage(&format!("unknown flag --{name}")),
                    Err(e) => return usage(&e.to_string()),
                }
            }
            Ok(Some(Arg::Value(file))) => files.push(file.into()),
            Ok(Some(other)) => return usage(&other.unexpected().to_string()),
            Ok(None) => break,
            Err(e) => return usage(&e.to_string()),
        }
    }
    if files.is_empty() {
        return usage("check needs a file");
    }
    check(&files, report)
}

fn check(files: &[PathBuf], report: Report) -> ExitCode {
    let result = program::on_big_stack(|| {
        let texts = program::read(files).map_err(|e| e + "\n")?;
        program::check(&files[0], texts, report, false).map(|_| ())
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprint!("{message}");
            ExitCode::FAILURE
        }
    }
}
