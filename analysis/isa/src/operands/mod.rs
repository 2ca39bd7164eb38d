//! What operands are: types, registers, special registers.

pub mod commuting;
pub mod operand;
pub mod special;
pub mod types;
pub mod word_class;
