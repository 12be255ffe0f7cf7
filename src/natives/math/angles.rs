//! Trigonometric functions and their inverses, and Γ, with the results of Go to the last bit. The algorithms are those of Moshier's Cephes;
//! large angles are reduced as Payne and Hanek do.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::elementary::{exp, power};

/// The value of a polynomial, the highest coefficient first.
fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    coefficients[1..].iter().fold(coefficients[0], |sum, c| sum * x + c)
}

const SIN: [f64; 6] = [
    1.589_623_015_765_465_7e-10,
    -2.505_074_776_285_780_7e-8,
    2.755_731_362_138_572_2e-6,
    -1.984_126_982_958_954e-4,
    8.333_333_333_322_118e-3,
    -1.666_666_666_666_663e-1,
];

const COS: [f64; 6] = [
    -1.135_853_652_138_768_2e-11,
    2.087_570_084_197_473e-9,
    -2.755_731_417_929_674e-7,
    2.480_158_728_885_170_4e-5,
    -1.388_888_888_887_305_6e-3,
    4.166_666_666_666_659_5e-2,
];

/// The octant of an angle that is not negative (with odd ones made the next even one), and what is left in it.
fn reduce(x: f64) -> (u64, f64) {
    if x >= (1u64 << 29) as f64 {
        return reduce_large(x);
    }
    let mut octant = (x * (4.0 / PI)) as u64;
    octant += octant & 1;
    let y = octant as f64;
    let z = ((x - y * 7.853_981_256_484_985e-1) - y * 3.774_894_707_930_798e-8)
        - y * 2.695_151_429_079_059_5e-15;
    (octant & 7, z)
}

/// The binary digits of 4/π, 64 in a word, from the one before the point on.
const FOUR_OVER_PI: [u64; 20] = [
    0x0000_0000_0000_0001,
    0x45f3_06dc_9c88_2a53,
    0xf84e_afa3_ea69_bb81,
    0xb6c5_2b32_7887_2083,
    0xfca2_c757_bd77_8ac3,
    0x6e48_dc74_849b_a5c0,
    0x0c92_5dd4_13a3_2439,
    0xfc3b_d639_6253_4e7d,
    0xd104_6bea_5d76_8909,
    0xd338_e04d_68be_fc82,
    0x7323_ac73_06a6_73e9,
    0x3908_bf17_7bf2_5076,
    0x3ff1_2fff_bc0b_301f,
    0xde5e_2316_b414_da3e,
    0xda6c_fd9e_4f96_136e,
    0x9e8c_7ecd_3cbf_d45a,
    0xea4f_758f_d7cb_e2f6,
    0x7a0e_73ef_14a5_25d4,
    0xd7f6_bf62_3f1a_ba10,
    0xac06_608d_f8f6_d757,
];

/// Multiplies the mantissa by those digits of 4/π that matter for the last octants.
fn reduce_large(x: f64) -> (u64, f64) {
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = x.to_bits();
    let exponent = (bits >> 52) as usize + 61 - 1023 - 52;
    let mantissa = u128::from(bits & MANTISSA | 1 << 52);
    let (digit, shift) = (exponent / 64, exponent % 64);
    let word = |k: usize| {
        let two =
            u128::from(FOUR_OVER_PI[digit + k]) << 64 | u128::from(FOUR_OVER_PI[digit + k + 1]);
        (two << shift >> 64) as u64
    };
    let below = (u128::from(word(2)) * mantissa) >> 64;
    let middle = u128::from(word(1)) * mantissa + below;
    let top = (u128::from(word(0)) * mantissa).wrapping_shl(64);
    let product = top.wrapping_add(middle);
    let mut octant = (product >> 125) as u64;
    // the fraction of an octant, as a float
    let fraction = product << 3;
    let zeros = ((fraction >> 64) as u64).leading_zeros();
    let mantissa = (fraction << (zeros + 1) >> 76) as u64;
    let mut z = f64::from_bits(mantissa | u64::from(1023 - (zeros + 1)) << 52);
    if octant & 1 == 1 {
        octant = (octant + 1) & 7;
        z -= 1.0;
    }
    (octant, z * FRAC_PI_4)
}

