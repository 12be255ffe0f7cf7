//! `for ... range` over everything (Go specification, "For statements with range clause").

#![expect(clippy::wildcard_enum_match_arm, reason = "few types can be ranged over")]

use super::checker::Checker;
use super::names::Sym;
use super::operand::{Mode, Operand};
use super::predicates::{is_integer_basic, is_string_basic};
use super::ty::{Basic, ChanDir, Kind, Signature, Ty};
use super::typed::{LocalId, Range, RangeOver, StmtKind};
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::ast::{AOp, Id, Node};

/// What ranging over a type gives.
struct Ranged {
    key: Option<Ty>,
    value: Option<Ty>,
    /// `None` for functions.
    over: Option<RangeOver>,
}

impl Checker {
    /// A range loop.
    pub(crate) fn range_stmt(&mut self, node: Id, name: Option<Sym>) {
        let Node::Range { op, lhs, x: inner, body } = self.node(node) else { return };
        let pos = self.pos(node);
        let nodes = self.list(lhs);
        let (key, value, extra) =
            (nodes.first().copied(), nodes.get(1).copied(), nodes.get(2).copied());
        let mut x = self.expr(inner);
        let ranged = self.ranged(&x, key, value, extra);
        self.open_scope();
        self.begin_block();
        let define = op == Some(AOp::Define);
        let over_int = matches!(ranged, Some(Ranged { over: Some(RangeOver::Int), .. }));
        if over_int {
            self.int_range_type(&mut x, key, define);
        }
        match ranged {
            Some(Ranged { over: Some(over), key: k, value: v }) if x.is_valid() => {
                let k = if over_int { Some(x.ty) } else { k };
                self.range_loop(&mut x, over, (key, k), (value, v), define, (body, name, pos));
            }
            Some(Ranged { over: None, key: k, value: v }) => {
                self.range_func(&mut x, (key, k), (value, v), define, (body, name, pos));
            }
            _ => {
                self.bad_range(&nodes, define);
                self.open_target(name, true);
                self.block_node(body);
                self.close_target();
            }
        }
        self.close_scope();
        self.flatten_block(pos);
    }

    /// After an error the loop variables exist all the same.
    fn bad_range(&mut self, nodes: &[Id], define: bool) {
        for &n in nodes.iter().take(2) {
            if define && matches!(self.node(n), Node::Ident) {
                let (sym, pos) = (self.sym(n), self.pos(n));
                let (obj, _) = self.local_var(sym, Basic::Invalid.ty(), pos);
                self.objs[obj.0 as usize].used = true;
                self.declare(sym, obj);
            } else if !define {
                self.lhs(n);
            }
        }
    }

    fn ranged(
        &mut self,
        x: &Operand,
        key: Option<Id>,
        value: Option<Id>,
        extra: Option<Id>,
    ) -> Option<Ranged> {
        if !x.is_valid() {
            return None;
        }
        let shown = self.show_operand(x);
        let r = match self.range_types(x.ty) {
            Ok(r) => r,
            Err(cause) => {
                let cause = if cause.is_empty() { cause } else { format!(": {cause}") };
                self.err_at(
                    x.node,
                    Code::InvalidRangeExpr,
                    format!("cannot range over {shown}{cause}"),
                );
                return None;
            }
        };
        if let (None, Some(k)) = (r.key, key) {
            self.err_at(
                k,
                Code::InvalidIterVar,
                format!("range over {shown} permits no iteration variables"),
            );
            return None;
        }
        if let (None, Some(v)) = (r.value, value) {
            self.err_at(
                v,
                Code::InvalidIterVar,
                format!("range over {shown} permits only one iteration variable"),
            );
            return Some(Ranged { value: Some(Basic::Invalid.ty()), ..r });
        }
        if let Some(e) = extra {
            self.err_at(
                e,
                Code::InvalidIterVar,
                "range clause permits at most two iteration variables",
            );
        }
        Some(r)
    }

