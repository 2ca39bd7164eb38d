//! Exact integers: expressions with the range of their values, and the operations that compute them.
//!
//! The notation computes with integers of any size and keeps the low bits at the end. A program computes in 64 bits
//! wherever that gives the same bits: the range of an expression says how many it needs, and the bits that are read of it say
//! how many matter. `a * b` of two `.u64` needs 128 bits below `>> 64`, and 64 where the low half is written.

use std::rc::Rc;

use super::{
    builder::Builder,
    node::Node,
    program::{Binary, Op, Relation, Unary, Width},
};

/// An exact integer.
#[derive(Clone, Debug)]
pub(super) struct Int {
    pub(super) tree: Rc<Tree>,
    pub(super) range: Range,
    /// The width in bits of the type that it has as an operand or an element; `None` of a result.
    pub(super) width: Option<u32>,
}

/// How an integer is computed.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Constant(i128),
    /// A node that holds the number, in the representation of its range.
    Node(Node),
    /// A node of 128 bits that holds it, though its range would fit 64.
    WideNode(Node),
    Binary(Ring, Int, Int),
    Negate(Int),
    Complement(Int),
    ShiftLeft(Int, Int),
    ShiftRight(Int, Int),
    /// By the signs of both.
    Minimum(Int, Int),
    Maximum(Int, Int),
    Quotient(Int, Int),
    Remainder(Int, Int),
    /// A truth, and the values where it holds and where it does not.
    Select(Node, Int, Int),
    /// The first of low bits of the second, as two's complement.
    SignExtend(u32, Int),
    ZeroExtend(u32, Int),
}

/// An operation whose low bits depend on the low bits of its operands only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ring {
    Add,
    Subtract,
    Multiply,
    And,
    Or,
    Xor,
}

/// The least and the largest value; `high` is [`i128::MAX`] for numbers of up to 128 bits without a sign, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: i128,
    pub(super) high: i128,
}

/// How a program holds a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberForm {
    Signed64,
    Unsigned64,
    Signed128,
    Unsigned128,
}

impl NumberForm {
    fn width(self) -> Width {
        match self {
            NumberForm::Signed64 | NumberForm::Unsigned64 => Width::Narrow,
            NumberForm::Signed128 | NumberForm::Unsigned128 => Width::Wide,
        }
    }

    fn signed(self) -> bool {
        matches!(self, NumberForm::Signed64 | NumberForm::Signed128)
    }
}

impl Range {
    pub(super) fn new(low: i128, high: i128) -> Range {
        Range { low, high }
    }

