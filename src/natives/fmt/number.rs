//! Numbers, strings and characters under verbs and flags: padding, signs, bases, quoting.

use super::super::float;
use super::printer::{Flags, Printer};
use super::value::Int;
use crate::natives::strconv::quote;

impl Printer<'_> {
    /// Writes text padded to the width; widths count runes.
    pub(super) fn pad(&mut self, s: &[u8]) {
        let Some(width) = self.flags.width else {
            self.out.extend_from_slice(s);
            return;
        };
        let n = rune_count(s);
        if width <= n {
            self.out.extend_from_slice(s);
            return;
        }
        let fill = if self.flags.zero && !self.flags.minus { b'0' } else { b' ' };
        let padding = vec![fill; width - n];
        if self.flags.minus {
            self.out.extend_from_slice(s);
            self.out.extend_from_slice(&padding);
        } else {
            self.out.extend_from_slice(&padding);
            self.out.extend_from_slice(s);
        }
    }

    /// `%t`.
    pub(super) fn bool(&mut self, v: bool) {
        let flags = Flags { zero: false, ..self.flags };
        self.with(flags, |p| p.pad(if v { b"true" } else { b"false" }));
    }

    fn with(&mut self, flags: Flags, f: impl FnOnce(&mut Self)) {
        let old = std::mem::replace(&mut self.flags, flags);
        f(self);
        self.flags = old;
    }

    /// An integer in a base, with sign, prefix, precision and padding.
    pub(super) fn integer(&mut self, v: Int, base: u32, verb: char) {
        let (negative, magnitude) = match v {
            Int::Signed(i) => (i < 0, i.unsigned_abs()),
            Int::Unsigned(u) => (false, u),
        };
        let mut digits = digits(magnitude, base, verb == 'X');
        let mut min = 0;
        if let Some(prec) = self.flags.prec {
            if prec == 0 && magnitude == 0 {
                let flags = Flags { zero: false, ..self.flags };
                self.with(flags, |p| p.pad(b""));
                return;
            }
            min = prec;
        } else if self.flags.zero && !self.flags.minus && self.flags.width.is_some() {
            let sign = usize::from(negative || self.flags.plus || self.flags.space);
            min = self.flags.width.unwrap_or(0).saturating_sub(sign);
        }
        if digits.len() < min {
            digits.insert_str(0, &"0".repeat(min - digits.len()));
        }
        let mut s = String::new();
        if negative {
            s.push('-');
        } else if self.flags.plus {
            s.push('+');
        } else if self.flags.space {
            s.push(' ');
        }
        if self.flags.sharp {
            s.push_str(match (base, verb) {
                (2, _) => "0b",
                (8, _) if !digits.starts_with('0') => "0",
                (16, 'X') => "0X",
                (16, _) => "0x",
                _ => "",
            });
        }
        if verb == 'O' {
            s.push_str("0o");
        }
        s.push_str(&digits);
        let flags = Flags { zero: false, ..self.flags };
        self.with(flags, |p| p.pad(s.as_bytes()));
    }

    /// `%c`.
    pub(super) fn character(&mut self, v: u64) {
        let c = u32::try_from(v).ok().and_then(char::from_u32).unwrap_or('\u{FFFD}');
        let mut buf = [0; 4];
        let s = c.encode_utf8(&mut buf).as_bytes().to_vec();
        self.pad(&s);
    }

    /// `%q` of a character.
    pub(super) fn quoted_character(&mut self, v: u64) {
        let r = u32::try_from(v).ok().and_then(char::from_u32).unwrap_or('\u{FFFD}');
        let s = quote::rune(r, self.flags.plus);
        self.pad(s.as_bytes());
    }

    /// `%U`.
    pub(super) fn unicode(&mut self, v: u64) {
        let prec = self.flags.prec.filter(|p| *p > 4).unwrap_or(4);
        let mut s = format!("U+{v:0prec$X}");
        if self.flags.sharp
            && let Some(c) = u32::try_from(v).ok().and_then(char::from_u32)
            && quote::is_print(c)
        {
            s.push_str(&format!(" '{c}'"));
        }
        let flags = Flags { zero: false, ..self.flags };
        self.with(flags, |p| p.pad(s.as_bytes()));
    }

    /// A float under `%e %f %g %b %x` and their like; `prec` is what the verb takes without one (-1 shortest).
    pub(super) fn float(&mut self, v: f64, bits: u32, form: char, prec: i32) {
        let given = self.flags.prec.map(|p| i32::try_from(p).unwrap_or(i32::MAX));
        let used = given.unwrap_or(prec);
        let mut num = float::format(v, form as u8, used, bits);
        if !num.starts_with(['-', '+']) {
            num.insert(0, '+');
        }
        if self.flags.space && num.starts_with('+') && !self.flags.plus {
            num.replace_range(0..1, " ");
        }
        if num.ends_with("Inf") || num.ends_with("NaN") {
            if num.ends_with("NaN") && !self.flags.space && !self.flags.plus {
                num.remove(0);
            }
            let flags = Flags { zero: false, ..self.flags };
            self.with(flags, |p| p.pad(num.as_bytes()));
            return;
        }
        if self.flags.sharp && form != 'b' {
            num = sharp_float(&num, form, given);
        }
        if self.flags.plus || !num.starts_with('+') {
            let width = self.flags.width.unwrap_or(0);
            if self.flags.zero && !self.flags.minus && width > num.len() {
                self.out.push(num.as_bytes()[0]);
                let zeros = width - num.len();
                self.out.extend(std::iter::repeat_n(b'0', zeros));
                self.out.extend_from_slice(&num.as_bytes()[1..]);
                return;
            }
            self.pad(num.as_bytes());
            return;
        }
        self.pad(&num.as_bytes()[1..]);
    }

    /// A complex number.
    pub(super) fn complex(&mut self, re: f64, im: f64, bits: u32, verb: char) {
        let plus = self.flags.plus;
        self.out.push(b'(');
        let (form, prec) = float_verb(verb).unwrap_or(('g', -1));
        self.float(re, bits / 2, form, prec);
        self.flags.plus = true;
        self.float(im, bits / 2, form, prec);
        self.out.extend_from_slice(b"i)");
        self.flags.plus = plus;
    }

    /// `%s`: truncated to the precision in runes, padded.
    pub(super) fn string(&mut self, s: &[u8]) {
        let s = self.truncated(s);
        let flags = Flags { zero: self.flags.zero, ..self.flags };
        self.with(flags, |p| p.pad(s));
    }

    fn truncated<'b>(&self, s: &'b [u8]) -> &'b [u8] {
        let Some(prec) = self.flags.prec else { return s };
        let mut at = 0;
        for _ in 0..prec {
            if at >= s.len() {
                return s;
            }
            at += crate::value::text::decode_rune(&s[at..]).1;
        }
        &s[..at.min(s.len())]
    }

    /// `%q` of a string.
    pub(super) fn quoted(&mut self, s: &[u8]) {
        let s = self.truncated(s);
        let text = if self.flags.sharp && quote::can_backquote(s) {
            let mut t = vec![b'`'];
            t.extend_from_slice(s);
            t.push(b'`');
            t
        } else {
            quote::string(s, self.flags.plus)
        };
        self.pad(&text);
    }

    /// `%x` and `%X` of bytes.
    pub(super) fn hex_bytes(&mut self, s: &[u8], upper: bool) {
        let n = self.flags.prec.map_or(s.len(), |p| p.min(s.len()));
        let mut t = String::new();
        let prefix = if upper { "0X" } else { "0x" };
        for (i, b) in s[..n].iter().enumerate() {
            if i > 0 && self.flags.space {
                t.push(' ');
            }
            if self.flags.sharp && (self.flags.space || i == 0) {
                t.push_str(prefix);
            }
            t.push_str(&if upper { format!("{b:02X}") } else { format!("{b:02x}") });
        }
        self.pad(t.as_bytes());
    }
}

