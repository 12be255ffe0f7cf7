//! What a handler works on: the registers of the running frame and what stands behind them.
//!
//! A [`Frame`] is three machine words (pc, base, fuel) and a pointer to the [`Env`]. Handlers pass it on by value, word by word in the
//! arguments of a call, so that it stays in machine registers from one instruction to the next.

use crate::bytecode::op::{HEADER, Ins};
use crate::natives::{Ncx, Outcome};
use crate::sched::{Cx, Exit, GRef};
use crate::value::{Alloc, mem};

use super::co::{Co, Pending};
use super::frames::{
    at, entry, ext, fetch, in_a_branch, no_such_operands, rd, return_pc, set_return, window,
    window_before, wr,
};
use super::machine::{Entry, Vm};
use super::ops::checked;
use super::run::{Step, alloc, co_of, resume};
use super::trap::Trap;

/// Why the handlers stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Stop {
    /// A nil pointer was used.
    Nil,
    /// Division by zero.
    Divide,
    /// The index and length in [`Env::index`].
    Index,
    /// The trap that [`Env::trap`] holds.
    Trap,
    /// The M is given up, with [`Env::exit`].
    Leave,
    /// The budget is used up, at a safe point.
    Poll,
}

/// What an instruction comes to: the next one, or a stop.
pub(super) type Flow = Result<(), Stop>;

/// What all instructions of a goroutine share.
pub(super) struct Env<'v, 'c> {
    pub(super) vm: &'v Vm,
    pub(super) cx: &'v mut Cx<'c, Vm>,
    pub(super) g: GRef,
    pub(super) co: &'v mut Co,
    /// The end of the goroutine's stack.
    pub(super) limit: *mut u64,
    /// The tables of `vm` that handlers use most.
    pub(super) entries: *const Entry,
    pub(super) consts: *const u64,
    pub(super) globals: u64,
    /// Where the goroutine stands while no handler runs.
    pub(super) pc: *const Ins,
    pub(super) base: *mut u64,
    pub(super) fuel: i64,
    /// Where the machine's own stack stood when the first handler was called.
    pub(super) floor: usize,
    /// Why the handlers stopped.
    pub(super) stop: Option<Stop>,
    pub(super) trap: Option<Trap>,
    /// An index that is out of range, and the length.
    pub(super) index: (u64, u64),
    pub(super) exit: Option<Exit>,
}

impl<'v, 'c> Env<'v, 'c> {
    /// For a goroutine that was resumed.
    pub(super) fn new(vm: &'v Vm, cx: &'v mut Cx<'c, Vm>, g: GRef) -> Env<'v, 'c> {
        let (co, fuel) = (co_of(cx, g), cx.fuel);
        let mut env = Env {
            vm,
            cx,
            g,
            co,
            limit: std::ptr::null_mut(),
            entries: vm.entries.as_ptr(),
            consts: vm.consts.as_ptr(),
            globals: vm.global(0),
            pc: std::ptr::null(),
            base: std::ptr::null_mut(),
            fuel,
            floor: 0,
            stop: None,
            trap: None,
            index: (0, 0),
            exit: None,
        };
        env.reload();
        env
    }

    /// Turns to another goroutine of the P.
    pub(super) fn take(&mut self, g: GRef) {
        self.g = g;
        self.co = co_of(self.cx, g);
        self.fuel = self.cx.fuel;
    }

    /// Reads the state in the `Co`.
    pub(super) fn reload(&mut self) {
        self.pc = self.co.pc;
        self.base = self.co.base_ptr(self.co.base);
        self.limit = self.co.stack.as_mut_ptr().wrapping_add(self.co.stack.len());
    }

    /// Writes the state back (R1).
    pub(super) fn save(&mut self) {
        self.co.pc = self.pc;
        self.co.base = offset(self.co, self.base);
    }

    /// The goroutine gives up the M; the next one of this P takes over, if there is one.
    #[inline(never)]
    pub(super) fn leave(&mut self, exit: Exit) -> Flow {
        self.cx.fuel = self.fuel;
        let Some(next) = self.cx.switch(self.g, exit) else { return self.give_up(Exit::Switched) };
        self.take(next);
        if let Some(exit) = resume(self.vm, self.cx, next) {
            return self.give_up(exit);
        }
        self.reload();
        Ok(())
    }

    #[cold]
    fn give_up(&mut self, exit: Exit) -> Flow {
        self.exit = Some(exit);
        Err(Stop::Leave)
    }

    #[cold]
    #[inline(never)]
    fn set_trap(&mut self, trap: Trap) -> Stop {
        self.trap = Some(trap);
        Stop::Trap
    }
}

/// The offset of a base in its stack.
fn offset(co: &Co, base: *mut u64) -> usize {
    (base as usize - co.stack.as_ptr() as usize) / 8
}

