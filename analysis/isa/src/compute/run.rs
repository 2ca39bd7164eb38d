//! The evaluator: runs a program on `N` lanes at once.

use super::{
    exact::Relation,
    float::{self, Class, Format, Number, Rounding, bits},
    program::{Binary, FloatTest, FloatUnary, Node, Op, Program, Unary, Width},
};

/// What surrounds the lanes that run a statement.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a, const N: usize> {
    /// The lanes that run it, as a mask.
    pub active: u32,
    /// The carry flag of each lane, 0 or 1.
    pub carry: &'a [u64; N],
    /// The stack pointer of each lane, in bytes.
    pub stack: &'a [u64; N],
}

/// The registers of the evaluator, which it keeps from one program to the next.
///
/// `N` is the number of lanes: 1 for constants, 32 for a warp.
#[derive(Clone, Debug, Default)]
pub struct Machine<const N: usize> {
    narrow: Vec<[u64; N]>,
    wide: Vec<[u128; N]>,
}

impl<const N: usize> Machine<N> {
    /// Runs a program: `inputs` are the values of [`Program::inputs`].
    ///
    /// The results are in [`Machine::value`] for the nodes of [`Program::outputs`] until the next run.
    pub fn run(
        &mut self,
        program: &Program,
        inputs: &[[u64; N]],
        surroundings: &Surroundings<'_, N>,
    ) {
        self.narrow.resize(program.steps.len(), [0; N]);
        if program.wide {
            self.wide.resize(program.steps.len(), [0; N]);
        }
        for (index, op) in program.steps.iter().enumerate() {
            match op {
                Op::Input(input) => {
                    let value = inputs.get(usize::from(*input));
                    self.narrow[index] = value.copied().unwrap_or([0; N]);
                }
                Op::Carry => self.narrow[index] = *surroundings.carry,
                Op::Stack => self.narrow[index] = *surroundings.stack,
                Op::Active => self.narrow[index] = [surroundings.active.into(); N],
                _ => self.step(index, op),
            }
        }
    }

    /// The value of a node of 64 bits after a run.
    #[must_use]
    pub fn value(&self, node: Node) -> &[u64; N] {
        &self.narrow[node as usize]
    }

    fn of(&self, node: Node) -> [u64; N] {
        self.narrow[node as usize]
    }

    fn wide_of(&self, node: Node) -> [u128; N] {
        self.wide[node as usize]
    }

