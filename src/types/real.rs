//! Real numbers of constants (Go specification, "Constants"): exact as long as they are short, else rounded.
//!
//! A number whose fraction has few bits is a rational. Any other is a mantissa of at most 512 bits with a binary exponent, which is as
//! large as Go's may be: 32 bits. So no constant takes much memory, whatever its exponent. Each number has one form only, and equal
//! numbers are equal as values.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// Bits of a mantissa.
const PRECISION: u64 = 512;
/// Numerator and denominator together may have this many bits before they are rounded.
const EXACT_BITS: u64 = 4500;
/// Bits of a quotient before it is rounded, a few more than a mantissa has.
const QUOTIENT_BITS: i64 = 520;
/// Decimal exponents up to this are computed exactly.
const EXACT_EXPONENT: i64 = 1300;
/// Bits that a rounded number must have before it is taken for the integer beside it.
const NEAR_BITS: u64 = 508;

/// A real number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Real(Form);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Form {
    Exact(BigRational),
    /// An odd mantissa, and the exponent of its last bit.
    Scaled(BigInt, i64),
}

/// `n / 2^bits` as an integer, to the nearest and to even in the middle.
fn round_off(n: &BigInt, bits: u64) -> BigInt {
    if bits == 0 {
        return n.clone();
    }
    let half = BigInt::one() << (bits - 1);
    let (floor, rest) = n.div_mod_floor(&(BigInt::one() << bits));
    match rest.cmp(&half) {
        Ordering::Less => floor,
        Ordering::Equal if floor.is_even() => floor,
        Ordering::Equal | Ordering::Greater => floor + 1,
    }
}

impl Real {
    /// Zero.
    pub fn zero() -> Real {
        Real(Form::Exact(BigRational::zero()))
    }

    /// A rational, rounded if it is too long.
    pub fn new(r: BigRational) -> Option<Real> {
        if r.numer().bits() + r.denom().bits() <= EXACT_BITS {
            return Some(Real(Form::Exact(r)));
        }
        let (m, e) = quotient(r.numer(), r.denom());
        Real::scaled(m, e)
    }

    /// `m * 2^e`, rounded. `None` if the exponent is out of Go's bounds; what is too small is zero.
    fn scaled(mut m: BigInt, mut e: i64) -> Option<Real> {
        if m.is_zero() {
            return Some(Real::zero());
        }
        if m.bits() > PRECISION {
            let excess = m.bits() - PRECISION;
            m = round_off(&m, excess);
            e += excess as i64;
        }
        let zeros = m.trailing_zeros().unwrap_or(0);
        m >>= zeros;
        e += zeros as i64;
        let top = e + m.bits() as i64;
        if top > i64::from(i32::MAX) {
            return None;
        }
        if top < i64::from(i32::MIN) {
            return Some(Real::zero());
        }
        if m.bits() + e.unsigned_abs() < EXACT_BITS {
            let power = BigInt::one() << e.unsigned_abs();
            let r = if e < 0 { BigRational::new(m, power) } else { BigRational::from(m * power) };
            return Some(Real(Form::Exact(r)));
        }
        Some(Real(Form::Scaled(m, e)))
    }

    /// The number that the digits `digits`, of which `fraction` follow the point, and an exponent stand for; `None` if it is out of
    /// bounds.
    pub fn literal(digits: BigInt, fraction: i64, exponent: i64, hex: bool) -> Option<Real> {
        if digits.is_zero() {
            return Some(Real::zero());
        }
        let e = exponent.checked_sub(if hex { 4 * fraction } else { fraction })?;
        // as Go: before the mantissa is scaled
        i32::try_from(e.checked_add(digits.bits() as i64)?).ok()?;
        if hex {
            return Real::scaled(digits, e);
        }
        let ten = BigInt::from(10);
        if e.abs() <= EXACT_EXPONENT {
            let power = ten.pow(e.unsigned_abs() as u32);
            return Real::new(if e < 0 {
                BigRational::new(digits, power)
            } else {
                BigRational::from(digits * power)
            });
        }
        let (power, p) = power_of_ten(e.unsigned_abs());
        if e > 0 {
            return Real::scaled(digits * power, p);
        }
        let (m, q) = quotient(&digits, &power);
        Real::scaled(m, q - p)
    }

    /// The exact value of a finite float.
    pub fn from_f64(f: f64) -> Option<Real> {
        BigRational::from_float(f).and_then(Real::new)
    }

