//! Sums: values as a constant and multiples of other values, modulo a power of two.

use std::collections::BTreeMap;

use super::{
    graph::Graph,
    node::Node,
    program::{Binary, Op, Unary, Width},
};

/// Sums of more terms are not taken apart.
const MAX_TERMS: usize = 24;
/// Nodes that a text looks at, and a question for a distance, of which there may be many.
const MAX_TEXT_NODES: usize = 4096;
const MAX_NODES: usize = 256;

/// A constant and multiples of other nodes, modulo 2 to the power of [`Linear::bits`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// The factors of the nodes, none of them 0; negative ones are large.
    pub terms: BTreeMap<Node, u64>,
    /// The constant.
    pub constant: u64,
    /// How many low bits count, at most 64.
    pub bits: u32,
}

impl Graph {
    /// A node as a sum of others with factors, of so many low bits, at most 64.
    pub fn linear(&mut self, node: Node, bits: u32) -> Linear {
        Linear::of(self, node, bits, 0, MAX_NODES)
    }

    /// The sum of nodes with factors and a constant, in 64 bits.
    pub fn sum(&mut self, terms: impl Iterator<Item = (Node, i64)>, constant: i64) -> Node {
        let mut sum = None;
        for (node, factor) in terms {
            let term = match factor {
                1 => node,
                _ => {
                    let factor = self.constant(factor.cast_unsigned());
                    let product = Op::Binary(Binary::Multiply, Width::Narrow, node, factor);
                    self.builder.push(product)
                }
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => {
                    let next = Op::Binary(Binary::Add, Width::Narrow, sum, term);
                    self.builder.push(next)
                }
            });
        }
        match sum {
            None => self.constant(constant.cast_unsigned()),
            Some(sum) if constant == 0 => sum,
            Some(sum) => self.add(sum, constant.cast_unsigned(), 64),
        }
    }

    /// The low and the high half of a number of `bits` bits that is put together of two numbers.
    pub fn halves(&mut self, node: Node, bits: u32) -> Option<(Node, Node)> {
        let sum = self.linear(node, bits);
        let half = bits / 2;
        let high = 1u64 << half;
        let mut terms = sum.terms.iter().map(|it| (*it.0, *it.1));
        let found = match (terms.next(), terms.next(), terms.next()) {
            (Some((low, 1)), Some((up, by)), None) | (Some((up, by)), Some((low, 1)), None)
                if by == high =>
            {
                (low, up)
            }
            (Some((both, by)), None, None) if by == high + 1 => (both, both),
            _ => return None,
        };
        let fits = |it: Node| u32::from(self.builder.bits(it)) <= half;
        (sum.constant == 0 && fits(found.0) && fits(found.1)).then_some(found)
    }

    /// The number of 32 bits that was put together with another one, of which a node is that half again.
    pub fn half(&mut self, node: Node) -> Option<Node> {
        match self.op(node) {
            Op::Binary(Binary::ShiftRight, Width::Narrow, pair, by)
                if self.as_constant(by) == Some(32) =>
            {
                self.halves(pair, 64).map(|it| it.1)
            }
            Op::ZeroExtend(pair, 32) => self.halves(pair, 64).map(|it| it.0),
            _ => None,
        }
    }

    /// The opposite of a truth, as a comparison if it is one of integers or for equality.
    pub fn negation(&mut self, truth: Node) -> Node {
        let op = match self.op(truth) {
            Op::Binary(Binary::Equal, width, a, b) => Op::Binary(Binary::NotEqual, width, a, b),
            Op::Binary(Binary::NotEqual, width, a, b) => Op::Binary(Binary::Equal, width, a, b),
            Op::Binary(Binary::Less, width, a, b) => Op::Binary(Binary::LessEqual, width, b, a),
            Op::Binary(Binary::LessEqual, width, a, b) => Op::Binary(Binary::Less, width, b, a),
            Op::Binary(Binary::LessSigned, width, a, b) => {
                Op::Binary(Binary::LessEqualSigned, width, b, a)
            }
            Op::Binary(Binary::LessEqualSigned, width, a, b) => {
                Op::Binary(Binary::LessSigned, width, b, a)
            }
            Op::Binary(Binary::Xor, _, inner, one) if self.as_constant(one) == Some(1) => {
                return inner;
            }
            _ => {
                let one = self.constant(1);
                Op::Binary(Binary::Xor, Width::Narrow, truth, one)
            }
        };
        self.builder.push(op)
    }

    /// By how much the first value is larger than the second, in so many low bits, if that is the same whatever the
    /// leaves hold; as a signed number.
    pub fn distance(&mut self, a: Node, b: Node, bits: u32) -> Option<i64> {
        let (a, b) = (self.linear(a, bits), self.linear(b, bits));
        a.minus(&b).as_constant()
    }
}

impl Linear {
    /// A node as a sum, as people read it: through so many extensions. Such a sum proves nothing.
    pub(super) fn through(graph: &mut Graph, node: Node, bits: u32, extensions: u32) -> Linear {
        Linear::of(graph, node, bits, extensions, MAX_TEXT_NODES)
    }

