//! Exponential, logarithm, power and what is made of them, with the results of Go on amd64 to the last bit.
//!
//! None of these functions is rounded correctly by everybody, so programs that print their results see which algorithm computed them. The ones
//! here are those that Go uses: exp after Shibata (SLEEF), log, log1p, expm1 and cbrt after Sun's FDLIBM, the power by squaring. The
//! order of operations matters and must stay.

#![expect(
    clippy::excessive_precision,
    reason = "coefficients have all digits that tell them from their neighbours"
)]

use std::f64::consts::{LN_2, LOG2_E, LOG10_E, SQRT_2};

/// ln 2 in two parts; the product of the first and a small integer is exact.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// f = fraction · 2^exponent with a fraction in [½, 1).
pub(super) fn frexp(f: f64) -> (f64, i32) {
    libm::frexp(f)
}

/// e^x: the exponent of two is split off, a series of a sixteenth of the rest is squared four times.
pub(super) fn exp(x: f64) -> f64 {
    const LN2_UPPER: f64 = 0.693_147_180_559_662_956_511_601_805_686_950_683_593_75;
    const LN2_LOWER: f64 = 0.282_352_905_630_315_771_225_884_481_750_134_360_255_254_120_68e-12;
    const OVERFLOW: f64 = 7.097_827_128_933_84e2;
    /// 1/n! from 8 down to 0.
    const SERIES: [f64; 7] = [
        1.984_126_984_126_984_1e-4,
        1.388_888_888_888_888_9e-3,
        8.333_333_333_333_333e-3,
        4.166_666_666_666_666_4e-2,
        1.666_666_666_666_666_7e-1,
        0.5,
        1.0,
    ];
    if x.is_nan() || x == f64::INFINITY || x > OVERFLOW {
        return if x.is_nan() { x } else { f64::INFINITY };
    }
    if x == f64::NEG_INFINITY {
        return 0.0;
    }
    let exponent = (x * LOG2_E).round_ties_even().max(-1e6);
    let mut r = exponent.mul_add(-LN2_UPPER, x);
    r = exponent.mul_add(-LN2_LOWER, r) * 0.0625;
    let start = 2.480_158_730_158_730_2e-5;
    let mut y = r * SERIES.iter().fold(start, |sum: f64, term| sum.mul_add(r, *term));
    for _ in 0..3 {
        y *= y + 2.0;
    }
    y = y.mul_add(y + 2.0, 1.0);
    scaled(y, exponent as i32)
}

/// y · 2^exponent, where a subnormal result is rounded once, and 0 below its range.
fn scaled(y: f64, exponent: i32) -> f64 {
    let biased = exponent + 0x3FF;
    let power = |e: i32| f64::from_bits((e as u64) << 52);
    match biased {
        0x7FF.. => f64::INFINITY,
        1.. => y * power(biased),
        -52..=0 => y * power(biased + 0x3FE) * power(1),
        _ => 0.0,
    }
}

/// 2^x.
pub(super) fn exp2(x: f64) -> f64 {
    match x {
        _ if x.is_nan() => return x,
        _ if x > 1.023_999_999_999_999_9e3 => return f64::INFINITY,
        _ if x < -1074.0 => return 0.0,
        _ => {}
    }
    let k = if x > 0.0 { (x + 0.5).trunc() } else { (x - 0.5).trunc() };
    let k = if x == 0.0 { 0.0 } else { k };
    let t = x - k;
    let (high, low) = (t * LN2_HIGH, -t * LN2_LOW);
    let r = high - low;
    let t = r * r;
    let series = [
        -1.653_390_220_546_525_2e-6,
        6.613_756_321_437_934e-5,
        -2.777_777_777_701_559_3e-3,
        1.666_666_666_666_666_6e-1,
    ];
    let c = r - t * series.iter().fold(4.138_136_797_057_238_5e-8, |sum, term| term + t * sum);
    let y = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
    libm::ldexp(y, k as i32)
}

