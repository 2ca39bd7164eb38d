//! The computations of statements: from the lines of the tables to numbers.
//!
//! - [`float`]: floats that are exact until they are rounded once;
//! - [`ValueType`]: what a type word means to an evaluator;
//! - [`lower`]: the program of a statement, made once for a form;
//! - [`Program`]: the operations of a program, and [`Machine::run`], which runs them on all lanes at once.
//!
//! There is one evaluator. Constants are folded with one lane, warps run with 32, and other rooms ask both for what a
//! register holds. The room knows neither memory nor time: what reads or writes memory has no program here.

mod builder;
mod exact;
pub mod float;
mod graph;
mod integers;
mod known_bits;
mod linear;
pub mod lower;
mod program;
mod run;
mod statement;
#[cfg(test)]
mod tests;
mod text;
mod value_type;

pub use graph::{Graph, LaneValues};
pub use known_bits::KnownBits;
pub use linear::Linear;
pub use lower::{BoundOperand, BoundStatement, LANES, Obstacle};
pub use program::{
    Binary, Destination, Exactness, FloatStep, FloatTest, FloatUnary, Input, Mode, Node, Op,
    Program, Relation, Unary, Width,
};
pub use run::{Machine, Surroundings};
pub use statement::{constant_bits, program};
pub use value_type::{ElementType, ValueType};
