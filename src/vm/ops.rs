//! What opcodes do, where it is more than a line: slices, strings, interfaces, maps. Each is a short function that handlers call; the rare
//! paths are separate and cold.

use crate::bytecode::module::TypeKind;
use crate::heap::SHAPE_HEADER;
use crate::heap::{SHAPE_MAP, SHAPE_RAW, SHAPE_WORDS};
use crate::value::equal::{Uncomparable, equal};
use crate::value::map::{MapData, MapError, MapIter, MapKind};
use crate::value::types::{Type, TypeTable};
use crate::value::{Alloc, iface, mem, text};

use crate::sched::Cx;

use super::machine::Vm;
use super::run::alloc;
use super::trap::Trap;

/// The largest number of bytes one object may have: Go's limit on a 64-bit machine is 2^47.
const MAX_BYTES: u64 = 1 << 47;

#[cold]
pub(super) fn index_trap(i: u64, len: u64) -> Trap {
    Trap::index(i as i64, len as usize)
}

/// Whether two strings are equal.
pub(super) fn same_string(a: u64, b: u64) -> bool {
    a == b || text::bytes(a) == text::bytes(b)
}

/// Checks an index against a slice or string header; gives the address of its data.
#[inline(always)]
pub(super) fn checked(header: u64, i: u64) -> Result<u64, u64> {
    if header == 0 {
        return Err(0);
    }
    let len = mem::load(header as *const u64, 1);
    if i >= len {
        return Err(len);
    }
    Ok(mem::load(header as *const u64, 0))
}

/// a / k for a positive k. (The compiler takes the faster division for narrow operands.)
#[inline(always)]
pub(super) fn div_small(a: u64, k: i16) -> u64 {
    (a as i64 / i64::from(k).max(1)) as u64
}

/// a % k for a positive k.
#[inline(always)]
pub(super) fn rem_small(a: u64, k: i16) -> u64 {
    (a as i64 % i64::from(k).max(1)) as u64
}

/// Go's division, whose one overflow wraps.
#[inline(always)]
pub(super) fn div(a: u64, b: u64) -> u64 {
    match (u32::try_from(a), u32::try_from(b)) {
        (Ok(a), Ok(b)) if b != 0 => u64::from(a / b),
        _ => (a as i64).wrapping_div(b as i64) as u64,
    }
}

/// Go's remainder.
#[inline(always)]
pub(super) fn rem(a: u64, b: u64) -> u64 {
    match (u32::try_from(a), u32::try_from(b)) {
        (Ok(a), Ok(b)) if b != 0 => u64::from(a % b),
        _ => (a as i64).wrapping_rem(b as i64) as u64,
    }
}

/// `float64` to `int64` as amd64 converts: what does not fit gives the smallest number.
#[inline(always)]
pub(super) fn f2i(f: f64) -> u64 {
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&f) {
        f as i64 as u64
    } else {
        1 << 63
    }
}

/// `float64` to `uint64` as Go compiles it for amd64.
#[inline(always)]
pub(super) fn f2u(f: f64) -> u64 {
    if f < 9_223_372_036_854_775_808.0 {
        f2i(f)
    } else {
        f2i(f - 9_223_372_036_854_775_808.0) ^ 1 << 63
    }
}

/// Bounds of a slice expression: what was given, with Go's defaults for the rest.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    lo: Option<u64>,
    hi: Option<u64>,
    max: Option<u64>,
}

impl Bounds {
    /// From the registers at `w` and the flags of the instruction.
    pub(super) fn read(w: *mut u64, flags: u16) -> Bounds {
        let get = |bit: u16, i: usize| (flags & bit != 0).then(|| mem::load(w, i));
        Bounds { lo: get(1, 0), hi: get(2, 1), max: get(4, 2) }
    }

