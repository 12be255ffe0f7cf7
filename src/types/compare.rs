//! Shifts and comparisons (Go specification, "Operators", "Comparison operators", "Constant expressions").

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators of other groups are handled elsewhere"
)]

use super::checker::Checker;
use super::consts::{self, Value};
use super::expr::binary_op;
use super::operand::{Mode, Operand};
use super::predicates::is_integer_basic;
use super::ty::{Basic, Kind, Ty};
use super::typed::{CompareOp, ExprId, ExprKind};
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::NIL;
use crate::syntax::ast::{Id, Node};
use crate::syntax::token::Op;
use num_traits::ToPrimitive;

impl Checker {
    // ---- shifts ----

    pub(crate) fn shift(
        &mut self,
        mut x: Operand,
        mut y: Operand,
        node: Id,
        op: Op,
        pos: Pos,
    ) -> Operand {
        let int_val = x.val().and_then(Value::to_int);
        let unknown = x.val() == Some(&Value::Unknown);
        let ok =
            self.all_integer(x.ty) || (self.is_untyped(x.ty) && (int_val.is_some() || unknown));
        if !ok {
            let shown = self.show_operand(&x);
            self.err_at(
                x.node,
                Code::InvalidShiftOperand,
                format!("invalid operation: shifted operand {shown} must be integer"),
            );
            return Operand::invalid(node);
        }
        let count = y.clone();
        if !self.shift_count(&mut y) {
            return Operand::invalid(node);
        }
        if let (true, Mode::Const(n)) = (x.is_const(), &y.mode) {
            let n = n.to_int();
            return self.const_shift(x, count, node, op, (int_val, n), pos);
        }
        if x.is_const() && self.is_untyped(x.ty) {
            let (xn, ty) = (x.node, x.ty);
            let l = self.value(&mut x);
            self.cx().shifted.push((l, xn));
            let r = self.value(&mut y);
            let e = self.emit(ExprKind::Binary(binary_op(op), l, r), ty, pos);
            return Operand::value(node, ty, e);
        }
        if !self.all_integer(x.ty) {
            let shown = self.show_operand(&x);
            self.err_at(
                x.node,
                Code::InvalidShiftOperand,
                format!("invalid operation: shifted operand {shown} must be integer"),
            );
            return Operand::invalid(node);
        }
        let (l, r) = (self.value(&mut x), self.value(&mut y));
        let e = self.emit(ExprKind::Binary(binary_op(op), l, r), x.ty, pos);
        Operand::value(node, x.ty, e)
    }

    fn shift_count(&mut self, y: &mut Operand) -> bool {
        if let Some(v) = y.val() {
            if v.to_int().is_some() && v.sign() < 0 {
                let shown = self.show_operand(y);
                self.err_at(
                    y.node,
                    Code::InvalidShiftCount,
                    format!("invalid operation: negative shift count {shown}"),
                );
                return false;
            }
            if self.is_untyped(y.ty) {
                match self.representation(y, Basic::Uint) {
                    Ok(v) => {
                        y.mode = Mode::Const(v);
                        y.ty = Basic::Uint.ty();
                    }
                    Err(why) => {
                        self.misfit(y, Basic::Uint.ty(), why);
                        return false;
                    }
                }
                return true;
            }
        }
        if self.all_integer(y.ty) && !self.is_untyped(y.ty) {
            return true;
        }
        // a constant of any type may count if it is an integer
        if let Some(n) = y.val().and_then(Value::to_int) {
            y.mode = Mode::Const(Value::Int(n));
            y.ty = Basic::Uint.ty();
            return true;
        }
        if self.is_untyped(y.ty) {
            self.convert_untyped(y, Basic::Uint.ty());
            return y.is_valid();
        }
        let shown = self.show_operand(y);
        self.err_at(
            y.node,
            Code::InvalidShiftCount,
            format!("invalid operation: shift count {shown} must be integer"),
        );
        false
    }

