//! The rounded operations, and what a run of one needs to know.

use super::{format::Format, number::Number, rounding::Rounding};

/// An operation whose exact result is rounded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// `a`.
    Convert,
    /// `a + b`.
    Add,
    /// `a - b`.
    Subtract,
    /// `a * b`.
    Multiply,
    /// `a * b + c`.
    MultiplyAdd,
    /// `a / b`.
    Divide,
    /// `sqrt(a)`.
    SquareRoot,
}

impl Operation {
    /// Returns the number of operands.
    pub const fn operands(self) -> usize {
        match self {
            Self::Convert | Self::SquareRoot => 1,
            Self::Add | Self::Subtract | Self::Multiply | Self::Divide => 2,
            Self::MultiplyAdd => 3,
        }
    }

    /// Returns the exact result.
    ///
    /// # Panics
    ///
    /// If there are fewer operands than [`Self::operands`].
    pub fn exact(self, operands: &[Number]) -> Number {
        match (self, operands) {
            (Self::Convert, &[a, ..]) => a,
            (Self::SquareRoot, &[a, ..]) => a.sqrt(),
            (Self::Add, &[a, b, ..]) => a + b,
            (Self::Subtract, &[a, b, ..]) => a - b,
            (Self::Multiply, &[a, b, ..]) => a * b,
            (Self::Divide, &[a, b, ..]) => a / b,
            (Self::MultiplyAdd, &[a, b, c, ..]) => a.mul_add(b, c),
            _ => panic!("{self:?} of {} operands", operands.len()),
        }
    }
}

/// An operation, the formats of its operands and its result, and how it is rounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounded<'a> {
    pub(super) op: Operation,
    pub(super) formats: &'a [Format],
    pub(super) to: Format,
    pub(super) rounding: Rounding,
    /// Whether the largest number takes the place of infinity.
    pub(super) finite: bool,
}
