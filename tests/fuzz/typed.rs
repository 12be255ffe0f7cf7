//! Random valid Go programs: typed, deterministic, without time or input. Everything they compute is printed.
//!
//! A program has a few types, functions that only call functions before them, and a `main` that calls each under a recover, so that
//! run-time panics are compared as well. Loops are bounded.

use std::fmt::Write;

/// A small generator of random numbers (xorshift); the same seed gives the same program.
#[derive(Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        let i = self.below(list.len());
        &list[i]
    }
}

/// The types that variables have.
const TYPES: &[&str] = &[
    "int",
    "int8",
    "uint8",
    "int16",
    "uint32",
    "int64",
    "uint64",
    "float64",
    "string",
    "bool",
    "[]int",
    "[3]int",
    "map[string]int",
    "S",
    "*S",
    "I",
    "func(int) int",
    "any",
    "Num",
    "[]string",
];

const INTS: &[&str] = &["int", "int8", "uint8", "int16", "uint32", "int64", "uint64", "Num"];

const PRELUDE: &str = r#"
type S struct {
	A int
	B string
	C [2]int8
}

func (s S) Sum() int      { return s.A + len(s.B) + int(s.C[0]) }
func (s *S) Add(n int)    { s.A += n; s.C[1] += int8(n) }
func (s S) Name() string  { return "S" + s.B }

type Num int16

func (n Num) Sum() int     { return int(n) * 3 }
func (n Num) Name() string { return "Num" }

type I interface {
	Sum() int
	Name() string
}

type Pair[K comparable, V any] struct {
	Key K
	Val V
}

func mk[K comparable, V any](k K, v V) Pair[K, V] { return Pair[K, V]{k, v} }

func pick[T any](c bool, a, b T) T {
	if c {
		return a
	}
	return b
}

func join(a, b string) string {
	if len(a)+len(b) > 1000 {
		return a[len(a)/2:]
	}
	return a + b
}

func seq(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i * i) {
				return
			}
		}
	}
}

func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case int:
		return fmt.Sprint("int ", v)
	case string:
		return "string " + v
	case I:
		return fmt.Sprint("I ", v.Name(), v.Sum())
	case []int:
		return fmt.Sprint("slice ", len(v), v)
	case func(int) int:
		return fmt.Sprint("func ", v(3))
	case *S:
		if v == nil {
			return "nil *S"
		}
		return fmt.Sprint("*S ", *v)
	default:
		return fmt.Sprintf("%T %v", v, v)
	}
}

func try(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(name, "panics:", r)
		}
	}()
	f()
}
"#;

#[derive(Debug)]
struct Func {
    name: String,
    params: Vec<&'static str>,
    result: &'static str,
}

