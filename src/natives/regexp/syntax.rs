//! Go's syntax of regular expressions, written in the syntax of the regex crate, and Go's words for what is wrong with an expression.
//!
//! The syntaxes differ in what `\d`, `\w`, `\s` and `\b` mean (Go: ASCII), in literal braces, in what is an operator inside of classes and in
//! which escapes there are. Not a parser: the expression is read from left to right and written again item by item; what the crate
//! refuses then is told by `fault_of` of the parent.

/// What is wrong with an expression: Go's words, and the part that they are about.
pub(super) type Fault = (&'static str, String);

/// A Go expression in the crate's syntax, and the names of its groups. The crate never sees the names: Go allows one twice.
pub(super) struct Translated {
    pub(super) pattern: String,
    pub(super) names: Vec<String>,
}

/// Writes a Go expression in the crate's syntax. `posix`: only what egrep knows, and `^`, `$` are at lines.
pub(super) fn translate(expr: &str, posix: bool) -> Result<Translated, Fault> {
    let mut t = Translator {
        expr,
        posix,
        at: 0,
        out: if posix { "(?m)".into() } else { String::with_capacity(expr.len() + 8) },
        open: vec![],
        inside: 1,
        last: None,
        names: vec![String::new()],
    };
    while t.at < expr.len() {
        t.item()?;
    }
    if !t.open.is_empty() {
        return Err(("missing closing )", expr.into()));
    }
    Ok(Translated { pattern: t.out, names: t.names })
}

struct Translator<'e> {
    expr: &'e str,
    posix: bool,
    at: usize,
    out: String,
    open: Vec<Open>,
    /// How often something in the innermost group so far is repeated at most: the product of nested repetitions.
    inside: u32,
    /// The last item, if it may be repeated.
    last: Option<Item>,
    names: Vec<String>,
}

/// A group that is open: where it starts in the output, and `inside` of what stands before it.
struct Open {
    start: usize,
    inside: u32,
}

#[derive(Clone, Copy)]
struct Item {
    /// Where it starts in the output.
    start: usize,
    /// How often something in it is repeated at most.
    times: u32,
    /// It is a repetition.
    repeated: bool,
}

/// What a repetition operator says.
enum Repeat {
    No,
    /// Its length, and how often at most (at least if there is no most); `None` if that is too large.
    Yes(usize, Option<u32>),
}

/// How often Go lets something be repeated, also by repetitions around repetitions.
const MOST: u32 = 1000;

const CLASS: &str = "invalid character class range";
const ESCAPE: &str = "invalid escape sequence";
const PERL: &str = "invalid or unsupported Perl syntax";

