//! Rows A and B: the parts, and the states of goroutines.

use crate::run::{int, plain, traced};
use std::collections::{BTreeMap, BTreeSet};

const BUSY: &str = r#"
import "sync"

func main() {
	var wg sync.WaitGroup
	for range 64 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 200000; i++ {
			}
		}()
	}
	wg.Wait()
}
"#;

/// How many goroutines a trace shows running at once, at most.
fn at_once(ran: &crate::run::Ran) -> usize {
    let mut running = BTreeSet::new();
    let mut most = 0;
    for e in &ran.events {
        match e["ev"].as_str().unwrap_or("") {
            "go.start" => {
                running.insert(int(e, "g"));
            }
            "go.stop" | "go.block" | "go.end" | "go.sysenter" => {
                running.remove(&int(e, "g"));
            }
            _ => {}
        }
        most = most.max(running.len());
    }
    most
}

#[test]
fn a1_as_many_run_at_once_as_there_are_ps() {
    assert_eq!(at_once(&traced(&["--procs", "1"], BUSY)), 1);
    assert_eq!(at_once(&traced(&["--procs", "2"], BUSY)), 2);
    assert!(at_once(&traced(&["--procs", "4"], BUSY)) <= 4);
}

#[test]
fn a3_a_resize_happens_in_a_stopped_world_and_loses_nobody() {
    let ran = traced(
        &["--procs", "4"],
        r#"
import ("runtime"; "sync")

func main() {
	var wg sync.WaitGroup
	for range 100 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 100000; i++ {
			}
		}()
	}
	println(runtime.GOMAXPROCS(1), runtime.GOMAXPROCS(3), runtime.GOMAXPROCS(0))
	wg.Wait()
	for runtime.NumGoroutine() > 1 {
		runtime.Gosched()
	}
}
"#,
    );
    assert!(ran.err.starts_with("4 1 3\n"), "{}", ran.err);
    let sizes: Vec<(i64, i64)> =
        ran.all("p.resize").map(|e| (int(e, "old"), int(e, "new"))).collect();
    assert_eq!(sizes, [(0, 4), (4, 1), (1, 3)]);
    // (The checker has seen that each but the first happened while the world was stopped.)
    assert_eq!(ran.count("stw.begin", |e| e["reason"] == "GOMAXPROCS"), 2);
    assert_eq!(ran.stat("go.ended"), 100);
}

#[test]
fn a8_threads_are_made_on_demand() {
    let ran = traced(&["--procs", "64"], "func main() { println(\"hello\") }");
    assert!(ran.stat("m.new") <= 4, "{}", ran.stat("m.new"));
}

/// A goroutine in a read that blocks, and main which goes on.
pub(crate) const BLOCKED_READ: &str = r#"
import ("runtime"; "syscall")

func main() {
	var p [2]int
	syscall.Pipe(p[:])
	done := make(chan int)
	go func() {
		b := make([]byte, 1)
		n, _ := syscall.Read(p[0], b)
		done <- n
	}()
	runtime.Gosched()
	for i := 0; i < 300000; i++ {
	}
	syscall.Write(p[1], []byte{1})
	println("read", <-done)
}
"#;

#[test]
fn a9_a_p_goes_from_one_thread_to_another() {
    let ran = traced(&["--procs", "1"], BLOCKED_READ);
    assert!(ran.err.starts_with("read 1\n"), "{}", ran.err);
    let first = ran.find(0, "p.start", |_| true).expect("a start");
    let m = int(&ran.events[first], "m");
    let lost = ran
        .find(first, "p.steal", |_| true)
        .or_else(|| ran.find(first, "p.stop", |e| e["why"] == "handoff"))
        .expect("the thread loses it");
    ran.find(lost, "p.start", |e| int(e, "p") == 0 && int(e, "m") != m).expect("another gets it");
}

