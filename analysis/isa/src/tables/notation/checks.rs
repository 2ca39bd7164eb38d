//! Mistakes in what an instruction computes.

use super::raw::Block;
use crate::tables::{computation::Computation, instruction::Instruction};

/// The first mistake in the computation of a block.
pub(super) fn check(
    _block: &Block,
    _computation: &Computation,
    _instructions: &[&Instruction],
    _ignored: &[&'static str],
) -> Option<(usize, String)> {
    None
}
