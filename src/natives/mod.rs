//! The functions of std packages that are written in Rust.
