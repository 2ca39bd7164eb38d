//! What ptxas rejects, and what it reads over, by subject; the fixes of a rule stand beside it.

pub(in crate::diagnostics) mod calls;
pub(in crate::diagnostics) mod declarations;
pub(in crate::diagnostics) mod directives;
mod gates;
pub(in crate::diagnostics) mod instructions;
pub(in crate::diagnostics) mod names;
