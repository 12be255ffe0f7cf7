//! Many goroutines on several Ps, under the ordinary and under hostile settings: nothing is lost.

use crate::fake::*;
use gmpl::sched::{Config, Hostile, Stat};
use std::time::{Duration, Instant};

fn configs() -> Vec<Config> {
    let hostile =
        Hostile { steal_first: true, tiny_slice: true, retake_at_once: true, spurious_wakes: true };
    let mut all = vec![procs(1), procs(2), procs(4)];
    all.push(Config { local_queue: 4, refill_fuel: Some(3), hostile, ..procs(4) });
    all.push(Config { deterministic: true, refill_fuel: Some(7), seed: 3, ..procs(4) });
    all
}

#[test]
fn many_senders_and_receivers() {
    for config in configs() {
        let mut main = vec![];
        for i in 0..50 {
            main.extend(wg_go(vec![Op::Send(i % 3, 1), Op::Loop(100, 1)]));
            main.extend(wg_go(vec![Op::Recv(i % 3), Op::Loop(100, 1)]));
        }
        main.extend([Op::WgWait(0), add("end")]);
        let ran = run_with(config, Fake::new(&[0, 1, 7], 1), main);
        assert_eq!((ran.end.code, ran.joined().as_str()), (0, "end"), "{}", ran.text);
    }
}

#[test]
fn many_selects() {
    for config in configs() {
        let mut main = vec![];
        for _ in 0..20 {
            let sends = vec![(0, Some(1)), (1, Some(2)), (2, Some(3))];
            let recvs = vec![(2, None), (1, None), (0, None)];
            main.extend(wg_go(vec![Op::Select(sends, true), Op::Loop(50, 1)]));
            main.extend(wg_go(vec![Op::Select(recvs, true), Op::Loop(50, 1)]));
        }
        main.extend([Op::WgWait(0), add("end")]);
        let ran = run_with(config, Fake::new(&[0, 0, 2], 1), main);
        assert_eq!(ran.end.code, 0, "{}", ran.text);
        assert_eq!(ran.log.len(), 2 * 20 * 50 + 1);
    }
}

#[test]
fn locks_exclude() {
    for config in configs() {
        let mut main = vec![];
        for _ in 0..10 {
            let ops = vec![Op::Lock(0), Op::Burn(20), Op::Gosched, Op::Unlock(0), Op::Loop(50, 4)];
            main.extend(wg_go(ops));
            let ops =
                vec![Op::RLock(0), Op::Burn(20), Op::Gosched, Op::RUnlock(0), Op::Loop(50, 4)];
            main.extend(wg_go(ops));
            let ops =
                vec![Op::WLock(0), Op::Burn(20), Op::Gosched, Op::WUnlock(0), Op::Loop(20, 4)];
            main.extend(wg_go(ops));
        }
        main.extend([Op::WgWait(0), add("end")]);
        let ran = run_with(config, Fake::new(&[], 1), main);
        assert_eq!((ran.end.code, ran.joined().as_str()), (0, "end"), "{}", ran.text);
    }
}

#[test]
fn a_spinning_goroutine_is_preempted() {
    let start = Instant::now();
    let forever = vec![Op::Burn(u64::MAX / 2)];
    let main = vec![go(forever.clone()), go(forever), Op::Gosched, add("back")];
    let ran = run_with(procs(1), Fake::new(&[], 0), main);
    assert_eq!(ran.joined(), "back");
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
}

#[test]
fn a_runnext_behind_a_long_goroutine_is_stolen() {
    let main = vec![go(vec![Op::Send(0, 1)]), Op::Burn(400_000_000), Op::RecvAdd(0, "")];
    // A long slice, or the P itself comes round to it first on a slow machine.
    let config = Config { slice_ns: 100_000_000_000, ..procs(2) };
    let ran = run_with(config, Fake::new(&[1], 0), main);
    assert_eq!(ran.joined(), "1");
    assert_eq!(ran.runtime.stat(Stat::RunnextStolen), 1);
}

#[test]
fn stopping_the_world_under_load() {
    for config in configs() {
        let mut main = vec![];
        for _ in 0..4 {
            main.push(go(vec![Op::Burn(u64::MAX / 2)]));
            main.extend(wg_go(vec![Op::Stw, Op::Gosched, Op::Loop(20, 2)]));
            main.extend(wg_go(vec![Op::Syscall(0), Op::Loop(200, 1)]));
        }
        main.extend([Op::WgWait(0), add("end")]);
        let ran = run_with(config, Fake::new(&[], 1), main);
        assert_eq!((ran.end.code, ran.joined().as_str()), (0, "end"), "{}", ran.text);
    }
}

#[test]
fn procs_change_under_load() {
    for config in configs() {
        let mut main = vec![];
        for _ in 0..100 {
            main.extend(wg_go(vec![Op::Burn(1000), Op::Gosched, Op::Loop(20, 2)]));
        }
        for n in [1, 8, 2, 1, 3] {
            main.extend([Op::Procs(n), Op::Burn(20_000), Op::Gosched]);
        }
        main.extend([Op::WgWait(0), add("end")]);
        let name = format!("{config:?}");
        let ran = run_with(config, Fake::new(&[], 1), main);
        assert_eq!((ran.end.code, ran.joined().as_str()), (0, "end"), "{name} {}", ran.text);
    }
}

