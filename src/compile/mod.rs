//! From the typed tree to bytecode.
