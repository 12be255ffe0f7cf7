//! `gmpl disasm FILE`: shows the bytecode of a program's own functions, or with `--all` of everything it reaches.

use std::path::PathBuf;
use std::process::ExitCode;

use gmpl::bytecode::disasm::disasm;
use lexopt::{Arg, Parser};

use super::{program, usage};

/// Runs the subcommand.
pub(crate) fn main(mut args: Parser) -> ExitCode {
    let (mut all, mut opt, mut file) = (false, true, None);
    loop {
        match args.next() {
            Ok(Some(Arg::Long("all"))) => all = true,
            Ok(Some(Arg::Long("no-opt"))) => opt = false,
            Ok(Some(Arg::Value(f))) if file.is_none() => file = Some(PathBuf::from(f)),
            Ok(Some(other)) => return usage(&other.unexpected().to_string()),
            Ok(None) => break,
            Err(e) => return usage(&e.to_string()),
        }
    }
    let Some(file) = file else { return usage("disasm needs a file") };
    let listing = program::on_big_stack(|| {
        let files = program::read(&[file]).map_err(|e| e + "\n")?;
        let mut checker = program::check(files, false)?;
        let module = program::compile(&mut checker, opt)?;
        Ok::<_, String>(disasm(&module, Some(checker.source_map()), |name| {
            all || name.starts_with("main.")
        }))
    });
    match listing {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprint!("{message}");
            ExitCode::FAILURE
        }
    }
}
