//! Makes scenarios: Go functions in which goroutines meet in channels, locks, wait groups and conditions, in an order that is fully
//! determined on one P. Nothing in them takes time, reads or prints; each logs what happens and in which order.
//!
//! A goroutine may wait for ever; main never waits, it gives way until nothing happens any more. Operations that may panic (a send on
//! a closed channel, a second close) are wrapped. A select has at most one channel that is not nil, since of several ready cases one
//! is taken at random.

/// A small generator of random numbers (xorshift64*).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n
    }
}

/// How many of each kind of object a scenario has.
const OBJECTS: u64 = 3;
/// How deep statements and goroutines nest.
const DEPTH: u32 = 3;

#[derive(Debug)]
struct Writer {
    random: Random,
    out: String,
    /// Statements that may still be made, so that a scenario stays below one time slice.
    budget: i64,
    goroutines: u32,
    labels: u32,
    indent: usize,
    /// Inside a loop; goroutines are not made there without bound.
    loops: u32,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.out.push_str(&"\t".repeat(self.indent));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn object(&mut self) -> u64 {
        self.random.below(OBJECTS)
    }

    fn block(&mut self, head: &str, tail: &str, body: impl FnOnce(&mut Writer)) {
        self.line(head);
        self.indent += 1;
        body(self);
        self.indent -= 1;
        self.line(tail);
    }

