//! Reads the tables.
//!
//! ```text
//! set float = f32 f64                    words with a name, for values
//!
//! instr add                              9.7.1.1
//!   add{.sat}.type d, a, b @1.0          a variant: words, operands, gate
//!     type = u16 s16 | u32 s32 @2.0 sm_20          values, groups with gates
//!     when .sat: type = s32              a rule: a condition and what it requires
//!     when .sat, type = u32 @9.2 sm_120f           a combination with a gate
//!   d: reg(type)                         operands, for all variants of the instruction
//!   a b: src(type)
//! ```
//!
//! A definition that is indented deeper than the variants belongs to the variant above it, others to the
//! whole instruction. `name! = …` is a slot whose word must directly follow the opcode. In a head,
//! `.word` is a slot if one has that name, else the word itself; `{.word}` may be left out; `$` stands for
//! the opcode where one table serves several instructions.
//!
//! Operands: `a` is there, `a?` may be, `a: … if .word` is there if the condition holds and only then;
//! `[a]`, `[a, b]`, `[a].unified`; `d|p`, `d|p?`.
//!
//! Conditions: `a, b or c` is `(a and b) or c`. An atom is `.word`, `slot`, `slot = values`,
//! `slot != values`, `slot == slot`, `has operand`, `version >= 7.0`, `target >= sm_70`,
//! `target in sm_90a sm_100a`, `(expression) <= (expression)`; `!` negates the first two and `has`.
//!
//! Kinds are listed in `kinds.rs`, numbers of conditions are read in `conditions.rs`; facts are read in `facts.rs`,
//! and what an instruction computes in `computations.rs` and `expressions.rs`.

mod build;
mod checks;
mod computations;
mod conditions;
mod expressions;
mod facts;
mod heading;
mod kinds;
mod names;
mod outline;
mod raw;
mod scanner;
mod scope;
#[cfg(test)]
mod tests;

use std::fmt;

pub(crate) use outline::Outline;

/// A mistake in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotationError {
    /// Name of the table.
    pub file: &'static str,
    /// Line, from 1.
    pub line: usize,
    /// The problem.
    pub message: String,
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}
