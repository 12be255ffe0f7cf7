//! Ctrl-C while a piece runs. (While a line is edited the terminal is in raw mode and rustyline sees it.)

#![expect(unsafe_code, reason = "a signal handler that only sets a flag")]

use std::sync::atomic::{AtomicBool, Ordering};

/// Set by the handler. The command's own, not the library's.
static SEEN: AtomicBool = AtomicBool::new(false);

extern "C" fn handle(_signal: libc::c_int) {
    SEEN.store(true, Ordering::SeqCst);
}

/// Takes over SIGINT.
pub(super) fn install() {
    let handler = handle as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // SAFETY: the handler stores to an atomic, which is allowed in a signal handler.
    unsafe { libc::signal(libc::SIGINT, handler) };
}

/// Forgets an earlier Ctrl-C.
pub(super) fn clear() {
    SEEN.store(false, Ordering::SeqCst);
}

/// Whether Ctrl-C was pressed since.
pub(super) fn seen() -> bool {
    SEEN.load(Ordering::SeqCst)
}
