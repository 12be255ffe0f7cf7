//! The handlers: one function for each opcode, which ends by calling the handler of the next instruction.
//!
//! The call is the last thing that a handler does and its arguments are machine words, so the optimiser makes a jump of it (a
//! sibling call): the interpreter runs without a loop, pc, base and fuel stay in registers, and each opcode has an indirect jump of
//! its own, which is predicted better than one jump that all share. Rust does not promise that the call becomes a jump. So it is
//! relied on only where the optimiser works (`threaded`, see build.rs), `.ci/threaded` looks at every handler of the release
//! binary, [`stop`] at the depth of the stack, and elsewhere a handler returns to a loop.
//!
//! A local variable whose address a call could keep would prevent the jump: handlers that need such variables are `apart`, their
//! work is in a function of its own.

#![expect(non_snake_case, reason = "a handler has the name of its opcode")]

use crate::bytecode::op::{Ins, OPCODES, with_opcodes};

use super::frame::{Env, Frame, Stop};
use super::frames::tag;

/// A handler.
type Handler = for<'e, 'v, 'c> fn(*const Ins, *mut u64, i64, &'e mut Env<'v, 'c>, &'static Table);

/// The handlers by opcode.
pub(super) struct Table([Handler; OPCODES]);

macro_rules! table {
    ($($name:ident)*) => {
        static TABLE: Table = {
            use {arith::*, branch::*, flow::*, memory::*, values::*};
            Table([$($name),*])
        };
    };
}
with_opcodes!(table);

/// A function with the arguments of a handler.
macro_rules! handler {
    ($(#[$attr:meta])* $vis:vis $name:ident, ($at:ident, $base:ident, $fuel:ident, $env:ident, $table:ident) $body:block) => {
        $(#[$attr])*
        $vis fn $name(
            $at: *const $crate::bytecode::op::Ins,
            $base: *mut u64,
            $fuel: i64,
            $env: &mut $crate::vm::frame::Env<'_, '_>,
            $table: &'static super::Table,
        ) $body
    };
}

/// Does the work of an instruction on a frame; `?` and `return` end it early.
macro_rules! work {
    ($name:ident, $frame:ident, $result:ty, $done:expr, |$fr:ident $(, $field:ident)*| $work:expr) => {{
        #[inline(always)]
        #[allow(unused_variables, reason = "not every opcode needs its frame")]
        fn on(
            $fr: &mut $crate::vm::frame::Frame<'_, '_, '_>,
        ) -> Result<$result, $crate::vm::frame::Stop> {
            let $crate::bytecode::op::Ins::$name { $($field,)* .. } = $crate::vm::frames::fetch($fr.here) else {
                $crate::vm::frames::no_such_operands()
            };
            $work;
            #[allow(unreachable_code, reason = "some always stop")]
            Ok($done)
        }
        on(&mut $frame)
    }};
}

/// Does the work of an instruction in a function of its own, then goes on.
macro_rules! work_apart {
    ($name:ident, ($at:ident, $base:ident, $fuel:ident, $env:ident, $table:ident), $($work:tt)*) => {{
        #[inline(never)]
        fn work(
            at: *const $crate::bytecode::op::Ins,
            base: *mut u64,
            fuel: i64,
            env: &mut $crate::vm::frame::Env<'_, '_>,
        ) -> $crate::vm::frame::Flow {
            let mut frame = $crate::vm::frame::Frame::new(at, base, fuel, env);
            let flow = work!($name, frame, (), (), $($work)*);
            frame.put_down();
            flow
        }
        let flow = work($at, $base, $fuel, $env);
        super::next($crate::vm::frame::Frame::taken_up($env), flow, $table)
    }};
}

/// Defines the handler of an opcode: `op!(Name, |frame, operands| work)`. The work may end early with `?` or `return`. It should
/// not go on after a call of a function that is not inlined, or the handler saves registers first whichever way it goes.
macro_rules! op {
    ($name:ident, $($work:tt)*) => {
        handler!(pub(super) $name, (at, base, fuel, env, table) {
            let mut frame = $crate::vm::frame::Frame::new(at, base, fuel, env);
            let flow = work!($name, frame, (), (), $($work)*);
            super::next(frame, flow, table)
        });
    };
}

/// As [`op`], for work that is a function of its own: what takes long, or has variables whose address is taken.
macro_rules! apart {
    ($name:ident, $($work:tt)*) => {
        handler!(pub(super) $name, (at, base, fuel, env, table) {
            work_apart!($name, (at, base, fuel, env, table), $($work)*)
        });
    };
}

/// As [`op`] for the usual case. As long as it has done nothing it may `return Ok(false)`; then the other work is done instead, [`apart`].
macro_rules! quick {
    ($name:ident, { $($quick:tt)* } else { $($slow:tt)* }) => {
        handler!(pub(super) $name, (at, base, fuel, env, table) {
            handler!(#[cold] #[inline(never)] slow, (at, base, fuel, env, table) {
                work_apart!($name, (at, base, fuel, env, table), $($slow)*)
            });
            let mut frame = $crate::vm::frame::Frame::new(at, base, fuel, env);
            match work!($name, frame, bool, true, $($quick)*) {
                Ok(false) => slow(at, base, fuel, frame.env, table),
                flow => super::next(frame, flow.map(|_| ()), table),
            }
        });
    };
}

/// The float in a register.
fn f(w: u64) -> f64 {
    f64::from_bits(w)
}

// Below the macros, which they use.
mod arith;
mod branch;
mod flow;
mod memory;
mod values;

/// Goes on with the next instruction, or stops.
#[inline(always)]
fn next(frame: Frame<'_, '_, '_>, flow: Result<(), Stop>, table: &'static Table) {
    let (pc, base, fuel, env) = (frame.pc(), frame.base, frame.fuel, frame.env);
    match flow {
        Ok(()) if cfg!(threaded) => table.handler(pc)(pc, base, fuel, env, table),
        Ok(()) => (env.pc, env.base, env.fuel) = (pc, base, fuel),
        Err(why) => stop(pc, base, fuel, env, why),
    }
}

/// Writes down where and why the handlers stopped, and returns to [`go`].
#[cold]
#[inline(never)]
fn stop(pc: *const Ins, base: *mut u64, fuel: i64, env: &mut Env<'_, '_>, why: Stop) {
    let depth = env.floor.saturating_sub(&raw const why as usize);
    assert!(depth < 1 << 16, "a handler called the next one instead of jumping to it");
    (env.pc, env.base, env.fuel) = (pc, base, fuel);
    env.stop = Some(why);
}

impl Table {
    #[inline(always)]
    fn handler(&self, pc: *const Ins) -> Handler {
        super::frames::handler(&self.0, tag(pc))
    }
}

/// Runs instructions until one stops.
pub(super) fn go(env: &mut Env<'_, '_>) -> Stop {
    let here = 0_u8;
    env.floor = &raw const here as usize;
    loop {
        let (pc, base, fuel) = (env.pc, env.base, env.fuel);
        TABLE.handler(pc)(pc, base, fuel, env, &TABLE);
        if let Some(stop) = env.stop.take() {
            return stop;
        }
    }
}
