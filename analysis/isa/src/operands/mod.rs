//! Operands: types, registers, special registers.

pub mod operand;
pub mod special;
pub mod types;
pub mod word_class;
