//! `gmpl disasm FILE...`: lists the bytecode of a program, with its source lines.

use super::report::Report;
use super::{on_big_stack, source, usage};
use gmpl::bytecode::{disasm, verify};
use gmpl::compile::{Compiler, Options};
use gmpl::diag;
use gmpl::library::Library;
use gmpl::types::Checker;
use lexopt::Arg;
use std::path::PathBuf;
use std::process::ExitCode;

/// Exit status of a bug in gmpl itself.
const INTERNAL_ERROR: u8 = 70;

/// What to list.
struct Request {
    texts: Vec<(String, String)>,
    /// List library functions and compiler-made ones too.
    all: bool,
    /// Only functions whose name contains this.
    name: Option<String>,
    opt: bool,
    report: Report,
}

/// Runs the subcommand.
pub(crate) fn main(mut args: lexopt::Parser) -> ExitCode {
    let mut request =
        Request { texts: vec![], all: false, name: None, opt: true, report: Report::default() };
    let mut files: Vec<PathBuf> = vec![];
    loop {
        match args.next() {
            Ok(Some(Arg::Long("all"))) => request.all = true,
            Ok(Some(Arg::Long("no-opt"))) => request.opt = false,
            Ok(Some(Arg::Long("func"))) => match args.value() {
                Ok(name) => request.name = Some(name.to_string_lossy().into_owned()),
                Err(e) => return usage(&e.to_string()),
            },
            Ok(Some(Arg::Long(name))) => {
                let name = name.to_owned();
                match request.report.flag(&name, &mut args) {
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
        return usage("disasm needs a file");
    }
    for path in &files {
        match source::read(path) {
            Ok(text) => request.texts.push((path.display().to_string(), text)),
            Err(message) => {
                eprintln!("{message}");
                return ExitCode::FAILURE;
            }
        }
    }
    on_big_stack(|| list(request))
}

fn list(request: Request) -> ExitCode {
    let mut checker = Checker::new(Box::new(Library));
    let format = request.report.format();
    checker.check_program(request.texts);
    if !checker.diagnostics().is_empty() {
        eprint!("{}", diag::render_all(checker.source_map(), checker.diagnostics(), format));
        return ExitCode::FAILURE;
    }
    let mut compiler = Compiler::new(Options { opt: request.opt });
    if let Err(errors) = compiler.compile_program(&mut checker) {
        eprint!("{}", diag::render_all(checker.source_map(), &errors, format));
        return ExitCode::FAILURE;
    }
    let wanted = |name: &str| match &request.name {
        Some(part) => name.contains(part.as_str()),
        None => request.all || name.starts_with("main."),
    };
    print!("{}", disasm::disasm(&compiler.module, Some(checker.source_map()), wanted));
    if let Err(fault) = verify::verify(&compiler.module, 0) {
        eprintln!("gmpl: bad bytecode: {} at {}: {}", fault.func, fault.pc, fault.text);
        return ExitCode::from(INTERNAL_ERROR);
    }
    ExitCode::SUCCESS
}
