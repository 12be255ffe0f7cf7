//! Packages math/rand and math/rand/v2: the machine's own random bits, the block function of ChaCha8, the tables of the
//! ziggurats (G. Marsaglia and W. W. Tsang, The Ziggurat Method for Generating Random Variables, 2000).

use std::sync::OnceLock;

use crate::value::mem;

use super::{Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[
    ("runtimeRand", runtime_rand),
    ("zigguratExp", ziggurat_exp),
    ("zigguratNormal", ziggurat_normal),
];

pub(super) const V2: Table = &[
    ("chachaBlock", chacha_block),
    ("runtimeRand", runtime_rand),
    ("zigguratExp", ziggurat_exp),
    ("zigguratNormal", ziggurat_normal),
];

fn runtime_rand(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = n.cx.random_u64();
    n.ret(0, v);
    Outcome::Done
}

/// One layer of a ziggurat: the bound below which a number needs no further test, width, height.
#[derive(Clone, Copy, Default)]
struct Layer {
    k: u32,
    w: f32,
    f: f32,
}

/// The layers of a density `f` with inverse `inv`, for numbers of `bits` bits: the last starts at `edge`, each has area `area`.
fn layers<const N: usize>(
    bits: i32,
    edge: f64,
    area: f64,
    f: impl Fn(f64) -> f64,
    inv: impl Fn(f64) -> f64,
) -> [Layer; N] {
    let m = 2f64.powi(bits);
    let mut out = [Layer::default(); N];
    let base = area / f(edge);
    out[0] = Layer { k: (edge / base * m) as u32, w: (base / m) as f32, f: 1.0 };
    out[N - 1] = Layer { k: 0, w: (edge / m) as f32, f: f(edge) as f32 };
    let (mut x, mut above) = (edge, edge);
    for i in (1..N - 1).rev() {
        x = inv(area / x + f(x));
        out[i + 1].k = (x / above * m) as u32;
        above = x;
        out[i].w = (x / m) as f32;
        out[i].f = f(x) as f32;
    }
    out
}

fn normal_layers() -> &'static [Layer; 128] {
    static LAYERS: OnceLock<[Layer; 128]> = OnceLock::new();
    LAYERS.get_or_init(|| {
        let f = |x: f64| (-0.5 * x * x).exp();
        layers(31, 3.442_619_855_899, 9.912_563_035_262_17e-3, f, |y| (-2.0 * y.ln()).sqrt())
    })
}

fn exp_layers() -> &'static [Layer; 256] {
    static LAYERS: OnceLock<[Layer; 256]> = OnceLock::new();
    LAYERS.get_or_init(|| {
        let f = |x: f64| (-x).exp();
        layers(32, 7.697_117_470_131_05, 3.949_659_822_581_572e-3, f, |y| -y.ln())
    })
}

/// `func zigguratNormal(i int) (k uint32, w, high, low float32)`
fn ziggurat_normal(n: &mut Ncx<'_, '_>) -> Outcome {
    layer(n, normal_layers())
}

/// `func zigguratExp(i int) (k uint32, w, high, low float32)`
fn ziggurat_exp(n: &mut Ncx<'_, '_>) -> Outcome {
    layer(n, exp_layers())
}

fn layer(n: &mut Ncx<'_, '_>, layers: &[Layer]) -> Outcome {
    let i = n.arg(0) as usize % layers.len();
    let Layer { k, w, f } = layers[i];
    n.ret(0, u64::from(k));
    n.ret(1, u64::from(w.to_bits()));
    n.ret(2, u64::from(f.to_bits()));
    n.ret(3, u64::from(layers[i.saturating_sub(1)].f.to_bits()));
    Outcome::Done
}

/// Words of a block, and blocks that are made together.
const BLOCK: usize = 16;
const LANES: usize = 4;

/// `func chachaBlock(key *[4]uint64, buf *[128]uint64)`: sixteen blocks as the chacha8rand specification lays them out, word by word
/// across groups of four blocks; only the key is added at the end of a block.
fn chacha_block(n: &mut Ncx<'_, '_>) -> Outcome {
    let (key, buf) = (n.arg(0), n.arg(1));
    if key == 0 || buf == 0 {
        return Outcome::Trap(crate::vm::trap::Trap::Nil);
    }
    let words: Vec<u32> = (0..4)
        .flat_map(|i| {
            let w = mem::load(key as *const u64, i);
            [w as u32, (w >> 32) as u32]
        })
        .collect();
    let mut out = Vec::with_capacity(BLOCK * BLOCK);
    for group in 0..(BLOCK / LANES) as u32 {
        let blocks: Vec<[u32; BLOCK]> =
            (0..LANES as u32).map(|i| block(&words, group * LANES as u32 + i)).collect();
        out.extend((0..BLOCK).flat_map(|w| blocks.iter().map(move |b| b[w])));
    }
    for (i, pair) in out.chunks_exact(2).enumerate() {
        mem::store(buf as *mut u64, i, u64::from(pair[1]) << 32 | u64::from(pair[0]));
    }
    n.charge(out.len() * 16);
    Outcome::Done
}

fn block(key: &[u32], counter: u32) -> [u32; BLOCK] {
    let mut s = [0u32; BLOCK];
    s[..4].copy_from_slice(&[0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]);
    s[4..12].copy_from_slice(key);
    s[12] = counter;
    for _ in 0..4 {
        for i in 0..4 {
            quarter(&mut s, i, 4 + i, 8 + i, 12 + i);
        }
        for i in 0..4 {
            quarter(&mut s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
        }
    }
    for (x, k) in s[4..12].iter_mut().zip(key) {
        *x = x.wrapping_add(*k);
    }
    s
}

fn quarter(s: &mut [u32; BLOCK], a: usize, b: usize, c: usize, d: usize) {
    let mut half = |x: usize, y: usize, z: usize, turn: u32| {
        s[x] = s[x].wrapping_add(s[y]);
        s[z] = (s[z] ^ s[x]).rotate_left(turn);
    };
    half(a, b, d, 16);
    half(c, d, b, 12);
    half(a, b, d, 8);
    half(c, d, b, 7);
}
