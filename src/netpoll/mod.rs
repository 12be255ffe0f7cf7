//! The readiness poller under the scheduler: deals in tokens, knows no goroutine.
