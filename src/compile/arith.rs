//! Arithmetic on numbers.
//!
//! Integers narrower than 64 bits are zero-extended between operations (`bytecode::op`, canonical form): they are
//! sign-extended where the sign matters and cut back afterwards.

use super::fun::Fun;
use super::types::Class;
use crate::bytecode::op::Ins;
use crate::bytecode::rt::Rt;
use crate::types::typed::{BinaryOp, ExprId, ExprKind};

/// Makes a three-register instruction.
type Make = fn(u16, u16, u16) -> Ins;

macro_rules! make {
    ($name:ident) => {
        (|d, a, b| Ins::$name { d, a, b }) as Make
    };
}

impl Fun<'_> {
    /// Cuts the result of an operation back to its type.
    pub(super) fn canonical(&mut self, d: u16, class: Class) {
        match class {
            Class::Int(8, _) => self.op(Ins::Zext8 { d, a: d }),
            Class::Int(16, _) => self.op(Ins::Zext16 { d, a: d }),
            Class::Int(32, _) => self.op(Ins::Zext32 { d, a: d }),
            _ => {}
        }
    }

    /// Sign-extends `a` into `d`.
    pub(super) fn sext(&mut self, d: u16, a: u16, bits: u8) {
        match bits {
            8 => self.op(Ins::Sext8 { d, a }),
            16 => self.op(Ins::Sext16 { d, a }),
            32 => self.op(Ins::Sext32 { d, a }),
            _ => self.mov(d, a, 1),
        }
    }

    /// An integer as a full word: sign-extended if it is narrow and signed.
    pub(super) fn wide_operand(&mut self, e: ExprId) -> u16 {
        match self.info_of(e).class {
            Class::Int(bits, true) if bits < 64 => {
                if let Some(r) = self.const_register(e) {
                    return r;
                }
                let d = self.temp();
                self.wide_to(e, d);
                d
            }
            _ => self.operand(e),
        }
    }

    /// As `wide_operand`, into a register.
    pub(super) fn wide_to(&mut self, e: ExprId, d: u16) {
        let Class::Int(bits, true) = self.info_of(e).class else {
            self.expr_to(e, d);
            return;
        };
        if bits == 64 {
            self.expr_to(e, d);
        } else if let Some(k) = self.const_int(e) {
            self.load_word(d, k.cast_unsigned());
        } else {
            let mark = self.top;
            let a = self.operand(e);
            self.sext(d, a, bits);
            self.top = mark;
        }
    }

    /// `a op b` of numbers into `d`.
    pub(super) fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId, e: ExprId, d: u16) {
        let x = self.expr(e);
        let class = self.class(x.ty);
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let a = self.operand(a);
            self.shift(op, a, b, class, x.pos, d);
            return;
        }
        if matches!(class, Class::Int(..))
            && self.fuse
            && (self.immediate(op, a, b, class, d) || self.rotation(op, a, b, class, d))
        {
            return;
        }
        let wide = matches!((op, class), (BinaryOp::Div | BinaryOp::Rem, Class::Int(..)));
        let (a, b) = if wide {
            (self.wide_operand(a), self.wide_operand(b))
        } else {
            (self.spine(a), self.operand(b))
        };
        self.at(x.pos);
        self.operate(op, a, b, class, d);
    }

    /// The left operand of an operation. A long chain `a + b + c ...` is walked in a loop, not by recursion.
    fn spine(&mut self, e: ExprId) -> u16 {
        let mut chain = Vec::new();
        let mut at = e;
        while let ExprKind::Binary(op, a, b) = &self.expr(at).kind
            && !self.ready.iter().any(|r| r.0 == at)
        {
            chain.push((*op, *b, at));
            at = *a;
        }
        if chain.len() < 64 {
            return self.operand(e);
        }
        let n = self.slots_of(e);
        let d = self.alloc(n);
        self.expr_to(at, d);
        for (op, b, at) in chain.into_iter().rev() {
            let mark = self.top;
            let class = self.info_of(at).class;
            let pos = self.expr(at).pos;
            self.operate_expr(op, d, b, class, pos, d);
            self.top = mark;
        }
        d
    }

    /// `a op b`, the left operand already in a register.
    pub(super) fn operate_expr(
        &mut self,
        op: BinaryOp,
        a: u16,
        b: ExprId,
        class: Class,
        pos: crate::source::Pos,
        d: u16,
    ) {
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            self.shift(op, a, b, class, pos, d);
            return;
        }
        if class == Class::Str {
            let b = self.operand(b);
            self.at(pos);
            self.concat_two(a, b, d);
            return;
        }
        if let (Class::Int(bits, signed), true) = (class, self.fuse)
            && let Some(k) = self.const_int(b)
            && self.with_immediate(op, a, k, bits, signed, d)
        {
            return;
        }
        let b = self.operand(b);
        self.at(pos);
        self.operate_any(op, a, b, class, d);
    }

    /// As `operate`, for operands in canonical form.
    pub(super) fn operate_any(&mut self, op: BinaryOp, a: u16, b: u16, class: Class, d: u16) {
        if let (BinaryOp::Div | BinaryOp::Rem, Class::Int(bits, true)) = (op, class)
            && bits < 64
        {
            let mark = self.top;
            let t = self.alloc(2);
            self.sext(t, a, bits);
            self.sext(t + 1, b, bits);
            self.operate(op, t, t + 1, class, d);
            self.top = mark;
            return;
        }
        self.operate(op, a, b, class, d);
    }

    fn concat_two(&mut self, a: u16, b: u16, d: u16) {
        if a == d && self.fuse {
            self.op(Ins::ConcatTo { d, a: b });
            return;
        }
        let mark = self.top;
        let t = self.alloc(2);
        self.mov(t, a, 1);
        self.mov(t + 1, b, 1);
        self.op(Ins::Concat { d, a: t, n: 2 });
        self.top = mark;
    }

    /// Integer operation with a constant operand, if there is an instruction for it.
    fn immediate(&mut self, op: BinaryOp, a: ExprId, b: ExprId, class: Class, d: u16) -> bool {
        let Class::Int(bits, signed) = class else { return false };
        let (x, k) = match (self.const_int(a), self.const_int(b)) {
            (None, Some(k)) => (a, k),
            (Some(k), None) if op.commutes() => (b, k),
            _ => return false,
        };
        if immediate_ins(op, 0, 0, k, bits, signed).is_none() {
            return false;
        }
        let a = self.spine(x);
        self.with_immediate(op, a, k, bits, signed, d)
    }

    /// `x << k | x >> (bits - k)` of an unsigned variable is a rotation.
    fn rotation(&mut self, op: BinaryOp, a: ExprId, b: ExprId, class: Class, d: u16) -> bool {
        let (BinaryOp::Or | BinaryOp::Xor | BinaryOp::Add, Class::Int(bits @ (32 | 64), false)) =
            (op, class)
        else {
            return false;
        };
        let part = |f: &Self, e: ExprId| match f.expr(e).kind {
            ExprKind::Binary(op @ (BinaryOp::Shl | BinaryOp::Shr), x, k) => {
                match (&f.expr(x).kind, f.const_int(k)) {
                    (ExprKind::Local(l), Some(k)) => Some((op, *l, x, k)),
                    _ => None,
                }
            }
            _ => None,
        };
        let (Some(x), Some(y)) = (part(self, a), part(self, b)) else { return false };
        if x.0 == y.0 || x.1 != y.1 || x.3 + y.3 != i64::from(bits) || x.3 <= 0 || y.3 <= 0 {
            return false;
        }
        let left = if x.0 == BinaryOp::Shl { x.3 } else { y.3 };
        let a = self.operand(x.2);
        let i = left as i16;
        self.op(if bits == 32 { Ins::Rotl32K { d, a, i } } else { Ins::RotlK { d, a, i } });
        true
    }

    fn with_immediate(
        &mut self,
        op: BinaryOp,
        a: u16,
        k: i64,
        bits: u8,
        signed: bool,
        d: u16,
    ) -> bool {
        let Some(ins) = immediate_ins(op, d, a, k, bits, signed) else { return false };
        self.op(ins);
        if op != BinaryOp::And {
            self.canonical(d, Class::Int(bits, signed));
        }
        true
    }

    /// The operation on registers: canonical operands, except sign-extended ones for division.
    pub(super) fn operate(&mut self, op: BinaryOp, a: u16, b: u16, class: Class, d: u16) {
        match class {
            Class::F64 | Class::F32 => {
                let make = float_op(op, class == Class::F32);
                self.op(make(d, a, b));
            }
            Class::C128 | Class::C64 => self.complex(op, a, b, class == Class::C64, d),
            Class::Int(bits, signed) => {
                if bits == 32
                    && let Some(make) = op32(op)
                {
                    self.op(make(d, a, b));
                    return;
                }
                self.op(int_op(op, signed)(d, a, b));
                if !matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::AndNot) {
                    self.canonical(d, class);
                }
            }
            _ => self.concat_two(a, b, d),
        }
    }

    fn complex(&mut self, op: BinaryOp, a: u16, b: u16, single: bool, d: u16) {
        if matches!(op, BinaryOp::Add | BinaryOp::Sub) {
            let make = float_op(op, single);
            self.op(make(d, a, b));
            self.op(make(d + 1, a + 1, b + 1));
            return;
        }
        let rt = match (op, single) {
            (BinaryOp::Mul, false) => Rt::ComplexMul,
            (BinaryOp::Mul, true) => Rt::ComplexMul32,
            (_, false) => Rt::ComplexDiv,
            (_, true) => Rt::ComplexDiv32,
        };
        let r = self.call_rt(rt, &[(a, 2), (b, 2)]);
        self.mov(d, r, 2);
    }

    /// `a << b` and `a >> b`.
    fn shift(
        &mut self,
        op: BinaryOp,
        a: u16,
        b: ExprId,
        class: Class,
        pos: crate::source::Pos,
        d: u16,
    ) {
        let mark = self.top;
        let Class::Int(bits, signed) = class else { return };
        let arithmetic = op == BinaryOp::Shr && signed;
        let a = if arithmetic && bits < 64 {
            let t = self.temp();
            self.sext(t, a, bits);
            t
        } else {
            a
        };
        match self.const_int(b) {
            Some(k @ 0..32) if op == BinaryOp::Shl && bits == 32 && self.fuse => {
                self.op(Ins::Shl32K { d, a, i: k as i16 });
                self.top = mark;
                return;
            }
            Some(k) if k >= 0 || !matches!(self.info_of(b).class, Class::Int(_, true)) => {
                self.shift_by(op, a, k.cast_unsigned(), arithmetic, d);
            }
            _ => {
                let n = self.wide_operand(b);
                self.at(pos);
                if matches!(self.info_of(b).class, Class::Int(_, true)) {
                    self.op(Ins::ChkShift { a: n });
                }
                let ins = match (op, arithmetic) {
                    (BinaryOp::Shl, _) => Ins::Shl { d, a, b: n },
                    (_, true) => Ins::ShrI { d, a, b: n },
                    (_, false) => Ins::ShrU { d, a, b: n },
                };
                self.op(ins);
            }
        }
        if op == BinaryOp::Shl || arithmetic {
            self.canonical(d, class);
        }
        self.top = mark;
    }

    fn shift_by(&mut self, op: BinaryOp, a: u16, k: u64, arithmetic: bool, d: u16) {
        let i = k.min(63) as i16;
        match (op, arithmetic) {
            (_, true) => self.op(Ins::ShrIK { d, a, i }),
            (_, false) if k > 63 => self.op(Ins::LoadI { d, i: 0 }),
            (BinaryOp::Shl, _) => self.op(Ins::ShlIK { d, a, i }),
            (_, false) => self.op(Ins::ShrUK { d, a, i }),
        }
    }
}

