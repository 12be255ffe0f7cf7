//! A vector that only grows, never moves, and can be read by any thread while one adds to it.
//!
//! The machine's tables (functions, types, constants ...) are such vectors, so the REPL can add to a running program.
//! The address space is reserved at once; the system gives memory as pages are used.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "an access is an address and a read or write: one operation in two steps"
)]
#![expect(
    unsafe_code,
    reason = "invariant T1: elements below `len` are initialised and never move"
)]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// See the head of the file.
#[derive(Debug)]
pub struct AppendVec<T> {
    ptr: NonNull<T>,
    cap: usize,
    len: AtomicUsize,
    adding: Mutex<()>,
}

// SAFETY: T1: readers get shared references to initialised elements, writers are serialised by `adding`.
unsafe impl<T: Send> Send for AppendVec<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for AppendVec<T> {}

impl<T> AppendVec<T> {
    fn layout(cap: usize) -> Layout {
        Layout::array::<T>(cap).expect("a table is smaller than the address space")
    }

    /// A vector that can take up to `cap` elements.
    pub fn new(cap: usize) -> Self {
        let layout = Self::layout(cap.max(1));
        // SAFETY: the layout is not of zero size: tables hold no zero-sized elements, and `cap` is at least 1.
        let p = unsafe { alloc_zeroed(layout) };
        let Some(ptr) = NonNull::new(p.cast::<T>()) else { handle_alloc_error(layout) };
        AppendVec { ptr, cap: cap.max(1), len: AtomicUsize::new(0), adding: Mutex::new(()) }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Acquire)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an element and returns its index.
    ///
    /// # Panics
    /// If the reserved space is used up.
    pub fn push(&self, value: T) -> usize {
        let _one = self.adding.lock().expect("never held across a panic");
        let n = self.len.load(Ordering::Relaxed);
        assert!(n < self.cap, "a table of the machine is full");
        // SAFETY: T1: n is below the capacity, and nobody reads this element before `len` says so.
        let slot = unsafe { self.ptr.add(n) };
        // SAFETY: as above.
        unsafe { slot.write(value) };
        self.len.store(n + 1, Ordering::Release);
        n
    }

    /// The element, without a check in release builds: the verifier checked the index.
    #[inline(always)]
    pub fn at(&self, i: usize) -> &T {
        debug_assert!(i < self.len());
        // SAFETY: T1 and the verifier: the index is below `len`.
        unsafe { self.ptr.add(i).as_ref() }
    }

    /// The element, if it is there.
    pub fn get(&self, i: usize) -> Option<&T> {
        (i < self.len()).then(|| self.at(i))
    }

    /// The address of the first element.
    pub fn as_ptr(&self) -> *mut T {
        self.ptr.as_ptr()
    }

    /// All elements.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).map(|i| self.at(i))
    }
}

impl<T> Drop for AppendVec<T> {
    fn drop(&mut self) {
        for i in 0..*self.len.get_mut() {
            // SAFETY: T1: the element is initialised; nobody else is left.
            let slot = unsafe { self.ptr.add(i) };
            // SAFETY: as above.
            unsafe { slot.drop_in_place() };
        }
        // SAFETY: exactly the allocation of `new`.
        unsafe { dealloc(self.ptr.as_ptr().cast(), Self::layout(self.cap)) };
    }
}
