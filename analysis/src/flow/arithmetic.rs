//! What operations compute from constants: the one evaluator of numbers that instructions make.

use std::cmp::Ordering;

use isa::semantics::Operation;

/// What a register holds.
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

/// The result of an operation that is plain, see [`isa::semantics::Semantics::plain`]: `words` are those of the
/// statement, of which the types and the comparison count, `sources` its operands.
pub(crate) fn evaluate(operation: Operation, words: &[&str], sources: &[Number]) -> Option<Number> {
    // The types are the last words: that of the result first, if there are two.
    let from = *words.last()?;
    let to = match words {
        [.., to, _] if operation == Operation::Convert => *to,
        _ => from,
    };
    if from == "pred" {
        let integers: Option<Vec<i64>> = sources.iter().map(|it| it.integer()).collect();
        return predicates(operation, &integers?).map(Number::Integer);
    }
    if matches!(from, "f32" | "f64") {
        let floats = sources.iter().map(|it| match it {
            Number::Float(it) => Some(*it),
            Number::Integer(_) => None,
        });
        return floats_of(operation, words, from, &floats.collect::<Option<Vec<_>>>()?);
    }
    let integers: Option<Vec<i64>> = sources.iter().map(|it| it.integer()).collect();
    integers_of(operation, words, (from, to), &integers?).map(Number::Integer)
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

fn integers_of(
    operation: Operation,
    words: &[&str],
    (from, to): (&str, &str),
    sources: &[i64],
) -> Option<i64> {
    let of = |number: &i64| i64::try_from(of_class(*number, from)?).ok();
    let result = match (operation, sources) {
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
        (Operation::Compare, [a, b]) => {
            let order = of_class(*a, from)?.cmp(&of_class(*b, from)?);
            return Some(i64::from(match *words.first()? {
                "eq" => order == Ordering::Equal,
                "ne" => order != Ordering::Equal,
                "lt" | "lo" => order == Ordering::Less,
                "le" | "ls" => order != Ordering::Greater,
                "gt" | "hi" => order == Ordering::Greater,
                "ge" | "hs" => order != Ordering::Less,
                _ => return None,
            }));
        }
        _ => return None,
    };
    of_class(result, to).and_then(|it| i64::try_from(it).ok())
}

fn floats_of(operation: Operation, words: &[&str], class: &str, sources: &[f64]) -> Option<Number> {
    // Only subnormal numbers tell whether they are flushed.
    let flushes = words.contains(&"ftz");
    let flush = |it: f64| match flushes && (it as f32).is_subnormal() {
        true => 0.0_f64.copysign(it),
        false => it,
    };
    let sources: Vec<f64> = sources.iter().map(|it| flush(*it)).collect();
    let result = match (operation, &sources[..]) {
        (Operation::Move, [a]) => *a,
        (Operation::Negate, [a]) => -a,
        (Operation::Add, [a, b]) => a + b,
        (Operation::Subtract, [a, b]) => a - b,
        (Operation::Multiply, [a, b]) => a * b,
        (Operation::MultiplyAdd, [a, b, c]) => a.mul_add(*b, *c),
        (Operation::Compare, [a, b]) => {
            // `None` if one of them is no number.
            let order = a.partial_cmp(b);
            let less = order == Some(Ordering::Less);
            let greater = order == Some(Ordering::Greater);
            let equal = order == Some(Ordering::Equal);
            let is = match *words.first()? {
                "eq" => equal,
                "ne" => less || greater,
                "lt" => less,
                "le" => less || equal,
                "gt" => greater,
                "ge" => greater || equal,
                "equ" => !less && !greater,
                "neu" => !equal,
                "ltu" => !greater && !equal,
                "leu" => !greater,
                "gtu" => !less && !equal,
                "geu" => !less,
                _ => return None,
            };
            return Some(Number::Integer(is.into()));
        }
        _ => return None,
    };
    let rounded = match class {
        "f32" => f64::from(result as f32),
        _ => result,
    };
    Some(Number::Float(flush(rounded)))
}

/// A number as one of a type of integers.
fn of_class(number: i64, class: &str) -> Option<i128> {
    Some(match class {
        "s64" | "b64" => i128::from(number),
        "u64" => i128::from(number as u64),
        "s32" => i128::from(number as i32),
        "u32" | "b32" => i128::from(number as u32),
        "s16" => i128::from(number as i16),
        "u16" | "b16" => i128::from(number as u16),
        "s8" => i128::from(number as i8),
        "u8" | "b8" => i128::from(number as u8),
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
        let found = plain.and_then(|it| evaluate(it, &words, &sources));
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
            let found = evaluate(plain, &words, &sources);
            assert_eq!(found, Some(Number::Float(expected)), "{statement}");
        };
        check("add.rn.f32", &[1.0, 1e-20], 1.0);
        check("add.f64", &[1.0, 0.5], 1.5);
        check("mul.ftz.f32", &[1e-30, 1e-15], 0.0);
        check("fma.rn.f32", &[2.0, 3.0, 4.0], 10.0);
        check("neg.f32", &[2.0], -2.0);
    }
}
