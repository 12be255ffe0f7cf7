//! Semantics rows: dumps, ends and reports that no recorded program shows.

use crate::run::{Folder, command, plain};
use std::io::{BufRead, BufReader, Read};

/// Standard error with `:LINE +0x..` left as it is but the folder of the program taken out.
fn dump(flags: &[&str], body: &str) -> (String, Option<i32>) {
    let (_, err, status) = plain(flags, body);
    let lines = err.lines().map(|l| match l.rsplit_once("/p.go:") {
        Some((_, rest)) => format!("\tp.go:{}", rest.split(' ').next().unwrap_or("")),
        None => l.to_owned(),
    });
    (lines.collect::<Vec<_>>().join("\n"), status)
}

#[test]
fn a_select_of_nil_channels_waits_for_ever() {
    let body =
        "func main() {\n\tvar a, b chan int\n\tselect {\n\tcase <-a:\n\tcase b <- 1:\n\t}\n}";
    let (err, status) = dump(&[], body);
    let want = "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [select]:\nmain.main()\n\tp.go:5";
    assert_eq!((err.as_str(), status), (want, Some(2)));
}

#[test]
fn a_locked_goroutine_is_shown_as_such() {
    let body =
        "import \"runtime\"\n\nfunc main() {\n\truntime.LockOSThread()\n\t<-make(chan int)\n}";
    let (err, status) = dump(&[], body);
    assert!(err.contains("goroutine 1 [chan receive, locked to thread]:\nmain.main()\n"), "{err}");
    assert_eq!(status, Some(2));
}

#[test]
fn panic_of_nil_has_its_own_value() {
    let (err, status) = dump(&[], "func main() { panic(nil) }");
    assert!(err.starts_with("panic: runtime error: panic called with nil argument"), "{err}");
    assert_eq!(status, Some(2));
}

const DEEP: &str = r#"
func f(n int) {
	if n == 0 {
		panic("bottom")
	}
	f(n - 1)
}

func main() {
	f(200)
}
"#;

#[test]
fn a_deep_stack_shows_its_two_ends() {
    let (err, status) = dump(&[], DEEP);
    assert_eq!(err.matches("main.f(...)").count(), 50 + 49);
    assert!(err.contains("\n...102 frames elided...\n"), "{err}");
    assert!(err.ends_with("main.main()\n\tp.go:12"), "{err}");
    assert_eq!(status, Some(2));
}

#[test]
fn gotraceback_says_how_much_is_shown() {
    let body = r#"
import "runtime"

func main() {
	go func() { select {} }()
	runtime.Gosched()
	panic("x")
}
"#;
    let folder = Folder::new();
    let run = |level: &str| {
        let out = command(&folder.0, &["--procs", "1"], body)
            .env("GOTRACEBACK", level)
            .output()
            .expect("the command starts");
        (String::from_utf8_lossy(&out.stderr).into_owned(), out.status.code())
    };
    let (single, status) = run("single");
    assert!(
        single.contains("goroutine 1 [running]:") && !single.contains("goroutine 2"),
        "{single}"
    );
    assert_eq!(status, Some(2));
    let (all, _) = run("all");
    assert!(all.contains("goroutine 1 [running]:"), "{all}");
    assert!(all.contains("\ngoroutine 2 [select (no cases)]:\nmain.main.func1()\n"), "{all}");
    assert_eq!(run("none").0, "panic: x\n");
}

const WAITERS: &str = r#"
import ("fmt"; "os"; "os/signal"; "sync"; "syscall"; "time")

func spin() {
	for {
	}
}

func main() {
	var mu sync.Mutex
	mu.Lock()
	c := make(chan int)
	go func() { c <- 1 }()
	go func() { mu.Lock() }()
	go spin()
	if len(os.Args) > 1 {
		n := make(chan os.Signal, 1)
		signal.Notify(n, syscall.SIGQUIT)
		fmt.Println("ready")
		fmt.Println(<-n)
		signal.Reset(syscall.SIGQUIT)
	}
	go func() {
		time.Sleep(10 * time.Millisecond)
		fmt.Println("ready")
	}()
	time.Sleep(time.Hour)
}
"#;