    fn step(&mut self, index: usize, op: &Op) {
        let out = match *op {
            Op::Input(_) | Op::Carry | Op::Stack | Op::Active => return,
            Op::Constant(it) => [it; N],
            Op::WideConstant(it) => {
                self.wide[index] = [it; N];
                return;
            }
            Op::Lane => std::array::from_fn(|lane| lane as u64),
            Op::Widen(a, signed) => {
                let a = self.of(a);
                self.wide[index] = match signed {
                    true => a.map(|it| i128::from(it as i64) as u128),
                    false => a.map(u128::from),
                };
                return;
            }
            Op::Narrow(a) => self.wide_of(a).map(|it| it as u64),
            Op::Upper(a) => self.wide_of(a).map(|it| (it >> 64) as u64),
            Op::ZeroExtend(a, bits) => {
                let mask = u64::MAX >> (64 - u32::from(bits).clamp(1, 64));
                self.of(a).map(|it| it & mask)
            }
            Op::SignExtend(a, bits) => {
                let rest = 64 - u32::from(bits).clamp(1, 64);
                self.of(a).map(|it| ((it << rest) as i64 >> rest) as u64)
            }
            Op::Binary(binary, Width::Narrow, a, b) => narrow(binary, &self.of(a), &self.of(b)),
            Op::Binary(binary, Width::Wide, a, b) => {
                let (a, b) = (self.wide_of(a), self.wide_of(b));
                if binary.is_comparison() {
                    std::array::from_fn(|it| wide(binary, a[it], b[it]) as u64)
                } else {
                    self.wide[index] = std::array::from_fn(|it| wide(binary, a[it], b[it]));
                    return;
                }
            }
            Op::Unary(unary, Width::Narrow, a) => {
                let a = self.of(a);
                match unary {
                    Unary::Negate => a.map(u64::wrapping_neg),
                    Unary::Complement => a.map(|it| !it),
                    Unary::PopulationCount => a.map(|it| it.count_ones().into()),
                    Unary::Highest => a.map(|it| 63u64.wrapping_sub(it.leading_zeros().into())),
                    Unary::Reverse(bits) => {
                        let rest = 64 - u32::from(bits).clamp(1, 64);
                        a.map(|it| it.reverse_bits() >> rest)
                    }
                    Unary::Ones => a.map(ones),
                }
            }
            Op::Unary(unary, Width::Wide, a) => {
                let a = self.wide_of(a);
                self.wide[index] = match unary {
                    Unary::Negate => a.map(u128::wrapping_neg),
                    Unary::Complement => a.map(|it| !it),
                    Unary::PopulationCount => a.map(|it| it.count_ones().into()),
                    Unary::Highest => a.map(|it| 127u128.wrapping_sub(it.leading_zeros().into())),
                    Unary::Reverse(bits) => {
                        a.map(|it| it.reverse_bits() >> (128 - u32::from(bits).clamp(1, 128)))
                    }
                    Unary::Ones => a.map(|it| {
                        let count = u32::try_from(it).unwrap_or(128).min(128);
                        u128::MAX.checked_shr(128 - count).unwrap_or(0)
                    }),
                };
                return;
            }
            Op::Select(Width::Narrow, condition, a, b) => {
                let (condition, a, b) = (self.of(condition), self.of(a), self.of(b));
                std::array::from_fn(|it| {
                    let mask = condition[it].wrapping_neg();
                    (a[it] & mask) | (b[it] & !mask)
                })
            }
            Op::Select(Width::Wide, condition, a, b) => {
                let (condition, a, b) = (self.of(condition), self.wide_of(a), self.wide_of(b));
                self.wide[index] =
                    std::array::from_fn(|it| if condition[it] != 0 { a[it] } else { b[it] });
                return;
            }
            Op::LookUp(a, b, c, table) => {
                let (a, b, c, table) = (self.of(a), self.of(b), self.of(c), self.of(table));
                std::array::from_fn(|it| look_up(a[it], b[it], c[it], table[it]))
            }
            Op::Field(_, a, low, count) => {
                let (a, low, count) = (self.of(a), self.of(low), self.of(count));
                std::array::from_fn(|it| shift_right(a[it], low[it]) & ones(count[it]))
            }
            Op::NthSet(mask, base, offset) => {
                let (mask, base, offset) = (self.of(mask), self.of(base), self.of(offset));
                std::array::from_fn(|it| nth_set(mask[it], base[it], offset[it] as i64))
            }
            Op::Broadcast(a, lane) => [self.of(a)[usize::from(lane).min(N - 1)]; N],
            Op::Gather(a, lane) => {
                let (a, lane) = (self.of(a), self.of(lane));
                lane.map(|it| a.get(it as usize).copied().unwrap_or_default())
            }
            Op::Float(step) => {
                let [a, b, c] = step.operands.map(|it| self.of(it));
                let mut out = [0; N];
                if step.finite {
                    let decode =
                        |index: usize, value: u64| Number::decode(step.formats[index], value);
                    for lane in 0..N {
                        let operands = [decode(0, a[lane]), decode(1, b[lane]), decode(2, c[lane])];
                        let exact = step.operation.exact(&operands);
                        out[lane] = exact.round_finite(step.to, step.mode);
                    }
                } else {
                    let operands = [&a, &b, &c];
                    let (formats, to) = (&step.formats, step.to);
                    float::apply(step.operation, formats, to, step.mode, &operands, &mut out);
                }
                out
            }
            Op::Stochastic {
                from,
                format,
                to,
                random,
                count,
                finite,
            } => {
                let (from, random) = (self.of(from), self.of(random));
                std::array::from_fn(|it| {
                    let rounding = Rounding::Stochastic {
                        bits: random[it] as u32,
                        count: count.into(),
                    };
                    let number = Number::decode(format, from[it]);
                    match finite {
                        true => number.round_finite(to, rounding),
                        false => number.round(to, rounding),
                    }
                })
            }
            Op::FromInteger {
                from,
                width,
                signed,
                to,
                mode,
            } => {
                let number = |value: u128| match signed {
                    true => Number::from_signed(value as i128),
                    false => Number::from_unsigned(value),
                };
                match width {
                    Width::Narrow if signed => self
                        .of(from)
                        .map(|it| number(i128::from(it as i64) as u128).round(to, mode)),
                    Width::Narrow => self.of(from).map(|it| number(it.into()).round(to, mode)),
                    Width::Wide => self.wide_of(from).map(|it| number(it).round(to, mode)),
                }
            }
            Op::ToInteger {
                from,
                format,
                signed,
                bits,
                nan,
            } => {
                let (least, most) = match (signed, bits) {
                    (true, _) => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                    (false, _) => (0, (1i128 << bits) - 1),
                };
                self.of(from)
                    .map(|it| match Number::decode(format, it).to_integer() {
                        Some(it) => it.clamp(least, most) as u64,
                        None if signed => ((nan << (64 - bits)) as i64 >> (64 - bits)) as u64,
                        None => nan,
                    })
            }
            Op::Integral(format, mode, a) => self.of(a).map(|it| {
                let number = Number::decode(format, it);
                match number.is_nan() {
                    true => bits::canonical_nan(format),
                    false => number.to_integral(mode).round(format, mode),
                }
            }),
            Op::FloatUnary(function, format, a) => {
                let a = self.of(a);
                match function {
                    FloatUnary::Flush => a.map(|it| bits::flush(format, it)),
                    FloatUnary::Saturate => a.map(|it| bits::saturate(format, it)),
                    FloatUnary::Relu => a.map(|it| bits::relu(format, it)),
                    FloatUnary::Finite => a.map(|it| bits::finite(format, it)),
                    FloatUnary::PositiveZero => a.map(|it| bits::positive_zero(format, it)),
                    _ => a.map(|it| function_of(function, format, it)),
                }
            }
            Op::Extreme(larger, format, a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                std::array::from_fn(|it| match larger {
                    true => bits::maximum(format, a[it], b[it]),
                    false => bits::minimum(format, a[it], b[it]),
                })
            }
            Op::FloatCompare(relation, unordered, first, second, a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                std::array::from_fn(|it| {
                    u64::from(compare(relation, unordered, first, second, a[it], b[it]))
                })
            }
            Op::FloatTest(test, format, a) => self.of(a).map(|it| {
                u64::from(match test {
                    FloatTest::Is(class) => bits::classify(format, it) == class,
                    FloatTest::Sign => bits::sign(format, it),
                    FloatTest::OutOfBounds => {
                        bits::classify(format, it) == Class::Nan
                            && it == bits::canonical_nan(format)
                    }
                })
            }),
            Op::WithSign(format, a, sign) => {
                let (a, sign) = (self.of(a), self.of(sign));
                std::array::from_fn(|it| bits::with_sign(format, a[it], sign[it] != 0))
            }
        };
        self.narrow[index] = out;
    }
}

