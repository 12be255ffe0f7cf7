//! From text to a flat syntax tree.
