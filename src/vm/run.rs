//! The loop: fetch, match, next. Everything that takes more than a few lines is a function in `ops`, `calls`, `panics`, `chans`.
//!
//! An arm of the `match` ends by falling out of it (go on), or breaks with an [`Out`]: a trap, a goroutine to leave, a
//! look at the scheduler. So the rare ways out are handled once, behind the match.

use std::sync::atomic::Ordering;

use crate::bytecode::op::{HEADER, Ins, NO_REG};
use crate::natives::{self, Ncx, Outcome};
use crate::sched::{Cx, Exit, GRef, ProcessEnd, Refill};
use crate::value::{Alloc, iface, mem, text};

use super::co::{Co, Pending};
use super::frames::{
    align_code, at, closure, ext, fetch_ref, keep_in_register, move_n, rd, return_pc, set_return,
    window_before, wr, zero_n,
};
use super::machine::Vm;
use super::ops::{self, Bounds, checked, div, f2i, f2u, index_trap, rem};
use super::trap::Trap;

/// The rare ways out of an instruction.
enum Out {
    Trap(Trap),
    /// The goroutine gives up the M; its state is saved.
    Leave(Exit),
    /// The budget is used up, at a safe point.
    Poll,
    /// The state in the `Co` was changed (a frame was pushed or unwound): read it again.
    Reload,
}

/// What a helper of the loop says.
pub(super) enum Step {
    /// The state in the `Co` says how to go on.
    Reload,
    /// Give up the M.
    Leave(Exit),
}

/// The allocation means of the P.
#[inline(always)]
pub(super) fn alloc<'a>(vm: &'a Vm, cx: &'a mut Cx<'_, Vm>) -> Alloc<'a> {
    Alloc { heap: &vm.heap, cache: &mut cx.local().cache }
}

fn f(w: u64) -> f64 {
    f64::from_bits(w)
}

fn f32_of(w: u64) -> f32 {
    f32::from_bits(w as u32)
}

fn w32(v: f32) -> u64 {
    u64::from(v.to_bits())
}

