//! Where the primitives come from: the standard library, or a model checker under the feature `shuttle` (random) or `loom`
//! (exhaustive).
//!
//! Under a model, threads run one at a time and every operation here is a point where another may go on;
//! time does not pass by itself, so a wait with a limit gives way once and then counts as timed out.

#[cfg(not(any(feature = "shuttle", feature = "loom")))]
pub(super) use std::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(any(feature = "shuttle", feature = "loom")))]
pub use std::{
    hint::spin_loop,
    sync::atomic::{
        AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    },
    thread,
};

#[cfg(all(feature = "shuttle", not(feature = "loom")))]
pub(super) use shuttle::sync::{Condvar, Mutex, MutexGuard};
#[cfg(all(feature = "shuttle", not(feature = "loom")))]
pub use shuttle::{
    sync::atomic::{
        AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    },
    thread,
    thread::yield_now as spin_loop,
};

#[cfg(feature = "loom")]
pub use super::loomed::{
    AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
#[cfg(feature = "loom")]
pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};
#[cfg(feature = "loom")]
pub use loom::{thread, thread::yield_now as spin_loop};

pub use std::sync::Arc;
pub(super) use std::sync::{PoisonError, TryLockError};

/// Whether this build is the one for a model checker.
pub const MODEL: bool = cfg!(any(feature = "shuttle", feature = "loom"));
