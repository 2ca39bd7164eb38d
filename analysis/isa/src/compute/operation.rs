//! The one operation that a program is, for those who know what some operations do to registers: estimates, and the
//! differences between the lanes of a warp.

use super::{
    float::{Operation as FloatOperation, Rounding},
    node::Node,
    program::{Binary, Destination, Exactness, FloatTest, FloatUnary, Op, Program, Unary, Width},
    value_type::ValueType,
};
use crate::matching::binding::Binding;

/// An operation on operands as they are; of integers modulo a power of two, of floats rounded to the nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A copy of a register, or of several put together or taken apart.
    Copy,
    /// A conversion between integers: the low bits, extended where the register is wider.
    Resize,
    /// `-a`
    Negate,
    /// `~a`, of predicates `!a`
    Complement,
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`; of integers the lower half
    Multiply,
    /// `a * b` in twice the width
    MultiplyWide,
    /// `a * b + c`; of integers the lower half
    MultiplyAdd,
    /// `a * b + c` in twice the width
    MultiplyAddWide,
    /// `a / b`
    Divide,
    /// `a % b`
    Remainder,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a << b`
    ShiftLeft,
    /// `a >> b`
    ShiftRight,
    /// A comparison of numbers, with its negation if two predicates are written.
    Compare,
    /// The square root.
    SquareRoot,
    /// One of two operands, as a truth says.
    Select,
}

impl Program {
    /// The operation that gives the result, if there is one of these and nothing else: no saturation, no carry. Of
    /// packed types it is that of each element. `bindings` are the operands.
    #[must_use]
    pub fn operation(&self, bindings: &[Binding]) -> Option<Operation> {
        let (destination, result) = *self.outputs.first()?;
        let written = |it: &(Destination, Node)| matches!(it.0, Destination::Operand { .. });
        let exact = self.exactness == Exactness::Exact && !self.crosses_lanes;
        if !exact || !self.outputs.iter().all(written) {
            return None;
        }
        if self.puts_together() {
            return Some(Operation::Copy);
        }
        let found = match self.is_copied(destination, result, bindings) {
            Some(true) => Operation::Copy,
            Some(false) => Operation::Resize,
            None => self.top(result)?,
        };
        let several = matches!(found, Operation::Copy | Operation::Compare);
        (several || self.outputs.len() == 1).then_some(found)
    }

    /// Whether a result depends on a comparison of numbers.
    #[must_use]
    pub fn compares(&self) -> bool {
        self.steps.iter().any(|it| match it {
            Op::Binary(binary, ..) => binary.is_comparison(),
            Op::FloatCompare(..) => true,
            _ => false,
        })
    }

    /// Whether it does arithmetic on floats, and not only comparisons and conversions.
    #[must_use]
    pub fn is_float_arithmetic(&self) -> bool {
        self.steps.iter().any(|it| match it {
            Op::Float(step) => step.operation != FloatOperation::Convert,
            Op::FloatUnary(function, ..) => *function == FloatUnary::ReciprocalSquareRoot,
            _ => false,
        })
    }

    fn op(&self, node: Node) -> Op {
        self.steps[node as usize]
    }

    /// The value whose low bits a node is, and how many of them.
    fn stripped(&self, mut node: Node) -> (Node, u8) {
        let mut bits = 64;
        loop {
            match self.op(node) {
                Op::ZeroExtend(a, to) | Op::SignExtend(a, to) => {
                    bits = bits.min(to);
                    node = a;
                }
                Op::FloatUnary(FloatUnary::Flush, _, a) => node = a,
                _ => return (node, bits),
            }
        }
    }

    /// The width of an operand as it is, in bits; `None` of anything that is computed, and of constants of the tables.
    fn operand(&self, node: Node) -> Option<u8> {
        let (inner, bits) = self.stripped(node);
        match self.op(inner) {
            Op::Input(index) => Some(bits.min(self.inputs.get(index as usize)?.bits)),
            // An element of a pack, a negated predicate.
            Op::Binary(Binary::ShiftRight | Binary::Xor, Width::Narrow, a, by)
                if self.is_constant(by) =>
            {
                let (inner, _) = self.stripped(a);
                matches!(self.op(inner), Op::Input(_)).then_some(bits)
            }
            _ => None,
        }
    }

