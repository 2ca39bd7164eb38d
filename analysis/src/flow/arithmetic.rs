//! The results of operations on constants: the one evaluator of numbers that instructions make.

use std::cmp::Ordering;

use isa::semantics::Operation;

/// The contents of a register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(i64),
    Float(f64),
}

impl Number {
    /// The integer, if it is one.
    pub(crate) fn integer(self) -> Option<i64> {
        match self {
            Number::Integer(it) => Some(it),
            Number::Float(_) => None,
        }
    }
}

/// An operation on numbers of certain types.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evaluator {
    operation: Operation,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Predicates,
    Floats {
        single: bool,
        /// Whether subnormal numbers are flushed.
        flushes: bool,
        comparison: Option<Comparison>,
    },
    Integers {
        from: Class,
        /// `None` for a type of the result that is none of integers.
        to: Option<Class>,
        comparison: Option<Comparison>,
    },
}

/// A type of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class {
    signed: bool,
    bits: u32,
}

/// The relation that a comparison of two numbers tests: one of two floating-point numbers may be NaN.
#[derive(Clone, Copy, Debug)]
struct Comparison {
    less: bool,
    equal: bool,
    greater: bool,
    unordered: bool,
}

impl Comparison {
    fn parse(word: &str, floats: bool) -> Option<Comparison> {
        let (less, equal, greater, unordered) = match word {
            "eq" => (false, true, false, false),
            "ne" => (true, false, true, false),
            "lt" => (true, false, false, false),
            "le" => (true, true, false, false),
            "gt" => (false, false, true, false),
            "ge" => (false, true, true, false),
            "lo" if !floats => (true, false, false, false),
            "ls" if !floats => (true, true, false, false),
            "hi" if !floats => (false, false, true, false),
            "hs" if !floats => (false, true, true, false),
            "equ" if floats => (false, true, false, true),
            "neu" if floats => (true, false, true, true),
            "ltu" if floats => (true, false, false, true),
            "leu" if floats => (true, true, false, true),
            "gtu" if floats => (false, false, true, true),
            "geu" if floats => (false, true, true, true),
            _ => return None,
        };
        Some(Comparison {
            less,
            equal,
            greater,
            unordered,
        })
    }

    fn holds(self, order: Option<Ordering>) -> bool {
        match order {
            Some(Ordering::Less) => self.less,
            Some(Ordering::Equal) => self.equal,
            Some(Ordering::Greater) => self.greater,
            None => self.unordered,
        }
    }
}

impl Class {
    fn parse(word: &str) -> Option<Class> {
        let (signed, bits) = match word {
            // Registers of untyped bits hold what 64-bit numbers of either kind are kept as.
            "s64" | "b64" => (true, 64),
            "u64" => (false, 64),
            "s32" => (true, 32),
            "u32" | "b32" => (false, 32),
            "s16" => (true, 16),
            "u16" | "b16" => (false, 16),
            "s8" => (true, 8),
            "u8" | "b8" => (false, 8),
            _ => return None,
        };
        Some(Class { signed, bits })
    }

    /// A number as one of the type.
    fn of(self, number: i64) -> i128 {
        let shift = 64 - self.bits;
        match self.signed {
            true => i128::from(number << shift >> shift),
            false => i128::from((number as u64) << shift >> shift),
        }
    }

    /// The same, unless it is too large to be kept.
    fn kept(self, number: i64) -> Option<i64> {
        i64::try_from(self.of(number)).ok()
    }
}

impl Evaluator {
    /// An operation that is plain, see [`isa::semantics::Semantics::plain`]: `words` are those of the statement, of
    /// which the types and the comparison count.
    pub(crate) fn new(operation: Operation, words: &[&str]) -> Option<Evaluator> {
        // The types are the last words: that of the result first, if there are two.
        let from = *words.last()?;
        let to = match words {
            [.., to, _] if operation == Operation::Convert => *to,
            _ => from,
        };
        let floats = matches!(from, "f32" | "f64");
        let comparison = Comparison::parse(words.first()?, floats);
        let kind = if from == "pred" {
            Kind::Predicates
        } else if floats {
            Kind::Floats {
                single: from == "f32",
                flushes: words.contains(&"ftz"),
                comparison,
            }
        } else {
            Kind::Integers {
                from: Class::parse(from)?,
                to: Class::parse(to),
                comparison,
            }
        };
        Some(Evaluator { operation, kind })
    }

