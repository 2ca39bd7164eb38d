//! Declarations of variables and parameters.

mod attributes;
mod context;
mod initializers;
mod parameter_words;
pub(in crate::diagnostics) mod parameters;
mod storage;
#[cfg(test)]
mod tests;
pub(in crate::diagnostics) mod variables;
