//! From files to a checked and compiled program.

use std::path::{Path, PathBuf};

use gmpl::bytecode::module::Module;
use gmpl::bytecode::verify;
use gmpl::compile::{Compiler, Options};
use gmpl::diag;
use gmpl::source::SourceMap;
use gmpl::types::Checker;

use super::project::Project;
use super::report::Report;
use super::source;

/// The texts of a program's files, under the names that messages show. A folder stands for the source files in it, tests left out;
/// `-` is standard input.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<(String, String)>, String> {
    let mut texts = Vec::new();
    for path in paths {
        if path.is_dir() {
            for file in source::folder(path)? {
                texts.push((shown(&file), source::read(&file)?));
            }
        } else if path.as_os_str() == "-" {
            texts.push(("<stdin>".into(), source::read_stdin()?));
        } else {
            texts.push((shown(path), source::read(path)?));
        }
    }
    Ok(texts)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Checks; the messages to print if something is wrong. `runs`: the program is to run, so it must be whole.
pub(crate) fn check(
    program: &Path,
    files: Vec<(String, String)>,
    report: Report,
    runs: bool,
) -> Result<Checker, String> {
    let mut checker = Checker::new(Box::new(Project::of(program)));
    checker.check_program(files);
    if runs {
        checker.require_bodies();
    }
    if checker.diagnostics().is_empty() {
        eprint!("{}", diag::render_all(checker.source_map(), checker.warnings(), report.format()));
        return Ok(checker);
    }
    Err(diag::render_all(checker.source_map(), checker.diagnostics(), report.format()))
}

/// Compiles a checked program, and verifies what came out.
pub(crate) fn compile(checker: &mut Checker, opt: bool, report: Report) -> Result<Module, String> {
    let mut compiler = Compiler::new(Options { opt });
    if let Err(errors) = compiler.compile_program(checker) {
        return Err(diag::render_all(checker.source_map(), &errors, report.format()));
    }
    let module = compiler.module;
    if let Err(fault) = verify::verify(&module, 0) {
        panic!("the compiler made bad bytecode: {fault:?}");
    }
    Ok(module)
}

/// Runs `f` on a stack large enough for the deepest program that the parser lets through. It is the same thread, so that the
/// allocations of the front end come from the one arena that grows in large steps.
pub(crate) fn on_big_stack<R>(f: impl FnOnce() -> R) -> R {
    const STACK: usize = 512 << 20;
    stacker::grow(STACK, f)
}

/// The source map as the machine wants it: positions to file and line.
pub(crate) fn locate(map: &SourceMap) -> gmpl::vm::machine::Locate {
    let map = map.clone();
    gmpl::vm::machine::Locate(Box::new(move |pos| {
        let place = map.place(pos)?;
        Some((place.file.to_string(), place.line))
    }))
}
