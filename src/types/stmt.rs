//! Statements (Go specification, "Statements"), except assignments, switches and ranges.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the forms of a statement are few in each place"
)]

use super::checker::{Checker, Target};
use super::expr::Class;
use super::names::Sym;
use super::object::{ObjId, ObjKind};
use super::operand::Mode;
use super::ty::Basic;
use super::typed::{Comm, LabelId, LocalId, SelectCase, Stmt, StmtKind};
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::NIL;
use crate::syntax::ast::{AOp, Id, List, NONE, Node};
use crate::syntax::token::{Op, Tok};

impl Checker {
    /// Statements one after the other.
    pub(crate) fn stmt_list(&mut self, list: List) {
        for i in 0..list.len {
            let id = self.env.file.ast.get(list)[i as usize];
            self.stmt(id, None);
        }
    }

    /// Statements in a scope and block of their own.
    pub(crate) fn block(&mut self, list: List) -> Vec<Stmt> {
        self.open_scope();
        self.begin_block();
        self.stmt_list(list);
        self.close_scope();
        self.end_block()
    }

    /// A block node's statements.
    pub(crate) fn block_node(&mut self, node: Id) -> Vec<Stmt> {
        match self.node(node) {
            Node::Block(list) => self.block(list),
            _ => vec![],
        }
    }

    /// A statement; `label` names it.
    pub(crate) fn stmt(&mut self, node: Id, label: Option<Sym>) {
        if node == NIL {
            return;
        }
        if !self.deeper(node) {
            self.shallower();
            return;
        }
        self.stmt_kind(node, label);
        self.shallower();
    }

    fn stmt_kind(&mut self, node: Id, label: Option<Sym>) {
        let pos = self.pos(node);
        match self.node(node) {
            Node::Group(kw, specs) => self.decl_stmt(kw, specs),
            Node::Expr(x) => self.expr_stmt(node, x),
            Node::Assign(op, lhs, rhs) => self.assign_stmt(node, op, lhs, rhs),
            Node::IncDec(op, x) => self.inc_dec(op, x, pos),
            Node::Send(ch, v) => self.send(ch, v, pos),
            Node::Go(call) => self.suspended("go", call, pos),
            Node::Defer(call) => self.suspended("defer", call, pos),
            Node::Return(list) => self.return_stmt(node, list),
            Node::Branch(kw, target) => self.branch(kw, target, pos),
            Node::Label(name, inner) => self.labeled(name, inner, pos),
            Node::Block(list) => {
                let body = self.block(list);
                self.emit_stmt(StmtKind::Block(body), pos);
            }
            Node::If { .. } => self.if_stmt(node),
            Node::For { init, cond, post, body } => {
                self.for_stmt((init, cond, post, body), label, pos)
            }
            Node::Range { .. } => self.range_stmt(node, label),
            Node::Switch { init, tag, body } => self.switch_stmt(node, init, tag, body, label),
            Node::Select(list) => self.select(list, label, pos),
            _ => {}
        }
    }

    fn expr_stmt(&mut self, node: Id, inner: Id) {
        let (mut x, class) = self.raw_expr(inner, None, false);
        let text = match x.mode {
            Mode::Invalid => return,
            Mode::Builtin(_) => "must be called",
            Mode::Type { .. } => "is not an expression",
            _ if class == Class::Statement => {
                if let Some(e) = x.expr {
                    let pos = self.pos(node);
                    self.emit_stmt(StmtKind::Expr(e), pos);
                }
                return;
            }
            _ => "is not used",
        };
        if self.is_script() && text == "is not used" && self.env.fns.len() == 1 {
            // the value of an expression at the top of a script is nobody's concern
            self.assignment(&mut x, None, "expression");
            if x.is_valid() {
                let e = self.value(&mut x);
                let pos = self.pos(node);
                self.emit_stmt(StmtKind::Expr(e), pos);
            }
            return;
        }
        let shown = self.show_operand(&x);
        self.err_at(inner, Code::UnusedExpr, format!("{shown} {text}"));
    }

