//! The GMP scheduler.
