//! Addresses as elements of arrays.

use isa::compute::Node;

use super::engine::{Leaf, Values};
use crate::flow::ids::{Step, Value};

/// An address as an element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    /// The address of the first element.
    pub(crate) base: Node,
    /// The number of the element.
    pub(crate) index: Node,
}

/// How likely a term of an address is its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A number that may be a pointer.
    Register,
    /// A parameter, or what was loaded.
    Loaded,
    Variable,
}

impl Values<'_> {
    /// The element of so many bytes at the address that a register holds before an instruction, plus an offset; `None` if
    /// no term of the address, or more than one, may be the start of the array, or the rest is not a multiple of the size.
    pub(crate) fn element(
        &mut self,
        value: Value,
        step: Step,
        offset: i64,
        bytes: u32,
    ) -> Option<Element> {
        let sum = self.sum_before(value, step);
        let mut ranked: Vec<(Rank, Node)> = (sum.terms.iter())
            .filter(|it| it.1 == 1)
            .filter_map(|it| Some((self.rank(it.0)?, it.0)))
            .collect();
        ranked.sort_unstable_by(|a, b| b.cmp(a));
        let base = match ranked[..] {
            [(_, base)] => base,
            [(first, base), (second, _), ..] if first > second => base,
            _ => return None,
        };
        let bytes = i64::from(bytes.max(1));
        let constant = sum.constant.checked_add(offset)?;
        let others = || sum.terms.iter().filter(|it| it.0 != base);
        if constant % bytes != 0 || others().any(|it| it.1 % bytes != 0) {
            return None;
        }
        let terms = others().map(|it| (it.0, it.1 / bytes));
        let index = self.graph.sum(terms, constant / bytes);
        Some(Element { base, index })
    }

    fn rank(&self, node: Node) -> Option<Rank> {
        if self.symbol(node).is_some() {
            return Some(Rank::Variable);
        }
        match self.leaf_of(node)? {
            Leaf::Result(step, value) => {
                let loads = self.loads(step) && self.bits(value) == 64;
                let wide = self.bits(value) == 64;
                match (loads, wide) {
                    (true, _) => Some(Rank::Loaded),
                    (false, true) => Some(Rank::Register),
                    (false, false) => None,
                }
            }
            Leaf::Merge(value) | Leaf::Input(value) | Leaf::Phi(value, _) => {
                (self.bits(value) == 64).then_some(Rank::Register)
            }
            Leaf::Name(_) | Leaf::Unknown => None,
        }
    }
}
