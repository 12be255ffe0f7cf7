//! Four fuzzers. `GMPL_FUZZ_SECONDS` says how long each runs (2 if not set), `GMPL_FUZZ_SEED` where it starts.
//!
//! * Generated programs: valid Go with much control flow. Each must print the same with and without fused instructions, and in a
//!   hostile run with collections at safe points. With `GMPL_FUZZ_GO` (the path of a `go` command) real Go must agree too.
//! * Typed programs (`fuzz/typed.rs`): every kind of type, conversions, closures, generics, run-time panics; compared in the same ways.
//! * Mutated sources: texts of this project with tokens dropped, doubled, exchanged and inserted. The front end may say what it
//!   likes, but must not panic; what it accepts must compile to code that the verifier takes.
//! * Programs with a small mistake (`fuzz/verdict.rs`): gmpl and the Go compiler must both take the program or say the same first line.
//!   Only where `GMPL_FUZZ_GO` is set; `GMPL_FUZZ_ALL=1` compares all lines.

#![expect(clippy::print_stdout, reason = "how much was compared is worth knowing")]

#[path = "fuzz/go.rs"]
mod go;
#[path = "fuzz/typed.rs"]
mod typed;
#[path = "fuzz/verdict.rs"]
mod verdict;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use gmpl::bytecode::verify;
use gmpl::compile::{Compiler, Options};
use gmpl::diag::{self, Form, Format};
use gmpl::library::Library;
use gmpl::types::Checker;

/// A small random generator (xorshift), the same everywhere.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn seeds() -> impl Iterator<Item = u64> {
    let end = Instant::now() + Duration::from_secs(setting("GMPL_FUZZ_SECONDS", 2));
    let first = setting("GMPL_FUZZ_SEED", 1);
    (first..).take_while(move |_| Instant::now() < end)
}

// ---- generated programs ----

/// How many functions a typed program has; each is called and compared by itself.
const TYPED_FUNCTIONS: usize = 60;

/// What every generated program starts with.
const PRELUDE: &str = r#"package main

import "fmt"

type inner struct{ z int }
type object struct {
	in   inner
	list []int
	pad  [2]int8
}
type outer struct {
	*object
	k int
}
type shape interface{ area(k int) int }
type square int
type rect struct{ w, h int }

func (o *object) bump(n int)      { o.in.z += n; o.pad[n&1]++ }
func (o object) get(q int) int    { o.in.z++; return o.in.z + q + len(o.list) }
func (e outer) val(q int) int     { return e.get(q) + e.k }
func (s square) area(k int) int   { return int(s) * k }
func (r rect) area(k int) int     { return r.w + r.h*k }
func pick(n int) shape            { if n&1 == 0 { return square(n) }; return rect{n, 2} }
func most[T int | string](a, b T) T { if a > b { return a }; return b }
func sum(xs ...int) (t int)       { for i, x := range xs { t += x * (i + 1) }; return }
func two(n int) (int, int)        { return n / 2, n ^ 5 }
func join(a, b int) int           { return a*3 + b }
func named(n int) (r int)         { defer func() { r += n & 3; if recover() != nil { r = -1 } }(); if n%7 == 3 { panic("seven") }; return n * 2 }
func through(p *int, n int) *int  { *p += n & 7; return p }
func odd(n int) bool              { return n%3 != 0 }
func seq(n int) func(func(int) bool) {
	return func(yield func(int) bool) { for i := range n { if !yield(i * 2) { return } } }
}

var told int

func tell(s string, n int) int { told++; if told < 300 { fmt.Print(s, n, " ") }; return n }
"#;

/// Generates the body of one function.
struct Gen {
    random: Random,
    out: String,
    indent: usize,
    names: u32,
    vars: Vec<String>,
    loops: u32,
    depth: u32,
    /// In a function literal: no returns and no branches to loops outside.
    literal: bool,
}

