//! gmpl: Go as a small interpreted language, with goroutines on a real GMP scheduler.
//!
//! The crate is a pipeline: [`syntax`] turns text into a flat tree, [`types`] checks it and gives a typed
//! tree, [`compile`] turns that into [`bytecode`], and [`vm`] runs it as goroutines of [`sched`].
//! A module may use only what stands above it in this list; a test checks that.
//! The library keeps no process-global state.

pub mod bytecode;
pub mod chan;
pub mod compile;
pub mod diag;
pub mod heap;
pub mod library;
pub mod natives;
pub mod netpoll;
pub mod sched;
pub mod source;
pub mod sync;
pub mod syntax;
pub mod trace;
pub mod types;
pub mod value;
pub mod vm;
