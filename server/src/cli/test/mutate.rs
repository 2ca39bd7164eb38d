//! Mutation: whether the runs notice that an instruction is missing which synchronizes.

use run::{description::Prepared, fences_tensor_memory, synchronizes, synchronizes_without_order};
use syntax::TextRange;

use super::judge::{Order, attempt};
use crate::cli::run::{
    can::reached,
    execute::is_interrupted,
    subject::{Run, Subject},
};

/// A mutant may take so many times the steps of the kernel, as one that hangs shows that.
const PATIENCE: u64 = 16;
/// And so many beside.
const STEPS: u64 = 100_000;

/// The results of the mutants of a run.
#[derive(Default)]
pub(super) struct Mutants {
    /// How many were noticed,
    pub(super) found: usize,
    /// how many were not, but lack a fence that acquires and releases make unnecessary,
    pub(super) covered: usize,
    /// and the others, by the statement that they lack.
    pub(super) survivors: Vec<TextRange>,
}

/// Deletes each instruction that synchronizes, and runs what is left in all orders until one of them notices.
pub(super) fn mutate(
    subject: &Subject,
    it: &Run,
    prepared: &Prepared,
    orders: &[Order],
    steps: u64,
) -> Mutants {
    let mut mutants = Mutants::default();
    let functions = reached(&subject.code, Some(it.entry)).into_iter();
    let instructions = functions.flat_map(|it| &subject.code.functions[it as usize].instructions);
    let instructions: Vec<_> = instructions.collect();
    let orders_all = !instructions.iter().any(|it| synchronizes_without_order(it));
    for instruction in instructions.into_iter().filter(|it| synchronizes(it)) {
        let range = instruction.range;
        if is_interrupted() {
            break;
        }
        let mutant = Subject::new(
            subject.name.clone(),
            without(subject.document.text(), range),
        );
        let name = &subject.code.functions[it.entry as usize].name;
        // One that is not a program any more says nothing about the runs.
        let Some(entry) = mutant.entry(name).filter(|_| mutant.errors.is_empty()) else {
            continue;
        };
        let mut prepared = prepared.clone();
        prepared.launch.entry = entry;
        prepared.launch.limits.steps = (steps * PATIENCE + STEPS).min(prepared.launch.limits.steps);
        let is_found = orders.iter().any(|order| {
            let attempt = attempt(&mutant, it, &prepared, *order, None);
            attempt.is_ok_and(|it| it.failure.is_some())
        });
        match is_found {
            true => mutants.found += 1,
            false if orders_all && fences_tensor_memory(instruction) => mutants.covered += 1,
            false => mutants.survivors.push(range),
        }
    }
    mutants
}

/// The text with blanks in the place of a statement; lines stay.
fn without(text: &str, range: TextRange) -> String {
    let (before, rest) = text.split_at(range.start().into());
    let (statement, after) = rest.split_at(range.len().into());
    let blank = |it: char| match it {
        '\n' | '\r' => String::from(it),
        _ => " ".repeat(it.len_utf8()),
    };
    let blanks: String = statement.chars().map(blank).collect();
    format!("{before}{blanks}{after}")
}
