//! The metadata of sparse factors in tensor memory, PTX ISA 9.7.17.10.8.

use super::{Cell, Plan, TensorMemory, TensorProblem, layout::LANES};
use crate::compute::{matrix::position, node::Node};

/// Metadata: four bits for each chunk of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// The address in tensor memory.
    pub address: Node,
}

/// The chunks of which a cell has the metadata.
const CELL_CHUNKS: usize = 8;

impl Metadata {
    /// Returns the column of each element of a that is there, row by row, and marks the rows with undefined metadata;
    /// `None` if tensor memory may not be read there. `kept` are the elements of a chunk that are there, and all of its
    /// elements. The positions in memory are those of CUTLASS, since the manual has them in figures only.
    pub(super) fn positions<const N: usize>(
        &self,
        before: &[[u64; N]],
        plan: &Plan,
        (kept, selector, peers): ((usize, usize), u32, usize),
        memory: &mut impl TensorMemory,
        undefined: &mut [bool],
    ) -> Result<Option<Vec<u16>>, TensorProblem> {
        let rows = plan.rows / peers.max(1);
        if rows != LANES as usize {
            return Err(TensorProblem::NotRun("metadata of fewer than 128 rows"));
        }
        let address = before[self.address as usize][0] as u32;
        let (lane, column) = (address >> 16, address & 0xFFFF);
        let (there, all) = kept;
        let chunks = plan.depth / all;
        let shares_cells = chunks <= CELL_CHUNKS;
        let column = match (shares_cells, selector) {
            (_, 0) => column,
            (false, _) => {
                return Err(TensorProblem::Operand(format!(
                    "the sparsity selector is {selector} and must be 0 for such types"
                )));
            }
            // The columns that it selects begin at an even one.
            (true, 1) if column.is_multiple_of(2) => column + 1,
            _ => return Err(TensorProblem::NotRun("such a sparsity selector")),
        };
        let columns = column..column + chunks.div_ceil(CELL_CHUNKS) as u32;
        for cta in 0..peers {
            if !memory.touch(cta, lane..lane + LANES, columns.clone(), false) {
                return Ok(None);
            }
        }
        let mut out = Vec::with_capacity(plan.rows * chunks * there);
        for (row, row_undefined) in undefined.iter_mut().enumerate().take(plan.rows) {
            for chunk in 0..chunks {
                let place = place(row % rows, chunk, shares_cells);
                let at = (lane + place.lane, column + place.column);
                let Cell {
                    bits,
                    undefined: is_undefined,
                } = memory.cell(row / rows, at.0, at.1);
                *row_undefined |= is_undefined;
                let code = (bits >> (4 * place.nibble) & 15) as usize;
                if !is_undefined && !is_valid(kept, code) {
                    return Err(TensorProblem::Operand(format!(
                        "the metadata {code:#06b} of chunk {chunk} in row {row} is not valid"
                    )));
                }
                let column = |index| (all * chunk + position(kept, code, index)) as u16;
                out.extend((0..there).map(column));
            }
        }
        Ok(Some(out))
    }
}

/// Whether the manual gives four bits a meaning: two elements of a chunk in their order, or one pair the other way.
fn is_valid(kept: (usize, usize), code: usize) -> bool {
    match kept {
        (1, _) => matches!(code, 0b0100 | 0b1110),
        _ => code & 3 < code >> 2 || code == 0b0110,
    }
}

/// Where the metadata of a chunk are, counted from the address.
#[derive(Debug, PartialEq)]
struct MetadataPlace {
    lane: u32,
    column: u32,
    nibble: u32,
}

/// The place of a chunk of a row of a CTA. Where a row has eight chunks, two rows share two cells: the rows of the first
/// half of 16 have the lower halves of cells, and each lane has four chunks.
fn place(row: usize, chunk: usize, shares_cells: bool) -> MetadataPlace {
    let (lane, column, nibble) = match shares_cells {
        true => (
            row / 16 * 16 + chunk / 4 * 8 + row % 8,
            0,
            row / 8 % 2 * 4 + chunk % 4,
        ),
        false => (row, chunk / CELL_CHUNKS, chunk % CELL_CHUNKS),
    };
    MetadataPlace {
        lane: lane as u32,
        column: column as u32,
        nibble: nibble as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_chunks() {
        let check = |row, chunk, shares_cells, (lane, column, nibble)| {
            let expected = MetadataPlace {
                lane,
                column,
                nibble,
            };
            assert_eq!(place(row, chunk, shares_cells), expected);
        };
        // Elements of 16 and 32 bits.
        check(0, 0, true, (0, 0, 0));
        check(3, 5, true, (11, 0, 1));
        check(9, 2, true, (1, 0, 6));
        check(127, 7, true, (127, 0, 7));
        // Smaller ones.
        check(9, 2, false, (9, 0, 2));
        check(127, 15, false, (127, 1, 7));
    }
}
