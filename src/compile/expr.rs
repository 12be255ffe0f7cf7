//! Expressions: into a given run of registers, or wherever their value already is.
//!
//! Invariants:
//! * `expr_to(e, d)` writes nothing but `d..d+slots` and registers at or above `top`, and leaves `top` as it was. It may write `d`
//!   before it has read all operands, so the caller must not pass a register that `e` reads, unless [`Fun::writes_last`].
//! * A memory-resident value is a pointer, *owned* (nobody else has it) or *borrowed* (some variable's memory).
//!   `expr_to` and `operand` may give either; `own_to` and `value_to` give an owned one.

use super::fun::Fun;
use super::place::{Base, Loc};
use super::types::Class;
use super::vars::Var;
use crate::bytecode::op::{Ins, NO_REG};
use crate::types::ty::Ty;
use crate::types::typed::{Builtin, ConstVal, ExprId, ExprKind, LocalId, UnaryOp};
use num_traits::ToPrimitive;

impl Fun<'_> {
    /// The value of an expression, in registers of its own or where it lives already.
    pub(super) fn operand(&mut self, e: ExprId) -> u16 {
        if let Some(r) = self.in_place(e) {
            return r;
        }
        if let Some(call) = self.as_call(e) {
            return self.call(call, e);
        }
        let n = self.slots_of(e);
        let d = self.alloc(n);
        self.expr_to(e, d);
        d
    }

    /// Registers that hold the value already.
    fn in_place(&mut self, e: ExprId) -> Option<u16> {
        if let Some(&(_, r)) = self.ready.iter().find(|r| r.0 == e) {
            return Some(r);
        }
        let x = self.expr(e);
        match &x.kind {
            ExprKind::Local(l) if !self.pinned.contains(l) => match self.var(*l) {
                Var::Reg(r) | Var::Mem(r) => Some(r),
                Var::Cell(_) | Var::None => None,
            },
            ExprKind::Field { x: s, index } => {
                if self.info_of(*s).mem() {
                    return None;
                }
                let r = self.in_place(*s)?;
                let ty = self.expr(*s).ty;
                let (_, off) = self.c.fields(self.src, ty)[*index as usize];
                Some(r + u16::try_from(off / 8).unwrap_or(0))
            }
            ExprKind::Convert(from) if self.is_noop(*from, x.ty) => self.in_place(*from),
            ExprKind::Const(_) => self.const_register(e),
            _ => None,
        }
    }

    /// Whether `operand` gives fresh registers whose first is where `top` was, or just above a call header: a
    /// variable may live there.
    pub(super) fn lands(&mut self, e: ExprId) -> bool {
        let Some(call) = self.as_call(e) else { return false };
        !self.info_of(e).mem()
            && !self.ready.iter().any(|r| r.0 == e)
            && self.inlined(call).is_none()
    }

    /// Whether the value is memory that nobody else has.
    pub(super) fn is_owned(&mut self, e: ExprId) -> bool {
        let x = self.expr(e);
        match &x.kind {
            ExprKind::Call(_)
            | ExprKind::StructLit(_)
            | ExprKind::ArrayLit(_)
            | ExprKind::Zero
            | ExprKind::Recv { .. } => true,
            ExprKind::Convert(from) => self.is_noop(*from, x.ty) && self.is_owned(*from),
            _ => false,
        }
    }

    /// A memory-resident value as memory of its own; `d` must not be read by `e`.
    pub(super) fn own_to(&mut self, e: ExprId, d: u16) {
        if self.is_owned(e) {
            self.expr_to(e, d);
            return;
        }
        let mark = self.top;
        let p = self.operand(e);
        self.copy_new(d, p, self.expr(e).ty);
        self.top = mark;
    }

    /// A value that is handed over: an argument, a result, an element.
    pub(super) fn value_to(&mut self, e: ExprId, d: u16) {
        if self.info_of(e).mem() { self.own_to(e, d) } else { self.expr_to(e, d) }
    }

    /// As `operand`, but handed over.
    pub(super) fn value(&mut self, e: ExprId) -> u16 {
        if !self.info_of(e).mem() || self.is_owned(e) {
            return self.operand(e);
        }
        let d = self.temp();
        self.own_to(e, d);
        d
    }

    /// Evaluates an expression into registers.
    pub(super) fn expr_to(&mut self, e: ExprId, d: u16) {
        let mark = self.top;
        if let Some(r) = self.in_place(e) {
            let n = self.slots_of(e);
            self.mov(d, r, n);
            return;
        }
        self.deeper(|f| f.compute(e, d));
        self.top = mark;
    }

    fn compute(&mut self, e: ExprId, d: u16) {
        let x = self.expr(e);
        match &x.kind {
            ExprKind::Const(v) => self.constant(v, x.ty, d),
            ExprKind::Nil => self.op(Ins::LoadI { d, i: 0 }),
            ExprKind::Zero => self.zero_value(x.ty, d),
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Field { .. }
            | ExprKind::Deref(_)
            | ExprKind::IndexArray { .. }
            | ExprKind::IndexSlice { .. } => self.load_place(e, d),
            ExprKind::Func(f) => self.func_value(*f, d),
            ExprKind::Closure(c) => self.closure(*c, d),
            ExprKind::Unary(op, a) => self.unary(*op, *a, x.ty, d),
            ExprKind::Binary(op, a, b) => self.binary(*op, *a, *b, e, d),
            ExprKind::Concat(list) => self.concat(list, d),
            ExprKind::Compare(op, a, b) => {
                self.at(x.pos);
                self.compare_to(*op, *a, *b, x.pos, d);
            }
            ExprKind::AndAnd(a, b) => self.short_circuit(*a, *b, false, d),
            ExprKind::OrOr(a, b) => self.short_circuit(*a, *b, true, d),
            ExprKind::Convert(from) => self.convert(*from, x.ty, x.pos, d),
            ExprKind::ToInterface(v) => self.make_interface(*v, d),
            ExprKind::IfaceToIface(v) => self.expr_to(*v, d),
            ExprKind::TypeAssert { x: v, to, comma_ok } => {
                self.type_assert(*v, *to, *comma_ok, x.pos, d);
            }
            ExprKind::IndexString { x: s, index } => self.index_string(*s, *index, x.pos, d),
            ExprKind::IndexMap { x: m, key, comma_ok } => {
                self.index_map(*m, *key, *comma_ok, x.pos, d)
            }
            ExprKind::Slice { x: s, lo, hi, max } => self.slice(*s, [*lo, *hi, *max], x.pos, d),
            ExprKind::AddrOf(p) => self.addr_of(*p, x.pos, d),
            ExprKind::Call(call) => self.call_to(call, e, d),
            ExprKind::Builtin(b) => self.builtin(b, e, d),
            ExprKind::Recv { chan, comma_ok } => self.receive(*chan, *comma_ok, x.pos, d),
            ExprKind::StructLit(fields) => self.struct_lit(fields, x.ty, d),
            ExprKind::ArrayLit(elems) => self.array_lit(elems, x.ty, d),
            ExprKind::SliceLit { len, elems } => self.slice_lit(*len, elems, x.ty, d),
            ExprKind::MapLit(entries) => self.map_lit(entries, x.ty, d),
            ExprKind::MethodValue { recv, callee } => self.method_value(*recv, callee, x.pos, d),
            ExprKind::MethodExpr { recv, method } => self.method_expr(*recv, method, d),
            ExprKind::WithTuple { tuple, temps, body } => self.with_tuple(*tuple, temps, *body, d),
            ExprKind::Let { local, init, body } => {
                let kept = self.ready.len();
                self.hoist(&[*init]);
                self.declare(*local, *init);
                self.hoist(&[*body]);
                self.value_to(*body, d);
                self.ready.truncate(kept);
            }
        }
    }

    /// `f(g())`: the results of `tuple` become locals that `body` uses.
    fn with_tuple(&mut self, tuple: ExprId, temps: &[LocalId], body: ExprId, d: u16) {
        let kept = self.ready.len();
        self.before_tuple(body, temps);
        self.hoist(&[tuple]);
        self.bind_tuple(tuple, temps);
        self.hoist(&[body]);
        self.value_to(body, d);
        self.ready.truncate(kept);
    }

    /// Reads a place into `d`.
    fn load_place(&mut self, e: ExprId, d: u16) {
        let loc = self.loc_or_copy(e);
        self.at(self.expr(e).pos);
        self.load_loc(&loc, d);
    }

    /// As `loc`, but a pinned variable is read where it is: it is being copied anyway.
    fn loc_or_copy(&mut self, e: ExprId) -> Loc {
        let x = self.expr(e);
        if let ExprKind::Local(l) = x.kind {
            return match self.var(l) {
                Var::Reg(r) => Loc::new(Base::Reg(r), x.ty),
                Var::Cell(p) | Var::Mem(p) => Loc::new(Base::Ptr { p, safe: true }, x.ty),
                Var::None => Loc::new(Base::Reg(0), x.ty),
            };
        }
        self.loc(e)
    }

    /// Evaluates for the effects only.
    pub(super) fn discard(&mut self, e: ExprId) {
        let mark = self.top;
        let _ = self.operand(e);
        self.top = mark;
    }

    // ---- constants ----

    /// The value of an integer constant that is used as a signed number.
    pub(super) fn const_int(&self, e: ExprId) -> Option<i64> {
        match &self.expr(e).kind {
            ExprKind::Const(ConstVal::Int(v)) => {
                v.to_i64().or_else(|| v.to_u64().map(u64::cast_signed))
            }
            _ => None,
        }
    }

    pub(super) fn const_bool(&self, e: ExprId) -> Option<bool> {
        match &self.expr(e).kind {
            ExprKind::Const(ConstVal::Bool(b)) => Some(*b),
            _ => None,
        }
    }

    fn constant(&mut self, v: &ConstVal, ty: Ty, d: u16) {
        match v {
            ConstVal::Str(s) => self.load_str(d, s),
            ConstVal::Complex(re, im) => {
                let single = self.class(ty) == Class::C64;
                self.load_word(d, float_word(*re, single));
                self.load_word(d + 1, float_word(*im, single));
            }
            _ => {
                let word = self.const_word(v, ty);
                self.load_word(d, word);
            }
        }
    }

    /// The canonical form of a constant of one slot that is no string.
    pub(super) fn const_word(&mut self, v: &ConstVal, ty: Ty) -> u64 {
        let class = self.class(ty);
        match v {
            ConstVal::Bool(b) => u64::from(*b),
            ConstVal::Int(i) => {
                let word = i.to_i64().map(i64::cast_unsigned).or_else(|| i.to_u64()).unwrap_or(0);
                match class {
                    Class::Int(bits, _) if bits < 64 => word & ((1 << bits) - 1),
                    Class::F64 | Class::F32 => {
                        float_word(i.to_f64().unwrap_or(0.0), class == Class::F32)
                    }
                    _ => word,
                }
            }
            ConstVal::Float(x) => float_word(*x, class == Class::F32),
            ConstVal::Complex(re, _) => float_word(*re, class == Class::C64),
            ConstVal::Str(_) => 0,
        }
    }

    pub(super) fn zero_value(&mut self, ty: Ty, d: u16) {
        let info = self.info(ty);
        if info.mem() {
            self.new_memory(d, ty);
        } else {
            self.zero(d, info.slots());
        }
    }

    // ---- hazards ----

    /// Whether `expr_to` writes its destination only after it has read every operand.
    pub(super) fn writes_last(&mut self, e: ExprId) -> bool {
        let x = self.expr(e);
        match &x.kind {
            ExprKind::Const(_)
            | ExprKind::Nil
            | ExprKind::Zero
            | ExprKind::Local(_)
            | ExprKind::Func(_)
            | ExprKind::Closure(_)
            | ExprKind::Concat(_)
            | ExprKind::Recv { .. }
            | ExprKind::IndexSlice { .. }
            | ExprKind::IndexString { .. }
            | ExprKind::Slice { .. }
            | ExprKind::Compare(..)
            | ExprKind::Deref(_)
            | ExprKind::Field { .. } => true,
            ExprKind::Call(call) => self.inlined(call).is_none_or(|i| i.late),
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Convert(_) => {
                is_scalar(self.info_of(e).class)
            }
            ExprKind::Builtin(b) => matches!(
                b,
                Builtin::Append { .. }
                    | Builtin::AppendSlice { .. }
                    | Builtin::Len(_)
                    | Builtin::Cap(_)
            ),
            _ => false,
        }
    }

    /// Whether an expression may read a variable of this function by name.
    pub(super) fn mentions(&self, e: ExprId, l: LocalId) -> bool {
        match &self.expr(e).kind {
            ExprKind::Local(x) => *x == l,
            ExprKind::Let { .. } | ExprKind::WithTuple { .. } | ExprKind::Closure(_) => true,
            _ => {
                let mut any = false;
                self.children(e, &mut |c| any = any || self.mentions(c, l));
                any
            }
        }
    }

    /// Evaluates into a variable's registers, through a temporary where the expression could read them half written.
    pub(super) fn assign_plain(&mut self, l: LocalId, d: u16, e: ExprId) {
        let result = self.body.has_defer && self.body.results.contains(&l);
        if self.writes_last(e) || !(result || self.mentions(e, l)) {
            self.expr_to(e, d);
            return;
        }
        let mark = self.top;
        let r = self.operand(e);
        let n = self.slots_of(e);
        self.mov(d, r, n);
        self.top = mark;
    }

    // ---- smaller kinds ----

    fn unary(&mut self, op: UnaryOp, a: ExprId, ty: Ty, d: u16) {
        let class = self.class(ty);
        let r = self.operand(a);
        match (op, class) {
            (UnaryOp::Not, _) => self.op(Ins::NotB { d, a: r }),
            (UnaryOp::Neg, Class::F64) => self.op(Ins::NegF { d, a: r }),
            (UnaryOp::Neg, Class::F32) => self.op(Ins::NegF32 { d, a: r }),
            (UnaryOp::Neg, Class::C128) => {
                self.op(Ins::NegF { d, a: r });
                self.op(Ins::NegF { d: d + 1, a: r + 1 });
            }
            (UnaryOp::Neg, Class::C64) => {
                self.op(Ins::NegF32 { d, a: r });
                self.op(Ins::NegF32 { d: d + 1, a: r + 1 });
            }
            (UnaryOp::Neg, _) => {
                self.op(Ins::NegI { d, a: r });
                self.canonical(d, class);
            }
            (UnaryOp::BitNot, _) => {
                self.op(Ins::NotI { d, a: r });
                self.canonical(d, class);
            }
        }
    }

    fn concat(&mut self, list: &[ExprId], d: u16) {
        let n = u32::try_from(list.len()).unwrap_or(u32::MAX);
        let a = self.alloc(n);
        for (k, &e) in list.iter().enumerate() {
            self.expr_to(e, a + u16::try_from(k).unwrap_or(0));
        }
        self.op(Ins::Concat { d, a, n: u16::try_from(n).unwrap_or(u16::MAX) });
    }

    fn short_circuit(&mut self, a: ExprId, b: ExprId, stop: bool, d: u16) {
        let end = self.labels.fresh();
        self.ordered(&[a], |f| f.expr_to(a, d));
        let jump = if stop { Ins::JT { a: d, o: 0 } } else { Ins::JF { a: d, o: 0 } };
        self.jump(jump, end);
        self.ordered(&[b], |f| f.expr_to(b, d));
        self.bind(end);
    }

    fn index_string(&mut self, s: ExprId, index: ExprId, pos: crate::source::Pos, d: u16) {
        let s = self.operand(s);
        let i = self.index_operand(index);
        self.at(pos);
        self.op(Ins::Ix8 { d, s, i });
    }

    fn index_map(
        &mut self,
        m: ExprId,
        key: ExprId,
        comma_ok: bool,
        pos: crate::source::Pos,
        d: u16,
    ) {
        let map = self.expr(m).ty;
        let m = self.operand(m);
        let k = self.operand(key);
        let value = self.elem(map);
        let ok = if comma_ok {
            d + u16::try_from(self.info(value).slots()).unwrap_or(0)
        } else {
            NO_REG
        };
        self.at(pos);
        self.map_get(d, m, k, ok, map);
    }

    fn receive(&mut self, chan: ExprId, comma_ok: bool, pos: crate::source::Pos, d: u16) {
        let ty = self.expr(chan).ty;
        let elem = self.elem(ty);
        let n = u16::try_from(self.info(elem).slots()).unwrap_or(0);
        let c = self.operand(chan);
        self.at(pos);
        let ok = if comma_ok { d + n } else { NO_REG };
        self.op(Ins::Recv { d, c, ok });
        self.ext(n, 0);
    }

    /// `x[lo:hi:max]`
    fn slice(&mut self, x: ExprId, bounds: [Option<ExprId>; 3], pos: crate::source::Pos, d: u16) {
        let ty = self.expr(x).ty;
        let class = self.class(ty);
        let s = if class == Class::Array {
            let loc = self.loc(x);
            let p = self.temp();
            self.addr_loc(&loc, p);
            p
        } else {
            self.operand(x)
        };
        let w = self.alloc(3);
        let mut given = 0;
        for (k, bound) in bounds.into_iter().enumerate() {
            let Some(e) = bound else { continue };
            given |= 1 << k;
            self.wide_to(e, w + k as u16);
        }
        self.at(pos);
        let elem = self.elem(ty);
        let stride = u32::try_from(self.info(elem).layout.stride()).unwrap_or(u32::MAX);
        match class {
            Class::Str => {
                self.op(Ins::SliceStr { d, s, w });
                self.ext(given, 0);
            }
            Class::Array => {
                let crate::types::ty::Kind::Array(len, _) = *self.types().under(ty) else { return };
                self.op(Ins::SliceArr { d, p: s, w });
                self.ext(given, stride);
                self.ext(0, u32::try_from(len).unwrap_or(u32::MAX));
            }
            _ => {
                self.op(Ins::Slice { d, s, w });
                self.ext(given, stride);
            }
        }
    }

    fn addr_of(&mut self, p: ExprId, pos: crate::source::Pos, d: u16) {
        match &self.expr(p).kind {
            ExprKind::StructLit(_)
            | ExprKind::ArrayLit(_)
            | ExprKind::SliceLit { .. }
            | ExprKind::MapLit(_) => {
                self.new_with(p, d);
            }
            ExprKind::Deref(inner) => {
                self.expr_to(*inner, d);
                self.at(pos);
                self.op(Ins::ChkNil { p: d });
            }
            _ => {
                let loc = self.loc(p);
                self.at(pos);
                self.addr_loc(&loc, d);
            }
        }
    }

    /// A new variable with the value of `e`: its address.
    pub(super) fn new_with(&mut self, e: ExprId, d: u16) {
        let ty = self.expr(e).ty;
        if self.info(ty).mem() {
            self.own_to(e, d);
            return;
        }
        let mark = self.top;
        if let ExprKind::StructLit(given) = &self.expr(e).kind
            && self.new_by_fields(given, ty, d)
        {
            self.top = mark;
            return;
        }
        let v = self.operand(e);
        if d == v {
            let p = self.temp();
            self.new_memory(p, ty);
            self.store_words(p, 0, v, ty);
            self.mov(d, p, 1);
        } else {
            self.new_memory(d, ty);
            self.store_words(d, 0, v, ty);
        }
        self.top = mark;
    }
}

