//! The sources of leaves in lanes, and the places where values of several writes meet.

use std::rc::Rc;

use isa::compute::Node;

use super::sampling::Style;
use crate::flow::ids::BlockId;

/// Where a leaf comes from.
#[derive(Clone)]
pub(crate) enum LeafSource {
    /// The index of the thread along an axis.
    Tid(usize),
    /// The threads of a block along an axis.
    Threads(usize),
    /// The number of the lane.
    Lane,
    /// A function of the number of the lane.
    Mask(fn(u32) -> u64),
    /// Something that all threads of a block share, by its key.
    Uniform(u64, Style),
    /// The result of an instruction of a block, which lanes share if they share these nodes.
    Read(Rc<[Node]>, BlockId),
    /// The result of one of several writes.
    Phi(Rc<Phi>),
    /// Something that may differ between lanes.
    Varying,
}

/// A place where several values of a register meet.
pub(crate) struct Phi {
    pub(super) join: Rc<Join>,
    /// The loop whose head the place is.
    pub(crate) index: Option<u32>,
    /// The values at the ends of the blocks before, those in the loop left out.
    pub(crate) entry: Vec<(BlockId, Node)>,
    /// Those of the blocks in the loop.
    pub(crate) back: Vec<(BlockId, Node)>,
}

impl Phi {
    /// Its values, of all ways.
    pub(super) fn values(&self) -> impl Iterator<Item = Node> {
        self.entry.iter().chain(&self.back).map(|it| it.1)
    }
}

/// A block before which there are several.
pub(super) struct Join {
    pub(super) block: BlockId,
    /// The blocks whose branches decide from where control enters.
    pub(super) entry: Vec<BlockId>,
    /// The same within the loop whose head the block is.
    pub(super) back: Vec<BlockId>,
    /// The condition that decides, and on which side each block before is.
    pub(super) sides: Option<(Node, Vec<(BlockId, bool)>)>,
}

/// A parameter of the entry, or a part of one.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    /// Its name, with the offset of a part: `args[8]`.
    pub(crate) name: String,
    pub(super) bits: u32,
    /// Whether it is the start of an array.
    pub(crate) pointer: bool,
}

impl LeafSource {
    /// Whether it depends only on the place of the thread in its block and on the shape of that.
    pub(crate) fn is_place(&self) -> bool {
        matches!(
            self,
            LeafSource::Tid(_) | LeafSource::Threads(_) | LeafSource::Lane | LeafSource::Mask(_)
        )
    }

    /// The block in which it gets its value, if it has another one in each turn of a loop.
    pub(super) fn block(&self) -> Option<BlockId> {
        match self {
            LeafSource::Read(_, block) => Some(*block),
            LeafSource::Phi(phi) => Some(phi.join.block),
            _ => None,
        }
    }
}

/// The kinds of leaves from which a value is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OriginKinds {
    /// The address of a variable.
    pub(crate) variable: bool,
    /// The address of a variable whose size the launch states.
    pub(crate) external: bool,
    /// The start of an array that the launch passes.
    pub(crate) pointer: bool,
    /// The place of a thread in its block, or the shape of the block.
    pub(crate) place: bool,
}

impl OriginKinds {
    /// Adds kinds, and returns whether one was new.
    pub(super) fn add(&mut self, other: OriginKinds) -> bool {
        let before = *self;
        self.variable |= other.variable;
        self.external |= other.external;
        self.pointer |= other.pointer;
        self.place |= other.place;
        *self != before
    }
}
