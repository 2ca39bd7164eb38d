//! The evaluator: runs a program on `N` lanes at once.

use super::{
    float::{self, Format, Number, Rounding, binary32, bits},
    integers::{self, map, set},
    matrix::Scratch,
    memory::{Memory, Nowhere},
    node::Node,
    pass::Pass,
    program::{FloatTest, FloatUnary, Op, Program, Relation, Width},
    words::evaluate_word,
};

/// The state of the lanes that run a statement, besides registers.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a, const N: usize> {
    /// The lanes that run it, as a mask.
    pub active: u32,
    /// The carry flag of each lane, 0 or 1.
    pub carry: &'a [u64; N],
    /// The stack pointer of each lane, in bytes.
    pub stack: &'a [u64; N],
    /// The number of the CTA in its cluster.
    pub cta: u64,
    /// The CTAs of its cluster, as a mask.
    pub ctas: u64,
    /// The element for which a repeated program runs, see [`Op::Member`].
    pub member: u64,
    /// The bytes before the element for which a program over many runs, see [`Op::Sweep`].
    pub sweep: u64,
    /// The address in tensor memory that has just been allocated.
    pub allocated: u64,
    /// The threads of a barrier for which [`Program::participants`] is 1, and all of them.
    pub participants: (u64, u64),
}

impl<'a, const N: usize> Surroundings<'a, N> {
    /// Those of lanes without anything around them.
    #[must_use]
    pub fn alone(zeros: &'a [u64; N]) -> Surroundings<'a, N> {
        Surroundings {
            active: 1,
            carry: zeros,
            stack: zeros,
            cta: 0,
            ctas: 1,
            member: 0,
            sweep: 0,
            allocated: 0,
            participants: (0, 0),
        }
    }
}

/// The registers of the evaluator, which it keeps from one program to the next.
///
/// `N` is the number of lanes: 1 for constants, 32 for a warp.
#[derive(Clone, Debug, Default)]
pub struct Machine<const N: usize> {
    narrow: Vec<[u64; N]>,
    wide: Vec<[u128; N]>,
    matrix: Scratch<N>,
}

/// The values of nodes.
pub(super) trait Store<const N: usize> {
    fn narrow(&self, node: Node) -> &[u64; N];
    fn wide(&self, node: Node) -> &[u128; N];
}

/// The values of the nodes before one.
struct Before<'a, const N: usize> {
    narrow: &'a [[u64; N]],
    wide: &'a [[u128; N]],
}

impl<const N: usize> Store<N> for Before<'_, N> {
    fn narrow(&self, node: Node) -> &[u64; N] {
        &self.narrow[node as usize]
    }

    fn wide(&self, node: Node) -> &[u128; N] {
        &self.wide[node as usize]
    }
}

/// The same where the inputs of the program are read from where they are.
struct WithInputs<'a, const N: usize> {
    steps: &'a [Op],
    inputs: &'a [&'a [u64; N]],
    before: Before<'a, N>,
}

impl<const N: usize> Store<N> for WithInputs<'_, N> {
    fn narrow(&self, node: Node) -> &[u64; N] {
        match self.steps[node as usize] {
            Op::Input(input) => self.inputs[input as usize],
            _ => self.before.narrow(node),
        }
    }

    fn wide(&self, node: Node) -> &[u128; N] {
        self.before.wide(node)
    }
}

impl<const N: usize> Machine<N> {
    /// Runs a program that [computes only](Program::computes_only), with one array for each of its inputs.
    ///
    /// It does what [`Machine::run`] does and copies no input: [`Machine::value`] has the results that are none, and not
    /// what is between. `active` are the lanes that run a program that [exchanges](Program::exchanges_only), as a mask.
    pub fn compute(&mut self, program: &Program, inputs: &[&[u64; N]], active: u32) {
        self.run_passes(program, inputs, active, &mut Nowhere);
    }

    /// The same for a program that [accesses memory](Program::accesses_only) and does nothing else.
    pub fn access(&mut self, program: &Program, inputs: &[&[u64; N]], memory: &mut impl Memory<N>) {
        self.run_passes(program, inputs, u32::MAX, memory);
    }

