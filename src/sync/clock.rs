//! The only source of time: real, or virtual and moved by the scheduler.
//!
//! Times are nanoseconds since the clock was made, as `i64`; they never go back. The wall clock of the guest
//! is this plus a start that the machine keeps.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

/// The clock of one runtime.
#[derive(Debug)]
pub enum Clock {
    /// The monotonic clock of the system, counted from this instant. A read costs about 28 ns.
    Real(Instant),
    /// Moves only by [`Clock::advance_to`]: to the next timer, when nothing can run.
    Virtual(AtomicI64),
}

impl Clock {
    /// A real clock that starts now.
    #[must_use]
    pub fn real() -> Clock {
        Clock::Real(Instant::now())
    }

    /// A virtual clock at zero.
    #[must_use]
    pub fn virtual_at_zero() -> Clock {
        Clock::Virtual(AtomicI64::new(0))
    }

    /// Nanoseconds since the start; at least 1, because 0 means "no time" in timers.
    pub fn now(&self) -> i64 {
        match self {
            Clock::Real(start) => {
                i64::try_from(start.elapsed().as_nanos()).unwrap_or(i64::MAX).saturating_add(1)
            }
            Clock::Virtual(now) => now.load(Ordering::Relaxed).saturating_add(1),
        }
    }

    /// Whether time moves only by [`Clock::advance_to`].
    pub fn is_virtual(&self) -> bool {
        matches!(self, Clock::Virtual(_))
    }

    /// Moves a virtual clock forward to `when`, as [`Clock::now`] counts; a real clock stays as it is.
    pub fn advance_to(&self, when: i64) {
        if let Clock::Virtual(now) = self {
            now.fetch_max(when.saturating_sub(1), Ordering::Relaxed);
        }
    }
}
