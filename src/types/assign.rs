//! Assignments, variable declarations and returns (Go specification, "Assignment statements", "Short variable
//! declarations", "Variable declarations", "Return statements").

#![expect(clippy::wildcard_enum_match_arm, reason = "only a few forms matter in each place")]

use super::checker::Checker;
use super::multi::Multi;
use super::names::Sym;
use super::object::{ObjId, ObjKind, Storage};
use super::operand::{Mode, Operand};
use super::ty::{Basic, Kind, Ty};
use super::typed::{ExprId, ExprKind, LocalId, StmtKind};
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::NIL;
use crate::syntax::ast::{AOp, Id, List, Node};
use crate::syntax::token::Op;

/// Something that is assigned to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lhs {
    /// `_`
    Blank,
    /// It was complained about.
    Bad,
    /// A place of a type.
    Place(ExprId, Ty),
}

/// A variable that is being declared, or one that a `:=` assigns to.
#[derive(Clone, Copy, Debug)]
struct Var {
    name: Sym,
    pos: Pos,
    /// Declared before, in the same scope.
    old: Option<ObjId>,
    ty: Option<Ty>,
}

/// `3 variables`.
fn measure(n: usize, unit: &str) -> String {
    if n == 1 { format!("{n} {unit}") } else { format!("{n} {unit}s") }
}

impl Checker {
    /// `lhs = rhs`, `lhs := rhs`, `lhs op= rhs`.
    pub(crate) fn assign_stmt(&mut self, node: Id, op: AOp, lhs: List, rhs: List) {
        let (l, r) = (self.list(lhs), self.list(rhs));
        let pos = self.pos(node);
        match op {
            AOp::Assign => self.assign(&l, &r, pos),
            AOp::Define => {
                if self.env.fns.len() == 1 && self.is_top_of_script() {
                    return; // declared as variables of the package
                }
                self.define(&l, &r, pos);
            }
            AOp::Op(op) => {
                if let ([l], [r]) = (l.as_slice(), r.as_slice()) {
                    self.op_assign(*l, op, *r, pos);
                }
            }
        }
    }

    fn is_top_of_script(&self) -> bool {
        self.is_script() && self.env.marks.is_empty()
    }

    /// Checks the left side of an assignment; a variable is not used by being assigned to.
    pub(crate) fn lhs(&mut self, node: Id) -> Lhs {
        let bare = self.unparen(node);
        let mut variable = None;
        if matches!(self.node(bare), Node::Ident) {
            let name = self.sym(bare);
            if name == Sym::BLANK {
                return Lhs::Blank;
            }
            if let Some(o) = self.lookup(name)
                && let ObjKind::Var { storage: Storage::Local { .. }, .. } = self.obj(o).kind
            {
                variable = Some((o, self.obj(o).used));
            }
        }
        let mut x = self.expr(node);
        if let Some((o, used)) = variable {
            self.objs[o.0 as usize].used = used;
        }
        if !x.is_valid() || !self.assignable_place(&x, node) {
            return Lhs::Bad;
        }
        let e = self.value(&mut x);
        self.mark_assigned(e);
        Lhs::Place(e, x.ty)
    }

    /// Complains unless an operand can be assigned to.
    pub(crate) fn assignable_place(&mut self, x: &Operand, node: Id) -> bool {
        if matches!(x.mode, Mode::Var | Mode::MapIndex) {
            return true;
        }
        let shown = self.show_node(node);
        if let Some(e) = x.expr
            && let ExprKind::Field { x: inner, .. } = self.expr_of(e).kind
            && matches!(self.expr_of(inner).kind, ExprKind::IndexMap { .. })
        {
            self.err_at(
                node,
                Code::UnaddressableFieldAssign,
                format!("cannot assign to struct field {shown} in map"),
            );
            return false;
        }
        let text =
            format!("cannot assign to {shown} (neither addressable nor a map index expression)");
        self.err_at(node, Code::UnassignableOperand, text);
        false
    }

    pub(crate) fn is_call(&self, nodes: &[Id]) -> bool {
        matches!(nodes, [one] if matches!(self.node(self.unparen(*one)), Node::Call(..)))
    }

