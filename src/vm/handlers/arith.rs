//! Moves, constants, globals, arithmetic and comparisons.

use super::f;
use crate::value::{mem, text};
use crate::vm::frame::Stop;
use crate::vm::frames::{closure, constant, move_n, zero_n};
use crate::vm::ops::{self, div, f2i, f2u, rem};
use crate::vm::trap::Trap;

fn f32_of(w: u64) -> f32 {
    f32::from_bits(w as u32)
}

fn w32(v: f32) -> u64 {
    u64::from(v.to_bits())
}

op!(Nop, |fr| {});
op!(Ext, |fr| fr.jump(-2));
op!(Mov, |fr, d, a| fr.set(d, fr.r(a)));
op!(MovN, |fr, d, a, n| move_n(fr.at(d), fr.at(a), usize::from(n)));
op!(LoadI, |fr, d, i| fr.set(d, i as i64 as u64));
op!(LoadK, |fr, d, k| fr.set(d, constant(fr.env.consts, k)));
op!(ZeroN, |fr, d, n| zero_n(fr.at(d), usize::from(n)));
op!(LoadG, |fr, d, g| fr.set(d, mem::load64(fr.global(g))));
op!(StoreG, |fr, a, g| mem::store64(fr.global(g), fr.r(a)));
op!(AddG, |fr, a, g| {
    let p = fr.global(g);
    mem::store64(p, mem::load64(p).wrapping_add(fr.r(a)));
});
op!(AddGK, |fr, i, g| {
    let p = fr.global(g);
    mem::store64(p, mem::load64(p).wrapping_add(i as i64 as u64));
});
op!(AddGF, |fr, a, g| {
    let p = fr.global(g);
    mem::store64(p, (f(mem::load64(p)) + f(fr.r(a))).to_bits());
});
op!(AddrG, |fr, d, g| fr.set(d, fr.global(g)));
op!(LoadCap, |fr, d, i| {
    fr.set(d, mem::load(closure(fr.base) as *const u64, 1 + usize::from(i)))
});
op!(AddI, |fr, d, a, b| fr.set(d, fr.r(a).wrapping_add(fr.r(b))));
op!(SubI, |fr, d, a, b| fr.set(d, fr.r(a).wrapping_sub(fr.r(b))));
op!(MulI, |fr, d, a, b| fr.set(d, fr.r(a).wrapping_mul(fr.r(b))));
op!(DivI, |fr, d, a, b| {
    if fr.r(b) == 0 {
        return Err(Stop::Divide);
    }
    fr.set(d, div(fr.r(a), fr.r(b)));
});
op!(RemI, |fr, d, a, b| {
    if fr.r(b) == 0 {
        return Err(Stop::Divide);
    }
    fr.set(d, rem(fr.r(a), fr.r(b)));
});
op!(DivU, |fr, d, a, b| {
    match fr.r(a).checked_div(fr.r(b)) {
        Some(q) => fr.set(d, q),
        None => return Err(Stop::Divide),
    };
});
op!(RemU, |fr, d, a, b| {
    match fr.r(a).checked_rem(fr.r(b)) {
        Some(q) => fr.set(d, q),
        None => return Err(Stop::Divide),
    };
});
op!(And, |fr, d, a, b| fr.set(d, fr.r(a) & fr.r(b)));
op!(Or, |fr, d, a, b| fr.set(d, fr.r(a) | fr.r(b)));
op!(Xor, |fr, d, a, b| fr.set(d, fr.r(a) ^ fr.r(b)));
op!(AndNot, |fr, d, a, b| fr.set(d, fr.r(a) & !fr.r(b)));
op!(Shl, |fr, d, a, b| {
    let n = fr.r(b);
    fr.set(d, if n < 64 { fr.r(a) << n } else { 0 });
});
op!(ShrI, |fr, d, a, b| fr.set(d, ((fr.r(a) as i64) >> fr.r(b).min(63)) as u64));
op!(ShrU, |fr, d, a, b| {
    let n = fr.r(b);
    fr.set(d, if n < 64 { fr.r(a) >> n } else { 0 });
});
apart!(ChkShift, |fr, a| {
    if (fr.r(a) as i64) < 0 {
        return Err(fr.trap(Trap::Runtime("negative shift amount".into())));
    }
});
op!(AddIK, |fr, d, a, i| fr.set(d, fr.r(a).wrapping_add(i as i64 as u64)));
op!(MulIK, |fr, d, a, i| fr.set(d, fr.r(a).wrapping_mul(i as i64 as u64)));
op!(DivIK, |fr, d, a, i| fr.set(d, ops::div_small(fr.r(a), i)));
op!(RemIK, |fr, d, a, i| fr.set(d, ops::rem_small(fr.r(a), i)));
op!(AndIK, |fr, d, a, i| fr.set(d, fr.r(a) & i as i64 as u64));
op!(ShlIK, |fr, d, a, i| fr.set(d, fr.r(a) << (i & 63)));
op!(ShrIK, |fr, d, a, i| fr.set(d, ((fr.r(a) as i64) >> (i & 63)) as u64));
op!(ShrUK, |fr, d, a, i| fr.set(d, fr.r(a) >> (i & 63)));
op!(MulAddI, |fr, d, a, b| {
    fr.set(d, fr.r(d).wrapping_add(fr.r(a).wrapping_mul(fr.r(b))));
});
op!(Shl32K, |fr, d, a, i| fr.set(d, u64::from((fr.r(a) as u32) << (i & 31))));
op!(Rotl32K, |fr, d, a, i| {
    fr.set(d, u64::from((fr.r(a) as u32).rotate_left((i & 31) as u32)));
});
op!(RotlK, |fr, d, a, i| fr.set(d, fr.r(a).rotate_left((i & 63) as u32)));
op!(NegI, |fr, d, a| fr.set(d, fr.r(a).wrapping_neg()));
op!(NotI, |fr, d, a| fr.set(d, !fr.r(a)));
op!(NotB, |fr, d, a| fr.set(d, fr.r(a) ^ 1));
op!(Zext8, |fr, d, a| fr.set(d, fr.r(a) & 0xFF));
op!(Zext16, |fr, d, a| fr.set(d, fr.r(a) & 0xFFFF));
op!(Zext32, |fr, d, a| fr.set(d, fr.r(a) & 0xFFFF_FFFF));
op!(Sext8, |fr, d, a| fr.set(d, fr.r(a) as i8 as i64 as u64));
op!(Sext16, |fr, d, a| fr.set(d, fr.r(a) as i16 as i64 as u64));
op!(Sext32, |fr, d, a| fr.set(d, fr.r(a) as i32 as i64 as u64));
op!(Add32, |fr, d, a, b| { fr.set(d, u64::from((fr.r(a) as u32).wrapping_add(fr.r(b) as u32))) });
op!(Sub32, |fr, d, a, b| { fr.set(d, u64::from((fr.r(a) as u32).wrapping_sub(fr.r(b) as u32))) });
op!(Mul32, |fr, d, a, b| { fr.set(d, u64::from((fr.r(a) as u32).wrapping_mul(fr.r(b) as u32))) });
op!(AddF, |fr, d, a, b| fr.set(d, (f(fr.r(a)) + f(fr.r(b))).to_bits()));
op!(SubF, |fr, d, a, b| fr.set(d, (f(fr.r(a)) - f(fr.r(b))).to_bits()));
op!(MulF, |fr, d, a, b| fr.set(d, (f(fr.r(a)) * f(fr.r(b))).to_bits()));
op!(DivF, |fr, d, a, b| fr.set(d, (f(fr.r(a)) / f(fr.r(b))).to_bits()));
op!(NegF, |fr, d, a| fr.set(d, (-f(fr.r(a))).to_bits()));
op!(MulAddF, |fr, d, a, b| {
    let product = f(fr.r(a)) * f(fr.r(b));
    fr.set(d, (f(fr.r(d)) + product).to_bits());
});
op!(SqrtF, |fr, d, a| fr.set(d, f(fr.r(a)).sqrt().to_bits()));
op!(AbsF, |fr, d, a| fr.set(d, f(fr.r(a)).abs().to_bits()));
op!(FloorF, |fr, d, a| fr.set(d, f(fr.r(a)).floor().to_bits()));
op!(AddF32, |fr, d, a, b| fr.set(d, w32(f32_of(fr.r(a)) + f32_of(fr.r(b)))));
op!(SubF32, |fr, d, a, b| fr.set(d, w32(f32_of(fr.r(a)) - f32_of(fr.r(b)))));
op!(MulF32, |fr, d, a, b| fr.set(d, w32(f32_of(fr.r(a)) * f32_of(fr.r(b)))));
op!(DivF32, |fr, d, a, b| fr.set(d, w32(f32_of(fr.r(a)) / f32_of(fr.r(b)))));
op!(NegF32, |fr, d, a| fr.set(d, w32(-f32_of(fr.r(a)))));
op!(I2F, |fr, d, a| fr.set(d, (fr.r(a) as i64 as f64).to_bits()));
op!(U2F, |fr, d, a| fr.set(d, (fr.r(a) as f64).to_bits()));
op!(F2I, |fr, d, a| fr.set(d, f2i(f(fr.r(a)))));
op!(F2U, |fr, d, a| fr.set(d, f2u(f(fr.r(a)))));
op!(F64To32, |fr, d, a| fr.set(d, w32(f(fr.r(a)) as f32)));
op!(F32To64, |fr, d, a| fr.set(d, f64::from(f32_of(fr.r(a))).to_bits()));
op!(I2F32, |fr, d, a| fr.set(d, w32(fr.r(a) as i64 as f32)));
op!(U2F32, |fr, d, a| fr.set(d, w32(fr.r(a) as f32)));
op!(EqI, |fr, d, a, b| fr.set(d, u64::from(fr.r(a) == fr.r(b))));
op!(NeI, |fr, d, a, b| fr.set(d, u64::from(fr.r(a) != fr.r(b))));
op!(LtI, |fr, d, a, b| fr.set(d, u64::from((fr.r(a) as i64) < fr.r(b) as i64)));
op!(LeI, |fr, d, a, b| fr.set(d, u64::from(fr.r(a) as i64 <= fr.r(b) as i64)));
op!(LtU, |fr, d, a, b| fr.set(d, u64::from(fr.r(a) < fr.r(b))));
op!(LeU, |fr, d, a, b| fr.set(d, u64::from(fr.r(a) <= fr.r(b))));
op!(EqF, |fr, d, a, b| fr.set(d, u64::from(f(fr.r(a)) == f(fr.r(b)))));
op!(NeF, |fr, d, a, b| fr.set(d, u64::from(f(fr.r(a)) != f(fr.r(b)))));
op!(LtF, |fr, d, a, b| fr.set(d, u64::from(f(fr.r(a)) < f(fr.r(b)))));
op!(LeF, |fr, d, a, b| fr.set(d, u64::from(f(fr.r(a)) <= f(fr.r(b)))));
op!(EqS, |fr, d, a, b| fr.set(d, u64::from(ops::same_string(fr.r(a), fr.r(b)))));
op!(NeS, |fr, d, a, b| fr.set(d, u64::from(!ops::same_string(fr.r(a), fr.r(b)))));
op!(LtS, |fr, d, a, b| fr.set(d, u64::from(text::bytes(fr.r(a)) < text::bytes(fr.r(b)))));
op!(LeS, |fr, d, a, b| { fr.set(d, u64::from(text::bytes(fr.r(a)) <= text::bytes(fr.r(b)))) });
