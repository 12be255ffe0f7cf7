//! What the Go compiler says about a text that is no program.
//!
//! The generated parser decides whether a text is well-formed and makes the tree; which words Go uses, where, and where it goes on
//! after an error follow from the way its own parser descends. So a text that was refused is walked once more here, top down, one token
//! at a time, and only complaints are kept. `decls`, `types`, `exprs` and `stmts` have a function for each production; [`exprs::Shape`]
//! is the little of an expression that later decisions need.
//!
//! Nothing here is asked about texts that the generated parser takes. Recursion is bounded by [`MAX_DEPTH`]: beyond it the walk gives
//! up, and the caller is left with the words that the parser's tables suggest.

#![expect(clippy::wildcard_enum_match_arm, reason = "few kinds matter in each place")]

mod decls;
mod exprs;
mod stmts;
mod types;

use super::token::{Op, Semi, Tok, Token};
use std::ops::Range;

/// Productions may nest this deep; each takes a few hundred bytes of stack.
const MAX_DEPTH: u32 = 1_000;

/// A complaint: byte offset, words, and whether they are of a syntax error (others are told without that prefix).
pub(super) type Complaint = (u32, String, bool);

/// Tokens at which statements begin: a good place to go on inside of a function.
const STOPS: [&str; 14] = [
    "break",
    "const",
    "continue",
    "defer",
    "fallthrough",
    "for",
    "go",
    "goto",
    "if",
    "return",
    "select",
    "switch",
    "type",
    "var",
];

/// The walk over the tokens of a file.
#[derive(Debug)]
struct Walk<'a> {
    tokens: &'a [Token],
    src: &'a str,
    at: usize,
    /// The kind of the current token: `name`, `literal`, `op`, `op=`, `++`, `EOF`, or the token's own text.
    tok: &'static str,
    /// Its operator.
    op: Option<Op>,
    /// Nesting of brackets in which `{` may open a composite literal; negative in the head of a statement.
    xnest: i32,
    /// Nesting of functions.
    fnest: u32,
    depth: u32,
    gave_up: bool,
    /// Offsets of tokens that could not be read, in order.
    unreadable: &'a [u32],
    out: Vec<Complaint>,
    /// Type literals in the place of operands, which the generated parser takes in few places only.
    types: Vec<Range<usize>>,
    /// Bodies of functions in which nothing is wrong, braces included; none lies in another.
    bodies: Vec<Range<usize>>,
}

/// What the walk over the tokens of a file found.
#[derive(Debug)]
pub(super) struct Findings {
    /// In the order in which Go tells them.
    pub(super) complaints: Vec<Complaint>,
    /// Tokens of type literals that stand where operands do: Go's parser takes them there, and leaves the rest to the checker.
    pub(super) types: Vec<Range<usize>>,
    /// Tokens of the bodies of functions in which nothing is wrong.
    pub(super) bodies: Vec<Range<usize>>,
}

/// What Go says about the tokens of a file, before they were marked. `unreadable`: offsets of lexical errors. `None` if it cannot be
/// told.
pub(super) fn findings(tokens: &[Token], src: &str, unreadable: &[u32]) -> Option<Findings> {
    let mut w = Walk {
        tokens,
        src,
        at: 0,
        tok: "EOF",
        op: None,
        xnest: 0,
        fnest: 0,
        depth: 0,
        gave_up: false,
        unreadable,
        out: vec![],
        types: vec![],
        bodies: vec![],
    };
    w.look();
    w.file();
    if w.gave_up {
        return None;
    }
    Some(Findings { complaints: w.out, types: w.types, bodies: w.bodies })
}

