//! Tests of the whole crate.

mod incremental;
mod robustness;
