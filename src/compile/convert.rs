//! Conversions between types that are not interfaces (Go specification, "Conversions").

use super::fun::Fun;
use super::types::Class;
use crate::bytecode::op::Ins;
use crate::bytecode::rt::Rt;
use crate::source::Pos;
use crate::types::ty::{Kind, Ty};
use crate::types::typed::ExprId;

impl Fun<'_> {
    /// Whether a conversion leaves the registers as they are.
    pub(super) fn is_noop(&mut self, from: ExprId, to: Ty) -> bool {
        let (a, b) = (self.info_of(from).class, self.class(to));
        match (a, b) {
            (Class::Int(n, signed), Class::Int(m, _)) => n == m || (n < m && !signed),
            (Class::Slice, Class::Ptr | Class::Array) | (Class::Slice, Class::Str) => false,
            _ => a == b,
        }
    }

    /// `T(from)` into `d`.
    pub(super) fn convert(&mut self, from: ExprId, to: Ty, pos: Pos, d: u16) {
        if self.is_noop(from, to) {
            self.expr_to(from, d);
            return;
        }
        let (a, b) = (self.info_of(from).class, self.class(to));
        self.at(pos);
        match (a, b) {
            (Class::Int(..), Class::Int(64, _)) => self.wide_to(from, d),
            (Class::Int(..), Class::Int(m, _)) => {
                let r = self.wide_operand(from);
                self.cut(d, r, m);
            }
            (Class::Int(bits, signed), Class::F64 | Class::F32) => {
                let r = self.wide_operand(from);
                let wide = bits == 64 && !signed;
                self.op(match (b == Class::F32, wide) {
                    (false, false) => Ins::I2F { d, a: r },
                    (false, true) => Ins::U2F { d, a: r },
                    (true, false) => Ins::I2F32 { d, a: r },
                    (true, true) => Ins::U2F32 { d, a: r },
                });
            }
            (Class::F64 | Class::F32, Class::Int(bits, signed)) => {
                let r = self.float64(from, a);
                let wide = bits == 64 && !signed;
                self.op(if wide { Ins::F2U { d, a: r } } else { Ins::F2I { d, a: r } });
                self.canonical(d, b);
            }
            (Class::F64, Class::F32) => {
                let r = self.operand(from);
                self.op(Ins::F64To32 { d, a: r });
            }
            (Class::F32, Class::F64) => {
                let r = self.operand(from);
                self.op(Ins::F32To64 { d, a: r });
            }
            (Class::C128, Class::C64) => {
                let r = self.operand(from);
                self.op(Ins::F64To32 { d, a: r });
                self.op(Ins::F64To32 { d: d + 1, a: r + 1 });
            }
            (Class::C64, Class::C128) => {
                let r = self.operand(from);
                self.op(Ins::F32To64 { d, a: r });
                self.op(Ins::F32To64 { d: d + 1, a: r + 1 });
            }
            _ => self.convert_text(from, to, d),
        }
    }

    /// A float operand as float64.
    fn float64(&mut self, e: ExprId, class: Class) -> u16 {
        let r = self.operand(e);
        if class == Class::F64 {
            return r;
        }
        let t = self.temp();
        self.op(Ins::F32To64 { d: t, a: r });
        t
    }

    /// d = the low bits of a.
    fn cut(&mut self, d: u16, a: u16, bits: u8) {
        match bits {
            8 => self.op(Ins::Zext8 { d, a }),
            16 => self.op(Ins::Zext16 { d, a }),
            32 => self.op(Ins::Zext32 { d, a }),
            _ => self.mov(d, a, 1),
        }
    }

    /// Conversions from and to strings, and of slices to arrays.
    fn convert_text(&mut self, from: ExprId, to: Ty, d: u16) {
        let ty = self.expr(from).ty;
        let (a, b) = (self.class(ty), self.class(to));
        let bytes = |f: &mut Self, t: Ty| {
            let e = f.elem(t);
            matches!(f.class(e), Class::Int(8, _))
        };
        let rt = match (a, b) {
            (Class::Int(..), Class::Str) => Rt::RuneToStr,
            (Class::Slice, Class::Str) if bytes(self, ty) => Rt::BytesToStr,
            (Class::Slice, Class::Str) => Rt::RunesToStr,
            (Class::Str, Class::Slice) if bytes(self, to) => Rt::StrToBytes,
            (Class::Str, Class::Slice) => Rt::StrToRunes,
            (Class::Slice, _) => {
                self.slice_to_array(from, to, d);
                return;
            }
            _ => {
                self.expr_to(from, d);
                return;
            }
        };
        let r = self.wide_operand(from);
        let r = self.call_rt(rt, &[(r, 1)]);
        self.mov(d, r, 1);
    }

    /// A slice as an array (borrowed) or pointer to an array.
    fn slice_to_array(&mut self, from: ExprId, to: Ty, d: u16) {
        let array = if self.class(to) == Class::Ptr { self.elem(to) } else { to };
        let Kind::Array(len, _) = *self.types().under(array) else { return };
        let s = self.operand(from);
        let n = self.temp();
        self.load_word(n, len);
        let r = self.call_rt(Rt::SliceToArray, &[(s, 1), (n, 1)]);
        if len == 0 && array == to {
            self.new_memory(d, to);
            return;
        }
        self.mov(d, r, 1);
    }
}
