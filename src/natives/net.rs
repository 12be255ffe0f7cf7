//! Package net: sockets. What a connection is, addresses and errors are in `std/net`.
//!
//! Every socket is non-blocking and watched by the poller. An operation is tried at once; if it would block, the guest's half calls
//! `wait`, which parks the goroutine until the poller says that trying again may help. Closing takes the descriptor out of the handle
//! and wakes both directions; a native that is in the middle of a system call holds the descriptor open until it is done, so
//! that its number cannot be reused under it.

use std::io;
use std::mem::MaybeUninit;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, SocketAddrV6, ToSocketAddrs};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use crate::sched::net::{Mode, NetResult};
use crate::value::{mem, text};
use crate::vm::co::Completion;

use super::{Job, NativePart, Ncx, Outcome, Table, inq};

pub(super) const TABLE: Table = &[
    ("accept", accept),
    ("bind", |n| with_address(n, |s, a| s.bind(a))),
    ("closeSocket", close_socket),
    ("connect", |n| with_address(n, |s, a| s.connect(a))),
    ("deadline", deadline),
    ("listen", |n| plain(n, |s, _| s.listen(4096))),
    ("localAddr", |n| address(n, |s| s.local_addr())),
    ("lookup", lookup),
    ("open", open),
    ("recv", recv_told),
    ("recvFrom", recv_from),
    ("remoteAddr", |n| address(n, |s| s.peer_addr())),
    ("send", send),
    ("sendTo", send_to),
    ("setOption", |n| plain(n, set_option)),
    ("shutdown", |n| plain(n, |s, how| s.shutdown(direction(how)))),
    ("socketError", socket_error),
    ("wait", wait),
    ("waitResult", wait_result),
];

/// What stands for an error without a number.
const EIO: i64 = 5;
/// The handle was closed. No number of the kernel is negative.
const CLOSED: i64 = -1;

/// The socket and its token with the poller; `None` once it is closed.
#[derive(Debug)]
struct SocketPart(Mutex<Option<(Arc<Socket>, u64)>>);

