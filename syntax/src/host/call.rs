//! Arguments of calls in Python and Rust that are put together from strings.

use rowan::TextRange;

use super::{Part, scan::range};

/// An argument of a call.
#[derive(Debug, Default)]
pub(super) struct Argument {
    /// The name before `=`.
    pub(super) name: Option<TextRange>,
    /// All of it, after that name.
    pub(super) range: TextRange,
    /// The strings it is put together from.
    pub(super) parts: Vec<Part>,
}

impl Argument {
    /// Adds what is unknown.
    pub(super) fn unknown(&mut self, from: usize, to: usize) {
        let range = range(from, to);
        match self.parts.last_mut() {
            Some(Part::Unknown(last)) => *last = last.cover(range),
            _ => self.parts.push(Part::Unknown(range)),
        }
    }

    /// Whether it has a literal and nothing that is not a string.
    pub(super) fn has_literal(&self) -> bool {
        self.parts.iter().any(|it| matches!(it, Part::Literal(_)))
    }
}