#[test]
fn a10_records_are_reused() {
    let ran = traced(
        &["--procs", "1"],
        r#"
func main() {
	c := make(chan int)
	for range 1000 {
		go func() { c <- 1 }()
		<-c
	}
}
"#,
    );
    assert!(ran.stat("g.new") <= 10, "{}", ran.stat("g.new"));
    assert!(ran.stat("g.reuse") >= 990, "{}", ran.stat("g.reuse"));
    assert_eq!(ran.count("g.reuse", |_| true) as u64, ran.stat("g.reuse"));
}

#[test]
fn a13_allocation_takes_no_shared_lock_on_its_fast_path() {
    let (_, err, _) = plain(
        &["--procs", "2", "--sched-stats"],
        r#"
import "sync"

type node struct{ a, b *node }

func main() {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			var keep *node
			for range 200000 {
				keep = &node{keep, nil}
				keep.a = nil
			}
		})
	}
	wg.Wait()
}
"#,
    );
    let stats: serde_json::Value =
        serde_json::from_str(err.lines().last().expect("a line")).expect("JSON");
    let slow = stats["alloc.slow"].as_u64().expect("a counter");
    assert!(slow > 0 && slow < 400_000 / 20, "{slow}");
}

#[test]
fn b4_the_ways_out_of_a_system_call() {
    let short = traced(
        &["--procs", "2"],
        r#"
import "syscall"

func main() {
	for range 2000 {
		syscall.Write(1, nil)
	}
}
"#,
    );
    let enters = short.stat("sys.enter");
    assert!(enters >= 2000 && short.stat("sys.kept") > enters * 9 / 10, "{}", short.stats);
    let long = traced(&["--procs", "1"], BLOCKED_READ);
    let ways: BTreeSet<&str> =
        long.all("go.sysexit").map(|e| e["how"].as_str().expect("a word")).collect();
    assert!(ways.contains("global") || ways.contains("idlep"), "{ways:?}");
    let sum: u64 =
        ["sys.kept", "sys.oldp", "sys.idlep", "sys.global"].iter().map(|k| long.stat(k)).sum();
    assert_eq!(sum, long.stat("sys.enter"));
}

#[test]
fn b7_waiting_and_being_runnable_are_measured() {
    let ran = traced(
        &["--procs", "1"],
        r#"
import ("sync"; "time")

func main() {
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for i := 0; i < 20000000; i++ {
			}
		})
	}
	time.Sleep(5 * time.Millisecond)
	wg.Wait()
}
"#,
    );
    assert!(
        ran.stats["blocked_ns"]["sleep"].as_u64().expect("slept") >= 5_000_000,
        "{}",
        ran.stats
    );
    assert!(ran.stats["blocked_ns"]["sync.WaitGroup.Wait"].as_u64().expect("waited") > 0);
    // Three that spin on one P: each waits for the slices of the others.
    let longest = ran.all("go.start").map(|e| int(e, "wait_ns")).max().expect("a start");
    assert!(longest >= 1_000_000, "{longest}");
    assert!(!ran.stats["latency_us"].as_object().expect("classes").is_empty());
    assert!(ran.stat("slice.max_ns") >= 1_000_000 && ran.stat("run.max_ns") >= 1_000_000);
}

#[test]
fn every_counter_of_a_busy_program_counts() {
    let ran = traced(&["--procs", "2"], include_str!("busy.go"));
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    // Those of rare ways, which a run need not take, are shown by tests of their own.
    const RARE: &[&str] = &[
        "retake",
        "sys.oldp",
        "sys.idlep",
        "sys.global",
        "preempt.req",
        "glob.get.recheck",
        "runnext.stolen",
        "handoff",
        "steal.ok",
        "steal.gs",
        "np.poll.nonblock",
        "spin.found",
        "dead.check",
    ];
    let zero: Vec<&String> = ran
        .stats
        .as_object()
        .expect("an object")
        .iter()
        .filter(|(name, value)| value.as_u64() == Some(0) && !RARE.contains(&name.as_str()))
        .map(|(name, _)| name)
        .collect();
    assert!(zero.is_empty(), "{zero:?}");
}

