//! The only place that names threads, locks and atomics, so that a model checker can replace them.
//!
//! Not here: any protocol of the scheduler; these are its bricks.
//!
//! * [`Lock`]: a mutex that sleeps in the kernel; for rare or long sections.
//! * [`SpinLock`]: one word, for sections of a few instructions on hot paths.
//! * [`Parker`]: puts one thread to sleep until another one notifies it.
//! * `Rel*`: fields that several threads may read while the protocol allows one writer at a time.
//! * [`Clock`]: the only source of time, real or virtual.
//! * [`Deque`]: the work-stealing queue under the local run queues.
//! * [`cache`]: hints to the processor's cache.

mod base;
pub mod cache;
pub mod clock;
mod cpus;
pub mod deque;
pub mod lock;
#[cfg(feature = "loom")]
pub mod loomed;
pub mod parker;
pub mod rel;
pub mod spin;

pub use base::{
    Arc, AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, MODEL, Ordering,
    fence, spin_loop, thread,
};
pub use clock::Clock;
pub use cpus::{affinity, cpus};
pub use deque::{Deque, Thief};
pub use lock::{Gate, Lock, LockGuard};
pub use parker::Parker;
pub use rel::{RelBool, RelI64, RelPtr, RelU32, RelU64, StateU32};
pub use spin::SpinLock;
