//! Calls of predeclared functions.

use super::compare::{Cmp, Operands};
use super::fun::Fun;
use super::types::Class;
use crate::bytecode::op::Ins;
use crate::bytecode::rt::Rt;
use crate::types::ty::Ty;
use crate::types::typed::{Builtin, CompareOp, ExprId};

impl Fun<'_> {
    pub(super) fn builtin(&mut self, b: &Builtin, e: ExprId, d: u16) {
        let x = self.expr(e);
        match b {
            Builtin::Len(v) => self.length(*v, d),
            Builtin::Cap(v) => {
                let class = self.info_of(*v).class;
                let a = self.operand(*v);
                let chan = class == Class::Chan;
                self.op(if chan { Ins::ChanCap { d, c: a } } else { Ins::Cap { d, a } });
            }
            Builtin::Append { slice, elems } => self.append(*slice, elems, x.pos, d),
            Builtin::AppendSlice { slice, tail } => {
                let s = self.operand(*slice);
                let t = self.operand(*tail);
                let ty = self.elem_id(*slice);
                self.at(x.pos);
                self.op(Ins::AppendSlice { d, s, t });
                self.ext(0, ty);
            }
            Builtin::Copy { dst, src } => self.copy(*dst, *src, d),
            Builtin::Delete { map, key } => self.delete(*map, *key, x.pos),
            Builtin::Clear(v) => self.clear(*v),
            Builtin::Close(v) => {
                let c = self.operand(*v);
                self.at(x.pos);
                self.op(Ins::Close { c });
            }
            Builtin::Make { len, cap } => self.make(x.ty, *len, *cap, x.pos, d),
            Builtin::New(None) => {
                let ty = self.elem(x.ty);
                self.new_memory(d, ty);
            }
            Builtin::New(Some(init)) => self.new_with(*init, d),
            Builtin::Panic(v) => {
                let a = self.operand(*v);
                self.at(x.pos);
                self.op(Ins::Panic { a });
            }
            Builtin::Recover => self.op(Ins::Recover { d }),
            Builtin::Print { args, newline } => self.print(args, *newline),
            Builtin::Min(args) => self.extreme(args, x.ty, true, d),
            Builtin::Max(args) => self.extreme(args, x.ty, false, d),
            Builtin::Complex(re, im) => {
                self.expr_to(*re, d);
                self.expr_to(*im, d + 1);
            }
            Builtin::Real(v) | Builtin::Imag(v) => {
                let r = self.operand(*v);
                let part = u16::from(matches!(b, Builtin::Imag(_)));
                self.mov(d, r + part, 1);
            }
            Builtin::UnsafeData(v) => {
                let a = self.operand(*v);
                self.op(Ins::SliceData { d, a });
            }
            Builtin::UnsafeView { pointer, len } => self.unsafe_view(*pointer, *len, x.ty, d),
            Builtin::UnsafeUnsupported => self.fail("unsafe operations are not supported"),
        }
    }

    /// A string or slice over memory that there is.
    fn unsafe_view(&mut self, pointer: ExprId, len: ExprId, ty: Ty, d: u16) {
        let p = self.operand(pointer);
        let n = self.wide_operand(len);
        let mut args = vec![(p, 1), (n, 1)];
        let mut rt = Rt::UnsafeString;
        if self.class(ty) == Class::Slice {
            let elem = self.elem(ty);
            let (id, t) = (self.type_id(elem), self.temp());
            self.load_word(t, u64::from(id));
            args.push((t, 1));
            rt = Rt::UnsafeSlice;
        }
        let r = self.call_rt(rt, &args);
        self.mov(d, r, 1);
    }

    fn copy(&mut self, dst: ExprId, src: ExprId, d: u16) {
        let a = self.operand(dst);
        let b = self.operand(src);
        let ty = self.elem_id(dst);
        self.op(Ins::Copy { d, a, b });
        self.ext(0, ty);
    }

    fn delete(&mut self, map: ExprId, key: ExprId, pos: crate::source::Pos) {
        let ty = self.expr(map).ty;
        let m = self.operand(map);
        let k = self.operand(key);
        let t = self.type_id(ty);
        self.at(pos);
        self.op(Ins::MapDelete { m, k });
        self.ext(0, t);
    }

    fn elem_id(&mut self, slice: ExprId) -> u32 {
        let ty = self.expr(slice).ty;
        let elem = self.elem(ty);
        self.type_id(elem)
    }

    fn length(&mut self, v: ExprId, d: u16) {
        let class = self.info_of(v).class;
        let a = self.operand(v);
        self.op(match class {
            Class::Map => Ins::MapLen { d, m: a },
            Class::Chan => Ins::ChanLen { d, c: a },
            _ => Ins::Len { d, a },
        });
    }

    fn append(&mut self, slice: ExprId, elems: &[ExprId], pos: crate::source::Pos, d: u16) {
        let ty = self.elem_id(slice);
        let s = self.operand(slice);
        match elems {
            [] => self.mov(d, s, 1),
            [one] => {
                let a = self.operand(*one);
                self.at(pos);
                self.op(Ins::Append { d, s, a });
                self.ext(0, ty);
            }
            _ => {
                let first = u16::try_from(self.top).unwrap_or(0);
                for &e in elems {
                    let n = self.slots_of(e);
                    let r = self.alloc(n);
                    self.expr_to(e, r);
                }
                self.at(pos);
                self.op(Ins::AppendN { d, s, a: first });
                self.ext(u16::try_from(elems.len()).unwrap_or(u16::MAX), ty);
            }
        }
    }

    fn clear(&mut self, v: ExprId) {
        if self.info_of(v).class == Class::Map {
            let m = self.operand(v);
            self.op(Ins::MapClear { m });
            return;
        }
        let ty = self.elem_id(v);
        let s = self.operand(v);
        let t = self.temp();
        self.load_word(t, u64::from(ty));
        self.call_rt(Rt::SliceClear, &[(s, 1), (t, 1)]);
    }

    fn make(
        &mut self,
        ty: Ty,
        len: Option<ExprId>,
        cap: Option<ExprId>,
        pos: crate::source::Pos,
        d: u16,
    ) {
        let class = self.class(ty);
        let n = match len {
            Some(e) => self.index_operand(e),
            None => {
                let t = self.temp();
                self.op(Ins::LoadI { d: t, i: 0 });
                t
            }
        };
        match class {
            Class::Map => {
                let t = self.type_id(ty);
                self.op(Ins::MakeMap { d, hint: n });
                self.ext(0, t);
            }
            Class::Chan => {
                let t = self.type_id(ty);
                self.at(pos);
                self.op(Ins::MakeChan { d, n });
                self.ext(0, t);
            }
            _ => {
                let cap = cap.map_or(n, |e| self.index_operand(e));
                let elem = self.elem(ty);
                let t = self.type_id(elem);
                self.at(pos);
                self.op(Ins::MakeSlice { d, len: n, cap });
                self.ext(0, t);
            }
        }
    }

    /// `print` and `println`
    fn print(&mut self, args: &[ExprId], newline: bool) {
        for (k, &e) in args.iter().enumerate() {
            if newline && k > 0 {
                self.call_rt(Rt::PrintSpace, &[]);
            }
            let mark = self.top;
            self.print_one(e);
            self.top = mark;
        }
        if newline {
            self.call_rt(Rt::PrintNewline, &[]);
        }
    }

    fn print_one(&mut self, e: ExprId) {
        let class = self.info_of(e).class;
        let rt = match class {
            Class::Bool => Rt::PrintBool,
            Class::Int(_, true) => Rt::PrintInt,
            Class::Int(_, false) => Rt::PrintUint,
            Class::F64 => Rt::PrintFloat,
            Class::F32 => Rt::PrintFloat32,
            Class::C128 => Rt::PrintComplex,
            Class::C64 => Rt::PrintComplex64,
            Class::Str => Rt::PrintString,
            Class::Slice => Rt::PrintSlice,
            Class::Iface => Rt::PrintIface,
            _ => Rt::PrintPointer,
        };
        let r = self.wide_operand(e);
        let single = matches!(class, Class::F32 | Class::C64);
        let n = self.slots_of(e);
        let r = if single {
            let t = self.alloc(n);
            for k in 0..n as u16 {
                self.op(Ins::F32To64 { d: t + k, a: r + k });
            }
            t
        } else {
            r
        };
        self.call_rt(rt, &[(r, n)]);
    }

    /// `min` and `max`
    fn extreme(&mut self, args: &[ExprId], ty: Ty, min: bool, d: u16) {
        let class = self.class(ty);
        let regs: Vec<u16> = args.iter().map(|&e| self.operand(e)).collect();
        let best = self.temp();
        self.mov(best, regs[0], 1);
        for &r in &regs[1..] {
            let mark = self.top;
            match class {
                Class::F64 | Class::F32 => {
                    let rt = match (class == Class::F32, min) {
                        (false, true) => Rt::MinF,
                        (false, false) => Rt::MaxF,
                        (true, true) => Rt::MinF32,
                        (true, false) => Rt::MaxF32,
                    };
                    let r = self.call_rt(rt, &[(best, 1), (r, 1)]);
                    self.mov(best, r, 1);
                }
                _ => self.keep_better(best, r, ty, min),
            }
            self.top = mark;
        }
        self.mov(d, best, 1);
    }

    /// best = r if r is better
    fn keep_better(&mut self, best: u16, r: u16, ty: Ty, min: bool) {
        let t = self.alloc(2);
        let (cmp, a, b) = match self.class(ty) {
            Class::Int(bits, true) if bits < 64 => {
                self.sext(t, best, bits);
                self.sext(t + 1, r, bits);
                (Cmp::Int { signed: true }, t, t + 1)
            }
            Class::Int(_, signed) => (Cmp::Int { signed }, best, r),
            _ => (Cmp::Str, best, r),
        };
        let (a, b) = if min { (b, a) } else { (a, b) };
        let flag = self.temp();
        self.compare_regs(CompareOp::Lt, Operands { cmp, a, b }, ty, flag);
        let skip = self.labels.fresh();
        self.jump(Ins::JF { a: flag, o: 0 }, skip);
        self.mov(best, r, 1);
        self.bind(skip);
    }
}
