//! Every program in `examples/` is a snapshot: source, standard output, standard error and exit status. Each runs with one and
//! four Ps and with several seeds, and must print the same.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn programs() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut list: Vec<PathBuf> = std::fs::read_dir(dir)
        .expect("examples is a folder")
        .map(|e| e.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == "gmp"))
        .collect();
    list.sort();
    list
}

fn run(program: &Path, procs: u32, seed: u32) -> Output {
    let name = Path::new("examples").join(program.file_name().expect("a file"));
    Command::new(env!("CARGO_BIN_EXE_gmpl"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["run", "--procs", &procs.to_string(), "--seed", &seed.to_string()])
        .arg(name)
        .env_remove("GOMAXPROCS")
        .env_remove("GODEBUG")
        .output()
        .expect("the command starts")
}

/// Code offsets in tracebacks change with every change of the compiler.
fn without_offsets(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().map(|l| match l.rfind(" +0x") {
        Some(i) => &l[..i],
        None => l,
    });
    lines.map(|l| format!("{l}\n")).collect()
}

#[test]
fn examples_print_what_they_should() {
    let list = programs();
    assert!(list.len() >= 15, "examples are missing");
    for program in list {
        let first = run(&program, 1, 1);
        for (procs, seed) in [(1, 2), (4, 1), (4, 7)] {
            let other = run(&program, procs, seed);
            let name = program.display();
            assert_eq!(other.stdout, first.stdout, "{name} with {procs} Ps and seed {seed}");
            assert_eq!(
                other.status.code(),
                first.status.code(),
                "{name} with {procs} Ps and seed {seed}"
            );
        }
        let source = std::fs::read_to_string(&program).expect("readable");
        let shown = format!(
            "{source}\n==== stdout\n{}==== stderr\n{}==== exit status {}\n",
            String::from_utf8_lossy(&first.stdout),
            without_offsets(&first.stderr),
            first.status.code().unwrap_or(-1)
        );
        let name = program.file_stem().expect("a name").to_string_lossy().into_owned();
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true, snapshot_path => "snapshots/examples" }, {
            insta::assert_snapshot!(name, shown);
        });
    }
}
