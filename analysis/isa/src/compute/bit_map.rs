//! Bit maps: from which bits each bit of a value is made, if it takes no more than three of them.
//!
//! Each operation of a graph is run on bits that are functions of up to three bits of leaves. Moves, masks, shifts,
//! permutations and truth tables are exact, sums too where no carry meets more; a bit of anything else is unknown. No
//! instruction is known here.

use super::{
    boolean::COLUMNS,
    graph::Graph,
    known_bits::KnownBits,
    node::Node,
    program::{Binary, FloatTest, Op, Unary, Width},
};

/// Values of more operations are not looked at: each takes some microseconds.
const MAX_NODES: usize = 600;
/// A product with a number of more ones is not looked at: its carries leave little that is known.
const MAX_ADDENDS: u32 = 4;

/// A bit of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BitOf {
    /// The leaf, by its number in the graph.
    pub leaf: u32,
    /// The bit, the lowest being 0.
    pub bit: u8,
}

/// A function of up to three bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitFunction {
    /// The bits on which it depends, ascending; unused places hold [`BitFunction::NONE`].
    bits: [BitOf; 3],
    count: u8,
    /// The result at `4*a + 2*b + c`.
    table: u8,
}

/// A bit: `None` if it is not a function of three bits or fewer.
pub(super) type Bit = Option<BitFunction>;

const ZERO: Bit = Some(BitFunction::constant(false));
const ONE: Bit = Some(BitFunction::constant(true));

/// Tables of two bits, in the first two columns.
const AND: u8 = COLUMNS[0] & COLUMNS[1];
const OR: u8 = COLUMNS[0] | COLUMNS[1];
const XOR: u8 = COLUMNS[0] ^ COLUMNS[1];
/// Tables of three bits.
const SUM: u8 = COLUMNS[0] ^ COLUMNS[1] ^ COLUMNS[2];
const CARRY: u8 = COLUMNS[0] & COLUMNS[1] | COLUMNS[0] & COLUMNS[2] | COLUMNS[1] & COLUMNS[2];
const CHOICE: u8 = COLUMNS[0] & COLUMNS[1] | !COLUMNS[0] & COLUMNS[2];

impl BitFunction {
    const NONE: BitOf = BitOf {
        leaf: u32::MAX,
        bit: u8::MAX,
    };

    /// A constant.
    const fn constant(value: bool) -> BitFunction {
        BitFunction {
            bits: [BitFunction::NONE; 3],
            count: 0,
            table: if value { 0xff } else { 0 },
        }
    }

    fn of(bit: BitOf) -> BitFunction {
        BitFunction {
            bits: [bit, BitFunction::NONE, BitFunction::NONE],
            count: 1,
            table: COLUMNS[0],
        }
    }

    /// The bits on which it depends.
    #[must_use]
    pub fn bits(&self) -> &[BitOf] {
        &self.bits[..usize::from(self.count)]
    }

    /// The truth table: the result at `4*a + 2*b + c` of [`BitFunction::bits`].
    #[must_use]
    pub fn table(&self) -> u8 {
        self.table
    }

    /// The constant, if it depends on nothing.
    #[must_use]
    pub fn as_constant(&self) -> Option<bool> {
        (self.count == 0).then_some(self.table != 0)
    }

    /// Whether it is the bit on which it depends.
    #[must_use]
    pub fn is_copy(&self) -> bool {
        self.count == 1 && self.table == COLUMNS[0]
    }

    /// The result, `bit` being the values of the bits.
    pub fn value(&self, mut bit: impl FnMut(BitOf) -> bool) -> bool {
        let mut row = 0;
        for (index, it) in self.bits().iter().enumerate() {
            row |= usize::from(bit(*it)) << (2 - index);
        }
        self.table >> row & 1 == 1
    }

    /// The same at a row of the bits of another function.
    fn at(&self, bits: &[BitOf], row: u8) -> bool {
        self.value(|it| {
            let place = bits.iter().position(|other| *other == it);
            place.is_some_and(|it| row >> (2 - it) & 1 == 1)
        })
    }

