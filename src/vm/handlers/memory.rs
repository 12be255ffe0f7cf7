//! Memory: fields, arrays and elements of slices.

use super::f;
use crate::value::{mem, text};

op!(AddMem, |fr, p, o, a| {
    let p = fr.pointer(p)? + u64::from(o);
    mem::store64(p, mem::load64(p).wrapping_add(fr.r(a)));
});
op!(AddMemK, |fr, p, o, i| {
    let p = fr.pointer(p)? + u64::from(o);
    mem::store64(p, mem::load64(p).wrapping_add(i as i64 as u64));
});
op!(AddMemF, |fr, p, o, a| {
    let p = fr.pointer(p)? + u64::from(o);
    mem::store64(p, (f(mem::load64(p)) + f(fr.r(a))).to_bits());
});
op!(SubMemF, |fr, p, o, a| {
    let p = fr.pointer(p)? + u64::from(o);
    mem::store64(p, (f(mem::load64(p)) - f(fr.r(a))).to_bits());
});
op!(Load, |fr, d, p, o| {
    let p = fr.pointer(p)?;
    fr.set(d, mem::load64(p + u64::from(o)));
});
op!(LoadN, |fr, d, p, n| {
    let p = fr.pointer(p)?;
    for i in 0..n {
        fr.set(d + i, mem::load(p as *const u64, usize::from(i)));
    }
});
op!(Store, |fr, p, o, a| {
    let p = fr.pointer(p)?;
    mem::store64(p + u64::from(o), fr.r(a));
});
op!(StoreP, |fr, p, o, a| {
    let p = fr.pointer(p)?;
    mem::store64(p + u64::from(o), fr.r(a));
});
op!(StoreN, |fr, p, a, n| {
    let p = fr.pointer(p)?;
    for i in 0..n {
        mem::store(p as *mut u64, usize::from(i), fr.r(a + i));
    }
});
op!(Load8, |fr, d, p| fr.set(d, mem::load8(fr.pointer(p)?)));
op!(Load16, |fr, d, p| fr.set(d, mem::load16(fr.pointer(p)?)));
op!(Load32, |fr, d, p| fr.set(d, mem::load32(fr.pointer(p)?)));
op!(Store8, |fr, p, a| mem::store8(fr.pointer(p)?, fr.r(a)));
op!(Store16, |fr, p, a| mem::store16(fr.pointer(p)?, fr.r(a)));
op!(Store32, |fr, p, a| mem::store32(fr.pointer(p)?, fr.r(a)));
op!(Lea, |fr, d, p, o| {
    let p = fr.pointer(p)?;
    fr.set(d, p + u64::from(o));
});
op!(LeaBig, |fr, d, p| {
    let (_, o) = fr.ext();
    let p = fr.pointer(p)?;
    fr.set(d, p + u64::from(o));
});
op!(ChkNil, |fr, p| {
    fr.pointer(p)?;
});
quick!(New, {
    |fr, d, t| {
        let words = fr.env.vm.types.at(t).desc.words as usize;
        match fr.alloc().quick_object(words, t) {
            Some(p) => fr.set(d, p as u64),
            None => return Ok(false),
        }
    }
} else {
    |fr, d, t| {
        let words = fr.env.vm.types.at(t).desc.words as usize;
        let p = fr.alloc().object(words, t);
        fr.set(d, p as u64);
    }
});
op!(CopyMem, |fr, d, s, n| {
    let (d, s) = (fr.pointer(d)?, fr.pointer(s)?);
    mem::copy_words(d, s, usize::from(n));
});
op!(CopyMemBig, |fr, d, s| {
    let (_, n) = fr.ext();
    let (d, s) = (fr.pointer(d)?, fr.pointer(s)?);
    mem::copy_words(d, s, n as usize);
    fr.fuel -= i64::from(n / 16);
});
op!(CopyBytes, |fr, d, s| {
    let (_, n) = fr.ext();
    let (d, s) = (fr.pointer(d)?, fr.pointer(s)?);
    mem::copy_bytes(d, s, n as usize);
    fr.fuel -= i64::from(n / 128);
});
op!(ZeroMem, |fr, p| {
    let (_, n) = fr.ext();
    let p = fr.pointer(p)?;
    mem::zero_bytes(p, n as usize * 8);
    fr.fuel -= i64::from(n / 32);
});
op!(Ax64, |fr, d, p, i| {
    let (p, i) = fr.array(p, i)?;
    fr.set(d, mem::load64(p + i * 8));
});
op!(Ax32, |fr, d, p, i| {
    let (p, i) = fr.array(p, i)?;
    fr.set(d, mem::load32(p + i * 4));
});
op!(Ax16, |fr, d, p, i| {
    let (p, i) = fr.array(p, i)?;
    fr.set(d, mem::load16(p + i * 2));
});
op!(Ax8, |fr, d, p, i| {
    let (p, i) = fr.array(p, i)?;
    fr.set(d, mem::load8(p + i));
});
op!(SetAx64, |fr, p, i, a| {
    let (p, i) = fr.array(p, i)?;
    mem::store64(p + i * 8, fr.r(a));
});
op!(SetAx32, |fr, p, i, a| {
    let (p, i) = fr.array(p, i)?;
    mem::store32(p + i * 4, fr.r(a));
});
op!(SetAx16, |fr, p, i, a| {
    let (p, i) = fr.array(p, i)?;
    mem::store16(p + i * 2, fr.r(a));
});
op!(SetAx8, |fr, p, i, a| {
    let (p, i) = fr.array(p, i)?;
    mem::store8(p + i, fr.r(a));
});
op!(AxAddr, |fr, d, p, i| {
    let (p, i) = fr.array(p, i)?;
    let (_, stride) = fr.ext();
    fr.set(d, p + i * u64::from(stride));
});
op!(Len, |fr, d, a| fr.set(d, text::len(fr.r(a)) as u64));
op!(Cap, |fr, d, a| fr.set(d, text::cap(fr.r(a)) as u64));
op!(SliceData, |fr, d, a| fr.set(d, text::data(fr.r(a))));
op!(Ix64, |fr, d, s, i| {
    let (data, i) = fr.index(s, i)?;
    fr.set(d, mem::load64(data + i * 8));
});
op!(Ix32, |fr, d, s, i| {
    let (data, i) = fr.index(s, i)?;
    fr.set(d, mem::load32(data + i * 4));
});
op!(Ix16, |fr, d, s, i| {
    let (data, i) = fr.index(s, i)?;
    fr.set(d, mem::load16(data + i * 2));
});
op!(Ix8, |fr, d, s, i| {
    let (data, i) = fr.index(s, i)?;
    fr.set(d, mem::load8(data + i));
});
op!(IxN, |fr, d, s, i| {
    let (data, i) = fr.index(s, i)?;
    let (n, _) = fr.ext();
    let from = data + i * u64::from(n) * 8;
    for k in 0..n {
        fr.set(d + k, mem::load(from as *const u64, usize::from(k)));
    }
});
op!(IxLoad, |fr, d, s, i| {
    let (data, i) = fr.index(s, i)?;
    let (off, stride) = fr.ext();
    fr.set(d, mem::load64(data + i * u64::from(stride) + u64::from(off)));
});
op!(IxStore, |fr, s, i, a| {
    let (data, i) = fr.index(s, i)?;
    let (off, stride) = fr.ext();
    mem::store64(data + i * u64::from(stride) + u64::from(off), fr.r(a));
});
op!(SetIx64, |fr, s, i, a| {
    let (data, i) = fr.index(s, i)?;
    mem::store64(data + i * 8, fr.r(a));
});
op!(AddIx, |fr, s, i, a| {
    let (data, i) = fr.index(s, i)?;
    let p = data + i * 8;
    mem::store64(p, mem::load64(p).wrapping_add(fr.r(a)));
});
op!(AddIxK, |fr, s, i, k| {
    let (data, i) = fr.index(s, i)?;
    let p = data + i * 8;
    mem::store64(p, mem::load64(p).wrapping_add(k as i64 as u64));
});
op!(AddIxF, |fr, s, i, a| {
    let (data, i) = fr.index(s, i)?;
    let p = data + i * 8;
    mem::store64(p, (f(mem::load64(p)) + f(fr.r(a))).to_bits());
});
op!(SetIx32, |fr, s, i, a| {
    let (data, i) = fr.index(s, i)?;
    mem::store32(data + i * 4, fr.r(a));
});
op!(SetIx16, |fr, s, i, a| {
    let (data, i) = fr.index(s, i)?;
    mem::store16(data + i * 2, fr.r(a));
});
op!(SetIx8, |fr, s, i, a| {
    let (data, i) = fr.index(s, i)?;
    mem::store8(data + i, fr.r(a));
});
op!(SetIxN, |fr, s, i, a| {
    let (data, i) = fr.index(s, i)?;
    let (n, _) = fr.ext();
    let to = data + i * u64::from(n) * 8;
    for k in 0..n {
        mem::store(to as *mut u64, usize::from(k), fr.r(a + k));
    }
});
op!(IxAddr, |fr, d, s, i| {
    let (data, i) = fr.index(s, i)?;
    let (_, stride) = fr.ext();
    fr.set(d, data + i * u64::from(stride));
});
