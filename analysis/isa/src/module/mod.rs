//! The header of a module: versions and targets, releases, directives.

pub mod directive;
pub mod performance;
pub mod release;
pub mod target;
