//! The documentation of the language, snippets, and how often its words are used.

pub mod documentation;
pub mod snippets;
pub mod usage;
