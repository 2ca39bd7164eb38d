//! The input of the rules for a function.

use crate::{
    flow::{
        Flow,
        ids::{Step, VariableName},
    },
    hir::{body::Body, bound::BoundInstruction},
    pressure::Bounds,
    protocols::form::FormFacts,
    values::Values,
};

/// The known facts about a function beside its flow.
pub(crate) struct Known<'f> {
    pub(crate) body: &'f Body,
    pub(crate) flow: &'f Flow,
    /// An instruction with its operands bound.
    pub(crate) bound: &'f dyn Fn(Step) -> Option<BoundInstruction<'f>>,
    /// The facts of the tables about the form of an instruction.
    pub(crate) form: &'f dyn Fn(Step) -> Option<&'f FormFacts>,
    pub(crate) entry: bool,
    pub(crate) bounds: Bounds,
    /// Bytes of a variable, if that is known.
    pub(crate) size: &'f dyn Fn(VariableName) -> Option<u64>,
    /// Is called now and then and may unwind.
    pub(crate) check: &'f dyn Fn(),
    /// Whether an instruction calls what is not in the module, or what a register holds.
    pub(crate) foreign: &'f dyn Fn(Step) -> bool,
    /// Makes the engine of the values of registers.
    pub(crate) values: &'f dyn Fn() -> Values<'f>,
}
