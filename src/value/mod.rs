//! What guest values look like in memory.
