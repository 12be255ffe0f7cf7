//! The scheduler's protocols under an exhaustive model checker: every order of threads with few switches, and every value that the
//! memory model lets a load see. A lost wake-up shows as threads that all sleep, or as a wrong deadlock report.
//!
//! `cargo test --features loom --test loom_model`
#![allow(
    unsafe_code,
    dead_code,
    clippy::print_stdout,
    clippy::undocumented_unsafe_blocks,
    clippy::unwrap_used,
    clippy::vec_box,
    clippy::wildcard_enum_match_arm,
    reason = "the fake machine calls the raw interface; not every operation of it is used here"
)]

#[path = "sched_suite/fake.rs"]
mod fake;

use fake::*;
use gmpl::sched::Config;
use gmpl::sync::{Arc, AtomicU32, Ordering, Parker, thread};

/// Checks all orders with at most this many switches away from a thread that could go on; stops after half a minute, which is
/// enough for nearly all of them on a quiet machine.
fn model(preemptions: usize, f: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 100_000;
    builder.checkpoint_interval = 1000;
    builder.max_duration = Some(std::time::Duration::from_secs(30));
    let orders = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = Arc::clone(&orders);
    builder.check(move || {
        count.fetch_add(1, Ordering::Relaxed);
        f();
    });
    let orders = orders.load(Ordering::Relaxed);
    println!("{orders} orders");
    assert!(orders > 10, "there was nothing to choose");
}

fn config(procs: u32) -> Config {
    Config { procs, virtual_time: true, refill_fuel: Some(3), ..Config::default() }
}

/// Runs a scenario on `n` Ps; its log, sorted, must be `want`.
fn check(
    n: u32,
    preemptions: usize,
    fake: fn() -> Fake,
    main: fn() -> Vec<Op>,
    want: &'static str,
) {
    model(preemptions, move || {
        let config = config(n);
        let mut ran = run_with(config, fake(), main());
        ran.log.sort();
        assert_eq!((ran.end.code, ran.log.join(" ").as_str()), (0, want), "{}", ran.text);
    });
}

#[test]
fn a_parked_thread_is_woken_once() {
    model(4, || {
        let parker = Arc::new(Parker::default());
        let word = Arc::new(AtomicU32::new(0));
        let (p, w) = (Arc::clone(&parker), Arc::clone(&word));
        let t = thread::spawn(move || {
            w.store(1, Ordering::Relaxed);
            p.unpark();
        });
        parker.park();
        assert_eq!(word.load(Ordering::Relaxed), 1);
        t.join().unwrap();
    });
}

#[test]
fn the_last_look_before_idling_misses_nothing() {
    // Main hands work over while the other M looks for some, gives up, and goes to sleep.
    fn main() -> Vec<Op> {
        let mut main = vec![];
        main.extend(wg_go(vec![Op::Gosched]));
        main.extend(wg_go(vec![add("x")]));
        main.extend([Op::WgWait(0), add("end")]);
        main
    }
    check(2, 2, || Fake::new(&[], 1), main, "end x");
}

#[test]
fn goroutines_that_wake_each_other_on_two_ps() {
    fn main() -> Vec<Op> {
        let mut main = vec![];
        main.extend(wg_go(vec![Op::Recv(0), Op::Send(1, 1)]));
        main.extend(wg_go(vec![Op::Burn(9), Op::Gosched]));
        main.extend([Op::Send(0, 1), Op::Recv(1), Op::WgWait(0), add("end")]);
        main
    }
    check(2, 2, || Fake::new(&[0, 0], 1), main, "end");
}

#[test]
fn a_channel_operation_against_a_select() {
    // Both cases of a select become ready from two sides at once: one wins, the other side finds another partner.
    fn main() -> Vec<Op> {
        let mut main = vec![];
        main.extend(wg_go(vec![Op::Select(vec![(0, None), (1, None)], true)]));
        main.extend(wg_go(vec![Op::Gosched, Op::Send(0, 1)]));
        main.extend([Op::Gosched, Op::Send(1, 1), Op::RecvAdd(0, "r"), Op::WgWait(0)]);
        main
    }
    // The select took 1 from channel 1 (then main receives from 0), or from 0 (then main waits for ever).
    model(2, || {
        let mut ran = run_with(config(2), Fake::new(&[0, 0], 1), main());
        ran.log.sort();
        let log = ran.joined();
        let won = (ran.end.code, log.as_str());
        assert!(matches!(won, (0, "r1 sel1:1:true") | (2, "sel0:1:true")), "{won:?} {}", ran.text);
    });
}

#[test]
fn the_slot_of_a_system_call_has_one_taker() {
    // The M that comes back, and a stop of the world, race for the P.
    fn main() -> Vec<Op> {
        let mut main = vec![];
        let calls = vec![Op::Burn(4), Op::Syscall(0), Op::Syscall(0), add("x")];
        main.extend(wg_go(calls));
        main.extend([Op::Gosched, Op::Stw, Op::WgWait(0), add("end")]);
        main
    }
    check(2, 2, || Fake::new(&[], 1), main, "end x");
}