    /// A function of bits without those that change nothing.
    fn reduced(bits: &[BitOf], table: u8) -> BitFunction {
        let mut out = BitFunction::constant(table & 1 == 1);
        let matters = |place: usize| {
            let column = COLUMNS[place];
            let by = 4 >> place;
            (table & column) >> by != table & !column
        };
        let kept: Vec<usize> = (0..bits.len()).filter(|it| matters(*it)).collect();
        for (to, from) in kept.iter().enumerate() {
            out.bits[to] = bits[*from];
        }
        out.count = kept.len() as u8;
        out.table = (0..8u8)
            .filter(|row| {
                let mut old = 0;
                for (to, from) in kept.iter().enumerate() {
                    old |= (row >> (2 - to) & 1) << (2 - from);
                }
                table >> old & 1 == 1
            })
            .fold(0, |all, row| all | 1 << row);
        out
    }
}

/// A function of up to three bits, by its truth table; what is not known may have either value.
fn apply(table: u8, operands: &[Bit]) -> Bit {
    let mut bits: [BitOf; 3] = [BitFunction::NONE; 3];
    let mut count = 0;
    let known = operands.iter().flatten();
    for bit in known.flat_map(BitFunction::bits) {
        if bits[..count].contains(bit) {
            continue;
        }
        // No more is known of functions of many bits.
        if count == 3 {
            return only_certain(table, operands);
        }
        bits[count] = *bit;
        count += 1;
    }
    let bits = &mut bits[..count];
    bits.sort_unstable();
    let mut result = 0;
    // Rows that differ only in places without a bit are the same.
    let step = 8 >> count;
    for row in (0..8).step_by(step) {
        let mut found = None;
        for index in 0..8u8 {
            let possible = |place: usize| {
                let value = index >> (2 - place) & 1 == 1;
                match operands.get(place) {
                    None => !value,
                    Some(None) => true,
                    Some(Some(it)) => it.at(bits, row) == value,
                }
            };
            if !(0..3).all(possible) {
                continue;
            }
            let value = table >> index & 1 == 1;
            if *found.get_or_insert(value) != value {
                return None;
            }
        }
        if found == Some(true) {
            result |= (((1u16 << step) - 1) << row) as u8;
        }
    }
    Some(BitFunction::reduced(bits, result))
}

/// The same where only constants are told apart: `x & 0` is 0 whatever x is.
fn only_certain(table: u8, operands: &[Bit]) -> Bit {
    let constants: Vec<Bit> = operands
        .iter()
        .map(|it| it.filter(|it| it.count == 0))
        .collect();
    apply(table, &constants)
}

/// A node with all that is known of it.
#[derive(Clone, Debug, Default)]
struct BitValue {
    /// 64 or 128 of them.
    bits: Vec<Bit>,
    known: KnownBits,
}

/// The bits of a value, the lowest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitMap {
    bits: Vec<Bit>,
}

impl BitMap {
    /// The bits, the lowest first; `None` for those that are not a function of three bits or fewer.
    #[must_use]
    pub fn bits(&self) -> &[Option<BitFunction>] {
        &self.bits
    }

    /// The bits above those of another map.
    #[must_use]
    pub fn followed_by(mut self, high: BitMap) -> BitMap {
        self.bits.extend(high.bits);
        self
    }

    /// The number, if all bits are constants.
    #[must_use]
    pub fn as_constant(&self) -> Option<u128> {
        let mut number = 0;
        for (index, bit) in self.bits.iter().enumerate() {
            number |= u128::from((*bit)?.as_constant()?) << index;
        }
        Some(number)
    }

    /// The functions of all bits, if all are known.
    pub(super) fn functions(&self) -> Option<Vec<BitFunction>> {
        self.bits.iter().copied().collect()
    }
}

impl Graph {
    /// Which nodes a node is computed from, itself among them; ascending.
    fn sources(&self, node: Node) -> Vec<Node> {
        let mut seen = vec![false; node as usize + 1];
        seen[node as usize] = true;
        for at in (0..=node as usize).rev() {
            if seen[at] {
                self.builder.steps[at].for_each_operand(|it| seen[it as usize] = true);
            }
        }
        let indices = (0..=node).filter(|it| seen[*it as usize]);
        indices.collect()
    }

