//! Package regexp over the regex crate, which has Go's matching rules (leftmost, first alternative, linear time).
//!
//! [`translate`] writes a Go expression in the crate's syntax. Here are the searches, and what differs in them:
//!
//! * A byte that is no UTF-8 is a U+FFFD of one byte to Go; the crate would match it with nothing. Such a text is searched in a copy
//!   that spells it out ([`Subject`]), and places are counted back.
//! * Leftmost-longest (`Longest`, `CompilePOSIX`): the leftmost start is the same under both rules; from there an anchored search that
//!   follows all ways finds the end.

mod syntax;

use std::borrow::Cow;

use regex::bytes::{Regex, RegexBuilder};
use regex_automata::{Anchored, Input, MatchKind, PatternID, meta, util};

use crate::heap::SHAPE_RAW;

use super::{NativePart, Ncx, Outcome, Table};
use syntax::{Fault, translate};

pub(super) const TABLE: Table = &[
    ("compile", compile),
    ("find", find),
    ("literalPrefix", literal_prefix),
    ("quoteMeta", quote_meta),
];

/// Memory for a compiled expression; Go allows about as much.
const SIZE_LIMIT: usize = 64 << 20;

#[derive(Debug)]
struct RegexPart {
    first: Regex,
    /// Where the longest match is wanted: the search from a given start.
    longest: Option<meta::Regex>,
}

impl NativePart for RegexPart {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

impl RegexPart {
    fn new(pattern: &str, longest: bool) -> Result<RegexPart, regex::Error> {
        let first = RegexBuilder::new(pattern).size_limit(SIZE_LIMIT).build()?;
        let config = meta::Config::new()
            .match_kind(MatchKind::All)
            .utf8_empty(false)
            .nfa_size_limit(Some(SIZE_LIMIT));
        let syntax = util::syntax::Config::new().utf8(false);
        let mut builder = meta::Builder::new();
        builder.configure(config).syntax(syntax);
        let longest = if longest { builder.build(pattern).ok() } else { None };
        Ok(RegexPart { first, longest })
    }

    /// The ends of the groups of the first match at or after `at`.
    fn find(&self, s: &[u8], at: usize) -> Option<Vec<Option<(usize, usize)>>> {
        let Some(longest) = &self.longest else {
            let mut found = self.first.capture_locations();
            self.first.captures_read_at(&mut found, s, at)?;
            return Some((0..found.len()).map(|i| found.get(i)).collect());
        };
        let start = self.first.find_at(s, at)?.start();
        let input = Input::new(s).range(start..).anchored(Anchored::Yes);
        let mut found = longest.create_captures();
        longest.captures(input, &mut found);
        let n = longest.group_info().group_len(PatternID::ZERO);
        Some((0..n).map(|i| found.get_group(i).map(|g| (g.start, g.end))).collect())
    }
}

/// A text as the crate may see it, and the way back to places in the text itself.
struct Subject<'s> {
    text: Cow<'s, [u8]>,
    /// Where in `text` a byte was spelled out, in order: each time the text is two bytes longer.
    spelled: Vec<usize>,
}

