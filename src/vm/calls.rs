//! Calls beyond the plain ones: growing the stack, starting goroutines, interface dispatch, natives' outcomes.

#![expect(clippy::wildcard_enum_match_arm, reason = "few outcomes are special in each place")]

use std::sync::atomic::Ordering;

use crate::bytecode::module::TypeKind;
use crate::bytecode::op::{HEADER, Ins};
use crate::natives::{Ncx, Outcome};
use crate::sched::{Cx, Exit, Flow, GRef, ProcessEnd};
use crate::value::{iface, mem};

use super::co::{Co, Deferred, Pending};
use super::frames::{at, move_n, set_closure, set_return};
use super::machine::Vm;
use super::run::{Step, alloc};
use super::trap::Trap;

/// Registers a deferred call for an outer frame, before those of frames above it.
pub(super) fn defer_to(co: &mut Co, frame: usize, closure: u64) {
    let i = co.defers.partition_point(|d| d.frame <= frame);
    co.defers.insert(i, Deferred { frame, closure });
}

/// Where in an inline cache a type has its place.
#[inline(always)]
fn way(ty: u32) -> usize {
    ((ty ^ ty >> 2) & 3) as usize
}

/// In the low half of an inline cache, beside the function id: the receiver is the word in the box.
const UNBOX: u32 = 1 << 31;

impl Vm {
    /// Makes room for `above` slots over the present base.
    #[cold]
    #[inline(never)]
    pub(super) fn grow_stack(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        above: usize,
    ) -> Result<(), Trap> {
        let co = super::run::co_of(cx, g);
        let need = co.base + above;
        self.reserve_stack(cx, g, co, need)
    }

    /// Makes the stack at least `need` slots long: doubles it, so that a copy is rare.
    pub(super) fn reserve_stack(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        co: &mut Co,
        need: usize,
    ) -> Result<(), Trap> {
        if need <= co.stack.len() {
            return Ok(());
        }
        let max = self.max_stack.load(Ordering::Relaxed) / 8;
        let new = need.next_power_of_two().max(co.stack.len() * 2);
        if new as u64 > max {
            return Err(self.stack_overflow(co));
        }
        let old = co.bytes();
        co.stack.resize(new, 0);
        self.stack_changed(cx, g, old, co.bytes());
        Ok(())
    }

    fn stack_overflow(&self, co: &Co) -> Trap {
        let limit = self.max_stack.load(Ordering::Relaxed);
        let low = co.stack.as_ptr() as usize;
        let high = low + co.stack.len() * 8;
        self.write_stderr(&format!(
            "runtime: goroutine stack exceeds {limit}-byte limit\nruntime: sp={:#x} stack=[{low:#x}, {high:#x}]\n",
            low + co.base * 8
        ));
        Trap::Fatal("stack overflow".into())
    }

    /// The `go` statement: the arguments are behind the window's header.
    pub(super) fn spawn(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        pc: *const Ins,
        window: *mut u64,
        f: u32,
        closure: u64,
    ) {
        let entry = *self.entries.at(f as usize);
        let args = window.wrapping_add(usize::from(HEADER));
        let end = self.stubs.end_g();
        cx.spawn(Some(g), pc as u64, |co| {
            self.stacks.fit(co, entry.nslots);
            start_frame(co, &entry, end, closure);
            move_n(co.base_ptr(usize::from(HEADER)), args, entry.params as usize);
        });
    }

    /// Prepares a goroutine that calls a func value without parameters.
    pub fn start_closure(&self, co: &mut Co, closure: u64) {
        let entry = *self.entries.at(mem::load64(closure) as usize);
        self.stacks.fit(co, entry.nslots);
        start_frame(co, &entry, self.stubs.end_g(), closure);
    }

    /// Prepares a goroutine that calls a function without parameters.
    pub fn start_func(&self, co: &mut Co, f: u32) {
        let entry = *self.entries.at(f as usize);
        self.stacks.fit(co, entry.nslots);
        start_frame(co, &entry, self.stubs.end_g(), 0);
    }

    /// The method of the dynamic type of `v` that the call site's cache holds: the function, and the receiver as it wants it.
    #[inline(always)]
    pub(super) fn cached(&self, v: u64, cache: u32) -> Option<(u32, u64)> {
        let ty = iface::type_of(v);
        let cached = self.caches.at(cache as usize)[way(ty)].load(Ordering::Relaxed);
        if (cached >> 32) as u32 != ty {
            return None;
        }
        let receiver = if cached as u32 & UNBOX == 0 { v } else { mem::load64(v) };
        Some((cached as u32 & !UNBOX, receiver))
    }

