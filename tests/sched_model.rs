//! The scheduler's protocols under a model checker: threads are interleaved at every lock and atomic, at
//! random but reproducibly. A lost wake-up shows as a wrong deadlock report, as threads that all sleep, or
//! as a run that never ends.
//!
//! `cargo test --features shuttle --test sched_model`
#![allow(
    unsafe_code,
    dead_code,
    clippy::undocumented_unsafe_blocks,
    clippy::wildcard_enum_match_arm,
    reason = "the fake machine calls the raw interface; not every operation of it is used here"
)]

#[path = "sched_suite/fake.rs"]
mod fake;

use fake::*;
use gmpl::sched::Config;

/// Runs a scenario many times on `n` Ps; its log, sorted, must be `want`.
fn check(n: u32, rounds: usize, fake: fn() -> Fake, main: fn() -> Vec<Op>, want: &'static str) {
    let mut config = shuttle::Config::new();
    config.stack_size = 1 << 18;
    config.max_steps = shuttle::MaxSteps::FailAfter(200_000);
    let scheduler = shuttle::scheduler::RandomScheduler::new(rounds * 20);
    shuttle::Runner::new(scheduler, config).run(move || {
        let config =
            Config { procs: n, virtual_time: true, refill_fuel: Some(3), ..Config::default() };
        let mut ran = run_with(config, fake(), main());
        ran.log.sort();
        assert_eq!((ran.end.code, ran.log.join(" ").as_str()), (0, want), "{}", ran.text);
    });
}

#[test]
fn unbuffered_hand_offs() {
    fn main() -> Vec<Op> {
        let mut main = vec![];
        for _ in 0..2 {
            main.extend(wg_go(vec![Op::Send(0, 1), Op::Loop(2, 1)]));
            main.extend(wg_go(vec![Op::Recv(0), Op::Loop(2, 1)]));
        }
        main.extend([Op::WgWait(0), add("end")]);
        main
    }
    check(2, 300, || Fake::new(&[0], 1), main, "end");
    check(3, 200, || Fake::new(&[0], 1), main, "end");
}

#[test]
fn selects_on_both_sides() {
    fn main() -> Vec<Op> {
        let mut main = vec![];
        for _ in 0..2 {
            main.extend(wg_go(vec![Op::Select(vec![(0, Some(1)), (1, Some(1))], true)]));
            main.extend(wg_go(vec![Op::Select(vec![(1, None), (0, None)], true), add("x")]));
        }
        main.extend([Op::WgWait(0), Op::End(0)]);
        main
    }
    let mut config = shuttle::Config::new();
    config.stack_size = 1 << 18;
    let scheduler = shuttle::scheduler::RandomScheduler::new(6000);
    shuttle::Runner::new(scheduler, config).run(|| {
        let config =
            Config { procs: 2, virtual_time: true, refill_fuel: Some(3), ..Config::default() };
        let ran = run_with(config, Fake::new(&[0, 0], 1), main());
        assert_eq!((ran.end.code, ran.log.len()), (0, 6), "{}", ran.text);
    });
}

#[test]
fn mutex_and_condition() {
    fn main() -> Vec<Op> {
        let mut main = vec![];
        for _ in 0..2 {
            main.extend(wg_go(vec![Op::Lock(0), Op::Gosched, Op::Unlock(0), Op::Loop(2, 3)]));
            main.extend(wg_go(vec![Op::RLock(0), Op::Gosched, Op::RUnlock(0)]));
            main.extend(wg_go(vec![Op::WLock(0), Op::Gosched, Op::WUnlock(0)]));
        }
        main.extend([Op::WgWait(0), add("end")]);
        main
    }
    check(2, 200, || Fake::new(&[], 1), main, "end");
}

#[test]
fn sleepers_and_virtual_time() {
    fn main() -> Vec<Op> {
        let mut main = vec![];
        for i in 0..3 {
            main.extend(wg_go(vec![Op::Sleep(1000 * (i + 1)), add("s")]));
        }
        main.extend([Op::WgWait(0), add("end")]);
        main
    }
    check(2, 300, || Fake::new(&[], 1), main, "end s s s");
}

#[test]
fn blocking_calls_and_stops() {
    fn main() -> Vec<Op> {
        let mut main = vec![];
        for _ in 0..2 {
            main.extend(wg_go(vec![Op::Blocking(0), Op::Syscall(0), Op::Gosched]));
            main.extend(wg_go(vec![Op::Stw, Op::Burn(9)]));
        }
        main.extend([Op::WgWait(0), add("end")]);
        main
    }
    check(2, 300, || Fake::new(&[], 1), main, "end");
}

#[test]
fn threads_with_locked_goroutines() {
    fn main() -> Vec<Op> {
        let mut main = vec![];
        for _ in 0..2 {
            main.extend(wg_go(vec![Op::LockThread, Op::Gosched, Op::Send(0, 1), Op::UnlockThread]));
            main.extend(wg_go(vec![Op::Recv(0), Op::LockThread]));
        }
        main.extend([Op::WgWait(0), add("end")]);
        main
    }
    check(2, 300, || Fake::new(&[0], 1), main, "end");
}

#[test]
fn changing_the_number_of_ps() {
    fn main() -> Vec<Op> {
        let mut main = vec![];
        for _ in 0..3 {
            main.extend(wg_go(vec![Op::Burn(5), Op::Gosched, Op::Burn(5)]));
        }
        main.extend([Op::Procs(1), Op::Gosched, Op::Procs(3), Op::WgWait(0), add("end")]);
        main
    }
    check(2, 300, || Fake::new(&[], 1), main, "end");
}