/// See the head of the file.
#[derive(Debug)]
pub(crate) struct Gen {
    rng: Rng,
    out: String,
    vars: Vec<(String, &'static str)>,
    funcs: Vec<Func>,
    names: usize,
    depth: usize,
    loops: Vec<String>,
    indent: usize,
}

impl Gen {
    /// A whole program with this many functions. Strings stay short: what prints them prints little.
    pub(crate) fn program(seed: u64, funcs: usize) -> String {
        let mut g = Gen {
            rng: Rng::new(seed),
            out: String::new(),
            vars: Vec::new(),
            funcs: Vec::new(),
            names: 0,
            depth: 0,
            loops: Vec::new(),
            indent: 0,
        };
        let mut text =
            format!("package main\n\nimport \"fmt\"\n{PRELUDE}\nvar G, H = 7, \"g\"\n\n");
        for _ in 0..funcs {
            text.push_str(&g.func());
        }
        text.push_str("func main() {\n");
        for i in 0..g.funcs.len() {
            let params: Vec<&str> = g.funcs[i].params.clone();
            let args: Vec<String> = params.iter().map(|t| g.literal(t)).collect();
            let name = g.funcs[i].name.clone();
            let _ = writeln!(
                text,
                "\ttry({name:?}, func() {{ fmt.Println({name:?}, show({name}({}))) }})",
                args.join(", ")
            );
        }
        text.push_str("\tfmt.Println(G, H)\n}\n");
        text
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn line(&mut self, s: &str) {
        let tabs = "\t".repeat(self.indent);
        let _ = writeln!(self.out, "{tabs}{s}");
    }

    fn func(&mut self) -> String {
        let name = self.fresh("f");
        let n = self.rng.below(4);
        let params: Vec<&'static str> = (0..n).map(|_| *self.rng.pick(TYPES)).collect();
        let result = *self.rng.pick(TYPES);
        self.out.clear();
        self.vars = params.iter().enumerate().map(|(i, t)| (format!("p{i}"), *t)).collect();
        self.vars.push(("G".into(), "int"));
        self.vars.push(("H".into(), "string"));
        let list: Vec<String> =
            params.iter().enumerate().map(|(i, t)| format!("p{i} {t}")).collect();
        let named = self.rng.below(3) == 0;
        let head = if named {
            self.vars.push(("res".into(), result));
            format!("func {name}({}) (res {result}) {{\n", list.join(", "))
        } else {
            format!("func {name}({}) {result} {{\n", list.join(", "))
        };
        self.indent = 1;
        self.depth = 0;
        if named && self.rng.below(2) == 0 {
            let v = self.expr(result, 2);
            self.line(&format!("defer func() {{ if r := recover(); r != nil {{ res = {v} }} }}()"));
        }
        let n = 3 + self.rng.below(6);
        self.block(n);
        let v = self.expr(result, 3);
        self.line(&format!("return {v}"));
        self.funcs.push(Func { name, params, result });
        format!("{head}{}}}\n\n", self.out)
    }

    fn block(&mut self, n: usize) {
        let scope = self.vars.len();
        for _ in 0..n {
            self.stmt();
        }
        self.vars.truncate(scope);
    }

    fn nested(&mut self, head: &str, n: usize) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        self.depth += 1;
        self.block(n);
        self.depth -= 1;
        self.indent -= 1;
        self.line("}");
    }

    fn declare(&mut self) {
        let t = *self.rng.pick(TYPES);
        let v = self.expr(t, 3);
        let name = self.fresh("v");
        self.line(&format!("var {name} {t} = {v}"));
        self.line(&format!("_ = {name}"));
        self.vars.push((name, t));
    }

    fn stmt(&mut self) {
        let deep = self.depth >= 3;
        match self.rng.below(if deep { 8 } else { 20 }) {
            0..=2 => self.declare(),
            3..=4 => self.assign(),
            5 => self.op_assign(),
            6 => self.mutate(),
            7 => {
                let t = *self.rng.pick(TYPES);
                let v = self.expr(t, 3);
                self.line(&format!("fmt.Println(show({v}))"));
            }
            8..=9 => {
                let c = self.expr("bool", 2);
                let n = 1 + self.rng.below(3);
                self.nested(&format!("if {c}"), n);
            }
            10..=11 => self.for_loop(),
            12 => self.range_loop(),
            13 => self.switch(),
            14 => self.closure(),
            15 => self.channel(),
            16 => self.jump(),
            17 => self.tuple(),
            18 => self.deferred(),
            _ => self.swap(),
        }
    }

    fn var_of(&mut self, t: &str) -> Option<String> {
        let list: Vec<String> =
            self.vars.iter().filter(|(_, x)| *x == t).map(|(n, _)| n.clone()).collect();
        if list.is_empty() { None } else { Some(self.rng.pick(&list).clone()) }
    }

    fn assign(&mut self) {
        let t = *self.rng.pick(TYPES);
        let Some(v) = self.var_of(t) else { return };
        let e = self.expr(t, 3);
        self.line(&format!("{v} = {e}"));
    }

