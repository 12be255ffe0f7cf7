//! Diagnostics: what is wrong in a program, where, and how it is shown.
//!
//! A wrong program is a list of [`Diagnostic`]s, never an `Err`. This module knows nothing about syntax or types.

mod render;

pub use render::{order, render, render_all};

use crate::source::Pos;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The program cannot run.
    Error,
    /// The program runs, but a reader should know.
    Warning,
}

/// One message about one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Where; the caret stands here.
    pub pos: Pos,
    /// Go's words, without the position.
    pub text: String,
    /// Error or warning.
    pub severity: Severity,
}

impl Diagnostic {
    /// An error.
    pub fn error(pos: Pos, text: impl Into<String>) -> Self {
        Diagnostic { pos, text: text.into(), severity: Severity::Error }
    }

    /// A warning.
    pub fn warning(pos: Pos, text: impl Into<String>) -> Self {
        Diagnostic { pos, text: text.into(), severity: Severity::Warning }
    }
}
