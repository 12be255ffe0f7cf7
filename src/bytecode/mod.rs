//! The bytecode: the only bridge between the front end and the machine.

pub mod layout;
pub mod module;
pub mod op;
pub mod rt;
