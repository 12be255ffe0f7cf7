//! Range over a function.
//!
//! The loop body is a closure that returns whether to go on. It shares two cells with the function that contains the loop: the
//! *state* of the loop, which catches iterators that misuse the body, and the *exit*, the way in which the body left the loop.
//!
//! Steps: the state is [`READY`]. The body checks that it is, sets it to [`PANICKED`], runs, and at its end sets it to `READY` and
//! returns true. A break, a return or a branch out sets the exit to its number (from 1), the state to [`DONE`], and
//! returns false. When the iterator returns, a state of `PANICKED` means that it swallowed a panic; the state becomes
//! [`EXHAUSTED`], and the exit says where to go on: here, or (in the body of an outer such loop) further out.
//!
//! A `return` stores its values into the result variables of the outermost function, which the body has captured; `defer` adds to
//! the frame whose token was captured.

use super::fun::{Fun, Parent, Results};
use super::vars::Var;
use crate::bytecode::op::{HEADER, Ins};
use crate::bytecode::rt::Rt;
use crate::types::ty::Basic;
use crate::types::typed::{ClosureId, ExprId, LabelId, LocalId};

/// The body returned false.
const DONE: i32 = 0;
/// The body may be called.
const READY: i32 = 1;
/// The body is running, or was left by a panic.
const PANICKED: i32 = 2;
/// The loop is over.
const EXHAUSTED: i32 = 3;
/// Argument of `rt.panicRange` when the iterator recovered a panic of the body.
const SWALLOWED: i32 = 4;

/// A way to leave a loop body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exit {
    Break(LabelId),
    Continue(LabelId),
    Goto(LabelId),
    Return,
}

/// What the body of a range over a function needs to know.
#[derive(Clone, Debug)]
pub(super) struct RangeParent {
    label: LabelId,
    /// The result variables of the outermost function, by their names here (`None`: not captured).
    results: Vec<Option<LocalId>>,
}

/// The same while the body is compiled.
#[derive(Debug)]
pub(super) struct RangeCx {
    label: LabelId,
    results: Vec<Option<LocalId>>,
    state: u16,
    exit: u16,
    /// Frame token of the outermost function.
    pub(super) token: u16,
    /// Ways out of the loop, in the order of their numbers.
    pub(super) exits: Vec<Exit>,
}

impl<'a> Fun<'a> {
    /// `for ... range f { ... }`
    pub(super) fn range_func(&mut self, label: LabelId, func: ExprId, body: ClosureId) {
        let (mark, kept) = (self.top, self.ready.len());
        self.hoist(&[func]);
        let f = self.operand(func);
        self.ready.truncate(kept);
        let state = self.alloc(2);
        let exit = state + 1;
        self.new_memory(state, Basic::Int.ty());
        self.new_memory(exit, Basic::Int.ty());
        self.set_word(state, READY);
        let d = self.temp();
        let exits = self.body_closure(label, body, state, d);
        let w = self.window(1, 0);
        self.mov(w + HEADER, d, 1);
        self.op(Ins::CallC { w, c: f, n: 1 });
        self.after_loop(label, state, &exits);
        self.top = mark;
    }

    fn body_closure(&mut self, label: LabelId, c: ClosureId, state: u16, d: u16) -> Vec<Exit> {
        let lit = self.closure_body(c);
        let id = self.c.new_func(lit.name.clone(), lit.pos);
        let outer: Vec<Option<LocalId>> = match &self.range {
            Some(r) => r.results.clone(),
            None => self.body.results.iter().map(|&r| Some(r)).collect(),
        };
        let inner =
            |l: Option<LocalId>| lit.captures.iter().find(|c| Some(c.outer) == l).map(|c| c.inner);
        let results = outer.into_iter().map(inner).collect();
        let parent = Parent {
            captures: self.capture_kinds(lit),
            range: Some(RangeParent { label, results }),
        };
        let exits = Fun::compile(self.c, self.src, lit, id, Some(&parent));
        let mark = self.top;
        let (a, n) = self.gather(lit);
        let hidden = self.alloc(3);
        self.mov(hidden, state, 2);
        match self.range.as_ref().map(|r| r.token) {
            Some(t) => self.mov(hidden + 2, t, 1),
            None => self.op(Ins::FrameToken { d: hidden + 2 }),
        }
        self.make_closure(d, id, a, n + 3);
        self.top = mark;
        exits
    }