    /// Makes the call site's cache hold method `m` of the dynamic type of `v`.
    #[cold]
    pub(super) fn cache(&self, v: u64, m: u32, cache: u32) {
        let ty = iface::type_of(v);
        let unbox = if self.unboxes(ty) { UNBOX } else { 0 };
        let entry = u64::from(ty) << 32 | u64::from(self.method_of(ty, m) | unbox);
        self.caches.at(cache as usize)[way(ty)].store(entry, Ordering::Relaxed);
    }

    fn method_of(&self, ty: u32, m: u32) -> u32 {
        let found = self.types.method(ty, m);
        found
            .unwrap_or_else(|| {
                panic!("{} has no method {}", self.types.name(ty), self.methods.at(m as usize).name)
            })
            .func
    }

    /// Whether methods called through an interface get the word in the box of a value of this type, not the box: see `MethodImpl`.
    fn unboxes(&self, ty: u32) -> bool {
        let d = &self.types.at(ty).desc;
        d.slots == 1 && !d.mem
    }

    /// The zero value of a type in registers.
    pub(super) fn zero_value(&self, cx: &mut Cx<'_, Vm>, ty: u32, dst: *mut u64) {
        let d = &self.types.at(ty).desc;
        if d.mem {
            let p = alloc(self, cx).object(d.words as usize, ty);
            mem::store(dst, 0, p as u64);
            return;
        }
        for i in 0..usize::from(d.slots) {
            mem::store(dst, i, 0);
        }
    }

    /// The zero value of a map type's values.
    pub(super) fn zero_map_value(&self, cx: &mut Cx<'_, Vm>, map: u32, dst: *mut u64) {
        if let TypeKind::Map(_, value) = self.types.at(map).desc.kind {
            self.zero_value(cx, value, dst);
        }
    }

    /// What a native answered, if not simply `Done`. The state is saved.
    #[cold]
    pub(super) fn outcome(
        &self,
        cx: &mut Cx<'_, Vm>,
        g: GRef,
        co: &mut Co,
        outcome: Outcome,
    ) -> Step {
        match outcome {
            Outcome::Done => Step::Reload,
            Outcome::Trap(t) => self.raise(cx, g, co, t),
            Outcome::Flow(Flow::Done) => Step::Reload,
            Outcome::Flow(Flow::Park) => Step::Leave(Exit::Parked),
            Outcome::Flow(Flow::Yield) => {
                co.pending = Pending::Nothing;
                Step::Leave(Exit::Yielded)
            }
            Outcome::Gosched => {
                co.pending = Pending::Nothing;
                Step::Leave(Exit::Gosched)
            }
            Outcome::Goexit => self.goexit(cx, g, co),
            Outcome::Exit(code) => Step::Leave(Exit::End(ProcessEnd::exit(code))),
            Outcome::Block(job) => self.block(cx, g, co, job),
            Outcome::Collect => {
                self.collect(cx, g, "forced");
                // others run meanwhile: a loop of collections has few instructions and would never use up its slice
                co.pending = Pending::Nothing;
                Step::Leave(Exit::Gosched)
            }
        }
    }

    /// Runs the blocking part of a native without the P, then its second half.
    fn block(&self, cx: &mut Cx<'_, Vm>, g: GRef, co: &mut Co, job: crate::natives::Job) -> Step {
        if job.known_to_block {
            cx.enter_blocking(g);
        } else {
            cx.enter_syscall(g);
        }
        let completion = (job.run)();
        // Stored before the goroutine can be seen by others again.
        co.pending = Pending::Native(completion);
        if !cx.exit_syscall(g) {
            return Step::Leave(Exit::LostP);
        }
        match self.complete(cx, g, co) {
            None => Step::Reload,
            Some(exit) => Step::Leave(exit),
        }
    }

    /// Finishes what the goroutine was waiting for; its state says how to go on. `Some`: it waits again.
    pub(super) fn complete(&self, cx: &mut Cx<'_, Vm>, g: GRef, co: &mut Co) -> Option<Exit> {
        match std::mem::take(&mut co.pending) {
            Pending::Nothing => None,
            Pending::Operation => self.complete_operation(cx, g, co),
            Pending::Sync => self.complete_sync(cx, g, co),
            Pending::Native(done) => {
                let base = co.base_ptr(co.base);
                let w = super::frames::window_before(co.pc);
                let mut ncx = Ncx { vm: self, cx, g, args: at(base, w + HEADER) };
                match done(&mut ncx) {
                    Outcome::Done => None,
                    other => match self.outcome(cx, g, co, other) {
                        Step::Reload => None,
                        Step::Leave(exit) => Some(exit),
                    },
                }
            }
        }
    }
}

/// The first frame of a goroutine.
fn start_frame(co: &mut Co, entry: &super::machine::Entry, end: *const Ins, closure: u64) {
    co.base = usize::from(HEADER);
    co.pc = entry.code;
    co.pending = Pending::Nothing;
    co.started = true;
    let base = co.base_ptr(co.base);
    set_return(base, end);
    set_closure(base, closure);
}
