//! Movements between tensor memory and registers.

use super::{Cell, Products, TensorMemory, TensorProblem};
use crate::{
    compute::{float::bits, node::Node, value_type::ElementType},
    matrix::layout::Fragment,
};

/// The registers of a warp and their place in tensor memory.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorMovement {
    /// The address.
    pub address: Node,
    /// The columns from the first half of the lanes to the second, of a shape in two parts.
    pub half: Option<Node>,
    /// Which register has which lane and column.
    pub fragment: Fragment,
    /// The registers that are stored; none of a load.
    pub registers: Vec<Node>,
    /// The reduction of the registers of a lane that a load also gives, as the register after them.
    pub reduction: Option<TensorReduction>,
}

/// The smallest or largest one of the registers that a lane loads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TensorReduction {
    /// The type of a register.
    pub ty: ElementType,
    /// Whether it is the largest one.
    pub largest: bool,
    /// Whether signs of floats do not count.
    pub magnitude: bool,
    /// Whether one NaN makes the result a NaN; else it is one only if all are.
    pub spreads_nan: bool,
}

impl TensorReduction {
    /// The result for the registers of a lane.
    fn of(self, values: impl Iterator<Item = u64>) -> u64 {
        let all = values.map(|it| it & 0xFFFF_FFFF);
        let ElementType::Float(format) = self.ty else {
            let signed = matches!(self.ty, ElementType::Integer { signed: true, .. });
            let key = |it: &u64| match signed {
                true => i64::from(*it as u32 as i32),
                false => *it as i64,
            };
            let found = match self.largest {
                true => all.max_by_key(key),
                false => all.min_by_key(key),
            };
            return found.unwrap_or(0);
        };
        let sign = 1 << (format.bits() - 1);
        let number = |it: u64| match self.magnitude {
            true => it & !sign,
            false => it,
        };
        let mut all: Vec<u64> = all.map(number).collect();
        let is_nan = |it: &u64| bits::is_nan(format, *it);
        let nan = bits::canonical_nan(format);
        if self.spreads_nan && all.iter().any(is_nan) {
            return nan;
        }
        all.retain(|it| !is_nan(it));
        let better = |a, b| match self.largest {
            true => bits::maximum(format, a, b),
            false => bits::minimum(format, a, b),
        };
        all.into_iter().reduce(better).unwrap_or(nan)
    }
}

/// The lanes that a warp reaches.
const QUARTER: u32 = 32;

impl TensorMovement {
    pub(super) fn for_each_node(&mut self, act: &mut impl FnMut(&mut Node)) {
        act(&mut self.address);
        self.half.iter_mut().for_each(&mut *act);
        self.registers.iter_mut().for_each(&mut *act);
    }

    /// The first lane and the first column of each part, which must be in the reach of the warp.
    fn parts<const N: usize>(
        &self,
        warp: usize,
        before: &[[u64; N]],
    ) -> Result<(u32, Vec<u32>), TensorProblem> {
        let address = before[self.address as usize][0] as u32;
        let (lane, column) = (address >> 16, address & 0xFFFF);
        let (first, rows) = (warp as u32 * QUARTER, self.fragment.rows);
        if lane < first || lane + rows > first + QUARTER {
            return Err(TensorProblem::OutOfReach(format!(
                "the access is to lanes {lane} to {} of tensor memory, and the warp reaches lanes {first} to {}",
                lane + rows - 1,
                first + QUARTER - 1
            )));
        }
        let mut columns = vec![column];
        if self.fragment.parts.1 > 1 {
            let half = self.half.map_or(0, |it| before[it as usize][0] as u32);
            columns.push(column.wrapping_add(half) & 0xFFFF);
        }
        Ok((lane, columns))
    }

    /// Announces the access; whether it may be.
    fn touches(
        &self,
        (lane, columns): &(u32, Vec<u32>),
        memory: &mut impl TensorMemory,
        writes: bool,
    ) -> bool {
        let lanes = *lane..lane + self.fragment.rows;
        let wide = self.fragment.columns;
        let mut all = columns.iter();
        all.all(|it| memory.touch(0, lanes.clone(), *it..it + wide, writes))
    }

    /// Reads registers in a warp, by its number in its warpgroup.
    ///
    /// # Errors
    /// The reason for which there is no result.
    pub fn load<const N: usize>(
        &self,
        warp: usize,
        before: &[[u64; N]],
        memory: &mut impl TensorMemory,
    ) -> Result<Products<N>, TensorProblem> {
        let parts = self.parts(warp, before)?;
        let mut out = Products {
            registers: vec![[0; N]; self.fragment.registers as usize],
            undefined: Vec::new(),
        };
        if !self.touches(&parts, memory, false) {
            return Ok(out);
        }
        let (first, columns) = parts;
        let bits = 32 / self.fragment.elements;
        let mut marks = out.registers.clone();
        for (register, (values, marks)) in out.registers.iter_mut().zip(&mut marks).enumerate() {
            for lane in 0..N {
                for element in 0..self.fragment.elements {
                    let at = self
                        .fragment
                        .position(lane as u32, register as u32, element);
                    let column = columns[at.part as usize] + at.column;
                    let cell = memory.cell(0, first + at.row, column);
                    let mask = u64::MAX >> (64 - bits);
                    values[lane] |= (u64::from(cell.bits) & mask) << (bits * element);
                    marks[lane] |=
                        u64::from(cell.undefined).wrapping_neg() & mask << (bits * element);
                }
            }
        }
        if let Some(reduction) = self.reduction {
            let of_lane = |all: &[[u64; N]], lane: usize| -> Vec<u64> {
                all.iter().map(|it| it[lane]).collect()
            };
            let value = |lane| reduction.of(of_lane(&out.registers, lane).into_iter());
            let value = std::array::from_fn(value);
            let is_marked = |lane| of_lane(&marks, lane).iter().any(|it| *it != 0);
            let mark = std::array::from_fn(|lane| u64::from(is_marked(lane)).wrapping_neg());
            out.registers.push(value);
            marks.push(mark);
        }
        if marks.iter().flatten().any(|it| *it != 0) {
            out.undefined = marks;
        }
        Ok(out)
    }

    /// Writes registers of a warp; `undefined` has the lanes in which one is undefined.
    ///
    /// # Errors
    /// The reason for which nothing is written.
    pub fn store<const N: usize>(
        &self,
        warp: usize,
        before: &[[u64; N]],
        undefined: &dyn Fn(u32) -> u32,
        memory: &mut impl TensorMemory,
    ) -> Result<(), TensorProblem> {
        let parts = self.parts(warp, before)?;
        if !self.touches(&parts, memory, true) {
            return Ok(());
        }
        let (first, columns) = parts;
        let bits = 32 / self.fragment.elements;
        for (register, node) in self.registers.iter().enumerate() {
            let marked = undefined(*node);
            for (lane, value) in before[*node as usize].iter().enumerate() {
                for element in 0..self.fragment.elements {
                    let at = self
                        .fragment
                        .position(lane as u32, register as u32, element);
                    let column = columns[at.part as usize] + at.column;
                    let mask = u64::MAX >> (64 - bits);
                    let cell = Cell {
                        bits: (value >> (bits * element) & mask) as u32,
                        undefined: marked >> lane & 1 == 1,
                    };
                    memory.set_cell(0, first + at.row, column, cell);
                }
            }
        }
        Ok(())
    }
}
