//! Package unicode: general categories, scripts and properties from the tables of the regex crates, and letter case.
//!
//! A class is looked up by its name once for a machine and kept as sorted ranges.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use super::strings::one_case;
use super::{Ncx, Outcome, Table};

pub(super) const TABLE: Table = &[
    ("classRanges", class_ranges),
    ("foldOrbit", fold_orbit),
    ("inClass", |n| {
        let name = n.string(0);
        test(n, &name, 1)
    }),
    ("isDigit", |n| test(n, "Nd", 0)),
    ("isLetter", |n| test(n, "L", 0)),
    ("isLower", |n| test(n, "Ll", 0)),
    ("isMark", |n| test(n, "M", 0)),
    ("isNumber", |n| test(n, "N", 0)),
    ("isPrint", is_print),
    ("isPunct", |n| test(n, "P", 0)),
    ("isSpace", |n| test(n, "White_Space", 0)),
    ("isSpaceMark", |n| test(n, "Zs", 0)),
    ("isSymbol", |n| test(n, "S", 0)),
    ("isTitle", |n| test(n, "Lt", 0)),
    ("isUpper", |n| test(n, "Lu", 0)),
    ("toLower", |n| case_of(n, false)),
    ("toUpper", |n| case_of(n, true)),
];

type Ranges = Arc<[(u32, u32)]>;

/// Classes that were asked for.
#[derive(Debug, Default)]
pub(super) struct Classes(Mutex<HashMap<String, Ranges>>);

impl Classes {
    fn get(&self, name: &str) -> Ranges {
        let mut map = self.0.lock().expect("never held across a panic");
        if let Some(r) = map.get(name) {
            return Arc::clone(r);
        }
        let ranges = load(name);
        map.insert(name.to_owned(), Arc::clone(&ranges));
        ranges
    }
}

/// The ranges of a class; none if there is no such class.
fn load(name: &str) -> Ranges {
    let mut ranges = ranges_of(&format!("\\p{{{name}}}")).into_vec();
    // to the crate surrogates are no characters
    if matches!(name, "C" | "Cs") {
        ranges.push((0xD800, 0xDFFF));
        ranges.sort_unstable();
    }
    ranges.into()
}

/// The ranges of a class of characters in the syntax of regular expressions.
pub(super) fn ranges_of(class: &str) -> Box<[(u32, u32)]> {
    let parsed = regex_syntax::parse(class);
    let mut list: Vec<(u32, u32)> = Vec::new();
    if let Ok(hir) = parsed
        && let HirKind::Class(Class::Unicode(c)) = hir.kind()
    {
        list.extend(c.ranges().iter().map(|r| (u32::from(r.start()), u32::from(r.end()))));
    }
    list.into()
}

fn contains(ranges: &[(u32, u32)], r: u32) -> bool {
    let i = ranges.partition_point(|(_, hi)| *hi < r);
    ranges.get(i).is_some_and(|(lo, _)| *lo <= r)
}

/// `func f(r rune) bool`; the rune is in slot `i`.
fn test(n: &mut Ncx<'_, '_>, name: &str, i: usize) -> Outcome {
    let r = u32::try_from(n.int(i)).unwrap_or(u32::MAX);
    let is = contains(&n.vm.natives_state.classes.get(name), r);
    n.ret_bool(0, is);
    Outcome::Done
}

fn is_print(n: &mut Ncx<'_, '_>) -> Outcome {
    let r = u32::try_from(n.int(0)).unwrap_or(u32::MAX);
    let classes = &n.vm.natives_state.classes;
    let is = ["L", "M", "N", "P", "S"].iter().any(|c| contains(&classes.get(c), r));
    n.ret_bool(0, is);
    Outcome::Done
}

/// `func classRanges(name string) []int`: first and last rune of each range.
fn class_ranges(n: &mut Ncx<'_, '_>) -> Outcome {
    let ranges = n.vm.natives_state.classes.get(&n.string(0));
    let words: Vec<u64> = ranges.iter().flat_map(|(a, b)| [u64::from(*a), u64::from(*b)]).collect();
    let s = n.alloc().word_slice(&words, crate::heap::SHAPE_RAW);
    n.ret(0, s);
    Outcome::Done
}

/// `func foldOrbit(r rune) rune`: the next rune of those that differ in letter case only.
fn fold_orbit(n: &mut Ncx<'_, '_>) -> Outcome {
    let r = n.int(0);
    let next = u32::try_from(r).ok().and_then(char::from_u32).map_or(r, |c| {
        let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
        if class.try_case_fold_simple().is_err() {
            return r;
        }
        let all = || class.iter().flat_map(|x| u32::from(x.start())..=u32::from(x.end()));
        let this = u32::from(c);
        let next = all().find(|x| *x > this).or_else(|| all().next());
        next.map_or(r, i64::from)
    });
    n.ret(0, next as u64);
    Outcome::Done
}

fn case_of(n: &mut Ncx<'_, '_>, upper: bool) -> Outcome {
    let r = n.arg(0);
    let mapped = u32::try_from(r)
        .ok()
        .and_then(char::from_u32)
        .map_or(r, |c| u64::from(u32::from(one_case(c, upper))));
    n.ret(0, mapped);
    Outcome::Done
}
