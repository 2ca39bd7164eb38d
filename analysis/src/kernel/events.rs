//! The events of a function with their operands, and the addresses of these.

use isa::{
    compute::{Node, Operation},
    event::{EventKind, Group},
};
use syntax::{TextRange, TextSize};

use crate::{
    flow::{
        form_program::operation,
        ids::{Base, Step, Value, VariableName},
    },
    hir::bound::{Bound, BoundOperand},
    reading::Subject,
    values::{Leaf, Origin, Purpose, Sum, Values},
};

/// Writes of a register that are compared, and blocks that are searched for them.
const MAX_WRITES: usize = 4;
const MAX_BLOCKS: usize = 256;

/// A function with its values and its events.
pub(super) struct Kernel<'a, 'db> {
    pub(super) subject: &'a Subject<'db>,
    pub(super) values: Values<'db>,
    pub(super) events: Events<'db>,
    /// Where the function starts in the file.
    pub(super) start: TextSize,
}

impl<'a, 'db> Kernel<'a, 'db> {
    /// A function that starts at an offset of the file.
    pub(super) fn of(subject: &'a Subject<'db>, start: TextSize) -> Kernel<'a, 'db> {
        Kernel {
            subject,
            values: Values::of(
                subject.db,
                subject.function,
                subject.flow,
                Purpose::Addresses,
            )
            .with_named(differences(subject)),
            events: Events::of(subject),
            start,
        }
    }
}

impl Kernel<'_, '_> {
    /// The statement of an instruction.
    pub(super) fn range(&self, step: Step) -> TextRange {
        let instruction = self.subject.body.instructions.get(step as usize);
        instruction.map_or_else(TextRange::default, |it| it.range + self.start)
    }

    /// The statements of instructions, ascending, each once.
    pub(super) fn ranges(&self, steps: impl IntoIterator<Item = Step>) -> Vec<TextRange> {
        let mut steps: Vec<Step> = steps.into_iter().collect();
        steps.sort_unstable();
        steps.dedup();
        steps.into_iter().map(|it| self.range(it)).collect()
    }

    /// The instructions with some events, each once.
    pub(super) fn steps(&self, is: impl Fn(EventKind) -> bool) -> Vec<Step> {
        let found = self.events.all.iter().filter(|it| is(it.kind));
        let mut steps: Vec<Step> = found.map(|it| it.step).collect();
        steps.dedup();
        steps
    }
}

/// An event of an instruction.
pub(super) struct Event<'db> {
    pub(super) step: Step,
    pub(super) kind: EventKind,
    pub(super) operands: [Option<BoundOperand<'db>>; 2],
}

/// The events, in the order of the text.
pub(super) struct Events<'db> {
    pub(super) all: Vec<Event<'db>>,
}

/// An address in shared memory: a start, a constant, and what varies with its factors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) start: Start,
    pub(super) offset: i64,
    /// By factor, ascending.
    pub(super) terms: Vec<(Node, i64)>,
}

impl Address {
    /// The greatest number of which what varies is a multiple; 0 if nothing varies.
    pub(super) fn stride(&self) -> i64 {
        // No memory has room for two steps of the one factor that has no magnitude.
        let factors = self.terms.iter().filter_map(|it| it.1.checked_abs());
        factors.fold(0, greatest_common_divisor)
    }

    /// The factor of a number that varies.
    pub(super) fn factor(&self, node: Node) -> Option<i64> {
        let found = self.terms.iter().find(|it| it.0 == node);
        found.map(|it| it.1)
    }
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    match b {
        0 => a,
        _ => greatest_common_divisor(b, a % b),
    }
}

/// The start of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    Symbol(VariableName),
    /// The result of an instruction, or a register that nothing writes.
    Origin(Origin),
}

impl<'db> Events<'db> {
    pub(super) fn of(subject: &Subject<'db>) -> Events<'db> {
        let graph = &subject.flow.graph;
        let mut all = Vec::new();
        for step in &subject.flow.facts.eventful {
            let semantics = subject.semantics(*step);
            let block = graph.block_of[*step as usize];
            if semantics.events.is_empty() || !graph.reachable[block as usize] {
                continue;
            }
            let Some(instruction) = subject.get(*step) else {
                continue;
            };
            for event in semantics.events {
                let at = subject.event_operands(*step, event);
                all.push(Event {
                    step: *step,
                    kind: event.kind,
                    operands: at.map(|it| instruction.operand(it?)),
                });
            }
        }
        Events { all }
    }
}

impl Kernel<'_, '_> {
    /// The number that an operand of an event always has.
    pub(super) fn constant(&mut self, event: usize, operand: usize) -> Option<i64> {
        let event = &self.events.all[event];
        let found = event.operands[operand]?;
        if let Some(it) = found.integer() {
            return Some(it);
        }
        let Bound::Name(name, None) = found.bound() else {
            return None;
        };
        let value = self.subject.flow.facts.value(name)?;
        let number = self.values.number(value, event.step)?;
        Some(number.cast_signed())
    }

    /// The address that the first operand of an event is.
    pub(super) fn event_address(&mut self, event: usize) -> Option<Address> {
        let event = &self.events.all[event];
        let step = event.step;
        let operand = match event.operands[0] {
            Some(it) => it,
            // In a statement that fits no form, the only address is it.
            None => {
                let operands = self.subject.get(step)?.operands();
                let mut addresses = operands.filter(BoundOperand::is_address);
                match (addresses.next(), addresses.next()) {
                    (Some(only), None) => only,
                    _ => return None,
                }
            }
        };
        self.operand_address(operand, step)
    }

