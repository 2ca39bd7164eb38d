//! Divisions of numbers with a sign by powers of two, which compilers write as shifts of a sum.

use super::{
    graph::Graph,
    linear::Linear,
    node::Node,
    program::{Binary, Op, Width},
};

impl Graph {
    /// The quotient, as a division, that the shift of a number to the right by so many bits is: of a sum of the dividend
    /// and, if that is negative, the divisor less 1.
    pub(super) fn quotient_of_shift(&mut self, shifted: Node, by: Node) -> Option<Node> {
        let (dividend, divisor) = self.biased(shifted, self.as_constant(by)?)?;
        Some(self.divided(Binary::QuotientSigned, dividend, divisor))
    }

    /// Puts remainders in place of a number from which a multiple of its quotient is subtracted, in a sum through so many
    /// extensions.
    pub(super) fn collect_remainders(&mut self, sum: &mut Linear, extensions: u32) {
        let masked: Vec<(Node, u64)> = sum.terms.iter().map(|it| (*it.0, *it.1)).collect();
        for (term, factor) in masked {
            let Op::Binary(Binary::And, Width::Narrow, a, mask) = self.op(self.unextended(term))
            else {
                continue;
            };
            let Some(mask) = self.as_constant(mask) else {
                continue;
            };
            let Some((dividend, divisor)) = self.biased(a, mask.trailing_zeros().into()) else {
                continue;
            };
            let all = u64::MAX << divisor.trailing_zeros();
            if mask as u32 != all as u32 {
                continue;
            }
            let own = Linear::through(self, dividend, sum.bits, extensions);
            let against = factor.wrapping_neg();
            let matches = |(term, by): (&Node, &u64)| {
                let there = sum.terms.get(term).copied();
                there == Some(sum.cut(by.wrapping_mul(against)))
            };
            if own.terms.is_empty() || !own.terms.iter().all(matches) {
                continue;
            }
            let remainder = self.divided(Binary::RemainderSigned, dividend, divisor);
            sum.terms.remove(&term);
            for term in own.terms.keys() {
                sum.terms.remove(term);
            }
            let constant = own.constant.wrapping_mul(against);
            sum.constant = sum.cut(sum.constant.wrapping_sub(constant));
            sum.terms.insert(remainder, sum.cut(against));
        }
    }

    fn divided(&mut self, operation: Binary, dividend: Node, divisor: u64) -> Node {
        let divisor = self.constant(divisor);
        let division = Op::Binary(operation, Width::Narrow, dividend, divisor);
        self.builder.push(division)
    }

    /// The number of 32 bits and the power of two by which it is divided where this sum is shifted by so many bits.
    fn biased(&mut self, sum: Node, shift: u64) -> Option<(Node, u64)> {
        if !(1..32).contains(&shift) {
            return None;
        }
        let sum = self.unextended(sum);
        let whole = self.linear(sum, 32);
        let terms: Vec<Node> = (whole.terms.iter().filter(|it| *it.1 == 1))
            .map(|it| *it.0)
            .collect();
        terms.into_iter().find_map(|term| {
            let dividend = self.dividend_of_bias(term, shift)?;
            let mut rest = whole.clone();
            rest.terms.remove(&term);
            (self.linear(dividend, 32) == rest).then_some((dividend, 1 << shift))
        })
    }

    /// The number of 32 bits for which a node is a mask of so many bits if it is negative, and otherwise 0.
    fn dividend_of_bias(&self, bias: Node, bits: u64) -> Option<Node> {
        let (signs, by) = self.shift(Binary::ShiftRight, bias)?;
        if by != 32 - bits {
            return None;
        }
        match self.shift(Binary::ShiftRightSigned, signs) {
            Some((dividend, 31)) => Some(dividend),
            _ if bits == 1 => Some(signs),
            _ => None,
        }
    }

    /// The number that a node shifts to the right, without extensions, and by how much.
    fn shift(&self, right: Binary, node: Node) -> Option<(Node, u64)> {
        match self.op(self.unextended(node)) {
            Op::Binary(operation, Width::Narrow, a, by) if operation == right => {
                Some((self.unextended(a), self.as_constant(by)?))
            }
            _ => None,
        }
    }

    fn unextended(&self, node: Node) -> Node {
        let mut node = node;
        while let Op::ZeroExtend(inner, 32) | Op::SignExtend(inner, 32) = self.op(node) {
            node = inner;
        }
        node
    }
}
