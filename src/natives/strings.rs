//! Packages strings and bytes: searches and case over whole texts. The rest is in `std/`.

use crate::heap::SHAPE_WORDS;
use crate::value::text;

use super::{Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[
    ("Index", |n| search(n, find)),
    ("LastIndex", |n| search(n, rfind)),
    ("IndexByte", index_byte),
    ("LastIndexByte", last_index_byte),
    ("count", count),
    ("split", split),
    ("Fields", fields),
    ("Repeat", repeat),
    ("replace", replace),
    ("ToUpper", |n| map_case(n, true)),
    ("ToLower", |n| map_case(n, false)),
    ("join", join),
    ("Compare", compare),
];

pub(super) const BYTES: Table = &[
    ("index", index_bytes),
    ("IndexByte", index_byte_slice),
    ("equal", equal_bytes),
    ("compare", compare_bytes),
];

/// The simple case mapping: one character to one.
pub(super) fn one_case(c: char, upper: bool) -> char {
    let one = |mut it: Box<dyn Iterator<Item = char>>| match (it.next(), it.next()) {
        (Some(x), None) => x,
        _ => c,
    };
    if upper { one(Box::new(c.to_uppercase())) } else { one(Box::new(c.to_lowercase())) }
}

fn find(s: &[u8], sub: &[u8]) -> Option<usize> {
    match sub {
        [] => Some(0),
        [b] => s.iter().position(|x| x == b),
        [b, ..] => {
            let last = s.len().checked_sub(sub.len())?;
            let mut at = 0;
            while at <= last {
                let i = s[at..=last].iter().position(|x| x == b)?;
                at += i;
                if &s[at..at + sub.len()] == sub {
                    return Some(at);
                }
                at += 1;
            }
            None
        }
    }
}

fn rfind(s: &[u8], sub: &[u8]) -> Option<usize> {
    if sub.is_empty() {
        return Some(s.len());
    }
    s.windows(sub.len()).rposition(|w| w == sub)
}

fn ret_index(n: &mut Ncx<'_, '_>, i: Option<usize>) {
    n.ret(0, i.map_or(-1i64 as u64, |i| i as u64));
}

fn search(n: &mut Ncx<'_, '_>, f: fn(&[u8], &[u8]) -> Option<usize>) -> Outcome {
    let s = n.bytes(0);
    n.charge(s.len());
    let i = f(s, n.bytes(1));
    ret_index(n, i);
    Outcome::Done
}

fn index_byte(n: &mut Ncx<'_, '_>) -> Outcome {
    let b = n.arg(1) as u8;
    let i = n.bytes(0).iter().position(|x| *x == b);
    ret_index(n, i);
    Outcome::Done
}

fn last_index_byte(n: &mut Ncx<'_, '_>) -> Outcome {
    let b = n.arg(1) as u8;
    let i = n.bytes(0).iter().rposition(|x| *x == b);
    ret_index(n, i);
    Outcome::Done
}

/// `func count(s, sub string) int`; sub is not empty.
fn count(n: &mut Ncx<'_, '_>) -> Outcome {
    let (mut s, sub) = (n.bytes(0), n.bytes(1));
    n.charge(s.len());
    let mut c = 0;
    while let Some(i) = find(s, sub) {
        c += 1;
        s = &s[i + sub.len()..];
    }
    n.ret(0, c);
    Outcome::Done
}

/// Headers for parts of the string in slot 0, as a slice of strings in result slot 0.
fn ret_parts(n: &mut Ncx<'_, '_>, parts: &[(usize, usize)]) {
    let data = text::data(n.arg(0));
    n.charge(parts.len() * 32);
    let words: Vec<u64> = parts
        .iter()
        .map(|&(at, len)| n.alloc().string_header(data + at as u64, len as u64))
        .collect();
    let w = n.alloc().word_slice(&words, SHAPE_WORDS);
    n.ret(0, w);
}

/// `func split(s, sep string, keep, max int) []string`: `keep` bytes of the separator stay; at most `max` parts (negative: all). The separator is not
/// empty.
fn split(n: &mut Ncx<'_, '_>) -> Outcome {
    let (s, sep, keep, max) = (n.bytes(0), n.bytes(1), n.arg(2) as usize, n.int(3));
    n.charge(s.len());
    let mut parts = Vec::new();
    let mut at = 0;
    while max < 0 || (parts.len() as i64) < max - 1 {
        let Some(i) = find(&s[at..], sep) else { break };
        parts.push((at, i + keep));
        at += i + sep.len();
    }
    parts.push((at, s.len() - at));
    ret_parts(n, &parts);
    Outcome::Done
}

fn fields(n: &mut Ncx<'_, '_>) -> Outcome {
    let s = n.bytes(0);
    n.charge(s.len());
    let mut parts = Vec::new();
    let (mut at, mut start) = (0, None);
    while at < s.len() {
        let (r, width) = text::decode_rune(&s[at..]);
        let space = char::from_u32(r).is_some_and(char::is_whitespace);
        match (space, start) {
            (true, Some(from)) => {
                parts.push((from, at - from));
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
        at += width;
    }
    if let Some(from) = start {
        parts.push((from, s.len() - from));
    }
    ret_parts(n, &parts);
    Outcome::Done
}

fn repeat(n: &mut Ncx<'_, '_>) -> Outcome {
    let (s, count) = (n.bytes(0), n.int(1));
    if count < 0 {
        return Outcome::Trap(crate::vm::trap::Trap::Text("strings: negative Repeat count".into()));
    }
    let Some(total) = s.len().checked_mul(count as usize).filter(|t| *t < 1 << 40) else {
        return Outcome::Trap(crate::vm::trap::Trap::Text(
            "strings: Repeat output length overflow".into(),
        ));
    };
    n.charge(total);
    let v = s.repeat(count as usize);
    n.ret_string(0, &v);
    Outcome::Done
}

/// `func replace(s, old, new string, n int) string`; old is not empty.
fn replace(n: &mut Ncx<'_, '_>) -> Outcome {
    let (s, old, new, max) = (n.bytes(0), n.bytes(1), n.bytes(2), n.int(3));
    n.charge(s.len());
    let mut out = Vec::with_capacity(s.len());
    let (mut at, mut done) = (0, 0);
    while max < 0 || done < max {
        let Some(i) = find(&s[at..], old) else { break };
        out.extend_from_slice(&s[at..at + i]);
        out.extend_from_slice(new);
        at += i + old.len();
        done += 1;
    }
    if done == 0 {
        let w = n.arg(0);
        n.ret(0, w);
        return Outcome::Done;
    }
    out.extend_from_slice(&s[at..]);
    n.ret_string(0, &out);
    Outcome::Done
}

fn map_case(n: &mut Ncx<'_, '_>, upper: bool) -> Outcome {
    let s = n.bytes(0);
    n.charge(s.len());
    if s.is_ascii() {
        let v = if upper { s.to_ascii_uppercase() } else { s.to_ascii_lowercase() };
        n.ret_string(0, &v);
        return Outcome::Done;
    }
    let mut out = Vec::with_capacity(s.len());
    let mut at = 0;
    while at < s.len() {
        let (r, width) = text::decode_rune(&s[at..]);
        let c = char::from_u32(r).map_or('\u{FFFD}', |c| one_case(c, upper));
        text::encode_rune(i64::from(u32::from(c)), &mut out);
        at += width;
    }
    n.ret_string(0, &out);
    Outcome::Done
}

/// `func join(list []string, sep string) string`.
fn join(n: &mut Ncx<'_, '_>) -> Outcome {
    let words = n.words(0);
    let sep = n.bytes(1);
    let parts: Vec<&[u8]> = words.iter().map(|w| text::bytes(*w)).collect();
    let v = parts.join(sep);
    n.ret_string(0, &v);
    Outcome::Done
}

fn ordering(o: std::cmp::Ordering) -> u64 {
    o as i8 as i64 as u64
}

fn compare(n: &mut Ncx<'_, '_>) -> Outcome {
    let o = n.bytes(0).cmp(n.bytes(1));
    n.ret(0, ordering(o));
    Outcome::Done
}

/// `func index(s, sub []byte) int`.
fn index_bytes(n: &mut Ncx<'_, '_>) -> Outcome {
    let (s, sub) = (n.byte_slice(0), n.byte_slice(1));
    n.charge(s.len());
    let i = find(&s, &sub);
    ret_index(n, i);
    Outcome::Done
}

/// `func IndexByte(b []byte, c byte) int`.
fn index_byte_slice(n: &mut Ncx<'_, '_>) -> Outcome {
    let (s, c) = (n.arg(0), n.arg(1));
    let (data, len) = (text::data(s), text::len(s) as u64);
    let i = (0..len).find(|i| crate::value::mem::load8(data + i) == c & 0xFF);
    n.charge(i.unwrap_or(len) as usize);
    ret_index(n, i.map(|i| i as usize));
    Outcome::Done
}

fn equal_bytes(n: &mut Ncx<'_, '_>) -> Outcome {
    let same = n.byte_slice(0) == n.byte_slice(1);
    n.ret_bool(0, same);
    Outcome::Done
}

fn compare_bytes(n: &mut Ncx<'_, '_>) -> Outcome {
    let o = n.byte_slice(0).cmp(&n.byte_slice(1));
    n.ret(0, ordering(o));
    Outcome::Done
}
