//! Traces of busy programs keep the scheduler's invariants; schedtrace has Go's format.

use crate::fake::*;
use gmpl::sched::{Config, EventHook, Runtime, Sink};
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
        trace.finish().unwrap();
        let text = String::from_utf8(memory.0.lock().unwrap().clone()).unwrap();
        let summary = check(&text);
        assert!(summary.broken.is_empty(), "{:#?}", &summary.broken[..summary.broken.len().min(5)]);
        assert_eq!((summary.created, summary.ended), (71, 70));
        assert!(stats_json(&ran.runtime, &[]).contains("\"go.created\":71"));
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

/// Ends the wait of a program once schedtrace has printed `left` traces more with what is wanted: no clock of the test's own.
struct Enough {
    kept: Mutex<String>,
    want: &'static str,
    left: Mutex<usize>,
    wake: Mutex<std::os::unix::net::UnixStream>,
}

impl Sink for Enough {
    fn write(&self, text: &str) {
        self.kept.lock().unwrap().push_str(text);
        let mut left = self.left.lock().unwrap();
        if text.contains(self.want) && *left > 0 {
            *left -= 1;
            if *left == 0 {
                self.wake.lock().unwrap().write_all(&[1]).unwrap();
            }
        }
    }
}

/// What schedtrace prints while main waits for a pipe, until the text was seen three times.
fn schedtrace(procs: u32, scheddetail: bool, want: &'static str) -> String {
    schedtrace_of(vec![], procs, scheddetail, want)
}

/// The same after main has done something.
fn schedtrace_of(mut ops: Vec<Op>, procs: u32, scheddetail: bool, want: &'static str) -> String {
    ops.push(Op::NetRead(0));
    let fake = Fake::new(&[], 0).with_pipes(1);
    let wake = Mutex::new(fake.pipes[0].writer.try_clone().unwrap());
    let sink = Arc::new(Enough { kept: Mutex::default(), want, left: Mutex::new(3), wake });
    let config = Config {
        schedtrace_ms: Some(2),
        scheddetail,
        sink: Arc::<Enough>::clone(&sink),
        procs,
        ..Config::default()
    };
    let runtime = Runtime::new(config, fake);
    let end = runtime.run_main(|co| co.ops = ops.into());
    assert_eq!(end.code, 0);
    drop(runtime);
    std::mem::take(&mut *sink.kept.lock().unwrap())
}

#[test]
fn schedtrace_has_gos_format() {
    // The first line may be printed before main has started.
    let text = schedtrace(2, false, " runqueue=0 [ 0 0 ] schedticks=[ 1 0 ]\n");
    let line = text.lines().next().unwrap();
    assert!(line.starts_with("SCHED 0ms: gomaxprocs=2 idleprocs="), "{line}");
    assert!(line.contains(" spinningthreads=") && line.contains(" needspinning="), "{line}");
    let text = schedtrace(1, true, "  G1: status=4(IO wait) m=nil lockedm=nil\n");
    assert!(text.contains("  P0: status="), "{text}");
    assert!(
        text.contains("gcwaiting=false nmidlelocked=0 stopwait=0 sysmonwait=false\n"),
        "{text}"
    );
}

#[test]
fn schedtrace_counts_dead_goroutines() {
    let ops = vec![go(vec![]), go(vec![]), go(vec![]), Op::Gosched];
    let text = schedtrace_of(ops, 1, true, " gfreecnt=3 ");
    assert!(!text.contains(" gfreecnt=4 "), "{text}");
}

#[test]
fn the_checker_finds_what_is_broken() {
    let create = r#"{"ev":"go.create","new":1}"#;
    let run = r#"{"ev":"go.create","new":1}
{"ev":"p.start","m":0,"p":0}
{"ev":"go.start","m":0,"p":0,"g":1,"tick":2}"#;
    for (before, line) in [
        (create, r#"{"ev":"go.create","new":1}"#),
        (create, r#"{"ev":"go.unblock","who":1}"#),
        (create, r#"{"ev":"go.start","m":0,"p":0,"g":1}"#),
        (run, r#"{"ev":"p.start","m":1,"p":0}"#),
        (run, r#"{"ev":"p.stop","m":1,"p":1}"#),
        (run, r#"{"ev":"p.resize","old":1,"new":2}"#),
        (run, r#"{"ev":"glob.get","k":1,"glen":0}"#),
        (run, r#"{"ev":"glob.put","k":1,"glen":2}"#),
        (run, r#"{"ev":"np.poll","m":0,"block":true}"#),
        (run, r#"{"ev":"stw.stopped"}"#),
        (run, r#"{"ev":"stw.end"}"#),
        (run, r#"{"ev":"t.fire","late_ns":-1}"#),
        (run, r#"{"ev":"dec","of":2,"chosen":2}"#),
        (run, r#"{"ev":"go.sysexit","g":1,"how":"kept"}"#),
        (run, "no json"),
    ] {
        assert_eq!(check(before).broken, Vec::<String>::new());
        assert_ne!(check(&format!("{before}\n{line}")).broken, Vec::<String>::new(), "{line}");
    }
    let two = format!("{run}\n{}\n{}", r#"{"ev":"go.create","new":2}"#, "");
    let stopped = r#"{"ev":"stw.begin","m":0}
{"ev":"stw.stopped","m":0}
{"ev":"go.start","m":0,"p":0,"g":2,"tick":2}"#;
    // It starts in a stopped world, and the thread runs another one.
    assert_eq!(
        check(&format!("{}{stopped}", two.trim_end_matches('\n').to_owned() + "\n")).broken.len(),
        2
    );
    let polled = r#"{"ev":"m.park","m":0,"why":"poll"}
{"ev":"m.park","m":1,"why":"poll"}"#;
    assert_eq!(check(polled).broken.len(), 1);
    let wrong = r#"{"ev":"go.block","m":0,"p":0,"g":1,"obj":7}
{"ev":"go.unblock","who":1,"obj":8}"#;
    assert_eq!(check(&format!("{run}\n{wrong}")).broken.len(), 1);
    let round = r#"{"ev":"p.start","m":0,"p":0}
{"ev":"go.start","m":0,"p":0,"g":1,"tick":61,"from":"global61"}"#;
    assert_eq!(check(&format!("{create}\n{round}")).broken.len(), 1);
}
