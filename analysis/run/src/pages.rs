//! The pages about findings.

mod tests;
