//! `gmpl test`: finds tests, builds a program around them, runs it, and says how it went in the words of `go test`.
//!
//! A package's tests are the files whose names end in `_test`. Each package becomes a program of its own (`package`), whose main file
//! (`main_file`) names everything that `find` has found; package testing of the library does the rest.

mod find;
mod flags;
mod main_file;
mod package;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use gmpl::sched::config::Sink;
use gmpl::vm::machine::Streams;

use super::run::{Job, execute};
use super::{program, source, usage};
use flags::Request;
use package::{Package, Trouble};

/// Runs the subcommand.
pub(crate) fn main(args: lexopt::Parser) -> ExitCode {
    let request = match flags::parse(args) {
        Ok(request) => request,
        Err(message) => return usage(&message),
    };
    let packages = match packages(&request.paths) {
        Ok(packages) => packages,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::FAILURE;
        }
    };
    let start = std::env::current_dir().unwrap_or_default();
    // as go test: what is in this folder shows all it prints, a list of packages only what fails
    let listed = !request.paths.is_empty();
    let mut ok = true;
    for package in &packages {
        ok &= test(package, &request, listed);
        // the next one starts from here; a folder that is gone would have been reported by it
        let _ = std::env::set_current_dir(&start);
    }
    if !ok && listed {
        println!("FAIL");
    }
    // the machines may still have threads
    let _ = std::io::stdout().flush();
    super::exit_now(i32::from(!ok))
}

/// What the arguments name: folders, `...` for all below, or the files of one package.
fn packages(paths: &[PathBuf]) -> Result<Vec<Package>, String> {
    if paths.is_empty() {
        return Ok(vec![Package::folder(Path::new("."))?]);
    }
    if paths.iter().all(|p| p.is_file()) {
        return Ok(vec![Package::files(paths)]);
    }
    let mut list = vec![];
    for path in paths {
        match path.to_string_lossy().strip_suffix("...") {
            Some(root) => {
                let root = root.trim_end_matches('/');
                let root = if root.is_empty() { "." } else { root };
                for dir in source::folders(Path::new(root))? {
                    list.push(Package::folder(&dir)?);
                }
            }
            None => list.push(Package::folder(path)?),
        }
    }
    Ok(list)
}

/// A writer that keeps what it gets.
#[derive(Clone, Debug, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().map_or(Ok(0), |mut v| v.write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Tests one package. True: nothing failed.
fn test(package: &Package, request: &Request, listed: bool) -> bool {
    let name = package.name();
    let built = program::on_big_stack(|| package.build(request));
    let (module, locate, has_tests) = match built {
        Ok(Some(parts)) => parts,
        Ok(None) => {
            println!("?   \t{name}\t[no test files]");
            return true;
        }
        Err(Trouble::Setup(text)) => {
            eprint!("# {name}\n{text}");
            println!("FAIL\t{name} [setup failed]");
            return false;
        }
        Err(Trouble::Build(text)) => {
            eprint!("# {name} [{name}.test]\n{text}");
            println!("FAIL\t{name} [build failed]");
            return false;
        }
    };
    if !package.enter() {
        return false;
    }
    let quiet = listed && !request.verbose && !request.benches;
    let kept = Kept::default();
    let (streams, sink) = if quiet { kept.streams() } else { (Arc::default(), None) };
    let mut args = vec![format!("{name}.test")];
    args.extend(request.guest_args(&name));
    let begun = Instant::now();
    let job = Job { module: &module, locate, args, streams, sink };
    let code = match execute(job, &request.settings) {
        Ok(code) => code,
        Err(code) => return code == ExitCode::SUCCESS,
    };
    let spent = begun.elapsed().as_secs_f64();
    let kept = kept.0.lock().map(|v| v.clone()).unwrap_or_default();
    conclude(&name, code, spent, listed, (quiet, &kept, has_tests))
}

impl Sink for Kept {
    fn write(&self, text: &str) {
        if let Ok(mut kept) = self.0.lock() {
            kept.extend_from_slice(text.as_bytes());
        }
    }
}

impl Kept {
    /// Streams of a guest all of whose output is kept, and a sink for what the machine says.
    fn streams(&self) -> (Arc<Streams>, Option<Arc<dyn Sink>>) {
        let streams = Streams {
            stdin: Mutex::new(Box::new(std::io::empty())),
            stdout: Mutex::new(Box::new(self.clone())),
            stderr: Mutex::new(Box::new(self.clone())),
        };
        (Arc::new(streams), Some(Arc::new(self.clone())))
    }
}

/// The last lines about a package.
fn conclude(
    name: &str,
    code: i32,
    spent: f64,
    listed: bool,
    (quiet, kept, has_tests): (bool, &[u8], bool),
) -> bool {
    if code == 0 {
        let nothing = if has_tests { "" } else { " [no tests to run]" };
        println!("ok  \t{name}\t{spent:.3}s{nothing}");
        return true;
    }
    if quiet {
        // Nothing can be done about a closed stream.
        let _ = std::io::stdout().write_all(kept);
    }
    if !listed {
        println!("exit status {code}");
    }
    println!("FAIL\t{name}\t{spent:.3}s");
    false
}
