//! Package math and math/bits. Functions whose results depend on the algorithm compute as Go does (`elementary`, `angles`, `error`); the host's library
//! is asked only where the result is exact or the algorithm the same.

mod angles;
mod elementary;
mod error;

use super::{Ncx, Outcome, Table};

macro_rules! unary {
    ($($name:literal: $f:expr),* $(,)?) => {
        &[ $( ($name, |n| { let f: fn(f64) -> f64 = $f; let v = f(n.float(0)); n.ret_float(0, v); Outcome::Done }), )*
           ("Pow", |n| binary(n, elementary::power)), ("Atan2", |n| binary(n, angles::atan2)),
           ("Hypot", |n| binary(n, elementary::hypot)),
           ("Mod", |n| binary(n, |a, b| a % b)), ("FMA", fma), ("Float64bits", same), ("Float64frombits", same),
           ("Float32bits", same), ("Float32frombits", same), ("Copysign", |n| binary(n, f64::copysign)),
           ("Remainder", |n| binary(n, remainder)), ("bessel", bessel), ("lgamma", lgamma), ("ldexp", ldexp) ]
    };
}

pub(super) const TABLE: Table = unary! {
    "Sqrt": f64::sqrt, "Floor": f64::floor, "Ceil": f64::ceil, "Trunc": f64::trunc, "Round": f64::round,
    "RoundToEven": f64::round_ties_even, "Abs": f64::abs, "Sin": angles::sin, "Cos": angles::cos, "Tan": angles::tan,
    "Asin": angles::asin, "Acos": angles::acos, "Atan": angles::atan, "Sinh": elementary::sinh, "Cosh": elementary::cosh,
    "Tanh": elementary::tanh, "Asinh": elementary::asinh, "Acosh": elementary::acosh, "Atanh": elementary::atanh,
    "Exp": elementary::exp, "Exp2": elementary::exp2, "Expm1": libm::expm1, "Log": elementary::log,
    "Log2": elementary::log2, "Log10": elementary::log10, "Log1p": elementary::log1p, "Cbrt": elementary::cbrt,
    "erf": error::erf, "erfc": error::erfc, "erfinv": error::erfinv, "gamma": angles::gamma,
};

fn binary(n: &mut Ncx<'_, '_>, f: fn(f64, f64) -> f64) -> Outcome {
    let v = f(n.float(0), n.float(1));
    n.ret_float(0, v);
    Outcome::Done
}

/// `func lgamma(x float64) (float64, int)`.
fn lgamma(n: &mut Ncx<'_, '_>) -> Outcome {
    let x = n.float(0);
    let (v, sign) = if x == f64::NEG_INFINITY { (x, 1) } else { libm::lgamma_r(x) };
    n.ret_float(0, v);
    n.ret(1, i64::from(sign) as u64);
    Outcome::Done
}

/// `func ldexp(frac float64, exp int) float64`.
fn ldexp(n: &mut Ncx<'_, '_>) -> Outcome {
    let exp = n.int(1).clamp(-100_000, 100_000) as i32;
    let v = libm::ldexp(n.float(0), exp);
    n.ret_float(0, v);
    Outcome::Done
}

/// `func bessel(kind, n int, x float64) float64`.
fn bessel(n: &mut Ncx<'_, '_>) -> Outcome {
    let order = n.int(1).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
    let x = n.float(2);
    let v = if n.int(0) == 0 { libm::jn(order, x) } else { libm::yn(order, x) };
    n.ret_float(0, v);
    Outcome::Done
}

fn same(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = n.arg(0);
    n.ret(0, v);
    Outcome::Done
}

fn fma(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = n.float(0).mul_add(n.float(1), n.float(2));
    n.ret_float(0, v);
    Outcome::Done
}

fn remainder(x: f64, y: f64) -> f64 {
    if y == 0.0 || x.is_infinite() || x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if y.is_infinite() {
        return x;
    }
    let r = x % y;
    let half = y.abs() / 2.0;
    let odd = ((x - r) / y) % 2.0 != 0.0;
    let fixed =
        if r.abs() > half || (r.abs() == half && odd) { r - y.abs().copysign(r) } else { r };
    if fixed == 0.0 { 0f64.copysign(x) } else { fixed }
}

pub(super) const BITS: Table = &[
    ("LeadingZeros64", |n| word(n, |v| u64::from(v.leading_zeros()))),
    ("TrailingZeros64", |n| word(n, |v| u64::from(v.trailing_zeros()))),
    ("OnesCount64", |n| word(n, |v| u64::from(v.count_ones()))),
    ("Reverse64", |n| word(n, u64::reverse_bits)),
    ("ReverseBytes64", |n| word(n, u64::swap_bytes)),
    ("mul64", mul64),
    ("div64", div64),
];

fn word(n: &mut Ncx<'_, '_>, f: fn(u64) -> u64) -> Outcome {
    let v = f(n.arg(0));
    n.ret(0, v);
    Outcome::Done
}

/// `func mul64(x, y uint64) (hi, lo uint64)`.
fn mul64(n: &mut Ncx<'_, '_>) -> Outcome {
    let p = u128::from(n.arg(0)) * u128::from(n.arg(1));
    n.ret(0, (p >> 64) as u64);
    n.ret(1, p as u64);
    Outcome::Done
}

/// `func div64(hi, lo, y uint64) (quo, rem uint64)`; hi < y was checked.
fn div64(n: &mut Ncx<'_, '_>) -> Outcome {
    let x = u128::from(n.arg(0)) << 64 | u128::from(n.arg(1));
    let y = u128::from(n.arg(2)).max(1);
    n.ret(0, (x / y) as u64);
    n.ret(1, (x % y) as u64);
    Outcome::Done
}
