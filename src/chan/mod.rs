//! Channels, select and semaphores.
