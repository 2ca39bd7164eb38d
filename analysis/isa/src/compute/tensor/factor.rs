//! Factors of products: from chunks of shared memory to matrices.

use super::{TensorMemory, decode::Packing};
use crate::matrix::shared::SharedMatrix;

/// A part of a matrix in shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Whether neighbours are along M or N.
    pub(super) across: bool,
    /// The first row along M or N, a multiple of 8.
    pub(super) first: usize,
    /// The rows along M or N.
    pub(super) count: usize,
    /// The place of that row among those that are read together.
    pub(super) to: usize,
    /// The elements along K.
    pub(super) depth: usize,
    pub(super) packing: Packing,
}

impl Part {
    /// Calls `act` with each element along M or N and along K, its code, and whether it is undefined.
    pub(super) fn for_each(
        &self,
        (cta, matrix): (usize, &SharedMatrix),
        memory: &mut impl TensorMemory,
        mut act: impl FnMut(usize, usize, u32, bool),
    ) {
        let each = self.packing.count;
        if !self.across {
            for row in 0..self.count {
                for chunk in 0..self.depth.div_ceil(each) {
                    let address = matrix.along_depth((self.first + row) as u32, chunk as u32);
                    let found = memory.shared(cta, address);
                    for index in 0..each.min(self.depth - chunk * each) {
                        let code = self.packing.code(found.bits, index);
                        act(row, chunk * each + index, code, found.undefined);
                    }
                }
            }
            return;
        }
        for depth in 0..self.depth {
            let (first, last) = (self.first / each, (self.first + self.count).div_ceil(each));
            for chunk in first..last {
                let found = memory.shared(cta, matrix.across_depth(chunk as u32, depth as u32));
                for index in 0..each {
                    let row = (chunk * each + index).wrapping_sub(self.first);
                    if row < self.count {
                        let code = self.packing.code(found.bits, index);
                        act(row, depth, code, found.undefined);
                    }
                }
            }
        }
    }
}
