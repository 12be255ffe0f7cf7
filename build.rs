//! Generates the parser from `grammar/gmp.lalrpop`, and the table of the library's sources in `std/`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=grammar/gmp.lalrpop");
    println!("cargo:rerun-if-changed=std");
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .set_out_dir(&out)
        .emit_rerun_directives(true)
        .emit_comments(false)
        .emit_whitespace(false)
        .process()
        .unwrap_or_else(|e| panic!("the grammar does not build: {e}"));
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("std");
    let mut table = String::from("pub(super) static FILES: &[(&str, &str, &str)] = &[\n");
    let mut rows = Vec::new();
    library(&root, &root, &mut rows);
    rows.sort();
    for (package, name, path) in rows {
        writeln!(table, "    ({package:?}, {name:?}, include_str!({path:?})),").expect("strings can be written");
    }
    table.push_str("];\n");
    std::fs::write(out.join("library.rs"), table).expect("OUT_DIR can be written");
}

/// One row for each source file: package path, file name, text. Sorted, so that builds are reproducible.
fn library(root: &Path, dir: &Path, rows: &mut Vec<(String, String, String)>) {
    for entry in std::fs::read_dir(dir).expect("std is a folder") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            library(root, &path, rows);
        } else if path.extension().is_some_and(|e| e == "gmp") {
            let package = dir.strip_prefix(root).expect("below std").display().to_string();
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            if name.ends_with("_test.gmp") {
                continue;
            }
            rows.push((package, name, path.display().to_string()));
        }
    }
}