    fn count_error(&mut self, rhs: &[Id], l: usize, r: usize) {
        let (vars, vals) = (measure(l, "variable"), measure(r, "value"));
        let mut text = format!("assignment mismatch: {vars} but {vals}");
        if let [one] = rhs
            && let Node::Call(fun, ..) = self.node(self.unparen(*one))
        {
            let f = self.show_node(fun);
            text = format!("assignment mismatch: {vars} but {f} returns {vals}");
        }
        self.err_at(rhs[0], Code::WrongAssignCount, text);
    }

    /// What a function value is wanted as on the right of an assignment.
    fn func_target(&mut self, t: Option<Ty>) -> bool {
        t.is_some_and(|t| matches!(self.under_kind(t), Kind::Func(_)))
    }

    pub(crate) fn expr_wanted(&mut self, node: Id, t: Option<Ty>, desc: &str) -> Operand {
        if self.func_target(t) {
            let target = t.map(|t| (t, desc));
            return self.expr_for(node, target);
        }
        self.expr(node)
    }

    fn assign(&mut self, l: &[Id], r: &[Id], pos: Pos) {
        let context = if l.len() > 1 { "multiple assignment" } else { "assignment" };
        if l.len() == r.len() && !self.is_call(r) {
            self.assign_pairs(l, r, context, pos);
            return;
        }
        if r.len() != 1 {
            let ok_l = self.use_lhs(l);
            if self.use_exprs(r) && ok_l {
                self.count_error(r, l.len(), r.len());
            }
            return;
        }
        let multi = self.multi_expr(r[0], l.len() == 2);
        if multi.ops.len() != l.len() {
            if multi.ops[0].is_valid() {
                self.count_error(r, l.len(), multi.ops.len());
            }
            self.use_lhs(l);
            return;
        }
        if multi.tuple.is_none() {
            let x = multi.ops.into_iter().next();
            if let Some(x) = x {
                self.assign_one(l[0], x, context, pos);
            }
            return;
        }
        self.assign_tuple(l, multi, context, pos);
    }

    fn use_lhs(&mut self, nodes: &[Id]) -> bool {
        let mut ok = true;
        for &n in nodes {
            let bare = self.unparen(n);
            if matches!(self.node(bare), Node::Ident) {
                if self.sym(bare) == Sym::BLANK {
                    continue;
                }
                let known = self.lookup(self.sym(bare));
                let used = known.map(|o| self.obj(o).used);
                let x = self.expr_or_type(n, true);
                if let (Some(o), Some(u)) = (known, used) {
                    self.objs[o.0 as usize].used = u;
                }
                ok &= x.is_valid();
                continue;
            }
            ok &= self.use_exprs(&[n]);
        }
        ok
    }

    fn assign_pairs(&mut self, l: &[Id], r: &[Id], context: &str, pos: Pos) {
        let mut places = vec![];
        let mut values = vec![];
        let mut ok = true;
        for (&l, &r) in l.iter().zip(r) {
            let lhs = self.lhs(l);
            let (t, context) = match lhs {
                Lhs::Bad => {
                    self.use_exprs(&[r]);
                    ok = false;
                    continue;
                }
                Lhs::Blank if context == "assignment" => (None, "assignment to _ identifier"),
                Lhs::Blank => (None, context),
                Lhs::Place(_, t) => (Some(t), context),
            };
            let desc = self.show_node(l);
            let mut x = self.expr_wanted(r, t, &desc);
            self.assignment(&mut x, t, context);
            if !x.is_valid() {
                ok = false;
                continue;
            }
            values.push(self.value(&mut x));
            places.push(if let Lhs::Place(e, _) = lhs { Some(e) } else { None });
        }
        if ok {
            self.emit_stmt(StmtKind::Assign { lhs: places, rhs: values }, pos);
        }
    }

    /// Assigns an operand that was evaluated already.
    pub(crate) fn assign_one(&mut self, l: Id, mut x: Operand, context: &str, pos: Pos) {
        let lhs = self.lhs(l);
        let (t, context) = match lhs {
            Lhs::Bad => return,
            Lhs::Blank if context == "assignment" => (None, "assignment to _ identifier"),
            Lhs::Blank => (None, context),
            Lhs::Place(_, t) => (Some(t), context),
        };
        self.assignment(&mut x, t, context);
        if x.is_valid() {
            let v = self.value(&mut x);
            let place = if let Lhs::Place(e, _) = lhs { Some(e) } else { None };
            self.emit_stmt(StmtKind::Assign { lhs: vec![place], rhs: vec![v] }, pos);
        }
    }

