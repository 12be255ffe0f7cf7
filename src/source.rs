//! Source files, positions and line tables.
//!
//! A [`Pos`] is one number: the byte offset in a [`SourceMap`], in which all files lie one after the other.
//! It is not a token index and knows nothing of lines; those are computed when a position is shown.
//! Invariant: files are only ever added, so a position stays valid as long as its map.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A source text; those of the library are in the program itself.
pub type Text = Cow<'static, str>;

/// A place in the source text; `Pos::NONE` for things without one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Pos(pub u32);

impl Pos {
    /// No place: predeclared things, synthesised code.
    pub const NONE: Pos = Pos(0);

    /// Whether this is a real place.
    pub fn is_known(self) -> bool {
        self.0 != 0
    }
}

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// The name, text and line starts of one file.
#[derive(Debug)]
pub struct SourceFile {
    /// As it is shown in messages and tracebacks.
    pub name: String,
    /// The whole text.
    pub text: Text,
    /// The position of the first byte.
    pub base: u32,
    /// Where lines start; made when a place is first shown, which for most files is never.
    lines: OnceLock<Vec<u32>>,
    /// Where parts of it say that they come from, in order.
    marks: OnceLock<Vec<LineMark>>,
}

/// From a byte offset on, a text says that it comes from elsewhere: a line directive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineMark {
    /// The offset.
    pub at: u32,
    /// The file it comes from.
    pub file: String,
    /// The line of the byte at the offset, from 1.
    pub line: u32,
    /// Its column, from 1; 0 if that is not known.
    pub col: u32,
}

impl SourceFile {
    /// The place of a byte offset, as line directives have it.
    fn place(&self, offset: u32) -> Place<'_> {
        let (line, col) = self.line_col(offset);
        let marks = self.marks.get().map_or(&[][..], Vec::as_slice);
        let Some(mark) = marks[..marks.partition_point(|m| m.at <= offset)].last() else {
            return Place { file: &self.name, line, col };
        };
        let (first, _) = self.line_col(mark.at);
        let col = match (mark.col, line == first) {
            (0, _) => 0,
            (start, true) => start + offset - mark.at,
            (_, false) => col,
        };
        Place { file: &mark.file, line: mark.line + line - first, col }
    }

    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let newlines = memchr::memchr_iter(b'\n', self.text.as_bytes());
            std::iter::once(0).chain(newlines.map(|i| i as u32 + 1)).collect()
        })
    }

    /// Line and column (in bytes), both from 1, of a byte offset in this file.
    pub fn line_col(&self, offset: u32) -> (u32, u32) {
        let line = self.lines().partition_point(|&start| start <= offset).max(1);
        (line as u32, offset - self.lines()[line - 1] + 1)
    }

    /// The text of a line (from 1), without its newline.
    pub fn line_text(&self, line: u32) -> &str {
        let index = (line as usize).saturating_sub(1);
        let Some(&start) = self.lines().get(index) else { return "" };
        let end = self.lines().get(index + 1).map_or(self.text.len(), |&e| e as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }
}

/// A resolved position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place<'a> {
    /// The file's name.
    pub file: &'a str,
    /// From 1.
    pub line: u32,
    /// In bytes, from 1; 0 where only the line is known.
    pub col: u32,
}

impl std::fmt::Display for Place<'_> {
    /// `file:line:col`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.col > 0 { write!(f, ":{}", self.col) } else { Ok(()) }
    }
}

/// All files of a program; positions are offsets into their concatenation.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// Shared, so that a copy of the map is cheap.
    files: Vec<Arc<SourceFile>>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file; its positions start at the returned file's `base`.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Text>) -> FileId {
        let text = text.into();
        // one byte apart, so that the end of a file is a position of its own; 0 stays free for `Pos::NONE`
        let base = self.files.last().map_or(1, |f| f.base + f.text.len() as u32 + 1);
        let lines = OnceLock::new();
        let marks = OnceLock::new();
        self.files.push(Arc::new(SourceFile { name: name.into(), text, base, lines, marks }));
        FileId(self.files.len() as u32 - 1)
    }

    /// Tells where parts of a file come from. Only the first word about a file counts.
    pub fn mark_lines(&self, file: FileId, marks: Vec<LineMark>) {
        // a file is parsed once; parsing it again would give the same
        let _ = self.file(file).marks.set(marks);
    }

    /// The file with this id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The file that a position lies in.
    pub fn file_of(&self, pos: Pos) -> Option<FileId> {
        if !pos.is_known() {
            return None;
        }
        let n = self.files.partition_point(|f| f.base <= pos.0);
        n.checked_sub(1).map(|n| FileId(n as u32))
    }

    /// The text of the line that a position is in, and how many bytes of it stand before the position.
    pub fn line_at(&self, pos: Pos) -> Option<(&str, usize)> {
        let file = self.file(self.file_of(pos)?);
        let (line, col) = file.line_col(pos.0 - file.base);
        Some((file.line_text(line), col as usize - 1))
    }

    /// File name, line and column of a position.
    pub fn place(&self, pos: Pos) -> Option<Place<'_>> {
        let file = self.file(self.file_of(pos)?);
        Some(file.place(pos.0 - file.base))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let mut map = SourceMap::new();
        let a = map.add("a", "x\nyz\n");
        let b = map.add("b", "q");
        let base = map.file(a).base;
        let at = |p| map.place(Pos(p)).map(|p| (p.file.to_string(), p.line, p.col));
        assert_eq!(at(base), Some(("a".into(), 1, 1)));
        assert_eq!(at(base + 3), Some(("a".into(), 2, 2)));
        assert_eq!(at(base + 5), Some(("a".into(), 3, 1)));
        assert_eq!(at(map.file(b).base), Some(("b".into(), 1, 1)));
        assert_eq!(at(0), None);
        assert_eq!(map.file(a).line_text(2), "yz");
    }
}
