//! Problems that ptxas rejects, and words that it ignores, by subject; the fixes of a rule are beside it.

pub(in crate::diagnostics) mod calls;
pub(in crate::diagnostics) mod declarations;
pub(in crate::diagnostics) mod directives;
pub(crate) mod gates;
pub(in crate::diagnostics) mod generation;
pub(crate) mod instructions;
pub(in crate::diagnostics) mod names;
