//! Instructions that combine a value with what other lanes of the warp have of it, and those that only carry a value on.

use isa::{compute::Operation, event::EventKind};
use rustc_hash::FxHashMap;

use crate::{
    flow::{
        form_program::operation,
        ids::{Step, Value},
    },
    reading::subject::Subject,
    values::{Leaf, Values},
};

/// Copies of registers that are followed one after the other.
pub(super) const MAX_COPIES: usize = 4;

/// The operation that an instruction does on its operands, if it is a simple one.
pub(super) fn operation_of(subject: &Subject<'_>, step: Step) -> Option<Operation> {
    let instruction = subject.get(step)?;
    operation(instruction.db, instruction.id)
}

/// Whether an instruction only carries a number on.
pub(super) fn is_copy(subject: &Subject<'_>, step: Step) -> bool {
    subject.flow.facts.copies[step as usize]
        || matches!(
            operation_of(subject, step),
            Some(Operation::Copy | Operation::Resize)
        )
        || subject.has_event(step, |it| it == EventKind::SameAddress)
}

/// Whether an instruction takes what one register holds apart into others.
pub(super) fn takes_apart(subject: &Subject<'_>, values: &Values<'_>, step: Step) -> bool {
    let facts = &subject.flow.facts;
    facts.writes.get(step as usize).len() > 1
        && facts.reads.get(step as usize).len() == 1
        && !facts.guarded[step as usize]
        && !subject.semantics(step).accesses_memory()
        && values.has_program(step)
}

/// For each register that is unpacked from a packed one, the register that was packed there.
pub(super) fn parts(subject: &Subject<'_>, values: &mut Values<'_>) -> FxHashMap<Value, Value> {
    let mut found = FxHashMap::default();
    for step in 0..subject.flow.facts.len() as Step {
        if !takes_apart(subject, values, step) {
            continue;
        }
        for value in subject.flow.facts.writes.get(step as usize) {
            let node = values.after(*value, step);
            let Some(half) = values.graph.half(node) else {
                continue;
            };
            let source = match values.leaf_of(half) {
                Some(Leaf::Result(_, source) | Leaf::Input(source)) => Some(source),
                Some(_) => None,
                None => match values.maker_of(half) {
                    Some(it) if values.precedes(it, step) => {
                        match subject.flow.facts.writes.get(it as usize) {
                            [source] => Some(*source),
                            _ => None,
                        }
                    }
                    _ => None,
                },
            };
            let once = |it: &Value| {
                let writes = values.chains().writes(*it);
                writes.len() <= 1 && writes.iter().all(|it| values.precedes(*it, step))
            };
            if let Some(source) = source.filter(once) {
                found.insert(*value, source);
            }
        }
    }
    found
}

/// An instruction that combines a value with what an exchange made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Combination {
    /// The exchange, and its result.
    pub(super) exchange: Step,
    pub(super) received: Value,
    /// The instruction that writes the value.
    pub(super) source: Step,
}

/// The instruction that alone writes a register.
fn writer(values: &Values<'_>, value: Value) -> Option<Step> {
    match *values.chains().writes(value) {
        [only] => Some(only),
        _ => None,
    }
}

/// The register that a register is a copy of, if it is one.
fn original(subject: &Subject<'_>, values: &Values<'_>, mut value: Value) -> Value {
    for _ in 0..MAX_COPIES {
        if let Some(source) = subject.parts.get(&value) {
            value = *source;
            continue;
        }
        let step = writer(values, value).filter(|it| is_copy(subject, *it));
        match step.map(|it| subject.flow.facts.reads.get(it as usize)) {
            Some([source]) => value = *source,
            _ => break,
        }
    }
    value
}

/// The register that an exchange among lanes sends, if it has one and gives one.
fn sent(subject: &Subject<'_>, step: Step) -> Option<Value> {
    let semantics = subject.semantics(step);
    let among_lanes = subject.has_event(step, |it| it == EventKind::WarpExchange);
    let facts = &subject.flow.facts;
    let (reads, writes) = (
        facts.reads.get(step as usize),
        facts.writes.get(step as usize),
    );
    let plain = !facts.guarded[step as usize] && !semantics.accesses_memory();
    match (reads, writes) {
        ([value], [_]) if among_lanes && plain => Some(*value),
        _ => None,
    }
}

/// The combination that an instruction is.
pub(super) fn combination(
    subject: &Subject<'_>,
    values: &Values<'_>,
    step: Step,
) -> Option<Combination> {
    let facts = &subject.flow.facts;
    let [first, second] = *facts.reads.get(step as usize) else {
        return None;
    };
    if facts.guarded[step as usize] || facts.writes.get(step as usize).len() != 1 {
        return None;
    }
    let [first, second] = [first, second].map(|it| original(subject, values, it));
    [(first, second), (second, first)]
        .into_iter()
        .find_map(|(own, received)| {
            let exchange = writer(values, received)?;
            let source = writer(values, own)?;
            (original(subject, values, sent(subject, exchange)?) == own).then_some(Combination {
                exchange,
                received,
                source,
            })
        })
}
