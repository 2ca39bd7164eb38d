//! "Did you mean": the most similar of the names that could appear in a place.

/// The candidate most similar to `name`, if one is similar enough to be a misspelling of it.
///
/// Names that differ in digits only are neighbours, not misspellings.
pub(crate) fn most_similar<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    // Short names are all alike.
    within((name.len() / 3).min(4), name, candidates)
        .first()
        .copied()
}

/// The candidates of which `name` may be a misspelling, the most similar one first. Of names that are shorter than
/// [`most_similar`] looks at, those with one character more, less, or another one after the first.
pub(in crate::diagnostics) fn similar<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Vec<&'a str> {
    if name.len() >= 3 {
        return within((name.len() / 3).min(4), name, candidates);
    }
    let first = name.bytes().next();
    within(1, name, candidates.filter(|it| it.bytes().next() == first))
}

/// The candidates with at most so many changes, those with fewer first.
fn within<'a>(limit: usize, name: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    if limit == 0 {
        return Vec::new();
    }
    let mut rows = Rows::default();
    let mut found: Vec<(usize, &str)> = candidates
        .filter(|it| it.len().abs_diff(name.len()) <= limit)
        .filter(|it| !letters(it).eq(letters(name)))
        .filter_map(|it| Some((rows.distance(name, it, limit)?, it)))
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|it| it.1).collect()
}

/// The bytes of a name without its digits.
fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(|it| !it.is_ascii_digit())
}

/// Three rows of the table of distances, kept between comparisons: a name is compared with thousands.
#[derive(Default)]
struct Rows {
    /// Up to the character before the last one of the first name.
    before: Vec<usize>,
    /// Up to the last character.
    previous: Vec<usize>,
    /// Up to the character that is compared now.
    row: Vec<usize>,
}

impl Rows {
    /// Number of insertions, deletions, replacements and swaps of neighbours between two names, if it is within a limit.
    fn distance(&mut self, a: &str, b: &str, limit: usize) -> Option<usize> {
        let (a, b) = (a.as_bytes(), b.as_bytes());
        let Rows {
            before,
            previous,
            row,
        } = self;
        previous.clear();
        previous.extend(0..=b.len());
        before.clear();
        before.resize(b.len() + 1, usize::MAX);
        row.resize(b.len() + 1, 0);
        let mut least_before = 0;
        for i in 1..=a.len() {
            row[0] = i;
            let mut least = i;
            for j in 1..=b.len() {
                let cost = usize::from(!a[i - 1].eq_ignore_ascii_case(&b[j - 1]));
                let mut distance = (previous[j] + 1)
                    .min(row[j - 1] + 1)
                    .min(previous[j - 1] + cost);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    distance = distance.min(before[j - 2] + 1);
                }
                row[j] = distance;
                least = least.min(distance);
            }
            // Each row follows from the two above it, so it gets no better.
            if least > limit && least_before > limit {
                return None;
            }
            least_before = least;
            std::mem::swap(before, previous);
            std::mem::swap(previous, row);
        }
        Some(previous[b.len()]).filter(|it| *it <= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names() {
        let best = |name: &str, all: &[&'static str]| most_similar(name, all.iter().copied());
        assert_eq!(best("$L__BB0_2", &["$L__BB0_1"]), None);
        assert_eq!(best("tabel", &["cable", "table"]), Some("table"));
        assert_eq!(best("%tdi", &["%tid", "%ntid"]), Some("%tid"));
        assert_eq!(best("x", &["completely_different"]), None);
        let mut rows = Rows::default();
        let mut distance = |a: &str, b: &str, limit| rows.distance(a, b, limit);
        assert_eq!(distance("abc", "abc", 0), Some(0));
        assert_eq!(distance("", "abc", 3), Some(3));
        assert_eq!(distance("abcdef", "uvwxyz", 5), None);
        assert_eq!(distance("abcdef", "uvwxyz", 6), Some(6));
        // A swap is found below a row that is over the limit.
        assert_eq!(distance("xba", "xab", 1), Some(1));
        assert_eq!(distance("ba", "ab", 0), None);
    }
}