    /// Mantissa and exponent, the mantissa rounded to somewhat more than 512 bits.
    fn parts(&self) -> (BigInt, i64) {
        match &self.0 {
            Form::Scaled(m, e) => (m.clone(), *e),
            Form::Exact(r) if r.denom().is_one() => (r.numer().clone(), 0),
            Form::Exact(r) => quotient(r.numer(), r.denom()),
        }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        matches!(&self.0, Form::Exact(r) if r.is_zero())
    }

    /// Whether it has no fraction.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Form::Exact(r) => r.is_integer(),
            Form::Scaled(_, e) => *e >= 0,
        }
    }

    /// The integer that it is, or that it would be but for the rounding of its last bits. None is so large that it had to be rounded.
    pub fn to_integer(&self) -> Option<BigInt> {
        let Form::Exact(r) = &self.0 else { return None };
        if r.is_integer() {
            return Some(r.to_integer());
        }
        let (n, d) = (r.numer(), r.denom());
        let power = d.bits() - 1;
        if n.bits() <= NEAR_BITS || d.trailing_zeros() != Some(power) {
            return None;
        }
        let excess = n.bits() - NEAR_BITS;
        let rounded = round_off(n, excess) << excess;
        let near = BigRational::new(rounded, d.clone());
        near.is_integer().then(|| near.to_integer())
    }

    /// -1, 0 or 1.
    pub fn sign(&self) -> i32 {
        let sign = match &self.0 {
            Form::Exact(r) => r.numer().sign(),
            Form::Scaled(m, _) => m.sign(),
        };
        match sign {
            Sign::Minus => -1,
            Sign::NoSign => 0,
            Sign::Plus => 1,
        }
    }

    /// `-x`.
    pub fn neg(&self) -> Real {
        Real(match &self.0 {
            Form::Exact(r) => Form::Exact(-r),
            Form::Scaled(m, e) => Form::Scaled(-m, *e),
        })
    }

    /// `x + y`; as the others, `None` if it is out of bounds.
    pub fn add(&self, y: &Real) -> Option<Real> {
        if let (Form::Exact(a), Form::Exact(b)) = (&self.0, &y.0) {
            return Real::new(a + b);
        }
        let ((m, e), (n, f)) = (self.parts(), y.parts());
        let (top, other) = (e + m.bits() as i64, f + n.bits() as i64);
        // what is so much smaller changes no bit that remains
        if m.is_zero() || (!n.is_zero() && other - top > 4 * QUOTIENT_BITS) {
            return Some(y.clone());
        }
        if n.is_zero() || top - other > 4 * QUOTIENT_BITS {
            return Some(self.clone());
        }
        let low = e.min(f);
        Real::scaled((m << (e - low) as u64) + (n << (f - low) as u64), low)
    }

    /// `x - y`.
    pub fn sub(&self, y: &Real) -> Option<Real> {
        self.add(&y.neg())
    }

    /// `x * y`.
    pub fn mul(&self, y: &Real) -> Option<Real> {
        if let (Form::Exact(a), Form::Exact(b)) = (&self.0, &y.0) {
            return Real::new(a * b);
        }
        let ((m, e), (n, f)) = (self.parts(), y.parts());
        Real::scaled(m * n, e + f)
    }

    /// `x / y`; also `None` if `y` is zero.
    pub fn div(&self, y: &Real) -> Option<Real> {
        if y.is_zero() {
            return None;
        }
        if let (Form::Exact(a), Form::Exact(b)) = (&self.0, &y.0) {
            return Real::new(a / b);
        }
        let ((m, e), (n, f)) = (self.parts(), y.parts());
        let (q, g) = quotient(&m, &n);
        Real::scaled(q, e - f + g)
    }

    /// The nearest float64; infinite if it is out of range.
    pub fn to_f64(&self) -> f64 {
        self.rounded(53, -1074, 971)
    }

    /// The nearest float32; infinite if it is out of range.
    pub fn to_f32(&self) -> f32 {
        self.rounded(24, -149, 104) as f32
    }

    /// The nearest number with `bits` of mantissa whose last bit has an exponent from `min` to `max`.
    fn rounded(&self, bits: i64, min: i64, max: i64) -> f64 {
        let magnitude = match &self.0 {
            Form::Scaled(_, e) if *e > 0 => f64::INFINITY,
            Form::Scaled(..) => 0.0,
            Form::Exact(r) if r.is_zero() => 0.0,
            Form::Exact(r) => {
                let (m, e) = round_binary(r, bits, min);
                let m = m.to_f64().unwrap_or(f64::INFINITY);
                if e > max {
                    f64::INFINITY
                } else if e < -1000 {
                    m * 2f64.powi(-1000) * 2f64.powi((e + 1000) as i32)
                } else {
                    m * 2f64.powi(e as i32)
                }
            }
        };
        if self.sign() < 0 { -magnitude } else { magnitude }
    }

    /// `%.6g`, with a point where it is no integer.
    pub fn show(&self) -> String {
        if let Form::Exact(r) = &self.0
            && r.is_integer()
            && r.numer().bits() < 20
        {
            let text = r.numer().to_string();
            if text.trim_start_matches('-').len() <= 6 {
                return text;
            }
        }
        let f = self.to_f64();
        if !f.is_finite() || (f == 0.0 && !self.is_zero()) {
            return self.show_huge();
        }
        let text = format_g(f);
        // a fraction must show
        if !self.is_integer() && !text.contains('.') { format_shortest(f) } else { text }
    }

    /// Out of the range of float64: by way of logarithms, as Go does it, with the same last digits.
    fn show_huge(&self) -> String {
        let (m, e) = self.parts();
        let bits = m.bits() as i64;
        let mantissa = Real::scaled(m, -bits).map_or(0.0, |m| m.to_f64());
        let d = (e + bits) as f64 * (std::f64::consts::LN_2 / std::f64::consts::LN_10);
        let mut exponent = d.floor() as i64;
        let mut x = mantissa * 10f64.powf(d - d.floor());
        while x.abs() < 1.0 - 0.5e-6 {
            x *= 10.0;
            exponent -= 1;
        }
        while x.abs() >= 10.0 {
            x /= 10.0;
            exponent += 1;
        }
        format!("{}e{exponent:+}", format_g(x))
    }
}

