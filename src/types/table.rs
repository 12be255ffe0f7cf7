//! The hash tables of the front end: the standard ones with a quick hash function.
//!
//! Not for guest maps, which have tables of their own. Never iterated: their order means nothing.

use foldhash::fast::RandomState;

/// As [`std::collections::HashMap`].
pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;
/// As [`std::collections::HashSet`].
pub(crate) type HashSet<K> = std::collections::HashSet<K, RandomState>;
