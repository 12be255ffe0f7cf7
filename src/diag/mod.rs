//! Diagnostics: what is wrong in a program, where, and how it is shown.
//!
//! A wrong program is a list of [`Diagnostic`]s, never an `Err`. This module knows nothing about syntax or types.

mod code;
mod render;
mod spelling;

pub use code::Code;
pub use render::{Form, Format, order, render, render_all};
pub use spelling::nearest;

use crate::source::Pos;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The program cannot run.
    Error,
    /// The program runs, but a reader should know.
    Warning,
}

/// What may help beside a message: another place, or a guess.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The place it speaks of; `Pos::NONE` for a guess.
    pub pos: Pos,
    /// In gmpl's words: Go has none of these.
    pub text: String,
}

/// One message about one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Where; the caret stands here.
    pub pos: Pos,
    /// Its kind, which `gmpl explain` explains.
    pub code: Code,
    /// Go's words, without the position.
    pub text: String,
    /// Error or warning.
    pub severity: Severity,
    /// What may help; shown after the source line.
    pub notes: Vec<Note>,
    /// The how-manyth it was when it was found: the Go compiler stops after ten.
    pub rank: usize,
}

impl Diagnostic {
    /// An error.
    pub fn error(pos: Pos, code: Code, text: impl Into<String>) -> Self {
        Diagnostic {
            pos,
            code,
            text: text.into(),
            severity: Severity::Error,
            notes: vec![],
            rank: 0,
        }
    }

    /// A warning.
    pub fn warning(pos: Pos, code: Code, text: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(pos, code, text) }
    }
}

impl Note {
    /// A guess at what was meant, or advice.
    pub fn hint(text: impl Into<String>) -> Self {
        Note { pos: Pos::NONE, text: text.into() }
    }

    /// Another place that has to do with it.
    pub fn at(pos: Pos, text: impl Into<String>) -> Self {
        Note { pos, text: text.into() }
    }
}
