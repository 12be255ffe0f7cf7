//! Text to tree: lexer, marking pass, generated parser, messages in order.

#![expect(clippy::wildcard_enum_match_arm, reason = "only tokens with a payload are touched")]

use super::ast::{Ast, Msg};
use super::lexer;
use super::mark;
use super::message;
use super::outline::{self, FuncHead, Outline};
use super::token::{Semi, Tok, Token};
use super::wording;
use crate::diag::{Code, Diagnostic};
use crate::source::{FileId, Pos, SourceMap, Text};
use std::ops::Range;

/// A file's tree and what is wrong with its text.
#[derive(Debug)]
pub struct Outcome {
    /// The whole text; after a syntax error only what Go's parser checks on its own, bodies of functions without one.
    pub ast: Ast,
    /// In the order of the source.
    pub errors: Vec<Diagnostic>,
    /// There is a syntax error.
    pub fatal: bool,
    /// More text could mend the first error: what a REPL asks before it complains.
    pub is_incomplete: bool,
}

/// Errors that leave a whole tree behind; Go tells them without calling them syntax errors.
pub(super) const PLAIN: [&str; 8] = [
    super::build::DOTS_FINAL,
    super::build::DOTS_USE,
    super::build::GO_PAREN,
    super::build::DEFER_PAREN,
    "middle index required in 3-index slice",
    "final index required in 3-index slice",
    "method has no receiver",
    "method has multiple receivers",
];

/// Parses a file of the map.
pub fn parse(map: &SourceMap, file: FileId) -> Outcome {
    let file = map.file(file);
    parse_without(file.text.clone(), file.base, vec![])
}

/// Parses what a file of the library has beside the declarations of its outline: its package clause and imports.
pub(crate) fn outline(map: &SourceMap, file: FileId, outline: &Outline) -> Outcome {
    let file = map.file(file);
    parse_without(file.text.clone(), file.base, outline.holes())
}

/// Parses a declaration that an outline left out.
pub(crate) fn declaration(map: &SourceMap, file: FileId, range: outline::Range) -> Outcome {
    part(map, file, range, None)
}

/// Parses a function that an outline left out, with its body or with an empty one.
pub(crate) fn function(map: &SourceMap, file: FileId, head: &FuncHead, whole: bool) -> Outcome {
    part(map, file, head.range, head.body.filter(|_| !whole))
}

/// Parses a part of a file, without the hole.
fn part(
    map: &SourceMap,
    file: FileId,
    (from, to): outline::Range,
    hole: Option<outline::Range>,
) -> Outcome {
    let file = map.file(file);
    let range = from as usize..to as usize;
    let text = match &file.text {
        Text::Borrowed(text) => Text::Borrowed(&text[range]),
        Text::Owned(text) => Text::Owned(text[range].to_string()),
    };
    let hole = hole.map(|(a, b)| (a - from, b - from));
    parse_without(text, file.base + from, hole.into_iter().collect())
}

/// Parses a text whose first byte has position `base`.
pub fn parse_text(src: &str, base: u32) -> Outcome {
    parse_without(Text::Owned(src.to_string()), base, vec![])
}

/// Parses a text, some parts left out.
fn parse_without(src: Text, base: u32, holes: Vec<(u32, u32)>) -> Outcome {
    let lexed = lexer::lex_without(&src, &holes);
    let comments = lexed.comments;
    let mut wrong: Vec<u32> = lexed.messages.iter().map(|m| m.at).collect();
    wrong.sort_unstable();
    let (unreadable, misread) = (lexed.unreadable, wrong.clone());
    let ast = Ast { src, base, comments, unreadable, misread, ..Ast::default() };
    let first = Tree::new(ast, lexed.tokens);
    let at_end = first.at_end;
    let (mut tree, told) =
        if first.is_refused() { settled(first, &wrong, &holes) } else { (first, None) };
    let fatal = tree.is_refused();
    let mut all: Vec<wording::Complaint> =
        lexed.messages.into_iter().map(|m| (m.at, m.text, false)).collect();
    match told {
        Some(list) => all.extend(list),
        None => all.extend(tree.complaints(!wrong.is_empty())),
    }
    let errors = finish(all, &tree.ast.src, base);
    if fatal {
        tree.ast.errs.clear();
    }
    Outcome {
        fatal,
        is_incomplete: lexed.open || (at_end && !errors.is_empty()),
        ast: tree.ast,
        errors,
    }
}

