//! Packages crypto/* and hash/*: hash functions and checksums over byte slices. Their types are in `std/`.

use std::fmt::Debug;
use std::sync::Mutex;

use sha2::digest::DynDigest;

use crate::value::{mem, text};
use crate::vm::trap::Trap;

use super::{NativePart, Ncx, Outcome, Table};

/// The natives of each package of crypto/*.
pub(super) const CRYPTO: Table = &[("add", add), ("finish", finish), ("start", start)];
pub(super) const CRYPTO_RAND: Table = &[("fill", fill)];
pub(super) const FNV: Table = &[("hash32", fnv32), ("hash64", fnv64)];
pub(super) const ADLER: Table = &[("update", adler)];
pub(super) const CRC32: Table = &[("update", crc32)];
pub(super) const CRC64: Table = &[("update", crc64)];

/// A hash at work.
struct DigestPart(Mutex<Box<dyn DynDigest + Send>>);

impl Debug for DigestPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DigestPart")
    }
}

impl NativePart for DigestPart {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// `func start(kind int) *handle`.
fn start(n: &mut Ncx<'_, '_>) -> Outcome {
    let d: Box<dyn DynDigest + Send> = match n.int(0) {
        0 => Box::new(md5::Md5::default()),
        1 => Box::new(sha1::Sha1::default()),
        2 => Box::new(sha2::Sha224::default()),
        3 => Box::new(sha2::Sha256::default()),
        4 => Box::new(sha2::Sha384::default()),
        _ => Box::new(sha2::Sha512::default()),
    };
    let h = n.new_handle(DigestPart(Mutex::new(d)));
    n.ret(0, h);
    Outcome::Done
}

/// `func add(h *handle, p []byte)`.
fn add(n: &mut Ncx<'_, '_>) -> Outcome {
    let data = n.byte_slice(1);
    n.charge(data.len() * 4);
    match n.handle::<DigestPart>(0) {
        None => return Outcome::Trap(Trap::Nil),
        Some(d) => d.0.lock().expect("never held across a panic").update(&data),
    }
    Outcome::Done
}

/// `func finish(h *handle) []byte`: the hash so far; more may be added.
fn finish(n: &mut Ncx<'_, '_>) -> Outcome {
    let Some(d) = n.handle::<DigestPart>(0) else { return Outcome::Trap(Trap::Nil) };
    let sum = d.0.lock().expect("never held across a panic").box_clone().finalize();
    n.ret_bytes(0, &sum);
    Outcome::Done
}

/// `func fill(b []byte)`: from the machine's seam for randomness, or the system where it is not seeded.
fn fill(n: &mut Ncx<'_, '_>) -> Outcome {
    use std::io::Read;
    let s = n.arg(0);
    let mut bytes = vec![0u8; text::len(s)];
    let system = std::fs::File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut bytes));
    if system.is_err() {
        return Outcome::Trap(Trap::Fatal("crypto/rand: failed to read random data".into()));
    }
    mem::write_bytes(text::data(s), &bytes);
    n.charge(bytes.len());
    Outcome::Done
}

/// `func hash32(h uint32, data []byte, a bool) uint32`.
fn fnv32(n: &mut Ncx<'_, '_>) -> Outcome {
    const PRIME: u32 = 16_777_619;
    let (start, data, a) = (n.arg(0) as u32, n.byte_slice(1), n.arg(2) != 0);
    n.charge(data.len() * 8);
    let h = data.iter().fold(start, |h, b| match a {
        true => (h ^ u32::from(*b)).wrapping_mul(PRIME),
        false => h.wrapping_mul(PRIME) ^ u32::from(*b),
    });
    n.ret(0, u64::from(h));
    Outcome::Done
}

/// `func hash64(h uint64, data []byte, a bool) uint64`.
fn fnv64(n: &mut Ncx<'_, '_>) -> Outcome {
    const PRIME: u64 = 1_099_511_628_211;
    let (start, data, a) = (n.arg(0), n.byte_slice(1), n.arg(2) != 0);
    n.charge(data.len() * 8);
    let h = data.iter().fold(start, |h, b| match a {
        true => (h ^ u64::from(*b)).wrapping_mul(PRIME),
        false => h.wrapping_mul(PRIME) ^ u64::from(*b),
    });
    n.ret(0, h);
    Outcome::Done
}

/// `func update(state uint32, data []byte) uint32`.
fn adler(n: &mut Ncx<'_, '_>) -> Outcome {
    const MOD: u32 = 65_521;
    let (state, data) = (n.arg(0) as u32, n.byte_slice(1));
    n.charge(data.len() * 4);
    let (mut a, mut b) = (state & 0xFFFF, state >> 16);
    for x in data {
        a = (a + u32::from(x)) % MOD;
        b = (b + a) % MOD;
    }
    n.ret(0, u64::from(b << 16 | a));
    Outcome::Done
}

/// `func update(crc uint32, tab *Table, p []byte) uint32`; the table is packed.
fn crc32(n: &mut Ncx<'_, '_>) -> Outcome {
    let (start, tab, data) = (n.arg(0) as u32, n.arg(1), n.byte_slice(2));
    if tab == 0 {
        return Outcome::Trap(Trap::Nil);
    }
    n.charge(data.len() * 8);
    let crc = data.iter().fold(start, |crc, b| {
        let i = (crc ^ u32::from(*b)) & 0xFF;
        mem::load32(tab + u64::from(i) * 4) as u32 ^ crc >> 8
    });
    n.ret(0, u64::from(crc));
    Outcome::Done
}

/// `func update(crc uint64, tab *Table, p []byte) uint64`.
fn crc64(n: &mut Ncx<'_, '_>) -> Outcome {
    let (start, tab, data) = (n.arg(0), n.arg(1), n.byte_slice(2));
    if tab == 0 {
        return Outcome::Trap(Trap::Nil);
    }
    n.charge(data.len() * 8);
    let crc = data.iter().fold(start, |crc, b| {
        let i = (crc ^ u64::from(*b)) & 0xFF;
        mem::load64(tab + i * 8) ^ crc >> 8
    });
    n.ret(0, crc);
    Outcome::Done
}
