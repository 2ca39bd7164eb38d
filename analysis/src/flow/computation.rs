//! The computations of instructions: the program of each form, with the registers that an instruction names.

use isa::{
    compute::{Destination, Exactness, Graph, Input, LaneValues, Node, constant_bits},
    event::EventKind,
    types::Class,
};
use rustc_hash::FxHashMap;

use crate::hir::bound::{Bound, BoundInstruction, BoundOperand};

use super::{
    effects::meaning,
    facts::Facts,
    form_program::{FormProgram, form_program, run},
    ids::Value,
};

/// Where an input of a program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source<'a> {
    /// A constant, or what is added to a register.
    Constant(u64),
    /// A register, plus a constant.
    Register(Value, i64),
    /// A special register or a name.
    Operand(BoundName<'a>),
    /// Something that has no number, such as an element of a vector register.
    Unknown,
}

/// A name other than that of a register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundName<'a>(
    pub(crate) &'a crate::hir::body::Reference,
    pub(crate) Option<char>,
);

impl PartialEq for BoundName<'_> {
    fn eq(&self, other: &BoundName<'_>) -> bool {
        self.0.target == other.0.target && self.1 == other.1
    }
}

impl Eq for BoundName<'_> {}

/// The computation of an instruction.
#[derive(Clone)]
pub(crate) struct Computation<'a> {
    pub(crate) form: FormProgram<'a>,
    /// Where the inputs of the program come from.
    pub(crate) sources: Vec<Source<'a>>,
    instruction: BoundInstruction<'a>,
}

impl<'a> Computation<'a> {
    /// That of an instruction, whatever its guard is.
    pub(crate) fn of(facts: &Facts, instruction: BoundInstruction<'a>) -> Option<Computation<'a>> {
        let form = form_program(instruction.db, instruction.id)?;
        let inputs = form.program.inputs.iter();
        let sources = inputs.map(|it| source(facts, instruction, form, *it));
        Some(Computation {
            sources: sources.collect(),
            form,
            instruction,
        })
    }

    /// The registers that it writes, with their nodes; `None` for those that have no value.
    pub(crate) fn results(&self, facts: &Facts) -> impl Iterator<Item = (Option<Value>, Node)> {
        let outputs = self.form.program.outputs.iter();
        outputs.map(move |(destination, node)| {
            let value = match *destination {
                Destination::Operand {
                    operand,
                    element,
                    half: 0,
                } => operand_of(self.instruction, self.form, operand, element)
                    .and_then(|it| register(facts, it))
                    .map(|it| it.0),
                _ => None,
            };
            (value, *node)
        })
    }

    /// Whether the manual says every bit of the results, which are those of this lane alone.
    fn is_exact(&self) -> bool {
        let program = self.form.program;
        program.exactness == Exactness::Exact && !program.crosses_lanes
    }

    /// The node of the result, if that is all that it writes and has at most 64 bits.
    fn result(&self) -> Option<Node> {
        match self.form.program.outputs[..] {
            [(Destination::Operand { half: 0, .. }, node)] => Some(node),
            _ => None,
        }
    }

    /// The bits of the result, if all registers are known: those of one register, or of a predicate, 0 above.
    pub(crate) fn bits(&self, known: impl Fn(Value) -> Option<u64>) -> Option<u64> {
        let [bits] = self.lanes(|it| Some([known(it)?]))?;
        Some(bits)
    }

    /// The bits of the result in several lanes, if those of all registers are known.
    pub(crate) fn lanes<const N: usize>(
        &self,
        known: impl Fn(Value) -> Option<[u64; N]>,
    ) -> Option<[u64; N]> {
        let result = self.result().filter(|_| self.is_exact())?;
        let program = self.form.program;
        let mut inputs = Vec::with_capacity(self.sources.len());
        for (source, input) in self.sources.iter().zip(&program.inputs) {
            let mask = u64::MAX >> (64 - u32::from(input.bits.clamp(1, 64)));
            inputs.push(match *source {
                Source::Constant(it) => [it; N],
                Source::Register(value, offset) => {
                    let add = |it: u64| it.wrapping_add(offset.cast_unsigned()) & mask;
                    known(value)?.map(add)
                }
                Source::Operand(_) | Source::Unknown => return None,
            });
        }
        run(program, &inputs, result)
    }

    /// By how much the result is larger than what a register holds, if that is the same whatever that one holds.
    pub(crate) fn distance_from(&self, register: Value) -> Option<i64> {
        let [distance] = self.distances_from(register, |_| None)?;
        Some(distance)
    }

    /// The same in several lanes, from the numbers of the other registers. Addresses in shared memory fit into 32 bits,
    /// so cutting to as many keeps them.
    pub(crate) fn distances_from<const N: usize>(
        &self,
        register: Value,
        known: impl Fn(Value) -> Option<[u64; N]>,
    ) -> Option<[i64; N]> {
        let result = self.result().filter(|_| self.is_exact())?;
        let mut bits = self.result_bits()?.min(64);
        let mut graph = Graph::default();
        let (start, _) = graph.leaf(64);
        let mut leaves: FxHashMap<Value, (Node, u32)> = FxHashMap::default();
        let mut nodes = Vec::with_capacity(self.sources.len());
        for (source, input) in self.sources.iter().zip(&self.form.program.inputs) {
            let width = u32::from(input.bits);
            let (node, offset) = match *source {
                Source::Constant(it) => (graph.constant(it), 0),
                Source::Register(value, offset) if value == register => {
                    bits = bits.min(width);
                    (start, offset)
                }
                Source::Register(value, offset) => {
                    let leaf = leaves
                        .entry(value)
                        .or_insert_with(|| graph.leaf(input.bits));
                    (leaf.0, offset)
                }
                Source::Operand(_) | Source::Unknown => return None,
            };
            nodes.push(match offset {
                0 => node,
                _ => graph.add(node, offset.cast_unsigned(), 64),
            });
        }
        if bits < 32 {
            return None;
        }
        let outputs = self.form.program.outputs.iter();
        let index = outputs.clone().position(|it| it.1 == result)?;
        let result = graph.apply(self.form.program, &nodes).get(index)?.1;
        let sum = graph.linear(result, bits);
        let sum = sum.minus(&graph.linear(start, bits));
        let mut numbers = LaneValues::<N>::default();
        let mut leaf = |it: u32| {
            let found = leaves.iter().find(|leaf| leaf.1.1 == it)?;
            known(*found.0)
        };
        let mut lanes = [sum.constant; N];
        for (node, factor) in &sum.terms {
            let values = numbers.get(&graph, *node, &mut leaf)?;
            for (lane, value) in lanes.iter_mut().zip(values) {
                *lane = lane.wrapping_add(factor.wrapping_mul(value));
            }
        }
        Some(lanes.map(|it| sum.signed(it)))
    }

    /// The width of the register that is written, in bits.
    pub(crate) fn result_bits(&self) -> Option<u32> {
        let class = self.result_class()?;
        Some(class.bits())
    }

    /// The type of the register that is written.
    pub(crate) fn result_class(&self) -> Option<Class> {
        let (
            Destination::Operand {
                operand, element, ..
            },
            _,
        ) = *self.form.program.outputs.first()?
        else {
            return None;
        };
        operand_of(self.instruction, self.form, operand, element)?.class()
    }

    /// The result as a number: with the sign of the type that the table gives it, or of 64 bits.
    pub(crate) fn as_number(&self, bits: u64) -> i64 {
        let number = bits.cast_signed();
        let Some((Destination::Operand { operand, .. }, _)) = self.form.program.outputs.first()
        else {
            return number;
        };
        let binding = self.form.bindings.get(usize::from(*operand));
        let signed = binding
            .and_then(|it| it.ty.as_deref())
            .is_some_and(|it| it.starts_with('s'));
        match self.result_bits() {
            Some(width @ 1..64) if signed => {
                let rest = 64 - width;
                number << rest >> rest
            }
            _ => number,
        }
    }
}

/// The register that an instruction writes and the operand that it takes, if both mean the same place in memory: a
/// conversion between generic addresses and those of a state space.
pub(crate) fn same_address<'a>(
    facts: &Facts,
    instruction: BoundInstruction<'a>,
) -> Option<(Value, Source<'a>)> {
    let events = meaning(instruction.db, instruction.id).semantics.events;
    if !events.iter().any(|it| it.kind == EventKind::SameAddress) {
        return None;
    }
    let (written, _) = register(facts, instruction.operand(0)?)?;
    let operand = instruction.operand(1)?;
    let source = match register(facts, operand) {
        Some((value, offset)) => Source::Register(value, offset),
        None => match operand.bound() {
            Bound::Name(name, component) => Source::Operand(BoundName(name, component)),
            _ => return None,
        },
    };
    Some((written, source))
}