    /// Checks the bounds against a length and capacity; gives (lo, hi, max). Messages as in Go.
    fn check(self, len: u64, cap: u64, is_slice: bool) -> Result<(u64, u64, u64), Trap> {
        let bad = |s: String| Trap::Bounds(format!("slice bounds out of range {s}"));
        let signed = |x: u64| x as i64;
        if let Some(max) = self.max {
            let (lo, hi) = (self.lo.unwrap_or(0), self.hi.unwrap_or(len));
            if max > cap {
                let what = if is_slice { "capacity" } else { "length" };
                return Err(if signed(max) < 0 {
                    bad(format!("[::{}]", signed(max)))
                } else {
                    bad(format!("[::{max}] with {what} {cap}"))
                });
            }
            if hi > max {
                let s = if signed(hi) < 0 {
                    format!("[:{}:]", signed(hi))
                } else {
                    format!("[:{hi}:{max}]")
                };
                return Err(bad(s));
            }
            if lo > hi {
                let s = if signed(lo) < 0 {
                    format!("[{}::]", signed(lo))
                } else {
                    format!("[{lo}:{hi}:]")
                };
                return Err(bad(s));
            }
            return Ok((lo, hi, max));
        }
        let (lo, hi) = (self.lo.unwrap_or(0), self.hi.unwrap_or(len));
        if hi > cap {
            let what = if is_slice { "capacity" } else { "length" };
            let s = if signed(hi) < 0 {
                format!("[:{}]", signed(hi))
            } else {
                format!("[:{hi}] with {what} {cap}")
            };
            return Err(bad(s));
        }
        if lo > hi {
            let s =
                if signed(lo) < 0 { format!("[{}:]", signed(lo)) } else { format!("[{lo}:{hi}]") };
            return Err(bad(s));
        }
        Ok((lo, hi, cap))
    }
}

/// `s[lo:hi:max]`.
pub(super) fn slice(a: &mut Alloc<'_>, s: u64, b: Bounds, stride: u32) -> Result<u64, Trap> {
    let (len, cap) = (text::len(s) as u64, text::cap(s) as u64);
    let (lo, hi, max) = b.check(len, cap, true)?;
    if s == 0 {
        return Ok(0);
    }
    Ok(a.slice_header(offset(text::data(s), lo, max, stride), hi - lo, max - lo))
}

/// The data address after `lo` elements; an empty rest must not point behind the object.
fn offset(data: u64, lo: u64, max: u64, stride: u32) -> u64 {
    if lo == max { data } else { data + lo * u64::from(stride) }
}

/// `s[lo:hi]` of a string.
pub(super) fn slice_string(a: &mut Alloc<'_>, s: u64, b: Bounds) -> Result<u64, Trap> {
    let len = text::len(s) as u64;
    let (lo, hi, _) = b.check(len, len, false)?;
    if lo == 0 && hi == len {
        return Ok(s);
    }
    Ok(a.string_header(text::data(s) + lo, hi - lo))
}

/// A slice of an array in memory.
pub(super) fn slice_array(
    a: &mut Alloc<'_>,
    p: u64,
    b: Bounds,
    stride: u32,
    len: u32,
) -> Result<u64, Trap> {
    if p == 0 {
        return Err(Trap::Nil);
    }
    let (lo, hi, max) = b.check(u64::from(len), u64::from(len), false)?;
    Ok(a.slice_header(offset(p, lo, max, stride), hi - lo, max - lo))
}

impl Vm {
    /// Memory for `n` elements of a type: the address of the first.
    pub(crate) fn elements(&self, a: &mut Alloc<'_>, elem: u32, n: u64) -> u64 {
        let t = self.types.at(elem);
        let words = (n * t.stride as u64).div_ceil(8).max(1);
        let header = if t.shape.period == 0 { SHAPE_RAW } else { elem };
        a.object(words as usize, header) as u64
    }

    /// `make([]T, len, cap)`.
    pub(super) fn make_slice(
        &self,
        a: &mut Alloc<'_>,
        elem: u32,
        len: i64,
        cap: i64,
    ) -> Result<u64, Trap> {
        let stride = self.types.at(elem).stride.max(1) as u64;
        let most = MAX_BYTES / stride;
        if len < 0 || len as u64 > most {
            return Err(Trap::Runtime("makeslice: len out of range".into()));
        }
        if cap < len || cap as u64 > most {
            return Err(Trap::Runtime("makeslice: cap out of range".into()));
        }
        let data = self.elements(a, elem, cap as u64);
        Ok(a.slice_header(data, len as u64, cap as u64))
    }

    /// Room for `extra` more elements behind `s`: (data, old length, capacity).
    fn grow(&self, a: &mut Alloc<'_>, elem: u32, s: u64, extra: u64) -> (u64, u64, u64) {
        let (len, cap) = (text::len(s) as u64, text::cap(s) as u64);
        let need = len + extra;
        if need <= cap {
            return (text::data(s), len, cap);
        }
        let stride = self.types.at(elem).stride as u64;
        if stride == 0 {
            return (self.elements(a, elem, 1), len, need);
        }
        let cap = grown_capacity(need, cap, stride);
        let data = self.elements(a, elem, cap);
        mem::copy_bytes(data, text::data(s), (len * stride) as usize);
        (data, len, cap)
    }