#[test]
fn a_blocking_call_hands_its_p_over() {
    for op in [Op::Syscall(200), Op::Blocking(200)] {
        let start = Instant::now();
        let main = vec![go(vec![op]), Op::Gosched, add("on")];
        let ran = run_with(procs(1), Fake::new(&[], 0), main);
        assert_eq!(ran.joined(), "on");
        assert!(start.elapsed() < Duration::from_millis(150), "{:?}", start.elapsed());
    }
}

#[test]
fn short_calls_keep_their_p() {
    let main = vec![Op::Syscall(0), Op::Loop(2000, 1)];
    let ran = run_with(procs(2), Fake::new(&[], 0), main);
    assert_eq!(ran.end.code, 0);
    assert!(ran.runtime.threads() <= 6);
}

#[test]
fn thread_limit() {
    let config = Config { max_threads: 10, ..procs(2) };
    let mut main: Vec<Op> = (0..50).map(|_| go(vec![Op::Blocking(300)])).collect();
    main.push(Op::Sleep(200_000_000));
    let ran = run_with(config, Fake::new(&[], 0), main);
    assert_eq!(ran.end.code, 2);
    let want = "runtime: program exceeds 10-thread limit\nfatal error: thread exhaustion\n";
    assert!(ran.text.starts_with(want), "{}", ran.text);
}

#[test]
fn a_locked_goroutine_stays_on_its_thread() {
    for n in [1, 3] {
        let mut main = vec![];
        for _ in 0..5 {
            main.extend(wg_go(vec![Op::Gosched, Op::Loop(100, 1)]));
        }
        main.extend([
            Op::LockThread,
            Op::AddThread,
            Op::Gosched,
            Op::Sleep(10_000),
            Op::Loop(20, 3),
        ]);
        main.extend([Op::WgWait(0), Op::AddThread, Op::UnlockThread]);
        let ran = run_with(procs(n), Fake::new(&[], 1), main);
        assert_eq!(ran.end.code, 0, "{}", ran.text);
        assert!(ran.log.iter().all(|m| *m == ran.log[0]), "{:?}", ran.log);
    }
}

#[test]
fn a_goroutine_that_ends_locked_takes_its_thread_along() {
    let mut main = vec![];
    for _ in 0..20 {
        main.extend(wg_go(vec![Op::LockThread, Op::Gosched]));
    }
    main.extend([Op::WgWait(0), add("end")]);
    let ran = run_with(procs(2), Fake::new(&[], 1), main);
    assert_eq!((ran.end.code, ran.joined().as_str()), (0, "end"), "{}", ran.text);
}

#[test]
fn records_are_reused() {
    let mut main = vec![];
    main.extend(wg_go(vec![]));
    main.extend([Op::WgWait(0), Op::Loop(1000, 3), Op::AddNum]);
    let ran = run_with(procs(1), Fake::new(&[], 1), main);
    assert_eq!(ran.joined(), "n=1");
    assert!(ran.runtime.stat(Stat::GNew) <= 10);
}

#[test]
fn an_idle_program_burns_nothing() {
    let before = cpu_ms();
    let ran = run_with(procs(4), Fake::new(&[], 0), vec![Op::Sleep(1_000_000_000)]);
    assert_eq!(ran.end.code, 0);
    // Other tests run beside this one; the bar only catches a loop that never sleeps.
    assert!(cpu_ms() - before < 4000);
}

fn cpu_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split(' ').collect();
    (fields[12].parse::<u64>().unwrap() + fields[13].parse::<u64>().unwrap()) * 10
}

#[test]
fn dropping_a_runtime_ends_its_goroutines() {
    for _ in 0..20 {
        let main =
            vec![go(vec![Op::Burn(u64::MAX / 2)]), go(vec![Op::NilRecv]), Op::Sleep(1_000_000)];
        let ran = run_with(procs(3), Fake::new(&[], 0), main);
        let start = Instant::now();
        drop(ran);
        assert!(start.elapsed() < Duration::from_secs(2));
    }
}

#[test]
fn same_seed_same_run() {
    let run = |seed| {
        let config = Config { deterministic: true, refill_fuel: Some(5), seed, ..procs(3) };
        let mut main = vec![];
        for i in 0..8 {
            main.extend(wg_go(vec![Op::Burn(9), add(i.to_string()), Op::Loop(5, 2)]));
        }
        main.push(Op::WgWait(0));
        run_with(config, Fake::new(&[], 1), main).log
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn waiting_times_are_counted() {
    let mut main = vec![];
    for _ in 0..3 {
        main.extend(wg_go(vec![Op::Burn(20_000_000)]));
    }
    main.push(Op::WgWait(0));
    let ran = run_with(procs(1), Fake::new(&[], 1), main);
    let long: u64 =
        ran.runtime.latencies().iter().filter(|(us, _)| *us >= 4096).map(|(_, n)| n).sum();
    assert!(long >= 1, "{:?}", ran.runtime.latencies());
}

#[test]
fn an_old_p_is_taken_back_from_another_call() {
    // One P. A goroutine that comes back from a call finds its P in the slot of another call. That is a race, which a busy machine
    // rarely lets happen: the tries end with the first one.
    let tried = (0..5000).any(|_| {
        let mut main = vec![];
        main.extend(wg_go(vec![Op::Syscall(1), Op::Loop(20, 1)]));
        main.extend(wg_go(vec![Op::SyscallSpin(200), Op::Loop(10_000, 1)]));
        main.push(Op::WgWait(0));
        let ran = run_with(procs(1), Fake::new(&[], 1), main);
        assert_eq!(ran.end.code, 0);
        ran.runtime.stat(Stat::SysOldp) > 0
    });
    assert!(tried, "no call ever found its old P in another one");
}
