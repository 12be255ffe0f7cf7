//! Variables: where each lives, how it comes to life, how it is read and written as a whole.
//!
//! A variable is a run of registers; or, if something else can refer to it (`addr_taken`, or captured and reassigned), a cell on
//! the heap whose address is in a register; or, if its type is memory-resident, a register with the address of its memory,
//! which also serves as its cell.

use super::closure::CapKind;
use super::fun::{Fun, Parent, Results};
use crate::bytecode::op::Ins;
use crate::types::ty::{Kind, Ty};
use crate::types::typed::{ExprId, Local, LocalId};

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Var {
    /// Not declared yet.
    None,
    /// In registers from here on.
    Reg(u16),
    /// In a cell; the register has its address.
    Cell(u16),
    /// Memory-resident; the register has the address.
    Mem(u16),
}

fn needs_cell(local: &Local) -> bool {
    local.addr_taken || (local.captured && local.reassigned)
}

impl Fun<'_> {
    pub(super) fn local(&self, l: LocalId) -> &Local {
        &self.body.locals[l.0 as usize]
    }

    pub(super) fn var(&self, l: LocalId) -> Var {
        let var = self.vars[l.0 as usize];
        debug_assert!(var != Var::None, "{} is used before it is declared", self.local(l).name);
        var
    }

    /// Something outside the frame may refer to the variable.
    pub(super) fn shared(&self, l: LocalId) -> bool {
        let local = self.local(l);
        local.addr_taken || local.captured
    }

    /// The variable in registers, if it is there.
    pub(super) fn plain(&self, l: LocalId) -> Option<u16> {
        match self.vars[l.0 as usize] {
            Var::Reg(r) => Some(r),
            Var::None | Var::Cell(_) | Var::Mem(_) => None,
        }
    }

    pub(super) fn wants_registers(&mut self, l: LocalId) -> bool {
        !needs_cell(self.local(l)) && !self.local_info(l).mem()
    }

    /// New variable without a value yet: registers, or a register that will get the address of its memory.
    pub(super) fn place_var(&mut self, l: LocalId) -> Var {
        let info = self.local_info(l);
        let var = if info.mem() {
            Var::Mem(self.temp())
        } else if needs_cell(self.local(l)) {
            Var::Cell(self.temp())
        } else {
            Var::Reg(self.alloc(info.slots()))
        };
        self.vars[l.0 as usize] = var;
        var
    }

    /// Declares a variable with its zero value.
    pub(super) fn declare_zero(&mut self, l: LocalId) {
        let var = self.place_var(l);
        self.zero_var(l, var);
    }

    fn zero_var(&mut self, l: LocalId, var: Var) {
        match var {
            Var::Reg(r) => {
                let n = self.local_info(l).slots();
                self.zero(r, n);
            }
            Var::Cell(r) | Var::Mem(r) => self.new_memory(r, self.local(l).ty),
            Var::None => {}
        }
    }

    /// Declares a variable with the value of an expression.
    pub(super) fn declare(&mut self, l: LocalId, init: ExprId) {
        let mark = self.top;
        if self.wants_registers(l) && self.lands(init) {
            let r = self.operand(init);
            self.vars[l.0 as usize] = Var::Reg(r);
            self.top = u32::from(r) + self.local_info(l).slots();
            return;
        }
        match self.place_var(l) {
            Var::Reg(r) => self.expr_to(init, r),
            Var::Mem(r) => self.own_to(init, r),
            Var::Cell(r) => {
                let v = self.operand(init);
                self.cell(l, r, v);
            }
            Var::None => {}
        }
        self.top = mark + u32::from(self.var_slots(l));
    }

    fn var_slots(&mut self, l: LocalId) -> u16 {
        match self.vars[l.0 as usize] {
            Var::Reg(_) => u16::try_from(self.local_info(l).slots()).unwrap_or(0),
            Var::Cell(_) | Var::Mem(_) => 1,
            Var::None => 0,
        }
    }

    /// Declares a variable whose flat value, or owned memory, is in registers from `r` on. With `keep` those registers
    /// may become the variable.
    pub(super) fn declare_from(&mut self, l: LocalId, r: u16, owned: bool, keep: bool) {
        let info = self.local_info(l);
        if info.mem() && owned && keep {
            self.vars[l.0 as usize] = Var::Mem(r);
            return;
        }
        if keep && self.wants_registers(l) {
            self.vars[l.0 as usize] = Var::Reg(r);
            return;
        }
        match self.place_var(l) {
            Var::Reg(d) => self.mov(d, r, info.slots()),
            Var::Cell(d) => self.cell(l, d, r),
            Var::Mem(d) if owned => self.mov(d, r, 1),
            Var::Mem(d) => self.copy_new(d, r, self.local(l).ty),
            Var::None => {}
        }
    }

    /// A new cell for `l` with the value in `v`.
    fn cell(&mut self, l: LocalId, r: u16, v: u16) {
        let ty = self.local(l).ty;
        self.new_memory(r, ty);
        self.store_words(r, 0, v, ty);
    }

    /// New zeroed memory for a value of a type.
    pub(super) fn new_memory(&mut self, d: u16, ty: Ty) {
        let t = self.type_id(ty);
        self.op(Ins::New { d, t });
    }

    /// New memory with a copy of what `p` points to.
    pub(super) fn copy_new(&mut self, d: u16, p: u16, ty: Ty) {
        if d == p {
            let t = self.temp();
            self.mov(t, p, 1);
            self.new_memory(d, ty);
            self.copy_memory(d, t, ty);
            return;
        }
        self.new_memory(d, ty);
        self.copy_memory(d, p, ty);
    }

    /// Copies a memory-resident value.
    pub(super) fn copy_memory(&mut self, d: u16, s: u16, ty: Ty) {
        if let Some(bytes) = self.packed_bytes(ty) {
            self.op(Ins::CopyBytes { d, s });
            self.ext(0, bytes);
            return;
        }
        let words = self.info(ty).words();
        match u16::try_from(words) {
            Ok(n) => self.op(Ins::CopyMem { d, s, n }),
            Err(_) => {
                self.op(Ins::CopyMemBig { d, s });
                self.ext(0, u32::try_from(words).unwrap_or(u32::MAX));
            }
        }
    }

    /// The size of an array of packed elements: a slice converted to a pointer to one points anywhere into a longer array.
    fn packed_bytes(&mut self, ty: Ty) -> Option<u32> {
        let &Kind::Array(n, elem) = self.types().under(ty) else { return None };
        let width = self.info(elem).layout.packed;
        if !matches!(width, 1 | 2 | 4) {
            return None;
        }
        u32::try_from(n * u64::from(width)).ok()
    }

    /// The parameters, in the first slots; then cells for those that need one.
    pub(super) fn params(&mut self) {
        let body = self.body;
        let mut regs = Vec::with_capacity(body.params.len());
        for &p in &body.params {
            let n = self.local_info(p).slots();
            regs.push(self.alloc(n));
        }
        for (&p, r) in body.params.iter().zip(regs) {
            self.declare_from(p, r, true, true);
        }
    }

    /// The captured variables, loaded into registers.
    pub(super) fn captured(&mut self, parent: &Parent) {
        let body = self.body;
        let mut at = 0u16;
        for (capture, kind) in body.captures.iter().zip(&parent.captures) {
            let n = match kind {
                CapKind::Value => self.local_info(capture.inner).slots(),
                CapKind::Cell | CapKind::Memory => 1,
            };
            let r = self.alloc(n);
            for k in 0..u16::try_from(n).unwrap_or(0) {
                self.op(Ins::LoadCap { d: r + k, i: at });
                at += 1;
            }
            self.vars[capture.inner.0 as usize] = match kind {
                CapKind::Value => Var::Reg(r),
                CapKind::Cell => Var::Cell(r),
                CapKind::Memory => Var::Mem(r),
            };
        }
        if let Some(range) = &parent.range {
            self.enter_range_body(range, at);
        }
    }

    /// The result variables, where there are any.
    pub(super) fn result_vars(&mut self) {
        let body = self.body;
        if self.range.is_some() {
            self.result_slots = 1;
            return;
        }
        self.result_slots = body.results.iter().map(|&r| self.local_info(r).slots()).sum();
        let wanted = body.named_results
            || body.has_defer
            || body.results.iter().any(|&r| self.local(r).captured);
        if !wanted {
            return;
        }
        self.results = Results::Vars;
        for &r in &body.results {
            let var = if self.local(r).captured && !self.local_info(r).mem() {
                let var = Var::Cell(self.temp());
                self.vars[r.0 as usize] = var;
                var
            } else {
                self.place_var(r)
            };
            self.zero_var(r, var);
        }
    }

    /// Returns the values of the result variables.
    pub(super) fn return_vars(&mut self) {
        let body = self.body;
        let n = self.result_slots;
        let Some(&first) = body.results.first() else {
            self.op(Ins::Ret0 {});
            return;
        };
        let mut next = self.plain(first).map(u32::from);
        for &r in &body.results {
            let slots = self.local_info(r).slots();
            next = match (next, self.plain(r)) {
                (Some(at), Some(reg)) if at == u32::from(reg) => Some(at + slots),
                _ => None,
            };
        }
        if next.is_some() {
            let a = self.plain(first).unwrap_or(0);
            self.ret(a, n);
            return;
        }
        let a = self.alloc(n);
        let mut at = a;
        for &r in &body.results {
            let slots = self.local_info(r).slots();
            self.take_local(r, at);
            at += u16::try_from(slots).unwrap_or(0);
        }
        self.ret(a, n);
    }

    /// The value of a variable that is about to die, owned.
    pub(super) fn take_local(&mut self, l: LocalId, d: u16) {
        match self.var(l) {
            Var::Reg(r) => {
                let n = self.local_info(l).slots();
                self.mov(d, r, n);
            }
            Var::Cell(r) => self.load_words(d, r, 0, self.local(l).ty),
            Var::Mem(r) if self.shared(l) => self.copy_new(d, r, self.local(l).ty),
            Var::Mem(r) => self.mov(d, r, 1),
            Var::None => {}
        }
    }

    /// The return of `a`. The frame is gone then, so an instruction that only made `a` may be part of it.
    fn ret_one(&mut self, a: u16) -> Ins {
        let fused = match self.code.last() {
            Some(&Ins::LoadI { d, i }) if d == a => Ins::RetI { i },
            Some(&Ins::AddI { d, a: x, b: y }) if d == a => Ins::RetAddI { a: x, b: y },
            _ => return Ins::Ret1 { a },
        };
        if !self.fuse || self.bound == self.code.len() {
            return Ins::Ret1 { a };
        }
        self.code.pop();
        fused
    }

    pub(super) fn ret(&mut self, a: u16, n: u32) {
        match n {
            0 => self.op(Ins::Ret0 {}),
            1 => {
                let ins = self.ret_one(a);
                self.op(ins);
            }
            _ => self.op(Ins::Ret { a, n: u16::try_from(n).unwrap_or(u16::MAX) }),
        }
    }

    /// Gives each variable that has memory of its own new memory with the same value: a new iteration begins.
    pub(super) fn renew(&mut self, locals: &[LocalId]) {
        for &l in locals {
            let ty = self.local(l).ty;
            match self.vars[l.0 as usize] {
                Var::Cell(r) => {
                    let mark = self.top;
                    let n = self.info(ty).slots();
                    let v = self.alloc(n);
                    self.load_words(v, r, 0, ty);
                    self.new_memory(r, ty);
                    self.store_words(r, 0, v, ty);
                    self.top = mark;
                }
                Var::Mem(r) if self.shared(l) => {
                    let mark = self.top;
                    self.copy_new(r, r, ty);
                    self.top = mark;
                }
                Var::Mem(_) | Var::Reg(_) | Var::None => {}
            }
        }
    }
}