#[test]
fn who_comes_back_without_a_p_is_not_left_in_the_queue() {
    // One P, which the blocking call gives away: its new holder goes idle while the goroutine comes back.
    fn main() -> Vec<Op> {
        let mut main = vec![];
        main.extend(wg_go(vec![Op::Blocking(0), add("x")]));
        main.extend([Op::WgWait(0), add("end")]);
        main
    }
    check(1, 3, || Fake::new(&[], 1), main, "end x");
}

#[test]
fn a_descriptor_becomes_ready_while_somebody_comes_to_wait() {
    // The reader has seen that it would block; the event arrives before, while, or after it enters. (Another one waits
    // already, so that somebody polls.)
    fn main() -> Vec<Op> {
        let mut main = vec![];
        main.extend([Op::NetOpen(0), Op::NetOpen(1)]);
        main.extend(wg_go(vec![Op::NetRead(1)]));
        main.extend([Op::Gosched]);
        main.extend(wg_go(vec![Op::Burn(4), Op::NetRead(0)]));
        main.extend([Op::Gosched, Op::NetWrite(0, 7), Op::NetWrite(1, 7)]);
        main.extend([Op::WgWait(0), add("end")]);
        main
    }
    model(1, || {
        // The clock is real: in virtual time nobody waits in the poller.
        let config = Config { virtual_time: false, slice_fuel: Some(1000), ..config(2) };
        let ran = run_with(config, Fake::new(&[], 1).with_pipes(2), main());
        assert_eq!((ran.end.code, ran.joined().as_str()), (0, "b7 b7 end"), "{}", ran.text);
    });
}

#[test]
fn a_semaphore_is_released_while_somebody_comes_to_wait() {
    fn main() -> Vec<Op> {
        let mut main = vec![Op::Lock(0)];
        main.extend(wg_go(vec![Op::Lock(0), Op::Unlock(0)]));
        main.extend([Op::Burn(9), Op::Unlock(0), Op::WgWait(0), add("end")]);
        main
    }
    check(2, 2, || Fake::new(&[], 1), main, "end");
}

/// As [`config`], but a goroutine is never stopped because its slice is over.
fn endless_slices(procs: u32) -> Config {
    Config { slice_fuel: Some(i64::MAX / 2), ..config(procs) }
}

#[test]
fn an_idle_p_helps_a_busy_one() {
    // Main keeps its P while it waits: the other M must come, and after it has gone to sleep come again.
    model(2, || {
        let mut main = vec![go(vec![add("a")]), Op::Await(1)];
        main.extend([go(vec![add("b")]), Op::Await(2), add("end")]);
        let ran = run_with(endless_slices(2), Fake::new(&[], 1), main);
        assert_eq!((ran.end.code, ran.joined().as_str()), (0, "a b end"), "{}", ran.text);
    });
}

#[test]
fn a_select_leaves_no_trace_in_other_queues() {
    fn main() -> Vec<Op> {
        let both = || Op::Select(vec![(0, None), (1, None)], true);
        let mut main = vec![];
        main.extend(wg_go(vec![both(), both()]));
        main.extend([Op::Gosched, Op::Send(1, 3), Op::Send(0, 4), Op::WgWait(0), add("end")]);
        main
    }
    check(2, 2, || Fake::new(&[0, 0], 1), main, "end sel0:4:true sel1:3:true");
}

#[test]
fn the_last_one_looks_at_the_global_queue_before_it_waits_in_the_poller() {
    // One P. While its holder goes to the poller, for the reader, a goroutine comes back from a call to the global queue.
    model(2, || {
        let config = Config { virtual_time: false, slice_fuel: Some(1000), ..config(1) };
        let mut main = vec![Op::NetOpen(0)];
        main.extend(wg_go(vec![Op::Blocking(0), Op::NetWrite(0, 7)]));
        main.extend(wg_go(vec![Op::NetRead(0)]));
        main.extend([Op::WgWait(0), add("end")]);
        let ran = run_with(config, Fake::new(&[], 1).with_pipes(1), main);
        assert_eq!((ran.end.code, ran.joined().as_str()), (0, "b7 end"), "{}", ran.text);
    });
}

#[test]
fn a_timer_is_seen_by_who_waits_in_the_poller() {
    // The other M goes to the poller, for the reader, while main sets a timer and then comes to no refill.
    model(1, || {
        let config = Config { virtual_time: false, ..endless_slices(2) };
        let mut main = vec![Op::NetOpen(0)];
        main.extend(wg_go(vec![add("a"), Op::NetRead(0)]));
        main.extend([Op::Await(1), Op::Refuel(100), Op::AfterFunc(1, 1), Op::Hold(2)]);
        main.extend([Op::NetWrite(0, 7), Op::WgWait(0), add("end")]);
        let ran = run_with(config, Fake::new(&[], 1).with_pipes(1), main);
        assert_eq!((ran.end.code, ran.joined().as_str()), (0, "a f1 b7 end"), "{}", ran.text);
    });
}
