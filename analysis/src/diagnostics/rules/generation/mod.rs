//! Problems that ptxas finds only when it generates code, so that `-arch compute_X` accepts it.
//!
//! Most of it concerns functions that an entry reaches only: ptxas drops the others before, unless it is called with
//! `--compile-only`. There it is a warning.

pub(in crate::diagnostics) mod check;
mod far_store;
mod memory;
mod missing_call;
mod missing_definition;
mod system_function;
#[cfg(test)]
mod tests;

/// The help of what concerns a function that no entry reaches.
fn dropped(name: &str) -> String {
    format!("ptxas rejects it only with `--compile-only`, as no entry uses `{name}`")
}
