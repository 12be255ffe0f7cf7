//! The marking pass: the `[` of type parameter lists and the `func` of top-level declarations get tokens of
//! their own, because one token of lookahead cannot tell them; too deep nesting is cut off.

#![expect(clippy::wildcard_enum_match_arm, reason = "only brackets and a few keywords matter here")]

use super::token::{LexErr, Semi, Tok, Token};

/// Brackets may nest this deep; more is an error.
pub const MAX_NESTING: usize = 10_000;

/// The token after the bracket that closes the one at `i` (or the end of the tokens).
fn skip_balanced(t: &[Token], mut i: usize) -> usize {
    let mut depth = 0usize;
    while i < t.len() {
        match t[i].tok {
            Tok::LParen | Tok::LBrack | Tok::LBrace | Tok::TypeParams => depth += 1,
            Tok::RParen | Tok::RBrack | Tok::RBrace => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return i + 1;
                }
            }
            _ => {}
        }
        i += 1;
    }
    i
}
/// After `type Name`, does the `[` at `i` open a type parameter list?
fn is_type_params(t: &[Token], i: usize) -> bool {
    let at = |i: usize| t.get(i).map(|t| t.tok);
    if !matches!(at(i + 1), Some(Tok::Ident(_))) {
        return false;
    }
    match at(i + 2) {
        Some(
            Tok::Comma
            | Tok::Ident(_)
            | Tok::Interface
            | Tok::Tilde
            | Tok::Map
            | Tok::Chan
            | Tok::Func
            | Tok::Struct
            | Tok::Ellipsis
            | Tok::LBrack,
        ) => true,
        Some(Tok::Star | Tok::LParen) => {
            // `[P *C` and `[P (C)`: a comma, or a type that is no expression, decides.
            let mut j = i + 2;
            let mut depth = 0i32;
            while let Some(k) = at(j) {
                match k {
                    Tok::Comma if depth == 0 => return true,
                    Tok::Tilde
                    | Tok::Interface
                    | Tok::Map
                    | Tok::Chan
                    | Tok::Func
                    | Tok::Struct => return true,
                    Tok::LBrack if !ends_operand(t[j - 1].tok) => return true,
                    Tok::LParen | Tok::LBrack | Tok::LBrace => depth += 1,
                    Tok::RParen | Tok::RBrack | Tok::RBrace => {
                        depth -= 1;
                        if depth < 0 {
                            return false;
                        }
                    }
                    _ => {}
                }
                j += 1;
            }
            false
        }
        _ => false,
    }
}
fn ends_operand(t: Tok) -> bool {
    matches!(t, Tok::Ident(_) | Tok::Lit(_) | Tok::Str(_) | Tok::RParen | Tok::RBrack | Tok::RBrace)
}

#[derive(PartialEq, Clone, Copy)]
enum Open {
    Paren,
    TypeGroup,
    Brack,
    Brace,
}

/// What the marking pass found.
#[derive(Debug)]
pub struct Marked {
    /// The `{` of function bodies that wrongly stand on a line of their own (bytes).
    pub braces: Vec<u32>,
}

struct Marker<'t> {
    t: &'t mut Vec<Token>,
    open: Vec<Open>,
    /// In a top-level func declaration, before its body.
    no_body: bool,
    dropped: Vec<usize>,
    braces: Vec<u32>,
}

/// Marks the `[` of type parameter lists and the `func` of top-level declarations, cuts the tokens off where
/// they nest too deep, and takes out the semicolon between a function's head and a body on the next line.
pub fn mark(t: &mut Vec<Token>) -> Marked {
    let mut m = Marker { t, open: vec![], no_body: false, dropped: vec![], braces: vec![] };
    let mut i = 0;
    while i < m.t.len() {
        if m.open.len() > MAX_NESTING {
            m.t[i].tok = Tok::Error(LexErr::Nesting);
            m.t.truncate(i + 1);
            break;
        }
        m.step(i);
        i += 1;
    }
    if !m.dropped.is_empty() {
        let mut next = 0;
        let mut index = 0;
        let dropped = m.dropped;
        m.t.retain(|_| {
            let drop = dropped.get(next) == Some(&index);
            next += usize::from(drop);
            index += 1;
            !drop
        });
    }
    Marked { braces: m.braces }
}

impl Marker<'_> {
    fn step(&mut self, i: usize) {
        let tok = self.t[i].tok;
        let prev = if i > 0 { self.t[i - 1].tok } else { Tok::Semi(Semi::Explicit) };
        match tok {
            Tok::LParen => {
                self.open.push(if prev == Tok::Type { Open::TypeGroup } else { Open::Paren })
            }
            Tok::LBrack => {
                if self.starts_spec(i) && is_type_params(self.t, i) {
                    self.t[i].tok = Tok::TypeParams;
                }
                self.open.push(Open::Brack);
            }
            Tok::LBrace => {
                if self.open.is_empty() {
                    if self.no_body && prev == Tok::Semi(Semi::Newline) {
                        self.braces.push(self.t[i].start);
                        self.dropped.push(i - 1);
                    }
                    self.no_body = false;
                }
                self.open.push(Open::Brace);
            }
            Tok::Semi(_) if self.no_body && self.open.is_empty() => {
                self.no_body = self.t.get(i + 1).is_some_and(|t| t.tok == Tok::LBrace);
            }
            Tok::RParen | Tok::RBrack | Tok::RBrace => self.close(tok == Tok::RBrace),
            Tok::Func if matches!(prev, Tok::Semi(_)) => self.func(i),
            _ => {}
        }
    }

    /// Whether the `[` at `i` follows the name of a type declaration.
    fn starts_spec(&self, i: usize) -> bool {
        if i < 2 || !matches!(self.t[i - 1].tok, Tok::Ident(_)) {
            return false;
        }
        let before = self.t[i - 2].tok;
        before == Tok::Type
            || (self.open.last() == Some(&Open::TypeGroup)
                && matches!(before, Tok::LParen | Tok::Semi(_)))
    }

    /// Keeps braces in step when another bracket is missing.
    fn close(&mut self, brace: bool) {
        if brace {
            while self.open.last().is_some_and(|o| *o != Open::Brace) {
                self.open.pop();
            }
            self.open.pop();
        } else if self.open.last() != Some(&Open::Brace) {
            self.open.pop();
        }
    }

    fn func(&mut self, i: usize) {
        let at = |i: usize| self.t.get(i).map(|t| t.tok);
        let named = matches!(at(i + 1), Some(Tok::Ident(_)));
        if !self.open.is_empty() && (!named || self.open.contains(&Open::Brace)) {
            return;
        }
        let decl = named
            || (at(i + 1) == Some(Tok::LParen) && {
                let j = skip_balanced(self.t, i + 1);
                matches!(at(j), Some(Tok::Ident(_)))
                    && match at(j + 1) {
                        Some(Tok::LParen) => true,
                        Some(Tok::LBrack) => at(skip_balanced(self.t, j + 1)) == Some(Tok::LParen),
                        _ => false,
                    }
            });
        // a name after it: what is still open before it was never closed
        self.open.clear();
        if decl {
            self.t[i].tok = Tok::FuncDecl;
            self.no_body = true;
        }
    }
}
