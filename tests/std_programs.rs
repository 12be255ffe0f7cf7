//! Every program in `tests/std/` exercises packages of the library; its snapshot is what real Go prints. Each runs with one and
//! with four Ps, and once with a collection at nearly every safe point. `tests/zoneinfo` holds a few zones of the (public domain) time zone
//! database, so that what they print does not depend on the machine's.

use std::path::{Path, PathBuf};
use std::process::Command;

fn programs() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/std");
    let mut list: Vec<PathBuf> = std::fs::read_dir(dir)
        .expect("tests/std is a folder")
        .map(|e| e.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == "gmp"))
        .collect();
    list.sort();
    list
}

fn run(program: &Path, flags: &[&str]) -> String {
    let name = Path::new("tests/std").join(program.file_name().expect("a file"));
    let out = Command::new(env!("CARGO_BIN_EXE_gmpl"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .arg("run")
        .args(flags)
        .arg(name)
        .env_remove("GOMAXPROCS")
        .env_remove("GODEBUG")
        .env("TZ", "UTC")
        .env("ZONEINFO", "tests/zoneinfo")
        .output()
        .expect("the command starts");
    let code = out.status.code().unwrap_or(-1);
    let errors = String::from_utf8_lossy(&out.stderr);
    assert_eq!(code, 0, "{} {flags:?}: {errors}", program.display());
    String::from_utf8_lossy(&out.stdout).into_owned()
}

#[test]
fn packages_print_what_go_prints() {
    let list = programs();
    assert!(list.len() >= 3, "programs are missing");
    for program in list {
        let name = program.file_stem().expect("a name").to_string_lossy().into_owned();
        for flags in [&["--procs", "1"][..], &["--procs", "4"], &["--gc-stress", "50"]] {
            let shown = run(&program, flags);
            insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true, snapshot_path => "snapshots/std" }, {
                insta::assert_snapshot!(name.clone(), shown);
            });
        }
    }
}
