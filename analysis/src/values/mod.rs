//! The values of registers: the one engine that follows values from instruction to instruction.
//!
//! A value is a node of a graph, see [`isa::compute::Graph`]: an expression over leaves, which are what a function is
//! given, what it loads, and what several writes leave. Everything that is said of a value is asked of its node: its
//! number, its known bits, its text, its numbers in the lanes of a warp, and by how much another one differs.
//!
//! An engine is made for a question, or for all questions about one function. It looks at each instruction once, and
//! only at those from which a value comes that was asked for.

mod addresses;
pub(crate) mod divergence;
mod dominance;
mod elements;
mod engine;
mod guards;
pub(crate) mod joins;
pub(crate) mod lanes;
pub(crate) mod memory;
pub(crate) mod names;
mod origins;
mod paths;
mod phis;
pub(crate) mod sampling;
mod sources;
mod sums;
#[cfg(test)]
mod tests;
pub(crate) mod variables;

pub(crate) use self::{
    engine::{Leaf, Purpose, Values},
    sums::{Origin, Sum},
};
