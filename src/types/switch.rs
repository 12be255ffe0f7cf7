//! Switches on values and on types (Go specification, "Switch statements").

#![expect(clippy::wildcard_enum_match_arm, reason = "guards and clauses have few forms")]

use super::checker::Checker;
use super::consts::Value;
use super::names::Sym;
use super::object::ObjKind;
use super::operand::{Mode, Operand};
use super::table::HashMap;
use super::ty::{Basic, Ty};
use super::typed::{Clause, ExprId, LocalId, StmtKind, TypeClause};
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::NIL;
use crate::syntax::ast::{AOp, Id, List, Node};
use crate::syntax::token::{Op, Tok};

impl Checker {
    /// `switch init; tag {...}` of either kind.
    pub(crate) fn switch_stmt(
        &mut self,
        node: Id,
        init: Id,
        tag: Id,
        body: List,
        name: Option<Sym>,
    ) {
        let pos = self.pos(node);
        self.open_scope();
        self.begin_block();
        self.stmt(init, None);
        match self.type_guard(tag) {
            Some((lhs, x)) => self.type_switch(lhs, x, body, name, pos),
            None => self.value_switch(tag, body, name, pos),
        }
        self.close_scope();
        self.flatten_block(pos);
    }

    /// The variable and operand of `x := y.(type)`.
    fn type_guard(&self, tag: Id) -> Option<(Option<Id>, Id)> {
        if tag == NIL {
            return None;
        }
        match self.node(tag) {
            Node::Expr(x) => match self.node(x) {
                Node::Assert(y, NIL) => Some((None, y)),
                _ => None,
            },
            Node::Assign(AOp::Define, l, r) => {
                let (l, r) = (self.list(l), self.list(r));
                match (l.as_slice(), r.as_slice()) {
                    ([l], [r]) => match self.node(*r) {
                        Node::Assert(y, NIL) => Some((Some(*l), y)),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    // ---- on values ----

    fn value_switch(&mut self, tag: Id, body: List, name: Option<Sym>, pos: Pos) {
        let tag_expr = if tag == NIL {
            NIL
        } else if let Node::Expr(x) = self.node(tag) {
            x
        } else {
            NIL
        };
        let (mut x, local) = self.switch_tag(tag_expr, pos);
        let label = self.open_target(name, false);
        let nodes = self.list(body);
        self.multiple_defaults(&nodes);
        let mut seen: HashMap<(Value, Ty), Pos> = HashMap::default();
        let mut clauses = vec![];
        for &c in &nodes {
            let Node::Case(exprs, stmts, default) = self.node(c) else { continue };
            let at = self.pos(c);
            let mut conds = vec![];
            for e in self.list(exprs) {
                conds.extend(self.case_value(&mut x, local, tag_expr, e, &mut seen));
            }
            let fallthrough = self.ends_in_fallthrough(stmts);
            let body = self.block(stmts);
            clauses.push(Clause { conds, default, body, fallthrough, pos: at });
        }
        self.close_target();
        self.emit_stmt(StmtKind::Switch { label, clauses }, pos);
    }

    fn ends_in_fallthrough(&self, stmts: List) -> bool {
        self.list(stmts).last().is_some_and(|&s| {
            matches!(self.node(s), Node::Branch(kw, _) if self.env.file.ast.tok(kw) == Some(Tok::Fallthrough))
        })
    }

    /// Evaluates the tag into a local; without a tag the operand is `true`.
    fn switch_tag(&mut self, tag: Id, pos: Pos) -> (Operand, Option<LocalId>) {
        if tag == NIL {
            return (Operand::constant(NIL, Basic::Bool.ty(), Value::Bool(true)), None);
        }
        let mut x = self.expr(tag);
        self.assignment(&mut x, None, "switch expression");
        if x.is_valid() && self.comparable(x.ty, true).is_err() && !self.has_nil(x.ty) {
            let (shown, t) = (self.show_operand(&x), self.show(x.ty));
            self.err_at(
                tag,
                Code::InvalidExprSwitch,
                format!("cannot switch on {shown} ({t} is not comparable)"),
            );
            x.invalidate();
        }
        if !x.is_valid() {
            return (x, None);
        }
        let init = Some(self.value(&mut x));
        let local = self.temp(x.ty, pos);
        self.emit_stmt(StmtKind::Decl { local, init }, pos);
        (x, Some(local))
    }

    fn case_value(
        &mut self,
        x: &mut Operand,
        local: Option<LocalId>,
        tag: Id,
        e: Id,
        seen: &mut HashMap<(Value, Ty), Pos>,
    ) -> Option<ExprId> {
        let mut v = self.expr(e);
        if !x.is_valid() || !v.is_valid() {
            return None;
        }
        let pos = self.pos(e);
        if tag == NIL {
            return self.bool_case(v, e, seen);
        }
        let mut y = x.clone();
        if let Some(local) = local {
            y.expr = Some(self.local_expr(local, pos));
            if y.is_const() {
                y.mode = Mode::Value;
            }
        }
        self.match_case(&mut v, &y);
        if !v.is_valid() || !y.is_valid() {
            return None;
        }
        let constant = v.val().cloned();
        let (vt, shown) = (v.ty, self.show_operand(&v));
        let mut r = self.comparison(v, y, e, Op::Eq, true);
        if !r.is_valid() {
            return None;
        }
        if let Some(val) = constant {
            self.duplicate_case(&val, vt, &shown, e, seen);
        }
        self.convert_untyped(&mut r, Basic::Bool.ty());
        Some(self.value(&mut r))
    }

    fn match_case(&mut self, v: &mut Operand, y: &Operand) {
        if self.is_untyped(v.ty) {
            self.convert_untyped(v, y.ty);
        }
    }

    fn duplicate_case(
        &mut self,
        val: &Value,
        ty: Ty,
        shown: &str,
        node: Id,
        seen: &mut HashMap<(Value, Ty), Pos>,
    ) {
        if matches!(val, Value::Bool(_) | Value::Unknown | Value::Complex(..)) {
            return;
        }
        if let Some(at) = seen.get(&(val.clone(), ty)) {
            let at = self.show_pos(*at);
            self.err_at(
                node,
                Code::DuplicateCase,
                format!("duplicate case {shown} in expression switch\n\t{at}: previous case"),
            );
            return;
        }
        let at = self.operator_pos(node);
        seen.insert((val.clone(), ty), at);
    }

    /// A case of a switch without a tag: the condition itself.
    fn bool_case(
        &mut self,
        mut v: Operand,
        e: Id,
        seen: &mut HashMap<(Value, Ty), Pos>,
    ) -> Option<ExprId> {
        let _ = seen;
        let any_ok = self.is_interface(v.ty);
        if self.is_untyped(v.ty) {
            self.convert_untyped(&mut v, Basic::Bool.ty());
            return if v.is_valid() { Some(self.value(&mut v)) } else { None };
        }
        if !self.all_boolean(v.ty) && !any_ok {
            let (shown, t) = (self.show_node(e), self.show(v.ty));
            let text =
                format!("invalid case {shown} in switch on true (mismatched types {t} and bool)");
            self.err_at(e, Code::InvalidCase, text);
            return None;
        }
        if any_ok {
            let y = Operand::constant(e, Basic::Bool.ty(), Value::Bool(true));
            let mut r = self.comparison(v, y, e, Op::Eq, true);
            self.convert_untyped(&mut r, Basic::Bool.ty());
            return if r.is_valid() { Some(self.value(&mut r)) } else { None };
        }
        Some(self.value(&mut v))
    }

    // ---- on types ----

    fn type_switch(&mut self, lhs: Option<Id>, x: Id, body: List, name: Option<Sym>, pos: Pos) {
        let mut lhs = lhs;
        if let Some(l) = lhs
            && self.sym(l) == Sym::BLANK
        {
            self.err_at(l, Code::NoNewVar, "no new variable on left side of :=");
            lhs = None;
        }
        let x = self.type_switch_operand(x);
        let label = self.open_target(name, false);
        let nodes = self.list(body);
        self.multiple_defaults(&nodes);
        let mut seen: Vec<(Option<Ty>, Pos)> = vec![];
        let mut clauses = vec![];
        let mut used = false;
        for &c in &nodes {
            let Node::Case(exprs, stmts, default) = self.node(c) else { continue };
            let at = self.pos(c);
            let exprs = self.list(exprs);
            let (types, single) = self.case_types(&x, &exprs, &mut seen);
            let bound = single.unwrap_or(x.ty);
            self.open_scope();
            self.begin_block();
            let mut bind = None;
            let mut obj = None;
            if let Some(l) = lhs {
                let (sym, at) = (self.sym(l), self.pos(l));
                let (o, local) = self.local_var(sym, bound, at);
                self.declare(sym, o);
                bind = Some(local);
                obj = Some(o);
            }
            self.stmt_list(stmts);
            if let Some(o) = obj {
                used |= self.obj(o).used;
                self.objs[o.0 as usize].used = true;
            }
            self.close_scope();
            let body = self.end_block();
            clauses.push(TypeClause { types, default, bind, body, pos: at });
        }
        self.close_target();
        if let Some(l) = lhs
            && !used
            && !self.is_script()
        {
            let shown = self.show_node(l);
            self.err_at(l, Code::UnusedVar, format!("{shown} declared and not used"));
        }
        if let Some(x) = x.expr {
            self.emit_stmt(StmtKind::TypeSwitch { label, x, clauses }, pos);
        }
    }

    fn type_switch_operand(&mut self, node: Id) -> Operand {
        let mut x = self.expr(node);
        if !x.is_valid() {
            return x;
        }
        let shown = self.show_operand(&x);
        if self.is_param(x.ty) {
            self.err_at(
                node,
                Code::InvalidTypeSwitch,
                format!("cannot use type switch on type parameter value {shown}"),
            );
        } else if self.is_interface(x.ty) {
            self.value(&mut x);
            return x;
        } else {
            self.err_at(node, Code::InvalidTypeSwitch, format!("{shown} is not an interface"));
        }
        x.invalidate();
        x
    }

    fn case_types(
        &mut self,
        x: &Operand,
        exprs: &[Id],
        seen: &mut Vec<(Option<Ty>, Pos)>,
    ) -> (Vec<Option<Ty>>, Option<Ty>) {
        let mut types = vec![];
        let mut last = None;
        for &e in exprs {
            let t = if self.is_nil_name(e) {
                None
            } else {
                let t = self.var_type(e);
                if !self.is_valid_ty(t) {
                    last = Some(t);
                    continue;
                }
                Some(t)
            };
            last = t;
            let pos = self.pos(e);
            if let Some((_, at)) = seen.iter().find(|(s, _)| *s == t).copied() {
                let shown = t.map_or("nil".into(), |t| self.show(t));
                let at = self.show_pos(at);
                self.err(
                    pos,
                    Code::DuplicateCase,
                    format!("duplicate case {shown} in type switch\n\t{at}: previous case"),
                );
                if !self.env.silent {
                    continue;
                }
            }
            seen.push((t, pos));
            if let Some(t) = t
                && x.is_valid()
                && let Some(cause) = self.impossible(x.ty, t)
            {
                let (shown, xs, ts) = (self.show_node(e), self.show_operand(x), self.show(t));
                let text = format!(
                    "impossible type switch case: {shown}\n\t{xs} cannot have dynamic type {ts} {cause}"
                );
                self.err(pos, Code::ImpossibleAssert, text);
            }
            types.push(t);
        }
        let single = if exprs.len() == 1 { last } else { None };
        (types, single)
    }

    fn is_nil_name(&mut self, e: Id) -> bool {
        let e = self.unparen(e);
        if !matches!(self.node(e), Node::Ident) {
            return false;
        }
        let name = self.sym(e);
        self.lookup(name).is_some_and(|o| matches!(self.obj(o).kind, ObjKind::Nil))
    }
}
