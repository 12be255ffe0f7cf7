//! Fields that several threads may read while the protocol allows one writer at a time.
//!
//! All accesses are relaxed atomics: they cost what plain ones cost, and a field that is read without its
//! lock (a dump, a trace) can be stale but never undefined. Ordering between threads comes from the lock or
//! queue that hands the object over, never from these fields.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, Ordering};

macro_rules! relaxed {
    ($(#[$doc:meta])* $name:ident, $atomic:ty, $value:ty) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        #[repr(transparent)]
        pub struct $name($atomic);

        impl $name {
            /// A field with this value.
            #[inline(always)]
            pub const fn new(value: $value) -> $name {
                $name(<$atomic>::new(value))
            }

            /// Reads the field.
            #[inline(always)]
            pub fn get(&self) -> $value {
                self.0.load(Ordering::Relaxed)
            }

            /// Writes the field.
            #[inline(always)]
            pub fn set(&self, value: $value) {
                self.0.store(value, Ordering::Relaxed);
            }
        }
    };
}

relaxed!(
    /// A flag.
    RelBool, AtomicBool, bool
);
relaxed!(
    /// A small number.
    RelU32, AtomicU32, u32
);
relaxed!(
    /// A number.
    RelU64, AtomicU64, u64
);
relaxed!(
    /// A time or a difference.
    RelI64, AtomicI64, i64
);

/// A [`RelU32`] for a state whose changes are part of a protocol: the random model checker may switch threads at each.
#[cfg(not(all(feature = "shuttle", not(feature = "loom"))))]
pub use RelU32 as StateU32;

#[cfg(all(feature = "shuttle", not(feature = "loom")))]
mod state {
    use super::super::base::{AtomicU32, Ordering};

    /// See the other one of this name.
    #[derive(Debug)]
    pub struct StateU32(AtomicU32);

    impl StateU32 {
        /// A field with this value.
        pub fn new(value: u32) -> StateU32 {
            StateU32(AtomicU32::new(value))
        }

        /// Reads the field.
        pub fn get(&self) -> u32 {
            self.0.load(Ordering::Relaxed)
        }

        /// Writes the field.
        pub fn set(&self, value: u32) {
            self.0.store(value, Ordering::Relaxed);
        }
    }
}
#[cfg(all(feature = "shuttle", not(feature = "loom")))]
pub use state::StateU32;

impl RelU64 {
    /// Adds to a counter that only the caller writes.
    #[inline(always)]
    pub fn bump(&self, by: u64) {
        self.set(self.get().wrapping_add(by));
    }

    /// Raises a maximum that only the caller writes.
    pub fn raise(&self, to: u64) {
        if to > self.get() {
            self.set(to);
        }
    }
}

/// A pointer.
#[derive(Debug)]
#[repr(transparent)]
pub struct RelPtr<T>(AtomicPtr<T>);

impl<T> Default for RelPtr<T> {
    fn default() -> RelPtr<T> {
        RelPtr(AtomicPtr::new(std::ptr::null_mut()))
    }
}

impl<T> RelPtr<T> {
    /// Reads the field.
    #[inline(always)]
    pub fn get(&self) -> *mut T {
        self.0.load(Ordering::Relaxed)
    }

    /// Writes the field.
    #[inline(always)]
    pub fn set(&self, value: *mut T) {
        self.0.store(value, Ordering::Relaxed);
    }
}