    fn range_types(&mut self, t: Ty) -> Result<Ranged, String> {
        for (ty, u) in self.type_choices(t).unwrap_or_default() {
            if matches!(self.types.kind(u), Kind::Chan(ChanDir::Send, _)) {
                return Err(format!("receive from send-only channel {}", self.show(ty)));
            }
        }
        let u = self.common_under(t)?;
        let int = Some(Basic::Int.ty());
        let new = |key, value, over| Ok(Ranged { key, value, over: Some(over) });
        match self.types.kind(u).clone() {
            Kind::Basic(b) if is_string_basic(b) => {
                new(int, Some(Basic::Int32.ty()), RangeOver::String)
            }
            Kind::Basic(b) if is_integer_basic(b) => new(Some(t), None, RangeOver::Int),
            Kind::Basic(Basic::UntypedFloat) => Err(String::new()),
            Kind::Array(_, e) => new(int, Some(e), RangeOver::Array),
            Kind::Pointer(p) => match self.under_kind(p) {
                Kind::Array(_, e) => new(int, Some(e), RangeOver::ArrayPtr),
                _ => Err(String::new()),
            },
            Kind::Slice(e) => new(int, Some(e), RangeOver::Slice),
            Kind::Map(k, v) => new(Some(k), Some(v), RangeOver::Map),
            Kind::Chan(_, e) => new(Some(e), None, RangeOver::Chan),
            Kind::Func(sig) => self.range_func_types(&sig),
            _ => Err(String::new()),
        }
    }

    fn range_func_types(&mut self, sig: &Signature) -> Result<Ranged, String> {
        let bad = |s: &str| Err(format!("func must be func(yield func(...) bool): {s}"));
        let [yielded] = sig.params.as_slice() else { return bad("wrong argument count") };
        if !sig.results.is_empty() {
            return bad("unexpected results");
        }
        let u = match self.common_under(*yielded) {
            Ok(u) => u,
            Err(why) => return bad(&format!("in yield type, {why}")),
        };
        let Kind::Func(cb) = self.types.kind(u).clone() else { return bad("argument is not func") };
        if cb.params.len() > 2 {
            return bad("yield func has too many parameters");
        }
        match cb.results.as_slice() {
            [t] if *t == Basic::Bool.ty() => {}
            [t] if self.basic(*t) == Some(Basic::Bool) => {
                return bad("yield func returns user-defined boolean, not bool");
            }
            _ => return bad("yield func does not return bool"),
        }
        if cb.variadic {
            return Err(format!("yield func of type {} cannot be variadic", self.show(u)));
        }
        Ok(Ranged { key: cb.params.first().copied(), value: cb.params.get(1).copied(), over: None })
    }

    /// The type of an integer that is ranged over: that of an assigned variable, else its own.
    fn int_range_type(&mut self, x: &mut Operand, key: Option<Id>, define: bool) {
        if let (Some(k), false) = (key, define)
            && !(matches!(self.node(k), Node::Ident) && self.sym(k) == Sym::BLANK)
        {
            self.begin_block();
            let lhs = self.lhs(k);
            self.end_block();
            if let super::assign::Lhs::Place(_, t) = lhs {
                self.assignment(x, Some(t), "range clause");
                if x.is_valid() && !self.is_integer(x.ty) {
                    let t = self.show(x.ty);
                    self.err_at(
                        k,
                        Code::InvalidIterVar,
                        format!("cannot use iteration variable of type {t}"),
                    );
                }
            }
            return;
        }
        self.assignment(x, None, "range clause");
        if x.is_valid() && !self.is_integer(x.ty) && !self.is_param(x.ty) {
            let shown = self.show_operand(x);
            self.err_at(x.node, Code::InvalidRangeExpr, format!("cannot range over {shown}"));
            x.invalidate();
        }
    }

    /// A loop variable: declared, or a temporary that is assigned from at the start of the body.
    fn loop_var(&mut self, var: (Option<Id>, Option<Ty>), define: bool) -> Option<LocalId> {
        let (node, ty) = (var.0?, var.1?);
        let pos = self.pos(node);
        if !define {
            if matches!(self.node(node), Node::Ident) && self.sym(node) == Sym::BLANK {
                return None;
            }
            return Some(self.temp(ty, pos));
        }
        if !matches!(self.node(node), Node::Ident) {
            let shown = self.show_node(node);
            self.err_at(
                node,
                Code::BadDecl,
                format!("invalid syntax tree: cannot declare {shown}"),
            );
            return None;
        }
        let sym = self.sym(node);
        if sym == Sym::BLANK {
            return None;
        }
        let (obj, local) = self.local_var(sym, ty, pos);
        // after an error nobody is told that it is unused as well
        self.objs[obj.0 as usize].used |= !self.is_valid_ty(ty);
        self.declare(sym, obj);
        Some(local)
    }