fn sin_part(z: f64) -> f64 {
    let zz = z * z;
    z + z * zz * polynomial(zz, &SIN)
}

fn cos_part(z: f64) -> f64 {
    let zz = z * z;
    1.0 - 0.5 * zz + zz * zz * polynomial(zz, &COS)
}

pub(super) fn sin(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() {
        return x;
    }
    if x.is_infinite() {
        return f64::NAN;
    }
    let (octant, z) = reduce(x.abs());
    let y = if octant & 3 == 2 { cos_part(z) } else { sin_part(z) };
    if (x < 0.0) != (octant > 3) { -y } else { y }
}

pub(super) fn cos(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (octant, z) = reduce(x.abs());
    let y = if octant & 3 == 2 { sin_part(z) } else { cos_part(z) };
    if octant == 2 || octant == 4 { -y } else { y }
}

pub(super) fn tan(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() {
        return x;
    }
    if x.is_infinite() {
        return f64::NAN;
    }
    let (octant, z) = reduce(x.abs());
    let zz = z * z;
    let mut y = z;
    if zz > 1e-14 {
        let p = [-1.309_369_391_813_837_9e4, 1.153_516_648_385_874_2e6, -1.795_652_519_764_848_8e7];
        let q = [
            1.368_129_634_706_929_5e4,
            -1.320_892_344_402_109_7e6,
            2.500_838_018_233_579e7,
            -5.386_957_559_294_546_3e7,
        ];
        let d = q[1..].iter().fold(zz + q[0], |sum, c| sum * zz + c);
        y = z + z * (zz * polynomial(zz, &p) / d);
    }
    if octant & 2 == 2 {
        y = -1.0 / y;
    }
    if x < 0.0 { -y } else { y }
}

/// atan in [0, 0.66].
fn small_atan(x: f64) -> f64 {
    let p = [
        -8.750_608_600_031_904e-1,
        -1.615_753_718_733_365_2e1,
        -7.500_855_792_314_705e1,
        -1.228_866_684_490_136_1e2,
        -6.485_021_904_942_025e1,
    ];
    let q = [
        2.485_846_490_142_306_3e1,
        1.650_270_098_316_988_5e2,
        4.328_810_604_912_902_7e2,
        4.853_903_996_359_137e2,
        1.945_506_571_482_614e2,
    ];
    let z = x * x;
    let d = q[1..].iter().fold(z + q[0], |sum, c| sum * z + c);
    let z = z * polynomial(z, &p) / d;
    x * z + x
}

/// atan of a number that is not negative.
fn positive_atan(x: f64) -> f64 {
    /// What π/2 has more than its float.
    const MORE: f64 = 6.123_233_995_736_766e-17;
    if x <= 0.66 {
        return small_atan(x);
    }
    if x > 2.414_213_562_373_095 {
        return FRAC_PI_2 - small_atan(1.0 / x) + MORE;
    }
    FRAC_PI_4 + small_atan((x - 1.0) / (x + 1.0)) + 0.5 * MORE
}

pub(super) fn atan(x: f64) -> f64 {
    match x {
        0.0 => x,
        _ if x > 0.0 => positive_atan(x),
        _ => -positive_atan(-x),
    }
}

pub(super) fn asin(x: f64) -> f64 {
    if x == 0.0 {
        return x;
    }
    let a = x.abs();
    if a > 1.0 || a.is_nan() {
        return f64::NAN;
    }
    let root = (1.0 - a * a).sqrt();
    let y = if a > 0.7 { FRAC_PI_2 - positive_atan(root / a) } else { positive_atan(a / root) };
    if x < 0.0 { -y } else { y }
}

pub(super) fn acos(x: f64) -> f64 {
    FRAC_PI_2 - asin(x)
}

