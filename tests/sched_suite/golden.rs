//! The orders that real Go gives at GOMAXPROCS=1, with threads and in deterministic mode.

use crate::fake::*;

fn check(caps: &[u32], main: Vec<Op>, want: &str) {
    for deterministic in [false, true] {
        for _ in 0..10 {
            let config = gmpl::sched::Config { deterministic, ..procs(1) };
            let ran = run_with(config, Fake::new(caps, 2), main.clone());
            assert_eq!(ran.end.code, 0, "{}", ran.text);
            assert_eq!(ran.joined(), want);
        }
    }
}

fn spawn(n: usize) -> Vec<String> {
    let mut main = settle();
    for i in 0..n {
        main.extend(wg_go(vec![add(i.to_string())]));
    }
    main.push(Op::WgWait(0));
    run_with(procs(1), Fake::new(&[], 1), main).log
}

fn first_second_last(n: usize) -> String {
    let log = spawn(n);
    assert_eq!(log.len(), n);
    format!("first {} second {} last {}", log[0], log[1], log[n - 1])
}

#[test]
fn spawn_order_and_overflow() {
    assert_eq!(spawn(10).join(" "), "9 0 1 2 3 4 5 6 7 8");
    assert_eq!(first_second_last(256), "first 255 second 0 last 254");
    assert_eq!(first_second_last(257), "first 256 second 0 last 255");
    assert_eq!(first_second_last(258), "first 257 second 128 last 256");
    assert_eq!(first_second_last(300), "first 299 second 128 last 256");
    assert_eq!(first_second_last(600), "first 599 second 386 last 514");
}

#[test]
fn every_61st_from_the_global_queue() {
    let log = spawn(600);
    let global = |s: &String| s.parse::<usize>().unwrap() < 128;
    let at: Vec<usize> = (1..200).filter(|i| global(&log[*i])).collect();
    let gaps: Vec<usize> = at.windows(2).map(|w| w[1] - w[0]).collect();
    assert_eq!(gaps, [61, 61]);
}

#[test]
fn close_wakes() {
    let mut main = vec![];
    for i in 0..5 {
        main.extend(wg_go(vec![Op::Recv(0), add(i.to_string())]));
    }
    main.extend(settle());
    main.extend([Op::Close(0), Op::WgWait(0)]);
    check(&[0], main, "4 3 2 1 0");
}

#[test]
fn condition_broadcast_and_signal() {
    let waiter = |i: usize| {
        let mut ops = vec![Op::Lock(0)];
        ops.extend(cond_wait(0, 0));
        ops.extend([add(i.to_string()), Op::Unlock(0)]);
        wg_go(ops)
    };
    let mut main: Vec<Op> = (0..5).flat_map(waiter).collect();
    main.extend(settle());
    main.extend([Op::Lock(0), Op::Broadcast(0), Op::Unlock(0), Op::WgWait(0)]);
    check(&[], main, "3 4 0 1 2");
    let mut main: Vec<Op> = (0..4).flat_map(waiter).collect();
    main.extend(settle());
    main.extend(vec![Op::Signal(0); 4]);
    main.push(Op::WgWait(0));
    check(&[], main, "2 3 0 1");
}

#[test]
fn wait_group_waiters() {
    let mut main = vec![Op::WgAdd(1, 1)];
    for i in 0..5 {
        main.extend(wg_go(vec![Op::WgWait(1), add(i.to_string())]));
    }
    main.extend(settle());
    main.extend([Op::WgAdd(1, -1), Op::WgWait(0)]);
    check(&[], main, "3 4 0 1 2");
}

#[test]
fn mutex_orders() {
    let mut main = vec![Op::Lock(0)];
    for i in 0..5 {
        main.extend(wg_go(vec![Op::Lock(0), add(i.to_string()), Op::Unlock(0)]));
    }
    main.extend(settle());
    main.extend([Op::Unlock(0), Op::WgWait(0)]);
    check(&[], main, "4 0 1 2 3");
    let mut main = settle();
    for n in ["a", "b", "c"] {
        let rounds =
            (0..3).flat_map(|i| [Op::Lock(0), add(format!("{n}{i}")), Op::Gosched, Op::Unlock(0)]);
        main.extend(wg_go(rounds.collect()));
    }
    main.push(Op::WgWait(0));
    check(&[], main, "c0 c1 c2 a0 a1 a2 b0 b1 b2");
}