/// Where an input of a program comes from.
fn source<'a>(
    facts: &Facts,
    instruction: BoundInstruction<'a>,
    form: FormProgram<'_>,
    input: Input,
) -> Source<'a> {
    let ty = form.bindings.get(usize::from(input.operand));
    let ty = ty.and_then(|it| it.ty.as_deref());
    let Some(operand) = operand_of(instruction, form, input.operand, input.element) else {
        return Source::Unknown;
    };
    if let Some(constant) = constant_bits(operand.operand(), ty) {
        return Source::Constant((constant >> (64 * u32::from(input.half))) as u64);
    }
    match register(facts, operand) {
        Some((value, offset)) if input.half == 0 => return Source::Register(value, offset),
        Some(_) => return Source::Unknown,
        None => {}
    }
    match operand.bound() {
        Bound::Name(name, component) if input.half == 0 => {
            Source::Operand(BoundName(name, component))
        }
        _ => Source::Unknown,
    }
}

/// The register that an operand is, and what is added to it; none of a vector, of which it may be a component.
fn register(facts: &Facts, operand: BoundOperand<'_>) -> Option<(Value, i64)> {
    match operand.bound() {
        Bound::Name(name, None) => Some((facts.value(name)?, 0)),
        Bound::Sum(name, offset) => Some((facts.value(name)?, offset)),
        Bound::Not(inner) | Bound::Minus(inner) | Bound::Selected(inner, _) => {
            register(facts, inner)
        }
        _ => None,
    }
}

/// The operand of a binding, or an element of its braces.
fn operand_of<'a>(
    instruction: BoundInstruction<'a>,
    form: FormProgram<'_>,
    binding: u8,
    element: Option<u8>,
) -> Option<BoundOperand<'a>> {
    let path = form.bindings.get(usize::from(binding))?.path;
    instruction.operand_at(path, element)
}