    /// The address that an operand of an instruction is: in brackets, a name, or a register.
    pub(super) fn operand_address(
        &mut self,
        operand: BoundOperand<'_>,
        step: Step,
    ) -> Option<Address> {
        let (name, offset) = match operand.bound() {
            Bound::Name(name, None) => (name, 0),
            _ => operand.address(false)?,
        };
        let base = self.subject.flow.facts.base(self.subject.body, name)?;
        self.address(base, offset, step)
    }

    /// An address as a start, a constant and what varies.
    pub(super) fn address(&mut self, base: Base, offset: i64, step: Step) -> Option<Address> {
        let value = match base {
            Base::Symbol(symbol) => {
                return Some(Address {
                    start: Start::Symbol(symbol),
                    offset,
                    terms: Vec::new(),
                });
            }
            Base::Value(value) => value,
        };
        let sum = self.values.sum_before(value, step);
        if let Some(found) = self.in_variable(&sum, offset) {
            return Some(found);
        }
        if let Some(found) = self.chosen(value, offset, step) {
            return Some(found);
        }
        let (origin, distance) = self.values.place(value, step)?;
        // The same place in another block of the cluster counts as this one.
        if let Origin::Written(source) = origin
            && source < step
            && self.subject.has_event(source, |it| it == EventKind::Remote)
            && let Some(operand) = self.subject.get(source).and_then(|it| it.operand(1))
            && let Some(found) = self.operand_address(operand, source)
        {
            return Some(Address {
                offset: found.offset.wrapping_add(distance.wrapping_add(offset)),
                ..found
            });
        }
        Some(Address {
            start: Start::Origin(origin),
            offset: distance.wrapping_add(offset),
            terms: Vec::new(),
        })
    }

    /// The address in a register that several instructions write, as the stage of the round before: all of them give
    /// stages of one ring.
    fn chosen(&mut self, value: Value, offset: i64, step: Step) -> Option<Address> {
        let node = self.values.before(value, step);
        if !matches!(self.values.leaf_of(node), Some(Leaf::Merge(_))) {
            return None;
        }
        let chains = self.values.chains().clone();
        let writes = chains.few_reaching_writes(value, step, MAX_WRITES, MAX_BLOCKS)?;
        let bits = self.values.bits(value);
        let mut all = Vec::new();
        for write in writes {
            let node = self.values.after(value, write);
            let sum = self.values.sum(node, bits);
            all.push(self.in_variable(&sum, offset)?);
        }
        let varying = all.iter().position(|it| !it.terms.is_empty());
        let found = all.swap_remove(varying?);
        let stride = found.stride();
        let fits = |it: &Address| {
            let apart = it.offset.wrapping_sub(found.offset);
            it.start == found.start && apart % stride == 0 && it.stride() % stride == 0
        };
        (stride > 0 && all.iter().all(fits)).then_some(found)
    }

    /// A sum as an address in the one variable that is in it.
    pub(super) fn in_variable(&self, sum: &Sum, offset: i64) -> Option<Address> {
        let symbol = |it: &(u32, i64)| self.values.symbol(it.0).filter(|_| it.1 == 1);
        let mut symbols = sum.terms.iter().filter_map(|it| Some((it.0, symbol(it)?)));
        let (Some((node, symbol)), None) = (symbols.next(), symbols.next()) else {
            return None;
        };
        let others = sum.terms.iter().filter(|it| it.0 != node);
        let mut terms: Vec<(Node, i64)> = others.copied().collect();
        terms.sort_unstable_by_key(|it| (it.1, it.0));
        Some(Address {
            start: Start::Symbol(symbol),
            offset: sum.constant.wrapping_add(offset),
            terms,
        })
    }

    /// An address as the text may write it; of what varies only the step is shown.
    pub(super) fn described(&self, start: Start, offset: i64) -> String {
        let name = match start {
            Start::Symbol(symbol) => self.subject.symbol(symbol),
            Start::Origin(Origin::Symbol(symbol)) => self.subject.symbol(symbol),
            Start::Origin(Origin::Input(value)) => self.subject.register(value),
            Start::Origin(Origin::Written(step)) => {
                match self.subject.flow.facts.writes.get(step as usize) {
                    [value, ..] => self.subject.register(*value),
                    [] => String::new(),
                }
            }
        };
        match offset {
            0 => name,
            1.. => format!("{name}+{offset}"),
            _ => format!("{name}{offset}"),
        }
    }
}

/// The instructions that subtract a register from another one. Addresses keep their results as a single unknown: in
/// `base + (i - i / 2 * 2) * 64` the remainder selects a stage, and a constant in `i` does not offset the address.
fn differences(subject: &Subject<'_>) -> Vec<bool> {
    let is_difference = |step: Step| {
        let instruction = subject.get(step)?;
        let found = operation(instruction.db, instruction.id)?;
        let constant = instruction.operands().any(|it| it.integer().is_some());
        Some(found == Operation::Subtract && !constant)
    };
    let count = subject.flow.facts.len() as Step;
    (0..count)
        .map(|it| is_difference(it) == Some(true))
        .collect()
}

/// Whether an event starts a product of matrices.
pub(super) fn is_product(kind: EventKind) -> bool {
    matches!(kind, EventKind::Issue(Group::Wgmma | Group::TensorMma))
}

/// Whether an event starts a copy.
pub(super) fn is_copy(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Complete | EventKind::Issue(Group::Copy | Group::Bulk)
    )
}

/// Whether an event waits for an mbarrier.
pub(super) fn is_wait(kind: EventKind) -> bool {
    matches!(kind, EventKind::PhaseWait | EventKind::PhaseWaitRelaxed)
}
