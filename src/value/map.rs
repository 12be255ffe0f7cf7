//! Guest maps: a table of indexes (hashbrown) over entries in order of insertion.
//!
//! Keeping the order aside makes iteration survive every change: an iterator remembers sequence numbers, not places.
//!
//! Invariants:
//! * An entry is `1 + key slots + value slots` words. Its first word is 0 if it was deleted, else bit 63, 31 bits of the hash, and the
//!   32-bit sequence number; sequence numbers of entries rise from front to back.
//! * Memory-resident keys and values are pointers to private copies that never change.
//! * `MapData::state` is 0, a number of readers, or `WRITER`. A reader that meets a writer, or a writer that meets anybody, reports the
//!   guest's race and leaves the map alone: never two at once touch the table.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashTable;

use super::equal::equal;
use super::hash::{self, Unhashable};
use super::types::{KeyKind, TypeTable};
use super::{mem, text};

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
}

/// A map.
#[derive(Debug)]
pub struct MapData {
    state: AtomicU32,
    inner: UnsafeCell<Inner>,
}

#[derive(Debug)]
struct Inner {
    kind: MapKind,
    seed: u64,
    table: HashTable<u32>,
    entries: Vec<u64>,
    live: usize,
    next_seq: u32,
}

/// Where an iteration stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct MapIter {
    /// Sequence number of the first entry visited.
    start: u32,
    /// The next entry visited has at least this number.
    next: u32,
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
        let stride = self.stride();
        let short = short_hash(hash);
        let found = self.table.find(spread(short), |&i| {
            let at = i as usize * stride;
            (self.entries[at] >> 32) & 0x7FFF_FFFF == short
                && self.same_key(types, &self.entries[at + 1], key)
        });
        found.map(|i| *i as usize)
    }

    fn same_key(&self, types: &TypeTable, entry: &u64, key: *const u64) -> bool {
        match self.kind.key_kind {
            KeyKind::Word => *entry == mem::load(key, 0),
            KeyKind::String => {
                let w = mem::load(key, 0);
                *entry == w || text::bytes(*entry) == text::bytes(w)
            }
            KeyKind::General => {
                let (a, b) = (std::ptr::from_ref(entry) as u64, key as u64);
                // The hashes are equal, so both were hashable; uncomparable parts cannot be met.
                equal(types, self.kind.key, key_address(&self.kind, a), key_address(&self.kind, b))
                    .unwrap_or(false)
            }
        }
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

    use super::{AtomicU32, Inner, MapData, MapError, Ordering, UnsafeCell, WRITER};

    // SAFETY: `read` and `write` below are the only ways to the inner value, and `state` admits one writer or many readers.
    unsafe impl Sync for MapData {}

    impl MapData {
        pub(super) fn cell(inner: Inner) -> MapData {
            MapData { state: AtomicU32::new(0), inner: UnsafeCell::new(inner) }
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
        MapData::cell(Inner {
            kind,
            seed,
            table: HashTable::with_capacity(hint),
            entries: Vec::with_capacity(hint * stride),
            live: 0,
            next_seq: 0,
        })
    }

    /// Number of entries. A race may see an old number, as in Go.
    pub fn len(&self) -> usize {
        self.read(MapError::ReadWrite, |m| m.live).unwrap_or(0)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies the value of a key to `dst`; false if there is none.
    ///
    /// # Errors
    /// As in [`MapError`].
    #[inline]
    pub fn get(&self, types: &TypeTable, key: *const u64, dst: *mut u64) -> Result<bool, MapError> {
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

    /// Adds to a value that is a 64-bit integer, 0 if absent. Returns by how many bytes the map grew.
    ///
    /// # Errors
    /// As in [`MapError`].
    #[inline]
    pub fn add(&self, types: &TypeTable, key: *const u64, delta: u64) -> Result<usize, MapError> {
        self.write(|m| {
            let hash = m.hash(types, key)?;
            if let Some(i) = m.find(types, hash, key) {
                let at = i * m.stride() + 1 + m.kind.key_slots;
                m.entries[at] = m.entries[at].wrapping_add(delta);
                return Ok(0);
            }
            let before = m.entries.capacity();
            m.insert(hash, key, &raw const delta);
            Ok((m.entries.capacity() - before) * 8)
        })?
    }

    /// Sets a value. Returns by how many bytes the map grew.
    ///
    /// # Errors
    /// As in [`MapError`].
    #[inline]
    pub fn set(
        &self,
        types: &TypeTable,
        key: *const u64,
        value: *const u64,
    ) -> Result<usize, MapError> {
        self.write(|m| {
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
                return Ok(0);
            }
            let before = m.entries.capacity();
            m.insert(hash, key, value);
            Ok((m.entries.capacity() - before.min(m.entries.capacity())) * 10)
        })?
    }

    /// Removes a key.
    ///
    /// # Errors
    /// As in [`MapError`].
    pub fn delete(&self, types: &TypeTable, key: *const u64) -> Result<(), MapError> {
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
        self.write(|m| {
            m.table.clear();
            m.entries.clear();
            m.live = 0;
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
        self.read(MapError::IterateWrite, |m| {
            if !it.began {
                it.began = true;
                let n = m.entries.len() / m.stride();
                let at = if n == 0 { 0 } else { (random % n as u64) as usize };
                let first = (at..n).find(|i| m.entries[i * m.stride()] & LIVE != 0);
                it.start = first.map_or(0, |i| m.entries[i * m.stride()] as u32);
                it.next = it.start;
            }
            let Some(i) = m.advance(it) else { return false };
            it.hint = i + 1;
            let at = i * m.stride();
            if !key.is_null() {
                (0..m.kind.key_slots).for_each(|s| mem::store(key, s, m.entries[at + 1 + s]));
            }
            if !value.is_null() {
                (0..m.kind.value_slots)
                    .for_each(|s| mem::store(value, s, m.entries[at + 1 + m.kind.key_slots + s]));
            }
            true
        })
    }

    /// Offers every word of every entry.
    pub fn trace(&self, mut word: impl FnMut(u64)) {
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

    /// The entries as copies of their slots, for printing: (key slots, value slots) one after the other, oldest first.
    ///
    /// # Errors
    /// As in [`MapError`].
    pub fn snapshot(&self) -> Result<Vec<Vec<u64>>, MapError> {
        self.read(MapError::IterateWrite, |m| {
            m.entries
                .chunks_exact(m.stride())
                .filter(|e| e[0] & LIVE != 0)
                .map(|e| e[1..].to_vec())
                .collect()
        })
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