    fn const_shift(
        &mut self,
        x: Operand,
        y: Operand,
        node: Id,
        op: Op,
        vals: (Option<num_bigint::BigInt>, Option<num_bigint::BigInt>),
        pos: Pos,
    ) -> Operand {
        // enough to express the smallest float64
        const MAX_COUNT: u32 = 1023 - 1 + 52;
        let integer = self.is_basic(x.ty, is_integer_basic);
        let ty = if integer { x.ty } else { Basic::UntypedInt.ty() };
        let (Some(v), Some(n)) = vals else { return Operand::constant(node, ty, Value::Unknown) };
        let Some(n) = n.to_u32().filter(|n| *n <= MAX_COUNT) else {
            let shown = self.show_operand(&y);
            self.err_at(
                y.node,
                Code::InvalidShiftCount,
                format!("invalid operation: invalid shift count {shown}"),
            );
            return Operand::invalid(node);
        };
        let mut r = Operand::constant(node, ty, Value::Int(consts::shift(op, &v, n)));
        self.overflow(&mut r, pos);
        r
    }

    /// A constant result must fit its type; untyped ones must not grow without bounds.
    pub(crate) fn overflow(&mut self, x: &mut Operand, pos: Pos) {
        const MAX_BITS: u64 = 512;
        let Mode::Const(v) = &x.mode else { return };
        if *v == Value::Unknown {
            self.err(pos, Code::NumericOverflow, "constant result is not representable");
            return;
        }
        if !self.is_untyped(x.ty) {
            let Some(b) = self.basic(x.ty) else { return };
            match self.representation(x, b) {
                Ok(v) => x.mode = Mode::Const(v),
                Err(why) => {
                    let t = b.ty();
                    self.misfit(x, t, why);
                    x.invalidate();
                }
            }
            return;
        }
        if v.bits() > MAX_BITS {
            let op = self.op_name(x.node);
            self.err(pos, Code::NumericOverflow, format!("constant {op}overflow"));
            x.mode = Mode::Const(Value::Unknown);
        }
    }

