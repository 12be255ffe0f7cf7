//! A model of all queues, replayed over traces of the deterministic mode, where events stand in the order in which things
//! happened: every goroutine that starts must be the one that the rules name (rows D1 to D7).

use crate::run::{Ran, int, traced};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};

/// The queues of one P.
#[derive(Debug, Default)]
struct P {
    runnext: Option<i64>,
    ring: VecDeque<i64>,
    /// What the last put into runnext displaced; the event that says so comes next.
    displaced: Option<i64>,
    /// A goroutine that the end of a step cut off.
    kept: Option<i64>,
    /// What was taken from the global queue or another P, to be started next.
    found: Option<i64>,
}

#[derive(Debug, Default)]
struct Model {
    ps: BTreeMap<i64, P>,
    global: VecDeque<i64>,
    /// How often a P had to choose among several sources.
    starts: BTreeMap<String, usize>,
    /// Lengths of rings that were stolen from.
    stolen: Vec<(i64, i64)>,
}

impl Model {
    fn p(&mut self, event: &Value) -> &mut P {
        self.ps.entry(int(event, "p")).or_default()
    }

    fn event(&mut self, e: &Value) {
        match e["ev"].as_str().unwrap_or("") {
            "go.create" => self.put(e, int(e, "new")),
            "go.unblock" => self.put(e, int(e, "who")),
            "runq.kick" => {
                let p = self.p(e);
                assert_eq!(p.displaced.take(), Some(int(e, "who")), "{e}");
                p.ring.push_back(int(e, "who"));
            }
            "runq.overflow" => {
                let ring = &mut self.p(e).ring;
                let new = ring.pop_back().expect("the new one");
                let k = usize::try_from(int(e, "k")).expect("a number") - 1;
                let batch: Vec<i64> = ring.drain(..k).chain([new]).collect();
                self.global.extend(batch);
            }
            "go.stop" => self.stop(e),
            "glob.get" => self.get(e),
            "steal.ok" => self.steal(e),
            "go.start" => self.start(e),
            _ => {}
        }
    }

    fn put(&mut self, e: &Value, g: i64) {
        match e["q"].as_str() {
            Some("runnext") => {
                let p = self.p(e);
                p.displaced = p.runnext.replace(g);
            }
            Some("local") => self.p(e).ring.push_back(g),
            _ => self.global.push_back(g),
        }
    }

    fn stop(&mut self, e: &Value) {
        let g = int(e, "g");
        match (e["reason"].as_str(), e["q"].as_str()) {
            (Some("step"), _) => self.p(e).kept = Some(g),
            (_, Some("local")) => self.p(e).ring.push_back(g),
            _ => self.global.push_back(g),
        }
    }

    /// The global queue is asked in every 61st round, or when the own queues are empty.
    fn get(&mut self, e: &Value) {
        let k = usize::try_from(int(e, "k")).expect("a number");
        let len = self.global.len();
        let mut batch = self.global.drain(..k).collect::<VecDeque<i64>>();
        let procs = self.ps.keys().filter(|p| **p >= 0).count().max(1);
        let p = self.ps.entry(int(e, "p")).or_default();
        p.found = batch.pop_front();
        if e["why"] == "61" {
            assert_eq!(k, 1, "{e}");
        } else {
            assert!(p.runnext.is_none() && p.ring.is_empty() && p.kept.is_none(), "{e}");
            // The number of Ps is known once all of them have been seen.
            assert!(k <= 128 && k <= len, "{e}");
            assert!(procs > 1 || k == len.min(128), "{e} of {len}");
            p.ring.extend(batch);
        }
    }

    /// Half, rounded up, of a ring, when there is nothing else.
    fn steal(&mut self, e: &Value) {
        let (victim, k) = (int(e, "victim"), int(e, "k"));
        let len = int(e, "victim_len");
        let ring = &mut self.ps.entry(victim).or_default().ring;
        assert_eq!(len, ring.len() as i64, "{e}");
        assert_eq!(k, (len - len / 2).min(128), "{e}");
        let mut batch: VecDeque<i64> =
            ring.drain(..usize::try_from(k).expect("a number")).collect();
        assert!(self.global.is_empty(), "{e}");
        self.stolen.push((k, len));
        let p = self.p(e);
        assert!(p.runnext.is_none() && p.ring.is_empty(), "{e}");
        p.found = batch.pop_front();
        p.ring.extend(batch);
    }