/// So many low bits.
fn ones(count: u64) -> u64 {
    match count {
        64.. => u64::MAX,
        _ => (1 << count) - 1,
    }
}

fn shift_left(a: u64, by: u64) -> u64 {
    if by < 64 { a << by } else { 0 }
}

fn shift_right(a: u64, by: u64) -> u64 {
    if by < 64 { a >> by } else { 0 }
}

/// An operation on the 64 bits of each lane.
fn narrow<const N: usize>(binary: Binary, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    let each = |f: fn(u64, u64) -> u64| std::array::from_fn(|it| f(a[it], b[it]));
    let signed =
        |f: fn(i64, i64) -> i64| std::array::from_fn(|it| f(a[it] as i64, b[it] as i64) as u64);
    match binary {
        Binary::Add => each(u64::wrapping_add),
        Binary::Subtract => each(u64::wrapping_sub),
        Binary::Multiply => each(u64::wrapping_mul),
        Binary::And => each(|a, b| a & b),
        Binary::Or => each(|a, b| a | b),
        Binary::Xor => each(|a, b| a ^ b),
        Binary::ShiftLeft => each(shift_left),
        Binary::ShiftRight => each(shift_right),
        Binary::ShiftRightSigned => {
            std::array::from_fn(|it| (a[it] as i64 >> b[it].min(63)) as u64)
        }
        Binary::Equal => each(|a, b| u64::from(a == b)),
        Binary::NotEqual => each(|a, b| u64::from(a != b)),
        Binary::Less => each(|a, b| u64::from(a < b)),
        Binary::LessEqual => each(|a, b| u64::from(a <= b)),
        Binary::LessSigned => signed(|a, b| i64::from(a < b)),
        Binary::LessEqualSigned => signed(|a, b| i64::from(a <= b)),
        Binary::Minimum => each(u64::min),
        Binary::Maximum => each(u64::max),
        Binary::MinimumSigned => signed(i64::min),
        Binary::MaximumSigned => signed(i64::max),
        Binary::Quotient => each(|a, b| a.checked_div(b).unwrap_or(u64::MAX)),
        Binary::Remainder => each(|a, b| a.checked_rem(b).unwrap_or(a)),
        Binary::QuotientSigned => signed(|a, b| match b {
            0 => -1,
            _ => a.wrapping_div(b),
        }),
        Binary::RemainderSigned => signed(|a, b| match b {
            0 => a,
            _ => a.wrapping_rem(b),
        }),
        Binary::Carryless => each(|a, b| carryless(a.into(), b.into()) as u64),
        Binary::SignedField => std::array::from_fn(|it| match b[it] {
            0 => 0,
            count => {
                let rest = 64 - count.min(64);
                ((a[it] << rest) as i64 >> rest) as u64
            }
        }),
    }
}