    fn assign_tuple(&mut self, l: &[Id], multi: Multi, context: &str, pos: Pos) {
        let Some((x, temps)) = multi.tuple else { return };
        let mut places = vec![];
        let mut values = vec![];
        let mut ok = true;
        for (i, (&l, mut op)) in l.iter().zip(multi.ops).enumerate() {
            let lhs = self.lhs(l);
            let t = match lhs {
                Lhs::Bad => {
                    ok = false;
                    continue;
                }
                Lhs::Blank => None,
                Lhs::Place(_, t) => Some(t),
            };
            let _ = i;
            self.assignment(&mut op, t, context);
            if !op.is_valid() {
                ok = false;
                continue;
            }
            values.push(self.value(&mut op));
            places.push(if let Lhs::Place(e, _) = lhs { Some(e) } else { None });
        }
        if ok {
            self.emit_stmt(StmtKind::AssignTuple { lhs: places, temps, x, values }, pos);
        }
    }

    fn op_assign(&mut self, l: Id, op: Op, r: Id, pos: Pos) {
        let x = self.expr(l);
        let y = self.expr(r);
        if !x.is_valid() || !y.is_valid() {
            return;
        }
        let place = x.clone();
        let count_ty = y.ty;
        let mut result = self.binary(x, y, NIL, op, (l, r));
        if !result.is_valid() || !self.assignable_place(&place, l) {
            return;
        }
        result.node = l;
        let (Some(lhs), t) = (place.expr, place.ty) else { return };
        self.assignment(&mut result, Some(t), "assignment");
        if !result.is_valid() {
            return;
        }
        self.mark_assigned(lhs);
        let _ = count_ty;
        let e = self.value(&mut result);
        let rhs = match self.expr_of(e).kind.clone() {
            ExprKind::Binary(_, _, rhs) => rhs,
            ExprKind::Concat(parts) => match parts.as_slice() {
                [_, one] => *one,
                _ => return,
            },
            _ => return,
        };
        let op = super::expr::binary_op(op);
        self.emit_stmt(StmtKind::OpAssign { op, lhs, rhs }, pos);
    }

    // ---- declarations ----

    /// `a, b := x, y`.
    fn define(&mut self, l: &[Id], r: &[Id], pos: Pos) {
        let mut vars: Vec<Var> = vec![];
        let mut seen: Vec<Sym> = vec![];
        let (mut any_new, mut failed) = (false, false);
        for &n in l {
            let mut v = Var { name: Sym::BLANK, pos: self.pos(n), old: None, ty: None };
            if !matches!(self.node(n), Node::Ident) {
                self.use_lhs(&[n]);
                let shown = self.show_node(n);
                self.err_at(n, Code::BadDecl, format!("non-name {shown} on left side of :="));
                failed = true;
                vars.push(v);
                continue;
            }
            let name = self.sym(n);
            if name != Sym::BLANK {
                if seen.contains(&name) {
                    let text = format!("{} repeated on left side of :=", self.name(name));
                    self.err_at(n, Code::RepeatedDecl, text);
                    failed = true;
                    vars.push(v);
                    continue;
                }
                seen.push(name);
            }
            if let Some(old) = self.lookup_innermost(name).filter(|_| name != Sym::BLANK) {
                if let ObjKind::Var { ty, .. } = self.obj(old).kind {
                    v.old = Some(old);
                    v.ty = Some(ty);
                } else {
                    let text = format!("cannot assign to {}", self.name(name));
                    self.err_at(n, Code::UnassignableOperand, text);
                    failed = true;
                }
                vars.push(v);
                continue;
            }
            v.name = name;
            any_new |= name != Sym::BLANK;
            vars.push(v);
        }
        let objs = self.init_vars(&mut vars, r, pos, None);
        if !any_new && !failed {
            let at = r.first().map_or(pos, |&r| self.op_pos(r));
            self.err(at, Code::NoNewVar, "no new variables on left side of :=");
        }
        for (name, obj) in objs {
            self.declare(name, obj);
        }
    }

