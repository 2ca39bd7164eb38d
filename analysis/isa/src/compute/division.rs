//! Divisions of numbers with a sign by powers of two, which compilers write as shifts of a sum.

use super::{
    graph::Graph,
    linear::Linear,
    node::Node,
    program::{Binary, Op, Width},
};

impl Graph {
    /// Rewrites an arithmetic right shift as a signed division by a power of two. The shifted value must be the dividend
    /// plus the bias that rounds the quotient towards zero: the divisor less 1 for negative dividends, otherwise 0.
    pub(super) fn quotient_of_shift(&mut self, shifted: Node, by: Node) -> Option<Node> {
        let (dividend, divisor) = self.biased(shifted, self.as_constant(by)?)?;
        Some(self.divided(Binary::QuotientSigned, dividend, divisor))
    }

    /// Rewrites `x - x / n * n` in a sum as `x % n`, for powers of two `n`. Extensions are looked through up to the given
    /// depth, as by [`Linear::through`].
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

    /// Returns the dividend (32 bits) and the divisor `1 << shift`, if the sum is the dividend plus the bias of a division.
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

    /// Returns the dividend (32 bits) of which a node is the bias: `bits` ones if the dividend is negative, otherwise 0.
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

    /// Returns the first operand and the constant amount of a right shift; extensions are looked through.
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
