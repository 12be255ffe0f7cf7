//! Exact constant values and their arithmetic (Go specification, "Constants", "Constant expressions").
//!
//! Integers have any size, floats are rationals that are rounded to 512 bits when they grow beyond reason. Knows
//! nothing of types; representability is decided elsewhere with [`Value::to_int`], [`to_f64`] and [`to_f32`].

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators that do not fit the operands give an unknown value"
)]

use crate::syntax::token::Op;
use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// A constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Of an expression that was complained about.
    Unknown,
    /// A truth value.
    Bool(bool),
    /// Any bytes.
    Str(Vec<u8>),
    /// An integer (or a rune).
    Int(BigInt),
    /// A float, perhaps integral.
    Float(BigRational),
    /// Real and imaginary part.
    Complex(BigRational, BigRational),
}

/// Mantissa bits that survive rounding.
const PRECISION: u64 = 512;
/// Numerator and denominator together may have this many bits before they are rounded.
const EXACT_BITS: u64 = 4500;
/// Decimal exponents beyond this are taken for overflow or zero.
const MAX_EXPONENT: i64 = 400_000;

impl Value {
    /// A small integer.
    pub fn int(n: i64) -> Value {
        Value::Int(BigInt::from(n))
    }

    /// As an integer, if it is a number without fraction.
    pub fn to_int(&self) -> Option<BigInt> {
        match self {
            Value::Int(n) => Some(n.clone()),
            Value::Float(f) => f.is_integer().then(|| f.to_integer()),
            Value::Complex(re, im) => (im.is_zero() && re.is_integer()).then(|| re.to_integer()),
            Value::Unknown | Value::Bool(_) | Value::Str(_) => None,
        }
    }

    /// As a rational, if it is a number without imaginary part.
    pub fn to_float(&self) -> Option<BigRational> {
        match self {
            Value::Int(n) => Some(BigRational::from_integer(n.clone())),
            Value::Float(f) => Some(f.clone()),
            Value::Complex(re, im) => im.is_zero().then(|| re.clone()),
            Value::Unknown | Value::Bool(_) | Value::Str(_) => None,
        }
    }

