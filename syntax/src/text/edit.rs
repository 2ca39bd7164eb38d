//! Replacement of a part of a text, and the smallest one that turns one text into another.

use std::fmt;

use crate::{TextRange, TextSize};

/// Longest text in bytes that offsets can describe; callers refuse longer ones.
pub const MAX_LEN: usize = u32::MAX as usize;

/// Replacement of one range of a text by another text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// The bytes that are removed, in UTF-8 offsets of the text before the edit.
    pub range: TextRange,
    /// The text that takes their place.
    pub insert: String,
}

impl Edit {
    /// The edit that replaces `range` by `insert`.
    pub fn new(range: TextRange, insert: impl Into<String>) -> Edit {
        Edit {
            range,
            insert: insert.into(),
        }
    }

    /// Whether the edit can be applied to `text`: its range is inside the text and on
    /// character boundaries, and the result is no longer than [`MAX_LEN`].
    pub fn fits(&self, text: &str) -> bool {
        let (start, end) = (
            usize::from(self.range.start()),
            usize::from(self.range.end()),
        );
        text.is_char_boundary(start)
            && text.is_char_boundary(end)
            && (text.len() - (end - start)).saturating_add(self.insert.len()) <= MAX_LEN
    }

    /// The range that the inserted text has after the edit.
    ///
    /// It is meaningful for an edit that [fits](Edit::fits) its text.
    pub fn range_after(&self) -> TextRange {
        TextRange::at(self.range.start(), TextSize::of(self.insert.as_str()))
    }
}

/// An [`Edit`] does not [fit](Edit::fits) the text it was to be applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidEdit;

impl fmt::Display for InvalidEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the range of the edit is not a range of the text")
    }
}

impl std::error::Error for InvalidEdit {}

/// Applies `edit` to `text`, or leaves the text as it is when the edit does not fit it.
///
/// # Errors
/// [`InvalidEdit`] when [`Edit::fits`] is false.
pub fn apply_edit(text: &mut String, edit: &Edit) -> Result<(), InvalidEdit> {
    if !edit.fits(text) {
        return Err(InvalidEdit);
    }
    text.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.insert);
    Ok(())
}

/// The smallest single edit that turns `old` into `new`, or `None` when they are equal.
///
/// The edit is what remains between the longest common prefix and the longest common suffix of the
/// rest, both cut back to character boundaries. `old` is no longer than [`MAX_LEN`].
pub fn minimal_edit(old: &str, new: &str) -> Option<Edit> {
    let mut prefix = common_prefix(old.as_bytes(), new.as_bytes());
    if prefix == old.len() && prefix == new.len() {
        return None;
    }
    // The bytes up to the cut are the same in both texts, so a cut is a boundary in both or none.
    while !old.is_char_boundary(prefix) {
        prefix -= 1;
    }
    let mut suffix = common_suffix(&old.as_bytes()[prefix..], &new.as_bytes()[prefix..]);
    while !old.is_char_boundary(old.len() - suffix) {
        suffix -= 1;
    }
    let end = old.len() - suffix;
    let size = |offset: usize| TextSize::new(offset.try_into().unwrap_or(u32::MAX));
    Some(Edit {
        range: TextRange::new(size(prefix), size(end)),
        insert: new[prefix..new.len() - suffix].to_owned(),
    })
}

/// Equality of slices is a `memcmp`, so whole chunks are skipped at the speed of memory.
const CHUNK: usize = 1024;

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let chunks = a.chunks_exact(CHUNK).zip(b.chunks_exact(CHUNK));
    let equal = CHUNK * chunks.take_while(|(a, b)| a == b).count();
    let rest = a[equal..].iter().zip(&b[equal..]);
    equal + rest.take_while(|(a, b)| a == b).count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let chunks = a.rchunks_exact(CHUNK).zip(b.rchunks_exact(CHUNK));
    let equal = CHUNK * chunks.take_while(|(a, b)| a == b).count();
    let rest = a[..a.len() - equal]
        .iter()
        .rev()
        .zip(b[..b.len() - equal].iter().rev());
    equal + rest.take_while(|(a, b)| a == b).count()
}
