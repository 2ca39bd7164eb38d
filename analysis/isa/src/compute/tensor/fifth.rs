//! Products in tensor memory.

use super::{
    Accumulator, Cell, Factor, InstructionDescriptor, Plan, ProductShape, TensorMemory,
    TensorProblem, TensorProduct,
    decode::{Floats, Packing, integer},
    factor::Part,
    layout::{LANES, TensorLayout},
    product::Numbers,
};
use crate::{
    compute::{
        float::{self, Format, Operation, Rounding},
        matrix::{Overflow, add_integers, add_old, add_products},
        node::Node,
        value_type::ElementType,
    },
    matrix::descriptor::Decoded,
};

/// The fields of an instruction descriptor as a plan and what it does not have.
struct ReadDescriptor {
    plan: Plan,
    negated: [bool; 2],
    /// The type of the factors of blocks.
    scale: Option<Format>,
    /// The byte of a cell at which the factors of a, and of b, begin.
    bytes: [u32; 2],
    /// Columns of a that are there.
    stored: usize,
    /// The elements of a chunk of a that are there, and all of its elements.
    kept: (usize, usize),
    /// The sparsity selector.
    selector: u32,
}

impl InstructionDescriptor {
    /// Reads the descriptor.
    fn read(&self, bits: u64, kind: [ElementType; 3]) -> Result<ReadDescriptor, TensorProblem> {
        let fields = self.format.decode(bits & 0xFFFF_FFFF);
        if let Some(wrong) = fields.iter().find(|it| it.problem.is_some()) {
            let problem = wrong.problem.clone().unwrap_or_default();
            return Err(TensorProblem::Operand(format!(
                "the field `{}` of the instruction descriptor {bits:#x} is {}: {problem}",
                wrong.field.name, wrong.value
            )));
        }
        let field = |name: &str| fields.iter().find(|it| it.field.name == name);
        let text = |name: &str| field(name).map(|it| it.text.as_str());
        let number = |name: &str| {
            let text: Option<usize> = text(name).and_then(|it| it.parse().ok());
            text.unwrap_or(0)
        };
        let yes = |name: &str| field(name).is_some_and(|it: &Decoded| it.value == 1);
        let ty = |name: &str, other: ElementType| {
            text(name).and_then(ElementType::from_word).unwrap_or(other)
        };
        let types = [
            ty("type of A", kind[0]),
            ty("type of B", kind[1]),
            ty("type of D", kind[2]),
        ];
        if field("K").is_some_and(|it| it.value == 1) {
            return Err(TensorProblem::NotRun("K of 96"));
        }
        let packing = Packing::of_type(types[0], self.packed);
        let stored = self.depth as usize / 16 * packing.count;
        let kept = match self.metadata {
            None => (1, 1),
            Some(_) if self.packed => (4, 8),
            Some(_) if types[0] == ElementType::Float(Format::Tf32) => (1, 2),
            Some(_) => (2, 4),
        };
        Ok(ReadDescriptor {
            stored,
            kept,
            selector: field("sparsity selector").map_or(0, |it| it.value as u32),
            plan: Plan {
                rows: number("M"),
                columns: number("N"),
                depth: stored / kept.0 * kept.1,
                types,
                across: [yes("A"), yes("B")],
                overflow: match yes("saturate") {
                    true => Overflow::Saturates,
                    false => Overflow::Wraps,
                },
            },
            negated: [yes("negate A"), yes("negate B")],
            scale: text("type of the scales").and_then(Format::from_word),
            bytes: ["byte of the scales of A", "byte of the scales of B"]
                .map(|it| field(it).map_or(0, |it| it.value as u32)),
        })
    }
}

impl TensorProduct {
    /// The step that computes the instruction descriptor of a product that has one.
    #[must_use]
    pub fn described_by(&self) -> Option<Node> {
        match &self.shape {
            ProductShape::Described(it) => Some(it.bits),
            ProductShape::Stated(..) => None,
        }
    }

    /// The additions and multiplications that a product with an instruction descriptor makes in each CTA; `None` if the
    /// descriptor is not valid.
    #[must_use]
    pub fn described_work(&self, bits: u64) -> Option<u64> {
        let ProductShape::Described(descriptor) = &self.shape else {
            return None;
        };
        let single = ElementType::Float(Format::F32);
        let plan = descriptor.read(bits, [single; 3]).ok()?.plan;
        let all = [plan.rows, plan.columns, plan.depth];
        let products: u64 = all.iter().map(|it| *it as u64).product();
        Some(2 * products / u64::from(descriptor.peers.max(1)))
    }