    /// `var a, b T = x, y` in a function.
    pub(crate) fn local_vars(&mut self, spec: Id, names: List, ty: Id, values: List) {
        let (names, values) = (self.list(names), self.list(values));
        let pos = self.pos(spec);
        if self.env.fns.len() == 1 && self.is_top_of_script() {
            return;
        }
        let declared = if ty == NIL { None } else { Some(self.var_type(ty)) };
        let mut vars: Vec<Var> = names
            .iter()
            .map(|&n| Var { name: self.sym(n), pos: self.pos(n), old: None, ty: declared })
            .collect();
        if ty == NIL || !values.is_empty() {
            self.arity(pos, &names, &values, false, false);
        }
        let fits = values.len() == names.len() || values.len() == 1 || values.is_empty();
        let objs = if fits && !values.is_empty() {
            self.init_vars(&mut vars, &values, pos, Some("variable declaration"))
        } else {
            self.use_exprs(&values);
            vars.iter()
                .map(|v| {
                    let t = declared.unwrap_or(Basic::Invalid.ty());
                    let (obj, local) = self.local_var(v.name, t, v.pos);
                    self.emit_stmt(StmtKind::Decl { local, init: None }, v.pos);
                    (v.name, obj)
                })
                .collect()
        };
        for (name, obj) in objs {
            self.declare(name, obj);
        }
    }

    /// Checks initial values, and makes and initialises the variables; they are not in scope yet.
    fn init_vars(
        &mut self,
        vars: &mut [Var],
        r: &[Id],
        pos: Pos,
        context: Option<&str>,
    ) -> Vec<(Sym, ObjId)> {
        let context = match context {
            Some(c) if vars.len() == 1 || r.len() == vars.len() => c,
            _ if vars.len() > 1 => "multiple assignment",
            _ => "assignment",
        };
        let l = vars.len();
        if l == r.len() && (context == "variable declaration" || !self.is_call(r)) {
            return self.init_pairs(vars, r, context, pos);
        }
        if r.len() != 1 {
            if self.use_exprs(r) {
                self.count_error(r, l, r.len());
            }
            return self.invalid_vars(vars);
        }
        let multi = self.multi_expr(r[0], l == 2);
        if multi.ops.len() != l {
            if multi.ops[0].is_valid() {
                self.count_error(r, l, multi.ops.len());
            }
            return self.invalid_vars(vars);
        }
        if multi.tuple.is_some() {
            return self.init_tuple(vars, multi, context, pos);
        }
        let Some(mut x) = multi.ops.into_iter().next() else { return vec![] };
        let t = self.init_operand(&mut x, vars[0].ty, context);
        let init = if x.is_valid() { Some(self.value(&mut x)) } else { None };
        self.make_var(vars[0], t, init, pos).into_iter().collect()
    }

    fn invalid_vars(&mut self, vars: &[Var]) -> Vec<(Sym, ObjId)> {
        let mut out = vec![];
        for &v in vars {
            let t = v.ty.unwrap_or(Basic::Invalid.ty());
            out.extend(self.make_var(v, t, None, v.pos));
        }
        out
    }

    /// Brings an initial value to its variable's type, which it may have to give; gives the type.
    pub(crate) fn init_operand(&mut self, x: &mut Operand, ty: Option<Ty>, context: &str) -> Ty {
        let invalid = Basic::Invalid.ty();
        if !x.is_valid() || !self.is_valid_ty(x.ty) || ty == Some(invalid) {
            x.invalidate();
            return ty.unwrap_or(invalid);
        }
        if let Some(t) = ty {
            self.assignment(x, Some(t), context);
            return t;
        }
        if x.is_nil() {
            self.err_at(x.node, Code::UntypedNilUse, format!("use of untyped nil in {context}"));
            x.invalidate();
            return invalid;
        }
        self.single_value(x);
        let t = self.default_type(x.ty);
        self.assignment(x, Some(t), context);
        t
    }

    fn init_pairs(
        &mut self,
        vars: &mut [Var],
        r: &[Id],
        context: &str,
        pos: Pos,
    ) -> Vec<(Sym, ObjId)> {
        let mut values: Vec<(Ty, Option<ExprId>)> = vec![];
        for (v, &r) in vars.iter().zip(r) {
            let desc = self.name(v.name).to_string();
            let mut x = self.expr_wanted(r, v.ty, &desc);
            let t = self.init_operand(&mut x, v.ty, context);
            let e = if x.is_valid() { Some(self.value(&mut x)) } else { None };
            values.push((t, e));
        }
        // with an old variable among them it is a parallel assignment
        if vars.len() > 1 && values.iter().all(|(_, e)| e.is_some()) {
            return self.init_parallel(vars, &values, pos);
        }
        let mut out = vec![];
        for (&v, (t, e)) in vars.iter().zip(values) {
            out.extend(self.make_var(v, t, e, pos));
        }
        out
    }

