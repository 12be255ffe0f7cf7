//! Atomics of the exhaustive model checker, under the feature `loom`.
//!
//! loom knows acquire, release and fences, but treats a sequentially consistent operation as an acquiring and releasing one. The
//! protocols of the scheduler rely on the single order of such operations, so here each stands between two fences, which loom
//! knows.
//!
//! loom also lets a read-modify-write ignore a plain store that came before it, if the store is not ordered after an earlier
//! read-modify-write, though that one's atomicity leaves no other place for the store. So a store here is a swap.

use loom::sync::atomic as model;
pub use loom::sync::atomic::{Ordering, fence};

/// Runs an operation between fences if it is sequentially consistent.
#[inline]
fn ordered<R>(order: Ordering, op: impl FnOnce() -> R) -> R {
    if order != Ordering::SeqCst {
        return op();
    }
    fence(Ordering::SeqCst);
    let result = op();
    fence(Ordering::SeqCst);
    result
}

macro_rules! atomic {
    ($name:ident, $value:ty $(, $t:ident)?) => {
        pub struct $name$(<$t>)?(model::$name$(<$t>)?);

        impl$(<$t>)? std::fmt::Debug for $name$(<$t>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($name))
            }
        }

        impl$(<$t>)? $name$(<$t>)? {
            pub fn new(value: $value) -> Self {
                $name(model::$name::new(value))
            }

            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                ordered(order, || self.0.load(order))
            }

            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                let order = if order == Ordering::Release { Ordering::AcqRel } else { order };
                ordered(order, || self.0.swap(value, order));
            }

            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                ordered(order, || self.0.swap(value, order))
            }

            /// # Errors
            /// The value that was found instead.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                old: $value,
                new: $value,
                ok: Ordering,
                failed: Ordering,
            ) -> Result<$value, $value> {
                ordered(ok, || self.0.compare_exchange(old, new, ok, failed))
            }

            /// # Errors
            /// The value that was found instead.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                old: $value,
                new: $value,
                ok: Ordering,
                failed: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(old, new, ok, failed)
            }
        }
    };
}

macro_rules! number {
    ($name:ident, $value:ty) => {
        atomic!($name, $value);

        impl $name {
            #[track_caller]
            pub fn fetch_add(&self, by: $value, order: Ordering) -> $value {
                ordered(order, || self.0.fetch_add(by, order))
            }

            #[track_caller]
            pub fn fetch_sub(&self, by: $value, order: Ordering) -> $value {
                ordered(order, || self.0.fetch_sub(by, order))
            }

            #[track_caller]
            pub fn fetch_or(&self, bits: $value, order: Ordering) -> $value {
                ordered(order, || self.0.fetch_or(bits, order))
            }

            #[track_caller]
            pub fn fetch_and(&self, bits: $value, order: Ordering) -> $value {
                ordered(order, || self.0.fetch_and(bits, order))
            }
        }

        impl Default for $name {
            fn default() -> Self {
                $name::new(0)
            }
        }
    };
}

atomic!(AtomicBool, bool);
atomic!(AtomicPtr, *mut T, T);
number!(AtomicI64, i64);
number!(AtomicU32, u32);
number!(AtomicU64, u64);
number!(AtomicUsize, usize);

impl Default for AtomicBool {
    fn default() -> Self {
        AtomicBool::new(false)
    }
}

impl<T> Default for AtomicPtr<T> {
    fn default() -> Self {
        AtomicPtr::new(std::ptr::null_mut())
    }
}