    fn body(&mut self, depth: u32) {
        let n = 1 + self.random.below(5);
        for _ in 0..n {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        self.budget -= 1;
        if self.budget < 0 {
            return;
        }
        let (a, l) = (self.object(), self.label());
        match self.random.below(if depth == 0 { 12 } else { 24 }) {
            0 | 1 => self.line(&format!("log({l})")),
            2 => self.line("runtime.Gosched()"),
            3 | 4 => self.line(&format!("send(c[{a}], {l})")),
            5 | 6 => self.line(&format!("log2({l}, recv(c[{a}]))")),
            7 => self.line(&format!("try_send(c[{a}], {l})")),
            8 => self.line(&format!("log2({l}, try_recv(c[{a}]))")),
            9 => self.line(&format!("conds[{a}].Signal()")),
            10 => self.line(&format!("log({l}); conds[{a}].Broadcast()")),
            11 => self.line(&format!("wait(&wg[{a}])")),
            12 | 13 => self.block(&format!("mu[{a}].Lock()"), &format!("mu[{a}].Unlock()"), |w| {
                w.line(&format!("log({l})"));
                w.body(depth - 1);
            }),
            14 => self.block(&format!("rw[{a}].RLock()"), &format!("rw[{a}].RUnlock()"), |w| {
                w.line(&format!("log({l})"));
                w.body(depth - 1);
            }),
            15 => self.block(&format!("rw[{a}].Lock()"), &format!("rw[{a}].Unlock()"), |w| {
                w.line(&format!("log({l})"));
                w.body(depth - 1);
            }),
            16 => self.block(&format!("if mu[{a}].TryLock() {{"), "}", |w| {
                w.line(&format!("log({l})"));
                w.body(depth - 1);
                w.line(&format!("mu[{a}].Unlock()"));
            }),
            17 => {
                self.line(&format!("conds[{a}].L.Lock()"));
                self.line(&format!("log({l}); conds[{a}].Wait(); log(-{l})"));
                self.line(&format!("conds[{a}].L.Unlock()"));
            }
            18 => self.block(&format!("for v := range take(c[{a}]) {{"), "}", |w| {
                w.line(&format!("log2({l}, v)"));
            }),
            19 => self.line(&format!("log({l}); close_of(c[{a}])")),
            20 => self.repeat(depth - 1),
            21 => self.block(&format!("once[{a}].Do(func() {{"), "})", |w| w.body(depth - 1)),
            _ => self.spawn(depth - 1),
        }
    }

    fn repeat(&mut self, depth: u32) {
        let n = 2 + self.random.below(3);
        self.loops += 1;
        self.block(&format!("for range {n} {{"), "}", |w| w.body(depth));
        self.loops -= 1;
    }

    fn spawn(&mut self, depth: u32) {
        if self.goroutines >= 25 || self.loops > 1 {
            return;
        }
        self.goroutines += 1;
        let (a, l) = (self.object(), self.label());
        match self.random.below(4) {
            0 => self.block(&format!("wg[{a}].Go(func() {{"), "})", |w| {
                w.line(&format!("log({l})"));
                w.body(depth);
            }),
            1 => {
                self.line(&format!("wg[{a}].Add(1)"));
                self.block("go func() {", "}()", |w| {
                    w.line(&format!("defer wg[{a}].Done()"));
                    w.line(&format!("log({l})"));
                    w.body(depth);
                });
            }
            2 => self.block("go func() {", "}()", |w| {
                w.line(&format!("defer log(-{l})"));
                w.body(depth);
                w.line("runtime.Goexit()");
            }),
            _ => self.block("go func() {", "}()", |w| {
                w.line(&format!("log({l})"));
                w.body(depth);
            }),
        }
    }

    /// Main: starts goroutines, gives way, does what cannot wait.
    fn main(&mut self) {
        let n = 3 + self.random.below(6);
        for _ in 0..n {
            match self.random.below(8) {
                0 => self.line("runtime.Gosched()"),
                1 => {
                    let (a, l) = (self.object(), self.label());
                    self.line(&format!("try_send(c[{a}], {l})"));
                }
                2 => {
                    let (a, l) = (self.object(), self.label());
                    self.line(&format!("log2({l}, try_recv(c[{a}]))"));
                }
                3 => {
                    // A whole queue of them, so that it overflows now and then.
                    let (n, l) = ([20, 70, 260, 300][self.random.below(4) as usize], self.label());
                    self.line(&format!(
                        "for i := range {n} {{ go func() {{ log_some({l}, i) }}() }}"
                    ));
                }
                _ => self.spawn(DEPTH),
            }
        }
    }
}

/// The function of one scenario.
pub(crate) fn scenario(seed: u64) -> String {
    let mut random = Random::new(seed);
    let caps: Vec<u64> = (0..OBJECTS).map(|_| [0, 0, 1, 3][random.below(4) as usize]).collect();
    let mut w = Writer {
        random,
        out: String::new(),
        budget: 120,
        goroutines: 0,
        labels: 0,
        indent: 1,
        loops: 0,
    };
    w.line(&format!(
        "c := [...]chan int{{make(chan int, {}), make(chan int, {}), make(chan int, {})}}",
        caps[0], caps[1], caps[2]
    ));
    w.line("var mu [3]sync.Mutex");
    w.line("var rw [3]sync.RWMutex");
    w.line("var wg [3]sync.WaitGroup");
    w.line("var once [3]sync.Once");
    w.line("conds := [...]*sync.Cond{sync.NewCond(&mu[0]), sync.NewCond(&mu[1]), sync.NewCond(new(sync.Mutex))}");
    w.line("_, _, _, _, _, _ = &c, &mu, &rw, &wg, &once, &conds");
    w.main();
    format!("func s{seed}() {{\n{}}}\n", w.out)
}

const HEAD: &str = r#"package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

var events []string

func log(n int)     { events = append(events, fmt.Sprint(n)) }
func log2(n, v int) { events = append(events, fmt.Sprint(n, ":", v)) }

// Of many, some say enough.
func log_some(n, i int) {
	if i%17 < 2 {
		log2(n, i)
	}
}

// A panic of these operations is an event.
func safe() {
	if r := recover(); r != nil {
		events = append(events, fmt.Sprint(r))
	}
}

func send(c chan int, v int) { defer safe(); c <- v }

func recv(c chan int) int { return <-c }

func close_of(c chan int) { defer safe(); close(c) }

func wait(wg *sync.WaitGroup) { defer safe(); wg.Wait() }

func try_send(c chan int, v int) {
	defer safe()
	var none chan int
	select {
	case c <- v:
		log2(v, 1)
	case <-none:
	default:
		log2(v, 0)
	}
}

func try_recv(c chan int) int {
	select {
	case v := <-c:
		return v
	default:
		return -1
	}
}

// At most three values.
func take(c chan int) func(func(int) bool) {
	return func(yield func(int) bool) {
		n := 0
		for v := range c {
			if n++; !yield(v) || n == 3 {
				return
			}
		}
	}
}

// Until main comes by the global queue although another waits locally: that happens in every 61st round only, so from here on the
// rounds are counted from the same number everywhere.
func align() {
	for {
		ran := false
		go func() { ran = true }()
		runtime.Gosched()
		if !ran {
			break
		}
	}
	runtime.Gosched()
}

// Runs a scenario until nothing happens any more.
func run(name string, scenario func()) {
	events = nil
	align()
	scenario()
	for quiet := 0; quiet < 30; quiet++ {
		before := len(events)
		runtime.Gosched()
		if len(events) != before {
			quiet = 0
		}
	}
	lines = append(lines, name+" "+strings.Join(events, " "))
}

var lines []string

func main() {
	debug.SetGCPercent(-1)
"#;

/// A program that runs the scenarios of these seeds and prints a line for each.
pub(crate) fn program(seeds: std::ops::Range<u64>) -> String {
    let mut out = HEAD.to_owned();
    for seed in seeds.clone() {
        out.push_str(&format!("\trun(\"s{seed}\", s{seed})\n"));
    }
    out.push_str("\tfmt.Fprintln(os.Stdout, strings.Join(lines, \"\\n\"))\n}\n");
    for seed in seeds {
        out.push('\n');
        out.push_str(&scenario(seed));
    }
    out
}
