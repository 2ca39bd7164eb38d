//! Directives: what a module starts with, and what declares neither a variable nor a function.

mod alias;
mod attributes;
pub(in crate::diagnostics) mod check;
mod context;
pub(in crate::diagnostics) mod debug;
mod module_header;
mod numbers;
mod pragma;
mod sections;
mod target_words;
#[cfg(test)]
mod tests;
pub(in crate::diagnostics) mod tuning;

pub(in crate::diagnostics) use module_header::NO_HEADER;
