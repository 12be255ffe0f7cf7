//! Comparisons that give a bool. Those that only decide a jump are in `cond`.

use super::fun::Fun;
use super::types::Class;
use crate::bytecode::op::Ins;
use crate::source::Pos;
use crate::types::ty::Ty;
use crate::types::typed::{CompareOp, ExprId, ExprKind};

/// How two operands are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cmp {
    /// As words.
    Word,
    /// As numbers; `signed` says how they are ordered.
    Int {
        signed: bool,
    },
    F64,
    F32,
    Str,
    /// By type: structs, arrays, interfaces, complex numbers.
    Deep,
}

/// Operands in registers, ready to be compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operands {
    pub(super) cmp: Cmp,
    pub(super) a: u16,
    pub(super) b: u16,
}

impl Fun<'_> {
    /// How operands of a type are compared.
    pub(super) fn cmp_of(&mut self, a: ExprId, b: ExprId) -> Cmp {
        match self.info_of(a).class {
            Class::Bool | Class::Ptr | Class::Slice | Class::Map | Class::Chan | Class::Func => {
                Cmp::Word
            }
            // a narrow unsigned number is a positive word, and signed comparisons have immediate forms
            Class::Int(bits, signed) => Cmp::Int { signed: signed || bits < 64 },
            Class::F64 => Cmp::F64,
            Class::F32 => Cmp::F32,
            Class::Str => Cmp::Str,
            Class::Iface if matches!(self.expr(b).kind, ExprKind::Nil) => Cmp::Word,
            _ => Cmp::Deep,
        }
    }

    /// Evaluates both operands in the form that the comparison needs.
    pub(super) fn cmp_operands(&mut self, op: CompareOp, a: ExprId, b: ExprId) -> Operands {
        let cmp = self.cmp_of(a, b);
        let ordered = !matches!(op, CompareOp::Eq | CompareOp::Ne);
        let (a, b) = match cmp {
            Cmp::Int { .. } if ordered => (self.wide_operand(a), self.wide_operand(b)),
            _ => (self.operand(a), self.operand(b)),
        };
        if cmp != Cmp::F32 {
            return Operands { cmp, a, b };
        }
        let t = self.alloc(2);
        self.op(Ins::F32To64 { d: t, a });
        self.op(Ins::F32To64 { d: t + 1, a: b });
        Operands { cmp: Cmp::F64, a: t, b: t + 1 }
    }

    /// `a op b` as a bool.
    pub(super) fn compare_to(&mut self, op: CompareOp, a: ExprId, b: ExprId, pos: Pos, d: u16) {
        let ty = self.expr(a).ty;
        let x = self.cmp_operands(op, a, b);
        self.at(pos);
        self.compare_regs(op, x, ty, d);
    }

    /// The comparison of registers.
    pub(super) fn compare_regs(&mut self, op: CompareOp, x: Operands, ty: Ty, d: u16) {
        let (op, a, b) = match op {
            CompareOp::Gt => (CompareOp::Lt, x.b, x.a),
            CompareOp::Ge => (CompareOp::Le, x.b, x.a),
            _ => (op, x.a, x.b),
        };
        if x.cmp == Cmp::Deep {
            let t = self.type_id(ty);
            self.op(Ins::EqT { d, a, b });
            self.ext(0, t);
            if op == CompareOp::Ne {
                self.op(Ins::NotB { d, a: d });
            }
            return;
        }
        let unsigned = x.cmp == Cmp::Int { signed: false };
        self.op(match (x.cmp, op) {
            (Cmp::F64 | Cmp::F32, CompareOp::Eq) => Ins::EqF { d, a, b },
            (Cmp::F64 | Cmp::F32, CompareOp::Ne) => Ins::NeF { d, a, b },
            (Cmp::F64 | Cmp::F32, CompareOp::Lt) => Ins::LtF { d, a, b },
            (Cmp::F64 | Cmp::F32, _) => Ins::LeF { d, a, b },
            (Cmp::Str, CompareOp::Eq) => Ins::EqS { d, a, b },
            (Cmp::Str, CompareOp::Ne) => Ins::NeS { d, a, b },
            (Cmp::Str, CompareOp::Lt) => Ins::LtS { d, a, b },
            (Cmp::Str, _) => Ins::LeS { d, a, b },
            (_, CompareOp::Eq) => Ins::EqI { d, a, b },
            (_, CompareOp::Ne) => Ins::NeI { d, a, b },
            (_, CompareOp::Lt) if unsigned => Ins::LtU { d, a, b },
            (_, CompareOp::Lt) => Ins::LtI { d, a, b },
            (_, _) if unsigned => Ins::LeU { d, a, b },
            (_, _) => Ins::LeI { d, a, b },
        });
    }
}