    fn op_assign(&mut self) {
        let t = *self.rng.pick(INTS);
        let Some(v) = self.var_of(t) else { return };
        let e = self.expr(t, 2);
        let op =
            *self.rng.pick(&["+=", "-=", "*=", "&=", "|=", "^=", "&^=", "/=", "%=", "<<=", ">>="]);
        let e = match op {
            "<<=" | ">>=" => format!("{}", self.rng.below(70)),
            // A constant zero would be an error.
            "/=" | "%=" => wrap(t, &e),
            _ => e,
        };
        self.line(&format!("{v} {op} {e}"));
    }

    /// Changes a part of a composite variable.
    fn mutate(&mut self) {
        let e = self.expr("int", 2);
        let s = self.expr("string", 1);
        let i = self.rng.below(4);
        match self.rng.below(7) {
            0 => self.on("[]int", |v| format!("{v} = append({v}, {e})")),
            1 => self.on("[]int", |v| format!("{v}[{i}] = {e}")),
            2 => self.on("map[string]int", |v| format!("{v}[{s}] += {e}")),
            3 => self.on("S", |v| format!("{v}.A, {v}.C[1] = {e}, {v}.C[0]+1")),
            4 => self.on("*S", |v| format!("{v}.Add({e})")),
            5 => self.on("[3]int", |v| format!("{v}[{}] = {e}", i % 3)),
            _ => self.on("map[string]int", |v| format!("delete({v}, {s})")),
        }
    }

    fn on(&mut self, t: &str, f: impl Fn(&str) -> String) {
        if let Some(v) = self.var_of(t) {
            self.line(&f(&v));
        }
    }

    fn for_loop(&mut self) {
        let i = self.fresh("i");
        let n = 1 + self.rng.below(6);
        let label = self.fresh("L");
        let labelled = self.rng.below(2) == 0;
        if labelled {
            self.loops.push(label.clone());
            self.line(&format!("{label}:"));
        }
        let head = match self.rng.below(3) {
            0 => format!("for {i} := 0; {i} < {n}; {i}++"),
            1 => format!("for {i} := range {n}"),
            _ => format!("for {i} := {n}; {i} > 0; {i} -= 2"),
        };
        self.line(&format!("{head} {{"));
        self.indent += 1;
        self.depth += 1;
        self.vars.push((i.clone(), "int"));
        // The loop variable may be read, but not assigned: the loop must end.
        let body = 1 + self.rng.below(3);
        let copy = self.fresh("v");
        self.line(&format!("{copy} := {i}"));
        self.line(&format!("_ = {copy}"));
        self.vars.pop();
        self.vars.push((copy, "int"));
        self.block(body);
        self.vars.pop();
        if labelled {
            let c = self.expr("bool", 1);
            let word = *self.rng.pick(&["break", "continue"]);
            self.line(&format!("if {c} {{ {word} {label} }}"));
            self.loops.pop();
        }
        self.depth -= 1;
        self.indent -= 1;
        self.line("}");
    }

    fn range_loop(&mut self) {
        let (k, v) = (self.fresh("k"), self.fresh("v"));
        let (t, key, val) = *self.rng.pick(&[
            ("[]int", "int", "int"),
            ("[3]int", "int", "int"),
            ("string", "int", "rune"),
            ("[]string", "int", "string"),
        ]);
        if self.rng.below(4) == 0 {
            let n = self.rng.below(6);
            self.nested(&format!("for {v} := range seq({n})"), 1);
            self.fix_last_loop(&v);
            return;
        }
        let e = self.expr(t, 2);
        self.line(&format!("for {k}, {v} := range {e} {{"));
        self.indent += 1;
        self.depth += 1;
        self.line(&format!("G += int({k})"));
        match val {
            "rune" => self.line(&format!("G ^= int({v})")),
            "string" => self.line(&format!("H = {v}")),
            _ => self.line(&format!("G -= {v}")),
        }
        let _ = key;
        self.line("if G > 1000 { G = 1; break }");
        self.block(1);
        self.depth -= 1;
        self.indent -= 1;
        self.line("}");
    }