    fn run_passes(
        &mut self,
        program: &Program,
        inputs: &[&[u64; N]],
        active: u32,
        memory: &mut impl Memory<N>,
    ) {
        let count = program.steps.len();
        if self.narrow.len() < count {
            self.narrow.resize(count, [0; N]);
        }
        if program.wide && self.wide.len() < count {
            self.wide.resize(count, [0; N]);
        }
        for pass in &program.passes {
            let node = pass.node();
            let index = node as usize;
            let (narrow, rest) = self.narrow.split_at_mut(index);
            let middle = index.min(self.wide.len());
            let (wide, wide_rest) = self.wide.split_at_mut(middle);
            let store = WithInputs {
                steps: &program.steps,
                inputs,
                before: Before { narrow, wide },
            };
            let op = &program.steps[index];
            match (pass, rest.first_mut(), wide_rest.first_mut()) {
                (Pass::Step(_), Some(out), _) if op.is_of_memory() => {
                    read_memory(op, program, &store, memory, out);
                }
                (Pass::Word(_, word, operands), Some(out), _) => {
                    evaluate_word(*word, operands.map(|it| store.narrow(it)), out);
                }
                (Pass::Step(_), _, Some(out)) if op.is_wide() => evaluate_wide(op, &store, out),
                (Pass::Step(_), Some(out), _) if *op == Op::Active => *out = [active.into(); N],
                (Pass::Step(_), Some(out), _) => evaluate(op, &store, out),
                _ => {}
            }
        }
    }

    /// Runs a program: `inputs` are the values of [`Program::inputs`].
    ///
    /// The results are in [`Machine::value`] for the nodes of [`Program::outputs`] until the next run.
    pub fn run(
        &mut self,
        program: &Program,
        inputs: &[[u64; N]],
        surroundings: &Surroundings<'_, N>,
    ) {
        self.run_on(program, inputs, surroundings, &mut Nowhere);
    }

    /// The same with memory.
    pub fn run_on(
        &mut self,
        program: &Program,
        inputs: &[[u64; N]],
        surroundings: &Surroundings<'_, N>,
        memory: &mut impl Memory<N>,
    ) {
        let count = program.steps.len();
        if self.narrow.len() < count {
            self.narrow.resize(count, [0; N]);
        }
        if program.wide && self.wide.len() < count {
            self.wide.resize(count, [0; N]);
        }
        let mut multiplied = false;
        for (index, op) in program.steps.iter().enumerate() {
            let (before, rest) = self.narrow.split_at_mut(index);
            let Some(out) = rest.first_mut() else {
                return;
            };
            match op {
                Op::Input(input) => {
                    let value = inputs.get(*input as usize);
                    *out = value.copied().unwrap_or([0; N]);
                }
                Op::Carry => *out = *surroundings.carry,
                Op::Stack => *out = *surroundings.stack,
                Op::Active => *out = [surroundings.active.into(); N],
                Op::CtaRank => *out = [surroundings.cta; N],
                Op::Ctas => *out = [surroundings.ctas; N],
                Op::Member => *out = [surroundings.member; N],
                Op::Sweep => *out = [surroundings.sweep; N],
                Op::Allocated => *out = [surroundings.allocated; N],
                Op::Participants { all } => {
                    let (some, every) = surroundings.participants;
                    *out = [if *all { every } else { some }; N];
                }
                Op::BoxBytes { place, map, mode } => {
                    if let Some(place) = program.places.get(usize::from(*place)) {
                        memory.box_bytes(place, *mode, &before[*map as usize], out);
                    }
                }
                Op::Texture(request, element) => {
                    if let Some(request) = program.textures.get(usize::from(*request)) {
                        memory.texture(request, *element, before, out);
                    }
                }
                _ if op.is_of_memory() => {
                    let (narrow, wide) = (before, &[][..]);
                    read_memory(op, program, &Before { narrow, wide }, memory, out);
                }
                Op::Matrix(register) => {
                    if let (Some(matrix), false) = (&program.matrix, multiplied) {
                        matrix.run(before, &mut self.matrix);
                        multiplied = true;
                    }
                    *out = self.matrix.result(*register);
                }
                _ if op.is_wide() => {
                    let (wide, rest) = self.wide.split_at_mut(index);
                    let Some(out) = rest.first_mut() else {
                        return;
                    };
                    let narrow = before;
                    evaluate_wide(op, &Before { narrow, wide }, out);
                }
                _ => {
                    let wide = self.wide.get(..index).unwrap_or_default();
                    let narrow = before;
                    evaluate(op, &Before { narrow, wide }, out);
                }
            }
        }
    }

