//! Addresses: what registers hold as sums, and where these start.

use isa::compute::{Binary, Node, Op, Width};

use super::{
    engine::{Leaf, Values},
    phis::Writers,
    sums::{Origin, Sum},
};
use crate::flow::{
    computation::BoundName,
    ids::{Base, Step, Value, VariableName},
};

impl Values<'_> {
    /// Where the address that a register holds before an instruction starts, and the bytes that are added to that;
    /// `None` if one of several instructions wrote it.
    pub(crate) fn place(&mut self, value: Value, step: Step) -> Option<(Origin, i64)> {
        if let Some(known) = self.sums.places.get(&(value, step)) {
            return *known;
        }
        let found = self.find_place(value, step);
        self.sums.places.insert((value, step), found);
        found
    }

    /// The address that a register holds before an instruction.
    pub(crate) fn sum_before(&mut self, value: Value, step: Step) -> Sum {
        let node = self.before(value, step);
        self.sum(node, self.bits(value))
    }

    /// The variable whose address a node is.
    pub(crate) fn symbol(&self, node: Node) -> Option<VariableName> {
        match self.leaf_of(node)? {
            Leaf::Name(name) => self.symbol_of(name),
            _ => None,
        }
    }

    /// The variable that a name means.
    pub(super) fn symbol_of(&self, name: BoundName<'_>) -> Option<VariableName> {
        match self.flow.facts.base(self.body, name.0)? {
            Base::Symbol(it) => Some(it),
            Base::Value(_) => None,
        }
    }

    fn find_place(&mut self, value: Value, step: Step) -> Option<(Origin, i64)> {
        let node = self.before(value, step);
        let bits = self.bits(value);
        let Sum {
            terms, constant, ..
        } = self.sum(node, bits);
        if let [(term, 1)] = *terms {
            if let Some(it) = self.symbol(term) {
                return Some((Origin::Symbol(it), constant));
            }
            match self.leaf_of(term) {
                Some(Leaf::Result(step, _)) => return Some((Origin::Written(step), constant)),
                // What is read before it is written is nothing.
                Some(Leaf::Input(it)) => {
                    let never = self.chains.writes(it).is_empty();
                    return never.then_some((Origin::Input(it), constant));
                }
                Some(Leaf::Merge(_) | Leaf::Phi(..) | Leaf::Unknown) => return None,
                Some(Leaf::Name(_)) | None => {}
            }
        }
        let (step, before) = match self.sums.named.get(&terms) {
            Some(it) => *it,
            None => {
                let found = match self.maker(node, bits, &terms) {
                    Some(it) => it,
                    None => match self.writers(value, step) {
                        Writers::Sole(it) => (it, constant),
                        _ => return None,
                    },
                };
                self.sums.named.insert(terms, found);
                found
            }
        };
        Some((Origin::Written(step), constant.wrapping_sub(before)))
    }

    /// A node as a sum in so many bits. Constants that are added one after the other are followed without end, and each
    /// node on the way is remembered.
    pub(crate) fn sum(&mut self, node: Node, bits: u32) -> Sum {
        let mut passed = Vec::new();
        let mut at = node;
        let mut sum = loop {
            if let Some(known) = self.sums.known.get(&(at, bits)) {
                break known.clone();
            }
            match self.without_constant(at) {
                Some((inner, added, width)) if width >= bits => {
                    passed.push((at, added));
                    at = inner;
                }
                _ => {
                    let found = self.taken_apart(at, bits);
                    self.sums.known.insert((at, bits), found.clone());
                    break found;
                }
            }
        };
        for (node, added) in passed.into_iter().rev() {
            sum.constant = sum.constant.wrapping_add(added);
            if sum.bits == bits {
                sum.constant = sum.signed(sum.constant);
            }
            self.sums.known.insert((node, bits), sum.clone());
        }
        sum
    }

    /// Addresses in shared memory fit into 32 bits, so cutting to as many keeps them.
    fn taken_apart(&mut self, node: Node, bits: u32) -> Sum {
        let mut sum = self.graph.linear(node, bits);
        let mut constant = sum.signed(sum.constant);
        while let Some((node, 1)) = sum.single()
            && let Op::ZeroExtend(inner, 32) | Op::SignExtend(inner, 32) = self.graph.op(node)
        {
            sum = self.graph.linear(inner, 32);
            constant = constant.wrapping_add(sum.signed(sum.constant));
        }
        let terms = sum.terms.iter();
        Sum {
            terms: terms.map(|(node, by)| (*node, sum.signed(*by))).collect(),
            constant,
            bits: sum.bits,
        }
    }

    /// The node that a node extends or adds a constant to, with the constant and the width of the result in bits.
    fn without_constant(&self, node: Node) -> Option<(Node, i64, u32)> {
        let number = |it: Node| self.graph.as_constant(it).map(u64::cast_signed);
        Some(match self.graph.op(node) {
            Op::ZeroExtend(a, to) | Op::SignExtend(a, to) => (a, 0, to.into()),
            Op::Binary(Binary::Add, Width::Narrow, a, b) => match (number(a), number(b)) {
                (_, Some(by)) => (a, by, 64),
                (Some(by), _) => (b, by, 64),
                _ => return None,
            },
            Op::Binary(Binary::Subtract, Width::Narrow, a, b) => (a, number(b)?.wrapping_neg(), 64),
            _ => return None,
        })
    }

    /// The first instruction on the way to a node that computes it but for a constant, and the constant of its result.
    fn maker(&mut self, node: Node, bits: u32, terms: &[(Node, i64)]) -> Option<(Step, i64)> {
        let mut found = None;
        let mut next = Some(node);
        while let Some(node) = next {
            if let Some(step) = self.makers.get(&node).copied() {
                let sum = self.sum(node, bits);
                if *sum.terms != *terms {
                    break;
                }
                found = Some((step, sum.constant));
            }
            next = self.without_constant(node).map(|it| it.0);
        }
        found
    }
}
