//! Exact constant values and their arithmetic (Go specification, "Constants", "Constant expressions").
//!
//! Integers have any size, floats are [`Real`]s. Knows nothing of types; representability is decided elsewhere with
//! [`Value::to_int`] and [`Value::to_float`].

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators that do not fit the operands give an unknown value"
)]

use super::real::Real;
use crate::syntax::is_printable;
use crate::syntax::token::Op;
use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::One;
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
    Float(Real),
    /// Real and imaginary part.
    Complex(Real, Real),
}

impl Value {
    /// A small integer.
    pub fn int(n: i64) -> Value {
        Value::Int(BigInt::from(n))
    }

    /// As an integer, if it is a number without fraction.
    pub fn to_int(&self) -> Option<BigInt> {
        match self {
            Value::Int(n) => Some(n.clone()),
            Value::Float(f) => f.to_integer(),
            Value::Complex(re, im) => re.to_integer().filter(|_| im.is_zero()),
            Value::Unknown | Value::Bool(_) | Value::Str(_) => None,
        }
    }

    /// As a real number, if it is a number without imaginary part.
    pub fn to_float(&self) -> Option<Real> {
        match self {
            Value::Int(n) => Some(Real::from(n.clone())),
            Value::Float(f) => Some(f.clone()),
            Value::Complex(re, im) => im.is_zero().then(|| re.clone()),
            Value::Unknown | Value::Bool(_) | Value::Str(_) => None,
        }
    }

    /// Real and imaginary part, if it is a number.
    pub fn to_complex(&self) -> Option<(Real, Real)> {
        match self {
            Value::Complex(re, im) => Some((re.clone(), im.clone())),
            Value::Unknown | Value::Bool(_) | Value::Str(_) => None,
            Value::Int(_) | Value::Float(_) => Some((self.to_float()?, Real::zero())),
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
            Value::Float(f) => f.sign(),
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
        return Some(Value::Complex(Real::zero(), value.to_float()?));
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

fn float(text: &str, hex: bool) -> Option<Real> {
    let body = if hex { &text[2..] } else { text };
    let (mantissa, exponent) = body.split_once(if hex { 'p' } else { 'e' }).unwrap_or((body, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = BigInt::parse_bytes(digits.as_bytes(), if hex { 16 } else { 10 })?;
    let exponent = exponent.parse().ok().or_else(|| digits.bits().eq(&0).then_some(0))?;
    Real::literal(digits, fraction.len() as i64, exponent, hex)
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
        (Op::Sub, Value::Float(f)) => Value::Float(f.neg()),
        (Op::Sub, Value::Complex(re, im)) => Value::Complex(re.neg(), im.neg()),
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
            float_binary(op, &a, &b).map_or(Value::Unknown, Value::Float)
        }
        (Value::Complex(a, b), Value::Complex(c, d)) => {
            complex_binary(op, (&a, &b), (&c, &d)).unwrap_or(Value::Unknown)
        }
        _ => Value::Unknown,
    }
}

fn int_binary(op: Op, a: BigInt, b: BigInt, integer: bool) -> Value {
    Value::Int(match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div if integer => a / b,
        Op::Div => {
            return Real::new(BigRational::new(a, b)).map_or(Value::Unknown, Value::Float);
        }
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

fn float_binary(op: Op, a: &Real, b: &Real) -> Option<Real> {
    match op {
        Op::Add => a.add(b),
        Op::Sub => a.sub(b),
        Op::Mul => a.mul(b),
        Op::Div => a.div(b),
        _ => None,
    }
}

fn complex_binary(op: Op, x: (&Real, &Real), y: (&Real, &Real)) -> Option<Value> {
    let ((a, b), (c, d)) = (x, y);
    let (re, im) = match op {
        Op::Add => (a.add(c)?, b.add(d)?),
        Op::Sub => (a.sub(c)?, b.sub(d)?),
        Op::Mul => (a.mul(c)?.sub(&b.mul(d)?)?, b.mul(c)?.add(&a.mul(d)?)?),
        Op::Div => {
            let s = c.mul(c)?.add(&d.mul(d)?)?;
            let re = a.mul(c)?.add(&b.mul(d)?)?;
            let im = b.mul(c)?.sub(&a.mul(d)?)?;
            (re.div(&s)?, im.div(&s)?)
        }
        _ => return None,
    };
    Some(Value::Complex(re, im))
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

/// As messages show it: short strings quoted, floats with six digits.
pub fn show(v: &Value) -> String {
    match v {
        Value::Unknown => "unknown".into(),
        Value::Bool(b) => b.to_string(),
        Value::Str(s) => show_string(s),
        Value::Int(n) => n.to_string(),
        Value::Float(f) => f.show(),
        Value::Complex(re, im) => format!("({} + {}i)", re.show(), im.show()),
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
                c if c.is_ascii_control() => out.push_str(&format!("\\x{:02x}", c as u32)),
                c if c.is_ascii() || is_printable(c) => out.push(c),
                c if c <= '\u{ffff}' => out.push_str(&format!("\\u{:04x}", c as u32)),
                c => out.push_str(&format!("\\U{:08x}", c as u32)),
            }
        }
        for b in chunk.invalid() {
            out.push_str(&format!("\\x{b:02x}"));
        }
    }
    out.push('"');
    out
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
        let f = |s: &str| number(s).unwrap().to_float().unwrap().to_f64();
        assert_eq!(f("0.1"), 0.1);
        assert_eq!(f("1.7976931348623157e308"), f64::MAX);
        assert_eq!(f("4.9e-324"), 5e-324);
        assert_eq!(f("1e309"), f64::INFINITY);
        let g = |s: &str| number(s).unwrap().to_float().unwrap().to_f32();
        assert_eq!(g("16777217.0"), 16_777_216.0);
        assert_eq!(g("3.4028235e38"), f32::MAX);
    }
}
