//! Alignment of two lists.

use imara_diff::{Algorithm, Diff, InternedInput};

/// The places of the elements that two lists share, in order.
pub(crate) fn align(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    let mut input: InternedInput<u64> = InternedInput::default();
    input.update_before(a.iter().copied());
    input.update_after(b.iter().copied());
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0, 0);
    for hunk in diff.hunks() {
        pairs.extend((i..hunk.before.start as usize).zip(j..hunk.after.start as usize));
        (i, j) = (hunk.before.end as usize, hunk.after.end as usize);
    }
    pairs.extend((i..a.len()).zip(j..b.len()));
    pairs
}
