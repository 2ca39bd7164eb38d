//! The numbers by which the parts of a function's flow name each other.

use crate::hir::body::DefinitionId;

use super::lists::Lists;

/// Index of a register in [`super::facts::Facts::values`].
pub(crate) type Value = u32;
/// Index of an instruction in the body.
pub(crate) type Step = u32;
/// Index of a block.
pub(crate) type BlockId = u32;

/// A variable: declared in the function, or a name of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum VariableName {
    /// Declared in the function.
    Own(DefinitionId),
    /// Index into [`crate::hir::body::Body::free`].
    Free(u32),
}

/// The start from which an address is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Base {
    /// The address of a variable.
    Symbol(VariableName),
    /// The contents of a register.
    Value(Value),
}

/// The reads and writes of each instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accesses<'a> {
    /// The values that each instruction reads.
    pub(crate) reads: &'a Lists,
    /// The values that each instruction writes.
    pub(crate) writes: &'a Lists,
    /// Whether the old values may stay after the writes of an instruction.
    pub(crate) keeps: &'a [bool],
}