/// See the head of the file.
pub(super) struct Frame<'e, 'v, 'c> {
    /// This instruction.
    pub(super) here: *const Ins,
    /// From it to the next one. (Apart, so that the sum is computed last and takes no register before.)
    step: isize,
    pub(super) base: *mut u64,
    /// What is left of the budget.
    pub(super) fuel: i64,
    pub(super) env: &'e mut Env<'v, 'c>,
}

impl<'e, 'v, 'c> Frame<'e, 'v, 'c> {
    /// At an instruction.
    #[inline(always)]
    pub(super) fn new(
        here: *const Ins,
        base: *mut u64,
        fuel: i64,
        env: &'e mut Env<'v, 'c>,
    ) -> Self {
        Frame { here, step: 1, base, fuel, env }
    }

    /// Writes it into the `Env`.
    #[inline(always)]
    pub(super) fn put_down(&mut self) {
        (self.env.pc, self.env.base, self.env.fuel) = (self.pc(), self.base, self.fuel);
    }

    /// Reads it from the `Env`.
    #[inline(always)]
    pub(super) fn taken_up(env: &'e mut Env<'v, 'c>) -> Self {
        Frame { here: env.pc, step: 0, base: env.base, fuel: env.fuel, env }
    }

    /// The next instruction.
    #[inline(always)]
    pub(super) fn pc(&self) -> *const Ins {
        self.here.wrapping_offset(self.step)
    }

    /// Goes to an instruction.
    #[inline(always)]
    pub(super) fn go_to(&mut self, pc: *const Ins) {
        (self.here, self.step) = (pc, 0);
    }

    /// Reads a register.
    #[inline(always)]
    pub(super) fn r(&self, r: u16) -> u64 {
        rd(self.base, r)
    }

    /// Writes a register.
    #[inline(always)]
    pub(super) fn set(&self, r: u16, v: u64) {
        wr(self.base, r, v);
    }

    /// The address of a register.
    #[inline(always)]
    pub(super) fn at(&self, r: u16) -> *mut u64 {
        at(self.base, r)
    }

    /// The address of a global.
    #[inline(always)]
    pub(super) fn global(&self, word: u32) -> u64 {
        self.env.globals + u64::from(word) * 8
    }

    /// Executes this instruction again.
    #[inline(always)]
    pub(super) fn again(&mut self) {
        self.step = 0;
    }

    /// Takes the next operand word.
    #[inline(always)]
    pub(super) fn ext(&mut self) -> (u16, u32) {
        let e = ext(self.pc());
        self.step += 1;
        e
    }

    /// A jump forwards.
    #[inline(always)]
    pub(super) fn jump(&mut self, o: isize) {
        self.step += in_a_branch(o);
    }

    /// A jump backwards, which is charged and a safe point.
    #[inline(always)]
    pub(super) fn back(&mut self, o: isize) -> Flow {
        self.step += in_a_branch(o);
        self.charge(-(o as i64))
    }

    /// Takes fuel, at a safe point.
    #[inline(always)]
    pub(super) fn charge(&mut self, cost: i64) -> Flow {
        self.fuel -= cost;
        if self.fuel < 0 { Err(Stop::Poll) } else { Ok(()) }
    }

    /// A register that holds a pointer which must not be nil.
    #[inline(always)]
    pub(super) fn pointer(&self, p: u16) -> Result<u64, Stop> {
        let p = self.r(p);
        if p == 0 { Err(Stop::Nil) } else { Ok(p) }
    }

    /// The address of the data and the checked index of a slice or string.
    #[inline(always)]
    pub(super) fn index(&mut self, s: u16, i: u16) -> Result<(u64, u64), Stop> {
        let i = self.r(i);
        match checked(self.r(s), i) {
            Ok(data) => Ok((data, i)),
            Err(len) => Err(self.out_of_range(i, len)),
        }
    }

    /// The address and the checked index of an array in memory; the length is in the operand word.
    #[inline(always)]
    pub(super) fn array(&mut self, p: u16, i: u16) -> Result<(u64, u64), Stop> {
        let (_, len) = self.ext();
        let (p, i) = (self.pointer(p)?, self.r(i));
        if i >= u64::from(len) {
            return Err(self.out_of_range(i, u64::from(len)));
        }
        Ok((p, i))
    }

    #[inline(always)]
    fn out_of_range(&mut self, i: u64, len: u64) -> Stop {
        self.env.index = (i, len);
        Stop::Index
    }

    /// The function `f`, if there is room for its frame at the window `w`.
    #[inline(always)]
    pub(super) fn fits(&mut self, w: u16, f: u64) -> Option<Entry> {
        let entry = entry(self.env.entries, f);
        let top = window(self.base, w).wrapping_add(entry.nslots as usize);
        (top <= self.env.limit).then_some(entry)
    }

