//! Places: what can be read from and stored to, and how.
//!
//! A [`Loc`] has the operands of a place in registers and does nothing yet: nil checks and index checks happen at the access
//! (Go specification, "Assignment statements": operands first, then the assignments).
//!
//! Invariant: `narrow` says that the access is to a scalar which may lie packed in an array, so it must have the scalar's width;
//! otherwise it is a whole word.

use super::fun::Fun;
use super::types::{Class, key};
use super::vars::Var;
use crate::bytecode::op::{Ins, NO_REG};
use crate::types::ty::Ty;
use crate::types::typed::{ExprId, ExprKind};

/// What a place starts from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    /// A run of registers.
    Reg(u16),
    /// Words of the globals.
    Global(u32),
    /// Memory; `safe` if the pointer cannot be nil.
    Ptr { p: u16, safe: bool },
    /// An element of a slice.
    Slice { s: u16, i: u16, stride: u64 },
    /// An entry of a map.
    Map { m: u16, k: u16, map: Ty },
}

/// A step from the base towards the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Bytes to a field.
    Off(u64),
    /// An element of an array of `len` elements.
    Index { i: u16, len: u64, stride: u64 },
}

/// A place.
#[derive(Clone, Debug)]
pub(super) struct Loc {
    pub(super) base: Base,
    pub(super) steps: Vec<Step>,
    pub(super) ty: Ty,
    pub(super) narrow: bool,
}

/// A place brought down to its last step.
enum Access {
    Reg(u16),
    Global(u32),
    /// Word or scalar at p + off.
    At {
        p: u16,
        off: u64,
        safe: bool,
    },
    Slice {
        s: u16,
        i: u16,
    },
    Array {
        p: u16,
        i: u16,
        len: u64,
    },
    Map {
        m: u16,
        k: u16,
        map: Ty,
    },
}

impl Loc {
    pub(super) fn new(base: Base, ty: Ty) -> Loc {
        Loc { base, steps: Vec::new(), ty, narrow: false }
    }
}

fn off32(off: u64) -> u32 {
    u32::try_from(off).unwrap_or(u32::MAX)
}

