//! Processes: the natives of package syscall, and those of package os that start other programs and wait for them.

#![expect(unsafe_code, reason = "kill, wait4 and the ids of a process have no safe form")]

use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::vm::co::Completion;

use super::{Job, Ncx, Outcome, Table};

pub(super) const TABLE: Table =
    &[("errnoText", super::os::errno_text), ("ids", ids), ("kill", kill)];

fn errno() -> i64 {
    i64::from(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
}

/// `func kill(pid, sig int) (errno int)`.
fn kill(n: &mut Ncx<'_, '_>) -> Outcome {
    let (pid, sig) = (n.int(0) as i32, n.int(1) as i32);
    // SAFETY: sends a signal; touches no memory.
    let e = if unsafe { libc::kill(pid, sig) } < 0 { errno() } else { 0 };
    n.ret(0, e as u64);
    Outcome::Done
}

/// `func ids(which int) int`: 0 process, 1 parent, 2 user, 3 effective user, 4 group, 5 effective group.
fn ids(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = match n.int(0) {
        0 => u64::from(std::process::id()),
        1 => u64::from(std::os::unix::process::parent_id()),
        // SAFETY: these calls cannot fail and touch no memory.
        2 => u64::from(unsafe { libc::getuid() }),
        // SAFETY: as above.
        3 => u64::from(unsafe { libc::geteuid() }),
        // SAFETY: as above.
        4 => u64::from(unsafe { libc::getgid() }),
        // SAFETY: as above.
        _ => u64::from(unsafe { libc::getegid() }),
    };
    n.ret(0, v);
    Outcome::Done
}

/// A copy of a descriptor of the guest for the child.
fn copy(fd: i64) -> std::io::Result<Stdio> {
    if fd < 0 {
        return Ok(Stdio::null());
    }
    super::os::block(fd as i32);
    // SAFETY: borrowed for the copying only; a number that is not open gives an error.
    let borrowed = unsafe { BorrowedFd::borrow_raw(fd as i32) };
    let owned: OwnedFd = borrowed.try_clone_to_owned()?;
    Ok(Stdio::from(owned))
}

/// `func spawn(name string, argv, env []string, dir string, fds []int) (pid, errno int)`; the first three descriptors are passed on.
pub(super) fn spawn(n: &mut Ncx<'_, '_>) -> Outcome {
    let strings = |n: &Ncx<'_, '_>, i: usize| -> Vec<String> {
        n.words(i).into_iter().map(crate::value::text::lossy).collect()
    };
    let (name, argv, env, dir) = (n.string(0), strings(n, 1), strings(n, 2), n.string(3));
    let fds: Vec<i64> = n.words(4).into_iter().map(|w| w as i64).collect();
    let run = move || -> Completion {
        let started = start(&name, &argv, &env, &dir, &fds);
        Box::new(move |n| {
            let (pid, e) = match started {
                Ok(pid) => (i64::from(pid), 0),
                Err(e) => (0, i64::from(e.raw_os_error().unwrap_or(libc::EIO))),
            };
            n.ret(0, pid as u64);
            n.ret(1, e as u64);
            Outcome::Done
        })
    };
    Outcome::Block(Job { known_to_block: false, run: Box::new(run) })
}

fn start(
    name: &str,
    argv: &[String],
    env: &[String],
    dir: &str,
    fds: &[i64],
) -> std::io::Result<u32> {
    let mut c = Command::new(name);
    if let Some((zero, rest)) = argv.split_first() {
        c.arg0(zero).args(rest);
    }
    c.env_clear();
    c.envs(env.iter().filter_map(|e| e.split_once('=')));
    if !dir.is_empty() {
        c.current_dir(dir);
    }
    let fd = |i: usize| copy(fds.get(i).copied().unwrap_or(-1));
    c.stdin(fd(0)?).stdout(fd(1)?).stderr(fd(2)?);
    // Dropping the child's handle neither ends it nor waits for it: `waitPid` does.
    c.spawn().map(|child| child.id())
}

/// `func waitPid(pid int) (status int, user, sys int64, errno int)`; times in nanoseconds.
pub(super) fn wait_pid(n: &mut Ncx<'_, '_>) -> Outcome {
    let pid = n.int(0) as i32;
    let run = move || -> Completion {
        let list = wait(pid);
        Box::new(move |n| {
            list.into_iter().enumerate().for_each(|(i, v)| n.ret(i, v as u64));
            Outcome::Done
        })
    };
    Outcome::Block(Job { known_to_block: true, run: Box::new(run) })
}

fn wait(pid: i32) -> [i64; 4] {
    let mut status = 0;
    // SAFETY: plain numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: the two variables above.
        let r = unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) };
        if r >= 0 {
            let ns = |t: libc::timeval| t.tv_sec * 1_000_000_000 + t.tv_usec * 1000;
            return [i64::from(status), ns(usage.ru_utime), ns(usage.ru_stime), 0];
        }
        if errno() != i64::from(libc::EINTR) {
            return [0, 0, 0, errno()];
        }
    }
}
