//! Which registers an instruction reads and writes, where it jumps, and what window it calls with.
//!
//! The roles of the opcode table say it for most opcodes; the rest (role `Special`) are spelled out here. The verifier and
//! liveness analysis read nothing else, so they agree.
//!
//! Invariant: indexes that are out of range count as empty; the verifier reports them, nothing here panics.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "opcodes without special operands are covered by their roles"
)]

use super::module::{Func, Module, SelectTable, TypeKind};
use super::op::{HEADER, Ins, NO_REG, Role};

/// A run of registers: first, and how many.
pub type Run = (u16, u32);

/// What an instruction does to the frame.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    pub uses: Vec<Run>,
    pub defs: Vec<Run>,
    /// A call's window, with the slots of arguments and of results (of a func value, only what is known: 0).
    pub window: Option<(u16, u32, u32)>,
    /// Instruction it may jump to.
    pub target: Option<i64>,
}

impl Effects {
    fn clear(&mut self) {
        self.uses.clear();
        self.defs.clear();
        self.window = None;
        self.target = None;
    }

    fn used(&mut self, r: u16, n: u32) {
        if n > 0 {
            self.uses.push((r, n));
        }
    }

    fn defined(&mut self, r: u16, n: u32) {
        if r != NO_REG && n > 0 {
            self.defs.push((r, n));
        }
    }
}

/// Whether control goes on to the next instruction.
pub fn falls_through(ins: Ins) -> bool {
    !matches!(
        ins,
        Ins::Jmp { .. }
            | Ins::Loop { .. }
            | Ins::Ret { .. }
            | Ins::Ret1 { .. }
            | Ins::RetI { .. }
            | Ins::RetAddI { .. }
            | Ins::Ret0 {}
            | Ins::Panic { .. }
            | Ins::Unreachable {}
    )
}

/// Whether it is one of the back edges.
pub fn is_loop(ins: Ins) -> bool {
    matches!(
        ins,
        Ins::Loop { .. }
            | Ins::LoopT { .. }
            | Ins::LoopF { .. }
            | Ins::LoopLtI { .. }
            | Ins::LoopLeI { .. }
            | Ins::LoopNeI { .. }
            | Ins::LoopLtIK { .. }
            | Ins::LoopGeIK { .. }
            | Ins::LoopLtF { .. }
            | Ins::LoopLeF { .. }
            | Ins::LoopNeIK { .. }
            | Ins::LoopIncLtI { .. }
            | Ins::LoopIncLtIK { .. }
            | Ins::LoopIncLtLen { .. }
    )
}

/// The `k`-th operand word of the instruction at `pc`.
pub fn ext(func: &Func, pc: usize, k: usize) -> (u16, u32) {
    match func.code.get(pc + 1 + k) {
        Some(Ins::Ext { a, b }) => (*a, *b),
        _ => (0, 0),
    }
}

/// What one must know of the tables to know what an instruction does: the compiler's module has it, and so has the machine.
pub trait Shapes {
    /// Slots of a type in registers.
    fn slots(&self, ty: u32) -> u32;
    /// Slots of keys and values of a map type.
    fn map_slots(&self, ty: u32) -> (u32, u32);
    /// Slots of parameters and results of a function.
    fn func(&self, f: u32) -> Option<(u32, u32)>;
    /// The same of a method, without the receiver.
    fn method(&self, m: u32) -> (u32, u32);
    /// The same of a native.
    fn native(&self, x: u32) -> Option<(u32, u32)>;
    /// A select table.
    fn select(&self, t: u32) -> Option<&SelectTable>;
}

impl Shapes for Module {
    fn slots(&self, ty: u32) -> u32 {
        self.types.get(ty as usize).map_or(0, |t| u32::from(t.slots))
    }

    fn map_slots(&self, ty: u32) -> (u32, u32) {
        match self.types.get(ty as usize).map(|t| &t.kind) {
            Some(TypeKind::Map(k, v)) => (self.slots(*k), self.slots(*v)),
            _ => (0, 0),
        }
    }

    fn func(&self, f: u32) -> Option<(u32, u32)> {
        self.funcs.get(f as usize).map(|f| (f.params, f.results))
    }

    fn method(&self, m: u32) -> (u32, u32) {
        let sig = self.methods.get(m as usize).map_or(0, |m| m.sig);
        match self.types.get(sig as usize).map(|t| &t.kind) {
            Some(TypeKind::Func { params, results, .. }) => {
                let sum = |list: &[u32]| list.iter().map(|&t| self.slots(t)).sum();
                (sum(params), sum(results))
            }
            _ => (0, 0),
        }
    }

    fn native(&self, x: u32) -> Option<(u32, u32)> {
        self.natives.get(x as usize).map(|n| (u32::from(n.params), u32::from(n.results)))
    }

    fn select(&self, t: u32) -> Option<&SelectTable> {
        self.selects.get(t as usize)
    }
}

