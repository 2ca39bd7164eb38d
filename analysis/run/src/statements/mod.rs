//! Statements on values of their operands: a module is made around them, and each step is kept.
//!
//! Registers that the text does not declare are its operands; their types are those that all their uses take. There is
//! one thread, or a warp if a value depends on the lane or lanes work together.

mod form;
mod prepare;
mod show;
mod steps;
#[cfg(test)]
mod tests;
mod value;

use analysis::code::{Code, Slot};
use isa::types::Class;

pub use self::{form::Form, show::show};
use crate::{debug::Row, outcome::Finding};

/// Statements that can run.
#[derive(Clone, Debug)]
pub struct Statements {
    /// The statements as they run, each with its semicolon.
    pub text: String,
    /// The name of the target for which they are read.
    pub target: String,
    /// The registers that the text does not declare: those with numbers by their numbers, else in the order of the text.
    pub operands: Vec<Operand>,
    code: Code,
    /// The start of the statements in the module.
    start: usize,
    /// Whether lanes work together, so that a warp is needed.
    is_warp: bool,
}

/// A register of the statements that has a value before or after them.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// The name as it is written.
    pub name: String,
    /// The type of the register.
    pub class: Class,
    /// The type under which the first instruction that reads it, or the last one that writes it, uses it.
    pub form: Form,
    /// Whether it is read before it is written for certain.
    pub read: bool,
    /// Whether it is written.
    pub written: bool,
    slot: Slot,
}

/// A place in a text that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The sentence.
    pub message: String,
    /// The bytes of [`Problem::text`] that it is about.
    pub range: Option<std::ops::Range<usize>>,
    /// The statements as they were read.
    pub text: String,
}

/// Statements that have run.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The values of operands before, by their indices in [`Statements::operands`].
    pub given: Vec<(usize, Row)>,
    /// The values of written operands afterwards, by their indices.
    pub results: Vec<(usize, Row)>,
    /// The instructions that ran, in their order; at most [`MOST_STEPS`].
    pub steps: Vec<Step>,
    /// The number of instructions that ran and are not among the steps.
    pub more: u64,
    /// The lanes that there are: one, or 32.
    pub lanes: usize,
    /// The mistakes.
    pub findings: Vec<Finding>,
    /// The instructions that cannot be run yet, of which one was reached.
    pub not_run: Vec<String>,
    /// Whether the run reached its limit.
    pub is_limited: bool,
    /// The results that PTX leaves open and that were computed in one of the allowed ways.
    pub approximated: Vec<&'static str>,
}

/// The most steps that are kept.
pub const MOST_STEPS: usize = 200;
/// The most instructions that run.
const MOST_INSTRUCTIONS: u64 = 1 << 20;

/// An instruction that ran.
#[derive(Clone, Debug)]
pub struct Step {
    /// The statement.
    pub text: String,
    /// The lanes that ran it, as a mask: those in which its guard holds.
    pub lanes: u32,
    /// The registers that it wrote, with their values.
    pub written: Vec<(String, Form, Row)>,
}
