//! A function as the model reads it: instructions with values that the model may rename, join and drop.

use isa::{
    compute::Operation as Computes,
    semantics::{Control, Semantics},
};
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Database;

use crate::{
    flow::{
        Flow,
        effects::{effects, semantics},
        facts::Value,
        flow as flow_of,
        ids::Base,
        operation::Operation,
    },
    hir::{
        body::{Place, Target, body},
        bound::Operands,
        forms::forms,
        items::{Function, items},
        module::{DeclarationSource, signature},
        outer::outer_name,
        tree,
    },
};

/// A function.
pub(super) struct Program<'a> {
    /// Its instructions; parallel to those of the body.
    pub(super) operations: Vec<Operation<'a>>,
    /// How many 32-bit registers each value takes; 0 for a predicate.
    pub(super) weights: Vec<u32>,
    /// Whether it is an entry, whose parameters lie in constant memory.
    pub(super) entry: bool,
    /// Whether it calls functions of which the file knows nothing, or takes the address of a function.
    pub(super) calls: bool,
    /// Whether it changes how many registers a thread has while it runs.
    pub(super) changes_registers: bool,
}

impl<'a> Program<'a> {
    /// Reads a function.
    pub(super) fn of(db: &'a dyn Database, function: Function<'a>, flow: &'a Flow) -> Program<'a> {
        let body = body(db, function);
        let forms = forms(db, function);
        let all: Vec<Semantics> = forms.all.iter().map(|it| semantics(db, *it)).collect();
        let mut changes_registers = changes_registers(db, function);
        let cursor = function.green(db).cursor();
        let mut calls = false;
        let mut operations = Vec::with_capacity(body.instructions.len());
        let operands = Operands::of(db, function);
        for step in 0..body.instructions.len() {
            let Some(instruction) = operands.get(step as u32) else {
                break;
            };
            let semantics = forms
                .index(step)
                .map_or_else(Semantics::default, |it| all[it]);
            let mut it = Operation::of(body, &flow.facts, instruction, semantics);
            it.scratch = it.semantics.cost.scratch;
            for reference in instruction.references {
                let Target::Free(name) = reference.target else {
                    continue;
                };
                let name = body.free.get(name as usize).map_or("", |it| it);
                match named_function(db, function, name) {
                    None => {}
                    // ptxas puts functions of the file where they are called, or gives the caller as many
                    // registers as they need.
                    Some(Some(callee)) if reference.place == Place::Callee => {
                        it.scratch = most_alive(db, callee);
                        changes_registers |= self::changes_registers(db, callee);
                    }
                    Some(_) => calls = true,
                }
            }
            calls |= it.semantics.control == Control::Call
                && !(instruction.references)
                    .iter()
                    .any(|it| it.place == Place::Callee && matches!(it.target, Target::Free(_)));
            it.keeps = !it.writes.is_empty() && flow.facts.keeps[step];
            operations.push(it);
        }
        Program {
            operations,
            weights: flow.facts.values.iter().map(|it| it.weight).collect(),
            entry: tree::has_word(&cursor, ".entry"),
            calls,
            changes_registers,
        }
    }

    /// Gives each value that a block replaces later on a name of its own, as the registers of a compiler
    /// that reuses names are several values. A constant that a load under a guard replaces at once is one
    /// write together with the load.
    pub(super) fn rename(&mut self, flow: &Flow) {
        let mut writes = vec![0_u32; self.weights.len()];
        for operation in &self.operations {
            for value in &operation.writes {
                writes[*value as usize] += 1;
            }
        }
        let several = |value: Value| writes.get(value as usize).is_some_and(|it| *it > 1);
        for steps in &flow.graph.blocks {
            let range = steps.start as usize..steps.end as usize;
            let mut last: FxHashMap<Value, usize> = FxHashMap::default();
            for step in range.clone() {
                let operation = &self.operations[step];
                if !operation.keeps {
                    let written = operation.writes.iter().filter(|it| several(**it));
                    last.extend(written.map(|it| (*it, step)));
                }
            }
            let mut current: FxHashMap<Value, Value> = FxHashMap::default();
            // Values that hold a constant nobody has read yet, with the step that writes it.
            let mut fresh: FxHashMap<Value, usize> = FxHashMap::default();
            let mut constant: FxHashMap<Value, ()> = FxHashMap::default();
            for step in range {
                let mut operation = std::mem::take(&mut self.operations[step]);
                let new = |value: &mut Value| {
                    *value = current.get(value).copied().unwrap_or(*value);
                };
                operation.data.iter_mut().for_each(new);
                operation.address.iter_mut().for_each(new);
                operation.guard.iter_mut().for_each(new);
                if let Some((Base::Value(base), _)) = &mut operation.place {
                    new(base);
                }
                let loads = operation.is(Computes::Copy) || operation.semantics.loads();
                let mut joined = Vec::new();
                for value in &mut operation.writes {
                    let old = *value;
                    if !several(old) {
                        continue;
                    }
                    if operation.keeps {
                        *value = current.get(&old).copied().unwrap_or(old);
                        if let Some(first) = fresh.get(value).filter(|_| loads) {
                            joined.push((*first, *value));
                        }
                    } else if last.get(&old).is_some_and(|it| step < *it) {
                        *value = self.weights.len() as Value;
                        self.weights.push(self.weights[old as usize]);
                        current.insert(old, *value);
                    } else {
                        current.remove(&old);
                    }
                }
                for value in operation.reads() {
                    fresh.remove(&value);
                }
                let only = match operation.writes[..] {
                    [only] => Some(only),
                    _ => None,
                };
                if !joined.is_empty() {
                    if joined.len() == operation.writes.len() {
                        for (first, _) in &joined {
                            self.operations[*first] = Operation::default();
                        }
                        operation.keeps = false;
                    }
                    for value in &operation.writes {
                        fresh.remove(value);
                    }
                } else if let (Some(written), true, None, true) = (
                    only,
                    operation.is(Computes::Copy),
                    operation.guard,
                    operation.source().is_some(),
                ) {
                    let copied = match operation.data[..] {
                        [] => !operation.special,
                        [source] => constant.contains_key(&source),
                        _ => false,
                    };
                    if copied {
                        fresh.insert(written, step);
                        constant.insert(written, ());
                    } else {
                        fresh.remove(&written);
                        constant.remove(&written);
                    }
                } else {
                    for value in &operation.writes {
                        fresh.remove(value);
                        constant.remove(value);
                    }
                }
                self.operations[step] = operation;
            }
        }
    }
}

/// The function that a name of the module stands for, if it does, with its body if the file has it.
fn named_function<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
    name: &str,
) -> Option<Option<Function<'db>>> {
    let file = function.file(db);
    let declarations = outer_name(db, function, name).all();
    let mut indices = declarations.iter().filter_map(|it| match it.source {
        DeclarationSource::Function(index) => Some(index),
        _ => None,
    });
    let first = indices.next();
    if first.is_none()
        && declarations
            .iter()
            .all(|it| matches!(it.source, DeclarationSource::Variable(_)))
    {
        return None;
    }
    let functions = &items(db, file).functions;
    let all = first.into_iter().chain(indices);
    let mut all = all.filter_map(|it| functions.get(it as usize).copied());
    Some(all.find(|it| signature(db, *it).defined))
}