/// ln x. Subnormal numbers get no exponent of their own, as on Go's side.
pub(super) fn log(x: f64) -> f64 {
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x < 0.0 || x.is_nan() || x == f64::INFINITY {
        return if x < 0.0 { f64::NAN } else { x };
    }
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = x.to_bits();
    let mut fraction = f64::from_bits(bits & MANTISSA | 0.5f64.to_bits());
    let mut k = ((bits >> 52) as i32 - 0x3FE) as f64;
    if fraction <= SQRT_2 / 2.0 {
        fraction *= 2.0;
        k -= 1.0;
    }
    let f = fraction - 1.0;
    let s = f / (2.0 + f);
    let s2 = s * s;
    let s4 = s2 * s2;
    let odd = [1.818_357_216_161_805e-1, 2.857_142_874_366_239_3e-1, 6.666_666_666_666_735e-1];
    let even = [2.222_219_843_214_978_4e-1, 3.999_999_999_940_942e-1];
    let sum = |start: f64, terms: &[f64]| terms.iter().fold(start, |sum, term| sum * s4 + term);
    let odd = sum(1.479_819_860_511_658_6e-1, &odd);
    let even = sum(1.531_383_769_920_937_3e-1, &even);
    let r = s2 * odd + s4 * even;
    let half = 0.5 * f * f;
    k * LN2_HIGH - ((half - (s * (half + r) + k * LN2_LOW)) - f)
}

/// ln(1 + x) of a number between √½ - 1 and √2 - 1 and its scale: what is left of 1 + x without 2^k, the rounding error of that, and
/// whether it is too small for the series.
struct Reduced {
    f: f64,
    k: f64,
    error: f64,
    tiny: bool,
}

fn reduce_log1p(x: f64) -> Reduced {
    if x.abs() < SQRT_2 - 1.0 && x > SQRT_2 / 2.0 - 1.0 {
        return Reduced { f: x, k: 0.0, error: 0.0, tiny: false };
    }
    const MANTISSA: u64 = (1 << 52) - 1;
    /// The mantissa of √2.
    const ROOT: u64 = 0x6_A09E_667F_3BCD;
    let (mut u, mut error) = (x, 0.0);
    if x.abs() < (1u64 << 53) as f64 {
        u = 1.0 + x;
        let exponent = (u.to_bits() >> 52) as i32 - 1023;
        error = if exponent > 0 { 1.0 - (u - x) } else { x - (u - 1.0) } / u;
    }
    let mut k = (u.to_bits() >> 52) as i32 - 1023;
    let mut mantissa = u.to_bits() & MANTISSA;
    if mantissa < ROOT {
        u = f64::from_bits(mantissa | 1.0f64.to_bits());
    } else {
        k += 1;
        u = f64::from_bits(mantissa | 0.5f64.to_bits());
        mantissa = ((1 << 52) - mantissa) >> 2;
    }
    Reduced { f: u - 1.0, k: f64::from(k), error, tiny: mantissa == 0 }
}

/// ln(1 + x).
pub(super) fn log1p(x: f64) -> f64 {
    match x {
        _ if x < -1.0 || x.is_nan() => return f64::NAN,
        -1.0 => return f64::NEG_INFINITY,
        f64::INFINITY => return x,
        _ if x.abs() < 1.0 / (1u64 << 54) as f64 => return x,
        _ if x.abs() < 1.0 / (1u64 << 29) as f64 => return x - x * x * 0.5,
        _ => {}
    }
    let Reduced { f, k, error, tiny } = reduce_log1p(x);
    let half = 0.5 * f * f;
    if tiny {
        if f == 0.0 {
            return if k == 0.0 { 0.0 } else { k * LN2_HIGH + (error + k * LN2_LOW) };
        }
        let r = half * (1.0 - 0.666_666_666_666_666_66 * f);
        return if k == 0.0 { f - r } else { k * LN2_HIGH - ((r - (k * LN2_LOW + error)) - f) };
    }
    let s = f / (2.0 + f);
    let z = s * s;
    let series = [
        1.531_383_769_920_937_3e-1,
        1.818_357_216_161_805e-1,
        2.222_219_843_214_978_4e-1,
        2.857_142_874_366_239_3e-1,
        3.999_999_999_940_942e-1,
        6.666_666_666_666_735e-1,
    ];
    let r = z * series.iter().fold(1.479_819_860_511_658_6e-1, |sum, term| term + z * sum);
    if k == 0.0 {
        return f - (half - s * (half + r));
    }
    k * LN2_HIGH - ((half - (s * (half + r) + (k * LN2_LOW + error))) - f)
}