    /// The values of all nodes of 64 bits after a run.
    #[must_use]
    pub fn values(&self) -> &[[u64; N]] {
        &self.narrow
    }

    /// The value of a node of 64 bits after a run.
    #[must_use]
    pub fn value(&self, node: Node) -> &[u64; N] {
        &self.narrow[node as usize]
    }
}

/// Reads an element of memory, or checks an address.
fn read_memory<const N: usize>(
    op: &Op,
    program: &Program,
    store: &impl Store<N>,
    memory: &mut impl Memory<N>,
    out: &mut [u64; N],
) {
    match op {
        Op::Load {
            place,
            address,
            element,
            half,
        } => {
            if let Some(place) = program.places.get(usize::from(*place)) {
                memory.load(place, store.narrow(*address), *element, *half, out);
            }
        }
        Op::Aligned(address, bytes) => {
            *out = *store.narrow(*address);
            memory.aligned(out, *bytes);
        }
        _ => {}
    }
}

/// Writes the result of an operation that gives 64 bits; see [`Op::is_wide`].
pub(super) fn evaluate<const N: usize>(op: &Op, store: &impl Store<N>, out: &mut [u64; N]) {
    let narrow = |node: Node| store.narrow(node);
    match *op {
        Op::Input(_)
        | Op::Carry
        | Op::Stack
        | Op::Active
        | Op::CtaRank
        | Op::Ctas
        | Op::Member
        | Op::Sweep
        | Op::Allocated
        | Op::Participants { .. }
        | Op::BoxBytes { .. }
        | Op::Matrix(_)
        | Op::Texture(..)
        | Op::Load { .. } => {}
        Op::Aligned(a, _) => *out = *narrow(a),
        Op::Constant(it) => *out = [it; N],
        Op::Lane => set(out, |lane| lane as u64),
        Op::Narrow(a) => {
            let a = store.wide(a);
            set(out, |it| a[it] as u64);
        }
        Op::Upper(a) => {
            let a = store.wide(a);
            set(out, |it| (a[it] >> 64) as u64);
        }
        Op::ZeroExtend(a, bits) => {
            let mask = u64::MAX >> (64 - u32::from(bits).clamp(1, 64));
            map(out, narrow(a), |it| it & mask);
        }
        Op::SignExtend(a, bits) => {
            let rest = 64 - u32::from(bits).clamp(1, 64);
            map(out, narrow(a), |it| ((it << rest) as i64 >> rest) as u64);
        }
        Op::Binary(binary, Width::Narrow, a, b) => {
            integers::narrow(binary, narrow(a), narrow(b), out);
        }
        Op::Binary(binary, Width::Wide, a, b) => {
            let (a, b) = (store.wide(a), store.wide(b));
            set(out, |it| integers::wide(binary, a[it], b[it]) as u64);
        }
        Op::Unary(unary, _, a) => integers::unary(unary, narrow(a), out),
        Op::Select(_, condition, a, b) => {
            let (condition, a, b) = (narrow(condition), narrow(a), narrow(b));
            set(out, |it| {
                let mask = condition[it].wrapping_neg();
                (a[it] & mask) | (b[it] & !mask)
            });
        }
        Op::LookUp(a, b, c, table) => {
            let (a, b, c, table) = (narrow(a), narrow(b), narrow(c), narrow(table));
            set(out, |it| integers::look_up(a[it], b[it], c[it], table[it]));
        }
        Op::Field(_, a, low, count) => {
            let (a, low, count) = (narrow(a), narrow(low), narrow(count));
            set(out, |it| {
                integers::shift_right(a[it], low[it]) & integers::ones(count[it])
            });
        }
        Op::NthSet(mask, base, offset) => {
            let (mask, base, offset) = (narrow(mask), narrow(base), narrow(offset));
            set(out, |it| {
                integers::nth_set(mask[it], base[it], offset[it] as i64)
            });
        }
        Op::Broadcast(a, lane) => *out = [narrow(a)[usize::from(lane).min(N - 1)]; N],
        Op::Gather(a, lane) => {
            let (a, lane) = (narrow(a), narrow(lane));
            set(out, |it| {
                a.get(lane[it] as usize).copied().unwrap_or_default()
            });
        }
        Op::Ballot(a) => {
            let lanes = narrow(a).iter().zip(0..32);
            *out = [lanes.fold(0, |all, (it, lane)| all | (it & 1) << lane); N];
        }
        Op::Float(step) => {
            let [a, b, c] = step.operands.map(narrow);
            let (formats, to) = (&step.formats, step.to);
            let round = match step.finite {
                true => float::apply_finite,
                false => float::apply,
            };
            round(step.operation, formats, to, step.mode, &[a, b, c], out);
        }
        Op::Stochastic {
            from,
            format,
            to,
            random,
            count,
            finite,
        } => {
            let (from, random) = (narrow(from), narrow(random));
            set(out, |it| {
                let rounding = Rounding::Stochastic {
                    bits: random[it] as u32,
                    count: count.into(),
                };
                let number = Number::decode(format, from[it]);
                match finite {
                    true => number.round_finite(to, rounding),
                    false => number.round(to, rounding),
                }
            });
        }
        Op::FromInteger {
            from,
            width: Width::Narrow,
            signed,
            to: Format::F32,
            mode: Rounding::NearestEven,
        } => match signed {
            true => map(out, narrow(from), |it| binary32::from_signed(it as i64)),
            false => map(out, narrow(from), binary32::from_unsigned),
        },
        Op::FromInteger {
            from,
            width,
            signed,
            to,
            mode,
        } => match (width, signed) {
            (Width::Narrow, true) => map(out, narrow(from), |it| {
                Number::from_signed((it as i64).into()).round(to, mode)
            }),
            (Width::Narrow, false) => map(out, narrow(from), |it| {
                Number::from_unsigned(it.into()).round(to, mode)
            }),
            (Width::Wide, _) => {
                let from = store.wide(from);
                set(out, |it| {
                    let number = match signed {
                        true => Number::from_signed(from[it] as i128),
                        false => Number::from_unsigned(from[it]),
                    };
                    number.round(to, mode)
                });
            }
        },
        Op::ToInteger {
            from,
            format,
            signed,
            bits,
            nan,
        } => {
            let (least, most) = match signed {
                true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                false => (0, (1i128 << bits) - 1),
            };
            let rest = 64 - u32::from(bits);
            map(out, narrow(from), |it| {
                match Number::decode(format, it).to_integer() {
                    Some(it) => it.clamp(least, most) as u64,
                    None if signed => ((nan << rest) as i64 >> rest) as u64,
                    None => nan,
                }
            });
        }
        Op::Integral(format, mode, a) => map(out, narrow(a), |it| {
            let number = Number::decode(format, it);
            match number.is_nan() {
                true => bits::canonical_nan(format),
                false => number.to_integral(mode).round(format, mode),
            }
        }),
        Op::FloatUnary(function, format, a) => {
            let a = narrow(a);
            match function {
                FloatUnary::Flush if format == Format::F32 => map(out, a, binary32::flush),
                FloatUnary::Flush => map(out, a, |it| bits::flush(format, it)),
                FloatUnary::Saturate => map(out, a, |it| bits::saturate(format, it)),
                FloatUnary::Relu => map(out, a, |it| bits::relu(format, it)),
                FloatUnary::Finite => map(out, a, |it| bits::finite(format, it)),
                FloatUnary::PositiveZero => map(out, a, |it| bits::positive_zero(format, it)),
                FloatUnary::Exp2 if format == Format::F32 => {
                    map(out, a, |it| binary32::function(it, libm::exp2));
                }
                FloatUnary::Log2 if format == Format::F32 => {
                    map(out, a, |it| binary32::function(it, libm::log2));
                }
                _ => map(out, a, |it| function_of(function, format, it)),
            }
        }
        Op::Extreme(larger, Format::F32, a, b) => {
            let (a, b) = (narrow(a), narrow(b));
            match larger {
                true => set(out, |it| binary32::maximum(a[it], b[it])),
                false => set(out, |it| binary32::minimum(a[it], b[it])),
            }
        }
        Op::Extreme(larger, format, a, b) => {
            let (a, b) = (narrow(a), narrow(b));
            set(out, |it| match larger {
                true => bits::maximum(format, a[it], b[it]),
                false => bits::minimum(format, a[it], b[it]),
            });
        }
        Op::FloatCompare(relation, unordered, Format::F32, Format::F32, a, b) => {
            let (a, b) = (narrow(a), narrow(b));
            match relation {
                Relation::Equal => compare_binary32(a, b, unordered, out, |x, y| x == y),
                Relation::NotEqual => compare_binary32(a, b, unordered, out, |x, y| x != y),
                Relation::Less => compare_binary32(a, b, unordered, out, |x, y| x < y),
                Relation::LessEqual => compare_binary32(a, b, unordered, out, |x, y| x <= y),
                Relation::Greater => compare_binary32(a, b, unordered, out, |x, y| x > y),
                Relation::GreaterEqual => compare_binary32(a, b, unordered, out, |x, y| x >= y),
            }
        }
        Op::FloatCompare(relation, unordered, first, second, a, b) => {
            let (a, b) = (narrow(a), narrow(b));
            set(out, |it| {
                compare(relation, unordered, (first, a[it]), (second, b[it])).into()
            });
        }
        Op::FloatTest(test, format, a) => map(out, narrow(a), |it| {
            u64::from(match test {
                FloatTest::Is(class) => bits::classify(format, it) == class,
                FloatTest::Sign => bits::sign(format, it),
                FloatTest::OutOfBounds => it == bits::canonical_nan(format),
            })
        }),
        Op::WithSign(format, a, sign) => {
            let (a, sign) = (narrow(a), narrow(sign));
            set(out, |it| bits::with_sign(format, a[it], sign[it] != 0));
        }
        Op::WideConstant(_) | Op::Widen(..) => {}
    }
}

