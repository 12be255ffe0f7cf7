//! How long the parts take by themselves: lexer, parser, checker, compiler, allocation, maps, and in the machine channels, switches of
//! goroutines and spawning. Run with `cargo bench`; whole programs are compared with other languages by `benches/compare.py`.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput};

use gmpl::bytecode::module::Module;
use gmpl::compile::{Compiler, Options};
use gmpl::heap::{Cache, Heap, SHAPE_RAW};
use gmpl::library::Library;
use gmpl::sched::{Config, Runtime};
use gmpl::syntax::{lexer, parser};
use gmpl::types::Checker;
use gmpl::value::Alloc;
use gmpl::value::map::{MapData, MapKind};
use gmpl::value::types::{KeyKind, TypeTable};
use gmpl::vm::{Vm, VmConfig};

/// A program of so many functions of ten lines.
fn source(functions: usize) -> String {
    let mut s = String::from("package main\n\n");
    for i in 0..functions {
        s.push_str(&format!(
            "func f{i}(a, b int, s string) (int, string) {{\n\tx := a*{i} + b\n\tfor i := 0; i < 3; i++ {{\n\t\tif x%2 == 0 {{\n\
             \t\t\tx += len(s) // grows\n\t\t}}\n\t}}\n\treturn x, s + \"text\"\n}}\n\n"
        ));
    }
    s.push_str("func main() {}\n");
    s
}

fn checked(text: &str) -> Checker {
    let mut checker = Checker::new(Box::new(Library));
    checker.check_program(vec![("bench.go".into(), text.into())]);
    assert_eq!(checker.diagnostics(), []);
    checker
}

fn compiled(text: &str) -> Module {
    let mut compiler = Compiler::new(Options { opt: true });
    compiler.compile_program(&mut checked(text)).expect("within limits");
    compiler.module
}

fn front_end(c: &mut Criterion) {
    let text = source(1000);
    let mut group = c.benchmark_group("front end, 9000 lines");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("lexer", |b| b.iter(|| lexer::lex(black_box(&text))));
    group.bench_function("parser", |b| b.iter(|| parser::parse_text(black_box(&text), 0)));
    group.bench_function("checker", |b| b.iter(|| checked(black_box(&text))));
    group.bench_function("checker and compiler", |b| b.iter(|| compiled(black_box(&text))));
    group.finish();
}

fn heap() -> Heap {
    Heap::new().expect("address space")
}

fn allocation(c: &mut Criterion) {
    const OBJECTS: usize = 100_000;
    let mut group = c.benchmark_group("allocation");
    group.throughput(Throughput::Elements(OBJECTS as u64));
    for words in [2, 8, 32] {
        group.bench_function(format!("{words} words"), |b| {
            b.iter_batched_ref(
                || (heap(), Cache::new()),
                |(heap, cache)| {
                    for _ in 0..OBJECTS {
                        black_box(cache.alloc(heap, words, u64::from(SHAPE_RAW)));
                    }
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn maps(c: &mut Criterion) {
    const KEYS: u64 = 10_000;
    let types = TypeTable::new();
    let kind = MapKind {
        key: 0,
        key_kind: KeyKind::Word,
        key_mem: false,
        key_slots: 1,
        value_slots: 1,
        pointers: false,
        plain: true,
    };
    let mut group = c.benchmark_group("map of words");
    group.throughput(Throughput::Elements(KEYS));
    for (name, step) in [("close keys", 1), ("far keys", 0x9E37_79B9_7F4A_7C15_u64)] {
        let filled = |a: &mut Alloc<'_>| {
            let m = MapData::new(kind, 0, 1);
            for i in 0..KEYS {
                let (k, v) = (i.wrapping_mul(step), i);
                m.set(&types, a, &raw const k, &raw const v).expect("nobody else uses it");
            }
            m
        };
        group.bench_function(format!("fill, {name}"), |b| {
            b.iter_batched_ref(
                || (heap(), Cache::new()),
                |(heap, cache)| filled(&mut Alloc { heap, cache }),
                BatchSize::PerIteration,
            );
        });
        let (heap, mut cache) = (heap(), Cache::new());
        let m = filled(&mut Alloc { heap: &heap, cache: &mut cache });
        group.bench_function(format!("look up, {name}"), |b| {
            b.iter(|| {
                let mut v = 0;
                for i in 0..KEYS {
                    let k = i.wrapping_mul(step);
                    let found = m.get(&types, &raw const k, &raw mut v);
                    black_box(found.expect("nobody else uses it"));
                }
                v
            });
        });
    }
    group.finish();
}

/// Runs a program on a machine of its own.
fn run(module: &Module) {
    let vm = Vm::new(VmConfig::default(), module).expect("memory");
    vm.load(module).expect("its natives exist");
    let runtime = Runtime::new(Config { procs: 1, ..Config::default() }, vm);
    let end = runtime.run_main(|co| runtime.machine().start_func(co, module.entry));
    assert_eq!(end.code, 0);
}

const CHANNEL: &str = "package main
func main() {
	c, d := make(chan int), make(chan int)
	go func() { for v := range c { d <- v } }()
	for i := 0; i < 100000; i++ { c <- i; <-d }
}
";

const SWITCH: &str = "package main
import \"runtime\"
func main() {
	go func() { for { runtime.Gosched() } }()
	for i := 0; i < 100000; i++ { runtime.Gosched() }
}
";

const SPAWN: &str = "package main
import \"sync\"
func main() {
	var wg sync.WaitGroup
	for i := 0; i < 100000; i++ { wg.Add(1); go wg.Done() }
	wg.Wait()
}
";

fn goroutines(c: &mut Criterion) {
    let mut group = c.benchmark_group("goroutines, one P, with the machine's start");
    group.throughput(Throughput::Elements(100_000));
    for (name, text) in
        [("channel round trip", CHANNEL), ("switch and back", SWITCH), ("spawn", SPAWN)]
    {
        let module = compiled(text);
        group.bench_function(name, |b| b.iter(|| run(&module)));
    }
    group.finish();
}

fn main() {
    let mut c = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    front_end(&mut c);
    allocation(&mut c);
    maps(&mut c);
    goroutines(&mut c);
    c.final_summary();
}
