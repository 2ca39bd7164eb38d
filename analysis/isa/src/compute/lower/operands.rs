//! Operands: their bits, their types, the parts that selectors name.

use super::{BoundOperand, Float, LaneOf, Lowering, Primitive, Result, Value, ValueType, mistake};
use crate::{
    compute::{
        exact::{Int, Range, Ring},
        float::Format,
        node::Node,
        program::{Binary, FloatUnary, Input, Op, Width},
        value_type::ElementType,
    },
    operand::Operand,
};

/// The width in bits of integers and untyped bits where a table gives no type and a constant is written.
const DEFAULT_BITS: u32 = 32;

/// A part of a register that a selector names: `b2`, `h1`, in SIMD video several digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selector<'a> {
    /// Width in bits of a part.
    pub(super) bits: u32,
    /// The digits, the uppermost element first.
    digits: &'a str,
}

impl Selector<'_> {
    /// The digit of the element, counted from the lowest.
    pub(super) fn digit(&self, element: usize) -> Option<u32> {
        self.digits.chars().rev().nth(element)?.to_digit(10)
    }

    /// The digit, if there is one.
    pub(super) fn single(&self) -> Option<u32> {
        match self.digits.len() {
            1 => self.digit(0),
            _ => None,
        }
    }

    /// Whether one of the digits is this.
    pub(super) fn has(&self, digit: u32) -> bool {
        self.digits.chars().any(|it| it.to_digit(10) == Some(digit))
    }
}

/// The selector of an operand.
pub(super) fn selector(operand: &Operand) -> Option<Selector<'_>> {
    match operand {
        Operand::Selected(_, word) => {
            let bits = match word.chars().next()? {
                'b' => 8,
                'h' => 16,
                _ => return None,
            };
            let digits = &word[1..];
            Some(Selector { bits, digits })
        }
        Operand::Not(inner) | Operand::Minus(inner) => selector(inner),
        _ => None,
    }
}

/// Width in bits of the register, or of the constant of a type.
pub(in crate::compute) fn register_bits(operand: &Operand, ty: Option<ValueType>) -> u32 {
    match operand {
        Operand::Register { class, .. } | Operand::Special { class, .. } => class.bits(),
        Operand::Not(inner)
        | Operand::Minus(inner)
        | Operand::Selected(inner, _)
        | Operand::Offset(inner, _)
        | Operand::Element(inner, _) => register_bits(inner, ty),
        Operand::Symbol(_) => 64,
        _ => ty.map_or(DEFAULT_BITS, ValueType::bits),
    }
}

/// The type of an operand: that of the table, else the untyped bits of the register.
pub(super) fn type_of(bound: &BoundOperand<'_>) -> ValueType {
    bound.ty.unwrap_or_else(|| {
        // A number in brackets is an address of any width.
        if let (Some(_), Operand::Integer(_)) = (bound.space, bound.operand) {
            return ValueType::untyped(64);
        }
        let operand = match bound.operand {
            Operand::Vector(items) => items.first().unwrap_or(bound.operand),
            it => it,
        };
        match register_bits(operand, None) {
            1 => ValueType::PREDICATE,
            bits => ValueType::untyped(bits),
        }
    })
}