/// Whether an integer operation takes its right operand as an immediate.
pub(super) fn fits_immediate(op: BinaryOp, k: i64, class: Class) -> bool {
    match class {
        Class::Int(..) if matches!(op, BinaryOp::Shl | BinaryOp::Shr) => true,
        Class::Int(bits, signed) => immediate_ins(op, 0, 0, k, bits, signed).is_some(),
        _ => false,
    }
}

fn immediate_ins(op: BinaryOp, d: u16, a: u16, k: i64, bits: u8, signed: bool) -> Option<Ins> {
    let i = i16::try_from(k).ok()?;
    match op {
        BinaryOp::Add => Some(Ins::AddIK { d, a, i }),
        BinaryOp::Sub => Some(Ins::AddIK { d, a, i: i.checked_neg()? }),
        BinaryOp::Mul => Some(Ins::MulIK { d, a, i }),
        // the canonical word of a narrow operand has zeros above, so the sign-extended mask is right
        BinaryOp::And => Some(Ins::AndIK { d, a, i }),
        BinaryOp::Div | BinaryOp::Rem if !signed && bits <= 64 && k > 0 && k & (k - 1) == 0 => {
            let by = i16::try_from(k.trailing_zeros()).ok()?;
            match op {
                BinaryOp::Div => Some(Ins::ShrUK { d, a, i: by }),
                _ => Some(Ins::AndIK { d, a, i: i - 1 }),
            }
        }
        BinaryOp::Div if signed && bits == 64 && k > 0 => Some(Ins::DivIK { d, a, i }),
        BinaryOp::Rem if signed && bits == 64 && k > 0 => Some(Ins::RemIK { d, a, i }),
        _ => None,
    }
}