impl Fun<'_> {
    /// A new struct whose fields are stored one by one: if only some are given, or if their values stand in registers that are
    /// not side by side. False if it is better to make the struct in registers and to store it as a whole.
    fn new_by_fields(&mut self, given: &[(u32, ExprId)], ty: Ty, d: u16) -> bool {
        let fields = self.c.fields(self.src, ty);
        if given.len() == fields.len() {
            if (0..given.len()).any(|i| self.is_blank(ty, i as u32)) {
                return false;
            }
            let elsewhere = given.iter().filter(|&&(_, e)| self.needs_move(e)).count();
            if given.len() > elsewhere + 1 {
                return false;
            }
        }
        let given: Vec<_> = given.iter().copied().filter(|&(_, e)| !self.is_zero(e)).collect();
        let values: Vec<u16> = given.iter().map(|&(_, e)| self.operand(e)).collect();
        self.new_memory(d, ty);
        for (&(index, _), v) in given.iter().zip(values) {
            let (ty, off) = fields[index as usize];
            self.store_words(d, off, v, ty);
        }
        true
    }
}

impl Fun<'_> {
    /// Whether the value of `e` stands in a register of its own choice.
    fn needs_move(&mut self, e: ExprId) -> bool {
        if let ExprKind::Call(call) = &self.expr(e).kind {
            return self.inlined(call).is_none();
        }
        self.in_place(e).is_some()
    }
}

fn is_scalar(class: Class) -> bool {
    matches!(class, Class::Int(..) | Class::F64 | Class::F32 | Class::Bool)
}

pub(super) fn float_word(x: f64, single: bool) -> u64 {
    if single { u64::from((x as f32).to_bits()) } else { x.to_bits() }
}