    /// The low bits of a value, at most 64.
    pub fn bit_map(&mut self, node: Node, bits: u32) -> BitMap {
        let sources = self.sources(node);
        let mut found = vec![None; 64];
        if sources.len() <= MAX_NODES {
            let mut values: Vec<BitValue> = vec![BitValue::default(); node as usize + 1];
            for it in sources {
                let value = BitValue {
                    known: self.known_bits(it),
                    bits: self.bits_of(it, &values),
                };
                values[it as usize] = value.completed();
            }
            found = values.pop().unwrap_or_default().bits;
        }
        found.truncate(bits as usize);
        BitMap { bits: found }
    }

    /// The bits of a node from those of its operands.
    fn bits_of(&self, node: Node, values: &[BitValue]) -> Vec<Bit> {
        let op = self.op(node);
        let empty = || vec![None; if op.is_wide() { 128 } else { 64 }];
        let of = |it: Node| &values[it as usize].bits[..];
        let constant = |it: Node| values[it as usize].known.as_constant();
        match op {
            Op::Input(leaf) => {
                let bit = |bit: u8| Some(BitFunction::of(BitOf { leaf, bit }));
                (0..64).map(bit).collect()
            }
            Op::Widen(a, signed) => {
                let filling = if signed { of(a)[63] } else { ZERO };
                resized(of(a), 128, filling)
            }
            Op::Narrow(a) => of(a)[..64].to_vec(),
            Op::Upper(a) => of(a)[64..].to_vec(),
            Op::ZeroExtend(a, bits) => part(of(a), bits.into(), 64),
            Op::SignExtend(a, bits) => sign_extended(of(a), bits.into(), 64),
            Op::Binary(binary, width, a, b) => {
                binary_bits(binary, width, of(a), of(b), constant(b)).unwrap_or_else(empty)
            }
            Op::Unary(unary, width, a) => match unary {
                Unary::Complement => inverted(of(a)),
                Unary::Negate => {
                    let zeros = vec![ZERO; of(a).len()];
                    sum(&inverted(of(a)), &zeros, ONE).0
                }
                Unary::Reverse(bits) if width == Width::Narrow => {
                    let mut bits = part(of(a), bits.into(), bits.into());
                    bits.reverse();
                    resized(&bits, 64, ZERO)
                }
                _ => empty(),
            },
            Op::Select(_, condition, a, b) => {
                let condition = of(condition)[0];
                let pairs = of(a).iter().zip(of(b));
                let choose = |(a, b): (&Bit, &Bit)| apply(CHOICE, &[condition, *a, *b]);
                pairs.map(choose).collect()
            }
            Op::LookUp(a, b, c, table) => match constant(table) {
                Some(table) => (0..64)
                    .map(|it| apply(table as u8, &[of(a)[it], of(b)[it], of(c)[it]]))
                    .collect(),
                None => empty(),
            },
            Op::Field(_, a, low, count) => match (constant(low), constant(count)) {
                (Some(low), Some(count)) => {
                    let shifted = shifted_right(of(a), low, ZERO);
                    part(&shifted, count.min(64) as usize, 64)
                }
                _ => empty(),
            },
            Op::FloatTest(FloatTest::Sign, format, a) => {
                let sign = of(a)[format.bits() as usize - 1];
                resized(&[sign], 64, ZERO)
            }
            _ => empty(),
        }
    }
}

impl BitValue {
    /// With the bits that are known otherwise, such as those above a product.
    fn completed(mut self) -> BitValue {
        for (index, bit) in self.bits.iter_mut().enumerate() {
            if self.known.mask >> index & 1 == 1 {
                *bit = Some(BitFunction::constant(self.known.bits >> index & 1 == 1));
            }
        }
        self
    }
}

fn not(bit: Bit) -> Bit {
    apply(!COLUMNS[0], &[bit])
}

fn inverted(bits: &[Bit]) -> Vec<Bit> {
    bits.iter().copied().map(not).collect()
}

fn resized(bits: &[Bit], count: usize, filling: Bit) -> Vec<Bit> {
    let mut bits = bits[..count.min(bits.len())].to_vec();
    bits.resize(count, filling);
    bits
}

/// The low bits, filled with 0.
fn part(bits: &[Bit], kept: usize, count: usize) -> Vec<Bit> {
    resized(&bits[..kept.min(bits.len())], count, ZERO)
}