/// Runs `g`, and after it others of the same P, until the M is given up.
#[expect(
    clippy::too_many_lines,
    clippy::cognitive_complexity,
    reason = "one arm for each opcode; arms are short"
)]
#[expect(clippy::neg_cmp_op_on_partial_ord, reason = "JNltF and JNleF mean exactly that, for NaN")]
pub(super) fn run(vm: &Vm, cx: &mut Cx<'_, Vm>, first: GRef) -> Exit {
    let mut g = first;
    let mut fuel = cx.fuel;
    let mut co: &mut Co = co_of(cx, g);
    if let Some(exit) = resume(vm, cx, g) {
        return exit;
    }
    let mut pc = co.pc;
    let mut base = co.base_ptr(co.base);
    let mut limit = co.stack.as_mut_ptr().wrapping_add(co.stack.len());

    // Writes the state back (R1).
    macro_rules! save {
        () => {{
            co.pc = pc;
            co.base = (base as usize - co.stack.as_ptr() as usize) / 8;
        }};
    }
    macro_rules! reload {
        () => {{
            pc = co.pc;
            base = co.base_ptr(co.base);
            limit = co.stack.as_mut_ptr().wrapping_add(co.stack.len());
        }};
    }
    'run: loop {
        let out = 'op: {
            keep_in_register(base);
            let ins = fetch_ref(pc);
            pc = pc.wrapping_add(1);
            macro_rules! r {
                ($x:expr) => {
                    rd(base, $x)
                };
            }
            macro_rules! set {
                ($d:expr, $v:expr) => {{
                    let v = $v;
                    wr(base, $d, v);
                }};
            }
            macro_rules! jump {
                ($o:expr) => {
                    pc = pc.wrapping_offset($o as isize)
                };
            }
            macro_rules! back {
                ($o:expr) => {{
                    fuel += $o as i64;
                    pc = pc.wrapping_offset($o as isize);
                    if fuel < 0 {
                        break 'op Out::Poll;
                    }
                }};
            }
            macro_rules! trap {
                ($t:expr) => {
                    break 'op Out::Trap($t)
                };
            }
            macro_rules! attempt {
                ($e:expr) => {
                    match $e {
                        Ok(v) => v,
                        Err(t) => break 'op Out::Trap(t),
                    }
                };
            }
            macro_rules! ext {
                () => {{
                    let e = ext(pc);
                    pc = pc.wrapping_add(1);
                    e
                }};
            }
            // Enters a function whose window is at `w`: makes room, links the frame.
            macro_rules! enter {
                ($w:expr, $f:expr) => {{
                    let entry = vm.entries.at($f as usize);
                    let mut callee = at(base, $w + HEADER);
                    if callee.wrapping_add(entry.nslots as usize) > limit {
                        save!();
                        if let Err(t) = vm.grow_stack(cx, g, $w + HEADER, entry.nslots) {
                            trap!(t);
                        }
                        reload!();
                        callee = at(base, $w + HEADER);
                    }
                    set_return(callee, pc);
                    base = callee;
                    pc = entry.code;
                    fuel -= i64::from(entry.cost);
                    if fuel < 0 {
                        break 'op Out::Poll;
                    }
                }};
            }
            macro_rules! leave_frame {
                () => {{
                    pc = return_pc(base);
                    let w = window_before(pc);
                    base = base.wrapping_sub(w as usize + HEADER as usize);
                }};
            }
            macro_rules! index {
                ($s:expr, $i:expr) => {{
                    let i = r!($i);
                    match checked(r!($s), i) {
                        Ok(data) => (data, i),
                        Err(len) => trap!(index_trap(i, len)),
                    }
                }};
            }
            // Array in memory: address, checked index.
            macro_rules! array {
                ($p:expr, $i:expr) => {{
                    let (_, len) = ext!();
                    let (p, i) = (r!($p), r!($i));
                    if p == 0 {
                        trap!(Trap::Nil);
                    }
                    if i >= u64::from(len) {
                        trap!(index_trap(i, u64::from(len)));
                    }
                    (p, i)
                }};
            }
            macro_rules! pointer {
                ($p:expr) => {{
                    let p = r!($p);
                    if p == 0 {
                        trap!(Trap::Nil);
                    }
                    p
                }};
            }
            match *ins {
                Ins::Nop {} => {}
                Ins::Ext { .. } => pc = pc.wrapping_sub(2),
                Ins::Mov { d, a } => set!(d, r!(a)),
                Ins::MovN { d, a, n } => move_n(at(base, d), at(base, a), usize::from(n)),
                Ins::LoadI { d, i } => set!(d, i as i64 as u64),
                Ins::LoadK { d, k } => set!(d, *vm.consts.at(k as usize)),
                Ins::ZeroN { d, n } => zero_n(at(base, d), usize::from(n)),
                Ins::LoadG { d, g } => set!(d, mem::load64(vm.global(g))),
                Ins::StoreG { a, g } => mem::store64(vm.global(g), r!(a)),
                Ins::AddG { a, g } => {
                    let p = vm.global(g);
                    mem::store64(p, mem::load64(p).wrapping_add(r!(a)));
                }
                Ins::AddGK { i, g } => {
                    let p = vm.global(g);
                    mem::store64(p, mem::load64(p).wrapping_add(i as i64 as u64));
                }
                Ins::AddGF { a, g } => {
                    let p = vm.global(g);
                    mem::store64(p, (f(mem::load64(p)) + f(r!(a))).to_bits());
                }
                Ins::AddrG { d, g } => set!(d, vm.global(g)),
                Ins::LoadCap { d, i } => {
                    set!(d, mem::load(closure(base) as *const u64, 1 + usize::from(i)))
                }

                Ins::AddI { d, a, b } => set!(d, r!(a).wrapping_add(r!(b))),
                Ins::SubI { d, a, b } => set!(d, r!(a).wrapping_sub(r!(b))),
                Ins::MulI { d, a, b } => set!(d, r!(a).wrapping_mul(r!(b))),
                Ins::DivI { d, a, b } => {
                    if r!(b) == 0 {
                        trap!(Trap::divide());
                    }
                    set!(d, div(r!(a), r!(b)));
                }
                Ins::RemI { d, a, b } => {
                    if r!(b) == 0 {
                        trap!(Trap::divide());
                    }
                    set!(d, rem(r!(a), r!(b)));
                }
                Ins::DivU { d, a, b } => match r!(a).checked_div(r!(b)) {
                    Some(q) => set!(d, q),
                    None => trap!(Trap::divide()),
                },
                Ins::RemU { d, a, b } => match r!(a).checked_rem(r!(b)) {
                    Some(q) => set!(d, q),
                    None => trap!(Trap::divide()),
                },
                Ins::And { d, a, b } => set!(d, r!(a) & r!(b)),
                Ins::Or { d, a, b } => set!(d, r!(a) | r!(b)),
                Ins::Xor { d, a, b } => set!(d, r!(a) ^ r!(b)),
                Ins::AndNot { d, a, b } => set!(d, r!(a) & !r!(b)),
                Ins::Shl { d, a, b } => {
                    let n = r!(b);
                    set!(d, if n < 64 { r!(a) << n } else { 0 });
                }
                Ins::ShrI { d, a, b } => set!(d, ((r!(a) as i64) >> r!(b).min(63)) as u64),
                Ins::ShrU { d, a, b } => {
                    let n = r!(b);
                    set!(d, if n < 64 { r!(a) >> n } else { 0 });
                }
                Ins::ChkShift { a } => {
                    if (r!(a) as i64) < 0 {
                        trap!(Trap::Runtime("negative shift amount".into()));
                    }
                }
                Ins::AddIK { d, a, i } => set!(d, r!(a).wrapping_add(i as i64 as u64)),
                Ins::MulIK { d, a, i } => set!(d, r!(a).wrapping_mul(i as i64 as u64)),
                Ins::DivIK { d, a, i } => set!(d, ops::div_small(r!(a), i)),
                Ins::RemIK { d, a, i } => set!(d, ops::rem_small(r!(a), i)),
                Ins::AndIK { d, a, i } => set!(d, r!(a) & i as i64 as u64),
                Ins::ShlIK { d, a, i } => set!(d, r!(a) << (i & 63)),
                Ins::ShrIK { d, a, i } => set!(d, ((r!(a) as i64) >> (i & 63)) as u64),
                Ins::ShrUK { d, a, i } => set!(d, r!(a) >> (i & 63)),
                Ins::MulAddI { d, a, b } => {
                    set!(d, r!(d).wrapping_add(r!(a).wrapping_mul(r!(b))));
                }
                Ins::Shl32K { d, a, i } => set!(d, u64::from((r!(a) as u32) << (i & 31))),
                Ins::Rotl32K { d, a, i } => {
                    set!(d, u64::from((r!(a) as u32).rotate_left((i & 31) as u32)));
                }
                Ins::RotlK { d, a, i } => set!(d, r!(a).rotate_left((i & 63) as u32)),
                Ins::NegI { d, a } => set!(d, r!(a).wrapping_neg()),
                Ins::NotI { d, a } => set!(d, !r!(a)),
                Ins::NotB { d, a } => set!(d, r!(a) ^ 1),
                Ins::Zext8 { d, a } => set!(d, r!(a) & 0xFF),
                Ins::Zext16 { d, a } => set!(d, r!(a) & 0xFFFF),
                Ins::Zext32 { d, a } => set!(d, r!(a) & 0xFFFF_FFFF),
                Ins::Sext8 { d, a } => set!(d, r!(a) as i8 as i64 as u64),
                Ins::Sext16 { d, a } => set!(d, r!(a) as i16 as i64 as u64),
                Ins::Sext32 { d, a } => set!(d, r!(a) as i32 as i64 as u64),
                Ins::Add32 { d, a, b } => {
                    set!(d, u64::from((r!(a) as u32).wrapping_add(r!(b) as u32)))
                }
                Ins::Sub32 { d, a, b } => {
                    set!(d, u64::from((r!(a) as u32).wrapping_sub(r!(b) as u32)))
                }
                Ins::Mul32 { d, a, b } => {
                    set!(d, u64::from((r!(a) as u32).wrapping_mul(r!(b) as u32)))
                }

                Ins::AddF { d, a, b } => set!(d, (f(r!(a)) + f(r!(b))).to_bits()),
                Ins::SubF { d, a, b } => set!(d, (f(r!(a)) - f(r!(b))).to_bits()),
                Ins::MulF { d, a, b } => set!(d, (f(r!(a)) * f(r!(b))).to_bits()),
                Ins::DivF { d, a, b } => set!(d, (f(r!(a)) / f(r!(b))).to_bits()),
                Ins::NegF { d, a } => set!(d, (-f(r!(a))).to_bits()),
                Ins::MulAddF { d, a, b } => {
                    let product = f(r!(a)) * f(r!(b));
                    set!(d, (f(r!(d)) + product).to_bits());
                }
                Ins::SqrtF { d, a } => set!(d, f(r!(a)).sqrt().to_bits()),
                Ins::AbsF { d, a } => set!(d, f(r!(a)).abs().to_bits()),
                Ins::FloorF { d, a } => set!(d, f(r!(a)).floor().to_bits()),
                Ins::AddF32 { d, a, b } => set!(d, w32(f32_of(r!(a)) + f32_of(r!(b)))),
                Ins::SubF32 { d, a, b } => set!(d, w32(f32_of(r!(a)) - f32_of(r!(b)))),
                Ins::MulF32 { d, a, b } => set!(d, w32(f32_of(r!(a)) * f32_of(r!(b)))),
                Ins::DivF32 { d, a, b } => set!(d, w32(f32_of(r!(a)) / f32_of(r!(b)))),
                Ins::NegF32 { d, a } => set!(d, w32(-f32_of(r!(a)))),
                Ins::I2F { d, a } => set!(d, (r!(a) as i64 as f64).to_bits()),
                Ins::U2F { d, a } => set!(d, (r!(a) as f64).to_bits()),
                Ins::F2I { d, a } => set!(d, f2i(f(r!(a)))),
                Ins::F2U { d, a } => set!(d, f2u(f(r!(a)))),
                Ins::F64To32 { d, a } => set!(d, w32(f(r!(a)) as f32)),
                Ins::F32To64 { d, a } => set!(d, f64::from(f32_of(r!(a))).to_bits()),
                Ins::I2F32 { d, a } => set!(d, w32(r!(a) as i64 as f32)),
                Ins::U2F32 { d, a } => set!(d, w32(r!(a) as f32)),

                Ins::EqI { d, a, b } => set!(d, u64::from(r!(a) == r!(b))),
                Ins::NeI { d, a, b } => set!(d, u64::from(r!(a) != r!(b))),
                Ins::LtI { d, a, b } => set!(d, u64::from((r!(a) as i64) < r!(b) as i64)),
                Ins::LeI { d, a, b } => set!(d, u64::from(r!(a) as i64 <= r!(b) as i64)),
                Ins::LtU { d, a, b } => set!(d, u64::from(r!(a) < r!(b))),
                Ins::LeU { d, a, b } => set!(d, u64::from(r!(a) <= r!(b))),
                Ins::EqF { d, a, b } => set!(d, u64::from(f(r!(a)) == f(r!(b)))),
                Ins::NeF { d, a, b } => set!(d, u64::from(f(r!(a)) != f(r!(b)))),
                Ins::LtF { d, a, b } => set!(d, u64::from(f(r!(a)) < f(r!(b)))),
                Ins::LeF { d, a, b } => set!(d, u64::from(f(r!(a)) <= f(r!(b)))),
                Ins::EqS { d, a, b } => set!(d, u64::from(same_string(r!(a), r!(b)))),
                Ins::NeS { d, a, b } => set!(d, u64::from(!same_string(r!(a), r!(b)))),
                Ins::LtS { d, a, b } => set!(d, u64::from(text::bytes(r!(a)) < text::bytes(r!(b)))),
                Ins::LeS { d, a, b } => {
                    set!(d, u64::from(text::bytes(r!(a)) <= text::bytes(r!(b))))
                }
                Ins::EqT { d, a, b } => {
                    let (_, ty) = ext!();
                    let equal = attempt!(vm.equal_slots(ty, at(base, a), at(base, b)));
                    set!(d, u64::from(equal));
                }

                Ins::Jmp { o } => jump!(o),
                Ins::JT { a, o } => {
                    if r!(a) != 0 {
                        jump!(o);
                    }
                }
                Ins::JF { a, o } => {
                    if r!(a) == 0 {
                        jump!(o);
                    }
                }
                Ins::JEqI { a, b, o } => {
                    if r!(a) == r!(b) {
                        jump!(o);
                    }
                }
                Ins::JNeI { a, b, o } => {
                    if r!(a) != r!(b) {
                        jump!(o);
                    }
                }
                Ins::JLtI { a, b, o } => {
                    if (r!(a) as i64) < r!(b) as i64 {
                        jump!(o);
                    }
                }
                Ins::JLeI { a, b, o } => {
                    if r!(a) as i64 <= r!(b) as i64 {
                        jump!(o);
                    }
                }
                Ins::JLtU { a, b, o } => {
                    if r!(a) < r!(b) {
                        jump!(o);
                    }
                }
                Ins::JLeU { a, b, o } => {
                    if r!(a) <= r!(b) {
                        jump!(o);
                    }
                }
                Ins::JEqIK { a, i, o } => {
                    if r!(a) as i64 == i64::from(i) {
                        jump!(o);
                    }
                }
                Ins::JNeIK { a, i, o } => {
                    if r!(a) as i64 != i64::from(i) {
                        jump!(o);
                    }
                }
                Ins::JLtIK { a, i, o } => {
                    if (r!(a) as i64) < i64::from(i) {
                        jump!(o);
                    }
                }
                Ins::JLeIK { a, i, o } => {
                    if r!(a) as i64 <= i64::from(i) {
                        jump!(o);
                    }
                }
                Ins::JGtIK { a, i, o } => {
                    if r!(a) as i64 > i64::from(i) {
                        jump!(o);
                    }
                }
                Ins::JGeIK { a, i, o } => {
                    if r!(a) as i64 >= i64::from(i) {
                        jump!(o);
                    }
                }
                Ins::JEqF { a, b, o } => {
                    if f(r!(a)) == f(r!(b)) {
                        jump!(o);
                    }
                }
                Ins::JNeF { a, b, o } => {
                    if f(r!(a)) != f(r!(b)) {
                        jump!(o);
                    }
                }
                Ins::JLtF { a, b, o } => {
                    if f(r!(a)) < f(r!(b)) {
                        jump!(o);
                    }
                }
                Ins::JLeF { a, b, o } => {
                    if f(r!(a)) <= f(r!(b)) {
                        jump!(o);
                    }
                }
                Ins::JNltF { a, b, o } => {
                    if !(f(r!(a)) < f(r!(b))) {
                        jump!(o);
                    }
                }
                Ins::JNleF { a, b, o } => {
                    if !(f(r!(a)) <= f(r!(b))) {
                        jump!(o);
                    }
                }
                Ins::JEqS { a, b, o } => {
                    if same_string(r!(a), r!(b)) {
                        jump!(o);
                    }
                }
                Ins::JNeS { a, b, o } => {
                    if !same_string(r!(a), r!(b)) {
                        jump!(o);
                    }
                }
                Ins::JIx8T { s, i, o } => {
                    let (data, i) = index!(s, i);
                    if mem::load8(data + i) != 0 {
                        jump!(o);
                    }
                }
                Ins::JIx8F { s, i, o } => {
                    let (data, i) = index!(s, i);
                    if mem::load8(data + i) == 0 {
                        jump!(o);
                    }
                }
                Ins::JMemZ { p, f, o } => {
                    let p = pointer!(p);
                    if mem::load64(p + u64::from(f)) == 0 {
                        jump!(o);
                    }
                }
                Ins::JMemNZ { p, f, o } => {
                    let p = pointer!(p);
                    if mem::load64(p + u64::from(f)) != 0 {
                        jump!(o);
                    }
                }
                Ins::Loop { o } => back!(o),
                Ins::LoopT { a, o } => {
                    if r!(a) != 0 {
                        back!(o);
                    }
                }
                Ins::LoopF { a, o } => {
                    if r!(a) == 0 {
                        back!(o);
                    }
                }
                Ins::LoopLtI { a, b, o } => {
                    if (r!(a) as i64) < r!(b) as i64 {
                        back!(o);
                    }
                }
                Ins::LoopLeI { a, b, o } => {
                    if r!(a) as i64 <= r!(b) as i64 {
                        back!(o);
                    }
                }
                Ins::LoopNeI { a, b, o } => {
                    if r!(a) != r!(b) {
                        back!(o);
                    }
                }
                Ins::LoopLtIK { a, i, o } => {
                    if (r!(a) as i64) < i64::from(i) {
                        back!(o);
                    }
                }
                Ins::LoopGeIK { a, i, o } => {
                    if r!(a) as i64 >= i64::from(i) {
                        back!(o);
                    }
                }
                Ins::LoopLtF { a, b, o } => {
                    if f(r!(a)) < f(r!(b)) {
                        back!(o);
                    }
                }
                Ins::LoopLeF { a, b, o } => {
                    if f(r!(a)) <= f(r!(b)) {
                        back!(o);
                    }
                }
                Ins::LoopNeIK { a, i, o } => {
                    if r!(a) as i64 != i64::from(i) {
                        back!(o);
                    }
                }
                Ins::LoopIncLtI { a, b, o } => {
                    let v = r!(a).wrapping_add(1);
                    set!(a, v);
                    if (v as i64) < r!(b) as i64 {
                        back!(o);
                    }
                }
                Ins::LoopIncLtIK { a, i, o } => {
                    let v = r!(a).wrapping_add(1);
                    set!(a, v);
                    if (v as i64) < i64::from(i) {
                        back!(o);
                    }
                }

                Ins::LoopIncLtLen { a, s, o } => {
                    let v = r!(a).wrapping_add(1);
                    set!(a, v);
                    if (v as i64) < text::len(r!(s)) as i64 {
                        back!(o);
                    }
                }

                Ins::AddMem { p, o, a } => {
                    let p = pointer!(p) + u64::from(o);
                    mem::store64(p, mem::load64(p).wrapping_add(r!(a)));
                }
                Ins::AddMemK { p, o, i } => {
                    let p = pointer!(p) + u64::from(o);
                    mem::store64(p, mem::load64(p).wrapping_add(i as i64 as u64));
                }
                Ins::AddMemF { p, o, a } => {
                    let p = pointer!(p) + u64::from(o);
                    mem::store64(p, (f(mem::load64(p)) + f(r!(a))).to_bits());
                }
                Ins::SubMemF { p, o, a } => {
                    let p = pointer!(p) + u64::from(o);
                    mem::store64(p, (f(mem::load64(p)) - f(r!(a))).to_bits());
                }
                Ins::Load { d, p, o } => {
                    let p = pointer!(p);
                    set!(d, mem::load64(p + u64::from(o)));
                }
                Ins::LoadN { d, p, n } => {
                    let p = pointer!(p);
                    for i in 0..n {
                        set!(d + i, mem::load(p as *const u64, usize::from(i)));
                    }
                }
                Ins::Store { p, o, a } | Ins::StoreP { p, o, a } => {
                    let p = pointer!(p);
                    mem::store64(p + u64::from(o), r!(a));
                }
                Ins::StoreN { p, a, n } => {
                    let p = pointer!(p);
                    for i in 0..n {
                        mem::store(p as *mut u64, usize::from(i), r!(a + i));
                    }
                }
                Ins::Load8 { d, p } => set!(d, mem::load8(pointer!(p))),
                Ins::Load16 { d, p } => set!(d, mem::load16(pointer!(p))),
                Ins::Load32 { d, p } => set!(d, mem::load32(pointer!(p))),
                Ins::Store8 { p, a } => mem::store8(pointer!(p), r!(a)),
                Ins::Store16 { p, a } => mem::store16(pointer!(p), r!(a)),
                Ins::Store32 { p, a } => mem::store32(pointer!(p), r!(a)),
                Ins::Lea { d, p, o } => {
                    let p = pointer!(p);
                    set!(d, p + u64::from(o));
                }
                Ins::LeaBig { d, p } => {
                    let (_, o) = ext!();
                    let p = pointer!(p);
                    set!(d, p + u64::from(o));
                }
                Ins::ChkNil { p } => {
                    pointer!(p);
                }
                Ins::New { d, t } => {
                    let words = vm.types.at(t).desc.words as usize;
                    let p = alloc(vm, cx).object(words, t);
                    set!(d, p as u64);
                }
                Ins::CopyMem { d, s, n } => {
                    let (d, s) = (pointer!(d), pointer!(s));
                    mem::copy_words(d, s, usize::from(n));
                }
                Ins::CopyMemBig { d, s } => {
                    let (_, n) = ext!();
                    let (d, s) = (pointer!(d), pointer!(s));
                    mem::copy_words(d, s, n as usize);
                    fuel -= i64::from(n / 16);
                }
                Ins::CopyBytes { d, s } => {
                    let (_, n) = ext!();
                    let (d, s) = (pointer!(d), pointer!(s));
                    mem::copy_bytes(d, s, n as usize);
                    fuel -= i64::from(n / 128);
                }
                Ins::ZeroMem { p } => {
                    let (_, n) = ext!();
                    let p = pointer!(p);
                    mem::zero_bytes(p, n as usize * 8);
                    fuel -= i64::from(n / 32);
                }

                Ins::Ax64 { d, p, i } => {
                    let (p, i) = array!(p, i);
                    set!(d, mem::load64(p + i * 8));
                }
                Ins::Ax32 { d, p, i } => {
                    let (p, i) = array!(p, i);
                    set!(d, mem::load32(p + i * 4));
                }
                Ins::Ax16 { d, p, i } => {
                    let (p, i) = array!(p, i);
                    set!(d, mem::load16(p + i * 2));
                }
                Ins::Ax8 { d, p, i } => {
                    let (p, i) = array!(p, i);
                    set!(d, mem::load8(p + i));
                }
                Ins::SetAx64 { p, i, a } => {
                    let (p, i) = array!(p, i);
                    mem::store64(p + i * 8, r!(a));
                }
                Ins::SetAx32 { p, i, a } => {
                    let (p, i) = array!(p, i);
                    mem::store32(p + i * 4, r!(a));
                }
                Ins::SetAx16 { p, i, a } => {
                    let (p, i) = array!(p, i);
                    mem::store16(p + i * 2, r!(a));
                }
                Ins::SetAx8 { p, i, a } => {
                    let (p, i) = array!(p, i);
                    mem::store8(p + i, r!(a));
                }
                Ins::AxAddr { d, p, i } => {
                    let (p, i) = array!(p, i);
                    let (_, stride) = ext!();
                    set!(d, p + i * u64::from(stride));
                }

                Ins::Len { d, a } => set!(d, text::len(r!(a)) as u64),
                Ins::Cap { d, a } => set!(d, text::cap(r!(a)) as u64),
                Ins::SliceData { d, a } => set!(d, text::data(r!(a))),
                Ins::Ix64 { d, s, i } => {
                    let (data, i) = index!(s, i);
                    set!(d, mem::load64(data + i * 8));
                }
                Ins::Ix32 { d, s, i } => {
                    let (data, i) = index!(s, i);
                    set!(d, mem::load32(data + i * 4));
                }
                Ins::Ix16 { d, s, i } => {
                    let (data, i) = index!(s, i);
                    set!(d, mem::load16(data + i * 2));
                }
                Ins::Ix8 { d, s, i } => {
                    let (data, i) = index!(s, i);
                    set!(d, mem::load8(data + i));
                }
                Ins::IxN { d, s, i } => {
                    let (data, i) = index!(s, i);
                    let (n, _) = ext!();
                    let from = data + i * u64::from(n) * 8;
                    for k in 0..n {
                        set!(d + k, mem::load(from as *const u64, usize::from(k)));
                    }
                }
                Ins::IxLoad { d, s, i } => {
                    let (data, i) = index!(s, i);
                    let (off, stride) = ext!();
                    set!(d, mem::load64(data + i * u64::from(stride) + u64::from(off)));
                }
                Ins::IxStore { s, i, a } => {
                    let (data, i) = index!(s, i);
                    let (off, stride) = ext!();
                    mem::store64(data + i * u64::from(stride) + u64::from(off), r!(a));
                }
                Ins::SetIx64 { s, i, a } => {
                    let (data, i) = index!(s, i);
                    mem::store64(data + i * 8, r!(a));
                }
                Ins::AddIx { s, i, a } => {
                    let (data, i) = index!(s, i);
                    let p = data + i * 8;
                    mem::store64(p, mem::load64(p).wrapping_add(r!(a)));
                }
                Ins::AddIxK { s, i, k } => {
                    let (data, i) = index!(s, i);
                    let p = data + i * 8;
                    mem::store64(p, mem::load64(p).wrapping_add(k as i64 as u64));
                }
                Ins::AddIxF { s, i, a } => {
                    let (data, i) = index!(s, i);
                    let p = data + i * 8;
                    mem::store64(p, (f(mem::load64(p)) + f(r!(a))).to_bits());
                }
                Ins::SetIx32 { s, i, a } => {
                    let (data, i) = index!(s, i);
                    mem::store32(data + i * 4, r!(a));
                }
                Ins::SetIx16 { s, i, a } => {
                    let (data, i) = index!(s, i);
                    mem::store16(data + i * 2, r!(a));
                }
                Ins::SetIx8 { s, i, a } => {
                    let (data, i) = index!(s, i);
                    mem::store8(data + i, r!(a));
                }
                Ins::SetIxN { s, i, a } => {
                    let (data, i) = index!(s, i);
                    let (n, _) = ext!();
                    let to = data + i * u64::from(n) * 8;
                    for k in 0..n {
                        mem::store(to as *mut u64, usize::from(k), r!(a + k));
                    }
                }
                Ins::IxAddr { d, s, i } => {
                    let (data, i) = index!(s, i);
                    let (_, stride) = ext!();
                    set!(d, data + i * u64::from(stride));
                }
                Ins::Slice { d, s, w } => {
                    let (flags, stride) = ext!();
                    let b = Bounds::read(at(base, w), flags);
                    let s = attempt!(ops::slice(&mut alloc(vm, cx), r!(s), b, stride));
                    set!(d, s);
                }
                Ins::SliceStr { d, s, w } => {
                    let (flags, _) = ext!();
                    let b = Bounds::read(at(base, w), flags);
                    let s = attempt!(ops::slice_string(&mut alloc(vm, cx), r!(s), b));
                    set!(d, s);
                }
                Ins::SliceArr { d, p, w } => {
                    let (flags, stride) = ext!();
                    let (_, len) = ext!();
                    let b = Bounds::read(at(base, w), flags);
                    let s = attempt!(ops::slice_array(&mut alloc(vm, cx), r!(p), b, stride, len));
                    set!(d, s);
                }
                Ins::MakeSlice { d, len, cap } => {
                    let (_, elem) = ext!();
                    let (len, cap) = (r!(len) as i64, r!(cap) as i64);
                    let s = attempt!(vm.make_slice(&mut alloc(vm, cx), elem, len, cap));
                    set!(d, s);
                    fuel -= cap / 64;
                }
                Ins::Append { d, s, a } => {
                    let (_, elem) = ext!();
                    let v = vm.append(&mut alloc(vm, cx), elem, r!(s), at(base, a), 1);
                    set!(d, v);
                }
                Ins::AppendN { d, s, a } => {
                    let (n, elem) = ext!();
                    let v = vm.append(&mut alloc(vm, cx), elem, r!(s), at(base, a), n);
                    set!(d, v);
                }
                Ins::AppendSlice { d, s, t } => {
                    let (_, elem) = ext!();
                    let t = r!(t);
                    let v = vm.append_slice(&mut alloc(vm, cx), elem, r!(s), t);
                    set!(d, v);
                    fuel -= (text::len(t) / 64) as i64;
                }
                Ins::Copy { d, a, b } => {
                    let (_, elem) = ext!();
                    let n = vm.copy(elem, r!(a), r!(b));
                    set!(d, n);
                    fuel -= (n / 64) as i64;
                }
                Ins::Concat { d, a, n } => {
                    let s = ops::concat(&mut alloc(vm, cx), at(base, a), n);
                    set!(d, s);
                    fuel -= (text::len(s) / 64) as i64;
                }
                Ins::ConcatTo { d, a } => {
                    let pair = [r!(d), r!(a)];
                    let s = ops::concat(&mut alloc(vm, cx), pair.as_ptr(), 2);
                    set!(d, s);
                    fuel -= (text::len(s) / 64) as i64;
                }
                Ins::DecodeRune { r, s, i } => {
                    let b = text::bytes(r!(s));
                    let (rune, width) =
                        b.get(r!(i) as usize..).map_or((0xFFFD, 1), text::decode_rune);
                    set!(r, u64::from(rune));
                    set!(r + 1, width as u64);
                }

                Ins::MkIface { d, a } => {
                    let (_, ty) = ext!();
                    let v = iface::make(&mut alloc(vm, cx), &vm.types, ty, at(base, a));
                    set!(d, v);
                }
                Ins::TypeOf { d, a } => set!(d, u64::from(iface::type_of(r!(a)))),
                Ins::Unbox { d, x } => {
                    let (_, ty) = ext!();
                    iface::unbox(&vm.types, ty, r!(x), at(base, d));
                }
                Ins::AssertT { d, x } => {
                    let (_, ty) = ext!();
                    let (_, from) = ext!();
                    let v = r!(x);
                    if iface::type_of(v) != ty {
                        trap!(vm.assertion_trap(v, ty, from));
                    }
                    iface::unbox(&vm.types, ty, v, at(base, d));
                }
                Ins::AssertTOk { d, x } => {
                    let (ok, ty) = ext!();
                    let v = r!(x);
                    let is = iface::type_of(v) == ty;
                    if is {
                        iface::unbox(&vm.types, ty, v, at(base, d));
                    } else {
                        vm.zero_value(cx, ty, at(base, d));
                    }
                    set!(ok, u64::from(is));
                }
                Ins::AssertI { d, x } => {
                    let (_, ty) = ext!();
                    let (_, from) = ext!();
                    let v = r!(x);
                    let dynamic = iface::type_of(v);
                    if dynamic == 0 || vm.types.missing_method(dynamic, ty).is_some() {
                        trap!(vm.assertion_trap(v, ty, from));
                    }
                    set!(d, v);
                }
                Ins::AssertIOk { d, x, ok } => {
                    let (_, ty) = ext!();
                    let v = r!(x);
                    let dynamic = iface::type_of(v);
                    let is = dynamic != 0 && vm.types.missing_method(dynamic, ty).is_none();
                    set!(d, if is { v } else { 0 });
                    set!(ok, u64::from(is));
                }

                Ins::Call { w, f } => enter!(w, f),
                Ins::CallC { w, c, .. } => {
                    let c = pointer!(c);
                    wr(base, w + 1, c);
                    enter!(w, mem::load64(c));
                }
                Ins::CallI { w, m } => {
                    let (_, cache) = ext!();
                    let v = r!(w + HEADER);
                    if v == 0 {
                        trap!(Trap::Nil);
                    }
                    let f = vm.lookup(v, m, cache);
                    set!(w + HEADER, vm.receiver(v));
                    enter!(w, f);
                }
                Ins::CallLock { w, .. } if natives::lock_quickly(r!(w + HEADER), cx.alone) => {}
                Ins::CallUnlock { w, .. } if natives::unlock_quickly(r!(w + HEADER), cx.alone) => {}
                Ins::CallN { w, x } | Ins::CallLock { w, x } | Ins::CallUnlock { w, x } => {
                    save!();
                    // A native that parks and wants to be asked afterwards says so itself.
                    co.pending = Pending::Nothing;
                    cx.fuel = fuel;
                    let mut ncx = Ncx { vm, cx, g, args: at(base, w + HEADER) };
                    let outcome = vm.natives.at(x as usize)(&mut ncx);
                    fuel = cx.fuel;
                    if !matches!(outcome, Outcome::Done) {
                        match vm.outcome(cx, g, co, outcome) {
                            Step::Reload => break 'op Out::Reload,
                            Step::Leave(exit) => break 'op Out::Leave(exit),
                        }
                    }
                    if fuel < 0 {
                        break 'op Out::Poll;
                    }
                }
                Ins::Go { w, f } => vm.spawn(cx, g, pc, at(base, w), f, 0),
                Ins::GoC { w, c, .. } => {
                    let c = r!(c);
                    if c == 0 {
                        trap!(Trap::Fatal("go of nil func value".into()));
                    }
                    vm.spawn(cx, g, pc, at(base, w), mem::load64(c) as u32, c);
                }
                Ins::Defer { c } => {
                    let frame = (base as usize - co.stack.as_ptr() as usize) / 8;
                    co.defers.push(super::co::Deferred { frame, closure: r!(c) });
                }
                Ins::DeferTo { c, t } => {
                    let (closure, frame) = (r!(c), r!(t) as usize);
                    super::calls::defer_to(co, frame, closure);
                }
                Ins::FrameToken { d } => {
                    let frame = (base as usize - co.stack.as_ptr() as usize) / 8;
                    set!(d, frame as u64);
                }
                Ins::RunDefers { w } => {
                    let frame = (base as usize - co.stack.as_ptr() as usize) / 8;
                    match co.defers.last() {
                        Some(last) if last.frame == frame => {
                            let c = last.closure;
                            co.defers.pop();
                            if c == 0 {
                                trap!(Trap::Nil);
                            }
                            wr(base, w + 1, c);
                            enter!(w, mem::load64(c));
                        }
                        _ => pc = pc.wrapping_add(1),
                    }
                }
                Ins::Recover { d } => {
                    save!();
                    let v = vm.recover(co);
                    set!(d, v);
                }
                Ins::Panic { a } => {
                    let v = r!(a);
                    trap!(if v == 0 { Trap::NilPanic } else { Trap::Value(v) });
                }
                Ins::Ret { a, n } => {
                    move_n(base, at(base, a), usize::from(n));
                    leave_frame!();
                }
                Ins::Ret1 { a } => {
                    let v = r!(a);
                    wr(base, 0, v);
                    leave_frame!();
                }
                Ins::RetI { i } => {
                    wr(base, 0, i as i64 as u64);
                    leave_frame!();
                }
                Ins::RetAddI { a, b } => {
                    let v = r!(a).wrapping_add(r!(b));
                    wr(base, 0, v);
                    leave_frame!();
                }
                Ins::Ret0 {} => leave_frame!(),
                Ins::MkClosure { d, a, n } => {
                    let (_, func) = ext!();
                    let p = alloc(vm, cx).object(1 + usize::from(n), crate::heap::SHAPE_WORDS);
                    mem::store(p, 0, u64::from(func));
                    for i in 0..n {
                        mem::store(p, 1 + usize::from(i), r!(a + i));
                    }
                    set!(d, p as u64);
                }

                Ins::MakeMap { d, hint } => {
                    let (_, ty) = ext!();
                    let (hint, seed) = (r!(hint) as i64, cx.random_u64());
                    let m = vm.make_map(&mut alloc(vm, cx), ty, hint, seed);
                    set!(d, m);
                }
                Ins::MapGet { d, m, k } => {
                    let (ok, ty) = ext!();
                    let m = r!(m);
                    if let Some((v, found)) = ops::quick_get(m, || r!(k)) {
                        set!(d, v);
                        if ok != NO_REG {
                            set!(ok, u64::from(found));
                        }
                        continue 'run;
                    }
                    let found = attempt!(vm.map_get(m, ty, at(base, k), at(base, d)));
                    if !found {
                        vm.zero_map_value(cx, ty, at(base, d));
                    }
                    if ok != NO_REG {
                        set!(ok, u64::from(found));
                    }
                }
                Ins::MapSet { m, k, v } => {
                    pc = pc.wrapping_add(1);
                    let m = r!(m);
                    if !ops::quick_set(m, || r!(k), |_| r!(v)) {
                        attempt!(vm.map_set(cx, m, at(base, k), at(base, v)));
                    }
                }
                Ins::MapAdd { m, k, a } => {
                    pc = pc.wrapping_add(1);
                    let (m, delta) = (r!(m), r!(a));
                    if !ops::quick_set(m, || r!(k), |old| old.wrapping_add(delta)) {
                        attempt!(vm.map_add(cx, m, at(base, k), delta));
                    }
                }
                Ins::MapDelete { m, k } => {
                    let (_, ty) = ext!();
                    attempt!(vm.map_delete(r!(m), ty, at(base, k)));
                }
                Ins::MapClear { m } => {
                    let m = r!(m);
                    if m != 0 {
                        attempt!(ops::map_data(m).clear().map_err(|e| vm.map_trap(e)));
                    }
                }
                Ins::MapLen { d, m } => {
                    let m = r!(m);
                    set!(d, if m == 0 { 0 } else { ops::map_data(m).len() as u64 });
                }
                Ins::MapIter { it, m } => {
                    let i = vm.map_iter(&mut alloc(vm, cx), r!(m));
                    set!(it, i);
                }
                Ins::MapNext { it, k, v } => {
                    let (_, o) = ext!();
                    let _ty = ext!();
                    let to = |x: u16| if x == NO_REG { std::ptr::null_mut() } else { at(base, x) };
                    let random = cx.random_u64();
                    if !attempt!(vm.map_next(r!(it), random, to(k), to(v))) {
                        jump!(o as i32);
                    }
                }

                Ins::MakeChan { d, n } => {
                    let (_, ty) = ext!();
                    let c = attempt!(vm.make_chan(cx, ty, r!(n) as i64));
                    set!(d, c);
                }
                Ins::Send { c, v } => {
                    save!();
                    let (n, _) = ext!();
                    match vm.send(cx, g, co, r!(c), at(base, v), n) {
                        Ok(None) => {}
                        Ok(Some(exit)) => break 'op Out::Leave(exit),
                        Err(t) => trap!(t),
                    }
                }
                Ins::Recv { d, c, ok } => {
                    save!();
                    let (n, _) = ext!();
                    match vm.recv(cx, g, co, r!(c), at(base, d), d != NO_REG, n) {
                        Ok(received) => {
                            if ok != NO_REG {
                                set!(ok, u64::from(received));
                            }
                        }
                        Err(exit) => break 'op Out::Leave(exit),
                    }
                }
                Ins::Close { c } => attempt!(vm.close(cx, r!(c))),
                Ins::ChanLen { d, c } => set!(d, vm.chan_len(cx, r!(c))),
                Ins::ChanCap { d, c } => set!(d, vm.chan_cap(cx, r!(c))),
                Ins::Select { d, t } => {
                    save!();
                    match vm.select(cx, g, co, base, t) {
                        Ok(Ok(chosen)) => set!(d, chosen),
                        Ok(Err(exit)) => break 'op Out::Leave(exit),
                        Err(t) => trap!(t),
                    }
                }

                Ins::EndG {} => {
                    save!();
                    if g.is_main.get() {
                        if vm.main_may_end() {
                            break 'op Out::Leave(Exit::End(ProcessEnd::exit(0)));
                        }
                        // Comes back to this instruction.
                        co.pc = pc.wrapping_sub(1);
                        co.pending = Pending::Nothing;
                        break 'op Out::Leave(Exit::Gosched);
                    }
                    break 'op Out::Leave(Exit::Done);
                }
                Ins::EndDefer {} => {
                    save!();
                    match vm.deferred_returned(cx, g, co) {
                        Step::Reload => break 'op Out::Reload,
                        Step::Leave(exit) => break 'op Out::Leave(exit),
                    }
                }
                Ins::EndPanicText {} => {
                    // The text is the result, where the call's window was.
                    let word = r!(HEADER);
                    save!();
                    match vm.panic_text_returned(cx, g, co, word) {
                        Step::Reload => break 'op Out::Reload,
                        Step::Leave(exit) => break 'op Out::Leave(exit),
                    }
                }
                Ins::Unreachable {} => {
                    align_code();
                    trap!(Trap::Fatal(
                        "gmpl: unreachable code was reached (this is a bug of gmpl)".into()
                    ))
                }
            }
            continue 'run;
        };
        let exit = match out {
            Out::Trap(t) => {
                save!();
                match vm.raise(cx, g, co, t) {
                    Step::Reload => {
                        reload!();
                        continue;
                    }
                    Step::Leave(exit) => exit,
                }
            }
            Out::Reload => {
                reload!();
                continue;
            }
            Out::Poll => {
                save!();
                co.pending = Pending::Nothing;
                cx.fuel = fuel;
                match vm.poll(cx, g) {
                    Refill::Run(more) => {
                        fuel = more;
                        reload!();
                        continue;
                    }
                    Refill::Preempt if vm.natives_state.session.take_stopped(g.id.get()) => {
                        Exit::Done
                    }
                    Refill::Preempt => Exit::Preempted,
                }
            }
            Out::Leave(exit) => exit,
        };
        cx.fuel = fuel;
        let Some(next) = cx.switch(g, exit) else { return Exit::Switched };
        g = next;
        fuel = cx.fuel;
        co = co_of(cx, g);
        if let Some(exit) = resume(vm, cx, g) {
            return exit;
        }
        reload!();
    }
}

