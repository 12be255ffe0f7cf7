//! Package math/big: integers of any size. A guest's Int points to a number that never changes; each operation makes a new one.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::vm::trap::Trap;

use super::{NativePart, Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[
    ("binary", binary),
    ("bit", bit),
    ("bitLen", |n| {
        let v = number(n, 0).bits();
        n.ret(0, v);
        Outcome::Done
    }),
    ("compare", compare),
    ("fits", fits),
    ("format", format),
    ("fromBytes", from_bytes),
    ("fromFloat", from_float),
    ("fromInt", |n| {
        let v = BigInt::from(n.int(0));
        make(n, 0, v)
    }),
    ("fromUint", |n| {
        let v = BigInt::from(n.arg(0));
        make(n, 0, v)
    }),
    ("magnitude", |n| {
        let b = number(n, 0).magnitude().to_bytes_be();
        let b = if b == [0] { Vec::new() } else { b };
        n.ret_bytes(0, &b);
        Outcome::Done
    }),
    ("modInverse", mod_inverse),
    ("parse", parse),
    ("power", power),
    ("prime", prime),
    ("setBit", set_bit),
    ("shift", shift),
    ("sign", |n| {
        let v = number(n, 0).signum().to_i64().unwrap_or(0);
        n.ret(0, v as u64);
        Outcome::Done
    }),
    ("sqrt", |n| {
        let v = number(n, 0).sqrt();
        make(n, 0, v)
    }),
    ("toFloat", |n| {
        let v = number(n, 0).to_f64().unwrap_or(f64::NAN);
        n.ret_float(0, v);
        Outcome::Done
    }),
    ("toWord", |n| {
        let v = number(n, 0);
        let low = v.magnitude().iter_u64_digits().next().unwrap_or(0);
        n.ret(0, if v.is_negative() { low.wrapping_neg() } else { low });
        Outcome::Done
    }),
    ("trailingZeros", |n| {
        let v = number(n, 0).trailing_zeros().unwrap_or(0);
        n.ret(0, v);
        Outcome::Done
    }),
];

#[derive(Debug)]
struct NumberPart(BigInt);

impl NativePart for NumberPart {
    fn equals(&self, other: &dyn NativePart) -> bool {
        other.as_any().downcast_ref::<NumberPart>().is_some_and(|o| o.0 == self.0)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// The number in argument slot `i`; nil is zero.
fn number(n: &Ncx<'_, '_>, i: usize) -> BigInt {
    n.handle::<NumberPart>(i).map_or_else(BigInt::zero, |p| p.0.clone())
}

fn make(n: &mut Ncx<'_, '_>, i: usize, v: BigInt) -> Outcome {
    let bytes = (v.bits() / 8) as usize;
    n.charge(bytes * 8);
    n.vm.heap.account_native(bytes);
    let h = if v.is_zero() { 0 } else { n.new_handle(NumberPart(v)) };
    n.ret(i, h);
    Outcome::Done
}

/// `func binary(op int, a, b *handle) *handle`: 0 +, 1 -, 2 *, 3 quotient and 4 remainder truncated, 5 and 6 Euclidean, 7 gcd, 8 and, 9 or,
/// 10 xor, 11 and not.
fn binary(n: &mut Ncx<'_, '_>) -> Outcome {
    let (op, a, b) = (n.int(0), number(n, 1), number(n, 2));
    if (3..=6).contains(&op) && b.is_zero() {
        return Outcome::Trap(Trap::Text("division by zero".into()));
    }
    n.charge((a.bits() as usize / 64 + 1) * (b.bits() as usize / 64 + 1) * 4);
    let v = match op {
        0 => a + b,
        1 => a - b,
        2 => a * b,
        3 => a / b,
        4 => a % b,
        5 => {
            let (q, r) = (&a / &b, &a % &b);
            if r.is_negative() { if b.is_negative() { q + 1 } else { q - 1 } } else { q }
        }
        6 => {
            let r = &a % &b;
            if r.is_negative() { r + b.abs() } else { r }
        }
        7 => a.gcd(&b),
        8 => a & b,
        9 => a | b,
        10 => a ^ b,
        _ => &a & !b,
    };
    make(n, 0, v)
}

/// `func power(a, e, m *handle) *handle`: a**e, modulo |m| if m is not zero. e is not negative.
fn power(n: &mut Ncx<'_, '_>) -> Outcome {
    let (a, e, m) = (number(n, 0), number(n, 1), number(n, 2));
    if !m.is_zero() {
        let m = m.abs();
        let words = m.bits() as usize / 64 + 1;
        n.charge(words * words * e.bits() as usize);
        let r = a.modpow(&e, &m);
        return make(n, 0, r);
    }
    let Some(e) = e.to_u32() else {
        let small = a.magnitude() <= &BigUint::one();
        if small {
            let odd = e.is_odd();
            let v = if a.is_negative() && !odd { a.abs() } else { a };
            return make(n, 0, v);
        }
        return Outcome::Trap(Trap::Fatal("out of memory".into()));
    };
    let words = a.bits() as usize / 64 * e as usize;
    n.charge(words * 64);
    let v = num_traits::pow::Pow::pow(a, e);
    make(n, 0, v)
}

/// `func modInverse(a, m *handle) (inverse *handle, ok bool)`.
fn mod_inverse(n: &mut Ncx<'_, '_>) -> Outcome {
    let (a, m) = (number(n, 0), number(n, 1).abs());
    let inverse = if m.is_zero() { None } else { a.modinv(&m) };
    n.ret_bool(1, inverse.is_some());
    make(n, 0, inverse.unwrap_or_default())
}

/// `func shift(a *handle, by int) *handle`: left, or right if negative.
fn shift(n: &mut Ncx<'_, '_>) -> Outcome {
    let (a, by) = (number(n, 0), n.int(1));
    let v = if by >= 0 { a << by as u64 } else { a >> by.unsigned_abs() };
    make(n, 0, v)
}

/// `func compare(a, b *handle, abs bool) int`.
fn compare(n: &mut Ncx<'_, '_>) -> Outcome {
    let (a, b) = (number(n, 0), number(n, 1));
    let o = if n.arg(2) != 0 { a.magnitude().cmp(b.magnitude()) } else { a.cmp(&b) };
    n.ret(0, o as i64 as u64);
    Outcome::Done
}

/// `func fits(a *handle, signed bool) bool`: in 64 bits.
fn fits(n: &mut Ncx<'_, '_>) -> Outcome {
    let a = number(n, 0);
    let fits = if n.arg(1) != 0 { a.to_i64().is_some() } else { a.to_u64().is_some() };
    n.ret_bool(0, fits);
    Outcome::Done
}

/// `func format(a *handle, base int) string`.
fn format(n: &mut Ncx<'_, '_>) -> Outcome {
    let (a, base) = (number(n, 0), n.int(1).clamp(2, 36));
    let words = a.bits() as usize / 64 + 1;
    n.charge(words * words * 16);
    let s = a.to_str_radix(base as u32);
    n.ret_string(0, s.as_bytes());
    Outcome::Done
}

/// `func parse(digits string, base int, negative bool) (v *handle, ok bool)`.
fn parse(n: &mut Ncx<'_, '_>) -> Outcome {
    let (digits, base, negative) = (n.bytes(0), n.arg(1) as u32, n.arg(2) != 0);
    let good = !digits.is_empty() && digits.iter().all(u8::is_ascii_alphanumeric);
    let v = if good { BigUint::parse_bytes(digits, base) } else { None };
    n.ret_bool(1, v.is_some());
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    make(n, 0, v.map_or_else(BigInt::zero, |v| BigInt::from_biguint(sign, v)))
}

/// `func fromBytes(b []byte) *handle`.
fn from_bytes(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = BigInt::from_bytes_be(Sign::Plus, &n.byte_slice(0));
    make(n, 0, v)
}

/// `func fromFloat(f float64) *handle`: towards zero.
fn from_float(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = num_traits::FromPrimitive::from_f64(n.float(0).trunc()).unwrap_or_default();
    make(n, 0, v)
}

/// `func bit(a *handle, i int) bool`.
fn bit(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = number(n, 0).bit(n.arg(1));
    n.ret_bool(0, v);
    Outcome::Done
}

/// `func setBit(a *handle, i int, on bool) *handle`.
fn set_bit(n: &mut Ncx<'_, '_>) -> Outcome {
    let (mut v, i, on) = (number(n, 0), n.arg(1), n.arg(2) != 0);
    v.set_bit(i, on);
    make(n, 0, v)
}

/// `func prime(a *handle, rounds int) bool`: small divisors, then Miller-Rabin with fixed and random bases.
fn prime(n: &mut Ncx<'_, '_>) -> Outcome {
    const SMALL: [u32; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    let (a, rounds) = (number(n, 0), n.arg(1) as usize);
    let words = a.bits() as usize / 64 + 1;
    n.charge(words * words * words * 64);
    let v = a.magnitude().clone();
    let mut is = !a.is_negative() && v > BigUint::one();
    for p in SMALL {
        if is && (&v % p).is_zero() {
            n.ret_bool(0, v == BigUint::from(p));
            return Outcome::Done;
        }
    }
    let mut bases: Vec<BigUint> = SMALL.iter().map(|p| BigUint::from(*p)).collect();
    bases.extend((0..rounds.min(64)).map(|_| BigUint::from(n.cx.random_u64() | 3)));
    is = is && bases.iter().all(|b| is_strong_probable_prime(&v, &(b % &v)));
    n.ret_bool(0, is);
    Outcome::Done
}

fn is_strong_probable_prime(v: &BigUint, base: &BigUint) -> bool {
    let (one, last) = (BigUint::one(), v - 1u32);
    if base.is_zero() || *base == one || *base == last {
        return true;
    }
    let s = last.trailing_zeros().unwrap_or(0);
    let mut x = base.modpow(&(&last >> s), v);
    if x == one || x == last {
        return true;
    }
    for _ in 1..s {
        x = &x * &x % v;
        if x == last {
            return true;
        }
    }
    false
}
