//! Package os: streams, files, environment. Everything that may wait runs without a P.

#![expect(
    unsafe_code,
    reason = "read, write, open, close of the C library on descriptors and buffers owned here"
)]

use std::ffi::CString;
use std::io::{Read, Write};
use std::sync::Arc;

use crate::vm::co::Completion;

use super::{Job, Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[
    ("Exit", |n| Outcome::Exit(n.int(0) as i32)),
    ("runtimeArgs", args),
    ("runtimeEnv", environment),
    ("openFile", open_file),
    ("readFd", read_fd),
    ("writeFd", write_fd),
    ("writeString", write_string),
    ("seekFd", seek_fd),
    ("closeFd", close_fd),
    ("Getpid", |n| {
        n.ret(0, u64::from(std::process::id()));
        Outcome::Done
    }),
    ("getwd", getwd),
    ("pathOp", path_op),
    ("statFile", stat_file),
    ("readDirNames", read_dir_names),
    ("openPipe", open_pipe),
    ("closeHandle", super::pipe::close),
    ("deadlineHandle", super::pipe::deadline),
    ("readHandle", super::pipe::read),
    ("setBlocking", set_blocking),
    ("waitHandle", super::pipe::wait),
    ("waitResult", super::net::wait_result),
    ("writeHandle", super::pipe::write),
    ("hostname", hostname),
    ("executable", executable),
    ("fdOp", fd_op),
    ("readLink", read_link),
    ("setTimes", set_times),
    ("spawn", super::process::spawn),
    ("waitPid", super::process::wait_pid),
    ("writeAtFd", write_at_fd),
];

fn args(n: &mut Ncx<'_, '_>) -> Outcome {
    let list: Vec<&str> = n.vm.config.args.iter().map(String::as_str).collect();
    n.ret_strings(0, &list);
    Outcome::Done
}

/// `func runtimeEnv() []string`: `NAME=value`.
fn environment(n: &mut Ncx<'_, '_>) -> Outcome {
    let list: Vec<String> = n.vm.config.env.iter().map(|(k, v)| format!("{k}={v}")).collect();
    n.ret_strings(0, &list);
    Outcome::Done
}

pub(super) fn errno() -> i64 {
    i64::from(std::io::Error::last_os_error().raw_os_error().unwrap_or(5))
}

fn code_of(e: &std::io::Error) -> i64 {
    i64::from(e.raw_os_error().unwrap_or(5))
}

/// A job that gives two numbers.
pub(super) fn numbers(
    known_to_block: bool,
    f: impl FnOnce() -> (i64, i64) + Send + 'static,
) -> Outcome {
    let run = move || -> Completion {
        let (a, b) = f();
        Box::new(move |n| {
            n.ret(0, a as u64);
            n.ret(1, b as u64);
            Outcome::Done
        })
    };
    Outcome::Block(Job { known_to_block, run: Box::new(run) })
}

/// `func openFile(name string, flags, perm int) (fd, errno int)`.
fn open_file(n: &mut Ncx<'_, '_>) -> Outcome {
    let (flags, perm) = (n.int(1) as i32, n.int(2) as libc::mode_t);
    let Ok(name) = CString::new(n.bytes(0)) else {
        n.ret(0, -1i64 as u64);
        n.ret(1, libc::EINVAL as u64);
        return Outcome::Done;
    };
    numbers(false, move || {
        // SAFETY: a C string that lives over the call.
        let fd =
            unsafe { libc::open(name.as_ptr(), flags | libc::O_CLOEXEC, libc::c_uint::from(perm)) };
        if fd < 0 { (-1, errno()) } else { (i64::from(fd), 0) }
    })
}

/// `func closeFd(fd int) (errno int)`.
pub(super) fn close_fd(n: &mut Ncx<'_, '_>) -> Outcome {
    let fd = n.int(0) as i32;
    // SAFETY: the guest's own descriptor; closing one that is not open is an error, no more.
    let e = if unsafe { libc::close(fd) } < 0 { errno() } else { 0 };
    n.ret(0, e as u64);
    Outcome::Done
}

/// `func writeFd(fd int, b []byte) (n, errno int)`.
pub(super) fn write_fd(n: &mut Ncx<'_, '_>) -> Outcome {
    let fd = n.int(0) as i32;
    let data = n.byte_slice(1);
    write_out(n, fd, data)
}

/// `func writeString(fd int, s string) (n, errno int)`.
fn write_string(n: &mut Ncx<'_, '_>) -> Outcome {
    let fd = n.int(0) as i32;
    let data = n.bytes(1).to_vec();
    write_out(n, fd, data)
}

/// `func seekFd(fd int, offset int64, whence int) (pos int64, errno int)`.
fn seek_fd(n: &mut Ncx<'_, '_>) -> Outcome {
    let (fd, offset, whence) = (n.int(0) as i32, n.int(1), n.int(2) as i32);
    // SAFETY: moves the position of the guest's own descriptor; a bad one is an error, no more.
    let pos = unsafe { libc::lseek(fd, offset, whence) };
    let e = if pos < 0 { errno() } else { 0 };
    n.ret(0, pos as u64);
    n.ret(1, e as u64);
    Outcome::Done
}

fn write_out(n: &mut Ncx<'_, '_>, fd: i32, data: Vec<u8>) -> Outcome {
    if fd == 1 || fd == 2 {
        let streams = Arc::clone(&n.vm.config.streams);
        return numbers(false, move || {
            let stream = if fd == 1 { &streams.stdout } else { &streams.stderr };
            let mut s = stream.lock().expect("never held across a panic");
            match s.write_all(&data).and_then(|()| s.flush()) {
                Ok(()) => (data.len() as i64, 0),
                Err(e) => (0, code_of(&e)),
            }
        });
    }
    numbers(false, move || write_all(fd, &data))
}

fn write_all(fd: i32, data: &[u8]) -> (i64, i64) {
    let mut done = 0;
    while done < data.len() {
        // SAFETY: the rest of a buffer owned here.
        let k = unsafe { libc::write(fd, data[done..].as_ptr().cast(), data.len() - done) };
        match k {
            k if k > 0 => done += k as usize,
            _ if errno() == i64::from(libc::EINTR) => {}
            _ => return (done as i64, errno()),
        }
    }
    (done as i64, 0)
}

/// `func readFd(fd int, b []byte) (n, errno int)`.
pub(super) fn read_fd(n: &mut Ncx<'_, '_>) -> Outcome {
    let (fd, slice) = (n.int(0) as i32, n.arg(1));
    let want = crate::value::text::len(slice);
    let streams = Arc::clone(&n.vm.config.streams);
    let run = move || -> Completion {
        let mut buffer = vec![0u8; want];
        let (got, e) = if fd == 0 {
            let mut s = streams.stdin.lock().expect("never held across a panic");
            match s.read(&mut buffer) {
                Ok(k) => (k as i64, 0),
                Err(e) => (-1, code_of(&e)),
            }
        } else {
            read_retry(fd, &mut buffer)
        };
        Box::new(move |n| {
            // The slice is still in the argument slot: its header keeps the memory.
            let data = crate::value::text::data(n.arg(1));
            if got > 0 {
                crate::value::mem::write_bytes(data, &buffer[..got as usize]);
            }
            n.ret(0, got as u64);
            n.ret(1, e as u64);
            Outcome::Done
        })
    };
    Outcome::Block(Job { known_to_block: fd == 0, run: Box::new(run) })
}

fn read_retry(fd: i32, buffer: &mut [u8]) -> (i64, i64) {
    loop {
        // SAFETY: a buffer owned here.
        let k = unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) };
        if k >= 0 {
            return (k as i64, 0);
        }
        if errno() != i64::from(libc::EINTR) {
            return (-1, errno());
        }
    }
}

