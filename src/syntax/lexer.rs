//! The lexer: text to tokens, with automatic semicolons; comments go to a list of their own.
//!
//! A literal that is wrong gives a message and still a literal token, so that parsing goes on. After a lexing
//! without messages every literal can be decoded without failing.

#![expect(
    clippy::wildcard_enum_match_arm,
    clippy::too_many_lines,
    clippy::enum_variant_names,
    reason = "one arm for each operator and keyword"
)]

use super::message::LexMessage;
use super::numbers;
use super::token::{Op, Semi, Tok, Token};
use logos::{Lexer, Logos};

#[derive(Logos, Clone, Copy, PartialEq, Debug)]
#[logos(skip r"[ \t\r]+")]
enum Raw {
    #[token("\n")]
    Newline,
    #[regex(r"//[^\n]*", allow_greedy = true)]
    LineComment,
    /// Whether it contains a newline.
    #[token("/*", block_comment)]
    BlockComment(bool),
    #[token("`", raw_string)]
    RawStr,
    #[token("\"", quoted::<b'"'>)]
    String,
    #[token("'", quoted::<b'\''>)]
    Rune,
    #[regex(r"[\p{L}_][\p{L}\p{Nd}_]*")]
    Ident,
    /// With characters that no name may have.
    #[regex(r"[a-zA-Z_\u{80}-\u{FEFE}\u{FF00}-\u{10FFFF}][a-zA-Z0-9_\u{80}-\u{FEFE}\u{FF00}-\u{10FFFF}]*", priority = 1)]
    BadIdent,
    #[regex(r"\.?[0-9]", number)]
    Number,
    #[token("||")]
    OrOr,
    #[token("&&")]
    AndAnd,
    #[token("==")]
    EqEq,
    #[token("!=")]
    Ne,
    #[token("<")]
    Lt,
    #[token("<=")]
    Le,
    #[token(">")]
    Gt,
    #[token(">=")]
    Ge,
    #[token("+")]
    Add,
    #[token("-")]
    Sub,
    #[token("|")]
    Or,
    #[token("^")]
    Xor,
    #[token("*")]
    Mul,
    #[token("/")]
    Div,
    #[token("%")]
    Rem,
    #[token("<<")]
    Shl,
    #[token(">>")]
    Shr,
    #[token("&")]
    And,
    #[token("&^")]
    AndNot,
    #[token("+=")]
    AddA,
    #[token("-=")]
    SubA,
    #[token("|=")]
    OrA,
    #[token("^=")]
    XorA,
    #[token("*=")]
    MulA,
    #[token("/=")]
    DivA,
    #[token("%=")]
    RemA,
    #[token("<<=")]
    ShlA,
    #[token(">>=")]
    ShrA,
    #[token("&=")]
    AndA,
    #[token("&^=")]
    AndNotA,
    #[token("!")]
    Not,
    #[token("~")]
    Tilde,
    #[token("<-")]
    Arrow,
    #[token("=")]
    Assign,
    #[token(":=")]
    Define,
    #[token("++")]
    Inc,
    #[token("--")]
    Decr,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBrack,
    #[token("]")]
    RBrack,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semi,
    #[token(".")]
    Dot,
    #[token(":")]
    Colon,
    #[token("...")]
    Ellipsis,
    #[token("break")]
    Break,
    #[token("case")]
    Case,
    #[token("chan")]
    Chan,
    #[token("const")]
    Const,
    #[token("continue")]
    Continue,
    #[token("default")]
    Default,
    #[token("defer")]
    Defer,
    #[token("else")]
    Else,
    #[token("fallthrough")]
    Fallthrough,
    #[token("for")]
    For,
    #[token("func")]
    Func,
    #[token("go")]
    Go,
    #[token("goto")]
    Goto,
    #[token("if")]
    If,
    #[token("import")]
    Import,
    #[token("interface")]
    Interface,
    #[token("map")]
    Map,
    #[token("package")]
    Package,
    #[token("range")]
    Range,
    #[token("return")]
    Return,
    #[token("select")]
    Select,
    #[token("struct")]
    Struct,
    #[token("switch")]
    Switch,
    #[token("type")]
    Type,
    #[token("var")]
    Var,
}

fn block_comment(lexer: &mut Lexer<Raw>) -> Option<bool> {
    let rest = lexer.remainder();
    let Some(n) = rest.find("*/") else {
        lexer.bump(rest.len());
        return None;
    };
    let newline = rest[..n].contains('\n');
    lexer.bump(n + 2);
    Some(newline)
}

