//! Registers and frames: the raw accesses of the loop, and how frames are walked.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "an access is an address and a read or write: one operation in two steps"
)]
#![expect(clippy::wildcard_enum_match_arm, reason = "an operand word has one right variant")]
#![expect(
    unsafe_code,
    reason = "invariants R1, R2: registers are inside the goroutine's stack, pcs inside verified code"
)]

use crate::bytecode::op::Ins;

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

/// A use of the base in the hottest place of the loop, and no instruction: without it the compiler, which takes each arm of the
/// loop for rare, keeps the base in memory and reads it there for every operand.
#[inline(always)]
pub(super) fn keep_in_register(base: *mut u64) {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    // SAFETY: the text is empty.
    unsafe {
        std::arch::asm!("/* {0} */", in(reg) base as usize, options(nomem, nostack, preserves_flags));
    }
}

/// Where this stands, in a place that is hardly ever reached, the code of the whole function begins at a cache line. Otherwise
/// it depends on what the linker puts before it whether the dispatch, 30 bytes, lies across two lines, which costs up to 30 %.
#[inline(always)]
pub(super) fn align_code() {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    // SAFETY: no instruction but some that do nothing.
    unsafe {
        std::arch::asm!(".p2align 6", options(nomem, nostack, preserves_flags));
    }
}

/// The instruction at `pc`.
#[inline(always)]
pub(super) fn fetch(pc: *const Ins) -> Ins {
    // SAFETY: R1: pc is inside verified code, which ends with a terminator.
    unsafe { *pc }
}

/// The instruction at `pc`, in place: its operands are read where they are used, which keeps registers free in the loop.
#[inline(always)]
pub(super) fn fetch_ref<'a>(pc: *const Ins) -> &'a Ins {
    // SAFETY: R1: as above; code never changes and lives as long as the machine.
    unsafe { &*pc }
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
