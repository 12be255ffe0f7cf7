//! Quoted strings and runes in Go syntax.

use std::sync::OnceLock;

use crate::value::text::decode_rune;

/// Whether Go prints the character as it is: letters, marks, numbers, punctuation, symbols, and the ASCII space.
pub(crate) fn is_print(c: char) -> bool {
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    let r = u32::from(c);
    let ranges = printable();
    let i = ranges.partition_point(|(_, hi)| *hi < r);
    ranges.get(i).is_some_and(|(lo, _)| *lo <= r)
}

/// Letters, marks, numbers, punctuation and symbols, as sorted ranges.
fn printable() -> &'static [(u32, u32)] {
    static RANGES: OnceLock<Box<[(u32, u32)]>> = OnceLock::new();
    RANGES.get_or_init(|| crate::natives::unicode::ranges_of(r"[\pL\pM\pN\pP\pS]"))
}

/// `strconv.Quote`, or `QuoteToASCII`.
pub(crate) fn string(s: &[u8], ascii: bool) -> Vec<u8> {
    let mut out = vec![b'"'];
    let mut at = 0;
    while at < s.len() {
        let (r, width) = decode_rune(&s[at..]);
        if width == 1 && r == 0xFFFD {
            out.extend_from_slice(format!("\\x{:02x}", s[at]).as_bytes());
        } else if let Some(c) = char::from_u32(r) {
            escaped(c, '"', ascii, &mut out);
        }
        at += width;
    }
    out.push(b'"');
    out
}

/// `strconv.QuoteRune`, or `QuoteRuneToASCII`.
pub(crate) fn rune(c: char, ascii: bool) -> String {
    let mut out = vec![b'\''];
    escaped(c, '\'', ascii, &mut out);
    out.push(b'\'');
    String::from_utf8_lossy(&out).into_owned()
}

fn escaped(c: char, quote: char, ascii: bool, out: &mut Vec<u8>) {
    if c == quote || c == '\\' {
        out.push(b'\\');
        out.push(c as u8);
        return;
    }
    if (c.is_ascii() || !ascii) && is_print(c) {
        let mut buf = [0; 4];
        out.extend_from_slice(c.encode_utf8(&mut buf).as_bytes());
        return;
    }
    let short = match c {
        '\x07' => "\\a",
        '\x08' => "\\b",
        '\x0c' => "\\f",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\x0b' => "\\v",
        _ => "",
    };
    if !short.is_empty() {
        out.extend_from_slice(short.as_bytes());
        return;
    }
    let v = u32::from(c);
    let text = match v {
        0..0x20 | 0x7F => format!("\\x{v:02x}"),
        0x20..0x10000 => format!("\\u{v:04x}"),
        _ => format!("\\U{v:08x}"),
    };
    out.extend_from_slice(text.as_bytes());
}

/// `strconv.CanBackquote`.
pub(crate) fn can_backquote(s: &[u8]) -> bool {
    std::str::from_utf8(s).is_ok_and(|s| {
        s.chars().all(|c| c != '\u{FEFF}' && c != '`' && c != '\x7f' && (c >= ' ' || c == '\t'))
    })
}
