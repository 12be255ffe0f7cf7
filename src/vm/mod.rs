//! The run loop and what surrounds it.
