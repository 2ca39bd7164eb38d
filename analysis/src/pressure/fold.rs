//! Which values take registers at all: what the hardware reads from constant memory, keeps once per
//! warp or computes as a part of another instruction takes none.

use isa::{compute::Operation as Computes, special::is_same_in_block};

use crate::flow::{
    Flow,
    facts::{Step, Value},
    ids::Base,
    lists::Lists,
    operation::{Operation, ValueList},
};

use super::program::Program;

/// How far away a use must be so that a cheap value is computed again.
const FAR: Step = 40;
/// How many additions of constants are followed from an address to its base.
const MAX_ADDITIONS: usize = 64;
/// Values with this many writes or more are not looked at when unused instructions are dropped.
const MANY_WRITES: usize = 8;

/// The accesses that are left, parallel to the instructions, without those that are gone.
pub(super) struct Folded {
    pub(super) reads: Lists,
    pub(super) writes: Lists,
    /// Whether the instruction is no more.
    pub(super) gone: Vec<bool>,
    /// For the sum of a value and a constant, both.
    additions: Vec<Option<(Value, i64)>>,
}

impl Folded {
    /// The place of an access, from the value that the chain of additions starts with.
    pub(super) fn place(&self, operation: &Operation<'_>) -> Option<(Base, i64)> {
        let (mut base, mut offset) = operation.place?;
        for _ in 0..MAX_ADDITIONS {
            let Base::Value(value) = base else { break };
            let Some((source, more)) = self.additions[value as usize] else {
                break;
            };
            base = Base::Value(source);
            offset = offset.wrapping_add(more);
        }
        Some((base, offset))
    }
}

/// Where a value is when it is read.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// In its own registers.
    Kept,
    /// In no register.
    Free,
    /// In those of another value.
    As(Value),
}

/// Where each value is written and read, each instruction once.
struct Uses {
    writes: Lists,
    reads: Lists,
    /// How often each value is written; an instruction may write one twice.
    written: Vec<u32>,
}

/// Folds a program. With `repeat`, cheap values are computed again where they are used rather than kept.
pub(super) fn fold(program: &Program<'_>, flow: &Flow, repeat: bool) -> Folded {
    let count = program.weights.len();
    let mut reads = Lists::default();
    let mut writes = Lists::default();
    let mut written = vec![0_u32; count];
    for operation in &program.operations {
        reads.push(operation.reads());
        writes.push(operation.writes.iter().copied());
        for value in &operation.writes {
            written[*value as usize] += 1;
        }
    }
    let writes = writes.transposed(count, |_| true);
    let gone = unused(program, &writes);
    let mut folding = Folding {
        program,
        flow,
        single: (0..count)
            .map(|it| match writes.get(it) {
                [only] if written[it] == 1 => !program.operations[*only as usize].keeps,
                _ => false,
            })
            .collect(),
        uses: Uses {
            writes,
            reads: reads.transposed(count, |it| !gone[it]),
            written,
        },
        gone,
        forms: vec![Form::Kept; count],
        uniform: vec![false; count],
        additions: vec![None; count],
        repeat,
    };
    for step in 0..program.operations.len() {
        if !folding.gone[step] {
            folding.step(step);
        }
    }
    folding.finish()
}

/// Instructions whose results nobody reads.
fn unused(program: &Program<'_>, writes: &Lists) -> Vec<bool> {
    let mut counts = vec![0_u32; program.weights.len()];
    for value in program.operations.iter().flat_map(Operation::reads) {
        counts[value as usize] += 1;
    }
    let idle = |operation: &Operation<'_>, counts: &[u32]| {
        let mut writes = operation.writes.iter();
        writes.len() > 0
            && !operation.semantics.stays()
            && !operation.semantics.carry_out
            && writes.all(|it| counts[*it as usize] == 0)
    };
    let mut gone = vec![false; program.operations.len()];
    let mut work: Vec<usize> = (0..gone.len())
        .filter(|it| idle(&program.operations[*it], &counts))
        .collect();
    while let Some(step) = work.pop() {
        if std::mem::replace(&mut gone[step], true) {
            continue;
        }
        for value in program.operations[step].reads() {
            let value = value as usize;
            counts[value] -= 1;
            let writers = writes.get(value);
            if counts[value] == 0 && writers.len() < MANY_WRITES {
                let writers = writers.iter().map(|it| *it as usize);
                work.extend(
                    writers.filter(|it| !gone[*it] && idle(&program.operations[*it], &counts)),
                );
            }
        }
    }
    gone
}

