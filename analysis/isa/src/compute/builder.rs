//! Builds programs: each operation once, constants folded, and no operation that changes nothing.

use rustc_hash::FxHashMap;

use super::{
    node::Node,
    program::{Binary, Input, Op, Unary, Width},
    run::{Store, evaluate, evaluate_wide},
};

/// The steps of a program that is being made.
#[derive(Clone, Debug, Default)]
pub(super) struct Builder {
    pub(super) steps: Vec<Op>,
    pub(super) inputs: Vec<Input>,
    /// How many low bits of each node of 64 bits may be other than 0.
    bits: Vec<u8>,
    known: FxHashMap<Op, Node>,
}

impl Builder {
    /// The node of an operation, or of one that gives the same.
    pub(super) fn push(&mut self, op: Op) -> Node {
        let op = match self.simplified(op) {
            Ok(node) => return node,
            Err(op) => op,
        };
        if let Some(node) = self.known.get(&op) {
            return *node;
        }
        let node = self.steps.len() as Node;
        let bits = self.bits_of(&op);
        self.steps.push(op);
        self.bits.push(bits);
        self.known.insert(op, node);
        node
    }

    /// The node of a value that is read.
    pub(super) fn input(&mut self, input: Input) -> Node {
        let found = self.inputs.iter().position(|it| *it == input);
        let index = found.unwrap_or_else(|| {
            self.inputs.push(input);
            self.inputs.len() - 1
        });
        self.push(Op::Input(index as u32))
    }

    /// How many low bits of a node of 64 bits may be other than 0.
    pub(super) fn bits(&self, node: Node) -> u8 {
        self.bits[node as usize]
    }

    pub(super) fn constant(&self, node: Node) -> Option<u64> {
        match self.steps[node as usize] {
            Op::Constant(it) => Some(it),
            _ => None,
        }
    }

    /// A node that holds what an operation gives, if there is one, else the operation.
    fn simplified(&mut self, op: Op) -> Result<Node, Op> {
        match op {
            Op::ZeroExtend(a, bits) if self.bits(a) <= bits => return Ok(a),
            Op::ZeroExtend(a, bits) => {
                // Bits that are dropped anyway need not be made.
                if let Op::ZeroExtend(inner, _) | Op::SignExtend(inner, _) = self.steps[a as usize]
                    && self.kept(a) >= bits
                {
                    return Ok(self.push(Op::ZeroExtend(inner, bits)));
                }
            }
            Op::SignExtend(a, bits) if self.bits(a) < bits => return Ok(a),
            Op::SignExtend(a, bits) => {
                if let Op::ZeroExtend(inner, _) | Op::SignExtend(inner, _) = self.steps[a as usize]
                    && self.kept(a) >= bits
                {
                    return Ok(self.push(Op::SignExtend(inner, bits)));
                }
            }
            Op::Narrow(a) => {
                if let Op::Widen(inner, _) = self.steps[a as usize] {
                    return Ok(inner);
                }
            }
            Op::Select(_, _, a, b) if a == b => return Ok(a),
            Op::Select(_, condition, a, b) => match self.constant(condition) {
                Some(0) => return Ok(b),
                Some(_) => return Ok(a),
                None => {}
            },
            Op::Broadcast(a, _) if self.constant(a).is_some() => return Ok(a),
            Op::Binary(binary, Width::Narrow, a, b) => {
                if let Some(node) = self.identity(binary, a, b) {
                    return Ok(node);
                }
            }
            _ => {}
        }
        match self.folded(&op) {
            Some(constant) if constant != op => Ok(self.push(constant)),
            _ => Err(op),
        }
    }

    /// Up to which bit a node keeps what it extends.
    fn kept(&self, node: Node) -> u8 {
        match self.steps[node as usize] {
            Op::ZeroExtend(_, bits) | Op::SignExtend(_, bits) => bits,
            _ => 0,
        }
    }

    /// The operand that an operation gives back.
    fn identity(&mut self, binary: Binary, a: Node, b: Node) -> Option<Node> {
        let (x, y) = (self.constant(a), self.constant(b));
        match (binary, x, y) {
            (Binary::Add | Binary::Or | Binary::Xor, Some(0), _) => Some(b),
            (
                Binary::Add
                | Binary::Subtract
                | Binary::Or
                | Binary::Xor
                | Binary::ShiftLeft
                | Binary::ShiftRight
                | Binary::ShiftRightSigned,
                _,
                Some(0),
            ) => Some(a),
            (Binary::Multiply, Some(1), _) => Some(b),
            (Binary::Multiply, _, Some(1)) => Some(a),
            (Binary::And, _, Some(0)) => Some(b),
            (Binary::And, Some(0), _) => Some(a),
            (Binary::And, _, Some(mask)) if covers(mask, self.bits(a)) => Some(a),
            (Binary::And, Some(mask), _) if covers(mask, self.bits(b)) => Some(b),
            (Binary::And | Binary::Or | Binary::Minimum | Binary::Maximum, ..) if a == b => Some(a),
            // The smaller one of a number and one that it cannot exceed.
            (Binary::Minimum, _, Some(most)) if covers(most, self.bits(a)) => Some(a),
            _ => None,
        }
    }

