//! Expressions: names, literals, unary and binary operators, shifts, comparisons (Go specification, "Expressions").

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators and nodes of other groups are handled elsewhere"
)]

use super::checker::{Checker, Dep};
use super::consts::{self, Value};
use super::convert::unary_op;
use super::object::{ObjId, ObjKind, Storage};
use super::operand::{Fun, Mode, Operand};
use super::predicates::{
    is_complex_basic, is_integer_basic, is_numeric_basic, is_string_basic, is_unsigned_basic,
};
use super::real::Real;
use super::ty::{Basic, ChanDir, Kind, Ty};
use super::typed::{BinaryOp, ExprId, ExprKind};
use crate::diag::Code;
use crate::source::Pos;
use crate::syntax::NIL;
use crate::syntax::ast::{Id, Node};
use crate::syntax::token::{Op, Tok};

/// Bytes that a constant string may have.
const MAX_STRING: usize = 100 << 20;

/// How an expression may be used as a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Conversion,
    Expression,
    Statement,
}

/// The type that a function value is wanted as, and what for.
pub(crate) type Target<'a> = Option<(Ty, &'a str)>;

impl Checker {
    /// A single value.
    pub(crate) fn expr(&mut self, node: Id) -> Operand {
        self.expr_for(node, None)
    }

    /// A single value; a generic function takes the target's type.
    pub(crate) fn expr_for(&mut self, node: Id, target: Target<'_>) -> Operand {
        let (mut x, _) = self.raw_expr(node, None, target.is_some());
        self.non_generic(&mut x, target);
        self.exclude(&mut x, true);
        self.single_value(&mut x);
        x
    }

    /// A single value that may be a generic function; `hint` is the type of an elided composite literal.
    pub(crate) fn generic_expr(&mut self, node: Id, hint: Option<Ty>) -> Operand {
        let (mut x, _) = self.raw_expr(node, hint, true);
        self.exclude(&mut x, true);
        self.single_value(&mut x);
        x
    }

    /// A value or a type.
    pub(crate) fn expr_or_type(&mut self, node: Id, allow_generic: bool) -> Operand {
        let (mut x, _) = self.raw_expr(node, None, allow_generic);
        self.exclude(&mut x, false);
        self.single_value(&mut x);
        x
    }

    /// Refuses what is no value (or, where types are allowed, no value and no type).
    pub(crate) fn exclude(&mut self, x: &mut Operand, types_too: bool) {
        let text = match x.mode {
            Mode::NoValue if types_too => "used as value",
            Mode::NoValue => "used as value or type",
            Mode::Builtin(_) if types_too => "must be called",
            Mode::Type { .. } if types_too => "is not an expression",
            _ => return,
        };
        let shown = self.show_operand(x);
        self.err_at(x.node, Code::NotAnExpr, format!("{shown} {text}"));
        x.invalidate();
    }

    /// Checks an expression of any kind.
    pub(crate) fn raw_expr(
        &mut self,
        node: Id,
        hint: Option<Ty>,
        allow_generic: bool,
    ) -> (Operand, Class) {
        if !self.deeper(node) {
            self.shallower();
            return (Operand::invalid(node), Class::Statement);
        }
        let (mut x, class) = self.expr_kind(node, hint);
        self.shallower();
        if !allow_generic {
            self.non_generic(&mut x, None);
        }
        x.node = node;
        if !x.is_valid() {
            return (x, Class::Statement);
        }
        (x, class)
    }

    /// A generic function must be instantiated, from the target if there is one.
    pub(crate) fn non_generic(&mut self, x: &mut Operand, target: Target<'_>) {
        if !x.is_valid() {
            return;
        }
        if !x.is_generic() {
            return;
        }
        if let Mode::Type { .. } = x.mode {
            let shown = self.show_node(x.node);
            self.err_at(
                x.node,
                Code::MissingTypeArgs,
                format!("cannot use generic type {shown} without instantiation"),
            );
            x.invalidate();
            return;
        }
        if let Some((t, desc)) = target
            && let Some(Kind::Func(_)) = self.common_kind(t)
        {
            self.infer_from_target(x, t, desc);
            return;
        }
        if !x.given.is_empty() {
            self.infer_alone(x);
            return;
        }
        let shown = self.show_node(x.node);
        self.err_at(
            x.node,
            Code::MissingTypeArgs,
            format!("cannot use generic function {shown} without instantiation"),
        );
        x.invalidate();
    }

