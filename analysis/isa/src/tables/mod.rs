//! The tables of the instruction set: their notation, and what they become.

pub mod computation;
pub mod condition;
pub mod event;
pub(crate) mod instruction;
pub mod kind;
mod notation;
mod primitive;
pub mod role;
pub mod semantics;
pub mod strength;
pub mod table;
#[cfg(test)]
mod tests;
pub(crate) mod word_set;

pub use notation::NotationError;