impl Gen {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "\t".repeat(self.indent));
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn var(&mut self) -> String {
        let k = self.random.below(self.vars.len());
        self.vars[k].clone()
    }

    fn expr(&mut self, depth: u32) -> String {
        let kind = self.random.below(20);
        if depth > 3 || kind < 6 {
            return if self.random.below(4) > 0 {
                self.var()
            } else {
                self.random.below(90).to_string()
            };
        }
        let a = self.expr(depth + 1);
        let b = self.expr(depth + 1);
        match kind {
            6..=9 => format!("({a} {} {b})", self.random.pick(&["+", "-", "*", "^", "&", "|"])),
            10 => format!("tell(\"t{}\", {a})", self.random.below(99)),
            11 => format!("o.get({a})"),
            12 => format!("pick({a}).area({b})"),
            13 => format!("most({a}, {b})"),
            14 => format!("sum({a}, {b}, x)"),
            15 => format!("join(two({a}))"),
            16 => format!("func(q int) int {{ x += q; return x - y }}({a})"),
            // a key that may panic comes ahead of other operands in Go, which is not followed: docs/conformance.md
            17 => format!("array[{a} & 3] + table[{} & 7]", self.var()),
            18 => format!("named({a}) % 1000"),
            _ => format!("*through(&x, {a}) + e.val({b})"),
        }
    }

    fn cond(&mut self, depth: u32) -> String {
        match self.random.below(10) {
            0..=5 => {
                let (a, b) = (self.expr(2), self.expr(2));
                format!("{a} {} {b}", self.random.pick(&["<", "<=", "==", "!=", ">", ">="]))
            }
            6 | 7 if depth < 3 => {
                let (a, b) = (self.cond(depth + 1), self.cond(depth + 1));
                format!("({a} {} {b})", self.random.pick(&["&&", "||"]))
            }
            8 if depth < 3 => format!("!({})", self.cond(depth + 1)),
            _ => format!("odd({})", self.expr(2)),
        }
    }

    fn place(&mut self) -> String {
        let place =
            self.random.pick(&["", "", "o.in.z", "array[1]", "table[3]", "e.k", "o.list[1]"]);
        if place.is_empty() { self.var() } else { place.into() }
    }

    fn block(&mut self, n: usize) {
        let kept = self.vars.len();
        self.indent += 1;
        self.line("fuel--; if fuel < 0 { panic(\"fuel\") }");
        for _ in 0..n {
            self.stmt();
        }
        self.indent -= 1;
        self.vars.truncate(kept);
    }

    fn stmt(&mut self) {
        self.depth += 1;
        let kind = if self.depth > 4 { self.random.below(6) } else { self.random.below(20) };
        let a = self.expr(0);
        match kind {
            0 | 1 => {
                let v = self.name();
                self.line(&format!("{v} := {a}; _ = {v}"));
                self.vars.push(v);
            }
            2 | 3 => {
                let (p, op) = (self.place(), self.random.pick(&["=", "+=", "-=", "^="]));
                self.line(&format!("{p} {op} {a}"));
            }
            4 => {
                let b = self.expr(1);
                self.line(&format!("x, o.in.z, array[y&3] = {b}, x, {a}"));
            }
            5 => {
                let (v, w) = (self.name(), self.name());
                self.line(&format!("{v}, {w} := two({a}); _, _ = {v}, {w}"));
                self.vars.extend([v, w]);
            }
            6..=8 => self.branch(),
            9..=12 => self.loop_stmt(),
            13 if self.loops > 0 && !self.literal => {
                let (c, w) = (self.cond(0), self.random.pick(&["break", "continue"]));
                self.line(&format!("if {c} {{ {w} }}"));
            }
            14 if !self.literal => {
                let c = self.cond(0);
                self.line(&format!("if {c} {{ return {a}, tell(\"r\", y) }}"));
            }
            15 if self.loops < 2 => self.line(&format!(
                "defer func(a int) {{ r1 += a; if q := recover(); q != nil {{ r0 = -r0 }} }}({a})"
            )),
            16 => self.line(&format!(
                "switch {a} & 3 {{ case 0: x++; fallthrough; case 1: y += x; case 2: array[2]++; default: y-- }}"
            )),
            17 => self.literal_stmt(),
            18 => self.line("select { case ch <- x: x++; default: y += <-ch }"),
            _ => {
                let line = self.random.pick(&[
                    "o = object{in: inner{x}, list: []int{1, 2, x}}",
                    "e = outer{object: &o, k: y}",
                    "array = [4]int{x, y, x, y}",
                    "table[x&7]++",
                    "delete(table, 3)",
                    "e.bump(y & 15)",
                    "fs = append(fs, func() int { x++; return x + y })",
                    "if q, is := any(pick(x)).(rect); is { y += q.w }",
                ]);
                self.line(line);
            }
        }
        self.depth -= 1;
    }

    fn branch(&mut self) {
        let c = self.cond(0);
        self.line(&format!("if {c} {{"));
        self.block(2);
        if self.random.below(2) == 0 {
            self.line("} else {");
            self.block(1);
        }
        self.line("}");
    }

    fn loop_stmt(&mut self) {
        let (v, n) = (self.name(), self.random.below(5));
        let head = match self.random.below(5) {
            0 => format!("for {v} := 0; {v} < {n}; {v}++ {{"),
            1 => format!("for {v} := range seq({n}) {{"),
            2 => format!("for {v} := range {n} {{"),
            3 => format!("for _, {v} := range o.list {{"),
            _ => format!("for {v} := range array {{"),
        };
        self.line(&head);
        self.indent += 1;
        self.line(&format!("_ = {v}"));
        if self.random.below(3) == 0 {
            self.line(&format!("fs = append(fs, func() int {{ {v}++; return {v} }})"));
        }
        self.indent -= 1;
        self.vars.push(v);
        self.loops += 1;
        self.block(2);
        self.loops -= 1;
        self.vars.pop();
        self.line("}");
    }

    fn literal_stmt(&mut self) {
        let (literal, loops) = (self.literal, self.loops);
        (self.literal, self.loops) = (true, 0);
        self.line("func() {");
        self.block(2);
        self.line("}()");
        (self.literal, self.loops) = (literal, loops);
    }
}

