//! Rows E: calls that block, the poller, handing over.

use crate::parts::BLOCKED_READ;
use crate::run::{Folder, command, int, plain, traced};
use std::io::Write;
use std::process::Stdio;

#[test]
fn e1_e2_a_blocking_call_gives_the_p_away_and_the_trace_says_how() {
    let ran = traced(&["--procs", "1"], BLOCKED_READ);
    let enter = ran
        .find(0, "go.sysenter", |e| e["name"].as_str().is_some_and(|n| n.contains("Read")))
        .expect("the call");
    let (m, kind) = (int(&ran.events[enter], "m"), &ran.events[enter]["kind"]);
    let gone = if kind == "blocking" {
        ran.find(enter, "p.handoff", |e| e["why"] == "blocking")
    } else {
        ran.find(enter, "p.steal", |e| e["by"] == "sysmon" && int(e, "in_ns") > 0)
    };
    let gone = gone.expect("the P leaves the thread");
    let next = ran.find(gone, "go.start", |e| int(e, "m") != m).expect("another goes on");
    assert_eq!(int(&ran.events[next], "g"), 1);
    assert!(ran.stat("handoff") >= 1);
}

#[test]
fn e3_short_calls_keep_their_p() {
    let ran = traced(
        &["--procs", "2"],
        r#"
import "syscall"

func main() {
	for range 20000 {
		syscall.Write(1, nil)
	}
}
"#,
    );
    assert!(ran.stat("sys.kept") >= 19_000, "{}", ran.stats);
    assert!(ran.stat("m.max") <= 4, "{}", ran.stats);
}

/// A goroutine that comes back from a read while main spins on the only P.
const NO_P: &str = r#"
import ("runtime"; "sync/atomic"; "syscall")

func main() {
	var p [2]int
	syscall.Pipe(p[:])
	var back atomic.Bool
	go func() {
		syscall.Read(p[0], make([]byte, 1))
		back.Store(true)
	}()
	runtime.Gosched()
	syscall.Write(p[1], []byte{1})
	for !back.Load() {
	}
}
"#;

#[test]
fn e4_who_finds_no_p_after_a_call_queues_globally_and_its_thread_sleeps() {
    // Who writes may lose the P to who reads, and find it idle again: then nobody was without one. That is rare.
    let found = (0..20).find_map(|_| {
        let ran = traced(&["--procs", "1"], NO_P);
        ran.find(0, "go.sysexit", |e| e["how"] == "global").map(|exit| (ran, exit))
    });
    let (ran, exit) = found.expect("no P was free");
    let (m, g) = (int(&ran.events[exit], "m"), int(&ran.events[exit], "g"));
    ran.find(exit, "glob.put", |e| e["why"] == "sysexit").expect("it is queued");
    ran.find(exit, "m.park", |e| int(e, "m") == m).expect("its thread sleeps");
    ran.find(exit, "go.start", |e| int(e, "g") == g).expect("it goes on");
    assert!(ran.stat("sys.global") >= 1);
}

const ECHO: &str = r#"
import ("fmt"; "io"; "net"; "sync")

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(c, c); c.Close() }()
		}
	}()
	var wg sync.WaitGroup
	var mu sync.Mutex
	sum := 0
	for i := range 100 {
		wg.Go(func() {
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				panic(err)
			}
			defer c.Close()
			for range 5 {
				c.Write([]byte{byte(i)})
				b := make([]byte, 1)
				io.ReadFull(c, b)
				mu.Lock()
				sum += int(b[0])
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	l.Close()
	fmt.Println(sum)
}
"#;

#[test]
fn e5_a_hundred_connections_on_one_p_and_few_threads() {
    for procs in ["1", "4"] {
        let ran = traced(&["--procs", procs], ECHO);
        assert_eq!((ran.out.as_str(), ran.status), ("24750\n", Some(0)), "{}", ran.err);
        assert!(ran.stat("m.max") <= 12, "{}", ran.stats);
        assert!(ran.count("np.ready", |_| true) > 0 && ran.count("np.open", |_| true) >= 200);
    }
}

#[test]
fn e6_any_idle_thread_polls_and_sysmon_when_nobody_does() {
    let ran = traced(&["--procs", "2"], ECHO);
    // The checker has seen that at most one waits at a time; here: they are ordinary Ms, which also run goroutines.
    for e in ran.all("np.poll").filter(|e| e["block"] == true) {
        let m = int(e, "m");
        assert!(ran.count("go.start", |s| int(s, "m") == m) > 0, "{e}");
    }
    let spinning = traced(
        &["--procs", "1"],
        r#"
import ("net"; "sync/atomic")

func main() {
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	var accepted atomic.Bool
	go func() { l.Accept(); accepted.Store(true) }()
	go func() { net.Dial("tcp", l.Addr().String()) }()
	go func() {
		for !accepted.Load() {
		}
	}()
	for !accepted.Load() {
	}
}
"#,
    );
    assert_eq!(spinning.status, Some(0));
    assert!(
        spinning.count("sysmon.netpoll", |_| true)
            + spinning.count("np.poll", |e| e["block"] == false)
            > 0
    );
}

#[test]
fn e7_regular_files_are_not_polled() {
    let ran = traced(
        &["--procs", "2"],
        r#"
import "os"

func main() {
	f, err := os.CreateTemp("", "gmpl")
	if err != nil {
		panic(err)
	}
	defer os.Remove(f.Name())
	f.WriteString("text")
	f.Seek(0, 0)
	n, err := f.Read(make([]byte, 10))
	println(n, err == nil)
}
"#,
    );
    assert!(ran.err.starts_with("4 true\n"), "{}", ran.err);
    assert_eq!(ran.count("np.open", |_| true), 0);
    assert!(ran.count("go.sysenter", |e| e["name"] == "os.(*File).Read") > 0);
}

#[test]
fn e8_waiting_for_standard_input_holds_up_nobody() {
    let folder = Folder::new();
    let body = r#"
import ("fmt"; "os"; "time")

func main() {
	got := make(chan int)
	go func() { n, _ := os.Stdin.Read(make([]byte, 1)); got <- n }()
	t := time.NewTicker(time.Millisecond)
	for range 3 {
		<-t.C
	}
	fmt.Println("ticks")
	fmt.Println(<-got)
}
"#;
    let mut child = command(&folder.0, &["--procs", "1"], body)
        .stdin(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut out = child.stdout.take().expect("piped");
    let mut line = [0; 6];
    std::io::Read::read_exact(&mut out, &mut line).expect("ticks before there is input");
    assert_eq!(&line, b"ticks\n");
    child.stdin.take().expect("piped").write_all(b"x").expect("written");
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut out, &mut rest).expect("the end");
    assert_eq!(rest, "1\n");
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn e10_a_second_wave_of_blocking_calls_makes_no_thread() {
    let (out, err, status) = plain(
        &["--procs", "2"],
        r#"
import ("fmt"; "runtime/metrics"; "sync"; "syscall"; "time")

func metric(name string) uint64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func wave() uint64 {
	var p [2]int
	syscall.Pipe(p[:])
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() { syscall.Read(p[0], make([]byte, 1)) })
	}
	for metric("/sched/goroutines/not-in-go:goroutines") < 100 {
		time.Sleep(time.Millisecond)
	}
	threads := metric("/sched/threads/total:threads")
	syscall.Write(p[1], make([]byte, 100))
	wg.Wait()
	return threads
}

func main() {
	first := wave()
	second := wave()
	fmt.Println(first >= 100, second <= first+1)
}
"#,
    );
    assert_eq!((out.as_str(), status), ("true true\n", Some(0)), "{err}");
}
