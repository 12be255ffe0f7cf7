//! Interned names: one number for each spelling, so that scopes compare numbers.

use super::table::HashMap;

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
    texts: Vec<String>,
    ids: HashMap<String, Sym>,
}

impl Default for Names {
    fn default() -> Self {
        let mut names = Names { texts: vec![], ids: HashMap::default() };
        names.intern("_");
        names
    }
}

impl Names {
    /// The number of a spelling.
    pub(crate) fn intern(&mut self, text: &str) -> Sym {
        if let Some(&s) = self.ids.get(text) {
            return s;
        }
        let s = Sym(self.texts.len() as u32);
        self.texts.push(text.to_string());
        self.ids.insert(text.to_string(), s);
        s
    }

    /// The spelling.
    pub(crate) fn text(&self, s: Sym) -> &str {
        &self.texts[s.0 as usize]
    }
}

/// Whether a name starts with an upper-case letter.
pub(crate) fn is_exported(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}
