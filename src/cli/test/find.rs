//! What a test file declares: tests, benchmarks, fuzz targets, examples with their output, and TestMain.

use gmpl::syntax::ast::{Ast, Id, List, NIL, Node};

/// One file's findings; names in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) tests: Vec<String>,
    pub(super) benchmarks: Vec<String>,
    pub(super) fuzz: Vec<String>,
    pub(super) examples: Vec<Example>,
    pub(super) has_main: bool,
    /// Functions that are named like tests but cannot be: (byte offset, what is wrong).
    pub(super) wrong: Vec<(u32, String)>,
}

/// An example that says what it prints.
#[derive(Debug)]
pub(super) struct Example {
    pub(super) name: String,
    pub(super) output: String,
    pub(super) unordered: bool,
}

/// Looks through a file.
pub(super) fn find(ast: &Ast) -> Found {
    let mut found = Found::default();
    for &item in &ast.items {
        let Node::FuncDecl { recv, name, ty, body } = ast.node(item) else { continue };
        if recv.len > 0 {
            continue;
        }
        let text = ast.text(name).to_string();
        let offset = ast.toks[ast.pos[item as usize] as usize].start;
        if text == "TestMain" && takes(ast, ty, "M") {
            found.has_main = true;
        } else if is_named(&text, "Test") {
            found.keep(ast, ty, text, offset, "T");
        } else if is_named(&text, "Benchmark") {
            found.keep(ast, ty, text, offset, "B");
        } else if is_named(&text, "Fuzz") {
            found.keep(ast, ty, text, offset, "F");
        } else if is_named(&text, "Example")
            && body != NIL
            && let Some((output, unordered)) = output(ast, body)
        {
            found.examples.push(Example { name: text, output, unordered });
        }
    }
    found
}

impl Found {
    fn keep(&mut self, ast: &Ast, ty: Id, name: String, offset: u32, letter: &str) {
        if !takes(ast, ty, letter) {
            let small = letter.to_lowercase();
            let text = format!(
                "wrong signature for {name}, must be: func {name}({small} *testing.{letter})"
            );
            self.wrong.push((offset, text));
            return;
        }
        match letter {
            "T" => self.tests.push(name),
            "B" => self.benchmarks.push(name),
            _ => self.fuzz.push(name),
        }
    }
}

/// `TestX`, `Test_x` and `Test` are tests; `Testing` is not.
fn is_named(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| !rest.chars().next().is_some_and(char::is_lowercase))
}

/// Whether a function takes one pointer to a type of this name, in any package, and gives nothing.
fn takes(ast: &Ast, ty: Id, letter: &str) -> bool {
    let Node::Func { tparams, params, results } = ast.node(ty) else { return false };
    let [param] = ast.get(params) else { return false };
    let Node::Field(p) = ast.node(*param) else { return false };
    let Node::Star(elem) = ast.node(p.ty) else { return false };
    let name = if let Node::Sel(_, name) = ast.node(elem) {
        ast.text(name)
    } else if let Node::Ident = ast.node(elem) {
        ast.name(elem)
    } else {
        return false;
    };
    is_empty(tparams) && is_empty(results) && name == letter
}

fn is_empty(list: List) -> bool {
    list.len == 0
}

/// What the last comment of a body says after `Output:`, and whether lines may come in any order.
fn output(ast: &Ast, body: Id) -> Option<(String, bool)> {
    let start = ast.toks[ast.pos[body as usize] as usize].start;
    let end = ast.toks[ast.ends[body as usize] as usize].start;
    let group = last_group(ast, start, end)?;
    let trimmed = group.trim_start();
    let lower = trimmed.to_lowercase();
    let (unordered, rest) = match lower.strip_prefix("unordered output:") {
        Some(rest) => (true, rest),
        None => (false, lower.strip_prefix("output:")?),
    };
    let text = &trimmed[trimmed.len() - rest.len()..];
    Some((text.trim_start_matches(' ').to_string(), unordered))
}

/// The words of the last comments in a range of the text, those on following lines taken together.
fn last_group(ast: &Ast, start: u32, end: u32) -> Option<String> {
    let inside: Vec<(u32, u32)> =
        ast.comments.iter().copied().filter(|c| c.0 > start && c.1 <= end).collect();
    let &last = inside.last()?;
    let mut group = vec![last];
    for &c in inside.iter().rev().skip(1) {
        let gap = &ast.src[c.1 as usize..group[group.len() - 1].0 as usize];
        if !gap.trim().is_empty() || gap.matches('\n').count() > 1 {
            break;
        }
        group.push(c);
    }
    let words = group.iter().rev().map(|c| words(&ast.src[c.0 as usize..c.1 as usize]));
    Some(words.collect::<Vec<_>>().join("\n"))
}

fn words(comment: &str) -> &str {
    let comment = comment.trim_end();
    match comment.strip_prefix("//") {
        Some(line) => line.strip_prefix(' ').unwrap_or(line),
        None => comment.trim_start_matches("/*").trim_end_matches("*/"),
    }
}
