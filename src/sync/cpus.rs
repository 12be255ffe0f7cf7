//! How many CPUs there are for this process.

use std::thread::available_parallelism;

/// The number of CPUs that this process may use (affinity and cgroup quota included).
#[must_use]
pub fn cpus() -> u32 {
    available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(1))
}
