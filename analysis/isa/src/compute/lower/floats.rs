//! Floats: exact until they are rounded, by one of seven operations.

use super::{Expression, Float, Lowering, Result, Value, mistake, truth_as_int};
use crate::{
    computation::{Infix, Primitive},
    compute::{
        exact::Int,
        float::{Format, Number, Operation, Rounding},
        node::Node,
        program::{FloatStep, FloatUnary, Op, Relation},
        value_type::ElementType,
    },
};

/// A value as a float.
pub(super) fn float(value: Value) -> Float {
    match value {
        Value::Float(it) => it,
        Value::Int(it) => Float::Int(it),
        Value::Truth(it) => Float::Int(truth_as_int(it)),
    }
}

/// The rounding mode of a word; none means to nearest even.
pub(super) fn rounding(word: &str) -> Option<Rounding> {
    Some(match word {
        "rn" | "rni" => Rounding::NearestEven,
        "rna" => Rounding::NearestAway,
        "rz" | "rzi" => Rounding::TowardZero,
        "rm" | "rmi" => Rounding::Down,
        "rp" | "rpi" => Rounding::Up,
        _ => return None,
    })
}

/// The function of a float that keeps its format.
pub(super) fn float_unary(primitive: Primitive) -> Option<FloatUnary> {
    Some(match primitive {
        Primitive::Flush => FloatUnary::Flush,
        Primitive::Saturate => FloatUnary::Saturate,
        Primitive::Relu => FloatUnary::Relu,
        Primitive::Finite => FloatUnary::Finite,
        Primitive::PositiveZero => FloatUnary::PositiveZero,
        Primitive::Exp2 => FloatUnary::Exp2,
        Primitive::Log2 => FloatUnary::Log2,
        Primitive::Sine => FloatUnary::Sine,
        Primitive::Cosine => FloatUnary::Cosine,
        Primitive::HyperbolicTangent => FloatUnary::HyperbolicTangent,
        _ => return None,
    })
}

/// The relation that an operator tests.
pub(super) fn relation(infix: Infix) -> Option<Relation> {
    Some(match infix {
        Infix::Equal => Relation::Equal,
        Infix::NotEqual => Relation::NotEqual,
        Infix::Less => Relation::Less,
        Infix::LessEqual => Relation::LessEqual,
        Infix::Greater => Relation::Greater,
        Infix::GreaterEqual => Relation::GreaterEqual,
        _ => return None,
    })
}

fn is_one(float: &Float) -> bool {
    matches!(float, Float::Int(it) if it.as_constant() == Some(1))
}