    fn inc_dec(&mut self, op: Op, x: Id, pos: Pos) {
        let mut v = self.expr(x);
        if !v.is_valid() {
            return;
        }
        if !self.all_numeric(v.ty) {
            let (shown, t) = (self.show_node(x), self.show(v.ty));
            let o = op.text();
            self.err_at(
                x,
                Code::NonNumericIncDec,
                format!("invalid operation: {shown}{o}{o} (non-numeric type {t})"),
            );
            return;
        }
        if !self.assignable_place(&v, x) {
            return;
        }
        let lhs = self.value(&mut v);
        self.mark_assigned(lhs);
        let one = self.emit_const(&super::consts::Value::int(1), v.ty, pos);
        let op = super::expr::binary_op(op);
        self.emit_stmt(StmtKind::OpAssign { op, lhs, rhs: one }, pos);
    }

    fn send(&mut self, ch: Id, v: Id, pos: Pos) {
        let mut c = self.expr(ch);
        let mut x = self.generic_expr(v, None);
        if !c.is_valid() || !x.is_valid() {
            return;
        }
        let Some(elem) = self.chan_elem(pos, &c, false) else { return };
        self.assignment(&mut x, Some(elem), "send");
        if x.is_valid() {
            let (chan, value) = (self.value(&mut c), self.value(&mut x));
            self.emit_stmt(StmtKind::Send { chan, value }, pos);
        }
    }

    fn suspended(&mut self, keyword: &str, call: Id, pos: Pos) {
        if !matches!(self.node(call), Node::Call(..)) {
            self.err_at(
                call,
                Code::InvalidGoDefer,
                format!("expression in {keyword} must be function call"),
            );
            self.use_exprs(&[call]);
            return;
        }
        let (x, class) = self.raw_expr(call, None, false);
        if !x.is_valid() {
            return;
        }
        let text = match class {
            Class::Statement => {
                if let Some(e) = x.expr {
                    let kind = if keyword == "go" { StmtKind::Go(e) } else { StmtKind::Defer(e) };
                    if keyword == "defer" {
                        self.mark_defer();
                    }
                    self.emit_stmt(kind, pos);
                }
                return;
            }
            Class::Conversion => "requires function call, not conversion",
            Class::Expression => "discards result of",
        };
        let shown = self.show_operand(&x);
        self.err_at(call, Code::InvalidGoDefer, format!("{keyword} {text} {shown}"));
    }

    fn mark_defer(&mut self) {
        for cx in self.env.fns.iter_mut().rev() {
            if !cx.body.range_body {
                cx.body.has_defer = true;
                return;
            }
        }
    }

    // ---- declarations ----

    fn decl_stmt(&mut self, kw: u32, specs: List) {
        let constant = self.env.file.ast.tok(kw) == Some(Tok::Const);
        let mut last = (NIL, NONE);
        for (iota, spec) in self.list(specs).into_iter().enumerate() {
            match self.node(spec) {
                Node::TypeSpec { name, .. } => {
                    let (sym, pos) = (self.sym_of(name), self.tok_pos(name));
                    let kind =
                        ObjKind::Type { ty: Basic::Invalid.ty(), generic: None, param: false };
                    let obj = self.add_obj(sym, pos, kind);
                    self.declare(sym, obj);
                    self.type_decl(obj, spec, true);
                }
                Node::ValueSpec { names, ty, values } if constant => {
                    let inherited = ty == NIL && values.len == 0 && iota > 0;
                    if !inherited {
                        last = (ty, values);
                    }
                    self.local_consts(spec, names, last, iota as u32, inherited);
                }
                Node::ValueSpec { names, ty, values } => self.local_vars(spec, names, ty, values),
                _ => {}
            }
        }
    }