    /// The range of an integer type with this width in bits.
    pub(super) fn of_bits(bits: u32, signed: bool) -> Range {
        match (bits, signed) {
            (0, _) => Range::new(0, 0),
            (128.., false) => Range::new(0, i128::MAX),
            (128.., true) => Range::new(i128::MIN, i128::MAX),
            (127, false) => Range::new(0, i128::MAX),
            (_, false) => Range::new(0, (1 << bits) - 1),
            (_, true) => Range::new(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        }
    }

    fn fits(self, other: Range) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    fn form(self) -> NumberForm {
        if self.fits(Range::of_bits(64, true)) {
            NumberForm::Signed64
        } else if self.fits(Range::of_bits(64, false)) {
            NumberForm::Unsigned64
        } else if self.low < 0 {
            NumberForm::Signed128
        } else {
            NumberForm::Unsigned128
        }
    }

    fn union(self, other: Range) -> Range {
        Range::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// The range of the narrowest integer type that contains it.
    fn bits(self) -> Range {
        let bits = |it: i128| 128 - if it < 0 { !it } else { it }.leading_zeros();
        let bits = bits(self.low).max(bits(self.high));
        match self.low < 0 {
            true => Range::of_bits(bits + 1, true),
            false => Range::of_bits(bits, false),
        }
    }
}

impl Int {
    pub(super) fn constant(value: i128) -> Int {
        Int {
            tree: Rc::new(Tree::Constant(value)),
            range: Range::new(value, value),
            width: None,
        }
    }

    fn new(tree: Tree, range: Range) -> Int {
        Int {
            tree: Rc::new(tree),
            range,
            width: None,
        }
    }

    /// A number that a node holds: of 64 bits, in the range.
    pub(super) fn node(node: Node, range: Range) -> Int {
        Int::new(Tree::Node(node), range)
    }

    /// A number without a sign that a node of 128 bits holds.
    pub(super) fn wide_node(node: Node, range: Range) -> Int {
        Int::new(Tree::WideNode(node), range)
    }

    pub(super) fn with_width(mut self, bits: u32) -> Int {
        self.width = Some(bits);
        self
    }

    pub(super) fn as_constant(&self) -> Option<i128> {
        match *self.tree {
            Tree::Constant(it) => Some(it),
            _ => None,
        }
    }

    pub(super) fn ring(operation: Ring, a: Int, b: Int) -> Int {
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
            let value = match operation {
                Ring::Add => x.checked_add(y),
                Ring::Subtract => x.checked_sub(y),
                Ring::Multiply => x.checked_mul(y),
                Ring::And => Some(x & y),
                Ring::Or => Some(x | y),
                Ring::Xor => Some(x ^ y),
            };
            if let Some(value) = value {
                return Int::constant(value);
            }
        }
        match (operation, a.as_constant(), b.as_constant()) {
            (Ring::Add | Ring::Or | Ring::Xor, Some(0), _) | (Ring::Multiply, Some(1), _) => {
                return b.plain();
            }
            (Ring::Add | Ring::Subtract | Ring::Or | Ring::Xor, _, Some(0))
            | (Ring::Multiply, _, Some(1)) => return a.plain(),
            _ => {}
        }
        let (x, y) = (a.range, b.range);
        let range = match operation {
            Ring::Add => Range::new(x.low.saturating_add(y.low), x.high.saturating_add(y.high)),
            Ring::Subtract => {
                Range::new(x.low.saturating_sub(y.high), x.high.saturating_sub(y.low))
            }
            Ring::Multiply => {
                let products = [
                    x.low.saturating_mul(y.low),
                    x.low.saturating_mul(y.high),
                    x.high.saturating_mul(y.low),
                    x.high.saturating_mul(y.high),
                ];
                let low = products.iter().copied().min().unwrap_or_default();
                let high = products.iter().copied().max().unwrap_or_default();
                Range::new(low, high)
            }
            Ring::And if x.low >= 0 && y.low >= 0 => {
                Range::new(0, x.bits().high.min(y.bits().high))
            }
            Ring::And if x.low >= 0 => Range::new(0, x.high),
            Ring::And if y.low >= 0 => Range::new(0, y.high),
            Ring::And | Ring::Or | Ring::Xor => {
                let both = x.bits().union(y.bits());
                if both.low < 0 { both.bits() } else { both }
            }
        };
        Int::new(Tree::Binary(operation, a, b), range)
    }

    /// The same number without the width of a type.
    pub(super) fn plain(mut self) -> Int {
        self.width = None;
        self
    }

    pub(super) fn negate(self) -> Int {
        if let Some(it) = self.as_constant().and_then(i128::checked_neg) {
            return Int::constant(it);
        }
        let range = Range::new(
            self.range.high.saturating_neg(),
            self.range.low.saturating_neg(),
        );
        Int::new(Tree::Negate(self), range)
    }

    pub(super) fn complement(self) -> Int {
        if let Some(it) = self.as_constant() {
            return Int::constant(!it);
        }
        let range = Range::new(!self.range.high, !self.range.low);
        Int::new(Tree::Complement(self), range)
    }

    pub(super) fn shift_left(self, by: Int) -> Int {
        if let (Some(x), Some(n)) = (self.as_constant(), by.as_constant())
            && (0..127).contains(&n)
            && let Some(value) = x.checked_mul(1 << n)
        {
            return Int::constant(value);
        }
        let shift = |it: i128, n: i128| {
            let power = u32::try_from(n).ok().filter(|it| *it < 127);
            match power {
                Some(n) => it.saturating_mul(1 << n),
                None if it == 0 => 0,
                None => it.signum().saturating_mul(i128::MAX),
            }
        };
        let (least, most) = (by.range.low.max(0), by.range.high.max(0));
        let range = Range::new(
            shift(self.range.low, least).min(shift(self.range.low, most)),
            shift(self.range.high, least).max(shift(self.range.high, most)),
        );
        Int::new(Tree::ShiftLeft(self, by), range)
    }

    pub(super) fn shift_right(self, by: Int) -> Int {
        if let (Some(x), Some(n)) = (self.as_constant(), by.as_constant())
            && let Ok(n) = u32::try_from(n)
        {
            return Int::constant(x >> n.min(127));
        }
        let shift = |it: i128, n: i128| it >> u32::try_from(n).unwrap_or(127).min(127);
        let (least, most) = (by.range.low.max(0), by.range.high.max(0));
        let full = self.range.low >= 0 && self.range.high == i128::MAX;
        let high = match (full, least) {
            (true, 1..) => Range::of_bits(128u32.saturating_sub(least as u32), false).high,
            _ => shift(self.range.high, least).max(shift(self.range.high, most)),
        };
        let low = shift(self.range.low, least).min(shift(self.range.low, most));
        Int::new(Tree::ShiftRight(self, by), Range::new(low, high))
    }

    pub(super) fn minimum(a: Int, b: Int) -> Int {
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
            return Int::constant(x.min(y));
        }
        let (x, y) = (a.range, b.range);
        let range = Range::new(x.low.min(y.low), x.high.min(y.high));
        if x.high <= y.low {
            return a.plain();
        }
        if y.high <= x.low {
            return b.plain();
        }
        Int::new(Tree::Minimum(a, b), range)
    }

