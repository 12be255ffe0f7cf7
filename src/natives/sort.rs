//! Package sort: what needs no calls back. The sorts with a `less` function are in `std/sort`.

use crate::bytecode::module::TypeKind;
use crate::value::{iface, mem, text};
use crate::vm::trap::Trap;

use super::{Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[
    ("sliceLen", slice_len),
    ("swapElements", swap_elements),
    ("sortInts", |n| sort_words(n, |w| w as i64)),
    ("sortFloats", sort_floats),
    ("sortStrings", sort_strings),
];

/// The slice in an interface: element type and header word.
fn slice_in(n: &Ncx<'_, '_>, w: u64) -> Option<(u32, u64)> {
    let ty = iface::type_of(w);
    if ty == 0 {
        return None;
    }
    let TypeKind::Slice(elem) = n.vm.types.at(ty).desc.kind else { return None };
    Some((elem, mem::load64(iface::payload(w))))
}

/// `func sliceLen(x any) int`.
fn slice_len(n: &mut Ncx<'_, '_>) -> Outcome {
    let w = n.arg(0);
    if let Some((_, s)) = slice_in(n, w) {
        n.ret(0, text::len(s) as u64);
        return Outcome::Done;
    }
    if iface::type_of(w) == 0 {
        n.ret(0, 0);
        return Outcome::Done;
    }
    Outcome::Trap(Trap::Text("reflect: call of Swapper on a value that is no slice".into()))
}

/// `func swapElements(x any, i, j int)`; the indexes are in range.
fn swap_elements(n: &mut Ncx<'_, '_>) -> Outcome {
    let Some((elem, s)) = slice_in(n, n.arg(0)) else { return Outcome::Done };
    let (i, j, len) = (n.arg(1), n.arg(2), text::len(s) as u64);
    if i >= len || j >= len {
        return Outcome::Trap(Trap::Text("reflect: slice index out of range".into()));
    }
    let stride = n.vm.types.at(elem).stride as u64;
    let (a, b) = (text::data(s) + i * stride, text::data(s) + j * stride);
    if stride == 8 {
        let (x, y) = (mem::load64(a), mem::load64(b));
        mem::store64(a, y);
        mem::store64(b, x);
        return Outcome::Done;
    }
    let x = mem::read_bytes(a, stride as usize);
    mem::copy_bytes(a, b, stride as usize);
    mem::write_bytes(b, &x);
    Outcome::Done
}

fn write_words(s: u64, words: &[u64]) {
    for (i, w) in words.iter().enumerate() {
        mem::store(text::data(s) as *mut u64, i, *w);
    }
}

fn sort_words(n: &mut Ncx<'_, '_>, key: fn(u64) -> i64) -> Outcome {
    let s = n.arg(0);
    let mut words = n.words(0);
    n.charge(words.len() * 64);
    words.sort_unstable_by_key(|w| key(*w));
    write_words(s, &words);
    Outcome::Done
}

/// NaNs come first, as in Go.
fn sort_floats(n: &mut Ncx<'_, '_>) -> Outcome {
    let s = n.arg(0);
    let mut words = n.words(0);
    n.charge(words.len() * 64);
    words.sort_by(|a, b| {
        let (x, y) = (f64::from_bits(*a), f64::from_bits(*b));
        x.partial_cmp(&y).unwrap_or_else(|| y.is_nan().cmp(&x.is_nan()))
    });
    write_words(s, &words);
    Outcome::Done
}

fn sort_strings(n: &mut Ncx<'_, '_>) -> Outcome {
    let s = n.arg(0);
    let mut words = n.words(0);
    n.charge(words.len() * 256);
    words.sort_by(|a, b| text::bytes(*a).cmp(text::bytes(*b)));
    write_words(s, &words);
    Outcome::Done
}