impl Lowering<'_> {
    pub(super) fn combine_floats(&mut self, infix: Infix, a: Float, b: Float) -> Result<Value> {
        let pair = |a, b| (Box::new(a), Box::new(b));
        Ok(Value::Float(match infix {
            Infix::Multiply if is_one(&b) => a,
            Infix::Multiply if is_one(&a) => b,
            Infix::Divide if is_one(&b) => a,
            Infix::Add => {
                let (a, b) = pair(a, b);
                Float::Add(a, b)
            }
            Infix::Subtract => {
                let (a, b) = pair(a, b);
                Float::Subtract(a, b)
            }
            Infix::Multiply => {
                let (a, b) = pair(a, b);
                Float::Multiply(a, b)
            }
            Infix::Divide => {
                let (a, b) = pair(a, b);
                Float::Divide(a, b)
            }
            _ => {
                let Some(relation) = relation(infix) else {
                    return mistake("an operator that floats do not have");
                };
                return Ok(Value::Truth(self.compare_floats(relation, false, a, b)?));
            }
        }))
    }

    /// Whether a relation holds; where one is a NaN, whether it is `unordered`.
    pub(super) fn compare_floats(
        &mut self,
        relation: Relation,
        unordered: bool,
        a: Float,
        b: Float,
    ) -> Result<Node> {
        let ((a, first), (b, second)) = self.same_kind(a, b)?;
        let compare = Op::FloatCompare(relation, unordered, first, second, a, b);
        Ok(self.builder.push(compare))
    }

    /// The bits of two floats; an integer gets the format of the other.
    fn same_kind(&mut self, a: Float, b: Float) -> Result<((Node, Format), (Node, Format))> {
        let format = match (&a, &b) {
            (Float::Bits(_, it), _) | (_, Float::Bits(_, it)) => *it,
            _ => self.target_format()?,
        };
        Ok((self.in_format(a, format)?, self.in_format(b, format)?))
    }

    /// The bits of two floats of one format.
    pub(super) fn same_format(
        &mut self,
        a: Float,
        b: Float,
    ) -> Result<((Node, Format), (Node, Format))> {
        let (a, b) = self.same_kind(a, b)?;
        match a.1 == b.1 {
            true => Ok((a, b)),
            false => mistake("floats of two formats where one is needed"),
        }
    }

    /// The format of the target.
    pub(super) fn target_format(&self) -> Result<Format> {
        match self.target {
            ElementType::Float(it) => Ok(it),
            _ => mistake("the target is not a float"),
        }
    }

    /// The bits of a float that needs no rounding; integers and NaN in a format.
    fn in_format(&mut self, float: Float, format: Format) -> Result<(Node, Format)> {
        Ok(match float {
            Float::Bits(node, format) => (node, format),
            Float::Nan => {
                let nan = crate::compute::float::bits::canonical_nan(format);
                (self.builder.push(Op::Constant(nan)), format)
            }
            Float::Int(it) => (
                self.nearest_of_integer(&it, format, Rounding::NearestEven),
                format,
            ),
            _ => return mistake("a float that is not rounded"),
        })
    }

    /// The bits of a float that is rounded already.
    pub(super) fn rounded(&mut self, float: Float) -> Result<(Node, Format)> {
        match float {
            Float::Bits(node, format) => Ok((node, format)),
            other => {
                let format = self.target_format()?;
                self.in_format(other, format)
            }
        }
    }

    fn nearest_of_integer(&mut self, int: &Int, to: Format, mode: Rounding) -> Node {
        if let Some(it) = int.as_constant() {
            let bits = Number::from_signed(it).round(to, mode);
            return self.builder.push(Op::Constant(bits));
        }
        let (from, width) = self.builder.exact(int);
        let signed = int.range.low < 0;
        self.builder.push(Op::FromInteger {
            from,
            width,
            signed,
            to,
            mode,
        })
    }

    /// The nearest number of the target's format.
    pub(super) fn round(&mut self, float: Float, mode: Rounding) -> Result<Value> {
        let to = self.target_format()?;
        let node = self.round_to(float, to, mode)?;
        Ok(Value::Float(Float::Bits(node, to)))
    }

    fn round_to(&mut self, float: Float, to: Format, mode: Rounding) -> Result<Node> {
        let (operation, operands) = match float {
            Float::Int(it) => return Ok(self.nearest_of_integer(&it, to, mode)),
            Float::Nan => {
                let nan = crate::compute::float::bits::canonical_nan(to);
                return Ok(self.builder.push(Op::Constant(nan)));
            }
            Float::Function(function, inner) => {
                let (node, format) = self.rounded(*inner)?;
                if format != to {
                    return mistake("a function of another format");
                }
                return Ok(self.builder.push(Op::FloatUnary(function, format, node)));
            }
            it @ Float::Bits(..) => (Operation::Convert, vec![it]),
            Float::Add(a, b) => match (*a, *b) {
                (Float::Multiply(a, b), c) | (c, Float::Multiply(a, b)) => {
                    (Operation::MultiplyAdd, vec![*a, *b, c])
                }
                (a, b) => (Operation::Add, vec![a, b]),
            },
            Float::Subtract(a, b) => (Operation::Subtract, vec![*a, *b]),
            Float::Multiply(a, b) => (Operation::Multiply, vec![*a, *b]),
            Float::Divide(a, b) => match (*a, *b) {
                (one, Float::SquareRoot(inner)) if is_one(&one) => {
                    let (node, format) = self.rounded(*inner)?;
                    if format != to {
                        return mistake("a function of another format");
                    }
                    let function = FloatUnary::ReciprocalSquareRoot;
                    return Ok(self.builder.push(Op::FloatUnary(function, format, node)));
                }
                (a, b) => (Operation::Divide, vec![a, b]),
            },
            Float::SquareRoot(inner) => (Operation::SquareRoot, vec![*inner]),
        };
        let known = operands.iter().find_map(|it| match it {
            Float::Bits(_, format) => Some(*format),
            _ => None,
        });
        let known = known.unwrap_or(to);
        let (mut formats, mut nodes) = ([known; 3], [0; 3]);
        for (index, operand) in operands.into_iter().enumerate() {
            (nodes[index], formats[index]) = self.in_format(operand, known)?;
        }
        for index in operation.operands()..3 {
            (nodes[index], formats[index]) = (nodes[0], formats[0]);
        }
        let finite = self.results.contains(&Primitive::Finite);
        Ok(self.builder.push(Op::Float(FloatStep {
            operation,
            operands: nodes,
            formats,
            to,
            mode,
            finite,
        })))
    }

    /// Rounded with so many random bits.
    pub(super) fn round_randomly(
        &mut self,
        float: Float,
        random: &Int,
        count: u32,
    ) -> Result<Value> {
        let to = self.target_format()?;
        let (node, from) = self.rounded(float)?;
        let random = self.builder.low(random, 64);
        let random = self.builder.zero_extend(random, count);
        let finite = self.results.contains(&Primitive::Finite);
        let round = Op::Stochastic {
            from: node,
            format: from,
            to,
            random,
            count: count as u8,
            finite,
        };
        Ok(Value::Float(Float::Bits(self.builder.push(round), to)))
    }

    /// The nearest number to what is only bounded.
    pub(super) fn approximate(&mut self, inner: &Expression) -> Result<Value> {
        match self.expression(inner)? {
            Value::Float(it) => self.round(it, Rounding::NearestEven),
            other => Ok(other),
        }
    }

    /// The nearest integer as a float of the same format.
    pub(super) fn integral(&mut self, float: Float, mode: Rounding) -> Result<Value> {
        let (node, format) = self.rounded(float)?;
        let node = self.builder.push(Op::Integral(format, mode, node));
        Ok(Value::Float(Float::Bits(node, format)))
    }

    /// The nearest integer of so many bits.
    pub(super) fn nearest_integer(
        &mut self,
        float: Float,
        bits: u32,
        signed: bool,
        nan: u64,
    ) -> Result<Int> {
        let (from, format) = self.rounded(float)?;
        let node = self.builder.push(Op::ToInteger {
            from,
            format,
            signed,
            bits: bits as u8,
            nan,
        });
        let range = crate::compute::exact::Range::of_bits(bits, signed);
        Ok(Int::node(node, range).with_width(bits))
    }

    /// A function that keeps the format, of a float.
    pub(super) fn float_function(&mut self, function: FloatUnary, float: Float) -> Result<Value> {
        let (node, format) = self.rounded(float)?;
        let node = self.builder.push(Op::FloatUnary(function, format, node));
        Ok(Value::Float(Float::Bits(node, format)))
    }

    /// The smaller or the larger one.
    pub(super) fn extreme(&mut self, larger: bool, a: Float, b: Float) -> Result<Value> {
        let ((a, format), (b, _)) = self.same_format(a, b)?;
        let node = self.builder.push(Op::Extreme(larger, format, a, b));
        Ok(Value::Float(Float::Bits(node, format)))
    }

    /// The float with the sign that a truth says.
    pub(super) fn with_sign(&mut self, float: Float, sign: Node) -> Result<Value> {
        let (node, format) = self.rounded(float)?;
        let node = self.builder.push(Op::WithSign(format, node, sign));
        Ok(Value::Float(Float::Bits(node, format)))
    }

    /// A float through the functions of `result`.
    pub(super) fn result(&mut self, float: Float) -> Result<(Node, Format)> {
        let (mut node, format) = self.rounded(float)?;
        for function in self.results.clone() {
            if let Some(function) = float_unary(function)
                && (function != FloatUnary::Flush || super::operands::flushes(format))
            {
                node = self.builder.push(Op::FloatUnary(function, format, node));
            }
        }
        Ok((node, format))
    }
}
