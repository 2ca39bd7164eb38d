//! The passes over the lanes in which a program is run that only computes, or accesses memory and does nothing else.
//!
//! Most programs of integers extend their operands, compute in 64 bits and cut the result to 32: up to four passes, of
//! which one is enough. A [`Word`] is what such steps compute together, in 32 bits, which is also what the processor
//! has vectors for. All other steps are passes of their own.

use super::node::Node;

/// One pass over the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// A step as it is.
    Step(Node),
    /// Steps that are one operation on words, and the last of them, whose value it gives.
    Word(Node, Word, [Node; 3]),
}

/// An operation on the low 32 bits of its operands; the bits of the result above them are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Add,
    Subtract,
    Multiply,
    MultiplyAdd,
    /// 0 by 32 bits or more.
    ShiftLeft,
    /// Filled with 0.
    ShiftRight,
    /// Filled with the sign.
    ShiftRightSigned,
    MinimumSigned,
    MaximumSigned,
    Minimum,
    Maximum,
    /// 0 or 1, as the others that compare.
    Equal,
    NotEqual,
    Less,
    LessEqual,
    LessSigned,
    LessEqualSigned,
}

impl Pass {
    /// The node whose value it gives.
    pub(super) fn node(self) -> Node {
        match self {
            Pass::Step(node) | Pass::Word(node, ..) => node,
        }
    }
}