pub(super) fn atan2(y: f64, x: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let angle = match (y, x) {
        (0.0, _) => Some(if x.is_sign_negative() { PI } else { 0.0 }),
        (_, 0.0) => Some(FRAC_PI_2),
        _ if x.is_infinite() => Some(match (x > 0.0, y.is_infinite()) {
            (true, true) => FRAC_PI_4,
            (true, false) => 0.0,
            (false, true) => 3.0 * FRAC_PI_4,
            (false, false) => PI,
        }),
        _ if y.is_infinite() => Some(FRAC_PI_2),
        _ => None,
    };
    if let Some(angle) = angle {
        return angle.copysign(y);
    }
    let q = atan(y / x);
    if x >= 0.0 {
        return q;
    }
    if q <= 0.0 { q + PI } else { q - PI }
}

/// Stirling's formula for Γ as two factors, whose product may overflow.
fn stirling(x: f64) -> (f64, f64) {
    const ROOT_TWO_PI: f64 = 2.506_628_274_631_000_7;
    let series = [
        7.873_113_957_930_937e-4,
        -2.295_499_616_133_781_3e-4,
        -2.681_326_178_057_812_4e-3,
        3.472_222_216_054_586_5e-3,
        8.333_333_333_334_822e-2,
    ];
    if x > 200.0 {
        return (f64::INFINITY, 1.0);
    }
    let w = 1.0 / x;
    let w = 1.0 + w * polynomial(w, &series);
    let e = exp(x);
    if x > 143.016_08 {
        let v = power(x, 0.5 * x - 0.25);
        return (v, ROOT_TWO_PI * w * (v / e));
    }
    (power(x, x - 0.5) / e, ROOT_TWO_PI * w * 1.0)
}

pub(super) fn gamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::NEG_INFINITY || x < 0.0 && x.trunc() == x {
        return f64::NAN;
    }
    if x == f64::INFINITY {
        return x;
    }
    if x == 0.0 {
        return f64::INFINITY.copysign(x);
    }
    if x.abs() <= 33.0 {
        return small_gamma(x);
    }
    if x > 0.0 {
        let (a, b) = stirling(x);
        return a * b;
    }
    // Γ(-q) by reflection
    let q = x.abs();
    let mut p = q.floor();
    let sign = if (p as i64) & 1 == 0 { -1.0 } else { 1.0 };
    let mut z = q - p;
    if z > 0.5 {
        p += 1.0;
        z = q - p;
    }
    let z = (q * sin(PI * z)).abs();
    if z == 0.0 {
        return f64::INFINITY.copysign(sign);
    }
    let (a, b) = stirling(q);
    let d = z * a * b;
    sign * if d.is_infinite() { PI / z / a / b } else { PI / d }
}

/// Γ in [-33, 33]: by its recurrence to [2, 3], where it is a quotient of polynomials.
fn small_gamma(mut x: f64) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    let mut z = 1.0;
    let near_pole =
        |x: f64, z: f64| if x == 0.0 { f64::INFINITY } else { z / ((1.0 + EULER * x) * x) };
    while x >= 3.0 {
        x -= 1.0;
        z *= x;
    }
    while x < 0.0 {
        if x > -1e-9 {
            return near_pole(x, z);
        }
        z /= x;
        x += 1.0;
    }
    while x < 2.0 {
        if x < 1e-9 {
            return near_pole(x, z);
        }
        z /= x;
        x += 1.0;
    }
    if x == 2.0 {
        return z;
    }
    let p = [
        1.601_195_224_767_518_6e-4,
        1.191_351_470_065_863_8e-3,
        1.042_137_975_617_615_7e-2,
        4.763_678_004_571_372e-2,
        2.074_482_276_484_359_8e-1,
        4.942_148_268_014_971e-1,
        1.0,
    ];
    let q = [
        -2.315_818_733_241_201_4e-5,
        5.396_055_804_933_034e-4,
        -4.456_419_138_517_973e-3,
        1.181_397_852_220_604_4e-2,
        3.582_363_986_054_986_5e-2,
        -2.345_917_957_182_433_5e-1,
        7.143_049_170_302_73e-2,
        1.0,
    ];
    x -= 2.0;
    z * polynomial(x, &p) / polynomial(x, &q)
}
