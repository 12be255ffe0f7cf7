//! Guest maps: a table of indexes (hashbrown) over entries in order of insertion, or an array indexed by the keys (`dense`).
//!
//! Keeping the order aside makes iteration survive every change: an iterator remembers sequence numbers, not places.
//!
//! A map whose keys are words begins with entries. When it has grown to a power of two and its keys are small numbers, so that
//! at least a quarter of the array would be in use, it becomes dense; a key that would make the array too thin makes entries of
//! it again. A map does not become dense under an iteration. When it ceases to be dense its entries stand in the order of their
//! keys, so that an iterator which remembers a key finds its place.
//!
//! Invariants:
//! * An entry is `1 + key slots + value slots` words. Its first word is 0 if it was deleted, else bit 63, 31 bits of the hash, and the
//!   32-bit sequence number; sequence numbers of entries rise from front to back.
//! * Memory-resident keys and values are pointers to private copies that never change.
//! * `MapData::state` is 0, a number of readers, or `WRITER`. A reader that meets a writer, or a writer that meets anybody, reports the
//!   guest's race and leaves the map alone: never two at once touch the table.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use hashbrown::HashTable;

use super::dense::Dense;
use super::equal::equal;
use super::hash::{self, Unhashable};
use super::types::{KeyKind, TypeTable};
use super::{Alloc, mem, text};

const WRITER: u32 = u32::MAX;
const LIVE: u64 = 1 << 63;

/// Why a map operation failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapError {
    /// Panic: `hash of unhashable type`.
    Unhashable(u32),
    /// Fatal: `concurrent map read and map write`.
    ReadWrite,
    /// Fatal: `concurrent map writes`.
    WriteWrite,
    /// Fatal: `concurrent map iteration and map write`.
    IterateWrite,
}

impl From<Unhashable> for MapError {
    fn from(e: Unhashable) -> Self {
        MapError::Unhashable(e.0)
    }
}

/// The kind of a map: what is the same for all maps of a type.
#[derive(Clone, Copy, Debug)]
pub struct MapKind {
    /// Runtime type of the keys.
    pub key: u32,
    pub key_kind: KeyKind,
    /// Key is memory-resident (one slot, compared through the pointer).
    pub key_mem: bool,
    pub key_slots: usize,
    pub value_slots: usize,
    /// Keys or values may hold pointers.
    pub pointers: bool,
    /// The value is one slot and its zero value is the word 0.
    pub plain: bool,
}

/// A map.
#[derive(Debug)]
pub struct MapData {
    /// The array of the dense form, 0 while the map has entries. Changed by writers only.
    dense: AtomicU64,
    kind: MapKind,
    /// Iterations that have begun and not come to their end; those that were left early count for ever.
    iterating: AtomicU32,
    state: AtomicU32,
    inner: UnsafeCell<Inner>,
}

/// A map becomes dense when this many times its entries are at least its keys.
const THIN: u64 = 4;
/// The least number of entries of which an array is made.
const FEW: usize = 16;

#[derive(Debug)]
struct Inner {
    kind: MapKind,
    seed: u64,
    table: HashTable<u32>,
    entries: Vec<u64>,
    live: usize,
    next_seq: u32,
    /// All keys inserted so far, or-ed: none has a bit that is not in it. Kept for keys that are words.
    key_bits: u64,
    /// The first sequence number of the entries that were made of an array, and of those after them.
    scattered: (u32, u32),
}

/// Where an iteration stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct MapIter {
    /// Sequence number of the first entry visited; in the dense form the first key.
    start: u32,
    /// The next entry visited has at least this number, or key.
    next: u32,
    /// The two above are keys.
    dense: bool,
    /// The end was told.
    ended: bool,
    /// The end was passed; now entries below `start`.
    wrapped: bool,
    /// The first call of `next` was made.
    began: bool,
    /// Where the next entry was expected.
    hint: usize,
}

impl Inner {
    fn stride(&self) -> usize {
        1 + self.kind.key_slots + self.kind.value_slots
    }

    fn hash(&self, types: &TypeTable, key: *const u64) -> Result<u64, MapError> {
        Ok(match self.kind.key_kind {
            KeyKind::Word => hash::word(self.seed, mem::load(key, 0)),
            KeyKind::String => hash::bytes(self.seed, text::bytes(mem::load(key, 0))),
            KeyKind::General => {
                hash::general(types, self.seed, self.kind.key, key_address(&self.kind, key as u64))?
            }
        })
    }