    fn expr_kind(&mut self, node: Id, hint: Option<Ty>) -> (Operand, Class) {
        let x = match self.node(node) {
            Node::Ident => self.ident(node),
            Node::Lit => self.literal(node),
            Node::Paren(inner) => {
                let (x, class) = self.raw_expr(inner, None, false);
                return (x, class);
            }
            Node::FuncLit(ty, _) => self.func_lit(node, ty),
            Node::Composite(ty, elems) => self.composite(node, ty, elems, hint),
            Node::Sel(..) => self.selector(node, false),
            Node::Index(..) => self.index_expr(node),
            Node::Slice(x, list, three) => self.slice_expr(node, x, list, three),
            Node::Assert(x, ty) => self.assertion(node, x, ty),
            Node::Call(..) => return self.call(node),
            Node::Star(x) => self.star(node, x),
            Node::Unary(Op::Recv, x) => return (self.receive(node, x), Class::Statement),
            Node::Unary(op, x) => self.unary(node, op, x),
            Node::Binary(..) => self.binary_chain(node),
            Node::Array(..)
            | Node::Map(..)
            | Node::Chan(..)
            | Node::Func { .. }
            | Node::Struct(_)
            | Node::Interface(_) => {
                let t = self.type_expr(node);
                Operand::of_type(node, t, false)
            }
            Node::Dots(_) => {
                self.err_at(node, Code::InvalidDotDotDot, "invalid use of ...");
                Operand::invalid(node)
            }
            Node::KV(..) => {
                self.err_at(node, Code::InvalidLit, "no key:value expected");
                Operand::invalid(node)
            }
            _ => Operand::invalid(node),
        };
        (x, Class::Expression)
    }

    // ---- names and literals ----

    fn ident(&mut self, node: Id) -> Operand {
        let name = self.sym(node);
        let Some(obj) = self.lookup(name) else {
            self.undeclared(name, node);
            return Operand::invalid(node);
        };
        self.note_alias_name(name);
        self.use_obj(obj, node)
    }

    /// An operand for an object.
    #[expect(clippy::too_many_lines, reason = "one arm for each kind of object")]
    pub(crate) fn use_obj(&mut self, obj: ObjId, node: Id) -> Operand {
        self.resolve(obj);
        let pos = self.pos(node);
        self.objs[obj.0 as usize].used |= !matches!(self.obj(obj).kind, ObjKind::Package(_));
        let o = self.obj(obj);
        let global = o.decl.is_some();
        match o.kind.clone() {
            ObjKind::Package(_) => {
                let text = format!("use of package {} not in selector", self.name(o.name));
                self.err_at(node, Code::InvalidPkgUse, text);
                Operand::invalid(node)
            }
            ObjKind::Const { ty, val } => {
                let is_iota = o.pkg.is_none() && self.name(o.name) == "iota";
                if is_iota {
                    let Some(n) = self.env.iota else {
                        self.err_at(
                            node,
                            Code::InvalidIota,
                            "cannot use iota outside constant declaration",
                        );
                        return Operand::invalid(node);
                    };
                    return Operand::constant(node, ty, Value::int(i64::from(n)));
                }
                if global {
                    self.add_dep(Dep::Obj(obj));
                }
                if !self.is_valid_ty(ty) {
                    return Operand::invalid(node);
                }
                Operand::constant(node, ty, val)
            }
            ObjKind::Type { ty, param, generic } => {
                if !self.is_valid_ty(ty) {
                    return Operand::invalid(node);
                }
                let tparams =
                    generic.map_or(vec![], |g| self.generics[g.0 as usize].tparams.clone());
                Operand { tparams, ..Operand::of_type(node, ty, param) }
            }
            ObjKind::Var { ty, storage } => {
                if let Storage::Global(_) = storage {
                    self.add_dep(Dep::Obj(obj));
                }
                if !self.is_valid_ty(ty) {
                    return Operand::invalid(node);
                }
                let e = self.emit_var(storage, ty, pos);
                Operand { mode: Mode::Var, ..Operand::value(node, ty, e) }
            }
            ObjKind::Func(func) => {
                self.add_dep(Dep::Func(func));
                let ty = self.func_sig(func);
                if !self.is_valid_ty(ty) {
                    return Operand::invalid(node);
                }
                let tparams = self.funcs[func.0 as usize].tparams.clone();
                let fun = Some(Box::new(Fun::Declared { func, targs: vec![] }));
                Operand { mode: Mode::Value, ty, fun, tparams, ..Operand::invalid(node) }
            }
            ObjKind::Builtin(b) => Operand { mode: Mode::Builtin(b), ..Operand::invalid(node) },
            ObjKind::Nil => {
                Operand { mode: Mode::Nil, ty: Basic::UntypedNil.ty(), ..Operand::invalid(node) }
            }
        }
    }

