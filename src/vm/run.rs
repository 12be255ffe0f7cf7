//! The M's side of running bytecode: calls the handlers, and does what they stop for.
//!
//! The instructions themselves are in `handlers`. What an instruction cannot do alone (a trap, leaving a goroutine, a look at the
//! scheduler) it stops for, so that those ways out are in one place, here.

use std::sync::atomic::Ordering;

use crate::sched::{Cx, Exit, GRef, Refill};
use crate::value::Alloc;

use super::co::{Co, Pending};
use super::frame::{Env, Flow, Stop};
use super::handlers;
use super::machine::Vm;
use super::ops;
use super::trap::Trap;

/// What a helper of the handlers says.
pub(super) enum Step {
    /// The state in the `Co` says how to go on.
    Reload,
    /// Give up the M.
    Leave(Exit),
}

/// The allocation means of the P.
#[inline(always)]
pub(super) fn alloc<'a>(vm: &'a Vm, cx: &'a mut Cx<'_, Vm>) -> Alloc<'a> {
    Alloc { heap: &vm.heap, cache: &mut cx.local().cache }
}

/// Runs `g`, and after it others of the same P, until the M is given up.
pub(super) fn run(vm: &Vm, cx: &mut Cx<'_, Vm>, first: GRef) -> Exit {
    if let Some(exit) = resume(vm, cx, first) {
        return exit;
    }
    let mut env = Env::new(vm, cx, first);
    loop {
        let stop = handlers::go(&mut env);
        if env.after(stop).is_err() {
            return env.exit.take().expect("whoever gives up the M says why");
        }
    }
}

impl Env<'_, '_> {
    /// Does what the handlers stopped for. An error is always [`Stop::Leave`].
    fn after(&mut self, stop: Stop) -> Flow {
        match stop {
            Stop::Leave => Err(Stop::Leave),
            Stop::Poll => self.poll(),
            Stop::Nil => self.raise(Trap::Nil),
            Stop::Divide => self.raise(Trap::divide()),
            Stop::Index => self.raise(ops::index_trap(self.index.0, self.index.1)),
            Stop::Trap => {
                let trap = self.trap.take();
                self.raise(trap.expect("whoever stops with a trap sets it"))
            }
        }
    }

    fn raise(&mut self, trap: Trap) -> Flow {
        self.save();
        match self.vm.raise(self.cx, self.g, self.co, trap) {
            Step::Reload => self.reload(),
            Step::Leave(exit) => self.leave(exit)?,
        }
        Ok(())
    }

    /// Asks the scheduler for more fuel.
    fn poll(&mut self) -> Flow {
        self.save();
        self.co.pending = Pending::Nothing;
        self.cx.fuel = self.fuel;
        match self.vm.poll(self.cx, self.g) {
            Refill::Run(more) => {
                self.fuel = more;
                self.reload();
                Ok(())
            }
            Refill::Preempt if self.vm.natives_state.session.take_stopped(self.g.id.get()) => {
                self.leave(Exit::Done)
            }
            Refill::Preempt => self.leave(Exit::Preempted),
        }
    }
}

/// The coroutine of the goroutine that this M runs.
pub(super) fn co_of<'a>(cx: &Cx<'_, Vm>, g: GRef) -> &'a mut Co {
    coroutine::of(cx, g)
}

mod coroutine {
    #![expect(
        unsafe_code,
        reason = "the park protocol: this M runs the goroutine, so nobody else touches its coroutine"
    )]

    use super::{Co, Cx, GRef, Vm};

    pub(super) fn of<'a>(cx: &Cx<'_, Vm>, g: GRef) -> &'a mut Co {
        // SAFETY: see the reason; after a call that may have parked the goroutine the loop does not use it again.
        unsafe { &mut *cx.co(g) }
    }
}

/// Completes what the goroutine was waiting for. `Some`: it has to wait again, or leaves the M otherwise.
#[inline]
pub(super) fn resume(vm: &Vm, cx: &mut Cx<'_, Vm>, g: GRef) -> Option<Exit> {
    let co = co_of(cx, g);
    if matches!(co.pending, Pending::Nothing) {
        return None;
    }
    vm.complete(cx, g, co)
}

impl Vm {
    /// Collects if it is due, then asks the scheduler for more fuel.
    #[cold]
    #[inline(never)]
    fn poll(&self, cx: &mut Cx<'_, Vm>, g: GRef) -> Refill {
        if self.natives_state.session.is_stopped(g.id.get()) {
            return Refill::Preempt;
        }
        let stress = self.stress_due();
        if stress {
            self.collect(cx, g, "stress");
        } else if self.heap.gc_wanted() {
            self.collect(cx, g, "heap");
        }
        cx.refill(g)
    }

    fn stress_due(&self) -> bool {
        let every = self.config.gc_stress;
        every != 0 && self.stress_left.fetch_add(1, Ordering::Relaxed).is_multiple_of(every)
    }
}