    /// Enters a function whose window is at `w`, after making room for its frame.
    pub(super) fn enter(&mut self, w: u16, f: u64) -> Flow {
        let entry = entry(self.env.entries, f);
        self.save();
        let above = usize::from(w) + usize::from(HEADER) + entry.nslots as usize;
        if let Err(trap) = self.env.vm.grow_stack(self.env.cx, self.env.g, above) {
            return Err(self.trap(trap));
        }
        self.env.reload();
        self.base = self.env.base;
        self.link(w, entry)
    }

    /// Enters a function for which there is room.
    #[inline(always)]
    pub(super) fn link(&mut self, w: u16, entry: Entry) -> Flow {
        self.base = window(self.base, w);
        set_return(self.base, self.pc());
        self.go_to(entry.code);
        self.charge(i64::from(entry.cost))
    }

    /// The operands of the AddMemK that follows.
    #[inline(always)]
    pub(super) fn addition(&self) -> (u16, u16, i16) {
        let Ins::AddMemK { p, o, i } = fetch(self.pc()) else { no_such_operands() };
        (p, o, i)
    }

    /// Jumps over the AddMemK that follows and the unlocking of the mutex.
    #[inline(always)]
    pub(super) fn skip_addition(&mut self) {
        if matches!(fetch(self.pc().wrapping_add(1)), Ins::Lea { .. }) {
            self.jump(3);
        } else {
            self.jump(2);
        }
    }

    /// Makes a closure of `func` and the `n` words from register `a` on, in a new object; `d` receives it.
    #[inline(always)]
    pub(super) fn fill_closure(&mut self, p: *mut u64, func: u32, d: u16, a: u16, n: u16) {
        mem::store(p, 0, u64::from(func));
        for i in 0..n {
            mem::store(p, 1 + usize::from(i), self.r(a + i));
        }
        self.set(d, p as u64);
    }

    /// Returns to the caller.
    #[inline(always)]
    pub(super) fn ret(&mut self) {
        let pc = return_pc(self.base);
        let w = window_before(pc);
        self.go_to(pc);
        self.base = self.base.wrapping_sub(w as usize + HEADER as usize);
    }

    /// Writes the state back (R1).
    #[inline(always)]
    pub(super) fn save(&mut self) {
        self.env.co.pc = self.pc();
        self.env.co.base = offset(self.env.co, self.base);
    }

    /// The offset of this frame's base in the stack.
    #[inline(always)]
    pub(super) fn offset(&self) -> usize {
        offset(self.env.co, self.base)
    }

    /// The allocation means of the P.
    #[inline(always)]
    pub(super) fn alloc(&mut self) -> Alloc<'_> {
        alloc(self.env.vm, self.env.cx)
    }

    /// Calls a native.
    pub(super) fn native(&mut self, w: u16, x: u32) -> Flow {
        self.save();
        let env = &mut *self.env;
        // A native that parks and wants to be asked afterwards says so itself.
        env.co.pending = Pending::Nothing;
        env.cx.fuel = self.fuel;
        let mut ncx = Ncx { vm: env.vm, cx: env.cx, g: env.g, args: window(self.base, w) };
        let outcome = env.vm.natives.at(x as usize)(&mut ncx);
        self.fuel = env.cx.fuel;
        if !matches!(outcome, Outcome::Done) {
            let step = env.vm.outcome(env.cx, env.g, env.co, outcome);
            return self.step(step);
        }
        self.charge(0)
    }

    /// Calls a native whose only argument is in register `p`.
    pub(super) fn native_of(&mut self, w: u16, p: u16, x: u16) -> Flow {
        wr(window(self.base, w), 0, self.r(p));
        self.native(w, u32::from(x))
    }

    /// Stops with a trap.
    #[inline(always)]
    pub(super) fn trap(&mut self, trap: Trap) -> Stop {
        self.env.set_trap(trap)
    }

    /// The goroutine gives up the M; its state was saved. Another one of this P goes on here, or the M is given up.
    #[inline(always)]
    pub(super) fn leave_to(&mut self, exit: Exit) -> Flow {
        self.put_down();
        self.env.leave(exit)?;
        self.fuel = self.env.fuel;
        self.take_up();
        Ok(())
    }

    /// The state in the `Co` was changed (a frame was pushed or unwound).
    #[inline(always)]
    pub(super) fn reload(&mut self) {
        self.env.reload();
        self.take_up();
    }

    #[inline(always)]
    fn take_up(&mut self) {
        self.go_to(self.env.pc);
        self.base = self.env.base;
    }

    /// What a helper said.
    #[inline(always)]
    pub(super) fn step(&mut self, step: Step) -> Flow {
        match step {
            Step::Reload => self.reload(),
            Step::Leave(exit) => self.leave_to(exit)?,
        }
        Ok(())
    }
}
