//! Conditions that decide a jump.
//!
//! Invariant: `branch` jumps forward (its label is not bound yet); `loop_branch` jumps back, through the `Loop*` opcodes only.

use super::compare::{Cmp, Operands};
use super::fun::Fun;
use super::jumps::Label;
use crate::bytecode::op::Ins;
use crate::types::typed::{CompareOp, ExprId, ExprKind, UnaryOp};

/// The same comparison with its operands exchanged.
fn mirror(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        CompareOp::Eq | CompareOp::Ne => op,
    }
}

/// The opposite comparison, for operands that are ordered.
fn negate(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Eq => CompareOp::Ne,
        CompareOp::Ne => CompareOp::Eq,
        CompareOp::Lt => CompareOp::Ge,
        CompareOp::Le => CompareOp::Gt,
        CompareOp::Gt => CompareOp::Le,
        CompareOp::Ge => CompareOp::Lt,
    }
}

impl Fun<'_> {
    /// Jumps to `to` if `e` is `sense`, else goes on.
    pub(super) fn branch(&mut self, e: ExprId, sense: bool, to: Label) {
        let mark = self.top;
        if let Some(b) = self.const_bool(e) {
            if b == sense {
                self.jump(Ins::Jmp { o: 0 }, to);
            }
            return;
        }
        self.deeper(|f| f.branch_on(e, sense, to));
        self.top = mark;
    }

    fn branch_on(&mut self, e: ExprId, sense: bool, to: Label) {
        let x = self.expr(e);
        let kept = self.ready.len();
        let parts = matches!(
            x.kind,
            ExprKind::AndAnd(..) | ExprKind::OrOr(..) | ExprKind::Unary(UnaryOp::Not, _)
        );
        if !parts {
            self.hoist(&[e]);
        } else if let Some(&(_, a)) = self.ready.iter().find(|r| r.0 == e) {
            let ins = if sense { Ins::JT { a, o: 0 } } else { Ins::JF { a, o: 0 } };
            self.jump(ins, to);
            return;
        }
        match &x.kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.branch(*a, !sense, to),
            ExprKind::AndAnd(a, b) if sense => self.branch_both(*a, *b, false, to),
            ExprKind::OrOr(a, b) if !sense => self.branch_both(*a, *b, true, to),
            ExprKind::AndAnd(a, b) | ExprKind::OrOr(a, b) => {
                self.branch(*a, sense, to);
                self.branch(*b, sense, to);
            }
            ExprKind::Compare(op, a, b) if self.fuse => {
                self.branch_compare(*op, *a, *b, x.pos, sense, to);
            }
            kind => {
                let a = self.operand(e);
                let indexed = matches!(kind, ExprKind::IndexSlice { .. });
                let ins = self.jump_bool(a, indexed, sense);
                self.jump(ins, to);
            }
        }
        self.ready.truncate(kept);
    }

    /// The jump if the bool in `a` is `sense`. `indexed`: `a` is the element of a slice and used for nothing else;
    /// if loading it was the last instruction, the jump takes its place.
    fn jump_bool(&mut self, a: u16, indexed: bool, sense: bool) -> Ins {
        if let Some(&Ins::Ix8 { d, s, i }) = self.code.last()
            && indexed
            && d == a
            && self.fuse
            && self.bound != self.code.len()
        {
            self.code.pop();
            return if sense { Ins::JIx8T { s, i, o: 0 } } else { Ins::JIx8F { s, i, o: 0 } };
        }
        if sense { Ins::JT { a, o: 0 } } else { Ins::JF { a, o: 0 } }
    }

    /// `a && b` being true (`stop` false), or `a || b` being false (`stop` true): jumps to `to` if both are `!stop`.
    fn branch_both(&mut self, a: ExprId, b: ExprId, stop: bool, to: Label) {
        let skip = self.labels.fresh();
        self.branch(a, stop, skip);
        self.branch(b, !stop, to);
        self.bind(skip);
    }

    fn branch_compare(
        &mut self,
        op: CompareOp,
        a: ExprId,
        b: ExprId,
        pos: crate::source::Pos,
        sense: bool,
        to: Label,
    ) {
        let (sides, temps) = ([a, b], self.top);
        if let Some((op, a, k)) = self.against_const(op, a, b) {
            let op = if sense { op } else { negate(op) };
            if let Some(ins) = self.jump_zero(op, sides, temps, (a, k)) {
                self.jump(ins, to);
                return;
            }
            self.at(pos);
            self.jump(jump_const(op, a, k), to);
            return;
        }
        let ty = self.expr(a).ty;
        let x = self.cmp_operands(op, a, b);
        self.at(pos);
        if let Some(ins) = jump_regs(op, x, sense) {
            self.jump(ins, to);
            return;
        }
        let d = self.temp();
        self.compare_regs(op, x, ty, d);
        let ins = if sense { Ins::JT { a: d, o: 0 } } else { Ins::JF { a: d, o: 0 } };
        self.jump(ins, to);
    }

    /// The jump if a field behind a pointer is zero, or is not, when loading it into `a` was the last instruction and
    /// `a`, a register from `temps` on, is used for nothing else.
    fn jump_zero(
        &mut self,
        op: CompareOp,
        sides: [ExprId; 2],
        temps: u32,
        (a, k): (u16, i16),
    ) -> Option<Ins> {
        let loaded =
            |e: ExprId| matches!(self.expr(e).kind, ExprKind::Field { .. } | ExprKind::Deref(_));
        let Some(&Ins::Load { d, p, o: f }) = self.code.last() else { return None };
        let fits =
            d == a && u32::from(a) >= temps && k == 0 && self.fuse && self.bound != self.code.len();
        if !fits || !sides.into_iter().any(loaded) {
            return None;
        }
        let ins = match op {
            CompareOp::Eq => Ins::JMemZ { p, f, o: 0 },
            CompareOp::Ne => Ins::JMemNZ { p, f, o: 0 },
            _ => return None,
        };
        self.code.pop();
        Some(ins)
    }

    /// A comparison of words or integers with a small constant: the operator with the constant on the right.
    fn against_const(
        &mut self,
        op: CompareOp,
        a: ExprId,
        b: ExprId,
    ) -> Option<(CompareOp, u16, i16)> {
        let cmp = self.cmp_of(a, b);
        let equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
        if !matches!(cmp, Cmp::Word | Cmp::Int { .. })
            || (!equality && cmp == Cmp::Int { signed: false })
        {
            return None;
        }
        if let Some(k) = self.small(b) {
            return Some((op, self.const_side(a, equality, k), k));
        }
        let k = self.small(a)?;
        Some((mirror(op), self.const_side(b, equality, k), k))
    }

    /// The operand beside a constant: its canonical word is enough to see whether it equals a number that is not negative.
    fn const_side(&mut self, e: ExprId, equality: bool, k: i16) -> u16 {
        if equality && k >= 0 { self.operand(e) } else { self.wide_operand(e) }
    }

    /// A constant that fits an immediate operand, as a signed number.
    pub(super) fn small(&self, e: ExprId) -> Option<i16> {
        match &self.expr(e).kind {
            ExprKind::Nil => Some(0),
            ExprKind::Const(crate::types::typed::ConstVal::Bool(b)) => Some(i16::from(*b)),
            ExprKind::Const(_) => i16::try_from(self.const_int(e)?).ok(),
            _ => None,
        }
    }

    /// Jumps back to `to`, the start of a loop body, if `e` holds.
    pub(super) fn loop_branch(&mut self, e: ExprId, to: Label, exit: Label) {
        let mark = self.top;
        match self.const_bool(e) {
            Some(true) => self.jump(Ins::Loop { o: 0 }, to),
            Some(false) => {}
            None => self.deeper(|f| f.loop_on(e, to, exit)),
        }
        self.top = mark;
    }

    fn loop_on(&mut self, e: ExprId, to: Label, exit: Label) {
        let x = self.expr(e);
        let kept = self.ready.len();
        if !matches!(x.kind, ExprKind::AndAnd(..) | ExprKind::OrOr(..)) {
            self.hoist(&[e]);
        }
        match &x.kind {
            ExprKind::AndAnd(a, b) => {
                self.branch(*a, false, exit);
                self.loop_branch(*b, to, exit);
            }
            ExprKind::OrOr(a, b) => {
                // a false left side goes on to the right one
                let right = self.labels.fresh();
                self.loop_branch(*a, to, right);
                self.bind(right);
                self.loop_branch(*b, to, exit);
            }
            ExprKind::Compare(op, a, b) if self.fuse => {
                self.at(x.pos);
                self.loop_compare(*op, *a, *b, e, to);
            }
            ExprKind::Unary(UnaryOp::Not, a) => {
                let a = self.operand(*a);
                self.jump(Ins::LoopF { a, o: 0 }, to);
            }
            _ => {
                let a = self.operand(e);
                self.jump(Ins::LoopT { a, o: 0 }, to);
            }
        }
        self.ready.truncate(kept);
    }

    fn loop_compare(&mut self, op: CompareOp, a: ExprId, b: ExprId, e: ExprId, to: Label) {
        if op != CompareOp::Eq
            && let Some((op, a, k)) = self.against_const(op, a, b)
        {
            let ins = match op {
                CompareOp::Ne => Some(Ins::LoopNeIK { a, i: k, o: 0 }),
                CompareOp::Lt => Some(Ins::LoopLtIK { a, i: k, o: 0 }),
                CompareOp::Le => k.checked_add(1).map(|i| Ins::LoopLtIK { a, i, o: 0 }),
                CompareOp::Gt => k.checked_add(1).map(|i| Ins::LoopGeIK { a, i, o: 0 }),
                _ => Some(Ins::LoopGeIK { a, i: k, o: 0 }),
            };
            if let Some(ins) = ins {
                self.jump(ins, to);
                return;
            }
        }
        match self.cmp_of(a, b) {
            Cmp::Int { signed: true } if op != CompareOp::Eq => {}
            Cmp::Int { .. } | Cmp::Word if op == CompareOp::Ne => {}
            Cmp::F64 | Cmp::F32 if !matches!(op, CompareOp::Eq | CompareOp::Ne) => {}
            _ => {
                // Not to the exit: in `a || b` what follows is `b`.
                let skip = self.labels.fresh();
                self.branch(e, false, skip);
                self.jump(Ins::Loop { o: 0 }, to);
                self.bind(skip);
                return;
            }
        }
        let Operands { cmp, a, b } = self.cmp_operands(op, a, b);
        self.jump(
            match (cmp, op) {
                (Cmp::F64, CompareOp::Lt) => Ins::LoopLtF { a, b, o: 0 },
                (Cmp::F64, CompareOp::Gt) => Ins::LoopLtF { a: b, b: a, o: 0 },
                (Cmp::F64, CompareOp::Le) => Ins::LoopLeF { a, b, o: 0 },
                (Cmp::F64, _) => Ins::LoopLeF { a: b, b: a, o: 0 },
                (_, CompareOp::Lt) => Ins::LoopLtI { a, b, o: 0 },
                (_, CompareOp::Le) => Ins::LoopLeI { a, b, o: 0 },
                (_, CompareOp::Gt) => Ins::LoopLtI { a: b, b: a, o: 0 },
                (_, CompareOp::Ge) => Ins::LoopLeI { a: b, b: a, o: 0 },
                (_, CompareOp::Eq | CompareOp::Ne) => Ins::LoopNeI { a, b, o: 0 },
            },
            to,
        );
    }
}

