//! Tests of the scheduler and the channels with a scripted machine.
#![allow(
    unsafe_code,
    clippy::undocumented_unsafe_blocks,
    clippy::wildcard_enum_match_arm,
    clippy::unwrap_used,
    clippy::vec_box,
    reason = "the fake machine calls the raw interface, which keeps addresses; scenarios are small"
)]

mod deadlock;
mod fake;
mod golden;
mod net;
mod stress;
mod sysmon;
mod timers;
mod trace;
