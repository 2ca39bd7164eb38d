//! Instructions with their operands: what they compute, if that is known.

use isa::semantics::{Control, Operation as Computes, Order, Semantics};

use crate::hir::{
    body::{Body, Target},
    bound::{Bound, BoundInstruction, BoundOperand},
};

use super::{
    arithmetic::{Evaluator, Number},
    effects::Meaning,
    facts::Facts,
    ids::{Base, Value},
};

/// An instruction.
#[derive(Default)]
pub(crate) struct Operation<'a> {
    /// The instruction with its operands; `None` for one that is no more.
    instruction: Option<BoundInstruction<'a>>,
    /// The register of the guard.
    pub(crate) guard: Option<Value>,
    /// Whether the guard holds when the register is false.
    pub(crate) negated: bool,
    pub(crate) writes: Vec<Value>,
    /// The values that it reads outside addresses, guards left out.
    pub(crate) data: Vec<Value>,
    /// The values that it reads inside addresses.
    pub(crate) address: Vec<Value>,
    /// Whether the old values may stay after the writes.
    pub(crate) keeps: bool,
    /// Whether a special register is among its names.
    pub(crate) special: bool,
    /// Its effect.
    pub(crate) semantics: Semantics,
    /// The operation, if no word of it says more than the tables know of.
    pub(crate) plain: Option<Computes>,
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

    /// Whether it is some form of an operation.
    pub(crate) fn is(&self, operation: Computes) -> bool {
        self.operation() == Some(operation)
    }

    /// The operation that it is some form of.
    pub(crate) fn operation(&self) -> Option<Computes> {
        self.semantics.value.map(|it| it.operation)
    }
}

impl<'a> Operation<'a> {
    /// An instruction of a body; `meaning` is that of its form, `facts` know the registers.
    pub(crate) fn of(
        body: &Body,
        facts: &Facts,
        instruction: BoundInstruction<'a>,
        meaning: Meaning,
    ) -> Operation<'a> {
        let mut it = Operation {
            instruction: Some(instruction),
            semantics: meaning.semantics,
            plain: meaning.plain,
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

    /// The operation on integers, if it writes one register and all that it reads is known.
    pub(crate) fn evaluate(&self, known: impl Fn(Value) -> Option<i64>) -> Option<i64> {
        self.computation()?.evaluate(known)
    }

    /// The same, from floating-point numbers as well.
    pub(crate) fn number(&self, known: impl Fn(Value) -> Option<Number>) -> Option<Number> {
        self.computation()?.number(known)
    }

    /// The operations of an instruction, for callers that ask for more than one result.
    pub(crate) fn computation(&self) -> Option<Computation> {
        let ([_], Some(plain)) = (&self.writes[..], self.plain) else {
            return None;
        };
        let mut registers = self.data.iter();
        let mut sources = [Source::Number(Number::Integer(0)); 3];
        let mut count = 0;
        for operand in self.operands().skip(1) {
            *sources.get_mut(count)? = match operand.bound() {
                Bound::Integer(it) => Source::Number(Number::Integer(i64::try_from(it).ok()?)),
                Bound::Float(_, it) => Source::Number(Number::Float(it)),
                Bound::Name(..) if operand.is_register() => Source::Register(*registers.next()?),
                _ => return None,
            };
            count += 1;
        }
        let words: Vec<&str> = self.words().iter().map(|it| &**it).collect();
        Some(Computation {
            evaluator: Evaluator::new(plain, &words)?,
            sources,
            count,
        })
    }
}

/// The operation of an instruction.
pub(crate) struct Computation {
    evaluator: Evaluator,
    sources: [Source; 3],
    count: usize,
}

/// Where an operand comes from.
#[derive(Clone, Copy)]
enum Source {
    Number(Number),
    Register(Value),
}

impl Computation {
    /// Whether the result is always as far from a register that it reads once, whatever that one holds.
    pub(crate) fn keeps_distance(&self, register: Value) -> bool {
        let sources = self.sources[..self.count].iter();
        let mut places = sources.enumerate().filter_map(|(index, it)| match it {
            Source::Register(it) if *it == register => Some(index),
            _ => None,
        });
        match (places.next(), places.next()) {
            (Some(only), None) => self.evaluator.keeps_distance(only),
            _ => false,
        }
    }

    /// The result, if it is an integer and all registers are known, as integers.
    pub(crate) fn evaluate(&self, known: impl Fn(Value) -> Option<i64>) -> Option<i64> {
        let known = |it| known(it).map(Number::Integer);
        self.number(known)?.integer()
    }

    /// The result, if all registers are known.
    pub(crate) fn number(&self, known: impl Fn(Value) -> Option<Number>) -> Option<Number> {
        let mut numbers = [Number::Integer(0); 3];
        let sources = &self.sources[..self.count];
        for (number, source) in numbers.iter_mut().zip(sources) {
            *number = match source {
                Source::Number(it) => *it,
                Source::Register(it) => known(*it)?,
            };
        }
        self.evaluator.evaluate(&numbers[..self.count])
    }
}
