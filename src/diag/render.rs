//! Diagnostics as text: Go's words first, then the source line with a caret, the code and what may help.
//!
//! Three forms. *Human*: all of that, in colour if asked. *Short*: Go's words alone, as the Go compiler prints them. *JSON*: an object a
//! line with `file`, `line`, `col`, `severity`, `code`, `message` and `notes` (each `file`, `line`, `col`, `text`, or `text` alone).

use super::{Diagnostic, Note, Severity};
use crate::source::{Pos, SourceMap};
use serde_json::{Value, json};
use std::fmt::Write;

/// The number of errors that are shown unless all are asked for.
const MAX_SHOWN: usize = 10;
/// Source lines longer than this are not shown.
const MAX_LINE: usize = 400;

/// How much is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// For people: with the source line, a caret, the code and notes.
    #[default]
    Human,
    /// As the Go compiler.
    Short,
    /// For programs.
    Json,
}

/// How diagnostics are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Format {
    /// How much.
    pub form: Form,
    /// With colours (only for people).
    pub color: bool,
    /// All errors, not only ten. JSON always has all.
    pub all: bool,
}

/// Colours, as numbers of the terminal's.
const BOLD: &str = "1";
const RED: &str = "1;31";
const YELLOW: &str = "1;33";
const GREEN: &str = "1;32";
const CYAN: &str = "36";

impl Format {
    fn paint(self, color: &str, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_string();
        }
        format!("\u{1b}[{color}m{text}\u{1b}[0m")
    }
}

/// Sorts by position and drops exact repetitions and second messages on one line with the same text.
pub fn order(list: &mut Vec<Diagnostic>) {
    list.sort_by_key(|d| d.pos);
    list.dedup_by(|a, b| a.pos == b.pos && a.text == b.text);
}

/// The Go compiler keeps columns in a byte; what stands further right is shown by its line alone.
const MAX_COL: u32 = 254;

/// `file:line:col`.
fn shown_place(map: &SourceMap, pos: Pos) -> Option<String> {
    let p = map.place(pos)?;
    Some(if p.col > MAX_COL { format!("{}:{}", p.file, p.line) } else { p.to_string() })
}

/// One diagnostic, its newline included.
pub fn render(map: &SourceMap, d: &Diagnostic, format: Format) -> String {
    match format.form {
        Form::Json => json_line(map, d),
        Form::Short => first_lines(map, d, Format { color: false, ..format }),
        Form::Human => {
            let mut out = first_lines(map, d, format);
            out.push_str(&source_lines(map, d, format));
            for note in &d.notes {
                out.push_str(&note_line(map, note, format));
            }
            out
        }
    }
}

/// Go's words.
fn first_lines(map: &SourceMap, d: &Diagnostic, format: Format) -> String {
    let kind = if d.severity == Severity::Warning {
        format.paint(YELLOW, "warning: ")
    } else {
        String::new()
    };
    let (first, rest) = match d.text.split_once('\n') {
        Some((first, rest)) => (first, format!("\n{rest}")),
        None => (d.text.as_str(), String::new()),
    };
    let color = if d.severity == Severity::Warning { BOLD } else { RED };
    let text = format.paint(color, first) + &rest;
    match shown_place(map, d.pos) {
        Some(place) => format!("{} {kind}{text}\n", format.paint(BOLD, &format!("{place}:"))),
        None => format!("{kind}{text}\n"),
    }
}

/// The line of the source and a caret with the code; empty where there is nothing to see.
fn source_lines(map: &SourceMap, d: &Diagnostic, format: Format) -> String {
    let Some((line, offset)) = map.line_at(d.pos) else { return String::new() };
    if line.trim().is_empty() || line.len() > MAX_LINE {
        return String::new();
    }
    let upto = line.get(..offset.min(line.len())).unwrap_or("");
    let pad: String = upto.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let caret = format.paint(GREEN, "^");
    let code = format.paint(CYAN, &format!("[{}]", d.code.name()));
    format!("{line}\n{pad}{caret} {code}\n")
}

fn note_line(map: &SourceMap, note: &Note, format: Format) -> String {
    let head = match shown_place(map, note.pos) {
        Some(place) => format!("{place}:"),
        None => "hint:".into(),
    };
    format!("\t{} {}\n", format.paint(CYAN, &head), note.text)
}

fn json_line(map: &SourceMap, d: &Diagnostic) -> String {
    let mut object = json_place(map, d.pos);
    let severity = if d.severity == Severity::Warning { "warning" } else { "error" };
    let notes: Vec<Value> = d.notes.iter().map(|n| json_note(map, n)).collect();
    object["severity"] = severity.into();
    object["code"] = d.code.name().into();
    object["message"] = d.text.as_str().into();
    object["notes"] = notes.into();
    format!("{object}\n")
}

fn json_note(map: &SourceMap, note: &Note) -> Value {
    let mut object = json_place(map, note.pos);
    object["text"] = note.text.as_str().into();
    object
}

fn json_place(map: &SourceMap, pos: Pos) -> Value {
    match map.place(pos) {
        Some(p) => json!({ "file": p.file, "line": p.line, "col": p.col }),
        None => json!({}),
    }
}

/// All diagnostics in order. As the Go compiler: the first ten errors that were found unless all are asked for, then, where the
/// tenth was, `too many errors`.
pub fn render_all(map: &SourceMap, list: &[Diagnostic], format: Format) -> String {
    let limited = !format.all && format.form != Form::Json;
    let mut out = String::new();
    let mut tenth = None;
    for d in list {
        if limited && d.severity == Severity::Error && d.rank >= MAX_SHOWN {
            continue;
        }
        if d.rank + 1 == MAX_SHOWN {
            tenth = Some(d.pos);
        }
        out.push_str(&render(map, d, format));
    }
    if let Some(pos) = tenth.filter(|_| limited) {
        let place = shown_place(map, pos).map_or(String::new(), |p| p + ": ");
        let _ = writeln!(out, "{place}too many errors");
    }
    out
}
