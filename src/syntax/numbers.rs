//! The form of number, string and rune literals, with Go's words for what is wrong with one.
//!
//! Positions of messages are those of Go's scanner: the offending character, or the start of the literal.

use super::message::LexMessage;

/// `U+0040 '@'`, without the character itself if it cannot be printed.
pub(crate) fn show_char(c: char) -> String {
    let shown = if super::lexer::is_printable(c) { format!(" '{c}'") } else { String::new() };
    format!("U+{:04X}{shown}", c as u32)
}

fn lower(b: u8) -> u8 {
    b.to_ascii_lowercase()
}

/// How a number literal is walked: its length, and what is wrong with it first.
struct Walk<'a> {
    text: &'a [u8],
    at: usize,
    invalid: Option<usize>,
    error: Option<(usize, String)>,
}

impl Walk<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    /// Digits and `_`; whether there was a digit, and whether a separator.
    fn digits(&mut self, base: u32) -> (bool, bool) {
        let (mut digit, mut separator) = (false, false);
        loop {
            let c = self.peek();
            match c {
                b'_' => separator = true,
                b'0'..=b'9' => {
                    digit = true;
                    if base <= 10 && u32::from(c - b'0') >= base && self.invalid.is_none() {
                        self.invalid = Some(self.at);
                    }
                }
                b'a'..=b'f' | b'A'..=b'F' if base == 16 => digit = true,
                _ => return (digit, separator),
            }
            self.at += 1;
        }
    }

    fn fail(&mut self, at: usize, text: String) {
        self.error.get_or_insert((at, text));
    }

    fn number(&mut self) {
        let (mut base, mut prefix) = (10, 0u8);
        let (mut digit, mut separator) = (false, false);
        let mut float = self.peek() == b'.';
        if !float {
            if self.peek() == b'0' {
                self.at += 1;
                (base, prefix) = match lower(self.peek()) {
                    b'x' => (16, b'x'),
                    b'o' => (8, b'o'),
                    b'b' => (2, b'b'),
                    _ => (8, b'0'),
                };
                digit = prefix == b'0';
                self.at += usize::from(prefix != b'0');
            }
            let (d, s) = self.digits(base);
            (digit, separator) = (digit | d, separator | s);
            if self.peek() == b'.' {
                if matches!(prefix, b'o' | b'b') {
                    self.fail(
                        self.at,
                        format!("invalid radix point in {} literal", base_name(base)),
                    );
                }
                float = true;
            }
        }
        if float {
            self.at += 1;
            let (d, s) = self.digits(base);
            (digit, separator) = (digit | d, separator | s);
        }
        if !digit {
            self.fail(self.at, format!("{} literal has no digits", base_name(base)));
        }
        let exponent = self.exponent(prefix);
        if !exponent && prefix == b'x' && float {
            self.fail(self.at, "hexadecimal mantissa requires a 'p' exponent".into());
        }
        let imaginary = self.peek() == b'i';
        self.at += usize::from(imaginary);
        if let Some(i) = self.invalid.filter(|_| !float && !exponent && !imaginary) {
            let text =
                format!("invalid digit '{}' in {} literal", self.text[i] as char, base_name(base));
            self.fail(i, text);
        }
        let all = &self.text[..self.at];
        if (separator || all.contains(&b'_'))
            && let Some(i) = bad_separator(all)
        {
            self.fail(i, "'_' must separate successive digits".into());
        }
    }

    fn exponent(&mut self, prefix: u8) -> bool {
        let e = lower(self.peek());
        if e != b'e' && e != b'p' {
            return false;
        }
        let shown = self.peek() as char;
        if e == b'e' && !matches!(prefix, 0 | b'0') {
            self.fail(self.at, format!("'{shown}' exponent requires decimal mantissa"));
        } else if e == b'p' && prefix != b'x' {
            self.fail(self.at, format!("'{shown}' exponent requires hexadecimal mantissa"));
        }
        self.at += 1;
        if matches!(self.peek(), b'+' | b'-') {
            self.at += 1;
        }
        if !self.digits(10).0 {
            self.fail(self.at, "exponent has no digits".into());
        }
        true
    }
}

fn base_name(base: u32) -> &'static str {
    match base {
        2 => "binary",
        8 => "octal",
        10 => "decimal",
        _ => "hexadecimal",
    }
}

/// The first `_` that does not stand between digits (a prefix counts as one).
fn bad_separator(text: &[u8]) -> Option<usize> {
    let radix = if text[0] == b'0' { text.get(1).map_or(0, |&c| lower(c)) } else { 0 };
    let prefixed = matches!(radix, b'x' | b'o' | b'b');
    let mut previous = if prefixed { b'0' } else { b'.' };
    let from = if prefixed { 2 } else { 0 };
    for (i, &c) in text.iter().enumerate().skip(from) {
        let kind = match c {
            b'_' => b'_',
            b'0'..=b'9' => b'0',
            _ if radix == b'x' && c.is_ascii_hexdigit() => b'0',
            _ => b'.',
        };
        if kind == b'_' && previous != b'0' {
            return Some(i);
        }
        if kind == b'.' && previous == b'_' {
            return Some(i - 1);
        }
        previous = kind;
    }
    (previous == b'_').then(|| text.len() - 1)
}

