//! The lints of single statements that fit the tables.

use crate::diagnostics::{
    finding::Finding,
    lints::{
        accepted::Accepted, deprecated_form, integer_division, modifier_order, slow_f64,
        truncated_immediate,
    },
};

/// Advice about a statement that ptxas accepts, whatever its names stand for.
pub(in crate::diagnostics) fn check(accepted: &Accepted<'_>, findings: &mut Vec<Finding>) {
    deprecated_form::check(accepted, findings);
    modifier_order::check(accepted, findings);
    truncated_immediate::check(accepted, findings);
    integer_division::check(accepted, findings);
    slow_f64::check(accepted, findings);
}
