//! The poller over the kernel's (mio). The contract is at the head of the folder.

use super::{Readiness, Wait};
use crate::sync::{AtomicBool, Lock, Ordering, Parker};
use mio::event::Source;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Registry, Token, Waker};
use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

/// The token of the poller's own waker.
const WAKER: Token = Token(usize::MAX);
/// Events taken from the kernel in one call, as in Go.
const EVENTS: usize = 128;

/// The kernel's poller, made at the first registration.
#[derive(Debug)]
struct Kernel {
    poll: Lock<(Poll, Events)>,
    registry: Registry,
    waker: Waker,
}

/// The poller of one runtime.
#[derive(Debug, Default)]
pub struct Poller {
    kernel: std::sync::OnceLock<Kernel>,
    making: Lock<()>,
    parker: Parker,
    /// A wake-up that no `wait` has taken.
    pending: AtomicBool,
}

impl Poller {
    /// A poller with nothing registered.
    #[must_use]
    pub fn new() -> Poller {
        Poller::default()
    }

    fn kernel(&self) -> io::Result<&Kernel> {
        let _one = self.making.lock();
        if let Some(kernel) = self.kernel.get() {
            return Ok(kernel);
        }
        let poll = Poll::new()?;
        let registry = poll.registry().try_clone()?;
        let waker = Waker::new(poll.registry(), WAKER)?;
        let made =
            Kernel { poll: Lock::new((poll, Events::with_capacity(EVENTS))), registry, waker };
        let kernel = self.kernel.get_or_init(|| made);
        // A thread that waits in the parker must come over to the kernel.
        self.parker.unpark();
        Ok(kernel)
    }

    /// Registers a descriptor for reading and writing. Regular files are refused by the kernel.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn register(&self, fd: RawFd, token: usize) -> io::Result<()> {
        let kernel = self.kernel()?;
        SourceFd(&fd).register(
            &kernel.registry,
            Token(token),
            Interest::READABLE | Interest::WRITABLE,
        )
    }

    /// Takes a descriptor out, before it is closed.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn deregister(&self, fd: RawFd) -> io::Result<()> {
        SourceFd(&fd).deregister(&self.kernel()?.registry)
    }

    /// Waits for readiness. An empty answer means the time is over or somebody woke it.
    pub fn wait(&self, wait: Wait) -> Vec<Readiness> {
        let Some(kernel) = self.kernel.get() else {
            if self.pending.swap(false, Ordering::SeqCst) {
                return Vec::new();
            }
            match wait {
                Wait::Forever => self.parker.park(),
                Wait::Nanos(nanos) => {
                    self.parker.park_for(nanos);
                }
            }
            self.pending.store(false, Ordering::SeqCst);
            return Vec::new();
        };
        let mut guard = kernel.poll.lock();
        let timeout = if self.pending.swap(false, Ordering::SeqCst) {
            Some(Duration::ZERO)
        } else {
            match wait {
                Wait::Forever => None,
                Wait::Nanos(nanos) => Some(Duration::from_nanos(nanos)),
            }
        };
        let ready = poll(&mut guard, timeout);
        self.pending.store(false, Ordering::SeqCst);
        ready
    }

    /// What is ready now; `None` if another thread is polling or nothing was ever registered.
    pub fn try_now(&self) -> Option<Vec<Readiness>> {
        let kernel = self.kernel.get()?;
        let mut guard = kernel.poll.try_lock()?;
        Some(poll(&mut guard, Some(Duration::ZERO)))
    }

    /// Makes the present or the next [`Poller::wait`] return.
    pub fn wake(&self) {
        if self.pending.swap(true, Ordering::SeqCst) {
            return;
        }
        self.parker.unpark();
        if let Some(kernel) = self.kernel.get() {
            // A failed wake-up would only mean a longer sleep, bounded by sysmon.
            let _ = kernel.waker.wake();
        }
    }
}

fn poll(state: &mut (Poll, Events), timeout: Option<Duration>) -> Vec<Readiness> {
    let (poll, events) = state;
    if poll.poll(events, timeout).is_err() {
        // Interrupted: the caller looks at everything again anyway.
        return Vec::new();
    }
    let ready = events.iter().filter(|e| e.token() != WAKER).map(|e| Readiness {
        token: e.token().0,
        read: e.is_readable() || e.is_read_closed() || e.is_error(),
        write: e.is_writable() || e.is_write_closed() || e.is_error(),
    });
    ready.collect()
}