    pub(super) fn maximum(a: Int, b: Int) -> Int {
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
            return Int::constant(x.max(y));
        }
        let (x, y) = (a.range, b.range);
        let range = Range::new(x.low.max(y.low), x.high.max(y.high));
        if x.low >= y.high {
            return a.plain();
        }
        if y.low >= x.high {
            return b.plain();
        }
        Int::new(Tree::Maximum(a, b), range)
    }

    /// The nearest number in a range.
    pub(super) fn clamp(self, range: Range) -> Int {
        let above = Int::maximum(self, Int::constant(range.low));
        Int::minimum(above, Int::constant(range.high))
    }

    /// The quotient, rounded toward 0. A division by 0 gives something, perhaps outside the range.
    pub(super) fn quotient(a: Int, b: Int) -> Int {
        let most = a.range.low.saturating_abs().max(a.range.high);
        let range = match a.range.low < 0 || b.range.low < 0 {
            true => Range::new(most.saturating_neg(), most),
            false => Range::new(0, most),
        };
        Int::new(Tree::Quotient(a, b), range)
    }

    /// The remainder with the sign of the first.
    pub(super) fn remainder(a: Int, b: Int) -> Int {
        let range = a.range.union(Range::new(0, 0));
        Int::new(Tree::Remainder(a, b), range)
    }

    pub(super) fn select(condition: Node, a: Int, b: Int) -> Int {
        let range = a.range.union(b.range);
        Int::new(Tree::Select(condition, a, b), range)
    }

    /// The low bits as an unsigned number.
    pub(super) fn low_bits(self, bits: u32) -> Int {
        let range = Range::of_bits(bits, false);
        if let Some(it) = self.as_constant() {
            let mask = if bits >= 128 { -1 } else { (1i128 << bits) - 1 };
            if it & mask >= 0 {
                return Int::constant(it & mask).with_width(bits);
            }
        }
        if self.range.fits(range) {
            return self.with_width(bits);
        }
        Int::new(Tree::ZeroExtend(bits, self), range).with_width(bits)
    }

    /// The low bits as two's complement.
    pub(super) fn signed_bits(self, bits: u32) -> Int {
        let range = Range::of_bits(bits, true);
        if let Some(it) = self.as_constant()
            && (1..=128).contains(&bits)
        {
            let rest = 128 - bits;
            return Int::constant(it << rest >> rest).with_width(bits);
        }
        if self.range.fits(range) {
            return self.with_width(bits);
        }
        Int::new(Tree::SignExtend(bits, self), range).with_width(bits)
    }
}

