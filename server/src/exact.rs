//! Exact mode: `ptxas`, if the user has it, says what it thinks of a file.
//!
//! [`find`] decides which program may be run, [`process`] runs it within limits, [`output`]
//! reads what it prints, and [`compile`] does all of it for one file. `analysis/docs/exact-mode.md` tells users
//! what is run, and why that is safe.

pub(crate) mod compile;
pub(crate) mod find;
pub(crate) mod jobs;
mod output;
mod process;
#[cfg(all(test, unix))]
mod tests;
