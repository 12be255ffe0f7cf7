//! The dense form of a map: values in an array, indexed by the key itself. For keys that are small numbers standing close
//! together, which is what integer keys usually are.
//!
//! The array is an object of the guest heap, and what is read or written of it is a relaxed atomic inside the array's own
//! bounds. So a race of the guest finds old or new words and nothing worse, without a lock; an array that a map has given up
//! lives as long as somebody may look at it, because no collection comes in the middle of an operation.
//!
//! Layout in words: the number of keys with [`PLAIN`] and the slots of a value in the high half; the number of entries; a mark
//! of a writer at work, only to report a guest's race; a bit for each key, set if it has an entry; the values.
//!
//! Invariants: the first word never changes; a key is below the number of keys in it, which is a multiple of 64; values without
//! an entry are zero.

use super::Alloc;
use super::mem;
use crate::heap::{SHAPE_RAW, SHAPE_WORDS};

/// A value is one slot and its zero is the word 0, so that the machine's loop can read and write it itself.
const PLAIN: u64 = 1 << 63;
/// Where the slots of a value stand in the first word.
const SLOTS: u32 = 32;
/// Words before the bits.
const BITS: usize = 3;
/// The least number of keys.
pub(super) const LEAST: u64 = 64;
/// The largest number of keys: iterators remember keys in 32 bits.
const MOST: u64 = 1 << 31;

/// The array of a map in dense form, by its address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dense(*mut u64);

impl Dense {
    /// The array behind a word of a map; `None` for 0.
    #[inline(always)]
    pub(super) fn of(word: u64) -> Option<Dense> {
        (word != 0).then_some(Dense(word as *mut u64))
    }

    /// An empty array for keys below `keys`, which is a power of two of at least [`LEAST`].
    pub(super) fn make(
        a: &mut Alloc<'_>,
        keys: u64,
        slots: usize,
        plain: bool,
        pointers: bool,
    ) -> Dense {
        let words = BITS + (keys / 64) as usize + keys as usize * slots;
        let p = a.object(words, if pointers { SHAPE_WORDS } else { SHAPE_RAW });
        mem::store(p, 0, keys | (slots as u64) << SLOTS | if plain { PLAIN } else { 0 });
        Dense(p)
    }

    /// How many keys an array needs so that `key` is one of them; `None`: more than there can be.
    pub(super) fn keys_for(key: u64) -> Option<u64> {
        (key < MOST).then(|| (key + 1).next_power_of_two().max(LEAST))
    }

    pub(super) fn word(self) -> u64 {
        self.0 as u64
    }

    /// The number of keys.
    #[inline(always)]
    pub(super) fn keys(self) -> u64 {
        mem::load(self.0, 0) & u64::from(u32::MAX)
    }

    fn slots(self) -> usize {
        ((mem::load(self.0, 0) & !PLAIN) >> SLOTS) as usize
    }

    /// The number of entries.
    #[inline(always)]
    pub(super) fn len(self) -> u64 {
        mem::load(self.0, 1)
    }

    /// Says that a writer is at work; false if there was one already.
    #[inline(always)]
    pub(super) fn enter(self) -> bool {
        let free = mem::load(self.0, 2) == 0;
        mem::store(self.0, 2, 1);
        free
    }

    /// Takes the writer's mark away.
    #[inline(always)]
    pub(super) fn leave(self) {
        mem::store(self.0, 2, 0);
    }

    /// Whether a writer is at work.
    #[inline(always)]
    pub(super) fn is_written(self) -> bool {
        mem::load(self.0, 2) != 0
    }

    #[inline(always)]
    fn bits_of(key: u64) -> (usize, u64) {
        (BITS + (key / 64) as usize, 1 << (key % 64))
    }

    /// Whether a key (below the number of keys) has an entry.
    #[inline(always)]
    pub(super) fn has(self, key: u64) -> bool {
        let (word, bit) = Dense::bits_of(key);
        mem::load(self.0, word) & bit != 0
    }

    /// The first slot of the value of a key below `keys`.
    #[inline(always)]
    fn value(self, keys: u64, key: u64, slots: usize) -> *mut u64 {
        self.0.wrapping_add(BITS + (keys / 64) as usize + key as usize * slots)
    }