    fn literal(&mut self, node: Id) -> Operand {
        if self.env.file.ast.is_unreadable(self.env.file.ast.pos[node as usize]) {
            return Operand::invalid(node);
        }
        let text = self.env.file.ast.name(node).to_string();
        let tok = self.env.file.ast.tok(self.env.file.ast.pos[node as usize]);
        if matches!(tok, Some(Tok::Str(_))) {
            return Operand::constant(
                node,
                Basic::UntypedString.ty(),
                Value::Str(consts::unquote(&text).0),
            );
        }
        let basic = if text.starts_with('\'') {
            Basic::UntypedRune
        } else if text.ends_with('i') {
            Basic::UntypedComplex
        } else {
            let lower = text.to_ascii_lowercase();
            let hex = lower.starts_with("0x");
            if lower.contains('.') || lower.contains('p') || (!hex && lower.contains('e')) {
                Basic::UntypedFloat
            } else {
                Basic::UntypedInt
            }
        };
        if text.len() > 10_000 {
            let cut: String = text.chars().take(10).collect();
            self.err_at(
                node,
                Code::InvalidConstVal,
                format!("excessively long constant: {cut}... ({} chars)", text.len()),
            );
            return Operand::invalid(node);
        }
        let Some(val) = consts::number(&text) else {
            self.err_at(node, Code::InvalidConstVal, format!("malformed constant: {text}"));
            return Operand::invalid(node);
        };
        let mut x = Operand::constant(node, basic.ty(), val);
        let pos = self.pos(node);
        self.overflow(&mut x, pos);
        x
    }

    // ---- unary ----

    fn star(&mut self, node: Id, inner: Id) -> Operand {
        let mut x = self.expr_or_type(inner, false);
        match x.mode {
            Mode::Invalid => return Operand::invalid(node),
            Mode::Type { .. } => {
                self.valid_var_type(x.ty, inner);
                let t = self.types.pointer(x.ty);
                return Operand::of_type(node, t, false);
            }
            _ => {}
        }
        let choices = self.type_choices(x.ty).unwrap_or_default();
        let mut base: Option<Ty> = None;
        for (_, u) in &choices {
            let Kind::Pointer(e) = *self.types.kind(*u) else {
                base = None;
                break;
            };
            if base.is_some_and(|b| b != e) {
                let shown = self.show_operand(&x);
                self.err_at(
                    inner,
                    Code::InvalidIndirection,
                    format!(
                        "invalid operation: pointers of {shown} must have identical base types"
                    ),
                );
                return Operand::invalid(node);
            }
            base = Some(e);
        }
        let Some(base) = base else {
            let shown = self.show_operand(&x);
            self.err_at(
                inner,
                Code::InvalidIndirection,
                format!("invalid operation: cannot indirect {shown}"),
            );
            return Operand::invalid(node);
        };
        let p = self.value(&mut x);
        let pos = self.pos(node);
        let e = self.emit_deref(p, base, pos);
        Operand { mode: Mode::Var, ..Operand::value(node, base, e) }
    }

