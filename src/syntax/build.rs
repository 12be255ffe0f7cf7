//! The actions of the grammar: what a production adds to the tree, and the checks that the grammar leaves open.
//!
//! Nothing here looks at names or types.

#![expect(
    clippy::wildcard_enum_match_arm,
    clippy::ptr_arg,
    missing_docs,
    reason = "called by the generated parser only; each action looks at the few nodes it is about"
)]

use super::ast::{AOp, Ast, Id, List, Msg, NIL, Node, Param, Params};
use super::token::{Op, Semi, Tok};

/// `...` before another type than the last parameter's.
pub const DOTS_FINAL: &str = "can only use ... with final parameter";
/// `...` before the type of what is no parameter.
pub const DOTS_USE: &str = "invalid use of ...";
/// Parentheses around the call of a go statement.
pub const GO_PAREN: &str = "expression in go must not be parenthesized";
/// The same for defer.
pub const DEFER_PAREN: &str = "expression in defer must not be parenthesized";

fn missing_part(what: &str, type_is_missing: bool, count: usize) -> &'static str {
    match (what == "type parameter", type_is_missing) {
        (true, true) => "missing type constraint",
        (false, true) => "missing parameter type",
        (true, false) if count == 1 => "missing type parameter name or invalid array length",
        (true, false) => "missing type parameter name",
        (false, false) => "missing parameter name",
    }
}

/// What the header of an if/for/switch is.
#[derive(Clone, Debug)]
pub enum Header {
    None,
    One(Id),
    Two(Id, Id),
    Three(Id, Id, Id),
    Range(Option<AOp>, List, Id),
    Bad,
}
#[derive(Clone, Debug)]
pub struct Head {
    pos: u32,
    init: Id,
    cond: Id,
    post: Id,
    range: Option<(Option<AOp>, List)>,
}
pub const MAX_ERRORS: usize = 10;
/// A switch body as it is read: clauses one after the other.
#[derive(Debug)]
pub struct Clause {
    pos: u32,
    exprs: List,
    default: bool,
    body: Vec<Id>,
}

impl Ast {
    pub fn add(&mut self, pos: u32, n: Node) -> Id {
        self.nodes.push(n);
        self.pos.push(pos);
        self.ends.push(0);
        self.nodes.len() as u32 - 1
    }
    /// A node whose last token (the one before `after`) is worth keeping.
    pub fn add_ended(&mut self, pos: u32, after: u32, n: Node) -> Id {
        let id = self.add(pos, n);
        self.ends[id as usize] = after - 1;
        id
    }
    pub fn list(&mut self, v: &[Id]) -> List {
        let at = self.pool.len() as u32;
        self.pool.extend_from_slice(v);
        List { at, len: v.len() as u32 }
    }
    pub fn err(&mut self, tok: u32, text: impl Into<String>) {
        self.errs.push(Msg { tok, text: text.into(), parser: false });
    }