    /// `append(s, a...)`: `n` elements in register form from `src`.
    #[inline]
    pub(super) fn append(
        &self,
        a: &mut Alloc<'_>,
        elem: u32,
        s: u64,
        src: *mut u64,
        n: u16,
    ) -> u64 {
        let (data, len, cap) = self.grow(a, elem, s, u64::from(n));
        let t = self.types.at(elem);
        for i in 0..u64::from(n) {
            let to = data + (len + i) * t.stride as u64;
            let from = src.wrapping_add(i as usize * usize::from(t.desc.slots));
            store_element(&self.types, t, to, from);
        }
        a.slice_header(data, len + u64::from(n), cap)
    }

    /// `append(s, a)` of an element of one slot for which there is room; `None`: it is for [`Vm::append`].
    #[inline(always)]
    pub(super) fn append_quickly(
        &self,
        a: &mut Alloc<'_>,
        elem: u32,
        s: u64,
        word: u64,
    ) -> Option<u64> {
        if s == 0 {
            return None;
        }
        let (len, cap) = (text::len(s) as u64, text::cap(s) as u64);
        let t = self.types.at(elem);
        if len >= cap || t.desc.mem || t.desc.slots != 1 {
            return None;
        }
        let header = a.quick_object(3, SHAPE_HEADER)?;
        let data = text::data(s);
        match t.desc.packed {
            0 => mem::store64(data + len * 8, word),
            width => mem::store_width(data + len * u64::from(width), width, word),
        }
        mem::store(header, 0, data);
        mem::store(header, 1, len + 1);
        mem::store(header, 2, cap);
        Some(header as u64)
    }

    /// `append(s, t...)`.
    pub(super) fn append_slice(&self, a: &mut Alloc<'_>, elem: u32, s: u64, t: u64) -> u64 {
        let n = text::len(t) as u64;
        if n == 0 {
            return s;
        }
        let stride = self.types.at(elem).stride as u64;
        let (data, len, cap) = self.grow(a, elem, s, n);
        mem::copy_bytes(data + len * stride, text::data(t), (n * stride) as usize);
        a.slice_header(data, len + n, cap)
    }

    /// `copy(dst, src)`.
    pub(super) fn copy(&self, elem: u32, dst: u64, src: u64) -> u64 {
        let n = text::len(dst).min(text::len(src));
        mem::copy_bytes(text::data(dst), text::data(src), n * self.types.at(elem).stride);
        n as u64
    }

    /// Compares two values whose first slots are at `a` and `b`.
    pub(super) fn equal_slots(&self, ty: u32, a: *mut u64, b: *mut u64) -> Result<bool, Trap> {
        let mem_resident = self.types.at(ty).desc.mem;
        let address = |p: *mut u64| if mem_resident { mem::load(p, 0) } else { p as u64 };
        equal(&self.types, ty, address(a), address(b))
            .map_err(|Uncomparable(t)| self.uncomparable(t))
    }

    pub(crate) fn uncomparable(&self, t: u32) -> Trap {
        Trap::Runtime(format!("comparing uncomparable type {}", self.types.name(t)))
    }

    /// The panic of a failed `x.(T)`.
    #[cold]
    pub(super) fn assertion_trap(&self, x: u64, want: u32, static_type: u32) -> Trap {
        let dynamic = iface::type_of(x);
        let wanted = self.types.name(want);
        let to_iface = matches!(self.types.at(want).desc.kind, TypeKind::Interface(_));
        if dynamic == 0 {
            let from = if to_iface { "interface" } else { self.iface_name(static_type) };
            return Trap::Assertion(format!("interface conversion: {from} is nil, not {wanted}"));
        }
        let have = self.types.name(dynamic);
        if to_iface {
            let missing = self
                .types
                .missing_method(dynamic, want)
                .map_or("", |m| &self.methods.at(m as usize).name);
            return Trap::Assertion(format!(
                "interface conversion: {have} is not {wanted}: missing method {missing}"
            ));
        }
        let from = self.iface_name(static_type);
        let mut s = format!("interface conversion: {from} is {have}, not {wanted}");
        if have == wanted {
            s.push_str(" (types from different scopes)");
        }
        Trap::Assertion(s)
    }

    fn iface_name(&self, ty: u32) -> &str {
        if ty == 0 { "interface" } else { self.types.name(ty) }
    }

    // ---- maps ----

