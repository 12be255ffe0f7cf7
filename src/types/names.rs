//! Interned names: one number for each spelling, so that scopes compare numbers.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::BuildHasher;

/// An interned name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Sym(pub u32);

impl Sym {
    /// The blank identifier `_`: interned first in every table.
    pub(crate) const BLANK: Sym = Sym(0);
}

/// The table of names.
#[derive(Debug)]
pub(crate) struct Names {
    /// All spellings, one after the other.
    texts: String,
    /// Where each ends.
    ends: Vec<u32>,
    ids: HashTable<Sym>,
    hasher: RandomState,
}

/// Room for the names of a small program and of what it imports.
const AT_FIRST: usize = 1700;

impl Default for Names {
    fn default() -> Self {
        let mut names = Names {
            texts: String::with_capacity(AT_FIRST * 12),
            ends: Vec::with_capacity(AT_FIRST),
            ids: HashTable::with_capacity(AT_FIRST),
            hasher: RandomState::default(),
        };
        names.intern("_");
        names
    }
}

fn spelling<'a>(texts: &'a str, ends: &[u32], s: Sym) -> &'a str {
    let i = s.0 as usize;
    let start = if i == 0 { 0 } else { ends[i - 1] as usize };
    &texts[start..ends[i] as usize]
}

impl Names {
    /// The number of a spelling.
    pub(crate) fn intern(&mut self, text: &str) -> Sym {
        let Names { texts, ends, ids, hasher } = self;
        let hash = |text: &str| hasher.hash_one(text);
        let same = |s: &Sym| spelling(texts, ends, *s) == text;
        let again = |s: &Sym| hash(spelling(texts, ends, *s));
        match ids.entry(hash(text), same, again) {
            Entry::Occupied(e) => *e.get(),
            Entry::Vacant(e) => {
                let s = Sym(ends.len() as u32);
                e.insert(s);
                texts.push_str(text);
                ends.push(texts.len() as u32);
                s
            }
        }
    }

    /// The spelling.
    pub(crate) fn text(&self, s: Sym) -> &str {
        spelling(&self.texts, &self.ends, s)
    }
}

/// Whether a name starts with an upper-case letter.
pub(crate) fn is_exported(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}
