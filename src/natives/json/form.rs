//! JSON text to JSON text: checking, compacting, indenting.

use crate::natives::{Ncx, Outcome};

use super::scan::{self, Fault};

fn ret_fault(n: &mut Ncx<'_, '_>, i: usize, f: Option<&Fault>) {
    n.ret_string(i, f.map_or("", |f| &f.text).as_bytes());
    n.ret(i + 1, f.map_or(0, |f| f.offset) as u64);
}

/// `func check(data []byte) (text string, offset int)`.
pub(super) fn check(n: &mut Ncx<'_, '_>) -> Outcome {
    let data = n.byte_slice(0);
    n.charge(data.len() * 4);
    let fault = scan::whole(&data).err();
    ret_fault(n, 0, fault.as_ref());
    Outcome::Done
}

/// `func valueEnd(data []byte, at int) (end int, text string, offset int)`: the end of the value there; a text and an offset if there is
/// none; the end is -1 if more input is needed.
pub(super) fn value_end(n: &mut Ncx<'_, '_>) -> Outcome {
    let (data, at) = (n.byte_slice(0), n.arg(1) as usize);
    n.charge(data.len() * 4);
    let r = scan::value(&data, at);
    let needs_more = match &r {
        Ok(end) => *end == data.len() && data.last().is_some_and(|b| b.is_ascii_digit()),
        Err(f) => f.text == scan::END,
    };
    let end = match &r {
        Ok(end) => *end as i64,
        Err(_) => 0,
    };
    n.ret(0, if r.is_err() && needs_more { u64::MAX } else { end as u64 });
    ret_fault(n, 1, r.err().as_ref());
    Outcome::Done
}

/// `func compact(data []byte, html bool) []byte`: of valid JSON.
pub(super) fn compact(n: &mut Ncx<'_, '_>) -> Outcome {
    let (data, html) = (n.byte_slice(0), n.arg(1) != 0);
    let mut out = Vec::with_capacity(data.len());
    let mut i = 0;
    while i < data.len() {
        let b = data[i];
        if b == b'"' {
            let end = scan::string(&data, i).unwrap_or(data.len());
            html_into(&data[i..end], html, &mut out);
            i = end;
            continue;
        }
        if !matches!(b, b' ' | b'\t' | b'\r' | b'\n') {
            out.push(b);
        }
        i += 1;
    }
    n.ret_bytes(0, &out);
    Outcome::Done
}

/// `func escapeHTML(data []byte) []byte`.
pub(super) fn escape_html(n: &mut Ncx<'_, '_>) -> Outcome {
    let data = n.byte_slice(0);
    let mut out = Vec::with_capacity(data.len());
    html_into(&data, true, &mut out);
    n.ret_bytes(0, &out);
    Outcome::Done
}

fn html_into(data: &[u8], html: bool, out: &mut Vec<u8>) {
    if !html {
        out.extend_from_slice(data);
        return;
    }
    let mut i = 0;
    while i < data.len() {
        match data[i] {
            b @ (b'<' | b'>' | b'&') => out.extend_from_slice(format!("\\u{b:04x}").as_bytes()),
            0xE2 if data[i..].starts_with(b"\xE2\x80\xA8") => {
                out.extend_from_slice(b"\\u2028");
                i += 2;
            }
            0xE2 if data[i..].starts_with(b"\xE2\x80\xA9") => {
                out.extend_from_slice(b"\\u2029");
                i += 2;
            }
            b => out.push(b),
        }
        i += 1;
    }
}

/// `func indent(data []byte, prefix, step string) []byte`: of valid JSON.
pub(super) fn indent(n: &mut Ncx<'_, '_>) -> Outcome {
    let (data, prefix, step) = (n.byte_slice(0), n.bytes(1), n.bytes(2));
    let mut out = Vec::with_capacity(data.len() * 2);
    let mut depth = 0usize;
    let mut fresh = false;
    let line = |out: &mut Vec<u8>, depth: usize| {
        out.push(b'\n');
        out.extend_from_slice(prefix);
        (0..depth).for_each(|_| out.extend_from_slice(step));
    };
    let mut i = 0;
    while i < data.len() {
        let b = data[i];
        i += 1;
        if matches!(b, b' ' | b'\t' | b'\r' | b'\n') {
            continue;
        }
        if fresh && !matches!(b, b']' | b'}') {
            depth += 1;
            line(&mut out, depth);
        }
        match b {
            b'{' | b'[' => out.push(b),
            b',' => {
                out.push(b);
                line(&mut out, depth);
            }
            b':' => out.extend_from_slice(b": "),
            b'}' | b']' => {
                if !fresh {
                    depth = depth.saturating_sub(1);
                    line(&mut out, depth);
                }
                out.push(b);
            }
            b'"' => {
                let end = scan::string(&data, i - 1).unwrap_or(data.len());
                out.extend_from_slice(&data[i - 1..end]);
                i = end;
            }
            _ => out.push(b),
        }
        fresh = matches!(b, b'{' | b'[');
    }
    n.ret_bytes(0, &out);
    Outcome::Done
}

/// `func quote(s string, html bool) string`.
pub(super) fn quote(n: &mut Ncx<'_, '_>) -> Outcome {
    let mut out = Vec::new();
    scan::quote_into(n.bytes(0), n.arg(1) != 0, &mut out);
    n.ret_string(0, &out);
    Outcome::Done
}

/// `func unquote(s string) string`: of a valid JSON string.
pub(super) fn unquote(n: &mut Ncx<'_, '_>) -> Outcome {
    let out = scan::unquote(n.bytes(0));
    n.ret_string(0, &out);
    Outcome::Done
}
