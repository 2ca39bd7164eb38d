//! Exact mode: `ptxas`, if the user has it, says what it thinks of a file.
//!
//! [`find`] decides which program may be run, [`process`] runs it within limits, [`output`] and [`live`]
//! read what it prints, and [`compile`] does all of it for one file. `analysis/docs/exact-mode.md` tells users
//! what is run, and why that is safe.

pub(crate) mod compile;
pub(crate) mod find;
pub(crate) mod jobs;
mod live;
mod output;
mod process;
pub(crate) mod results;
#[cfg(all(test, unix))]
mod tests;

use analysis::{CompilerMessage, ExactEntry};

/// What a run of `ptxas` found out about one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// The release of `ptxas`, such as `13.5.37`; empty if it does not say.
    pub(crate) release: String,
    /// The target that code was made for.
    pub(crate) target: String,
    /// Errors, warnings and remarks.
    pub(crate) messages: Vec<CompilerMessage>,
    /// The entries, in the order of `ptxas`; none when there was an error.
    pub(crate) entries: Vec<ExactEntry>,
}
