//! Jumps and the back edges of loops.

#![expect(clippy::neg_cmp_op_on_partial_ord, reason = "JNltF and JNleF mean exactly that, for NaN")]

use super::f;
use crate::value::{mem, text};
use crate::vm::ops::same_string;

op!(Jmp, |fr, o| fr.jump(o as isize));
op!(JT, |fr, a, o| {
    if fr.r(a) != 0 {
        fr.jump(o as isize);
    }
});
op!(JF, |fr, a, o| {
    if fr.r(a) == 0 {
        fr.jump(o as isize);
    }
});
op!(JEqI, |fr, a, b, o| {
    if fr.r(a) == fr.r(b) {
        fr.jump(o as isize);
    }
});
op!(JNeI, |fr, a, b, o| {
    if fr.r(a) != fr.r(b) {
        fr.jump(o as isize);
    }
});
op!(JLtI, |fr, a, b, o| {
    if (fr.r(a) as i64) < fr.r(b) as i64 {
        fr.jump(o as isize);
    }
});
op!(JLeI, |fr, a, b, o| {
    if fr.r(a) as i64 <= fr.r(b) as i64 {
        fr.jump(o as isize);
    }
});
op!(JLtU, |fr, a, b, o| {
    if fr.r(a) < fr.r(b) {
        fr.jump(o as isize);
    }
});
op!(JLeU, |fr, a, b, o| {
    if fr.r(a) <= fr.r(b) {
        fr.jump(o as isize);
    }
});
op!(JEqIK, |fr, a, i, o| {
    if fr.r(a) as i64 == i64::from(i) {
        fr.jump(o as isize);
    }
});
op!(JNeIK, |fr, a, i, o| {
    if fr.r(a) as i64 != i64::from(i) {
        fr.jump(o as isize);
    }
});
op!(JLtIK, |fr, a, i, o| {
    if (fr.r(a) as i64) < i64::from(i) {
        fr.jump(o as isize);
    }
});
op!(JLeIK, |fr, a, i, o| {
    if fr.r(a) as i64 <= i64::from(i) {
        fr.jump(o as isize);
    }
});
op!(JGtIK, |fr, a, i, o| {
    if fr.r(a) as i64 > i64::from(i) {
        fr.jump(o as isize);
    }
});
op!(JGeIK, |fr, a, i, o| {
    if fr.r(a) as i64 >= i64::from(i) {
        fr.jump(o as isize);
    }
});
op!(JEqF, |fr, a, b, o| {
    if f(fr.r(a)) == f(fr.r(b)) {
        fr.jump(o as isize);
    }
});
op!(JNeF, |fr, a, b, o| {
    if f(fr.r(a)) != f(fr.r(b)) {
        fr.jump(o as isize);
    }
});
op!(JLtF, |fr, a, b, o| {
    if f(fr.r(a)) < f(fr.r(b)) {
        fr.jump(o as isize);
    }
});
op!(JLeF, |fr, a, b, o| {
    if f(fr.r(a)) <= f(fr.r(b)) {
        fr.jump(o as isize);
    }
});
op!(JNltF, |fr, a, b, o| {
    if !(f(fr.r(a)) < f(fr.r(b))) {
        fr.jump(o as isize);
    }
});
op!(JNleF, |fr, a, b, o| {
    if !(f(fr.r(a)) <= f(fr.r(b))) {
        fr.jump(o as isize);
    }
});
op!(JEqS, |fr, a, b, o| {
    if same_string(fr.r(a), fr.r(b)) {
        fr.jump(o as isize);
    }
});
op!(JNeS, |fr, a, b, o| {
    if !same_string(fr.r(a), fr.r(b)) {
        fr.jump(o as isize);
    }
});
op!(JIx8T, |fr, s, i, o| {
    let (data, i) = fr.index(s, i)?;
    if mem::load8(data + i) != 0 {
        fr.jump(o as isize);
    }
});
op!(JIx8F, |fr, s, i, o| {
    let (data, i) = fr.index(s, i)?;
    if mem::load8(data + i) == 0 {
        fr.jump(o as isize);
    }
});
op!(JMemZ, |fr, p, f, o| {
    let p = fr.pointer(p)?;
    if mem::load64(p + u64::from(f)) == 0 {
        fr.jump(o as isize);
    }
});
op!(JMemNZ, |fr, p, f, o| {
    let p = fr.pointer(p)?;
    if mem::load64(p + u64::from(f)) != 0 {
        fr.jump(o as isize);
    }
});
op!(Loop, |fr, o| fr.back(o as isize)?);
op!(LoopT, |fr, a, o| {
    if fr.r(a) != 0 {
        fr.back(o as isize)?;
    }
});
op!(LoopF, |fr, a, o| {
    if fr.r(a) == 0 {
        fr.back(o as isize)?;
    }
});
op!(LoopLtI, |fr, a, b, o| {
    if (fr.r(a) as i64) < fr.r(b) as i64 {
        fr.back(o as isize)?;
    }
});
op!(LoopLeI, |fr, a, b, o| {
    if fr.r(a) as i64 <= fr.r(b) as i64 {
        fr.back(o as isize)?;
    }
});
op!(LoopNeI, |fr, a, b, o| {
    if fr.r(a) != fr.r(b) {
        fr.back(o as isize)?;
    }
});
op!(LoopLtIK, |fr, a, i, o| {
    if (fr.r(a) as i64) < i64::from(i) {
        fr.back(o as isize)?;
    }
});
op!(LoopGeIK, |fr, a, i, o| {
    if fr.r(a) as i64 >= i64::from(i) {
        fr.back(o as isize)?;
    }
});
op!(LoopLtF, |fr, a, b, o| {
    if f(fr.r(a)) < f(fr.r(b)) {
        fr.back(o as isize)?;
    }
});
op!(LoopLeF, |fr, a, b, o| {
    if f(fr.r(a)) <= f(fr.r(b)) {
        fr.back(o as isize)?;
    }
});
op!(LoopNeIK, |fr, a, i, o| {
    if fr.r(a) as i64 != i64::from(i) {
        fr.back(o as isize)?;
    }
});
op!(LoopIncLtI, |fr, a, b, o| {
    let v = fr.r(a).wrapping_add(1);
    fr.set(a, v);
    if (v as i64) < fr.r(b) as i64 {
        fr.back(o as isize)?;
    }
});
op!(LoopIncLtIK, |fr, a, i, o| {
    let v = fr.r(a).wrapping_add(1);
    fr.set(a, v);
    if (v as i64) < i64::from(i) {
        fr.back(o as isize)?;
    }
});
op!(LoopIncLtLen, |fr, a, s, o| {
    let v = fr.r(a).wrapping_add(1);
    fr.set(a, v);
    if (v as i64) < text::len(fr.r(s)) as i64 {
        fr.back(o as isize)?;
    }
});
