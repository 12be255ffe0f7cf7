//! Which name was meant: the nearest of those that there are.

/// The candidate nearest to `word`, if one is near enough to be a slip of the fingers: a letter in four, at least one, or another
/// case of all letters. Of equally near ones the first in alphabetical order.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (word.chars().count() / 4).clamp(1, 3);
    let one_letter = word.chars().count() < 2;
    let far = |c: &str| {
        if c.eq_ignore_ascii_case(word) { 0 } else { distance(word, c) }
    };
    candidates
        .into_iter()
        .filter(|c| *c != word && !c.is_empty() && *c != "_")
        .map(|c| (far(c), c))
        .filter(|(d, c)| *d <= allowed && !(*d > 0 && (one_letter || c.chars().count() < 2)))
        .min()
        .map(|(_, c)| c)
}

/// How many letters must be added, dropped, changed or exchanged with their neighbour to make `b` of `a`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = vec![];
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i];
        for j in 1..=b.len() {
            let changed = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = changed.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("strngs", "strings"), 1);
        assert_eq!(distance("fmt", "fmt"), 0);
        assert_eq!(distance("lenght", "length"), 1);
        assert_eq!(distance("", "abc"), 3);
    }

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        assert_eq!(nearest("prinln", ["print", "println", "panic"]), Some("println"));
        assert_eq!(nearest("total", ["Total", "count"]), Some("Total"));
        assert_eq!(nearest("x", ["y", "z"]), None);
        assert_eq!(nearest("cat", ["dog"]), None);
        assert_eq!(nearest("count", ["count", "counts"]), Some("counts"));
    }
}
