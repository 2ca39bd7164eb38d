//! The passes over the lanes in which a program is run that only computes, or accesses memory and does nothing else.
//!
//! Most programs of integers extend their operands, compute in 64 bits and cut the result to 32: up to four passes, of
//! which one is enough. A [`Word`] is what such steps compute together, in 32 bits, which is also what the processor
//! has vectors for. All other steps are passes of their own.

use super::{
    integers::set,
    node::Node,
    program::{Binary, Op, Program, Width},
    run::Store,
};

/// One pass over the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// A step as it is.
    Step(Node),
    /// Steps that are one operation on words, and the last of them, whose value it gives.
    Word(Node, Word, [Node; 3]),
}

/// An operation on the low 32 bits of its operands; the bits of the result above them are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Add,
    Subtract,
    Multiply,
    MultiplyAdd,
    /// By so many bits; 0 from 32 on.
    ShiftLeft,
    /// By so many bits, filled with 0.
    ShiftRight,
    /// By so many bits, filled with the sign.
    ShiftRightSigned,
    MinimumSigned,
    MaximumSigned,
    Minimum,
    Maximum,
    /// 0 or 1, as the others that compare.
    Equal,
    NotEqual,
    Less,
    LessEqual,
    LessSigned,
    LessEqualSigned,
}

impl Pass {
    /// The node whose value it gives.
    pub(super) fn node(self) -> Node {
        match self {
            Pass::Step(node) | Pass::Word(node, ..) => node,
        }
    }
}

/// The passes that give the results of a program and what it writes to memory.
pub(super) fn passes(program: &Program) -> Vec<Pass> {
    let mut live = vec![false; program.steps.len()];
    let stored = program.stores.iter();
    let stored = stored.flat_map(|it| [Some(it.address), Some(it.value), it.high]);
    let ends = program.outputs.iter().map(|it| it.1);
    ends.chain(stored.flatten())
        .for_each(|it| live[it as usize] = true);
    let mut passes = Vec::new();
    for node in (0..program.steps.len()).rev() {
        let op = &program.steps[node];
        if !live[node] || matches!(op, Op::Input(_)) {
            continue;
        }
        let node = node as Node;
        match program.word(node) {
            Some((word, operands)) => {
                operands.iter().for_each(|it| live[*it as usize] = true);
                passes.push(Pass::Word(node, word, operands));
            }
            None => {
                op.for_each_operand(|it| live[it as usize] = true);
                passes.push(Pass::Step(node));
            }
        }
    }
    passes.reverse();
    passes
}

impl Program {
    fn step(&self, node: Node) -> &Op {
        &self.steps[node as usize]
    }

    /// Whether all bits of a node above the low 32 are certainly 0.
    fn is_word(&self, node: Node) -> bool {
        match *self.step(node) {
            Op::Input(index) => self
                .inputs
                .get(index as usize)
                .is_some_and(|it| it.bits <= 32),
            Op::Constant(it) => u32::try_from(it).is_ok(),
            Op::ZeroExtend(a, bits) => bits <= 32 || self.is_word(a),
            _ => false,
        }
    }

    /// The node of which another one extends the low 32 bits or more, or that other one.
    fn low(&self, node: Node) -> Node {
        match *self.step(node) {
            Op::ZeroExtend(inner, 32..) | Op::SignExtend(inner, 32..) => self.low(inner),
            _ => node,
        }
    }

    /// The node whose low 32 bits are another one, as a signed number.
    fn signed(&self, node: Node) -> Option<Node> {
        match *self.step(node) {
            Op::SignExtend(inner, 32) => Some(self.low(inner)),
            Op::Constant(it) => i32::try_from(it.cast_signed()).is_ok().then_some(node),
            _ => None,
        }
    }

    /// The number of bits of a shift of a word: 32 are as good as more.
    fn by(&self, node: Node) -> Option<Node> {
        match *self.step(node) {
            Op::Binary(Binary::Minimum, Width::Narrow, by, most)
                if matches!(self.step(most), Op::Constant(32..=64)) && self.is_word(by) =>
            {
                Some(by)
            }
            _ => self.is_word(node).then_some(node),
        }
    }