/// Writes the result of an operation that gives 128 bits.
pub(super) fn evaluate_wide<const N: usize>(op: &Op, store: &impl Store<N>, out: &mut [u128; N]) {
    match *op {
        Op::WideConstant(it) => *out = [it; N],
        Op::Widen(a, true) => {
            let a = store.narrow(a);
            set(out, |it| i128::from(a[it] as i64) as u128);
        }
        Op::Widen(a, false) => {
            let a = store.narrow(a);
            set(out, |it| a[it].into());
        }
        Op::Binary(binary, _, a, b) => {
            let (a, b) = (store.wide(a), store.wide(b));
            set(out, |it| integers::wide(binary, a[it], b[it]));
        }
        Op::Unary(unary, _, a) => {
            let a = store.wide(a);
            set(out, |it| integers::wide_unary(unary, a[it]));
        }
        Op::Select(_, condition, a, b) => {
            let (condition, a, b) = (store.narrow(condition), store.wide(a), store.wide(b));
            set(out, |it| if condition[it] == 0 { b[it] } else { a[it] });
        }
        _ => {}
    }
}

/// Compares the lanes of two values of binary32.
fn compare_binary32<const N: usize>(
    a: &[u64; N],
    b: &[u64; N],
    unordered: bool,
    out: &mut [u64; N],
    holds: impl Fn(f32, f32) -> bool,
) {
    set(out, |it| binary32::compare(a[it], b[it], unordered, &holds));
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
    (first, a): (Format, u64),
    (second, b): (Format, u64),
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
