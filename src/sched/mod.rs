//! The GMP scheduler: goroutines (G) run on threads (M) that hold a processor (P).
//!
//! Generic over the [`Machine`] that gives goroutines their meaning; the scheduler knows no bytecode and no
//! value. Start reading at [`machine`] (the interface), then [`cx`] (what a running goroutine may ask for),
//! `find_work` (where the next goroutine comes from) and `idle` (how threads go to sleep and wake up).
//!
//! Invariants:
//! * An M runs goroutines only while it owns a P (`POwn`, not `Copy`, not `Clone`).
//! * A G is in exactly one place: running on one M, in one run queue, in the wait queues of what it waits
//!   for, or on a free list.
//! * After a call answered [`Flow::Park`] nobody but the waker touches the G.

mod blocking;
pub mod config;
pub mod cx;
mod deadlock;
pub mod events;
mod find_work;
pub mod g;
mod idle;
mod late;
mod m;
pub mod machine;
pub mod net;
mod p;
mod rt;
mod schedtrace;
mod stepper;
pub mod stw;
mod sysmon;
pub mod timers;
pub mod wait;
mod wait_table;
mod watch;

pub use config::{Config, Hostile, Sink, Stderr};
pub use cx::Cx;
pub use events::{Ev, EventHook, Place, Stamp, Stat};
pub use g::{GHead, GInfo, GRef, Status};
pub use machine::{Exit, Flow, Machine, ProcessEnd, Refill};
pub use net::{Mode, NetResult};
pub use rt::Runtime;
pub use stw::World;
pub use timers::Timer;
pub use wait::WaitReason;
