//! Generates the parser from `grammar/gmp.lalrpop` and embeds the sources of the library under `std`.

use std::fmt::Write;
use std::path::Path;

#[path = "src/syntax/outline.rs"]
#[expect(dead_code, unreachable_pub, reason = "the library needs the rest of it")]
mod outline;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=grammar/gmp.lalrpop");
    println!("cargo:rerun-if-changed=std");
    println!("cargo:rerun-if-changed=src/syntax/outline.rs");
    thread_handlers();
    link_at_a_fixed_place();
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    embed_library(Path::new(&out));
    lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .set_out_dir(out)
        .emit_rerun_directives(true)
        .emit_comments(false)
        .emit_whitespace(false)
        .process()
        .unwrap_or_else(|e| panic!("the grammar does not build: {e}"));
}

/// Sets `threaded` where the calls between the handlers of the opcodes become jumps: see `vm::handlers`.
fn thread_handlers() {
    println!("cargo:rustc-check-cfg=cfg(threaded)");
    let is = |name: &str, values: &[&str]| {
        std::env::var(name).is_ok_and(|v| values.contains(&v.as_str()))
    };
    if is("OPT_LEVEL", &["2", "3"]) && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"]) {
        println!("cargo:rustc-cfg=threaded");
    }
}

/// A program that is loaded anywhere has pointers in its tables that the loader sets at each start, page by page: a twentieth of the
/// time that a short program takes. As the programs of Go's own linker, `gmpl` has a fixed place.
fn link_at_a_fixed_place() {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|v| v == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}

/// Writes a table of the files with their outlines, sorted by package and name.
fn embed_library(out: &Path) {
    let root = std::env::current_dir().expect("a current directory").join("std");
    let mut files = vec![];
    walk(&root, &root, &mut files);
    files.sort();
    let mut table = String::from("&[\n");
    for (package, name, path) in files {
        let text = std::fs::read_to_string(&path).expect("a file of the library is text");
        let outline = outline::Outline::of(&text);
        let (funcs, decls) = (&outline.funcs, &outline.decls);
        let _ = writeln!(
            table,
            "Embedded {{ package: {package:?}, name: {name:?}, text: include_str!({path:?}), outline: Outline {{ \
             funcs: Cow::Borrowed(&{funcs:?}), decls: Cow::Borrowed(&{decls:?}) }} }},"
        );
    }
    table.push_str("]\n");
    std::fs::write(out.join("library.rs"), table).expect("OUT_DIR can be written");
}

fn walk(root: &Path, dir: &Path, files: &mut Vec<(String, String, String)>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            println!("cargo:rerun-if-changed={}", path.display());
            walk(root, &path, files);
        } else if name.ends_with(".gmp") && !name.ends_with("_test.gmp") {
            let package = dir
                .strip_prefix(root)
                .map(|p| p.to_string_lossy().replace('\\', "/"))
                .unwrap_or_default();
            files.push((package, name, path.display().to_string()));
        }
    }
}
