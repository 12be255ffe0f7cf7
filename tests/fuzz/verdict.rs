//! Programs that are nearly right: valid ones with a small mistake, of which gmpl and the Go compiler must say the same.
//!
//! A mistake is made of tokens (a name, literal, operator or type becomes another one; something is dropped, doubled or put in) or of
//! whole pieces (a line, or what stands between brackets or commas, is dropped, doubled, or put where another stood).

use super::Random;

/// A token with its place in the text.
#[derive(Clone, Copy, Debug)]
struct Token {
    start: usize,
    end: usize,
    class: Class,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Name,
    Number,
    Text,
    Operator,
    Open,
    Close,
    Comma,
    Keyword,
}

const KEYWORDS: &[&str] = &[
    "break",
    "case",
    "chan",
    "const",
    "continue",
    "default",
    "defer",
    "else",
    "fallthrough",
    "for",
    "func",
    "go",
    "goto",
    "if",
    "import",
    "interface",
    "map",
    "package",
    "range",
    "return",
    "select",
    "struct",
    "switch",
    "type",
    "var",
];
const OPERATORS: &[&str] = &[
    "<<=", ">>=", "&^=", "...", "&&", "||", "<-", "++", "--", "==", "!=", "<=", ">=", ":=", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "&^", "+", "-", "*", "/", "%", "&", "|",
    "^", "<", ">", "=", "!", "~", ".", ":", ";",
];
const TYPES: &[&str] = &[
    "int",
    "string",
    "bool",
    "float64",
    "uint8",
    "rune",
    "uint",
    "complex128",
    "error",
    "any",
    "[]int",
    "[]string",
    "[3]int",
    "map[string]int",
    "map[[]int]int",
    "*int",
    "chan int",
    "<-chan int",
    "chan<- int",
    "func()",
    "func(int) int",
    "struct{}",
    "struct{ a int }",
    "interface{ M() }",
    "comparable",
    "T",
    "[]byte",
    "uintptr",
    "interface{ ~int }",
    "[2][]int",
];
const VALUES: &[&str] = &[
    "nil",
    "0",
    "1",
    "-1",
    "1.5",
    "1e100",
    "'a'",
    "\"s\"",
    "true",
    "2i",
    "iota",
    "_",
    "x",
    "x.y",
    "x[0]",
    "len",
    "len(x)",
    "func() {}",
    "func() int { return 1 }",
    "[]int{1, 2}",
    "struct{}{}",
    "map[string]int{\"a\": 1}",
    "x.(int)",
    "&x",
    "*x",
    "-x",
    "!x",
    "<-x",
    "x...",
    "int(x)",
    "string(x)",
    "f()",
    "1 << 70",
    "1 << x",
    "1 / 0",
    "[...]int{1, 2}",
    "new(int)",
    "cap(x)",
    "append(x, 1)",
    "any(x)",
    "x == nil",
    "x + 1",
    "x + \"s\"",
    "1 + 1.5",
    "x < x",
    "T{}",
    "(int)",
    "x[1:2]",
    "x[:1:2]",
    "panic(1)",
    "recover()",
    "make([]int, 1)",
    "min(x, 1)",
    "unsafe.Sizeof(x)",
];
const STATEMENTS: &[&str] = &[
    "break",
    "continue",
    "return",
    "return 1",
    "goto L",
    "fallthrough",
    "x := 1",
    "var x int",
    "x++",
    "x = 1",
    "_ = x",
    "x",
    "f()",
    "go f()",
    "defer f()",
    "defer recover()",
    "var _ = x",
    "L:",
    "for range x {\n}",
    "for i := range x {\n_ = i\n}",
    "switch x {\ncase 1:\n}",
    "if x {\n}",
    "switch x.(type) {\ncase int:\n}",
    "x, y := 1, 2",
    "x <- 1",
    "type T int",
    "const x = 1",
    "select {\ncase <-x:\n}",
    "var x, y = 1",
    "func() {}",
    "x == 1",
    "for {\n}",
    "x += \"s\"",
    "{",
    "}",
    "continue L",
    "break L",
    "switch {\ndefault:\ndefault:\n}",
    "len(x)",
    "_ = x.y",
    "_ = nil",
];

fn tokens(text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = vec![];
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.as_bytes()[0];
        let (n, class) = if let Some(n) = comment(rest) {
            (n, None)
        } else if first.is_ascii_alphabetic() || first == b'_' || first >= 0x80 {
            let n = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let class = if KEYWORDS.contains(&&rest[..n]) { Class::Keyword } else { Class::Name };
            (n.max(1), Some(class))
        } else if first.is_ascii_digit() {
            let n = rest.find(|c: char| !(c.is_alphanumeric() || "_.".contains(c)));
            (n.unwrap_or(rest.len()), Some(Class::Number))
        } else if b"\"'`".contains(&first) {
            (quoted(rest), Some(Class::Text))
        } else {
            punctuation(rest)
        };
        if let Some(class) = class {
            out.push(Token { start: at, end: at + n, class });
        }
        at += n;
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    out
}

fn comment(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    rest.starts_with("/*").then(|| rest.find("*/").map_or(rest.len(), |n| n + 2))
}