impl NativePart for SocketPart {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn code(e: &io::Error) -> i64 {
    i64::from(e.raw_os_error().unwrap_or(EIO as i32))
}

fn status(r: io::Result<()>) -> u64 {
    r.err().map_or(0, |e| code(&e)) as u64
}

fn part<'b>(n: &Ncx<'_, '_>) -> Option<&'b SocketPart> {
    n.handle::<SocketPart>(0)
}

fn both(n: &Ncx<'_, '_>) -> Option<(Arc<Socket>, u64)> {
    let slot = part(n)?.0.lock().expect("never held across a panic");
    slot.as_ref().map(|(s, t)| (Arc::clone(s), *t))
}

fn socket(n: &Ncx<'_, '_>) -> Option<Arc<Socket>> {
    both(n).map(|(s, _)| s)
}

/// Puts a socket under the poller: the handle, or the error.
pub(super) fn watch(n: &mut Ncx<'_, '_>, s: Socket) -> io::Result<u64> {
    s.set_nonblocking(true)?;
    inq::ask(s.as_raw_fd());
    let token = n.cx.net_open(s.as_raw_fd())?;
    Ok(n.new_handle(SocketPart(Mutex::new(Some((Arc::new(s), token))))))
}

fn ret_handle(n: &mut Ncx<'_, '_>, made: io::Result<u64>) -> Outcome {
    let (h, e) = match made {
        Ok(h) => (h, 0),
        Err(e) => (0, code(&e)),
    };
    n.ret(0, h);
    n.ret(1, e as u64);
    Outcome::Done
}

/// `func open(family, kind int) (h *handle, errno int)`: family 4, 6 or 1 (unix); kind 1 stream, 2 datagrams.
fn open(n: &mut Ncx<'_, '_>) -> Outcome {
    let made = make(n.int(0), n.int(1)).and_then(|s| watch(n, s));
    ret_handle(n, made)
}

fn make(family: i64, kind: i64) -> io::Result<Socket> {
    let domain = match family {
        4 => Domain::IPV4,
        6 => Domain::IPV6,
        _ => Domain::UNIX,
    };
    let ty = if kind == 1 { Type::STREAM } else { Type::DGRAM };
    let protocol = match (family, kind) {
        (1, _) => None,
        (_, 1) => Some(Protocol::TCP),
        _ => Some(Protocol::UDP),
    };
    Socket::new(domain, ty, protocol)
}

/// Options: 1 no delay, 2 keep alive, 3 address reuse, 4 only IPv6, 5 broadcast, 6 receive buffer, 7 send buffer, 8 linger in
/// seconds (negative: off), 9 seconds between keep-alive probes.
fn set_option(s: &Socket, packed: i64) -> io::Result<()> {
    let (option, value) = (packed & 15, packed >> 4);
    let on = value != 0;
    let size = usize::try_from(value).unwrap_or(0);
    match option {
        1 => s.set_tcp_nodelay(on),
        2 => s.set_keepalive(on),
        3 => s.set_reuse_address(on),
        4 => s.set_only_v6(on),
        5 => s.set_broadcast(on),
        6 => s.set_recv_buffer_size(size),
        7 => s.set_send_buffer_size(size),
        8 => s.set_linger(u64::try_from(value).ok().map(Duration::from_secs)),
        _ => {
            let every = Duration::from_secs(u64::try_from(value).unwrap_or(15).max(1));
            s.set_tcp_keepalive(&socket2::TcpKeepalive::new().with_time(every).with_interval(every))
        }
    }
}

fn direction(how: i64) -> Shutdown {
    match how {
        0 => Shutdown::Read,
        1 => Shutdown::Write,
        _ => Shutdown::Both,
    }
}

/// `func f(h *handle, x int) (errno int)`.
fn plain(n: &mut Ncx<'_, '_>, f: fn(&Socket, i64) -> io::Result<()>) -> Outcome {
    let x = n.int(1);
    let e = socket(n).map_or(CLOSED as u64, |s| status(f(&s, x)));
    n.ret(0, e);
    Outcome::Done
}

/// The address in the slots from `i` on: family, raw address or path, port, scope.
fn read_address(n: &Ncx<'_, '_>, i: usize) -> io::Result<SockAddr> {
    let raw = n.bytes(i + 1);
    let port = n.arg(i + 2) as u16;
    let bad = || io::Error::from_raw_os_error(libc::EINVAL);
    Ok(match n.int(i) {
        4 => {
            let ip: [u8; 4] = raw.try_into().map_err(|_| bad())?;
            SocketAddr::from((Ipv4Addr::from(ip), port)).into()
        }
        6 => {
            let ip: [u8; 16] = raw.try_into().map_err(|_| bad())?;
            SocketAddrV6::new(Ipv6Addr::from(ip), port, 0, n.arg(i + 3) as u32).into()
        }
        _ => SockAddr::unix(text::lossy(n.arg(i + 1)))?,
    })
}

/// Stores an address in the result slots from `i` on.
fn ret_address(n: &mut Ncx<'_, '_>, i: usize, a: Option<&SockAddr>) {
    let (family, raw, port, scope) = match a.and_then(SockAddr::as_socket) {
        Some(SocketAddr::V4(a)) => (4, a.ip().octets().to_vec(), a.port(), 0),
        Some(SocketAddr::V6(a)) => (6, a.ip().octets().to_vec(), a.port(), a.scope_id()),
        None => {
            use std::os::unix::ffi::OsStrExt;
            let path = a.and_then(SockAddr::as_pathname).map(|p| p.as_os_str().as_bytes().to_vec());
            (u64::from(a.is_some()), path.unwrap_or_default(), 0, 0)
        }
    };
    n.ret(i, family);
    n.ret_string(i + 1, &raw);
    n.ret(i + 2, u64::from(port));
    n.ret(i + 3, u64::from(scope));
}

/// `func f(h *handle, family int, raw string, port, scope int) (errno int)`.
fn with_address(n: &mut Ncx<'_, '_>, f: fn(&Socket, &SockAddr) -> io::Result<()>) -> Outcome {
    let e = match (socket(n), read_address(n, 1)) {
        (None, _) => CLOSED as u64,
        (_, Err(e)) => code(&e) as u64,
        (Some(s), Ok(a)) => status(f(&s, &a)),
    };
    n.ret(0, e);
    Outcome::Done
}

/// `func f(h *handle) (family int, raw string, port, scope int)`.
fn address(n: &mut Ncx<'_, '_>, f: fn(&Socket) -> io::Result<SockAddr>) -> Outcome {
    let a = socket(n).and_then(|s| f(&s).ok());
    ret_address(n, 0, a.as_ref());
    Outcome::Done
}

/// `func socketError(h *handle) (errno int)`: how an attempt to connect ended.
fn socket_error(n: &mut Ncx<'_, '_>) -> Outcome {
    let e = match socket(n).map(|s| s.take_error()) {
        None => CLOSED,
        Some(Ok(None)) => 0,
        Some(Ok(Some(e)) | Err(e)) => code(&e),
    };
    n.ret(0, e as u64);
    Outcome::Done
}

/// `func accept(h *handle) (conn *handle, errno int)`.
fn accept(n: &mut Ncx<'_, '_>) -> Outcome {
    let Some(s) = socket(n) else {
        n.ret(0, 0);
        n.ret(1, CLOSED as u64);
        return Outcome::Done;
    };
    let made = s.accept().and_then(|(c, _)| watch(n, c));
    ret_handle(n, made)
}

fn ret_count(n: &mut Ncx<'_, '_>, r: Option<io::Result<usize>>) {
    let (k, e) = match r {
        None => (0, CLOSED),
        Some(Ok(k)) => (k, 0),
        Some(Err(e)) => (0, code(&e)),
    };
    n.ret(0, k as u64);
    n.ret(1, e as u64);
}

/// The most bytes moved by one system call; the guest comes again for the rest.
const CHUNK: usize = 1 << 20;

/// `func recv(h *handle, b []byte) (n, errno int)`, for others than TCP.
pub(super) fn recv(n: &mut Ncx<'_, '_>) -> Outcome {
    let slice = n.arg(1);
    let mut buffer = vec![0u8; text::len(slice).min(CHUNK)];
    let r = socket(n).map(|s| io::Read::read(&mut &*s, &mut buffer));
    if let Some(Ok(k)) = r {
        mem::write_bytes(text::data(slice), &buffer[..k]);
        n.charge(k);
    }
    ret_count(n, r);
    Outcome::Done
}

/// `func recv(h *handle, b []byte) (n, errno int, empty bool)`: `empty` if nothing was left in the socket.
fn recv_told(n: &mut Ncx<'_, '_>) -> Outcome {
    let slice = n.arg(1);
    let mut buffer = vec![0u8; text::len(slice).min(CHUNK)];
    let r = socket(n).map(|s| inq::read(s.as_raw_fd(), &mut buffer));
    let empty = matches!(r, Some(Ok((_, true))));
    let r = r.map(|r| r.map(|(k, _)| k));
    if let Some(Ok(k)) = r {
        mem::write_bytes(text::data(slice), &buffer[..k]);
        n.charge(k);
    }
    ret_count(n, r);
    n.ret_bool(2, empty);
    Outcome::Done
}

/// `func recvFrom(h *handle, b []byte) (n, errno int, family int, raw string, port, scope int)`.
fn recv_from(n: &mut Ncx<'_, '_>) -> Outcome {
    let slice = n.arg(1);
    let mut buffer = vec![MaybeUninit::new(0u8); text::len(slice).min(CHUNK)];
    let r = socket(n).map(|s| s.recv_from(&mut buffer));
    let (count, from) = match r {
        None => (None, None),
        Some(Err(e)) => (Some(Err(e)), None),
        Some(Ok((k, a))) => (Some(Ok(k)), Some(a)),
    };
    if let Some(Ok(k)) = count {
        mem::copy_bytes(text::data(slice), buffer.as_ptr() as u64, k);
    }
    ret_count(n, count);
    ret_address(n, 2, from.as_ref());
    Outcome::Done
}

/// `func send(h *handle, b []byte) (n, errno int)`.
fn send(n: &mut Ncx<'_, '_>) -> Outcome {
    let slice = n.arg(1);
    let data = mem::read_bytes(text::data(slice), text::len(slice).min(CHUNK));
    n.charge(data.len());
    let r = socket(n).map(|s| s.send_with_flags(&data, libc::MSG_NOSIGNAL));
    ret_count(n, r);
    Outcome::Done
}

/// `func sendTo(h *handle, b []byte, family int, raw string, port, scope int) (n, errno int)`.
fn send_to(n: &mut Ncx<'_, '_>) -> Outcome {
    let data = n.byte_slice(1);
    let r = match (socket(n), read_address(n, 2)) {
        (None, _) => None,
        (_, Err(e)) => Some(Err(e)),
        (Some(s), Ok(a)) => Some(s.send_to_with_flags(&data, &a, libc::MSG_NOSIGNAL)),
    };
    ret_count(n, r);
    Outcome::Done
}

/// `func closeSocket(h *handle) bool`: false if it was closed before.
fn close_socket(n: &mut Ncx<'_, '_>) -> Outcome {
    let taken = part(n).and_then(|p| p.0.lock().expect("never held across a panic").take());
    n.ret_bool(0, taken.is_some());
    if let Some((socket, token)) = taken {
        n.cx.net_close(token);
        drop(socket);
    }
    Outcome::Done
}

fn mode(write: u64) -> Mode {
    if write != 0 { Mode::Write } else { Mode::Read }
}

/// `func wait(h *handle, write bool)`: after an operation would have blocked. `waitResult` says how it ended.
pub(super) fn wait(n: &mut Ncx<'_, '_>) -> Outcome {
    let token = both(n).map(|(_, t)| t);
    wait_for(n, token)
}

/// Waits for the handle with this token. A closed handle has none any more: the poller's table answers for one that never was.
pub(super) fn wait_for(n: &mut Ncx<'_, '_>, token: Option<u64>) -> Outcome {
    let write = n.arg(1);
    n.may_wait();
    Outcome::Flow(n.cx.net_wait(n.g, token.unwrap_or(u64::MAX), mode(write)))
}

/// `func waitResult() int`: 0 try again, 1 the deadline passed, 2 closed.
pub(super) fn wait_result(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = match n.cx.net_result(n.g) {
        NetResult::Ready => 0,
        NetResult::Timeout => 1,
        NetResult::Closed => 2,
    };
    n.ret(0, v);
    Outcome::Done
}

/// `func deadline(h *handle, write, set bool, delay int64) bool`: takes the deadline away or sets it; false if the handle is closed.
fn deadline(n: &mut Ncx<'_, '_>) -> Outcome {
    let token = both(n).map(|(_, t)| t);
    set_deadline(n, token)
}

/// Sets or clears a deadline of the handle with this token; false if it is closed.
pub(super) fn set_deadline(n: &mut Ncx<'_, '_>, token: Option<u64>) -> Outcome {
    let (write, set, delay) = (n.arg(1), n.arg(2) != 0, n.int(3));
    let now = n.cx.now();
    let when = match (set, delay > 0) {
        (false, _) => 0,
        (true, true) => now.saturating_add(delay),
        // Any time that is past.
        (true, false) => now.min(-1),
    };
    if let Some(t) = token {
        n.cx.net_deadline(t, mode(write), when);
    }
    n.ret_bool(0, token.is_some());
    Outcome::Done
}

/// `func lookup(host string) (addrs []string, failed bool)`: raw addresses, those of IPv4 first as they come.
fn lookup(n: &mut Ncx<'_, '_>) -> Outcome {
    let host = n.string(0);
    let run = move || -> Completion {
        let found = (host.as_str(), 0u16).to_socket_addrs();
        let mut list: Vec<Vec<u8>> = Vec::new();
        for a in found.iter().flat_map(|it| it.as_slice()) {
            let raw = match a.ip() {
                IpAddr::V4(a) => a.octets().to_vec(),
                IpAddr::V6(a) => a.octets().to_vec(),
            };
            if !list.contains(&raw) {
                list.push(raw);
            }
        }
        let failed = found.is_err();
        Box::new(move |n| {
            n.ret_strings(0, &list);
            n.ret_bool(1, failed);
            Outcome::Done
        })
    };
    Outcome::Block(Job { known_to_block: false, run: Box::new(run) })
}
