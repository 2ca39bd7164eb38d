//! Values of programs by number.

/// A value of a program, by its index in [`super::Program::steps`].
pub type Node = u32;
