//! Strings and slices as words: reading their headers.

#![expect(
    unsafe_code,
    reason = "string bytes are immutable once published (V2), so a plain slice of them is sound"
)]

use super::mem;

/// Address of the first byte or element; 0 for nil and the empty string.
#[inline(always)]
pub fn data(w: u64) -> u64 {
    if w == 0 { 0 } else { mem::load(w as *const u64, 0) }
}

/// Length of a string or slice.
#[inline(always)]
pub fn len(w: u64) -> usize {
    if w == 0 { 0 } else { mem::load(w as *const u64, 1) as usize }
}

/// Capacity of a slice.
#[inline(always)]
pub fn cap(w: u64) -> usize {
    if w == 0 { 0 } else { mem::load(w as *const u64, 2) as usize }
}

/// The bytes of a string. They live as long as the string does; the caller must not keep them past the next safe point
/// unless the string is in a register or a root.
#[inline]
pub fn bytes<'a>(w: u64) -> &'a [u8] {
    if w == 0 {
        return &[];
    }
    // SAFETY: V2: the header's data and len belong together, and the bytes of a string never change.
    unsafe { std::slice::from_raw_parts(data(w) as *const u8, len(w)) }
}

/// The text of a string; bytes that are not UTF-8 become U+FFFD.
pub fn lossy(w: u64) -> String {
    String::from_utf8_lossy(bytes(w)).into_owned()
}

/// Decodes the rune at the start of `b` (not empty): the rune and its width; U+FFFD and 1 for a bad encoding (Go
/// specification, "For statements with range clause").
pub fn decode_rune(b: &[u8]) -> (u32, usize) {
    const BAD: (u32, usize) = (0xFFFD, 1);
    let Some(&b0) = b.first() else { return (0xFFFD, 0) };
    if b0 < 0x80 {
        return (u32::from(b0), 1);
    }
    let (width, min, init) = match b0 {
        0xC2..=0xDF => (2, 0x80, u32::from(b0 & 0x1F)),
        0xE0..=0xEF => (3, 0x800, u32::from(b0 & 0x0F)),
        0xF0..=0xF4 => (4, 0x10000, u32::from(b0 & 0x07)),
        _ => return BAD,
    };
    if b.len() < width {
        return BAD;
    }
    let mut r = init;
    for &c in &b[1..width] {
        if c & 0xC0 != 0x80 {
            return BAD;
        }
        r = r << 6 | u32::from(c & 0x3F);
    }
    if r < min || r > 0x10FFFF || (0xD800..0xE000).contains(&r) { BAD } else { (r, width) }
}

/// The UTF-8 bytes of a rune; a number that is none becomes U+FFFD.
pub fn encode_rune(r: i64, out: &mut Vec<u8>) {
    let c = u32::try_from(r).ok().and_then(char::from_u32).unwrap_or('\u{FFFD}');
    let mut buf = [0u8; 4];
    out.extend_from_slice(c.encode_utf8(&mut buf).as_bytes());
}
