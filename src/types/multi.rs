//! Expressions that may give several values: type assertions, receives, map elements and calls (Go specification, "Type
//! assertions", "Assignment statements").

#![expect(clippy::wildcard_enum_match_arm, reason = "few expressions give several values")]

use super::checker::Checker;
use super::operand::{Mode, Operand};
use super::ty::{Basic, Kind, Ty};
use super::typed::{ExprId, ExprKind, LocalId};
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::NIL;
use crate::syntax::ast::{Id, Node};

/// Several values: of a call, or with `ok`.
#[derive(Debug)]
pub(crate) struct Multi {
    pub(crate) ops: Vec<Operand>,
    /// The expression with several results and the locals that take them.
    pub(crate) tuple: Option<(ExprId, Vec<LocalId>)>,
}

const OK_VALUE: &str = "ok value of (comma, ok) expression";

/// `2nd function result`.
fn nth_result(n: usize) -> String {
    let ext = match n {
        1 => "st",
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    format!("{n}{ext} function result")
}

impl Checker {
    // ---- assertions and several values ----

    pub(crate) fn assertion(&mut self, node: Id, inner: Id, ty: Id) -> Operand {
        if ty == NIL {
            let text = "invalid syntax tree: use of .(type) outside type switch";
            self.err_at(node, Code::MisplacedGuard, text);
            self.use_exprs(&[inner]);
            return Operand::invalid(node);
        }
        let mut x = self.expr(inner);
        if !x.is_valid() {
            return Operand::invalid(node);
        }
        if self.is_param(x.ty) {
            let shown = self.show_operand(&x);
            let text = format!(
                "invalid operation: cannot use type assertion on type parameter value {shown}"
            );
            self.err_at(inner, Code::InvalidAssert, text);
            return Operand::invalid(node);
        }
        if !self.is_interface(x.ty) {
            let shown = self.show_operand(&x);
            self.err_at(
                inner,
                Code::InvalidAssert,
                format!("invalid operation: {shown} is not an interface"),
            );
            return Operand::invalid(node);
        }
        let to = self.var_type(ty);
        if !self.is_valid_ty(to) {
            return Operand::invalid(node);
        }
        if let Some(cause) = self.impossible(x.ty, to) {
            let (e, t, i) = (self.show_node(node), self.show(to), self.show(x.ty));
            self.err_at(
                node,
                Code::ImpossibleAssert,
                format!("impossible type assertion: {e}\n\t{t} does not implement {i} {cause}"),
            );
        }
        let v = self.value(&mut x);
        let pos = self.pos(node);
        let e = self.emit(ExprKind::TypeAssert { x: v, to, comma_ok: false }, to, pos);
        Operand { mode: Mode::CommaOk, ..Operand::value(node, to, e) }
    }

    /// Why a value of interface type `from` can never hold a `to`.
    pub(crate) fn impossible(&mut self, from: Ty, to: Ty) -> Option<String> {
        if self.is_interface(to) {
            return None;
        }
        let iface = self.interface_of(from)?;
        self.missing_method(to, &iface, from, false)
    }

    /// One expression where several values are welcome; `ok`: a second one may be asked for.
    pub(crate) fn multi_expr(&mut self, node: Id, ok: bool) -> Multi {
        let (mut x, _) = self.raw_expr(node, None, false);
        self.exclude(&mut x, true);
        let pos = self.pos(node);
        if x.is_valid()
            && let Kind::Tuple(list) = self.types.kind(x.ty).clone()
        {
            let e = self.value(&mut x);
            let temps: Vec<LocalId> = list.iter().map(|&t| self.temp(t, pos)).collect();
            let mut ops = vec![];
            for (i, (&l, &t)) in temps.iter().zip(&list).enumerate() {
                let e = self.local_expr(l, pos);
                ops.push(Operand { alias: nth_result(i + 1), ..Operand::value(node, t, e) });
            }
            return Multi { ops, tuple: Some((e, temps)) };
        }
        if ok && matches!(x.mode, Mode::MapIndex | Mode::CommaOk) {
            return self.with_ok(x, node, pos);
        }
        Multi { ops: vec![x], tuple: None }
    }

    fn with_ok(&mut self, mut x: Operand, node: Id, pos: Pos) -> Multi {
        let e = self.value(&mut x);
        let pair = self.types.intern(Kind::Tuple(vec![x.ty, Basic::Bool.ty()]));
        let expr = self.expr_mut(e);
        match &mut expr.kind {
            ExprKind::Recv { comma_ok, .. }
            | ExprKind::IndexMap { comma_ok, .. }
            | ExprKind::TypeAssert { comma_ok, .. } => *comma_ok = true,
            _ => {}
        }
        expr.ty = pair;
        let temps = vec![self.temp(x.ty, pos), self.temp(Basic::Bool.ty(), pos)];
        let first = self.local_expr(temps[0], pos);
        let second = self.emit(ExprKind::Local(temps[1]), Basic::UntypedBool.ty(), pos);
        let ops = vec![
            Operand::value(node, x.ty, first),
            Operand {
                alias: OK_VALUE.into(),
                ..Operand::value(node, Basic::UntypedBool.ty(), second)
            },
        ];
        Multi { ops, tuple: Some((e, temps)) }
    }

    /// Checks expressions for their errors (and uses) only; whether all are fine.
    pub(crate) fn use_exprs(&mut self, nodes: &[Id]) -> bool {
        let mut ok = true;
        for &n in nodes {
            let bare = self.unparen(n);
            if matches!(self.node(bare), Node::Ident) && self.sym(bare) == super::names::Sym::BLANK
            {
                continue;
            }
            let (x, _) = self.raw_expr(n, None, true);
            ok &= x.is_valid();
        }
        ok
    }
}