    /// The result for some operands.
    pub(crate) fn evaluate(&self, sources: &[Number]) -> Option<Number> {
        let mut room = [0; 3];
        match self.kind {
            Kind::Predicates => {
                let integers = integers(sources, &mut room)?;
                predicates(self.operation, integers).map(Number::Integer)
            }
            Kind::Floats {
                single,
                flushes,
                comparison,
            } => {
                // Only subnormal numbers tell whether they are flushed.
                let flush = |it: f64| match flushes && (it as f32).is_subnormal() {
                    true => 0.0_f64.copysign(it),
                    false => it,
                };
                let mut floats = [0.0; 3];
                let floats = floats.get_mut(..sources.len())?;
                for (float, source) in floats.iter_mut().zip(sources) {
                    *float = match source {
                        Number::Float(it) => flush(*it),
                        Number::Integer(_) => return None,
                    };
                }
                let result = match (self.operation, &*floats) {
                    (Operation::Compare, [a, b]) => {
                        let holds = comparison?.holds(a.partial_cmp(b));
                        return Some(Number::Integer(holds.into()));
                    }
                    (operation, floats) => floats_of(operation, floats)?,
                };
                let rounded = match single {
                    true => f64::from(result as f32),
                    false => result,
                };
                Some(Number::Float(flush(rounded)))
            }
            Kind::Integers {
                from,
                to,
                comparison,
            } => {
                let integers = integers(sources, &mut room)?;
                if let (Operation::Compare, [a, b]) = (self.operation, integers) {
                    let order = from.of(*a).cmp(&from.of(*b));
                    let holds = comparison?.holds(Some(order));
                    return Some(Number::Integer(holds.into()));
                }
                let result = integers_of(self.operation, from, integers)?;
                to?.kept(result).map(Number::Integer)
            }
        }
    }
}

/// Numbers that are all integers.
fn integers<'r>(sources: &[Number], room: &'r mut [i64; 3]) -> Option<&'r [i64]> {
    let integers = room.get_mut(..sources.len())?;
    for (integer, source) in integers.iter_mut().zip(sources) {
        *integer = source.integer()?;
    }
    Some(integers)
}

fn predicates(operation: Operation, sources: &[i64]) -> Option<i64> {
    Some(match (operation, sources) {
        (Operation::Move, [a]) => *a,
        (Operation::Not, [a]) => i64::from(*a == 0),
        (Operation::And, [a, b]) => a & b,
        (Operation::Or, [a, b]) => a | b,
        (Operation::Xor, [a, b]) => a ^ b,
        _ => return None,
    })
}

fn integers_of(operation: Operation, from: Class, sources: &[i64]) -> Option<i64> {
    let of = |number: &i64| from.kept(*number);
    Some(match (operation, sources) {
        (Operation::Move | Operation::Convert, [a]) => of(a)?,
        (Operation::Negate, [a]) => of(a)?.wrapping_neg(),
        (Operation::Not, [a]) => !of(a)?,
        (Operation::Add, [a, b]) => of(a)?.wrapping_add(*b),
        (Operation::Subtract, [a, b]) => of(a)?.wrapping_sub(*b),
        (Operation::And, [a, b]) => of(a)? & b,
        (Operation::Or, [a, b]) => of(a)? | b,
        (Operation::Xor, [a, b]) => of(a)? ^ b,
        (Operation::ShiftLeft, [a, b]) => {
            let shifted = of(a)?.checked_shl(u32::try_from(*b).ok()?);
            shifted.unwrap_or(0)
        }
        (Operation::ShiftRight, [a, b]) => of(a)?.checked_shr(u32::try_from(*b).ok()?)?,
        (Operation::Multiply, [a, b]) => of(a)?.wrapping_mul(*b),
        (Operation::MultiplyAdd, [a, b, c]) => of(a)?.wrapping_mul(*b).wrapping_add(*c),
        (Operation::Divide, [a, b]) if of(a)? >= 0 && *b > 0 => of(a)? / b,
        (Operation::Remainder, [a, b]) if of(a)? >= 0 && *b > 0 => of(a)? % b,
        _ => return None,
    })
}

