//! The readiness poller under the scheduler: deals in tokens, knows no goroutine.
//!
//! Two ways to wait: in the kernel's poller (mio), or, as long as nothing was ever registered, in a parker,
//! which is sharper (mio rounds up to whole milliseconds) and costs no descriptor at start-up.
//!
//! Contract: at most one thread is in [`Poller::wait`]; [`Poller::try_now`] never blocks, also not on that
//! one. mio is edge-triggered: after a readiness the operation must be repeated until it would block.
//!
//! A wake-up event is consumed by whichever poll sees it, so a wake between two waits would be lost if
//! [`Poller::try_now`] came in between. Therefore `pending` is set before the kernel is told, and
//! [`Poller::wait`] takes it before it sleeps.

#[cfg(not(feature = "loom"))]
mod kernel;
#[cfg(feature = "loom")]
mod model;

#[cfg(not(feature = "loom"))]
pub use kernel::Poller;
#[cfg(feature = "loom")]
pub use model::Poller;

/// What became ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Readiness {
    /// The token that the descriptor was registered with.
    pub token: usize,
    /// A read will not block (there is data, an end, or an error).
    pub read: bool,
    /// A write will not block.
    pub write: bool,
}

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Until something is ready or [`Poller::wake`] is called.
    Forever,
    /// At most this long.
    Nanos(u64),
}