    /// Makes a product whose result is in tensor memory.
    ///
    /// # Errors
    /// The reason for which nothing is written.
    pub fn run_in_tensor_memory<const N: usize>(
        &self,
        before: &[[u64; N]],
        memory: &mut impl TensorMemory,
    ) -> Result<(), TensorProblem> {
        let (ProductShape::Described(descriptor), Accumulator::Tensor(result)) =
            (&self.shape, &self.d)
        else {
            return Err(TensorProblem::NotRun("such a form"));
        };
        let single = ElementType::Float(Format::F32);
        let read = descriptor.read(before[descriptor.bits as usize][0], [single; 3])?;
        let plan = &read.plan;
        let (rows, peers) = (plan.rows as u32, descriptor.peers);
        let layout = TensorLayout {
            rows,
            columns: plan.columns as u32,
            peers,
            folded: rows / peers < LANES && (descriptor.stationary || peers == 2),
        };
        if rows == 0 || rows / peers > LANES || !plan.columns.is_multiple_of(8) {
            return Err(TensorProblem::Operand(format!(
                "there is no product of {rows} rows in {peers} CTAs"
            )));
        }
        let place = Placed {
            address: before[*result as usize][0] as u32,
            layout,
        };
        let adds = before[self.enable as usize][0] & 1 == 1;
        for cta in 0..peers as usize {
            if !place.touch(cta, memory) {
                return Ok(());
            }
        }
        let work = Work {
            product: self,
            descriptor,
            read: &read,
            place,
            adds,
        };
        match plan.types[2] {
            ElementType::Integer { .. } => work.integers(before, memory),
            _ => work.floats(before, memory),
        }
    }
}

/// A result in tensor memory.
#[derive(Clone, Copy)]
struct Placed {
    address: u32,
    layout: TensorLayout,
}

impl Placed {
    fn lane(self) -> u32 {
        self.address >> 16
    }

    fn column(self) -> u32 {
        self.address & 0xFFFF
    }

    /// Announces the access to the lanes of a CTA.
    fn touch(self, cta: usize, memory: &mut impl TensorMemory) -> bool {
        let columns = self.column()..self.column() + self.layout.width();
        let rows = self.layout.rows / self.layout.peers;
        if rows == 64 && !self.layout.folded {
            return (0..4).all(|it| {
                let first = self.lane() + 32 * it;
                memory.touch(cta, first..first + 16, columns.clone(), true)
            });
        }
        let lanes = rows * self.layout.parts();
        memory.touch(cta, self.lane()..self.lane() + lanes, columns, true)
    }

    /// The CTA, lane and column of an element.
    fn at(self, row: usize, column: usize) -> (usize, u32, u32) {
        let (cta, lane, column) = self.layout.place(row as u32, column as u32);
        (cta, self.lane() + lane, self.column() + column)
    }
}

/// Which columns a zero-column mask descriptor makes zeros, PTX ISA 9.7.17.4.3: in each part of the columns, spans of
/// those that are zeros and of those that are not take turns. In the examples of the section the lengths of both are in
/// the fields that its table has the other way round.
fn zero_columns(descriptor: u64, columns: usize, parts: usize) -> Result<Vec<bool>, TensorProblem> {
    let field = |from: usize, bits: u32| (descriptor >> from & ((1 << bits) - 1)) as usize;
    if field(39, 1) == 0 {
        return Ok(vec![false; columns]);
    }
    if field(56, 6) != 0 {
        return Err(TensorProblem::NotRun("columns that are shifted"));
    }
    let (zeros, others) = (field(40, 8) + 1, field(48, 8) + 1);
    let wide = columns / parts.max(1);
    let is_zero = |column: usize| {
        let part = column / wide.max(1);
        let starts_with_zeros = field(32 + part, 1) == 1;
        let at = (column % wide.max(1) + field(8 * part, 8)) % (zeros + others);
        match starts_with_zeros {
            true => at < zeros,
            false => at >= others,
        }
    };
    Ok((0..columns).map(is_zero).collect())
}

/// A product that is made.
struct Work<'a> {
    product: &'a TensorProduct,
    descriptor: &'a InstructionDescriptor,
    read: &'a ReadDescriptor,
    place: Placed,
    adds: bool,
}

