//! The main file of a test program: it hands all that was found to package testing.

use std::fmt::Write;

use super::find::Found;

/// The text. `package` and `external` are the import paths of the package with its own tests, if there is any, and of its external tests.
pub(super) fn text(package: Option<&str>, own: &Found, external: Option<(&str, &Found)>) -> String {
    let mut parts = vec![("_test", own)];
    let mut out = String::from("package main\n\nimport (\n\t\"os\"\n\t\"testing\"\n\n");
    if let Some(path) = package {
        let _ = writeln!(out, "\t{} {path:?}", name_of(own, "_test"));
    }
    if let Some((path, found)) = external {
        let _ = writeln!(out, "\t{} {path:?}", name_of(found, "_xtest"));
        parts.push(("_xtest", found));
    }
    out.push_str(")\n\nfunc main() {\n\tm := testing.MainStart(\n");
    list(&mut out, &parts, "InternalTest", |f| &f.tests);
    list(&mut out, &parts, "InternalBenchmark", |f| &f.benchmarks);
    list(&mut out, &parts, "InternalFuzzTarget", |f| &f.fuzz);
    out.push_str("\t\t[]testing.InternalExample{\n");
    for (pkg, found) in &parts {
        for e in &found.examples {
            let _ = writeln!(
                out,
                "\t\t\t{{{:?}, {pkg}.{}, {}, {}}},",
                e.name,
                e.name,
                quoted(&e.output),
                e.unordered
            );
        }
    }
    out.push_str("\t\t},\n\t)\n");
    match parts.iter().find(|(_, f)| f.has_main) {
        Some((pkg, _)) => {
            let _ = writeln!(out, "\t{pkg}.TestMain(m)\n\tos.Exit(m.Code())");
        }
        None => out.push_str("\tos.Exit(m.Run())\n"),
    }
    out.push_str("}\n");
    out
}

/// A package of which nothing is used is imported for what it does when it is initialised.
fn name_of(found: &Found, name: &'static str) -> &'static str {
    let none = found.tests.is_empty()
        && found.benchmarks.is_empty()
        && found.fuzz.is_empty()
        && found.examples.is_empty();
    if none && !found.has_main { "_" } else { name }
}

fn list(out: &mut String, parts: &[(&str, &Found)], ty: &str, pick: impl Fn(&Found) -> &[String]) {
    let _ = writeln!(out, "\t\t[]testing.{ty}{{");
    for (pkg, found) in parts {
        for name in pick(found) {
            let _ = writeln!(out, "\t\t\t{{{name:?}, {pkg}.{name}}},");
        }
    }
    out.push_str("\t\t},\n");
}

/// A string literal of the language.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out + "\""
}
