//! Floats as text, as Go writes them: the digits come from the standard library's correct printing, the form is ours.

/// Decimal digits of a finite number and the exponent of the first: 0.d1d2... * 10^point.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Digits {
    digits: Vec<u8>,
    point: i32,
}

fn split(scientific: &str) -> Digits {
    let (mantissa, exp) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    let exp: i32 = exp.parse().unwrap_or(0);
    if digits.iter().all(|d| *d == b'0') {
        return Digits { digits: Vec::new(), point: 0 };
    }
    Digits { digits, point: exp + 1 }
}

/// The shortest digits that read back as the same number of `bits` bits.
fn shortest(x: f64, bits: u32) -> Digits {
    let mut d =
        if bits == 32 { split(&format!("{:e}", x as f32)) } else { split(&format!("{x:e}")) };
    while d.digits.last() == Some(&b'0') {
        d.digits.pop();
    }
    // Two candidates may be equally near; Go takes the even one, as correct rounding to so many digits does.
    let n = d.digits.len();
    if n >= if bits == 32 { 8 } else { 16 } {
        let even = format!("{:.*e}", n - 1, x);
        let same = if bits == 32 {
            even.parse::<f32>().is_ok_and(|v| v == x as f32)
        } else {
            even.parse::<f64>().is_ok_and(|v| v == x)
        };
        if same {
            d = split(&even);
        }
    }
    d
}

/// Exactly `n` significant digits (at least 1), correctly rounded.
fn significant(x: f64, n: usize) -> Digits {
    split(&format!("{:.*e}", n.saturating_sub(1), x))
}

/// `strconv.FormatFloat`: `form` is one of `e E f F g G b x X`; `prec` -1 is the shortest that is exact; `bits` is 32 or 64.
pub fn format(x: f64, form: u8, prec: i32, bits: u32) -> String {
    if x.is_nan() {
        return "NaN".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "+Inf".into() } else { "-Inf".into() };
    }
    let sign = if x.is_sign_negative() { "-" } else { "" };
    let a = x.abs();
    let body = match form {
        b'e' | b'E' => exponent_form(&digits_for_e(a, prec, bits), prec, form),
        b'f' | b'F' => fixed(a, prec, bits),
        b'g' | b'G' => general(a, prec, bits, form),
        b'b' => return format!("{sign}{}", binary(a, bits)),
        b'x' | b'X' => hexadecimal(a, prec, form, bits),
        _ => return format!("%{}", form as char),
    };
    format!("{sign}{body}")
}

fn digits_for_e(a: f64, prec: i32, bits: u32) -> Digits {
    if prec < 0 { shortest(a, bits) } else { significant(a, prec as usize + 1) }
}

fn exponent_form(d: &Digits, prec: i32, form: u8) -> String {
    let prec = if prec < 0 { d.digits.len().saturating_sub(1) } else { prec as usize };
    let mut s = String::new();
    s.push(*d.digits.first().unwrap_or(&b'0') as char);
    if prec > 0 {
        s.push('.');
        for i in 1..=prec {
            s.push(*d.digits.get(i).unwrap_or(&b'0') as char);
        }
    }
    let exp = if d.digits.is_empty() { 0 } else { d.point - 1 };
    let e = if form == b'E' || form == b'G' { 'E' } else { 'e' };
    let exp_sign = if exp < 0 { '-' } else { '+' };
    s.push_str(&format!("{e}{exp_sign}{:02}", exp.abs()));
    s
}

fn fixed(a: f64, prec: i32, bits: u32) -> String {
    if prec >= 0 {
        return format!("{:.*}", prec as usize, a);
    }
    let d = shortest(a, bits);
    plain(&d, (d.digits.len() as i32 - d.point).max(0) as usize)
}

/// Digits as a plain number with `prec` digits after the point.
fn plain(d: &Digits, prec: usize) -> String {
    let mut s = String::new();
    if d.point > 0 {
        for i in 0..d.point as usize {
            s.push(*d.digits.get(i).unwrap_or(&b'0') as char);
        }
    } else {
        s.push('0');
    }
    if prec > 0 {
        s.push('.');
        for i in 0..prec as i32 {
            let at = d.point + i;
            let c = usize::try_from(at).ok().and_then(|at| d.digits.get(at)).unwrap_or(&b'0');
            s.push(*c as char);
        }
    }
    s
}

