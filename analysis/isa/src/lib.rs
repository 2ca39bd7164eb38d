//! The PTX instruction set as data.
//!
//! The tables (`tables/*.isa`) are written in a notation close to the Syntax blocks of the manual, so
//! that a person can hold a table beside the manual. The rooms of this crate:
//!
//! - [`operands`]: types, registers and special registers, what a word with a period is;
//! - [`module`]: versions and targets, releases of CUDA, directives;
//! - [`declarations`]: variables, parameters, initial values, calls;
//! - [`mod@tables`]: the notation of the tables, and what they become;
//! - [`matching`]: which variant of an instruction fits a statement, why the others do not, what may follow;
//! - [`hardware`]: limits of targets, occupancy, costs;
//! - [`matrix`]: fragments of matrices and the bits of descriptors;
//! - [`compute`]: the evaluator of instructions;
//! - [`docs`]: the documentation of the language.
//!
//! This crate knows neither salsa nor rowan nor LSP and does no I/O.

pub mod compute;
pub mod declarations;
pub mod docs;
pub mod hardware;
pub mod matching;
pub mod matrix;
pub mod module;
pub mod operands;
pub mod tables;
#[cfg(test)]
mod tests;

pub use declarations::{call, initializer, parameter, system_call, variable};
pub use docs::{documentation, snippets, usage};
pub use hardware::{cost, limits, occupancy, peaks};
pub use matching::{binding, completion, matcher, messages, quirks, recipes};
pub use matrix::{descriptor, layout, swizzle};
pub use module::{directive, performance, release, target};
pub use operands::{operand, special, types, word_class};
pub use tables::{
    NotationError, computation, condition, event, kind, role, semantics, strength,
    table::{self, Tables, tables},
};