    /// Real and imaginary part, if it is a number.
    pub fn to_complex(&self) -> Option<(BigRational, BigRational)> {
        match self {
            Value::Complex(re, im) => Some((re.clone(), im.clone())),
            Value::Unknown | Value::Bool(_) | Value::Str(_) => None,
            Value::Int(_) | Value::Float(_) => Some((self.to_float()?, BigRational::zero())),
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(b) = self { Some(*b) } else { None }
    }

    /// Negative, zero or positive; zero for what is no real number.
    pub fn sign(&self) -> i32 {
        match self {
            Value::Int(n) => sign_of(n.sign()),
            Value::Float(f) => sign_of(f.numer().sign()),
            Value::Complex(re, im) => i32::from(!re.is_zero() || !im.is_zero()),
            Value::Unknown | Value::Bool(_) | Value::Str(_) => 1,
        }
    }

    /// Bits of an integer's magnitude.
    pub fn bits(&self) -> u64 {
        if let Value::Int(n) = self { n.bits() } else { 0 }
    }
}

fn sign_of(s: Sign) -> i32 {
    match s {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

/// Rounds a rational that has grown too long to 512 bits of mantissa.
fn trim(r: BigRational) -> BigRational {
    if r.numer().bits() + r.denom().bits() <= EXACT_BITS {
        return r;
    }
    let shift = r.denom().bits() as i64 - r.numer().bits() as i64 + PRECISION as i64;
    let (num, den) = (r.numer(), r.denom());
    let q =
        if shift >= 0 { (num << shift as usize) / den } else { num / (den << (-shift) as usize) };
    if shift >= 0 {
        BigRational::new(q, BigInt::one() << shift as usize)
    } else {
        BigRational::from_integer(q << (-shift) as usize)
    }
}

/// The value of a number or rune literal whose form was checked; `None` if its exponent is out of all bounds.
pub fn number(text: &str) -> Option<Value> {
    if text.starts_with('\'') {
        let bytes = unquote(text);
        return Some(Value::Int(bytes.1.into()));
    }
    let clean: String = text.chars().filter(|c| *c != '_').collect();
    let lower = clean.to_ascii_lowercase();
    let is_hex = lower.starts_with("0x");
    if let Some(body) = lower.strip_suffix('i') {
        let octal_like =
            body.len() > 1 && body.starts_with('0') && body.bytes().all(|b| b.is_ascii_digit());
        let value = number(if octal_like { body.trim_start_matches('0') } else { body })
            .or_else(|| octal_like.then(|| Value::int(0)))?;
        return Some(Value::Complex(BigRational::zero(), value.to_float()?));
    }
    let is_float = lower.contains('.') || (!is_hex && lower.contains('e')) || lower.contains('p');
    if is_float {
        return float(&lower, is_hex).map(Value::Float);
    }
    let (digits, radix) = match lower.get(..2) {
        Some("0x") => (&lower[2..], 16),
        Some("0o") => (&lower[2..], 8),
        Some("0b") => (&lower[2..], 2),
        _ if lower.len() > 1 && lower.starts_with('0') => (&lower[1..], 8),
        _ => (&lower[..], 10),
    };
    BigInt::parse_bytes(digits.as_bytes(), radix).map(Value::Int)
}

fn float(text: &str, hex: bool) -> Option<BigRational> {
    let body = if hex { &text[2..] } else { text };
    let (mantissa, exponent) = body.split_once(if hex { 'p' } else { 'e' }).unwrap_or((body, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let radix = if hex { 16 } else { 10 };
    let digits = format!("{whole}{fraction}");
    let m = BigInt::parse_bytes(digits.as_bytes(), radix)?;
    let e: i64 = exponent.parse().ok()?;
    if m.is_zero() {
        return Some(BigRational::zero());
    }
    if e.abs() > MAX_EXPONENT {
        return if e < 0 { Some(BigRational::zero()) } else { None };
    }
    let (base, e) = if hex {
        (2u32, e - 4 * fraction.len() as i64)
    } else {
        (10u32, e - fraction.len() as i64)
    };
    let scale = BigInt::from(base).pow(e.unsigned_abs() as u32);
    let r = if e >= 0 { BigRational::from_integer(m * scale) } else { BigRational::new(m, scale) };
    Some(trim(r))
}

/// The bytes of a string literal (either kind), and the code point of the last character (for rune literals).
pub fn unquote(text: &str) -> (Vec<u8>, u32) {
    if let Some(raw) = text.strip_prefix('`') {
        let raw = raw.strip_suffix('`').unwrap_or(raw);
        return (raw.bytes().filter(|b| *b != b'\r').collect(), 0);
    }
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
    let mut out = Vec::with_capacity(inner.len());
    let mut last = 0;
    let mut chars = inner.char_indices();
    while let Some((i, c)) = chars.next() {
        let mut buf = [0; 4];
        if c != '\\' {
            last = c as u32;
            out.extend_from_slice(c.encode_utf8(&mut buf).as_bytes());
            continue;
        }
        let (value, len, is_byte) = escape(&inner[i + 1..]);
        last = value;
        if is_byte {
            out.push(value as u8);
        } else {
            let c = char::from_u32(value).unwrap_or('\u{fffd}');
            out.extend_from_slice(c.encode_utf8(&mut buf).as_bytes());
        }
        for _ in 0..len {
            chars.next();
        }
    }
    (out, last)
}

/// Value, length after the backslash, and whether it is a byte rather than a character.
fn escape(s: &str) -> (u32, usize, bool) {
    let radix = |from: usize, n: usize, base: u32| {
        s.get(from..from + n).and_then(|d| u32::from_str_radix(d, base).ok()).unwrap_or(0)
    };
    match s.as_bytes().first().copied().unwrap_or(b'\\') {
        b'a' => (7, 1, false),
        b'b' => (8, 1, false),
        b'f' => (12, 1, false),
        b'n' => (10, 1, false),
        b'r' => (13, 1, false),
        b't' => (9, 1, false),
        b'v' => (11, 1, false),
        b'x' => (radix(1, 2, 16), 3, true),
        b'u' => (radix(1, 4, 16), 5, false),
        b'U' => (radix(1, 8, 16), 9, false),
        b'0'..=b'7' => (radix(0, 3, 8), 3, true),
        c => (u32::from(c), 1, false),
    }
}

/// `op x`. `bits` bounds `^x` of an unsigned type.
pub fn unary(op: Op, x: &Value, unsigned_bits: Option<u32>) -> Value {
    match (op, x) {
        (Op::Add, _) => x.clone(),
        (Op::Sub, Value::Int(n)) => Value::Int(-n),
        (Op::Sub, Value::Float(f)) => Value::Float(-f),
        (Op::Sub, Value::Complex(re, im)) => Value::Complex(-re, -im),
        (Op::Xor, Value::Int(n)) => {
            let flipped: BigInt = -n - 1;
            match unsigned_bits {
                Some(bits) => Value::Int(flipped.mod_floor(&(BigInt::one() << bits))),
                None => Value::Int(flipped),
            }
        }
        (Op::Not, Value::Bool(b)) => Value::Bool(!b),
        _ => Value::Unknown,
    }
}

/// Brings two values to the same form.
fn matched(x: &Value, y: &Value) -> (Value, Value) {
    let rank = |v: &Value| match v {
        Value::Unknown | Value::Bool(_) | Value::Str(_) => 0,
        Value::Int(_) => 1,
        Value::Float(_) => 2,
        Value::Complex(..) => 3,
    };
    let to = rank(x).max(rank(y));
    let lift = |v: &Value| match to {
        2 => v.to_float().map_or(Value::Unknown, Value::Float),
        3 => v.to_complex().map_or(Value::Unknown, |(re, im)| Value::Complex(re, im)),
        _ => v.clone(),
    };
    (lift(x), lift(y))
}

/// `x op y` for arithmetic, logic and string concatenation; `integer` makes `/` truncate. The divisor is not zero.
pub fn binary(op: Op, x: &Value, y: &Value, integer: bool) -> Value {
    match matched(x, y) {
        (Value::Bool(a), Value::Bool(b)) => match op {
            Op::AndAnd => Value::Bool(a && b),
            Op::OrOr => Value::Bool(a || b),
            _ => Value::Unknown,
        },
        (Value::Str(mut a), Value::Str(b)) if op == Op::Add => {
            a.extend_from_slice(&b);
            Value::Str(a)
        }
        (Value::Int(a), Value::Int(b)) => int_binary(op, a, b, integer),
        (Value::Float(a), Value::Float(b)) => {
            float_binary(op, a, b).map_or(Value::Unknown, Value::Float)
        }
        (Value::Complex(a, b), Value::Complex(c, d)) => complex_binary(op, (a, b), (c, d)),
        _ => Value::Unknown,
    }
}

fn int_binary(op: Op, a: BigInt, b: BigInt, integer: bool) -> Value {
    Value::Int(match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div if integer => a / b,
        Op::Div => return Value::Float(BigRational::new(a, b)),
        Op::Rem => a % b,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::AndNot => {
            let not: BigInt = -b - 1;
            a & not
        }
        _ => return Value::Unknown,
    })
}

fn float_binary(op: Op, a: BigRational, b: BigRational) -> Option<BigRational> {
    Some(trim(match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        _ => return None,
    }))
}

fn complex_binary(op: Op, x: (BigRational, BigRational), y: (BigRational, BigRational)) -> Value {
    let ((a, b), (c, d)) = (x, y);
    let (re, im) = match op {
        Op::Add => (a + c, b + d),
        Op::Sub => (a - c, b - d),
        Op::Mul => (&a * &c - &b * &d, b * c + a * d),
        Op::Div => {
            let s = &c * &c + &d * &d;
            ((&a * &c + &b * &d) / &s, (b * c - a * d) / s)
        }
        _ => return Value::Unknown,
    };
    Value::Complex(trim(re), trim(im))
}

/// `x << n` or `x >> n` of an integer.
pub fn shift(op: Op, x: &BigInt, n: u32) -> BigInt {
    if op == Op::Shl { x << n } else { x >> n }
}

/// `x op y` for a comparison.
pub fn compare(op: Op, x: &Value, y: &Value) -> bool {
    let order = match matched(x, y) {
        (Value::Str(a), Value::Str(b)) => a.cmp(&b),
        (Value::Int(a), Value::Int(b)) => a.cmp(&b),
        (Value::Float(a), Value::Float(b)) => a.cmp(&b),
        (a, b) => {
            if a == b {
                Ordering::Equal
            } else {
                Ordering::Less
            }
        }
    };
    match op {
        Op::Eq => order == Ordering::Equal,
        Op::Ne => order != Ordering::Equal,
        Op::Lt => order == Ordering::Less,
        Op::Le => order != Ordering::Greater,
        Op::Gt => order == Ordering::Greater,
        _ => order != Ordering::Less,
    }
}

/// The nearest number with `mantissa` bits and a smallest exponent of `min` for the last bit, as m * 2^e; rounds
/// half to even.
fn round_binary(r: &BigRational, mantissa: i64, min: i64) -> (BigInt, i64) {
    let (num, den) = (r.numer().abs(), r.denom());
    let mut e = num.bits() as i64 - den.bits() as i64 - mantissa;
    loop {
        let e2 = e.max(min);
        let (n, d) = if e2 >= 0 {
            (num.clone(), den << e2 as usize)
        } else {
            (&num << (-e2) as usize, den.clone())
        };
        let (q, rem) = n.div_rem(&d);
        if q.bits() as i64 > mantissa {
            e += 1;
            continue;
        }
        let twice: BigInt = rem * 2;
        let up = match twice.cmp(&d) {
            Ordering::Greater => true,
            Ordering::Equal => q.is_odd(),
            Ordering::Less => false,
        };
        return (if up { q + 1 } else { q }, e2);
    }
}

/// The nearest float64; infinite if it is out of range.
pub fn to_f64(r: &BigRational) -> f64 {
    if r.is_zero() {
        return 0.0;
    }
    let (m, e) = round_binary(r, 53, -1074);
    let m = m.to_f64().unwrap_or(f64::INFINITY);
    let v = if e > 971 {
        f64::INFINITY
    } else if e < -1000 {
        m * 2f64.powi(-1000) * 2f64.powi((e + 1000) as i32)
    } else {
        m * 2f64.powi(e as i32)
    };
    if r.is_negative() { -v } else { v }
}

/// The nearest float32; infinite if it is out of range.
pub fn to_f32(r: &BigRational) -> f32 {
    if r.is_zero() {
        return 0.0;
    }
    let (m, e) = round_binary(r, 24, -149);
    let v = if e > 104 {
        f64::INFINITY
    } else {
        m.to_f64().unwrap_or(f64::INFINITY) * 2f64.powi(e as i32)
    };
    let v = v as f32;
    if r.is_negative() { -v } else { v }
}

/// The exact value of a finite float.
pub fn from_f64(f: f64) -> Option<BigRational> {
    BigRational::from_float(f)
}

/// As messages show it: short strings quoted, floats with six digits.
pub fn show(v: &Value) -> String {
    match v {
        Value::Unknown => "unknown".into(),
        Value::Bool(b) => b.to_string(),
        Value::Str(s) => show_string(s),
        Value::Int(n) => n.to_string(),
        Value::Float(f) => show_float(f),
        Value::Complex(re, im) => format!("({} + {}i)", show_float(re), show_float(im)),
    }
}

/// A quoted string, cut at 72 characters.
fn show_string(s: &[u8]) -> String {
    const MAX: usize = 72;
    let quoted = quote(s);
    let n = quoted.chars().count();
    if n <= MAX {
        return quoted;
    }
    let cut: String = quoted.chars().take(MAX - 3).collect();
    format!("{cut}...")
}

/// As `%q` shows it.
pub fn quote(s: &[u8]) -> String {
    let mut out = String::from("\"");
    for chunk in s.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                '\u{7}' => out.push_str("\\a"),
                '\u{8}' => out.push_str("\\b"),
                '\u{b}' => out.push_str("\\v"),
                '\u{c}' => out.push_str("\\f"),
                c if (c as u32) < 0x20 || c as u32 == 0x7f => {
                    out.push_str(&format!("\\x{:02x}", c as u32))
                }
                c => out.push(c),
            }
        }
        for b in chunk.invalid() {
            out.push_str(&format!("\\x{b:02x}"));
        }
    }
    out.push('"');
    out
}