    fn are_operands<const N: usize>(&self, nodes: [Node; N]) -> bool {
        nodes.iter().all(|it| self.operand(*it).is_some())
    }

    /// Whether the program only puts elements in braces together, or takes a register apart into such.
    fn puts_together(&self) -> bool {
        let apart = |it: &(Destination, Node)| {
            let braces = matches!(
                it.0,
                Destination::Operand {
                    element: Some(_),
                    ..
                }
            );
            braces && self.inputs.len() == 1
        };
        let elements = self.inputs.iter().any(|it| it.element.is_some());
        let moves = |op: &Op| {
            matches!(
                op,
                Op::Input(_)
                    | Op::Constant(_)
                    | Op::WideConstant(_)
                    | Op::ZeroExtend(..)
                    | Op::SignExtend(..)
                    | Op::Widen(..)
                    | Op::Narrow(_)
                    | Op::Upper(_)
                    | Op::Binary(Binary::Or | Binary::ShiftLeft | Binary::ShiftRight, ..)
            )
        };
        (elements || self.outputs.iter().all(apart)) && self.steps.iter().all(moves)
    }

    /// Whether a result that is the low bits of an operand is all of it. What may be written to a wider register is
    /// extended there.
    fn is_copied(
        &self,
        destination: Destination,
        result: Node,
        bindings: &[Binding],
    ) -> Option<bool> {
        let bits = u32::from(self.operand(result)?);
        let Op::Input(index) = self.op(self.stripped(result).0) else {
            return None;
        };
        let width = |operand: u8| {
            let ty = bindings.get(usize::from(operand))?.ty.as_deref()?;
            Some(ValueType::from_word(ty)?.bits().min(64))
        };
        let Destination::Operand { operand, .. } = destination else {
            return None;
        };
        let source = self.inputs.get(index as usize)?.operand;
        let whole = |it: Option<u32>| it.is_none_or(|it| it == bits);
        let fixed = bindings
            .get(usize::from(operand))
            .is_none_or(|it| !it.loose);
        Some(fixed && whole(width(operand)) && whole(width(source)))
    }

