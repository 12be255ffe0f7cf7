//! What a program says in a trace (package runtime/trace), and traces that it starts itself.

use crate::run::{int, plain, traced};

const MARKS: &str = r#"
import (
	"context"
	"runtime/trace"
	"sync"
)

func main() {
	ctx, task := trace.NewTask(context.Background(), "job")
	inner, part := trace.NewTask(ctx, "part")
	var wg sync.WaitGroup
	wg.Go(func() {
		defer trace.StartRegion(inner, "region").End()
		trace.Logf(inner, "kind", "%d things", 3)
	})
	wg.Wait()
	part.End()
	task.End()
	if !trace.IsEnabled() {
		panic("there is a trace")
	}
}
"#;

#[test]
fn a_program_s_marks_stand_in_the_trace() {
    let ran = traced(&["--procs", "1"], MARKS);
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    let marks: Vec<String> = ran
        .events
        .iter()
        .filter(|e| e["ev"].as_str().is_some_and(|ev| ev.starts_with("user.")))
        .map(|e| {
            let (id, parent) = (int(e, "id"), int(e, "parent"));
            format!("{} {id} {parent} {} {} g{}", e["ev"], e["category"], e["text"], int(e, "g"))
                .replace('"', "")
        })
        .collect();
    let want = [
        "user.task.begin 1 0  job g1",
        "user.task.begin 2 1  part g1",
        "user.region.begin 2 0  region g2",
        "user.log 2 0 kind 3 things g2",
        "user.region.end 2 0  region g2",
        "user.task.end 2 0   g1",
        "user.task.end 1 0   g1",
    ];
    assert_eq!(marks, want);
}

/// (Not for one stepped thread, which a blocking call stops.) Starts a trace while goroutines run, wait, sleep and are in a call, and prints it.
const STARTED: &str = r#"
import (
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"syscall"
	"time"
)

func main() {
	var wg sync.WaitGroup
	var pipe [2]int
	syscall.Pipe(pipe[:])
	gate := make(chan int)
	wg.Go(func() { syscall.Read(pipe[0], make([]byte, 1)) })
	wg.Go(func() { time.Sleep(20 * time.Millisecond) })
	for range 4 {
		wg.Go(func() {
			<-gate
			for range 300000 {
			}
			runtime.Gosched()
		})
	}
	for range 100000 {
	}
	runtime.Gosched()
	trace.Start(os.Stdout)
	close(gate)
	syscall.Write(pipe[1], []byte{1})
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	wg.Wait()
	trace.Stop()
}
"#;

#[test]
fn a_trace_that_begins_late_keeps_the_invariants() {
    for flags in [&["--procs", "1"][..], &["--procs", "2"], &["--procs", "4"]] {
        let (out, err, status) = plain(flags, STARTED);
        assert_eq!(status, Some(0), "{flags:?}: {err}");
        let summary = gmpl::trace::check(&out);
        assert!(
            summary.broken.is_empty(),
            "{flags:?}: {:#?}",
            &summary.broken[..summary.broken.len().min(5)]
        );
        let lines: Vec<serde_json::Value> =
            out.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
        let states: Vec<i64> =
            lines.iter().filter(|e| e["ev"] == "go.status").map(|e| int(e, "state")).collect();
        assert!(states.len() >= 4 && states.contains(&2), "{flags:?}: {states:?}");
        // On one P all have come to their gate by then.
        assert!(flags[1] != "1" || states.contains(&4), "{flags:?}: {states:?}");
        // What began before it is not said to have taken longer than the trace.
        let (first, last) = (int(&lines[0], "t"), int(&lines[lines.len() - 1], "t"));
        let ran = lines.iter().filter(|e| e["ev"] == "go.stop").map(|e| int(e, "ran_ns"));
        assert!(ran.max().is_none_or(|ns| ns <= last - first), "{flags:?}");
    }
}
