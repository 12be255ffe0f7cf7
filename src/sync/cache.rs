//! Hints to the processor's cache.

#![expect(unsafe_code, reason = "a hint is no access: any address will do")]

/// Bytes that move between memory and the cores together.
pub const CACHE_LINE: usize = 64;

/// Asks for the memory at `p` without waiting for it. `p` need not be the address of anything.
#[inline(always)]
pub fn fetch_soon(p: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: see the reason.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(p.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = p;
}