    /// The operation on operands whose low bits a node is.
    fn top(&self, result: Node) -> Option<Operation> {
        let (node, width) = self.stripped(result);
        Some(match self.op(node) {
            Op::Unary(Unary::Negate, _, a) if self.are_operands([a]) => Operation::Negate,
            Op::Unary(Unary::Complement, _, a) if self.are_operands([a]) => Operation::Complement,
            // Two elements of a pack.
            Op::Binary(Binary::Or, Width::Narrow, a, b)
                if self.is_shifted(a) || self.is_shifted(b) =>
            {
                let (upper, lower) = if self.is_shifted(a) { (a, b) } else { (b, a) };
                let Op::Binary(_, _, upper, _) = self.op(self.stripped(upper).0) else {
                    return None;
                };
                return self.top(upper).filter(|it| self.top(lower) == Some(*it));
            }
            Op::Binary(binary, Width::Narrow, a, b) => self.of_integers(binary, width, a, b)?,
            Op::Select(Width::Narrow, _, a, b) if self.are_operands([a, b]) => Operation::Select,
            Op::FloatCompare(.., a, b) if self.are_operands([a, b]) => Operation::Compare,
            Op::Float(step) if step.mode == Rounding::NearestEven && !step.finite => {
                let [a, b, c] = step.operands;
                let (count, found) = match step.operation {
                    FloatOperation::Add => (2, Operation::Add),
                    FloatOperation::Subtract => (2, Operation::Subtract),
                    FloatOperation::Multiply => (2, Operation::Multiply),
                    FloatOperation::MultiplyAdd => (3, Operation::MultiplyAdd),
                    FloatOperation::SquareRoot => (1, Operation::SquareRoot),
                    FloatOperation::Divide => (2, Operation::Divide),
                    FloatOperation::Convert => return None,
                };
                let is_operand = |it: &Node| {
                    // `1 / a`
                    let one = step.operation == FloatOperation::Divide && self.is_constant(*it);
                    one || self.are_operands([*it])
                };
                let all = [a, b, c];
                return all[..count].iter().all(is_operand).then_some(found);
            }
            // The sign of a float inverted.
            Op::WithSign(_, a, sign) if self.are_operands([a]) => {
                let inverted = match self.op(sign) {
                    Op::Unary(Unary::Complement, _, it) => Some(it),
                    Op::Binary(Binary::Xor, _, it, one) if self.is_constant(one) => Some(it),
                    _ => None,
                };
                match self.op(self.stripped(inverted?).0) {
                    Op::FloatTest(FloatTest::Sign, _, it)
                        if self.stripped(it).0 == self.stripped(a).0 =>
                    {
                        Operation::Negate
                    }
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    /// Whether a node is another one at a higher place.
    fn is_shifted(&self, node: Node) -> bool {
        let op = self.op(self.stripped(node).0);
        matches!(op, Op::Binary(Binary::ShiftLeft, _, _, by) if self.is_constant(by))
    }

    fn is_constant(&self, node: Node) -> bool {
        matches!(self.op(node), Op::Constant(_))
    }

    /// An operation on two integers of which so many low bits are the result.
    fn of_integers(&self, binary: Binary, width: u8, a: Node, b: Node) -> Option<Operation> {
        let simple = match binary {
            Binary::Add => {
                // `a * b + c`
                let is_product = |it: Node| {
                    let (inner, _) = self.stripped(it);
                    matches!(self.op(inner), Op::Binary(Binary::Multiply, ..))
                };
                let (product, addend) = match is_product(a) {
                    true => (a, b),
                    false => (b, a),
                };
                if is_product(product) && self.are_operands([addend]) {
                    let (inner, cut) = self.stripped(product);
                    let Op::Binary(_, _, a, b) = self.op(inner) else {
                        return None;
                    };
                    return Some(match self.product(width.min(cut), a, b)? {
                        Operation::MultiplyWide => Operation::MultiplyAddWide,
                        _ => Operation::MultiplyAdd,
                    });
                }
                Operation::Add
            }
            Binary::Multiply => return self.product(width, a, b),
            Binary::Xor if self.is_constant(b) && self.are_operands([a]) => {
                return Some(Operation::Complement);
            }
            Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftRightSigned => {
                // A shift by more than the width is one by the width.
                let by = match self.op(self.stripped(b).0) {
                    Op::Binary(Binary::Minimum, _, by, most) if self.is_constant(most) => by,
                    _ => b,
                };
                let found = match binary {
                    Binary::ShiftLeft => Operation::ShiftLeft,
                    _ => Operation::ShiftRight,
                };
                return self.are_operands([a, by]).then_some(found);
            }
            Binary::Subtract if self.is_constant(a) && self.are_operands([b]) => {
                return Some(Operation::Negate);
            }
            Binary::Subtract => Operation::Subtract,
            Binary::Quotient | Binary::QuotientSigned => Operation::Divide,
            Binary::Remainder | Binary::RemainderSigned => Operation::Remainder,
            Binary::And => Operation::And,
            Binary::Or => Operation::Or,
            Binary::Xor => Operation::Xor,
            _ if binary.is_comparison() => Operation::Compare,
            _ => return None,
        };
        self.are_operands([a, b]).then_some(simple)
    }

    /// A product of operands of which so many low bits are the result.
    fn product(&self, width: u8, a: Node, b: Node) -> Option<Operation> {
        let operands = self.operand(a)?.max(self.operand(b)?);
        match width {
            it if it == operands => Some(Operation::Multiply),
            it if it >= 2 * operands => Some(Operation::MultiplyWide),
            _ => None,
        }
    }
}
