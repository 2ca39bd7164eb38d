//! Reductions over the lanes of a warp: exchanges of a value, each combined with the value itself, as one line.

use isa::compute::Operation;
use rustc_hash::FxHashMap;

use crate::{
    flow::ids::{Step, Value},
    reading::{
        combination::{Combination, MAX_COPIES, combination, is_copy, operation_of, takes_apart},
        line::{Line, Row},
        statement::Writer,
        subject::Subject,
    },
};

/// Combinations in one reduction at least.
const MIN_STAGES: usize = 2;

/// A combination with the indices of its row and of the row of its exchange.
struct Stage {
    step: Step,
    combination: Combination,
    combined: usize,
    exchanged: usize,
}

/// The instructions that read what an instruction writes, or copies of it, ascending.
fn readers(writer: &Writer<'_, '_>, step: Step, copies: usize) -> Vec<Step> {
    let written = writer.subject.flow.facts.writes.get(step as usize).first();
    let mut found = Vec::new();
    if let Some(value) = written {
        add_readers(writer, step, *value, copies, &mut found);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Adds the readers of what an instruction writes, which is a copy of a register.
fn add_readers(
    writer: &Writer<'_, '_>,
    step: Step,
    value: Value,
    copies: usize,
    found: &mut Vec<Step>,
) {
    for reader in &writer.readers(step) {
        if let Some(parts) = part_readers(writer, *reader, value, MAX_COPIES) {
            found.extend(parts);
        } else if copies > 0 && is_copy(writer.subject, *reader) {
            add_readers(writer, *reader, value, copies - 1, found);
        } else {
            found.push(*reader);
        }
    }
}

/// The readers of the copies of a register that what an instruction puts together is taken apart into, if nothing else
/// reads that.
fn part_readers(
    writer: &Writer<'_, '_>,
    step: Step,
    value: Value,
    depth: usize,
) -> Option<Vec<Step>> {
    let (subject, facts) = (writer.subject, &writer.subject.flow.facts);
    let readers = writer.readers(step);
    let written = facts.writes.get(step as usize);
    if takes_apart(subject, &writer.values, step) {
        let sources: Option<Vec<&Value>> = written.iter().map(|it| subject.parts.get(it)).collect();
        let own: Vec<Value> = (written.iter().zip(sources?))
            .filter(|it| *it.1 == value)
            .map(|it| *it.0)
            .collect();
        if own.is_empty() {
            return None;
        }
        let reads = |it: &&Step| {
            let reads = facts.reads.get(**it as usize);
            reads.iter().any(|it| own.contains(it))
        };
        return Some(readers.iter().filter(reads).copied().collect());
    }
    if depth == 0 || readers.is_empty() || written.len() != 1 {
        return None;
    }
    let operation = operation_of(subject, step);
    let carries = is_copy(subject, step) || operation == Some(Operation::ShiftLeft);
    // What is put together is taken apart next, so nothing else is computed from it.
    let combines = matches!(operation, Some(Operation::Or | Operation::Add))
        || facts.reads.get(step as usize).len() > 1;
    if !carries && !combines {
        return None;
    }
    let depth = if combines { 0 } else { depth - 1 };
    let mut found = Vec::new();
    for reader in readers {
        found.extend(part_readers(writer, reader, value, depth)?);
    }
    Some(found)
}

/// Rows in which the exchanges and combinations of each reduction are one line.
pub(super) fn fold(mut rows: Vec<Row>, writer: &Writer<'_, '_>) -> Vec<Row> {
    let mut places: FxHashMap<Step, usize> = FxHashMap::default();
    for (index, row) in rows.iter().enumerate() {
        if let Row::Line(line) = row
            && let Some(step) = line.steps.last()
        {
            places.insert(*step, index);
        }
    }
    let (subject, values) = (writer.subject, &writer.values);
    let mut combinations: Vec<(Step, Combination)> = (places.keys())
        .filter_map(|it| Some((*it, combination(subject, values, *it)?)))
        .collect();
    combinations.sort_unstable_by_key(|it| it.0);
    let by_step: FxHashMap<Step, Combination> = combinations.iter().copied().collect();
    let mut gone = vec![false; rows.len()];
    // The last combination of a reduction comes first.
    for (last, _) in combinations.iter().rev() {
        let mut stages: Vec<Stage> = Vec::new();
        let mut at = *last;
        while let Some(it) = by_step.get(&at) {
            let known = [at, it.exchange].map(|it| places.get(&it).copied());
            let [Some(combined), Some(exchanged)] = known else {
                break;
            };
            if gone[combined] || gone[exchanged] {
                break;
            }
            let only = readers(writer, it.exchange, MAX_COPIES) == [at];
            let next = stages.last().is_none_or(|next| {
                readers(writer, at, MAX_COPIES) == [next.combination.exchange, next.step]
            });
            if !only || !next {
                break;
            }
            stages.push(Stage {
                step: at,
                combination: *it,
                combined,
                exchanged,
            });
            at = it.source;
        }
        if stages.len() < MIN_STAGES {
            continue;
        }
        stages.reverse();
        let lines = |index: usize| match &rows[index] {
            Row::Line(line) => Some(line),
            _ => None,
        };
        let texts: Option<Vec<(&Combination, &Line, &Line)>> = (stages.iter())
            .map(|it| Some((&it.combination, lines(it.combined)?, lines(it.exchanged)?)))
            .collect();
        let Some(line) = texts.and_then(|it| joined(subject, &it)) else {
            continue;
        };
        for it in &stages {
            gone[it.combined] = true;
            gone[it.exchanged] = true;
        }
        if let Some(it) = stages.last() {
            gone[it.combined] = false;
            rows[it.combined] = Row::Line(line);
        }
    }
    let mut index = 0;
    rows.retain(|_| {
        index += 1;
        !gone[index - 1]
    });
    rows
}

/// The line of a reduction, if all its combinations do the same.
fn joined(subject: &Subject<'_>, stages: &[(&Combination, &Line, &Line)]) -> Option<Line> {
    let mut line = Line::default();
    let mut same: Option<(String, String, String)> = None;
    let mut distances = Vec::new();
    let mut value = None;
    for (combination, combined, exchanged) in stages {
        let received = subject.register(combination.received);
        let (result, text) = combined.text.split_once(" = ")?;
        let (_, call) = exchanged.text.split_once(" = ")?;
        let (name, arguments) = call.strip_suffix(')')?.split_once('(')?;
        // An argument with a comma in it does not fit the operation.
        let (own, rest) = arguments.split_once(", ")?;
        let operation = operation(text, own, &received)?;
        let (distance, rest) = rest.split_once(", ").unwrap_or((rest, ""));
        distances.push(distance.to_owned());
        let now = (operation, name.to_owned(), rest.to_owned());
        if same.get_or_insert_with(|| now.clone()) != &now {
            return None;
        }
        value.get_or_insert(own.to_owned());
        line.text = result.to_owned();
        line.steps.extend(&combined.steps);
        line.steps.extend(&exchanged.steps);
    }
    let (operation, name, _) = same?;
    line.steps.sort_unstable();
    line.steps.dedup();
    line.text = format!(
        "{} = reduce({}, {operation}, {name}: {})",
        line.text,
        value?,
        distances.join(", ")
    );
    Some(line)
}

/// The operator or function that a text applies to two names.
fn operation(text: &str, one: &str, other: &str) -> Option<String> {
    for (first, second) in [(one, other), (other, one)] {
        if let Some(rest) = text.strip_prefix(first)
            && let Some(sign) = rest.strip_suffix(second)
            && let Some(sign) = sign.strip_prefix(' ').and_then(|it| it.strip_suffix(' '))
            && !sign.contains(' ')
        {
            return Some(sign.to_owned());
        }
        if let Some(name) = text.strip_suffix(&format!("({first}, {second})"))
            && !name.contains(['(', ' '])
        {
            return Some(name.to_owned());
        }
    }
    None
}
