//! Operations of tensor cores: products whose factors lie in shared memory or in tensor memory.
//!
//! A program has the operands; who runs it has the memory, see [`TensorMemory`].

mod copy;
mod decode;
mod factor;
mod fifth;
mod layout;
mod metadata;
mod movement;
mod product;

pub use copy::TensorCopy;
pub use metadata::Metadata;
pub use movement::{TensorMovement, TensorReduction};
pub use product::{Products, TensorProblem};

use std::ops::Range;

use super::{
    matrix::{Matrix, Overflow, Product, Sparse},
    node::Node,
    value_type::ElementType,
};
use crate::matrix::descriptor::Format;

/// An operation of a tensor core.
#[derive(Clone, Debug, PartialEq)]
pub enum TensorStep {
    /// A product of matrices.
    Product(Box<TensorProduct>),
    /// Registers of a warp are read from tensor memory.
    Load(TensorMovement),
    /// Registers of a warp are written to tensor memory.
    Store(TensorMovement),
    /// Shared memory is copied to tensor memory.
    Copy(TensorCopy),
}

/// A product of matrices: `d = a * b`, or `d = d + a * b`.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorProduct {
    /// The matrix d.
    pub d: Accumulator,
    /// The factor on the left.
    pub a: Factor,
    /// The factor on the right.
    pub b: Factor,
    /// The shape and the types.
    pub shape: ProductShape,
    /// The truth that the old d is added.
    pub enable: Node,
    /// The sign of each factor, 1 or -1 of 64 bits.
    pub signs: [Option<Node>; 2],
    /// The product of two elements, of integers.
    pub product: Product,
    /// The positions of the elements of a, if it is sparse.
    pub sparse: Option<Sparse>,
}

/// A matrix that is added to.
#[derive(Clone, Debug, PartialEq)]
pub enum Accumulator {
    /// Registers of a warp, which holds 16 rows: those that are read.
    Registers(Matrix),
    /// Tensor memory from an address on.
    Tensor(Node),
}

/// A matrix that is multiplied.
#[derive(Clone, Debug, PartialEq)]
pub enum Factor {
    /// Registers of a warp, which holds 16 rows.
    Registers(Matrix),
    /// Shared memory.
    Shared {
        /// The descriptor.
        descriptor: Node,
        /// The fields of the descriptor.
        format: Format,
    },
    /// Tensor memory from an address on.
    Tensor(Node),
}

/// Where the shape and the types of a product come from.
#[derive(Clone, Debug, PartialEq)]
pub enum ProductShape {
    /// The words of the statement; the nodes say whether neighbours of a, and of b, are along M or N.
    Stated(Plan, [Option<Node>; 2]),
    /// An instruction descriptor.
    Described(InstructionDescriptor),
}

/// The operands of a product in tensor memory that tell its shape, and what is special about it.
#[derive(Clone, Debug, PartialEq)]
pub struct InstructionDescriptor {
    /// The descriptor.
    pub bits: Node,
    /// The fields of the descriptor.
    pub format: Format,
    /// Bytes along K of a dense factor in shared memory.
    pub depth: u32,
    /// Whether elements of 4 bits lie side by side in shared memory.
    pub packed: bool,
    /// The CTAs whose memories are used, 1 or 2.
    pub peers: u32,
    /// Whether the rows of the result lie side by side where they do not fill all lanes.
    pub stationary: bool,
    /// The rows that are not written, a bit for each lane of tensor memory in each CTA.
    pub disabled: Vec<Node>,
    /// By how many bits the old result is divided.
    pub shift: Option<Node>,
    /// The addresses in tensor memory of the factors of the blocks of a and b, and how many blocks there are along K.
    pub scales: Option<([Node; 2], usize)>,
    /// The zero-column mask descriptor.
    pub zero_columns: Option<Node>,
    /// The metadata of a, if it is sparse.
    pub metadata: Option<Metadata>,
}

/// The shape and the types of a product.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Rows of a and d, in all warps or CTAs together.
    pub rows: usize,
    /// Columns of b and d.
    pub columns: usize,
    /// Columns of a and rows of b, those of a sparse one that are left out too.
    pub depth: usize,
    /// The types of a, b and d.
    pub types: [ElementType; 3],
    /// Whether neighbours of a, and of b, are along M or N, and not along K.
    pub across: [bool; 2],
    /// The result where a sum of integers does not fit.
    pub overflow: Overflow,
}

