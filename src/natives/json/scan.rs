//! The grammar of JSON: finding the end of a value and what is wrong with it, without recursion; strings in both directions.

use crate::natives::strconv::quote;
use crate::value::text::{decode_rune, encode_rune};

/// What is wrong, in Go's words, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fault {
    pub(super) text: String,
    pub(super) offset: usize,
}

/// Go allows this much nesting.
const MAX_NESTING: usize = 10_000;

pub(super) const END: &str = "unexpected end of JSON input";

fn end(offset: usize) -> Fault {
    Fault { text: END.into(), offset }
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    Value,
    /// A value, or the end of an array.
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    /// A comma or the end of what is open.
    More,
}

pub(super) fn space(data: &[u8], mut at: usize) -> usize {
    while at < data.len() && matches!(data[at], b' ' | b'\t' | b'\r' | b'\n') {
        at += 1;
    }
    at
}

fn invalid(data: &[u8], at: usize, place: &str) -> Fault {
    let (r, width) = decode_rune(&data[at..]);
    let c = match char::from_u32(r) {
        _ if width == 1 && r == 0xFFFD => format!("'\\x{:02x}'", data[at]),
        Some(c) => quote::rune(c, false),
        None => String::new(),
    };
    Fault { text: format!("invalid character {c} {place}"), offset: at + width }
}

/// Nothing but one value and white space.
pub(super) fn whole(data: &[u8]) -> Result<(), Fault> {
    let at = space(data, value(data, 0)?);
    if at < data.len() { Err(invalid(data, at, "after top-level value")) } else { Ok(()) }
}

/// The end of the value that starts at `at` or behind white space there.
pub(super) fn value(data: &[u8], at: usize) -> Result<usize, Fault> {
    let mut at = at;
    let mut open: Vec<u8> = Vec::new();
    let mut want = Want::Value;
    loop {
        at = space(data, at);
        let Some(&c) = data.get(at) else { return Err(end(data.len())) };
        let in_object = open.last() == Some(&b'{');
        match (want, c) {
            (Want::ValueOrEnd, b']') | (Want::KeyOrEnd, b'}') => {
                open.pop();
                at += 1;
                want = Want::More;
            }
            (Want::Value | Want::ValueOrEnd, b'{' | b'[') => {
                if open.len() >= MAX_NESTING {
                    return Err(Fault { text: "exceeded max depth".into(), offset: at });
                }
                open.push(c);
                at += 1;
                want = if c == b'{' { Want::KeyOrEnd } else { Want::ValueOrEnd };
            }
            (Want::Value | Want::ValueOrEnd, _) => {
                at = scalar(data, at)?;
                want = Want::More;
            }
            (Want::Key | Want::KeyOrEnd, b'"') => {
                at = string(data, at)?;
                want = Want::Colon;
            }
            (Want::Key | Want::KeyOrEnd, _) => {
                return Err(invalid(data, at, "looking for beginning of object key string"));
            }
            (Want::Colon, b':') => {
                at += 1;
                want = Want::Value;
            }
            (Want::Colon, _) => return Err(invalid(data, at, "after object key")),
            (Want::More, b',') => {
                at += 1;
                want = if in_object { Want::Key } else { Want::Value };
            }
            (Want::More, b'}') if in_object => {
                open.pop();
                at += 1;
            }
            (Want::More, b']') if !in_object => {
                open.pop();
                at += 1;
            }
            (Want::More, _) => {
                let place =
                    if in_object { "after object key:value pair" } else { "after array element" };
                return Err(invalid(data, at, place));
            }
        }
        if want == Want::More && open.is_empty() {
            return Ok(at);
        }
    }
}

fn scalar(data: &[u8], at: usize) -> Result<usize, Fault> {
    match data[at] {
        b'"' => string(data, at),
        b't' => literal(data, at, "true"),
        b'f' => literal(data, at, "false"),
        b'n' => literal(data, at, "null"),
        b'-' | b'0'..=b'9' => number(data, at),
        _ => Err(invalid(data, at, "looking for beginning of value")),
    }
}

fn literal(data: &[u8], at: usize, word: &str) -> Result<usize, Fault> {
    for (i, want) in word.bytes().enumerate() {
        match data.get(at + i) {
            None => return Err(end(data.len())),
            Some(&c) if c != want => {
                let place =
                    format!("in literal {word} (expecting {})", quote::rune(want as char, false));
                return Err(invalid(data, at + i, &place));
            }
            Some(_) => {}
        }
    }
    Ok(at + word.len())
}

