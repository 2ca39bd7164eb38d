//! A problem that a rule finds, with places that do not depend on where its item is in the file.

use crate::{
    Severity,
    diagnostics::{fix::Repair, place::Place, registry::DiagnosticCode},
};

use syntax::TextRange;

/// A problem, with places that do not depend on where its item is in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::diagnostics) struct Finding {
    /// Where, relative to the item.
    pub(in crate::diagnostics) range: TextRange,
    pub(in crate::diagnostics) severity: Severity,
    pub(in crate::diagnostics) code: &'static str,
    /// The message; [`LINE`] stands for the line of the first related place, and [`MORE`] at its end for a count.
    pub(in crate::diagnostics) message: String,
    pub(in crate::diagnostics) help: Option<String>,
    pub(in crate::diagnostics) related: Vec<(Place, &'static str)>,
    pub(in crate::diagnostics) fixes: Vec<Repair>,
}

/// Represents a line number in a message, which is known at the end only. No PTX name contains it.
pub(in crate::diagnostics) const LINE: &str = "{line}";

/// Represents, at the end of a message, how many more such findings the file has: the first one of a code speaks for all
/// of them that end so.
pub(in crate::diagnostics) const MORE: &str = "{more}";

/// A finding as bad as its code says; rules may say otherwise, and in the end the settings and comments.
pub(in crate::diagnostics) fn finding(
    range: TextRange,
    code: &'static DiagnosticCode,
    message: String,
    help: Option<String>,
) -> Finding {
    Finding {
        range,
        severity: code.severity(),
        code: code.name,
        message,
        help,
        related: Vec::new(),
        fixes: Vec::new(),
    }
}
