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

fn config(n: u32) -> Config {
    Config { procs: n, virtual_time: true, refill_fuel: Some(3), ..Config::default() }
}

/// As [`config`], but a goroutine is never stopped because its slice is over.
fn endless_slices(n: u32) -> Config {
    Config { slice_fuel: Some(i64::MAX / 2), ..config(n) }
}

/// Runs a scenario many times on `n` Ps; its log, sorted, must be `want`.
fn check(n: u32, rounds: usize, fake: fn() -> Fake, main: fn() -> Vec<Op>, want: &'static str) {
    check_with(move || config(n), rounds, fake, main, want);
}

fn check_with(
    config: impl Fn() -> Config + Send + Sync + 'static,
    rounds: usize,
    fake: fn() -> Fake,
    main: fn() -> Vec<Op>,
    want: &'static str,
) {
    let scheduler = shuttle::scheduler::RandomScheduler::new(rounds * 20);
    explore(scheduler, config, fake, main, want);
}

/// As [`check`], but the threads have priorities that change only a few times: for orders in which one thread goes far while
/// another does nothing, which are rare where each step is drawn.
fn check_rare(
    n: u32,
    rounds: usize,
    fake: fn() -> Fake,
    main: fn() -> Vec<Op>,
    want: &'static str,
) {
    let scheduler = shuttle::scheduler::PctScheduler::new(3, rounds * 20);
    explore(scheduler, move || config(n), fake, main, want);
}

