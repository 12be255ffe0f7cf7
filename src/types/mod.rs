//! The checker: from the syntax tree to a typed tree, as the Go compiler would check it.

pub mod ty;
pub mod typed;
