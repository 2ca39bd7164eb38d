//! The PTX instruction set as data.
//!
//! The tables (`tables/*.isa`) are written in a notation close to the Syntax blocks of the manual, so
//! that a person can hold a table beside the manual; `notation` reads them, `table` is what they become,
//! `matcher` tells which variants of an instruction fit the words and operands of a statement, and why
//! the others do not. `target` knows versions and targets, `types` the type words and the registers that
//! hold them.
//!
//! This crate knows neither salsa nor rowan nor LSP and does no I/O.

pub mod accidents;
pub mod call;
pub mod condition;
pub mod control;
pub mod cost;
pub mod defaults;
pub mod descriptor;
pub mod directive;
pub mod documentation;
pub mod dotted;
mod explain;
pub mod initializer;
pub mod kind;
pub mod layout;
pub mod limits;
pub mod matcher;
mod notation;
pub mod occupancy;
pub mod operand;
pub mod parameter;
pub mod partial;
mod reading;
pub mod release;
pub mod role;
pub mod snippets;
pub mod special;
pub mod system_call;
pub mod table;
pub mod target;
#[cfg(test)]
mod tests;
pub mod tuning;
pub mod types;
pub mod usage;
pub mod variable;
pub mod vector;
pub mod words;

pub use notation::NotationError;
pub use table::{Tables, tables};
