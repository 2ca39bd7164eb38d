//! Products of tensor cores.

use super::{
    Accumulator, Factor, Plan, ProductShape, TensorMemory, TensorProduct,
    decode::{Floats, Packing, integer},
    factor::Part,
};
use crate::{
    compute::{
        matrix::{add_integers, add_old, add_products, positions},
        value_type::ElementType,
    },
    matrix::shared::SharedMatrix,
};

/// The rows of a product that a warp has.
const WARP_ROWS: usize = 16;

/// The registers that a product writes.
#[derive(Clone, Debug, Default)]
pub struct Products<const N: usize> {
    /// The registers of the result.
    pub registers: Vec<[u64; N]>,
    /// Their undefined bits; empty if there are none.
    pub undefined: Vec<[u64; N]>,
}

/// Why a product cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TensorProblem {
    /// An operand means nothing, as a sentence.
    Operand(String),
    /// An access to lanes of tensor memory that the warp does not reach, as a sentence.
    OutOfReach(String),
    /// It is not made yet: what, as a phrase.
    NotRun(&'static str),
}

/// Numbers of a factor, and which of its rows along M or N have undefined ones.
pub(super) struct Numbers<T> {
    pub(super) all: Vec<T>,
    pub(super) undefined: Vec<bool>,
}

impl<T: Copy + Default> Numbers<T> {
    pub(super) fn new(size: usize, rows: usize) -> Numbers<T> {
        Numbers {
            all: vec![T::default(); size],
            undefined: vec![false; rows],
        }
    }
}

impl TensorProduct {
    /// Makes the part of a product that a warp of a warpgroup has: its number there, what its registers hold before,
    /// and the lanes in which a register is undefined.
    ///
    /// # Errors
    /// The reason for which there is no result.
    pub fn run<const N: usize>(
        &self,
        warp: usize,
        before: &[[u64; N]],
        undefined: &dyn Fn(u32) -> u32,
        memory: &mut impl TensorMemory,
    ) -> Result<Products<N>, TensorProblem> {
        let ProductShape::Stated(plan, across) = &self.shape else {
            return Err(TensorProblem::NotRun("such a form"));
        };
        let across = across.map(|it| it.is_some_and(|it| before[it as usize][0] & 1 == 1));
        let plan = &Plan {
            across,
            ..plan.clone()
        };
        match plan.types[2] {
            ElementType::Integer { .. } => self.integers(plan, warp, (before, undefined), memory),
            _ => self.floats(plan, warp, (before, undefined), memory),
        }
    }

    /// The columns of a that are there.
    fn stored(&self, plan: &Plan) -> usize {
        match &self.sparse {
            Some(sparse) => plan.depth * sparse.kept.0 / sparse.kept.1,
            None => plan.depth,
        }
    }

    /// Reads a factor from shared memory: rows along M or N from the first one on.
    pub(super) fn shared<T: Copy + Default, const N: usize>(
        &self,
        (cta, factor): (usize, &Factor),
        before: &[[u64; N]],
        part: Part,
        memory: &mut impl TensorMemory,
        mut put: impl FnMut(&mut [T], usize, usize, u32),
        out: &mut Numbers<T>,
    ) -> Result<(), TensorProblem> {
        let Factor::Shared { descriptor, format } = factor else {
            return Ok(());
        };
        let bits = before[*descriptor as usize][0];
        let wrong = format.decode(bits).into_iter().find_map(|it| {
            let problem = it.problem?;
            Some(format!(
                "the field `{}` of the descriptor {bits:#x} is {}: {problem}",
                it.field.name, it.value
            ))
        });
        if let Some(wrong) = wrong {
            return Err(TensorProblem::Operand(wrong));
        }
        let Some(matrix) = SharedMatrix::decode(format, bits) else {
            return Err(TensorProblem::NotRun("such a swizzle"));
        };
        let Numbers { all, undefined } = out;
        part.for_each((cta, &matrix), memory, |row, depth, code, is_undefined| {
            put(all, row, depth, code);
            undefined[part.to + row] |= is_undefined;
        });
        Ok(())
    }

    /// The factors with their elements read by `decode`: a row by row, b row by row.
    fn factors<T: Copy + Default, const N: usize>(
        &self,
        plan: &Plan,
        warp: usize,
        before: &[[u64; N]],
        memory: &mut impl TensorMemory,
        decode: [&dyn Fn(u32) -> T; 2],
    ) -> Result<[Numbers<T>; 2], TensorProblem> {
        let (columns, depth, stored) = (plan.columns, plan.depth, self.stored(plan));
        let mut a = Numbers::new(WARP_ROWS * stored, WARP_ROWS);
        let mut b = Numbers::new(depth * columns, columns);
        let part = Part {
            across: plan.across[0],
            first: WARP_ROWS * warp,
            count: WARP_ROWS,
            to: 0,
            depth: stored,
            packing: Packing::of_type(plan.types[0], false),
        };
        let put = |all: &mut [T], row: usize, depth: usize, code: u32| {
            all[row * stored + depth] = decode[0](code);
        };
        self.shared((0, &self.a), before, part, memory, put, &mut a)?;
        let part = Part {
            across: plan.across[1],
            first: 0,
            count: columns,
            to: 0,
            depth,
            packing: Packing::of_type(plan.types[1], false),
        };
        let put = |all: &mut [T], column: usize, depth: usize, code: u32| {
            all[depth * columns + column] = decode[1](code);
        };
        self.shared((0, &self.b), before, part, memory, put, &mut b)?;
        Ok([a, b])
    }

