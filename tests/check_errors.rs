//! What the checker says about wrong programs: every file under `tests/check` states each error on the line after it,
//! as `// error: COLUMN: TEXT`, and no other may be told. The texts are those of Go 1.27; places inside of a text are
//! written `PLACE`.

use gmpl::diag::Format;
use gmpl::library::Library;
use gmpl::types::Checker;
use std::path::Path;

/// Line, column and text.
type Told = (u32, u32, String);

/// Replaces `file:line:col` by `PLACE`.
fn hide_places(text: &str) -> String {
    let words: Vec<String> = text
        .split(' ')
        .map(|word| {
            let core = word.trim_end_matches([')', ',', ':']);
            let mut parts = core.rsplitn(3, ':');
            let numbers = parts.next().is_some_and(|p| p.parse::<u32>().is_ok())
                && parts.next().is_some_and(|p| p.parse::<u32>().is_ok());
            if numbers && parts.next().is_some() {
                word.replace(core, "PLACE")
            } else {
                word.to_string()
            }
        })
        .collect();
    words.join(" ")
}

fn stated(source: &str) -> Vec<Told> {
    let mut out = vec![];
    let mut line = 0;
    for (i, text) in source.lines().enumerate() {
        let Some(error) = text.strip_prefix("// error: ") else {
            line = i as u32 + 1;
            continue;
        };
        let (col, text) = error.split_once(": ").expect("`// error: COLUMN: TEXT`");
        out.push((line, col.parse().expect("a column"), text.to_string()));
    }
    out
}

fn told(name: &str, source: &str) -> Vec<Told> {
    let mut checker = Checker::new(Box::new(Library));
    checker.check_program(vec![(name.to_string(), source.to_string())]);
    let map = checker.source_map();
    let mut out: Vec<Told> = checker
        .diagnostics()
        .iter()
        .map(|d| {
            let place = map.place(d.pos).expect("every error has a place");
            (place.line, place.col, hide_places(d.text.lines().next().unwrap_or("")))
        })
        .collect();
    out.sort();
    out
}

#[test]
fn errors_are_those_that_the_files_state() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    let mut seen = 0;
    let mut wrong = String::new();
    for entry in std::fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("readable").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let source = std::fs::read_to_string(&path).expect("readable");
        let mut want = stated(&source);
        want.sort();
        seen += want.len();
        let have = told(&name, &source);
        for (line, col, text) in want.iter().filter(|w| !have.contains(w)) {
            wrong.push_str(&format!("{name}:{line}:{col}: not told: {text}\n"));
        }
        for (line, col, text) in have.iter().filter(|h| !want.contains(h)) {
            wrong.push_str(&format!("{name}:{line}:{col}: not stated: {text}\n"));
        }
    }
    assert!(seen > 300, "the files state {seen} errors only");
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_package_of_the_library_is_without_errors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("std");
    let mut work = vec![root];
    while let Some(dir) = work.pop() {
        let mut files = vec![];
        for entry in std::fs::read_dir(&dir).expect("a folder") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|e| e == "gmp") {
                let text = std::fs::read_to_string(&path).expect("readable");
                files.push((path.display().to_string(), text));
            }
        }
        if files.is_empty() {
            continue;
        }
        let mut checker = Checker::new(Box::new(Library));
        checker.check_program(files);
        let errors =
            gmpl::diag::render_all(checker.source_map(), checker.diagnostics(), Format::default());
        assert!(errors.is_empty(), "{errors}");
    }
}

/// Texts that must neither crash nor hang the front end.
#[test]
fn hostile_texts_end_in_errors_or_not_at_all() {
    let n = 20_000;
    let texts = [
        format!("package p\nvar x = {}1{}\n", "(".repeat(n), ")".repeat(n)),
        format!("package p\nvar a int\nvar x = a{}\n", "+a".repeat(n)),
        format!("package p\nvar a int\nvar x = {}a\n", "- ".repeat(n)),
        format!("package p\nvar x {}int\n", "[]".repeat(n)),
        format!("package p\nvar x {}int\n", "*".repeat(n)),
        format!("package p\nfunc f() {{{}{}}}\n", "{".repeat(n), "}".repeat(n)),
        format!("package p\nfunc f(x bool) {{ if x {{ }}{} }}\n", " else if x { }".repeat(n)),
        format!("package p\nvar x = {}", "func() { _ = ".repeat(n)),
        "package p\ntype T[P any] struct { f *T[[]P] }\nvar x T[int]\n".to_string(),
        "package p\nfunc f[P any](x P) { f[*P](&x) }\n".to_string(),
        ") ] ; ".repeat(n),
        "\u{0}\u{feff}`".to_string(),
        String::new(),
    ];
    // the command gives the checker a stack of this size, too
    let run = move || {
        for text in texts {
            told("hostile.go", &text);
        }
    };
    let thread = std::thread::Builder::new().stack_size(512 << 20).spawn(run).expect("a thread");
    thread.join().expect("no text crashes the front end");
}
