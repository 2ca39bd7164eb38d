//! The computations of instructions: the program of each form, with the registers that an instruction names.

use isa::{
    compute::{Destination, Input, Node, constant_bits},
    event::EventKind,
};

use crate::hir::{
    body::{Reference, Target},
    bound::{Bound, BoundInstruction, BoundOperand},
};

use super::{
    effects::semantics,
    facts::Facts,
    form_program::{FormProgram, form_program},
    ids::Value,
};

/// Where an input of a program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputSource<'a> {
    /// A constant, or what is added to a register.
    Constant(u64),
    /// A register, plus a constant.
    Register(Value, i64),
    /// A special register, or the address of a name plus a constant.
    Operand(BoundName<'a>, i64),
    /// Something that has no number, such as an element of a vector register.
    Unknown,
}

/// A name other than that of a register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundName<'a>(pub(crate) &'a Reference, pub(crate) Option<char>);

impl BoundName<'_> {
    /// The name of the special register in the tables, if it is one.
    pub(crate) fn special(&self) -> Option<&'static str> {
        match self.0.target {
            Target::Special(index) => Some(isa::special::get(index)?.name),
            _ => None,
        }
    }
}

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
    pub(crate) sources: Vec<InputSource<'a>>,
    instruction: BoundInstruction<'a>,
}

impl<'a> Computation<'a> {
    /// That of an instruction, whatever its guard is.
    pub(crate) fn of(facts: &Facts, instruction: BoundInstruction<'a>) -> Option<Computation<'a>> {
        let form = form_program(instruction.db, instruction.id)?;
        Some(Computation::from_program(facts, instruction, form))
    }

    /// A program of an instruction: its own, or what it does later.
    pub(crate) fn from_program(
        facts: &Facts,
        instruction: BoundInstruction<'a>,
        form: FormProgram<'a>,
    ) -> Computation<'a> {
        let inputs = form.program.inputs.iter();
        let sources = inputs.map(|it| source(facts, instruction, form, *it));
        Computation {
            sources: sources.collect(),
            form,
            instruction,
        }
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
}

/// The register that an instruction writes and the operand that it takes, if both mean the same place in memory: a
/// conversion between generic addresses and those of a state space.
pub(crate) fn same_address<'a>(
    facts: &Facts,
    instruction: BoundInstruction<'a>,
) -> Option<(Value, InputSource<'a>)> {
    let events = semantics(instruction.db, instruction.id).events;
    if !events.iter().any(|it| it.kind == EventKind::SameAddress) {
        return None;
    }
    let (written, _) = register(facts, instruction.operand(0)?)?;
    let operand = instruction.operand(1)?;
    let source = match register(facts, operand) {
        Some((value, offset)) => InputSource::Register(value, offset),
        None => match operand.bound() {
            Bound::Name(name, component) => InputSource::Operand(BoundName(name, component), 0),
            Bound::Sum(name, offset) => InputSource::Operand(BoundName(name, None), offset),
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
) -> InputSource<'a> {
    let ty = form.bindings.get(usize::from(input.operand));
    let ty = ty.and_then(|it| it.ty.as_deref());
    let Some(operand) = operand_of(instruction, form, input.operand, input.element) else {
        return InputSource::Unknown;
    };
    if let Some(constant) = constant_bits(operand.operand(), ty) {
        return InputSource::Constant((constant >> (64 * u32::from(input.half))) as u64);
    }
    match register(facts, operand) {
        Some((value, offset)) if input.half == 0 => return InputSource::Register(value, offset),
        Some(_) => return InputSource::Unknown,
        None => {}
    }
    match operand.bound() {
        _ if input.half > 0 => InputSource::Unknown,
        Bound::Name(name, component) => InputSource::Operand(BoundName(name, component), 0),
        Bound::Sum(name, offset) => InputSource::Operand(BoundName(name, None), offset),
        _ => InputSource::Unknown,
    }
}

/// The register that an operand is, and what is added to it; none of a vector, of which it may be a component.
fn register(facts: &Facts, operand: BoundOperand<'_>) -> Option<(Value, i64)> {
    match operand.bound() {
        Bound::Name(name, None) => Some((facts.value(name)?, 0)),
        Bound::Sum(name, offset) => Some((facts.value(name)?, offset)),
        Bound::Not(inner) | Bound::Minus(inner) | Bound::Selected(inner) => register(facts, inner),
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
