//! The rounded operations, on one lane and on many.

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
            (Self::Add, &[a, b, ..]) => a.add(b),
            (Self::Subtract, &[a, b, ..]) => a.sub(b),
            (Self::Multiply, &[a, b, ..]) => a.mul(b),
            (Self::Divide, &[a, b, ..]) => a.div(b),
            (Self::MultiplyAdd, &[a, b, c, ..]) => a.mul_add(b, c),
            _ => panic!("{self:?} of {} operands", operands.len()),
        }
    }
}

/// Computes `op` on `N` lanes: `operands` are the bits of values of `formats`, `out` those of `to`.
///
/// Random bits are the same on all lanes.
///
/// # Panics
///
/// If there are fewer operands or formats than [`Operation::operands`].
pub fn apply<const N: usize>(
    op: Operation,
    formats: &[Format],
    to: Format,
    rounding: Rounding,
    operands: &[&[u64; N]],
    out: &mut [u64; N],
) {
    let mut numbers = [Number::NAN; 3];
    let count = op.operands();
    for lane in 0..N {
        for index in 0..count {
            numbers[index] = Number::decode(formats[index], operands[index][lane]);
        }
        out[lane] = op.exact(&numbers[..count]).round(to, rounding);
    }
}
