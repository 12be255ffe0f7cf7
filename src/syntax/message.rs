//! What went wrong while parsing, in the manner of Go's compiler: LALRPOP's expected sets to words, and the
//! removal of messages that only follow from an earlier one.

#![expect(
    clippy::wildcard_enum_match_arm,
    clippy::too_many_lines,
    clippy::excessive_nesting,
    reason = "tables of special cases over tokens"
)]

use super::ast::{Ast, Msg};
use super::token::{LexErr, Semi, Tok, Token};
use lalrpop_util::ParseError;
use std::collections::HashMap;

/// Brackets nest deeper than anybody writes them.
pub const TOO_DEEP: &str = "exceeded max nesting depth";

/// What is wrong with a token's text.
#[derive(Debug, Clone)]
pub struct LexMessage {
    /// Byte offset.
    pub at: u32,
    /// Go's words.
    pub text: String,
}

impl LexMessage {
    /// A message at a byte.
    pub fn at(at: u32, text: impl Into<String>) -> Self {
        LexMessage { at, text: text.into() }
    }
}

/// The error type of the generated parser.
pub type Error = ParseError<u32, Tok, ()>;

#[derive(PartialEq, Debug, Clone, Copy)]
enum Where {
    Top,
    Block,
    Body(&'static str),
    Args,
    Params,
    Paren,
    Group,
    Index,
    TParams,
    Struct,
    Interface,
    Composite,
    Header(&'static str),
}

pub fn name(t: Tok, text: &str, at_eof: bool) -> String {
    if at_eof {
        return "EOF".into();
    }
    match t {
        Tok::Ident(_) => format!("name {text}"),
        Tok::Lit(_) | Tok::Str(_) => {
            let one = text.lines().next().unwrap_or("");
            format!("literal {one}")
        }
        Tok::Semi(Semi::Explicit) => "semicolon".into(),
        Tok::Semi(Semi::Newline) => "newline".into(),
        Tok::Semi(Semi::Eof) => "EOF".into(),
        Tok::Comma => "comma".into(),
        _ if text.starts_with(|c: char| c.is_ascii_lowercase()) => format!("keyword {text}"),
        _ => text.into(),
    }
}

const OUTSIDE: &str = "non-declaration statement outside function body";

/// How many braces are open before token `n`.
fn depth_at(t: &[Token], n: u32) -> i32 {
    t.iter().take(n as usize).fold(0, |d, t| match t.tok {
        Tok::LBrace => d + 1,
        Tok::RBrace => d - 1,
        _ => d,
    })
}

/// The innermost bracket or header open before token `n`.
fn context(t: &[Token], n: usize) -> Where {
    let mut st: Vec<(Where, usize)> = vec![];
    for i in 0..n.min(t.len()) {
        let prev = if i > 0 { Some(t[i - 1].tok) } else { None };
        let ends = matches!(
            prev,
            Some(Tok::Ident(_) | Tok::Str(_) | Tok::RParen | Tok::RBrack | Tok::RBrace)
        );
        match t[i].tok {
            Tok::If => st.push((Where::Header("if"), i)),
            Tok::For => st.push((Where::Header("for"), i)),
            Tok::Switch => st.push((Where::Header("switch"), i)),
            Tok::Select => st.push((Where::Header("select"), i)),
            Tok::LParen => {
                let before = if i > 1 { Some(t[i - 2].tok) } else { None };
                let w = match prev {
                    Some(Tok::Func | Tok::FuncDecl) => Where::Params,
                    Some(Tok::Ident(_)) if matches!(before, Some(Tok::FuncDecl)) => Where::Params,
                    // `func (r T) name(`
                    Some(Tok::Ident(_)) if before == Some(Tok::RParen) => Where::Params,
                    Some(Tok::Const | Tok::Var | Tok::Type | Tok::Import) => Where::Group,
                    _ if matches!(st.last(), Some((Where::Interface, _))) => Where::Params,
                    _ if ends => Where::Args,
                    _ => Where::Paren,
                };
                st.push((w, i));
            }
            Tok::LBrack => st.push((Where::Index, i)),
            Tok::TypeParams => st.push((Where::TParams, i)),
            Tok::LBrace
                if matches!(st.last(), Some((Where::Header(_), _)))
                    && !matches!(prev, Some(Tok::Struct | Tok::Interface)) =>
            {
                if let Some((Where::Header(h), _)) = st.pop() {
                    st.push((Where::Body(h), i));
                }
            }
            Tok::LBrace => {
                let w = match prev {
                    Some(Tok::Struct) => Where::Struct,
                    Some(Tok::Interface) => Where::Interface,
                    Some(Tok::RParen | Tok::Semi(_) | Tok::Else | Tok::LBrace | Tok::Colon)
                    | None => Where::Block,
                    // the result type of a function, or a literal type: a `func` before it on the line of tokens tells
                    _ => {
                        let mut j = i;
                        let mut depth = 0i32;
                        let mut w = Where::Composite;
                        while j > 0 {
                            j -= 1;
                            match t[j].tok {
                                Tok::RParen | Tok::RBrack | Tok::RBrace => depth += 1,
                                Tok::LParen | Tok::LBrack | Tok::LBrace => {
                                    depth -= 1;
                                    if depth < 0 {
                                        break;
                                    }
                                }
                                Tok::Func | Tok::FuncDecl if depth == 0 => {
                                    w = Where::Block;
                                    break;
                                }
                                Tok::Semi(_)
                                | Tok::Assign
                                | Tok::Define
                                | Tok::Comma
                                | Tok::Return
                                    if depth == 0 =>
                                {
                                    break;
                                }
                                _ => {}
                            }
                        }
                        w
                    }
                };
                st.push((
                    if prev == Some(Tok::LBrace) && matches!(st.last(), Some((Where::Composite, _)))
                    {
                        Where::Composite
                    } else {
                        w
                    },
                    i,
                ));
            }
            Tok::RParen | Tok::RBrack | Tok::RBrace => {
                while matches!(st.last(), Some((Where::Header(_), _))) {
                    st.pop();
                }
                st.pop();
            }
            _ => {}
        }
    }
    st.last().map_or(Where::Top, |s| s.0)
}

pub fn message(e: &Error, t: &[Token], src: &str) -> Msg {
    let (at, tok, expected): (usize, Option<Tok>, &[String]) = match e {
        ParseError::UnrecognizedEof { expected, .. } => (t.len(), None, expected),
        ParseError::UnrecognizedToken { token, expected } => {
            (token.0 as usize, Some(token.1), expected)
        }
        ParseError::ExtraToken { token } => (token.0 as usize, Some(token.1), &[]),
        _ => (t.len(), None, &[]),
    };
    let text = t.get(at).map_or("", |k| &src[k.start as usize..k.end as usize]);
    if let Some(Tok::Error(LexErr::Nesting)) = tok {
        return Msg { tok: at as u32, text: TOO_DEEP.into(), parser: true };
    }
    if matches!(tok, Some(Tok::Case | Tok::Default))
        && at > 1
        && t[at - 1].tok == Tok::Colon
        && matches!(t[at - 2].tok, Tok::Ident(_))
    {
        return Msg {
            tok: at as u32 - 1,
            text: "missing statement after label".into(),
            parser: true,
        };
    }
    let has = |s: &str| expected.iter().any(|e| e.len() == s.len() + 2 && &e[1..e.len() - 1] == s);
    let got = name(tok.unwrap_or(Tok::Comma), text, tok.is_none());
    let w = context(t, at);
    let stmt_start = has("if") && has("for");
    let expr_start = has("literal") && has("name") && has("(");
    let type_start = !has("literal") && has("chan") && has("name");
    let prev = if at > 0 { t.get(at - 1).map(|k| k.tok) } else { None };
    let starts_entry =
        matches!(prev, Some(Tok::LParen | Tok::LBrack | Tok::TypeParams | Tok::Comma));
    let keyword = matches!(prev, Some(Tok::Var | Tok::Type | Tok::Const));
    let rest = match w {
        _ if keyword && has("name") => ", expected name".into(),
        _ if prev == Some(Tok::Func) && w == Where::Top => ", expected name or (".into(),
        Where::Args if has(",") && has(")") => {
            " in argument list; possibly missing comma or )".to_string()
        }
        Where::Params if has(",") && has(")") => {
            " in parameter list; possibly missing comma or )".into()
        }
        Where::TParams if has(",") && has("]") => {
            " in type parameter list; possibly missing comma or ]".into()
        }
        Where::Composite if has(",") && has("}") => {
            " in composite literal; possibly missing comma or }".into()
        }
        Where::Struct if has("}") && matches!(prev, Some(Tok::LBrace | Tok::Semi(_))) => {
            ", expected field name or embedded type".into()
        }
        Where::Struct if has("}") || has(";") => {
            " in struct type; possibly missing semicolon or newline or }".into()
        }
        Where::Interface if has("}") || has(";") => {
            " in interface type; possibly missing semicolon or newline or }".into()
        }
        Where::Header(h) if has("{") && !expr_start => format!(", expected {{ after {h} clause"),
        // only the top level cannot end in `}`
        Where::Body("switch" | "select") if has(":") && !expr_start => ", expected :".into(),
        _ if stmt_start && !has("}") && !has("case") && tok.is_some() => {
            "non-declaration statement outside function body".into()
        }
        _ if stmt_start => match (w, tok) {
            (Where::Top, Some(Tok::RBrace | Tok::RParen | Tok::RBrack)) => {
                "non-declaration statement outside function body".into()
            }
            (_, Some(Tok::Else)) => {
                ", expected statement (else goes on the line of the } before it)".into()
            }
            (_, Some(Tok::Func | Tok::FuncDecl)) => ", expected }".into(),
            (_, None) => ", expected }".into(),
            (_, Some(Tok::LBrace)) => " at end of statement".into(),
            _ => ", expected }".into(),
        },
        _ if matches!(tok, Some(Tok::LBrace)) && has("(") && expected.len() == 1 => {
            " at end of statement".into()
        }
        _ if expr_start => ", expected expression".into(),
        _ if has("string") && !has("literal") && is_import(t, at) => {
            "missing import path; require quoted string".into()
        }
        _ if type_start && at > 1 && t[at - 2].tok == Tok::Type => " in type declaration".into(),
        Where::Params if type_start && starts_entry => ", expected )".into(),
        Where::TParams if starts_entry => ", expected ]".into(),
        _ if type_start => ", expected type".into(),
        Where::Top if has(";") && !has("if") => match prev {
            Some(Tok::RBrace) => " after top level declaration".into(),
            _ => " at end of statement".into(),
        },
        _ if has(";") && !has("if") => " at end of statement".into(),
        _ => {
            let mut l: Vec<String> = expected
                .iter()
                .map(|e| {
                    let e = &e[1..e.len() - 1];
                    match e {
                        "," => "comma".into(),
                        ";" => "semicolon or newline".into(),
                        "binop" | "addop" => "operator".into(),
                        _ => e.into(),
                    }
                })
                .collect();
            l.sort();
            l.dedup();
            let n = l.len();
            if n == 0 {
                String::new()
            } else if n > 5 {
                " here".into()
            } else {
                format!(", expected {}", l.join(" or ").replace("( or name", "name or ("))
            }
        }
    };
    let text = if rest.starts_with([',', ' ']) { format!("unexpected {got}{rest}") } else { rest };
    Msg { tok: at as u32, text, parser: true }
}

/// Whether token `at` belongs to an import declaration.
fn is_import(t: &[Token], at: usize) -> bool {
    let mut i = at.min(t.len());
    while i > 0 {
        i -= 1;
        match t[i].tok {
            Tok::Import => return true,
            Tok::Ident(_) | Tok::Dot | Tok::LParen | Tok::Str(_) | Tok::Semi(_) => {}
            _ => return false,
        }
    }
    false
}

/// For each token the opening bracket it closes (only for closing brackets), by nesting alone.
pub fn openers(t: &[Token]) -> HashMap<u32, u32> {
    let mut st: Vec<(u8, u32)> = vec![];
    let mut m = HashMap::new();
    for (i, k) in t.iter().enumerate() {
        match k.tok {
            Tok::LParen => st.push((0, i as u32)),
            Tok::LBrack | Tok::TypeParams => st.push((1, i as u32)),
            Tok::LBrace => st.push((2, i as u32)),
            Tok::RParen | Tok::RBrack | Tok::RBrace => {
                let kind = match k.tok {
                    Tok::RParen => 0,
                    Tok::RBrack => 1,
                    _ => 2,
                };
                if let Some(p) = st.iter().rposition(|s| s.0 == kind)
                    && (kind == 2 || st[p..].iter().all(|s| s.0 != 2))
                {
                    m.insert(i as u32, st[p].1);
                    st.truncate(p);
                }
            }
            _ => {}
        }
    }
    m
}
/// Drops what only follows from an earlier error: a second one on a line, a closing bracket opened before
/// an earlier error, the `{` of a head already complained about, the end of the file.
pub fn settle(msgs: &mut Vec<Msg>, ast: &Ast) {
    let (t, src) = (&ast.toks, &ast.src);
    msgs.sort_by_key(|m| m.tok);
    let mut kept: Vec<Msg> = vec![];
    let mut open = None;
    for m in msgs.drain(..) {
        let Some(last) = kept.last() else {
            kept.push(m);
            continue;
        };
        let at = |k: u32| t.get(k as usize).map_or(src.len(), |t| t.start as usize);
        let same_line = !src[at(last.tok)..at(m.tok)].contains('\n');
        let tok = t.get(m.tok as usize).map(|t| t.tok);
        let follow = match tok {
            None => true,
            Some(Tok::RParen | Tok::RBrack | Tok::RBrace) => {
                let o = open.get_or_insert_with(|| openers(t));
                o.get(&m.tok).is_some_and(|o| *o < last.tok)
            }
            Some(Tok::LBrace) => m.parser,
            _ => false,
        };
        let follow = follow || (m.parser && m.text == OUTSIDE && depth_at(t, m.tok) > 0);
        // these leave the tree whole, and all are told
        let plain = super::parser::PLAIN.contains(&m.text.as_str());
        if plain || (!same_line && !follow) {
            kept.push(m);
        }
    }
    *msgs = kept;
}