impl Work<'_> {
    /// The factors: a row by row, b row by row.
    fn factors<T: Copy + Default, const N: usize>(
        &self,
        before: &[[u64; N]],
        memory: &mut impl TensorMemory,
        decode: [&dyn Fn(u32) -> T; 2],
    ) -> Result<[Numbers<T>; 2], TensorProblem> {
        let plan = &self.read.plan;
        let (rows, columns, depth) = (plan.rows, plan.columns, plan.depth);
        let stored = self.read.stored;
        let peers = self.descriptor.peers as usize;
        let mut a = Numbers::new(rows * stored, rows);
        let mut b = Numbers::new(depth * columns, columns);
        let packing = |side: usize| Packing::of_type(plan.types[side], self.descriptor.packed);
        for cta in 0..peers {
            let part = |side: usize, all: usize| Part {
                across: plan.across[side],
                first: 0,
                to: cta * (all / peers),
                count: all / peers,
                depth: if side == 0 { stored } else { depth },
                packing: packing(side),
            };
            let of_a = part(0, rows);
            let put = |all: &mut [T], row: usize, at: usize, code: u32| {
                all[(of_a.to + row) * stored + at] = decode[0](code);
            };
            self.product
                .shared((cta, &self.product.a), before, of_a, memory, put, &mut a)?;
            let of_b = part(1, columns);
            let put = |all: &mut [T], column: usize, at: usize, code: u32| {
                all[at * columns + of_b.to + column] = decode[1](code);
            };
            self.product
                .shared((cta, &self.product.b), before, of_b, memory, put, &mut b)?;
        }
        if let Factor::Tensor(address) = self.product.a {
            self.read_tensor_memory(
                before[address as usize][0] as u32,
                memory,
                decode[0],
                &mut a,
            );
        }
        Ok([a, b])
    }

    /// Reads a from tensor memory: its rows are in the lanes of those of the result.
    fn read_tensor_memory<T: Copy + Default>(
        &self,
        address: u32,
        memory: &mut impl TensorMemory,
        decode: &dyn Fn(u32) -> T,
        out: &mut Numbers<T>,
    ) {
        let plan = &self.read.plan;
        let ty = plan.types[0];
        let bits = match ty {
            ElementType::Float(Format::Tf32) => 32,
            _ if ty.bits() < 8 && !self.descriptor.packed => 8,
            _ => ty.bits(),
        };
        let each = (32 / bits) as usize;
        // Four bits alone in a byte are in its middle.
        let offset = match ty {
            ElementType::Float(Format::E2m1) if bits == 8 => 2,
            _ => 0,
        };
        let (lane, first) = (address >> 16, address & 0xFFFF);
        let columns = first..first + self.read.stored.div_ceil(each) as u32;
        let layout = self.place.layout;
        let rows = layout.rows / layout.peers;
        for cta in 0..layout.peers as usize {
            let lanes = match rows {
                64 if !layout.folded => 112,
                _ => rows,
            };
            if !memory.touch(cta, lane..lane + lanes, columns.clone(), false) {
                return;
            }
        }
        for row in 0..plan.rows {
            let (cta, inside, _) = layout.place(row as u32, 0);
            for column in columns.clone() {
                let cell = memory.cell(cta, lane + inside, column);
                out.undefined[row] |= cell.undefined;
                for index in 0..each {
                    let at = (column - first) as usize * each + index;
                    let code = cell.bits >> (bits * index as u32) >> offset;
                    let code = code & (u32::MAX >> (32 - ty.bits().clamp(1, 32)));
                    out.all[row * self.read.stored + at] = decode(code);
                }
            }
        }
    }

    /// Multiplies factors by those of their blocks: of a in the lanes of its rows, of b in those of its columns, 32 in
    /// each column of cells.
    fn scale<const N: usize>(
        &self,
        before: &[[u64; N]],
        memory: &mut impl TensorMemory,
        [a, b]: [&mut Numbers<f64>; 2],
    ) -> Result<(), TensorProblem> {
        let Some((addresses, blocks)) = &self.descriptor.scales else {
            return Ok(());
        };
        let Some(format) = self.read.scale else {
            return Err(TensorProblem::NotRun(
                "factors of blocks of an unknown type",
            ));
        };
        let values = Floats::of_format(format);
        let plan = &self.read.plan;
        let columns = plan.columns;
        let rows = plan.rows / self.descriptor.peers as usize;
        for (side, count, depth) in [(0, plan.rows, self.read.stored), (1, columns, plan.depth)] {
            let address = before[addresses[side] as usize][0] as u32;
            let (lane, first) = (address >> 16, address & 0xFFFF);
            let all = if side == 0 { rows } else { columns };
            let touched = first..first + all.div_ceil(32) as u32;
            // Each partition of 32 lanes holds a copy of the factors.
            let lanes = match lane {
                0 => 0..128,
                _ => lane..lane + 32,
            };
            for cta in 0..self.descriptor.peers as usize {
                if !memory.touch(cta, lanes.clone(), touched.clone(), false) {
                    return Ok(());
                }
            }
            for row in 0..count {
                let (cta, inside) = match side {
                    0 => (row / rows, row % rows),
                    _ => (0, row),
                };
                let at = (lane + inside as u32 % 32, first + inside as u32 / 32);
                let cell = memory.cell(cta, at.0, at.1);
                for index in 0..depth {
                    let block = (index * blocks / depth) as u32 + self.read.bytes[side];
                    let factor = values.value(cell.bits >> (8 * (block % 4)) & 0xFF);
                    match side {
                        0 => a.all[row * depth + index] *= factor,
                        _ => b.all[index * columns + row] *= factor,
                    }
                }
                match side {
                    0 => a.undefined[row] |= cell.undefined,
                    _ => b.undefined[row] |= cell.undefined,
                }
            }
        }
        Ok(())
    }

    /// Makes those columns of b zeros that the statement names.
    fn clear_columns<T: Copy + Default, const N: usize>(
        &self,
        before: &[[u64; N]],
        b: &mut Numbers<T>,
    ) -> Result<(), TensorProblem> {
        let Some(node) = self.descriptor.zero_columns else {
            return Ok(());
        };
        let plan = &self.read.plan;
        let parts = self.place.layout.parts() as usize;
        let cleared = zero_columns(before[node as usize][0], plan.columns, parts)?;
        for (column, is_zero) in cleared.into_iter().enumerate() {
            if is_zero {
                for row in 0..plan.depth {
                    b.all[row * plan.columns + column] = T::default();
                }
                b.undefined[column] = false;
            }
        }
        Ok(())
    }

    /// The columns of the elements of a that are there; `None` if the metadata may not be read.
    fn positions<const N: usize>(
        &self,
        before: &[[u64; N]],
        memory: &mut impl TensorMemory,
        undefined: &mut [bool],
    ) -> Result<Option<Vec<u16>>, TensorProblem> {
        let plan = &self.read.plan;
        let Some(metadata) = &self.descriptor.metadata else {
            let depth = 0..plan.depth as u16;
            return Ok(Some((0..plan.rows).flat_map(|_| depth.clone()).collect()));
        };
        let peers = self.descriptor.peers as usize;
        let read = (self.read.kept, self.read.selector, peers);
        metadata.positions(before, plan, read, memory, undefined)
    }

    /// The old result, and which elements of it are undefined.
    fn old(&self, memory: &impl TensorMemory) -> Vec<Cell> {
        let plan = &self.read.plan;
        let mut all = vec![Cell::default(); plan.rows * plan.columns];
        if self.adds {
            for (index, cell) in all.iter_mut().enumerate() {
                let (cta, lane, column) = self.place.at(index / plan.columns, index % plan.columns);
                *cell = memory.cell(cta, lane, column);
            }
        }
        all
    }

    /// Writes the new result but for the lanes that are disabled.
    fn write<const N: usize>(
        &self,
        before: &[[u64; N]],
        memory: &mut impl TensorMemory,
        (old, codes): (&[Cell], impl Fn(usize) -> u32),
        [rows, columns]: [&[bool]; 2],
    ) {
        let plan = &self.read.plan;
        let each = self.descriptor.disabled.len() / self.descriptor.peers.max(1) as usize;
        for (row, undefined_row) in rows.iter().enumerate().take(plan.rows) {
            for (column, undefined_column) in columns.iter().enumerate().take(plan.columns) {
                let index = row * plan.columns + column;
                let (cta, lane, at) = self.place.at(row, column);
                let word = self
                    .descriptor
                    .disabled
                    .get(cta * each + lane as usize / 32);
                if word.is_some_and(|it| before[*it as usize][0] >> (lane % 32) & 1 == 1) {
                    continue;
                }
                let cell = Cell {
                    bits: codes(index),
                    undefined: *undefined_row || *undefined_column || old[index].undefined,
                };
                memory.set_cell(cta, lane, at, cell);
            }
        }
    }

    fn floats<const N: usize>(
        &self,
        before: &[[u64; N]],
        memory: &mut impl TensorMemory,
    ) -> Result<(), TensorProblem> {
        let plan = &self.read.plan;
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
        let [mut a, mut b] = self.factors(before, memory, decode)?;
        let Some(at) = self.positions(before, memory, &mut a.undefined)? else {
            return Ok(());
        };
        self.scale(before, memory, [&mut a, &mut b])?;
        self.clear_columns(before, &mut b)?;
        for (negated, numbers) in self.read.negated.iter().zip([&mut a, &mut b]) {
            if *negated {
                numbers.all.iter_mut().for_each(|it| *it = -*it);
            }
        }
        let old = self.old(memory);
        let values = Floats::of_format(of_d);
        let shift = self
            .descriptor
            .shift
            .map_or(0, |it| before[it as usize][0] as i32);
        let divisor = f64::from(shift.clamp(0, 63)).exp2();
        let mut d: Vec<f64> = match self.adds {
            true => old
                .iter()
                .map(|it| values.value(it.bits) / divisor)
                .collect(),
            false => vec![0.0; old.len()],
        };
        let sizes = (self.read.stored, plan.columns);
        add_products(&mut d, (&a.all, &at), &b.all, sizes, |d, a, b| *d += a * b);
        let code = |index: usize| {
            let mut out = [0];
            let exact = [d[index].to_bits()];
            let (convert, nearest) = (Operation::Convert, Rounding::NearestEven);
            float::apply(convert, &[Format::F64], of_d, nearest, &[&exact], &mut out);
            out[0] as u32
        };
        self.write(before, memory, (&old, code), [&a.undefined, &b.undefined]);
        Ok(())
    }

    fn integers<const N: usize>(
        &self,
        before: &[[u64; N]],
        memory: &mut impl TensorMemory,
    ) -> Result<(), TensorProblem> {
        let plan = &self.read.plan;
        let types = plan.types;
        let decode: [&dyn Fn(u32) -> i32; 2] = [&|code| integer(types[0], code), &|code| {
            integer(types[1], code)
        }];
        let [mut a, mut b] = self.factors(before, memory, decode)?;
        let Some(at) = self.positions(before, memory, &mut a.undefined)? else {
            return Ok(());
        };
        self.clear_columns(before, &mut b)?;
        let old = self.old(memory);
        let mut d = vec![0; old.len()];
        let sizes = (self.read.stored, plan.columns);
        add_integers(&mut d, (&a.all, &at), &b.all, sizes, self.product.product);
        if self.adds {
            let shift = self
                .descriptor
                .shift
                .map_or(0, |it| before[it as usize][0] as u32);
            let old: Vec<i32> = old
                .iter()
                .map(|it| (it.bits as i32).checked_shr(shift).unwrap_or(0))
                .collect();
            add_old(&mut d, &old, plan.overflow);
        }
        let code = |index: usize| d[index] as u32;
        self.write(before, memory, (&old, code), [&a.undefined, &b.undefined]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the section; the lowest column is the last digit.
    #[test]
    fn columns_of_zeros() {
        let text = |descriptor: u64, parts: usize| {
            let found = zero_columns(descriptor, 16 * parts, parts).ok().unwrap();
            let digits = found.iter().rev().map(|it| if *it { '1' } else { '0' });
            digits.collect::<String>()
        };
        let spans = 1 << 39 | 2 << 40 | 3 << 48;
        assert_eq!(text(4 << 40 | 3 << 48, 1), "0".repeat(16));
        assert_eq!(text(spans, 1), "0011100001110000");
        assert_eq!(text(spans | 1 << 32, 2), "00111000011100001100001110000111");
        let parts = [
            "0001110000111000",
            "0000111000011100",
            "1110000111000011",
            "1100001110000111",
        ];
        assert_eq!(text(spans | 0b11 << 32 | 0x0102_0100, 4), parts.concat());
        assert!(zero_columns(spans | 1 << 56, 16, 1).is_err());
    }
}
