//! Accesses of memory: which bytes a full warp accesses, in how many sectors or with how many bank conflicts.
//!
//! Addresses are evaluated in samples of everything that is unknown, see [`crate::values::lanes`]. A figure is given only
//! if all samples agree on it.

mod costs;
mod fold;
mod overflow;
mod pattern;
mod sentence;
#[cfg(test)]
mod tests;
mod trips;

pub(crate) use costs::{costs, costs_of};
pub(crate) use fold::MANY_SECTORS;
pub(crate) use pattern::{accesses, accesses_of, largest_block, remarkable};
pub(crate) use sentence::{sentence, sentences};
