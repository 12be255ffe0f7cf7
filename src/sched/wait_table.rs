//! Waiters by address: where goroutines stand that wait for a word of guest memory.
//!
//! A table of buckets, each with a spin lock and a queue for each address in use, so that many waiters of one
//! address do not slow down others. What a word means (a semaphore, a condition) is the business of the
//! callers; they take a bucket's lock, look, enter or take out, and unlock as the last act.

#![expect(unsafe_code, reason = "the queues of a bucket are guarded by the lock beside them")]

use super::Machine;
use super::cx::Cx;
use super::wait::{WRef, WaitList};
use crate::sync::{AtomicU32, SpinLock};
use std::cell::UnsafeCell;

/// A power of two; Go uses 251 trees. A model checker needs each run to be the same, whatever the addresses.
const BUCKETS: usize = if crate::sync::MODEL { 1 } else { 256 };

/// The waiters of one runtime.
#[derive(Debug)]
pub(crate) struct WaitTable {
    buckets: Box<[Bucket]>,
}

/// Some of them.
#[derive(Debug, Default)]
pub(crate) struct Bucket {
    lock: SpinLock,
    /// Waiters that are in a queue or about to enter one.
    pub(crate) waiting: AtomicU32,
    /// The queues by address; guarded by the lock.
    queues: QueueCell,
}

#[derive(Debug, Default)]
struct QueueCell(UnsafeCell<Vec<(u64, WaitList)>>);

// SAFETY: the cell is used only under its bucket's lock.
unsafe impl Sync for QueueCell {}
// SAFETY: as above.
unsafe impl Send for QueueCell {}

impl Default for WaitTable {
    fn default() -> WaitTable {
        WaitTable { buckets: (0..BUCKETS).map(|_| Bucket::default()).collect() }
    }
}

impl WaitTable {
    /// The bucket of an address.
    pub(crate) fn bucket(&self, key: u64) -> &Bucket {
        let hash = (key >> 3).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56;
        &self.buckets[hash as usize % BUCKETS]
    }
}

impl Bucket {
    /// Takes the lock.
    pub(crate) fn lock<M: Machine>(&self, cx: &Cx<'_, M>) {
        if cx.alone { self.lock.lock_alone() } else { self.lock.lock() }
    }

    /// Gives it back.
    pub(crate) fn unlock(&self) {
        self.lock.unlock();
    }

    #[expect(clippy::mut_from_ref, reason = "the lock makes it exclusive")]
    fn queues(&self) -> &mut Vec<(u64, WaitList)> {
        debug_assert!(self.lock.is_locked());
        // SAFETY: the caller holds the lock and lets the reference go before it unlocks.
        unsafe { &mut *self.queues.0.get() }
    }

    /// Enters a prepared waiter under its key, at the front or at the back. Under the lock.
    pub(crate) fn enter(&self, w: WRef, front: bool) {
        let key = w.key.get();
        let queues = self.queues();
        let at = queues.iter().position(|(k, _)| *k == key).unwrap_or_else(|| {
            queues.push((key, WaitList::default()));
            queues.len() - 1
        });
        if front { queues[at].1.push_front(w) } else { queues[at].1.push(w) }
    }

    /// Takes out the first waiter of `key` that `pick` likes. Under the lock.
    pub(crate) fn take(&self, key: u64, pick: impl Fn(&WRef) -> bool) -> Option<WRef> {
        let queues = self.queues();
        let at = queues.iter().position(|(k, _)| *k == key)?;
        let list = &queues[at].1;
        let found = std::iter::successors(list.first(), |w| list.after(*w)).find(pick)?;
        list.remove(found);
        if list.is_empty() {
            queues.swap_remove(at);
        }
        Some(found)
    }
}
