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
    let without_digits =
        |it: &str| -> String { it.chars().filter(|c| !c.is_ascii_digit()).collect() };
    let stem = without_digits(name);
    let mut found: Vec<(usize, &str)> = candidates
        .filter(|it| it.len().abs_diff(name.len()) <= limit)
        .filter(|it| without_digits(it) != stem)
        .map(|it| (distance(name, it), it))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|it| it.1).collect()
}

/// Number of insertions, deletions, replacements and swaps of neighbours between two names.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let cost = usize::from(!a[i - 1].eq_ignore_ascii_case(&b[j - 1]));
            row[j] = (previous[j] + 1)
                .min(row[j - 1] + 1)
                .min(previous[j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut previous, row);
    }
    previous[b.len()]
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
        assert_eq!(distance("abc", "abc"), 0);
        assert_eq!(distance("", "abc"), 3);
    }
}