fn general(a: f64, prec: i32, bits: u32, form: u8) -> String {
    let is_shortest = prec < 0;
    let d = if is_shortest {
        shortest(a, bits)
    } else {
        let mut d = significant(a, prec.max(1) as usize);
        while d.digits.last() == Some(&b'0') {
            d.digits.pop();
        }
        d
    };
    // %e is used if the exponent is below -4 or at least the precision; for the shortest form that is 6.
    let mut limit = if prec == 0 { 1 } else { prec };
    if limit > d.digits.len() as i32 && d.digits.len() as i32 >= d.point {
        limit = d.digits.len() as i32;
    }
    if is_shortest {
        limit = 6;
    }
    let exp = d.point - 1;
    let zero = d.digits.is_empty();
    if !zero && (exp < -4 || exp >= limit) {
        return exponent_form(&d, -1, form);
    }
    let after = (d.digits.len() as i32 - d.point).max(0) as usize;
    plain(&d, if zero { 0 } else { after })
}

fn parts(a: f64, bits: u32) -> (u64, i32) {
    if bits == 32 {
        let b = (a as f32).to_bits();
        let (exp, frac) = ((b >> 23) as i32 & 0xFF, u64::from(b & 0x7F_FFFF));
        return if exp == 0 { (frac, -149) } else { (frac | 1 << 23, exp - 150) };
    }
    let b = a.to_bits();
    let (exp, frac) = ((b >> 52) as i32 & 0x7FF, b & ((1 << 52) - 1));
    if exp == 0 { (frac, -1074) } else { (frac | 1 << 52, exp - 1075) }
}

fn binary(a: f64, bits: u32) -> String {
    let (mantissa, exp) = parts(a, bits);
    let sign = if exp >= 0 { "+" } else { "" };
    format!("{mantissa}p{sign}{exp}")
}

fn hexadecimal(a: f64, prec: i32, form: u8, bits: u32) -> String {
    let (mut m, mut exp) = parts(a, bits);
    if m == 0 {
        exp = 0;
    } else {
        // One hexadecimal digit 1 before the point, 60 bits after it.
        let shift = m.leading_zeros() as i32 - 3;
        m <<= shift;
        exp = exp - shift + 60;
    }
    if m != 0 && (0..15).contains(&prec) {
        let drop = 60 - prec * 4;
        let extra = m & ((1u64 << drop) - 1);
        m >>= drop;
        if extra > 1 << (drop - 1) || (extra == 1 << (drop - 1) && m & 1 == 1) {
            m += 1;
        }
        m <<= drop;
        if m & (1 << 61) != 0 {
            m >>= 1;
            exp += 1;
        }
    }
    let mut s = format!("0x{}", m >> 60);
    let mut frac = format!("{:015x}", m & ((1 << 60) - 1));
    if prec < 0 {
        frac.truncate(frac.trim_end_matches('0').len());
    } else {
        frac = format!("{frac:0<width$}", width = prec as usize);
        frac.truncate(prec as usize);
    }
    if !frac.is_empty() {
        s.push('.');
        s.push_str(&frac);
    }
    let sign = if exp < 0 { '-' } else { '+' };
    s.push_str(&format!("p{sign}{:02}", exp.abs()));
    if form == b'X' { s.to_uppercase() } else { s }
}

#[cfg(test)]
mod tests {
    use super::format;

    #[test]
    fn as_go_writes_them() {
        // Right values from Go's strconv.FormatFloat.
        let cases: &[(f64, u8, i32, u32, &str)] = &[
            (1.0, b'e', 5, 64, "1.00000e+00"),
            (100.0, b'e', -1, 64, "1e+02"),
            (0.0, b'e', -1, 64, "0e+00"),
            (1e23, b'g', -1, 64, "1e+23"),
            (100_000.0, b'g', -1, 64, "100000"),
            (1e20, b'g', -1, 64, "1e+20"),
            (1e21, b'g', -1, 64, "1e+21"),
            (0.000_012_3, b'g', -1, 64, "1.23e-05"),
            (400.0, b'g', 2, 64, "4e+02"),
            (40.0, b'g', 2, 64, "40"),
            (3.5, b'f', -1, 64, "3.5"),
            (0.1, b'g', -1, 32, "0.1"),
            (12_345_678.0, b'g', 6, 64, "1.23457e+07"),
            (1.0, b'b', -1, 64, "4503599627370496p-52"),
            (1.0, b'x', -1, 64, "0x1p+00"),
            (0.1, b'x', -1, 64, "0x1.999999999999ap-04"),
            (0.5, b'f', 0, 64, "0"),
            (-0.0, b'g', -1, 64, "-0"),
        ];
        for (x, form, prec, bits, want) in cases {
            assert_eq!(format(*x, *form, *prec, *bits), *want, "{x} %{} {prec}", *form as char);
        }
    }
}