    /// The constant that an operation on constants gives.
    fn folded(&self, op: &Op) -> Option<Op> {
        let mut constants = true;
        op.for_each_operand(|it| {
            constants &= matches!(
                self.steps[it as usize],
                Op::Constant(_) | Op::WideConstant(_)
            );
        });
        let leaf =
            matches!(op, Op::Input(_) | Op::Lane | Op::Aligned(..)) || op.outside_bits().is_some();
        if !constants || leaf {
            return None;
        }
        Some(match op.is_wide() {
            true => {
                let mut out = [0];
                evaluate_wide(op, self, &mut out);
                Op::WideConstant(out[0])
            }
            false => {
                let mut out = [0];
                evaluate(op, self, &mut out);
                Op::Constant(out[0])
            }
        })
    }

    fn bits_of(&self, op: &Op) -> u8 {
        let both = |a: Node, b: Node| self.bits(a).max(self.bits(b));
        match *op {
            Op::Input(index) => self.inputs.get(index as usize).map_or(64, |it| it.bits),
            Op::Constant(it) => 64 - it.leading_zeros() as u8,
            Op::Lane | Op::Member => 5,
            Op::CtaRank => 8,
            Op::Participants { .. } | Op::Ctas | Op::Ballot(_) => 32,
            Op::Active => 32,
            Op::Carry => 1,
            Op::ZeroExtend(a, bits) => self.bits(a).min(bits),
            Op::Binary(binary, width, a, b) => match (binary, width) {
                (binary, _) if binary.is_comparison() => 1,
                (_, Width::Wide) => 64,
                (Binary::And, _) => self.bits(a).min(self.bits(b)),
                (Binary::Or | Binary::Xor | Binary::Maximum, _) => both(a, b),
                (Binary::Minimum, _) => self.bits(a).min(self.bits(b)),
                (Binary::Remainder, _) => self.bits(a),
                (Binary::Add, _) => (both(a, b) + 1).min(64),
                (Binary::Multiply, _) => (self.bits(a) + self.bits(b)).min(64),
                (Binary::ShiftRight, _) => match self.constant(b) {
                    Some(by) => self.bits(a).saturating_sub(by.min(64) as u8),
                    None => self.bits(a),
                },
                (Binary::ShiftLeft, _) => match self.constant(b) {
                    Some(by) => (u64::from(self.bits(a)) + by.min(64)).min(64) as u8,
                    None => 64,
                },
                _ => 64,
            },
            Op::Unary(Unary::PopulationCount, Width::Narrow, _) => 7,
            Op::Unary(Unary::Reverse(bits), Width::Narrow, _) => bits,
            Op::Select(Width::Narrow, _, a, b) => both(a, b),
            Op::LookUp(a, b, c, table) => match self.constant(table) {
                // Without the row of three zeros no bit appears above all of them.
                Some(table) if table & 1 == 0 => both(a, b).max(self.bits(c)),
                _ => 64,
            },
            Op::Field(Width::Narrow, a, ..) => self.bits(a),
            Op::Broadcast(a, _) | Op::Gather(a, _) | Op::Aligned(a, _) => self.bits(a),
            Op::Float(step) => step.to.bits() as u8,
            Op::Stochastic { to, .. } | Op::FromInteger { to, .. } => to.bits() as u8,
            Op::ToInteger {
                bits,
                signed: false,
                ..
            } => bits,
            Op::Integral(format, ..)
            | Op::FloatUnary(_, format, _)
            | Op::Extreme(_, format, ..)
            | Op::WithSign(format, ..) => format.bits() as u8,
            Op::FloatCompare(..) | Op::FloatTest(..) => 1,
            _ => 64,
        }
    }
}

/// Whether the lowest `bits` bits of a mask are all ones.
fn covers(mask: u64, bits: u8) -> bool {
    let needed = u64::MAX.checked_shr(64 - u32::from(bits)).unwrap_or(0);
    mask & needed == needed
}

/// Constants only.
impl Store<1> for Builder {
    fn narrow(&self, node: Node) -> &[u64; 1] {
        match &self.steps[node as usize] {
            Op::Constant(it) => std::array::from_ref(it),
            _ => &[0],
        }
    }

    fn wide(&self, node: Node) -> &[u128; 1] {
        match &self.steps[node as usize] {
            Op::WideConstant(it) => std::array::from_ref(it),
            _ => &[0],
        }
    }
}
