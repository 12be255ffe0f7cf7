//! Untyped operands become typed, values become interfaces: representability, implicit and explicit conversions,
//! assignment (Go specification, "Representability", "Assignability", "Conversions", "Constant expressions").

#![expect(clippy::wildcard_enum_match_arm, reason = "tables over kinds of values and types")]

use super::checker::Checker;
use super::consts::{self, Value};
use super::operand::{Fun, Mode, Operand};
use super::predicates::{
    int_bits, is_boolean_basic, is_complex_basic, is_float_basic, is_integer_basic,
    is_numeric_basic, is_string_basic, is_unsigned_basic, is_untyped_basic,
};
use super::print::basic_name;
use super::real::Real;
use super::ty::{Basic, Kind, Ty};
use super::typed::{BinaryOp, Callee, ConstVal, ExprId, ExprKind, UnaryOp};
use crate::diag::Code;
use crate::source::Pos;
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive};

/// Why a constant does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Misfit {
    /// It has a fraction and the type has not.
    Truncated,
    /// It is too large.
    Overflow,
    /// It is of another kind.
    Kind,
}

fn fits_integer(n: &BigInt, b: Basic) -> bool {
    if matches!(b, Basic::UntypedInt | Basic::UntypedRune) {
        return true;
    }
    let bits = u64::from(int_bits(b));
    if is_unsigned_basic(b) {
        return !n.is_negative() && n.bits() <= bits;
    }
    let min: BigInt = -(BigInt::one() << (bits - 1));
    n.bits() < bits || *n == min
}

fn round(r: &Real, b: Basic) -> Option<Real> {
    let f = if matches!(b, Basic::Float32 | Basic::Complex64) {
        f64::from(r.to_f32())
    } else {
        r.to_f64()
    };
    if f.is_finite() { Real::from_f64(f) } else { None }
}

/// The value as a constant of a basic type, rounded; `None` if it does not fit.
pub(crate) fn represent(v: &Value, b: Basic) -> Option<Value> {
    if *v == Value::Unknown {
        return Some(Value::Unknown);
    }
    if is_integer_basic(b) {
        let n = v.to_int()?;
        return fits_integer(&n, b).then_some(Value::Int(n));
    }
    if is_float_basic(b) {
        let r = v.to_float()?;
        return if b == Basic::UntypedFloat {
            Some(Value::Float(r))
        } else {
            round(&r, b).map(Value::Float)
        };
    }
    if is_complex_basic(b) {
        let (re, im) = v.to_complex()?;
        if b == Basic::UntypedComplex {
            return Some(Value::Complex(re, im));
        }
        return Some(Value::Complex(round(&re, b)?, round(&im, b)?));
    }
    let ok = (is_string_basic(b) && matches!(v, Value::Str(_)))
        || (is_boolean_basic(b) && matches!(v, Value::Bool(_)));
    ok.then(|| v.clone())
}

impl Checker {
    /// A constant operand as a constant of another basic type.
    pub(crate) fn representation(&mut self, x: &Operand, b: Basic) -> Result<Value, Misfit> {
        let Some(v) = x.val() else { return Err(Misfit::Kind) };
        if let Some(v) = represent(v, b) {
            return Ok(v);
        }
        let from = self.basic(x.ty).unwrap_or(Basic::Invalid);
        if !is_numeric_basic(from) || !is_numeric_basic(b) {
            return Err(Misfit::Kind);
        }
        Err(if !is_integer_basic(from) && is_integer_basic(b) {
            Misfit::Truncated
        } else {
            Misfit::Overflow
        })
    }

