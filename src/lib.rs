//! gmpl: Go as a small interpreted language, with goroutines on a real GMP scheduler.
//!
//! The crate is a pipeline: [`syntax`] turns text into a flat tree, [`types`] checks it and gives a typed
//! tree, [`compile`] turns that into [`bytecode`], and [`vm`] runs it as goroutines of [`sched`].
//! A module may use only what stands above it in this list; a test checks that.
//! The library keeps no process-global state.

pub mod source;
pub mod diag;
pub mod syntax;
pub mod types;
pub mod bytecode;
pub mod compile;
pub mod sync;
pub mod netpoll;
pub mod sched;
pub mod heap;
pub mod value;
pub mod chan;
pub mod vm;
pub mod natives;
pub mod trace;