/// What the generated parser makes of some tokens.
struct Tree {
    ast: Ast,
    messages: Vec<Msg>,
    /// The first error is the end of the text.
    at_end: bool,
    /// The `{` of function bodies that wrongly stand on a line of their own.
    braces: Vec<u32>,
}

impl Tree {
    /// Fills a tree that has no nodes.
    fn new(mut ast: Ast, mut tokens: Vec<Token>) -> Tree {
        let braces = mark::mark(&mut tokens).braces;
        let n = tokens.len();
        for list in [&mut ast.pos, &mut ast.ends, &mut ast.pool] {
            list.reserve(n);
        }
        ast.nodes.reserve(n);
        let (mut messages, at_end) = run(&mut ast, tokens);
        message::settle(&mut messages, &ast);
        Tree { ast, messages, at_end, braces }
    }

    /// The tree of other tokens of the same text.
    fn again(&self, tokens: Vec<Token>) -> Tree {
        let old = &self.ast;
        let (comments, unreadable) = (old.comments.clone(), old.unreadable.clone());
        let src = old.src.clone();
        Tree::new(Ast { src, base: old.base, comments, unreadable, ..Ast::default() }, tokens)
    }

    /// The tree is not worth checking.
    fn is_refused(&self) -> bool {
        let is_syntax = |m: &Msg| !PLAIN.contains(&m.text.as_str());
        !self.braces.is_empty() || self.messages.iter().any(is_syntax)
    }

    /// What is wrong in the words of the generated parser, as (byte offset, words, whether it is called a syntax error). `unreadable`:
    /// some tokens cannot be read.
    fn complaints(&mut self, unreadable: bool) -> Vec<wording::Complaint> {
        let ast = &self.ast;
        let end = ast.src.len() as u32;
        let start = |m: &Msg| ast.toks.get(m.tok as usize).map_or(end, |t| t.start);
        if unreadable || !self.braces.is_empty() {
            self.messages.retain(|m| (m.tok as usize) < ast.toks.len());
        }
        let told = self
            .messages
            .iter()
            .map(|m| (start(m), m.text.clone(), !PLAIN.contains(&m.text.as_str())));
        let brace = "unexpected semicolon or newline before {".to_string();
        let mut list: Vec<wording::Complaint> =
            self.braces.iter().map(|&at| (at, brace.clone(), true)).chain(told).collect();
        list.sort_by_key(|m| m.0);
        list
    }
}

/// A text that the generated parser refuses: the words of Go's own parser if it refuses the text too and they can be told. Then the tree
/// holds the bodies of functions in which nothing is wrong, as blocks: Go looks at their labels. If Go's parser takes the text, because
/// what is wrong is the place of a type, the tree is of the whole.
fn settled(
    first: Tree,
    wrong: &[u32],
    holes: &[(u32, u32)],
) -> (Tree, Option<Vec<wording::Complaint>>) {
    let nothing = |mut tree: Tree| {
        tree.ast.nodes.clear();
        tree.ast.items.clear();
        (tree, None)
    };
    if first.messages.iter().any(|m| m.text == message::TOO_DEEP) {
        return nothing(first);
    }
    let tokens = lexer::lex_without(&first.ast.src, holes).tokens;
    let Some(found) = wording::findings(&tokens, &first.ast.src, wrong) else {
        return nothing(first);
    };
    if found.complaints.is_empty() {
        let all = std::slice::from_ref(&(0..tokens.len())).to_vec();
        let whole = first.again(selected(&tokens, &found.types, &all));
        return if whole.is_refused() { nothing(first) } else { (whole, None) };
    }
    let clause = if matches!(tokens[0].tok, Tok::Package) { 3 } else { 0 };
    let parts: Vec<Range<usize>> =
        std::iter::once(0..clause.min(tokens.len())).chain(found.bodies).collect();
    let bodies = first.again(selected(&tokens, &found.types, &parts));
    (Tree { messages: first.messages, braces: first.braces, ..bodies }, Some(found.complaints))
}

