//! Products of matrices whose elements the lanes of a warp hold: `d = a * b + c`.
//!
//! Products are exact. Sums of integers are exact, too; those of floats are made in binary64 and rounded once, unless
//! each step rounds.

use super::{
    ElementType,
    float::{Format, Number, Operation, Rounding, apply},
    node::Node,
};

/// The lanes that hold a matrix.
const LANES: usize = 32;

/// A product of matrices.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixProgram {
    /// The factor on the left, without those elements of a sparse one that are left out.
    pub a: Matrix,
    /// The factor on the right.
    pub b: Matrix,
    /// The matrix that is added.
    pub c: Matrix,
    /// The result.
    pub d: Matrix,
    /// Independent products that lie side by side.
    pub parts: usize,
    /// Rows of a and d.
    pub rows: usize,
    /// Columns of b and d.
    pub columns: usize,
    /// Columns of a and rows of b.
    pub depth: usize,
    /// How products are made and added.
    pub rule: Rule,
    /// The factors of blocks of a and of b.
    pub scales: [Option<Scales>; 2],
    /// The positions of the elements of a, if it is sparse.
    pub sparse: Option<Sparse>,
}

/// A matrix and the registers that hold it.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// The registers of a lane; none of a result.
    pub registers: Vec<Node>,
    /// The type of an element.
    pub ty: ElementType,
    /// The number of elements in a register.
    pub elements: usize,
    /// Bits from one element of a register to the next.
    pub stride: u32,
    /// The lowest bit of an element, counted from where it begins in the register.
    pub offset: u32,
    /// For each register, in it for each lane, and in it for each element the index of the element: parts one after
    /// the other, in them rows, in them columns.
    pub at: Vec<u16>,
}

/// How products are made and added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Sums of integers: the low bits are kept, or the nearest number of the type of d.
    Integers(Product, Overflow),
    /// Sums of floats, rounded at the end to the nearest.
    Floats,
    /// Sums of binary64 floats, rounded with each product that is added.
    Steps(Rounding),
}

/// The product of two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// Their product.
    Times,
    /// The bits that both have; the sum counts them.
    And,
    /// The bits that one of them has.
    Xor,
}

/// The result where a sum does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// Its low bits.
    Wraps,
    /// The nearest number.
    Saturates,
}

/// Factors of the blocks of a matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Scales {
    /// The register, whose bytes are the factors.
    pub register: Node,
    /// The first byte that counts.
    pub byte: Node,
    /// Which lanes of each four count.
    pub lane: Node,
    /// The format of a factor.
    pub format: Format,
    /// The number of blocks along the rows of a, or the columns of b.
    pub blocks: usize,
}

/// The positions of the elements of a sparse matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    /// The register: four bits for each chunk.
    pub metadata: Node,
    /// Which lanes of each four count.
    pub selector: Node,
    /// The elements that are there, of how many: 1 of 2, 2 of 4 or 4 of 8.
    pub kept: (usize, usize),
    /// Whether a register has two rows of four chunks, and not one row of eight.
    pub two_rows: bool,
}

/// The memory that a product needs, which is kept from one to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch<const N: usize> {
    floats: [Vec<f64>; 4],
    integers: [Vec<i32>; 4],
    positions: Vec<u16>,
    results: Vec<[u64; N]>,
}

impl<const N: usize> Scratch<N> {
    /// A register of the result.
    pub(super) fn result(&self, register: u16) -> [u64; N] {
        let found = self.results.get(usize::from(register));
        found.copied().unwrap_or([0; N])
    }
}

impl Matrix {
    /// The contents of its registers, element by element, with its index.
    fn for_each<const N: usize>(&self, before: &[[u64; N]], mut act: impl FnMut(usize, u64)) {
        let each = self.at.chunks_exact(LANES * self.elements);
        for (register, at) in self.registers.iter().zip(each) {
            let values = &before[*register as usize];
            for (value, at) in values.iter().zip(at.chunks_exact(self.elements)) {
                let mut value = *value >> self.offset;
                for index in at {
                    act(usize::from(*index), value);
                    value = value.checked_shr(self.stride).unwrap_or(0);
                }
            }
        }
    }

