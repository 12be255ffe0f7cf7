//! Diagnostics as text: `file:line:col: message`, the source line, a caret under the place.

use super::{Diagnostic, Severity};
use crate::source::SourceMap;
use std::fmt::Write;

/// The number of errors that are shown unless all are asked for.
const MAX_SHOWN: usize = 10;

/// Sorts by position and drops exact repetitions and second messages on one line with the same text.
pub fn order(list: &mut Vec<Diagnostic>) {
    list.sort_by_key(|d| d.pos);
    list.dedup_by(|a, b| a.pos == b.pos && a.text == b.text);
}

/// One diagnostic with its source line and caret.
pub fn render(map: &SourceMap, d: &Diagnostic) -> String {
    let mut out = String::new();
    let kind = if d.severity == Severity::Warning { "warning: " } else { "" };
    let Some(place) = map.place(d.pos) else {
        let _ = writeln!(out, "{kind}{}", d.text);
        return out;
    };
    let _ = writeln!(out, "{}:{}:{}: {kind}{}", place.file, place.line, place.col, d.text);
    let Some(file) = map.file_of(d.pos) else { return out };
    let line = map.file(file).line_text(place.line);
    if line.trim().is_empty() || line.len() > 400 {
        return out;
    }
    let upto = line.get(..(place.col as usize - 1).min(line.len())).unwrap_or("");
    let pad: String = upto.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let _ = writeln!(out, "{line}\n{pad}^");
    out
}

/// All diagnostics in order; at most ten errors unless `all`, then `too many errors`.
pub fn render_all(map: &SourceMap, list: &[Diagnostic], all: bool) -> String {
    let mut out = String::new();
    let mut shown = 0;
    for d in list {
        if d.severity == Severity::Error {
            if shown == MAX_SHOWN && !all {
                out.push_str("too many errors\n");
                break;
            }
            shown += 1;
        }
        out.push_str(&render(map, d));
    }
    out
}
