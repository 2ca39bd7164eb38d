//! Turns of loops that ptxas puts together.

use crate::flow::{facts::Step, ids::BlockId};

/// A loop that is unrolled.
#[derive(Debug)]
pub(super) struct Unrolled {
    /// Its first block and the last that runs.
    pub(super) first: BlockId,
    pub(super) last: BlockId,
    /// The instructions of all turns in the order in which they run, without branches.
    pub(super) steps: Vec<(Step, Fate)>,
}

/// The fate of an instruction when its loop is unrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is done.
    Stays,
    /// Its result is a constant.
    Constant,
    /// Its result is another value and a constant, which instructions take as one operand.
    Offset,
}