    fn find(&self, types: &TypeTable, hash: u64, key: *const u64) -> Option<usize> {
        match self.kind.key_kind {
            KeyKind::Word => {
                let w = mem::load(key, 0);
                self.find_by(hash, |entry| *entry == w)
            }
            KeyKind::String => {
                let w = mem::load(key, 0);
                let b = text::bytes(w);
                self.find_by(hash, |entry| *entry == w || text::bytes(*entry) == b)
            }
            KeyKind::General => self.find_by(hash, |entry| self.same_key(types, entry, key)),
        }
    }

    /// The index of the entry with this hash whose key, given by its first slot, is the `same`.
    #[inline(always)]
    fn find_by(&self, hash: u64, same: impl Fn(&u64) -> bool) -> Option<usize> {
        let stride = self.stride();
        let short = short_hash(hash);
        let found = self.table.find(spread(short), |&i| {
            let at = i as usize * stride;
            (self.entries[at] >> 32) & 0x7FFF_FFFF == short && same(&self.entries[at + 1])
        });
        found.map(|i| *i as usize)
    }

    fn same_key(&self, types: &TypeTable, entry: &u64, key: *const u64) -> bool {
        let (a, b) = (std::ptr::from_ref(entry) as u64, key as u64);
        // The hashes are equal, so both were hashable; uncomparable parts cannot be met.
        equal(types, self.kind.key, key_address(&self.kind, a), key_address(&self.kind, b))
            .unwrap_or(false)
    }

    fn insert(&mut self, hash: u64, key: *const u64, value: *const u64) {
        let (stride, short) = (self.stride(), short_hash(hash));
        let count = self.entries.len() / stride;
        if self.next_seq == u32::MAX || (count > 32 && self.live < count / 2) {
            self.compact();
        }
        let index =
            u32::try_from(self.entries.len() / stride).expect("a map has fewer than 2^32 entries");
        self.entries.push(LIVE | short << 32 | u64::from(self.next_seq));
        self.next_seq += 1;
        if self.kind.key_kind == KeyKind::Word {
            self.key_bits |= mem::load(key, 0);
        }
        for i in 0..self.kind.key_slots {
            self.entries.push(mem::load(key, i));
        }
        for i in 0..self.kind.value_slots {
            self.entries.push(mem::load(value, i));
        }
        let entries = &self.entries;
        self.table.insert_unique(spread(short), index, |&i| {
            spread(entries[i as usize * stride] >> 32 & 0x7FFF_FFFF)
        });
        self.live += 1;
    }

    /// Drops deleted entries; order and sequence numbers stay (numbers start over only when they are used up).
    fn compact(&mut self) {
        let stride = self.stride();
        let renumber = self.next_seq == u32::MAX;
        let mut to = 0;
        for from in (0..self.entries.len()).step_by(stride) {
            if self.entries[from] & LIVE == 0 {
                continue;
            }
            self.entries.copy_within(from..from + stride, to);
            if renumber {
                self.entries[to] = self.entries[to] >> 32 << 32 | (to / stride) as u64;
            }
            to += stride;
        }
        self.entries.truncate(to);
        if renumber {
            self.next_seq = (to / stride) as u32;
        }
        self.table.clear();
        let entries = &self.entries;
        for i in 0..(to / stride) as u32 {
            let hash = |i: u32| spread(entries[i as usize * stride] >> 32 & 0x7FFF_FFFF);
            self.table.insert_unique(hash(i), i, |&i| hash(i));
        }
    }

    /// The index of the first live entry with a sequence number of at least `seq`.
    fn first_from(&self, seq: u32) -> Option<usize> {
        let stride = self.stride();
        let n = self.entries.len() / stride;
        // Deleted entries lost their number, so a plain binary search cannot be used over them: gallop from an estimate instead.
        let mut lo = 0;
        let mut hi = n;
        while lo < hi {
            let mid = (lo + hi) / 2;
            let Some(live) = (mid..hi).find(|i| self.entries[i * stride] & LIVE != 0) else {
                hi = mid;
                continue;
            };
            if (self.entries[live * stride] as u32) < seq { lo = live + 1 } else { hi = mid }
        }
        (lo..n).find(|i| self.entries[i * stride] & LIVE != 0)
    }
}

fn key_address(kind: &MapKind, slots: u64) -> u64 {
    if kind.key_mem { mem::load64(slots) } else { slots }
}

fn short_hash(hash: u64) -> u64 {
    (hash ^ hash >> 32) & 0x7FFF_FFFF
}