    fn local_consts(
        &mut self,
        spec: Id,
        names: List,
        from: (Id, List),
        iota: u32,
        inherited: bool,
    ) {
        let (names, values) = (self.list(names), self.list(from.1));
        let mut objs: Vec<(Sym, ObjId)> = vec![];
        for (i, &n) in names.iter().enumerate() {
            let (sym, pos) = (self.sym(n), self.pos(n));
            let kind =
                ObjKind::Const { ty: Basic::Invalid.ty(), val: super::consts::Value::Unknown };
            let obj = self.add_obj(sym, pos, kind);
            let init = values.get(i).copied().unwrap_or(NIL);
            let (ty, val) = self.const_decl(obj, iota, from.0, init, inherited);
            self.objs[obj.0 as usize].kind = ObjKind::Const { ty, val };
            objs.push((sym, obj));
        }
        let pos = self.pos(spec);
        self.arity(pos, &names, &values, true, inherited);
        for (sym, obj) in objs {
            self.declare(sym, obj);
        }
    }

    // ---- control flow ----

    /// A condition; `None` after an error.
    fn condition(&mut self, node: Id, what: &str) -> Option<super::typed::ExprId> {
        let mut x = self.expr(node);
        if !x.is_valid() {
            return None;
        }
        if !self.all_boolean(x.ty) {
            self.err_at(
                node,
                Code::InvalidCond,
                format!("non-boolean condition in {what} statement"),
            );
            return None;
        }
        if self.is_untyped(x.ty) {
            self.convert_untyped(&mut x, Basic::Bool.ty());
        }
        Some(self.value(&mut x))
    }

    /// Chains of `else if` are walked in a loop; each link opens a scope that ends with the chain.
    fn if_stmt(&mut self, node: Id) {
        struct Link {
            cond: Option<super::typed::ExprId>,
            then: Vec<Stmt>,
            pos: Pos,
        }
        let mut links: Vec<Link> = vec![];
        let mut at = node;
        let mut els: Vec<Stmt> = vec![];
        while let Node::If { init, cond, then, els: next } = self.node(at) {
            let pos = self.pos(at);
            self.open_scope();
            self.begin_block();
            self.stmt(init, None);
            let cond = self.condition(cond, "if");
            let then = self.block_node(then);
            links.push(Link { cond, then, pos });
            if next == NIL {
                break;
            }
            if !matches!(self.node(next), Node::If { .. }) {
                els = self.block_node(next);
                break;
            }
            at = next;
        }
        while let Some(Link { cond, then, pos }) = links.pop() {
            if let Some(cond) = cond {
                self.emit_stmt(StmtKind::If { cond, then, els: std::mem::take(&mut els) }, pos);
            }
            self.close_scope();
            els = self.end_block();
        }
        let pos = self.pos(node);
        if els.len() == 1 {
            if let Some(block) = self.cx().blocks.last_mut() {
                block.append(&mut els);
            }
        } else {
            self.emit_stmt(StmtKind::Block(els), pos);
        }
    }

    /// Opens a statement that `break` (and `continue`) can name.
    pub(crate) fn open_target(&mut self, name: Option<Sym>, is_loop: bool) -> LabelId {
        let label = self.new_label();
        self.env.targets.push(Target { name, label, is_loop });
        label
    }

    pub(crate) fn close_target(&mut self) {
        self.env.targets.pop();
    }

    fn for_stmt(&mut self, parts: (Id, Id, Id, Id), name: Option<Sym>, pos: Pos) {
        let (init, cond, post, body) = parts;
        self.open_scope();
        self.begin_block();
        let from = self.cx().body.locals.len();
        self.stmt(init, None);
        let declares = init != NIL && matches!(self.node(init), Node::Assign(AOp::Define, ..));
        let to = self.cx().body.locals.len();
        let per_iteration = if declares { self.named_locals(from, to) } else { vec![] };
        let label = self.open_target(name, true);
        let cond = if cond == NIL { None } else { self.condition(cond, "for") };
        self.begin_block();
        self.stmt(post, None);
        let post = self.end_block();
        let body = self.block_node(body);
        self.close_target();
        self.emit_stmt(StmtKind::For { label, cond, post, body, per_iteration }, pos);
        self.close_scope();
        self.flatten_block(pos);
    }

    fn named_locals(&mut self, from: usize, to: usize) -> Vec<LocalId> {
        let body = &self.cx().body;
        let captured = |i: usize| body.captures.iter().any(|c| c.inner.0 as usize == i);
        (from..to)
            .filter(|&i| {
                !body.locals[i].name.is_empty() && body.locals[i].name != "_" && !captured(i)
            })
            .map(|i| LocalId(i as u32))
            .collect()
    }

