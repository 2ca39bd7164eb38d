//! The passes of a program: steps that are one operation on words become one, see [`Pass`].

use super::{
    node::Node,
    pass::{Pass, Word},
    program::{Binary, Op, Program, Width},
};

/// The passes that give the results of a program and what it writes to memory.
pub(super) fn passes(program: &Program) -> Vec<Pass> {
    let mut live = vec![false; program.steps.len()];
    let stored = program.stores.iter();
    let stored = stored.flat_map(|it| [Some(it.address), Some(it.value), it.high]);
    let ends = program.outputs.iter().map(|it| it.1);
    ends.chain(stored.flatten())
        .chain(program.unspecified)
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