fn explore(
    scheduler: impl shuttle::scheduler::Scheduler + 'static,
    config: impl Fn() -> Config + Send + Sync + 'static,
    fake: fn() -> Fake,
    main: fn() -> Vec<Op>,
    want: &'static str,
) {
    let mut model = shuttle::Config::new();
    model.stack_size = 1 << 18;
    model.max_steps = shuttle::MaxSteps::FailAfter(200_000);
    shuttle::Runner::new(scheduler, model).run(move || {
        let mut ran = run_with(config(), fake(), main());
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

#[test]
fn idle_ps_help_a_busy_one() {
    // Main keeps its P while it waits for each of the others, twice over: idle Ms must come, and come again.
    fn main() -> Vec<Op> {
        let mut main = vec![go(vec![add("a")]), Op::Await(1)];
        main.extend([go(vec![add("b")]), go(vec![add("c")]), Op::Await(3)]);
        main.extend([go(vec![add("d")]), Op::Await(4), add("end")]);
        main
    }
    check_with(|| endless_slices(2), 200, || Fake::new(&[], 1), main, "a b c d end");
    check_with(|| endless_slices(3), 100, || Fake::new(&[], 1), main, "a b c d end");
    // Somebody is woken in vain at every step, and must not count as one who looks for work afterwards.
    let vain = || {
        let mut config = endless_slices(2);
        config.hostile.spurious_wakes = true;
        config
    };
    fn waking() -> Vec<Op> {
        let mut ops = wg_go(vec![Op::Recv(0), Op::Send(0, 1), Op::Recv(0)]).to_vec();
        ops.extend([Op::Send(0, 1), Op::Recv(0), Op::Send(0, 1), Op::WgWait(0)]);
        ops.extend(main());
        ops
    }
    check_with(vain, 200, || Fake::new(&[0], 1), waking, "a b c d end");
}

#[test]
fn who_goes_idle_sees_what_came_at_the_last_moment() {
    // Main wakes the other M, which is about to sleep again when main has more for it and comes to no refill.
    fn main() -> Vec<Op> {
        let mut main = vec![go(vec![add("a")]), Op::Await(1)];
        main.extend([go(vec![add("b")]), go(vec![add("c")]), go(vec![Op::Gosched])]);
        main.extend([Op::Hold(3), add("end")]);
        main
    }
    check_with(|| endless_slices(2), 400, || Fake::new(&[], 1), main, "a b c end");
}

#[test]
fn a_p_that_goes_leaves_its_goroutines_to_others() {
    // Main waits, so its P is idle, while the other P is taken away with goroutines in its queue.
    fn main() -> Vec<Op> {
        let mut main = vec![];
        for _ in 0..4 {
            main.extend(wg_go(vec![Op::Burn(9), Op::Burn(9)]));
        }
        main.extend([Op::Burn(9), Op::Procs(1), Op::WgWait(0), add("end")]);
        main
    }
    check(2, 200, || Fake::new(&[], 1), main, "end");
    check_rare(2, 200, || Fake::new(&[], 1), main, "end");
}

#[test]
fn a_select_leaves_no_trace_in_other_queues() {
    // The second select enters the queues that the first one has left.
    fn main() -> Vec<Op> {
        let both = || Op::Select(vec![(0, None), (1, None)], true);
        let mut main = vec![];
        main.extend(wg_go(vec![both(), both(), both(), both()]));
        main.extend(wg_go(vec![Op::Send(0, 1), Op::Gosched, Op::Send(1, 2)]));
        main.extend([Op::Send(1, 3), Op::Send(0, 4), Op::WgWait(0), add("end")]);
        main
    }
    let want = "end sel0:1:true sel0:4:true sel1:2:true sel1:3:true";
    check(2, 300, || Fake::new(&[0, 0], 1), main, want);
}

#[test]
fn a_ticker_ticks_again() {
    fn main() -> Vec<Op> {
        // Three wait at once, so nobody sets the timer again but the timer itself.
        let mut main = vec![Op::Arm(0, 1000, 1000)];
        for _ in 0..3 {
            main.extend(wg_go(vec![Op::RecvAdd(0, "t")]));
        }
        main.extend([Op::WgWait(0), Op::StopTimer(0), add("end")]);
        main
    }
    let fake = || Fake::new(&[], 1).with_timer();
    check(2, 100, fake, main, "end reset:false stop:true t7 t7 t7");
}

#[test]
fn a_signal_finds_who_is_about_to_wait() {
    fn main() -> Vec<Op> {
        let mut main = vec![];
        let mut waiter = vec![Op::Lock(0)];
        waiter.extend(cond_wait(0, 0));
        waiter.extend([Op::Unlock(0), add("x")]);
        main.extend(wg_go(waiter));
        // Once it has a ticket (which it takes under the lock), a signal is for it.
        main.extend([Op::AwaitTicket(0), Op::Signal(0), Op::WgWait(0), add("end")]);
        main
    }
    check_with(|| endless_slices(2), 300, || Fake::new(&[], 1), main, "end x");
}

#[test]
fn an_offer_is_taken_once() {
    // Main offers what it has started while it is busy, and then comes to it itself, unless the other M was faster.
    fn main() -> Vec<Op> {
        let mut main = vec![];
        for _ in 0..2 {
            main.extend(wg_go(vec![add("x"), Op::Gosched]));
            main.push(Op::Burn(12));
        }
        main.extend([Op::WgWait(0), add("end")]);
        main
    }
    check_with(|| endless_slices(2), 100, || Fake::new(&[], 1), main, "end x x");
    // The other M mostly is faster, unless its thread gets no turn.
    let scheduler = shuttle::scheduler::PctScheduler::new(3, 2000);
    explore(scheduler, || endless_slices(2), || Fake::new(&[], 1), main, "end x x");
}

#[test]
fn each_waiter_of_a_mutex_is_woken() {
    // Who is woken and gets the mutex has to wake the next one.
    fn main() -> Vec<Op> {
        let mut main = vec![Op::Lock(0)];
        for _ in 0..3 {
            main.extend(wg_go(vec![Op::Lock(0), Op::Unlock(0)]));
        }
        main.extend([Op::Gosched, Op::Unlock(0), Op::WgWait(0), add("end")]);
        main
    }
    check(1, 5, || Fake::new(&[], 1), main, "end");
    check(2, 200, || Fake::new(&[], 1), main, "end");
}

#[test]
fn a_deadlock_beside_a_locked_goroutine_is_seen() {
    // The thread of the locked one sleeps without a P, and does not count as running.
    let scheduler = shuttle::scheduler::RandomScheduler::new(2000);
    let mut model = shuttle::Config::new();
    model.stack_size = 1 << 18;
    shuttle::Runner::new(scheduler, model).run(|| {
        let mut main = wg_go(vec![Op::LockThread, Op::Recv(0)]).to_vec();
        main.extend([Op::Gosched, Op::LockThread, Op::WgWait(0)]);
        let ran = run_with(config(2), Fake::new(&[0], 1), main);
        assert_eq!(ran.end.code, 2, "{}", ran.text);
        assert!(ran.text.contains("all goroutines are asleep"), "{}", ran.text);
    });
}