    /// The value slots of a key below the number of keys.
    pub(super) fn slots_of(self, key: u64) -> impl Iterator<Item = u64> {
        let slots = self.slots();
        let p = self.value(self.keys(), key, slots);
        (0..slots).map(move |i| mem::load(p, i))
    }

    /// Counts a key (below the number of keys) in; false if it had an entry.
    #[inline(always)]
    fn insert(self, key: u64) -> bool {
        let (word, bit) = Dense::bits_of(key);
        let bits = mem::load(self.0, word);
        if bits & bit != 0 {
            return false;
        }
        mem::store(self.0, word, bits | bit);
        mem::store(self.0, 1, self.len() + 1);
        true
    }

    /// Sets the value of a key; false if the key is not below the number of keys.
    pub(super) fn set(self, key: u64, value: impl Fn(usize) -> u64) -> bool {
        let keys = self.keys();
        if key >= keys {
            return false;
        }
        self.insert(key);
        let slots = self.slots();
        let p = self.value(keys, key, slots);
        (0..slots).for_each(|i| mem::store(p, i, value(i)));
        true
    }

    /// Removes a key.
    pub(super) fn remove(self, key: u64) {
        let keys = self.keys();
        if key >= keys || !self.has(key) {
            return;
        }
        let (word, bit) = Dense::bits_of(key);
        mem::store(self.0, word, mem::load(self.0, word) & !bit);
        mem::store(self.0, 1, self.len().wrapping_sub(1));
        let slots = self.slots();
        let p = self.value(keys, key, slots);
        (0..slots).for_each(|i| mem::store(p, i, 0));
    }

    /// Removes everything.
    pub(super) fn clear(self) {
        let keys = self.keys();
        let words = (keys / 64) as usize + keys as usize * self.slots();
        mem::store(self.0, 1, 0);
        mem::zero_bytes(self.0.wrapping_add(BITS) as u64, words * 8);
    }

    /// Copies all entries into a larger array.
    pub(super) fn copy_to(self, to: Dense) {
        let (keys, slots) = (self.keys(), self.slots());
        let at = |d: Dense, i: usize| d.0.wrapping_add(i) as u64;
        mem::copy_words(at(to, BITS), at(self, BITS), (keys / 64) as usize);
        mem::copy_words(
            to.value(to.keys(), 0, slots) as u64,
            self.value(keys, 0, slots) as u64,
            keys as usize * slots,
        );
        mem::store(to.0, 1, self.len());
    }

    /// The first key with an entry at or after `from`.
    pub(super) fn next(self, from: u64) -> Option<u64> {
        let keys = self.keys();
        let mut key = from;
        while key < keys {
            let (word, _) = Dense::bits_of(key);
            let rest = mem::load(self.0, word) >> (key % 64);
            if rest != 0 {
                return Some(key + u64::from(rest.trailing_zeros()));
            }
            key = (key / 64 + 1) * 64;
        }
        None
    }

    /// `m[key]` for plain values: (value or 0, whether there is an entry). `None`: not for the fast path.
    #[inline(always)]
    pub(super) fn quick_get(self, key: u64) -> Option<(u64, bool)> {
        let head = mem::load(self.0, 0);
        if head & PLAIN == 0 || self.is_written() {
            return None;
        }
        let keys = head & u64::from(u32::MAX);
        if key >= keys {
            return Some((0, false));
        }
        // A value without an entry is zero.
        Some((mem::load(self.value(keys, key, 1), 0), self.has(key)))
    }

    /// `m[key] = f(m[key])` for plain values; false: not for the fast path.
    #[inline(always)]
    pub(super) fn quick_set(self, key: u64, f: impl Fn(u64) -> u64) -> bool {
        let head = mem::load(self.0, 0);
        let keys = head & u64::from(u32::MAX);
        if head & PLAIN == 0 || key >= keys || self.is_written() {
            return false;
        }
        self.enter();
        self.insert(key);
        let p = self.value(keys, key, 1);
        mem::store(p, 0, f(mem::load(p, 0)));
        self.leave();
        true
    }
}