fn raw_string(lexer: &mut Lexer<Raw>) -> Option<()> {
    let rest = lexer.remainder();
    let n = rest.find('`');
    lexer.bump(n.map_or(rest.len(), |n| n + 1));
    n.map(|_| ())
}

/// To the closing quote, or to the end of the line; what is inside is judged later.
fn quoted<const QUOTE: u8>(lexer: &mut Lexer<Raw>) {
    let rest = lexer.remainder().as_bytes();
    let mut i = 0;
    while i < rest.len() && rest[i] != b'\n' {
        if rest[i] == QUOTE {
            lexer.bump(i + 1);
            return;
        }
        i += if rest[i] == b'\\' && i + 1 < rest.len() && rest[i + 1] != b'\n' { 2 } else { 1 };
    }
    // a skipped byte may have been the first of a long character
    while !lexer.remainder().is_char_boundary(i) {
        i += 1;
    }
    lexer.bump(i);
}

fn number(lexer: &mut Lexer<Raw>) {
    let all = &lexer.source().as_bytes()[lexer.span().start..];
    let len = numbers::length(all);
    lexer.bump(len - lexer.slice().len());
}

/// What the lexer gives.
#[derive(Debug, Default)]
pub struct Lexed {
    /// The tokens, semicolons inserted.
    pub tokens: Vec<Token>,
    /// Where the comments are (start and end byte).
    pub comments: Vec<(u32, u32)>,
    /// What is wrong with tokens.
    pub messages: Vec<LexMessage>,
    /// Where the literals start that something is wrong with, in order.
    pub unreadable: Vec<u32>,
    /// A raw string or a comment is open at the end.
    pub open: bool,
}

impl Lexed {
    /// NUL and byte order marks are wrong everywhere, in comments and strings too.
    fn stray_characters(&mut self, src: &str) {
        for (i, _) in src.match_indices('\0') {
            self.messages.push(LexMessage::at(i as u32, "invalid NUL character"));
        }
        for (i, _) in src.match_indices('\u{feff}').filter(|(i, _)| *i > 0) {
            self.messages.push(LexMessage::at(i as u32, "invalid BOM in the middle of the file"));
        }
    }
}

fn ends_statement(tok: Tok) -> bool {
    matches!(
        tok,
        Tok::Ident(_)
            | Tok::Lit(_)
            | Tok::Str(_)
            | Tok::IncDec(_)
            | Tok::RParen
            | Tok::RBrack
            | Tok::RBrace
            | Tok::Break
            | Tok::Continue
            | Tok::Fallthrough
            | Tok::Return
    )
}

/// Source text to tokens with automatic semicolons, ready for the marking pass.
pub fn lex(src: &str) -> Lexed {
    lex_without(src, &[])
}

/// As [`lex`], but parts of the text are passed over: `holes` are in order and start where a token or a newline ends. Only texts of the
/// library have holes, and those no stray characters.
pub(crate) fn lex_without(src: &str, mut holes: &[(u32, u32)]) -> Lexed {
    let is_whole = holes.is_empty();
    let text_len = src.len() - holes.iter().map(|h| (h.1 - h.0) as usize).sum::<usize>();
    let mut out = Lexed { tokens: Vec::with_capacity(text_len / 3 + 8), ..Lexed::default() };
    let skipped = first_line_to_skip(src);
    let mut ends = false;
    let mut lexer = Raw::lexer(src);
    lexer.bump(skipped);
    while let Some(raw) = lexer.next() {
        let (start, end) = (lexer.span().start as u32, lexer.span().end as u32);
        let newline = match raw {
            Ok(Raw::Newline | Raw::BlockComment(true)) => true,
            Ok(Raw::LineComment | Raw::BlockComment(false)) => false,
            Ok(raw) => {
                let before = out.messages.len();
                let at_end = end as usize == src.len();
                let tok = token(raw, lexer.slice(), start, at_end, &mut out.messages);
                if out.messages.len() > before && !matches!(tok, Tok::Ident(_)) {
                    out.unreadable.push(start);
                }
                ends = ends_statement(tok);
                out.tokens.push(Token { tok, start, end });
                skip_hole(&mut lexer, &mut holes);
                continue;
            }
            Err(()) => {
                ends = bad_token(&mut out, lexer.slice(), start, end, ends);
                continue;
            }
        };
        if !matches!(raw, Ok(Raw::Newline)) {
            out.comments.push((start, end));
        }
        if newline && ends {
            out.tokens.push(Token { tok: Tok::Semi(Semi::Newline), start, end: start });
            ends = false;
        }
        skip_hole(&mut lexer, &mut holes);
    }
    if is_whole {
        out.stray_characters(src);
    }
    if ends {
        let end = src.len() as u32;
        out.tokens.push(Token { tok: Tok::Semi(Semi::Eof), start: end, end });
    }
    out
}