    fn init_parallel(
        &mut self,
        vars: &[Var],
        values: &[(Ty, Option<ExprId>)],
        pos: Pos,
    ) -> Vec<(Sym, ObjId)> {
        let mut out = vec![];
        if vars.iter().all(|v| v.old.is_none()) {
            for (&v, &(t, e)) in vars.iter().zip(values) {
                out.extend(self.make_var(v, t, e, pos));
            }
            return out;
        }
        let mut places = vec![];
        for (&v, &(t, _)) in vars.iter().zip(values) {
            if v.old.is_none() && v.name != Sym::BLANK {
                let Some((name, obj)) = self.make_var(v, t, None, pos) else { continue };
                out.push((name, obj));
                places.push(self.place_of(obj, v.pos));
            } else {
                places.push(v.old.map(|o| self.place_of(o, v.pos)).unwrap_or_default());
            }
        }
        let rhs = values.iter().filter_map(|v| v.1).collect();
        self.emit_stmt(StmtKind::Assign { lhs: places, rhs }, pos);
        out
    }

    /// A variable as a place.
    fn place_of(&mut self, obj: ObjId, pos: Pos) -> Option<ExprId> {
        let ObjKind::Var { ty, storage } = self.obj(obj).kind else { return None };
        let e = self.emit_var(storage, ty, pos);
        if self.env.fns.len() > 1 || matches!(storage, Storage::Local { .. }) {
            self.mark_assigned(e);
        }
        Some(e)
    }

    /// Makes a variable and emits its declaration (or the assignment to an old one).
    fn make_var(&mut self, v: Var, t: Ty, init: Option<ExprId>, pos: Pos) -> Option<(Sym, ObjId)> {
        if let Some(old) = v.old {
            if let Some(e) = init {
                let place = self.place_of(old, v.pos);
                self.emit_stmt(StmtKind::Assign { lhs: vec![place], rhs: vec![e] }, pos);
            }
            return None;
        }
        let (obj, local) = self.local_var(v.name, t, v.pos);
        if init.is_none() && !self.is_valid_ty(t) {
            self.objs[obj.0 as usize].used |= v.ty.is_some();
        }
        self.emit_stmt(StmtKind::Decl { local, init }, pos);
        Some((v.name, obj))
    }

    fn init_tuple(
        &mut self,
        vars: &[Var],
        multi: Multi,
        context: &str,
        pos: Pos,
    ) -> Vec<(Sym, ObjId)> {
        let Some((x, temps)) = multi.tuple else { return vec![] };
        let mut typed: Vec<(Ty, Option<ExprId>, bool)> = vec![];
        for (v, mut op) in vars.iter().zip(multi.ops) {
            let before = self.default_type(op.ty);
            let t = self.init_operand(&mut op, v.ty, context);
            let e = if op.is_valid() { Some(self.value(&mut op)) } else { None };
            typed.push((t, e, t == before && v.old.is_none()));
        }
        let direct =
            typed.iter().zip(vars).all(|(t, v)| t.2 || (v.name == Sym::BLANK && v.old.is_none()));
        let mut out = vec![];
        if direct {
            let mut locals: Vec<Option<LocalId>> = vec![];
            for ((v, &local), (t, ..)) in vars.iter().zip(&temps).zip(&typed) {
                if v.name == Sym::BLANK {
                    locals.push(None);
                    continue;
                }
                out.push((v.name, self.name_temp(*v, local, *t)));
                locals.push(Some(local));
            }
            self.emit_stmt(StmtKind::DeclTuple { locals, x }, pos);
            return out;
        }
        // at least one value is converted or goes to an old variable
        let mut places = vec![];
        for (v, (t, ..)) in vars.iter().zip(&typed) {
            if v.old.is_none() && v.name != Sym::BLANK {
                let Some((name, obj)) = self.make_var(*v, *t, None, pos) else { continue };
                out.push((name, obj));
                places.push(self.place_unmarked(obj, v.pos));
            } else {
                places.push(v.old.map(|o| self.place_of(o, v.pos)).unwrap_or_default());
            }
        }
        let values: Vec<ExprId> = typed.iter().filter_map(|t| t.1).collect();
        if values.len() == vars.len() {
            self.emit_stmt(StmtKind::AssignTuple { lhs: places, temps, x, values }, pos);
        }
        out
    }