/// Whether a function changes how many registers a thread has while it runs.
fn changes_registers(db: &dyn Database, function: Function<'_>) -> bool {
    let mut all = forms(db, function).all.iter();
    all.any(|it| effects(db, *it).changes_registers)
}

/// The most registers that the values of a function take at once, as the text has them. It is a query, so
/// that callers see a change of the number only.
#[salsa::tracked(returns(copy))]
pub(crate) fn most_alive<'db>(db: &'db dyn Database, function: Function<'db>) -> u32 {
    let flow = flow_of(db, function);
    let weight = |it: Value| flow.facts.values.get(it as usize).map_or(0, |it| it.weight);
    let mut most = 0;
    for (block, steps) in (0..).zip(&flow.graph.blocks) {
        let mut live: FxHashSet<Value> = flow.liveness.live_out(block).collect();
        let mut now: u32 = live.iter().copied().map(weight).sum();
        most = most.max(now);
        for step in steps.clone().rev().map(|it| it as usize) {
            if !flow.facts.keeps[step] {
                for value in flow.facts.writes.get(step) {
                    now -= if live.remove(value) {
                        weight(*value)
                    } else {
                        0
                    };
                }
            }
            for value in flow.facts.reads.get(step) {
                now += if live.insert(*value) {
                    weight(*value)
                } else {
                    0
                };
            }
            most = most.max(now);
        }
    }
    most
}