/// Makes of the 31 bits that entries keep a hash with all bits in use, as the table wants it.
fn spread(short: u64) -> u64 {
    short.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

mod guarded {
    #![expect(
        unsafe_code,
        reason = "invariant of MapData: `state` admits one writer or many readers"
    )]

    use super::{
        AtomicU32, AtomicU64, Inner, MapData, MapError, MapKind, Ordering, UnsafeCell, WRITER,
    };

    // SAFETY: `read` and `write` below are the only ways to the inner value, and `state` admits one writer or many readers.
    unsafe impl Sync for MapData {}

    impl MapData {
        pub(super) fn with(kind: MapKind, inner: Inner) -> MapData {
            MapData {
                dense: AtomicU64::new(0),
                kind,
                iterating: AtomicU32::new(0),
                state: AtomicU32::new(0),
                inner: UnsafeCell::new(inner),
            }
        }

        #[inline]
        pub(super) fn read<R>(
            &self,
            race: MapError,
            f: impl FnOnce(&Inner) -> R,
        ) -> Result<R, MapError> {
            let old = self.state.fetch_add(1, Ordering::Acquire);
            if old >= WRITER / 2 {
                self.state.fetch_sub(1, Ordering::Release);
                return Err(race);
            }
            // SAFETY: no writer is in, and none gets in before the count goes back.
            let result = f(unsafe { &*self.inner.get() });
            self.state.fetch_sub(1, Ordering::Release);
            Ok(result)
        }

        #[inline]
        pub(super) fn write<R>(&self, f: impl FnOnce(&mut Inner) -> R) -> Result<R, MapError> {
            // The writer's mark leaves room for readers that count themselves in and out while it is there.
            if let Err(old) =
                self.state.compare_exchange(0, WRITER / 2 + 1, Ordering::Acquire, Ordering::Relaxed)
            {
                return Err(if old >= WRITER / 2 {
                    MapError::WriteWrite
                } else {
                    MapError::ReadWrite
                });
            }
            // SAFETY: nobody else is in.
            let result = f(unsafe { &mut *self.inner.get() });
            self.state.fetch_sub(WRITER / 2 + 1, Ordering::Release);
            Ok(result)
        }
    }
}

impl MapData {
    /// An empty map with room for `hint` entries.
    pub fn new(kind: MapKind, hint: usize, seed: u64) -> MapData {
        let hint = hint.min(1 << 26);
        let stride = 1 + kind.key_slots + kind.value_slots;
        let inner = Inner {
            kind,
            seed,
            table: HashTable::with_capacity(hint),
            entries: Vec::with_capacity(hint * stride),
            live: 0,
            next_seq: 0,
            key_bits: 0,
            scattered: (0, 0),
        };
        MapData::with(kind, inner)
    }

    /// The array, if the map is in dense form.
    #[inline(always)]
    fn dense(&self) -> Option<Dense> {
        Dense::of(self.dense.load(Ordering::Relaxed))
    }