    /// The type (and value) that an untyped operand takes where `target` is wanted.
    pub(crate) fn implicit_type(
        &mut self,
        x: &Operand,
        target: Ty,
    ) -> Result<(Ty, Option<Value>), Misfit> {
        if !x.is_valid() || !(self.is_untyped(x.ty)) || !self.is_valid_ty(target) {
            return Ok((x.ty, None));
        }
        if self.is_untyped(target) {
            return self.larger_untyped(x.ty, target).map(|t| (t, None)).ok_or(Misfit::Kind);
        }
        if x.is_nil() {
            return if self.has_nil(target) { Ok((target, None)) } else { Err(Misfit::Kind) };
        }
        if self.is_param(target) {
            let Some(list) = self.type_choices(target) else { return Err(Misfit::Kind) };
            for (_, u) in &list {
                self.implicit_type(x, *u)?;
            }
            return if list.is_empty() { Err(Misfit::Kind) } else { Ok((target, None)) };
        }
        match self.under_kind(target) {
            Kind::Basic(b) => {
                if x.is_const() {
                    return self.representation(x, b).map(|v| (target, Some(v)));
                }
                let from = self.basic(x.ty).unwrap_or(Basic::Invalid);
                let ok = match from {
                    Basic::UntypedNil => false,
                    Basic::UntypedBool => is_boolean_basic(b),
                    Basic::UntypedString => is_string_basic(b),
                    _ => is_numeric_basic(b),
                };
                if ok { Ok((target, None)) } else { Err(Misfit::Kind) }
            }
            Kind::Interface(i) if i.methods.is_empty() && i.unions.is_empty() && !i.comparable => {
                Ok((self.default_type(x.ty), None))
            }
            _ => Err(Misfit::Kind),
        }
    }

    /// The larger kind of two untyped types.
    fn larger_untyped(&self, a: Ty, b: Ty) -> Option<Ty> {
        if a == b {
            return Some(a);
        }
        let rank = |t: Ty| match self.types.kind(t) {
            Kind::Basic(Basic::UntypedInt) => 1,
            Kind::Basic(Basic::UntypedRune) => 2,
            Kind::Basic(Basic::UntypedFloat) => 3,
            Kind::Basic(Basic::UntypedComplex) => 4,
            _ => 0,
        };
        let (x, y) = (rank(a), rank(b));
        if x == 0 || y == 0 { None } else { Some(if x > y { a } else { b }) }
    }

    /// Gives an untyped operand a type.
    pub(crate) fn convert_untyped(&mut self, x: &mut Operand, target: Ty) {
        match self.implicit_type(x, target) {
            Ok((ty, val)) => self.set_type(x, ty, val),
            Err(why) => {
                let target = if self.is_param(target) { target } else { self.under(target) };
                self.misfit(x, target, why);
                x.invalidate();
            }
        }
    }

    fn set_type(&mut self, x: &mut Operand, ty: Ty, val: Option<Value>) {
        if let Some(v) = val {
            x.mode = Mode::Const(v);
        }
        if ty != x.ty {
            x.ty = ty;
            if let Some(e) = x.expr
                && !x.is_const()
            {
                self.retype(e, ty);
            }
        }
    }

    /// Tells that a constant does not fit.
    pub(crate) fn misfit(&mut self, x: &Operand, target: Ty, why: Misfit) {
        let (shown, t) = (self.show_operand(x), self.show(target));
        let why = if self.is_param(target) { Misfit::Kind } else { why };
        let (code, text) = match why {
            Misfit::Truncated => (Code::TruncatedFloat, format!("{shown} truncated to {t}")),
            Misfit::Overflow => (Code::NumericOverflow, format!("{shown} overflows {t}")),
            Misfit::Kind => {
                (Code::InvalidConversion, format!("cannot convert {shown} to type {t}"))
            }
        };
        self.err_at(x.node, code, text);
    }

