//! Line directives: `//line file:10` and `/*line file:10:5*/` say where the text that follows them comes from (cmd/compile, "Line
//! directives"). The first form begins a line; a directive without a number after its last colon is a comment.

use crate::source::LineMark;

/// What is wrong with a directive: byte offset and Go's words.
type Complaint = (u32, String);

/// The directives among the comments of a text (start and end byte of each).
pub(crate) fn line_marks(
    src: &str,
    name: &str,
    comments: &[(u32, u32)],
) -> (Vec<LineMark>, Vec<Complaint>) {
    let mut marks: Vec<LineMark> = vec![];
    let mut wrong = vec![];
    for &(start, end) in comments {
        let text = &src[start as usize..end as usize];
        let begins_line = start == 0 || src.as_bytes()[start as usize - 1] == b'\n';
        let (words, at) = if let Some(words) = text.strip_prefix("//line ") {
            (words.trim_end_matches('\r'), end + 1)
        } else if let Some(words) = text.strip_prefix("/*line ") {
            (words.trim_end_matches("*/"), end)
        } else {
            continue;
        };
        if text.starts_with("//") && !begins_line {
            continue;
        }
        let before = marks.last().map_or(name, |m| m.file.as_str());
        match mark(words, before, at) {
            Some(Ok(m)) => marks.push(m),
            Some(Err((offset, text))) => {
                wrong.push((start + "//line ".len() as u32 + offset, text))
            }
            None => {}
        }
    }
    (marks, wrong)
}

/// What one directive says; nothing if it is none.
fn mark(words: &str, before: &str, at: u32) -> Option<Result<LineMark, Complaint>> {
    let (mut file, last) = words.rsplit_once(':')?;
    let bad = |what: &str, number: &str| {
        let offset = words.len() - number.len();
        Some(Err((offset as u32, format!("invalid {what} number: {number}"))))
    };
    let Some(mut line) = number(last) else { return bad("line", last) };
    let (mut col, mut line_text) = (0, last);
    if let Some((rest, middle)) = file.rsplit_once(':')
        && let Some(n) = number(middle)
    {
        if line == 0 {
            return bad("column", last);
        }
        (col, line) = (line, n);
        (file, line_text) = (rest, middle);
    }
    if line == 0 {
        return bad("line", line_text);
    }
    let file = if file.is_empty() && col > 0 { before } else { file };
    Some(Ok(LineMark { at, file: file.to_string(), line, col }))
}

/// A number that positions can have.
fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|n| digits && *n < 1 << 30)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives() {
        let one = |words| mark(words, "old.go", 9);
        let is =
            |file: &str, line, col| Some(Ok(LineMark { at: 9, file: file.to_string(), line, col }));
        assert_eq!(one("a b.go:3"), is("a b.go", 3, 0));
        assert_eq!(one("c:\\x.go:3:7"), is("c:\\x.go", 3, 7));
        assert_eq!(one(":9:5"), is("old.go", 9, 5));
        assert_eq!(one(":9"), is("", 9, 0));
        assert_eq!(one("d.go"), None);
        assert_eq!(one("d.go:0"), Some(Err((5, "invalid line number: 0".into()))));
        assert_eq!(one("d.go:x"), Some(Err((5, "invalid line number: x".into()))));
        assert_eq!(one("d.go:1:0"), Some(Err((7, "invalid column number: 0".into()))));
    }
}