    pub(super) fn floats<const N: usize>(
        &self,
        before: &[[u64; N]],
        out: &mut Vec<f64>,
        count: usize,
    ) {
        out.clear();
        out.resize(count, 0.0);
        let ElementType::Float(format) = self.ty else {
            return;
        };
        match format {
            Format::F16 => self.for_each(before, |at, it| out[at] = half(it as u16)),
            Format::Bf16 => self.for_each(before, |at, it| {
                out[at] = f32::from_bits((it as u32) << 16).into();
            }),
            // The low bits are those that the format does not have.
            Format::Tf32 => self.for_each(before, |at, it| {
                out[at] = f32::from_bits(it as u32 & !0x1FFF).into();
            }),
            Format::F32 => {
                self.for_each(before, |at, it| out[at] = f32::from_bits(it as u32).into())
            }
            Format::F64 => self.for_each(before, |at, it| out[at] = f64::from_bits(it)),
            _ => {
                let mask = (1_u64 << format.bits()) - 1;
                let mut known = [None; 256];
                self.for_each(before, |at, it| {
                    let code = it & mask;
                    let known = &mut known[code as usize & 0xFF];
                    out[at] = *known.get_or_insert_with(|| Number::decode(format, code).to_f64());
                });
            }
        }
    }

    /// Writes the nearest numbers of a format into the registers of a result.
    pub(super) fn round<const N: usize>(
        &self,
        format: Format,
        sums: &[f64],
        results: &mut [[u64; N]],
    ) {
        let each = self.at.chunks_exact(LANES * self.elements);
        let mut exact = [0; N];
        let mut rounded = [0; N];
        for (out, at) in results.iter_mut().zip(each) {
            for element in 0..self.elements {
                for (exact, at) in exact.iter_mut().zip(at.chunks_exact(self.elements)) {
                    *exact = sums[usize::from(at[element])].to_bits();
                }
                let (convert, nearest) = (Operation::Convert, Rounding::NearestEven);
                apply(
                    convert,
                    &[Format::F64],
                    format,
                    nearest,
                    &[&exact],
                    &mut rounded,
                );
                for (out, code) in out.iter_mut().zip(rounded) {
                    *out |= code << (element as u32 * self.stride);
                }
            }
        }
    }

    /// Writes integers into the registers of a result, one in each.
    pub(super) fn keep<const N: usize>(&self, sums: &[i32], results: &mut [[u64; N]]) {
        for (out, at) in results.iter_mut().zip(self.at.chunks_exact(LANES)) {
            for (out, at) in out.iter_mut().zip(at) {
                *out = u64::from(sums[usize::from(*at)] as u32);
            }
        }
    }

    pub(super) fn integers<const N: usize>(
        &self,
        before: &[[u64; N]],
        out: &mut Vec<i32>,
        count: usize,
    ) {
        out.clear();
        out.resize(count, 0);
        let rest = 32 - self.ty.bits().clamp(1, 32);
        let signed = matches!(self.ty, ElementType::Integer { signed: true, .. });
        self.for_each(before, |at, it| {
            let upper = (it as u32) << rest;
            out[at] = match signed {
                true => upper as i32 >> rest,
                false => (upper >> rest) as i32,
            };
        });
    }
}

/// The column of each element of a matrix that is there, row by row.
pub(super) fn positions<const N: usize>(
    sparse: Option<&Sparse>,
    before: &[[u64; N]],
    (rows, depth): (usize, usize),
    out: &mut Vec<u16>,
) {
    out.clear();
    for row in 0..rows {
        let Some(sparse) = sparse else {
            out.extend((0..depth).map(|it| it as u16));
            continue;
        };
        let (there, all) = sparse.kept;
        let metadata = &before[sparse.metadata as usize];
        let selector = before[sparse.selector as usize][0] as usize;
        let chunks = depth / all;
        for column in 0..depth * there / all {
            let (chunk, index) = (column / there, column % there);
            let (lane, shift, lanes) = match sparse.two_rows {
                true => (chunk / 4, 16 * (row / 8) + 4 * (chunk % 4), chunks / 4),
                false => (row / 8 + 2 * (chunk / 8), 4 * (chunk % 8), chunks / 4),
            };
            let lane = 4 * (row % 8) + (lanes * selector + lane) % 4;
            let code = metadata.get(lane).map_or(0, |it| it >> shift & 15) as usize;
            out.push((all * chunk + position(sparse.kept, code, index)) as u16);
        }
    }
}

/// Where an element of a chunk is that is there, by the four bits of the chunk; `kept` as in [`Sparse`].
pub(super) fn position(kept: (usize, usize), code: usize, index: usize) -> usize {
    match kept {
        // Two indices of halves of the element.
        (1, _) => (code & 3) >> 1,
        (2, _) => code >> (2 * index) & 3,
        // Two indices of pairs.
        _ => 2 * (code >> (2 * (index / 2)) & 3) + index % 2,
    }
}

