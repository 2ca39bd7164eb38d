//! Fragments of matrices: which lane, register and element holds which row and column.
//!
//! Every layout of the manual (PTX ISA 9.7.15 to 9.7.17) is a sum of terms, each of which takes some digits of
//! the number of the lane, of the register in its vector, or of the element in the register, and counts them
//! towards the row, the column or the number of the matrix. Formulas for people and positions come from the
//! same terms, so they cannot disagree.

mod catalog;
mod chosen;
mod formula;
mod fragments;
#[cfg(test)]
mod tests;

pub use catalog::{CATALOG, Example};
pub use chosen::chosen_layout;
pub use formula::Formula;
pub use fragments::{Shape, layout};

/// Where a digit of a position comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigitSource {
    /// The thread in its warp, or in its warpgroup for fragments of 128 lanes.
    Lane,
    /// The register in its vector.
    Register,
    /// The element in its register, the one in the lowest bits first.
    Element,
}

/// The coordinate that a digit counts towards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Which of several matrices.
    Part,
    /// The row.
    Row,
    /// The column.
    Column,
}

/// `source / divide % modulo * times`, added to an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The number that is split into digits.
    pub source: DigitSource,
    /// Weight of the digit in the source.
    pub divide: u32,
    /// Number of values of the digit.
    pub modulo: u32,
    /// Weight of the digit in the axis.
    pub times: u32,
    /// The axis.
    pub axis: Axis,
}

impl Term {
    const fn new(source: DigitSource, divide: u32, modulo: u32, times: u32, axis: Axis) -> Term {
        Term {
            source,
            divide,
            modulo,
            times,
            axis,
        }
    }

    fn value(self, number: u32) -> u32 {
        number / self.divide % self.modulo * self.times
    }
}

/// A place in one of the matrices of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Which matrix; 0 where there is only one.
    pub part: u32,
    /// The row.
    pub row: u32,
    /// The column; of a sparse matrix the number among the elements of the row that are kept.
    pub column: u32,
}

/// How one operand of an instruction is spread over lanes and registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// The operand, by its name in the tables.
    pub operand: &'static str,
    /// The name of the matrix: `A`.
    pub matrix: &'static str,
    /// Lanes that hold it: 32, or 128 for a warpgroup.
    pub lanes: u32,
    /// Registers in the vector of a lane.
    pub registers: u32,
    /// Elements in a register.
    pub elements: u32,
    /// The name of the parts that [`Position::part`] counts, and how many there are: `("matrix", 4)`.
    pub parts: (&'static str, u32),
    /// Rows of a matrix.
    pub rows: u32,
    /// Columns of a matrix; of a sparse one those that are kept, which is half of them.
    pub columns: u32,
    /// How many neighbours of a row of a sparse matrix are kept, of how many.
    pub kept: Option<(u32, u32)>,
    /// The digits.
    pub terms: Vec<Term>,
}

impl Fragment {
    /// The contents of an element of a register of a lane.
    #[must_use]
    pub fn position(&self, lane: u32, register: u32, element: u32) -> Position {
        let mut found = Position {
            part: 0,
            row: 0,
            column: 0,
        };
        for term in &self.terms {
            let value = term.value(match term.source {
                DigitSource::Lane => lane,
                DigitSource::Register => register,
                DigitSource::Element => element,
            });
            match term.axis {
                Axis::Part => found.part += value,
                Axis::Row => found.row += value,
                Axis::Column => found.column += value,
            }
        }
        found
    }
}

/// The known facts about the operands of a matrix instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The fragments of its operands. An operand may also be something else, a descriptor for one.
    Fragments(Vec<Fragment>),
    /// The operands with these names hold fragments of which nobody says how they are spread.
    Unspecified(&'static [&'static str]),
}