    /// Closes a block that was opened for an init statement; alone, the statement needs none.
    pub(crate) fn flatten_block(&mut self, pos: Pos) {
        let mut stmts = self.end_block();
        if stmts.len() == 1 {
            if let Some(block) = self.cx().blocks.last_mut() {
                block.append(&mut stmts);
            }
        } else {
            self.emit_stmt(StmtKind::Block(stmts), pos);
        }
    }

    fn branch(&mut self, kw: u32, target: u32, pos: Pos) {
        let name = if target == NIL { None } else { Some(self.sym_of(target)) };
        let kind = match self.env.file.ast.tok(kw) {
            Some(Tok::Goto) => {
                let Some(name) = name else { return };
                StmtKind::Goto(self.goto_label(name))
            }
            Some(Tok::Break) => match self.find_target(name, false) {
                Some(l) => StmtKind::Break(l),
                None => return,
            },
            Some(Tok::Continue) => match self.find_target(name, true) {
                Some(l) => StmtKind::Continue(l),
                None => return,
            },
            _ => return, // `fallthrough` belongs to its clause
        };
        self.emit_stmt(kind, pos);
    }

    fn find_target(&mut self, name: Option<Sym>, is_loop: bool) -> Option<LabelId> {
        let base = self.cx().target_base;
        let fits = |t: &&Target| match name {
            Some(n) => t.name == Some(n),
            None => t.is_loop || !is_loop,
        };
        self.env.targets[base..].iter().rev().find(fits).map(|t| t.label)
    }

    /// The label that a `goto` names, made at its first mention.
    fn goto_label(&mut self, name: Sym) -> LabelId {
        // the body of a range over a function shares the labels of the function around it
        let mut at = self.env.fns.len() - 1;
        while at > 0 && self.env.fns[at].body.range_body {
            at -= 1;
        }
        if let Some(&l) = self.env.fns[at].labels.get(&name) {
            return l;
        }
        let l = self.new_label();
        self.env.fns[at].labels.insert(name, l);
        l
    }

    fn labeled(&mut self, name: u32, inner: Id, pos: Pos) {
        let sym = self.sym_of(name);
        if sym != Sym::BLANK {
            let label = self.goto_label(sym);
            self.emit_stmt(StmtKind::Label(label), pos);
        }
        self.stmt(inner, Some(sym));
    }

    // ---- select ----

    fn select(&mut self, list: List, name: Option<Sym>, pos: Pos) {
        let label = self.open_target(name, false);
        let clauses = self.list(list);
        self.multiple_defaults(&clauses);
        let mut cases = vec![];
        for c in clauses {
            let Node::Case(comm, body, default) = self.node(c) else { continue };
            let at = self.pos(c);
            self.open_scope();
            self.begin_block();
            let comm = if default {
                Some(Comm::Default)
            } else {
                let comm = self.list(comm).first().copied().unwrap_or(NIL);
                self.communication(comm)
            };
            self.stmt_list(body);
            self.close_scope();
            let body = self.end_block();
            if let Some(comm) = comm {
                cases.push(SelectCase { comm, body, pos: at });
            }
        }
        self.close_target();
        self.emit_stmt(StmtKind::Select { label, cases }, pos);
    }

    pub(crate) fn multiple_defaults(&mut self, clauses: &[Id]) {
        let mut first = None;
        for &c in clauses {
            let Node::Case(_, _, true) = self.node(c) else { continue };
            match first {
                None => first = Some(self.pos(c)),
                Some(p) => {
                    let at = self.show_pos(p);
                    self.err_at(
                        c,
                        Code::DuplicateCase,
                        format!("multiple defaults (first at {at})"),
                    );
                }
            }
        }
    }