/// Whether an operation adds, and takes another sum or product as one of its operands.
fn is_sum(operation: Computes) -> bool {
    matches!(
        operation,
        Computes::Add
            | Computes::Subtract
            | Computes::ShiftLeft
            | Computes::Multiply
            | Computes::MultiplyWide
            | Computes::MultiplyAdd
            | Computes::MultiplyAddWide
    )
}

struct Folding<'p, 'a> {
    program: &'p Program<'a>,
    flow: &'p Flow,
    uses: Uses,
    /// Values with one write that nothing keeps from happening.
    single: Vec<bool>,
    gone: Vec<bool>,
    forms: Vec<Form>,
    /// Values that are the same in all threads and come from constants.
    uniform: Vec<bool>,
    additions: Vec<Option<(Value, i64)>>,
    repeat: bool,
}

impl Folding<'_, '_> {
    fn step(&mut self, step: usize) {
        let program = self.program;
        let it = &program.operations[step];
        let [written] = it.writes[..] else {
            self.constant_vector(step);
            return;
        };
        let weight = |value: Value| program.weights[value as usize];
        let guard = it.guard;
        let sources: Vec<Value> = it.reads().filter(|it| Some(*it) != guard).collect();
        let uniform = |it: &Value| self.uniform[*it as usize];
        if !self.single[written as usize] || weight(written) == 0 {
            if self.single[written as usize] && it.compares() && it.reads().all(|it| uniform(&it)) {
                self.uniform[written as usize] = true;
            }
            return;
        }
        let one_write = sources.iter().all(|it| self.single[*it as usize]);
        let all_uniform = sources.iter().all(uniform);
        let move_of = it.source().filter(|_| it.is(Computes::Copy));
        let constant = sources.is_empty()
            && move_of.is_some_and(|it| !it.is_address() && !it.is_vector())
            && !it.special;
        let parameter = it.semantics.is_load()
            && (program.entry && (it.has("param") || it.has("const")) && all_uniform
                || it.has("const") && sources.is_empty());
        let special = move_of
            .and_then(|it| it.special())
            .is_some_and(is_same_in_block);
        if constant || parameter || special {
            self.drop(step, written, Form::Free, true);
            return;
        }
        if let [source] = &sources[..]
            && (it.is(Computes::Copy) || it.keeps_address())
            && !it.operands().nth(1).is_some_and(|it| it.is_vector())
            && one_write
            && weight(*source) == weight(written)
        {
            self.drop(
                step,
                written,
                self.as_of(*source),
                self.uniform[*source as usize],
            );
            return;
        }
        if it.semantics.cost.uniform && all_uniform && (!sources.is_empty() || !it.special) {
            self.drop(step, written, Form::Free, true);
            return;
        }
        if !one_write && !self.stays_nearby(step, written, &sources) {
            return;
        }
        let [source] = sources[..] else { return };
        let number = it.constant();
        if it.is(Computes::Add)
            && let Some(Ok(number)) = number.map(i64::try_from)
        {
            self.additions[written as usize] = Some((source, number));
        }
        let users = self.uses.reads.get(written as usize);
        let operation = |step: &Step| &program.operations[*step as usize];
        let only_address = || {
            let mut users = users.iter().map(operation);
            users.all(|it| it.address.contains(&written) && !it.data.contains(&written))
        };
        let offset = weight(written) == 2
            && match it.operation() {
                Some(Computes::MultiplyWide) => true,
                Some(Computes::Resize) => {
                    let last = it.words().last().map(|it| &**it);
                    weight(source) == 1 && matches!(last, Some("u32" | "s32"))
                }
                Some(Computes::ShiftLeft) => number.is_some(),
                _ => false,
            };
        let only_sum = || {
            let mut users = users.iter().map(operation);
            users.all(|it| it.operation().is_some_and(is_sum))
        };
        let far = || {
            let block = |step: Step| self.flow.graph.block_of[step as usize];
            let here = step as Step;
            let mut users = users.iter();
            users.any(|it| block(*it) != block(here) || it.saturating_sub(here) > FAR)
        };
        let adds = |it| matches!(it, Computes::Add | Computes::Subtract | Computes::Or);
        let sum = it.operation().is_some_and(adds) && number.is_some();
        let folds = !users.is_empty()
            && (sum && only_address()
                || offset && only_sum()
                || self.repeat && one_write && it.semantics.cost.cheap && far());
        if folds {
            self.drop(step, written, self.as_of(source), false);
        }
    }

