//! Expressions: names, operators, choices.

use super::{
    DEPTH, Expression, Float, LaneOf, Lowering, Obstacle, Primitive, Result, Value, floats,
    mistake, truth_as_int,
};
use crate::{
    computation::{Infix, Prefix},
    compute::{
        exact::{Int, Range, Ring},
        node::Node,
        program::{Binary, Exactness, Op, Relation, Width},
        value_type::{ElementType, ValueType},
    },
};

impl Lowering<'_> {
    /// The value of an expression.
    pub(super) fn expression(&mut self, expression: &Expression) -> Result<Value> {
        if self.depth >= DEPTH {
            return mistake("expressions are nested too deep");
        }
        self.depth += 1;
        let value = self.evaluate(expression);
        self.depth -= 1;
        value
    }

    fn evaluate(&mut self, expression: &Expression) -> Result<Value> {
        match expression {
            Expression::Integer(it) => Ok(Value::Int(Int::constant(*it))),
            Expression::Name(name) => self.name(name),
            Expression::Opcode => mistake("`$` is an operation of `apply` only"),
            Expression::Prefix(prefix, inner) => self.prefix(*prefix, inner),
            Expression::Infix(infix, a, b) => self.infix(*infix, a, b),
            Expression::If(condition, a, b) => {
                let condition = self.truth(condition)?;
                let (a, b) = (self.expression(a)?, self.expression(b)?);
                self.select(condition, a, b)
            }
            Expression::Else(a, b) => match self.is_there(a) {
                true => self.expression(a),
                false => self.expression(b),
            },
            Expression::As(inner, ty) => self.cast(inner, ty),
            Expression::Slice(inner, high, low) => {
                let (high, low) = (self.constant(high)?, self.constant(low)?);
                let bits = self.raw(inner)?.plain();
                let bits = bits.shift_right(Int::constant(low));
                let width = u32::try_from(high - low + 1).unwrap_or(0);
                Ok(Value::Int(bits.low_bits(width)))
            }
            Expression::Element(inner, index) => {
                let index = self.constant(index)?;
                let name = match &**inner {
                    Expression::Name(name) => name,
                    Expression::Call(Primitive::FirstCta, _) => {
                        let before = self.element.replace(index as u32);
                        let value = self.expression(inner);
                        self.element = before;
                        return value;
                    }
                    _ => return Err(Obstacle::Matrix),
                };
                match self.statement.operand(name) {
                    Some(operand) => self.element_of(operand, index as u32),
                    None => mistake(format!("`{name}` is not an operand")),
                }
            }
            Expression::At(inner, lane) => {
                let lane = self.int(lane)?;
                self.crosses_lanes = true;
                let lane = match lane.as_constant() {
                    Some(it) => LaneOf::Fixed(it as u8),
                    None => LaneOf::Node(self.builder.low(&lane, 64)),
                };
                let before = self.lane.replace(lane);
                let value = self.expression(inner);
                self.lane = before;
                value
            }
            Expression::Memory(memory) => self.read_memory(memory),
            Expression::Call(primitive, arguments) => self.call(*primitive, arguments),
            Expression::Apply(name, arguments) => {
                let Some(definition) = self.definitions.get(name).copied() else {
                    return self.matrix_element(name, arguments);
                };
                if definition.parameters.len() != arguments.len() {
                    return mistake(format!("`{name}` takes another number of arguments"));
                }
                // An argument may have the name of another parameter: all are read before one is written.
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.expression(argument)?);
                }
                let mut before = Vec::new();
                for (parameter, value) in definition.parameters.iter().zip(values) {
                    before.push((*parameter, self.variables.insert(parameter, value)));
                }
                let value = self.expression(&definition.value);
                for (parameter, value) in before.into_iter().rev() {
                    self.restore(parameter, value);
                }
                value
            }
            Expression::Index(..) => Err(Obstacle::Matrix),
            Expression::Approximate(inner, _) => {
                self.exactness = self.exactness.max(Exactness::Bounded);
                self.approximate(inner)
            }
            Expression::Unordered(inner) => {
                self.exactness = self.exactness.max(Exactness::Unordered);
                self.approximate(inner)
            }
            Expression::Over(binder, variable, set, body) => self.over(binder, variable, set, body),
        }
    }

    pub(super) fn restore(&mut self, name: &'static str, value: Option<Value>) {
        match value {
            Some(it) => self.variables.insert(name, it),
            None => self.variables.remove(name),
        };
    }

    fn name(&mut self, name: &'static str) -> Result<Value> {
        if let Some(value) = self.variables.get(name) {
            return Ok(value.clone());
        }
        if let Some(definition) = self.definitions.get(name).copied() {
            return self.expression(&definition.value);
        }
        if let Some(index) = self.statement.operand(name) {
            return self.operand(index);
        }
        let number = |node: Node, bits: u32| Int::node(node, Range::of_bits(bits, false));
        Ok(match name {
            "cc" => Value::Int(number(self.builder.push(Op::Carry), 1)),
            "stack" => Value::Int(number(self.builder.push(Op::Stack), 64)),
            "lane" => {
                self.crosses_lanes = true;
                Value::Int(number(self.builder.push(Op::Lane), 5))
            }
            "active" => {
                self.crosses_lanes = true;
                Value::Int(number(self.builder.push(Op::Active), 32))
            }
            "M" | "N" | "K" => Value::Int(Int::constant(self.extent(name)?)),
            "true" => Value::Truth(self.builder.push(Op::Constant(1))),
            "nan" => Value::Float(Float::Nan),
            _ => return mistake(format!("`{name}` means nothing here")),
        })
    }

    /// Whether the first operand that an expression names is there.
    fn is_there(&self, expression: &Expression) -> bool {
        let mut inner = expression;
        loop {
            inner = match inner {
                Expression::Name(name) => {
                    return self.variables.contains_key(name)
                        || self.definitions.contains_key(name)
                        || self.statement.operand(name).is_some();
                }
                Expression::Prefix(_, it)
                | Expression::As(it, _)
                | Expression::Slice(it, ..)
                | Expression::Element(it, _)
                | Expression::At(it, _)
                | Expression::Infix(_, it, _) => it,
                Expression::Call(_, arguments) => match arguments.first() {
                    Some(it) => it,
                    None => return true,
                },
                _ => return true,
            };
        }
    }

    /// The type that a word or the word of a slot means.
    pub(super) fn type_word(&self, word: &str) -> Result<ValueType> {
        let word = self.statement.slot(word).unwrap_or(word);
        match ValueType::from_word(word) {
            Some(it) => Ok(it),
            None => mistake(format!("`{word}` is not a type")),
        }
    }

    fn cast(&mut self, inner: &Expression, ty: &'static str) -> Result<Value> {
        let ty = self.type_word(ty)?;
        let operand = match inner {
            Expression::Name(name) if !self.variables.contains_key(name) => {
                self.statement.operand(name)
            }
            _ => None,
        };
        let bits = match (operand, self.expression_if(operand.is_none(), inner)?) {
            (Some(index), _) => self.raw_operand(index),
            (None, Some(Value::Int(it))) => it,
            (None, Some(Value::Truth(it))) => truth_as_int(it),
            (None, Some(value @ Value::Float(_))) => {
                if matches!(ty.element, ElementType::Float(_)) {
                    return Ok(value);
                }
                self.bits_of(value)?
            }
            (None, None) => return mistake("nothing to convert"),
        };
        let (bits, ty) = match (ty.count, self.element) {
            (1, _) => (bits, ty.element),
            (_, Some(element)) => {
                let by = Int::constant(i128::from(ty.element.bits() * element));
                (bits.plain().shift_right(by), ty.element)
            }
            (_, None) => return Ok(Value::Int(bits.plain().low_bits(ty.bits()))),
        };
        // A selector names a part, which has the sign of the type.
        let selector =
            operand.and_then(|it| super::operands::selector(self.statement.operands[it].operand));
        let ty = match (selector, ty) {
            (Some(part), ElementType::Integer { signed, .. }) => ElementType::Integer {
                bits: part.bits,
                signed,
            },
            _ => ty,
        };
        let bits = bits.plain().low_bits(ty.bits());
        Ok(self.typed(&bits, ty))
    }

    fn expression_if(&mut self, wanted: bool, inner: &Expression) -> Result<Option<Value>> {
        wanted.then(|| self.expression(inner)).transpose()
    }

    /// The bits of an expression as an unsigned number: those of an operand as a whole.
    pub(super) fn raw(&mut self, expression: &Expression) -> Result<Int> {
        match expression {
            Expression::Name(name) if !self.variables.contains_key(name) => {
                if let Some(index) = self.statement.operand(name) {
                    return Ok(self.raw_operand(index));
                }
            }
            Expression::Else(a, b) => {
                return match self.is_there(a) {
                    true => self.raw(a),
                    false => self.raw(b),
                };
            }
            _ => {}
        }
        let value = self.expression(expression)?;
        self.bits_of(value)
    }

    pub(super) fn bits_of(&mut self, value: Value) -> Result<Int> {
        Ok(match value {
            Value::Int(it) => match it.width {
                Some(bits) if it.range.low < 0 => it.plain().low_bits(bits),
                _ => it,
            },
            Value::Truth(it) => truth_as_int(it).with_width(1),
            Value::Float(it) => {
                let (node, format) = self.rounded(it)?;
                let range = Range::of_bits(format.bits(), false);
                Int::node(node, range).with_width(format.bits())
            }
        })
    }

    fn prefix(&mut self, prefix: Prefix, inner: &Expression) -> Result<Value> {
        if prefix == Prefix::Not {
            let truth = self.truth(inner)?;
            return Ok(Value::Truth(self.not(truth)));
        }
        let value = self.expression(inner)?;
        Ok(match (prefix, value) {
            (Prefix::Complement, Value::Truth(it)) => Value::Truth(self.not(it)),
            (Prefix::Complement, Value::Int(it)) => Value::Int(it.complement()),
            (_, Value::Int(it)) => Value::Int(it.negate()),
            (_, Value::Truth(it)) => Value::Int(truth_as_int(it).negate()),
            (_, Value::Float(_)) => return mistake("the sign of a float changes by `withsign`"),
        })
    }

    pub(super) fn not(&mut self, truth: Node) -> Node {
        let one = self.builder.push(Op::Constant(1));
        let xor = Op::Binary(Binary::Xor, Width::Narrow, truth, one);
        self.builder.push(xor)
    }

    pub(super) fn both(&mut self, a: Node, b: Node) -> Node {
        self.builder
            .push(Op::Binary(Binary::And, Width::Narrow, a, b))
    }

    pub(super) fn either(&mut self, a: Node, b: Node) -> Node {
        self.builder
            .push(Op::Binary(Binary::Or, Width::Narrow, a, b))
    }

    /// A value as a truth: a number is true if it is not 0.
    pub(super) fn as_truth(&mut self, value: Value) -> Result<Node> {
        Ok(match value {
            Value::Truth(it) => it,
            Value::Int(it) if it.range == Range::new(0, 1) => self.builder.low(&it, 64),
            Value::Int(it) => self
                .builder
                .compare(Relation::NotEqual, &it, &Int::constant(0)),
            Value::Float(_) => return mistake("a truth was expected, not a float"),
        })
    }

    fn infix(&mut self, infix: Infix, a: &Expression, b: &Expression) -> Result<Value> {
        let (a, b) = (self.expression(a)?, self.expression(b)?);
        self.combine(infix, a, b)
    }

    pub(super) fn combine(&mut self, infix: Infix, a: Value, b: Value) -> Result<Value> {
        if let Infix::Both | Infix::Either = infix {
            let (a, b) = (self.as_truth(a)?, self.as_truth(b)?);
            return Ok(Value::Truth(match infix {
                Infix::Both => self.both(a, b),
                _ => self.either(a, b),
            }));
        }
        if matches!(a, Value::Float(_)) || matches!(b, Value::Float(_)) || infix == Infix::Divide {
            return self.combine_floats(infix, floats::float(a), floats::float(b));
        }
        if let (Value::Truth(a), Value::Truth(b)) = (&a, &b) {
            let operation = match infix {
                Infix::And => Some(Binary::And),
                Infix::Or => Some(Binary::Or),
                Infix::Xor | Infix::NotEqual => Some(Binary::Xor),
                Infix::Equal => Some(Binary::Equal),
                _ => None,
            };
            if let Some(operation) = operation {
                let op = Op::Binary(operation, Width::Narrow, *a, *b);
                return Ok(Value::Truth(self.builder.push(op)));
            }
        }
        let int = |value: Value| match value {
            Value::Truth(it) => truth_as_int(it),
            Value::Int(it) => it,
            Value::Float(_) => Int::constant(0),
        };
        let (a, b) = (int(a), int(b));
        let ring = |ring: Ring, a, b| Value::Int(Int::ring(ring, a, b));
        Ok(match infix {
            Infix::Add => ring(Ring::Add, a, b),
            Infix::Subtract => ring(Ring::Subtract, a, b),
            Infix::Multiply => ring(Ring::Multiply, a, b),
            Infix::And => ring(Ring::And, a, b),
            Infix::Or => ring(Ring::Or, a, b),
            Infix::Xor => ring(Ring::Xor, a, b),
            Infix::ShiftLeft => Value::Int(a.plain().shift_left(b)),
            Infix::ShiftRight => Value::Int(a.plain().shift_right(b)),
            _ => match floats::relation(infix) {
                Some(it) => Value::Truth(self.builder.compare(it, &a, &b)),
                None => return mistake("an operator that integers do not have"),
            },
        })
    }

    /// One of two values.
    pub(super) fn select(&mut self, condition: Node, a: Value, b: Value) -> Result<Value> {
        Ok(match (a, b) {
            (Value::Truth(a), Value::Truth(b)) => {
                let select = Op::Select(Width::Narrow, condition, a, b);
                Value::Truth(self.builder.push(select))
            }
            (a @ Value::Float(_), b) | (a, b @ Value::Float(_)) => {
                let (a, b) = self.same_format(floats::float(a), floats::float(b))?;
                let (a, format) = a;
                let select = Op::Select(Width::Narrow, condition, a, b.0);
                Value::Float(Float::Bits(self.builder.push(select), format))
            }
            (a, b) => {
                let int = |value: Value| match value {
                    Value::Truth(it) => truth_as_int(it),
                    Value::Int(it) => it,
                    Value::Float(_) => Int::constant(0),
                };
                let (a, b) = (int(a), int(b));
                let width = a.width.filter(|it| b.width == Some(*it));
                let mut out = Int::select(condition, a, b);
                out.width = width;
                Value::Int(out)
            }
        })
    }
}
