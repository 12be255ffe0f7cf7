//! Outlines: what a file of the library declares, found without parsing it. The build makes them, and each declaration is parsed when
//! it is first needed: of a function first its head and then its body.
//!
//! Not for the user's files: what is never asked for is never seen to be wrong. It relies on the layout that `std/` has: a
//! declaration starts in the first column and is one line, or ends with the next `}` or `)` in the first column, or with a raw string
//! that the first line begins; the names of a group have one tab before them, and nothing else in it has. A test checks that for every file.

use std::borrow::Cow;

/// Places in a text, in bytes: first, and after the last.
pub(crate) type Range = (u32, u32);

/// The declarations of a file.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Its functions, in order.
    pub(crate) funcs: Cow<'static, [FuncHead]>,
    /// The other names it declares, in order.
    pub(crate) decls: Cow<'static, [DeclHead]>,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct FuncHead {
    /// The declaration.
    pub(crate) range: Range,
    /// The inside of its body, if that has lines of its own.
    pub(crate) body: Option<Range>,
    /// Its name.
    pub(crate) name: Range,
    /// The name of the type that has the method, and whether the receiver is a pointer.
    pub(crate) recv: Option<(Range, bool)>,
    /// It has no body.
    pub(crate) native: bool,
}

/// A name that is no function's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeclHead {
    /// What it is declared as.
    pub(crate) word: Word,
    /// The declaration, which may declare other names too.
    pub(crate) range: Range,
    /// The name.
    pub(crate) name: Range,
}

/// The word that a declaration starts with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Word {
    /// `const`.
    Const,
    /// `type`.
    Type,
    /// `var`.
    Var,
}

impl Outline {
    /// The outline of a text.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut funcs, mut decls) = (vec![], vec![]);
        let mut at = 0;
        while at < bytes.len() {
            at = match () {
                () if bytes[at..].starts_with(b"func ") => function(bytes, at, &mut funcs),
                () if bytes[at..].starts_with(b"const ") => {
                    declaration(bytes, at, Word::Const, &mut decls)
                }
                () if bytes[at..].starts_with(b"type ") => {
                    declaration(bytes, at, Word::Type, &mut decls)
                }
                () if bytes[at..].starts_with(b"var ") => {
                    declaration(bytes, at, Word::Var, &mut decls)
                }
                () => at,
            };
            at = line_end(bytes, at) + 1;
        }
        Outline { funcs: Cow::Owned(funcs), decls: Cow::Owned(decls) }
    }

    /// What a parser of the rest leaves out, in order.
    pub(crate) fn holes(&self) -> Vec<Range> {
        let funcs = self.funcs.iter().map(|h| h.range);
        let mut holes: Vec<Range> = self.decls.iter().map(|h| h.range).chain(funcs).collect();
        holes.sort_unstable();
        holes.dedup();
        holes
    }
}

/// Where the line that has a place ends: its newline, or the end of the text.
fn line_end(text: &[u8], at: usize) -> usize {
    text[at..].iter().position(|&b| b == b'\n').map_or(text.len(), |n| at + n)
}

/// Notes the function that starts at `start`; gives its end.
fn function(text: &[u8], start: usize, out: &mut Vec<FuncHead>) -> usize {
    let line = line_end(text, start);
    let has_lines = text[line - 1] == b'{';
    let end = if has_lines { declaration_end(text, start) } else { line };
    let body = has_lines.then_some((line as u32, end as u32 - 1));
    let native = !text[start..line].contains(&b'{');
    if let Some((name, recv)) = names(text, start + "func ".len()) {
        out.push(FuncHead { range: (start as u32, end as u32), body, name, recv, native });
    }
    end
}

/// The end of the declaration that starts at `start`.
fn declaration_end(text: &[u8], start: usize) -> usize {
    let mut line = line_end(text, start);
    let quotes = text[start..line].iter().filter(|&&b| b == b'`').count();
    if quotes % 2 == 1 {
        let close = text[line..].iter().position(|&b| b == b'`').map_or(text.len(), |n| line + n);
        return line_end(text, close);
    }
    loop {
        let close = match text[line - 1] {
            b'{' => b'}',
            b'(' => b')',
            _ => return line,
        };
        while line < text.len() && text.get(line + 1) != Some(&close) {
            line = line_end(text, line + 1);
        }
        line = line_end(text, (line + 1).min(text.len()));
    }
}

