//! The computations of statements: from the lines of the tables to numbers.
//!
//! - [`float`]: floats that are exact until they are rounded once;
//! - [`ValueType`]: what a type word means to an evaluator;
//! - [`lower`]: the program of a statement, made once for a form;
//! - [`matrix`]: products of matrices, whose elements the lanes of a warp hold;
//! - [`tensor`]: operations of tensor cores on shared memory and tensor memory;
//! - [`texture`]: what programs ask of textures and surfaces;
//! - [`memory`]: the places that programs read and write;
//! - [`Program`]: the operations of a program, and [`Machine::run`], which runs them on all lanes at once.
//!
//! There is one evaluator. Constants are folded with one lane, warps run with 32, and other rooms ask both for what a
//! register holds. The room has no memory: a program names places, and who runs it has the bytes, see [`Memory`].

mod bit_map;
mod bit_text;
mod boolean;
mod builder;
mod combination;
mod division;
mod exact;
mod fabric;
mod finish;
pub mod float;
mod fuse;
mod graph;
mod integers;
mod known_bits;
mod linear;
pub mod lower;
pub mod matrix;
pub mod memory;
mod node;
mod number_text;
mod operation;
mod outcome;
mod pass;
mod program;
mod run;
mod statement;
pub mod tensor;
#[cfg(test)]
mod tests;
mod text;
pub mod texture;
mod value_type;
mod words;
mod work;

pub use bit_map::{BitFunction, BitMap, BitOf};
pub use bit_text::{BitText, Source};
pub use boolean::formula;
pub use combination::Combination;
pub use graph::{Graph, LaneValues};
pub use known_bits::KnownBits;
pub use linear::Linear;
pub use lower::{BoundOperand, BoundStatement, LANES, Obstacle};
pub use matrix::MatrixProgram;
pub use memory::{
    AddressSpace, BarrierField, Bulk, BulkPart, BulkSource, Counter, FABRIC_SHIFT, MapStore,
    Memory, Place, Store, TensorBox, Until, canceled, window,
};
pub use node::Node;
pub use operation::Operation;
pub use outcome::{Outcome, Outcomes, ResultPlace};
pub use program::{
    Binary, Destination, Exactness, FloatStep, FloatTest, FloatUnary, Input, Mode, Op, Program,
    Relation, Unary, Width,
};
pub use run::{Machine, Surroundings};
pub use statement::{constant_bits, program};
pub use tensor::{Cell, Chunk, TensorMemory, TensorProblem, TensorStep};
pub use text::CHAINED_FUNCTIONS;
pub use texture::{TextureQuery, TextureRequest};
pub use value_type::{ElementType, ValueType};
pub use work::{Work, product_of_shape};
