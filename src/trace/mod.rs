//! Scheduler events turned into counters and traces.
