//! The machine's tables as liveness analysis wants them, and the maps of the functions that the collector has met.
//!
//! Invariant: a function's map is computed once, from code that never changes.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "only maps and functions have a shape of their own"
)]

use crate::bytecode::effects::Shapes;
use crate::bytecode::liveness::Liveness;
use crate::bytecode::module::{Func, SelectTable, TypeKind};

use super::machine::Vm;

impl Shapes for Vm {
    fn slots(&self, ty: u32) -> u32 {
        u32::from(self.types.at(ty).desc.slots)
    }

    fn map_slots(&self, ty: u32) -> (u32, u32) {
        match self.types.at(ty).desc.kind {
            TypeKind::Map(k, v) => (self.slots(k), self.slots(v)),
            _ => (0, 0),
        }
    }

    fn func(&self, f: u32) -> Option<(u32, u32)> {
        self.funcs.get(f as usize).map(|f| (f.params, f.results))
    }

    fn method(&self, m: u32) -> (u32, u32) {
        match &self.types.at(self.methods.at(m as usize).sig).desc.kind {
            TypeKind::Func { params, results, .. } => {
                let sum = |list: &[u32]| list.iter().map(|&t| self.slots(t)).sum();
                (sum(params), sum(results))
            }
            _ => (0, 0),
        }
    }

    fn native(&self, x: u32) -> Option<(u32, u32)> {
        self.native_slots.get(x as usize).map(|n| (u32::from(n.0), u32::from(n.1)))
    }

    fn select(&self, t: u32) -> Option<&SelectTable> {
        self.selects.get(t as usize)
    }
}

impl Vm {
    /// The maps of a function of this machine.
    pub(super) fn liveness(&self, f: &Func) -> &Liveness {
        let first = self.funcs.as_ptr() as usize;
        let id = (std::ptr::from_ref(f) as usize - first) / size_of::<Func>();
        self.live.at(id).get_or_init(|| Liveness::compute(f, self))
    }
}
