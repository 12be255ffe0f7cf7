//! Sleep, timers and virtual time.

use crate::fake::*;
use gmpl::sched::Config;
use std::time::Instant;

#[test]
fn sleep_takes_its_time() {
    let start = Instant::now();
    let ran = run_with(procs(2), Fake::new(&[], 0), vec![Op::Sleep(20_000_000)]);
    assert_eq!(ran.end.code, 0);
    assert!(start.elapsed().as_millis() >= 20);
}

#[test]
fn virtual_time_jumps() {
    for deterministic in [false, true] {
        let start = Instant::now();
        let config = Config { virtual_time: true, deterministic, ..procs(2) };
        let hour = 3_600_000_000_000;
        let main = vec![
            go(vec![Op::Sleep(2 * hour), Op::Send(0, 2)]),
            go(vec![Op::Sleep(hour), Op::Send(0, 1)]),
            Op::RecvAdd(0, ""),
            Op::RecvAdd(0, ""),
        ];
        let ran = run_with(config, Fake::new(&[0], 0), main);
        assert_eq!(ran.joined(), "1 2", "{}", ran.text);
        assert!(start.elapsed().as_secs() < 60);
    }
}

#[test]
fn timer_channel_rules() {
    let ms = 1_000_000;
    let main = vec![
        Op::Arm(0, 2 * ms, 0),
        Op::RecvAdd(0, "t"),
        Op::StopTimer(0),
        Op::Arm(0, ms, 0),
        Op::Sleep(3 * ms),
        // It fired meanwhile, nobody received: Stop says true and takes the value away.
        Op::StopTimer(0),
        Op::Select(vec![(0, None)], false),
        Op::Arm(0, ms, 0),
        Op::Sleep(3 * ms),
        Op::Arm(0, ms, 0),
        Op::Select(vec![(0, None)], true),
    ];
    let ran = run_with(procs(1), Fake::new(&[], 0).with_timer(), main);
    assert_eq!(
        ran.joined(),
        "reset:false t7 stop:false reset:false stop:true default reset:false reset:true sel0:7:true",
        "{}",
        ran.text
    );
}

#[test]
fn ticker_keeps_one_tick() {
    let ms = 1_000_000;
    let main = vec![
        Op::Arm(0, 2 * ms, 2 * ms),
        Op::Sleep(9 * ms),
        Op::RecvAdd(0, "t"),
        Op::Select(vec![(0, None)], false),
        Op::RecvAdd(0, "t"),
        Op::StopTimer(0),
    ];
    let ran = run_with(procs(1), Fake::new(&[], 0).with_timer(), main);
    assert_eq!(ran.joined(), "reset:false t7 default t7 stop:true");
}