pub(super) fn log2(x: f64) -> f64 {
    let (fraction, exponent) = frexp(x);
    if x == 0.0 || !x.is_finite() || x < 0.0 {
        return log(x);
    }
    // powers of two are exact
    if fraction == 0.5 {
        return f64::from(exponent - 1);
    }
    log(fraction) * LOG2_E + f64::from(exponent)
}

pub(super) fn log10(x: f64) -> f64 {
    log(x) * LOG10_E
}

pub(super) fn sinh(x: f64) -> f64 {
    // -0 stays what it is
    let a = if x < 0.0 { -x } else { x };
    let y = if a > 21.0 {
        exp(a) * 0.5
    } else if a > 0.5 {
        let e = exp(a);
        (e - 1.0 / e) * 0.5
    } else {
        // Hart and Cheney 2029
        let q = a * a;
        let p = ((-26.305_632_133_974_97 * q - 2_894.211_355_989_563_6) * q
            - 89_912.720_220_395_09)
            * q
            - 630_767.364_049_771_7;
        let d =
            ((q - 173.678_953_558_233_7) * q + 15_215.173_787_900_19) * q - 630_767.364_049_771_7;
        p * a / d
    };
    if x < 0.0 { -y } else { y }
}

pub(super) fn cosh(x: f64) -> f64 {
    let x = x.abs();
    let e = exp(x);
    if x > 21.0 { e * 0.5 } else { (e + 1.0 / e) * 0.5 }
}

pub(super) fn tanh(x: f64) -> f64 {
    let z = x.abs();
    if z > 0.5 * 8.802_969_193_111_305e1 {
        return 1f64.copysign(x);
    }
    if z >= 0.625 {
        return (1.0 - 2.0 / (exp(2.0 * z) + 1.0)).copysign(x);
    }
    if x == 0.0 {
        return x;
    }
    let s = x * x;
    let p =
        (-9.643_991_794_250_523e-1 * s - 9.928_772_310_019_185e1) * s - 1.614_687_684_417_084_5e3;
    let q = ((s + 1.128_116_784_916_329_3e2) * s + 2.235_488_390_601_004_4e3) * s
        + 4.844_063_053_251_255e3;
    x + x * s * p / q
}

pub(super) fn asinh(x: f64) -> f64 {
    const LARGE: f64 = (1u64 << 28) as f64;
    if !x.is_finite() {
        return x;
    }
    let a = x.abs();
    let y = if a > LARGE {
        log(a) + LN_2
    } else if a > 2.0 {
        log(2.0 * a + 1.0 / ((a * a + 1.0).sqrt() + a))
    } else if a < 1.0 / LARGE {
        a
    } else {
        log1p(a + a * a / (1.0 + (1.0 + a * a).sqrt()))
    };
    if x < 0.0 {
        -y
    } else if x == 0.0 {
        x
    } else {
        y
    }
}

pub(super) fn acosh(x: f64) -> f64 {
    if x < 1.0 || x.is_nan() {
        return f64::NAN;
    }
    if x == 1.0 {
        return 0.0;
    }
    if x >= (1u64 << 28) as f64 {
        return log(x) + LN_2;
    }
    if x > 2.0 {
        return log(2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt()));
    }
    let t = x - 1.0;
    log1p(t + (2.0 * t + t * t).sqrt())
}

pub(super) fn atanh(x: f64) -> f64 {
    let a = x.abs();
    if a > 1.0 || a.is_nan() {
        return f64::NAN;
    }
    let y = if a == 1.0 {
        f64::INFINITY
    } else if a < 1.0 / (1u64 << 28) as f64 {
        a
    } else if a < 0.5 {
        let t = a + a;
        0.5 * log1p(t + t * a / (1.0 - a))
    } else {
        0.5 * log1p((a + a) / (1.0 - a))
    };
    if x < 0.0 {
        -y
    } else if x == 0.0 {
        x
    } else {
        y
    }
}

