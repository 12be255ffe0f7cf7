//! Expressions as messages show them: one line, bodies and elements cut to `…`. Works on syntax alone.

#![expect(clippy::wildcard_enum_match_arm, reason = "statements have no text here")]

use super::ast::{Ast, Dir, Id, List, NIL, Node};

/// Nested deeper than this is cut off.
const MAX_DEPTH: u32 = 200;

struct Writer<'a> {
    ast: &'a Ast,
    out: String,
    depth: u32,
}

/// The text of an expression or type.
pub(crate) fn show_expr(ast: &Ast, id: Id) -> String {
    let mut w = Writer { ast, out: String::new(), depth: 0 };
    w.expr(id);
    w.out
}

impl Writer<'_> {
    fn list(&mut self, l: List) {
        for i in 0..l.len as usize {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.expr(self.ast.get(l)[i]);
        }
    }

    fn expr(&mut self, id: Id) {
        if id == NIL {
            return;
        }
        if self.depth > MAX_DEPTH {
            self.out.push('…');
            return;
        }
        self.depth += 1;
        self.inner(id);
        self.depth -= 1;
    }

    /// A part of a type: Go forgets the parentheses around it.
    fn ty(&mut self, id: Id) {
        self.expr(if id == NIL { id } else { self.ast.unparen(id) });
    }

    fn text(&mut self, s: &str) {
        self.out.push_str(s);
    }

    fn inner(&mut self, id: Id) {
        match self.ast.node(id) {
            Node::Ident | Node::Lit => self.text(self.ast.name(id)),
            Node::Bad => self.text("BadExpr"),
            Node::Paren(x) if self.ast.is_written(id) => self.around("(", x, ")"),
            Node::Paren(x) => self.expr(x),
            Node::Sel(x, name) => {
                self.expr(x);
                self.text(".");
                self.text(self.ast.text(name));
            }
            Node::Index(x, l) => {
                self.expr(x);
                self.text("[");
                self.list(l);
                self.text("]");
            }
            Node::Slice(x, l, three) => self.slice(x, l, three),
            Node::Assert(x, t) => {
                self.expr(x);
                self.text(".(");
                if t == NIL {
                    self.text("type");
                }
                self.around("", t, ")");
            }
            Node::Call(f, args, dots) => {
                self.expr(f);
                self.text("(");
                self.list(args);
                self.text(if dots { "...)" } else { ")" });
            }
            Node::Unary(op, x) => self.around(op.text(), x, ""),
            Node::Star(x) => self.around("*", x, ""),
            Node::Binary(..) => self.binary(id),
            Node::Composite(t, l) => {
                self.expr(t);
                self.text(if l.len > 0 { "{…}" } else { "{}" });
            }
            Node::KV(k, v) => {
                self.expr(k);
                self.around(": ", v, "");
            }
            Node::FuncLit(t, body) => {
                self.expr(t);
                self.text(if body.len > 0 { " {…}" } else { " {}" });
            }
            _ => self.type_literal(id),
        }
    }

    /// The left spine of a chain is walked in a loop.
    fn binary(&mut self, id: Id) {
        let mut spine = vec![];
        let mut at = id;
        while let Node::Binary(op, l, r) = self.ast.node(at) {
            spine.push((op, r));
            at = l;
        }
        self.expr(at);
        for (op, r) in spine.into_iter().rev() {
            self.text(" ");
            self.text(op.text());
            self.text(" ");
            self.expr(r);
        }
    }

    fn around(&mut self, before: &str, id: Id, after: &str) {
        self.text(before);
        self.expr(id);
        self.text(after);
    }

    fn slice(&mut self, x: Id, l: List, three: bool) {
        let [lo, hi, max] = [self.ast.get(l)[0], self.ast.get(l)[1], self.ast.get(l)[2]];
        self.expr(x);
        self.around("[", lo, ":");
        self.expr(hi);
        if three {
            self.around(":", max, "");
        }
        self.text("]");
    }

    fn type_literal(&mut self, id: Id) {
        match self.ast.node(id) {
            Node::Array(n, e) => {
                self.around("[", n, "]");
                self.ty(e);
            }
            Node::Dots(e) => self.around("...", e, ""),
            Node::Map(k, v) => {
                self.text("map[");
                self.ty(k);
                self.text("]");
                self.ty(v);
            }
            Node::Chan(dir, e) => {
                self.text(match dir {
                    Dir::Both => "chan ",
                    Dir::Send => "chan<- ",
                    Dir::Recv => "<-chan ",
                });
                let inner = self.ast.unparen(e);
                match (dir, self.ast.node(inner)) {
                    (Dir::Both, Node::Chan(Dir::Recv, _)) => self.around("(", inner, ")"),
                    _ => self.expr(inner),
                }
            }
            Node::Func { params, results, .. } => {
                self.text("func");
                self.signature(params, results);
            }
            Node::Struct(l) => {
                self.text("struct{");
                self.fields(l, "; ");
                self.text("}");
            }
            Node::Interface(l) => {
                self.text("interface{");
                for i in 0..l.len as usize {
                    if i > 0 {
                        self.text("; ");
                    }
                    self.expr(self.ast.get(l)[i]);
                }
                self.text("}");
            }
            Node::Method(name, t) => {
                self.text(self.ast.text(name));
                if let Node::Func { params, results, .. } = self.ast.node(t) {
                    self.signature(params, results);
                }
            }
            _ => {}
        }
    }

    fn signature(&mut self, params: List, results: List) {
        self.text("(");
        self.fields(params, ", ");
        self.text(")");
        if results.len == 0 {
            return;
        }
        let first = self.ast.get(results)[0];
        if results.len == 1 && matches!(self.ast.node(first), Node::Field(p) if p.name == NIL) {
            self.text(" ");
            self.fields(results, "");
            return;
        }
        self.text(" (");
        self.fields(results, ", ");
        self.text(")");
    }

    fn fields(&mut self, l: List, separator: &str) {
        let mut shared = false;
        for i in 0..l.len as usize {
            if i > 0 {
                self.text(if shared { ", " } else { separator });
            }
            shared = false;
            let Node::Field(p) = self.ast.node(self.ast.get(l)[i]) else { continue };
            if p.name != NIL {
                self.text(self.ast.name(p.name));
                let next = self.ast.get(l).get(i + 1).map(|&n| self.ast.node(n));
                if matches!(next, Some(Node::Field(q)) if q.ty == p.ty && q.name != NIL) {
                    shared = true;
                    continue;
                }
                self.text(" ");
            }
            self.ty(p.ty);
        }
    }
}
