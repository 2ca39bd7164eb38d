//! Operations of tensor cores: products whose factors lie in shared memory or in tensor memory.
//!
//! A program has the operands; who runs it has the memory, see [`TensorMemory`].

mod decode;
mod factor;
mod product;

pub use product::{Products, TensorProblem};

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
    pub form: Form,
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
}

/// Where the shape and the types of a product come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// The words of the statement.
    Stated(Plan),
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

/// The memory that a tensor core reads and writes.
pub trait TensorMemory {
    /// 16 bytes at an address of the shared memory of this CTA.
    fn shared(&mut self, address: u32) -> Chunk;
}

impl TensorStep {
    /// Calls `act` with each node that is read.
    pub(super) fn for_each_node(&mut self, mut act: impl FnMut(&mut Node)) {
        match self {
            TensorStep::Product(product) => product.for_each_node(&mut act),
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
                let Accumulator::Registers(matrix) = &product.d;
                matrix.registers.iter().for_each(|it| act(*it, true));
            }
        }
    }
}

impl TensorProduct {
    fn for_each_node(&mut self, act: &mut impl FnMut(&mut Node)) {
        for factor in [&mut self.a, &mut self.b] {
            match factor {
                Factor::Registers(matrix) => matrix.registers.iter_mut().for_each(&mut *act),
                Factor::Shared { descriptor, .. } => act(descriptor),
            }
        }
        match &mut self.d {
            Accumulator::Registers(matrix) => matrix.registers.iter_mut().for_each(&mut *act),
        }
        act(&mut self.enable);
        self.signs.iter_mut().flatten().for_each(&mut *act);
        if let Some(sparse) = &mut self.sparse {
            act(&mut sparse.metadata);
            act(&mut sparse.selector);
        }
    }
}
