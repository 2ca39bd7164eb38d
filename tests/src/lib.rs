//! Helpers shared by the tests and benches: a language client in memory, PTX to work on, and
//! random edits.

#![expect(
    clippy::missing_panics_doc,
    reason = "helpers of tests fail by panicking"
)]

pub mod binary;
pub mod client;
pub mod conformance;
pub mod fixtures;
pub mod fuzz;
pub mod generate;
pub mod imports;
pub mod mutate;
pub mod pipeline;
pub mod process;
pub mod properties;
pub mod rooms;
pub mod session;
pub mod words;
pub mod workspace;
