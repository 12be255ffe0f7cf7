//! The checker: from the syntax tree to a typed tree, as the Go compiler would check it.
//!
//! [`checker`] is the object that everything hangs on and [`program`] how others use it; [`ty`] is the type store and
//! [`typed`] the result. Declarations are collected (`collect`) and resolved on demand (`decl`, `func`,
//! `typexpr`); expressions and statements have a file for each kind.

mod assign;
mod branches;
mod builtin;
mod call;
pub mod checker;
mod collect;
mod compare;
pub mod consts;
mod convert;
mod decl;
mod emit;
mod expr;
mod func;
mod hints;
mod index;
mod infer;
mod init;
mod literal;
mod lookup;
mod mono;
mod multi;
mod named;
pub(crate) mod names;
mod object;
mod operand;
mod predicates;
mod print;
pub mod program;
mod range;
pub mod real;
mod recursive;
mod results;
mod returns;
mod selector;
mod sizes;
mod stmt;
mod switch;
pub(crate) mod table;
pub mod ty;
pub mod typed;
mod typeset;
mod typexpr;
mod universe;

pub use checker::{Checker, LibraryFile, Loader};