fn floats_of(operation: Operation, sources: &[f64]) -> Option<f64> {
    Some(match (operation, sources) {
        (Operation::Move, [a]) => *a,
        (Operation::Negate, [a]) => -a,
        (Operation::Add, [a, b]) => a + b,
        (Operation::Subtract, [a, b]) => a - b,
        (Operation::Multiply, [a, b]) => a * b,
        (Operation::MultiplyAdd, [a, b, c]) => a.mul_add(*b, *c),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(statement: &str, sources: &[i64], expected: Option<i64>) {
        let mut words = statement.split('.');
        let opcode = words.next().unwrap();
        let words: Vec<&str> = words.collect();
        let semantics = isa::tables().semantics(opcode, words.iter().copied());
        let plain = semantics.plain(words.iter().copied());
        let sources: Vec<Number> = sources.iter().map(|it| Number::Integer(*it)).collect();
        let evaluator = plain.and_then(|it| Evaluator::new(it, &words));
        let found = evaluator.and_then(|it| it.evaluate(&sources));
        assert_eq!(found, expected.map(Number::Integer), "{statement}");
    }

    #[test]
    fn integers() {
        check("add.s32", &[0x7fff_ffff, 1], Some(-0x8000_0000));
        check("add.sat.s32", &[1, 2], None);
        check("sub.u32", &[1, 2], Some(0xffff_ffff));
        check("mul.lo.s32", &[3, -4], Some(-12));
        check("mul.hi.s32", &[3, 4], None);
        check("mad.lo.s32", &[3, 4, 5], Some(17));
        check("shl.b32", &[1, 31], Some(0x8000_0000));
        check("shl.b32", &[1, 32], Some(0));
        check("shr.s32", &[-2, 1], Some(-1));
        check("shr.u32", &[-2, 1], Some(0x7fff_ffff));
        check("rem.u32", &[7, 4], Some(3));
        check("cvt.u32.u64", &[0x1_0000_0002], Some(2));
        check("cvt.s64.s8", &[0xff], Some(-1));
        check("cvt.u16.u32", &[0x1_0003], Some(3));
        check("cvt.sat.u8.u32", &[300], None);
        check("setp.lt.u32", &[1, -1], Some(1));
        check("setp.lt.s32", &[1, -1], Some(0));
        check("setp.lt.and.s32", &[1, 2], None);
        check("not.pred", &[0], Some(1));
    }

    #[test]
    fn floats() {
        let check = |statement: &str, sources: &[f64], expected: f64| {
            let mut words = statement.split('.');
            let opcode = words.next().unwrap();
            let words: Vec<&str> = words.collect();
            let semantics = isa::tables().semantics(opcode, words.iter().copied());
            let plain = semantics.plain(words.iter().copied()).unwrap();
            let sources: Vec<Number> = sources.iter().map(|it| Number::Float(*it)).collect();
            let found = Evaluator::new(plain, &words).and_then(|it| it.evaluate(&sources));
            assert_eq!(found, Some(Number::Float(expected)), "{statement}");
        };
        check("add.rn.f32", &[1.0, 1e-20], 1.0);
        check("add.f64", &[1.0, 0.5], 1.5);
        check("mul.ftz.f32", &[1e-30, 1e-15], 0.0);
        check("fma.rn.f32", &[2.0, 3.0, 4.0], 10.0);
        check("neg.f32", &[2.0], -2.0);
    }
}
