//! Two texts can be compared, whatever they are.

use std::sync::Arc;

use analysis::{ChangeKind, Comparable, compare};
use syntax::{FileContents, TextRange};

use crate::properties::answers::{self, FILE};

fn comparable(text: &str) -> Comparable {
    let host = answers::host(Arc::new(FileContents::new(text)));
    let analysis = host.analysis();
    analysis.comparable(FILE).expect("no cancellation")
}

/// Compares two texts in both directions, and each with itself.
///
/// # Panics
/// If a text differs from itself, only one direction has a difference, or a place is not one of its text.
pub fn check(old: &str, new: &str) {
    let (a, b) = (comparable(old), comparable(new));
    for (text, it) in [(old, &a), (new, &b)] {
        assert!(compare(it, it).is_same(), "{text:?} differs from itself");
    }
    let (there, back) = (compare(&a, &b), compare(&b, &a));
    assert_eq!(
        there.is_same(),
        back.is_same(),
        "{old:?} and {new:?} differ in one direction"
    );
    let holds = |text: &str, range: &TextRange| {
        let range = usize::from(range.start())..usize::from(range.end());
        assert!(text.get(range.clone()).is_some(), "{range:?} in {text:?}");
    };
    for change in &there.functions {
        let moved = change.moved.iter();
        let (from, to): (Vec<_>, Vec<_>) = moved.copied().unzip();
        change
            .removed
            .iter()
            .chain(&from)
            .for_each(|it| holds(old, it));
        change.added.iter().chain(&to).for_each(|it| holds(new, it));
        let sides = (change.old.is_some(), change.new.is_some());
        let expected = match change.kind {
            ChangeKind::Added => (false, true),
            ChangeKind::Removed => (true, false),
            ChangeKind::Changed | ChangeKind::Renamed | ChangeKind::Same => (true, true),
        };
        assert_eq!(sides, expected, "{change:?}");
    }
}
