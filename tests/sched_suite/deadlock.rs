//! Deadlocks: found at once, told in Go's words, and never told wrongly.

use crate::fake::*;

const ASLEEP: &str = "fatal error: all goroutines are asleep - deadlock!\n";

#[test]
fn main_waits_for_ever() {
    for n in [1, 4] {
        let ran = run_with(procs(n), Fake::new(&[0], 0), vec![Op::Recv(0)]);
        assert_eq!(ran.end.code, 2);
        assert_eq!(
            ran.text,
            format!("{ASLEEP}\ngoroutine 1 [chan receive]:\nmain.f1()\n\tfake.go:1 +0x0\n")
        );
    }
}

#[test]
fn several_kinds_in_one_report() {
    for deterministic in [false, true] {
        let main = vec![
            go(vec![Op::NilRecv]),
            go(vec![Op::Select(vec![(0, None)], true)]),
            Op::Gosched,
            Op::WgAdd(0, 1),
            Op::WgWait(0),
        ];
        let config = gmpl::sched::Config { deterministic, ..procs(2) };
        let ran = run_with(config, Fake::new(&[0], 1), main);
        assert_eq!(ran.end.code, 2);
        for part in ["[sync.WaitGroup.Wait]:", "[chan receive (nil chan)]:", "[select]:"] {
            assert!(ran.text.contains(part), "{}", ran.text);
        }
    }
}

#[test]
fn sleeping_and_blocking_is_no_deadlock() {
    for n in [1, 2] {
        let main = vec![
            go(vec![Op::Blocking(30), Op::Send(0, 1)]),
            go(vec![Op::Syscall(20), Op::Send(0, 2)]),
            go(vec![Op::Sleep(10_000_000), Op::Send(0, 3)]),
            Op::RecvAdd(0, ""),
            Op::RecvAdd(0, ""),
            Op::RecvAdd(0, ""),
        ];
        let ran = run_with(procs(n), Fake::new(&[0], 0), main);
        assert_eq!(ran.end.code, 0, "{}", ran.text);
        assert_eq!(ran.joined(), "3 2 1");
    }
}

#[test]
fn pending_after_func_holds_it_off() {
    let ran = run_with(procs(1), Fake::new(&[], 0), vec![Op::AfterFunc(5_000_000, 1), Op::NilRecv]);
    assert_eq!((ran.end.code, ran.joined().as_str()), (2, "f1"));
}

#[test]
fn unwatched_timer_does_not() {
    let start = std::time::Instant::now();
    let fake = Fake::new(&[], 0).with_timer();
    let ran = run_with(procs(1), fake, vec![Op::Arm(0, 30_000_000_000, 0), Op::NilRecv]);
    assert_eq!(ran.end.code, 2);
    assert!(start.elapsed().as_secs() < 5);
}

#[test]
fn locked_to_thread() {
    for n in [1, 2] {
        let ran = run_with(procs(n), Fake::new(&[], 0), vec![Op::LockThread, Op::NilRecv]);
        assert_eq!(ran.end.code, 2);
        assert!(
            ran.text.contains("goroutine 1 [chan receive (nil chan), locked to thread]:"),
            "{}",
            ran.text
        );
    }
}
