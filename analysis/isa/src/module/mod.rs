//! What a module says of itself: versions and targets, releases, directives.

pub mod directive;
pub mod performance;
pub mod release;
pub mod target;