    /// The variable of a range over a function is used, so that it compiles.
    fn fix_last_loop(&mut self, v: &str) {
        let at = self.out.rfind(&format!("for {v} := range seq(")).unwrap_or(0);
        let end = self.out[at..].find('\n').map_or(self.out.len(), |i| at + i + 1);
        self.out.insert_str(end, &format!("\t\tG = {v}\n"));
    }

    fn switch(&mut self) {
        let e = self.expr("int", 2);
        self.line(&format!("switch x := {e}; {{"));
        for i in 0..3 {
            let n = self.rng.below(20) as i64 - 5;
            self.line(&format!("case x {} {n}:", ["<", "==", ">="][i]));
            self.indent += 1;
            self.depth += 1;
            self.block(1);
            self.depth -= 1;
            if i < 2 && self.rng.below(4) == 0 {
                self.line("fallthrough");
            }
            self.indent -= 1;
        }
        self.line("default:");
        self.line("\tG++");
        self.line("}");
    }

    fn closure(&mut self) {
        let f = self.fresh("c");
        let e = self.expr("int", 2);
        let captured = self.var_of("int").unwrap_or_else(|| "G".into());
        let change =
            if self.rng.below(2) == 0 { format!("{captured} += a; ") } else { String::new() };
        self.line(&format!("{f} := func(a int) int {{ {change}return a + {e} + {captured} }}"));
        self.line(&format!("fmt.Println({f}({f}(1)))"));
        self.vars.push((f, "func(int) int"));
    }

    fn channel(&mut self) {
        let c = self.fresh("ch");
        let n = self.rng.below(3);
        let (a, b) = (self.expr("int", 2), self.expr("int", 2));
        self.line(&format!("{c} := make(chan int, {n})"));
        self.line(&format!("go func(a, b int) {{ {c} <- a; {c} <- b; close({c}) }}({a}, {b})"));
        self.line(&format!("for x := range {c} {{ G = G*3 + x; G %= 9973 }}"));
    }

    fn jump(&mut self) {
        if let Some(l) = self.loops.last().cloned() {
            let c = self.expr("bool", 2);
            let word = *self.rng.pick(&["break", "continue"]);
            self.line(&format!("if {c} {{ {word} {l} }}"));
        }
    }

    fn tuple(&mut self) {
        let (a, ok) = (self.fresh("v"), self.fresh("ok"));
        let m = self.expr("map[string]int", 2);
        let s = self.expr("string", 1);
        self.line(&format!("{a}, {ok} := {m}[{s}]"));
        self.line(&format!("_, _ = {a}, {ok}"));
        self.vars.push((a, "int"));
        self.vars.push((ok, "bool"));
    }

    fn deferred(&mut self) {
        let e = self.expr("int", 2);
        self.line(&format!("defer func(n int) {{ G += n; G %= 1 << 20 }}({e})"));
    }

    fn swap(&mut self) {
        let t = *self.rng.pick(TYPES);
        if let (Some(a), Some(b)) = (self.var_of(t), self.var_of(t)) {
            self.line(&format!("{a}, {b} = {b}, {a}"));
        }
    }

