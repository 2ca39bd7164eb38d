//! Calls, and what is done with parameters.

mod abi;
pub(in crate::diagnostics) mod arguments;
pub(in crate::diagnostics) mod check;
pub(in crate::diagnostics) mod context;
mod parameter_access;
pub(in crate::diagnostics) mod prototype_fixes;
pub(in crate::diagnostics) mod prototypes;
#[cfg(test)]
mod tests;
