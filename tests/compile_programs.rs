//! Compiled programs: what they print, what the code looks like, and that everything the compiler makes passes the verifier.
//!
//! `tests/programs/NAME.go` prints what the real Go prints, which is in `NAME.out`; each is run with and without fused instructions.
//! The listings are snapshots that hold the source too.

use std::path::{Path, PathBuf};
use std::process::Command;

use gmpl::bytecode::liveness::Liveness;
use gmpl::bytecode::module::{Func, Module};
use gmpl::bytecode::op::Ins;
use gmpl::bytecode::{disasm, verify};
use gmpl::compile::{Compiler, Options};
use gmpl::library::Library;
use gmpl::syntax::Outline;
use gmpl::types::{Checker, LibraryFile, Loader};

fn files(dir: &str, extension: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(dir);
    let mut list: Vec<PathBuf> = std::fs::read_dir(dir)
        .expect("the folder is there")
        .map(|e| e.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .collect();
    list.sort();
    list
}

/// Checks and compiles a program; gives its module and source map for a listing.
fn compile(name: &str, text: &str, opt: bool) -> (Module, Checker) {
    let mut checker = Checker::new(Box::new(Library));
    checker.check_program(vec![(name.into(), text.into())]);
    assert_eq!(checker.diagnostics(), [], "{name}");
    let mut compiler = Compiler::new(Options { opt });
    compiler.compile_program(&mut checker).expect("within limits");
    (compiler.module, checker)
}

#[test]
fn programs_print_what_go_prints() {
    let list = files("tests/programs", "go");
    assert!(list.len() >= 6, "programs are missing");
    for program in list {
        let want = std::fs::read_to_string(program.with_extension("out")).expect("an .out file");
        for options in [&[][..], &["--no-opt"], &["--procs", "4"]] {
            let out = Command::new(env!("CARGO_BIN_EXE_gmpl"))
                .arg("run")
                .args(options)
                .arg(&program)
                .output()
                .expect("the command starts");
            let got = String::from_utf8_lossy(&out.stdout);
            assert_eq!(got, want, "{} {options:?}", program.display());
        }
    }
}

#[test]
fn gctrace_tells_of_each_collection() {
    let out = Command::new(env!("CARGO_BIN_EXE_gmpl"))
        .args(["run", "--procs", "2", "tests/programs/gc_stats.go"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("GODEBUG", "gctrace=1")
        .output()
        .expect("the command starts");
    let errors = String::from_utf8_lossy(&out.stderr);
    let forced = errors.lines().filter(|l| l.ends_with(" MB globals, 2 P (forced)")).count();
    assert_eq!(forced, 304, "{errors}");
    let last = errors.lines().last().unwrap_or_default();
    assert!(last.starts_with(&format!("gc {} @", errors.lines().count())), "{last}");
    assert!(last.contains(" ms clock, ") && last.contains("->0 MB, "), "{last}");
}

/// The library, with a package of its own.
struct WithLab;

const LAB: &str = "package lab

import \"errors\"

var first = second + 1

var second = third()

var unused = panics()

var last, other = pair()

func third() int { return fourth.n }

var fourth = &struct{ n int }{40}

func panics() int { panic(errors.ErrUnsupported) }

func pair() (int, int) { return first, 0 }

func init() { last++ }

func Last() int { return last }
";

impl Loader for WithLab {
    fn load(&self, path: &str) -> Option<Vec<LibraryFile>> {
        if path != "lab" {
            return Library.load(path);
        }
        let (name, text) = ("lab/lab.gmp".into(), LAB.into());
        Some(vec![LibraryFile { name, text, outline: Outline::of(LAB) }])
    }

    fn implicit(&self, name: &str) -> Option<String> {
        Library.implicit(name)
    }
}

#[test]
fn of_the_library_only_what_is_used_is_initialised_and_in_gos_order() {
    let text = "package main\nimport \"lab\"\nfunc main() { println(lab.Last()) }\n";
    let mut checker = Checker::new(Box::new(WithLab));
    checker.check_program(vec![("x.go".into(), text.into())]);
    assert_eq!(checker.diagnostics(), []);
    let mut compiler = Compiler::new(Options { opt: true });
    compiler.compile_program(&mut checker).expect("within limits");
    let module = compiler.module;
    let called = module.funcs[module.entry as usize].code.iter().filter_map(|ins| {
        let Ins::Call { f, .. } = ins else { return None };
        Some(&module.funcs[*f as usize])
    });
    let first_line = |f: &Func| {
        let (_, pos) = f.lines.first().copied().unwrap_or((0, f.pos));
        let place = checker.source_map().place(pos).expect("known");
        LAB.lines().nth(place.line as usize - 1).expect("in the file").to_string()
    };
    let lab: Vec<String> = called.filter(|f| f.name == "lab.init").map(first_line).collect();
    let want = [
        "var fourth = &struct{ n int }{40}",
        "var second = third()",
        "var first = second + 1",
        "var last, other = pair()",
        "func init() { last++ }",
    ];
    assert_eq!(lab, want);
    let globals: Vec<&str> = module.globals.iter().map(|g| g.name.as_str()).collect();
    assert!(!globals.contains(&"lab.unused") && !globals.contains(&"errors.ErrUnsupported"));
}

#[test]
fn everything_compiled_is_valid() {
    let list = [files("tests/programs", "go"), files("examples", "gmp")].concat();
    for program in list {
        let text = std::fs::read_to_string(&program).expect("readable");
        for opt in [true, false] {
            let (module, _) = compile(&program.display().to_string(), &text, opt);
            assert_eq!(verify::verify(&module, 0), Ok(()), "{}", program.display());
            for func in module.funcs.iter().filter(|f| !f.code.is_empty()) {
                let maps = Liveness::compute(func, &module);
                let entry = maps.slots(0);
                // what is live at the entry is a parameter; a recovered panic reads the result variables from anywhere
                let known = func.recover_at.is_none();
                let stray = entry.iter().find(|&&s| u32::from(s) >= func.params);
                assert!(!known || stray.is_none(), "{}: {entry:?}", func.name);
            }
        }
    }
}

/// The listing of the program's own functions, under its source.
fn check(name: &str, source: &str) {
    let (module, checker) = compile("x.go", &format!("package main\n\n{source}"), true);
    let listing = disasm::disasm(&module, Some(checker.source_map()), |f| {
        f.starts_with("main.") && f != "main.init" && f != "main.main"
    });
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, format!("{source}\n{listing}"));
    });
}

