//! Traces of busy programs keep the scheduler's invariants; schedtrace has Go's format.

use crate::fake::*;
use gmpl::sched::{Config, EventHook};
use gmpl::trace::{JsonTrace, check, stats_json};
use std::io::Write;
use std::sync::{Arc, Mutex};

/// A stream into memory.
#[derive(Debug, Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(buf)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn busy() -> Vec<Op> {
    let mut main = vec![];
    for i in 0..10 {
        main.extend(wg_go(vec![Op::Send(i % 2, 1), Op::Loop(20, 1)]));
        main.extend(wg_go(vec![Op::Recv(i % 2), Op::Loop(20, 1)]));
        main.extend(wg_go(vec![Op::Lock(0), Op::Gosched, Op::Unlock(0), Op::Loop(10, 3)]));
        main.extend(wg_go(vec![Op::Syscall(0), Op::Sleep(100_000), Op::Loop(5, 2)]));
        main.extend(wg_go(vec![
            Op::Blocking(1),
            Op::LockThread,
            Op::Sleep(1000),
            Op::UnlockThread,
        ]));
        main.extend(wg_go(vec![Op::Burn(100_000), Op::Stw]));
        main.extend(wg_go(vec![Op::NetRead(i)]));
    }
    main.extend([Op::Procs(2), Op::Gosched, Op::Procs(4)]);
    main.extend((0..10).map(|i| Op::NetWrite(i, 1)));
    main.extend([Op::WgWait(0), add("end")]);
    main
}

#[test]
fn a_busy_program_keeps_the_invariants() {
    for deterministic in [false, true] {
        let memory = Memory::default();
        let trace = Arc::new(JsonTrace::new(Box::new(memory.clone())));
        let events: Arc<dyn EventHook> = Arc::<JsonTrace>::clone(&trace);
        let config = Config { deterministic, events: Some(events), ..procs(3) };
        let ran = run_with(config, Fake::new(&[0, 2], 1).with_pipes(10), busy());
        assert_eq!((ran.end.code, ran.log.last().unwrap().as_str()), (0, "end"), "{}", ran.text);
        let text = String::from_utf8(memory.0.lock().unwrap().clone()).unwrap();
        let summary = check(&text);
        assert!(summary.broken.is_empty(), "{:#?}", &summary.broken[..summary.broken.len().min(5)]);
        assert_eq!((summary.created, summary.ended), (71, 70));
        assert!(stats_json(&ran.runtime.stats()).contains("\"go.created\":71"));
    }
}

#[test]
fn the_checker_finds_a_double_start() {
    let lines = r#"{"n":0,"m":0,"p":-1,"g":0,"ev":"go.create","new":1}
{"n":1,"m":0,"p":0,"g":0,"ev":"p.start"}
{"n":2,"m":0,"p":0,"g":1,"ev":"go.start"}
{"n":3,"m":1,"p":0,"g":1,"ev":"go.start"}"#;
    assert_eq!(check(lines).broken.len(), 2);
}

#[test]
fn schedtrace_has_gos_format() {
    let config = Config { schedtrace_ms: Some(2), ..procs(2) };
    let ran = run_with(config, Fake::new(&[], 0), vec![Op::Sleep(20_000_000)]);
    let line = ran.text.lines().next().unwrap();
    assert!(line.starts_with("SCHED 0ms: gomaxprocs=2 idleprocs="), "{line}");
    assert!(line.contains(" spinningthreads=") && line.contains(" needspinning="), "{line}");
    assert!(line.contains(" runqueue=0 [ 0 0 ] schedticks=[ "), "{line}");
    assert!(ran.text.lines().count() >= 3);
    let config = Config { schedtrace_ms: Some(2), scheddetail: true, ..procs(1) };
    let ran = run_with(config, Fake::new(&[], 0), vec![Op::Sleep(10_000_000)]);
    assert!(ran.text.contains("  P0: status="), "{}", ran.text);
    assert!(ran.text.contains("  G1: status=4(sleep) m=nil lockedm=nil\n"), "{}", ran.text);
    assert!(ran.text.contains("gcwaiting=false nmidlelocked=0 stopwait=0 sysmonwait=false\n"));
}