impl From<BigInt> for Real {
    fn from(n: BigInt) -> Real {
        Real::new(BigRational::from(n)).unwrap_or_else(Real::zero)
    }
}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Real) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Real {
    fn cmp(&self, other: &Real) -> Ordering {
        if let (Form::Exact(a), Form::Exact(b)) = (&self.0, &other.0) {
            return a.cmp(b);
        }
        // a difference that cannot be told is one of a sign
        let sign = self.sub(other).map_or(self.sign(), |d| d.sign());
        sign.cmp(&0)
    }
}

/// `n / d` with enough bits that rounding gives the nearest: the last bit tells whether anything was left.
fn quotient(n: &BigInt, d: &BigInt) -> (BigInt, i64) {
    let shift = (d.bits() as i64 - n.bits() as i64 + QUOTIENT_BITS).max(0);
    let (q, rest) = (n.abs() << shift as u64).div_rem(&d.abs());
    let q: BigInt = q * 2 + u32::from(!rest.is_zero());
    let negative = n.is_negative() != d.is_negative();
    (if negative { -q } else { q }, -shift - 1)
}

/// `10^n` as mantissa and exponent.
fn power_of_ten(mut n: u64) -> (BigInt, i64) {
    let mut result = (BigInt::one(), 0i64);
    let mut base = (BigInt::from(10), 0i64);
    let product = |a: &(BigInt, i64), b: &(BigInt, i64)| {
        let (m, e) = (&a.0 * &b.0, a.1 + b.1);
        let excess = m.bits().saturating_sub(2 * PRECISION);
        (round_off(&m, excess), e + excess as i64)
    };
    while n > 0 {
        if n % 2 == 1 {
            result = product(&result, &base);
        }
        base = product(&base, &base);
        n /= 2;
    }
    result
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

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(digits: i64, exponent: i64) -> Real {
        Real::literal(BigInt::from(digits), 0, exponent, false).expect("in bounds")
    }

    #[test]
    fn exponents_have_bounds() {
        assert_eq!(literal(1, 646_456_992).show(), "1e+646456992");
        assert_eq!(Real::literal(BigInt::from(1), 0, 646_456_993, false), None);
        assert!(literal(1, -646_456_994).is_zero());
        assert_eq!(literal(1, 646_456_992).mul(&literal(10, 0)), None);
        assert!(literal(1, -646_456_992).div(&literal(1, 100)).expect("small").is_zero());
    }

    #[test]
    fn long_numbers_are_rounded() {
        let (a, b) = (literal(1, 500_000), literal(1, 499_999));
        assert_eq!(a.div(&b).expect("in bounds").to_integer(), Some(BigInt::from(10)));
        assert_eq!(a.sub(&b).expect("in bounds").show(), "9e+499999");
        assert_eq!((a.cmp(&b), b.cmp(&a)), (Ordering::Greater, Ordering::Less));
        assert_eq!(a.neg().cmp(&b), Ordering::Less);
        assert_eq!(a.to_f64(), f64::INFINITY);
        assert_eq!(literal(-1, -500_000).to_f64(), 0.0);
        assert_eq!(literal(1, -500_000).show(), "1e-500000");
    }
}