    /// Puts `l op r` where its precedence wants it: down the right edge of `l` (at most 4 steps).
    pub fn binary(&mut self, l: Id, op: Op, r: Id) -> Id {
        let p = op.prec();
        let mut parent = NIL;
        let mut at = l;
        while let Node::Binary(o, _, right) = self.nodes[at as usize]
            && o.prec() < p
        {
            parent = at;
            at = right;
        }
        let pos = self.pos[at as usize];
        let n = self.add(pos, Node::Binary(op, at, r));
        if parent == NIL {
            return n;
        }
        if let Node::Binary(_, _, right) = &mut self.nodes[parent as usize] {
            *right = n;
        }
        l
    }
    pub fn composite(&mut self, ty: Id, elems: Vec<Id>, brace: u32, after: u32) -> Id {
        let ok = ty == NIL || {
            let mut t = ty;
            if let Node::Index(x, args) = self.nodes[t as usize] {
                // of an element of a slice no literal can be made
                let is_element = self.get(args).iter().any(|&i| self.is_value(i));
                t = if is_element { t } else { x };
            }
            if let Node::Sel(x, _) = self.nodes[t as usize] {
                t = x;
                matches!(self.nodes[t as usize], Node::Ident)
            } else {
                matches!(
                    self.nodes[t as usize],
                    Node::Ident | Node::Array(..) | Node::Map(..) | Node::Struct(..) | Node::Bad
                )
            }
        };
        if !ok {
            let paren = matches!(self.nodes[ty as usize], Node::Paren(_));
            self.err(
                brace,
                if paren {
                    "cannot parenthesize type in composite literal"
                } else {
                    "unexpected { at end of statement"
                },
            );
        }
        let l = self.list(&elems);
        let pos = if ty == NIL { brace } else { self.pos[ty as usize] };
        self.add_ended(pos, after, Node::Composite(ty, l))
    }
    /// An index, or type arguments: only the first may be a value.
    pub fn index(&mut self, pos: u32, x: Id, v: Vec<Id>) -> Id {
        if let Some(&bad) = v.iter().skip(1).find(|&&i| self.is_value(i)) {
            self.err(self.pos[bad as usize], "unexpected expression, expected ]");
        }
        let l = self.list(&v);
        self.add(pos, Node::Index(x, l))
    }
    /// Whether an expression can be nothing but a value.
    fn is_value(&self, x: Id) -> bool {
        match self.nodes[x as usize] {
            Node::Lit
            | Node::Slice(..)
            | Node::Assert(..)
            | Node::Call(..)
            | Node::Unary(..)
            | Node::Binary(..)
            | Node::Composite(..)
            | Node::FuncLit(..) => true,
            Node::Paren(x) => self.is_value(x),
            Node::Index(x, args) => {
                self.is_value(x) || self.get(args).iter().any(|&i| self.is_value(i))
            }
            _ => false,
        }
    }
    pub fn slice(
        &mut self,
        pos: u32,
        x: Id,
        lo: Option<Id>,
        hi: Option<Id>,
        max: Option<(u32, Option<Id>)>,
    ) -> Id {
        let three = max.is_some();
        let mut last = None;
        if let Some((colon, m)) = max {
            last = m;
            if hi.is_none() {
                self.err(colon, "middle index required in 3-index slice");
            }
            if m.is_none() {
                self.err(colon + 1, "final index required in 3-index slice");
            }
        }
        let l = self.list(&[lo.unwrap_or(NIL), hi.unwrap_or(NIL), last.unwrap_or(NIL)]);
        // Go puts it at its bracket
        let pos = lo.map_or(pos, |lo| self.pos[lo as usize]) - 1;
        self.add(pos, Node::Slice(x, l, three))
    }
    /// `name [args] T?` in a parameter or a field: an array type when a type follows, else a generic type.
    pub fn bracketed(
        &mut self,
        pos: u32,
        name: Id,
        args: Vec<Id>,
        comma: bool,
        elem: Option<Id>,
    ) -> Param {
        match elem {
            Some(t) => {
                if args.len() != 1 || comma {
                    self.err(pos, "unexpected comma; expecting ]");
                }
                let ty = self.add(pos + 1, Node::Array(args[0], t));
                Param { name, ty, tag: NIL }
            }
            None => {
                let l = self.list(&args);
                let ty = self.add(pos, Node::Index(name, l));
                Param { name: NIL, ty, tag: NIL }
            }
        }
    }
    /// Sorts out the parameter list: either all entries are types, or each name takes the next type.
    pub fn params(&mut self, mut v: Params, end: u32, what: &str) -> List {
        let named = v.iter().any(|p| p.name != NIL && p.ty != NIL);
        if !named && what != "type parameter" {
            for p in &mut v {
                if p.ty == NIL {
                    p.ty = p.name;
                    p.name = NIL;
                }
            }
        } else {
            let both = v.iter().filter(|p| p.name != NIL && p.ty != NIL).count();
            let typed = v.iter().filter(|p| p.ty != NIL).count();
            let mut ty = NIL;
            let mut bad = None;
            for p in v.iter_mut().rev() {
                if p.ty == NIL {
                    p.ty = ty;
                    if ty == NIL {
                        bad = Some(p.name);
                    }
                } else {
                    ty = p.ty;
                    if p.name == NIL {
                        bad = Some(p.ty);
                    }
                }
            }
            if let Some(first) = bad {
                let at = if both == typed { end } else { self.pos[first as usize] };
                self.err(at, missing_part(what, both == typed, v.len()));
            }
        }
        for (i, p) in v.iter().enumerate() {
            if p.ty != NIL
                && let Node::Dots(t) = self.nodes[p.ty as usize]
                && t != NIL
                && (i + 1 < v.len() || what != "parameter")
            {
                let at = self.pos[p.ty as usize];
                self.err(at, if what == "parameter" { DOTS_FINAL } else { DOTS_USE });
            }
        }
        self.fields(v)
    }
    /// A receiver and results take no `...`.
    pub fn no_dots(&mut self, list: List) {
        for &f in &self.get(list).to_vec() {
            if let Node::Field(p) = self.nodes[f as usize]
                && p.ty != NIL
                && matches!(self.nodes[p.ty as usize], Node::Dots(_))
            {
                let at = self.pos[p.ty as usize];
                self.err(at, DOTS_USE);
            }
        }
    }
    pub fn fields(&mut self, v: Params) -> List {
        let mut ids = Vec::with_capacity(v.len());
        for p in v {
            let pos = if p.name != NIL {
                self.pos[p.name as usize]
            } else if p.ty != NIL {
                self.pos[p.ty as usize]
            } else {
                0
            };
            ids.push(self.add(pos, Node::Field(p)));
        }
        self.list(&ids)
    }
    pub fn sig(&mut self, pos: u32, tparams: List, params: List, results: List) -> Id {
        self.no_dots(results);
        self.add(pos, Node::Func { tparams, params, results })
    }
    pub fn result(&mut self, t: Id) -> List {
        self.fields(vec![Param { name: NIL, ty: t, tag: NIL }])
    }
    /// A statement that stands where a value is wanted: where Go complains, and its text.
    fn no_value(&self, s: Id) -> (u32, String) {
        let show = |x: Id| super::show::show_expr(self, x);
        let list = |l: List| self.get(l).iter().map(|&x| show(x)).collect::<Vec<_>>().join(", ");
        // complex sides in parentheses, so that the `=` stands out
        let emphasize = |l: List| match self.get(l) {
            [one] if matches!(self.nodes[*one as usize], Node::Ident | Node::Lit) => show(*one),
            _ => format!("({})", list(l)),
        };
        match self.nodes[s as usize] {
            Node::Assign(op, l, r) => {
                let at = self.define_tok(s);
                let text = match op {
                    AOp::Assign => format!("assignment {} = {}", emphasize(l), emphasize(r)),
                    AOp::Define => format!("{} := {}", list(l), list(r)),
                    AOp::Op(o) => format!("{} {}= {}", list(l), o.text(), list(r)),
                };
                (at, text)
            }
            Node::IncDec(op, x) => {
                (self.pos[s as usize], format!("{}{}{}", show(x), op.text(), op.text()))
            }
            Node::Send(c, x) => (self.pos[s as usize], format!("{} <- {}", show(c), show(x))),
            _ => (self.pos[s as usize], String::from("statement")),
        }
    }
    /// A statement of a header must be an expression where a value is wanted.
    pub fn cond(&mut self, s: Id) -> Id {
        if s == NIL {
            return NIL;
        }
        match self.nodes[s as usize] {
            Node::Expr(x) => x,
            Node::Bad => s,
            _ => {
                let (pos, shown) = self.no_value(s);
                self.err(pos, format!("cannot use {shown} as value"));
                s
            }
        }
    }
    /// Checks the head of an if, for or switch; `body` is its `{`.
    pub fn head(&mut self, pos: u32, h: Header, body: u32, what: &str) -> Head {
        let mut r = Head { pos, init: NIL, cond: NIL, post: NIL, range: None };
        match h {
            Header::Bad => return r,
            Header::None => {}
            Header::One(c) => r.cond = c,
            Header::Two(i, c) => {
                if what == "for" {
                    self.err(body, "unexpected {, expected for loop condition");
                }
                (r.init, r.cond) = (i, c);
            }
            Header::Three(i, c, p) => {
                (r.init, r.cond, r.post) = (i, c, p);
                if p != NIL
                    && let Node::Assign(AOp::Define, ..) = self.nodes[p as usize]
                {
                    let at = self.define_tok(p);
                    self.err(at, "cannot declare in post statement of for loop");
                }
            }
            Header::Range(op, lhs, x) => {
                r.range = Some((op, lhs));
                r.cond = x;
                return r;
            }
        }
        if what == "if" && r.cond == NIL {
            // a newline where the condition should be reads better as a misplaced brace
            let t = match self.toks[body as usize - 1].tok {
                Tok::Semi(Semi::Newline) => {
                    self.err(body - 1, "unexpected newline, expected { after if clause");
                    return r;
                }
                Tok::Semi(_) => {
                    self.err(body - 1, "missing condition in if statement");
                    return r;
                }
                _ => "missing condition in if statement",
            };
            self.err(body, t);
        }
        if what == "switch" {
            let guard = r.cond != NIL
                && match self.nodes[r.cond as usize] {
                    Node::Assign(AOp::Define, l, v) if v.len == 1 && l.len == 1 => {
                        matches!(self.nodes[self.get(l)[0] as usize], Node::Ident)
                            && matches!(self.nodes[self.get(v)[0] as usize], Node::Assert(_, NIL))
                    }
                    _ => false,
                };
            if !guard {
                self.cond(r.cond);
            }
        } else {
            r.cond = self.cond(r.cond);
        }
        r
    }
    /// The `:=` of a statement.
    fn define_tok(&self, s: Id) -> u32 {
        match self.nodes[s as usize] {
            Node::Assign(_, _, r) => self.get(r).first().map_or(0, |&x| self.pos[x as usize] - 1),
            _ => self.pos[s as usize],
        }
    }
    pub fn if_stmt(&mut self, h: Head, then: Id, els: Id) -> Id {
        self.add(h.pos, Node::If { init: h.init, cond: h.cond, then, els })
    }
    pub fn for_stmt(&mut self, h: Head, body: Id) -> Id {
        let n = match h.range {
            Some((op, lhs)) => Node::Range { op, lhs, x: h.cond, body },
            None => Node::For { init: h.init, cond: h.cond, post: h.post, body },
        };
        self.add(h.pos, n)
    }
    pub fn switch_stmt(&mut self, h: Head, body: List) -> Id {
        self.add(h.pos, Node::Switch { init: h.init, tag: h.cond, body })
    }
    pub fn clauses(&mut self, v: Vec<Clause>) -> List {
        let mut ids = Vec::with_capacity(v.len());
        for c in v {
            let body = self.list(&c.body);
            ids.push(self.add(c.pos, Node::Case(c.exprs, body, c.default)));
        }
        self.list(&ids)
    }
    pub fn clause(&mut self, pos: u32, exprs: Vec<Id>, default: bool) -> Clause {
        let exprs = self.list(&exprs);
        Clause { pos, exprs, default, body: vec![] }
    }
    pub fn value_spec(&mut self, pos: u32, names: Vec<Id>, ty: Option<Id>, values: Vec<Id>) -> Id {
        let names = self.list(&names);
        let values = self.list(&values);
        self.add(pos, Node::ValueSpec { names, ty: ty.unwrap_or(NIL), values })
    }
    pub fn assign(&mut self, pos: u32, l: Vec<Id>, op: AOp, r: Vec<Id>) -> Id {
        if let AOp::Op(o) = op
            && (l.len() > 1 || r.len() > 1)
        {
            self.err(pos, format!("unexpected {}=, expected := or = or comma", o.text()));
        }
        let l = self.list(&l);
        let r = self.list(&r);
        self.add(pos, Node::Assign(op, l, r))
    }
    pub fn push_stmt(v: &mut Vec<Clause>, s: Id) {
        if s != NIL
            && let Some(c) = v.last_mut()
        {
            c.body.push(s);
        }
    }
    /// What is no call at all is left to the checker.
    pub fn call_stmt(&mut self, pos: u32, mut x: Id, go: bool) -> Id {
        if let Node::Unary(..) | Node::Binary(..) | Node::Star(_) = self.nodes[x as usize] {
            self.err(self.pos[x as usize], "unexpected operator at end of statement");
        }
        if let Node::Paren(inner) = self.nodes[x as usize]
            && self.is_written(x)
        {
            let text = if go { GO_PAREN } else { DEFER_PAREN };
            let at = self.pos[x as usize];
            self.err(at, text);
            x = self.unparen(inner);
        }
        self.add(pos, if go { Node::Go(x) } else { Node::Defer(x) })
    }
    /// The order of the top level: package, imports, declarations; statements only without a package clause.
    pub fn file(&mut self, items: Vec<Id>) {
        let package =
            items.first().is_some_and(|&i| matches!(self.nodes[i as usize], Node::Package(_)));
        let mut seen_decl = false;
        for (n, &i) in items.iter().enumerate() {
            let pos = self.pos[i as usize];
            match self.nodes[i as usize] {
                Node::Package(_) if n == 0 => {}
                Node::Package(_) => self.err(pos, "package statement must be first"),
                Node::Group(k, _) if self.toks[k as usize].tok == Tok::Import => {
                    if seen_decl {
                        self.err(pos, "imports must appear before other declarations");
                    }
                }
                Node::Group(..) | Node::FuncDecl { .. } => seen_decl = true,
                Node::Bad => {}
                _ => {
                    seen_decl = true;
                    if package {
                        self.err(pos, "non-declaration statement outside function body");
                    }
                }
            }
        }
        self.items = items;
    }
}
