//! Movements of matrices: each register of a lane holds some elements, whose rows and columns the layout tells.

use super::{Lowering, Obstacle, Result, Value, mistake, operands};
use crate::{
    computation::{Effect, Expression, Memory, MemoryKind, Primitive, Target},
    compute::{
        exact::{Int, Range, Ring},
        node::Node,
        program::{Destination, Op},
        value_type::ValueType,
    },
    matrix::layout::{Axis, DigitSource, Fragment, Layout, Shape, Term, chosen_layout, layout},
    operand::Operand,
};

/// How elements are moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Movement {
    /// The bytes of a register, if its elements are neighbours in memory: they are read at once.
    whole: Option<u32>,
}

/// A fragment of an operand, by the index of the operand.
pub(super) struct Held {
    pub(super) operand: usize,
    pub(super) fragment: Fragment,
}

impl Lowering<'_> {
    /// Adds what an effect on fragments writes.
    pub(super) fn matrix_effect(&mut self, effect: &Effect) -> Result<()> {
        self.fragments = true;
        if effect.later {
            return self.tensor_product(effect);
        }
        match &effect.target {
            Target::Element(name, indices) => match self.is_product(&effect.value) {
                true => self.product(effect, name, indices),
                false => self.load_matrix(effect, name, indices),
            },
            Target::Memory(memory) => self.store_matrix(effect, memory),
            Target::Chapter(primitive, ..) => Err(Obstacle::Chapter(*primitive)),
            _ => Err(Obstacle::Matrix),
        }
    }

    /// The fragment of an operand.
    pub(super) fn held(&self, name: &str) -> Result<Held> {
        self.held_by(name, 32)
    }

    /// The fragment of an operand that so many lanes hold.
    pub(super) fn held_by(&self, name: &str, lanes: u32) -> Result<Held> {
        let Some(operand) = self.statement.operand(name) else {
            return mistake(format!("`{name}` is not an operand"));
        };
        let (instruction, words) = (self.statement.name, &self.statement.words);
        let fragments = match layout(instruction, words) {
            Some(Layout::Fragments(all)) => Some(all),
            Some(Layout::Unspecified(_)) => chosen_layout(instruction, words),
            None => None,
        };
        let mut fragments = fragments.into_iter().flatten();
        let Some(fragment) = fragments.find(|it| it.operand == name && it.lanes == lanes) else {
            return Err(Obstacle::Matrix);
        };
        let registers = match self.statement.operands[operand].operand {
            Operand::Vector(items) => items.len(),
            _ => 1,
        };
        match registers == fragment.registers as usize {
            true => Ok(Held { operand, fragment }),
            false => Err(Obstacle::Matrix),
        }
    }

    /// The rows `M`, the columns `N` or the depth `K` of the shape.
    pub(super) fn extent(&self, name: &str) -> Result<i128> {
        let words = &self.statement.words;
        let Some(shape) = words.iter().find_map(|it| Shape::parse(it)) else {
            return mistake(format!("`{name}` without a shape"));
        };
        Ok(i128::from(match name {
            "M" => shape.m,
            "N" => shape.n,
            _ => shape.k,
        }))
    }

    /// The register of an operand as it is in braces.
    fn item(&self, operand: usize, register: u32) -> (&Operand, Option<u8>) {
        match self.statement.operands[operand].operand {
            Operand::Vector(items) => (&items[register as usize], Some(register as u8)),
            it => (it, None),
        }
    }

    /// The width of the registers of a fragment.
    fn width(&self, held: &Held) -> u32 {
        let bound = &self.statement.operands[held.operand];
        match operands::type_of(bound).bits() {
            64 => 64,
            _ => 32,
        }
    }

    /// `r(i, j) = …`: each register from the value of each of its elements.
    fn load_matrix(&mut self, effect: &Effect, name: &str, indices: &[Expression]) -> Result<()> {
        let held = self.held(name)?;
        self.crosses_lanes = true;
        let width = self.width(&held);
        let bits = width / held.fragment.elements;
        let whole = self.is_whole(&held.fragment, &effect.value, bits)?;
        self.movement = Some(Movement {
            whole: whole.then_some(width / 8),
        });
        let moved = self.load_registers(&held, effect, indices, (width, bits), whole);
        self.movement = None;
        moved
    }

    fn load_registers(
        &mut self,
        held: &Held,
        effect: &Effect,
        indices: &[Expression],
        (width, bits): (u32, u32),
        whole: bool,
    ) -> Result<()> {
        for register in 0..held.fragment.registers {
            let (item, element) = self.item(held.operand, register);
            if matches!(item, Operand::Sink) {
                continue;
            }
            let mut all = Int::constant(0);
            for index in 0..if whole { 1 } else { held.fragment.elements } {
                let value = self.at(&held.fragment, indices, (register, index), &effect.value)?;
                let value = self.bits_of(value)?.plain();
                let value = value.low_bits(if whole { width } else { bits });
                let by = Int::constant((index * bits).into());
                all = Int::ring(Ring::Or, all, value.plain().shift_left(by));
            }
            let node = self.low_bits(&all, width);
            let destination = Destination::Operand {
                operand: held.operand as u8,
                element,
                half: 0,
            };
            self.outputs.push((destination, node));
        }
        Ok(())
    }

    /// `[…] = r(i, j)`: each element of each register, or all elements of one at once.
    fn store_matrix(&mut self, effect: &Effect, memory: &Memory) -> Result<()> {
        let Expression::Apply(name, indices) = &effect.value else {
            return Err(Obstacle::Matrix);
        };
        let held = self.held(name)?;
        self.crosses_lanes = true;
        let width = self.width(&held);
        let bits = width / held.fragment.elements;
        let element = Expression::Memory(memory.clone());
        let whole = self.is_whole(&held.fragment, &element, bits)?;
        let count = if whole { 1 } else { held.fragment.elements };
        for register in 0..held.fragment.registers {
            let element = self.item(held.operand, register).1;
            let node = self.source(held.operand, element, 0);
            let contents = Int::node(node, Range::of_bits(64, false));
            for index in 0..count {
                let bytes = if whole { width } else { bits } / 8;
                let before = self.bind(&held.fragment, indices, (register, index))?;
                let place = self.place(memory, bytes, 1, None);
                self.unbind(before);
                let (place, address) = place?;
                let by = Int::constant((index * bits).into());
                let value = contents.clone().shift_right(by).low_bits(bytes * 8);
                let value = self.low_bits(&value, bytes * 8);
                self.store(place, address, 0, value, None);
            }
        }
        Ok(())
    }

    /// Whether the elements of a register are neighbours in memory, in the same order and as wide as there.
    fn is_whole(&mut self, fragment: &Fragment, value: &Expression, bits: u32) -> Result<bool> {
        let columns_by_columns = self.statement.slot("layout") == Some("col");
        let along = match columns_by_columns {
            true => Axis::Row,
            false => Axis::Column,
        };
        let mut terms = fragment.terms.iter();
        let neighbours = Term {
            source: DigitSource::Element,
            divide: 1,
            modulo: fragment.elements,
            times: 1,
            axis: along,
        };
        let side_by_side = fragment.elements == 1 || terms.any(|it| *it == neighbours);
        Ok(side_by_side && self.memory_bits(value)? == Some(bits))
    }

    /// The number of bits of memory that an expression is, if it is that alone.
    fn memory_bits(&mut self, value: &Expression) -> Result<Option<u32>> {
        Ok(match value {
            Expression::Apply(name, _) => match self.definitions.get(name).copied() {
                Some(definition) => self.memory_bits(&definition.value)?,
                None => None,
            },
            Expression::Memory(memory) => Some(match &memory.size {
                Some(size) => 8 * self.constant(size)? as u32,
                None => self.memory_type(None)?.bits(),
            }),
            Expression::Call(Primitive::Field, arguments) => match &arguments[..] {
                [Expression::Memory(memory), _, width] => {
                    let bytes = match &memory.size {
                        Some(size) => self.constant(size)?,
                        None => 0,
                    };
                    let width = self.constant(width)? as u32;
                    // Of more bytes an element is unpacked.
                    (bytes == 1).then_some(width)
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// Whether all elements of a register are read at once.
    pub(super) fn moves_whole(&self) -> bool {
        self.movement.is_some_and(|it| it.whole.is_some())
    }

    /// Memory that becomes elements of a matrix.
    pub(super) fn read_for_matrix(&mut self, memory: &Memory) -> Result<Value> {
        if memory.kind != MemoryKind::Operand || memory.field.is_some() {
            return Err(Obstacle::Memory);
        }
        let bytes = match (self.movement.and_then(|it| it.whole), &memory.size) {
            (Some(bytes), _) => bytes,
            (None, Some(size)) => self.constant(size)? as u32,
            (None, None) => self.memory_type(None)?.bits() / 8,
        };
        let (place, address) = self.place(memory, bytes, 1, None)?;
        let mut load = |half| {
            self.builder.push(Op::Load {
                place,
                address,
                element: 0,
                half,
            })
        };
        let low = load(0);
        let bits = ValueType::untyped(8 * bytes).bits();
        Ok(Value::Int(match bits {
            ..=64 => Int::node(low, Range::of_bits(64, false)).low_bits(bits),
            _ => {
                let high = load(1);
                let both = self.join(high, low);
                Int::wide_node(both, Range::of_bits(128, false)).low_bits(bits)
            }
        }))
    }

    /// The value of an expression at the position of an element.
    fn at(
        &mut self,
        fragment: &Fragment,
        indices: &[Expression],
        at: (u32, u32),
        value: &Expression,
    ) -> Result<Value> {
        let before = self.bind(fragment, indices, at)?;
        let value = self.expression(value);
        self.unbind(before);
        value
    }

    /// Gives the variables of indices the position of an element of a register; what they were before.
    fn bind(
        &mut self,
        fragment: &Fragment,
        indices: &[Expression],
        (register, element): (u32, u32),
    ) -> Result<Vec<(&'static str, Option<Value>)>> {
        let position = self.position(fragment, register, element)?;
        let [part, row, column] = match self.is_transposed(fragment) {
            // The layout has the row in memory, the table that of the fragment.
            true => [0, 2, 1].map(|it: usize| position[it].clone()),
            false => position,
        };
        let values = match indices.len() {
            2 => vec![row, column],
            3 => vec![part, row, column],
            _ => return mistake("an element has two or three indices"),
        };
        let mut before = Vec::new();
        for (index, value) in indices.iter().zip(values) {
            let Expression::Name(name) = index else {
                return mistake("an index of a target is a name");
            };
            before.push((*name, self.variables.insert(name, Value::Int(value))));
        }
        Ok(before)
    }

    fn unbind(&mut self, before: Vec<(&'static str, Option<Value>)>) {
        for (name, value) in before.into_iter().rev() {
            self.restore(name, value);
        }
    }

    /// Whether rows of a fragment are columns in memory, whose rows the layout tells.
    fn is_transposed(&self, fragment: &Fragment) -> bool {
        fragment.matrix == "memory" && self.statement.words.contains(&"trans")
    }

    /// The part, row and column of an element of a register, which depend on the lane.
    fn position(&mut self, fragment: &Fragment, register: u32, element: u32) -> Result<[Int; 3]> {
        let mut found = [0; 3].map(Int::constant);
        for term in &fragment.terms {
            let digit = match term.source {
                DigitSource::Lane => {
                    let lane = self.builder.push(Op::Lane);
                    let lane = Int::node(lane, Range::of_bits(5, false));
                    digit(lane, term.divide, term.modulo)?
                }
                DigitSource::Register => {
                    Int::constant((register / term.divide % term.modulo).into())
                }
                DigitSource::Element => Int::constant((element / term.divide % term.modulo).into()),
            };
            let digit = Int::ring(Ring::Multiply, digit, Int::constant(term.times.into()));
            let axis = &mut found[axis_number(term.axis)];
            *axis = Int::ring(Ring::Add, axis.clone(), digit);
        }
        Ok(found)
    }

    /// An element of an operand that is a matrix of one register in each lane.
    pub(super) fn matrix_element(&mut self, name: &str, indices: &[Expression]) -> Result<Value> {
        if self.movement.is_none() {
            return Err(Obstacle::Matrix);
        }
        let held = self.held(name)?;
        let [row, column] = indices else {
            return Err(Obstacle::Matrix);
        };
        let at = [Int::constant(0), self.int(row)?, self.int(column)?];
        let bits = self.width(&held) / held.fragment.elements;
        let (mut lane, mut element) = (Int::constant(0), Int::constant(0));
        for term in &held.fragment.terms {
            // The digits of the position are those of the lane and of the element.
            let axis = at[axis_number(term.axis)].clone();
            let digit = digit(axis, term.times, term.modulo)?;
            let digit = Int::ring(Ring::Multiply, digit, Int::constant(term.divide.into()));
            let source = match term.source {
                DigitSource::Lane => &mut lane,
                DigitSource::Element => &mut element,
                DigitSource::Register => return Err(Obstacle::Matrix),
            };
            *source = Int::ring(Ring::Add, source.clone(), digit);
        }
        let lane = self.builder.low(&lane, 64);
        let before = self.lane.replace(super::LaneOf::Node(lane));
        let register: Node = self.source(held.operand, None, 0);
        self.lane = before;
        let by = Int::ring(Ring::Multiply, element, Int::constant(bits.into()));
        let register = Int::node(register, Range::of_bits(64, false));
        Ok(Value::Int(register.shift_right(by).low_bits(bits)))
    }
}

fn axis_number(axis: Axis) -> usize {
    match axis {
        Axis::Part => 0,
        Axis::Row => 1,
        Axis::Column => 2,
    }
}

/// `number / divide % modulo`; both are powers of two in every layout.
fn digit(number: Int, divide: u32, modulo: u32) -> Result<Int> {
    if !divide.is_power_of_two() || !modulo.is_power_of_two() {
        return Err(Obstacle::Matrix);
    }
    let above = number
        .plain()
        .shift_right(Int::constant(divide.trailing_zeros().into()));
    Ok(above.low_bits(modulo.trailing_zeros()).plain())
}
