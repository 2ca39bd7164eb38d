//! The parse of a whole file.

use crate::{
    Green, ItemErrors, grammar,
    parser::{errors_by_child, parse_part},
};

/// Result of parsing a whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parse {
    /// The tree; its text is the text of the file.
    pub tree: Green,
    /// The errors, per child of the root and relative to it.
    pub errors: ItemErrors,
    /// Whether a string or comment is not closed, so that an edit anywhere may change tokens far away.
    pub(crate) unterminated: bool,
}

/// Parses a file of at most `u32::MAX` bytes. Never fails.
#[must_use]
pub fn parse(text: &str) -> Parse {
    let part = parse_part(text, 0, grammar::source_file);
    let errors = errors_by_child(&part.tree, part.errors);
    Parse {
        tree: Green::new(part.tree),
        errors,
        unterminated: part.unterminated,
    }
}
