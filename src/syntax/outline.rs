//! Outlines: a file of the library without its functions, each of which is parsed when it is first needed, first its head and then
//! its body.
//!
//! Not for the user's files: what is never asked for is never seen to be wrong. It relies on the layout that `std/` has: a
//! function starts with `func` in the first column and is one line, or ends with the next `}` in the first column. A test checks
//! that for every file.

use memchr::{memchr, memmem};

/// A function that an outline leaves out. Places are bytes of the text: first, and after the last.
#[derive(Clone, Debug)]
pub(crate) struct FuncHead {
    /// The declaration.
    pub(crate) range: (u32, u32),
    /// The inside of its body, if that has lines of its own.
    pub(crate) body: Option<(u32, u32)>,
    /// Its name.
    pub(crate) name: (u32, u32),
    /// The name of the type that has the method, and whether the receiver is a pointer.
    pub(crate) recv: Option<((u32, u32), bool)>,
    /// It has no body.
    pub(crate) native: bool,
}

/// The functions of a text, in order.
pub(crate) fn functions(src: &str) -> Vec<FuncHead> {
    let text = src.as_bytes();
    let mut out = vec![];
    let mut from = 0;
    while let Some(start) = memmem::find(&text[from..], b"\nfunc ").map(|n| from + n + 1) {
        let line = memchr(b'\n', &text[start..]).map_or(text.len(), |n| start + n);
        let (end, body) = if text[start..line].ends_with(b"{") {
            let Some(close) = memmem::find(&text[line..], b"\n}").map(|n| line + n + 1) else {
                break;
            };
            (close + 1, Some((line as u32, close as u32)))
        } else {
            (line, None)
        };
        from = end;
        let native = !text[start..line].contains(&b'{');
        if let Some((name, recv)) = names(text, start + "func ".len()) {
            out.push(FuncHead { range: (start as u32, end as u32), body, name, recv, native });
        }
    }
    out
}

type Names = ((u32, u32), Option<((u32, u32), bool)>);

/// The names in the head of a function, of which `at` is what follows `func`.
fn names(text: &[u8], mut at: usize) -> Option<Names> {
    let mut recv = None;
    if text[at] == b'(' {
        let close = at + memchr(b')', &text[at..])?;
        // `(r *T[K, V])`, `(r T)`, `(T)`: the type is what follows the last space before a bracket
        let end = memchr(b'[', &text[at..close]).map_or(close, |n| at + n);
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
    use crate::syntax::{Ast, NIL, Node};

    /// Name, receiver's type, whether it is a pointer, native, the text.
    type Row = (String, String, bool, bool, String);

    fn found(src: &str) -> Vec<Row> {
        let text = |(a, b): (u32, u32)| src[a as usize..b as usize].to_string();
        let row = |f: FuncHead| {
            let (base, pointer) = f.recv.map_or((String::new(), false), |(r, p)| (text(r), p));
            (text(f.name), base, pointer, f.native, text(f.range))
        };
        functions(src).into_iter().map(row).collect()
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
                    seen += 1;
                }
            }
        }
        assert!(seen > 50);
    }
}
