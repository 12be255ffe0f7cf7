//! Registers and frames: the raw accesses of the handlers, and how frames are walked.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "an access is an address and a read or write: one operation in two steps"
)]
#![expect(clippy::wildcard_enum_match_arm, reason = "an operand word has one right variant")]
#![expect(
    unsafe_code,
    reason = "invariants R1, R2: registers are inside the goroutine's stack, pcs inside verified code"
)]

use crate::bytecode::op::{HEADER, Ins, OPCODES};

use super::machine::Entry;

/// Reads a register.
#[inline(always)]
pub(super) fn rd(base: *mut u64, r: u16) -> u64 {
    // SAFETY: R2.
    unsafe { *base.add(r as usize) }
}

/// Writes a register.
#[inline(always)]
pub(super) fn wr(base: *mut u64, r: u16, v: u64) {
    // SAFETY: R2.
    unsafe { *base.add(r as usize) = v };
}

/// The address of a register.
#[inline(always)]
pub(super) fn at(base: *mut u64, r: u16) -> *mut u64 {
    base.wrapping_add(r as usize)
}

/// The same value, which the compiler does not know and may compute only where it is used: what is chosen by a condition becomes
/// a branch, which is predicted. A conditional move would make the next instruction, and what it loads, wait for the comparison.
#[inline(always)]
pub(super) fn in_a_branch(o: isize) -> isize {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut o = o;
        // SAFETY: the text is empty.
        unsafe {
            std::arch::asm!("/* {0} */", inout(reg) o, options(nomem, nostack, preserves_flags));
        }
        o
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    o
}

/// The instruction at `pc`.
#[inline(always)]
pub(super) fn fetch(pc: *const Ins) -> Ins {
    // SAFETY: R1: pc is inside verified code, which ends with a terminator.
    unsafe { *pc }
}

/// The base of a frame whose window is at `w`.
#[inline(always)]
pub(super) fn window(base: *mut u64, w: u16) -> *mut u64 {
    base.wrapping_add(usize::from(w) + usize::from(HEADER))
}

/// What the handlers need of a function.
#[inline(always)]
pub(super) fn entry(entries: *const Entry, f: u64) -> Entry {
    // SAFETY: `entries` begins an `AppendVec`, whose elements stay; the verifier and closures know only functions in it.
    unsafe { *entries.add(f as usize) }
}

/// A constant.
#[inline(always)]
pub(super) fn constant(consts: *const u64, k: u32) -> u64 {
    // SAFETY: as for entries.
    unsafe { *consts.add(k as usize) }
}

/// The opcode of the instruction at `pc`.
#[inline(always)]
pub(super) fn tag(pc: *const Ins) -> u16 {
    // SAFETY: R1; `Ins` is repr(u16), so it begins with its tag.
    unsafe { *pc.cast::<u16>() }
}

/// The element of the table of handlers for an opcode.
#[inline(always)]
pub(super) fn handler<T: Copy>(table: &[T; OPCODES], tag: u16) -> T {
    // SAFETY: a tag is less than the number of opcodes.
    unsafe { *table.get_unchecked(usize::from(tag)) }
}

/// What cannot be: an instruction whose handler was called is of that handler's opcode.
#[inline(always)]
pub(super) fn no_such_operands() -> ! {
    // SAFETY: the table of handlers was indexed by the tag.
    unsafe { std::hint::unreachable_unchecked() }
}

/// The operand word at `pc`.
#[inline(always)]
pub(super) fn ext(pc: *const Ins) -> (u16, u32) {
    match fetch(pc) {
        Ins::Ext { a, b } => (a, b),
        // SAFETY: the verifier checked that the words after an instruction that has some are `Ext`.
        _ => unsafe { std::hint::unreachable_unchecked() },
    }
}

/// The window operand of the call before a return pc: the first 16 bits after the tag, in every call and its `Ext`.
#[inline(always)]
pub(super) fn window_before(pc: *const Ins) -> u16 {
    // SAFETY: a return pc follows a call word; `Ins` is repr(u16), so its first operand is at offset 2.
    unsafe { *pc.sub(1).cast::<u16>().add(1) }
}

/// The return pc of the frame at `base`.
#[inline(always)]
pub(super) fn return_pc(base: *mut u64) -> *const Ins {
    // SAFETY: R2: two header slots lie below every base.
    let word = unsafe { *base.sub(2) };
    word as *const Ins
}

/// Sets the header of a frame.
#[inline(always)]
pub(super) fn set_return(base: *mut u64, pc: *const Ins) {
    // SAFETY: R2.
    unsafe { *base.sub(2) = pc as u64 };
}

/// The closure of the frame at `base`.
#[inline(always)]
pub(super) fn closure(base: *mut u64) -> u64 {
    // SAFETY: R2.
    unsafe { *base.sub(1) }
}

/// Sets the closure of a frame.
#[inline(always)]
pub(super) fn set_closure(base: *mut u64, c: u64) {
    // SAFETY: R2.
    unsafe { *base.sub(1) = c };
}

/// Copies registers; may overlap.
#[inline(always)]
pub(super) fn move_n(dst: *mut u64, src: *const u64, n: usize) {
    // SAFETY: R2 for both ranges.
    unsafe { std::ptr::copy(src, dst, n) };
}

/// Zeroes registers.
#[inline(always)]
pub(super) fn zero_n(dst: *mut u64, n: usize) {
    // SAFETY: R2.
    unsafe { std::ptr::write_bytes(dst, 0, n) };
}
