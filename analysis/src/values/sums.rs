//! Sums and the starts of addresses.

use std::rc::Rc;

use isa::compute::Node;
use rustc_hash::FxHashMap;

use crate::flow::ids::{Step, Value, VariableName};

/// The start of addresses: two with the same start differ by what is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    Symbol(VariableName),
    /// A register that nothing writes.
    Input(Value),
    /// The result of an instruction: the first that was found to compute it.
    Written(Step),
}

/// Nodes with their factors, ascending by the nodes.
pub(crate) type Terms = Rc<[(Node, i64)]>;

/// A sum of nodes with factors, and a constant in bytes, in so many bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) terms: Terms,
    pub(crate) constant: i64,
    pub(crate) bits: u32,
}

impl Sum {
    /// A number of [`Sum::bits`] as a signed one.
    pub(crate) fn signed(&self, number: i64) -> i64 {
        let rest = 64 - self.bits.clamp(1, 64);
        number << rest >> rest
    }
}

/// The sums that were asked for.
#[derive(Default)]
pub(super) struct Sums {
    /// The addresses that registers hold before instructions.
    pub(super) places: FxHashMap<(Value, Step), Option<(Origin, i64)>>,
    /// The instruction after which sums of these terms are named, and the constant of its result.
    pub(super) named: FxHashMap<Terms, (Step, i64)>,
    /// The sums of nodes in so many bits.
    pub(super) known: FxHashMap<(Node, u32), Sum>,
}
