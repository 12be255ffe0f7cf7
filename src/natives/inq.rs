//! Reading from a TCP socket and hearing in the same system call whether that emptied it.
//!
//! A goroutine that waits for the next message need not try to read first then: it can park at once. Linux tells it in a control
//! message (`TCP_INQ`, since 4.18); where nothing is told a read is tried as always.

#![expect(
    unsafe_code,
    reason = "recvmsg and setsockopt of the C library on descriptors and buffers owned here"
)]

use std::io;
use std::os::fd::RawFd;

/// The option, and the type of its control message. From `linux/tcp.h`.
#[cfg(target_os = "linux")]
const TCP_INQ: libc::c_int = 36;

/// Asks for the control message. Sockets of other kinds refuse, which does no harm.
pub(super) fn ask(fd: RawFd) {
    #[cfg(target_os = "linux")]
    {
        let on: libc::c_int = 1;
        let size = size_of::<libc::c_int>() as libc::socklen_t;
        // SAFETY: the option is one int.
        unsafe { libc::setsockopt(fd, libc::IPPROTO_TCP, TCP_INQ, (&raw const on).cast(), size) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = fd;
}

/// Room for one control message with an int, aligned as the kernel wants it.
#[repr(C, align(8))]
struct Control([u8; 32]);

/// Reads what there is into `buffer`: the bytes read, and whether the socket is known to be empty now. Something that comes afterwards
/// is an edge for the poller, the end of the stream included.
///
/// # Errors
/// What the kernel says.
pub(super) fn read(fd: RawFd, buffer: &mut [u8]) -> io::Result<(usize, bool)> {
    let mut control = Control([0; 32]);
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // SAFETY: all zero is a message without anything.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = (&raw mut control).cast();
    message.msg_controllen = size_of::<Control>() as _;
    // SAFETY: the buffers live and are as long as is said.
    let n = unsafe { libc::recvmsg(fd, &raw mut message, 0) };
    let n = usize::try_from(n).map_err(|_| io::Error::last_os_error())?;
    Ok((n, n > 0 && left(&message) == Some(0)))
}

/// How much is left in the socket, if the kernel said it.
#[cfg(target_os = "linux")]
fn left(message: &libc::msghdr) -> Option<i32> {
    // SAFETY: the kernel filled in the control buffer, which lives, and its length.
    let first = unsafe { libc::CMSG_FIRSTHDR(message) };
    // SAFETY: as above; null if there is no message.
    let header = unsafe { first.as_ref() }?;
    if header.cmsg_level != libc::IPPROTO_TCP || header.cmsg_type != TCP_INQ {
        return None;
    }
    // SAFETY: only an address.
    let data = unsafe { libc::CMSG_DATA(header) };
    // SAFETY: the data of this message is one int.
    Some(unsafe { data.cast::<i32>().read_unaligned() })
}

#[cfg(not(target_os = "linux"))]
fn left(_: &libc::msghdr) -> Option<i32> {
    None
}