fn kill(id: u32, signal: i32) {
    #[expect(unsafe_code, reason = "a signal to a child of this test")]
    // SAFETY: only a system call.
    unsafe {
        libc::kill(id as i32, signal)
    };
}

#[test]
fn sigquit_dumps_all_goroutines_and_ends_with_two() {
    let folder = Folder::new();
    let mut child =
        command(&folder.0, &["--procs", "2"], WAITERS).spawn().expect("the command starts");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    out.read_line(&mut line).expect("readable");
    assert_eq!(line, "ready\n");
    // The one that wrote it parks.
    std::thread::sleep(std::time::Duration::from_millis(50));
    kill(child.id(), libc::SIGQUIT);
    let mut err = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut err).expect("readable");
    assert_eq!(child.wait().expect("it ends").code(), Some(2));
    assert!(
        err.starts_with("SIGQUIT: quit\nPC=0x0 m=0 sigcode=0\n\ngoroutine 1 [sleep]:\n"),
        "{err}"
    );
    for head in [
        "goroutine 2 [chan send]:",
        "goroutine 3 [sync.Mutex.Lock]:",
        "goroutine 4 [running]:\nmain.spin()",
    ] {
        assert!(err.contains(&format!("\n\n{head}")), "{head}: {err}");
    }
}

#[test]
fn a_program_that_deals_with_sigquit_itself_is_not_dumped() {
    let folder = Folder::new();
    let mut command = command(&folder.0, &["--procs", "2"], WAITERS);
    let mut child = command.arg("notify").spawn().expect("the command starts");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let mut next = || {
        let mut line = String::new();
        out.read_line(&mut line).expect("readable");
        line
    };
    assert_eq!(next(), "ready\n");
    kill(child.id(), libc::SIGQUIT);
    assert_eq!((next().as_str(), next().as_str()), ("quit\n", "ready\n"));
    // It has given the signal back, so now it is dumped.
    kill(child.id(), libc::SIGQUIT);
    let mut err = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut err).expect("readable");
    assert!(err.starts_with("SIGQUIT: quit\n"), "{err}");
    assert_eq!(child.wait().expect("it ends").code(), Some(2));
}

#[test]
fn a_thread_that_the_system_refuses_is_gos_fatal_error() {
    let body = r#"
import ("fmt"; "os"; "sync"; "syscall")

func main() {
	var p [2]int
	syscall.Pipe(p[:])
	fmt.Println("ready")
	os.Stdin.Read(make([]byte, 1))
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() { syscall.Read(p[0], make([]byte, 1)) })
	}
	wg.Wait()
}
"#;
    let folder = Folder::new();
    let mut command = command(&folder.0, &["--procs", "2"], body);
    let mut child =
        command.stdin(std::process::Stdio::piped()).spawn().expect("the command starts");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    out.read_line(&mut line).expect("readable");
    assert_eq!(line, "ready\n");
    // No more address space than now: the stack of a new thread cannot be had.
    let pages = std::fs::read_to_string(format!("/proc/{}/statm", child.id())).expect("readable");
    let pages: u64 = pages.split(' ').next().expect("a field").parse().expect("a number");
    let limit = libc::rlimit { rlim_cur: pages * 4096, rlim_max: pages * 4096 };
    #[expect(unsafe_code, reason = "a limit for a child of this test")]
    // SAFETY: only a system call on a local variable.
    unsafe {
        libc::prlimit(child.id() as i32, libc::RLIMIT_AS, &raw const limit, std::ptr::null_mut())
    };
    drop(child.stdin.take());
    let mut err = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut err).expect("readable");
    assert_eq!(child.wait().expect("it ends").code(), Some(2), "{err}");
    let mut lines = err.lines();
    let first = lines.next().expect("a line");
    assert!(first.starts_with("runtime: failed to create new OS thread (have "), "{err}");
    assert!(first.ends_with(" already; errno=11)"), "{err}");
    let rest: Vec<&str> = lines.take(2).collect();
    let want =
        ["runtime: may need to increase max user processes (ulimit -u)", "fatal error: newosproc"];
    assert_eq!(rest, want);
}