/// The cube root: a guess of five bits, one step to 23, one of Newton's.
pub(super) fn cbrt(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let a = x.abs();
    let mut t = if a < f64::MIN_POSITIVE {
        let scaled = a * (1u64 << 54) as f64;
        f64::from_bits(scaled.to_bits() / 3 + (696_219_795 << 32))
    } else {
        f64::from_bits(a.to_bits() / 3 + (715_094_163 << 32))
    };
    let r = t * t / a;
    let s = 5.428_571_428_571_428_16e-1 + r * t;
    t *= 3.571_428_571_428_571_5e-1
        + 1.607_142_857_142_857_2 / (s + 1.414_285_714_285_714_4 + -7.053_061_224_489_796e-1 / s);
    // 22 bits, and more than the root
    t = f64::from_bits((t.to_bits() & (0xF_FFFF_FFFC << 28)) + (1 << 30));
    let r = a / (t * t);
    t += t * ((r - t) / (t + t + r));
    t.copysign(x)
}

pub(super) fn hypot(p: f64, q: f64) -> f64 {
    if p.is_infinite() || q.is_infinite() {
        return f64::INFINITY;
    }
    if p.is_nan() || q.is_nan() {
        return f64::NAN;
    }
    let (p, q) = (p.abs().max(q.abs()), p.abs().min(q.abs()));
    if p == 0.0 {
        return 0.0;
    }
    let r = q / p;
    (r * r + 1.0).sqrt() * p
}

fn is_odd(x: f64) -> bool {
    x.abs() < (1u64 << 53) as f64 && x.trunc() == x && (x as i64) & 1 == 1
}

/// The power where a number is special; `None` where it must be computed.
fn special_power(x: f64, y: f64) -> Option<f64> {
    if y == 0.0 || x == 1.0 {
        return Some(1.0);
    }
    if y == 1.0 {
        return Some(x);
    }
    if x.is_nan() || y.is_nan() {
        return Some(f64::NAN);
    }
    if x == 0.0 {
        let y_is_odd = x.is_sign_negative() && is_odd(y);
        return Some(match (y < 0.0, y_is_odd) {
            (true, true) => f64::NEG_INFINITY,
            (true, false) => f64::INFINITY,
            (false, true) => x,
            (false, false) => 0.0,
        });
    }
    if y.is_infinite() {
        return Some(if x == -1.0 { 1.0 } else { far_power(x, y) });
    }
    if x == f64::NEG_INFINITY {
        return Some(power(1.0 / x, -y));
    }
    if x.is_infinite() {
        return Some(if y < 0.0 { 0.0 } else { f64::INFINITY });
    }
    match y {
        0.5 => Some(x.sqrt()),
        -0.5 => Some(1.0 / x.sqrt()),
        _ => None,
    }
}

/// The power for an exponent beyond all bounds.
fn far_power(x: f64, y: f64) -> f64 {
    if (x.abs() < 1.0) == (y > 0.0) { 0.0 } else { f64::INFINITY }
}

/// x^y: the whole part of the exponent by squaring, the rest by exp and log.
pub(super) fn power(x: f64, y: f64) -> f64 {
    if let Some(v) = special_power(x, y) {
        return v;
    }
    let a = y.abs();
    let (mut whole, mut part) = (a.trunc(), a - a.trunc());
    if part != 0.0 && x < 0.0 {
        return f64::NAN;
    }
    if whole >= (1u64 << 63) as f64 {
        return if x == -1.0 { 1.0 } else { far_power(x, y) };
    }
    let (mut result, mut result_exponent) = (1.0, 0);
    if part != 0.0 {
        if part > 0.5 {
            part -= 1.0;
            whole += 1.0;
        }
        result = exp(part * log(x));
    }
    let (mut square, mut exponent) = frexp(x);
    let mut left = whole as i64;
    while left != 0 {
        if exponent.abs() > 1 << 12 {
            result_exponent += exponent;
            break;
        }
        if left & 1 == 1 {
            result *= square;
            result_exponent += exponent;
        }
        square *= square;
        exponent <<= 1;
        if square < 0.5 {
            square += square;
            exponent -= 1;
        }
        left >>= 1;
    }
    if y < 0.0 {
        result = 1.0 / result;
        result_exponent = -result_exponent;
    }
    libm::ldexp(result, result_exponent)
}