fn sign_extended(bits: &[Bit], from: usize, to: usize) -> Vec<Bit> {
    let from = from.clamp(1, bits.len());
    resized(&bits[..from], to, bits[from - 1])
}

fn shifted_left(bits: &[Bit], by: u128) -> Vec<Bit> {
    let mut out = vec![ZERO; by.min(bits.len() as u128) as usize];
    out.extend(bits);
    out.truncate(bits.len());
    out
}

fn shifted_right(bits: &[Bit], by: u128, filling: Bit) -> Vec<Bit> {
    let by = by.min(bits.len() as u128) as usize;
    resized(&bits[by..], bits.len(), filling)
}

/// The sum of two numbers and a carry, and the carry out of it.
fn sum(a: &[Bit], b: &[Bit], mut carry: Bit) -> (Vec<Bit>, Bit) {
    let mut out = Vec::with_capacity(a.len());
    for (a, b) in a.iter().zip(b) {
        out.push(apply(SUM, &[*a, *b, carry]));
        carry = apply(CARRY, &[*a, *b, carry]);
    }
    (out, carry)
}

/// The truth that the first number is less than the second.
fn less(a: &[Bit], b: &[Bit]) -> Bit {
    not(sum(a, &inverted(b), ONE).1)
}

/// A signed number as one without a sign that compares as it does.
fn unsigned(bits: &[Bit]) -> Vec<Bit> {
    let mut bits = bits.to_vec();
    if let Some(sign) = bits.last_mut() {
        *sign = not(*sign);
    }
    bits
}

/// The bits of an operation on two integers, if it is one that moves or combines bits; `by` is the second if that is a
/// constant.
fn binary_bits(
    binary: Binary,
    width: Width,
    a: &[Bit],
    b: &[Bit],
    by: Option<u128>,
) -> Option<Vec<Bit>> {
    let count = match width {
        Width::Narrow => 64,
        Width::Wide => 128,
    };
    let each = |table: u8| -> Vec<Bit> {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| apply(table, &[*a, *b])).collect()
    };
    let truth = |it: Bit| resized(&[it], 64, ZERO);
    Some(match binary {
        Binary::And => each(AND),
        Binary::Or => each(OR),
        Binary::Xor => each(XOR),
        Binary::Add => sum(a, b, ZERO).0,
        Binary::Subtract => sum(a, &inverted(b), ONE).0,
        Binary::ShiftLeft => shifted_left(a, by?),
        Binary::ShiftRight => shifted_right(a, by?, ZERO),
        Binary::ShiftRightSigned => shifted_right(a, by?, *a.last()?),
        Binary::Multiply => {
            let (number, by) = match by {
                Some(by) => (a, by),
                None => (b, number(a)?),
            };
            if by.count_ones() > MAX_ADDENDS {
                return None;
            }
            let mut out = vec![ZERO; number.len()];
            for place in (0..u128::BITS).filter(|it| by >> it & 1 == 1) {
                out = sum(&out, &shifted_left(number, place.into()), ZERO).0;
            }
            out
        }
        Binary::Quotient if by?.is_power_of_two() => {
            shifted_right(a, by?.trailing_zeros().into(), ZERO)
        }
        Binary::Remainder if by?.is_power_of_two() => part(a, by?.trailing_zeros() as usize, count),
        Binary::SignedField => match by? {
            0 => vec![ZERO; count],
            by => sign_extended(a, by.min(count as u128) as usize, count),
        },
        Binary::Equal | Binary::NotEqual => {
            let either = |all: Bit, it: Bit| apply(OR, &[all, it]);
            let different = each(XOR).into_iter().fold(ZERO, either);
            truth(match binary {
                Binary::Equal => not(different),
                _ => different,
            })
        }
        Binary::Less => truth(less(a, b)),
        Binary::LessEqual => truth(not(less(b, a))),
        Binary::LessSigned => truth(less(&unsigned(a), &unsigned(b))),
        Binary::LessEqualSigned => truth(not(less(&unsigned(b), &unsigned(a)))),
        _ => return None,
    })
}

fn number(bits: &[Bit]) -> Option<u128> {
    let bits = bits.to_vec();
    BitMap { bits }.as_constant()
}