#[test]
fn every_event_has_its_fields() {
    let ran = traced(&["--procs", "2"], include_str!("busy.go"));
    let fields: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("go.create", &["new", "fn", "file", "line", "q"][..]),
        ("go.start", &["from", "inherit", "wait_ns", "tick"]),
        ("go.stop", &["reason", "ran_ns", "fuel", "q"]),
        ("go.block", &["reason", "go", "obj", "file", "line"]),
        ("go.unblock", &["who", "obj", "q"]),
        ("go.end", &["why"]),
        ("go.sysenter", &["name", "kind"]),
        ("go.sysexit", &["how", "in_ns"]),
        ("runq.kick", &["who"]),
        ("runq.overflow", &["k", "glen"]),
        ("glob.put", &["k", "glen", "why"]),
        ("glob.get", &["k", "glen", "why"]),
        ("m.new", &["new"]),
        ("m.park", &["why"]),
        ("m.unpark", &["by_m"]),
        ("spin.begin", &["nspin"]),
        ("spin.end", &["found", "nspin"]),
        ("np.poll", &["block", "until", "events", "ready"]),
        ("np.open", &["fd"]),
        ("np.close", &["fd"]),
        ("np.ready", &["fd", "mode", "who"]),
        ("t.add", &["id", "kind", "when", "period"]),
        ("t.fire", &["id", "kind", "when", "late_ns", "victim_p"]),
        ("t.stop", &["id", "pending"]),
        ("preempt.hit", &["by", "ran_ns", "fuel", "delay_ns"]),
        ("sysmon.tick", &["delay_us", "idle"]),
        ("ch.op", &["ch", "op", "way", "woke"]),
        ("sel.pick", &["cases", "ready", "chosen"]),
        ("lock.wait", &["obj", "reason"]),
        ("lock.got", &["obj", "wait_ns", "handoff"]),
        ("stk.grow", &["who", "old", "new"]),
        ("stk.shrink", &["who", "old", "new"]),
        ("stw.begin", &["reason"]),
        ("stw.stopped", &["stop_ns"]),
        ("stw.end", &["total_ns"]),
        ("gc.begin", &["cycle", "trigger"]),
        ("gc.end", &["cycle", "live", "freed", "goal"]),
        ("dec", &["kind", "of", "chosen"]),
    ]);
    for (name, keys) in fields {
        let event = ran.all(name).next().unwrap_or_else(|| panic!("no {name}"));
        for key in keys.iter().chain(&["n", "t", "m", "p", "g"]) {
            assert!(event.get(key).is_some(), "{name} has no {key}: {event}");
        }
    }
    let made = ran.all("go.create").find(|e| e["fn"] == "main.reader").expect("the reader");
    assert!(made["file"].as_str().expect("a file").ends_with("p.go"), "{made}");
    assert_eq!(int(made, "line"), 32, "{made}");
}

/// Narrows the affinity mask of this thread, which its children inherit, to one CPU that it may use.
fn only_one_cpu() {
    let status = std::fs::read_to_string("/proc/thread-self/status").expect("readable");
    let list = status.lines().find_map(|l| l.strip_prefix("Cpus_allowed_list:")).expect("a list");
    let first: usize =
        list.trim().split(['-', ',']).next().expect("one").parse().expect("a number");
    let mut mask = [0u8; 128];
    mask[first / 8] = 1 << (first % 8);
    #[expect(unsafe_code, reason = "a thread of this test narrows its own mask")]
    // SAFETY: only a system call on a local variable.
    let result = unsafe { libc::sched_setaffinity(0, mask.len(), mask.as_ptr().cast()) };
    assert_eq!(result, 0);
}

#[test]
fn a4_the_default_is_the_affinity_mask() {
    let narrowed = std::thread::spawn(|| {
        only_one_cpu();
        let body = "import \"runtime\"\n\nfunc main() { println(runtime.GOMAXPROCS(0), runtime.NumCPU()) }";
        traced(&[], body)
    });
    let ran = narrowed.join().expect("it ran");
    assert!(ran.err.starts_with("1 1\n"), "{}", ran.err);
}