    /// Several values that are loaded from constant memory at once, where the parameters of an entry lie
    /// too, are operands from there as well.
    fn constant_vector(&mut self, step: usize) {
        let it = &self.program.operations[step];
        let constant = it.semantics.is_load()
            && (it.has("const") || self.program.entry && it.has("param"))
            && it.reads().all(|it| self.uniform[it as usize]);
        if constant && it.writes.iter().all(|it| self.single[*it as usize]) {
            for written in &it.writes {
                self.drop(step, *written, Form::Free, true);
            }
        }
    }

    /// Whether a value is read in the block of its write only, before its sources change.
    fn stays_nearby(&self, step: usize, written: Value, sources: &[Value]) -> bool {
        let block = |step: usize| self.flow.graph.block_of[step];
        let users = self.uses.reads.get(written as usize);
        let Some(last) = users.iter().max() else {
            return false;
        };
        let here = block(step);
        let step = step as Step;
        users.iter().all(|it| block(*it as usize) == here)
            && sources
                .iter()
                .filter(|it| !self.single[**it as usize])
                .all(|it| {
                    let writes = self.uses.writes.get(*it as usize);
                    let next = writes.partition_point(|it| *it <= step);
                    writes.get(next).is_none_or(|it| it > last)
                })
    }

    fn as_of(&self, source: Value) -> Form {
        match self.forms[source as usize] {
            Form::Kept => Form::As(source),
            other => other,
        }
    }

    fn drop(&mut self, step: usize, written: Value, form: Form, uniform: bool) {
        self.forms[written as usize] = form;
        self.uniform[written as usize] |= uniform;
        self.gone[step] = true;
    }

    fn finish(self) -> Folded {
        let mut folded = Folded {
            reads: Lists::default(),
            writes: Lists::default(),
            gone: self.gone,
            additions: self.additions,
        };
        for (operation, gone) in self.program.operations.iter().zip(&folded.gone) {
            if *gone {
                folded.reads.push([]);
                folded.writes.push([]);
                continue;
            }
            let mut reads: ValueList = operation
                .reads()
                .filter_map(|it| match self.forms[it as usize] {
                    _ if self.program.weights[it as usize] == 0 => Some(it),
                    Form::Kept => Some(it),
                    Form::Free => None,
                    Form::As(other) => Some(other),
                })
                .collect();
            let mut writes = operation.writes.clone();
            if operation.keeps {
                let several = |it: &Value| self.uses.written[*it as usize] > 1;
                reads.extend(writes.iter().copied().filter(several));
            }
            for list in [&mut reads, &mut writes] {
                list.sort_unstable();
                list.dedup();
            }
            folded.reads.push(reads);
            folded.writes.push(writes);
        }
        folded
    }
}
