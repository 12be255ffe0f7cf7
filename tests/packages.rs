//! Packages of the user's own: folders, `gmp.mod`, `internal`, cycles, missing ones.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A project in a folder of its own: (path, text) of its files.
fn project(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("gmpl-packages-{name}-{}", std::process::id()));
    for (path, text) in files {
        let path = dir.join(path);
        std::fs::create_dir_all(path.parent().expect("in the project")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    dir
}

fn gmpl(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gmpl"))
        .current_dir(dir)
        .args(args)
        .output()
        .expect("the command starts")
}

fn stdout(o: &Output) -> String {
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    String::from_utf8_lossy(&o.stdout).into_owned()
}

const UTIL: (&str, &str) = (
    "util/util.gmp",
    "package util\n\nvar Log []string\n\nfunc init() { Log = append(Log, \"util\") }\n\nfunc Twice(n int) int { return 2 * n }\n",
);

#[test]
fn a_folder_beside_the_program() {
    let main = "package main\n\nimport \"./util\"\n\nfunc main() { println(util.Twice(4), len(util.Log)) }\n";
    let dir = project("beside", &[("main.gmp", main), UTIL]);
    let out = gmpl(&dir, &["run", "main.gmp"]);
    assert_eq!(String::from_utf8_lossy(&out.stderr), "8 1\n");
}

#[test]
fn a_module_and_a_program_of_several_files() {
    let dir = project(
        "module",
        &[
            ("gmp.mod", "module example.com/m\n"),
            (
                "a.gmp",
                "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/m/util\"\n)\n\nfunc main() { fmt.Println(helper(), util.Log) }\n",
            ),
            (
                "b.gmp",
                "package main\n\nimport \"example.com/m/util\"\n\nfunc helper() int { return util.Twice(21) }\n",
            ),
            ("b_test.gmp", "package main\n\nthis is not read\n"),
            UTIL,
        ],
    );
    assert_eq!(stdout(&gmpl(&dir, &["run", "."])), "42 [util]\n");
}

#[test]
fn what_is_wrong_is_said() {
    let dir = project(
        "wrong",
        &[
            ("gmp.mod", "module m\n"),
            ("a/internal/x/x.gmp", "package x\n"),
            ("cyc/one/one.gmp", "package one\n\nimport _ \"m/cyc/two\"\n"),
            ("cyc/two/two.gmp", "package two\n\nimport _ \"m/cyc/one\"\n"),
            (
                "b/main.gmp",
                "package main\n\nimport (\n\t_ \"m/a/internal/x\"\n\t_ \"strngs\"\n\t_ \"./no\"\n\t_ \"m/cyc/one\"\n)\n\nfunc main() {}\n",
            ),
        ],
    );
    let out = gmpl(&dir, &["check", "b/main.gmp"]);
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(1));
    for want in [
        "b/main.gmp:4:4: use of internal package m/a/internal/x not allowed",
        "b/main.gmp:5:4: package strngs is not in std\n\tdid you mean \"strings\"?",
        "b/main.gmp:6:4: package ./no is not in std; looked in ",
        "two.gmp:3:10: import cycle not allowed",
    ] {
        assert!(text.contains(want), "{want:?} is missing in\n{text}");
    }
}

#[test]
fn errors_in_a_package_are_errors_of_the_program() {
    let main = "package main\n\nimport \"./bad\"\n\nfunc main() { bad.F() }\n";
    let dir = project(
        "errors",
        &[("main.gmp", main), ("bad/bad.gmp", "package bad\n\nfunc F() { x := 1 }\n")],
    );
    let out = gmpl(&dir, &["run", "main.gmp"]);
    assert!(
        String::from_utf8_lossy(&out.stderr)
            .starts_with("bad/bad.gmp:3:12: declared and not used: x")
    );
    assert_eq!(out.status.code(), Some(1));
}

#[test]
fn a_function_without_a_body_in_a_package_is_an_error() {
    let main = "package main\n\nimport \"./util\"\n\nfunc main() { util.Fast() }\n";
    let dir =
        project("bodiless", &[("main.gmp", main), ("util/a.gmp", "package util\n\nfunc Fast()\n")]);
    let out = gmpl(&dir, &["run", "--error-format=short", "main.gmp"]);
    assert_eq!(String::from_utf8_lossy(&out.stderr), "util/a.gmp:3:6: missing function body\n");
    assert_eq!(out.status.code(), Some(1));
}
