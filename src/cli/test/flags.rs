//! The arguments of `gmpl test`: flags of `go test`, flags of `gmpl run`, then folders or files, and after `-args` what belongs to the tests.

use std::path::PathBuf;

use crate::cli::settings::Settings;

/// What is asked for.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub(super) paths: Vec<PathBuf>,
    pub(super) settings: Settings,
    pub(super) verbose: bool,
    /// Benchmarks run, so that output is shown in any case.
    pub(super) benches: bool,
    /// Flags for the test program, as package testing names them.
    test_flags: Vec<String>,
    /// What comes after `-args`.
    rest: Vec<String>,
    has_timeout: bool,
}

/// Flags that take a value.
const VALUED: &[&str] =
    &["run", "skip", "bench", "benchtime", "count", "list", "parallel", "timeout"];
/// Flags that are on or off.
const PLAIN: &[&str] = &["v", "short", "failfast", "benchmem"];
/// How long the tests of a package may take if nothing else is said: as go test.
const TIMEOUT: &str = "10m";

impl Request {
    /// The arguments of the test program of a package.
    pub(super) fn guest_args(&self, package: &str) -> Vec<String> {
        let mut args = self.test_flags.clone();
        if !self.has_timeout {
            args.push(format!("-test.timeout={TIMEOUT}"));
        }
        args.push(format!("-test.package={package}"));
        args.extend(self.rest.iter().cloned());
        args
    }

    /// Takes a flag; `value` is what came after `=`. False: it is none of the flags of a test.
    fn take(
        &mut self,
        name: &str,
        value: Option<&str>,
        more: &mut impl Iterator<Item = String>,
    ) -> Result<bool, String> {
        if PLAIN.contains(&name) {
            let value = value.unwrap_or("true");
            self.verbose |= name == "v" && value != "false";
            self.test_flags.push(format!("-test.{name}={value}"));
            return Ok(true);
        }
        if !VALUED.contains(&name) {
            return Ok(false);
        }
        let value = match value {
            Some(value) => value.to_string(),
            None => more.next().ok_or_else(|| format!("-{name} needs a value"))?,
        };
        self.benches |= name == "bench";
        self.has_timeout |= name == "timeout";
        self.test_flags.push(format!("-test.{name}={value}"));
        Ok(true)
    }
}

/// Reads the command line.
pub(super) fn parse(mut args: lexopt::Parser) -> Result<Request, String> {
    let mut request = Request::default();
    let raw = args.raw_args().map_err(|e| e.to_string())?;
    let mut raw = raw.map(|a| a.to_string_lossy().into_owned());
    while let Some(arg) = raw.next() {
        let Some(flag) = arg.strip_prefix('-').filter(|f| !f.is_empty()) else {
            request.paths.push(arg.into());
            continue;
        };
        let flag = flag.strip_prefix('-').unwrap_or(flag);
        if flag == "args" {
            request.rest = raw.collect();
            break;
        }
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name.to_string(), Some(value.to_string())),
            None => (flag.to_string(), None),
        };
        let test_name = name.strip_prefix("test.").unwrap_or(&name);
        if request.take(test_name, value.as_deref(), &mut raw)? {
            continue;
        }
        // a flag of the machine: its value, if it has one, is the next argument
        let mut own: Vec<String> = value.into_iter().collect();
        if own.is_empty() && Settings::has_value(&name) {
            own.extend(raw.next());
        }
        let mut parser = lexopt::Parser::from_args(own);
        match request.settings.flag(&name, &mut parser) {
            Ok(true) => {}
            Ok(false) => return Err(format!("unknown flag -{name}")),
            Err(e) => return Err(e.to_string()),
        }
    }
    Ok(request)
}
