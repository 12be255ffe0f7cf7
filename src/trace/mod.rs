//! Scheduler events turned into lines, counters and verdicts.
//!
//! [`JsonTrace`] is an event hook that writes one JSON object a line; [`check`] reads such lines and says
//! which of the scheduler's invariants they break; [`stats_json`] prints the counters. schedtrace, which must
//! work while everything hangs, is printed by the scheduler itself.

mod check;
mod json;

pub use check::{Summary, check};
pub use json::{JsonTrace, stats_json};
