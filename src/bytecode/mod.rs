//! The bytecode: the only bridge between the front end and the machine.

pub mod disasm;
pub mod effects;
pub mod layout;
pub mod liveness;
pub mod module;
pub mod op;
pub mod rt;
pub mod verify;
