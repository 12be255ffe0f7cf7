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

use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use memmap2::MmapMut;

/// See the head of the file.
#[derive(Debug)]
pub struct AppendVec<T> {
    ptr: NonNull<T>,
    cap: usize,
    len: AtomicUsize,
    adding: Mutex<()>,
    /// The memory, which `ptr` is the address of.
    _map: MmapMut,
}

// SAFETY: T1: readers get shared references to initialised elements, writers are serialised by `adding`.
unsafe impl<T: Send> Send for AppendVec<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for AppendVec<T> {}

impl<T> AppendVec<T> {
    /// A vector that can take up to `cap` elements.
    ///
    /// # Panics
    /// If the system has no address space for them.
    pub fn new(cap: usize) -> Self {
        let cap = cap.max(1);
        let bytes = cap.checked_mul(size_of::<T>()).expect("a table is smaller than memory");
        let mut map = MmapMut::map_anon(bytes).expect("there is address space for a table");
        let ptr = NonNull::new(map.as_mut_ptr().cast::<T>()).expect("a mapping is somewhere");
        debug_assert!(ptr.is_aligned());
        AppendVec { ptr, cap, len: AtomicUsize::new(0), adding: Mutex::new(()), _map: map }
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
    }
}