fn same_string(a: u64, b: u64) -> bool {
    a == b || text::bytes(a) == text::bytes(b)
}

/// The coroutine of the goroutine that this M runs.
pub(super) fn co_of<'a>(cx: &Cx<'_, Vm>, g: GRef) -> &'a mut Co {
    coroutine::of(cx, g)
}

mod coroutine {
    #![expect(
        unsafe_code,
        reason = "the park protocol: this M runs the goroutine, so nobody else touches its coroutine"
    )]

    use super::{Co, Cx, GRef, Vm};

    pub(super) fn of<'a>(cx: &Cx<'_, Vm>, g: GRef) -> &'a mut Co {
        // SAFETY: see the reason; after a call that may have parked the goroutine the loop does not use it again.
        unsafe { &mut *cx.co(g) }
    }
}

/// Completes what the goroutine was waiting for. `Some`: it has to wait again, or leaves the M otherwise.
#[inline]
fn resume(vm: &Vm, cx: &mut Cx<'_, Vm>, g: GRef) -> Option<Exit> {
    let co = co_of(cx, g);
    if matches!(co.pending, Pending::Nothing) {
        return None;
    }
    vm.complete(cx, g, co)
}

impl Vm {
    /// Collects if it is due, then asks the scheduler for more fuel.
    #[cold]
    #[inline(never)]
    fn poll(&self, cx: &mut Cx<'_, Vm>, g: GRef) -> Refill {
        if self.natives_state.session.is_stopped(g.id.get()) {
            return Refill::Preempt;
        }
        let stress = self.stress_due();
        if stress {
            self.collect(cx, g, "stress");
        } else if self.heap.gc_wanted() {
            self.collect(cx, g, "heap");
        }
        cx.refill(g)
    }

    fn stress_due(&self) -> bool {
        let every = self.config.gc_stress;
        every != 0 && self.stress_left.fetch_add(1, Ordering::Relaxed).is_multiple_of(every)
    }
}