/// Adds the products of the rows of a, whose elements are at these columns, with b to d.
pub(super) fn add_products<T: Copy>(
    d: &mut [T],
    (a, positions): (&[T], &[u16]),
    b: &[T],
    (stored, columns): (usize, usize),
    add: impl Fn(&mut T, T, T) + Copy,
) {
    if stored == 0 || columns == 0 {
        return;
    }
    for (row, d) in d.chunks_exact_mut(columns).enumerate() {
        let a = &a[row * stored..][..stored];
        let positions = &positions[row * stored..][..stored];
        for (a, position) in a.iter().zip(positions) {
            let b = &b[usize::from(*position) * columns..][..columns];
            d.iter_mut().zip(b).for_each(|(d, b)| add(d, *a, *b));
        }
    }
}

/// Adds products of integers, see [`add_products`].
pub(super) fn add_integers(
    d: &mut [i32],
    a: (&[i32], &[u16]),
    b: &[i32],
    sizes: (usize, usize),
    product: Product,
) {
    match product {
        Product::Times => add_products(d, a, b, sizes, |d, a, b| {
            *d = d.wrapping_add(a.wrapping_mul(b))
        }),
        Product::And => add_products(d, a, b, sizes, |d, a, b| *d = d.wrapping_add(a & b)),
        Product::Xor => add_products(d, a, b, sizes, |d, a, b| *d = d.wrapping_add(a ^ b)),
    }
}

/// Sums with what is added to them.
pub(super) fn add_old(sums: &mut [i32], old: &[i32], overflow: Overflow) {
    for (sum, old) in sums.iter_mut().zip(old) {
        *sum = match overflow {
            Overflow::Wraps => sum.wrapping_add(*old),
            Overflow::Saturates => sum.saturating_add(*old),
        };
    }
}

/// The value of a half.
pub(super) fn half(bits: u16) -> f64 {
    let magnitude = u32::from(bits & 0x7FFF);
    let sign = u32::from(bits & 0x8000) << 16;
    let value = match magnitude {
        0x7C00.. => f32::from_bits(0x7F80_0000 | (magnitude & 0x3FF) << 13),
        // The exponent counts from another number; subnormal numbers are right, too.
        _ => f32::from_bits(magnitude << 13) * f32::from_bits((127 + 112) << 23),
    };
    f32::from_bits(value.to_bits() | sign).into()
}

impl MatrixProgram {
    /// The number of registers of the result in a lane.
    #[must_use]
    pub fn results(&self) -> usize {
        self.d.at.len() / (LANES * self.d.elements)
    }

    /// Calls `act` with each node that is read.
    pub(super) fn for_each_node(&mut self, mut act: impl FnMut(&mut Node)) {
        for matrix in [&mut self.a, &mut self.b, &mut self.c] {
            matrix.registers.iter_mut().for_each(&mut act);
        }
        for scales in self.scales.iter_mut().flatten() {
            act(&mut scales.register);
            act(&mut scales.byte);
            act(&mut scales.lane);
        }
        if let Some(sparse) = &mut self.sparse {
            act(&mut sparse.metadata);
            act(&mut sparse.selector);
        }
    }

    /// The columns of a that are there.
    fn stored(&self) -> usize {
        match &self.sparse {
            Some(sparse) => self.depth * sparse.kept.0 / sparse.kept.1,
            None => self.depth,
        }
    }

    /// Computes the registers of the result from those before; of fewer than 32 lanes the others hold 0.
    pub(super) fn run<const N: usize>(&self, before: &[[u64; N]], scratch: &mut Scratch<N>) {
        scratch.results.clear();
        scratch.results.resize(self.results(), [0; N]);
        positions(
            self.sparse.as_ref(),
            before,
            (self.rows, self.depth),
            &mut scratch.positions,
        );
        match self.rule {
            Rule::Integers(product, overflow) => self.integers(before, scratch, product, overflow),
            Rule::Floats => self.floats(before, scratch),
            Rule::Steps(rounding) => self.steps(before, scratch, rounding),
        }
    }