/// `func errnoText(e int) string`: as Go's syscall.Errno prints it.
pub(super) fn errno_text(n: &mut Ncx<'_, '_>) -> Outcome {
    let e = n.int(0) as i32;
    let text = std::io::Error::from_raw_os_error(e).to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    let lower =
        chars.next().map(|c| c.to_ascii_lowercase()).into_iter().chain(chars).collect::<String>();
    n.ret_string(0, lower.as_bytes());
    Outcome::Done
}

/// `func getwd() (dir string, errno int)`.
fn getwd(n: &mut Ncx<'_, '_>) -> Outcome {
    match std::env::current_dir() {
        Ok(d) => {
            n.ret_string(0, d.to_string_lossy().as_bytes());
            n.ret(1, 0);
        }
        Err(e) => {
            n.ret(0, 0);
            n.ret(1, code_of(&e) as u64);
        }
    }
    Outcome::Done
}

/// `func pathOp(op int, path, other string, mode int) (errno int)`: 0 mkdir, 1 mkdir all, 2 remove, 3 remove all, 4 rename, 5 chmod, 6 symlink,
/// 7 link, 8 truncate, 9 chdir.
fn path_op(n: &mut Ncx<'_, '_>) -> Outcome {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    let (op, path, other, x) = (n.int(0), n.string(1), n.string(2), n.arg(3));
    let mode = x as u32;
    let result = match op {
        0 => std::fs::DirBuilder::new().mode(mode).create(&path),
        1 => std::fs::DirBuilder::new().mode(mode).recursive(true).create(&path),
        2 => std::fs::remove_file(&path).or_else(|e| std::fs::remove_dir(&path).map_err(|_| e)),
        3 => match std::fs::symlink_metadata(&path) {
            Ok(m) if m.is_dir() => std::fs::remove_dir_all(&path),
            Ok(_) => std::fs::remove_file(&path),
            Err(_) => Ok(()),
        },
        4 => std::fs::rename(&path, &other),
        5 => std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)),
        6 => std::os::unix::fs::symlink(&path, &other),
        7 => std::fs::hard_link(&path, &other),
        8 => std::fs::OpenOptions::new().write(true).open(&path).and_then(|f| f.set_len(x)),
        _ => std::env::set_current_dir(&path),
    };
    n.ret(0, result.err().map_or(0, |e| code_of(&e)) as u64);
    Outcome::Done
}