impl Builder {
    /// A node whose lowest `bits` bits, at most 64, are those of the number; its other bits are unspecified.
    pub(super) fn low(&mut self, int: &Int, bits: u32) -> Node {
        let narrow = |it: &Int| it.range.form().width() == Width::Narrow;
        match &*int.tree {
            Tree::Constant(it) => self.push(Op::Constant(*it as u64)),
            Tree::Node(it) => *it,
            Tree::WideNode(it) => self.push(Op::Narrow(*it)),
            Tree::Binary(ring, a, b) => {
                let (a, b) = (self.low(a, bits), self.low(b, bits));
                self.push(Op::Binary(ring.operation(), Width::Narrow, a, b))
            }
            Tree::Negate(a) => {
                let a = self.low(a, bits);
                self.push(Op::Unary(Unary::Negate, Width::Narrow, a))
            }
            Tree::Complement(a) => {
                let a = self.low(a, bits);
                self.push(Op::Unary(Unary::Complement, Width::Narrow, a))
            }
            Tree::ShiftLeft(a, by) if by.range.low >= 0 && narrow(by) => {
                let (a, by) = (self.low(a, bits), self.exact(by).0);
                self.push(Op::Binary(Binary::ShiftLeft, Width::Narrow, a, by))
            }
            Tree::ShiftRight(a, by)
                if !narrow(a)
                    && by
                        .as_constant()
                        .is_some_and(|it| (0..=i128::from(64 - bits)).contains(&it)) =>
            {
                let more = by.as_constant().unwrap_or_default() as u32;
                let (a, by) = (self.low(a, bits + more), self.exact(by).0);
                self.push(Op::Binary(Binary::ShiftRight, Width::Narrow, a, by))
            }
            Tree::Select(condition, a, b) => {
                let (a, b) = (self.low(a, bits), self.low(b, bits));
                self.push(Op::Select(Width::Narrow, *condition, a, b))
            }
            Tree::SignExtend(to, a) | Tree::ZeroExtend(to, a) if *to >= bits => self.low(a, bits),
            // Of the least number by -1 the low bits are right, too.
            Tree::Quotient(a, b) if a.range.union(b.range).form().width() == Width::Narrow => {
                self.divide(a, b, a.range.union(b.range).form(), true)
            }
            _ => {
                let (node, form) = self.exact(int);
                match form {
                    Width::Narrow => node,
                    Width::Wide => self.push(Op::Narrow(node)),
                }
            }
        }
    }

    /// A node that holds the number, and its width.
    pub(super) fn exact(&mut self, int: &Int) -> (Node, Width) {
        let form = int.range.form();
        (self.in_form(int, form), form.width())
    }

    /// A truth: whether the relation holds.
    pub(super) fn compare(&mut self, relation: Relation, a: &Int, b: &Int) -> Node {
        let form = a.range.union(b.range).form();
        let signed = form.signed() && (a.range.low < 0 || b.range.low < 0);
        let (mut x, mut y) = (self.in_form(a, form), self.in_form(b, form));
        if matches!(relation, Relation::Greater | Relation::GreaterEqual) {
            (x, y) = (y, x);
        }
        let operation = match relation {
            Relation::Equal => Binary::Equal,
            Relation::NotEqual => Binary::NotEqual,
            Relation::Less | Relation::Greater if signed => Binary::LessSigned,
            Relation::Less | Relation::Greater => Binary::Less,
            Relation::LessEqual | Relation::GreaterEqual if signed => Binary::LessEqualSigned,
            Relation::LessEqual | Relation::GreaterEqual => Binary::LessEqual,
        };
        self.push(Op::Binary(operation, form.width(), x, y))
    }