/// The form and default precision of a float verb.
pub(super) fn float_verb(verb: char) -> Option<(char, i32)> {
    Some(match verb {
        'v' => ('g', -1),
        'b' | 'g' | 'G' | 'x' | 'X' => (verb, -1),
        'f' | 'e' | 'E' => (verb, 6),
        'F' => ('f', 6),
        _ => return None,
    })
}

/// `%#g` and its like keep the point and the zeros behind it.
fn sharp_float(num: &str, form: char, prec: Option<i32>) -> String {
    let mut digits = match form {
        'v' | 'g' | 'G' | 'x' => prec.unwrap_or(6),
        _ => 0,
    };
    if form == 'x' && prec.is_none() {
        digits = 6;
    }
    // e is a digit of hexadecimal numbers
    let exponent = if matches!(form, 'x' | 'X') { ['p', 'P'] } else { ['e', 'E'] };
    let (mut body, tail) = match num[1..].find(exponent) {
        Some(i) => (num[..=i].to_string(), num[i + 1..].to_string()),
        None => (num.to_string(), String::new()),
    };
    let mut saw_dot = false;
    let mut saw_digit = false;
    for c in body[1..].chars() {
        if c == '.' {
            saw_dot = true;
        } else {
            saw_digit |= c != '0';
            if saw_digit {
                digits -= 1;
            }
        }
    }
    if !saw_dot {
        if body.len() == 2 && body.ends_with('0') {
            digits -= 1;
        }
        body.push('.');
    }
    for _ in 0..digits.max(0) {
        body.push('0');
    }
    body + &tail
}

fn digits(mut v: u64, base: u32, upper: bool) -> String {
    match base {
        10 => v.to_string(),
        8 => format!("{v:o}"),
        2 => format!("{v:b}"),
        16 if upper => format!("{v:X}"),
        16 => format!("{v:x}"),
        _ => {
            let mut s = Vec::new();
            while v > 0 {
                s.push(char::from_digit((v % u64::from(base)) as u32, base).unwrap_or('?'));
                v /= u64::from(base);
            }
            s.iter().rev().collect()
        }
    }
}

/// Runes in bytes; a bad byte counts as one.
pub(super) fn rune_count(s: &[u8]) -> usize {
    if s.is_ascii() {
        return s.len();
    }
    let (mut n, mut at) = (0, 0);
    while at < s.len() {
        at += crate::value::text::decode_rune(&s[at..]).1;
        n += 1;
    }
    n
}