    fn address_of(&mut self, node: Id, inner: Id) -> Operand {
        let mut x = self.expr(inner);
        if !x.is_valid() {
            return Operand::invalid(node);
        }
        let bare = self.unparen(inner);
        let is_lit = matches!(self.node(bare), Node::Composite(..));
        if !is_lit && x.mode != Mode::Var {
            let shown = self.show_operand(&x);
            self.err_at(
                inner,
                Code::UnaddressableOperand,
                format!("invalid operation: cannot take address of {shown}"),
            );
            return Operand::invalid(node);
        }
        let pos = self.pos(node);
        let place = self.value(&mut x);
        let e = self.emit_address(place, pos);
        let ty = self.types.pointer(x.ty);
        Operand::value(node, ty, e)
    }

    fn unary(&mut self, node: Id, op: Op, inner: Id) -> Operand {
        if op == Op::And {
            return self.address_of(node, inner);
        }
        let mut x = self.expr(inner);
        if !x.is_valid() {
            return x;
        }
        if op == Op::Tilde {
            let hint = if self.all_integer(x.ty) { " (use ^ for bitwise complement)" } else { "" };
            self.err_at(
                node,
                Code::UndefinedOp,
                format!("cannot use ~ outside of interface or type constraint{hint}"),
            );
            return Operand::invalid(node);
        }
        let ok = match op {
            Op::Xor => self.all_integer(x.ty),
            Op::Not => self.all_boolean(x.ty),
            _ => self.all_numeric(x.ty),
        };
        if !ok {
            let shown = self.show_operand(&x);
            self.err_at(
                inner,
                Code::UndefinedOp,
                format!("invalid operation: operator {} not defined on {shown}", op.text()),
            );
            return Operand::invalid(node);
        }
        let pos = self.pos(node);
        if x.val() == Some(&Value::Unknown) {
            return Operand::constant(node, x.ty, Value::Unknown);
        }
        if let Mode::Const(v) = &x.mode {
            let bits = self
                .types
                .basic(x.ty)
                .filter(|b| is_unsigned_basic(*b))
                .map(super::predicates::int_bits);
            let v = consts::unary(op, v, bits);
            let mut r = Operand::constant(node, x.ty, v);
            self.overflow(&mut r, pos);
            return r;
        }
        let v = self.value(&mut x);
        let e =
            if op == Op::Add { v } else { self.emit(ExprKind::Unary(unary_op(op), v), x.ty, pos) };
        Operand::value(node, x.ty, e)
    }

    fn receive(&mut self, node: Id, inner: Id) -> Operand {
        let mut x = self.expr(inner);
        if !x.is_valid() {
            return Operand::invalid(node);
        }
        let at = self.pos(inner);
        let Some(elem) = self.chan_elem(at, &x, true) else { return Operand::invalid(node) };
        let pos = self.pos(node);
        let chan = self.value(&mut x);
        self.env.has_call = true;
        let e = self.emit(ExprKind::Recv { chan, comma_ok: false }, elem, pos);
        Operand { mode: Mode::CommaOk, ..Operand::value(node, elem, e) }
    }

    /// The element type of a channel that is received from or sent to.
    pub(crate) fn chan_elem(&mut self, pos: Pos, x: &Operand, recv: bool) -> Option<Ty> {
        let cause = match self.chan_elem_or_cause(x.ty, recv) {
            Ok(elem) => return Some(elem),
            Err(cause) => cause,
        };
        let shown = self.show_operand(x);
        let (code, verb) = if recv {
            (Code::InvalidReceive, "receive from")
        } else {
            (Code::InvalidSend, "send to")
        };
        let text = if self.is_param(x.ty) {
            format!("invalid operation: cannot {verb} {shown}: {cause}")
        } else {
            format!("invalid operation: cannot {verb} {cause} {shown}")
        };
        self.err(pos, code, text);
        None
    }