    /// Brings a type down into an untyped expression that is not constant: comparisons and shifts.
    pub(crate) fn retype(&mut self, e: ExprId, ty: Ty) {
        let mut work = vec![e];
        while let Some(e) = work.pop() {
            let old = self.expr_of(e).ty;
            if !self.is_untyped(old) {
                continue;
            }
            match &self.expr_of(e).kind {
                ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, l, _) => {
                    let l = *l;
                    if !self.is_untyped(ty) && !self.all_integer(ty) && self.is_valid_ty(ty) {
                        self.shifted_not_integer(l, ty);
                    }
                    work.push(l);
                }
                ExprKind::Binary(_, l, r) | ExprKind::AndAnd(l, r) | ExprKind::OrOr(l, r) => {
                    let (l, r) = (*l, *r);
                    // the left one is told first
                    work.push(r);
                    work.push(l);
                }
                ExprKind::Unary(_, x) => work.push(*x),
                ExprKind::Const(v) => {
                    let v = v.clone();
                    let v = self.real_part(v, ty);
                    self.fits_context(e, old, &v, ty);
                    self.expr_mut(e).kind = ExprKind::Const(v);
                }
                _ => {}
            }
            self.expr_mut(e).ty = ty;
        }
    }

    /// A complex constant that becomes an integer or a float is its real part: `0i << n`.
    fn real_part(&mut self, v: ConstVal, ty: Ty) -> ConstVal {
        let real = self.basic(ty).is_some_and(|b| !is_complex_basic(b));
        match v {
            ConstVal::Complex(re, 0.0) if real => {
                match Real::from_f64(re).and_then(|n| n.to_integer()) {
                    Some(n) => ConstVal::Int(n),
                    None => ConstVal::Float(re),
                }
            }
            v => v,
        }
    }

    /// A constant inside of an untyped expression must fit the type that the expression gets.
    fn fits_context(&mut self, e: ExprId, old: Ty, v: &ConstVal, ty: Ty) {
        let Some(b) = self.basic(ty).filter(|b| !is_untyped_basic(*b)) else { return };
        let node = self.cx().shifted.iter().find(|(s, _)| *s == e).map(|(_, n)| *n);
        let value = match v {
            ConstVal::Int(n) => Value::Int(n.clone()),
            ConstVal::Float(f) => Real::from_f64(*f).map_or(Value::Unknown, Value::Float),
            ConstVal::Bool(_) | ConstVal::Complex(..) | ConstVal::Str(_) => return,
        };
        let Some(node) = node else { return };
        let x = Operand::constant(node, old, value);
        if let Err(why) = self.representation(&x, b)
            && is_integer_basic(b)
        {
            self.misfit(&x, ty, why);
        }
    }

    fn shifted_not_integer(&mut self, l: ExprId, ty: Ty) {
        let node = self.cx().shifted.iter().find(|(e, _)| *e == l).map(|(_, n)| *n);
        if let Some(node) = node {
            let (shown, t) = (self.show_node(node), self.show(ty));
            self.err_at(
                node,
                Code::InvalidShiftOperand,
                format!("invalid operation: shifted operand {shown} (type {t}) must be integer"),
            );
        }
    }

    // ---- values ----

    /// A constant as an expression.
    pub(crate) fn emit_const(&mut self, v: &Value, ty: Ty, pos: Pos) -> ExprId {
        let b = self.basic(ty).unwrap_or(Basic::UntypedInt);
        let val = match v {
            Value::Bool(b) => ConstVal::Bool(*b),
            Value::Str(s) => ConstVal::Str(s.clone()),
            Value::Unknown => ConstVal::Int(0.into()),
            _ if is_complex_basic(b) => {
                let (re, im) = v.to_complex().unwrap_or_default_pair();
                ConstVal::Complex(re.to_f64(), im.to_f64())
            }
            _ if is_float_basic(b) && !is_untyped_basic(b) => {
                ConstVal::Float(v.to_float().map_or(0.0, |r| {
                    if b == Basic::Float32 { f64::from(r.to_f32()) } else { r.to_f64() }
                }))
            }
            _ => match v.to_int() {
                Some(n) => ConstVal::Int(n),
                None => ConstVal::Float(v.to_float().map_or(0.0, |r| r.to_f64())),
            },
        };
        self.emit(ExprKind::Const(val), ty, pos)
    }

    /// The operand as an expression of its type.
    pub(crate) fn value(&mut self, x: &mut Operand) -> ExprId {
        if let Some(e) = x.expr {
            return e;
        }
        let pos = self.pos(x.node);
        let e = match &x.mode {
            Mode::Const(v) => {
                let v = v.clone();
                self.emit_const(&v, x.ty, pos)
            }
            Mode::Nil => self.emit(ExprKind::Nil, x.ty, pos),
            _ => match x.fun.take() {
                Some(f) => self.function_value(*f, x.ty, pos),
                None => self.emit(ExprKind::Zero, x.ty, pos),
            },
        };
        if !x.is_const() {
            x.expr = Some(e);
        }
        e
    }

    fn function_value(&mut self, f: Fun, ty: Ty, pos: Pos) -> ExprId {
        let kind = match f {
            Fun::Declared { func, targs } => ExprKind::Func(self.func_ref(func, targs)),
            Fun::Method { recv, func, targs } => {
                let callee = Callee::Static(self.func_ref(func, targs));
                ExprKind::MethodValue { recv, callee }
            }
            Fun::Interface { recv, name, pkg, sig } => {
                ExprKind::MethodValue { recv, callee: Callee::Interface { recv, name, pkg, sig } }
            }
            Fun::Expr { recv, entry, func } => match func {
                Some((func, targs)) => ExprKind::Func(self.func_ref(func, targs)),
                None => ExprKind::MethodExpr { recv, method: entry },
            },
        };
        self.emit(kind, ty, pos)
    }

    /// An expression of type `from` as one of type `to`, which it is assignable or convertible to.
    pub(crate) fn convert_value(&mut self, e: ExprId, to: Ty, pos: Pos) -> ExprId {
        let from = self.expr_of(e).ty;
        if from == to {
            return e;
        }
        let kind = match (self.is_interface(from), self.is_interface(to)) {
            (_, true) if from == Basic::UntypedNil.ty() => ExprKind::Nil,
            (false, true) => ExprKind::ToInterface(e),
            (true, true) => ExprKind::IfaceToIface(e),
            _ => ExprKind::Convert(e),
        };
        self.emit(kind, to, pos)
    }

    /// The operand as an expression of type `to`.
    pub(crate) fn value_as(&mut self, x: &mut Operand, to: Ty) -> ExprId {
        let e = self.value(x);
        let pos = self.pos(x.node);
        self.convert_value(e, to, pos)
    }

    // ---- assignment ----

    /// Makes an operand ready to be assigned to a variable of type `to` (`None`: it only has to have a type). After
    /// success the operand has that type.
    pub(crate) fn assignment(&mut self, x: &mut Operand, to: Option<Ty>, context: &str) {
        self.single_value(x);
        match x.mode {
            Mode::Invalid => return,
            Mode::Nil
            | Mode::Const(_)
            | Mode::Var
            | Mode::MapIndex
            | Mode::Value
            | Mode::CommaOk => {}
            Mode::NoValue | Mode::Builtin(_) | Mode::Type { .. } => {
                let (shown, t) = (self.show_operand(x), to.map_or(String::new(), |t| self.show(t)));
                self.err_at(
                    x.node,
                    Code::IncompatibleAssign,
                    format!("cannot assign {shown} to {t} in {context}"),
                );
                x.invalidate();
                return;
            }
        }
        if self.is_untyped(x.ty) && !self.assign_untyped(x, to, context) {
            return;
        }
        self.non_generic(x, to.map(|t| (t, context)));
        let Some(to) = to else { return };
        if !x.is_valid() {
            return;
        }
        if let Err(cause) = self.assignable(x, to) {
            let (shown, t) = (self.show_operand(x), self.show(to));
            let cause = if cause.is_empty() { cause } else { format!(": {cause}") };
            self.err_at(
                x.node,
                Code::IncompatibleAssign,
                format!("cannot use {shown} as {t} value in {context}{cause}"),
            );
            x.invalidate();
            return;
        }
        if x.ty != to && self.is_valid_ty(to) && self.is_valid_ty(x.ty) {
            let e = self.value_as(x, to);
            *x = Operand::value(x.node, to, e);
        }
    }

    fn assign_untyped(&mut self, x: &mut Operand, to: Option<Ty>, context: &str) -> bool {
        let mut target = to.unwrap_or(Basic::Invalid.ty());
        if x.is_nil() {
            if to.is_none() {
                self.err_at(
                    x.node,
                    Code::UntypedNilUse,
                    format!("use of untyped nil in {context}"),
                );
                x.invalidate();
                return false;
            }
        } else if to.is_none() || to.is_some_and(|t| self.is_interface(t)) {
            target = self.default_type(x.ty);
        }
        match self.implicit_type(x, target) {
            Ok((ty, val)) => self.set_type(x, ty, val),
            Err(why) => {
                let (shown, t) = (self.show_operand(x), self.show(target));
                let suffix = match why {
                    _ if self.is_param(target) => "",
                    Misfit::Truncated => " (truncated)",
                    Misfit::Overflow => " (overflows)",
                    Misfit::Kind => "",
                };
                self.err_at(
                    x.node,
                    Code::IncompatibleAssign,
                    format!("cannot use {shown} as {t} value in {context}{suffix}"),
                );
                x.invalidate();
                return false;
            }
        }
        true
    }

    /// A call's several results where one value is wanted are an error.
    pub(crate) fn single_value(&mut self, x: &mut Operand) {
        if x.mode == Mode::Value && matches!(self.types.kind(x.ty), Kind::Tuple(_)) {
            let shown = self.show_operand(x);
            self.err_at(
                x.node,
                Code::TooManyValues,
                format!("multiple-value {shown} in single-value context"),
            );
            x.invalidate();
        }
    }

    // ---- explicit conversion ----

    /// `T(x)`; `param`: T stands for a type parameter, so that the result is never constant.
    pub(crate) fn conversion(&mut self, x: &mut Operand, to: Ty, param: bool) {
        let const_arg = x.is_const();
        let basic = if param { None } else { self.basic(to) };
        if const_arg && let Some(b) = basic.filter(|b| *b != Basic::UnsafePointer) {
            self.const_conversion(x, to, b);
            return;
        }
        let mut cause = String::new();
        let ok = if const_arg && self.is_param(to) {
            self.const_to_param(x, to, &mut cause)
        } else {
            match self.convertible(x, to) {
                Ok(()) => true,
                Err(c) => {
                    cause = c;
                    // an instance: the constant was judged with the type parameter
                    const_arg
                        && param
                        && self.basic(to).is_some_and(|b| self.convert_const(x, b).is_some())
                }
            }
        };
        if !ok {
            if const_arg && self.is_param(to) {
                let shown = Operand { mode: Mode::Value, ..x.clone() };
                *x = shown;
            }
            let (shown, t) = (self.show_operand(x), self.show(to));
            let cause = if cause.is_empty() { cause } else { format!(": {cause}") };
            self.err_at(
                x.node,
                Code::InvalidConversion,
                format!("cannot convert {shown} to type {t}{cause}"),
            );
            x.invalidate();
            return;
        }
        self.finish_conversion(x, to, param);
    }

    fn finish_conversion(&mut self, x: &mut Operand, to: Ty, param: bool) {
        let node = x.node;
        let pos = self.pos(node);
        if self.is_untyped(x.ty) {
            if param
                && x.is_const()
                && let Some(b) = self.basic(to)
                && let Some(v) = self.convert_const(x, b)
            {
                let e = self.emit_const(&v, to, pos);
                *x = Operand::value(node, to, e);
                return;
            }
            let to_basic = self.basic(to).is_some_and(|b| b != Basic::UnsafePointer);
            let target = if x.is_nil() || (!x.is_const() && to_basic && !self.is_interface(to)) {
                to
            } else {
                self.default_type(x.ty)
            };
            match self.implicit_type(x, target) {
                Ok((ty, val)) => self.set_type(x, ty, val),
                Err(_) => {
                    if let Some(e) = x.expr {
                        self.retype(e, to);
                        let d = self.default_type(x.ty);
                        self.expr_mut(e).ty = d;
                    }
                    x.ty = self.default_type(x.ty);
                }
            }
        }
        let e = self.value_as(x, to);
        *x = Operand::value(node, to, e);
    }

    fn const_conversion(&mut self, x: &mut Operand, to: Ty, b: Basic) {
        if let Some(v) = self.convert_const(x, b) {
            *x = Operand::constant(x.node, to, v);
            return;
        }
        if is_integer_basic(b)
            && let Some(n) = x.val().and_then(Value::to_int)
        {
            x.mode = Mode::Const(Value::Int(n));
        }
        let from_int = self.is_basic(x.ty, is_integer_basic);
        let (code, text) = if from_int && is_integer_basic(b) {
            let v = x.val().map_or(String::new(), consts::show);
            (Code::NumericOverflow, format!("constant {v} overflows {}", self.show(to)))
        } else {
            let (shown, t) = (self.show_operand(x), self.show(to));
            (Code::InvalidConversion, format!("cannot convert {shown} to type {t}"))
        };
        self.err_at(x.node, code, text);
        x.invalidate();
    }

    /// The converted constant, if a constant conversion is possible.
    fn convert_const(&mut self, x: &Operand, b: Basic) -> Option<Value> {
        let v = x.val()?;
        if let Some(v) = represent(v, b) {
            return Some(v);
        }
        if is_string_basic(b) && self.is_basic(x.ty, is_integer_basic) {
            let c =
                v.to_int().and_then(|n| n.to_u32()).and_then(char::from_u32).unwrap_or('\u{fffd}');
            return Some(Value::Str(c.to_string().into_bytes()));
        }
        None
    }

    fn const_to_param(&mut self, x: &Operand, to: Ty, cause: &mut String) -> bool {
        let Some(list) = self.type_choices(to).filter(|list| !list.is_empty()) else {
            *cause = format!("{} does not contain specific types", self.show(to));
            return false;
        };
        for (_, u) in list {
            let bytes = self.is_basic(x.ty, is_string_basic)
                && matches!(self.types.kind(u), Kind::Slice(e)
                    if matches!(self.types.basic(*e), Some(Basic::Uint8 | Basic::Int32)));
            if bytes {
                continue;
            }
            let Some(b) = self.basic(u) else {
                *cause = format!(
                    "cannot convert {} to type {} (in {})",
                    self.show_operand(x),
                    self.show(u),
                    self.show(to)
                );
                return false;
            };
            if self.convert_const(x, b).is_none() {
                let v = x.val().map_or(String::new(), consts::show);
                *cause = if self.is_basic(x.ty, is_integer_basic) && is_integer_basic(b) {
                    format!("constant {v} overflows {} (in {})", self.show(u), self.show(to))
                } else {
                    format!(
                        "cannot convert {} to type {} (in {})",
                        self.show_operand(x),
                        self.show(u),
                        self.show(to)
                    )
                };
                return false;
            }
        }
        true
    }

    // ---- showing ----

    /// An operand in a message.
    pub(crate) fn show_operand(&mut self, x: &Operand) -> String {
        if x.is_nil() {
            return if self.is_untyped(x.ty) {
                "nil".into()
            } else {
                format!("nil (of type {})", self.show(x.ty))
            };
        }
        let expr = if x.has_node() { self.operand_text(x) } else { String::new() };
        let mut out = String::new();
        let mut has_type = false;
        match x.mode {
            Mode::Invalid | Mode::NoValue | Mode::Builtin(_) | Mode::Type { .. } => {}
            _ if self.is_untyped(x.ty) => {
                let b = self.types.basic(x.ty).unwrap_or(Basic::Invalid);
                out.push_str(basic_name(b));
                out.push(' ');
            }
            _ => has_type = true,
        }
        out.push_str(match x.mode {
            Mode::Invalid => "invalid operand",
            Mode::NoValue => "no value",
            Mode::Builtin(_) => "built-in",
            Mode::Type { .. } => "type",
            Mode::Const(_) => "constant",
            Mode::Var => "variable",
            Mode::MapIndex => "map index expression",
            Mode::Value | Mode::Nil => "value",
            Mode::CommaOk => "comma, ok expression",
        });
        if let Mode::Const(v) = &x.mode {
            let v = consts::show(v);
            if v != expr {
                out.push(' ');
                out.push_str(&v);
            }
        }
        if has_type {
            out.push_str(&self.operand_type(x));
        }
        if expr.is_empty() { out } else { format!("{expr} ({out})") }
    }

    fn operand_text(&self, x: &Operand) -> String {
        if !x.alias.is_empty() {
            return x.alias.clone();
        }
        self.show_node(x.node)
    }

    fn operand_type(&mut self, x: &Operand) -> String {
        if !self.is_valid_ty(x.ty) {
            return " with invalid type".into();
        }
        let mut desc = String::new();
        if self.named_id(x.ty).is_some() {
            let what = self.composite_kind(x.ty);
            let what = match self.basic(x.ty) {
                Some(Basic::UnsafePointer) => "Pointer",
                Some(b) if what.is_empty() => basic_name(b),
                _ => what,
            };
            desc = format!("{what} ");
        }
        if x.ty == self.any_ty && self.says_any {
            desc = "interface ".into();
        }
        if let Some(shown) = self.show_result_types(x) {
            return format!(" of type {shown}");
        }
        let shown = self.show_fun_type(x).unwrap_or_else(|| self.show(x.ty));
        let mut out = format!(" of {desc}type {shown}");
        if self.is_param(x.ty) {
            out.push_str(&format!(" constrained by {}", self.show_constraint(x.ty)));
            let bound = self.bound(x.ty);
            if self.terms_of(&bound).is_some_and(|t| t.is_empty()) {
                out.push_str(" with empty type set");
            }
        }
        out
    }
}

/// A pair of zeros where there is no number.
trait PairOrZero {
    fn unwrap_or_default_pair(self) -> (Real, Real);
}

impl PairOrZero for Option<(Real, Real)> {
    fn unwrap_or_default_pair(self) -> (Real, Real) {
        self.unwrap_or_else(|| (Real::zero(), Real::zero()))
    }
}

/// The operator of the typed tree for `-`, `^`, `!`.
pub(crate) fn unary_op(op: crate::syntax::token::Op) -> UnaryOp {
    match op {
        crate::syntax::token::Op::Sub => UnaryOp::Neg,
        crate::syntax::token::Op::Not => UnaryOp::Not,
        _ => UnaryOp::BitNot,
    }
}