    fn literal(&mut self, t: &str) -> String {
        let n = self.rng.below(300) as i64 - 100;
        match t {
            "int" | "int64" => format!("{n}"),
            "int8" => format!("{}", n.clamp(-100, 100)),
            "int16" => format!("{}", n * 90),
            "Num" => format!("Num({})", n * 90),
            "uint8" => format!("{}", n.unsigned_abs()),
            "uint32" | "uint64" => format!("{}", n.unsigned_abs() * 7_777_777),
            "float64" => format!("{}.25", n),
            "string" => {
                let list = ["\"\"", "\"a\"", "\"héllo\"", "\"x\\x80y\"", "`raw`", "\"0123456789\""];
                (*self.rng.pick(&list)).to_string()
            }
            "bool" => (*self.rng.pick(&["true", "false"])).to_string(),
            "[]int" => {
                let list = [
                    "[]int{1, 2, 3}",
                    "[]int(nil)",
                    "[]int{}",
                    "make([]int, 2, 5)",
                    "[]int{5: 9, 1: 4}",
                ];
                (*self.rng.pick(&list)).to_string()
            }
            "[]string" => {
                (*self.rng.pick(&["[]string{\"q\", \"w\"}", "[]string(nil)"])).to_string()
            }
            "[3]int" => format!("[3]int{{{n}, 2}}"),
            "map[string]int" => {
                let list = [
                    "map[string]int{\"a\": 1, \"b\": 2}",
                    "map[string]int{}",
                    "map[string]int{\"héllo\": 5}",
                ];
                (*self.rng.pick(&list)).to_string()
            }
            "S" => format!("S{{A: {n}, B: \"s\"}}"),
            "*S" => (*self.rng.pick(&["&S{A: 4}", "(*S)(nil)", "new(S)"])).to_string(),
            "I" => (*self.rng.pick(&["I(S{A: 1})", "I(Num(5))", "I(nil)", "I(&S{B: \"p\"})"]))
                .to_string(),
            "func(int) int" => "func(a int) int { return a*a - 1 }".into(),
            _ => (*self.rng.pick(&[
                "any(5)",
                "any(\"any\")",
                "any(nil)",
                "any(S{A: 2})",
                "any([]int{1})",
                "any(2.5)",
            ]))
            .to_string(),
        }
    }

    /// An expression of a type.
    fn expr(&mut self, t: &'static str, depth: usize) -> String {
        if depth == 0 || self.rng.below(4) == 0 {
            if let Some(v) = self.var_of(t)
                && self.rng.below(3) > 0
            {
                return v;
            }
            return self.literal(t);
        }
        if self.rng.below(6) == 0
            && let Some(call) = self.call(t, depth)
        {
            return call;
        }
        let d = depth - 1;
        if INTS.contains(&t) {
            return self.int_expr(t, d);
        }
        match t {
            "float64" => {
                let (a, b) = (self.expr(t, d), self.expr(t, d));
                let op = *self.rng.pick(&["+", "-", "*", "/"]);
                // A constant divisor could be zero, which no compiler takes.
                let b = if op == "/" { format!("pick(true, {b}, 1.5)") } else { b };
                format!("({a} {op} {b})")
            }
            "string" => self.string_expr(t, d),
            "bool" => self.bool_expr(d),
            "[]int" => match self.rng.below(4) {
                0 => format!("append({}, {})", self.expr(t, d), self.expr("int", d)),
                1 => format!("append([]int(nil), {}...)", self.expr(t, d)),
                2 => format!("{}[{}:]", paren(&self.expr(t, d)), self.rng.below(3)),
                _ => self.literal(t),
            },
            "S" => match self.rng.below(3) {
                0 => format!(
                    "S{{{}, {}, [2]int8{{1, {}}}}}",
                    self.expr("int", d),
                    self.expr("string", d),
                    self.expr("int8", d)
                ),
                1 => format!("mk({}, {}).Val", self.expr("int", d), self.expr(t, d)),
                _ => self.literal(t),
            },
            "I" => match self.rng.below(3) {
                0 => format!("I({})", self.expr("S", d)),
                1 => format!("I({})", self.expr("Num", d)),
                _ => self.literal(t),
            },
            "any" => {
                let inner = *self.rng.pick(&TYPES[..16]);
                format!("any({})", self.expr(inner, d))
            }
            _ => self.literal(t),
        }
    }

