//! Puts one thread to sleep until another one notifies it.
//!
//! States: empty → (park) parked → (unpark) notified → empty. `unpark` before `park` is remembered, once.
//! A spurious return from the kernel cannot be misread: the loop is on the state.

use super::base::{AtomicU32, Ordering};
use super::{Gate, Lock};

const EMPTY: u32 = 0;
const PARKED: u32 = 1;
const NOTIFIED: u32 = 2;

/// The sleeping place of one thread.
#[derive(Debug, Default)]
pub struct Parker {
    /// One of the states above. Written by the owner (empty, parked) and by notifiers (notified).
    state: AtomicU32,
    /// Held while the state goes to parked and while a parked thread is notified, so that the notification
    /// cannot fall between the owner's check and its sleep.
    lock: Lock<()>,
    gate: Gate,
}

impl Parker {
    /// Sleeps until notified; consumes the notification.
    pub fn park(&self) {
        if self.take() {
            return;
        }
        let mut guard = self.lock.lock();
        let parked =
            self.state.compare_exchange(EMPTY, PARKED, Ordering::AcqRel, Ordering::Acquire);
        if parked.is_err() {
            self.state.store(EMPTY, Ordering::Release);
            return;
        }
        loop {
            guard = self.gate.wait(guard);
            if self.take() {
                return;
            }
        }
    }

    /// As [`Parker::park`], but for at most `nanos` nanoseconds. True if notified.
    pub fn park_for(&self, nanos: u64) -> bool {
        if self.take() {
            return true;
        }
        let guard = self.lock.lock();
        let parked =
            self.state.compare_exchange(EMPTY, PARKED, Ordering::AcqRel, Ordering::Acquire);
        if parked.is_ok() {
            drop(self.gate.wait_for(&self.lock, guard, nanos));
        }
        self.state.swap(EMPTY, Ordering::AcqRel) == NOTIFIED
    }

    /// Wakes the owner, or lets its next park return at once.
    pub fn unpark(&self) {
        if self.state.swap(NOTIFIED, Ordering::AcqRel) == PARKED {
            drop(self.lock.lock());
            self.gate.open();
        }
    }

    fn take(&self) -> bool {
        self.state.compare_exchange(NOTIFIED, EMPTY, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}
