//! A statement that the tables accept.

use isa::matcher::{Fit, Statement};

use crate::hir::instruction::Ranges;

/// A statement that a variant of the tables fits.
pub(in crate::diagnostics) struct Accepted<'a> {
    /// The statement as the tables see it.
    pub(in crate::diagnostics) statement: &'a Statement<'a>,
    /// How it fits.
    pub(in crate::diagnostics) fit: &'a Fit<'a>,
    /// Where its parts are.
    pub(in crate::diagnostics) ranges: &'a Ranges,
}