impl Fun<'_> {
    /// The place that an expression denotes; the value itself if it denotes none.
    pub(super) fn loc(&mut self, e: ExprId) -> Loc {
        let x = self.expr(e);
        match &x.kind {
            ExprKind::Local(l) => match self.var(*l) {
                Var::Reg(r) if !self.pinned.contains(l) => Loc::new(Base::Reg(r), x.ty),
                Var::Cell(p) | Var::Mem(p) => Loc::new(Base::Ptr { p, safe: true }, x.ty),
                Var::Reg(_) | Var::None => self.value_loc(e),
            },
            ExprKind::Global(g) => {
                let at = self.c.global(self.src, *g);
                if !self.info(x.ty).mem() {
                    return Loc::new(Base::Global(at), x.ty);
                }
                let p = self.temp();
                self.op(Ins::AddrG { d: p, g: at });
                Loc::new(Base::Ptr { p, safe: true }, x.ty)
            }
            ExprKind::Deref(p) => {
                let p = self.operand(*p);
                Loc { narrow: true, ..Loc::new(Base::Ptr { p, safe: false }, x.ty) }
            }
            ExprKind::Field { x: s, index } => {
                let loc = self.loc(*s);
                self.field_loc(loc, *index)
            }
            ExprKind::IndexArray { x: a, index } => {
                let loc = self.loc(*a);
                self.index_loc(loc, *index)
            }
            ExprKind::IndexSlice { x: s, index } => {
                let s = self.operand(*s);
                let i = self.index_operand(*index);
                let stride = self.info(x.ty).layout.stride();
                Loc { narrow: true, ..Loc::new(Base::Slice { s, i, stride }, x.ty) }
            }
            _ => self.value_loc(e),
        }
    }

    fn value_loc(&mut self, e: ExprId) -> Loc {
        let ty = self.expr(e).ty;
        let r = self.operand(e);
        if self.info(ty).mem() {
            return Loc::new(Base::Ptr { p: r, safe: true }, ty);
        }
        Loc::new(Base::Reg(r), ty)
    }

    /// Field `index` of the struct at `loc`.
    pub(super) fn field_loc(&mut self, mut loc: Loc, index: u32) -> Loc {
        let (ty, off) = self.c.fields(self.src, loc.ty)[index as usize];
        loc.ty = ty;
        loc.narrow = false;
        self.step_off(&mut loc, off);
        loc
    }

    fn step_off(&mut self, loc: &mut Loc, off: u64) {
        match (&mut loc.base, loc.steps.last_mut()) {
            (Base::Reg(r), _) => *r += u16::try_from(off / 8).unwrap_or(0),
            (Base::Global(g), _) => *g += off32(off / 8),
            (_, Some(Step::Off(o))) => *o += off,
            _ => loc.steps.push(Step::Off(off)),
        }
    }

    /// Element of the array at `loc`.
    fn index_loc(&mut self, mut loc: Loc, index: ExprId) -> Loc {
        let crate::types::ty::Kind::Array(len, elem) = *self.types().under(loc.ty) else {
            unreachable!("an array is indexed")
        };
        let layout = self.info(elem).layout;
        let stride = layout.stride();
        loc.ty = elem;
        loc.narrow = true;
        match self.const_int(index) {
            Some(k) if stride.is_multiple_of(8) && (k as u64) < len => {
                self.step_off(&mut loc, k as u64 * stride);
            }
            _ => {
                let i = self.index_operand(index);
                loc.steps.push(Step::Index { i, len, stride });
            }
        }
        loc
    }

    /// An index or length as a full signed word.
    pub(super) fn index_operand(&mut self, e: ExprId) -> u16 {
        self.wide_operand(e)
    }

    /// Performs all steps but the last.
    fn access(&mut self, loc: &Loc) -> Access {
        let (mut p, mut safe) = match loc.base {
            Base::Reg(r) => return Access::Reg(r),
            Base::Global(g) => return Access::Global(g),
            Base::Map { m, k, map } => return Access::Map { m, k, map },
            Base::Slice { s, i, .. } if loc.steps.is_empty() => return Access::Slice { s, i },
            Base::Slice { s, i, stride } => (self.slice_addr(s, i, stride), true),
            Base::Ptr { p, safe } => (p, safe),
        };
        let mut off = 0;
        for (k, step) in loc.steps.iter().enumerate() {
            match *step {
                Step::Off(o) => off += o,
                Step::Index { i, len, stride } => {
                    if off != 0 {
                        p = self.lea(p, off);
                        off = 0;
                    } else if !safe {
                        self.op(Ins::ChkNil { p });
                    }
                    safe = true;
                    if k + 1 == loc.steps.len() {
                        return Access::Array { p, i, len };
                    }
                    p = self.array_addr(p, i, len, stride);
                }
            }
        }
        Access::At { p, off, safe }
    }

    fn slice_addr(&mut self, s: u16, i: u16, stride: u64) -> u16 {
        let d = self.temp();
        self.op(Ins::IxAddr { d, s, i });
        self.ext(0, off32(stride));
        d
    }

    fn array_addr(&mut self, p: u16, i: u16, len: u64, stride: u64) -> u16 {
        let d = self.temp();
        self.op(Ins::AxAddr { d, p, i });
        self.ext(0, off32(len));
        self.ext(0, off32(stride));
        d
    }

    /// Address p + off, with a nil check.
    fn lea(&mut self, p: u16, off: u64) -> u16 {
        let d = self.temp();
        self.lea_to(d, p, off);
        d
    }

    fn lea_to(&mut self, d: u16, p: u16, off: u64) {
        match u16::try_from(off) {
            Ok(o) => self.op(Ins::Lea { d, p, o }),
            Err(_) => {
                self.op(Ins::LeaBig { d, p });
                self.ext(0, off32(off));
            }
        }
    }

    /// Reads a place; for a memory-resident type the address of its memory, borrowed.
    pub(super) fn load_loc(&mut self, loc: &Loc, d: u16) {
        let info = self.info(loc.ty);
        if info.mem() && !matches!(loc.base, Base::Map { .. }) {
            self.addr_loc(loc, d);
            return;
        }
        let n = info.slots();
        if n == 1
            && let Some((s, i, off, stride)) = self.slice_field(loc)
        {
            self.op(Ins::IxLoad { d, s, i });
            self.ext(off, stride);
            return;
        }
        match self.access(loc) {
            Access::Reg(r) => self.mov(d, r, n),
            Access::Global(g) => {
                for k in 0..n {
                    self.op(Ins::LoadG { d: d + k as u16, g: g + k });
                }
            }
            Access::At { p, off, safe } => {
                if loc.narrow && off == 0 {
                    self.load_scalar(d, p, loc.ty, safe);
                } else {
                    self.load_at(d, p, off, n, safe);
                }
            }
            Access::Slice { s, i } => self.load_slice(d, s, i, loc.ty),
            Access::Array { p, i, len } => self.load_array(d, p, i, len, loc.ty),
            Access::Map { m, k, map } => self.map_get(d, m, k, NO_REG, map),
        }
    }

    /// A field of a slice element, for which there are instructions: slice, index, offset, stride.
    fn slice_field(&self, loc: &Loc) -> Option<(u16, u16, u16, u32)> {
        let (Base::Slice { s, i, stride }, [Step::Off(off)], true) =
            (loc.base, loc.steps.as_slice(), self.fuse)
        else {
            return None;
        };
        Some((s, i, u16::try_from(*off).ok()?, u32::try_from(stride).ok()?))
    }

    pub(super) fn map_get(&mut self, d: u16, m: u16, k: u16, ok: u16, map: Ty) {
        let t = self.type_id(map);
        self.op(Ins::MapGet { d, m, k });
        self.ext(ok, t);
    }

    /// Reads a value of a type through a pointer to it (which may point into a packed array).
    fn load_scalar(&mut self, d: u16, p: u16, ty: Ty, safe: bool) {
        let info = self.info(ty);
        match info.layout.packed {
            1 => self.op(Ins::Load8 { d, p }),
            2 => self.op(Ins::Load16 { d, p }),
            4 => self.op(Ins::Load32 { d, p }),
            _ => self.load_at(d, p, 0, info.slots(), safe),
        }
    }

    /// Reads `n` words at p + off.
    fn load_at(&mut self, d: u16, p: u16, off: u64, n: u32, safe: bool) {
        match (n, u16::try_from(off)) {
            (0, _) if safe => {}
            (0, _) => self.op(Ins::ChkNil { p }),
            (1, Ok(o)) => self.op(Ins::Load { d, p, o }),
            _ => {
                let mark = self.top;
                let p = if off == 0 { p } else { self.lea(p, off) };
                if n == 1 {
                    self.op(Ins::Load { d, p, o: 0 });
                } else {
                    self.op(Ins::LoadN { d, p, n: u16::try_from(n).unwrap_or(u16::MAX) });
                }
                self.top = mark;
            }
        }
    }

    fn load_slice(&mut self, d: u16, s: u16, i: u16, ty: Ty) {
        let info = self.info(ty);
        match (info.layout.packed, info.slots()) {
            (1, _) => self.op(Ins::Ix8 { d, s, i }),
            (2, _) => self.op(Ins::Ix16 { d, s, i }),
            (4, _) => self.op(Ins::Ix32 { d, s, i }),
            (8, _) | (_, 1) => self.op(Ins::Ix64 { d, s, i }),
            (_, 0) => {
                let mark = self.top;
                let d = self.temp();
                self.op(Ins::IxAddr { d, s, i });
                self.ext(0, 0);
                self.top = mark;
            }
            (_, n) => {
                self.op(Ins::IxN { d, s, i });
                self.ext(u16::try_from(n).unwrap_or(u16::MAX), 0);
            }
        }
    }

    fn load_array(&mut self, d: u16, p: u16, i: u16, len: u64, ty: Ty) {
        let info = self.info(ty);
        let stride = info.layout.stride();
        match (info.layout.packed, info.slots()) {
            (1, _) => self.op(Ins::Ax8 { d, p, i }),
            (2, _) => self.op(Ins::Ax16 { d, p, i }),
            (4, _) => self.op(Ins::Ax32 { d, p, i }),
            (8, _) | (_, 1) => self.op(Ins::Ax64 { d, p, i }),
            (_, n) => {
                let mark = self.top;
                let p = self.array_addr(p, i, len, stride);
                self.load_at(d, p, 0, n, true);
                self.top = mark;
                return;
            }
        }
        self.ext(0, off32(len));
    }

    /// Stores a value: flat from registers `a`, memory-resident by copying what `a` points to.
    pub(super) fn store_loc(&mut self, loc: &Loc, a: u16) {
        let info = self.info(loc.ty);
        let mark = self.top;
        if info.mem() && !matches!(loc.base, Base::Map { .. }) {
            let d = self.temp();
            self.addr_loc(loc, d);
            self.copy_memory(d, a, loc.ty);
            self.top = mark;
            return;
        }
        let n = info.slots();
        if n == 1
            && let Some((s, i, off, stride)) = self.slice_field(loc)
        {
            self.op(Ins::IxStore { s, i, a });
            self.ext(off, stride);
            return;
        }
        match self.access(loc) {
            Access::Reg(r) => self.mov(r, a, n),
            Access::Global(g) => {
                for k in 0..n {
                    self.op(Ins::StoreG { a: a + k as u16, g: g + k });
                }
            }
            Access::At { p, off, safe } => {
                if loc.narrow && off == 0 {
                    self.store_scalar(p, a, loc.ty, safe);
                } else {
                    self.store_at(p, off, a, loc.ty, safe);
                }
            }
            Access::Slice { s, i } => self.store_slice(s, i, a, loc.ty),
            Access::Array { p, i, len } => self.store_array(p, i, len, a, loc.ty),
            Access::Map { m, k, map } => {
                let t = self.type_id(map);
                let k = self.private_key(k, map);
                self.op(Ins::MapSet { m, k, v: a });
                self.ext(0, t);
            }
        }
        self.top = mark;
    }

    /// A memory-resident key that the map may keep.
    pub(super) fn private_key(&mut self, k: u16, map: Ty) -> u16 {
        let ty = key(self.types(), map);
        if !self.info(ty).mem() {
            return k;
        }
        let d = self.temp();
        self.copy_new(d, k, ty);
        d
    }

    fn store_scalar(&mut self, p: u16, a: u16, ty: Ty, safe: bool) {
        match self.info(ty).layout.packed {
            1 => self.op(Ins::Store8 { p, a }),
            2 => self.op(Ins::Store16 { p, a }),
            4 => self.op(Ins::Store32 { p, a }),
            _ => self.store_at(p, 0, a, ty, safe),
        }
    }

    fn store_at(&mut self, p: u16, off: u64, a: u16, ty: Ty, safe: bool) {
        let info = self.info(ty);
        let n = info.slots();
        match (n, u16::try_from(off)) {
            (0, _) if safe => {}
            (0, _) => self.op(Ins::ChkNil { p }),
            (1, Ok(o)) => self.store_word(p, o, a, info.class),
            _ => {
                let p = if off == 0 { p } else { self.lea(p, off) };
                if n == 1 {
                    self.store_word(p, 0, a, info.class);
                } else {
                    self.op(Ins::StoreN { p, a, n: u16::try_from(n).unwrap_or(u16::MAX) });
                }
            }
        }
    }

    fn store_word(&mut self, p: u16, o: u16, a: u16, class: Class) {
        if matches!(class, Class::Bool | Class::Int(..) | Class::F32 | Class::F64) {
            self.op(Ins::Store { p, o, a });
        } else {
            self.op(Ins::StoreP { p, o, a });
        }
    }

    fn store_slice(&mut self, s: u16, i: u16, a: u16, ty: Ty) {
        let info = self.info(ty);
        match (info.layout.packed, info.slots()) {
            (1, _) => self.op(Ins::SetIx8 { s, i, a }),
            (2, _) => self.op(Ins::SetIx16 { s, i, a }),
            (4, _) => self.op(Ins::SetIx32 { s, i, a }),
            (8, _) | (_, 1) => self.op(Ins::SetIx64 { s, i, a }),
            (_, 0) => {
                let d = self.temp();
                self.op(Ins::IxAddr { d, s, i });
                self.ext(0, 0);
            }
            (_, n) => {
                self.op(Ins::SetIxN { s, i, a });
                self.ext(u16::try_from(n).unwrap_or(u16::MAX), 0);
            }
        }
    }

    fn store_array(&mut self, p: u16, i: u16, len: u64, a: u16, ty: Ty) {
        let info = self.info(ty);
        match (info.layout.packed, info.slots()) {
            (1, _) => self.op(Ins::SetAx8 { p, i, a }),
            (2, _) => self.op(Ins::SetAx16 { p, i, a }),
            (4, _) => self.op(Ins::SetAx32 { p, i, a }),
            (8, _) | (_, 1) => self.op(Ins::SetAx64 { p, i, a }),
            (_, _) => {
                let p = self.array_addr(p, i, len, info.layout.stride());
                self.store_at(p, 0, a, ty, true);
                return;
            }
        }
        self.ext(0, off32(len));
    }

    /// The address of a place.
    pub(super) fn addr_loc(&mut self, loc: &Loc, d: u16) {
        let mark = self.top;
        match self.access(loc) {
            Access::At { p, off: 0, safe: true } => self.mov(d, p, 1),
            Access::At { p, off, .. } => self.lea_to(d, p, off),
            Access::Slice { s, i } => {
                let stride = self.info(loc.ty).layout.stride();
                self.op(Ins::IxAddr { d, s, i });
                self.ext(0, off32(stride));
            }
            Access::Array { p, i, len } => {
                let stride = self.info(loc.ty).layout.stride();
                self.op(Ins::AxAddr { d, p, i });
                self.ext(0, off32(len));
                self.ext(0, off32(stride));
            }
            Access::Global(g) => self.op(Ins::AddrG { d, g }),
            Access::Reg(_) | Access::Map { .. } => {
                unreachable!("the checker lets only variables have an address")
            }
        }
        self.top = mark;
    }

    /// Reads the words of a value of a flat type from memory that is not an array.
    pub(super) fn load_words(&mut self, d: u16, p: u16, off: u64, ty: Ty) {
        let n = self.info(ty).slots();
        self.load_at(d, p, off, n, true);
    }

    /// Writes the words of a value of a flat type to memory that is not an array.
    pub(super) fn store_words(&mut self, p: u16, off: u64, a: u16, ty: Ty) {
        let mark = self.top;
        self.store_at(p, off, a, ty, true);
        self.top = mark;
    }
}