impl Translator<'_> {
    fn rest(&self) -> &str {
        &self.expr[self.at..]
    }

    fn next(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn copy(&mut self, bytes: usize) {
        let end = self.at + bytes;
        self.out.push_str(&self.expr[self.at..end]);
        self.at = end;
    }

    /// Puts a text in place of `len` bytes.
    fn put(&mut self, text: &str, len: usize) {
        self.out.push_str(text);
        self.at += len;
    }

    /// A character that stands for itself.
    fn literal(&mut self, c: char) {
        if c.is_ascii_punctuation() || c.is_ascii_control() {
            self.out.push_str(&format!("\\x{:02x}", c as u32));
        } else {
            self.out.push(c);
        }
    }

    fn item(&mut self) -> Result<(), Fault> {
        let Some(c) = self.next() else { return Ok(()) };
        let start = self.out.len();
        match c {
            '(' => return self.group(),
            ')' => return self.close(),
            '|' => {
                self.last = None;
                self.copy(1);
                return Ok(());
            }
            '*' | '+' | '?' => return self.repetition(1, 1),
            '{' => match repeat(self.rest()) {
                Repeat::No => self.put("\\{", 1),
                Repeat::Yes(len, times) => {
                    return match times {
                        Some(times) => self.repetition(len, times),
                        None => Err(("invalid repeat count", self.rest()[..len].into())),
                    };
                }
            },
            '\\' if !self.escape()? => return Ok(()),
            '\\' => {}
            '[' => self.class()?,
            '.' | '^' | '$' => self.copy(1),
            c => {
                self.literal(c);
                self.at += c.len_utf8();
            }
        }
        self.last = Some(Item { start, times: 1, repeated: false });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fault> {
        let Some(Open { start, inside }) = self.open.pop() else {
            return Err(("unexpected )", self.expr.into()));
        };
        self.last = Some(Item { start, times: self.inside, repeated: false });
        self.inside = self.inside.max(inside);
        self.copy(1);
        Ok(())
    }

    /// A repetition of `len` bytes: there must be something to repeat and, but for POSIX, it must not be one already.
    fn repetition(&mut self, len: usize, times: u32) -> Result<(), Fault> {
        let Some(item) = self.last else {
            return Err(("missing argument to repetition operator", self.rest()[..len].into()));
        };
        let times = times * item.times;
        if times > MOST {
            return Err(("invalid repeat count", self.rest()[..len].into()));
        }
        if item.repeated {
            self.out.insert_str(item.start, "(?:");
            self.out.push(')');
        }
        let start = self.at;
        if times == 0 {
            // the crate would forget groups that are repeated no times
            self.out.insert_str(item.start, "(?:");
            self.put("(?-u:\\b\\B))?", len);
        } else {
            self.copy(len);
        }
        let times = times.max(1);
        self.inside = self.inside.max(times);
        self.last = Some(Item { start: item.start, times, repeated: true });
        if self.posix {
            return Ok(());
        }
        if self.rest().starts_with('?') {
            self.copy(1);
        }
        let more = match self.next() {
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

    fn begin_group(&mut self) {
        let inside = std::mem::replace(&mut self.inside, 1);
        self.open.push(Open { start: self.out.len(), inside });
    }

    fn group(&mut self) -> Result<(), Fault> {
        self.last = None;
        let rest = self.rest();
        let inner = rest.strip_prefix("(?").filter(|_| !self.posix);
        let Some(inner) = inner else {
            self.names.push(String::new());
            self.begin_group();
            self.copy(1);
            return Ok(());
        };
        let named = inner.strip_prefix("P<").or_else(|| inner.strip_prefix('<'));
        if let Some(name) = named.filter(|name| !name.is_empty()) {
            return self.named(name.len(), rest.len());
        }
        self.flags(inner.len())
    }

    /// `(?flags)` or `(?flags:`; `left` is how much there is behind the question mark.
    fn flags(&mut self, left: usize) -> Result<(), Fault> {
        let rest = self.rest();
        let inner = &rest[rest.len() - left..];
        let (mut len, mut minus, mut after_minus) = (0, false, false);
        for c in inner.chars() {
            len += c.len_utf8();
            match c {
                'i' | 'm' | 's' | 'U' => after_minus = false,
                '-' if !minus => (minus, after_minus) = (true, true),
                ':' | ')' if !after_minus => {
                    if c == ':' {
                        self.begin_group();
                    }
                    // flags that change nothing: the crate wants some
                    if c == ')' && len == 1 {
                        self.put("(?:)", 3)
                    } else {
                        self.copy(2 + len)
                    }
                    return Ok(());
                }
                _ => break,
            }
        }
        Err((PERL, rest[..2 + len].to_owned()))
    }

    fn named(&mut self, left: usize, all: usize) -> Result<(), Fault> {
        const FAULT: &str = "invalid named capture";
        let start = self.at + (all - left);
        let Some(len) = self.expr[start..].find('>') else {
            return Err((FAULT, self.rest().into()));
        };
        let name = &self.expr[start..start + len];
        let ok = !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
        if !ok {
            return Err((FAULT, self.expr[self.at..start + len + 1].into()));
        }
        self.names.push(name.to_owned());
        self.begin_group();
        self.out.push('(');
        self.at = start + len + 1;
        Ok(())
    }

    /// An escape outside of classes. Says whether it is an item that may be repeated as a whole.
    fn escape(&mut self) -> Result<bool, Fault> {
        let rest = self.rest();
        let c = rest[1..].chars().next().filter(|_| !self.posix);
        match c {
            Some('A' | 'z') => self.copy(2),
            Some('b') => self.put("(?-u:\\b)", 2),
            Some('B') => self.put("(?-u:\\B)", 2),
            Some('C') => return Err((ESCAPE, rest[..2].to_owned())),
            Some('Q') => return Ok(self.quoted()),
            Some('p' | 'P') => self.property()?,
            Some(c) if perl_class(c).is_some() => {
                let (negated, set) = perl_class(c).unwrap_or_default();
                let text = if negated { format!("[^{set}]") } else { format!("[{set}]") };
                self.put(&text, 2);
            }
            _ => {
                let c = self.character()?;
                self.literal(c);
            }
        }
        Ok(true)
    }

    /// `\Q` to `\E`: each character is an item of its own.
    fn quoted(&mut self) -> bool {
        let text = &self.expr[self.at + 2..];
        let literal = text.find("\\E").map_or(text, |i| &text[..i]);
        for c in literal.chars() {
            self.last = Some(Item { start: self.out.len(), times: 1, repeated: false });
            self.literal(c);
        }
        self.at += if literal.len() == text.len() { text.len() + 2 } else { literal.len() + 4 };
        false
    }

    /// `\pX`, `\p{Name}`, `\p{^Name}`.
    fn property(&mut self) -> Result<(), Fault> {
        let rest = self.rest();
        let len = if rest[2..].starts_with('{') {
            match rest.find('}') {
                Some(i) => i + 1,
                None => return Err((CLASS, rest.into())),
            }
        } else {
            2 + rest[2..].chars().next().map_or(0, char::len_utf8)
        };
        let whole = &rest[..len];
        let name = whole[2..].trim_start_matches('{').trim_end_matches('}');
        let (name, negated) = match name.strip_prefix('^') {
            Some(name) => (name, whole.starts_with("\\p")),
            None => (name, whole.starts_with("\\P")),
        };
        if !known_property(name) {
            return Err((CLASS, whole.to_owned()));
        }
        let text = format!("\\{}{{{name}}}", if negated { 'P' } else { 'p' });
        self.put(&text, len);
        Ok(())
    }

    /// An escape that means one character.
    fn character(&mut self) -> Result<char, Fault> {
        let from = self.at;
        self.at += 1;
        let Some(c) = self.next() else {
            return Err(("trailing backslash at end of expression", String::new()));
        };
        self.at += c.len_utf8();
        let value = match c {
            'a' => Some(7),
            'f' => Some(12),
            'n' => Some(10),
            'r' => Some(13),
            't' => Some(9),
            'v' => Some(11),
            'x' => self.hex(),
            '0'..='7' => self.octal(c),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(c as u32),
            _ => None,
        };
        // a surrogate matches no text
        let value = value.map(|v| char::from_u32(v).unwrap_or(char::REPLACEMENT_CHARACTER));
        value.ok_or_else(|| (ESCAPE, self.expr[from..self.at].to_owned()))
    }

    /// The digit at the place, in a base; steps over the character even if it is none.
    fn digit(&mut self, base: u32) -> Option<u32> {
        let c = self.next()?;
        self.at += c.len_utf8();
        c.to_digit(base)
    }

    fn hex(&mut self) -> Option<u32> {
        if !self.rest().starts_with('{') {
            let high = self.digit(16);
            let low = self.digit(16);
            return Some(high? * 16 + low?);
        }
        self.at += 1;
        let mut v = self.digit(16)?;
        while !self.rest().starts_with('}') {
            v = v * 16 + self.digit(16)?;
            if v > char::MAX as u32 {
                return None;
            }
        }
        self.at += 1;
        Some(v)
    }

    /// One digit that is not 0 would refer to a group, which Go does not know.
    fn octal(&mut self, first: char) -> Option<u32> {
        let octal = |c: Option<char>| c.and_then(|c| c.to_digit(8));
        if first != '0' {
            octal(self.next())?;
        }
        let mut v = octal(Some(first))?;
        for _ in 0..2 {
            let Some(d) = octal(self.next()) else { break };
            v = v * 8 + d;
            self.at += 1;
        }
        Some(v)
    }

    /// A class in brackets. Every character is written as its number: inside, the crate knows operators that Go does not.
    fn class(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.copy(1);
        if self.rest().starts_with('^') {
            self.copy(1);
            if self.posix {
                self.out.push_str("\\n");
            }
        }
        let mut first = true;
        while first || !self.rest().starts_with(']') {
            self.class_item(start, first)?;
            first = false;
        }
        self.copy(1);
        Ok(())
    }

    fn class_item(&mut self, start: usize, first: bool) -> Result<(), Fault> {
        let rest = self.rest();
        if self.posix && !first && rest.starts_with('-') && !rest.starts_with("-]") {
            let len = rest.chars().take(2).map(char::len_utf8).sum();
            return Err((CLASS, rest[..len].to_owned()));
        }
        if let Some(len) = rest.strip_prefix("[:").and_then(|r| r.find(":]")) {
            let name = &rest[2..2 + len];
            if !known_class(name) {
                return Err((CLASS, rest[..len + 4].into()));
            }
            self.copy(len + 4);
            return Ok(());
        }
        if let Some(c) = rest.strip_prefix('\\').and_then(|r| r.chars().next())
            && !self.posix
        {
            if matches!(c, 'p' | 'P') {
                return self.property();
            }
            if let Some((negated, set)) = perl_class(c) {
                let text = if negated { format!("[^{set}]") } else { set.into() };
                self.put(&text, 2);
                return Ok(());
            }
        }
        self.class_range(start)
    }

    /// One character, or two with a `-` between them. `class`: where the class starts.
    fn class_range(&mut self, class: usize) -> Result<(), Fault> {
        let from = self.at;
        let low = self.class_character(class)?;
        let mut high = low;
        if self.rest().starts_with('-') && self.rest().len() > 1 && !self.rest().starts_with("-]") {
            self.at += 1;
            high = self.class_character(class)?;
            if high < low {
                return Err((CLASS, self.expr[from..self.at].to_owned()));
            }
        }
        self.out.push_str(&format!("\\x{{{:x}}}", low as u32));
        if high != low {
            self.out.push_str(&format!("-\\x{{{:x}}}", high as u32));
        }
        Ok(())
    }

    fn class_character(&mut self, class: usize) -> Result<char, Fault> {
        match self.next() {
            None => Err(("missing closing ]", self.expr[class..].into())),
            Some('\\') => self.character(),
            Some(c) => {
                self.at += c.len_utf8();
                Ok(c)
            }
        }
    }
}

/// What `\d` and the like stand for, and whether the complement is meant.
fn perl_class(c: char) -> Option<(bool, &'static str)> {
    let set = match c.to_ascii_lowercase() {
        'd' => "0-9",
        'w' => "0-9A-Za-z_",
        's' => "\\t\\n\\x0c\\r ",
        _ => return None,
    };
    Some((c.is_ascii_uppercase(), set))
}

fn known_class(name: &str) -> bool {
    let name = name.strip_prefix('^').unwrap_or(name);
    [
        "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
        "space", "upper", "word", "xdigit",
    ]
    .contains(&name)
}

/// A general category or a script; the crate knows other properties too.
fn known_property(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_alphanumeric() || "_- ".contains(c));
    let parses = |kind| regex_syntax::parse(&format!("\\p{{{kind}={name}}}")).is_ok();
    plain && !name.is_empty() && (parses("gc") || parses("sc"))
}

/// The repetition at the start of `s`, as `{n}`, `{n,}` or `{n,m}`.
fn repeat(s: &str) -> Repeat {
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
    let fits = low <= MOST && high <= MOST && low <= high;
    Repeat::Yes(end + 1, fits.then_some(high))
}