    /// Assigns what an iteration gives to the variables of `for k, v = range`, all at once.
    fn assign_loop_vars(&mut self, vars: &[(Option<Id>, Option<LocalId>)], pos: Pos) {
        self.begin_block();
        for &(node, local) in vars {
            let (Some(node), Some(local)) = (node, local) else { continue };
            let e = self.local_expr(local, pos);
            let ty = self.expr_of(e).ty;
            let x = Operand { mode: Mode::Value, ..Operand::value(node, ty, e) };
            self.assign_one(node, x, "assignment", pos);
        }
        let (mut places, mut values) = (vec![], vec![]);
        for s in self.end_block() {
            if let StmtKind::Assign { lhs, rhs } = s.kind {
                places.extend(lhs);
                values.extend(rhs);
            }
        }
        if !places.is_empty() {
            self.emit_stmt(StmtKind::Assign { lhs: places, rhs: values }, pos);
        }
    }

    fn range_loop(
        &mut self,
        x: &mut Operand,
        over: RangeOver,
        key: (Option<Id>, Option<Ty>),
        value: (Option<Id>, Option<Ty>),
        define: bool,
        rest: (Id, Option<Sym>, Pos),
    ) {
        let (body, name, pos) = rest;
        if self.is_untyped(x.ty) {
            let d = self.default_type(x.ty);
            self.convert_untyped(x, d);
        }
        let xe = self.value(x);
        let k = self.loop_var(key, define);
        let v = self.loop_var(value, define);
        self.no_new_vars(key.0, value.0, define, pos);
        let label = self.open_target(name, true);
        self.open_scope();
        self.begin_block();
        if !define {
            self.assign_loop_vars(&[(key.0, k), (value.0, v)], pos);
        }
        if let Node::Block(list) = self.node(body) {
            self.stmt_list(list);
        }
        self.close_scope();
        let body = self.end_block();
        self.close_target();
        self.emit_stmt(
            StmtKind::Range(Box::new(Range { label, over, x: xe, key: k, value: v, body })),
            pos,
        );
    }

    fn no_new_vars(&mut self, key: Option<Id>, value: Option<Id>, define: bool, pos: Pos) {
        if !define {
            return;
        }
        let named = |c: &Self, n: Option<Id>| {
            n.is_some_and(|n| matches!(c.node(n), Node::Ident) && c.sym(n) != Sym::BLANK)
        };
        if !named(self, key) && !named(self, value) {
            self.err(pos, Code::NoNewVar, "no new variables on left side of :=");
        }
    }

    fn range_func(
        &mut self,
        x: &mut Operand,
        key: (Option<Id>, Option<Ty>),
        value: (Option<Id>, Option<Ty>),
        define: bool,
        rest: (Id, Option<Sym>, Pos),
    ) {
        let (body, name, pos) = rest;
        let func = self.value(x);
        let label = self.open_target(name, true);
        let base = self.cx().target_base;
        self.begin_closure(true);
        let cx = self.cx();
        cx.target_base = base;
        cx.body.range_body = true;
        cx.body.pos = pos;
        self.open_scope();
        let mut locals = vec![];
        for var in [key, value] {
            let Some(ty) = var.1 else { continue };
            let local = match self.loop_var(var, define) {
                Some(l) => l,
                None => self.temp(ty, pos),
            };
            self.cx().body.params.push(local);
            locals.push((var.0, local));
        }
        self.no_new_vars(key.0, value.0, define, pos);
        if !define {
            let is_blank =
                |c: &Self, n: Id| matches!(c.node(n), Node::Ident) && c.sym(n) == Sym::BLANK;
            let vars: Vec<(Option<Id>, Option<LocalId>)> = locals
                .into_iter()
                .filter(|(n, _)| n.is_some_and(|n| !is_blank(self, n)))
                .map(|(n, l)| (n, Some(l)))
                .collect();
            self.assign_loop_vars(&vars, pos);
        }
        self.open_scope();
        if let Node::Block(list) = self.node(body) {
            let end = self.end_pos(body);
            self.cx().body.end = end;
            self.stmt_list(list);
        }
        self.close_scope();
        self.close_scope();
        let closure = self.end_closure();
        self.close_target();
        self.emit_stmt(StmtKind::RangeFunc { label, func, body: closure }, pos);
    }
}
