//! Operations that a word of the statement names: comparisons, logic, atomics.

use super::{Float, Lowering, Result, Value, floats, mistake, truth_as_int};
use crate::{
    computation::Infix,
    compute::{
        exact::Int,
        float::Class,
        node::Node,
        program::{FloatTest, Op, Relation},
    },
};

/// The relation of a comparison word, and whether it holds for a NaN.
fn comparison(word: &str) -> Option<(Relation, bool)> {
    Some(match word {
        "eq" => (Relation::Equal, false),
        "ne" => (Relation::NotEqual, false),
        "lt" | "lo" => (Relation::Less, false),
        "le" | "ls" => (Relation::LessEqual, false),
        "gt" | "hi" => (Relation::Greater, false),
        "ge" | "hs" => (Relation::GreaterEqual, false),
        "equ" => (Relation::Equal, true),
        "neu" => (Relation::NotEqual, true),
        "ltu" => (Relation::Less, true),
        "leu" => (Relation::LessEqual, true),
        "gtu" => (Relation::Greater, true),
        "geu" => (Relation::GreaterEqual, true),
        _ => return None,
    })
}

impl Lowering<'_> {
    /// The operation of a word on two values.
    pub(super) fn apply(&mut self, word: &str, a: Value, b: Value) -> Result<Value> {
        if let Some((relation, unordered)) = comparison(word) {
            return self.apply_comparison(relation, unordered, a, b);
        }
        let infix = match word {
            "add" => Some(Infix::Add),
            "and" => Some(Infix::And),
            "or" => Some(Infix::Or),
            "xor" => Some(Infix::Xor),
            _ => None,
        };
        if let Some(infix) = infix {
            return self.combine(infix, a, b);
        }
        match word {
            "min" | "max" => self.apply_extreme(word == "max", a, b),
            "exch" => Ok(b),
            "num" | "nan" => {
                let (Value::Float(a), Value::Float(b)) = (a, b) else {
                    return mistake("`num` and `nan` compare floats");
                };
                let (a, b) = (self.is_nan(a)?, self.is_nan(b)?);
                let either = self.either(a, b);
                Ok(Value::Truth(match word {
                    "nan" => either,
                    _ => self.not(either),
                }))
            }
            // 0 from the second on, else one more.
            "inc" => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                let over = self.builder.compare(Relation::GreaterEqual, &a, &b);
                let more = Int::ring(crate::compute::exact::Ring::Add, a, Int::constant(1));
                Ok(Value::Int(Int::select(over, Int::constant(0), more)))
            }
            // The second of 0 and of what is larger, else one less.
            "dec" => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                let zero = self.builder.compare(Relation::Equal, &a, &Int::constant(0));
                let over = self.builder.compare(Relation::Greater, &a, &b);
                let wraps = self.either(zero, over);
                let less = Int::ring(crate::compute::exact::Ring::Subtract, a, Int::constant(1));
                Ok(Value::Int(Int::select(wraps, b, less)))
            }
            _ => mistake(format!("`{word}` is not an operation")),
        }
    }

    fn apply_comparison(
        &mut self,
        relation: Relation,
        unordered: bool,
        a: Value,
        b: Value,
    ) -> Result<Value> {
        if matches!(a, Value::Float(_)) || matches!(b, Value::Float(_)) {
            let (a, b) = (floats::float(a), floats::float(b));
            return Ok(Value::Truth(
                self.compare_floats(relation, unordered, a, b)?,
            ));
        }
        let (a, b) = (self.number(a)?, self.number(b)?);
        Ok(Value::Truth(self.builder.compare(relation, &a, &b)))
    }

    /// The smaller or the larger one of two values.
    pub(super) fn apply_extreme(&mut self, larger: bool, a: Value, b: Value) -> Result<Value> {
        if matches!(a, Value::Float(_)) || matches!(b, Value::Float(_)) {
            return self.extreme(larger, floats::float(a), floats::float(b));
        }
        let (a, b) = (self.number(a)?, self.number(b)?);
        Ok(Value::Int(match larger {
            true => Int::maximum(a, b),
            false => Int::minimum(a, b),
        }))
    }

    /// A value as an integer.
    pub(super) fn number(&mut self, value: Value) -> Result<Int> {
        match value {
            Value::Int(it) => Ok(it),
            Value::Truth(it) => Ok(truth_as_int(it)),
            Value::Float(_) => mistake("an integer was expected, not a float"),
        }
    }

    pub(super) fn is_nan(&mut self, float: Float) -> Result<Node> {
        let (node, format) = self.rounded(float)?;
        let test = FloatTest::Is(Class::Nan);
        Ok(self.builder.push(Op::FloatTest(test, format, node)))
    }

    /// The test of a word on a float.
    pub(super) fn test(&mut self, word: &str, value: Value) -> Result<Value> {
        let Value::Float(float) = value else {
            return mistake("a test of something that is not a float");
        };
        let (node, format) = self.rounded(float)?;
        let mut is = |class| {
            let test = Op::FloatTest(FloatTest::Is(class), format, node);
            self.builder.push(test)
        };
        let (nan, infinite) = (is(Class::Nan), is(Class::Infinite));
        let subnormal = is(Class::Subnormal);
        let none = self.either(nan, infinite);
        Ok(Value::Truth(match word {
            "finite" => self.not(none),
            "infinite" => infinite,
            "number" => self.not(nan),
            "notanumber" => nan,
            "subnormal" => subnormal,
            // Zero counts as normal, infinity does not.
            "normal" => {
                let none = self.either(none, subnormal);
                self.not(none)
            }
            _ => return mistake(format!("`{word}` is not a test")),
        }))
    }
}