/// The length of the number literal at the start of `text`.
pub(crate) fn length(text: &[u8]) -> usize {
    let mut walk = Walk { text, at: 0, invalid: None, error: None };
    walk.number();
    walk.at
}

/// Says what is wrong with a number literal.
pub(crate) fn check_number(text: &str, start: u32, messages: &mut Vec<LexMessage>) {
    let mut walk = Walk { text: text.as_bytes(), at: 0, invalid: None, error: None };
    walk.number();
    if let Some((at, text)) = walk.error {
        messages.push(LexMessage::at(start + at as u32, text));
    }
}

/// Says what is wrong with an interpreted string literal. `at_end`: the source ends with it.
pub(crate) fn check_string(text: &str, start: u32, at_end: bool, messages: &mut Vec<LexMessage>) {
    if check_escapes(text, start, at_end, messages).1 {
        return;
    }
    messages.push(if at_end {
        LexMessage::at(start, "string not terminated")
    } else {
        LexMessage::at(start + text.len() as u32, "newline in string")
    });
}

/// Says what is wrong with a rune literal.
pub(crate) fn check_rune(text: &str, start: u32, at_end: bool, messages: &mut Vec<LexMessage>) {
    let before = messages.len();
    let (count, closed) = check_escapes(text, start, at_end, messages);
    if messages.len() > before {
        return;
    }
    if !closed && at_end {
        messages.push(LexMessage::at(start, "rune literal not terminated"));
    } else if !closed {
        messages.push(LexMessage::at(start + text.len() as u32, "newline in rune literal"));
    } else if count == 0 {
        messages.push(LexMessage::at(start + 1, "empty rune literal or unescaped '"));
    } else if count > 1 {
        messages.push(LexMessage::at(start, "more than one character in rune literal"));
    }
}

/// Walks a quoted literal; gives the number of characters, and whether the closing quote was met.
fn check_escapes(
    text: &str,
    start: u32,
    at_end: bool,
    messages: &mut Vec<LexMessage>,
) -> (usize, bool) {
    let bytes = text.as_bytes();
    let quote = bytes[0];
    let mut count = 0;
    let mut i = 1;
    while i < bytes.len() {
        if bytes[i] == quote {
            return (count, true);
        }
        count += 1;
        if bytes[i] == b'\\' {
            match escape(text, i, quote, at_end) {
                Ok(end) => i = end,
                Err((at, message)) => {
                    messages.push(LexMessage::at(start + at as u32, message));
                    i = at.max(i + 1);
                }
            }
            continue;
        }
        i += 1;
        while !text.is_char_boundary(i) {
            i += 1;
        }
    }
    (count, false)
}

/// The end of the escape that starts at `i`, or where and what is wrong. A newline follows the text unless the source ends with it.
fn escape(text: &str, i: usize, quote: u8, at_end: bool) -> Result<usize, (usize, String)> {
    let bytes = text.as_bytes();
    let c = match bytes.get(i + 1) {
        Some(&c) => c,
        None if at_end => return Ok(i + 1),
        None => b'\n',
    };
    let (from, digits, base, max) = match c {
        b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'\\' => return Ok(i + 2),
        _ if c == quote => return Ok(i + 2),
        b'0'..=b'7' => (i + 1, 3, 8u32, 255),
        b'x' => (i + 2, 2, 16, 255),
        b'u' => (i + 2, 4, 16, 0x0010_ffff),
        b'U' => (i + 2, 8, 16, 0x0010_ffff),
        _ => return Err((i + 1, "unknown escape".into())),
    };
    let mut value = 0u32;
    for at in from..from + digits {
        let c = match text.get(at..).and_then(|t| t.chars().next()) {
            Some(c) => c,
            None if at_end => return Ok(bytes.len()),
            None => '\n',
        };
        let Some(digit) = c.to_digit(base) else {
            return Err((
                at,
                format!("invalid character {} in {} escape", quote_char(c), base_name(base)),
            ));
        };
        value = value.wrapping_mul(base).wrapping_add(digit);
    }
    let end = from + digits;
    if value > max && base == 8 {
        return Err((end, format!("octal escape value {value} > 255")));
    }
    if value > max || (0xd800..0xe000).contains(&value) {
        return Err((end, format!("escape is invalid Unicode code point U+{value:04X}")));
    }
    Ok(end)
}

fn quote_char(c: char) -> String {
    match c {
        '\'' => "'\\''".into(),
        '\\' => "'\\\\'".into(),
        '\n' => "'\\n'".into(),
        '\t' => "'\\t'".into(),
        _ => format!("'{c}'"),
    }
}