    fn start(&mut self, e: &Value) {
        let (g, from) = (int(e, "g"), e["from"].as_str().expect("a word"));
        let inherit = e["inherit"] == true;
        let round = int(e, "tick") - i64::from(!inherit);
        let waits = !self.global.is_empty();
        let p = self.ps.entry(int(e, "p")).or_default();
        if let Some(kept) = p.kept.take() {
            assert_eq!(kept, g, "{e}");
            return;
        }
        *self.starts.entry(from.to_owned()).or_default() += 1;
        let want = match from {
            "runnext" => p.runnext.take(),
            "local" => {
                assert!(p.runnext.is_none(), "{e}");
                p.ring.pop_front()
            }
            _ => p.found.take(),
        };
        assert_eq!(want, Some(g), "{e}");
        if matches!(from, "runnext" | "local") {
            assert!(round % 61 != 0 || !waits, "the global queue was forgotten: {e}");
        }
    }
}

fn replay(ran: &Ran) -> Model {
    let mut model = Model::default();
    ran.events.iter().for_each(|e| model.event(e));
    model
}

const MIXED: &str = r#"
import ("fmt"; "runtime"; "sync")

func main() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	c, d := make(chan int), make(chan int, 3)
	sum := 0
	for i := range 400 {
		wg.Go(func() {
			switch i % 5 {
			case 0:
				runtime.Gosched()
			case 1:
				c <- i
			case 2:
				sum2 := <-c
				d <- sum2
			case 3:
				mu.Lock()
				sum++
				runtime.Gosched()
				mu.Unlock()
			case 4:
				for j := 0; j < i*30; j++ {
				}
				go func() { runtime.Gosched() }()
			}
		})
	}
	done := make(chan bool)
	go func() {
		for range 80 {
			sum += <-d
		}
		close(done)
	}()
	wg.Wait()
	<-done
	fmt.Println(sum)
}
"#;

/// Goroutines of one length, and one (main) that comes by the global queue again and again.
const EVEN: &str = r#"
import ("runtime"; "sync")

func main() {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := 0; i < 100000; i++ {
			}
		})
	}
	for range 20 {
		runtime.Gosched()
	}
	wg.Wait()
}
"#;

#[test]
fn d1_every_start_is_the_one_that_the_rules_name() {
    let mut seen = BTreeMap::new();
    for procs in ["1", "2", "3"] {
        for seed in ["1", "2", "3"] {
            let ran = traced(&["--deterministic", "--procs", procs, "--seed", seed], MIXED);
            assert_eq!(ran.status, Some(0), "{}", ran.err);
            let even = traced(&["--deterministic", "--procs", procs, "--seed", seed], EVEN);
            for (from, n) in replay(&ran).starts.into_iter().chain(replay(&even).starts) {
                *seen.entry(from).or_insert(0) += n;
            }
        }
    }
    for from in ["runnext", "local", "global61", "global", "steal"] {
        assert!(seen.get(from).copied().unwrap_or(0) > 0, "nothing came from {from}: {seen:?}");
    }
}

#[test]
fn d4_half_is_stolen_rounded_up() {
    let body = r#"
import "sync"

func main() {
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for i := 0; i < 100000; i++ {
			}
		})
	}
	for i := 0; i < 1000000; i++ {
	}
	wg.Wait()
}
"#;
    let ran = traced(&["--deterministic", "--procs", "2", "--seed", "1"], body);
    let stolen = replay(&ran).stolen;
    // The first theft takes about half of what main has made by then.
    assert!(stolen.iter().any(|(_, len)| *len >= 8), "{stolen:?}");
}

#[test]
fn d6_local_then_global_then_stealing() {
    // Two Ps, goroutines on each, one in the global queue: who is done first takes the global one before it steals. (The
    // article's figure has it the other way round.)
    let ran = traced(&["--deterministic", "--procs", "2", "--seed", "5"], EVEN);
    let model = replay(&ran);
    assert!(!model.stolen.is_empty() && model.starts["global"] > 0 && model.starts["local"] > 0);
    // `Model::steal` has asserted for each theft that the global queue and the thief's own were empty.
}
