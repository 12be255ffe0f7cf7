//! Package os/signal: signals become bytes in a socket pair, which a goroutine of the guest reads through the poller.
//!
//! A handler may do next to nothing: it looks at the mode of its signal and writes one byte. The registry of handlers is a crate's and belongs to
//! the process, as signals do; what is here belongs to one machine, and dropping it takes its handlers out.

#![expect(
    unsafe_code,
    reason = "signal handlers: they only read atomics and call write, signal and raise"
)]

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

use signal_hook_registry::SigId;

use super::{NativePart, Ncx, Outcome, Table, net};

pub(super) const TABLE: Table =
    &[("recv", net::recv), ("setMode", set_mode), ("start", start), ("wait", net::wait)];

/// Signals are below this.
const SIGNALS: usize = 65;

const DEFAULT: u8 = 0;
const NOTIFY: u8 = 1;

/// What the handlers share.
#[derive(Debug)]
struct Shared {
    out: UnixStream,
    modes: [AtomicU8; SIGNALS],
    /// Somebody writes the dump of SIGQUIT unless this is set.
    quit_taken: Option<Arc<AtomicBool>>,
}

#[derive(Debug)]
struct Handlers {
    shared: Arc<Shared>,
    ids: Mutex<[Option<SigId>; SIGNALS]>,
}

impl NativePart for Handlers {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

impl Drop for Handlers {
    fn drop(&mut self) {
        let ids = self.ids.get_mut().expect("never held across a panic");
        for id in ids.iter_mut().filter_map(Option::take) {
            signal_hook_registry::unregister(id);
        }
    }
}

/// `func start() (r, w *handle)`.
fn start(n: &mut Ncx<'_, '_>) -> Outcome {
    let pair = UnixStream::pair().and_then(|(r, w)| {
        w.set_nonblocking(true)?;
        Ok((net::watch(n, socket2::Socket::from(r))?, w))
    });
    let (r, w) = match pair {
        Ok((r, out)) => {
            let modes = std::array::from_fn(|_| AtomicU8::new(DEFAULT));
            let quit_taken = n.vm.config.quit_taken.clone();
            let shared = Arc::new(Shared { out, modes, quit_taken });
            (r, n.new_handle(Handlers { shared, ids: Mutex::new([None; SIGNALS]) }))
        }
        Err(_) => (0, 0),
    };
    n.ret(0, r);
    n.ret(1, w);
    Outcome::Done
}

/// `func setMode(w *handle, sig, mode int)`: 0 the system's own action, 1 notify, 2 ignore.
fn set_mode(n: &mut Ncx<'_, '_>) -> Outcome {
    let (sig, mode) = (n.int(1), n.arg(2) as u8);
    if let (Some(h), Ok(i)) = (n.handle::<Handlers>(0), usize::try_from(sig))
        && i < SIGNALS
    {
        h.shared.modes[i].store(mode, Ordering::SeqCst);
        if let (libc::SIGQUIT, Some(taken)) = (sig as i32, &h.shared.quit_taken) {
            taken.store(mode != DEFAULT, Ordering::SeqCst);
        }
        let mut ids = h.ids.lock().expect("never held across a panic");
        if ids[i].is_none() && may_catch(sig as i32) {
            ids[i] = register(&h.shared, sig as i32).ok();
        }
    }
    Outcome::Done
}

/// Those the registry refuses, and those that mean a fault of the machine itself.
fn may_catch(sig: i32) -> bool {
    !matches!(
        sig,
        libc::SIGKILL
            | libc::SIGSTOP
            | libc::SIGILL
            | libc::SIGFPE
            | libc::SIGSEGV
            | libc::SIGBUS
            | libc::SIGTRAP
    )
}

fn register(shared: &Arc<Shared>, sig: i32) -> io::Result<SigId> {
    let shared = Arc::clone(shared);
    let action = move || handle(&shared, sig);
    // SAFETY: the action only reads an atomic and makes calls that handlers may make.
    unsafe { signal_hook_registry::register(sig, action) }
}

/// Runs as a signal handler.
fn handle(shared: &Shared, sig: i32) {
    match shared.modes[sig as usize].load(Ordering::SeqCst) {
        NOTIFY => {
            let byte = sig as u8;
            let fd = shared.out.as_raw_fd();
            // SAFETY: one byte of a local variable; a full pair loses the signal, as a full channel does.
            unsafe { libc::write(fd, (&raw const byte).cast(), 1) };
        }
        DEFAULT if sig == libc::SIGQUIT && shared.quit_taken.is_some() => {}
        DEFAULT
            if !matches!(sig, libc::SIGCHLD | libc::SIGURG | libc::SIGWINCH | libc::SIGCONT) =>
        {
            // SAFETY: both calls are allowed in handlers; the signal acts when this handler returns.
            unsafe { libc::signal(sig, libc::SIG_DFL) };
            // SAFETY: as above.
            unsafe { libc::raise(sig) };
        }
        _ => {}
    }
}
