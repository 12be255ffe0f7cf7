//! The poller under the exhaustive model checker: what becomes ready is said by the test (`Cx::net_pretend`), not by a kernel, in
//! which a thread would wait without the checker's knowledge. It keeps the contract of the real one.

use super::{Readiness, Wait};
use crate::sync::{AtomicBool, Lock, Ordering, Parker};
use std::io;
use std::os::fd::RawFd;

/// See the head of the file.
#[derive(Debug, Default)]
pub struct Poller {
    ready: Lock<Vec<Readiness>>,
    parker: Parker,
    pending: AtomicBool,
}

impl Poller {
    /// A poller with nothing registered.
    #[must_use]
    pub fn new() -> Poller {
        Poller::default()
    }

    /// Registers a descriptor.
    ///
    /// # Errors
    /// None here.
    pub fn register(&self, _fd: RawFd, _token: usize) -> io::Result<()> {
        Ok(())
    }

    /// Takes a descriptor out.
    ///
    /// # Errors
    /// None here.
    pub fn deregister(&self, _fd: RawFd) -> io::Result<()> {
        Ok(())
    }

    /// Waits for readiness.
    pub fn wait(&self, wait: Wait) -> Vec<Readiness> {
        let ready = std::mem::take(&mut *self.ready.lock());
        if !ready.is_empty() || self.pending.swap(false, Ordering::SeqCst) {
            return ready;
        }
        match wait {
            Wait::Forever => self.parker.park(),
            Wait::Nanos(nanos) => {
                self.parker.park_for(nanos);
            }
        }
        self.pending.store(false, Ordering::SeqCst);
        std::mem::take(&mut *self.ready.lock())
    }

    /// What is ready now.
    pub fn try_now(&self) -> Option<Vec<Readiness>> {
        Some(std::mem::take(&mut *self.ready.lock()))
    }

    /// Makes the present or the next [`Poller::wait`] return.
    pub fn wake(&self) {
        if !self.pending.swap(true, Ordering::SeqCst) {
            self.parker.unpark();
        }
    }

    /// Something becomes ready.
    pub fn pretend(&self, readiness: Readiness) {
        self.ready.lock().push(readiness);
        self.parker.unpark();
    }
}
