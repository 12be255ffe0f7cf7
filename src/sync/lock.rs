//! A mutex without poisoning, and a gate on which threads wait for a condition.
//!
//! Poisoning is left out because a Rust panic in the scheduler ends the program anyway (the M loop catches
//! it, dumps and reports an internal error); a second panic in a lock would only hide the first.

use super::base::{Condvar, MODEL, Mutex, MutexGuard, PoisonError, TryLockError, thread};
use std::time::Duration;

/// A mutex that sleeps in the kernel when contended.
#[derive(Debug, Default)]
pub struct Lock<T>(Mutex<T>);

/// Access to what a [`Lock`] protects, until dropped.
pub type LockGuard<'a, T> = MutexGuard<'a, T>;

impl<T> Lock<T> {
    /// An unlocked lock around `value`.
    pub fn new(value: T) -> Lock<T> {
        Lock(Mutex::new(value))
    }

    /// Waits for the lock.
    pub fn lock(&self) -> LockGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the lock if it is free.
    pub fn try_lock(&self) -> Option<LockGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Access through exclusive ownership, without locking.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A condition variable for use with [`Lock`].
#[derive(Debug, Default)]
pub struct Gate(Condvar);

impl Gate {
    /// A gate with nobody waiting.
    pub fn new() -> Gate {
        Gate(Condvar::new())
    }

    /// Waits until somebody opens the gate. May return early: callers loop on their condition.
    pub fn wait<'a, T>(&self, guard: LockGuard<'a, T>) -> LockGuard<'a, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`Gate::wait`], but for at most `nanos` nanoseconds. `lock` is what `guard` came from.
    pub fn wait_for<'a, T>(
        &self,
        lock: &'a Lock<T>,
        guard: LockGuard<'a, T>,
        nanos: u64,
    ) -> LockGuard<'a, T> {
        if MODEL {
            drop(guard);
            thread::yield_now();
            return lock.lock();
        }
        let wait = self.0.wait_timeout(guard, Duration::from_nanos(nanos));
        wait.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Lets all who wait go on.
    pub fn open(&self) {
        self.0.notify_all();
    }
}