fn digits(data: &[u8], at: usize, start: usize) -> Result<usize, Fault> {
    match data.get(at) {
        None => Err(end(start)),
        Some(b'0'..=b'9') => Ok(at + data[at..].iter().take_while(|b| b.is_ascii_digit()).count()),
        Some(_) => Err(invalid(data, at, "in numeric literal")),
    }
}

/// The end of the number that starts at `start`.
pub(super) fn number(data: &[u8], start: usize) -> Result<usize, Fault> {
    let mut at = start + usize::from(data[start] == b'-');
    at = if data.get(at) == Some(&b'0') { at + 1 } else { digits(data, at, start)? };
    if data.get(at) == Some(&b'.') {
        at = digits(data, at + 1, start)?;
    }
    if matches!(data.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(data.get(at), Some(b'+' | b'-')));
        at = digits(data, at, start)?;
    }
    Ok(at)
}

/// The end of the string that starts at `at`.
pub(super) fn string(data: &[u8], at: usize) -> Result<usize, Fault> {
    let mut i = at + 1;
    loop {
        let Some(&c) = data.get(i) else { return Err(end(data.len())) };
        match c {
            b'"' => return Ok(i + 1),
            b'\\' => i = escape(data, i)?,
            0..0x20 => return Err(invalid(data, i, "in string")),
            _ => i += 1,
        }
    }
}

fn escape(data: &[u8], at: usize) -> Result<usize, Fault> {
    let bad = |to: usize| {
        let shown = String::from_utf8_lossy(&data[at..to]).into_owned();
        Fault { text: format!("invalid escape sequence `{shown}` in string"), offset: to }
    };
    match data.get(at + 1) {
        None => Err(end(data.len())),
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => {
            let hex = data[at + 2..].iter().take(4).take_while(|b| b.is_ascii_hexdigit()).count();
            if hex == 4 {
                return Ok(at + 6);
            }
            if at + 2 + hex >= data.len() {
                return Err(end(data.len()));
            }
            Err(bad(data.len().min(at + 6)))
        }
        Some(_) => Err(bad(at + 2)),
    }
}

/// The contents of a valid string, quotes included in `data`.
pub(super) fn unquote(data: &[u8]) -> Vec<u8> {
    let inner = &data[1..data.len() - 1];
    let mut out = Vec::with_capacity(inner.len());
    let mut i = 0;
    while i < inner.len() {
        if inner[i] == b'\\' {
            i = unescape(inner, i, &mut out);
            continue;
        }
        if inner[i] < 0x80 {
            out.push(inner[i]);
            i += 1;
            continue;
        }
        // What is no UTF-8 becomes U+FFFD.
        let (r, width) = decode_rune(&inner[i..]);
        encode_rune(i64::from(r), &mut out);
        i += width;
    }
    out
}

fn hex4(s: &[u8], at: usize) -> Option<u32> {
    let text = std::str::from_utf8(s.get(at..at + 4)?).ok()?;
    u32::from_str_radix(text, 16).ok()
}

fn unescape(s: &[u8], at: usize, out: &mut Vec<u8>) -> usize {
    let plain = match s[at + 1] {
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'u' => {
            let first = hex4(s, at + 2).unwrap_or(0xFFFD);
            if (0xD800..0xDC00).contains(&first)
                && s.get(at + 6) == Some(&b'\\')
                && s.get(at + 7) == Some(&b'u')
                && let Some(second @ 0xDC00..0xE000) = hex4(s, at + 8)
            {
                let r = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                encode_rune(i64::from(r), out);
                return at + 12;
            }
            encode_rune(i64::from(first), out);
            return at + 6;
        }
        c => c,
    };
    out.push(plain);
    at + 2
}

/// Appends a text as a JSON string.
pub(super) fn quote_into(s: &[u8], html: bool, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut i = 0;
    while i < s.len() {
        let b = s[i];
        if b < 0x80 {
            quote_ascii(b, html, out);
            i += 1;
            continue;
        }
        let (r, width) = decode_rune(&s[i..]);
        if r == 0x2028 || r == 0x2029 {
            out.extend_from_slice(format!("\\u{r:04x}").as_bytes());
        } else {
            encode_rune(i64::from(r), out);
        }
        i += width;
    }
    out.push(b'"');
}

fn quote_ascii(b: u8, html: bool, out: &mut Vec<u8>) {
    match b {
        b'"' | b'\\' => out.extend([b'\\', b]),
        8 => out.extend_from_slice(b"\\b"),
        12 => out.extend_from_slice(b"\\f"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        0..0x20 => out.extend_from_slice(format!("\\u{b:04x}").as_bytes()),
        b'<' | b'>' | b'&' if html => out.extend_from_slice(format!("\\u{b:04x}").as_bytes()),
        _ => out.push(b),
    }
}