    fn floats<const N: usize>(
        &self,
        plan: &Plan,
        warp: usize,
        (before, undefined): (&[[u64; N]], &dyn Fn(u32) -> u32),
        memory: &mut impl TensorMemory,
    ) -> Result<Products<N>, TensorProblem> {
        let [
            ElementType::Float(of_a),
            ElementType::Float(of_b),
            ElementType::Float(of_d),
        ] = plan.types
        else {
            return Err(TensorProblem::NotRun("such types"));
        };
        let known = [of_a, of_b].map(Floats::of_format);
        let decode: [&dyn Fn(u32) -> f64; 2] =
            [&|code| known[0].value(code), &|code| known[1].value(code)];
        let [mut a, mut b] = self.factors(plan, warp, before, memory, decode)?;
        if let Factor::Registers(matrix) = &self.a {
            let count = a.all.len();
            matrix.floats(before, &mut a.all, count);
        }
        for (sign, numbers) in self.signs.iter().zip([&mut a, &mut b]) {
            if sign.is_some_and(|it| (before[it as usize][0] as i32) < 0) {
                numbers.all.iter_mut().for_each(|it| *it = -*it);
            }
        }
        let Accumulator::Registers(held) = &self.d else {
            return Err(TensorProblem::NotRun("such a result"));
        };
        let adds = before[self.enable as usize][0] & 1 == 1;
        let mut d = Vec::new();
        let size = WARP_ROWS * plan.columns;
        match adds {
            true => held.floats(before, &mut d, size),
            false => d.resize(size, 0.0),
        }
        let sizes = (self.stored(plan), plan.columns);
        let mut at = Vec::new();
        positions(
            self.sparse.as_ref(),
            before,
            (WARP_ROWS, plan.depth),
            &mut at,
        );
        let factors = (&a.all[..], &at[..]);
        add_products(&mut d, factors, &b.all, sizes, |d, a, b| *d += a * b);
        let mut registers = vec![[0; N]; held.registers.len()];
        held.round(of_d, &d, &mut registers);
        let marks = self.marks(plan, undefined, adds, [&a.undefined, &b.undefined]);
        Ok(Products {
            registers,
            undefined: marks,
        })
    }

    fn integers<const N: usize>(
        &self,
        plan: &Plan,
        warp: usize,
        (before, undefined): (&[[u64; N]], &dyn Fn(u32) -> u32),
        memory: &mut impl TensorMemory,
    ) -> Result<Products<N>, TensorProblem> {
        let types = plan.types;
        let decode: [&dyn Fn(u32) -> i32; 2] = [&|code| integer(types[0], code), &|code| {
            integer(types[1], code)
        }];
        let [mut a, b] = self.factors(plan, warp, before, memory, decode)?;
        if let Factor::Registers(matrix) = &self.a {
            let count = a.all.len();
            matrix.integers(before, &mut a.all, count);
        }
        let Accumulator::Registers(held) = &self.d else {
            return Err(TensorProblem::NotRun("such a result"));
        };
        let adds = before[self.enable as usize][0] & 1 == 1;
        let size = WARP_ROWS * plan.columns;
        let mut d = vec![0; size];
        let sizes = (self.stored(plan), plan.columns);
        let mut at = Vec::new();
        positions(
            self.sparse.as_ref(),
            before,
            (WARP_ROWS, plan.depth),
            &mut at,
        );
        add_integers(&mut d, (&a.all, &at), &b.all, sizes, self.product);
        if adds {
            let mut old = Vec::new();
            held.integers(before, &mut old, size);
            add_old(&mut d, &old, plan.overflow);
        }
        let mut registers = vec![[0; N]; held.registers.len()];
        held.keep(&d, &mut registers);
        let marks = self.marks(plan, undefined, adds, [&a.undefined, &b.undefined]);
        Ok(Products {
            registers,
            undefined: marks,
        })
    }

    /// The undefined bits of the result: of rows and columns whose factors have undefined elements, and where
    /// something undefined is added.
    fn marks<const N: usize>(
        &self,
        plan: &Plan,
        undefined: &dyn Fn(u32) -> u32,
        adds: bool,
        [rows, columns]: [&[bool]; 2],
    ) -> Vec<[u64; N]> {
        let mut rows = rows.to_vec();
        if let Factor::Registers(matrix) = &self.a {
            let stored = self.stored(plan);
            for (register, at) in matrix
                .registers
                .iter()
                .zip(matrix.at.chunks_exact(N * matrix.elements))
            {
                let lanes = undefined(*register);
                for (lane, at) in at.chunks_exact(matrix.elements).enumerate() {
                    if lanes >> lane & 1 == 1 {
                        at.iter()
                            .for_each(|it| rows[usize::from(*it) / stored] = true);
                    }
                }
            }
        }
        let Accumulator::Registers(held) = &self.d else {
            return Vec::new();
        };
        let old = |register: u32| if adds { undefined(register) } else { 0 };
        let any = rows.contains(&true)
            || columns.contains(&true)
            || held.registers.iter().any(|it| old(*it) != 0);
        if !any {
            return Vec::new();
        }
        let mut marks = vec![[0; N]; held.registers.len()];
        let each = held.at.chunks_exact(N * held.elements);
        for ((marks, at), register) in marks.iter_mut().zip(each).zip(&held.registers) {
            let lanes = old(*register);
            for (lane, (mark, at)) in marks
                .iter_mut()
                .zip(at.chunks_exact(held.elements))
                .enumerate()
            {
                let wrong = |it: &u16| {
                    let at = usize::from(*it);
                    rows[at / plan.columns] || columns[at % plan.columns]
                };
                if lanes >> lane & 1 == 1 || at.iter().any(wrong) {
                    *mark = u64::MAX;
                }
            }
        }
        marks
    }
}
