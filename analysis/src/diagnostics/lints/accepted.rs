//! A statement that the tables accept.

use isa::matcher::{Fit, Statement};
use syntax::{Cursor, CursorToken};

/// A statement that a variant of the tables fits.
pub(in crate::diagnostics) struct Accepted<'a> {
    /// The opcode.
    pub(in crate::diagnostics) opcode: CursorToken<'a>,
    /// The words after it.
    pub(in crate::diagnostics) modifiers: &'a [CursorToken<'a>],
    /// The operands in the text.
    pub(in crate::diagnostics) nodes: &'a [Cursor<'a>],
    /// The statement as the tables see it.
    pub(in crate::diagnostics) statement: &'a Statement<'a>,
    /// How it fits.
    pub(in crate::diagnostics) fit: &'a Fit<'a>,
}
