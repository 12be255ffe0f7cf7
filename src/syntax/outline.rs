//! Outlines: a file of the library without the bodies of its functions, each of which is parsed when it is first needed.
//!
//! Not for the user's files: what stands in a body that is never asked for is never seen to be wrong. It relies on
//! the layout that `std/` has: a body opens at the end of a line that starts with `func` and closes with the next `}` in
//! the first column. A test checks that for every file.

/// The insides of the bodies of a text's functions, in order: first byte after `{`, byte of `}`. Bodies of one line are not among them.
pub(crate) fn bodies(src: &str) -> Vec<(u32, u32)> {
    let mut out = vec![];
    let mut from = 0;
    while let Some(start) = next_func(src, from) {
        let Some(end) = src[start..].find("\n}").map(|n| start + n + 1) else { break };
        let line_end = src[start..].find('\n').map_or(src.len(), |n| start + n);
        from = line_end;
        if src[start..line_end].ends_with('{') && end > line_end {
            out.push((line_end as u32, end as u32));
            from = end;
        }
    }
    out
}

/// The next line that starts with `func`.
fn next_func(src: &str, from: usize) -> Option<usize> {
    src[from..].find("\nfunc ").map(|n| from + n + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_of_several_lines_are_found() {
        let src = "package p\n\nfunc one() {}\n\nfunc native()\n\nfunc (t T) two() {\n\tif x {\n\t}\n}\n\ntype T struct {\n}\n";
        let found: Vec<&str> =
            bodies(src).iter().map(|&(a, b)| &src[a as usize..b as usize]).collect();
        assert_eq!(found, ["\n\tif x {\n\t}\n"]);
    }

    /// The insides of the bodies of several lines, as the parser sees them.
    fn parsed(src: &str) -> Vec<(u32, u32)> {
        let out = crate::syntax::parser::parse_text(src, 1);
        assert!(out.errors.is_empty(), "{:?}", out.errors);
        let ast = out.ast;
        let body = |&item: &u32| {
            let crate::syntax::Node::FuncDecl { body, .. } = ast.node(item) else { return None };
            (body != crate::syntax::NIL).then_some(body)
        };
        let inside = |b: u32| {
            let open = ast.toks[ast.pos[b as usize] as usize].end;
            (open, ast.toks[ast.ends[b as usize] as usize].start)
        };
        let several = |&(a, b): &(u32, u32)| src[a as usize..b as usize].contains('\n');
        ast.items.iter().filter_map(body).map(inside).filter(several).collect()
    }

    #[test]
    fn the_library_has_the_layout_that_outlines_need() {
        let mut dirs = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("std")];
        let mut seen = 0;
        while let Some(dir) = dirs.pop() {
            for path in
                std::fs::read_dir(dir).expect("a folder").map(|e| e.expect("an entry").path())
            {
                if path.is_dir() {
                    dirs.push(path);
                } else if path.extension().is_some_and(|e| e == "gmp") {
                    let src = std::fs::read_to_string(&path).expect("text");
                    assert_eq!(bodies(&src), parsed(&src), "{}", path.display());
                    seen += 1;
                }
            }
        }
        assert!(seen > 50);
    }
}