fn jump_const(op: CompareOp, a: u16, i: i16) -> Ins {
    let o = 0;
    match op {
        CompareOp::Eq => Ins::JEqIK { a, i, o },
        CompareOp::Ne => Ins::JNeIK { a, i, o },
        CompareOp::Lt => Ins::JLtIK { a, i, o },
        CompareOp::Le => Ins::JLeIK { a, i, o },
        CompareOp::Gt => Ins::JGtIK { a, i, o },
        CompareOp::Ge => Ins::JGeIK { a, i, o },
    }
}

/// The fused jump for a comparison of registers, if there is one.
fn jump_regs(op: CompareOp, x: Operands, sense: bool) -> Option<Ins> {
    let o = 0;
    let Operands { cmp, a, b } = x;
    if matches!(cmp, Cmp::F64) {
        let (op, a, b) = match op {
            CompareOp::Gt => (CompareOp::Lt, b, a),
            CompareOp::Ge => (CompareOp::Le, b, a),
            _ => (op, a, b),
        };
        return Some(match (op, sense) {
            (CompareOp::Eq, true) | (CompareOp::Ne, false) => Ins::JEqF { a, b, o },
            (CompareOp::Eq | CompareOp::Ne, _) => Ins::JNeF { a, b, o },
            (CompareOp::Lt, true) => Ins::JLtF { a, b, o },
            (CompareOp::Lt, false) => Ins::JNltF { a, b, o },
            (_, true) => Ins::JLeF { a, b, o },
            (_, false) => Ins::JNleF { a, b, o },
        });
    }
    let op = if sense { op } else { negate(op) };
    match (cmp, op) {
        (Cmp::Deep | Cmp::F32 | Cmp::F64, _) => None,
        (Cmp::Str, CompareOp::Eq) => Some(Ins::JEqS { a, b, o }),
        (Cmp::Str, CompareOp::Ne) => Some(Ins::JNeS { a, b, o }),
        (Cmp::Str, _) => None,
        (_, CompareOp::Eq) => Some(Ins::JEqI { a, b, o }),
        (_, CompareOp::Ne) => Some(Ins::JNeI { a, b, o }),
        (Cmp::Int { signed: false }, CompareOp::Lt) => Some(Ins::JLtU { a, b, o }),
        (Cmp::Int { signed: false }, CompareOp::Le) => Some(Ins::JLeU { a, b, o }),
        (Cmp::Int { signed: false }, CompareOp::Gt) => Some(Ins::JLtU { a: b, b: a, o }),
        (Cmp::Int { signed: false }, CompareOp::Ge) => Some(Ins::JLeU { a: b, b: a, o }),
        (_, CompareOp::Lt) => Some(Ins::JLtI { a, b, o }),
        (_, CompareOp::Le) => Some(Ins::JLeI { a, b, o }),
        (_, CompareOp::Gt) => Some(Ins::JLtI { a: b, b: a, o }),
        (_, CompareOp::Ge) => Some(Ins::JLeI { a: b, b: a, o }),
    }
}