/// `func statFile(path string, follow bool) (size, mode, mtimeSec, mtimeNsec int64, errno int)`; mode is the host's.
fn stat_file(n: &mut Ncx<'_, '_>) -> Outcome {
    use std::os::unix::fs::MetadataExt;
    let path = n.string(0);
    let m = if n.arg(1) != 0 { std::fs::metadata(&path) } else { std::fs::symlink_metadata(&path) };
    match m {
        Ok(m) => {
            let list = [m.size() as i64, i64::from(m.mode()), m.mtime(), m.mtime_nsec(), 0];
            list.into_iter().enumerate().for_each(|(i, v)| n.ret(i, v as u64));
        }
        Err(e) => {
            (0..4).for_each(|i| n.ret(i, 0));
            n.ret(4, code_of(&e) as u64);
        }
    }
    Outcome::Done
}

/// `func readDirNames(path string) (names []string, errno int)`, sorted.
fn read_dir_names(n: &mut Ncx<'_, '_>) -> Outcome {
    let path = n.string(0);
    match std::fs::read_dir(&path) {
        Ok(entries) => {
            let mut names: Vec<String> =
                entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            n.ret_strings(0, &names);
            n.ret(1, 0);
        }
        Err(e) => {
            n.ret(0, 0);
            n.ret(1, code_of(&e) as u64);
        }
    }
    Outcome::Done
}

/// `func openPipe() (r, w *handle, rfd, wfd, errno int)`: both ends are non-blocking and watched.
fn open_pipe(n: &mut Ncx<'_, '_>) -> Outcome {
    use std::os::fd::{FromRawFd, OwnedFd};
    let mut fds = [0i32; 2];
    // SAFETY: an array of two descriptors, as pipe2 wants it.
    let r = unsafe { libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) };
    let ends = if r < 0 {
        Err(std::io::Error::last_os_error())
    } else {
        // SAFETY: just made, and nobody else's.
        let ends = fds.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) });
        let [read, write] = ends;
        super::pipe::watch(n, read).and_then(|r| super::pipe::watch(n, write).map(|w| [r, w]))
    };
    let (list, e) = match ends {
        Ok([(rh, rfd), (wh, wfd)]) => ([rh, wh, rfd as u64, wfd as u64], 0),
        Err(e) => ([0; 4], code_of(&e)),
    };
    list.into_iter().enumerate().for_each(|(i, v)| n.ret(i, v));
    n.ret(4, e as u64);
    Outcome::Done
}

