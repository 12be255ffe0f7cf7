//! The error function, its complement and its inverse, with the results of Go to the last bit: after Sun's FDLIBM, the inverse after
//! Wichura (AS 241). Each range of the argument has a quotient of two polynomials, whose coefficients start with the constant one.

use std::f64::consts::{LN_2, SQRT_2};

use super::elementary::{exp, log};

/// erf below 0.84375.
const SMALL_P: [f64; 5] = [
    0.12837916709551256,
    -0.3250421072470015,
    -0.02848174957559851,
    -0.005770270296489442,
    -2.3763016656650163e-05,
];

const SMALL_Q: [f64; 6] = [
    1.0,
    0.39791722395915535,
    0.0650222499887673,
    0.005081306281875766,
    0.00013249473800432164,
    -3.960228278775368e-06,
];

/// erf from there to 1.25.
const MIDDLE_P: [f64; 7] = [
    -0.0023621185607526594,
    0.41485611868374833,
    -0.3722078760357013,
    0.31834661990116175,
    -0.11089469428239668,
    0.035478304325618236,
    -0.002166375594868791,
];

const MIDDLE_Q: [f64; 7] = [
    1.0,
    0.10642088040084423,
    0.540397917702171,
    0.07182865441419627,
    0.12617121980876164,
    0.01363708391202905,
    0.011984499846799107,
];

/// erfc from there to 1 / 0.35.
const LARGE_P: [f64; 8] = [
    -0.009864944034847148,
    -0.6938585727071818,
    -10.558626225323291,
    -62.375332450326006,
    -162.39666946257347,
    -184.60509290671104,
    -81.2874355063066,
    -9.814329344169145,
];

const LARGE_Q: [f64; 9] = [
    1.0,
    19.651271667439257,
    137.65775414351904,
    434.56587747522923,
    645.3872717332679,
    429.00814002756783,
    108.63500554177944,
    6.570249770319282,
    -0.0604244152148581,
];

/// erfc beyond.
const FAR_P: [f64; 7] = [
    -0.0098649429247001,
    -0.799283237680523,
    -17.757954917754752,
    -160.63638485582192,
    -637.5664433683896,
    -1025.0951316110772,
    -483.5191916086514,
];

const FAR_Q: [f64; 8] = [
    1.0,
    30.33806074348246,
    325.7925129965739,
    1536.729586084437,
    3199.8582195085955,
    2553.0504064331644,
    474.52854120695537,
    -22.44095244658582,
];

/// The inverse: up to 0.85, and in two steps to 1.
const INVERSE_P: [f64; 8] = [
    1.1975323115670913,
    47.07268811238398,
    697.062665343896,
    4854.886889384388,
    16235.862515167575,
    23782.041382114385,
    11819.493347062295,
    887.0940696254552,
];

const INVERSE_Q: [f64; 8] = [
    1.0,
    42.31333070160091,
    687.1870074920579,
    5394.196021424751,
    21213.794301586597,
    39307.89580009271,
    28729.085735721943,
    5226.495278852854,
];

const NEAR_P: [f64; 8] = [
    1.4234371107496835,
    4.630337846156546,
    5.769497221460691,
    3.6478483247632045,
    1.2704582524523684,
    0.2417807251774506,
    0.022723844989269184,
    0.0007745450142783414,
];

const NEAR_Q: [f64; 8] = [
    SQRT_2,
    2.9036514445419948,
    2.3707661626024534,
    0.9754783200178743,
    0.2094506521051275,
    0.021494160384252878,
    0.0007744145906515771,
    1.4859850019840355e-09,
];

const LAST_P: [f64; 8] = [
    6.657904643501103,
    5.463784911164114,
    1.7848265399172913,
    0.29656057182850487,
    0.026532189526576124,
    0.0012426609473880784,
    2.7115555687434876e-05,
    2.0103343992922881e-07,
];

const LAST_Q: [f64; 8] = [
    SQRT_2,
    0.8482908416595164,
    0.19364809469506591,
    0.02103693768272069,
    0.0011128009970788597,
    2.6110884050805935e-05,
    2.010321207683943e-07,
    2.8910246058729655e-15,
];

/// What erf is about in the middle range.
const MIDDLE: f64 = 0.8450629115104675;
/// 2 / √π - 1.
const SLOPE: f64 = 0.1283791670955126;

fn series(x: f64, coefficients: &[f64]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| c + x * sum)
}

/// A quotient of polynomials.
fn quotient(x: f64, p: &[f64], q: &[f64]) -> f64 {
    series(x, p) / series(x, q)
}

/// x · erfc x, for x of at least 1.25.
fn tail(x: f64) -> f64 {
    let s = 1.0 / (x * x);
    let far = x >= 1.0 / 0.35;
    let q = if far { quotient(s, &FAR_P, &FAR_Q) } else { quotient(s, &LARGE_P, &LARGE_Q) };
    // the upper half of x, whose square is exact
    let z = f64::from_bits(x.to_bits() & 0xFFFF_FFFF_0000_0000);
    exp(-z * z - 0.5625) * exp((z - x) * (z + x) + q)
}

pub(super) fn erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let a = if x < 0.0 { -x } else { x };
    let y = if a < 0.84375 {
        if a < 2.848_094_538_889_218e-306 {
            0.125 * (8.0 * a + 8.0 * SLOPE * a)
        } else if a < 1.0 / (1u64 << 28) as f64 {
            a + SLOPE * a
        } else {
            a + a * quotient(a * a, &SMALL_P, &SMALL_Q)
        }
    } else if a < 1.25 {
        MIDDLE + quotient(a - 1.0, &MIDDLE_P, &MIDDLE_Q)
    } else if a >= 6.0 {
        1.0
    } else {
        1.0 - tail(a) / a
    };
    if x < 0.0 { -y } else { y }
}

pub(super) fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let (a, negative) = (x.abs(), x < 0.0);
    if a < 0.84375 {
        let y = if a < 1.0 / (1u64 << 56) as f64 {
            a
        } else {
            let y = quotient(a * a, &SMALL_P, &SMALL_Q);
            if a < 0.25 { a + a * y } else { 0.5 + (a * y + (a - 0.5)) }
        };
        return if negative { 1.0 + y } else { 1.0 - y };
    }
    if a < 1.25 {
        let y = quotient(a - 1.0, &MIDDLE_P, &MIDDLE_Q);
        return if negative { 1.0 + MIDDLE + y } else { 1.0 - MIDDLE - y };
    }
    if a >= 28.0 || negative && a > 6.0 {
        return if negative { 2.0 } else { 0.0 };
    }
    let y = tail(a) / a;
    if negative { 2.0 - y } else { y }
}

pub(super) fn erfinv(x: f64) -> f64 {
    let a = x.abs();
    if a >= 1.0 || a.is_nan() {
        return if a == 1.0 { f64::INFINITY.copysign(x) } else { f64::NAN };
    }
    let a = if x < 0.0 { -x } else { x };
    let y = if a <= 0.85 {
        let r = 0.180625 - 0.25 * a * a;
        (a * series(r, &INVERSE_P)) / series(r, &INVERSE_Q)
    } else {
        let r = (LN_2 - log(1.0 - a)).sqrt();
        if r <= 5.0 {
            quotient(r - 1.6, &NEAR_P, &NEAR_Q)
        } else {
            quotient(r - 5.0, &LAST_P, &LAST_Q)
        }
    };
    if x < 0.0 { -y } else { y }
}
