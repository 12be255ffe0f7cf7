//! Interface values: making them, and taking them apart.
//!
//! Invariant: the type of every value that becomes an interface is marked live (`methods`), so that its methods are there.

use super::fun::Fun;
use super::types::Class;
use crate::bytecode::module::Const;
use crate::bytecode::op::Ins;
use crate::source::Pos;
use crate::types::ty::Ty;
use crate::types::typed::{ConstVal, ExprId, ExprKind};

impl Fun<'_> {
    /// The type id of a type whose values become interfaces.
    pub(super) fn live_type(&mut self, ty: Ty) -> u32 {
        self.c.live_type(self.src, ty)
    }

    /// A concrete value becomes an interface.
    pub(super) fn make_interface(&mut self, v: ExprId, d: u16) {
        let x = self.expr(v);
        let ty = self.live_type(x.ty);
        if let ExprKind::Const(value) = &x.kind
            && let Some(k) = self.iface_const(value, x.ty, ty)
        {
            self.op(Ins::LoadK { d, k });
            return;
        }
        let a = self.value(v);
        self.op(Ins::MkIface { d, a });
        self.ext(0, ty);
    }

    fn iface_const(&mut self, v: &ConstVal, t: Ty, ty: u32) -> Option<u32> {
        match v {
            ConstVal::Complex(..) => None,
            ConstVal::Str(text) => {
                Some(self.c.push_const(Const::IfaceStr { ty, text: text.clone() }))
            }
            _ if matches!(self.class(t), Class::C64 | Class::C128) => None,
            _ => {
                let word = self.const_word(v, t);
                Some(self.c.push_const(Const::IfaceWord { ty, word }))
            }
        }
    }

    /// `x.(to)`
    pub(super) fn type_assert(&mut self, v: ExprId, to: Ty, comma_ok: bool, pos: Pos, d: u16) {
        let static_ty = self.expr(v).ty;
        let x = self.operand(v);
        self.at(pos);
        let t = self.type_id(to);
        let info = self.info(to);
        let n = u16::try_from(info.slots()).unwrap_or(0);
        match (info.class == Class::Iface, comma_ok) {
            (true, true) => {
                self.op(Ins::AssertIOk { d, x, ok: d + 1 });
                self.ext(0, t);
            }
            (true, false) => {
                let from = self.type_id(static_ty);
                self.op(Ins::AssertI { d, x });
                self.ext(0, t);
                self.ext(0, from);
            }
            (false, true) => {
                self.op(Ins::AssertTOk { d, x });
                self.ext(d + n, t);
            }
            (false, false) => {
                let from = self.type_id(static_ty);
                self.op(Ins::AssertT { d, x });
                self.ext(0, t);
                self.ext(0, from);
            }
        }
    }

    /// The value of an interface whose dynamic type is known, as an owned value.
    pub(super) fn unbox(&mut self, x: u16, ty: Ty, d: u16) {
        let t = self.type_id(ty);
        let info = self.info(ty);
        if !info.mem() {
            self.op(Ins::Unbox { d, x });
            self.ext(0, t);
            return;
        }
        let mark = self.top;
        let p = self.temp();
        self.op(Ins::Unbox { d: p, x });
        self.ext(0, t);
        self.copy_new(d, p, ty);
        self.top = mark;
    }
}