fn wide(binary: Binary, a: u128, b: u128) -> u128 {
    let by = u32::try_from(b).unwrap_or(u32::MAX);
    let (x, y) = (a as i128, b as i128);
    match binary {
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::ShiftLeft => a.checked_shl(by).unwrap_or(0),
        Binary::ShiftRight => a.checked_shr(by).unwrap_or(0),
        Binary::ShiftRightSigned => (x >> by.min(127)) as u128,
        Binary::Equal => u128::from(a == b),
        Binary::NotEqual => u128::from(a != b),
        Binary::Less => u128::from(a < b),
        Binary::LessEqual => u128::from(a <= b),
        Binary::LessSigned => u128::from(x < y),
        Binary::LessEqualSigned => u128::from(x <= y),
        Binary::Minimum => a.min(b),
        Binary::Maximum => a.max(b),
        Binary::MinimumSigned => x.min(y) as u128,
        Binary::MaximumSigned => x.max(y) as u128,
        Binary::Quotient => a.checked_div(b).unwrap_or(u128::MAX),
        Binary::Remainder => a.checked_rem(b).unwrap_or(a),
        Binary::QuotientSigned => match y {
            0 => u128::MAX,
            _ => x.wrapping_div(y) as u128,
        },
        Binary::RemainderSigned => match y {
            0 => a,
            _ => x.wrapping_rem(y) as u128,
        },
        Binary::Carryless => carryless(a, b),
        Binary::SignedField => {
            let rest = 128 - by.clamp(1, 128);
            if by == 0 {
                0
            } else {
                ((a << rest) as i128 >> rest) as u128
            }
        }
    }
}

fn carryless(a: u128, b: u128) -> u128 {
    (0..64).fold(0, |sum, it| {
        if b >> it & 1 == 0 {
            sum
        } else {
            sum ^ (a << it)
        }
    })
}

fn look_up(a: u64, b: u64, c: u64, table: u64) -> u64 {
    (0..8).fold(0, |all, row| {
        let on = |wanted: u64, value: u64| if row & wanted == 0 { !value } else { value };
        match table >> row & 1 {
            0 => all,
            _ => all | (on(4, a) & on(2, b) & on(1, c)),
        }
    })
}

/// The position of the n-th one from a base on, upwards for a positive offset; -1 if there is none.
fn nth_set(mask: u64, base: u64, offset: i64) -> u64 {
    let set = |it: &u64| mask >> it & 1 == 1;
    let base = base.min(31);
    let count = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    let found = match offset {
        0 => Some(base).filter(set),
        1.. => (base..32).filter(set).nth(count - 1),
        _ => (0..=base).rev().filter(set).nth(count - 1),
    };
    found.unwrap_or(u64::MAX)
}

fn function_of(function: FloatUnary, format: Format, value: u64) -> u64 {
    let number = Number::decode(format, value);
    let result = match function {
        FloatUnary::Exp2 => number.exp2(),
        FloatUnary::Log2 => number.log2(),
        FloatUnary::Sine => number.sin(),
        FloatUnary::Cosine => number.cos(),
        FloatUnary::HyperbolicTangent => number.tanh(),
        FloatUnary::ReciprocalSquareRoot => number.reciprocal_sqrt(),
        _ => number,
    };
    result.round(format, Rounding::NearestEven)
}

fn compare(
    relation: Relation,
    unordered: bool,
    first: Format,
    second: Format,
    a: u64,
    b: u64,
) -> bool {
    let order = match first == second {
        true => bits::compare(first, a, b),
        false => Number::decode(first, a).compare(&Number::decode(second, b)),
    };
    match order {
        None => unordered,
        Some(order) => match relation {
            Relation::Equal => order.is_eq(),
            Relation::NotEqual => order.is_ne(),
            Relation::Less => order.is_lt(),
            Relation::LessEqual => order.is_le(),
            Relation::Greater => order.is_gt(),
            Relation::GreaterEqual => order.is_ge(),
        },
    }
}