    fn int_expr(&mut self, t: &'static str, d: usize) -> String {
        match self.rng.below(9) {
            0..=3 => {
                let (a, b) = (self.expr(t, d), self.expr(t, d));
                let op = *self.rng.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "&^"]);
                // Constant operands could overflow or divide by zero at compile time.
                format!("({t}({}) {op} {})", wrap(t, &a), wrap(t, &b))
            }
            4 => format!("({} << {})", wrap(t, &self.expr(t, d)), self.rng.below(70)),
            5 => format!("({} >> {})", wrap(t, &self.expr(t, d)), self.rng.below(70)),
            6 => {
                let from = *self.rng.pick(INTS);
                format!("{t}({})", wrap(from, &self.expr(from, d)))
            }
            7 if t == "int" => match self.rng.below(5) {
                0 => format!("len({})", self.expr("[]int", d)),
                1 => format!("{}.Sum()", paren(&self.expr("I", d))),
                2 => format!("{}[{}]", paren(&self.expr("[]int", d)), self.rng.below(4)),
                3 => format!(
                    "{}[{}]",
                    paren(&self.expr("map[string]int", d)),
                    self.expr("string", d)
                ),
                _ => format!("{}({})", paren(&self.expr("func(int) int", d)), self.expr("int", d)),
            },
            _ => format!(
                "pick({}, {}, {})",
                self.expr("bool", d),
                wrap(t, &self.expr(t, d)),
                wrap(t, &self.expr(t, d))
            ),
        }
    }

    fn string_expr(&mut self, t: &'static str, d: usize) -> String {
        match self.rng.below(5) {
            // what may double in each turn of a loop is kept short
            0 if self.rng.below(2) == 0 => {
                format!("join({}, {})", self.expr(t, d), self.expr(t, d))
            }
            0 => format!("({} + {})", self.literal(t), self.expr(t, d)),
            1 => format!("fmt.Sprint({})", self.expr("int", d)),
            2 => format!("string(rune({}))", self.expr("int", d)),
            3 => format!("show({})", self.expr("any", d)),
            _ => {
                format!("pick({}, {}, {})", self.expr("bool", d), self.expr(t, d), self.expr(t, d))
            }
        }
    }

    fn bool_expr(&mut self, d: usize) -> String {
        match self.rng.below(5) {
            0 => format!("({} && {})", self.expr("bool", d), self.expr("bool", d)),
            1 => format!("({} || {})", self.expr("bool", d), self.expr("bool", d)),
            2 => format!("!{}", paren(&self.expr("bool", d))),
            3 => {
                let t = *self.rng.pick(&["int", "uint8", "string", "float64", "int8"]);
                let op = *self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {op} {})", wrap(t, &self.expr(t, d)), wrap(t, &self.expr(t, d)))
            }
            _ => {
                let t = *self.rng.pick(&["S", "any", "[3]int", "I"]);
                format!("({} == {})", wrap(t, &self.expr(t, d)), wrap(t, &self.expr(t, d)))
            }
        }
    }

    fn call(&mut self, t: &str, depth: usize) -> Option<String> {
        let list: Vec<usize> =
            (0..self.funcs.len()).filter(|i| self.funcs[*i].result == t).collect();
        if list.is_empty() || self.depth > 1 {
            return None;
        }
        let i = *self.rng.pick(&list);
        let params = self.funcs[i].params.clone();
        let args: Vec<String> = params.iter().map(|p| self.expr(p, depth.min(2) - 1)).collect();
        Some(format!("{}({})", self.funcs[i].name, args.join(", ")))
    }
}

/// Makes a value of what may be a constant, through a function, so that nothing is computed by the compiler.
fn wrap(t: &str, e: &str) -> String {
    if e.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '"' || c == '`')
        || e.contains("Num(")
    {
        format!("pick(true, {t}({e}), {t}({e}))")
    } else {
        paren(e)
    }
}

fn paren(e: &str) -> String {
    if e.chars().all(|c| c.is_alphanumeric() || c == '_') {
        e.to_string()
    } else {
        format!("({e})")
    }
}