    fn of(graph: &mut Graph, node: Node, bits: u32, extensions: u32, most: usize) -> Linear {
        let mut sum = Linear {
            terms: BTreeMap::new(),
            constant: 0,
            bits,
        };
        // Nodes to take apart: operands come before what is computed from them, so each is met once with all that is
        // known of its factor.
        let mut open = BTreeMap::from([(node, 1u64)]);
        let mut looked_at = 0;
        while let Some((node, factor)) = open.pop_last() {
            looked_at += 1;
            let factor = sum.cut(factor);
            if factor == 0 {
                continue;
            }
            let full = looked_at > most || open.len() + sum.terms.len() > MAX_TERMS;
            let mut add = |node: Node, by: u64| {
                let term = open.entry(node).or_insert(0);
                *term = term.wrapping_add(factor.wrapping_mul(by));
            };
            let taken = match graph.op(node) {
                Op::Constant(it) => {
                    sum.constant = sum.constant.wrapping_add(factor.wrapping_mul(it));
                    true
                }
                _ if full => false,
                Op::ZeroExtend(a, to) | Op::SignExtend(a, to)
                    if u32::from(to) >= bits_that_count(bits, factor) =>
                {
                    add(a, 1);
                    true
                }
                Op::ZeroExtend(a, to) | Op::SignExtend(a, to) if extensions > 0 => {
                    // What is negative in the narrower type is in the wider one.
                    let inner = Linear::of(graph, a, to.into(), extensions - 1, most);
                    let scaled = |it: u64| factor.wrapping_mul(inner.signed(it) as u64);
                    sum.constant = sum.constant.wrapping_add(scaled(inner.constant));
                    for (node, by) in &inner.terms {
                        let term = sum.terms.entry(*node).or_insert(0);
                        *term = term.wrapping_add(scaled(*by));
                    }
                    true
                }
                Op::Binary(Binary::Add, Width::Narrow, a, b) => {
                    add(a, 1);
                    add(b, 1);
                    true
                }
                Op::Binary(Binary::Subtract, Width::Narrow, a, b) => {
                    add(a, 1);
                    add(b, u64::MAX);
                    true
                }
                Op::Unary(Unary::Negate, Width::Narrow, a) => {
                    add(a, u64::MAX);
                    true
                }
                // `~x` is `-x - 1`.
                Op::Unary(Unary::Complement, Width::Narrow, a) => {
                    add(a, u64::MAX);
                    sum.constant = sum.constant.wrapping_sub(factor);
                    true
                }
                Op::Binary(Binary::Multiply, Width::Narrow, a, b) => {
                    match (graph.as_constant(a), graph.as_constant(b)) {
                        (Some(by), _) => add(b, by),
                        (_, Some(by)) => add(a, by),
                        _ => {}
                    }
                    graph.as_constant(a).is_some() || graph.as_constant(b).is_some()
                }
                Op::Binary(Binary::ShiftLeft, Width::Narrow, a, by) => {
                    match graph
                        .as_constant(by)
                        .and_then(|it| 1u64.checked_shl(it.try_into().ok()?))
                    {
                        Some(by) => {
                            add(a, by);
                            true
                        }
                        None => false,
                    }
                }
                // Of numbers that have no one in the same place, this is the sum.
                Op::Binary(Binary::Or | Binary::Xor, Width::Narrow, a, b) => {
                    let (x, y) = (graph.known_bits(a), graph.known_bits(b));
                    let disjoint = (x.mask & !x.bits) | (y.mask & !y.bits) == u128::MAX;
                    if disjoint {
                        add(a, 1);
                        add(b, 1);
                    }
                    disjoint
                }
                _ => false,
            };
            if !taken {
                let term = sum.terms.entry(node).or_insert(0);
                *term = term.wrapping_add(factor);
            }
        }
        let mask = sum.mask();
        sum.constant &= mask;
        sum.terms.retain(|_, factor| {
            *factor &= mask;
            *factor != 0
        });
        sum
    }

    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.bits.clamp(1, 64))
    }

    pub(super) fn cut(&self, factor: u64) -> u64 {
        factor & self.mask()
    }

    /// The difference.
    #[must_use]
    pub fn minus(mut self, other: &Linear) -> Linear {
        self.bits = self.bits.min(other.bits);
        let mask = self.mask();
        self.constant = self.constant.wrapping_sub(other.constant) & mask;
        for (node, factor) in &other.terms {
            let term = self.terms.entry(*node).or_insert(0);
            *term = term.wrapping_sub(*factor);
        }
        self.terms.retain(|_, factor| {
            *factor &= mask;
            *factor != 0
        });
        self
    }

    /// The node and its factor, if there is one term only.
    #[must_use]
    pub fn single(&self) -> Option<(Node, u64)> {
        match self.terms.len() {
            1 => self.terms.first_key_value().map(|it| (*it.0, *it.1)),
            _ => None,
        }
    }

    /// The number, if no term is left; as a signed one.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then(|| self.signed(self.constant))
    }

    /// A number of [`Linear::bits`] as a signed one.
    #[must_use]
    pub fn signed(&self, value: u64) -> i64 {
        let rest = 64 - self.bits.clamp(1, 64);
        (value << rest) as i64 >> rest
    }
}

/// How many low bits of a term matter for so many of the sum.
fn bits_that_count(bits: u32, factor: u64) -> u32 {
    bits.saturating_sub(factor.trailing_zeros())
}