    fn op_name(&self, node: Id) -> &'static str {
        if node == NIL {
            return "";
        }
        match self.node(node) {
            Node::Unary(Op::Xor, _) => "bitwise complement ",
            Node::Binary(Op::Add, ..) => "addition ",
            Node::Binary(Op::Sub, ..) => "subtraction ",
            Node::Binary(Op::Xor, ..) => "bitwise XOR ",
            Node::Binary(Op::Mul, ..) => "multiplication ",
            Node::Binary(Op::Shl, ..) => "shift ",
            _ => "",
        }
    }

    // ---- comparisons ----

    /// `x op y`; with `case`, x is a case of a switch on y.
    pub(crate) fn comparison(
        &mut self,
        mut x: Operand,
        mut y: Operand,
        node: Id,
        op: Op,
        case: bool,
    ) -> Operand {
        if !self.is_valid_ty(x.ty) || !self.is_valid_ty(y.ty) {
            return Operand::invalid(node);
        }
        if let Err((second, cause)) = self.comparable_operands(&x, &y, op) {
            self.not_comparable(&x, &y, op, case, second, cause);
            return Operand::invalid(node);
        }
        if let (Mode::Const(a), Mode::Const(b)) = (&x.mode, &y.mode) {
            let v = if *a == Value::Unknown || *b == Value::Unknown {
                Value::Unknown
            } else {
                Value::Bool(consts::compare(op, a, b))
            };
            return Operand::constant(node, Basic::UntypedBool.ty(), v);
        }
        let pos = if node == NIL { self.pos(x.node) } else { self.pos(node) };
        let (l, r) = self.comparison_sides(&mut x, &mut y);
        let e = self.emit(ExprKind::Compare(compare_op(op), l, r), Basic::UntypedBool.ty(), pos);
        Operand::value(node, Basic::UntypedBool.ty(), e)
    }

    fn comparison_sides(&mut self, x: &mut Operand, y: &mut Operand) -> (ExprId, ExprId) {
        for o in [&mut *x, &mut *y] {
            if self.is_untyped(o.ty) && !o.is_nil() {
                let d = self.default_type(o.ty);
                self.convert_untyped(o, d);
            }
        }
        if x.is_nil() {
            x.ty = y.ty;
            let (l, r) = (self.value(x), self.value(y));
            return (r, l);
        }
        if y.is_nil() {
            y.ty = x.ty;
        }
        let to_y = x.ty != y.ty && self.is_interface(y.ty) && !self.is_interface(x.ty);
        let (tx, ty) = (x.ty, y.ty);
        if tx == ty {
            return (self.value(x), self.value(y));
        }
        if to_y || (self.assignable(x, ty).is_ok() && !self.is_interface(tx)) {
            let l = self.value_as(x, ty);
            return (l, self.value(y));
        }
        let l = self.value(x);
        (l, self.value_as(y, tx))
    }

    /// Why two operands cannot be compared: whether the second one is to blame, and the words.
    fn comparable_operands(
        &mut self,
        x: &Operand,
        y: &Operand,
        op: Op,
    ) -> Result<(), (bool, String)> {
        if self.assignable(x, y.ty).is_err() && self.assignable(y, x.ty).is_err() {
            let (a, b) = (self.show(x.ty), self.show(y.ty));
            return Err((true, format!("mismatched types {a} and {b}")));
        }
        if matches!(op, Op::Eq | Op::Ne) {
            if x.is_nil() || y.is_nil() {
                let t = if x.is_nil() { y.ty } else { x.ty };
                let both = x.is_nil() && y.is_nil() && self.is_untyped(t);
                return if self.has_nil(t) && !both { Ok(()) } else { Err((true, String::new())) };
            }
            if self.comparable(x.ty, true).is_err() {
                return Err((false, self.incomparable_cause(x.ty)));
            }
            if self.comparable(y.ty, true).is_err() {
                return Err((true, self.incomparable_cause(y.ty)));
            }
            return Ok(());
        }
        if !self.all_ordered(x.ty) {
            return Err((false, String::new()));
        }
        if !self.all_ordered(y.ty) {
            return Err((true, String::new()));
        }
        Ok(())
    }

    pub(crate) fn incomparable_cause(&mut self, t: Ty) -> String {
        match self.under_kind(t) {
            Kind::Slice(_) | Kind::Func(_) | Kind::Map(..) => {
                format!("{} can only be compared to nil", self.composite_kind(t))
            }
            _ => self.comparable(t, true).err().unwrap_or_default(),
        }
    }

    fn not_comparable(
        &mut self,
        x: &Operand,
        y: &Operand,
        op: Op,
        case: bool,
        second: bool,
        mut cause: String,
    ) {
        let mut at = if second { y } else { x };
        if cause.is_empty() {
            if self.is_param(x.ty) || self.is_param(y.ty) {
                if !self.is_param(x.ty) {
                    at = y;
                }
                cause = format!(
                    "type parameter {} cannot use operator {}",
                    self.show(at.ty),
                    op.text()
                );
            } else {
                let what = self.composite_kind(at.ty);
                let what = if what.is_empty() { self.show(at.ty) } else { what.to_string() };
                cause = format!("operator {} not defined on {what}", op.text());
            }
        }
        let (a, b) = (self.show_node(x.node), self.show_node(y.node));
        if case {
            self.err_at(
                x.node,
                Code::InvalidCase,
                format!("invalid case {a} in switch on {b} ({cause})"),
            );
        } else {
            self.err_at(
                at.node,
                Code::InvalidComparison,
                format!("invalid operation: {a} {} {b} ({cause})", op.text()),
            );
        }
    }
}

fn compare_op(op: Op) -> CompareOp {
    match op {
        Op::Ne => CompareOp::Ne,
        Op::Lt => CompareOp::Lt,
        Op::Le => CompareOp::Le,
        Op::Gt => CompareOp::Gt,
        Op::Ge => CompareOp::Ge,
        _ => CompareOp::Eq,
    }
}