fn program(seed: u64) -> String {
    let mut text = String::from(PRELUDE);
    let mut calls = String::new();
    for f in 0..12 {
        let mut g = Gen {
            random: Random::new(seed * 100 + f),
            out: String::new(),
            indent: 1,
            names: 0,
            vars: vec!["x".into(), "y".into()],
            loops: 0,
            depth: 0,
            literal: false,
        };
        for _ in 0..8 {
            g.stmt();
        }
        let (a, b) = (g.expr(1), g.expr(1));
        let _ = write!(
            text,
            "
func f{f}(x, y int) (r0, r1 int) {{
	o := object{{list: []int{{4, 5, 6}}}}
	e, array, table := outer{{object: &o}}, [4]int{{1, 2, 3, 4}}, map[int]int{{1: 10, 3: 30}}
	fs, ch, fuel := []func() int{{}}, make(chan int, 1), 200
	_, _, _, _ = fs, ch, e, fuel
	defer func() {{
		if q := recover(); q != nil {{ fmt.Println(q) }}
		fmt.Println(o, e.k, array, len(table), x, y)
		for _, f := range fs {{ fmt.Print(f(), \" \") }}
	}}()
{}	return {a}, {b}
}}
",
            g.out
        );
        let (p, q) = (g.random.below(40), g.random.below(9));
        let _ = writeln!(calls, "\ttold = 0; fmt.Println(f{f}({p}, -{q}))");
    }
    format!("{text}\nfunc main() {{\n{calls}}}\n")
}

fn printed(command: &mut Command, what: &str) -> String {
    let out = command.output().expect("the command starts");
    let err = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{what}: {err}");
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// How many programs become one binary of real Go.
const BATCH: usize = 40;

/// Runs one program in every way there is, which must make no difference; gives what it prints. What fails is named and stays in its
/// file.
fn run_all_ways(file: &Path, seed: u64) -> String {
    let place = format!("seed {seed}, {}", file.display());
    let run = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gmpl"));
        printed(command.arg("run").args(options).arg(file), &format!("{place} {options:?}"))
    };
    let want = run(&[]);
    for options in [&["--no-opt"][..], &["--gc-stress", "50"], &["--procs", "4"]] {
        assert_eq!(run(options), want, "{place} {options:?}");
    }
    want
}

/// Runs the programs of many seeds; with a judge in batches that real Go runs too.
fn programs_agree(texts: impl Fn(u64) -> String, name: &str) {
    let dir = std::env::temp_dir().join(format!("gmpl-fuzz-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary folder");
    let judge = go::Judge::new(&dir);
    let file = dir.join("main.go");
    let mut batch: Vec<(u64, String, String)> = vec![];
    let mut compared = 0;
    let compare = |batch: &mut Vec<(u64, String, String)>, judge: &go::Judge| {
        let texts: Vec<String> = batch.iter().map(|(_, text, _)| text.clone()).collect();
        let all = judge.batch(&texts);
        for (i, (seed, text, printed_by_gmpl)) in batch.drain(..).enumerate() {
            let by_go = printed(Command::new(&all).arg(i.to_string()), &format!("go, seed {seed}"));
            let by_go = by_go.replace(&format!("batch/p{i}."), "p.");
            if printed_by_gmpl.replace("main.", "p.") != by_go {
                std::fs::write(&file, text).expect("writable");
                assert_eq!(printed_by_gmpl, by_go, "seed {seed}, {} against go", file.display());
            }
        }
    };
    for seed in seeds() {
        let text = texts(seed);
        std::fs::write(&file, &text).expect("writable");
        let want = run_all_ways(&file, seed);
        compared += 1;
        let Some(judge) = &judge else { continue };
        batch.push((seed, text, want));
        if batch.len() == BATCH {
            compare(&mut batch, judge);
        }
    }
    if let Some(judge) = judge.filter(|_| !batch.is_empty()) {
        compare(&mut batch, &judge);
    }
    println!("{compared} programs compared");
    std::fs::remove_dir_all(dir).expect("removable");
}

#[test]
fn generated_programs_agree() {
    programs_agree(program, "flow");
}

#[test]
fn typed_programs_agree() {
    programs_agree(|seed| typed::Gen::program(seed, TYPED_FUNCTIONS), "typed");
}

// ---- mutated sources ----

/// The texts that are mutated.
fn corpus() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> =
        ["examples", "tests/programs", "std/sort", "std/strings", "std/container/list"]
            .map(|d| root.join(d))
            .into();
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(list) = std::fs::read_dir(folder) else { continue };
        let mut paths: Vec<PathBuf> = list.map(|e| e.expect("readable").path()).collect();
        paths.sort();
        for path in paths {
            if path.extension().is_some_and(|e| e == "gmp" || e == "go") {
                texts.extend(std::fs::read_to_string(path));
            }
        }
    }
    texts
}

/// Splits a text into words and single characters.
fn pieces(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let n = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        out.push(&rest[..n]);
        rest = &rest[n..];
    }
    out
}

fn mutate(texts: &[String], seed: u64) -> String {
    let mut r = Random::new(seed);
    let text = &texts[r.below(texts.len())];
    let other = pieces(&texts[r.below(texts.len())]);
    let mut list = pieces(text);
    let extra = [
        "(", ")", "{", "}", "[", "]", ";", "\n", "...", "<-", "func", "type", "0x", "'", "\"", "`",
        "/*", "T[T]", "nil", "1e999", "goto x", "\u{0}",
    ];
    for _ in 0..=r.below(6) {
        let at = r.below(list.len());
        let from = r.below(list.len());
        match r.below(6) {
            0 => {
                list.remove(at);
            }
            1 => list.insert(at, list[from]),
            2 => list.swap(at, from),
            3 => list.insert(at, r.pick(&extra)),
            4 => list[at] = other[r.below(other.len())],
            _ => {
                let n = r.below(40).min(list.len() - at);
                list.drain(at..at + n);
            }
        }
        if list.is_empty() {
            return String::new();
        }
    }
    list.concat()
}

fn front_end(text: String) {
    let mut checker = Checker::new(Box::new(Library));
    checker.check_program(vec![("x.go".into(), text)]);
    if !checker.diagnostics().is_empty() {
        return;
    }
    let mut compiler = Compiler::new(Options { opt: true });
    if compiler.compile_program(&mut checker).is_ok() {
        assert_eq!(verify::verify(&compiler.module, 0), Ok(()));
    }
}

#[test]
fn mutated_sources_do_no_harm() {
    let texts = corpus();
    assert!(texts.len() > 10, "the corpus is missing");
    for seed in seeds() {
        let text = mutate(&texts, seed);
        let shown = text.clone();
        let thread = std::thread::Builder::new().stack_size(512 << 20).spawn(|| front_end(text));
        let done = thread.expect("one more thread").join();
        assert!(done.is_ok(), "seed {seed} fails on\n{shown}");
    }
}

// ---- verdicts ----

/// The valid programs that get mistakes.
fn valid_programs() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts: Vec<String> = vec![];
    for dir in ["tests/fuzz/corpus", "tests/programs", "examples"] {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(root.join(dir))
            .expect("a folder")
            .map(|e| e.expect("readable").path())
            .filter(|p| p.extension().is_some_and(|e| e == "gmp" || e == "go"))
            .collect();
        paths.sort();
        texts.extend(paths.iter().map(|p| std::fs::read_to_string(p).expect("readable")));
    }
    texts.retain(|t| t.contains("\nfunc main()"));
    texts.extend((1..4).map(|seed| typed::Gen::program(seed, 6)));
    texts.push(program(1));
    texts
}

