//! Channels, select and semaphores, and the locks of package sync on top of them.
//!
//! They know the scheduler (they park and ready goroutines) and nothing of values: an element is a number
//! of 64-bit slots. Nothing here points into a goroutine's stack, see `sched::wait`.
//!
//! Every operation that may park follows the protocol of [`crate::sched::machine`]: the goroutine's state is
//! saved before the call. After a park the result is fetched with [`recv_result`], [`send_result`],
//! [`select_result`] or [`resume_sync`].

mod channel;
mod cond;
mod mutex;
mod rwmutex;
mod select;
mod sema;
mod waitgroup;

pub use channel::{Channel, Received, Sent, recv_result, send_result};
pub use cond::{CondWords, cond_broadcast, cond_signal, cond_ticket, cond_wait};
pub use mutex::{
    MutexWords, mutex_is_free, mutex_lock, mutex_lock_free, mutex_try_lock, mutex_unlock,
    mutex_unlock_free,
};
pub use rwmutex::{RwWords, rw_lock, rw_rlock, rw_runlock, rw_try_lock, rw_try_rlock, rw_unlock};
pub use select::{Case, SelectEnd, Selected, select, select_result};
pub use sema::{SyncFault, SyncFlow, resume_sync, sema_acquire, sema_release};
pub use waitgroup::{WaitGroupWords, wait_group_add, wait_group_wait};
