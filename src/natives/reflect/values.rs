//! What natives of package reflect do with values: reading, writing, making.

use crate::bytecode::module::TypeKind;
use crate::heap::SHAPE_WORDS;
use crate::natives::{Ncx, Outcome};
use crate::value::equal::{Uncomparable, equal};
use crate::value::map::MapError;
use crate::value::{iface, mem, text};
use crate::vm::map_data;
use crate::vm::trap::Trap;

/// `func typeOf(x any) int`.
pub(super) fn type_of(n: &mut Ncx<'_, '_>) -> Outcome {
    let t = iface::type_of(n.arg(0));
    n.ret(0, u64::from(t));
    Outcome::Done
}

/// `func boxed(x any) *word`: the address of the value in an interface.
pub(super) fn boxed(n: &mut Ncx<'_, '_>) -> Outcome {
    let w = n.arg(0);
    n.ret(0, w);
    Outcome::Done
}

/// `func toAny(t int, p *word) any`: a copy of the value as an interface.
pub(super) fn to_any(n: &mut Ncx<'_, '_>) -> Outcome {
    let (t, p, vm) = (n.arg(0) as u32, n.arg(1), n.vm);
    let ty = vm.types.at(t);
    let w = if matches!(ty.desc.kind, TypeKind::Interface(_)) {
        mem::load64(p)
    } else if ty.desc.mem {
        iface::make(&mut n.alloc(), &vm.types, t, std::ptr::from_ref(&p))
    } else if ty.desc.slots == 1 {
        let word = canonical(&ty.desc.kind, mem::load_width(p, ty.desc.packed));
        iface::make_word(&mut n.alloc(), t, word)
    } else {
        iface::make(&mut n.alloc(), &vm.types, t, p as *const u64)
    };
    n.ret(0, w);
    Outcome::Done
}

/// A scalar as registers hold it: signed ones are sign-extended.
#[expect(clippy::wildcard_enum_match_arm, reason = "all other kinds are what they are")]
fn canonical(kind: &TypeKind, w: u64) -> u64 {
    match kind {
        TypeKind::Int8 => i64::from(w as i8) as u64,
        TypeKind::Int16 => i64::from(w as i16) as u64,
        TypeKind::Int32 => i64::from(w as i32) as u64,
        _ => w,
    }
}

/// `func loadBits(t int, p *word, half int) uint64`: a scalar, sign-extended; for a float its value as float64; `half` is 1 for the imaginary
/// part of a complex number.
pub(super) fn load_bits(n: &mut Ncx<'_, '_>) -> Outcome {
    let (t, p, half) = (n.arg(0) as u32, n.arg(1), n.arg(2));
    let d = &n.vm.types.at(t).desc;
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest are words")]
    let v = match d.kind {
        TypeKind::Float32 => f64::from(f32::from_bits(mem::load32(p) as u32)).to_bits(),
        TypeKind::Complex64 => {
            f64::from(f32::from_bits(mem::load32(p + 8 * half) as u32)).to_bits()
        }
        TypeKind::Complex128 => mem::load64(p + 8 * half),
        _ => canonical(&d.kind, mem::load_width(p, d.packed)),
    };
    n.ret(0, v);
    Outcome::Done
}

/// `func storeBits(t int, p *word, half int, bits uint64)`.
pub(super) fn store_bits(n: &mut Ncx<'_, '_>) -> Outcome {
    let (t, p, half, v) = (n.arg(0) as u32, n.arg(1), n.arg(2), n.arg(3));
    let d = &n.vm.types.at(t).desc;
    let narrow = u64::from((f64::from_bits(v) as f32).to_bits());
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest are words")]
    match d.kind {
        TypeKind::Float32 => mem::store32(p, narrow),
        TypeKind::Complex64 => mem::store64(p + 8 * half, narrow),
        TypeKind::Complex128 => mem::store64(p + 8 * half, v),
        _ => mem::store_width(p, d.packed, v),
    }
    Outcome::Done
}

/// `func loadPtr(p *word) *word`.
pub(super) fn load_ptr(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = mem::load64(n.arg(0));
    n.ret(0, v);
    Outcome::Done
}

/// `func loadString(p *word) string`.
pub(super) fn load_string(n: &mut Ncx<'_, '_>) -> Outcome {
    load_ptr(n)
}

/// `func storeString(p *word, s string)`; any other single word as well.
pub(super) fn store_string(n: &mut Ncx<'_, '_>) -> Outcome {
    mem::store64(n.arg(0), n.arg(1));
    Outcome::Done
}

/// `func copyValue(t int, dst, src *word)`.
pub(super) fn copy_value(n: &mut Ncx<'_, '_>) -> Outcome {
    let (t, dst, src) = (n.arg(0) as u32, n.arg(1), n.arg(2));
    let ty = n.vm.types.at(t);
    if matches!(ty.desc.packed, 0 | 8) {
        n.vm.types.copy(ty, dst, src);
    } else {
        mem::store_width(dst, ty.desc.packed, mem::load_width(src, ty.desc.packed));
    }
    Outcome::Done
}