    /// The operation on words that gives a node.
    fn word(&self, node: Node) -> Option<(Word, [Node; 3])> {
        let (cut, inner) = match *self.step(node) {
            Op::ZeroExtend(inner, 32) => (true, inner),
            _ => (false, node),
        };
        let Op::Binary(binary, Width::Narrow, a, b) = *self.step(inner) else {
            return None;
        };
        let two = |word: Word, a: Node, b: Node| Some((word, [a, b, b]));
        let signed = |word: Word| two(word, self.signed(a)?, self.signed(b)?);
        let unsigned = |word: Word| {
            let fits = self.is_word(a) && self.is_word(b);
            fits.then_some((word, [a, b, b]))
        };
        match binary {
            Binary::Add if cut => {
                for (product, addend) in [(a, b), (b, a)] {
                    if let Op::Binary(Binary::Multiply, Width::Narrow, x, y) =
                        *self.step(self.low(product))
                    {
                        let operands = [self.low(x), self.low(y), self.low(addend)];
                        return Some((Word::MultiplyAdd, operands));
                    }
                }
                two(Word::Add, self.low(a), self.low(b))
            }
            Binary::Subtract if cut => two(Word::Subtract, self.low(a), self.low(b)),
            Binary::Multiply if cut => two(Word::Multiply, self.low(a), self.low(b)),
            Binary::ShiftLeft if cut => two(Word::ShiftLeft, self.low(a), self.by(b)?),
            Binary::ShiftRight if self.is_word(a) => two(Word::ShiftRight, a, self.by(b)?),
            Binary::ShiftRightSigned if cut => {
                two(Word::ShiftRightSigned, self.signed(a)?, self.by(b)?)
            }
            Binary::MinimumSigned if cut => signed(Word::MinimumSigned),
            Binary::MaximumSigned if cut => signed(Word::MaximumSigned),
            Binary::Minimum => unsigned(Word::Minimum),
            Binary::Maximum => unsigned(Word::Maximum),
            Binary::Equal => unsigned(Word::Equal).or_else(|| signed(Word::Equal)),
            Binary::NotEqual => unsigned(Word::NotEqual).or_else(|| signed(Word::NotEqual)),
            Binary::Less => unsigned(Word::Less),
            Binary::LessEqual => unsigned(Word::LessEqual),
            Binary::LessSigned => signed(Word::LessSigned),
            Binary::LessEqualSigned => signed(Word::LessEqualSigned),
            _ => None,
        }
    }
}

const MASK: u64 = u32::MAX as u64;

/// Writes the result of an operation on words.
pub(super) fn evaluate_word<const N: usize>(
    word: Word,
    [a, b, c]: [Node; 3],
    store: &impl Store<N>,
    out: &mut [u64; N],
) {
    let (a, b) = (store.narrow(a), store.narrow(b));
    // The product of words is written as the multiplication of which processors have vectors.
    let product = |lane: usize| (a[lane] & MASK) * (b[lane] & MASK);
    let signed = |lane: usize| (a[lane] as i32, b[lane] as i32);
    let unsigned = |lane: usize| (a[lane] as u32, b[lane] as u32);
    let truth = |it: bool| u64::from(it);
    match word {
        Word::Add => set(out, |it| a[it].wrapping_add(b[it]) & MASK),
        Word::Subtract => set(out, |it| a[it].wrapping_sub(b[it]) & MASK),
        Word::Multiply => set(out, |it| product(it) & MASK),
        Word::MultiplyAdd => {
            let c = store.narrow(c);
            set(out, |it| product(it).wrapping_add(c[it]) & MASK);
        }
        Word::ShiftLeft => match same(b) {
            Some(by @ ..32) => set(out, |it| a[it] << by & MASK),
            Some(_) => *out = [0; N],
            None => set(out, |it| (a[it] & MASK) << (b[it].min(32)) & MASK),
        },
        Word::ShiftRight => match same(b) {
            Some(by @ ..32) => set(out, |it| (a[it] & MASK) >> by),
            Some(_) => *out = [0; N],
            None => set(out, |it| (a[it] & MASK) >> b[it].min(32)),
        },
        Word::ShiftRightSigned => match same(b) {
            Some(by) => set(out, |it| u64::from((a[it] as i32 >> by.min(31)) as u32)),
            None => set(out, |it| u64::from((a[it] as i32 >> b[it].min(31)) as u32)),
        },
        Word::MinimumSigned => set(out, |it| {
            let (a, b) = signed(it);
            u64::from(a.min(b) as u32)
        }),
        Word::MaximumSigned => set(out, |it| {
            let (a, b) = signed(it);
            u64::from(a.max(b) as u32)
        }),
        Word::Minimum => set(out, |it| {
            let (a, b) = unsigned(it);
            a.min(b).into()
        }),
        Word::Maximum => set(out, |it| {
            let (a, b) = unsigned(it);
            a.max(b).into()
        }),
        Word::Equal => set(out, |it| {
            let (a, b) = unsigned(it);
            truth(a == b)
        }),
        Word::NotEqual => set(out, |it| {
            let (a, b) = unsigned(it);
            truth(a != b)
        }),
        Word::Less => set(out, |it| {
            let (a, b) = unsigned(it);
            truth(a < b)
        }),
        Word::LessEqual => set(out, |it| {
            let (a, b) = unsigned(it);
            truth(a <= b)
        }),
        Word::LessSigned => set(out, |it| {
            let (a, b) = signed(it);
            truth(a < b)
        }),
        Word::LessEqualSigned => set(out, |it| {
            let (a, b) = signed(it);
            truth(a <= b)
        }),
    }
}

/// The low 32 bits of all lanes, if they are the same.
fn same<const N: usize>(values: &[u64; N]) -> Option<u64> {
    let first = values[0];
    let different = values.iter().fold(0, |all, it| all | (it ^ first));
    (different == 0).then_some(first & MASK)
}
