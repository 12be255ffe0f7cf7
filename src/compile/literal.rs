//! Composite literals.
//!
//! Memory-resident ones are built in new memory, nested ones in place; flat structs in registers.

use super::fun::Fun;
use super::place::{Base, Loc, Step};
use crate::bytecode::op::Ins;
use crate::types::ty::{Kind, Ty};
use crate::types::typed::{ConstVal, ExprId, ExprKind};

/// Elements stored one by one before a slice literal of bytes becomes a string conversion.
const BYTE_STRING: usize = 8;

impl Fun<'_> {
    pub(super) fn struct_lit(&mut self, given: &[(u32, ExprId)], ty: Ty, d: u16) {
        if self.info(ty).mem() {
            self.new_memory(d, ty);
            self.fill_struct(given, ty, d, 0);
            return;
        }
        let fields = self.c.fields(self.src, ty);
        let all = given.len() == fields.len();
        if !all {
            let n = self.info(ty).slots();
            self.zero(d, n);
        }
        for &(index, e) in given {
            let off = fields[index as usize].1 / 8;
            let at = d + u16::try_from(off).unwrap_or(0);
            self.expr_to(e, at);
            if self.is_blank(ty, index) {
                let n = self.slots_of(e);
                self.zero(at, n);
            }
        }
    }

    /// Whether a field has no name: what a literal gives for it is computed and dropped.
    pub(super) fn is_blank(&mut self, ty: Ty, index: u32) -> bool {
        let Kind::Struct(fields) = self.types().under(ty) else { return false };
        fields.get(index as usize).is_some_and(|f| f.name == "_")
    }

    pub(super) fn array_lit(&mut self, elems: &[(u64, ExprId)], ty: Ty, d: u16) {
        self.new_memory(d, ty);
        self.fill_array(elems, ty, d, 0);
    }

    fn fill_struct(&mut self, given: &[(u32, ExprId)], ty: Ty, p: u16, off: u64) {
        let fields = self.c.fields(self.src, ty);
        for &(index, e) in given {
            let (field, at) = fields[index as usize];
            if self.is_blank(ty, index) {
                let mark = self.top;
                self.operand(e);
                self.top = mark;
                continue;
            }
            self.fill(e, field, p, off + at, false);
        }
    }

    fn fill_array(&mut self, elems: &[(u64, ExprId)], ty: Ty, p: u16, off: u64) {
        let Kind::Array(_, elem) = *self.types().under(ty) else { return };
        let stride = self.info(elem).layout.stride();
        for &(index, e) in elems {
            self.fill(e, elem, p, off + index * stride, stride < 8);
        }
    }

    /// Stores `e` into zeroed memory at p + off.
    fn fill(&mut self, e: ExprId, ty: Ty, p: u16, off: u64, narrow: bool) {
        if self.is_zero(e) {
            return;
        }
        if self.info(ty).mem() {
            let x = self.expr(e);
            match &x.kind {
                ExprKind::StructLit(given) => {
                    self.fill_struct(given, ty, p, off);
                    return;
                }
                ExprKind::ArrayLit(elems) => {
                    self.fill_array(elems, ty, p, off);
                    return;
                }
                ExprKind::Zero => return,
                _ => {}
            }
        }
        let mark = self.top;
        let v = self.operand(e);
        let mut loc = Loc { narrow, ..Loc::new(Base::Ptr { p, safe: true }, ty) };
        if narrow && off != 0 {
            let at = self.temp();
            let from = Loc { steps: vec![Step::Off(off)], ..loc.clone() };
            self.addr_loc(&from, at);
            loc.base = Base::Ptr { p: at, safe: true };
        } else if off != 0 {
            loc.steps.push(Step::Off(off));
        }
        self.store_loc(&loc, v);
        self.top = mark;
    }

    /// Whether an expression is sure to be the zero value.
    pub(super) fn is_zero(&mut self, e: ExprId) -> bool {
        let x = self.expr(e);
        match &x.kind {
            ExprKind::Nil | ExprKind::Zero => true,
            ExprKind::Const(ConstVal::Str(s)) => s.is_empty(),
            ExprKind::Const(ConstVal::Complex(..)) => false,
            ExprKind::Const(v) => self.const_word(v, x.ty) == 0,
            _ => false,
        }
    }

    pub(super) fn slice_lit(&mut self, len: u64, elems: &[(u64, ExprId)], ty: Ty, d: u16) {
        let elem = self.elem(ty);
        if self.bytes_lit(len, elems, elem, d) {
            return;
        }
        let t = self.type_id(elem);
        let n = self.temp();
        self.load_word(n, len);
        self.op(Ins::MakeSlice { d, len: n, cap: n });
        self.ext(0, t);
        if !elems.is_empty() {
            let p = n;
            self.op(Ins::SliceData { d: p, a: d });
            let stride = self.info(elem).layout.stride();
            for &(index, e) in elems {
                self.fill(e, elem, p, index * stride, stride < 8);
            }
        }
    }

    /// A literal of constant bytes is made from a string.
    fn bytes_lit(&mut self, len: u64, elems: &[(u64, ExprId)], elem: Ty, d: u16) -> bool {
        if self.info(elem).layout.packed != 1
            || elems.len() < BYTE_STRING
            || elems.len() as u64 != len
        {
            return false;
        }
        let mut text = vec![0u8; elems.len()];
        for &(index, e) in elems {
            let ExprKind::Const(v @ ConstVal::Int(_)) = &self.expr(e).kind else { return false };
            text[index as usize] = self.const_word(v, elem) as u8;
        }
        let mark = self.top;
        let s = self.temp();
        self.load_str(s, &text);
        let r = self.call_rt(crate::bytecode::rt::Rt::StrToBytes, &[(s, 1)]);
        self.mov(d, r, 1);
        self.top = mark;
        true
    }

    pub(super) fn map_lit(&mut self, entries: &[(ExprId, ExprId)], ty: Ty, d: u16) {
        let t = self.type_id(ty);
        let hint = self.temp();
        self.load_word(hint, entries.len() as u64);
        let m = d;
        self.op(Ins::MakeMap { d: m, hint });
        self.ext(0, t);
        for &(key, value) in entries {
            let mark = self.top;
            self.ordered(&[key, value], |f| {
                let k = f.value(key);
                let v = f.value(value);
                f.op(Ins::MapSet { m, k, v });
                f.ext(0, t);
            });
            self.top = mark;
        }
    }
}