impl<'s> Subject<'s> {
    fn new(s: &'s [u8]) -> Subject<'s> {
        if std::str::from_utf8(s).is_ok() {
            return Subject { text: Cow::Borrowed(s), spelled: vec![] };
        }
        let (mut text, mut spelled, mut at) = (Vec::with_capacity(s.len() + 8), vec![], 0);
        while at < s.len() {
            let w = width(s, at);
            if w == 1 && s[at] >= 0x80 {
                spelled.push(text.len());
                text.extend("\u{FFFD}".bytes());
            } else {
                text.extend(&s[at..at + w]);
            }
            at += w;
        }
        Subject { text: Cow::Owned(text), spelled }
    }

    /// The place in the text itself.
    fn back(&self, at: usize) -> u64 {
        (at - 2 * self.spelled.partition_point(|p| *p < at)) as u64
    }
}

/// `func compile(expr string, longest, posix bool) (h *handle, groups []string, code string, text string)`.
fn compile(n: &mut Ncx<'_, '_>) -> Outcome {
    let (expr, longest, posix) = (n.bytes(0), n.arg(1) != 0, n.arg(2) != 0);
    let compiled = std::str::from_utf8(expr)
        .map_err(|e| {
            let rest = String::from_utf8_lossy(&expr[e.valid_up_to()..]);
            ("invalid UTF-8", rest.into_owned())
        })
        .and_then(|s| translate(s, posix))
        .and_then(|t| {
            let built = RegexPart::new(&t.pattern, longest);
            built.map(|re| (re, t.names)).map_err(|e| fault_of(&e, expr))
        });
    n.charge(expr.len() * 256);
    match compiled {
        Ok((re, names)) => {
            let h = n.new_handle(re);
            n.ret(0, h);
            n.ret_strings(1, &names);
            n.ret(2, 0);
            n.ret(3, 0);
        }
        Err((code, text)) => {
            n.ret(0, 0);
            n.ret(1, 0);
            n.ret_string(2, code.as_bytes());
            n.ret_string(3, text.as_bytes());
        }
    }
    Outcome::Done
}

/// The crate's own complaints, in Go's words as far as they can be told.
fn fault_of(e: &regex::Error, expr: &[u8]) -> Fault {
    let text = String::from_utf8_lossy(expr).into_owned();
    let message = e.to_string();
    let code = if message.contains("size limit") {
        "expression too large"
    } else if message.contains("invalid character class range")
        || message.contains("Unicode property not found")
    {
        "invalid character class range"
    } else if message.contains("unclosed group") {
        "missing closing )"
    } else {
        "invalid or unsupported Perl syntax"
    };
    (code, text)
}

/// `func find(h *handle, s string, max int) (ends []int)`: the ends of all groups of up to `max` matches, one after the other; -1 for a
/// group that took no part.
fn find(n: &mut Ncx<'_, '_>) -> Outcome {
    let (s, max) = (n.bytes(1), n.int(2));
    let Some(re) = n.handle::<RegexPart>(0) else {
        return Outcome::Trap(crate::vm::trap::Trap::Nil);
    };
    let limit = usize::try_from(max).unwrap_or(usize::MAX);
    let subject = Subject::new(s);
    let text = &*subject.text;
    let mut ends: Vec<u64> = Vec::new();
    let (mut at, mut last_end, mut count) = (0, None, 0);
    while count < limit && at <= text.len() {
        let Some(groups) = re.find(text, at) else { break };
        let Some((start, end)) = groups[0] else { break };
        at = if start == end { end + width(text, end) } else { end };
        // An empty match right behind the match before does not count.
        if start == end && last_end == Some(end) {
            continue;
        }
        last_end = Some(end);
        count += 1;
        let place = |g: Option<(usize, usize)>| {
            g.map_or([u64::MAX; 2], |(a, b)| [subject.back(a), subject.back(b)])
        };
        ends.extend(groups.into_iter().flat_map(place));
    }
    n.charge(s.len().min(at) * 8 + ends.len() * 16);
    let slice = if ends.is_empty() { 0 } else { n.alloc().word_slice(&ends, SHAPE_RAW) };
    n.ret(0, slice);
    Outcome::Done
}

/// Bytes of the character at `i`, at least one.
fn width(s: &[u8], i: usize) -> usize {
    if i >= s.len() { 1 } else { crate::value::text::decode_rune(&s[i..]).1 }
}

fn is_meta(b: u8) -> bool {
    br"\.+*?()|[]{}^$".contains(&b)
}

/// `func quoteMeta(s string) string`.
fn quote_meta(n: &mut Ncx<'_, '_>) -> Outcome {
    let mut out = Vec::new();
    for &b in n.bytes(0) {
        if is_meta(b) {
            out.push(b'\\');
        }
        out.push(b);
    }
    n.ret_string(0, &out);
    Outcome::Done
}

/// What each match starts with, and whether it is the whole match.
fn prefix_of(expr: &str) -> (String, bool) {
    // where there are alternatives no start is sure
    if expr.contains('|') {
        return (String::new(), false);
    }
    let anchored = expr.starts_with('^');
    let mut rest = expr.strip_prefix('^').unwrap_or(expr);
    let mut prefix = String::new();
    while let Some(c) = rest.chars().next() {
        let escaped = rest.strip_prefix('\\').and_then(|r| r.chars().next());
        let (literal, length) = match escaped {
            Some(e) if e.is_ascii_punctuation() => (e, 2),
            None if !u8::try_from(c).is_ok_and(is_meta) => (c, c.len_utf8()),
            _ => break,
        };
        // what may be left out, and what also stands for bad bytes, is no prefix
        let after = &rest[length..];
        if literal == char::REPLACEMENT_CHARACTER || after.starts_with(['*', '?', '{']) {
            break;
        }
        prefix.push(literal);
        rest = after;
    }
    let complete = rest.is_empty() || anchored && rest == "$" && !prefix.is_empty();
    (prefix, complete)
}

/// `func literalPrefix(expr string) (prefix string, complete bool)`.
fn literal_prefix(n: &mut Ncx<'_, '_>) -> Outcome {
    let expr = n.string(0);
    let (prefix, complete) = prefix_of(&expr);
    n.ret_string(0, prefix.as_bytes());
    n.ret_bool(1, complete);
    Outcome::Done
}