    fn chan_elem_or_cause(&mut self, t: Ty, recv: bool) -> Result<Ty, String> {
        let Some(choices) = self.type_choices(t) else {
            return Err("no specific channel type".into());
        };
        for (t, u) in choices {
            let with_type = |c: &Self, what: &str| format!("{what} {}", c.show(t));
            match self.types.kind(u) {
                Kind::Chan(ChanDir::Send, _) if recv => {
                    return Err(with_type(self, "send-only channel"));
                }
                Kind::Chan(ChanDir::Recv, _) if !recv => {
                    return Err(with_type(self, "receive-only channel"));
                }
                Kind::Chan(..) => {}
                _ => return Err(with_type(self, "non-channel")),
            }
        }
        let u = self.common_under(t).map_err(|why| {
            if why == "no specific type" { "no specific channel type".into() } else { why }
        })?;
        if let Kind::Chan(_, e) = *self.types.kind(u) {
            Ok(e)
        } else {
            Err("no specific channel type".into())
        }
    }

    // ---- binary ----

    /// `a op b op c`: the left spine is walked in a loop.
    fn binary_chain(&mut self, node: Id) -> Operand {
        let mut spine = vec![];
        let mut at = node;
        while let Node::Binary(op, l, r) = self.node(at) {
            spine.push((at, op, l, r));
            at = l;
        }
        let mut x = self.expr(at);
        for (node, op, l, r) in spine.into_iter().rev() {
            let y = self.expr(r);
            x.node = l;
            x = self.binary(x, y, node, op, (l, r));
            x.node = node;
        }
        x
    }

    /// `x op y`. `node` is [`NIL`] for the operation of `x op= y`.
    pub(crate) fn binary(
        &mut self,
        mut x: Operand,
        mut y: Operand,
        node: Id,
        op: Op,
        sides: (Id, Id),
    ) -> Operand {
        if !x.is_valid() || !y.is_valid() {
            return Operand::invalid(node);
        }
        let pos = self.op_pos(sides.1);
        if op.is_shift() {
            return self.shift(x, y, node, op, pos);
        }
        self.match_types(&mut x, &mut y);
        if !x.is_valid() || !y.is_valid() {
            return Operand::invalid(node);
        }
        if op.is_comparison() {
            return self.comparison(x, y, node, op, false);
        }
        if x.ty != y.ty {
            if self.is_valid_ty(x.ty) && self.is_valid_ty(y.ty) {
                let (a, b) = (self.show(x.ty), self.show(y.ty));
                let shown = if node == NIL {
                    format!(
                        "{} {}= {}",
                        self.show_node(sides.0),
                        op.text(),
                        self.show_node(sides.1)
                    )
                } else {
                    self.show_node(node)
                };
                self.err_at(
                    x.node,
                    Code::MismatchedTypes,
                    format!("invalid operation: {shown} (mismatched types {a} and {b})"),
                );
            }
            return Operand::invalid(node);
        }
        if !self.operator_defined(op, &x) {
            return Operand::invalid(node);
        }
        if matches!(op, Op::Div | Op::Rem) && self.divides_by_zero(&x, &y) {
            self.err_at(y.node, Code::DivisionByZero, "invalid operation: division by zero");
            return Operand::invalid(node);
        }
        if let (Mode::Const(a), Mode::Const(b)) = (&x.mode, &y.mode) {
            let (a, b) = (a.clone(), b.clone());
            return self.const_binary((node, x.ty), op, &a, &b, pos);
        }
        let ty = x.ty;
        let e = self.emit_binary(op, &mut x, &mut y, pos);
        Operand::value(node, ty, e)
    }

    fn const_binary(&mut self, of: (Id, Ty), op: Op, a: &Value, b: &Value, pos: Pos) -> Operand {
        let (node, ty) = of;
        if let (Value::Str(a), Value::Str(b)) = (a, b)
            && a.len() + b.len() > MAX_STRING
        {
            let len = a.len() + b.len();
            self.err(
                pos,
                Code::InvalidConstVal,
                format!("constant string too long ({len} bytes > {MAX_STRING} bytes)"),
            );
            return Operand::constant(node, ty, Value::Unknown);
        }
        if *a == Value::Unknown || *b == Value::Unknown {
            return Operand::constant(node, ty, Value::Unknown);
        }
        let integer = self.types.basic(ty).is_some_and(is_integer_basic);
        let mut r = Operand::constant(node, ty, consts::binary(op, a, b, integer));
        self.overflow(&mut r, pos);
        r
    }

