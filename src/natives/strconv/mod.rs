//! Package strconv: numbers and quoted strings. Parsing of integers and all errors are in `std/strconv`.

pub(super) mod quote;

use super::{Ncx, Outcome, Table, float};

pub(super) const TABLE: Table = &[
    ("formatInt", format_int),
    ("formatUint", format_uint),
    ("formatFloat", format_float),
    ("parseFloat", parse_float),
    ("quote", quote_string),
    ("quoteRune", quote_rune),
    ("IsPrint", is_print),
    ("CanBackquote", can_backquote),
];

fn digits(mut v: u64, base: u64) -> Vec<u8> {
    if v == 0 {
        return vec![b'0'];
    }
    let mut s = Vec::with_capacity(64);
    while v > 0 {
        s.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[(v % base) as usize]);
        v /= base;
    }
    s.reverse();
    s
}

/// `func formatInt(i int64, base int) string`; the base was checked.
fn format_int(n: &mut Ncx<'_, '_>) -> Outcome {
    let (v, base) = (n.int(0), n.arg(1));
    let mut s = if base == 10 {
        v.unsigned_abs().to_string().into_bytes()
    } else {
        digits(v.unsigned_abs(), base)
    };
    if v < 0 {
        s.insert(0, b'-');
    }
    n.ret_string(0, &s);
    Outcome::Done
}

/// `func formatUint(i uint64, base int) string`.
fn format_uint(n: &mut Ncx<'_, '_>) -> Outcome {
    let s = digits(n.arg(0), n.arg(1));
    n.ret_string(0, &s);
    Outcome::Done
}

/// `func formatFloat(f float64, fmt byte, prec, bitSize int) string`.
fn format_float(n: &mut Ncx<'_, '_>) -> Outcome {
    let prec = i32::try_from(n.int(2)).unwrap_or(-1);
    let s = float::format(n.float(0), n.arg(1) as u8, prec, n.arg(3) as u32);
    n.ret_string(0, s.as_bytes());
    Outcome::Done
}

/// `func parseFloat(s string, bitSize int) (f float64, status int)`: 0 fine, 1 syntax, 2 range.
fn parse_float(n: &mut Ncx<'_, '_>) -> Outcome {
    let (v, status) =
        match std::str::from_utf8(n.bytes(0)).ok().and_then(|s| parse(s, n.arg(1) == 32)) {
            None => (0.0, 1),
            Some((v, true)) => (v, 2),
            Some((v, false)) => (v, 0),
        };
    n.ret_float(0, v);
    n.ret(1, status);
    Outcome::Done
}

/// The value, and whether it was out of range.
fn parse(s: &str, single: bool) -> Option<(f64, bool)> {
    if s.contains('_') {
        return if underscores_separate_digits(s) {
            parse(&s.replace('_', ""), single)
        } else {
            None
        };
    }
    let body = s.strip_prefix(['+', '-']).unwrap_or(s);
    let negative = s.starts_with('-');
    let lower = body.to_ascii_lowercase();
    match lower.as_str() {
        "inf" | "infinity" => {
            return Some((if negative { f64::NEG_INFINITY } else { f64::INFINITY }, false));
        }
        "nan" if body.len() == s.len() => return Some((f64::NAN, false)),
        _ => {}
    }
    if let Some(hex) = lower.strip_prefix("0x") {
        let v = hexadecimal(hex)?;
        let v = if negative { -v } else { v };
        let v = if single { f64::from(v as f32) } else { v };
        return Some((v, v.is_infinite()));
    }
    if body.is_empty()
        || !body
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'))
    {
        return None;
    }
    let text = if negative { format!("-{body}") } else { body.to_string() };
    let v = if single { f64::from(text.parse::<f32>().ok()?) } else { text.parse::<f64>().ok()? };
    Some((v, v.is_infinite()))
}

