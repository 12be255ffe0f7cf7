//! SIGQUIT while a program runs: a dump of all goroutines and exit status 2, as in Go.
//!
//! A handler may do next to nothing, so it writes a byte to a thread that waits for it. If the program deals with the
//! signal itself (`os/signal`), nothing happens here.

#![expect(unsafe_code, reason = "a signal handler: it reads an atomic and calls write")]

use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The thread writes from a small stack.
const STACK: usize = 256 << 10;

/// Calls `quit` on a thread of its own when the signal comes, unless `taken` is set then. Without the signal, or if the
/// system refuses, nothing is lost but the dump.
pub(super) fn install(taken: Arc<AtomicBool>, quit: impl FnOnce() + Send + 'static) {
    let Ok((mut read, write)) = UnixStream::pair() else { return };
    let action = move || {
        if !taken.load(Ordering::SeqCst) {
            let byte = 0u8;
            // SAFETY: one byte of a local variable.
            unsafe { libc::write(write.as_raw_fd(), (&raw const byte).cast(), 1) };
        }
    };
    // SAFETY: the action only reads an atomic and calls write, which handlers may do.
    let registered = unsafe { signal_hook_registry::register(libc::SIGQUIT, action) };
    if registered.is_ok() {
        let wait = move || {
            if read.read(&mut [0]).is_ok_and(|n| n == 1) {
                quit();
            }
        };
        // Without the thread the signal does nothing.
        let _ = std::thread::Builder::new().name("gmpl-quit".into()).stack_size(STACK).spawn(wait);
    }
}
