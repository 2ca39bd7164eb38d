//! The preprocessor of C: conditions, and macros that stand for strings.

use rowan::TextRange;

use super::Literal;

/// The question of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// `#if` and `#elif`: the value of an expression.
    Value,
    /// `#ifdef` and `#ifndef`: whether a name is defined.
    Defined,
}

/// A condition under which a place is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// The question.
    pub test: Test,
    /// The expression or name.
    pub range: TextRange,
    /// Which answer the place needs.
    pub expected: bool,
}

/// A macro without parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Define {
    /// Its name.
    pub name: TextRange,
    /// The literals that it stands for; none if it stands for something else.
    pub literals: Option<Vec<Literal>>,
}

/// An `#if` that is open.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    /// The branches before the one here, and that one.
    pub(super) conditions: Vec<Condition>,
    /// The braces that were open before it.
    pub(super) blocks: Vec<u32>,
}

impl Level {
    /// The branch here ends: what it needed is false in the next ones.
    pub(super) fn next_branch(&mut self) {
        if let Some(last) = self.conditions.last_mut() {
            last.expected = !last.expected;
        }
    }
}