    /// Number of entries. A race may see an old number, as in Go.
    #[inline]
    pub fn len(&self) -> usize {
        if let Some(d) = self.dense() {
            return d.len() as usize;
        }
        self.read(MapError::ReadWrite, |m| m.live).unwrap_or(0)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `m[key]` of a map in dense form with plain values: (value or 0, whether there is an entry). `None`: ask [`MapData::get`].
    #[inline(always)]
    pub fn quick_get(&self, key: impl Fn() -> u64) -> Option<(u64, bool)> {
        self.dense()?.quick_get(key())
    }

    /// `m[key] = f(m[key])` of a map in dense form with plain values; false: nothing was done, and it is for [`MapData::set`].
    #[inline(always)]
    pub fn quick_set(&self, key: impl Fn() -> u64, f: impl Fn(u64) -> u64) -> bool {
        self.dense().is_some_and(|d| d.quick_set(key(), f))
    }

    /// Copies the value of a key to `dst`; false if there is none.
    ///
    /// # Errors
    /// As in [`MapError`].
    #[inline]
    pub fn get(&self, types: &TypeTable, key: *const u64, dst: *mut u64) -> Result<bool, MapError> {
        if let Some(d) = self.dense() {
            return dense_get(d, mem::load(key, 0), dst);
        }
        self.read(MapError::ReadWrite, |m| {
            if m.live == 0 && m.kind.key_kind != KeyKind::General {
                return Ok(false);
            }
            let hash = m.hash(types, key)?;
            let Some(i) = m.find(types, hash, key) else { return Ok(false) };
            let at = i * m.stride() + 1 + m.kind.key_slots;
            for s in 0..m.kind.value_slots {
                mem::store(dst, s, m.entries[at + s]);
            }
            Ok(true)
        })?
    }

    /// Adds to a value that is a 64-bit integer, 0 if absent. Returns by how many bytes the map grew outside the guest's heap.
    ///
    /// # Errors
    /// As in [`MapError`].
    #[inline]
    pub fn add(
        &self,
        types: &TypeTable,
        a: &mut Alloc<'_>,
        key: *const u64,
        delta: u64,
    ) -> Result<usize, MapError> {
        if self.quick_set(|| mem::load(key, 0), |v| v.wrapping_add(delta)) {
            return Ok(0);
        }
        if self.dense().is_some() {
            // Not in the array, so there is nothing to add to.
            return self.set(types, a, key, &raw const delta);
        }
        let (grown, gather) = self.write(|m| {
            let hash = m.hash(types, key)?;
            if let Some(i) = m.find(types, hash, key) {
                let at = i * m.stride() + 1 + m.kind.key_slots;
                m.entries[at] = m.entries[at].wrapping_add(delta);
                return Ok::<_, MapError>((0, false));
            }
            Ok(m.insert_counted(hash, key, &raw const delta))
        })??;
        if gather {
            self.gather(a)?;
        }
        Ok(grown)
    }

    /// Sets a value. Returns by how many bytes the map grew outside the guest's heap.
    ///
    /// # Errors
    /// As in [`MapError`].
    #[inline]
    pub fn set(
        &self,
        types: &TypeTable,
        a: &mut Alloc<'_>,
        key: *const u64,
        value: *const u64,
    ) -> Result<usize, MapError> {
        if let Some(d) = self.dense()
            && self.dense_set(a, d, mem::load(key, 0), value)?
        {
            return Ok(0);
        }
        let (grown, gather) = self.write(|m| {
            let hash = m.hash(types, key)?;
            if let Some(i) = m.find(types, hash, key) {
                let at = i * m.stride() + 1 + m.kind.key_slots;
                for s in 0..m.kind.value_slots {
                    m.entries[at + s] = mem::load(value, s);
                }
                // Keys that are equal may differ in bits (+0 and -0): Go keeps the newer one for floats.
                if m.kind.key_kind == KeyKind::General {
                    let k = i * m.stride() + 1;
                    for s in 0..m.kind.key_slots {
                        m.entries[k + s] = mem::load(key, s);
                    }
                }
                return Ok::<_, MapError>((0, false));
            }
            Ok(m.insert_counted(hash, key, value))
        })??;
        if gather {
            self.gather(a)?;
        }
        Ok(grown)
    }

    /// Sets a value in the array `d`, or in a larger one in its place. False: the map has entries now.
    #[cold]
    fn dense_set(
        &self,
        a: &mut Alloc<'_>,
        d: Dense,
        key: u64,
        value: *const u64,
    ) -> Result<bool, MapError> {
        if !d.enter() {
            return Err(MapError::WriteWrite);
        }
        let value = |i| mem::load(value, i);
        let done = d.set(key, value) || {
            let larger = Dense::keys_for(key).filter(|&n| n <= THIN * (d.len() + 1));
            larger.is_some_and(|n| {
                let to = self.array(a, n);
                d.copy_to(to);
                to.set(key, value);
                self.dense.store(to.word(), Ordering::Relaxed);
                true
            })
        };
        let scattered = if done { Ok(()) } else { self.scatter(d) };
        d.leave();
        scattered.map(|()| done)
    }

    fn array(&self, a: &mut Alloc<'_>, keys: u64) -> Dense {
        Dense::make(a, keys, self.kind.value_slots, self.kind.plain, self.kind.pointers)
    }

    /// Makes entries of the array, in the order of the keys.
    fn scatter(&self, d: Dense) -> Result<(), MapError> {
        self.write(|m| {
            m.table.clear();
            m.entries.clear();
            m.live = 0;
            if u64::from(m.next_seq) + d.keys() >= u64::from(u32::MAX) {
                m.next_seq = 0;
            }
            let first = m.next_seq;
            let mut from = 0;
            while let Some(key) = d.next(from) {
                let value: Vec<u64> = d.slots_of(key).collect();
                m.insert(hash::word(m.seed, key), &raw const key, value.as_ptr());
                from = key + 1;
            }
            m.scattered = (first, m.next_seq);
            self.dense.store(0, Ordering::Relaxed);
        })
    }

    /// Makes an array of the entries if that is worth it.
    #[cold]
    fn gather(&self, a: &mut Alloc<'_>) -> Result<(), MapError> {
        if self.iterating.load(Ordering::Relaxed) != 0 {
            return Ok(());
        }
        self.write(|m| {
            let Some(keys) = Dense::keys_for(m.key_bits) else { return };
            if keys > THIN * m.live as u64 {
                return;
            }
            let d = self.array(a, keys);
            for e in m.entries.chunks_exact(m.stride()).filter(|e| e[0] & LIVE != 0) {
                d.set(e[1], |i| e[2 + i]);
            }
            m.table = HashTable::new();
            m.entries = Vec::new();
            m.live = 0;
            self.dense.store(d.word(), Ordering::Relaxed);
        })
    }

    /// Removes a key.
    ///
    /// # Errors
    /// As in [`MapError`].
    pub fn delete(&self, types: &TypeTable, key: *const u64) -> Result<(), MapError> {
        if let Some(d) = self.dense() {
            return dense_write(d, || d.remove(mem::load(key, 0)));
        }
        self.write(|m| {
            let hash = m.hash(types, key)?;
            let Some(i) = m.find(types, hash, key) else { return Ok(()) };
            let stride = m.stride();
            if let Ok(e) = m.table.find_entry(spread(short_hash(hash)), |&x| x as usize == i) {
                e.remove();
            }
            m.entries[i * stride..(i + 1) * stride].fill(0);
            m.live -= 1;
            if m.live == 0 {
                m.entries.clear();
            }
            Ok(())
        })?
    }

    /// Removes everything.
    ///
    /// # Errors
    /// As in [`MapError`].
    pub fn clear(&self) -> Result<(), MapError> {
        if let Some(d) = self.dense() {
            return dense_write(d, || d.clear());
        }
        self.write(|m| {
            m.table.clear();
            m.entries.clear();
            m.live = 0;
            m.key_bits = 0;
        })
    }

    /// The next entry of an iteration, whose key and value are copied to `key` and `value` (null: not wanted). False at the end. `random` chooses
    /// where a new iteration starts.
    ///
    /// # Errors
    /// As in [`MapError`].
    pub fn next(
        &self,
        it: &mut MapIter,
        random: u64,
        key: *mut u64,
        value: *mut u64,
    ) -> Result<bool, MapError> {
        if !it.began {
            self.iterating.fetch_add(1, Ordering::Relaxed);
            it.began = true;
            match self.dense() {
                Some(d) => it.begin_dense(random % d.keys()),
                None => self.read(MapError::IterateWrite, |m| m.begin(it, random))?,
            }
        }
        let found = match self.dense() {
            Some(d) if it.dense => dense_next(d, it, key, value)?,
            _ => self.read(MapError::IterateWrite, |m| m.next(it, key, value))?,
        };
        if !found && !it.ended {
            it.ended = true;
            self.iterating.fetch_sub(1, Ordering::Relaxed);
        }
        Ok(found)
    }

    /// Offers every word of every entry.
    pub fn trace(&self, mut word: impl FnMut(u64)) {
        word(self.dense.load(Ordering::Relaxed));
        // The world is stopped: an M that was in the middle of an operation cannot be (operations have no safe point).
        let _ = self.read(MapError::ReadWrite, |m| {
            if !m.kind.pointers {
                return;
            }
            for e in m.entries.chunks_exact(m.stride()).filter(|e| e[0] & LIVE != 0) {
                e[1..].iter().for_each(|w| word(*w));
            }
        });
    }

    /// The entries as copies of their slots, for printing: (key slots, value slots) one after the other, oldest first where the
    /// map knows.
    ///
    /// # Errors
    /// As in [`MapError`].
    pub fn snapshot(&self) -> Result<Vec<Vec<u64>>, MapError> {
        if let Some(d) = self.dense() {
            let keys = std::iter::successors(d.next(0), |k| d.next(k + 1));
            return Ok(keys.map(|k| std::iter::once(k).chain(d.slots_of(k)).collect()).collect());
        }
        self.read(MapError::IterateWrite, |m| {
            m.entries
                .chunks_exact(m.stride())
                .filter(|e| e[0] & LIVE != 0)
                .map(|e| e[1..].to_vec())
                .collect()
        })
    }
}

fn dense_get(d: Dense, key: u64, dst: *mut u64) -> Result<bool, MapError> {
    if d.is_written() {
        return Err(MapError::ReadWrite);
    }
    if key >= d.keys() || !d.has(key) {
        return Ok(false);
    }
    d.slots_of(key).enumerate().for_each(|(i, w)| mem::store(dst, i, w));
    Ok(true)
}

fn dense_write(d: Dense, f: impl FnOnce()) -> Result<(), MapError> {
    if !d.enter() {
        return Err(MapError::WriteWrite);
    }
    f();
    d.leave();
    Ok(())
}

fn dense_next(
    d: Dense,
    it: &mut MapIter,
    key: *mut u64,
    value: *mut u64,
) -> Result<bool, MapError> {
    if d.is_written() {
        return Err(MapError::IterateWrite);
    }
    let Some(k) = it.advance_dense(d) else { return Ok(false) };
    if !key.is_null() {
        mem::store(key, 0, k);
    }
    if !value.is_null() {
        d.slots_of(k).enumerate().for_each(|(i, w)| mem::store(value, i, w));
    }
    Ok(true)
}

impl MapIter {
    fn begin_dense(&mut self, start: u64) {
        self.dense = true;
        self.start = start as u32;
        self.next = self.start;
    }

