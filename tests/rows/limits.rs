//! Rows F and G: slices, collections, stacks, sysmon.

use crate::run::{int, plain, probe, traced};

#[test]
fn f1_a_slice_ends_and_runnext_inherits_it() {
    // Two that wake each other share one slice, so a third gets its turn.
    let ran = traced(
        &["--procs", "1"],
        r#"
import "sync/atomic"

func main() {
	a, b := make(chan int), make(chan int)
	var stop atomic.Bool
	go func() {
		for v := range a {
			b <- v
		}
	}()
	third := make(chan int)
	go func() {
		for i := 0; i < 1000; i++ {
		}
		stop.Store(true)
		close(third)
	}()
	n := 0
	for !stop.Load() {
		a <- n
		n = <-b + 1
	}
	<-third
}
"#,
    );
    assert_eq!(ran.status, Some(0));
    assert!(ran.count("go.start", |e| e["inherit"] == true) > 0);
    // One that spins is stopped at the end of each slice while somebody waits.
    let (out, err, status) = probe("s_preempt_one");
    assert!(out.starts_with("slice of one spinning G: min") && status == Some(0), "{out}{err}");
}

#[test]
fn f5_collections_are_told_with_their_reason() {
    let ran = traced(
        &["--procs", "2"],
        r#"
import ("fmt"; "runtime")

var keep []byte

func main() {
	for range 2000 {
		keep = make([]byte, 100000)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	fmt.Println(m.NumGC > 1, m.HeapAlloc < 20_000_000)
}
"#,
    );
    assert_eq!(ran.out, "true true\n");
    let triggers: Vec<&str> =
        ran.all("gc.begin").map(|e| e["trigger"].as_str().expect("a word")).collect();
    assert!(triggers.contains(&"heap") && triggers.last() == Some(&"forced"), "{triggers:?}");
    assert_eq!(triggers.len() as u64, ran.stat("gc.n"));
    for e in ran.all("gc.end") {
        assert!(int(e, "goal") > int(e, "live"), "{e}");
    }
    assert!(ran.all("gc.end").any(|e| int(e, "freed") > 1_000_000));
}

#[test]
fn f6_f7_stacks_double_and_shrink() {
    let ran = traced(
        &["--procs", "1"],
        r#"
import ("fmt"; "runtime")

func deep(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + deep(n-1)
}

func main() {
	c := make(chan int)
	go func() {
		c <- deep(100000)
		<-c
	}()
	n := <-c
	for range 8 {
		runtime.GC()
	}
	fmt.Println(n)
}
"#,
    );
    assert_eq!(ran.out, "100000\n");
    let grown: Vec<(i64, i64)> = ran
        .all("stk.grow")
        .filter(|e| int(e, "who") == 2)
        .map(|e| (int(e, "old"), int(e, "new")))
        .collect();
    assert!(grown.len() > 10 && grown.iter().all(|(old, new)| *new == 2 * old), "{grown:?}");
    assert!(grown.iter().all(|(_, new)| new.count_ones() == 1));
    let shrunk: Vec<(i64, i64)> =
        ran.all("stk.shrink").map(|e| (int(e, "old"), int(e, "new"))).collect();
    assert!(shrunk.len() >= 2 && shrunk.iter().all(|(old, new)| *old == 2 * new), "{shrunk:?}");
    let (most, last) = (grown.last().expect("grown").1, shrunk.last().expect("shrunk").1);
    assert!(last * 4 <= most, "{most} {last}");
    assert!(ran.stat("stk.inuse_max") >= most as u64);
}

#[test]
fn f8_the_limit_of_a_stack_is_a_thousand_million_bytes() {
    let (_, err, status) = plain(
        &[],
        "import \"runtime/debug\"\n\nfunc main() { println(debug.SetMaxStack(1000), debug.SetMaxStack(1)) }",
    );
    assert_eq!((err.as_str(), status), ("1000000000 1000\n", Some(0)));
}

#[test]
fn f9_a_round_trip_allocates_nothing_and_takes_no_global_lock() {
    let ran = plain(
        &["--procs", "1", "--sched-stats"],
        r#"
func main() {
	a, b := make(chan int), make(chan int)
	go func() {
		for v := range a {
			b <- v
		}
	}()
	for i := range 200000 {
		a <- i
		<-b
	}
}
"#,
    );
    let stats: serde_json::Value =
        serde_json::from_str(ran.1.lines().last().expect("a line")).expect("JSON");
    let stat = |name: &str| stats[name].as_u64().expect("a counter");
    assert_eq!(stat("chan.direct"), 400_000);
    // A slice ends now and then; nothing else comes by the global queue.
    assert!(stat("glob.lock") < 4_000 && stat("alloc.slow") < 100, "{stats}");
    assert_eq!(stat("g.new"), 1);
}

#[test]
fn g1_sysmon_slows_down_and_sleeps_while_all_is_idle() {
    let ran = traced(
        &["--procs", "1"],
        r#"
import "time"

func main() {
	for i := 0; i < 100000000; i++ {
	}
	time.Sleep(300 * time.Millisecond)
}
"#,
    );
    let delays: Vec<i64> = ran.all("sysmon.tick").map(|e| int(e, "delay_us")).collect();
    assert!(delays.contains(&20) && delays.iter().any(|d| *d > 1000), "{delays:?}");
    assert!(delays.iter().all(|d| (20..=10_000).contains(d)));
    // From the last thing that main does until its timer fires there is no look.
    let asleep = ran.find(0, "go.block", |e| e["reason"] == "sleep").expect("main sleeps");
    let awake = ran.find(asleep, "t.fire", |_| true).expect("main wakes");
    let looks = ran.events[asleep..awake].iter().filter(|e| e["ev"] == "sysmon.tick").count();
    assert!(looks <= 1, "{looks}");
}
