//! Package encoding/base64: the two directions over whole slices.

use super::{Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[("decode", decode), ("encode", encode)];

/// `func encode(alphabet string, src []byte, pad int) []byte`; pad -1 is none.
fn encode(n: &mut Ncx<'_, '_>) -> Outcome {
    let (alphabet, src, pad) = (n.bytes(0), n.byte_slice(1), u8::try_from(n.int(2)).ok());
    let out = encode_with(alphabet, &src, pad);
    n.ret_bytes(0, &out);
    Outcome::Done
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The standard encoding, with padding.
pub(super) fn encode_standard(src: &[u8]) -> Vec<u8> {
    encode_with(STANDARD, src, Some(b'='))
}

/// The bytes behind a standard encoding.
///
/// # Errors
/// The offset of the bad input.
pub(super) fn decode_standard(src: &[u8]) -> Result<Vec<u8>, usize> {
    let values = values_of(STANDARD);
    let mut d =
        Decoder { src, at: 0, values: &values, pad: Some(b'='), strict: false, out: Vec::new() };
    d.run()?;
    Ok(d.out)
}

fn values_of(alphabet: &[u8]) -> [u8; 256] {
    let mut values = [0xFFu8; 256];
    for (i, b) in alphabet.iter().enumerate() {
        values[usize::from(*b)] = i as u8;
    }
    values
}

fn encode_with(alphabet: &[u8], src: &[u8], pad: Option<u8>) -> Vec<u8> {
    let mut out = Vec::with_capacity(src.len().div_ceil(3) * 4);
    for chunk in src.chunks(3) {
        let bits =
            chunk.iter().fold(0u32, |acc, b| acc << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            if i <= chunk.len() {
                out.push(alphabet[(bits >> (18 - 6 * i) & 63) as usize]);
            } else if let Some(p) = pad {
                out.push(p);
            }
        }
    }
    out
}

/// `func decode(alphabet string, src []byte, pad int, strict bool) (dst []byte, bad int)`; bad is -1 or where it went wrong.
fn decode(n: &mut Ncx<'_, '_>) -> Outcome {
    let (alphabet, src) = (n.bytes(0), n.byte_slice(1));
    let (pad, strict) = (u8::try_from(n.int(2)).ok(), n.arg(3) != 0);
    let values = values_of(alphabet);
    let mut d = Decoder { src: &src, at: 0, values: &values, pad, strict, out: Vec::new() };
    let bad = d.run().err().map_or(-1, |at| at as i64);
    let out = d.out;
    n.ret_bytes(0, &out);
    n.ret(1, bad as u64);
    Outcome::Done
}

struct Decoder<'a> {
    src: &'a [u8],
    at: usize,
    values: &'a [u8; 256],
    pad: Option<u8>,
    strict: bool,
    out: Vec<u8>,
}

impl Decoder<'_> {
    /// The next byte that is no line end.
    fn next(&mut self) -> Option<u8> {
        while let Some(&b) = self.src.get(self.at) {
            self.at += 1;
            if b != b'\n' && b != b'\r' {
                return Some(b);
            }
        }
        None
    }

    /// # Errors
    /// The offset of the bad input.
    fn run(&mut self) -> Result<(), usize> {
        loop {
            let mut quad = [0u8; 4];
            let mut have = 0;
            while have < 4 {
                let Some(b) = self.next() else {
                    if have == 0 {
                        return Ok(());
                    }
                    if have == 1 || self.pad.is_some() {
                        return Err(self.at - have);
                    }
                    return self.last(&quad, have);
                };
                let v = self.values[usize::from(b)];
                if v != 0xFF {
                    quad[have] = v;
                    have += 1;
                    continue;
                }
                if Some(b) != self.pad {
                    return Err(self.at - 1);
                }
                return self.padding(&quad, have);
            }
            self.flush(&quad, 4);
        }
    }

    /// A padding character came as character `have` of a group.
    fn padding(&mut self, quad: &[u8; 4], have: usize) -> Result<(), usize> {
        if have < 2 {
            return Err(self.at - 1);
        }
        if have == 2 {
            match self.next() {
                None => return Err(self.src.len()),
                Some(b) if Some(b) != self.pad => return Err(self.at - 2),
                Some(_) => {}
            }
        }
        let end = self.at;
        if self.next().is_some() {
            self.last(quad, have)?;
            return Err(self.at - 1);
        }
        self.at = end;
        self.last(quad, have)
    }

    fn last(&mut self, quad: &[u8; 4], have: usize) -> Result<(), usize> {
        let spare = if have == 2 { quad[1] & 15 } else { quad[2] & 3 };
        if self.strict && spare != 0 {
            return Err(self.at.saturating_sub(4 - have));
        }
        self.flush(quad, have);
        Ok(())
    }

    fn flush(&mut self, quad: &[u8; 4], have: usize) {
        let bits = quad.iter().fold(0u32, |acc, v| acc << 6 | u32::from(*v));
        let bytes = [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8];
        self.out.extend_from_slice(&bytes[..have - 1]);
    }
}
