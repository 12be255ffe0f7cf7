//! `reflect.DeepEqual`, without recursion.

use std::collections::HashSet;

use crate::bytecode::module::TypeKind;
use crate::natives::time::native_object;
use crate::natives::{Ncx, Outcome};
use crate::value::equal::equal;
use crate::value::{iface, mem, text};
use crate::vm::{Vm, map_data, map_entries};

/// A comparison still to do: type and two addresses, in memory form.
type Pair = (u32, u64, u64);

/// `func deepEqual(a, b any) bool`.
pub(super) fn deep_equal(n: &mut Ncx<'_, '_>) -> Outcome {
    let (a, b) = (n.arg(0), n.arg(1));
    let mut c = Comparison { vm: n.vm, todo: Vec::new(), seen: HashSet::new(), kept: Vec::new() };
    let mut same = c.interfaces(a, b);
    let mut steps = 0;
    while same && let Some(pair) = c.todo.pop() {
        steps += 1;
        same = c.step(pair);
    }
    n.charge(steps * 32);
    n.ret_bool(0, same);
    Outcome::Done
}

struct Comparison<'a> {
    vm: &'a Vm,
    todo: Vec<Pair>,
    /// Pairs of references that were met: what contains itself is equal if nothing else differs.
    seen: HashSet<Pair>,
    /// Copies of map entries that pairs point into.
    kept: Vec<Vec<u64>>,
}

impl Comparison<'_> {
    fn interfaces(&mut self, a: u64, b: u64) -> bool {
        let (ta, tb) = (iface::type_of(a), iface::type_of(b));
        if ta != tb {
            return false;
        }
        if ta != 0 {
            self.todo.push((ta, iface::payload(a), iface::payload(b)));
        }
        true
    }

    /// Compares one pair, or puts off its parts. False: different.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the rest have no parts that == does not see"
    )]
    fn step(&mut self, (ty, a, b): Pair) -> bool {
        let t = self.vm.types.at(ty);
        match &t.desc.kind {
            TypeKind::Interface(_) => self.interfaces(mem::load64(a), mem::load64(b)),
            TypeKind::Pointer(e) => {
                let (x, y) = (mem::load64(a), mem::load64(b));
                let elem = &self.vm.types.at(*e).desc;
                // what math/big.Int points to is a number of the host
                if elem.name == "big.handle" && elem.pkg == "math/big" {
                    let (p, q) = (native_object(x), native_object(y));
                    return x == y || p.zip(q).is_some_and(|(p, q)| p.equals(q));
                }
                if x != y && x != 0 && y != 0 && self.seen.insert((ty, x, y)) {
                    self.todo.push((*e, x, y));
                }
                x == y || x != 0 && y != 0
            }
            TypeKind::Slice(e) => self.slices(ty, *e, mem::load64(a), mem::load64(b)),
            TypeKind::Array(n, e) => {
                let stride = self.vm.types.at(*e).stride as u64;
                self.todo.extend((0..*n).map(|i| (*e, a + i * stride, b + i * stride)));
                true
            }
            TypeKind::Struct(fields) => {
                let parts = fields.iter().map(|f| (f.ty, u64::from(f.offset)));
                self.todo.extend(parts.map(|(t, o)| (t, a + o, b + o)));
                true
            }
            TypeKind::Map(k, v) => self.maps(ty, *k, *v, mem::load64(a), mem::load64(b)),
            TypeKind::Func { .. } => mem::load64(a) == 0 && mem::load64(b) == 0,
            _ => equal(&self.vm.types, ty, a, b).unwrap_or(false),
        }
    }

    fn slices(&mut self, ty: u32, elem: u32, x: u64, y: u64) -> bool {
        if (x == 0) != (y == 0) || text::len(x) != text::len(y) {
            return false;
        }
        let (p, q) = (text::data(x), text::data(y));
        if p != q && self.seen.insert((ty, x, y)) {
            let stride = self.vm.types.at(elem).stride as u64;
            let n = text::len(x) as u64;
            self.todo.extend((0..n).map(|i| (elem, p + i * stride, q + i * stride)));
        }
        true
    }

    fn maps(&mut self, ty: u32, key: u32, value: u32, x: u64, y: u64) -> bool {
        if x == y {
            return true;
        }
        if x == 0 || y == 0 || map_data(x).len() != map_data(y).len() {
            return false;
        }
        if !self.seen.insert((ty, x, y)) {
            return true;
        }
        let (k, v) = (self.vm.types.at(key), self.vm.types.at(value));
        let address = |slots: &[u64]| if v.desc.mem { slots[0] } else { slots.as_ptr() as u64 };
        for entry in map_entries(x) {
            let mine = entry[usize::from(k.desc.slots)..].to_vec();
            let mut other = vec![0u64; usize::from(v.desc.slots).max(1)];
            let found = map_data(y).get(&self.vm.types, entry.as_ptr(), other.as_mut_ptr());
            if !matches!(found, Ok(true)) {
                return false;
            }
            if v.desc.slots > 0 {
                self.todo.push((value, address(&mine), address(&other)));
            }
            self.kept.extend([mine, other]);
        }
        true
    }
}