    /// The number as a node of a form that holds its range.
    fn in_form(&mut self, int: &Int, form: NumberForm) -> Node {
        let own = int.range.form();
        if own.width() == Width::Narrow && form.width() == Width::Wide {
            if let Tree::Constant(it) = &*int.tree {
                return self.push(Op::WideConstant(*it as u128));
            }
            if let Tree::WideNode(it) = &*int.tree {
                return *it;
            }
            let node = self.in_form(int, own);
            return self.push(Op::Widen(node, own.signed()));
        }
        match &*int.tree {
            Tree::Constant(it) if form.width() == Width::Wide => {
                self.push(Op::WideConstant(*it as u128))
            }
            Tree::Constant(it) => self.push(Op::Constant(*it as u64)),
            Tree::Node(it) => *it,
            Tree::WideNode(it) if form.width() == Width::Narrow => self.push(Op::Narrow(*it)),
            Tree::WideNode(it) => *it,
            // The low 64 bits of these are exact, and the number has no more.
            Tree::Binary(..)
            | Tree::Negate(_)
            | Tree::Complement(_)
            | Tree::ShiftLeft(..)
            | Tree::Select(..)
                if form.width() == Width::Narrow =>
            {
                self.low_of_exact(int)
            }
            Tree::Binary(ring, a, b) => {
                let (a, b) = (self.wide(a), self.wide(b));
                self.push(Op::Binary(ring.operation(), Width::Wide, a, b))
            }
            Tree::Negate(a) => {
                let a = self.wide(a);
                self.push(Op::Unary(Unary::Negate, Width::Wide, a))
            }
            Tree::Complement(a) => {
                let a = self.wide(a);
                self.push(Op::Unary(Unary::Complement, Width::Wide, a))
            }
            Tree::ShiftLeft(a, by) => {
                let (a, by) = (self.wide(a), self.wide(by));
                self.push(Op::Binary(Binary::ShiftLeft, Width::Wide, a, by))
            }
            Tree::ShiftRight(a, by) => {
                let from = a.range.form();
                let shifted = self.in_form(a, from);
                let by = match from.width() {
                    Width::Wide => self.wide(by),
                    Width::Narrow => self.amount(by),
                };
                let operation = match from.signed() && a.range.low < 0 {
                    true => Binary::ShiftRightSigned,
                    false => Binary::ShiftRight,
                };
                let node = self.push(Op::Binary(operation, from.width(), shifted, by));
                self.convert(node, from, form)
            }
            Tree::Minimum(a, b) | Tree::Maximum(a, b) => {
                let both = a.range.union(b.range).form();
                let signed = both.signed() && (a.range.low < 0 || b.range.low < 0);
                let (x, y) = (self.in_form(a, both), self.in_form(b, both));
                let least = matches!(&*int.tree, Tree::Minimum(..));
                let operation = match (least, signed) {
                    (true, true) => Binary::MinimumSigned,
                    (true, false) => Binary::Minimum,
                    (false, true) => Binary::MaximumSigned,
                    (false, false) => Binary::Maximum,
                };
                let node = self.push(Op::Binary(operation, both.width(), x, y));
                self.convert(node, both, form)
            }
            Tree::Quotient(a, b) | Tree::Remainder(a, b) => {
                let both = a.range.union(b.range).union(int.range).form();
                let quotient = matches!(&*int.tree, Tree::Quotient(..));
                let node = self.divide(a, b, both, quotient);
                self.convert(node, both, form)
            }
            Tree::Select(condition, a, b) => {
                let (a, b) = (self.wide(a), self.wide(b));
                self.push(Op::Select(Width::Wide, *condition, a, b))
            }
            Tree::ZeroExtend(bits, a) if *bits <= 64 => {
                let node = self.low(a, *bits);
                self.zero_extend(node, *bits)
            }
            Tree::SignExtend(bits, a) if *bits <= 64 => {
                let node = self.low(a, *bits);
                match bits {
                    64 => node,
                    0 => self.push(Op::Constant(0)),
                    _ => self.push(Op::SignExtend(node, *bits as u8)),
                }
            }
            Tree::ZeroExtend(bits, a) => {
                let node = self.wide(a);
                if *bits >= 128 {
                    return node;
                }
                let mask = self.push(Op::WideConstant((1 << bits) - 1));
                self.push(Op::Binary(Binary::And, Width::Wide, node, mask))
            }
            Tree::SignExtend(bits, a) => {
                let node = self.wide(a);
                let rest = self.push(Op::WideConstant(u128::from(128u32.saturating_sub(*bits))));
                let up = self.push(Op::Binary(Binary::ShiftLeft, Width::Wide, node, rest));
                self.push(Op::Binary(Binary::ShiftRightSigned, Width::Wide, up, rest))
            }
        }
    }

