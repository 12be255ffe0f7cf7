//! Line editing (rustyline): a block of several lines is one entry of the history.

use std::path::PathBuf;

use gmpl::source::SourceMap;
use gmpl::syntax;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Completer, Config, Helper, Highlighter, Hinter};

/// What was read.
pub(super) enum Input {
    Text(String),
    /// Ctrl-C.
    Dropped,
    /// Ctrl-D, or the end of the input.
    End,
}

#[derive(Completer, Helper, Highlighter, Hinter)]
struct Whole;

impl Validator for Whole {
    fn validate(&self, ctx: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let incomplete = is_incomplete(ctx.input());
        Ok(if incomplete { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

/// Whether more lines could make this input right.
fn is_incomplete(text: &str) -> bool {
    if text.trim_start().starts_with(':') || text.trim().is_empty() {
        return false;
    }
    let mut map = SourceMap::new();
    let id = map.add("", text.to_string());
    syntax::parse(&map, id).is_incomplete
}

/// The editor, and what it needs where input is no terminal: there lines are joined here.
pub(super) struct Editor {
    editor: rustyline::Editor<Whole, FileHistory>,
    history: Option<PathBuf>,
    terminal: bool,
}

impl Editor {
    pub(super) fn new(history: Option<PathBuf>) -> Result<Editor, String> {
        use std::io::IsTerminal;
        let config = Config::builder().auto_add_history(true).bracketed_paste(true).build();
        let mut editor = rustyline::Editor::with_config(config).map_err(|e| e.to_string())?;
        editor.set_helper(Some(Whole));
        if let Some(file) = &history {
            // A history that cannot be read is an empty one.
            let _ = editor.load_history(file);
        }
        Ok(Editor { editor, history, terminal: std::io::stdin().is_terminal() })
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.terminal
    }

    pub(super) fn read(&mut self) -> Input {
        let mut text = String::new();
        loop {
            let prompt = if self.terminal { "> " } else { "" };
            match self.editor.readline(prompt) {
                Ok(line) => {
                    text.push_str(&line);
                    if self.terminal || !is_incomplete(&text) {
                        return Input::Text(text);
                    }
                    text.push('\n');
                }
                Err(ReadlineError::Interrupted) => return Input::Dropped,
                // What is there at the end is tried as it is, so that its error is told.
                Err(_) if text.trim().is_empty() => return Input::End,
                Err(_) => return Input::Text(text),
            }
        }
    }

    pub(super) fn save(&mut self) {
        if let Some(file) = &self.history {
            // Nothing can be done about a history that cannot be written.
            let _ = self.editor.save_history(file);
        }
    }
}