    fn communication(&mut self, node: Id) -> Option<Comm> {
        let rhs = match self.node(node) {
            Node::Send(ch, v) => {
                self.begin_block();
                let pos = self.pos(node);
                self.send(ch, v, pos);
                return match self.end_block().pop().map(|s| s.kind) {
                    Some(StmtKind::Send { chan, value }) => Some(Comm::Send { chan, value }),
                    _ => None,
                };
            }
            Node::Expr(x) => Some(x),
            Node::Assign(AOp::Assign | AOp::Define, _, r) if r.len == 1 => {
                self.list(r).first().copied()
            }
            _ => None,
        };
        let recv = rhs
            .map(|r| self.unparen(r))
            .filter(|&r| matches!(self.node(r), Node::Unary(Op::Recv, _)));
        if recv.is_none() {
            // Go puts an expression at its operator
            let pos = match rhs.filter(|_| matches!(self.node(node), Node::Expr(_))) {
                Some(x) => self.operator_pos(x),
                None => self.pos(node),
            };
            let text = "select case must be send or receive (possibly with assignment)";
            self.err(pos, Code::InvalidSelectCase, text);
            return None;
        }
        self.begin_block();
        self.stmt(node, None);
        let stmts = self.end_block();
        self.receive_case(stmts)
    }

    /// Takes the receive out of the statement it was checked as; what is left starts the clause's body.
    fn receive_case(&mut self, stmts: Vec<Stmt>) -> Option<Comm> {
        let mut stmts = stmts.into_iter();
        let first = stmts.next()?;
        let pos = first.pos;
        let comm = match first.kind {
            StmtKind::Expr(e) => self.recv_comm(e, None, None)?,
            StmtKind::Decl { local, init: Some(e) } => {
                if let Some(chan) = self.recv_of(e) {
                    Comm::Recv { chan, value: Some(local), ok: None }
                } else {
                    let (comm, temp) = self.converted_recv(e)?;
                    let init = Some(temp);
                    self.emit_stmt(StmtKind::Decl { local, init }, pos);
                    comm
                }
            }
            StmtKind::DeclTuple { locals, x } => self.recv_comm(
                x,
                locals.first().copied().flatten(),
                locals.get(1).copied().flatten(),
            )?,
            StmtKind::Assign { lhs, mut rhs } => {
                let (comm, value) = self.converted_recv(rhs.pop()?)?;
                self.emit_stmt(StmtKind::Assign { lhs, rhs: vec![value] }, pos);
                comm
            }
            StmtKind::AssignTuple { lhs, temps, x, values } => {
                let comm = self.recv_comm(x, temps.first().copied(), temps.get(1).copied())?;
                self.emit_stmt(StmtKind::Assign { lhs, rhs: values }, pos);
                comm
            }
            _ => return None,
        };
        for s in stmts {
            self.emit_stmt(s.kind, s.pos);
        }
        Some(comm)
    }

    fn recv_of(&self, e: super::typed::ExprId) -> Option<super::typed::ExprId> {
        if let super::typed::ExprKind::Recv { chan, .. } = self.expr_of(e).kind {
            Some(chan)
        } else {
            None
        }
    }

    fn recv_comm(
        &mut self,
        e: super::typed::ExprId,
        value: Option<LocalId>,
        ok: Option<LocalId>,
    ) -> Option<Comm> {
        let chan = self.recv_of(e)?;
        Some(Comm::Recv { chan, value, ok })
    }

    /// A receive inside of conversions: it goes to a temporary, which takes its place.
    fn converted_recv(&mut self, e: super::typed::ExprId) -> Option<(Comm, super::typed::ExprId)> {
        use super::typed::ExprKind;
        let mut at = e;
        loop {
            match self.expr_of(at).kind {
                ExprKind::Recv { chan, .. } => {
                    let (ty, pos) = (self.expr_of(at).ty, self.expr_of(at).pos);
                    let local = self.temp(ty, pos);
                    self.expr_mut(at).kind = ExprKind::Local(local);
                    return Some((Comm::Recv { chan, value: Some(local), ok: None }, e));
                }
                ExprKind::Convert(x) | ExprKind::ToInterface(x) | ExprKind::IfaceToIface(x) => {
                    at = x
                }
                _ => return None,
            }
        }
    }
}