/// 16 bytes of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The bytes, the first lowest.
    pub bits: u128,
    /// Whether some of them are undefined.
    pub undefined: bool,
}

/// A cell of tensor memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The bits.
    pub bits: u32,
    /// Whether some of them are undefined.
    pub undefined: bool,
}

/// The memory that a tensor core reads and writes. CTAs are those whose memories an operation uses: the first is 0.
pub trait TensorMemory {
    /// 16 bytes at an address of the shared memory of a CTA.
    fn shared(&mut self, cta: usize, address: u32) -> Chunk;

    /// Lanes and columns are about to be read or written; whether they may be.
    fn touch(&mut self, cta: usize, lanes: Range<u32>, columns: Range<u32>, writes: bool) -> bool;

    /// A cell by its lane and its column.
    fn cell(&self, cta: usize, lane: u32, column: u32) -> Cell;

    /// Writes a cell.
    fn set_cell(&mut self, cta: usize, lane: u32, column: u32, cell: Cell);
}

impl TensorStep {
    /// The CTAs whose memories it uses, 1 or 2.
    #[must_use]
    pub fn ctas(&self) -> usize {
        match self {
            TensorStep::Product(product) => match &product.shape {
                ProductShape::Described(descriptor) => descriptor.peers as usize,
                ProductShape::Stated(..) => 1,
            },
            TensorStep::Copy(copy) => copy.peers as usize,
            TensorStep::Load(_) | TensorStep::Store(_) => 1,
        }
    }

    /// Calls `act` with each node that is read.
    pub(super) fn for_each_node(&mut self, mut act: impl FnMut(&mut Node)) {
        match self {
            TensorStep::Product(product) => product.for_each_node(&mut act),
            TensorStep::Load(movement) | TensorStep::Store(movement) => {
                movement.for_each_node(&mut act);
            }
            TensorStep::Copy(copy) => copy.for_each_node(&mut act),
        }
    }

    /// Calls `act` with the nodes of the registers that are read when the operation runs and not when it is issued,
    /// with the truth that it writes them, too.
    pub fn for_each_register(&self, mut act: impl FnMut(Node, bool)) {
        match self {
            TensorStep::Product(product) => {
                if let Factor::Registers(matrix) = &product.a {
                    matrix.registers.iter().for_each(|it| act(*it, false));
                }
                if let Accumulator::Registers(matrix) = &product.d {
                    matrix.registers.iter().for_each(|it| act(*it, true));
                }
            }
            TensorStep::Store(movement) => {
                movement.registers.iter().for_each(|it| act(*it, false));
            }
            TensorStep::Load(_) | TensorStep::Copy(_) => {}
        }
    }
}

impl TensorProduct {
    fn for_each_node(&mut self, act: &mut impl FnMut(&mut Node)) {
        for factor in [&mut self.a, &mut self.b] {
            match factor {
                Factor::Registers(matrix) => matrix.registers.iter_mut().for_each(&mut *act),
                Factor::Shared { descriptor, .. } => act(descriptor),
                Factor::Tensor(address) => act(address),
            }
        }
        match &mut self.d {
            Accumulator::Registers(matrix) => matrix.registers.iter_mut().for_each(&mut *act),
            Accumulator::Tensor(address) => act(address),
        }
        act(&mut self.enable);
        self.signs.iter_mut().flatten().for_each(&mut *act);
        if let Some(sparse) = &mut self.sparse {
            act(&mut sparse.metadata);
            act(&mut sparse.selector);
        }
        if let ProductShape::Stated(_, across) = &mut self.shape {
            across.iter_mut().flatten().for_each(&mut *act);
        }
        if let ProductShape::Described(descriptor) = &mut self.shape {
            act(&mut descriptor.bits);
            descriptor.disabled.iter_mut().for_each(&mut *act);
            descriptor.shift.iter_mut().for_each(&mut *act);
            descriptor.zero_columns.iter_mut().for_each(&mut *act);
            if let Some(metadata) = &mut descriptor.metadata {
                act(&mut metadata.address);
            }
            if let Some((addresses, _)) = &mut descriptor.scales {
                addresses.iter_mut().for_each(&mut *act);
            }
        }
    }
}
