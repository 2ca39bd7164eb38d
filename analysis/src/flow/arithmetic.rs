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

    /// A number as one of the type: its low bits, with the sign of the type.
    fn of(self, number: i128) -> i128 {
        let shift = 128 - self.bits;
        match self.signed {
            true => number << shift >> shift,
            false => ((number as u128) << shift >> shift) as i128,
        }
    }

    /// The same, unless it is too large to be kept.
    fn kept(self, number: i128) -> Option<i64> {
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

    /// Whether the result is always as far from one of the operands, counted from 0, whatever that operand is: it is
    /// the operand plus or minus something. Addresses in shared memory fit into 32 bits, so cutting to as many keeps
    /// them.
    pub(crate) fn keeps_distance(&self, operand: usize) -> bool {
        let Kind::Integers { from, to, .. } = self.kind else {
            return false;
        };
        let wide = |it: Class| it.bits >= 32;
        wide(from)
            && to.is_some_and(wide)
            && match self.operation {
                Operation::Move | Operation::Convert | Operation::Subtract => operand == 0,
                Operation::Add => true,
                Operation::MultiplyAdd => operand == 2,
                _ => false,
            }
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
                    (operation, floats) => floats_of(operation, floats, single)?,
                };
                Some(Number::Float(flush(result)))
            }
            Kind::Integers {
                from,
                to,
                comparison,
            } => {
                let integers = integers(sources, &mut room)?;
                if let (Operation::Compare, [a, b]) = (self.operation, integers) {
                    let order = from.of((*a).into()).cmp(&from.of((*b).into()));
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

/// The exact result, before it is cut to the type of the destination.
fn integers_of(operation: Operation, from: Class, sources: &[i64]) -> Option<i128> {
    let mut room = [0; 3];
    let sources = {
        let exact = room.get_mut(..sources.len())?;
        for (exact, source) in exact.iter_mut().zip(sources) {
            *exact = from.of((*source).into());
        }
        &*exact
    };
    // The amount of a shift is an unsigned number of 32 bits, whatever is shifted.
    let amount = |number: i128| u32::try_from(number & 0xffff_ffff).ok();
    Some(match (operation, sources) {
        (Operation::Move | Operation::Convert, [a]) => *a,
        (Operation::Negate, [a]) => -a,
        (Operation::Not, [a]) => !a,
        (Operation::Add, [a, b]) => a + b,
        (Operation::Subtract, [a, b]) => a - b,
        (Operation::And, [a, b]) => a & b,
        (Operation::Or, [a, b]) => a | b,
        (Operation::Xor, [a, b]) => a ^ b,
        (Operation::ShiftLeft, [a, b]) => a.checked_shl(amount(*b)?.min(from.bits))?,
        (Operation::ShiftRight, [a, b]) => a.checked_shr(amount(*b)?.min(from.bits))?,
        (Operation::Multiply, [a, b]) => a.wrapping_mul(*b),
        (Operation::MultiplyAdd, [a, b, c]) => a.wrapping_mul(*b).wrapping_add(*c),
        // Division by zero, and a quotient that the type has no room for, are unspecified.
        (Operation::Divide, [a, b]) => {
            let quotient = a.checked_div(*b)?;
            (from.of(quotient) == quotient).then_some(quotient)?
        }
        (Operation::Remainder, [a, b]) => a.checked_rem(*b)?,
        _ => return None,
    })
}

/// The result, rounded once: to `.f32` if `single`, else to `.f64`.
fn floats_of(operation: Operation, sources: &[f64], single: bool) -> Option<f64> {
    let exact = match (operation, sources) {
        (Operation::Move, [a]) => *a,
        (Operation::Negate, [a]) => -a,
        // The sum or product of two `.f32` numbers, rounded to `.f64` and then to `.f32`, is the one rounded once.
        (Operation::Add, [a, b]) => a + b,
        (Operation::Subtract, [a, b]) => a - b,
        (Operation::Multiply, [a, b]) => a * b,
        (Operation::MultiplyAdd, [a, b, c]) if single => {
            f64::from((*a as f32).mul_add(*b as f32, *c as f32))
        }
        (Operation::MultiplyAdd, [a, b, c]) => a.mul_add(*b, *c),
        _ => return None,
    };
    Some(match single {
        true => f64::from(exact as f32),
        false => exact,
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

    /// Every operation on each pair of numbers at the edges of the types, beside the arithmetic of Rust; negative
    /// numbers in both spellings that a register may have them in.
    #[test]
    fn integers_at_the_edges() {
        macro_rules! compare {
            ($type:ty, $unsigned:ty, $word:literal, $bits:literal) => {
                let edges = [
                    0 as $type,
                    1,
                    2,
                    3,
                    7,
                    (!0) as $type,
                    (!1) as $type,
                    (!6) as $type,
                    <$type>::MAX,
                    <$type>::MAX - 1,
                    <$type>::MIN,
                    <$type>::MIN + 1,
                ];
                let spellings = |it: $type| [it as i64, it as $unsigned as i64];
                for (a, b) in edges.iter().flat_map(|a| edges.map(|b| (*a, b))) {
                    let amount = b as $unsigned as u64 as u32;
                    let overlong = amount >= <$type>::BITS;
                    let filled = if a < (0 as $type) { (!0) as $type } else { 0 };
                    let rows = [
                        ("add.", $word, Some(a.wrapping_add(b))),
                        ("sub.", $word, Some(a.wrapping_sub(b))),
                        ("mul.lo.", $word, Some(a.wrapping_mul(b))),
                        ("div.", $word, a.checked_div(b)),
                        ("rem.", $word, (b != 0).then(|| a.wrapping_rem(b))),
                        ("and.", $bits, Some(a & b)),
                        ("or.", $bits, Some(a | b)),
                        ("xor.", $bits, Some(a ^ b)),
                        ("shl.", $bits, Some(if overlong { 0 } else { a << amount })),
                        (
                            "shr.",
                            $word,
                            Some(if overlong { filled } else { a >> amount }),
                        ),
                    ];
                    for (operation, word, expected) in rows {
                        let statement = format!("{operation}{word}");
                        let words: Vec<&str> = statement.split('.').collect();
                        let semantics =
                            isa::tables().semantics(words[0], words[1..].iter().copied());
                        let plain = semantics.plain(words[1..].iter().copied()).unwrap();
                        let evaluator = Evaluator::new(plain, &words[1..]).unwrap();
                        let numbers = spellings(a)
                            .into_iter()
                            .flat_map(|a| spellings(b).map(|b| [a, b]));
                        for sources in numbers {
                            let found = evaluator.evaluate(&sources.map(Number::Integer));
                            // What no 64-bit signed number can hold is not kept.
                            let low = |it: i64| it as $unsigned;
                            match found {
                                Some(found) => assert_eq!(
                                    Some(low(found.integer().unwrap())),
                                    expected.map(|it| it as $unsigned),
                                    "{statement} {sources:?}",
                                ),
                                None => assert!(
                                    expected.is_none_or(|it| i64::try_from(it).is_err()),
                                    "{statement} {sources:?}: nothing",
                                ),
                            }
                        }
                    }
                }
            };
        }
        compare!(i16, u16, "s16", "b16");
        compare!(u16, u16, "u16", "b16");
        compare!(i32, u32, "s32", "b32");
        compare!(u32, u32, "u32", "b32");
        compare!(i64, u64, "s64", "b64");
        compare!(u64, u64, "u64", "b64");
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
        // Just below the middle of two `.f32` numbers: rounded to `.f64` first, it is the middle and rounds up.
        let step = f64::from(f32::EPSILON);
        let small = 2.0_f64.powi(-12);
        check(
            "fma.rn.f32",
            &[small * (1.0 + step), small * (1.0 - step), 1.0 + step],
            1.0 + step,
        );
    }
}
