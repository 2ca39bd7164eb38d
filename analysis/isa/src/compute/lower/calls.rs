//! The functions of the notation.

use super::{
    Expression, Float, Lowering, Primitive, Result, Value, floats, mistake, operands, truth_as_int,
};
use crate::compute::{
    exact::{Int, Range, Ring},
    float::Rounding,
    program::{Binary, FloatTest, FloatUnary, Op, Unary, Width},
    value_type::{ElementType, ValueType},
};

/// The most bits that an element in SIMD video and the like has; packs are not wider.
const PACK_BITS: u32 = 64;

impl Lowering<'_> {
    pub(super) fn call(&mut self, primitive: Primitive, arguments: &[Expression]) -> Result<Value> {
        let argument = |index: usize| match arguments.get(index) {
            Some(it) => Ok(it),
            None => mistake(format!("`{}` lacks an argument", primitive.name())),
        };
        if let Some(function) = floats::float_unary(primitive) {
            let value = self.expression(argument(0)?)?;
            let float = floats::float(value);
            return match function {
                FloatUnary::Flush | FloatUnary::Saturate | FloatUnary::Relu => {
                    self.float_function(function, float)
                }
                FloatUnary::Finite | FloatUnary::PositiveZero => {
                    self.float_function(function, float)
                }
                // Exact until it is rounded, as what `approx` bounds.
                _ => Ok(Value::Float(Float::Function(function, Box::new(float)))),
            };
        }
        match primitive {
            Primitive::Absolute => match self.expression(argument(0)?)? {
                Value::Float(it) => {
                    let plus = self.builder.push(Op::Constant(0));
                    self.with_sign(it, plus)
                }
                other => {
                    let int = self.number(other)?.plain();
                    let negated = int.clone().negate();
                    Ok(Value::Int(Int::maximum(int, negated)))
                }
            },
            Primitive::Minimum | Primitive::Maximum => {
                let (a, b) = (
                    self.expression(argument(0)?)?,
                    self.expression(argument(1)?)?,
                );
                self.apply_extreme(primitive == Primitive::Maximum, a, b)
            }
            Primitive::Quotient | Primitive::Remainder => {
                let (a, b) = (self.int(argument(0)?)?, self.int(argument(1)?)?);
                Ok(Value::Int(match primitive {
                    Primitive::Quotient => Int::quotient(a, b),
                    _ => Int::remainder(a, b),
                }))
            }
            // All fields of a register at once.
            Primitive::Field if self.moves_whole() => self.expression(argument(0)?),
            Primitive::Field => self.field(argument(0)?, argument(1)?, argument(2)?),
            Primitive::Bit => {
                let (x, i) = (self.raw(argument(0)?)?, self.int(argument(1)?)?);
                let bit = x.plain().shift_right(i).low_bits(1);
                Ok(Value::Truth(self.low_bits(&bit, 1)))
            }
            Primitive::Signed => {
                let (x, n) = (self.int(argument(0)?)?, self.int(argument(1)?)?);
                if let Some(n) = n.as_constant() {
                    return Ok(Value::Int(x.plain().signed_bits(n as u32)));
                }
                let x = self.builder.low(&x, 64);
                let n = self.builder.low(&n, 64);
                let field = Op::Binary(Binary::SignedField, Width::Narrow, x, n);
                let node = self.builder.push(field);
                Ok(Value::Int(Int::node(node, Range::of_bits(64, true))))
            }
            Primitive::Ones => {
                let n = self.int(argument(0)?)?;
                let bits = n.range.high.clamp(0, 128) as u32;
                if bits > PACK_BITS {
                    let one = Int::constant(1).shift_left(n);
                    let ones = Int::ring(Ring::Subtract, one, Int::constant(1));
                    return Ok(Value::Int(ones));
                }
                let n = self.builder.low(&n, 64);
                let node = self.builder.push(Op::Unary(Unary::Ones, Width::Narrow, n));
                Ok(Value::Int(Int::node(node, Range::of_bits(bits, false))))
            }
            Primitive::Aligned => {
                let (address, bytes) = (self.int(argument(0)?)?, self.constant(argument(1)?)?);
                let address = self.builder.low(&address, 64);
                let node = self.builder.push(Op::Aligned(address, bytes as u8));
                Ok(Value::Int(Int::node(node, Range::of_bits(64, false))))
            }
            Primitive::Raw => Ok(Value::Int(self.raw(argument(0)?)?)),
            Primitive::Concatenate => self.concatenate(arguments),
            Primitive::Part => {
                let ty = match arguments.get(2) {
                    Some(it) => self.element_type(it)?,
                    None => self.own_type(argument(0)?)?,
                };
                let x = self.raw(argument(0)?)?.plain();
                let i = self.int(argument(1)?)?;
                let by = Int::ring(Ring::Multiply, i, Int::constant(ty.bits().into()));
                let bits = x.shift_right(by).low_bits(ty.bits());
                Ok(self.typed(&bits, ty))
            }
            Primitive::PopulationCount | Primitive::Highest => {
                let x = self.int(argument(0)?)?;
                let (node, width) = self.builder.exact(&x);
                let (operation, low) = match primitive {
                    Primitive::PopulationCount => (Unary::PopulationCount, 0),
                    _ => (Unary::Highest, -1),
                };
                let node = self.builder.push(Op::Unary(operation, width, node));
                let node = match width {
                    Width::Narrow => node,
                    Width::Wide => self.builder.push(Op::Narrow(node)),
                };
                Ok(Value::Int(Int::node(node, Range::new(low, 128))))
            }
            Primitive::Reverse => {
                let (x, bits) = (self.raw(argument(0)?)?, self.constant(argument(1)?)? as u32);
                let x = self.builder.low(&x, bits);
                let reverse = Op::Unary(Unary::Reverse(bits as u8), Width::Narrow, x);
                let node = self.builder.push(reverse);
                Ok(Value::Int(Int::node(node, Range::of_bits(bits, false))))
            }
            Primitive::NthSet => {
                let mut nodes = [0; 3];
                for (node, argument) in nodes.iter_mut().zip(arguments) {
                    let int = self.int(argument)?;
                    *node = self.builder.exact(&int).0;
                }
                let node = self.builder.push(Op::NthSet(nodes[0], nodes[1], nodes[2]));
                Ok(Value::Int(Int::node(node, Range::new(-1, 31))))
            }
            Primitive::LookUp => {
                let mut nodes = [0; 4];
                for (node, argument) in nodes.iter_mut().zip(arguments) {
                    let int = self.int(argument)?;
                    *node = self.builder.exact(&int).0;
                }
                let [a, b, c, table] = nodes;
                let node = self.builder.push(Op::LookUp(a, b, c, table));
                Ok(Value::Int(Int::node(node, Range::of_bits(64, false))))
            }
            Primitive::CarrylessProduct => {
                let (x, y) = (self.int(argument(0)?)?, self.int(argument(1)?)?);
                let (x, y) = (self.builder.wide(&x), self.builder.wide(&y));
                let node = self
                    .builder
                    .push(Op::Binary(Binary::Carryless, Width::Wide, x, y));
                Ok(Value::Int(Int::wide_node(node, Range::of_bits(128, false))))
            }
            Primitive::Merge => self.merge(argument(0)?, argument(1)?),
            Primitive::Picked => self.picked(argument(0)?, argument(1)?, argument(2)?),
            Primitive::Masked => self.masked(argument(0)?, argument(1)?),
            Primitive::Clamp => self.clamp(argument(0)?, arguments.get(1)),
            Primitive::Round => {
                let value = self.expression(argument(0)?)?;
                let float = floats::float(value);
                let word = match arguments.get(1) {
                    Some(Expression::Name(name)) => self.statement.slot(name).unwrap_or(name),
                    _ => "rn",
                };
                if let Some(random) = arguments.get(2) {
                    let random = self.int(random)?;
                    let Some(count) = random.width else {
                        return mistake("random bits need a width");
                    };
                    return self.round_randomly(float, &random, count);
                }
                self.round(
                    float,
                    floats::rounding(word).unwrap_or(Rounding::NearestEven),
                )
            }
            Primitive::Integral => {
                let value = self.expression(argument(0)?)?;
                let word = match argument(1)? {
                    Expression::Name(name) => self.statement.slot(name).unwrap_or(name),
                    _ => "rni",
                };
                let Some(mode) = floats::rounding(word) else {
                    return mistake(format!("`{word}` does not round to integers"));
                };
                self.integral(floats::float(value), mode)
            }
            Primitive::SquareRoot => {
                let value = self.expression(argument(0)?)?;
                let float = floats::float(value);
                Ok(Value::Float(Float::SquareRoot(Box::new(float))))
            }
            Primitive::IsNan => {
                let value = self.expression(argument(0)?)?;
                Ok(Value::Truth(self.is_nan(floats::float(value))?))
            }
            Primitive::Sign | Primitive::OutOfBounds => {
                let value = self.expression(argument(0)?)?;
                let (node, format) = self.rounded(floats::float(value))?;
                let test = match primitive {
                    Primitive::Sign => FloatTest::Sign,
                    _ => FloatTest::OutOfBounds,
                };
                Ok(Value::Truth(
                    self.builder.push(Op::FloatTest(test, format, node)),
                ))
            }
            Primitive::WithSign => {
                let value = self.expression(argument(0)?)?;
                let sign = self.truth(argument(1)?)?;
                self.with_sign(floats::float(value), sign)
            }
            Primitive::Apply => {
                let word = match argument(0)? {
                    Expression::Opcode => self.statement.name,
                    Expression::Name(name) => self.statement.slot(name).unwrap_or(name),
                    _ => return mistake("`apply` needs the name of a slot"),
                };
                let word = word.to_owned();
                let a = self.expression(argument(1)?)?;
                match arguments.get(2) {
                    Some(b) => {
                        let b = self.expression(b)?;
                        self.apply(&word, a, b)
                    }
                    None => self.test(&word, a),
                }
            }
            Primitive::Upper | Primitive::Lower => {
                let element = u32::from(primitive == Primitive::Upper);
                let before = self.element.replace(element);
                let value = self.expression(argument(0)?);
                self.element = before;
                value
            }
            Primitive::Bits | Primitive::Bytes => {
                let bits = i128::from(self.argument_type(argument(0)?)?.bits());
                Ok(Value::Int(Int::constant(match primitive {
                    Primitive::Bits => bits,
                    _ => bits / 8,
                })))
            }
            Primitive::Number => {
                let Expression::Name(name) = argument(0)? else {
                    return mistake("`number` needs the name of a slot");
                };
                let Some(word) = self.statement.slot(name) else {
                    return Ok(Value::Int(Int::constant(1)));
                };
                let digits: String = word
                    .chars()
                    .skip_while(|it| !it.is_ascii_digit())
                    .take_while(char::is_ascii_digit)
                    .collect();
                match digits.parse::<i128>() {
                    Ok(it) => Ok(Value::Int(Int::constant(it))),
                    Err(_) => mistake(format!("`{word}` has no number")),
                }
            }
            Primitive::Half | Primitive::Quarter | Primitive::Selected => {
                mistake(format!("`{}` is a type", primitive.name()))
            }
            Primitive::BoxBytes => self.box_bytes(arguments),
            _ => self.address_call(primitive, arguments),
        }
    }

    /// The type that an argument names.
    fn argument_type(&mut self, argument: &Expression) -> Result<ValueType> {
        match argument {
            Expression::Name(name) => self.type_word(name),
            Expression::Call(primitive @ (Primitive::Half | Primitive::Quarter), inner) => {
                let Some(inner) = inner.first() else {
                    return mistake("a part of no type");
                };
                let ty = self.argument_type(inner)?;
                let parts = match primitive {
                    Primitive::Half => 2,
                    _ => 4,
                };
                Ok(ValueType {
                    element: integer_type(ty.bits() / parts, ty.element),
                    count: 1,
                })
            }
            // The type of the part of the destination that its selector names.
            Expression::Call(Primitive::Selected, inner) => {
                let [ty, Expression::Name(destination)] = &inner[..] else {
                    return mistake("`selected` needs a type and an operand");
                };
                let ty = self.argument_type(ty)?;
                let operand = self.statement.operand(destination);
                let operand = operand.map(|it| self.statement.operands[it].operand);
                let bits = operand
                    .and_then(operands::selector)
                    .map_or(32, |it| it.bits);
                Ok(ValueType {
                    element: integer_type(bits, ty.element),
                    count: 1,
                })
            }
            _ => mistake("a type was expected"),
        }
    }

    fn element_type(&mut self, argument: &Expression) -> Result<ElementType> {
        Ok(self.argument_type(argument)?.element)
    }

    /// The type of an element of an operand.
    fn own_type(&mut self, argument: &Expression) -> Result<ElementType> {
        let Expression::Name(name) = argument else {
            return mistake("`part` without a type needs an operand");
        };
        match self.statement.operand(name) {
            Some(it) => Ok(operands::type_of(&self.statement.operands[it]).element),
            None => mistake(format!("`{name}` is not an operand")),
        }
    }

    /// `field(x, lo, n)`: the width is known if `n` is.
    fn field(&mut self, x: &Expression, low: &Expression, n: &Expression) -> Result<Value> {
        let (x, low, n) = (self.raw(x)?.plain(), self.int(low)?, self.int(n)?);
        if let Some(n) = n.as_constant() {
            return Ok(Value::Int(x.shift_right(low).low_bits(n as u32)));
        }
        let range = Range::of_bits(128, false);
        if x.range.high > Range::of_bits(64, false).high {
            let ones = Int::constant(1).shift_left(n);
            let ones = Int::ring(Ring::Subtract, ones, Int::constant(1));
            let field = Int::ring(Ring::And, x.shift_right(low), ones);
            return Ok(Value::Int(field));
        }
        let high = x.range.high;
        let (x, low, n) = (
            self.builder.low(&x, 64),
            self.builder.low(&low, 64),
            self.builder.low(&n, 64),
        );
        let node = self.builder.push(Op::Field(Width::Narrow, x, low, n));
        Ok(Value::Int(Int::node(
            node,
            Range::new(0, high.min(range.high)),
        )))
    }

    /// Elements side by side; floats go through the functions of `result` first.
    fn concatenate(&mut self, arguments: &[Expression]) -> Result<Value> {
        let mut all = Int::constant(0);
        let mut total = 0;
        for argument in arguments {
            let part = match self.expression(argument)? {
                Value::Float(it) => {
                    let (node, format) = self.result(it)?;
                    let range = Range::of_bits(format.bits(), false);
                    Int::node(node, range).with_width(format.bits())
                }
                Value::Truth(it) => truth_as_int(it).with_width(1),
                Value::Int(it) => it,
            };
            let Some(bits) = part.width else {
                return mistake("an element of `concat` without a width");
            };
            let part = part.plain().low_bits(bits);
            let upper = all.shift_left(Int::constant(bits.into()));
            all = Int::ring(Ring::Or, upper, part.plain());
            total += bits;
        }
        Ok(Value::Int(all.low_bits(total)))
    }

    /// The first number with the part replaced that the selector of the destination names.
    fn merge(&mut self, into: &Expression, value: &Expression) -> Result<Value> {
        let (into, value) = (self.raw(into)?.plain(), self.int(value)?.plain());
        let destination = self.statement.operands.iter();
        let mut selectors = destination.filter_map(|it| operands::selector(it.operand));
        // The destination is the first operand.
        let selector = match self.statement.operands.first() {
            Some(it) => operands::selector(it.operand),
            None => selectors.next(),
        };
        let Some((bits, digit)) = selector.and_then(|it| Some((it.bits, it.single()?))) else {
            return Ok(Value::Int(value.low_bits(32)));
        };
        let at = bits * digit;
        let hole = Int::constant(!(((1i128 << bits) - 1) << at));
        let part = value
            .low_bits(bits)
            .plain()
            .shift_left(Int::constant(at.into()));
        let kept = Int::ring(Ring::And, into, hole);
        Ok(Value::Int(Int::ring(Ring::Or, kept, part).low_bits(32)))
    }

    /// The element that the selector of an operand picks from both operands, the second above the first.
    fn picked(&mut self, x: &Expression, i: &Expression, ty: &Expression) -> Result<Value> {
        let ty = self.element_type(ty)?;
        let i = self.constant(i)? as u32;
        let Expression::Name(name) = x else {
            return mistake("`picked` needs an operand");
        };
        let Some(index) = self.statement.operand(name) else {
            return mistake(format!("`{name}` is not an operand"));
        };
        let count = 32 / ty.bits();
        let chosen = operands::selector(self.statement.operands[index].operand);
        let position = match chosen.and_then(|it| it.digit(i as usize)) {
            Some(it) => it,
            None => i + if *name == "b" { count } else { 0 },
        };
        let from = if position < count { "a" } else { "b" };
        let Some(from) = self.statement.operand(from) else {
            return mistake("`picked` needs the operands `a` and `b`");
        };
        let whole = self.whole_register(from).plain();
        let by = Int::constant(i128::from(position % count * ty.bits()));
        let bits = whole.shift_right(by).low_bits(ty.bits());
        Ok(self.typed(&bits, ty))
    }

    /// The truth that the mask of a destination has an element.
    fn masked(&mut self, destination: &Expression, i: &Expression) -> Result<Value> {
        let i = self.constant(i)? as u32;
        let Expression::Name(name) = destination else {
            return mistake("`masked` needs an operand");
        };
        let operand = self.statement.operand(name);
        let operand = operand.map(|it| self.statement.operands[it].operand);
        let has = operand
            .and_then(operands::selector)
            .is_none_or(|it| it.has(i));
        Ok(Value::Truth(self.builder.push(Op::Constant(has.into()))))
    }

    /// The nearest number of an integer type; of a float what a NaN becomes is said by a word.
    fn clamp(&mut self, x: &Expression, how: Option<&Expression>) -> Result<Value> {
        let value = self.expression(x)?;
        let word = match how {
            Some(Expression::Name(name)) => Some(*name),
            _ => None,
        };
        let ty = match (word, how) {
            (Some("zero" | "middle"), _) | (_, None) => self.target,
            (_, Some(how)) => self.element_type(how)?,
        };
        let ElementType::Integer { bits, signed } = ty else {
            return mistake("only integers are clamped");
        };
        if let Value::Float(float) = value {
            let nan = match word {
                Some("zero") => 0,
                _ => 1 << (bits - 1),
            };
            return Ok(Value::Int(self.nearest_integer(float, bits, signed, nan)?));
        }
        let int = self.number(value)?.plain();
        let clamped = int.clamp(Range::of_bits(bits, signed));
        Ok(Value::Int(clamped.with_width(bits)))
    }
}

/// An integer type with the signedness of another.
fn integer_type(bits: u32, like: ElementType) -> ElementType {
    let signed = matches!(like, ElementType::Integer { signed: true, .. });
    ElementType::Integer { bits, signed }
}