fn float_op(op: BinaryOp, single: bool) -> Make {
    match (op, single) {
        (BinaryOp::Add, false) => make!(AddF),
        (BinaryOp::Sub, false) => make!(SubF),
        (BinaryOp::Mul, false) => make!(MulF),
        (BinaryOp::Add, true) => make!(AddF32),
        (BinaryOp::Sub, true) => make!(SubF32),
        (BinaryOp::Mul, true) => make!(MulF32),
        (_, true) => make!(DivF32),
        (_, false) => make!(DivF),
    }
}

fn op32(op: BinaryOp) -> Option<Make> {
    match op {
        BinaryOp::Add => Some(make!(Add32)),
        BinaryOp::Sub => Some(make!(Sub32)),
        BinaryOp::Mul => Some(make!(Mul32)),
        _ => None,
    }
}

fn int_op(op: BinaryOp, signed: bool) -> Make {
    match (op, signed) {
        (BinaryOp::Add, _) => make!(AddI),
        (BinaryOp::Sub, _) => make!(SubI),
        (BinaryOp::Mul, _) => make!(MulI),
        (BinaryOp::Div, true) => make!(DivI),
        (BinaryOp::Div, false) => make!(DivU),
        (BinaryOp::Rem, true) => make!(RemI),
        (BinaryOp::Rem, false) => make!(RemU),
        (BinaryOp::And, _) => make!(And),
        (BinaryOp::Or, _) => make!(Or),
        (BinaryOp::Xor, _) => make!(Xor),
        (BinaryOp::AndNot, _) => make!(AndNot),
        (BinaryOp::Shl, _) => make!(Shl),
        (BinaryOp::Shr, true) => make!(ShrI),
        (BinaryOp::Shr, false) => make!(ShrU),
    }
}
