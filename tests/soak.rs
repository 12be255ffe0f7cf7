//! A soak: spawn storms, channels, selects, timers, TCP, blocking reads, recovered panics, changes of GOMAXPROCS and collections
//! together. All sums must be exact, and goroutines, descriptors, threads and memory must not grow.
//!
//! A few seconds here; `GMPL_SOAK=10m cargo test --release --test soak -- --nocapture` for the whole.

#![allow(clippy::print_stdout, reason = "the figures are shown with --nocapture")]

use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn nothing_is_lost_and_nothing_leaks() {
    let length = std::env::var("GMPL_SOAK").unwrap_or_else(|_| "4s".to_owned());
    let out = Command::new(env!("CARGO_BIN_EXE_gmpl"))
        .args(["run", "--procs", "4", "tests/soak/soak.gmp", &length])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .env_remove("GODEBUG")
        .stdin(Stdio::null())
        .output()
        .expect("the command starts");
    let (text, err) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    println!("{err}");
    let want = "goroutines 1 1\ndescriptors flat true\nmemory flat true\nthreads bounded true\n";
    assert_eq!((&*text, out.status.code()), (want, Some(0)), "{err}");
}
