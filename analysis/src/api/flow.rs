//! The flow of a function and the live ranges of its registers, for display.

use std::ops::Range;

use syntax::TextRange;

use crate::LiveIn;

/// The control-flow graph of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowGraph {
    /// The name of the function.
    pub function: String,
    /// Where the name appears.
    pub name_range: TextRange,
    /// Its basic blocks; control starts in the first.
    pub blocks: Vec<FlowBlock>,
    /// The ways among them, by the block that they leave.
    pub edges: Vec<FlowEdge>,
    /// How many ways through tables are left out because there are too many.
    pub left_out: usize,
    /// Where the live registers of blocks are counted.
    pub counted: LiveIn,
}

/// A basic block: instructions that control enters at the first and leaves behind the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowBlock {
    /// From the first instruction to the last; empty for the block that stands for all labels, where a
    /// branch goes whose targets are not known, and for one that stands for the targets of a table.
    pub range: TextRange,
    /// The label before the first instruction, if the function uses one; the name of a table.
    pub label: Option<String>,
    /// The instructions.
    pub instructions: Vec<FlowInstruction>,
    /// The most 32-bit registers that are live at a line of the block, unless `ptxas` made no machine code of it.
    pub live: Option<u32>,
    /// How many loops surround the block.
    pub loop_depth: u32,
    /// Whether a loop starts here.
    pub loop_head: bool,
    /// Whether control may get here.
    pub reachable: bool,
    /// Whether control may leave the function here.
    pub leaves: bool,
    /// The asynchronous operations that may be in flight in it.
    pub in_flight: Vec<InFlight>,
}

impl FlowBlock {
    /// The names of the asynchronous operations that may be in flight in it, each once.
    #[must_use]
    pub fn operations_in_flight(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.in_flight.iter().map(|it| it.operations).collect();
        names.dedup();
        names
    }
}

/// Instructions of a block during which asynchronous operations may be in flight: from the one that starts them to the
/// wait for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InFlight {
    /// The name of the operations.
    pub operations: &'static str,
    /// Their indices in the instructions of the block.
    pub instructions: Range<usize>,
}

/// An instruction of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowInstruction {
    /// The whole statement.
    pub range: TextRange,
    /// Its text on one line, without comments.
    pub text: String,
}

/// A way from one block to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowEdge {
    /// Index of the block that control leaves.
    pub from: u32,
    /// Index of the block that it enters.
    pub to: u32,
    /// Why it goes there.
    pub kind: FlowEdgeKind,
    /// Whether this closes a loop.
    pub back: bool,
}

/// Why control goes from one block to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlowEdgeKind {
    /// The other block is the next one in the text.
    Fallthrough,
    /// A branch without guard.
    Branch,
    /// A branch whose guard holds.
    Taken,
    /// A branch through a table of targets.
    Table,
}

impl FlowEdgeKind {
    /// A word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FlowEdgeKind::Fallthrough => "fallthrough",
            FlowEdgeKind::Branch => "branch",
            FlowEdgeKind::Taken => "taken",
            FlowEdgeKind::Table => "table",
        }
    }
}

/// Where a register holds a value that is still read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveRange {
    /// The name of the register.
    pub register: String,
    /// The declared type, such as `.b32`; empty if the text has none.
    pub ty: String,
    /// How many 32-bit registers of a thread it takes; 0 for a predicate.
    pub weight: u32,
    /// Runs of instructions at which it is live, in the order of the text.
    pub ranges: Vec<TextRange>,
    /// Whether it is live where most registers of the function are.
    pub crosses_peak: bool,
    /// Whether it probably takes no register of a thread: a constant, a parameter of an entry, or what is
    /// the same in all threads.
    pub free: bool,
    /// Where it is written.
    pub definitions: Vec<TextRange>,
    /// Where it is read.
    pub uses: Vec<TextRange>,
}

/// Where the value of a register comes from and where it goes, as far as registers carry it: not through memory, and
/// without the branches that decide between writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueSlice {
    /// The name of the register.
    pub register: String,
    /// The word that was asked about.
    pub origin: TextRange,
    /// The name in the instructions whose writes reach it, or the word itself where it is written.
    pub definitions: Vec<TextRange>,
    /// The name where these writes are read.
    pub uses: Vec<TextRange>,
    /// The instructions that the value was computed by, in the order of the text.
    pub backward: Vec<TextRange>,
    /// The instructions that are computed from it, in the order of the text.
    pub forward: Vec<TextRange>,
}
