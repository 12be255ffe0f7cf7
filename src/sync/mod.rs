//! The only place that names threads, locks and atomics, so that a model checker can replace them.