/// Whether each underscore stands between digits, or after the prefix of a base (Go specification, "Integer literals").
fn underscores_separate_digits(s: &str) -> bool {
    let lower = s.strip_prefix(['+', '-']).unwrap_or(s).to_ascii_lowercase();
    let prefix = ["0x", "0o", "0b"].iter().find_map(|p| lower.strip_prefix(p));
    let hex = lower.starts_with("0x");
    let (mut digit, mut underscore) = (prefix.is_some(), false);
    for c in prefix.unwrap_or(&lower).chars() {
        if c == '_' {
            if !digit {
                return false;
            }
            (digit, underscore) = (false, true);
            continue;
        }
        digit = c.is_ascii_digit() || hex && ('a'..='f').contains(&c);
        if underscore && !digit {
            return false;
        }
        underscore = false;
    }
    !underscore
}

/// A hexadecimal float without sign and prefix: needs an exponent. Rounds once, to nearest even.
fn hexadecimal(s: &str) -> Option<f64> {
    let (mantissa, exp) = s.split_once('p')?;
    let digits = exp.strip_prefix(['+', '-']).unwrap_or(exp);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // beyond this there are only zero and infinity
    const FAR: i32 = 1 << 20;
    let far = if exp.starts_with('-') { -FAR } else { FAR };
    let exp: i32 = exp.parse().unwrap_or(far).clamp(-FAR, FAR);
    let (whole, frac) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && frac.is_empty() {
        return None;
    }
    let mut m: u128 = 0;
    let mut scale = exp;
    for (i, c) in whole.chars().chain(frac.chars()).enumerate() {
        let d = c.to_digit(16)?;
        if m >> 116 == 0 {
            m = m << 4 | u128::from(d);
            if i >= whole.len() {
                scale -= 4;
            }
        } else {
            m |= u128::from(d != 0);
            if i < whole.len() {
                scale += 4;
            }
        }
    }
    Some(scale_by_power(m, scale))
}

fn scale_by_power(m: u128, exp: i32) -> f64 {
    if m == 0 {
        return 0.0;
    }
    // Keep 53 bits (or fewer for subnormals), round to even, then scale exactly.
    let bits = 128 - m.leading_zeros() as i32;
    let keep = 53.min(bits + exp + 1074).max(0);
    let drop = bits - keep;
    let mut r = m;
    let mut e = exp;
    if drop > 0 {
        let half = 1u128 << (drop - 1);
        let rest = m & ((1u128 << drop) - 1);
        r = m >> drop;
        if rest > half || (rest == half && r & 1 == 1) {
            r += 1;
        }
        e += drop;
    }
    let v = r as f64;
    let step = |v: f64, e: i32| v * 2f64.powi(e);
    if e < -1000 {
        step(step(v, -1000), e + 1000)
    } else if e > 1000 {
        step(step(v, 1000), e - 1000)
    } else {
        step(v, e)
    }
}

/// `func quote(s string, ascii bool) string`.
fn quote_string(n: &mut Ncx<'_, '_>) -> Outcome {
    let s = quote::string(n.bytes(0), n.arg(1) != 0);
    n.ret_string(0, &s);
    Outcome::Done
}

/// `func quoteRune(r rune, ascii bool) string`.
fn quote_rune(n: &mut Ncx<'_, '_>) -> Outcome {
    let c = u32::try_from(n.arg(0)).ok().and_then(char::from_u32).unwrap_or('\u{FFFD}');
    let s = quote::rune(c, n.arg(1) != 0);
    n.ret_string(0, s.as_bytes());
    Outcome::Done
}

fn is_print(n: &mut Ncx<'_, '_>) -> Outcome {
    let c = u32::try_from(n.arg(0)).ok().and_then(char::from_u32);
    n.ret_bool(0, c.is_some_and(quote::is_print));
    Outcome::Done
}

fn can_backquote(n: &mut Ncx<'_, '_>) -> Outcome {
    let can = quote::can_backquote(n.bytes(0));
    n.ret_bool(0, can);
    Outcome::Done
}