/// Notes the names of the declaration that starts at `start`; gives its end.
fn declaration(text: &[u8], start: usize, word: Word, out: &mut Vec<DeclHead>) -> usize {
    let end = declaration_end(text, start);
    let range = (start as u32, end as u32);
    let mut note = |at: usize| {
        for name in name_list(text, at, word) {
            out.push(DeclHead { word, range, name });
        }
    };
    let after = start + text[start..].iter().position(|&b| b == b' ').map_or(0, |n| n + 1);
    if text[after] != b'(' {
        note(after);
        return end;
    }
    let mut line = line_end(text, start);
    while line < end {
        if text[line + 1] == b'\t' {
            note(line + 2);
        }
        line = line_end(text, line + 1);
    }
    end
}

/// The names of a list that starts at a place, if one does.
fn name_list(text: &[u8], mut at: usize, word: Word) -> Vec<Range> {
    let mut out = vec![];
    loop {
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80;
        let len = text[at..].iter().position(|b| !is_part(b)).unwrap_or(text.len() - at);
        if len == 0 {
            return out;
        }
        out.push((at as u32, (at + len) as u32));
        at += len;
        if word == Word::Type || !text[at..].starts_with(b", ") {
            return out;
        }
        at += 2;
    }
}

type Names = (Range, Option<(Range, bool)>);