fn skip_hole(lexer: &mut Lexer<Raw>, holes: &mut &[(u32, u32)]) {
    if let Some((hole, rest)) = holes.split_first()
        && hole.0 as usize == lexer.span().end
    {
        lexer.bump((hole.1 - hole.0) as usize);
        *holes = rest;
    }
}

/// A byte order mark or a `#!` line at the very start.
fn first_line_to_skip(src: &str) -> usize {
    if src.starts_with("#!") {
        return src.find('\n').unwrap_or(src.len());
    }
    if src.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// Text that is no token: skipped with a message, but an open raw string stays one. Gives whether a newline ends here.
fn bad_token(out: &mut Lexed, text: &str, start: u32, end: u32, ends: bool) -> bool {
    if text.starts_with('`') {
        out.open = true;
        out.messages.push(LexMessage::at(start, "string not terminated"));
        out.unreadable.push(start);
        out.tokens.push(Token { tok: Tok::Str(0), start, end });
        return true;
    }
    if text.starts_with("/*") {
        out.open = true;
        out.messages.push(LexMessage::at(start, "comment not terminated"));
        return ends;
    }
    for (i, c) in text.char_indices() {
        if matches!(c, '\0' | '\u{feff}') {
            continue; // told once for the whole text
        }
        let message = format!("invalid character {}", numbers::show_char(c));
        out.messages.push(LexMessage::at(start + i as u32, message));
    }
    ends
}

fn token(raw: Raw, text: &str, start: u32, at_end: bool, messages: &mut Vec<LexMessage>) -> Tok {
    match raw {
        Raw::Ident => Tok::Ident(0),
        Raw::BadIdent => {
            check_name(text, start, messages);
            Tok::Ident(0)
        }
        Raw::Number => {
            numbers::check_number(text, start, messages);
            Tok::Lit(0)
        }
        Raw::RawStr => Tok::Str(0),
        Raw::String => {
            numbers::check_string(text, start, at_end, messages);
            Tok::Str(0)
        }
        Raw::Rune => {
            numbers::check_rune(text, start, at_end, messages);
            Tok::Lit(0)
        }
        _ => operator_or_keyword(raw),
    }
}

/// A character of a name.
#[derive(Logos, Clone, Copy, PartialEq, Debug)]
enum NameChar {
    #[regex(r"[\p{L}_]")]
    Letter,
    #[regex(r"\p{Nd}")]
    Digit,
}

/// A character that Go's `%q` shows as it is.
#[derive(Logos, Clone, Copy, PartialEq, Debug)]
enum Printable {
    #[regex(r"[\p{L}\p{M}\p{N}\p{P}\p{S} ]")]
    Yes,
}

/// Whether Go shows a character as it is.
pub(crate) fn is_printable(c: char) -> bool {
    let mut buf = [0; 4];
    Printable::lexer(c.encode_utf8(&mut buf)).next() == Some(Ok(Printable::Yes))
}

/// Whether a text can be a name: letters and digits only, a letter first.
pub(crate) fn is_name(text: &str) -> bool {
    let mut chars = NameChar::lexer(text);
    chars.next() == Some(Ok(NameChar::Letter)) && chars.all(|c| c.is_ok())
}

/// Says what is wrong with the characters of a name.
fn check_name(text: &str, start: u32, messages: &mut Vec<LexMessage>) {
    for (i, c) in text.char_indices() {
        let kind = NameChar::lexer(&text[i..i + c.len_utf8()]).next();
        let shown = numbers::show_char(c);
        let message = match kind {
            Some(Ok(NameChar::Letter)) => continue,
            Some(Ok(NameChar::Digit)) if i > 0 => continue,
            Some(Ok(NameChar::Digit)) => format!("identifier cannot begin with digit {shown}"),
            _ => format!("invalid character {shown} in identifier"),
        };
        messages.push(LexMessage::at(start + i as u32, message));
    }
}

fn operator_or_keyword(raw: Raw) -> Tok {
    match raw {
        Raw::OrOr => Tok::BinOp(Op::OrOr),
        Raw::AndAnd => Tok::BinOp(Op::AndAnd),
        Raw::EqEq => Tok::BinOp(Op::Eq),
        Raw::Ne => Tok::BinOp(Op::Ne),
        Raw::Lt => Tok::BinOp(Op::Lt),
        Raw::Le => Tok::BinOp(Op::Le),
        Raw::Gt => Tok::BinOp(Op::Gt),
        Raw::Ge => Tok::BinOp(Op::Ge),
        Raw::Add => Tok::AddOp(Op::Add),
        Raw::Sub => Tok::AddOp(Op::Sub),
        Raw::Or => Tok::Pipe,
        Raw::Xor => Tok::AddOp(Op::Xor),
        Raw::Mul => Tok::Star,
        Raw::Div => Tok::BinOp(Op::Div),
        Raw::Rem => Tok::BinOp(Op::Rem),
        Raw::Shl => Tok::BinOp(Op::Shl),
        Raw::Shr => Tok::BinOp(Op::Shr),
        Raw::And => Tok::Amp,
        Raw::AndNot => Tok::BinOp(Op::AndNot),
        Raw::AddA => Tok::AssignOp(Op::Add),
        Raw::SubA => Tok::AssignOp(Op::Sub),
        Raw::OrA => Tok::AssignOp(Op::Or),
        Raw::XorA => Tok::AssignOp(Op::Xor),
        Raw::MulA => Tok::AssignOp(Op::Mul),
        Raw::DivA => Tok::AssignOp(Op::Div),
        Raw::RemA => Tok::AssignOp(Op::Rem),
        Raw::ShlA => Tok::AssignOp(Op::Shl),
        Raw::ShrA => Tok::AssignOp(Op::Shr),
        Raw::AndA => Tok::AssignOp(Op::And),
        Raw::AndNotA => Tok::AssignOp(Op::AndNot),
        Raw::Not => Tok::Not,
        Raw::Tilde => Tok::Tilde,
        Raw::Arrow => Tok::Arrow,
        Raw::Assign => Tok::Assign,
        Raw::Define => Tok::Define,
        Raw::Inc => Tok::IncDec(Op::Add),
        Raw::Decr => Tok::IncDec(Op::Sub),
        Raw::LParen => Tok::LParen,
        Raw::RParen => Tok::RParen,
        Raw::LBrack => Tok::LBrack,
        Raw::RBrack => Tok::RBrack,
        Raw::LBrace => Tok::LBrace,
        Raw::RBrace => Tok::RBrace,
        Raw::Comma => Tok::Comma,
        Raw::Semi => Tok::Semi(Semi::Explicit),
        Raw::Dot => Tok::Dot,
        Raw::Colon => Tok::Colon,
        Raw::Ellipsis => Tok::Ellipsis,
        Raw::Break => Tok::Break,
        Raw::Case => Tok::Case,
        Raw::Chan => Tok::Chan,
        Raw::Const => Tok::Const,
        Raw::Continue => Tok::Continue,
        Raw::Default => Tok::Default,
        Raw::Defer => Tok::Defer,
        Raw::Else => Tok::Else,
        Raw::Fallthrough => Tok::Fallthrough,
        Raw::For => Tok::For,
        Raw::Func => Tok::Func,
        Raw::Go => Tok::Go,
        Raw::Goto => Tok::Goto,
        Raw::If => Tok::If,
        Raw::Import => Tok::Import,
        Raw::Interface => Tok::Interface,
        Raw::Map => Tok::Map,
        Raw::Package => Tok::Package,
        Raw::Range => Tok::Range,
        Raw::Return => Tok::Return,
        Raw::Select => Tok::Select,
        Raw::Struct => Tok::Struct,
        Raw::Switch => Tok::Switch,
        Raw::Type => Tok::Type,
        Raw::Var => Tok::Var,
        Raw::Newline
        | Raw::LineComment
        | Raw::BlockComment(_)
        | Raw::RawStr
        | Raw::String
        | Raw::Rune
        | Raw::Ident
        | Raw::BadIdent
        | Raw::Number => Tok::Semi(Semi::Newline),
    }
}
