//! Goroutines that wait in the poller.

use crate::fake::*;
use gmpl::sched::{Config, Stat};

const MS: i64 = 1_000_000;

#[test]
fn a_reader_waits_for_a_writer() {
    for n in [1, 3] {
        let main = vec![
            go(vec![Op::NetRead(0), Op::Send(0, 1)]),
            Op::Gosched,
            Op::Sleep(2 * MS),
            Op::NetWrite(0, 7),
            Op::Recv(0),
            Op::NetWrite(0, 8),
            Op::NetRead(0),
        ];
        let ran = run_with(procs(n), Fake::new(&[0], 0).with_pipes(1), main);
        assert_eq!(ran.joined(), "b7 b8", "{}", ran.text);
    }
}

#[test]
fn waiting_in_the_poller_is_no_deadlock_and_needs_no_thread() {
    for deterministic in [false, true] {
        let mut main = vec![];
        for i in 0..100 {
            main.extend(wg_go(vec![Op::NetRead(i)]));
        }
        main.extend([Op::Gosched, Op::Sleep(20 * MS)]);
        main.extend((0..100).map(|i| Op::NetWrite(i, 1)));
        main.push(Op::WgWait(0));
        let config = Config { deterministic, ..procs(2) };
        let ran = run_with(config, Fake::new(&[], 1).with_pipes(100), main);
        assert_eq!(ran.log.len(), 100, "{}", ran.text);
        assert!(ran.runtime.threads() <= 12);
    }
}

#[test]
fn closing_and_deadlines_end_a_wait() {
    let main = vec![
        go(vec![Op::NetRead(0), Op::Send(0, 1)]),
        Op::Gosched,
        Op::NetClose(0),
        Op::Recv(0),
        go(vec![Op::NetDeadline(1, 3 * MS), Op::NetRead(1), Op::NetRead(1), Op::Send(0, 1)]),
        Op::Recv(0),
    ];
    let ran = run_with(procs(1), Fake::new(&[0], 0).with_pipes(2), main);
    assert_eq!(ran.joined(), "Closed Timeout Timeout", "{}", ran.text);
}

#[test]
fn a_busy_p_does_not_keep_the_poller_waiting() {
    // The only P is busy when the byte arrives; sysmon looks into the poller.
    let main = vec![
        go(vec![Op::NetRead(0), Op::End(3)]),
        Op::Gosched,
        Op::NetWrite(0, 1),
        Op::Burn(u64::MAX / 2),
    ];
    let ran = run_with(procs(1), Fake::new(&[], 0).with_pipes(1), main);
    assert_eq!((ran.end.code, ran.joined().as_str()), (3, "b1"));
    assert!(ran.runtime.stat(Stat::PollNonblock) < 1000);
}

#[test]
fn an_open_descriptor_nobody_waits_on_is_no_excuse() {
    let main = vec![Op::NetWrite(0, 1), Op::NetRead(0), Op::NilRecv];
    let ran = run_with(procs(2), Fake::new(&[], 0).with_pipes(1), main);
    assert_eq!(ran.end.code, 2);
    assert!(ran.text.starts_with("fatal error: all goroutines are asleep"), "{}", ran.text);
}