/// `func newValue(t int) *word`: a zeroed variable.
pub(super) fn new_value(n: &mut Ncx<'_, '_>) -> Outcome {
    let t = n.arg(0) as u32;
    let words = n.vm.types.at(t).desc.words.max(1) as usize;
    let p = n.alloc().object(words, t);
    n.ret(0, p as u64);
    Outcome::Done
}

/// `func makeSlice(elem, len, cap int) *word`: a variable that holds the slice.
pub(super) fn make_slice(n: &mut Ncx<'_, '_>) -> Outcome {
    let (elem, len, cap) = (n.arg(0) as u32, n.arg(1), n.arg(2));
    let bytes = n.vm.types.at(elem).stride.saturating_mul(cap as usize);
    if bytes > 1 << 40 {
        return Outcome::Trap(Trap::Runtime("makeslice: len out of range".into()));
    }
    n.charge(bytes);
    let mut a = n.alloc();
    let data = a.object(bytes.div_ceil(8).max(1), elem);
    let header = a.slice_header(data as u64, len, cap);
    let p = a.object(1, SHAPE_WORDS);
    mem::store(p, 0, header);
    n.ret(0, p as u64);
    Outcome::Done
}

/// `func sliceParts(p *word) (data *word, len, cap int)`.
pub(super) fn slice_parts(n: &mut Ncx<'_, '_>) -> Outcome {
    let s = mem::load64(n.arg(0));
    n.ret(0, text::data(s));
    n.ret(1, text::len(s) as u64);
    n.ret(2, text::cap(s) as u64);
    Outcome::Done
}

/// `func storeSlice(p, data *word, elem, low, len, cap int)`: a slice that starts `low` elements behind `data`.
pub(super) fn store_slice(n: &mut Ncx<'_, '_>) -> Outcome {
    let (p, data, elem, low) = (n.arg(0), n.arg(1), n.arg(2) as u32, n.arg(3));
    let (len, cap) = (n.arg(4), n.arg(5));
    let at = data + low * n.vm.types.at(elem).stride as u64;
    let header = n.alloc().slice_header(at, len, cap);
    mem::store64(p, header);
    Outcome::Done
}

/// A value in memory as maps want it: a slot with a pointer to a private copy for a memory-resident type, else its slots.
pub(in crate::natives) fn slots(n: &mut Ncx<'_, '_>, t: u32, p: u64) -> Vec<u64> {
    let ty = n.vm.types.at(t);
    if ty.desc.mem {
        let words = ty.desc.words as usize;
        let copy = n.alloc().object(words, t);
        n.vm.types.copy(ty, copy as u64, p);
        return vec![copy as u64];
    }
    if ty.desc.slots == 1 {
        return vec![canonical(&ty.desc.kind, mem::load_width(p, ty.desc.packed))];
    }
    // One word more: a type without slots still needs an address.
    (0..=usize::from(ty.desc.slots))
        .map(|i| if i < usize::from(ty.desc.slots) { mem::load(p as *const u64, i) } else { 0 })
        .collect()
}

/// The address of a value that stands in slots, in memory form.
pub(in crate::natives) fn from_slots(n: &mut Ncx<'_, '_>, t: u32, slots: &[u64]) -> u64 {
    let d = &n.vm.types.at(t).desc;
    if d.mem {
        return slots[0];
    }
    let p = n.alloc().object(d.words.max(1) as usize, t);
    for (i, w) in slots.iter().enumerate().take(usize::from(d.slots)) {
        mem::store(p, i, *w);
    }
    p as u64
}

fn parts(n: &Ncx<'_, '_>, i: usize) -> (u32, u32) {
    // The guest's half calls for maps only.
    if let TypeKind::Map(k, v) = n.vm.types.at(n.arg(i) as u32).desc.kind { (k, v) } else { (0, 0) }
}

fn map_fault(n: &Ncx<'_, '_>, e: MapError) -> Outcome {
    Outcome::Trap(n.vm.map_trap(e))
}

/// `func makeMap(t, hint int) *word`: a variable that holds the map.
pub(super) fn make_map(n: &mut Ncx<'_, '_>) -> Outcome {
    let (t, hint) = (n.arg(0) as u32, n.int(1));
    let seed = n.cx.random_u64();
    let vm = n.vm;
    let m = vm.make_map(&mut n.alloc(), t, hint, seed);
    let p = n.alloc().object(1, SHAPE_WORDS);
    mem::store(p, 0, m);
    n.ret(0, p as u64);
    Outcome::Done
}

/// `func mapLen(p *word) int`.
pub(super) fn map_len(n: &mut Ncx<'_, '_>) -> Outcome {
    let m = mem::load64(n.arg(0));
    let len = if m == 0 { 0 } else { map_data(m).len() };
    n.ret(0, len as u64);
    Outcome::Done
}

