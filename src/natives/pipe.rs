//! Package os: pipes, which wait through the poller as sockets do. Files proper block a thread instead, see `os`.
//!
//! The rules are those of `net`: an operation is tried at once, `waitHandle` parks the goroutine until trying again may help, and closing
//! wakes both directions.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::{Arc, Mutex};

use crate::value::{mem, text};

use super::net::{set_deadline, wait_for};
use super::{NativePart, Ncx, Outcome};

/// The handle was closed. No number of the kernel is negative.
const CLOSED: i64 = -1;
/// The most bytes moved by one system call; the guest comes again for the rest.
const CHUNK: usize = 1 << 20;

/// An end of a pipe and its token with the poller; `None` once it is closed.
#[derive(Debug)]
struct PipePart(Mutex<Option<(Arc<File>, u64)>>);

impl NativePart for PipePart {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn code(e: &io::Error) -> i64 {
    i64::from(e.raw_os_error().unwrap_or(libc::EIO))
}

/// An end under the poller: handle and descriptor.
pub(super) fn watch(n: &mut Ncx<'_, '_>, end: OwnedFd) -> io::Result<(u64, i64)> {
    let fd = end.as_raw_fd();
    let token = n.cx.net_open(fd)?;
    let part = PipePart(Mutex::new(Some((Arc::new(File::from(end)), token))));
    Ok((n.new_handle(part), i64::from(fd)))
}

fn both(n: &Ncx<'_, '_>) -> Option<(Arc<File>, u64)> {
    let slot = n.handle::<PipePart>(0)?.0.lock().expect("never held across a panic");
    slot.as_ref().map(|(f, t)| (Arc::clone(f), *t))
}

fn ret_count(n: &mut Ncx<'_, '_>, r: Option<io::Result<usize>>) -> Outcome {
    let (k, e) = match r {
        None => (0, CLOSED),
        Some(Ok(k)) => (k, 0),
        Some(Err(e)) => (0, code(&e)),
    };
    n.ret(0, k as u64);
    n.ret(1, e as u64);
    Outcome::Done
}

/// `func readHandle(h *handle, b []byte) (n, errno int)`.
pub(super) fn read(n: &mut Ncx<'_, '_>) -> Outcome {
    let slice = n.arg(1);
    let mut buffer = vec![0u8; text::len(slice).min(CHUNK)];
    let r = both(n).map(|(f, _)| (&*f).read(&mut buffer));
    if let Some(Ok(k)) = r {
        mem::write_bytes(text::data(slice), &buffer[..k]);
        n.charge(k);
    }
    ret_count(n, r)
}

/// `func writeHandle(h *handle, b []byte) (n, errno int)`.
pub(super) fn write(n: &mut Ncx<'_, '_>) -> Outcome {
    let slice = n.arg(1);
    let data = mem::read_bytes(text::data(slice), text::len(slice).min(CHUNK));
    n.charge(data.len());
    let r = both(n).map(|(f, _)| (&*f).write(&data));
    ret_count(n, r)
}

/// `func closeHandle(h *handle) bool`: false if it was closed before.
pub(super) fn close(n: &mut Ncx<'_, '_>) -> Outcome {
    let part = n.handle::<PipePart>(0);
    let taken = part.and_then(|p| p.0.lock().expect("never held across a panic").take());
    n.ret_bool(0, taken.is_some());
    if let Some((file, token)) = taken {
        n.cx.net_close(token);
        drop(file);
    }
    Outcome::Done
}

/// `func waitHandle(h *handle, write bool)`.
pub(super) fn wait(n: &mut Ncx<'_, '_>) -> Outcome {
    let token = both(n).map(|(_, t)| t);
    wait_for(n, token)
}

/// `func deadlineHandle(h *handle, write, set bool, delay int64) bool`: false if the handle is closed.
pub(super) fn deadline(n: &mut Ncx<'_, '_>) -> Outcome {
    let token = both(n).map(|(_, t)| t);
    set_deadline(n, token)
}
