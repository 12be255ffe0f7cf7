//! Slices, strings, interfaces, maps and closures.

use crate::bytecode::op::NO_REG;
use crate::value::{iface, text};
use crate::vm::ops::{self, Bounds};

apart!(EqT, |fr, d, a, b| {
    let (_, ty) = fr.ext();
    let equal = fr.env.vm.equal_slots(ty, fr.at(a), fr.at(b)).map_err(|t| fr.trap(t))?;
    fr.set(d, u64::from(equal));
});
apart!(Slice, |fr, d, s, w| {
    let (flags, stride) = fr.ext();
    let b = Bounds::read(fr.at(w), flags);
    let from = fr.r(s);
    let s = ops::slice(&mut fr.alloc(), from, b, stride).map_err(|t| fr.trap(t))?;
    fr.set(d, s);
});
apart!(SliceStr, |fr, d, s, w| {
    let (flags, _) = fr.ext();
    let b = Bounds::read(fr.at(w), flags);
    let from = fr.r(s);
    let s = ops::slice_string(&mut fr.alloc(), from, b).map_err(|t| fr.trap(t))?;
    fr.set(d, s);
});
apart!(SliceArr, |fr, d, p, w| {
    let (flags, stride) = fr.ext();
    let (_, len) = fr.ext();
    let b = Bounds::read(fr.at(w), flags);
    let p = fr.r(p);
    let s = ops::slice_array(&mut fr.alloc(), p, b, stride, len).map_err(|t| fr.trap(t))?;
    fr.set(d, s);
});
apart!(MakeSlice, |fr, d, len, cap| {
    let (_, elem) = fr.ext();
    let (len, cap) = (fr.r(len) as i64, fr.r(cap) as i64);
    let s = fr.env.vm.make_slice(&mut fr.alloc(), elem, len, cap).map_err(|t| fr.trap(t))?;
    fr.set(d, s);
    fr.fuel -= cap / 64;
});
quick!(Append, {
    |fr, d, s, a| {
        let (_, elem) = fr.ext();
        let (from, word) = (fr.r(s), fr.r(a));
        match fr.env.vm.append_quickly(&mut fr.alloc(), elem, from, word) {
            Some(v) => fr.set(d, v),
            None => return Ok(false),
        }
    }
} else {
    |fr, d, s, a| {
        let (_, elem) = fr.ext();
        let (from, first) = (fr.r(s), fr.at(a));
        let v = fr.env.vm.append(&mut fr.alloc(), elem, from, first, 1);
        fr.set(d, v);
    }
});
apart!(AppendN, |fr, d, s, a| {
    let (n, elem) = fr.ext();
    let (from, first) = (fr.r(s), fr.at(a));
    let v = fr.env.vm.append(&mut fr.alloc(), elem, from, first, n);
    fr.set(d, v);
});
apart!(AppendSlice, |fr, d, s, t| {
    let (_, elem) = fr.ext();
    let t = fr.r(t);
    let from = fr.r(s);
    let v = fr.env.vm.append_slice(&mut fr.alloc(), elem, from, t);
    fr.set(d, v);
    fr.fuel -= (text::len(t) / 64) as i64;
});
apart!(Copy, |fr, d, a, b| {
    let (_, elem) = fr.ext();
    let n = fr.env.vm.copy(elem, fr.r(a), fr.r(b));
    fr.set(d, n);
    fr.fuel -= (n / 64) as i64;
});
apart!(Concat, |fr, d, a, n| {
    let first = fr.at(a);
    let s = ops::concat(&mut fr.alloc(), first, n);
    fr.set(d, s);
    fr.fuel -= (text::len(s) / 64) as i64;
});
apart!(ConcatTo, |fr, d, a| {
    let pair = [fr.r(d), fr.r(a)];
    let s = ops::concat(&mut fr.alloc(), pair.as_ptr(), 2);
    fr.set(d, s);
    fr.fuel -= (text::len(s) / 64) as i64;
});
quick!(DecodeRune, {
    |fr, r, s, i| {
        match text::bytes(fr.r(s)).get(fr.r(i) as usize) {
            Some(&b) if b < 0x80 => {
                fr.set(r, u64::from(b));
                fr.set(r + 1, 1);
            }
            _ => return Ok(false),
        }
    }
} else {
    |fr, r, s, i| {
        let b = text::bytes(fr.r(s));
        let (rune, width) = b.get(fr.r(i) as usize..).map_or((0xFFFD, 1), text::decode_rune);
        fr.set(r, u64::from(rune));
        fr.set(r + 1, width as u64);
    }
});
quick!(MkIface, {
    |fr, d, a| {
        let (_, ty) = fr.ext();
        let (vm, word) = (fr.env.vm, fr.r(a));
        match iface::make_quickly(&mut fr.alloc(), &vm.types, ty, word) {
            Some(v) => fr.set(d, v),
            None => return Ok(false),
        }
    }
} else {
    |fr, d, a| {
        let (_, ty) = fr.ext();
        let (vm, first) = (fr.env.vm, fr.at(a));
        let v = iface::make(&mut fr.alloc(), &vm.types, ty, first);
        fr.set(d, v);
    }
});
op!(TypeOf, |fr, d, a| fr.set(d, u64::from(iface::type_of(fr.r(a)))));
quick!(Unbox, {
    |fr, d, x| {
        let (_, ty) = fr.ext();
        match iface::unbox_quickly(&fr.env.vm.types, ty, fr.r(x)) {
            Some(v) => fr.set(d, v),
            None => return Ok(false),
        }
    }
} else {
    |fr, d, x| {
        let (_, ty) = fr.ext();
        iface::unbox(&fr.env.vm.types, ty, fr.r(x), fr.at(d));
    }
});
quick!(AssertT, {
    |fr, d, x| {
        let (_, ty) = fr.ext();
        let _from = fr.ext();
        let v = fr.r(x);
        if iface::type_of(v) != ty {
            return Ok(false);
        }
        match iface::unbox_quickly(&fr.env.vm.types, ty, v) {
            Some(v) => fr.set(d, v),
            None => return Ok(false),
        }
    }
} else {
    |fr, d, x| {
        let (_, ty) = fr.ext();
        let (_, from) = fr.ext();
        let v = fr.r(x);
        if iface::type_of(v) != ty {
            return Err(fr.trap(fr.env.vm.assertion_trap(v, ty, from)));
        }
        iface::unbox(&fr.env.vm.types, ty, v, fr.at(d));
    }
});
quick!(AssertTOk, {
    |fr, d, x| {
        let (ok, ty) = fr.ext();
        let v = fr.r(x);
        if iface::type_of(v) != ty {
            return Ok(false);
        }
        match iface::unbox_quickly(&fr.env.vm.types, ty, v) {
            Some(v) => fr.set(d, v),
            None => return Ok(false),
        }
        fr.set(ok, 1);
    }
} else {
    |fr, d, x| {
        let (ok, ty) = fr.ext();
        let v = fr.r(x);
        let is = iface::type_of(v) == ty;
        if is {
            iface::unbox(&fr.env.vm.types, ty, v, fr.at(d));
        } else {
            fr.env.vm.zero_value(fr.env.cx, ty, fr.at(d));
        }
        fr.set(ok, u64::from(is));
    }
});
apart!(AssertI, |fr, d, x| {
    let (_, ty) = fr.ext();
    let (_, from) = fr.ext();
    let v = fr.r(x);
    let dynamic = iface::type_of(v);
    if dynamic == 0 || fr.env.vm.types.missing_method(dynamic, ty).is_some() {
        return Err(fr.trap(fr.env.vm.assertion_trap(v, ty, from)));
    }
    fr.set(d, v);
});
apart!(AssertIOk, |fr, d, x, ok| {
    let (_, ty) = fr.ext();
    let v = fr.r(x);
    let dynamic = iface::type_of(v);
    let is = dynamic != 0 && fr.env.vm.types.missing_method(dynamic, ty).is_none();
    fr.set(d, if is { v } else { 0 });
    fr.set(ok, u64::from(is));
});
apart!(MakeMap, |fr, d, hint| {
    let (_, ty) = fr.ext();
    let (hint, seed) = (fr.r(hint) as i64, fr.env.cx.random_u64());
    let m = fr.env.vm.make_map(&mut fr.alloc(), ty, hint, seed);
    fr.set(d, m);
});
quick!(MapGet, {
    |fr, d, m, k| {
        let (ok, _) = fr.ext();
        let Some((v, found)) = ops::quick_get(fr.r(m), || fr.r(k)) else { return Ok(false) };
        fr.set(d, v);
        if ok != NO_REG {
            fr.set(ok, u64::from(found));
        }
    }
} else {
    |fr, d, m, k| {
        let (ok, ty) = fr.ext();
        let found = fr.env.vm.map_get(fr.r(m), ty, fr.at(k), fr.at(d)).map_err(|t| fr.trap(t))?;
        if !found {
            fr.env.vm.zero_map_value(fr.env.cx, ty, fr.at(d));
        }
        if ok != NO_REG {
            fr.set(ok, u64::from(found));
        }
    }
});
quick!(MapSet, {
    |fr, m, k, v| {
        let _ty = fr.ext();
        if !ops::quick_set(fr.r(m), || fr.r(k), |_| fr.r(v)) {
            return Ok(false);
        }
    }
} else {
    |fr, m, k, v| {
        let _ty = fr.ext();
        fr.env.vm.map_set(fr.env.cx, fr.r(m), fr.at(k), fr.at(v)).map_err(|t| fr.trap(t))?;
    }
});
quick!(MapAdd, {
    |fr, m, k, a| {
        let _ty = fr.ext();
        let delta = fr.r(a);
        if !ops::quick_set(fr.r(m), || fr.r(k), |old| old.wrapping_add(delta)) {
            return Ok(false);
        }
    }
} else {
    |fr, m, k, a| {
        let _ty = fr.ext();
        fr.env.vm.map_add(fr.env.cx, fr.r(m), fr.at(k), fr.r(a)).map_err(|t| fr.trap(t))?;
    }
});
apart!(MapDelete, |fr, m, k| {
    let (_, ty) = fr.ext();
    fr.env.vm.map_delete(fr.r(m), ty, fr.at(k)).map_err(|t| fr.trap(t))?;
});
apart!(MapClear, |fr, m| {
    let m = fr.r(m);
    if m != 0 {
        ops::map_data(m).clear().map_err(|e| fr.env.vm.map_trap(e)).map_err(|t| fr.trap(t))?;
    }
});
op!(MapLen, |fr, d, m| {
    let m = fr.r(m);
    fr.set(d, if m == 0 { 0 } else { ops::map_data(m).len() as u64 });
});
apart!(MapIter, |fr, it, m| {
    let m = fr.r(m);
    let i = fr.env.vm.map_iter(&mut fr.alloc(), m);
    fr.set(it, i);
});
apart!(MapNext, |fr, it, k, v| {
    let (_, o) = fr.ext();
    let _ty = fr.ext();
    let random = fr.env.cx.random_u64();
    let to = |x: u16| if x == NO_REG { std::ptr::null_mut() } else { fr.at(x) };
    let (key, value) = (to(k), to(v));
    if !fr.env.vm.map_next(fr.r(it), random, key, value).map_err(|t| fr.trap(t))? {
        fr.jump(o as i32 as isize);
    }
});
