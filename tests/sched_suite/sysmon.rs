//! What sysmon does, each told by an event.

use crate::fake::*;
use gmpl::sched::{Config, Ev, EventHook, Stamp, Stat};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// The names of events, by their variant.
#[derive(Debug, Default)]
struct Names(Mutex<Vec<String>>);

impl EventHook for Names {
    fn event(&self, _stamp: Stamp, ev: &Ev<'_>) {
        let text = format!("{ev:?}");
        let name = text.split([' ', '{']).next().unwrap().to_owned();
        self.0.lock().unwrap().push(name);
    }
}

impl Names {
    fn count(&self, name: &str) -> usize {
        self.0.lock().unwrap().iter().filter(|n| *n == name).count()
    }
}

fn watched(config: Config, main: Vec<Op>) -> (Ran, Arc<Names>) {
    let names = Arc::new(Names::default());
    let events: Arc<dyn EventHook> = Arc::<Names>::clone(&names);
    let config = Config { events: Some(events), ..config };
    (run_with(config, Fake::new(&[], 1).with_pipes(1), main), names)
}

#[test]
fn a_native_that_charges_nothing_is_asked_to_stop() {
    let main = vec![go(vec![add("other")]), Op::Hog(60), Op::Burn(1_000_000), add("main")];
    let (ran, names) = watched(procs(1), main);
    assert_eq!(ran.joined(), "other main");
    assert!(names.count("PreemptReq") >= 1 && names.count("PreemptHit") >= 1);
    assert!(ran.runtime.stat(Stat::PreemptReq) >= 1);
}

#[test]
fn a_collection_is_forced_after_a_while_without_one() {
    let config = Config { force_gc_ns: 5_000_000, ..procs(1) };
    let (_, names) = watched(config, vec![Op::Hog(40)]);
    assert!(names.count("SysmonForceGc") >= 2);
    // The ordinary time is two minutes.
    let (_, names) = watched(procs(1), vec![Op::Hog(40)]);
    assert_eq!(names.count("SysmonForceGc"), 0);
    assert_eq!(Config::default().force_gc_ns, 120_000_000_000);
}

#[test]
fn a_call_that_lasts_loses_its_p_to_sysmon() {
    let main = vec![go(vec![Op::Syscall(50)]), Op::Gosched, add("on"), Op::Hog(60)];
    let (ran, names) = watched(procs(1), main);
    assert_eq!(ran.joined(), "on");
    assert!(names.count("SysmonRetake") >= 1 && names.count("PSteal") >= 1);
    assert_eq!(ran.runtime.stat(Stat::Retake), 1);
}

#[test]
fn sysmon_asks_the_poller_when_nobody_else_does() {
    let main = vec![
        Op::NetOpen(0),
        go(vec![Op::NetRead(0)]),
        Op::Gosched,
        Op::NetWrite(0, 7),
        Op::Hog(80),
        Op::Gosched,
    ];
    let (ran, names) = watched(procs(1), main);
    assert_eq!(ran.joined(), "b7");
    assert!(names.count("SysmonNetpoll") >= 1);
}

static CPUS: AtomicU32 = AtomicU32::new(2);

#[test]
fn gomaxprocs_follows_the_usable_cpus() {
    let config =
        Config { default_procs: || CPUS.load(Ordering::SeqCst), procs_follow: true, ..procs(2) };
    let change = std::thread::spawn(|| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        CPUS.store(3, Ordering::SeqCst);
    });
    let main = vec![Op::AwaitProcs(2), Op::AwaitProcs(3), add("three"), Op::Procs(3)];
    let (ran, names) = watched(config, main);
    change.join().unwrap();
    assert_eq!(ran.joined(), "three");
    assert_eq!(names.count("ProcsChange"), 2);
}

#[test]
fn a_number_set_by_hand_stays() {
    // Procs(1) is by hand, though there is one already; the usable CPUs are others all the time.
    let config = Config { default_procs: || 4, procs_follow: true, ..procs(1) };
    let main =
        vec![Op::Procs(1), Op::Hog(1300), Op::Burn(1_000_000), Op::AwaitProcs(1), add("one")];
    let (ran, names) = watched(config, main);
    assert_eq!(ran.joined(), "one");
    assert_eq!(names.count("ProcsChange"), 1);
}
