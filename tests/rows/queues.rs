//! Rows C: making goroutines and where they stand in line.

use crate::run::{int, plain, traced};

fn spawn(n: usize) -> String {
    format!(
        r#"
import "sync"

func main() {{
	var wg sync.WaitGroup
	for range {n} {{
		wg.Add(1)
		go func() {{ wg.Done() }}()
	}}
	wg.Wait()
}}
"#
    )
}

#[test]
fn c1_a_new_goroutine_goes_to_runnext_and_kicks_the_one_before() {
    let ran = traced(&["--procs", "1"], &spawn(10));
    assert_eq!(ran.count("go.create", |e| e["q"] == "runnext"), 10);
    let kicked: Vec<i64> = ran.all("runq.kick").map(|e| int(e, "who")).collect();
    // Main comes back to runnext while the last one runs.
    assert_eq!(kicked, (2..=10).collect::<Vec<_>>());
}

#[test]
fn c3_an_overflow_moves_the_oldest_half_and_the_new_one() {
    for (n, times) in [(257, 0), (258, 1), (300, 1), (600, 3)] {
        let ran = traced(&["--procs", "1"], &spawn(n));
        assert_eq!(ran.count("runq.overflow", |e| int(e, "k") == 129), times, "{n}");
        assert_eq!(ran.stat("runq.overflow"), times as u64);
        assert_eq!(ran.stat("runq.overflow_gs"), 129 * times as u64);
    }
}

#[test]
fn c5_the_global_lock_is_taken_for_batches() {
    let ran = traced(&["--procs", "1"], &spawn(600));
    let moved = ran.stat("runq.overflow_gs");
    let events = ran.count("glob.put", |_| true) + ran.count("glob.get", |_| true);
    assert!(moved == 387 && ran.stat("glob.lock") <= 20, "{moved} {}", ran.stats);
    assert!(events as u64 <= ran.stat("glob.lock"));
}

#[test]
fn c7_a_new_goroutine_wakes_a_p_which_steals_it() {
    let ran = traced(
        &["--procs", "2"],
        r#"
import "sync/atomic"

func main() {
	var seen atomic.Bool
	go func() { seen.Store(true) }()
	for !seen.Load() {
	}
}
"#,
    );
    let made = ran.find(0, "go.create", |e| int(e, "new") == 2).expect("made");
    let begun = ran.find(made, "go.start", |e| int(e, "g") == 2).expect("started");
    let woken = ran
        .find(made, "m.unpark", |_| true)
        .or_else(|| ran.find(made, "m.new", |_| true))
        .expect("a thread");
    // Main's own slice may end first on a slow machine; then it comes by itself.
    let ways = [
        ran.find(woken, "steal.ok", |e| e["runnext"] == true),
        ran.find(woken, "glob.get", |_| true),
        ran.find(woken, "preempt.hit", |_| true),
    ];
    let how = ways.into_iter().flatten().min().expect("it was found");
    assert!(made < woken && woken < begun && how < begun, "{made} {woken} {how} {begun}");
}

#[test]
fn c9_who_used_up_its_slice_goes_to_the_global_queue() {
    let ran = traced(
        &["--procs", "1"],
        r#"
import "sync"

func main() {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := 0; i < 30000000; i++ {
			}
		})
	}
	wg.Wait()
}
"#,
    );
    let hit = ran.find(0, "preempt.hit", |e| e["by"] == "budget").expect("a slice is over");
    let g = int(&ran.events[hit], "g");
    let stop = ran.find(hit, "go.stop", |e| e["reason"] == "preempt").expect("it stops");
    assert_eq!(int(&ran.events[stop], "g"), g);
    assert_eq!(ran.events[stop]["q"], "global");
    assert!(int(&ran.events[stop], "fuel") > 0 && int(&ran.events[stop], "ran_ns") > 0);
    let put = ran.find(stop, "glob.put", |e| e["why"] == "preempt").expect("it is queued");
    assert_eq!(put, stop + 1);
}

#[test]
fn c11_a_hundred_thousand_goroutines() {
    let (out, err, status) = plain(
        &[],
        r#"
import ("fmt"; "runtime"; "sync")

func main() {
	var wg sync.WaitGroup
	stop := make(chan int)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100000 {
		wg.Go(func() { <-stop })
	}
	for runtime.NumGoroutine() < 100001 {
		runtime.Gosched()
	}
	runtime.ReadMemStats(&after)
	each := (after.StackInuse + after.HeapInuse - before.StackInuse - before.HeapInuse) / 100000
	fmt.Println(runtime.NumGoroutine(), each < 4096)
	close(stop)
	wg.Wait()
	for runtime.NumGoroutine() > 1 {
		runtime.Gosched()
	}
	fmt.Println(runtime.NumGoroutine())
}
"#,
    );
    assert_eq!((out.as_str(), status), ("100001 true\n1\n", Some(0)), "{err}");
}

#[test]
fn f11_without_local_queues() {
    let body = r#"
import ("fmt"; "sync")

func main() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	sum := 0
	c := make(chan int)
	for i := range 1000 {
		wg.Go(func() { mu.Lock(); sum += i; mu.Unlock() })
	}
	wg.Wait()
	go func() { for i := range 100 { c <- i }; close(c) }()
	for v := range c {
		sum += v
	}
	fmt.Println(sum)
}
"#;
    let [local, global] =
        ["local", "global"].map(|q| traced(&["--procs", "2", "--queues", q], body));
    assert_eq!((local.out.as_str(), global.out.as_str()), ("504450\n", "504450\n"));
    assert!(global.stat("glob.lock") > 10 * local.stat("glob.lock"), "{}", global.stats);
    assert_eq!(global.stat("local.put"), 0);
    assert_eq!(global.count("go.start", |e| e["from"] == "runnext" || e["from"] == "local"), 0);
}