    fn integers<const N: usize>(
        &self,
        before: &[[u64; N]],
        scratch: &mut Scratch<N>,
        product: Product,
        overflow: Overflow,
    ) {
        let [a, b, c, d] = &mut scratch.integers;
        let (rows, columns, depth, stored) = (self.rows, self.columns, self.depth, self.stored());
        self.a.integers(before, a, rows * stored);
        self.b.integers(before, b, depth * columns);
        self.c.integers(before, c, rows * columns);
        // The sum of the products fits: there are at most 256 of them, each of 16 bits.
        d.clear();
        d.resize(rows * columns, 0);
        let factors = (&a[..], &scratch.positions[..]);
        add_integers(d, factors, b, (stored, columns), product);
        add_old(d, c, overflow);
        self.d.keep(d, &mut scratch.results);
    }

    /// Multiplies a matrix by the factors of its blocks.
    fn scale<const N: usize>(
        &self,
        before: &[[u64; N]],
        scales: &Scales,
        matrix: &mut [f64],
        positions: Option<&[u16]>,
    ) {
        let (byte, chosen) = (
            before[scales.byte as usize][0] as usize,
            before[scales.lane as usize][0] as usize,
        );
        let register = &before[scales.register as usize];
        let factor = |lane: usize, at: usize| {
            let block = at * scales.blocks / self.depth;
            let bytes = register.get(lane).copied().unwrap_or(0);
            let code = bytes >> (8 * ((byte + block) % 4)) & 0xFF;
            Number::decode(scales.format, code).to_f64()
        };
        match positions {
            // Of a: lanes of a pair hold the factors of two rows.
            Some(positions) => {
                for ((index, value), at) in matrix.iter_mut().enumerate().zip(positions) {
                    let row = index / self.stored();
                    let lane = 4 * (row % 8) + (2 * chosen + row / 8) % 4;
                    *value *= factor(lane, usize::from(*at));
                }
            }
            None => {
                for (index, value) in matrix.iter_mut().enumerate() {
                    let (at, column) = (index / self.columns, index % self.columns);
                    *value *= factor(4 * column + chosen % 4, at);
                }
            }
        }
    }

    fn floats<const N: usize>(&self, before: &[[u64; N]], scratch: &mut Scratch<N>) {
        let [a, b, c, _] = &mut scratch.floats;
        let (rows, columns, depth, stored) = (self.rows, self.columns, self.depth, self.stored());
        self.a.floats(before, a, self.parts * rows * stored);
        self.b.floats(before, b, self.parts * depth * columns);
        self.c.floats(before, c, self.parts * rows * columns);
        if let [Some(of_a), Some(of_b)] = &self.scales {
            self.scale(before, of_a, a, Some(&scratch.positions));
            self.scale(before, of_b, b, None);
        }
        let each = c.chunks_exact_mut(rows * columns);
        let with = a
            .chunks_exact(rows * stored)
            .zip(b.chunks_exact(depth * columns));
        for (d, (a, b)) in each.zip(with) {
            let factors = (a, &scratch.positions[..]);
            add_products(d, factors, b, (stored, columns), |d, a, b| *d += a * b);
        }
        let ElementType::Float(format) = self.d.ty else {
            return;
        };
        self.d.round(format, c, &mut scratch.results);
    }

    /// As [`Self::floats`], with each step rounded.
    fn steps<const N: usize>(
        &self,
        before: &[[u64; N]],
        scratch: &mut Scratch<N>,
        rounding: Rounding,
    ) {
        let [a, b, c, _] = &mut scratch.floats;
        self.a.floats(before, a, self.rows * self.depth);
        self.b.floats(before, b, self.depth * self.columns);
        self.c.floats(before, c, self.rows * self.columns);
        let format = Format::F64;
        for (out, at) in scratch
            .results
            .iter_mut()
            .zip(self.d.at.chunks_exact(LANES))
        {
            let gathered = |from: &[f64], index: &dyn Fn(usize, usize) -> usize| {
                let mut values = [0; N];
                for (value, at) in values.iter_mut().zip(at) {
                    let at = usize::from(*at);
                    *value = from[index(at / self.columns, at % self.columns)].to_bits();
                }
                values
            };
            let mut sum = gathered(c, &|row, column| row * self.columns + column);
            for step in 0..self.depth {
                let x = gathered(a, &|row, _| row * self.depth + step);
                let y = gathered(b, &|_, column| step * self.columns + column);
                let operands = [&x, &y, &sum];
                apply(
                    Operation::MultiplyAdd,
                    &[format; 3],
                    format,
                    rounding,
                    &operands,
                    out,
                );
                sum = *out;
            }
        }
    }
}