/// The names in the head of a function, of which `at` is what follows `func`.
fn names(text: &[u8], mut at: usize) -> Option<Names> {
    let find = |what: u8, from: usize, to: usize| {
        text[from..to].iter().position(|&b| b == what).map(|n| from + n)
    };
    let mut recv = None;
    if text[at] == b'(' {
        let close = find(b')', at, text.len())?;
        // `(r *T[K, V])`, `(r T)`, `(T)`: the type is what follows the last space before a bracket
        let end = find(b'[', at, close).unwrap_or(close);
        let mut start =
            text[at + 1..end].iter().rposition(|&b| b == b' ').map_or(at + 1, |n| at + n + 2);
        let pointer = text[start] == b'*';
        start += usize::from(pointer);
        recv = Some(((start as u32, end as u32), pointer));
        at = close + 2;
    }
    let len = text[at..].iter().position(|b| matches!(b, b'(' | b'['))?;
    Some(((at as u32, (at + len) as u32), recv))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::token::Tok;
    use crate::syntax::{Ast, NIL, Node};

    /// Name, receiver's type, whether it is a pointer, native, the text.
    type Row = (String, String, bool, bool, String);

    fn found(src: &str) -> Vec<Row> {
        let text = |(a, b): Range| src[a as usize..b as usize].to_string();
        let row = |f: &FuncHead| {
            let (base, pointer) = f.recv.map_or((String::new(), false), |(r, p)| (text(r), p));
            (text(f.name), base, pointer, f.native, text(f.range))
        };
        Outline::of(src).funcs.iter().map(row).collect()
    }

    /// Of the other declarations: word, name, the text.
    fn found_names(src: &str) -> Vec<(Word, String, String)> {
        let text = |(a, b): Range| src[a as usize..b as usize].to_string();
        let row = |d: &DeclHead| (d.word, text(d.name), text(d.range));
        Outline::of(src).decls.iter().map(row).collect()
    }

    /// The same from the tree.
    fn parsed(src: &str) -> Vec<Row> {
        let out = crate::syntax::parser::parse_text(src, 1);
        assert!(out.errors.is_empty(), "{:?}", out.errors);
        let ast = out.ast;
        let mut rows = vec![];
        for (k, &item) in ast.items.iter().enumerate() {
            let Node::FuncDecl { recv, name, body, .. } = ast.node(item) else { continue };
            let (base, pointer) = receiver(&ast, recv);
            let next = ast.items.get(k + 1).map_or(ast.toks.len() as u32, |&n| ast.pos[n as usize]);
            // the last token but the semicolon
            let end = ast.toks[next as usize - 2].end as usize;
            let start = ast.toks[ast.pos[item as usize] as usize].start as usize;
            let text = src[start..end].to_string();
            rows.push((ast.text(name).to_string(), base, pointer, body == NIL, text));
        }
        rows
    }

    fn parsed_names(src: &str) -> Vec<(Word, String, String)> {
        let ast = crate::syntax::parser::parse_text(src, 1).ast;
        let mut rows = vec![];
        for (k, &item) in ast.items.iter().enumerate() {
            let Node::Group(kw, specs) = ast.node(item) else { continue };
            let word = match ast.tok(kw) {
                Some(Tok::Const) => Word::Const,
                Some(Tok::Type) => Word::Type,
                Some(Tok::Var) => Word::Var,
                _ => continue,
            };
            let next = ast.items.get(k + 1).map_or(ast.toks.len() as u32, |&n| ast.pos[n as usize]);
            let end = ast.toks[next as usize - 2].end as usize;
            let start = ast.toks[ast.pos[item as usize] as usize].start as usize;
            for &spec in ast.get(specs) {
                let mut names: Vec<String> = vec![];
                if let Node::TypeSpec { name, .. } = ast.node(spec) {
                    names.push(ast.text(name).to_string());
                } else if let Node::ValueSpec { names: list, .. } = ast.node(spec) {
                    names.extend(ast.get(list).iter().map(|&n| ast.name(n).to_string()));
                }
                rows.extend(names.into_iter().map(|n| (word, n, src[start..end].to_string())));
            }
        }
        rows
    }

    fn receiver(ast: &Ast, recv: crate::syntax::List) -> (String, bool) {
        let Some(&field) = ast.get(recv).first() else { return (String::new(), false) };
        let Node::Field(p) = ast.node(field) else { return (String::new(), false) };
        let (mut at, mut pointer) = (p.ty, false);
        if let Node::Star(x) = ast.node(at) {
            (at, pointer) = (x, true);
        }
        if let Node::Index(x, _) = ast.node(at) {
            at = x;
        }
        (ast.name(at).to_string(), pointer)
    }

    #[test]
    fn heads_are_found() {
        let src = "package p\n\nfunc one() {}\n\nfunc native[T any](x T) int\n\nfunc (t *Tree[K, V]) two() {\n\tif x {\n\t}\n}\n\ntype T struct {\n}\n\nfunc (T) three() int { return 3 }\n";
        assert_eq!(found(src), parsed(src));
        assert_eq!(found(src).len(), 4);
    }

    #[test]
    fn names_are_found() {
        let src = "package p\n\nimport \"io\"\n\nconst (\n\ta, b = iota, 1\n\t_, _\n\n\t// more\n\tc, d\n)\n\nvar _ I = 3\n\nvar x, y = []struct {\n\ta int\n}{\n\t{1},\n}, 2\n\ntype Pair[K, V any] struct {\n\tk K\n}\n\ntype (\n\tT = struct {\n\t\tn int\n\t}\n\tU int\n)\n\nvar f = func() {\n}\n\nconst raw = `\nvar g int\n` + \"\"\n";
        assert_eq!(found_names(src), parsed_names(src));
        let names: Vec<String> = found_names(src).into_iter().map(|n| n.1).collect();
        assert_eq!(names.join(" "), "a b _ _ c d _ x y Pair T U f raw");
        let holes = Outline::of(src).holes();
        assert_eq!(holes.len(), 7);
        assert!(holes.is_sorted());
    }

    #[test]
    fn the_library_has_the_layout_that_outlines_need() {
        let mut dirs = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("std")];
        let mut seen = 0;
        while let Some(dir) = dirs.pop() {
            for entry in std::fs::read_dir(dir).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    dirs.push(path);
                } else if path.extension().is_some_and(|e| e == "gmp") {
                    let src = std::fs::read_to_string(&path).expect("text");
                    assert_eq!(found(&src), parsed(&src), "{}", path.display());
                    let is_test = path.to_string_lossy().ends_with("_test.gmp");
                    assert!(
                        is_test || found_names(&src) == parsed_names(&src),
                        "{}",
                        path.display()
                    );
                    seen += 1;
                }
            }
        }
        assert!(seen > 50);
    }
}
