//! What the compiler inserts: conversions, complex arithmetic, the print builtins. The table is `bytecode::rt`.

use crate::heap::SHAPE_RAW;
use crate::value::{mem, text};
use crate::vm::trap::Trap;

use super::fmt::{print_complex, print_float};
use super::{Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[
    ("runeToStr", rune_to_str),
    ("bytesToStr", bytes_to_str),
    ("strToBytes", str_to_bytes),
    ("runesToStr", runes_to_str),
    ("strToRunes", str_to_runes),
    ("sliceToArray", slice_to_array),
    ("sliceClear", slice_clear),
    ("complexMul", |n| complex(n, mul)),
    ("complexDiv", |n| complex(n, div)),
    ("complexMul32", |n| complex32(n, mul)),
    ("complexDiv32", |n| complex32(n, div)),
    ("minF", |n| float2(n, min)),
    ("maxF", |n| float2(n, max)),
    ("minF32", |n| float2_32(n, min)),
    ("maxF32", |n| float2_32(n, max)),
    ("printBool", |n| print(n, |n| (n.arg(0) != 0).to_string())),
    ("printInt", |n| print(n, |n| n.int(0).to_string())),
    ("printUint", |n| print(n, |n| n.arg(0).to_string())),
    ("printFloat", |n| print(n, |n| print_float(n.float(0), 64))),
    ("printFloat32", |n| print(n, |n| print_float(n.float(0), 32))),
    ("printComplex", |n| print(n, |n| print_complex(n.float(0), n.float(1), 64))),
    ("printComplex64", |n| print(n, |n| print_complex(n.float(0), n.float(1), 32))),
    ("printString", print_string),
    ("printPointer", |n| print(n, |n| format!("{:#x}", n.arg(0)))),
    ("printSlice", |n| {
        print(n, |n| {
            let s = n.arg(0);
            format!("[{}/{}]{:#x}", text::len(s), text::cap(s), text::data(s))
        })
    }),
    ("printIface", |n| {
        print(n, |n| {
            let w = n.arg(0);
            format!("({:#x},{:#x})", crate::value::iface::type_of(w), w)
        })
    }),
    ("printSpace", |n| print(n, |_| " ".into())),
    ("printNewline", |n| print(n, |_| "\n".into())),
    ("unsafeString", unsafe_string),
    ("unsafeSlice", unsafe_slice),
    ("panicRange", panic_range),
    ("panicValueMethod", |n| Outcome::Trap(Trap::Plain(n.string(0)))),
];

fn rune_to_str(n: &mut Ncx<'_, '_>) -> Outcome {
    let mut s = Vec::with_capacity(4);
    text::encode_rune(n.int(0), &mut s);
    n.ret_string(0, &s);
    Outcome::Done
}

fn bytes_to_str(n: &mut Ncx<'_, '_>) -> Outcome {
    let s = n.arg(0);
    let len = text::len(s);
    n.charge(len);
    let w = n.alloc().string_buffer(len);
    mem::copy_bytes(text::data(w), text::data(s), len);
    n.ret(0, w);
    Outcome::Done
}

fn str_to_bytes(n: &mut Ncx<'_, '_>) -> Outcome {
    let s = n.bytes(0);
    n.ret_bytes(0, s);
    Outcome::Done
}

fn runes_to_str(n: &mut Ncx<'_, '_>) -> Outcome {
    let s = n.arg(0);
    let mut out = Vec::with_capacity(text::len(s));
    for i in 0..text::len(s) {
        let r = mem::load32(text::data(s) + i as u64 * 4) as u32 as i32;
        text::encode_rune(i64::from(r), &mut out);
    }
    n.ret_string(0, &out);
    Outcome::Done
}

fn str_to_runes(n: &mut Ncx<'_, '_>) -> Outcome {
    let mut b = n.bytes(0);
    n.charge(b.len());
    let mut runes = Vec::with_capacity(b.len());
    while !b.is_empty() {
        let (r, width) = text::decode_rune(b);
        runes.push(r);
        b = &b[width..];
    }
    let data = n.alloc().object(runes.len().div_ceil(2).max(1), SHAPE_RAW) as u64;
    for (i, r) in runes.iter().enumerate() {
        mem::store32(data + i as u64 * 4, u64::from(*r));
    }
    let w = n.alloc().slice_header(data, runes.len() as u64, runes.len() as u64);
    n.ret(0, w);
    Outcome::Done
}

fn slice_to_array(n: &mut Ncx<'_, '_>) -> Outcome {
    let (s, want) = (n.arg(0), n.arg(1) as usize);
    let len = text::len(s);
    if len < want {
        return Outcome::Trap(Trap::Runtime(format!(
            "cannot convert slice with length {len} to array or pointer to array with length {want}"
        )));
    }
    n.ret(0, text::data(s));
    Outcome::Done
}

fn slice_clear(n: &mut Ncx<'_, '_>) -> Outcome {
    let (s, elem) = (n.arg(0), n.arg(1) as u32);
    let bytes = text::len(s) * n.vm.types.at(elem).stride;
    mem::zero_bytes(text::data(s), bytes);
    n.charge(bytes);
    Outcome::Done
}

fn unsafe_string(n: &mut Ncx<'_, '_>) -> Outcome {
    if let Some(trap) = no_view(n, "unsafe.String", 1) {
        return trap;
    }
    let (p, len) = (n.arg(0), n.arg(1));
    let s = if len == 0 { 0 } else { n.alloc().string_header(p, len) };
    n.ret(0, s);
    Outcome::Done
}

fn unsafe_slice(n: &mut Ncx<'_, '_>) -> Outcome {
    let stride = n.vm.types.at(n.arg(2) as u32).stride;
    if let Some(trap) = no_view(n, "unsafe.Slice", stride as u64) {
        return trap;
    }
    let (p, len) = (n.arg(0), n.arg(1));
    let s = if p == 0 { 0 } else { n.alloc().slice_header(p, len, len) };
    n.ret(0, s);
    Outcome::Done
}

/// Why no string or slice of `len` elements can be over the memory at a pointer. Go checks less: what goes beyond the object that the
/// pointer is in would be undefined there.
fn no_view(n: &Ncx<'_, '_>, what: &str, stride: u64) -> Option<Outcome> {
    let (p, len) = (n.arg(0), n.int(1));
    let trap = |text: &str| Some(Outcome::Trap(Trap::Runtime(format!("{what}: {text}"))));
    let bytes = u64::try_from(len).ok().and_then(|len| len.checked_mul(stride));
    let Some(bytes) = bytes.filter(|b| *b < 1 << 47) else { return trap("len out of range") };
    if p == 0 {
        return if len == 0 { None } else { trap("ptr is nil and len is not zero") };
    }
    if n.vm.holds(p, bytes) { None } else { trap("len out of range") }
}

type Complex = (f64, f64);

fn complex(n: &mut Ncx<'_, '_>, f: fn(Complex, Complex) -> Complex) -> Outcome {
    let (re, im) = f((n.float(0), n.float(1)), (n.float(2), n.float(3)));
    n.ret_float(0, re);
    n.ret_float(1, im);
    Outcome::Done
}

fn single(w: u64) -> f64 {
    f64::from(f32::from_bits(w as u32))
}

fn ret_single(n: &mut Ncx<'_, '_>, i: usize, v: f64) {
    n.ret(i, u64::from((v as f32).to_bits()));
}

fn complex32(n: &mut Ncx<'_, '_>, f: fn(Complex, Complex) -> Complex) -> Outcome {
    let (re, im) = f((single(n.arg(0)), single(n.arg(1))), (single(n.arg(2)), single(n.arg(3))));
    ret_single(n, 0, re);
    ret_single(n, 1, im);
    Outcome::Done
}

fn mul((a, b): Complex, (c, d): Complex) -> Complex {
    (a * c - b * d, a * d + b * c)
}

/// Complex division with the special cases of C99 annex G, as Go's runtime defines it.
fn div((a, b): Complex, (c, d): Complex) -> Complex {
    let nan = |x: Complex| x.0.is_nan() || x.1.is_nan();
    let (mut e, mut f);
    if c.abs() >= d.abs() {
        let ratio = d / c;
        let denom = c + ratio * d;
        e = (a + b * ratio) / denom;
        f = (b - a * ratio) / denom;
    } else {
        let ratio = c / d;
        let denom = d + ratio * c;
        e = (a * ratio + b) / denom;
        f = (b * ratio - a) / denom;
    }
    if nan((e, f)) {
        let (inf_n, inf_m) =
            (a.is_infinite() || b.is_infinite(), c.is_infinite() || d.is_infinite());
        let unit = |x: f64| if x.is_infinite() { 1f64.copysign(x) } else { 0f64.copysign(x) };
        if c == 0.0 && d == 0.0 && (!a.is_nan() || !b.is_nan()) {
            let inf = f64::INFINITY.copysign(c);
            (e, f) = (inf * a, inf * b);
        } else if inf_n && c.is_finite() && d.is_finite() {
            let (a, b) = (unit(a), unit(b));
            (e, f) = (f64::INFINITY * (a * c + b * d), f64::INFINITY * (b * c - a * d));
        } else if inf_m && a.is_finite() && b.is_finite() {
            let (c, d) = (unit(c), unit(d));
            (e, f) = (0.0 * (a * c + b * d), 0.0 * (b * c - a * d));
        }
    }
    (e, f)
}

fn float2(n: &mut Ncx<'_, '_>, f: fn(f64, f64) -> f64) -> Outcome {
    let v = f(n.float(0), n.float(1));
    n.ret_float(0, v);
    Outcome::Done
}

fn float2_32(n: &mut Ncx<'_, '_>, f: fn(f64, f64) -> f64) -> Outcome {
    let v = f(single(n.arg(0)), single(n.arg(1)));
    ret_single(n, 0, v);
    Outcome::Done
}

/// NaN if either is one; -0 is below +0 (Go specification, "Min and max").
fn min(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a < b || (a == b && a.is_sign_negative()) {
        a
    } else {
        b
    }
}

fn max(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a > b || (a == b && a.is_sign_positive()) {
        a
    } else {
        b
    }
}

fn print(n: &mut Ncx<'_, '_>, f: fn(&Ncx<'_, '_>) -> String) -> Outcome {
    let s = f(n);
    n.vm.write_stderr(&s);
    Outcome::Done
}

fn print_string(n: &mut Ncx<'_, '_>) -> Outcome {
    n.vm.write_stderr_bytes(n.bytes(0));
    Outcome::Done
}

fn panic_range(n: &mut Ncx<'_, '_>) -> Outcome {
    let what = match n.arg(0) {
        0 => "range function continued iteration after function for loop body returned false",
        2 => "range function continued iteration after loop body panic",
        3 => "range function continued iteration after whole loop exit",
        _ => "range function recovered a loop body panic and did not resume panicking",
    };
    Outcome::Trap(Trap::Runtime(what.into()))
}
