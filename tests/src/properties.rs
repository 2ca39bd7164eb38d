//! Properties of every input. The property tests try them on fixtures and on random work, the fuzz
//! targets in `tests/fuzz` on whatever reaches new code.

pub mod answers;
pub mod binaries;
pub mod differences;
pub mod formatting;
pub mod hosts;
pub mod inputs;
pub mod settings;
pub mod statements;
pub mod streams;
pub mod trees;