/// `func mapGet(t int, m, key *word) *word`: nil if there is no such key.
pub(super) fn map_get(n: &mut Ncx<'_, '_>) -> Outcome {
    let ((k, v), m, key) = (parts(n, 0), mem::load64(n.arg(1)), n.arg(2));
    if m == 0 {
        n.ret(0, 0);
        return Outcome::Done;
    }
    let key = slots(n, k, key);
    let mut value = vec![0u64; usize::from(n.vm.types.at(v).desc.slots).max(1)];
    match map_data(m).get(&n.vm.types, key.as_ptr(), value.as_mut_ptr()) {
        Err(e) => return map_fault(n, e),
        Ok(false) => n.ret(0, 0),
        Ok(true) => {
            let p = from_slots(n, v, &value);
            n.ret(0, p);
        }
    }
    Outcome::Done
}

/// `func mapSet(t int, m, key, value *word)`.
pub(super) fn map_set(n: &mut Ncx<'_, '_>) -> Outcome {
    let ((k, v), m) = (parts(n, 0), mem::load64(n.arg(1)));
    let (key, value) = (n.arg(2), n.arg(3));
    if m == 0 {
        return Outcome::Trap(Trap::Plain("assignment to entry in nil map".into()));
    }
    let (key, value) = (slots(n, k, key), slots(n, v, value));
    let vm = n.vm;
    match map_data(m).set(&vm.types, &mut n.alloc(), key.as_ptr(), value.as_ptr()) {
        Err(e) => map_fault(n, e),
        Ok(grown) => {
            vm.heap.account_native(grown);
            Outcome::Done
        }
    }
}

/// `func mapDelete(t int, m, key *word)`.
pub(super) fn map_delete(n: &mut Ncx<'_, '_>) -> Outcome {
    let ((k, _), m, key) = (parts(n, 0), mem::load64(n.arg(1)), n.arg(2));
    if m == 0 {
        return Outcome::Done;
    }
    let key = slots(n, k, key);
    match map_data(m).delete(&n.vm.types, key.as_ptr()) {
        Err(e) => map_fault(n, e),
        Ok(()) => Outcome::Done,
    }
}

/// `func clearMap(p *word)`.
pub(super) fn clear_map(n: &mut Ncx<'_, '_>) -> Outcome {
    let m = mem::load64(n.arg(0));
    match if m == 0 { Ok(()) } else { map_data(m).clear() } {
        Err(e) => map_fault(n, e),
        Ok(()) => Outcome::Done,
    }
}

/// `func mapKeys(t int, p *word) []*word`.
pub(super) fn map_keys(n: &mut Ncx<'_, '_>) -> Outcome {
    let ((k, _), m) = (parts(n, 0), mem::load64(n.arg(1)));
    let entries = if m == 0 { Ok(Vec::new()) } else { map_data(m).snapshot() };
    let entries = match entries {
        Ok(list) => list,
        Err(e) => return map_fault(n, e),
    };
    n.charge(entries.len() * 32);
    let keys: Vec<u64> = entries.iter().map(|e| from_slots(n, k, e)).collect();
    let s = n.alloc().word_slice(&keys, SHAPE_WORDS);
    n.ret(0, s);
    Outcome::Done
}

/// `func equalValues(t int, a, b *word) bool`.
pub(super) fn equal_values(n: &mut Ncx<'_, '_>) -> Outcome {
    let (t, a, b) = (n.arg(0) as u32, n.arg(1), n.arg(2));
    match equal(&n.vm.types, t, a, b) {
        Ok(same) => {
            n.ret_bool(0, same);
            Outcome::Done
        }
        Err(Uncomparable(t)) => Outcome::Trap(n.vm.uncomparable(t)),
    }
}

/// `func chanLen(p *word) int`.
pub(super) fn chan_len(n: &mut Ncx<'_, '_>) -> Outcome {
    chan_number(n, crate::chan::Channel::len)
}

/// `func chanCap(p *word) int`.
pub(super) fn chan_cap(n: &mut Ncx<'_, '_>) -> Outcome {
    chan_number(n, crate::chan::Channel::cap)
}

fn chan_number(n: &mut Ncx<'_, '_>, f: fn(&crate::chan::Channel) -> usize) -> Outcome {
    let c = mem::load64(n.arg(0));
    let v = if c == 0 { 0 } else { f(crate::vm::channel(c)) };
    n.ret(0, v as u64);
    Outcome::Done
}

/// A word as another type: `addressOf(p *word) uintptr`, `floatOf(bits uint64) float64`, `bitsOf(f float64) uint64`.
pub(super) fn identity(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = n.arg(0);
    n.ret(0, v);
    Outcome::Done
}

/// `func shift(p *word, offset int) *word`.
pub(super) fn shift(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = n.arg(0) + n.arg(1);
    n.ret(0, v);
    Outcome::Done
}

/// `func stride(t int) int`.
pub(super) fn stride(n: &mut Ncx<'_, '_>) -> Outcome {
    let v = n.vm.types.at(n.arg(0) as u32).stride;
    n.ret(0, v as u64);
    Outcome::Done
}
