//! How errors are shown: `--error-format`, `--color`, `--all-errors`, and the variables `NO_COLOR` and `CLICOLOR_FORCE`.

use std::io::IsTerminal;

use gmpl::diag::{Form, Format};
use lexopt::{Error, Parser, ValueExt};

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Color {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    Always,
    Never,
}

/// What the command line asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Report {
    form: Form,
    color: Color,
    all: bool,
}

impl Report {
    /// Takes a flag by its name. False: it is none of these.
    pub(crate) fn flag(&mut self, name: &str, args: &mut Parser) -> Result<bool, Error> {
        match name {
            "all-errors" => self.all = true,
            "error-format" => {
                self.form = args.value()?.parse_with(|v| match v {
                    "human" => Ok(Form::Human),
                    "short" => Ok(Form::Short),
                    "json" => Ok(Form::Json),
                    _ => Err("it is human, short or json"),
                })?;
            }
            "color" => {
                self.color = args.value()?.parse_with(|v| match v {
                    "auto" => Ok(Color::Auto),
                    "always" => Ok(Color::Always),
                    "never" => Ok(Color::Never),
                    _ => Err("it is auto, always or never"),
                })?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The format of what is written to standard error now.
    pub(crate) fn format(self) -> Format {
        let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        let color = match self.color {
            Color::Always => true,
            Color::Never => false,
            // the conventions of no-color.org and bixense.com/clicolors
            Color::Auto if set("NO_COLOR") => false,
            Color::Auto if std::env::var_os("CLICOLOR_FORCE").is_some_and(|v| v != "0") => true,
            Color::Auto => std::io::stderr().is_terminal() && !is_dumb(),
        };
        Format { form: self.form, color: color && self.form == Form::Human, all: self.all }
    }
}

/// A terminal that says it knows no colours.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|t| t == "dumb")
}
