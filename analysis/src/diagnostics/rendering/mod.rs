//! How findings become the diagnostics that a user sees: severities, texts, places in the file.

mod advice;
pub(in crate::diagnostics) mod compiler;
pub(in crate::diagnostics) mod foreign;
pub(in crate::diagnostics) mod join;
pub(in crate::diagnostics) mod levels;
pub(in crate::diagnostics) mod runs;
pub(in crate::diagnostics) mod syntax_errors;