    fn emit_binary(&mut self, op: Op, x: &mut Operand, y: &mut Operand, pos: Pos) -> ExprId {
        let ty = x.ty;
        let (l, r) = (self.value(x), self.value(y));
        if self.is_untyped(ty) {
            let (a, b) = (x.node, y.node);
            self.cx().shifted.extend([(l, a), (r, b)]);
        }
        let kind = match op {
            Op::AndAnd => ExprKind::AndAnd(l, r),
            Op::OrOr => ExprKind::OrOr(l, r),
            Op::Add if self.is_basic(ty, is_string_basic) => {
                let mut parts = match &mut self.expr_mut(l).kind {
                    ExprKind::Concat(parts) => std::mem::take(parts),
                    _ => vec![l],
                };
                parts.push(r);
                ExprKind::Concat(parts)
            }
            _ => ExprKind::Binary(binary_op(op), l, r),
        };
        self.emit(kind, ty, pos)
    }

    fn operator_defined(&mut self, op: Op, x: &Operand) -> bool {
        let ok = match op {
            Op::Add => self.all_basic(x.ty, |b| is_numeric_basic(b) || is_string_basic(b)),
            Op::Sub | Op::Mul | Op::Div => self.all_numeric(x.ty),
            Op::AndAnd | Op::OrOr => self.all_boolean(x.ty),
            _ => self.all_integer(x.ty),
        };
        if !ok {
            let shown = self.show_operand(x);
            self.err_at(
                x.node,
                Code::UndefinedOp,
                format!("invalid operation: operator {} not defined on {shown}", op.text()),
            );
        }
        ok
    }

    fn divides_by_zero(&mut self, x: &Operand, y: &Operand) -> bool {
        let Some(v) = y.val() else { return false };
        if x.is_const()
            && self.is_basic(x.ty, is_complex_basic)
            && let Some((re, im)) = v.to_complex()
        {
            // so small that their squares are nothing
            let vanishes = |r: &Real| r.mul(r).is_some_and(|s| s.is_zero());
            return vanishes(&re) && vanishes(&im);
        }
        (x.is_const() || self.all_integer(x.ty)) && v.sign() == 0
    }

    /// Brings untyped operands to the type of the other.
    pub(crate) fn match_types(&mut self, x: &mut Operand, y: &mut Operand) {
        if !self.may_convert(x, y) {
            return;
        }
        self.convert_untyped(x, y.ty);
        if x.is_valid() {
            self.convert_untyped(y, x.ty);
        }
    }

    fn may_convert(&mut self, x: &Operand, y: &Operand) -> bool {
        if !self.is_untyped(x.ty) && !self.is_untyped(y.ty) {
            return false;
        }
        if self.all_numeric(x.ty) != self.all_numeric(y.ty) {
            return false;
        }
        if self.is_interface(x.ty) || self.is_interface(y.ty) {
            return true;
        }
        if self.all_boolean(x.ty) != self.all_boolean(y.ty)
            || self.all_string(x.ty) != self.all_string(y.ty)
        {
            return false;
        }
        if x.is_nil() {
            return self.has_nil(y.ty);
        }
        if y.is_nil() {
            return self.has_nil(x.ty);
        }
        let (xu, yu) = (self.under(x.ty), self.under(y.ty));
        !matches!(self.types.kind(xu), Kind::Pointer(_))
            && !matches!(self.types.kind(yu), Kind::Pointer(_))
    }
}

/// The operator of the typed tree.
pub(crate) fn binary_op(op: Op) -> BinaryOp {
    match op {
        Op::Sub => BinaryOp::Sub,
        Op::Mul => BinaryOp::Mul,
        Op::Div => BinaryOp::Div,
        Op::Rem => BinaryOp::Rem,
        Op::And => BinaryOp::And,
        Op::Or => BinaryOp::Or,
        Op::Xor => BinaryOp::Xor,
        Op::AndNot => BinaryOp::AndNot,
        Op::Shl => BinaryOp::Shl,
        Op::Shr => BinaryOp::Shr,
        _ => BinaryOp::Add,
    }
}