    fn advance_dense(&mut self, d: Dense) -> Option<u64> {
        let mut found = d.next(u64::from(self.next));
        if found.is_none() && !self.wrapped {
            self.wrapped = true;
            found = d.next(0);
        }
        let key = found?;
        if self.wrapped && key >= u64::from(self.start) {
            self.next = self.start;
            return None;
        }
        self.next = key as u32 + 1;
        Some(key)
    }
}

impl Inner {
    /// Inserts; says by how many bytes that made the map grow, and whether it may have become worth an array.
    fn insert_counted(&mut self, hash: u64, key: *const u64, value: *const u64) -> (usize, bool) {
        let before = self.entries.capacity();
        self.insert(hash, key, value);
        let gather =
            self.kind.key_kind == KeyKind::Word && self.live >= FEW && self.live.is_power_of_two();
        // An entry's word stands for a quarter of the table's memory, too.
        (self.entries.capacity().saturating_sub(before) * 10, gather)
    }

    fn begin(&self, it: &mut MapIter, random: u64) {
        let n = self.entries.len() / self.stride();
        let at = if n == 0 { 0 } else { (random % n as u64) as usize };
        let first = (at..n).find(|i| self.entries[i * self.stride()] & LIVE != 0);
        it.start = first.map_or(0, |i| self.entries[i * self.stride()] as u32);
        it.next = it.start;
    }