/// The kind and the operator of a token.
fn kind(tok: Tok) -> (&'static str, Option<Op>) {
    match tok {
        Tok::Ident(_) => ("name", None),
        Tok::Lit(_) | Tok::Str(_) => ("literal", None),
        Tok::Semi(_) => (";", None),
        Tok::BinOp(op) | Tok::AddOp(op) => ("op", Some(op)),
        Tok::Not => ("op", Some(Op::Not)),
        Tok::Tilde => ("op", Some(Op::Tilde)),
        Tok::Star => ("*", Some(Op::Mul)),
        Tok::Amp => ("op", Some(Op::And)),
        Tok::Pipe => ("op", Some(Op::Or)),
        Tok::Arrow => ("<-", None),
        Tok::AssignOp(op) => ("op=", Some(op)),
        Tok::Assign => ("=", None),
        Tok::Define => (":=", None),
        Tok::IncDec(op) => ("++", Some(op)),
        Tok::LParen => ("(", None),
        Tok::RParen => (")", None),
        Tok::LBrack | Tok::TypeParams => ("[", None),
        Tok::RBrack => ("]", None),
        Tok::LBrace => ("{", None),
        Tok::RBrace => ("}", None),
        Tok::Comma => (",", None),
        Tok::Dot => (".", None),
        Tok::Colon => (":", None),
        Tok::Ellipsis => ("...", None),
        other => (keyword(other), None),
    }
}

fn keyword(tok: Tok) -> &'static str {
    match tok {
        Tok::Break => "break",
        Tok::Case => "case",
        Tok::Chan => "chan",
        Tok::Const => "const",
        Tok::Continue => "continue",
        Tok::Default => "default",
        Tok::Defer => "defer",
        Tok::Else => "else",
        Tok::Fallthrough => "fallthrough",
        Tok::For => "for",
        Tok::Func | Tok::FuncDecl => "func",
        Tok::Go => "go",
        Tok::Goto => "goto",
        Tok::If => "if",
        Tok::Import => "import",
        Tok::Interface => "interface",
        Tok::Map => "map",
        Tok::Package => "package",
        Tok::Range => "range",
        Tok::Return => "return",
        Tok::Select => "select",
        Tok::Struct => "struct",
        Tok::Switch => "switch",
        Tok::Type => "type",
        Tok::Var => "var",
        _ => "EOF",
    }
}

/// How messages name a kind of token.
fn shown(kind: &str) -> String {
    match kind {
        "," => "comma".into(),
        ";" => "semicolon or newline".into(),
        "EOF" | "name" => kind.into(),
        _ if kind.starts_with(|c: char| c.is_ascii_lowercase()) => format!("keyword {kind}"),
        _ => kind.into(),
    }
}

