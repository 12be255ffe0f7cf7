//! Assignments (Go specification, "Assignment statements").
//!
//! Phase one evaluates the operands of the places and the values; phase two does the nil and index checks and stores, left to right.

use super::fun::Fun;
use super::place::{Base, Loc, Step};
use super::types::Class;
use super::vars::Var;
use crate::bytecode::op::Ins;
use crate::source::Pos;
use crate::types::ty::{Kind, Ty};
use crate::types::typed::{BinaryOp, ExprId, ExprKind, LocalId, Place};

impl Fun<'_> {
    pub(super) fn assign(&mut self, lhs: &[Place], rhs: &[ExprId], pos: Pos) {
        let mark = self.top;
        match (lhs, rhs) {
            ([place], [value]) => self.assign_one(*place, *value, pos),
            _ => self.assign_many(lhs, rhs, pos),
        }
        self.top = mark;
    }

    fn assign_one(&mut self, place: Place, value: ExprId, pos: Pos) {
        let Some(place) = place else {
            self.discard(value);
            return;
        };
        let loc = self.target_loc(place);
        if let (Base::Reg(d), Some(l)) = (loc.base, self.root(place)) {
            self.at(pos);
            self.assign_plain(l, d, value);
            return;
        }
        let v = self.stored_value(&loc, value);
        self.at(pos);
        self.store_loc(&loc, v);
    }

    /// A value that is about to be stored: in memory it is copied there, but a map keeps what it is given.
    fn stored_value(&mut self, loc: &Loc, value: ExprId) -> u16 {
        if matches!(loc.base, Base::Map { .. }) { self.value(value) } else { self.operand(value) }
    }

    fn assign_many(&mut self, lhs: &[Place], rhs: &[ExprId], pos: Pos) {
        let roots: Vec<Option<LocalId>> =
            lhs.iter().map(|p| p.and_then(|p| self.root(p))).collect();
        self.pinned = roots.iter().flatten().copied().collect();
        let locs: Vec<Option<Loc>> = lhs.iter().map(|p| p.map(|p| self.target_loc(p))).collect();
        let mut values = Vec::with_capacity(rhs.len());
        for (k, &e) in rhs.iter().enumerate() {
            // a variable that an earlier store of this statement changes must be read now
            self.pinned = match self.expr(e).kind {
                ExprKind::Local(_) | ExprKind::Field { .. } | ExprKind::Convert(_) => {
                    roots[..k].iter().flatten().copied().collect()
                }
                _ => Vec::new(),
            };
            values.push(self.value(e));
        }
        self.pinned.clear();
        for (loc, v) in locs.iter().zip(values) {
            if let Some(loc) = loc {
                self.at(pos);
                self.store_loc(loc, v);
            }
        }
    }

    /// The place to store to; a variable in registers is that, pinned or not.
    fn target_loc(&mut self, p: ExprId) -> Loc {
        let x = self.expr(p);
        match &x.kind {
            ExprKind::Local(l) => match self.var(*l) {
                Var::Reg(r) => Loc::new(Base::Reg(r), x.ty),
                _ => self.loc(p),
            },
            ExprKind::IndexMap { x: m, key, .. } => {
                let map = self.expr(*m).ty;
                let m = self.operand(*m);
                let k = self.operand(*key);
                Loc::new(Base::Map { m, k, map }, x.ty)
            }
            ExprKind::Field { x: s, index } if self.root(p).is_some() => {
                let loc = self.target_loc(*s);
                self.field_loc(loc, *index)
            }
            _ => self.loc(p),
        }
    }

    /// The variable in registers that a place is (part of).
    fn root(&self, p: ExprId) -> Option<LocalId> {
        match &self.expr(p).kind {
            ExprKind::Local(l) => self.plain(*l).map(|_| *l),
            ExprKind::Field { x, .. } => self.root(*x),
            _ => None,
        }
    }

    /// `a, b = f()`
    pub(super) fn assign_tuple(
        &mut self,
        lhs: &[Place],
        temps: &[LocalId],
        x: ExprId,
        values: &[ExprId],
        pos: Pos,
    ) {
        let mark = self.top;
        let roots: Vec<LocalId> = lhs.iter().filter_map(|p| p.and_then(|p| self.root(p))).collect();
        self.pinned = roots;
        let locs: Vec<Option<Loc>> = lhs.iter().map(|p| p.map(|p| self.target_loc(p))).collect();
        self.pinned.clear();
        self.bind_tuple(x, temps);
        for (loc, &value) in locs.iter().zip(values) {
            let mark = self.top;
            if let Some(loc) = loc {
                let v = self.stored_value(loc, value);
                self.at(pos);
                self.store_loc(loc, v);
            }
            self.top = mark;
        }
        self.top = mark;
    }

    /// New variables from an expression with several results.
    pub(super) fn declare_tuple(&mut self, x: ExprId, locals: &[Option<LocalId>]) {
        let e = self.expr(x);
        let owned = matches!(e.kind, ExprKind::Call(_) | ExprKind::Recv { .. });
        let Kind::Tuple(types) = self.types().kind(e.ty).clone() else { return };
        let mut at = self.operand(x);
        for (local, ty) in locals.iter().zip(types) {
            if let Some(l) = *local {
                self.declare_from(l, at, owned, true);
            }
            at += u16::try_from(self.info(ty).slots()).unwrap_or(0);
        }
    }

    /// `lhs op= rhs`
    pub(super) fn op_assign(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId, pos: Pos) {
        let mark = self.top;
        let class = self.info_of(lhs).class;
        let loc = self.target_loc(lhs);
        if let Base::Reg(d) = loc.base {
            if !self.multiply_add(op, d, rhs, class) {
                self.operate_expr(op, d, rhs, class, pos, d);
            }
            self.top = mark;
            return;
        }
        if self.fuse && self.update_in_place(op, &loc, rhs, class, pos) {
            self.top = mark;
            return;
        }
        let n = self.slots_of(lhs);
        let d = self.alloc(n);
        let ahead = !matches!(self.expr(rhs).kind, ExprKind::Const(_));
        if ahead {
            let r = self.operand(rhs);
            self.ready.push((rhs, r));
        }
        self.at(pos);
        self.load_loc(&loc, d);
        self.operate_expr(op, d, rhs, class, pos, d);
        if ahead {
            self.ready.pop();
        }
        self.at(pos);
        self.store_loc(&loc, d);
        self.top = mark;
    }

    /// `d += a * b` as one instruction.
    fn multiply_add(&mut self, op: BinaryOp, d: u16, rhs: ExprId, class: Class) -> bool {
        if op != BinaryOp::Add || !self.fuse || self.ready.iter().any(|r| r.0 == rhs) {
            return false;
        }
        let ExprKind::Binary(BinaryOp::Mul, a, b) = self.expr(rhs).kind else { return false };
        if self.const_int(a).is_some() || self.const_int(b).is_some() {
            return false;
        }
        let ins: fn(u16, u16, u16) -> Ins = match class {
            Class::F64 => |d, a, b| Ins::MulAddF { d, a, b },
            Class::Int(64, _) => |d, a, b| Ins::MulAddI { d, a, b },
            _ => return false,
        };
        let (a, b) = (self.operand(a), self.operand(b));
        self.op(ins(d, a, b));
        true
    }

    /// `x += y` and `x -= y` on a word of memory, an element of a slice or a map, as one instruction.
    fn update_in_place(
        &mut self,
        op: BinaryOp,
        loc: &Loc,
        rhs: ExprId,
        class: Class,
        pos: Pos,
    ) -> bool {
        if !matches!(op, BinaryOp::Add | BinaryOp::Sub)
            || !matches!(class, Class::F64 | Class::Int(64, _))
        {
            return false;
        }
        let float = class == Class::F64;
        let sub = op == BinaryOp::Sub;
        let k = self.small(rhs).and_then(|k| if sub { k.checked_neg() } else { Some(k) });
        let k = if float { None } else { k };
        let memory = matches!(loc.base, Base::Ptr { .. });
        if (sub && k.is_none() && !(float && memory))
            || (float && matches!(loc.base, Base::Map { .. }))
        {
            return false;
        }
        let off = match loc.steps.as_slice() {
            [] => 0,
            [Step::Off(off)] if memory => *off,
            _ => return false,
        };
        let Ok(o) = u16::try_from(off) else { return false };
        let a = if k.is_none() { self.operand(rhs) } else { 0 };
        self.at(pos);
        match loc.base {
            Base::Ptr { p, .. } => self.op(match (k, float, sub) {
                (Some(i), ..) => Ins::AddMemK { p, o, i },
                (None, true, true) => Ins::SubMemF { p, o, a },
                (None, true, false) => Ins::AddMemF { p, o, a },
                (None, false, _) => Ins::AddMem { p, o, a },
            }),
            Base::Slice { s, i, .. } => self.op(match (k, float) {
                (Some(k), _) => Ins::AddIxK { s, i, k },
                (None, true) => Ins::AddIxF { s, i, a },
                (None, false) => Ins::AddIx { s, i, a },
            }),
            Base::Global(g) => self.op(match (k, float) {
                (Some(i), _) => Ins::AddGK { i, g },
                (None, true) => Ins::AddGF { a, g },
                (None, false) => Ins::AddG { a, g },
            }),
            Base::Map { m, k: key, map } => self.map_add((m, key, map), k, a),
            Base::Reg(_) => unreachable!("registers are operated on directly"),
        }
        true
    }

    /// `m[key] += a`, or a constant.
    fn map_add(&mut self, (m, key, map): (u16, u16, Ty), constant: Option<i16>, a: u16) {
        let k = self.private_key(key, map);
        let a = match constant {
            Some(c) => {
                let t = self.temp();
                self.load_word(t, i64::from(c).cast_unsigned());
                t
            }
            None => a,
        };
        let t = self.type_id(map);
        self.op(Ins::MapAdd { m, k, a });
        self.ext(0, t);
    }
}