    /// Behind the call of the iterator: checks the state, and goes on where the body wanted to.
    fn after_loop(&mut self, label: LabelId, state: u16, exits: &[Exit]) {
        let t = self.temp();
        let fine = self.labels.fresh();
        self.op(Ins::Load { d: t, p: state, o: 0 });
        self.jump_if_ne(t, PANICKED, fine);
        self.op(Ins::LoadI { d: t, i: SWALLOWED });
        self.call_rt(Rt::PanicRange, &[(t, 1)]);
        self.bind(fine);
        self.set_word(state, EXHAUSTED);
        let end = self.labels.fresh();
        if !exits.is_empty() {
            self.op(Ins::Load { d: t, p: state + 1, o: 0 });
        }
        for (k, &exit) in exits.iter().enumerate() {
            if exit == Exit::Break(label) {
                continue;
            }
            let next = self.labels.fresh();
            self.jump_if_ne(t, i32::try_from(k + 1).unwrap_or(0), next);
            self.resume_exit(exit);
            self.bind(next);
        }
        self.bind(end);
    }

    /// Performs an exit of an inner loop in this function.
    fn resume_exit(&mut self, exit: Exit) {
        if exit != Exit::Return || self.range.is_some() {
            self.leave(exit);
        } else if self.body.has_defer {
            let label = self.epilogue_label();
            self.jump(Ins::Jmp { o: 0 }, label);
        } else if self.results == Results::Vars {
            self.return_vars();
        } else {
            self.op(Ins::Ret0 {});
        }
    }

    fn jump_if_ne(&mut self, a: u16, k: i32, to: super::jumps::Label) {
        let t = self.alloc(2);
        self.op(Ins::LoadI { d: t, i: k });
        self.op(Ins::EqI { d: t + 1, a, b: t });
        self.jump(Ins::JF { a: t + 1, o: 0 }, to);
        self.top = u32::from(t);
    }

    /// Sets the word that a register points to.
    fn set_word(&mut self, p: u16, value: i32) {
        let t = self.temp();
        self.op(Ins::LoadI { d: t, i: value });
        self.op(Ins::Store { p, o: 0, a: t });
        self.top = u32::from(t);
    }

    // ---- in the body ----

    /// Loads the hidden captures and checks that the body may run.
    pub(super) fn enter_range_body(&mut self, parent: &RangeParent, first: u16) {
        let state = self.alloc(3);
        for k in 0..3 {
            self.op(Ins::LoadCap { d: state + k, i: first + k });
        }
        self.range = Some(RangeCx {
            label: parent.label,
            results: parent.results.clone(),
            state,
            exit: state + 1,
            token: state + 2,
            exits: Vec::new(),
        });
        let t = self.temp();
        let fine = self.labels.fresh();
        self.op(Ins::Load { d: t, p: state, o: 0 });
        let bad = self.labels.fresh();
        self.jump_if_ne(t, READY, bad);
        self.jump(Ins::Jmp { o: 0 }, fine);
        self.bind(bad);
        // an iterator that swallows this is caught when it returns
        self.set_word(state, PANICKED);
        self.call_rt(Rt::PanicRange, &[(t, 1)]);
        self.bind(fine);
        self.set_word(state, PANICKED);
        self.top = u32::from(t);
    }

    /// Ends the body so that the loop goes on.
    pub(super) fn range_continue(&mut self) {
        let Some(r) = &self.range else { return };
        self.body_returns(r.state, READY);
    }

    fn body_returns(&mut self, state: u16, value: i32) {
        self.set_word(state, value);
        let t = self.temp();
        self.op(Ins::LoadI { d: t, i: i32::from(value == READY) });
        self.op(Ins::Ret1 { a: t });
        self.top = u32::from(t);
    }

    /// Leaves the body of this loop in a way that its function cannot perform itself.
    pub(super) fn leave_range_body(&mut self, exit: Exit) {
        let Some(r) = &mut self.range else {
            unreachable!("the checker resolves every branch");
        };
        if exit == Exit::Continue(r.label) {
            self.range_continue();
            return;
        }
        let number = match r.exits.iter().position(|&e| e == exit) {
            Some(k) => k + 1,
            None => {
                r.exits.push(exit);
                r.exits.len()
            }
        };
        let (state, cell) = (r.state, r.exit);
        self.set_word(cell, i32::try_from(number).unwrap_or(0));
        self.body_returns(state, DONE);
    }

    /// `return` in the body: stores the values into the outermost function's result variables.
    pub(super) fn return_from_range_body(&mut self, values: &[ExprId]) {
        let vars: Vec<Option<LocalId>> =
            self.range.as_ref().map(|r| r.results.clone()).unwrap_or_default();
        let regs: Vec<u16> = values.iter().map(|&e| self.value(e)).collect();
        for (var, r) in vars.into_iter().zip(regs) {
            if let Some(var) = var
                && self.vars[var.0 as usize] != Var::None
            {
                self.store_local(var, r);
            }
        }
        self.leave_range_body(Exit::Return);
    }
}
