//! The machine: runs bytecode as the goroutines of `sched`.
//!
//! Start at `handlers` (one function for each opcode) and `run` (what they stop for), then [`co`] (what a goroutine's state is), [`machine`] (the tables all goroutines share).
//!
//! Invariants:
//! * R1: what the handlers pass on in registers (pc, base, fuel) is written back to the [`co::Co`] before anything that may make the
//!   goroutine visible to others, and read again after it.
//! * R2: a frame's registers are inside the goroutine's stack: the verifier bounds register numbers by `nslots`, and a call makes
//!   room for the callee's `nslots` before it enters.
//! * R3: nothing points into a goroutine's stack, so growing it is a copy.
//! * R4: natives never call guest code and never keep a guest address over a safe point.
//! * R5: a collection happens at safe points only: refill (calls and back edges), or inside a stopped world.

mod calls;
mod chans;
pub mod co;
mod frame;
mod frames;
mod gc;
mod gc_trace;
mod handlers;
mod hooks;
pub mod machine;
mod ops;
mod panics;
mod run;
mod shapes;
mod traceback;
pub mod trap;

pub(crate) use chans::channel;
pub use machine::{Vm, VmConfig};
pub(crate) use ops::map_data;

/// The entries of a map (a map word): key slots, then value slots.
pub(crate) fn map_entries(m: u64) -> Vec<Vec<u64>> {
    if m == 0 { Vec::new() } else { map_data(m).snapshot().unwrap_or_default() }
}
