//! The `gmpl` command.

fn main() {}
