//! `gmpl explain [CODE]`: what a kind of error means, with an example; without a code, the list of all.

use std::process::ExitCode;

use gmpl::diag::{Code, nearest};
use lexopt::Arg;

use super::usage;

/// Runs the subcommand.
pub(crate) fn main(mut args: lexopt::Parser) -> ExitCode {
    let mut codes = vec![];
    loop {
        match args.next() {
            Ok(Some(Arg::Value(code))) => codes.push(code.to_string_lossy().into_owned()),
            Ok(Some(other)) => return usage(&other.unexpected().to_string()),
            Ok(None) => break,
            Err(e) => return usage(&e.to_string()),
        }
    }
    if codes.is_empty() {
        list();
    }
    for (i, word) in codes.iter().enumerate() {
        let word = word.trim_matches(['[', ']']);
        let Some(code) = Code::named(word) else { return usage(&unknown(word)) };
        let gap = if i > 0 { "\n" } else { "" };
        println!("{gap}{}\n\n{}", code.name(), code.explanation());
    }
    ExitCode::SUCCESS
}

/// All codes, each with the first sentence about it.
fn list() {
    for code in Code::ALL {
        let text = code.explanation();
        let line = text.lines().next().unwrap_or_default();
        println!("{:26}{line}", code.name());
    }
}

fn unknown(word: &str) -> String {
    let near = nearest(word, Code::ALL.iter().map(|c| c.name()));
    let hint = near.map_or(String::new(), |n| format!("; did you mean {n}?"));
    format!("there is no code {word}{hint}")
}