    fn divide(&mut self, a: &Int, b: &Int, form: NumberForm, quotient: bool) -> Node {
        let signed = form.signed() && (a.range.low < 0 || b.range.low < 0);
        let (x, y) = (self.in_form(a, form), self.in_form(b, form));
        let operation = match (quotient, signed) {
            (true, true) => Binary::QuotientSigned,
            (true, false) => Binary::Quotient,
            (false, true) => Binary::RemainderSigned,
            (false, false) => Binary::Remainder,
        };
        self.push(Op::Binary(operation, form.width(), x, y))
    }

    /// The low 64 bits of a number that has no more.
    fn low_of_exact(&mut self, int: &Int) -> Node {
        match &*int.tree {
            Tree::ShiftLeft(a, by) => {
                let (a, by) = (self.low(a, 64), self.amount(by));
                self.push(Op::Binary(Binary::ShiftLeft, Width::Narrow, a, by))
            }
            _ => self.low(int, 64),
        }
    }

    /// A number of bits by which something is shifted: 64 bits, which are large for what has more.
    fn amount(&mut self, by: &Int) -> Node {
        let (node, width) = self.exact(by);
        match width {
            Width::Narrow => node,
            Width::Wide => {
                let most = self.push(Op::WideConstant(u128::from(u64::MAX)));
                let least = Op::Binary(Binary::Minimum, Width::Wide, node, most);
                let least = self.push(least);
                self.push(Op::Narrow(least))
            }
        }
    }

    /// The number in 128 bits.
    pub(super) fn wide(&mut self, int: &Int) -> Node {
        let form = match int.range.form() {
            NumberForm::Signed64 | NumberForm::Signed128 => NumberForm::Signed128,
            NumberForm::Unsigned64 | NumberForm::Unsigned128 => NumberForm::Unsigned128,
        };
        self.in_form(int, form)
    }

    fn convert(&mut self, node: Node, from: NumberForm, to: NumberForm) -> Node {
        match (from.width(), to.width()) {
            (Width::Wide, Width::Narrow) => self.push(Op::Narrow(node)),
            (Width::Narrow, Width::Wide) => self.push(Op::Widen(node, from.signed())),
            _ => node,
        }
    }

    /// The low bits of a node, the others 0.
    pub(super) fn zero_extend(&mut self, node: Node, bits: u32) -> Node {
        match bits {
            64.. => node,
            0 => self.push(Op::Constant(0)),
            _ => self.push(Op::ZeroExtend(node, bits as u8)),
        }
    }
}

impl Ring {
    fn operation(self) -> Binary {
        match self {
            Ring::Add => Binary::Add,
            Ring::Subtract => Binary::Subtract,
            Ring::Multiply => Binary::Multiply,
            Ring::And => Binary::And,
            Ring::Or => Binary::Or,
            Ring::Xor => Binary::Xor,
        }
    }
}
