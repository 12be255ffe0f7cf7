//! Source files, positions and line tables.