    /// `make(map[K]V, hint)`.
    pub(crate) fn make_map(&self, a: &mut Alloc<'_>, ty: u32, hint: i64, seed: u64) -> u64 {
        let TypeKind::Map(key, value) = self.types.at(ty).desc.kind else { return 0 };
        let (k, v) = (self.types.at(key), self.types.at(value));
        let kind = MapKind {
            key,
            key_kind: k.key,
            key_mem: k.desc.mem,
            key_slots: usize::from(k.desc.slots),
            value_slots: usize::from(v.desc.slots),
            pointers: k.shape.period != 0 || v.shape.period != 0 || k.desc.mem || v.desc.mem,
            plain: v.desc.slots == 1 && !v.desc.mem,
        };
        let hint = usize::try_from(hint).unwrap_or(0);
        let data = Box::new(MapData::new(kind, hint, seed));
        let p = a.object(2, SHAPE_MAP);
        mem::store(p, 0, Box::into_raw(data) as u64);
        a.cache.add_special(p);
        p as u64
    }

    pub(crate) fn map_trap(&self, e: MapError) -> Trap {
        match e {
            MapError::Unhashable(t) => {
                Trap::Runtime(format!("hash of unhashable type {}", self.types.name(t)))
            }
            MapError::ReadWrite => Trap::Fatal("concurrent map read and map write".into()),
            MapError::WriteWrite => Trap::Fatal("concurrent map writes".into()),
            MapError::IterateWrite => Trap::Fatal("concurrent map iteration and map write".into()),
        }
    }

    /// `m[k]`: zeroes `dst` if absent.
    #[inline]
    pub(super) fn map_get(
        &self,
        m: u64,
        ty: u32,
        key: *mut u64,
        dst: *mut u64,
    ) -> Result<bool, Trap> {
        if m != 0 {
            if map_data(m).get(&self.types, key, dst).map_err(|e| self.map_trap(e))? {
                return Ok(true);
            }
        } else if let TypeKind::Map(k, _) = self.types.at(ty).desc.kind {
            self.check_hashable(k, key)?;
        }
        Ok(false)
    }

    /// A read of a nil map panics for a key that cannot be hashed, as any other read.
    fn check_hashable(&self, key_type: u32, key: *mut u64) -> Result<(), Trap> {
        let t = self.types.at(key_type);
        if t.key != crate::value::types::KeyKind::General {
            return Ok(());
        }
        let address = if t.desc.mem { mem::load(key, 0) } else { key as u64 };
        let r = crate::value::hash::general(&self.types, 0, key_type, address);
        r.map(|_| ()).map_err(|e| self.map_trap(e.into()))
    }

    pub(super) fn map_set(
        &self,
        cx: &mut Cx<'_, Vm>,
        m: u64,
        key: *mut u64,
        value: *mut u64,
    ) -> Result<(), Trap> {
        if m == 0 {
            return Err(Trap::Plain("assignment to entry in nil map".into()));
        }
        let a = &mut alloc(self, cx);
        let grown = map_data(m).set(&self.types, a, key, value).map_err(|e| self.map_trap(e))?;
        if grown != 0 {
            self.heap.account_native(grown);
        }
        Ok(())
    }

    pub(super) fn map_add(
        &self,
        cx: &mut Cx<'_, Vm>,
        m: u64,
        key: *mut u64,
        delta: u64,
    ) -> Result<(), Trap> {
        if m == 0 {
            return Err(Trap::Plain("assignment to entry in nil map".into()));
        }
        let a = &mut alloc(self, cx);
        let grown = map_data(m).add(&self.types, a, key, delta).map_err(|e| self.map_trap(e))?;
        if grown != 0 {
            self.heap.account_native(grown);
        }
        Ok(())
    }

    pub(super) fn map_delete(&self, m: u64, ty: u32, key: *mut u64) -> Result<(), Trap> {
        if m != 0 {
            return map_data(m).delete(&self.types, key).map_err(|e| self.map_trap(e));
        }
        let TypeKind::Map(k, _) = self.types.at(ty).desc.kind else { return Ok(()) };
        self.check_hashable(k, key)
    }

    /// A new iterator: {map, state...} in one object.
    pub(super) fn map_iter(&self, a: &mut Alloc<'_>, m: u64) -> u64 {
        let words = 1 + size_of::<MapIter>().div_ceil(8);
        let p = a.object(words, SHAPE_WORDS);
        mem::store(p, 0, m);
        p as u64
    }

