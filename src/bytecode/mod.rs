//! The bytecode: the only bridge between the front end and the machine.