    /// A new variable as the place of its first value.
    fn place_unmarked(&mut self, obj: ObjId, pos: Pos) -> Option<ExprId> {
        let ObjKind::Var { ty, storage } = self.obj(obj).kind else { return None };
        let e = self.emit_var(storage, ty, pos);
        self.mark_assigned(e);
        Some(e)
    }

    /// A temporary becomes a variable.
    fn name_temp(&mut self, v: Var, local: LocalId, ty: Ty) -> ObjId {
        let text = self.name(v.name).to_string();
        let depth = self.env.fns.len() as u32 - 1;
        let l = &mut self.cx().body.locals[local.0 as usize];
        l.name = text;
        l.pos = v.pos;
        self.add_obj(v.name, v.pos, ObjKind::Var { ty, storage: Storage::Local { depth, local } })
    }

    // ---- package-level variables ----

    /// Checks the initial values of variables of package level and emits their assignment.
    pub(crate) fn init_globals(&mut self, spec: u32) {
        let s = self.var_specs[spec as usize].clone();
        for &o in &s.objs {
            self.resolve(o);
        }
        let values = self.list(s.values);
        let first = s.objs.first().map_or(Pos::NONE, |&o| self.obj(o).pos);
        let types: Vec<Ty> = s
            .objs
            .iter()
            .map(|&o| {
                if let ObjKind::Var { ty, .. } = self.obj(o).kind {
                    ty
                } else {
                    Basic::Invalid.ty()
                }
            })
            .collect();
        if values.is_empty() {
            return;
        }
        let declared = s.ty != NIL;
        let want = |t: Ty| if declared || t != Basic::Invalid.ty() { Some(t) } else { None };
        if values.len() == s.objs.len() {
            for (i, &v) in values.iter().enumerate() {
                let (o, t) = (s.objs[i], types[i]);
                let desc = self.name(self.obj(o).name).to_string();
                let mut x = self.expr_wanted(v, want(t).filter(|_| declared), &desc);
                self.init_operand(&mut x, want(t), "variable declaration");
                if x.is_valid() {
                    let e = self.value(&mut x);
                    let place = self.global_place(o);
                    self.emit_stmt(StmtKind::Assign { lhs: vec![place], rhs: vec![e] }, first);
                }
            }
            return;
        }
        if values.len() != 1 {
            self.use_exprs(&values);
            return;
        }
        self.init_globals_multi(&s.objs, &types, &values, first);
    }

    fn init_globals_multi(&mut self, objs: &[ObjId], types: &[Ty], values: &[Id], pos: Pos) {
        let multi = self.multi_expr(values[0], objs.len() == 2);
        if multi.ops.len() != objs.len() {
            if multi.ops[0].is_valid() {
                self.count_error(values, objs.len(), multi.ops.len());
            }
            return;
        }
        let context = if objs.len() > 1 { "multiple assignment" } else { "variable declaration" };
        let mut rhs = vec![];
        let mut places = vec![];
        for ((&o, &t), mut x) in objs.iter().zip(types).zip(multi.ops) {
            let want = if self.is_valid_ty(t) { Some(t) } else { None };
            self.init_operand(&mut x, want, context);
            if !x.is_valid() {
                return;
            }
            rhs.push(self.value(&mut x));
            places.push(self.global_place(o));
        }
        match multi.tuple {
            Some((x, temps)) => {
                self.emit_stmt(StmtKind::AssignTuple { lhs: places, temps, x, values: rhs }, pos);
            }
            None => self.emit_stmt(StmtKind::Assign { lhs: places, rhs }, pos),
        }
    }

    fn global_place(&mut self, o: ObjId) -> Option<ExprId> {
        if self.obj(o).name == Sym::BLANK {
            return None;
        }
        let ObjKind::Var { ty, storage } = self.obj(o).kind else { return None };
        let pos = self.obj(o).pos;
        Some(self.emit_var(storage, ty, pos))
    }
}