    fn next(&self, it: &mut MapIter, key: *mut u64, value: *mut u64) -> bool {
        if it.dense {
            it.dense = false;
            it.hint = self.entries.len();
            it.start = self.seq_of_key(it.start);
            it.next = self.seq_of_key(it.next);
        }
        let Some(i) = self.advance(it) else { return false };
        it.hint = i + 1;
        let at = i * self.stride();
        if !key.is_null() {
            (0..self.kind.key_slots).for_each(|s| mem::store(key, s, self.entries[at + 1 + s]));
        }
        if !value.is_null() {
            let from = at + 1 + self.kind.key_slots;
            (0..self.kind.value_slots).for_each(|s| mem::store(value, s, self.entries[from + s]));
        }
        true
    }

    /// The least sequence number that an entry with at least this key can have, of the entries that were made of an array.
    fn seq_of_key(&self, key: u32) -> u32 {
        let (first, end) = self.scattered;
        let live = self.entries.chunks_exact(self.stride()).filter(|e| e[0] & LIVE != 0);
        let mut old = live.filter(|e| (first..end).contains(&(e[0] as u32)));
        old.find(|e| e[1] >= u64::from(key)).map_or(end, |e| e[0] as u32)
    }
}

impl Inner {
    fn advance(&self, it: &mut MapIter) -> Option<usize> {
        // The common case: the entry with the very next number stands right after the last one.
        if let Some(&e) = self.entries.get(it.hint * self.stride())
            && e & LIVE != 0
            && e as u32 == it.next
            && (!it.wrapped || it.next < it.start)
        {
            it.next += 1;
            return Some(it.hint);
        }
        if !it.wrapped {
            if let Some(i) = self.first_from(it.next) {
                it.next = (self.entries[i * self.stride()] as u32).wrapping_add(1);
                return Some(i);
            }
            it.wrapped = true;
            it.next = 0;
        }
        let i = self.first_from(it.next)?;
        let seq = self.entries[i * self.stride()] as u32;
        if seq >= it.start {
            return None;
        }
        it.next = seq + 1;
        Some(i)
    }
}
