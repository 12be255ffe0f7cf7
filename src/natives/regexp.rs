//! Package regexp over the regex crate, which has Go's matching rules (leftmost, first alternative, linear time).
//!
//! The syntaxes differ in what `\d`, `\w`, `\s` and `\b` mean (Go: ASCII), in literal braces and in what is an operator inside of classes;
//! [`translate`] writes a Go expression in the crate's syntax, and finds the mistakes for which Go has words of its own.

use regex::bytes::{Regex, RegexBuilder};

use crate::heap::SHAPE_RAW;

use super::{NativePart, Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[
    ("compile", compile),
    ("find", find),
    ("literalPrefix", literal_prefix),
    ("quoteMeta", quote_meta),
];

/// Memory for a compiled expression; Go allows about as much.
const SIZE_LIMIT: usize = 64 << 20;

#[derive(Debug)]
struct RegexPart(Regex);

/// A Go expression in the crate's syntax, and the names of its groups. The crate never sees the names: Go allows one twice.
struct Translated {
    pattern: String,
    names: Vec<String>,
}

impl NativePart for RegexPart {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// What is wrong with an expression: Go's words, and the part that they are about.
type Fault = (&'static str, String);

/// `func compile(expr string, longest bool) (h *handle, groups []string, code string, text string)`.
fn compile(n: &mut Ncx<'_, '_>) -> Outcome {
    let expr = n.bytes(0);
    let compiled = std::str::from_utf8(expr)
        .map_err(|_| ("invalid UTF-8", n.string(0)))
        .and_then(|s| translate(s))
        .and_then(|t| {
            let built = RegexBuilder::new(&t.pattern).size_limit(SIZE_LIMIT).build();
            built.map(|re| (re, t.names)).map_err(|e| fault_of(&e, expr))
        });
    n.charge(expr.len() * 256);
    match compiled {
        Ok((re, names)) => {
            let h = n.new_handle(RegexPart(re));
            n.ret(0, h);
            n.ret_strings(1, &names);
            n.ret(2, 0);
            n.ret(3, 0);
        }
        Err((code, text)) => {
            n.ret(0, 0);
            n.ret(1, 0);
            n.ret_string(2, code.as_bytes());
            n.ret_string(3, text.as_bytes());
        }
    }
    Outcome::Done
}

/// The crate's own complaints, in Go's words as far as they can be told.
fn fault_of(e: &regex::Error, expr: &[u8]) -> Fault {
    let text = String::from_utf8_lossy(expr).into_owned();
    let message = e.to_string();
    let code = if message.contains("size limit") {
        "expression too large"
    } else if message.contains("invalid character class range")
        || message.contains("Unicode property not found")
    {
        "invalid character class range"
    } else if message.contains("unclosed group") {
        "missing closing )"
    } else {
        "invalid or unsupported Perl syntax"
    };
    (code, text)
}

/// `func find(h *handle, s string, max int) (ends []int)`: the ends of all groups of up to `max` matches, one after the other; -1 for a
/// group that took no part.
fn find(n: &mut Ncx<'_, '_>) -> Outcome {
    let (s, max) = (n.bytes(1), n.int(2));
    let Some(re) = n.handle::<RegexPart>(0) else {
        return Outcome::Trap(crate::vm::trap::Trap::Nil);
    };
    let limit = usize::try_from(max).unwrap_or(usize::MAX);
    let mut ends: Vec<u64> = Vec::new();
    let mut locations = re.0.capture_locations();
    let mut at = 0;
    let mut last_end = None;
    let mut count = 0;
    while count < limit && at <= s.len() {
        let Some(m) = re.0.captures_read_at(&mut locations, s, at) else { break };
        // An empty match right behind the match before does not count.
        if m.is_empty() && last_end == Some(m.end()) {
            at = m.end() + width(s, m.end());
            continue;
        }
        last_end = Some(m.end());
        at = if m.is_empty() { m.end() + width(s, m.end()) } else { m.end() };
        count += 1;
        for i in 0..locations.len() {
            let (a, b) =
                locations.get(i).map_or((u64::MAX, u64::MAX), |(a, b)| (a as u64, b as u64));
            ends.extend([a, b]);
        }
    }
    n.charge(s.len().min(at) * 8 + ends.len() * 16);
    let slice = if ends.is_empty() { 0 } else { n.alloc().word_slice(&ends, SHAPE_RAW) };
    n.ret(0, slice);
    Outcome::Done
}

/// Bytes of the character at `i`, at least one.
fn width(s: &[u8], i: usize) -> usize {
    if i >= s.len() { 1 } else { crate::value::text::decode_rune(&s[i..]).1 }
}

fn is_meta(b: u8) -> bool {
    br"\.+*?()|[]{}^$".contains(&b)
}

/// `func quoteMeta(s string) string`.
fn quote_meta(n: &mut Ncx<'_, '_>) -> Outcome {
    let mut out = Vec::new();
    for &b in n.bytes(0) {
        if is_meta(b) {
            out.push(b'\\');
        }
        out.push(b);
    }
    n.ret_string(0, &out);
    Outcome::Done
}

/// `func literalPrefix(expr string) (prefix string, complete bool)`.
fn literal_prefix(n: &mut Ncx<'_, '_>) -> Outcome {
    let expr = n.bytes(0);
    let mut end = expr.iter().position(|b| is_meta(*b)).unwrap_or(expr.len());
    let complete = end == expr.len();
    // What may be left out or is one of two alternatives is no prefix.
    match expr.get(end) {
        Some(b'*' | b'?' | b'{') => end = end.saturating_sub(1),
        Some(b'|') => end = 0,
        _ => {}
    }
    if expr.contains(&b'|') {
        end = 0;
    }
    n.ret_string(0, &expr[..end]);
    n.ret_bool(1, complete);
    Outcome::Done
}

/// Writes a Go expression in the crate's syntax.
fn translate(expr: &str) -> Result<Translated, Fault> {
    let out = String::with_capacity(expr.len() + 8);
    let mut t = Translator { expr, at: 0, out, open: 0, names: vec![String::new()] };
    while t.at < expr.len() {
        t.item()?;
    }
    if t.open > 0 {
        return Err(("missing closing )", expr.into()));
    }
    Ok(Translated { pattern: t.out, names: t.names })
}

struct Translator<'e> {
    expr: &'e str,
    at: usize,
    out: String,
    /// Groups that are open.
    open: usize,
    names: Vec<String>,
}

/// Where a repetition stands in the expression.
enum Repeat {
    No,
    /// Its length, and whether it is too large.
    Yes(usize, bool),
}

impl Translator<'_> {
    fn rest(&self) -> &str {
        &self.expr[self.at..]
    }

    fn copy(&mut self, bytes: usize) {
        let end = self.at + bytes;
        self.out.push_str(&self.expr[self.at..end]);
        self.at = end;
    }

    fn item(&mut self) -> Result<(), Fault> {
        let Some(c) = self.rest().chars().next() else { return Ok(()) };
        match c {
            '\\' => self.escape(),
            '[' => self.class(),
            '(' => self.group(),
            ')' => {
                if self.open == 0 {
                    return Err(("unexpected )", self.expr.into()));
                }
                self.open -= 1;
                self.copy(1);
                Ok(())
            }
            '*' | '+' | '?' => self.repetition(1),
            '{' => match repeat(self.rest()) {
                Repeat::No => {
                    self.out.push_str("\\{");
                    self.at += 1;
                    Ok(())
                }
                Repeat::Yes(len, true) => Err(("invalid repeat count", self.rest()[..len].into())),
                Repeat::Yes(len, false) => self.repetition(len),
            },
            '}' => {
                self.out.push_str("\\}");
                self.at += 1;
                Ok(())
            }
            c => {
                self.copy(c.len_utf8());
                Ok(())
            }
        }
    }

    /// A repetition of `len` bytes: there must be something to repeat, and it must not be one already.
    fn repetition(&mut self, len: usize) -> Result<(), Fault> {
        let begins = self.out.is_empty()
            || (self.out.ends_with(['(', '|'])
                && !self.out.ends_with("\\(")
                && !self.out.ends_with("\\|"))
            || self.after_flags();
        if begins {
            return Err(("missing argument to repetition operator", self.rest()[..len].into()));
        }
        let start = self.at;
        self.copy(len);
        if self.rest().starts_with('?') {
            self.copy(1);
        }
        let more = match self.rest().chars().next() {
            Some('*' | '+' | '?') => 1,
            Some('{') => match repeat(self.rest()) {
                Repeat::Yes(len, _) => len,
                Repeat::No => 0,
            },
            _ => 0,
        };
        if more > 0 {
            let end = self.at + more;
            return Err(("invalid nested repetition operator", self.expr[start..end].into()));
        }
        Ok(())
    }

    /// The output ends with the start of a group, `(?:` or `(?P<name>`.
    fn after_flags(&self) -> bool {
        let Some(i) = self.out.rfind("(?") else { return false };
        let tail = &self.out[i + 2..];
        tail.ends_with(':') && tail[..tail.len() - 1].chars().all(|c| "imsU-".contains(c))
            || tail.starts_with("P<") && tail.find('>') == Some(tail.len() - 1)
    }

    fn group(&mut self) -> Result<(), Fault> {
        let rest = self.rest();
        if let Some(inner) = rest.strip_prefix("(?") {
            let named = inner.strip_prefix("P<").or_else(|| inner.strip_prefix('<'));
            if let Some(name) = named {
                return self.named(name.len(), rest.len());
            }
            let end = inner.find([':', ')']).map_or(inner.len(), |i| i + 1);
            let flags = &inner[..end];
            let good = flags.ends_with([':', ')'])
                && flags[..end - 1].chars().all(|c| "imsU-".contains(c))
                && !flags[..end - 1].ends_with('-')
                && (end > 1 || flags == ":");
            if !good {
                let shown = flags
                    .find(|c| !"imsU-".contains(c))
                    .map_or(end, |i| i + flags[i..].chars().next().map_or(0, char::len_utf8));
                let code = "invalid or unsupported Perl syntax";
                let text = rest[..2 + shown].to_owned();
                return Err((code, text));
            }
            if flags.ends_with(':') {
                self.open += 1;
            }
            self.copy(2 + end);
            return Ok(());
        }
        self.names.push(String::new());
        self.open += 1;
        self.copy(1);
        Ok(())
    }

    fn named(&mut self, left: usize, all: usize) -> Result<(), Fault> {
        let start = self.at + (all - left);
        let Some(len) = self.expr[start..].find('>') else {
            return Err(("invalid named capture", self.rest().into()));
        };
        let name = &self.expr[start..start + len];
        let ok = !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
        if !ok {
            return Err(("invalid named capture", self.expr[self.at..start + len + 1].into()));
        }
        self.names.push(name.to_owned());
        self.open += 1;
        self.out.push('(');
        self.at = start + len + 1;
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Fault> {
        let rest = self.rest();
        let Some(c) = rest[1..].chars().next() else {
            return Err(("trailing backslash at end of expression", String::new()));
        };
        match c {
            'd' => self.put("[0-9]"),
            'D' => self.put("[^0-9]"),
            'w' => self.put("[0-9A-Za-z_]"),
            'W' => self.put("[^0-9A-Za-z_]"),
            's' => self.put("[\\t\\n\\f\\r ]"),
            'S' => self.put("[^\\t\\n\\f\\r ]"),
            'b' => self.put("(?-u:\\b)"),
            'B' => self.put("(?-u:\\B)"),
            'Q' => {
                let text = &rest[2..];
                let (literal, len) = match text.find("\\E") {
                    Some(i) => (&text[..i], i + 4),
                    None => (text, text.len() + 2),
                };
                let escaped = regex::escape(literal);
                self.out.push_str(&escaped);
                self.at += len;
            }
            'E' => self.at += 2,
            'p' | 'P' => self.property()?,
            _ => self.plain_escape(c)?,
        }
        Ok(())
    }

    /// Puts a text in place of an escape of two bytes.
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
        self.at += 2;
    }

    fn property(&mut self) -> Result<(), Fault> {
        let rest = self.rest();
        let len = if rest[2..].starts_with('{') {
            match rest.find('}') {
                Some(i) => i + 1,
                None => return Err(("invalid character class range", rest.into())),
            }
        } else {
            2 + rest[2..].chars().next().map_or(0, char::len_utf8)
        };
        let text = rest[..len].replace("{^", "{");
        let negated = rest[..len].contains("{^");
        let flip = |t: &str| match t.strip_prefix("\\p") {
            Some(tail) => format!("\\P{tail}"),
            None => t.replacen("\\P", "\\p", 1),
        };
        let text = if negated { flip(&text) } else { text };
        self.out.push_str(&text);
        self.at += len;
        Ok(())
    }

    /// An escape that means one character, or a place.
    fn plain_escape(&mut self, c: char) -> Result<(), Fault> {
        match c {
            'a' => self.put("\\x07"),
            'f' | 'n' | 'r' | 't' | 'v' | 'A' | 'z' => self.copy(2),
            'C' => self.put("(?s-u:.)"),
            'x' => self.hex()?,
            '0'..='7' => self.octal(c)?,
            c if c.is_ascii_punctuation() => self.copy(2),
            c => {
                let end = self.at + 1 + c.len_utf8();
                return Err(("invalid escape sequence", self.expr[self.at..end].into()));
            }
        }
        Ok(())
    }

    fn hex(&mut self) -> Result<(), Fault> {
        let rest = self.rest();
        let bad =
            |len: usize| ("invalid escape sequence", rest.chars().take(len).collect::<String>());
        let digits = |s: &str| !s.is_empty() && s.chars().all(|c| c.is_ascii_hexdigit());
        let len = if rest[2..].starts_with('{') {
            let end = rest.find('}').ok_or_else(|| bad(3))?;
            if !digits(&rest[3..end]) {
                return Err(bad(end + 1));
            }
            end + 1
        } else {
            if !rest.get(2..4).is_some_and(digits) {
                return Err(bad(4));
            }
            4
        };
        self.copy(len);
        Ok(())
    }

    fn octal(&mut self, first: char) -> Result<(), Fault> {
        let rest = self.rest();
        let len = rest[1..].bytes().take(3).take_while(|b| (b'0'..b'8').contains(b)).count();
        if first != '0' && len < 2 {
            return Err(("invalid escape sequence", rest[..2].into()));
        }
        let v = u32::from_str_radix(&rest[1..1 + len], 8).unwrap_or(0);
        self.out.push_str(&format!("\\x{{{v:x}}}"));
        self.at += 1 + len;
        Ok(())
    }

    /// A class in brackets. Inside, the crate knows operators (`&&`, `--`, `~~`) and nested classes that Go does not.
    fn class(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.copy(1);
        if self.rest().starts_with('^') {
            self.copy(1);
        }
        let mut first = true;
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else {
                return Err(("missing closing ]", self.expr[start..].into()));
            };
            match c {
                ']' if !first => {
                    self.copy(1);
                    return Ok(());
                }
                '[' if rest.starts_with("[:") && rest.contains(":]") => {
                    let len = rest.find(":]").map_or(0, |i| i + 2);
                    if !known_class(&rest[2..len - 2]) {
                        return Err(("invalid character class range", rest[..len].into()));
                    }
                    self.copy(len);
                }
                '\\' => self.class_escape()?,
                '[' | ']' | '&' | '~' => {
                    self.out.push('\\');
                    self.copy(1);
                }
                '-' => self.dash(first)?,
                c => self.copy(c.len_utf8()),
            }
            first = false;
        }
    }

    /// A `-` in a class: between two characters it makes a range, else it is itself. Go takes a lone one only at the ends.
    fn dash(&mut self, first: bool) -> Result<(), Fault> {
        let rest = self.rest();
        let next = rest[1..].chars().next();
        let before = self.out.chars().next_back();
        if first || next.is_none_or(|c| c == ']') {
            self.out.push_str("\\-");
            self.at += 1;
            return Ok(());
        }
        if before == Some(']') {
            return Err(("invalid character class range", rest.chars().take(2).collect()));
        }
        self.copy(1);
        match self.rest().chars().next() {
            Some('-') => {
                self.out.push_str("\\-");
                self.at += 1;
            }
            Some('\\') if self.rest()[1..].starts_with(['d', 'D', 'w', 'W', 's', 'S']) => {
                let text = self.rest()[..2].to_owned();
                return Err(("invalid escape sequence", text));
            }
            Some(hi)
                if before
                    .is_some_and(|lo| lo.is_alphanumeric() && hi.is_alphanumeric() && lo > hi) =>
            {
                let from = self.at - 1 - before.map_or(0, char::len_utf8);
                let text = self.expr[from..self.at + hi.len_utf8()].to_owned();
                return Err(("invalid character class range", text));
            }
            _ => {}
        }
        Ok(())
    }

    fn class_escape(&mut self) -> Result<(), Fault> {
        let rest = self.rest();
        match rest[1..].chars().next() {
            None => return Err(("trailing backslash at end of expression", String::new())),
            Some('d') => self.put("0-9"),
            Some('w') => self.put("0-9A-Za-z_"),
            Some('s') => self.put("\\t\\n\\f\\r "),
            Some('D') => self.put("[^0-9]"),
            Some('W') => self.put("[^0-9A-Za-z_]"),
            Some('S') => self.put("[^\\t\\n\\f\\r ]"),
            Some('p' | 'P') => self.property()?,
            Some(c) => self.plain_escape(c)?,
        }
        Ok(())
    }
}

fn known_class(name: &str) -> bool {
    let name = name.strip_prefix('^').unwrap_or(name);
    [
        "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
        "space", "upper", "word", "xdigit",
    ]
    .contains(&name)
}

/// The repetition at the start of `s`, as `{n}`, `{n,}` or `{n,m}`.
fn repeat(s: &str) -> Repeat {
    const MOST: u32 = 1000;
    let Some(end) = s.find('}') else { return Repeat::No };
    let inner = &s[1..end];
    let (low, high) = inner.split_once(',').map_or((inner, None), |(a, b)| (a, Some(b)));
    let number = |t: &str| -> Option<u32> {
        (!t.is_empty() && t.bytes().all(|b| b.is_ascii_digit()))
            .then(|| t.parse().unwrap_or(u32::MAX))
    };
    let Some(low) = number(low) else { return Repeat::No };
    let high = match high {
        None => low,
        Some("") => low.max(1),
        Some(h) => match number(h) {
            Some(h) => h,
            None => return Repeat::No,
        },
    };
    Repeat::Yes(end + 1, low > MOST || high > MOST || low > high)
}
