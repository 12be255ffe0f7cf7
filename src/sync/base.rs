//! Where the primitives come from: the standard library, or the model checker under the feature `shuttle`.
//!
//! Under the model, threads run one at a time and every operation here is a point where another may go on;
//! time does not pass by itself, so a wait with a limit gives way once and then counts as timed out.

#[cfg(not(feature = "shuttle"))]
pub(super) use std::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(feature = "shuttle"))]
pub use std::{
    hint::spin_loop,
    sync::atomic::{
        AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    },
    thread,
};

#[cfg(feature = "shuttle")]
pub(super) use shuttle::sync::{Condvar, Mutex, MutexGuard};
#[cfg(feature = "shuttle")]
pub use shuttle::{
    sync::atomic::{
        AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    },
    thread,
    thread::yield_now as spin_loop,
};

pub use std::sync::Arc;
pub(super) use std::sync::{PoisonError, TryLockError};

/// Whether this build is the one for the model checker.
pub const MODEL: bool = cfg!(feature = "shuttle");
