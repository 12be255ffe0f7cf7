//! The table of rows is complete, and what it names exists.

use crate::run::root;
use std::collections::BTreeSet;

/// Rows of each part of the specification.
const ROWS: &[(&str, usize)] = &[
    ("A", 13),
    ("B", 7),
    ("C", 11),
    ("D", 11),
    ("E", 10),
    ("F", 12),
    ("G", 2),
    ("2.1.", 11),
    ("2.2.", 15),
    ("2.3.", 8),
    ("2.4.", 13),
    ("2.5.", 12),
    ("2.6.", 7),
    ("2.7.", 24),
    ("2.8.", 9),
    ("2.9.", 12),
    ("2.10.", 8),
];

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Whether the file has a test function with this name, alone or in a module.
fn has_test(file: &str, name: &str) -> bool {
    let text = read(file);
    let head = format!("fn {name}(");
    text.match_indices(&head).any(|(at, _)| {
        let before = text[..at].trim_end();
        before.ends_with("#[test]")
            || before.lines().rev().take(3).any(|l| l.trim().starts_with("#[test]"))
    })
}

#[test]
fn every_row_names_a_test_that_exists() {
    let text = read("tests/ROWS.md");
    let probes: BTreeSet<String> = read("tests/probes/EXPECTED.txt")
        .lines()
        .filter_map(|l| l.strip_prefix("=== ").map(str::to_owned))
        .collect();
    let different = read("tests/recorded.rs");
    let mut seen = BTreeSet::new();
    for line in text.lines().filter(|l| l.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [row, _, shown] = cells[..] else { panic!("three cells: {line}") };
        if row == "row" || row.starts_with("---") {
            continue;
        }
        assert!(seen.insert(row.to_owned()), "{row} is there twice");
        for word in shown.split([',', ';']).map(str::trim).filter(|w| !w.is_empty()) {
            let Some(word) = word.strip_prefix('`').and_then(|w| w.strip_suffix('`')) else {
                assert!(shown.starts_with("nothing to show: "), "{row}: {word}");
                break;
            };
            if let Some((file, name)) = word.split_once("::") {
                assert!(has_test(file, name), "{row}: there is no test {name} in {file}");
            } else if word.contains('/') {
                assert!(root().join(word).exists(), "{row}: there is no {word}");
            } else {
                assert!(probes.contains(word), "{row}: there is no probe {word}");
                let skipped = different.contains(&format!("(\"{word}\", "));
                assert!(!skipped, "{row}: the probe {word} is left out");
            }
        }
    }
    for (part, n) in ROWS {
        for i in 1..=*n {
            let row = format!("{part}{i}");
            assert!(seen.remove(&row), "no line for row {row}");
        }
    }
    assert!(seen.is_empty(), "unknown rows: {seen:?}");
}