/// What gmpl says about a text, as the Go compiler would print it.
fn gmpl_verdict(name: &str, text: String) -> Vec<String> {
    let name = name.to_string();
    let check = move || {
        let mut checker = Checker::new(Box::new(Library));
        checker.check_program(vec![(name, text)]);
        let format = Format { form: Form::Short, all: false, color: false };
        diag::render_all(checker.source_map(), checker.diagnostics(), format)
    };
    let thread = std::thread::Builder::new().stack_size(512 << 20).spawn(check);
    let done = thread.expect("one more thread").join();
    let text = done.unwrap_or_else(|_| "gmpl crashes".to_string());
    text.lines().map(str::to_string).collect()
}

#[test]
fn verdicts_agree() {
    let dir = std::env::temp_dir().join(format!("gmpl-fuzz-verdict-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary folder");
    let Some(judge) = go::Judge::new(&dir) else { return };
    let texts = valid_programs();
    let file = dir.join("x.go");
    let name = file.display().to_string();
    let first_only = setting("GMPL_FUZZ_ALL", 0) == 0;
    // so many differences are collected before the run ends
    let enough = setting("GMPL_FUZZ_ENOUGH", 40) as usize;
    let (mut compared, mut refused, mut known, mut differences) = (0, 0, 0, vec![]);
    for seed in seeds() {
        let text = verdict::program(&texts, seed);
        std::fs::write(&file, &text).expect("writable");
        let (mut go, mut gmpl) = (judge.verdict(&file), gmpl_verdict(&name, text.clone()));
        if first_only {
            go.truncate(1);
            gmpl.truncate(1);
        }
        compared += 1;
        refused += u64::from(!go.is_empty());
        known += u64::from(go != gmpl && verdict::is_known(&go));
        if go != gmpl && !verdict::is_known(&go) {
            let kept = dir.join(format!("{seed}.go"));
            std::fs::write(&kept, text).expect("writable");
            let told = format!("go:   {}\ngmpl: {}", go.join("\n      "), gmpl.join("\n      "));
            differences.push(format!("{}\n{told}", kept.display()).replace(&name, "x.go"));
        }
        if differences.len() == enough {
            break;
        }
    }
    println!("{compared} programs compared, {refused} refused by Go, {known} known differences");
    assert!(differences.is_empty(), "of {compared} programs:\n{}", differences.join("\n"));
    std::fs::remove_dir_all(dir).expect("removable");
}