impl Lowering<'_> {
    /// The bits of a register, or of an element of braces: 64 of them.
    pub(super) fn source(&mut self, operand: usize, element: Option<u8>, half: u8) -> Node {
        let bound = self.statement.operands[operand];
        let register = match (bound.operand, element) {
            (Operand::Vector(items), Some(it)) => items.get(usize::from(it)),
            (it, _) => Some(it),
        };
        let bits = register_bits(register.unwrap_or(bound.operand), Some(type_of(&bound)));
        let bits = bits.saturating_sub(64 * u32::from(half)).min(64) as u8;
        let operand = operand as u8;
        let node = self.builder.input(Input {
            operand,
            element,
            half,
            bits,
        });
        self.in_lane(node)
    }

    /// A value as the lane holds it whose operands are read.
    pub(super) fn in_lane(&mut self, node: Node) -> Node {
        match self.lane {
            None => node,
            Some(LaneOf::Fixed(lane)) => self.builder.push(Op::Broadcast(node, lane)),
            Some(LaneOf::Node(lane)) => self.builder.push(Op::Gather(node, lane)),
        }
    }

    /// The bits of an operand, or of an element of braces, as an unsigned number of a type's width.
    fn bits_at(&mut self, index: usize, element: Option<u32>, ty: ValueType) -> Int {
        let bound = self.statement.operands[index];
        let operand = match (bound.operand, element) {
            (Operand::Vector(items), Some(element)) => items.get(element as usize),
            (it, _) => Some(it),
        };
        let operand = operand.unwrap_or(bound.operand);
        let element = match bound.operand {
            Operand::Vector(_) => element.map(|it| it as u8),
            _ => None,
        };
        let low = self.source(index, element, 0);
        let int = if ty.bits() > 64 {
            let high = self.source(index, element, 1);
            Int::wide_node(self.join(high, low), Range::of_bits(128, false))
        } else {
            Int::node(low, Range::of_bits(64, false))
        };
        let int = match selector(operand).and_then(|it| Some((it.bits, it.single()?))) {
            Some((bits, digit)) => {
                let by = Int::constant(i128::from(bits * digit));
                return int.shift_right(by).low_bits(bits);
            }
            None => int.low_bits(ty.bits()),
        };
        match operand {
            Operand::Not(_) => Int::ring(Ring::Xor, int, Int::constant(1)).low_bits(1),
            _ => int,
        }
    }

    /// Two numbers of 64 bits as one of 128.
    pub(super) fn join(&mut self, high: Node, low: Node) -> Node {
        let low = self.builder.push(Op::Widen(low, false));
        let high = self.builder.push(Op::Widen(high, false));
        let by = self.builder.push(Op::WideConstant(64));
        let shift = Op::Binary(Binary::ShiftLeft, Width::Wide, high, by);
        let high = self.builder.push(shift);
        let join = Op::Binary(Binary::Or, Width::Wide, high, low);
        self.builder.push(join)
    }

    /// All bits of an operand as an unsigned number; elements of braces side by side, the first lowest.
    pub(super) fn raw_operand(&mut self, index: usize) -> Int {
        let bound = self.statement.operands[index];
        let ty = type_of(&bound);
        let Operand::Vector(items) = bound.operand else {
            return self.bits_at(index, None, ty);
        };
        let mut all = Int::constant(0);
        let mut at = 0;
        for (element, item) in (0..).zip(items) {
            let bits = match bound.ty {
                Some(ty) => ty.bits(),
                None => register_bits(item, None),
            };
            let part = self.bits_at(index, Some(element), ValueType::untyped(bits));
            let part = part.plain().shift_left(Int::constant(at));
            all = Int::ring(Ring::Or, all, part);
            at += i128::from(bits);
        }
        all.low_bits(at as u32)
    }

    /// The value of an operand, of the element that is computed.
    pub(super) fn operand(&mut self, index: usize) -> Result<Value> {
        let bound = self.statement.operands[index];
        let ty = type_of(&bound);
        if let Operand::Vector(_) = bound.operand {
            return match self.element {
                // The elements of packed types in braces are counted through.
                Some(element) if ty.count > 1 => {
                    let bits = self.bits_at(index, Some(element / ty.count), ty);
                    let by = Int::constant((ty.element.bits() * (element % ty.count)).into());
                    let bits = bits.plain().shift_right(by).low_bits(ty.element.bits());
                    Ok(self.typed(&bits, ty.element))
                }
                Some(element) => self.element_of(index, element),
                None => Ok(Value::Int(self.raw_operand(index))),
            };
        }
        let int = self.bits_at(index, None, ty);
        if let Some(element) = self.element
            && ty.count > 1
        {
            let by = Int::constant(i128::from(ty.element.bits() * element));
            let bits = int.plain().shift_right(by).low_bits(ty.element.bits());
            return Ok(self.typed(&bits, ty.element));
        }
        if ty.count > 1 {
            return Ok(Value::Int(int));
        }
        let element = match (ty.element, selector(bound.operand)) {
            (ElementType::Integer { signed, .. }, Some(it)) if it.single().is_some() => {
                let bits = it.bits;
                ElementType::Integer { bits, signed }
            }
            (it, _) => it,
        };
        Ok(self.typed(&int, element))
    }

    /// An element of an operand in braces.
    pub(super) fn element_of(&mut self, index: usize, element: u32) -> Result<Value> {
        let bound = self.statement.operands[index];
        let Operand::Vector(items) = bound.operand else {
            return mistake(format!("`{}` is not in braces", bound.name));
        };
        if items.len() <= element as usize {
            return mistake(format!("`{}` has no element {element}", bound.name));
        }
        let ty = type_of(&bound);
        let bits = self.bits_at(index, Some(element), ty);
        Ok(match ty.count {
            1 => self.typed(&bits, ty.element),
            _ => Value::Int(bits),
        })
    }

    /// Bits as a value of a type. Floats go through the functions of `inputs`.
    pub(super) fn typed(&mut self, bits: &Int, ty: ElementType) -> Value {
        match ty {
            ElementType::Predicate => Value::Truth(self.low_bits(bits, 1)),
            ElementType::Integer {
                bits: width,
                signed,
            } => Value::Int(match signed {
                true => bits.clone().signed_bits(width),
                false => bits.clone().low_bits(width),
            }),
            ElementType::Float(format) => {
                let node = self.low_bits(bits, format.bits());
                Value::Float(Float::Bits(self.read(node, format), format))
            }
        }
    }

    /// The low bits of a number, at most 64, the others 0.
    pub(super) fn low_bits(&mut self, int: &Int, bits: u32) -> Node {
        if int.range.low >= 0 && int.range.high <= Range::of_bits(bits.min(64), false).high {
            return self.builder.exact(int).0;
        }
        let node = self.builder.low(int, bits.min(64));
        self.builder.zero_extend(node, bits)
    }

    fn read(&mut self, node: Node, format: Format) -> Node {
        let mut node = node;
        for (function, only) in self.inputs.clone() {
            if only.is_none_or(|it| it == format) && function == Primitive::Flush && flushes(format)
            {
                let flush = Op::FloatUnary(FloatUnary::Flush, format, node);
                node = self.builder.push(flush);
            }
        }
        node
    }
}

/// Whether `.ftz` is about a format: it makes subnormal numbers of these 0.
pub(super) fn flushes(format: Format) -> bool {
    matches!(format, Format::F16 | Format::F32 | Format::F64)
}