/// `%.6g`.
pub fn show_float(r: &BigRational) -> String {
    if r.is_integer() && r.numer().bits() < 64 {
        let text = r.numer().to_string();
        if text.trim_start_matches('-').len() <= 6 {
            return text;
        }
    }
    let f = to_f64(r);
    if !f.is_finite() || (f == 0.0 && !r.is_zero()) {
        return show_huge(r);
    }
    let text = format_g(f);
    // a fraction must show
    if !r.is_integer() && !text.contains('.') { format_shortest(f) } else { text }
}

/// `%g` with as many digits as it takes.
fn format_shortest(f: f64) -> String {
    let text = format!("{f:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let e: i32 = exponent.parse().unwrap_or(0);
    if (-4..21).contains(&e) {
        return format!("{f}");
    }
    let sign = if e < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", e.abs())
}

fn format_g(f: f64) -> String {
    let text = format!("{f:.5e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let e: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&e) {
        let digits = (5 - e).max(0) as usize;
        let s = format!("{f:.digits$}");
        return if s.contains('.') {
            s.trim_end_matches('0').trim_end_matches('.').to_string()
        } else {
            s
        };
    }
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    let sign = if e < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", e.abs())
}

/// A float outside of float64: mantissa and decimal exponent by way of logarithms.
fn show_huge(r: &BigRational) -> String {
    let bits = r.numer().bits() as f64 - r.denom().bits() as f64;
    let mut e = (bits * std::f64::consts::LOG10_2).floor() as i64;
    let ten = BigInt::from(10);
    for _ in 0..3 {
        let scale = BigRational::from_integer(ten.pow(e.unsigned_abs() as u32));
        let m = if e >= 0 { r / scale } else { r * scale };
        let f = to_f64(&m);
        if f.abs() >= 10.0 {
            e += 1;
        } else if f.abs() < 1.0 {
            e -= 1;
        } else {
            let sign = if e < 0 { '-' } else { '+' };
            return format!("{}e{sign}{}", format_g(f), e.abs());
        }
    }
    String::from("0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let show = |s: &str| show(&number(s).unwrap());
        assert_eq!(show("0x_ff"), "255");
        assert_eq!(show("017"), "15");
        assert_eq!(show("1e3"), "1000");
        assert_eq!(show("0x1p-2"), "0.25");
        assert_eq!(show("'\\n'"), "10");
        assert_eq!(show("'\\xff'"), "255");
        assert_eq!(show("2i"), "(0 + 2i)");
        assert_eq!(show("3.14159265"), "3.14159");
        assert_eq!(show("1e400"), "1e+400");
    }

    #[test]
    fn rounding() {
        let f = |s: &str| to_f64(&number(s).unwrap().to_float().unwrap());
        assert_eq!(f("0.1"), 0.1);
        assert_eq!(f("1.7976931348623157e308"), f64::MAX);
        assert_eq!(f("4.9e-324"), 5e-324);
        assert_eq!(f("1e309"), f64::INFINITY);
        let g = |s: &str| to_f32(&number(s).unwrap().to_float().unwrap());
        assert_eq!(g("16777217.0"), 16_777_216.0);
        assert_eq!(g("3.4028235e38"), f32::MAX);
    }
}
