//! `docs/scheduler.md` shows what it says: its programs are written out, its commands run in their order, and each line of output
//! that it shows must come, in this order. `…` stands for anything.

use crate::run::{Folder, root};
use std::path::Path;
use std::process::{Command, Stdio};

/// Whether `line` consists of the pieces of `pattern` in their order.
fn matches(line: &str, pattern: &str) -> bool {
    let pieces: Vec<&str> = pattern.split('…').collect();
    if pieces.len() == 1 {
        return line.trim_end() == pattern.trim_end();
    }
    let mut rest = line;
    for (i, piece) in pieces.iter().enumerate() {
        match rest.find(piece) {
            Some(at) if i > 0 || at == 0 => rest = &rest[at + piece.len()..],
            _ => return false,
        }
    }
    pieces.last().is_some_and(|last| last.is_empty()) || rest.trim_end().is_empty()
}

fn run(dir: &Path, command: &str) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_gmpl")).parent().expect("in a folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let out = Command::new("sh")
        .args(["-c", command])
        .current_dir(dir)
        .env("PATH", path)
        .env_remove("GODEBUG")
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell");
    format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

/// Runs the commands of a block. What was shown of one must come in its order before the next is run.
fn console(dir: &Path, block: &[&str]) -> usize {
    let mut got: Vec<String> = Vec::new();
    let mut from = 0;
    let mut commands = 0;
    for line in block {
        if let Some(command) = line.strip_prefix("$ ") {
            got = run(dir, command).lines().map(str::to_owned).collect();
            (from, commands) = (0, commands + 1);
            continue;
        }
        let found = got[from..].iter().position(|l| matches(l, line));
        let found = found
            .unwrap_or_else(|| panic!("no {line}\nin {:#?}", &got[from..got.len().min(from + 40)]));
        from += found + 1;
    }
    commands
}

#[test]
fn the_scheduler_s_page_shows_what_it_says() {
    let text = std::fs::read_to_string(root().join("docs/scheduler.md")).expect("readable");
    let folder = Folder::new();
    let lines: Vec<&str> = text.lines().collect();
    let (mut commands, mut at) = (0, 0);
    while at < lines.len() {
        let Some(fence) = lines[at].strip_prefix("```") else {
            at += 1;
            continue;
        };
        let end = at + 1 + lines[at + 1..].iter().position(|l| *l == "```").expect("a block ends");
        let block = &lines[at + 1..end];
        if let Some(name) = fence.strip_prefix("go ") {
            std::fs::write(folder.0.join(name), block.join("\n") + "\n").expect("written");
        } else if fence == "console" {
            commands += console(&folder.0, block);
        }
        at = end + 1;
    }
    assert!(commands >= 20, "{commands}");
}

#[test]
fn patterns() {
    assert!(matches("abc", "abc") && matches("a1c2", "a…c…") && matches("a1c", "a…c"));
    assert!(!matches("xa1c", "a…c") && !matches("a1cx", "a…c") && !matches("abc", "ab"));
}
