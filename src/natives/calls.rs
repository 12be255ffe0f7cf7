//! Package syscall: the calls themselves; and package runtime/metrics.

#![expect(unsafe_code, reason = "calls of the C library on descriptors and buffers owned here")]

use crate::sched::{Stat, Status};

use super::{Ncx, Outcome, Table, os};

pub(super) const TABLE: Table = &[
    ("rawRead", os::read_fd),
    ("rawWrite", os::write_fd),
    ("rawClose", os::close_fd),
    ("rawPipe", os::pipe_fds),
    ("rawSocket", socket),
    ("rawConnect4", connect4),
    ("rusage", rusage),
    ("Gettid", gettid),
    ("rawExit", |n| Outcome::Exit(n.int(0) as i32)),
];

pub(super) const METRICS: Table = &[("value", metric)];

/// `func rawSocket(domain, typ, proto int) (fd, errno int)`.
fn socket(n: &mut Ncx<'_, '_>) -> Outcome {
    let (domain, kind, proto) = (n.int(0) as i32, n.int(1) as i32, n.int(2) as i32);
    // SAFETY: makes a descriptor; wrong numbers are an error, no more.
    let fd = unsafe { libc::socket(domain, kind | libc::SOCK_CLOEXEC, proto) };
    n.ret(0, fd as i64 as u64);
    n.ret(1, if fd < 0 { os::errno() as u64 } else { 0 });
    Outcome::Done
}

/// `func rawConnect4(fd, port int, addr uint32) (errno int)`.
fn connect4(n: &mut Ncx<'_, '_>) -> Outcome {
    let (fd, port, addr) = (n.int(0) as i32, n.arg(1) as u16, n.arg(2) as u32);
    os::numbers(false, move || {
        let sa = libc::sockaddr_in {
            sin_family: libc::AF_INET as libc::sa_family_t,
            sin_port: port.to_be(),
            sin_addr: libc::in_addr { s_addr: addr.to_be() },
            sin_zero: [0; 8],
        };
        let len = size_of::<libc::sockaddr_in>() as libc::socklen_t;
        // SAFETY: an address of the length given, alive over the call.
        let r = unsafe { libc::connect(fd, (&raw const sa).cast(), len) };
        (if r < 0 { os::errno() } else { 0 }, 0)
    })
}

/// `func rusage(who int) (utimeUs, stimeUs, maxRssKb int64)`.
fn rusage(n: &mut Ncx<'_, '_>) -> Outcome {
    let mut r = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: a struct of the right type to be filled in.
    unsafe { libc::getrusage(n.int(0) as i32, r.as_mut_ptr()) };
    // SAFETY: zero bytes are a valid rusage, and the call filled it in.
    let r = unsafe { r.assume_init() };
    let us = |t: libc::timeval| (t.tv_sec * 1_000_000 + t.tv_usec) as u64;
    n.ret(0, us(r.ru_utime));
    n.ret(1, us(r.ru_stime));
    n.ret(2, r.ru_maxrss as u64);
    Outcome::Done
}

fn gettid(n: &mut Ncx<'_, '_>) -> Outcome {
    // SAFETY: has no preconditions.
    let id = unsafe { libc::gettid() };
    n.ret(0, id as u64);
    Outcome::Done
}

/// `func value(name string) (v uint64, known bool)`.
fn metric(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = match n.bytes(0) {
        b"/gc/cycles/total:gc-cycles" => Some(n.vm.heap.stats().collections),
        b"/gc/heap/allocs:bytes" => Some(n.vm.heap.stats().allocated_bytes),
        b"/gc/heap/live:bytes" => Some(n.vm.heap.stats().live_bytes),
        b"/gc/stack/starting-size:bytes" => Some(n.vm.stacks.first as u64 * 8),
        b"/sched/gomaxprocs:threads" => Some(u64::from(n.cx.procs())),
        b"/sched/goroutines-created:goroutines" => Some(n.cx.stat(Stat::GoCreated)),
        b"/sched/goroutines:goroutines" => Some(n.cx.num_goroutine()),
        b"/sched/goroutines/runnable:goroutines" => Some(n.cx.goroutines_in(Status::Runnable)),
        b"/sched/goroutines/running:goroutines" => Some(n.cx.goroutines_in(Status::Running)),
        b"/sched/goroutines/waiting:goroutines" => Some(n.cx.goroutines_in(Status::Waiting)),
        b"/sched/goroutines/not-in-go:goroutines" => Some(n.cx.goroutines_in(Status::Syscall)),
        b"/sched/threads/total:threads" => Some(n.cx.threads()),
        _ => None,
    };
    n.ret(0, v.unwrap_or(0));
    n.ret_bool(1, v.is_some());
    Outcome::Done
}
