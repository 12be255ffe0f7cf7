//! Text to tree: lexer, marking pass, generated parser, messages in order.

#![expect(clippy::wildcard_enum_match_arm, reason = "only tokens with a payload are touched")]

use super::ast::{Ast, Msg};
use super::lexer;
use super::mark;
use super::message;
use super::outline::{self, FuncHead};
use super::token::{Tok, Token};
use super::wording;
use crate::diag::{Code, Diagnostic};
use crate::source::{FileId, Pos, SourceMap, Text};

/// A file's tree and what is wrong with its text.
#[derive(Debug)]
pub struct Outcome {
    /// As much as could be made.
    pub ast: Ast,
    /// In the order of the source.
    pub errors: Vec<Diagnostic>,
    /// The tree is not worth checking.
    pub fatal: bool,
    /// More text could mend the first error: what a REPL asks before it complains.
    pub is_incomplete: bool,
}

/// Errors that leave a whole tree behind; Go tells them without calling them syntax errors.
const PLAIN: [&str; 7] = [
    super::build::DOTS_FINAL,
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

/// Parses a file of the library without its functions, which are given beside it.
pub(crate) fn outline(map: &SourceMap, file: FileId) -> (Outcome, Vec<FuncHead>) {
    let file = map.file(file);
    let heads = outline::functions(&file.text);
    let holes = heads.iter().map(|h| h.range).collect();
    (parse_without(file.text.clone(), file.base, holes), heads)
}

/// Parses a function that an outline left out, with its body or with an empty one.
pub(crate) fn function(map: &SourceMap, file: FileId, head: &FuncHead, whole: bool) -> Outcome {
    let file = map.file(file);
    let (from, to) = head.range;
    let range = from as usize..to as usize;
    let text = match &file.text {
        Text::Borrowed(text) => Text::Borrowed(&text[range]),
        Text::Owned(text) => Text::Owned(text[range].to_string()),
    };
    let hole = head.body.filter(|_| !whole).map(|(a, b)| (a - from, b - from));
    parse_without(text, file.base + from, hole.into_iter().collect())
}

/// Parses a text whose first byte has position `base`.
pub fn parse_text(src: &str, base: u32) -> Outcome {
    parse_without(Text::Owned(src.to_string()), base, vec![])
}

/// Parses a text, some parts left out.
fn parse_without(src: Text, base: u32, holes: Vec<(u32, u32)>) -> Outcome {
    let mut lexed = lexer::lex_without(&src, &holes);
    let marked = mark::mark(&mut lexed.tokens);
    let n = lexed.tokens.len();
    let mut ast = Ast {
        src,
        base,
        comments: lexed.comments,
        nodes: Vec::with_capacity(n),
        pos: Vec::with_capacity(n),
        ends: Vec::with_capacity(n),
        pool: Vec::with_capacity(n),
        ..Ast::default()
    };
    let (mut messages, at_end) = run(&mut ast, lexed.tokens);
    message::settle(&mut messages, &ast);
    let is_syntax = |m: &Msg| !PLAIN.contains(&m.text.as_str());
    let refused = !marked.braces.is_empty() || messages.iter().any(is_syntax);
    let fatal = refused || !lexed.messages.is_empty();
    let unreadable: Vec<u32> = lexed.messages.iter().map(|m| m.at).collect();
    let mut all: Vec<(u32, String, bool)> =
        lexed.messages.into_iter().map(|m| (m.at, m.text, false)).collect();
    all.extend(syntax_errors(&ast, messages, &marked.braces, refused, &unreadable, &holes));
    let errors = finish(all, &ast.src, base);
    Outcome { fatal, is_incomplete: lexed.open || (at_end && !errors.is_empty()), ast, errors }
}

/// What is wrong with the order of tokens, as (byte offset, words, whether it is called a syntax error): the words of Go's own parser
/// where they can be told, else those of the generated one.
fn syntax_errors(
    ast: &Ast,
    mut messages: Vec<Msg>,
    braces: &[u32],
    refused: bool,
    unreadable: &[u32],
    holes: &[(u32, u32)],
) -> Vec<(u32, String, bool)> {
    let end = ast.src.len() as u32;
    let start = |m: &Msg| ast.toks.get(m.tok as usize).map_or(end, |t| t.start);
    if refused && !messages.iter().any(|m| m.text == message::TOO_DEEP) {
        let tokens = lexer::lex_without(&ast.src, holes).tokens;
        if let Some(list) = wording::complaints(&tokens, &ast.src, unreadable) {
            return list;
        }
    }
    if !unreadable.is_empty() || !braces.is_empty() {
        messages.retain(|m| (m.tok as usize) < ast.toks.len());
    }
    let told =
        messages.iter().map(|m| (start(m), m.text.clone(), !PLAIN.contains(&m.text.as_str())));
    let brace = "unexpected semicolon or newline before {".to_string();
    let mut list: Vec<(u32, String, bool)> =
        braces.iter().map(|&at| (at, brace.clone(), true)).chain(told).collect();
    list.sort_by_key(|m| m.0);
    list
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
fn finish(mut all: Vec<(u32, String, bool)>, src: &str, base: u32) -> Vec<Diagnostic> {
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
        super::build::DOTS_FINAL => Code::InvalidDotDotDot,
        super::build::GO_PAREN | super::build::DEFER_PAREN => Code::InvalidGoDefer,
        _ if text.ends_with("in 3-index slice") => Code::InvalidSliceExpr,
        _ if text.starts_with("method has") => Code::InvalidRecv,
        _ => Code::BadToken,
    }
}