/// Fills `out` with the effects of the instruction at `pc`.
pub fn effects(module: &dyn Shapes, func: &Func, pc: usize, out: &mut Effects) {
    out.clear();
    let ins = func.code[pc];
    let operands = ins.operands();
    let count = operands.iter().find(|o| o.name == "n").map_or(0, |o| o.value.max(0));
    let count = u32::try_from(count).unwrap_or(0);
    for o in operands.iter() {
        let r = u16::try_from(o.value).unwrap_or(0);
        match o.role {
            Role::Def | Role::OptDef => out.defined(r, 1),
            Role::Use => out.used(r, 1),
            Role::UseDef => {
                out.used(r, 1);
                out.defined(r, 1);
            }
            Role::DefN => out.defined(r, count),
            Role::UseN => out.used(r, count),
            Role::Jump => {
                let next = pc as i64 + 1 + ins.ext_words() as i64;
                out.target = Some(next + o.value);
            }
            _ => {}
        }
    }
    calls(module, ins, out);
    special(module, func, pc, out);
    memory(module, func, pc, out);
    if let Ins::Select { t, .. } = ins {
        select(module, t, out);
    }
    if let Some((w, args, _)) = out.window {
        out.used(w + HEADER, args);
    }
}

fn calls(module: &dyn Shapes, ins: Ins, out: &mut Effects) {
    out.window = match ins {
        Ins::Call { w, f } => module.func(f).map(|(p, r)| (w, p, r)),
        Ins::Go { w, f } => module.func(f).map(|(p, _)| (w, p, 0)),
        Ins::CallC { w, n, .. } | Ins::GoC { w, n, .. } => Some((w, u32::from(n), 0)),
        Ins::RunDefers { w } => Some((w, 0, 0)),
        Ins::CallI { w, m } => {
            let (params, results) = module.method(m);
            Some((w, params + 1, results))
        }
        Ins::CallN { w, x } => module.native(x).map(|(p, r)| (w, p, r)),
        Ins::CallLock { w, .. } | Ins::CallLockAdd { w, .. } | Ins::CallUnlock { w, .. } => {
            Some((w, 0, 0))
        }
        _ => None,
    };
}

/// Special operands of slices, strings and interfaces.
fn special(module: &dyn Shapes, func: &Func, pc: usize, out: &mut Effects) {
    let (ea, eb) = ext(func, pc, 0);
    match func.code[pc] {
        Ins::EqT { a, b, .. } => {
            out.used(a, module.slots(eb));
            out.used(b, module.slots(eb));
        }
        Ins::IxN { d, .. } => out.defined(d, u32::from(ea)),
        Ins::SetIxN { a, .. } => out.used(a, u32::from(ea)),
        Ins::Slice { w, .. } | Ins::SliceStr { w, .. } | Ins::SliceArr { w, .. } => {
            for k in 0..3 {
                if ea & (1 << k) != 0 {
                    out.used(w.saturating_add(k), 1);
                }
            }
        }
        Ins::Append { a, .. } => out.used(a, module.slots(eb)),
        Ins::AppendN { a, .. } => out.used(a, u32::from(ea) * module.slots(eb)),
        Ins::DecodeRune { r, .. } => out.defined(r, 2),
        Ins::MkIface { a, .. } => out.used(a, module.slots(eb)),
        Ins::Unbox { d, .. } | Ins::AssertT { d, .. } => out.defined(d, module.slots(eb)),
        Ins::AssertTOk { d, .. } => {
            out.defined(d, module.slots(eb));
            out.defined(ea, 1);
        }
        _ => {}
    }
}

/// Special operands of maps and channels.
fn memory(module: &dyn Shapes, func: &Func, pc: usize, out: &mut Effects) {
    let (ea, eb) = ext(func, pc, 0);
    match func.code[pc] {
        Ins::MapGet { d, k, .. } => {
            let (ks, vs) = module.map_slots(eb);
            out.used(k, ks);
            out.defined(d, vs);
            out.defined(ea, 1);
        }
        Ins::MapSet { k, v, .. } => {
            let (ks, vs) = module.map_slots(eb);
            out.used(k, ks);
            out.used(v, vs);
        }
        Ins::MapDelete { k, .. } | Ins::MapAdd { k, .. } => out.used(k, module.map_slots(eb).0),
        Ins::MapNext { k, v, .. } => {
            let (ks, vs) = module.map_slots(ext(func, pc, 1).1);
            out.defined(k, ks);
            out.defined(v, vs);
            out.target = Some(pc as i64 + 3 + i64::from(eb.cast_signed()));
        }
        Ins::Send { v, .. } => out.used(v, u32::from(ea)),
        Ins::Recv { d, .. } => out.defined(d, u32::from(ea)),
        _ => {}
    }
}

fn select(module: &dyn Shapes, t: u32, out: &mut Effects) {
    let Some(table) = module.select(t) else { return };
    for case in &table.cases {
        out.used(case.chan, 1);
        if case.send {
            out.used(case.value, u32::from(case.slots));
        } else {
            out.defined(case.value, u32::from(case.slots));
            out.defined(case.ok, 1);
        }
    }
}
