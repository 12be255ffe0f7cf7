//! `gmpl run FILE [ARGS]`: checks, compiles and runs a program.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use gmpl::bytecode::module::Module;
use gmpl::sched::Runtime;
use gmpl::sched::config::Sink;
use gmpl::trace::{JsonTrace, stats_json};
use gmpl::vm::machine::Streams;
use gmpl::vm::{Vm, VmConfig};
use lexopt::{Arg, Parser};

use super::settings::Settings;
use super::{program, usage};

/// Runs the subcommand: flags, then the file, then what belongs to the program.
pub(crate) fn main(args: Parser) -> ExitCode {
    from(args, None)
}

/// As `main`, where the file was already read from the command line.
pub(crate) fn from(mut args: Parser, file: Option<PathBuf>) -> ExitCode {
    let mut settings = Settings::default();
    let mut file = file;
    while file.is_none() {
        match args.next() {
            Ok(Some(Arg::Value(f))) => file = Some(f.into()),
            Ok(Some(arg)) => {
                let shown = format!("{arg:?}");
                let name = match arg {
                    Arg::Long(name) => name.to_owned(),
                    Arg::Short(_) | Arg::Value(_) => {
                        return usage(&format!("unexpected argument {shown}"));
                    }
                };
                match settings.flag(&name, &mut args) {
                    Ok(true) => {}
                    Ok(false) => return usage(&format!("unknown flag --{name}")),
                    Err(e) => return usage(&e.to_string()),
                }
            }
            Ok(None) => return usage("run needs a file"),
            Err(e) => return usage(&e.to_string()),
        }
    }
    let file = file.unwrap_or_default();
    let rest = match args.raw_args() {
        Ok(rest) => rest.map(|a| a.to_string_lossy().into_owned()).collect(),
        Err(e) => return usage(&e.to_string()),
    };
    run(file, rest, &settings)
}

fn run(file: PathBuf, rest: Vec<String>, settings: &Settings) -> ExitCode {
    let mut guest_args = vec![file.display().to_string()];
    guest_args.extend(rest);
    let prepared = program::on_big_stack(|| {
        let files = program::read(std::slice::from_ref(&file)).map_err(|e| e + "\n")?;
        let mut checker = program::check(&file, files, settings.report, true)?;
        let module = program::compile(&mut checker, !settings.no_opt, settings.report)?;
        Ok::<_, String>((module, program::locate(checker.source_map())))
    });
    match prepared {
        Err(message) => {
            eprint!("{message}");
            ExitCode::FAILURE
        }
        Ok((module, locate)) => {
            let job = Job {
                module: &module,
                locate,
                args: guest_args,
                streams: Arc::default(),
                sink: None,
            };
            match execute(job, settings) {
                Ok(code) => exit_now(code),
                Err(code) => code,
            }
        }
    }
}

/// A program that is ready to run.
pub(crate) struct Job<'a> {
    pub(crate) module: &'a Module,
    pub(crate) locate: gmpl::vm::machine::Locate,
    pub(crate) args: Vec<String>,
    pub(crate) streams: Arc<Streams>,
    /// Where the texts of panics and fatal errors go, if not to standard error.
    pub(crate) sink: Option<Arc<dyn Sink>>,
}

/// Runs a program; its exit status, or the command's if it could not be started. Threads of it may be left.
pub(crate) fn execute(job: Job<'_>, settings: &Settings) -> Result<i32, ExitCode> {
    let quit_taken = Arc::default();
    let machine = VmConfig {
        quit_taken: Some(Arc::clone(&quit_taken)),
        streams: job.streams,
        ..settings.vm(job.args)
    };
    let vm = match Vm::new(machine, job.module) {
        Ok(vm) => vm,
        Err(e) => {
            eprintln!("gmpl: {e}");
            return Err(ExitCode::FAILURE);
        }
    };
    if let Err(e) = vm.load(job.module) {
        eprintln!("gmpl: {e} (this is a bug of gmpl)");
        return Err(ExitCode::from(70));
    }
    vm.set_locate(job.locate);
    let mut config = settings.sched();
    if let Some(sink) = job.sink {
        config.sink = sink;
    }
    let trace = match settings.trace.as_ref().map(std::fs::File::create) {
        None => None,
        Some(Ok(f)) => Some(Arc::new(JsonTrace::new(Box::new(BufWriter::new(f))))),
        Some(Err(e)) => {
            eprintln!("gmpl: cannot write the trace: {e}");
            return Err(ExitCode::FAILURE);
        }
    };
    if let Some(t) = &trace {
        config.events = Some(Arc::<JsonTrace>::clone(t));
    }
    let runtime = Runtime::new(config, vm);
    super::quit::install(quit_taken, runtime.quitter());
    let end = runtime.run_main(|co| runtime.machine().start_func(co, job.module.entry));
    finish(&runtime, trace.as_deref(), settings);
    Ok(end.code)
}

/// What is to be written after the program.
fn finish(runtime: &Runtime<Vm>, trace: Option<&JsonTrace>, settings: &Settings) {
    if let Some(t) = trace {
        // Nothing can be done about a trace that cannot be written.
        let _ = t.finish();
    }
    if settings.sched_stats {
        let refills = runtime.machine().heap.stats().refills;
        eprintln!("{}", stats_json(runtime, &[("alloc.slow", refills)]));
    }
    let _ = std::io::stdout().flush();
}

/// Ends the process at once, other threads or not.
pub(crate) fn exit_now(code: i32) -> ! {
    #[expect(
        unsafe_code,
        reason = "other threads still run, so nothing may be torn down under them"
    )]
    {
        // SAFETY: _exit ends the process without running anything.
        unsafe { libc::_exit(code) }
    }
}
