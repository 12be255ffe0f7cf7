//! Rows D: where the next goroutine comes from, with threads.

use crate::run::{int, traced};

#[test]
fn d2_every_61st_round_takes_one_from_the_global_queue() {
    let ran = traced(
        &["--procs", "1"],
        r#"
import "sync"

func main() {
	var wg sync.WaitGroup
	for range 600 {
		wg.Go(func() {})
	}
	wg.Wait()
}
"#,
    );
    let gets: Vec<i64> =
        ran.all("glob.get").filter(|e| e["why"] == "61").map(|e| int(e, "k")).collect();
    // Main's own start was a 61st round (the 0th), too.
    assert!(gets.len() >= 4 && gets.iter().all(|k| *k == 1), "{gets:?}");
    assert_eq!(ran.stat("glob.get.61"), gets.len() as u64);
    // The checker has seen that each start from there was a 61st round.
    assert_eq!(ran.count("go.start", |e| e["from"] == "global61"), gets.len());
}

#[test]
fn d3_an_empty_p_takes_its_share_of_the_global_queue() {
    let body = r#"
import ("runtime"; "sync")

func main() {
	var wg sync.WaitGroup
	for range 300 {
		wg.Go(func() { runtime.Gosched() })
	}
	wg.Wait()
}
"#;
    let ran = traced(&["--procs", "1"], body);
    let share = ran
        .all("glob.get")
        .filter(|e| e["why"] == "empty")
        .map(|e| (int(e, "k"), int(e, "k") + int(e, "glen")))
        .max_by_key(|(_, before)| *before)
        .expect("a batch");
    assert_eq!(share.0, 128, "{share:?}");
    for e in ran.all("glob.get").filter(|e| e["why"] == "empty") {
        let before = int(e, "k") + int(e, "glen");
        assert_eq!(int(e, "k"), before.min(128), "{e}");
    }
}

#[test]
fn d5_runnext_is_stolen_from_a_p_that_does_not_come_to_it() {
    let ran = traced(
        &["--procs", "2"],
        r#"
import "sync/atomic"

func main() {
	var ran atomic.Bool
	for range 20 {
		ran.Store(false)
		go func() { ran.Store(true) }()
		for !ran.Load() {
		}
	}
}
"#,
    );
    assert!(ran.count("steal.ok", |e| e["runnext"] == true) > 0);
    assert!(ran.stat("runnext.stolen") > 0);
}

#[test]
fn d8_threads_are_kept_and_used_again() {
    let ran = traced(
        &["--procs", "2"],
        r#"
import ("sync"; "time")

func main() {
	var wg sync.WaitGroup
	for range 50 {
		for range 4 {
			wg.Go(func() {
				for i := 0; i < 10000; i++ {
				}
			})
		}
		wg.Wait()
		time.Sleep(100 * time.Microsecond)
	}
}
"#,
    );
    assert!(ran.stat("m.new") <= 2 + 1, "{}", ran.stats);
    assert!(ran.stat("m.park") + ran.stat("np.poll.block") > 10, "{}", ran.stats);
    assert!(ran.stat("m.max") <= 3);
}

#[test]
fn d11_the_p_is_kept_when_a_goroutine_ends() {
    let ran = traced(
        &["--procs", "1"],
        r#"
import "sync"

func main() {
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {})
	}
	wg.Wait()
}
"#,
    );
    let ends: Vec<usize> =
        (0..ran.events.len()).filter(|i| ran.events[*i]["ev"] == "go.end").collect();
    assert_eq!(ends.len(), 50);
    for end in ends {
        let start = ran.find(end, "go.start", |_| true).expect("somebody waits");
        assert!(ran.find(end, "p.stop", |_| true).is_none_or(|stop| stop > start));
    }
}