/// The tokens of some parts, a semicolon after each, with parentheses that have no text around these types.
fn selected(tokens: &[Token], types: &[Range<usize>], parts: &[Range<usize>]) -> Vec<Token> {
    let mut out = Vec::with_capacity(tokens.len() + 2 * types.len());
    let mut opens: Vec<usize> = types.iter().map(|r| r.start).collect();
    let mut closes: Vec<usize> = types.iter().map(|r| r.end).collect();
    opens.sort_unstable();
    closes.sort_unstable();
    let count = |list: &[usize], i: usize| {
        list.partition_point(|&x| x <= i) - list.partition_point(|&x| x < i)
    };
    for part in parts {
        let mut open_brackets = vec![];
        for i in part.clone() {
            let token = tokens[i];
            match token.tok {
                Tok::LParen => open_brackets.push(Tok::RParen),
                Tok::LBrack => open_brackets.push(Tok::RBrack),
                Tok::LBrace => open_brackets.push(Tok::RBrace),
                Tok::RParen | Tok::RBrack | Tok::RBrace => drop(open_brackets.pop()),
                _ => {}
            }
            let open = Token { tok: Tok::LParen, start: token.start, end: token.start };
            let close = Token { tok: Tok::RParen, start: token.end, end: token.end };
            out.extend(std::iter::repeat_n(open, count(&opens, i)));
            out.push(token);
            out.extend(std::iter::repeat_n(close, count(&closes, i + 1)));
        }
        // what is open at the end of the text is complained about only if nothing else is
        while let (Some(tok), Some(&last)) = (open_brackets.pop(), out.last()) {
            out.push(Token { tok, start: last.end, end: last.end });
        }
        if let Some(last) = out.last().filter(|t| !matches!(t.tok, Tok::Semi(_))) {
            out.push(Token { tok: Tok::Semi(Semi::Explicit), start: last.end, end: last.end });
        }
    }
    out
}

/// Runs the generated parser; gives its messages and whether the first error is the end of the text.
fn run(ast: &mut Ast, toks: Vec<Token>) -> (Vec<Msg>, bool) {
    let mut recovered = vec![];
    let tokens = toks.iter().enumerate().map(|(i, t)| {
        let i = i as u32;
        let tok = match t.tok {
            Tok::Ident(_) => Tok::Ident(i),
            Tok::Lit(_) => Tok::Lit(i),
            Tok::Str(_) => Tok::Str(i),
            other => other,
        };
        Ok::<_, ()>((i, tok, i + 1))
    });
    ast.toks.clone_from(&toks);
    let result = super::gmp::FileParser::new().parse(ast, &mut recovered, tokens);
    let mut errors: Vec<message::Error> = recovered.into_iter().map(|r| r.error).collect();
    match result {
        Ok(()) | Err(lalrpop_util::ParseError::User { .. }) => {}
        Err(e) => errors.push(e),
    }
    let at_end = matches!(errors.first(), Some(lalrpop_util::ParseError::UnrecognizedEof { .. }));
    let mut messages: Vec<Msg> =
        errors.iter().map(|e| message::message(e, &ast.toks, &ast.src)).collect();
    messages.append(&mut ast.errs);
    (messages, at_end)
}

/// In source order, of syntax errors that follow each other only the first on a line, with the prefix that Go gives those that are not lexical.
fn finish(mut all: Vec<wording::Complaint>, src: &str, base: u32) -> Vec<Diagnostic> {
    let mut last = None;
    all.retain(|(at, _, syntax)| {
        let line = src[..*at as usize].matches('\n').count();
        !syntax || last.replace(line) != Some(line)
    });
    all.sort_by_key(|m| m.0);
    let mut out = vec![];
    for (at, text, syntax) in all {
        let code = code_of(&text, syntax);
        let text = if syntax { format!("syntax error: {text}") } else { text };
        out.push(Diagnostic::error(Pos(base + at), code, text));
    }
    out
}

/// What is no syntax error is a token that cannot be read, or one of the `PLAIN` messages.
fn code_of(text: &str, syntax: bool) -> Code {
    match text {
        _ if syntax => Code::SyntaxError,
        super::build::DOTS_FINAL | super::build::DOTS_USE => Code::InvalidDotDotDot,
        super::build::GO_PAREN | super::build::DEFER_PAREN => Code::InvalidGoDefer,
        _ if text.ends_with("in 3-index slice") => Code::InvalidSliceExpr,
        _ if text.starts_with("method has") => Code::InvalidRecv,
        _ => Code::BadToken,
    }
}