#[test]
fn rwmutex_order() {
    let mut main = vec![Op::WLock(0)];
    for i in 0..3 {
        main.extend(wg_go(vec![Op::RLock(0), add(format!("r{i}")), Op::RUnlock(0)]));
    }
    for i in 0..2 {
        main.extend(wg_go(vec![Op::WLock(0), add(format!("w{i}")), Op::WUnlock(0)]));
    }
    main.extend(settle());
    main.extend([Op::WUnlock(0), Op::WgWait(0)]);
    check(&[], main, "r0 r1 r2 w1 w0");
}

#[test]
fn senders_are_first_come_first_served() {
    let mut main: Vec<Op> = (0..5).map(|i| go(vec![Op::Send(0, i)])).collect();
    main.extend(settle());
    main.extend(vec![Op::RecvAdd(0, ""); 5]);
    check(&[0], main, "4 0 1 2 3");
}

fn producer_consumer(n: u64) -> Vec<Op> {
    let mut main = settle();
    main.push(go(vec![Op::Range(0, "r"), Op::Send(1, 1)]));
    for i in 0..n {
        main.extend([add(format!("s{i}")), Op::Send(0, i)]);
    }
    main.extend([Op::Close(0), Op::Recv(1)]);
    main
}

#[test]
fn producer_and_consumer() {
    check(&[0, 0], producer_consumer(6), "s0 r0 s1 s2 r1 r2 s3 s4 r3 r4 s5 r5");
    check(&[2, 0], producer_consumer(8), "s0 s1 s2 r0 r1 r2 s3 s4 s5 s6 r3 r4 r5 r6 s7 r7");
}

#[test]
fn gosched_orders() {
    let mut main = settle();
    for n in ["a", "b"] {
        let ops = (0..3).flat_map(|i| [add(format!("{n}{i}")), Op::Gosched]);
        main.extend(wg_go(ops.collect()));
    }
    main.push(Op::WgWait(0));
    check(&[], main, "b0 a0 b1 a1 b2 a2");
    let mut main = settle();
    main.extend((0..5).map(|i| go(vec![add(i.to_string())])));
    main.extend([Op::Gosched, add("main")]);
    check(&[], main, "4 0 1 2 3 main");
}

#[test]
fn sleepers() {
    let mut main = vec![];
    for i in 0..6 {
        main.extend(wg_go(vec![Op::Sleep(5_000_000), add(i.to_string())]));
    }
    main.push(Op::WgWait(0));
    // In virtual time, because the machine that runs the tests may be slow between two of the calls.
    let config = gmpl::sched::Config { virtual_time: true, ..procs(1) };
    assert_eq!(run_with(config, Fake::new(&[], 1), main).joined(), "4 5 0 1 2 3");
}

#[test]
fn chain() {
    let mut main = settle();
    for i in 0..6 {
        let v = i as u64 + 1;
        main.push(go(vec![Op::Recv(i), add(format!("g{i}")), Op::Send(i + 1, v)]));
    }
    main.extend([Op::Send(0, 0), add("main"), Op::RecvAdd(6, "v")]);
    check(&[0; 7], main, "g0 main g1 g2 g3 g4 g5 v6");
}

#[test]
fn nested_go() {
    let mut main = settle();
    for i in 0..3 {
        let mut ops = vec![add(format!("p{i}"))];
        for j in 0..2 {
            ops.extend(wg_go(vec![add(format!("c{i}{j}"))]));
        }
        main.extend(wg_go(ops));
    }
    main.push(Op::WgWait(0));
    check(&[], main, "p2 c21 p0 c01 p1 c11 c20 c00 c10");
}

#[test]
fn semaphore_of_two() {
    let mut main = settle();
    for i in 0..6 {
        let (plus, minus) = (add(format!("+{i}")), add(format!("-{i}")));
        main.extend(wg_go(vec![Op::Send(0, 0), plus, Op::Gosched, minus, Op::Recv(0)]));
    }
    main.push(Op::WgWait(0));
    check(&[2], main, "+5 +0 -5 +1 -0 +2 -1 +3 -2 +4 -3 -4");
}

#[test]
fn pipeline() {
    let mut a = vec![];
    for i in 0..4 {
        a.extend([add(format!("A{i}")), Op::Send(0, i)]);
    }
    a.push(Op::Close(0));
    let mut b = vec![];
    for i in 0..4 {
        b.extend([Op::RecvAdd(0, "B"), Op::Send(1, i)]);
    }
    b.extend([Op::Recv(0), Op::Close(1)]);
    let mut main = settle();
    main.extend([go(a), go(b), Op::Range(1, "C")]);
    check(&[0, 0], main, "A0 A1 B0 B1 A2 C0 C1 B2 C2 A3 B3 C3");
}