/// `func rawPipe() (r, w, errno int)`: for package syscall.
pub(super) fn pipe_fds(n: &mut Ncx<'_, '_>) -> Outcome {
    let mut fds = [0i32; 2];
    // SAFETY: an array of two descriptors, as pipe2 wants it.
    let r = unsafe { libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC) };
    let e = if r < 0 { errno() } else { 0 };
    n.ret(0, fds[0] as u64);
    n.ret(1, fds[1] as u64);
    n.ret(2, e as u64);
    Outcome::Done
}

/// `func setBlocking(fd int)`.
fn set_blocking(n: &mut Ncx<'_, '_>) -> Outcome {
    block(n.int(0) as i32);
    Outcome::Done
}

/// Makes operations on a descriptor block, as other programs expect of theirs.
pub(super) fn block(fd: i32) {
    // SAFETY: reads the flags of a descriptor; a bad one is an error, no more.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    if flags >= 0 && flags & libc::O_NONBLOCK != 0 {
        // SAFETY: as above.
        unsafe { libc::fcntl(fd, libc::F_SETFL, flags & !libc::O_NONBLOCK) };
    }
}

fn hostname(n: &mut Ncx<'_, '_>) -> Outcome {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    n.ret_string(0, name.trim().as_bytes());
    Outcome::Done
}

/// `func fdOp(op, fd, x int) (errno int)`: 0 truncate, 1 chmod, 2 sync.
fn fd_op(n: &mut Ncx<'_, '_>) -> Outcome {
    let (op, fd, x) = (n.int(0), n.int(1) as i32, n.int(2));
    let r = match op {
        // SAFETY: an operation on the guest's own descriptor; a bad one is an error, no more.
        0 => unsafe { libc::ftruncate(fd, x) },
        // SAFETY: as above.
        1 => unsafe { libc::fchmod(fd, x as libc::mode_t) },
        // SAFETY: as above.
        _ => unsafe { libc::fsync(fd) },
    };
    let e = if r < 0 { errno() } else { 0 };
    n.ret(0, e as u64);
    Outcome::Done
}

/// `func writeAtFd(fd int, b []byte, off int64) (n, errno int)`.
fn write_at_fd(n: &mut Ncx<'_, '_>) -> Outcome {
    let (fd, data, off) = (n.int(0) as i32, n.byte_slice(1), n.int(2));
    numbers(false, move || {
        let mut done = 0;
        while done < data.len() {
            let (p, len) = (data[done..].as_ptr(), data.len() - done);
            // SAFETY: the rest of a buffer owned here.
            let k = unsafe { libc::pwrite(fd, p.cast(), len, off + done as i64) };
            match k {
                k if k > 0 => done += k as usize,
                _ if errno() == i64::from(libc::EINTR) => {}
                _ => return (done as i64, errno()),
            }
        }
        (done as i64, 0)
    })
}

/// `func readLink(path string) (target string, errno int)`.
fn read_link(n: &mut Ncx<'_, '_>) -> Outcome {
    let (target, e) = match std::fs::read_link(n.string(0)) {
        Ok(p) => (p.to_string_lossy().into_owned(), 0),
        Err(e) => (String::new(), code_of(&e)),
    };
    n.ret_string(0, target.as_bytes());
    n.ret(1, e as u64);
    Outcome::Done
}

/// `func setTimes(path string, asec, ansec, msec, mnsec int64) (errno int)`.
fn set_times(n: &mut Ncx<'_, '_>) -> Outcome {
    let at = |sec: i64, nsec: i64| {
        let d = std::time::Duration::new(sec.unsigned_abs(), nsec as u32);
        if sec < 0 { std::time::UNIX_EPOCH - d } else { std::time::UNIX_EPOCH + d }
    };
    let times = std::fs::FileTimes::new()
        .set_accessed(at(n.int(1), n.int(2)))
        .set_modified(at(n.int(3), n.int(4)));
    let r = std::fs::File::open(n.string(0)).and_then(|f| f.set_times(times));
    n.ret(0, r.err().map_or(0, |e| code_of(&e)) as u64);
    Outcome::Done
}

fn executable(n: &mut Ncx<'_, '_>) -> Outcome {
    let path = std::env::current_exe().unwrap_or_default();
    n.ret_string(0, path.to_string_lossy().as_bytes());
    Outcome::Done
}
