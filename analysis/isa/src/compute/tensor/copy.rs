//! Copies from shared memory to tensor memory.

use super::{Cell, TensorMemory, TensorProblem};
use crate::{
    compute::node::Node,
    matrix::{descriptor::Format, shared::SharedMatrix},
};

/// A copy of rows of shared memory to lanes of tensor memory.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorCopy {
    /// The address in tensor memory.
    pub address: Node,
    /// The descriptor of what is copied.
    pub descriptor: Node,
    /// The fields of the descriptor.
    pub format: Format,
    /// The rows of shared memory.
    pub rows: u32,
    /// The chunks of 16 bytes in a row.
    pub chunks: u32,
    /// For each 32 lanes of tensor memory the first row that they get.
    pub quarters: [u32; 4],
    /// The CTAs that copy, each in its own memory: 1 or 2.
    pub peers: u32,
}

/// Columns of a chunk.
const CHUNK_COLUMNS: u32 = 4;
/// The lanes that get rows together.
const QUARTER: u32 = 32;

impl TensorCopy {
    pub(super) fn for_each_node(&mut self, act: &mut impl FnMut(&mut Node)) {
        act(&mut self.address);
        act(&mut self.descriptor);
    }

    /// Copies.
    ///
    /// # Errors
    /// The reason for which nothing is written.
    pub fn run<const N: usize>(
        &self,
        before: &[[u64; N]],
        memory: &mut impl TensorMemory,
    ) -> Result<(), TensorProblem> {
        let bits = before[self.descriptor as usize][0];
        let Some(matrix) = SharedMatrix::decode(&self.format, bits) else {
            return Err(TensorProblem::NotRun("such a swizzle"));
        };
        let address = before[self.address as usize][0] as u32;
        let (lane, column) = (address >> 16, address & 0xFFFF);
        let columns = column..column + self.chunks * CHUNK_COLUMNS;
        for cta in 0..self.peers as usize {
            if !memory.touch(cta, lane..lane + 4 * QUARTER, columns.clone(), true) {
                return Ok(());
            }
            for row in 0..self.rows {
                for chunk in 0..self.chunks {
                    let found = memory.shared(cta, matrix.along_depth(row, chunk));
                    for (quarter, first) in (0..).zip(self.quarters) {
                        let Some(inside) = row.checked_sub(first).filter(|it| *it < QUARTER) else {
                            continue;
                        };
                        for word in 0..CHUNK_COLUMNS {
                            let cell = Cell {
                                bits: (found.bits >> (32 * word)) as u32,
                                undefined: found.undefined,
                            };
                            let at = (lane + quarter * QUARTER + inside, column + chunk * 4 + word);
                            memory.set_cell(cta, at.0, at.1, cell);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
