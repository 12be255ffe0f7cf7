//! Rules of the house that a machine can check: heads, sizes, layers, natives against declarations. A failure says what to do.

use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(dir: &Path, ext: &str) -> Vec<PathBuf> {
    let mut list = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            list.extend(files(&path, ext));
        } else if path.extension().is_some_and(|e| e == ext) {
            list.push(path);
        }
    }
    list.sort();
    list
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("readable")
}

#[test]
fn every_file_says_what_it_is() {
    for dir in ["src", "tests", "benches"] {
        if !root().join(dir).exists() {
            continue;
        }
        for path in files(&root().join(dir), "rs") {
            let text = read(&path);
            assert!(
                text.starts_with("//!"),
                "{}: open it with `//!`: what it is, what it is not, its invariants",
                path.display()
            );
        }
    }
}

#[test]
fn every_package_of_the_library_has_a_comment() {
    for path in files(&root().join("std"), "gmp") {
        let folder = path.parent().expect("in a folder");
        let documented = files(folder, "gmp").iter().any(|p| read(p).starts_with("// Package "));
        assert!(documented, "{}: say `// Package x ...` before a package clause", folder.display());
    }
}

/// Lines of a file without its tests.
fn length(text: &str) -> usize {
    text.lines().take_while(|l| !l.starts_with("#[cfg(test)]")).count()
}

#[test]
fn files_are_not_too_long() {
    for path in files(&root().join("src"), "rs") {
        let name = path.strip_prefix(root()).expect("below the root").display().to_string();
        let n = length(&read(&path));
        assert!(n <= 800, "{name} has {n} lines: split it by concept (at most 800)");
    }
}

/// What each part may use, besides itself. `sync` is for everybody.
const LAYERS: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("sync", &[]),
    ("diag", &["source"]),
    ("syntax", &["source", "diag"]),
    ("types", &["source", "diag", "syntax"]),
    ("library", &["syntax", "types"]),
    ("bytecode", &["source", "types"]),
    ("compile", &["source", "diag", "types", "bytecode"]),
    ("netpoll", &["sync"]),
    ("sched", &["sync", "netpoll"]),
    ("heap", &["sync"]),
    ("value", &["bytecode", "heap"]),
    ("chan", &["sync", "sched"]),
    ("trace", &["sync", "sched"]),
];

#[test]
fn parts_use_only_what_stands_above_them() {
    for (part, allowed) in LAYERS {
        let dir = root().join("src").join(part);
        let list = if dir.is_dir() { files(&dir, "rs") } else { vec![dir.with_extension("rs")] };
        for path in list {
            let text = read(&path);
            let code = text.lines().take_while(|l| !l.starts_with("#[cfg(test)]"));
            for (number, line) in
                code.enumerate().filter(|(_, l)| !l.trim_start().starts_with("//"))
            {
                for (at, _) in line.match_indices("crate::") {
                    let used: String = line[at + 7..]
                        .chars()
                        .take_while(|c| c.is_alphanumeric() || *c == '_')
                        .collect();
                    let fine = used.is_empty()
                        || used == *part
                        || used == "sync"
                        || allowed.contains(&used.as_str());
                    assert!(
                        fine || !root().join("src").join(&used).exists(),
                        "{}:{}: `{part}` must not use `{used}` (see ARCHITECTURE.md)",
                        path.display(),
                        number + 1
                    );
                }
            }
        }
    }
}

/// Names of functions that are declared without a body in `std/`: `pkg.F` or `pkg.T.M`.
fn declared() -> Vec<String> {
    let mut list = Vec::new();
    let std = root().join("std");
    for path in files(&std, "gmp") {
        let package = path
            .parent()
            .expect("in a folder")
            .strip_prefix(&std)
            .expect("below std")
            .display()
            .to_string();
        for line in read(&path).lines().filter(|l| l.starts_with("func ") && !l.contains('{')) {
            let rest = line.trim_start_matches("func ").trim();
            let name = match rest.strip_prefix('(') {
                Some(method) => {
                    let (receiver, rest) = method.split_once(')').expect("a receiver");
                    let ty = receiver.rsplit([' ', '*']).next().expect("a type");
                    format!("{ty}.{}", rest.trim().split('(').next().expect("a name"))
                }
                None => rest.split('(').next().expect("a name").to_string(),
            };
            list.push(format!("{package}.{name}"));
        }
    }
    list.sort();
    list
}

#[test]
fn natives_and_declarations_agree() {
    let declared = declared();
    assert!(declared.len() > 100, "declarations were not found");
    for name in &declared {
        assert!(
            gmpl::natives::find(name).is_some(),
            "{name} is declared in std/ without a body, but src/natives has no such function"
        );
    }
    let compiler: Vec<&str> = gmpl::bytecode::rt::TABLE.iter().map(|r| r.name).collect();
    for name in gmpl::natives::names() {
        let known = compiler.contains(&name.as_str()) || declared.contains(&name);
        assert!(
            known,
            "{name} is a native that nothing declares: remove it, or declare it in std/"
        );
    }
    for name in compiler {
        assert!(
            gmpl::natives::find(name).is_some(),
            "{name} is in bytecode::rt, but src/natives/rt.rs has no such function"
        );
    }
}

#[test]
fn the_folders_at_the_top_are_the_agreed_ones() {
    let wanted = [
        "Cargo.toml",
        "src",
        "grammar",
        "examples",
        "tests",
        "std",
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ];
    for name in wanted {
        assert!(root().join(name).exists(), "{name} is missing");
    }
}

#[test]
fn no_snapshot_without_a_program() {
    let examples = root().join("tests/snapshots/examples");
    for path in files(&examples, "snap") {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(
            root().join("examples").join(format!("{name}.gmp")).exists(),
            "{name}.snap has no program: remove it"
        );
    }
}

#[test]
fn the_conformance_page_names_tests_that_exist() {
    let page = read(&root().join("docs/conformance.md"));
    let table = page.split("## Scripts").next().unwrap_or_default();
    let rows = table.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| Section"));
    for row in rows {
        let tests = row.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        for name in tests.split(',').map(str::trim) {
            let path = match name.split_once('/') {
                Some(("check", file)) => format!("tests/check/{file}.gmp"),
                Some(("corpus", file)) => format!("tests/fuzz/corpus/{file}.go"),
                Some((folder, file)) => format!("tests/{folder}/{file}.go"),
                None => format!("tests/{name}"),
            };
            assert!(
                root().join(&path).is_file(),
                "docs/conformance.md names {path}, which is not there"
            );
        }
    }
}
