//! Host state behind a guest pointer: making such an object and getting at what is in it.
//!
//! A package declares a type that guests cannot look into, `type handle struct{ _ int }`, and deals in pointers to it. The collector drops the
//! host's part when the object died.

use crate::heap::SHAPE_NATIVE;
use crate::value::mem;

use super::{NativeObject, NativePart, Ncx};

impl Ncx<'_, '_> {
    /// A new guest object with this part behind it.
    pub(super) fn new_handle(&mut self, part: impl NativePart + 'static) -> u64 {
        let object = Box::new(NativeObject(Box::new(part)));
        let mut a = self.alloc();
        let p = a.object(1, SHAPE_NATIVE);
        mem::store(p, 0, Box::into_raw(object) as u64);
        a.cache.add_special(p);
        p as u64
    }

    /// The part behind the object in argument slot `i`, if it is of this type.
    pub(super) fn handle<'b, T: 'static>(&self, i: usize) -> Option<&'b T> {
        super::time::native_object(self.arg(i))?.as_any().downcast_ref()
    }
}
