//! Instructions with their operands: what they compute, if that is known.

use std::cell::OnceCell;

use isa::{
    compute::Operation as Computes,
    event::EventKind,
    semantics::{Control, Order, Semantics},
};
use smallvec::SmallVec;

use crate::hir::{
    body::{Body, Target},
    bound::{Bound, BoundInstruction, BoundOperand},
};

use super::{
    facts::Facts,
    form_program::{form_program, operation},
    ids::{Base, Value},
};

/// The values of an instruction; few have more than four in one place.
pub(crate) type ValueList = SmallVec<[Value; 4]>;

/// An instruction.
#[derive(Default)]
pub(crate) struct Operation<'a> {
    /// The instruction with its operands; `None` for one that is no more.
    instruction: Option<BoundInstruction<'a>>,
    /// The register of the guard.
    pub(crate) guard: Option<Value>,
    /// Whether the guard holds when the register is false.
    pub(crate) negated: bool,
    pub(crate) writes: ValueList,
    /// The values that it reads outside addresses, guards left out.
    pub(crate) data: ValueList,
    /// The values that it reads inside addresses.
    pub(crate) address: ValueList,
    /// Whether the old values may stay after the writes.
    pub(crate) keeps: bool,
    /// Whether a special register is among its names.
    pub(crate) special: bool,
    /// Its effect.
    pub(crate) semantics: Semantics,
    /// The operation that it is, once somebody has asked.
    found: OnceCell<Option<Computes>>,
    /// Registers that it needs for a moment besides its operands.
    pub(crate) scratch: u32,
    /// Where it accesses memory, if that is a register or variable with an offset.
    pub(crate) place: Option<(Base, i64)>,
}

impl Operation<'_> {
    /// Everything it reads, as often as it is there.
    pub(crate) fn reads(&self) -> impl Iterator<Item = Value> + '_ {
        let operands = self.data.iter().chain(&self.address);
        operands.copied().chain(self.guard)
    }

    /// Whether one of its operands is in brackets.
    pub(crate) fn accesses_memory(&self) -> bool {
        self.operands().any(|it| it.is_address())
    }

    /// Whether a word is among its modifiers, perhaps with a part after `::`.
    pub(crate) fn has(&self, word: &str) -> bool {
        let mut words = self.words().iter();
        words.any(|it| it.split("::").next().unwrap_or_default() == word)
    }

    /// Whether accesses to memory stay on their side of it.
    pub(crate) fn is_barrier(&self) -> bool {
        self.semantics.control != Control::Next
            || !matches!(self.semantics.order, Order::None | Order::Volatile)
    }

    /// Whether it is an operation and nothing else.
    pub(crate) fn is(&self, operation: Computes) -> bool {
        self.operation() == Some(operation)
    }

    /// The operation that it is, if it is only one.
    pub(crate) fn operation(&self) -> Option<Computes> {
        let find = || {
            let instruction = self.instruction?;
            operation(instruction.db, instruction.id)
        };
        *self.found.get_or_init(find)
    }

    /// Whether what it writes depends on a comparison.
    pub(crate) fn compares(&self) -> bool {
        let program = |it: BoundInstruction<'_>| {
            form_program(it.db, it.id).is_some_and(|it| it.program.compares())
        };
        self.instruction.is_some_and(program)
    }

    /// Whether the register that it writes means the same place in memory as its operand.
    pub(crate) fn keeps_address(&self) -> bool {
        let mut events = self.semantics.events.iter();
        events.any(|it| it.kind == EventKind::SameAddress)
    }
}

impl<'a> Operation<'a> {
    /// An instruction of a body; `semantics` are those of its form, `facts` know the registers.
    pub(crate) fn of(
        body: &Body,
        facts: &'a Facts,
        instruction: BoundInstruction<'a>,
        semantics: Semantics,
    ) -> Operation<'a> {
        let mut it = Operation {
            instruction: Some(instruction),
            semantics,
            guard: instruction.guard().and_then(|it| facts.value(it)),
            negated: instruction.is_negated(),
            ..Operation::default()
        };
        let start = instruction.instruction.references.start;
        let old = it.semantics.reads_destination && !facts.overwrites.contains(&start);
        let names = instruction.references.iter();
        it.special = names
            .clone()
            .any(|it| matches!(it.target, Target::Special(_)));
        let mut place = None;
        for operand in instruction.operands() {
            let is_address = operand.is_address();
            if is_address && place.is_none() {
                place = operand.address(true);
            }
            for reference in operand.references {
                let Some(value) = facts.value(reference) else {
                    continue;
                };
                if reference.write {
                    it.writes.push(value);
                    it.data.extend(old.then_some(value));
                } else if is_address {
                    it.address.push(value);
                } else {
                    it.data.push(value);
                }
            }
        }
        it.place = place.and_then(|(name, offset)| Some((facts.base(body, name)?, offset)));
        it
    }

    /// Its words, without periods.
    pub(crate) fn words(&self) -> &'a [Box<str>] {
        self.instruction.map_or(&[], |it| &it.form.words)
    }

    /// Its operands.
    pub(crate) fn operands(&self) -> impl Iterator<Item = BoundOperand<'a>> + use<'a> {
        self.instruction
            .into_iter()
            .flat_map(|it: BoundInstruction<'a>| it.operands())
    }

    /// The third of three operands, if that is an integer constant.
    pub(crate) fn constant(&self) -> Option<i128> {
        let mut operands = self.operands().skip(2);
        let last = operands.next().filter(|_| operands.next().is_none())?;
        match last.bound() {
            Bound::Integer(it) => Some(it),
            _ => None,
        }
    }

    /// The operand that an instruction reads, if there is only one.
    pub(crate) fn source(&self) -> Option<BoundOperand<'a>> {
        let mut operands = self.operands().skip(1);
        operands.next().filter(|_| operands.next().is_none())
    }
}
