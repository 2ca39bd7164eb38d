//! Where syntax errors are: what they have torn apart is not judged any further.

use syntax::{SyntaxError, TextRange, TextSize};

/// The places of the syntax errors of an item. A body of nothing but errors has as many of them as it has
/// statements, so they are not all looked at for each statement.
pub(in crate::diagnostics) struct ErrorMap {
    /// The start of each error, in order, with the farthest end of it and of those before it.
    errors: Vec<(TextSize, TextSize)>,
}

impl ErrorMap {
    pub(in crate::diagnostics) fn new(errors: &[SyntaxError]) -> ErrorMap {
        let mut errors: Vec<_> = errors
            .iter()
            .map(|it| (it.range.start(), it.range.end()))
            .collect();
        errors.sort_unstable();
        let mut farthest = TextSize::new(0);
        for (_, end) in &mut errors {
            farthest = farthest.max(*end);
            *end = farthest;
        }
        ErrorMap { errors }
    }

    /// Whether an error meets a range, be it at its edge.
    pub(in crate::diagnostics) fn meets(&self, range: TextRange) -> bool {
        let before = self.errors.partition_point(|it| it.0 <= range.end());
        before
            .checked_sub(1)
            .and_then(|it| self.errors.get(it))
            .is_some_and(|it| range.start() <= it.1)
    }
}

#[cfg(test)]
mod tests {
    use syntax::SyntaxErrorCode;

    use super::*;

    #[test]
    fn an_error_meets_what_any_of_them_touches() {
        let range = |start: u32, end: u32| TextRange::new(start.into(), end.into());
        let mut rng = 1u32;
        let mut next = |below: u32| {
            rng = rng.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (rng >> 16) % below
        };
        for _ in 0..200 {
            let mut some = |count: u32| -> Vec<TextRange> {
                (0..count)
                    .map(|_| {
                        let start = next(60);
                        range(start, start + next(12))
                    })
                    .collect()
            };
            let ranges = some(4);
            let errors: Vec<SyntaxError> = ranges
                .iter()
                .map(|it| SyntaxError {
                    code: SyntaxErrorCode::Syntax,
                    range: *it,
                    message: "wrong".to_owned(),
                    related: None,
                    missing: None,
                    help: None,
                })
                .collect();
            let errors_at = ErrorMap::new(&errors);
            for range in some(30) {
                let expected = ranges.iter().any(|it| it.intersect(range).is_some());
                assert_eq!(errors_at.meets(range), expected, "{ranges:?} {range:?}");
            }
        }
        assert!(!ErrorMap::new(&[]).meets(range(0, 9)));
    }
}