impl Walk<'_> {
    // ---- tokens ----

    fn look(&mut self) {
        (self.tok, self.op) = match self.tokens.get(self.at) {
            Some(t) => kind(t.tok),
            None => ("EOF", None),
        };
    }

    fn next(&mut self) {
        if self.at < self.tokens.len() {
            self.at += 1;
        }
        self.look();
    }

    fn got(&mut self, tok: &str) -> bool {
        let is = self.tok == tok;
        if is {
            self.next();
        }
        is
    }

    fn want(&mut self, tok: &str) {
        if !self.got(tok) {
            self.error(&format!("expected {}", shown(tok)));
            self.advance(&[]);
        }
    }

    fn is_op(&self, op: Op) -> bool {
        self.tok == "op" && self.op == Some(op)
    }

    /// How strongly the current token binds as a binary operator; 0 if it is none.
    fn precedence(&self) -> u8 {
        match (self.tok, self.op) {
            ("op" | "*", Some(Op::Not | Op::Tilde)) => 0,
            ("op" | "*", Some(op)) => op.prec(),
            _ => 0,
        }
    }

    /// Skips to one of these tokens, or, in a function, to the start of a statement. Without tokens it skips one.
    fn advance(&mut self, to: &[&str]) {
        while self.tok != "EOF" {
            let stop = self.fnest > 0 && STOPS.contains(&self.tok);
            if to.contains(&self.tok) || (stop && !to.is_empty()) {
                return;
            }
            self.next();
            if to.is_empty() {
                return;
            }
        }
    }

    // ---- complaints ----

    fn offset(&self, at: usize) -> u32 {
        self.tokens.get(at).map_or(self.src.len() as u32, |t| t.start)
    }

    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |t| &self.src[t.start as usize..t.end as usize])
    }

    /// Whether anything was wrong so far.
    fn has_erred(&self) -> bool {
        let here = self.offset(self.at);
        !self.out.is_empty() || self.unreadable.first().is_some_and(|&at| at <= here)
    }

    /// A complaint at the current token. `words` that begin with `in`, `at`, `after` or `expected` go on from `unexpected TOKEN`.
    fn error(&mut self, words: &str) {
        self.error_at(self.at, words);
    }

    /// A complaint at a token; the token named is the current one all the same.
    fn error_at(&mut self, at: usize, words: &str) {
        if self.tok == "EOF" && self.has_erred() {
            return;
        }
        let joined = ["in ", "at ", "after "].iter().any(|w| words.starts_with(w));
        let text = if joined {
            format!("unexpected {} {words}", self.current())
        } else if words.starts_with("expected ") {
            format!("unexpected {}, {words}", self.current())
        } else {
            words.to_string()
        };
        self.out.push((self.offset(at), text, true));
    }

    /// A complaint that is not called a syntax error.
    fn plain(&mut self, at: usize, words: &str) {
        self.out.push((self.offset(at), words.to_string(), false));
    }

    /// The current token as messages name it.
    fn current(&self) -> String {
        let op = self.op.map_or("", Op::text);
        match self.tok {
            "name" => format!("name {}", self.text(self.at)),
            "literal" => format!("literal {}", self.text(self.at)),
            ";" => self.semicolon(self.at).into(),
            "op" => op.into(),
            "op=" => format!("{op}="),
            "++" => format!("{op}{op}"),
            other => shown(other),
        }
    }

    /// What stands for a semicolon.
    fn semicolon(&self, at: usize) -> &'static str {
        match self.tokens.get(at).map(|t| t.tok) {
            Some(Tok::Semi(Semi::Newline)) => "newline",
            Some(Tok::Semi(Semi::Eof)) => "EOF",
            _ => "semicolon",
        }
    }

    /// Goes one production deeper. False: too deep, and the walk is over.
    fn deeper(&mut self) -> bool {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.gave_up = true;
            self.at = self.tokens.len();
            self.look();
        }
        !self.gave_up
    }

    // ---- what many productions need ----

    /// Elements up to a closing token, each followed by a separator. `element` tells whether it was the last. Gives the closing token.
    fn list(
        &mut self,
        context: &str,
        sep: &str,
        close: &str,
        mut element: impl FnMut(&mut Self) -> bool,
    ) -> usize {
        let mut done = false;
        while self.tok != "EOF" && self.tok != close && !done {
            done = element(self);
            if !self.got(sep) && self.tok != close {
                let (sep, close) = (shown(sep), shown(close));
                self.error(&format!("in {context}; possibly missing {sep} or {close}"));
                self.advance(&[")", "]", "}"]);
                if self.tok != close {
                    return self.at;
                }
            }
        }
        let end = self.at;
        self.want(close);
        end
    }

    fn name(&mut self) {
        if self.tok == "name" {
            self.next();
        } else {
            self.error("expected name");
            self.advance(&[]);
        }
    }

    /// The rest of a list of names.
    fn more_names(&mut self) -> usize {
        let mut count = 1;
        while self.got(",") {
            self.name();
            count += 1;
        }
        count
    }

    /// `=`; `:=` in its place is taken with a complaint.
    fn got_assign(&mut self) -> bool {
        if self.tok == ":=" {
            self.error("expected =");
        }
        let is = matches!(self.tok, "=" | ":=");
        if is {
            self.next();
        }
        is
    }
}
