//! Function literals.
//!
//! A closure is {function, captured words...}: the address of the cell or memory of each variable that it shares with its parent,
//! and the slots of those that nobody changes any more.

use super::fun::{Fun, Parent};
use super::vars::Var;
use crate::bytecode::op::Ins;
use crate::types::typed::{ClosureId, FuncBody};

/// How a variable is passed to a function literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CapKind {
    /// All its slots.
    Value,
    /// The address of its cell.
    Cell,
    /// The address of its memory.
    Memory,
}

impl<'a> Fun<'a> {
    pub(super) fn closure_body(&self, c: ClosureId) -> &'a FuncBody {
        let body: &'a FuncBody = self.body;
        &body.closures[c.0 as usize]
    }

    /// How each capture of a function literal is passed.
    pub(super) fn capture_kinds(&self, lit: &FuncBody) -> Vec<CapKind> {
        lit.captures
            .iter()
            .map(|c| match self.var(c.outer) {
                Var::Reg(_) | Var::None => CapKind::Value,
                Var::Cell(_) => CapKind::Cell,
                Var::Mem(_) => CapKind::Memory,
            })
            .collect()
    }

    /// Copies the captured words to consecutive registers; gives the first, and how many.
    pub(super) fn gather(&mut self, lit: &FuncBody) -> (u16, u16) {
        let first = u16::try_from(self.top).unwrap_or(0);
        for c in &lit.captures {
            match self.var(c.outer) {
                Var::Reg(r) => {
                    let n = self.local_info(c.outer).slots();
                    let d = self.alloc(n);
                    self.mov(d, r, n);
                }
                Var::Cell(r) | Var::Mem(r) => {
                    let d = self.temp();
                    self.mov(d, r, 1);
                }
                Var::None => {}
            }
        }
        (first, u16::try_from(self.top).unwrap_or(0).saturating_sub(first))
    }

    /// A function literal as a value.
    pub(super) fn closure(&mut self, c: ClosureId, d: u16) {
        let lit = self.closure_body(c);
        let id = self.c.new_func(lit.name.clone(), lit.pos);
        let parent = Parent { captures: self.capture_kinds(lit), range: None };
        Fun::compile(self.c, self.src, lit, id, Some(&parent));
        let mark = self.top;
        let (a, n) = self.gather(lit);
        self.make_closure(d, id, a, n);
        self.top = mark;
    }

    /// The closure of a function and `n` captured words from `a` on.
    pub(super) fn make_closure(&mut self, d: u16, id: u32, a: u16, n: u16) {
        if n == 0 {
            let k = self.c.func_const(id);
            self.op(Ins::LoadK { d, k });
            return;
        }
        self.op(Ins::MkClosure { d, a, n });
        self.ext(0, id);
    }
}