#[test]
fn listing_of_loops() {
    check(
        "loops",
        "func main() { count(9, []int{1}) }
func count(n int, s []int) (t int) {
	for i := 0; i < n; i++ {
		t += i * i
	}
	for i := 0; i < len(s); i++ {
		s[i]++
	}
	for i, v := range s {
		if v == 0 {
			break
		}
		t -= i
	}
	for range n {
		t ^= 1
	}
	for t > 100 && n != 3 {
		t /= 2
	}
	return
}
",
    );
}

#[test]
fn listing_of_calls() {
    check(
        "calls",
        "type shape interface{ area(k int) float64 }
type square struct{ side float64 }
type cube struct{ square; n int }
func (s square) area(k int) float64 { return s.side * s.side }
func main() { println(use(cube{}, two), pair()) }
func two(x int) (int, int) { return x, x + 1 }
func use(s shape, f func(int) (int, int)) float64 {
	a, b := f(two(1))
	return s.area(a + b)
}
func pair() int { f := two; x, y := f(3); return x + y }
"
        .replace("f(two(1))", "f(3)")
        .as_str(),
    );
}

#[test]
fn listing_of_variables() {
    check(
        "variables",
        "type point struct{ x, y int }
func main() { println(vars(3)) }
func vars(n int) int {
	p := point{n, 2}
	q := &p
	q.y += n
	var a [4]int8
	a[n&3] = int8(n)
	b := a
	b[0]++
	f := func(k int) int { n += k; return p.x + int(b[1]) }
	p, n = point{p.y, p.x}, f(1)
	return n + int(a[3])
}
",
    );
}

#[test]
fn listing_of_defers() {
    check(
        "defers",
        "func main() { println(guarded(nil)) }
func guarded(m map[string]int) (err any) {
	defer func() { err = recover() }()
	defer println(\"bye\", len(m))
	m[\"a\"] = 1
	return nil
}
",
    );
}

#[test]
fn listing_of_switches_and_selects() {
    check(
        "switches",
        "func main() { println(kind(1), number(3), wait(nil, nil)) }
func kind(x any) int {
	switch v := x.(type) {
	case int:
		return v
	case string, nil:
		return 0
	case interface{ Len() int }:
		return v.Len()
	}
	return -1
}
func number(n int) int {
	switch n {
	case 1, 2, 3:
		return 10
	case 40, 50, 60, 70:
		return 20
	case 80:
		fallthrough
	default:
		return 30
	}
}
func wait(a, b chan int) int {
	select {
	case v := <-a:
		return v
	case b <- 1:
	}
	return 0
}
",
    );
}

#[test]
fn listing_of_range_over_a_function() {
    check(
        "range_functions",
        "func main() { println(first(func(yield func(int) bool) { yield(1) })) }
func first(seq func(func(int) bool)) int {
	for x := range seq {
		if x > 2 {
			return x
		}
	}
	return 0
}
",
    );
}