fn quoted(rest: &str) -> usize {
    let quote = rest.as_bytes()[0];
    let mut at = 1;
    while at < rest.len() && rest.as_bytes()[at] != quote {
        at += if rest.as_bytes()[at] == b'\\' && quote != b'`' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

fn punctuation(rest: &str) -> (usize, Option<Class>) {
    if let Some(op) = OPERATORS.iter().find(|op| rest.starts_with(**op)) {
        return (op.len(), Some(Class::Operator));
    }
    match rest.as_bytes()[0] {
        b'(' | b'[' | b'{' => (1, Some(Class::Open)),
        b')' | b']' | b'}' => (1, Some(Class::Close)),
        b',' => (1, Some(Class::Comma)),
        _ => (1, None),
    }
}

/// What replaces bytes `from..to` of a text.
fn replaced(text: &str, from: usize, to: usize, with: &str) -> String {
    format!("{}{with}{}", &text[..from], &text[to..])
}

/// The piece that starts at token `i`: up to the comma or closing bracket that ends it, brackets inside taken whole.
fn piece(tokens: &[Token], i: usize) -> (usize, usize) {
    let mut depth = 0;
    let mut end = tokens[i].end;
    for t in &tokens[i..] {
        match t.class {
            Class::Open => depth += 1,
            Class::Close if depth == 0 => break,
            Class::Close => depth -= 1,
            Class::Comma if depth == 0 => break,
            Class::Name
            | Class::Number
            | Class::Text
            | Class::Operator
            | Class::Comma
            | Class::Keyword => {}
        }
        end = t.end;
    }
    (tokens[i].start, end)
}

/// One more mistake in a text.
fn mistake(text: &str, r: &mut Random) -> String {
    let all = tokens(text);
    if all.is_empty() {
        return text.to_string();
    }
    let at = r.below(all.len());
    let t = all[at];
    let word = &text[t.start..t.end];
    // another token of the same class, near by as often as not
    let same: Vec<&Token> = all.iter().filter(|o| o.class == t.class).collect();
    let other = same[r.below(same.len())];
    let other = text[other.start..other.end].to_string();
    match (r.below(12), t.class) {
        (0..=3, Class::Name) => replaced(text, t.start, t.end, &other),
        (4, Class::Name) => replaced(text, t.start, t.end, r.pick(TYPES)),
        (5, Class::Name | Class::Number | Class::Text) => {
            let value = r.pick(VALUES);
            let value =
                if value.contains("max") { value.to_string() } else { value.replace('x', word) };
            replaced(text, t.start, t.end, &value)
        }
        (0..=4, Class::Number | Class::Text) => replaced(text, t.start, t.end, r.pick(VALUES)),
        (0..=5, Class::Operator) => replaced(text, t.start, t.end, r.pick(OPERATORS)),
        (6, _) => replaced(text, t.start, t.end, ""),
        (7, _) => replaced(text, t.end, t.end, &format!(" {word} ")),
        (8, _) => lines_changed(text, r),
        (9 | 10, _) => pieces_changed(text, &all, r),
        (11, _) => statement_added(text, &all, r),
        _ => replaced(text, t.start, t.end, &other),
    }
}

/// A line is dropped, doubled, or takes another's place.
fn lines_changed(text: &str, r: &mut Random) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let (a, b) = (r.below(lines.len()), r.below(lines.len()));
    match r.below(4) {
        0 => {
            lines.remove(a);
        }
        1 => lines.insert(a, lines[a]),
        2 => lines.swap(a, b),
        _ => lines.insert(a, lines[b]),
    }
    lines.join("\n") + "\n"
}

/// What stands between brackets or commas is dropped, doubled, or takes another's place.
fn pieces_changed(text: &str, all: &[Token], r: &mut Random) -> String {
    let starts: Vec<usize> = (1..all.len())
        .filter(|&i| {
            matches!(all[i - 1].class, Class::Open | Class::Comma) && all[i].class != Class::Close
        })
        .collect();
    if starts.is_empty() {
        return text.to_string();
    }
    let (from, to) = piece(all, starts[r.below(starts.len())]);
    let (a, b) = piece(all, starts[r.below(starts.len())]);
    match r.below(4) {
        0 => replaced(text, from, to, ""),
        1 => replaced(text, to, to, &format!(", {}", &text[from..to])),
        2 => replaced(text, from, to, r.pick(VALUES)),
        _ => replaced(text, from, to, &text[a..b]),
    }
}

/// A statement with a name of the program is put on a line of its own.
fn statement_added(text: &str, all: &[Token], r: &mut Random) -> String {
    let names: Vec<&Token> = all.iter().filter(|t| t.class == Class::Name).collect();
    if names.is_empty() {
        return text.to_string();
    }
    let name = names[r.below(names.len())];
    let statement = r.pick(STATEMENTS);
    let words: Vec<&str> = statement.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
    let name = &text[name.start..name.end];
    let filled: String = words
        .iter()
        .map(|w| if w.starts_with('x') { w.replacen('x', name, 1) } else { (*w).to_string() })
        .collect();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.insert(r.below(lines.len() + 1), &filled);
    lines.join("\n") + "\n"
}

/// A text of the corpus with one to three mistakes.
pub(crate) fn program(texts: &[String], seed: u64) -> String {
    let mut r = Random::new(seed.wrapping_mul(7919));
    let mut text = texts[r.below(texts.len())].clone();
    for _ in 0..=r.below(3) {
        text = mistake(&text, &mut r);
    }
    text
}

/// Differences that are known, by what Go says first (docs/conformance.md, "Verdicts of broken programs").
const KNOWN: &[&str] = &[
    // a text without a package clause is a script
    "package statement must be first",
    // the words of `go list`, which the compiler alone has not
    "could not import",
];

/// Whether a difference is of a known kind.
pub(crate) fn is_known(go: &[String]) -> bool {
    let first = go.first().map_or("", String::as_str);
    KNOWN.iter().any(|k| first.contains(k))
}
