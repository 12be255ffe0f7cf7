//! Flags of `gmpl run` and the environment variables that Go programs know.

use std::path::PathBuf;
use std::sync::Arc;

use gmpl::sched::{Config, Hostile};
use gmpl::vm::VmConfig;
use lexopt::Parser;

use super::report::Report;

/// What the command line and the environment ask for.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) no_opt: bool,
    pub(crate) sched_stats: bool,
    pub(crate) trace: Option<PathBuf>,
    pub(crate) report: Report,
    procs: Option<u32>,
    seed: Option<u64>,
    deterministic: bool,
    queues_global: bool,
    virtual_time: bool,
    gc_stress: u32,
}

impl Settings {
    /// Takes a flag of `run` by its name. False: it is none of them.
    pub(crate) fn flag(&mut self, name: &str, args: &mut Parser) -> Result<bool, lexopt::Error> {
        use lexopt::ValueExt;
        match name {
            "no-opt" => self.no_opt = true,
            "sched-stats" => self.sched_stats = true,
            "deterministic" => self.deterministic = true,
            "virtual-time" => self.virtual_time = true,
            "trace" => self.trace = Some(args.value()?.into()),
            "procs" => self.procs = Some(args.value()?.parse()?),
            "queues" => match args.value()?.to_string_lossy().as_ref() {
                "global" => self.queues_global = true,
                "local" => self.queues_global = false,
                _ => return Err("--queues is local or global".into()),
            },
            "seed" => self.seed = Some(args.value()?.parse()?),
            "gc-stress" => self.gc_stress = args.value()?.parse()?,
            _ => return self.report.flag(name, args),
        }
        Ok(true)
    }

    /// Whether a flag has a value.
    pub(crate) fn has_value(name: &str) -> bool {
        matches!(name, "trace" | "procs" | "seed" | "gc-stress" | "error-format" | "color")
    }

    /// The scheduler's settings.
    pub(crate) fn sched(&self) -> Config {
        let mut c = Config::default();
        match self.procs.or_else(|| number("GOMAXPROCS")).filter(|n| *n > 0) {
            Some(n) => c.procs = n.min(gmpl::sched::config::MAX_PROCS),
            None => c.procs_follow = true,
        }
        c.seed = self.seed.unwrap_or_else(random_seed);
        c.deterministic = self.deterministic;
        c.virtual_time = self.virtual_time;
        if self.deterministic {
            c.slice_fuel = Some(2_000_000);
            c.refill_fuel = Some(20_000);
        }
        if self.gc_stress != 0 {
            c.refill_fuel = Some(1);
        }
        for item in variable("GODEBUG").split(',') {
            match item.split_once('=') {
                Some(("schedtrace", ms)) => c.schedtrace_ms = ms.parse().ok().filter(|ms| *ms > 0),
                Some(("scheddetail", v)) => c.scheddetail = v == "1",
                Some(("updatemaxprocs", "0")) => c.procs_follow = false,
                _ => {}
            }
        }
        hostile(&mut c);
        if self.queues_global {
            c.local_queue = 0;
        }
        c
    }

    /// The machine's settings. `args` are the guest's, the program's name first.
    pub(crate) fn vm(&self, args: Vec<String>) -> VmConfig {
        let gogc = variable("GOGC");
        let traceback = variable("GOTRACEBACK");
        VmConfig {
            streams: Arc::default(),
            args,
            env: std::env::vars_os()
                .map(|(k, v)| (k.to_string_lossy().into_owned(), v.to_string_lossy().into_owned()))
                .collect(),
            gc_stress: self.gc_stress,
            gc_trace: variable("GODEBUG").split(',').any(|item| item == "gctrace=1"),
            gc_percent: if gogc == "off" { None } else { Some(gogc.parse().unwrap_or(100)) },
            memory_limit: bytes(&variable("GOMEMLIMIT")),
            traceback_all: matches!(traceback.as_str(), "all" | "system" | "crash" | "2"),
            session: false,
            quit_taken: None,
            first_stack: hostile_words().find(|w| w == "stack64").map_or(0, |_| 8),
            traceback_none: matches!(traceback.as_str(), "none" | "0"),
            virtual_time: self.virtual_time,
        }
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn number(name: &str) -> Option<u32> {
    variable(name).parse().ok()
}

fn random_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::hash::RandomState::new().build_hasher().finish()
}

/// A size such as `512MiB` or `1000000`.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// `GMPL_HOSTILE`: a list of `queue4`, `slice1`, `steal`, `spurious`, `retake`, `stack64`: settings that provoke rare orders,
/// for tests. (Collections at every n-th safe point are a flag of their own, `--gc-stress n`.)
fn hostile_words() -> impl Iterator<Item = String> {
    let words = variable("GMPL_HOSTILE");
    words.split(',').map(str::to_owned).collect::<Vec<_>>().into_iter()
}

fn hostile(c: &mut Config) {
    let mut h = Hostile::default();
    for word in hostile_words() {
        match word.as_str() {
            "queue4" => c.local_queue = 4,
            "slice1" => h.tiny_slice = true,
            "steal" => h.steal_first = true,
            "spurious" => h.spurious_wakes = true,
            "retake" => h.retake_at_once = true,
            _ => {}
        }
    }
    c.hostile = h;
}
