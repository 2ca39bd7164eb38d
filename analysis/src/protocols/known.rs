//! What the rules are told of a function.

use syntax::Cursor;

use crate::{
    flow::{Flow, facts::Step},
    hir::body::Body,
    pressure::Bounds,
    protocols::symbol::Symbol,
};

/// What is known of a function beside its flow.
pub(crate) struct Known<'f> {
    pub(crate) body: &'f Body,
    pub(crate) flow: &'f Flow,
    /// The text of an instruction.
    pub(crate) node: &'f dyn Fn(Step) -> Option<Cursor<'f>>,
    pub(crate) entry: bool,
    pub(crate) bounds: Bounds,
    /// Bytes of a variable, if that is known.
    pub(crate) size: &'f dyn Fn(Symbol) -> Option<u64>,
    /// Is called now and then and may unwind.
    pub(crate) check: &'f dyn Fn(),
    /// Whether an instruction calls what is not in the module, or what a register holds.
    pub(crate) foreign: &'f dyn Fn(Step) -> bool,
}