    /// The next entry; false at the end.
    pub(super) fn map_next(
        &self,
        it: u64,
        random: u64,
        key: *mut u64,
        value: *mut u64,
    ) -> Result<bool, Trap> {
        let m = mem::load64(it);
        if m == 0 {
            return Ok(false);
        }
        let state = iterator(it);
        map_data(m).next(state, random, key, value).map_err(|e| self.map_trap(e))
    }
}

/// Stores an element given in register form at its place in an array or slice.
#[inline]
pub(crate) fn store_element(types: &TypeTable, t: &Type, to: u64, from: *const u64) {
    if t.desc.packed != 0 {
        mem::store_width(to, t.desc.packed, mem::load(from, 0));
    } else if t.desc.mem {
        types.copy(t, to, mem::load(from, 0));
    } else {
        mem::copy_words(to, from as u64, usize::from(t.desc.slots));
    }
}

/// `m[key]` where a handler can do it itself; see [`MapData::quick_get`].
#[inline(always)]
pub(super) fn quick_get(m: u64, key: impl Fn() -> u64) -> Option<(u64, bool)> {
    if m == 0 { None } else { map_data(m).quick_get(key) }
}

/// `m[key] = f(m[key])` where a handler can do it itself.
#[inline(always)]
pub(super) fn quick_set(m: u64, key: impl Fn() -> u64, f: impl Fn(u64) -> u64) -> bool {
    m != 0 && map_data(m).quick_set(key, f)
}

/// The map behind a map word that is not nil.
pub(crate) fn map_data<'a>(m: u64) -> &'a MapData {
    native_part::map(m)
}

fn iterator<'a>(it: u64) -> &'a mut MapIter {
    native_part::iterator(it)
}

mod native_part {
    #![expect(
        unsafe_code,
        reason = "the first word of a map object is the Box made in `make_map`, dropped only when the object died"
    )]

    use super::{MapData, MapIter, mem};

    pub(super) fn map<'a>(m: u64) -> &'a MapData {
        let p = mem::load64(m) as *const MapData;
        // SAFETY: see the reason; the guest holds the object, so it lives.
        unsafe { &*p }
    }

    pub(super) fn iterator<'a>(it: u64) -> &'a mut MapIter {
        // SAFETY: `map_iter` made the object large enough, zero bytes are a valid iterator, and it is a register of one
        // goroutine that no guest code can name.
        unsafe { &mut *((it + 8) as *mut MapIter) }
    }
}

/// The capacity of a slice that grows, in elements (Go 1.18 on: doubling up to 256, then by a quarter plus 192; rounded up to
/// what the allocator gives).
fn grown_capacity(need: u64, old: u64, stride: u64) -> u64 {
    const THRESHOLD: u64 = 256;
    let mut cap = old;
    if need > old * 2 {
        cap = need;
    } else if old < THRESHOLD {
        cap = old * 2;
    } else {
        while cap < need {
            cap += (cap + 3 * THRESHOLD) / 4;
        }
    }
    round_up_size(cap * stride) / stride
}

/// Go's malloc size classes, which its programs can see as capacities.
const GO_CLASSES: [u32; 67] = [
    8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352,
    384, 416, 448, 480, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048,
    2304, 2688, 3072, 3200, 3456, 4096, 4864, 5120, 5376, 6144, 6528, 6784, 6912, 8192, 9472, 9728,
    10240, 10880, 12288, 13568, 14336, 16384, 18432, 19072, 20480, 21760, 24576, 27264, 28672,
];

fn round_up_size(bytes: u64) -> u64 {
    const PAGE: u64 = 8192;
    if bytes <= 28672 {
        let i = GO_CLASSES.partition_point(|c| u64::from(*c) < bytes);
        return GO_CLASSES.get(i).map_or(32768, |c| u64::from(*c));
    }
    if bytes <= 32768 { 32768 } else { bytes.next_multiple_of(PAGE) }
}

/// Joins the strings in `n` registers.
pub(super) fn concat(a: &mut Alloc<'_>, at: *const u64, n: u16) -> u64 {
    let parts = (0..usize::from(n)).map(|i| mem::load(at, i));
    let total: usize = parts.clone().map(text::len).sum();
    let mut filled = parts.clone().filter(|w| *w != 0);
    if let (Some(only), None) = (filled.next(), filled.next()) {
        return only;
    }
    let s = a.string_buffer(total);
    let mut to = text::data(s);
    for w in parts {
        mem::copy_bytes(to, text::data(w), text::len(w));
        to += text::len(w) as u64;
    }
    s
}
