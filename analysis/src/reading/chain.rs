//! Chains: results that only the next statement combines with more by the same operation, as one statement.

use isa::compute::CHAINED_FUNCTIONS;
use rustc_hash::FxHashMap;

use crate::flow::ids::Step;

use super::{
    line::{Line, Row},
    series::shortened,
    statement::Writer,
};

/// Operands of one chain at most.
const MAX_ITEMS: usize = 1024;
/// Operands of a sum that has signs between them.
const MAX_SIGNS: usize = 9;
/// The longest statement, in bytes.
const MAX_TEXT: usize = 300;
const SUM: &str = "sum";
/// The beginning of a reduction over lanes.
const REDUCTION: &str = "reduce(";

/// A statement as a result and what one operation combines, from the first to the last.
struct Chain {
    result: String,
    operation: &'static str,
    items: Vec<String>,
    /// The rows that it replaces, its own first.
    rows: Vec<usize>,
    steps: Vec<Step>,
}

impl Chain {
    fn of(line: &Line, row: usize) -> Option<Chain> {
        let (result, text) = line.text.split_once(" = ")?;
        if result.contains([' ', '[', '(', '@']) {
            return None;
        }
        let (operation, items) = operands(text)?;
        Some(Chain {
            result: result.to_owned(),
            operation,
            items,
            rows: vec![row],
            steps: line.steps.clone(),
        })
    }

    fn text(&self) -> String {
        let items = shortened(&self.items);
        let text = match self.operation {
            SUM if items.len() == self.items.len() && items.len() <= MAX_SIGNS => items.join(" + "),
            name => format!("{name}({})", items.join(", ")),
        };
        format!("{} = {text}", self.result)
    }
}

/// The operation of an expression and its operands; operations of the same kind on the left are taken apart.
fn operands(text: &str) -> Option<(&'static str, Vec<String>)> {
    for name in CHAINED_FUNCTIONS {
        if let Some(items) = arguments(text, name) {
            return Some((name, items));
        }
    }
    let items = split(text, " + ");
    let plain = |it: &&str| split(it, " ").len() == 1;
    (items.len() > 1 && items.iter().all(plain))
        .then(|| (SUM, items.into_iter().map(str::to_owned).collect()))
}

/// The arguments of a function of two numbers, which may be a call of it itself.
fn arguments(text: &str, name: &str) -> Option<Vec<String>> {
    let mut later = Vec::new();
    let mut rest = text;
    loop {
        let inner = rest.strip_prefix(name).and_then(|it| it.strip_prefix('('));
        let inner = inner.and_then(|it| it.strip_suffix(')'));
        let found = inner.map(|it| split(it, ", "));
        match found.as_deref() {
            Some([first, second]) => {
                later.push((*second).to_owned());
                rest = first;
            }
            _ if later.is_empty() => return None,
            _ => break,
        }
    }
    later.push(rest.to_owned());
    later.reverse();
    Some(later)
}

/// A text in parts, at a separator that is in no brackets.
fn split<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut at) = (0, 0, 0);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ if depth == 0 && text.as_bytes()[at..].starts_with(separator.as_bytes()) => {
                parts.push(&text[start..at]);
                at += separator.len();
                start = at;
                continue;
            }
            _ => {}
        }
        // A closing bracket without an opening one.
        if depth < 0 {
            return Vec::new();
        }
        at += 1;
    }
    parts.push(&text[start..]);
    parts
}

/// Rows in which each chain is one line.
pub(super) fn fold(mut rows: Vec<Row>, writer: &Writer<'_, '_>) -> Vec<Row> {
    let mut chains: Vec<Option<Chain>> = Vec::new();
    // The last row with each result.
    let mut by_result: FxHashMap<String, usize> = FxHashMap::default();
    for (index, row) in rows.iter().enumerate() {
        let chain = match row {
            Row::Line(line) if !line.meets && !line.waits => Chain::of(line, index),
            _ => None,
        };
        // Another branch may write there what an earlier statement reads.
        if matches!(row, Row::Only(..)) {
            by_result.clear();
        }
        let Some(mut chain) = chain else {
            chains.push(None);
            continue;
        };
        if let Some(before) = by_result.get(&chain.items[0]).copied()
            && let Some(first) = &chains[before]
            && first.operation == chain.operation
            && first.items.len() + chain.items.len() <= MAX_ITEMS
            && may_move(writer, &first.steps, &chain.steps)
            && let Some(first) = chains[before].take()
        {
            chain.items.splice(..1, first.items);
            chain.rows.extend(first.rows);
            chain.steps.extend(first.steps);
            chain.steps.sort_unstable();
            chain.steps.dedup();
        }
        by_result.insert(chain.result.clone(), index);
        chains.push(Some(chain));
    }
    let mut gone = vec![false; rows.len()];
    for chain in chains.into_iter().flatten() {
        let text = chain.text();
        if text.len() > MAX_TEXT {
            continue;
        }
        let (own, others) = (chain.rows[0], &chain.rows[1..]);
        for row in others {
            gone[*row] = true;
        }
        if let Row::Line(line) = &mut rows[own] {
            line.text = text;
            line.steps = chain.steps;
        }
    }
    reduce(&mut rows, &mut gone, writer);
    let mut index = 0;
    rows.retain(|_| {
        index += 1;
        !gone[index - 1]
    });
    rows
}

/// Puts each chain into the reduction over lanes that alone reads its result.
fn reduce(rows: &mut [Row], gone: &mut [bool], writer: &Writer<'_, '_>) {
    let mut by_result: FxHashMap<String, usize> = FxHashMap::default();
    for index in 0..rows.len() {
        let (before, after) = rows.split_at_mut(index);
        let line = match &mut after[0] {
            Row::Line(line) if !gone[index] && !line.meets && !line.waits => line,
            Row::Only(..) => {
                by_result.clear();
                continue;
            }
            _ => continue,
        };
        let Some((result, text)) = line.text.split_once(" = ") else {
            continue;
        };
        if text.starts_with(SUM) || CHAINED_FUNCTIONS.iter().any(|it| text.starts_with(it)) {
            by_result.insert(result.to_owned(), index);
            continue;
        }
        let Some((name, rest)) = (text.strip_prefix(REDUCTION)).and_then(|it| it.split_once(", "))
        else {
            continue;
        };
        let chain = by_result.get(name).map(|it| (*it, &before[*it]));
        let Some((at, Row::Line(chain))) = chain else {
            continue;
        };
        let Some((_, inner)) = chain.text.split_once(" = ") else {
            continue;
        };
        let text = format!("{result} = {REDUCTION}{inner}, {rest}");
        if text.len() <= MAX_TEXT && may_move(writer, &chain.steps, &line.steps) {
            line.text = text;
            line.steps.extend(&chain.steps);
            line.steps.sort_unstable();
            line.steps.dedup();
            gone[at] = true;
        }
    }
}

/// Whether a statement may be inside a later one: nothing else reads its result, and what it reads is the same there.
pub(super) fn may_move(writer: &Writer<'_, '_>, first: &[Step], second: &[Step]) -> bool {
    let (Some(from), Some(to)) = (first.last(), second.last()) else {
        return false;
    };
    let flow = writer.subject.flow;
    let readers = writer.readers(*from);
    let block = |it: &Step| flow.graph.block_of[*it as usize];
    let is_fixed = |step: &Step| {
        let plain = !writer.subject.semantics(*step).accesses_memory()
            || writer.subject.parameter(*step).is_some();
        let reads = flow.facts.reads.get(*step as usize).iter();
        plain
            && reads.into_iter().all(|value| {
                let writes = writer.values.chains().writes(*value);
                let next = writes.partition_point(|it| it <= from);
                writes.get(next).is_none_or(|it| it > to)
            })
    };
    !readers.is_empty()
        && readers.iter().all(|it| second.contains(it))
        && from < to
        && block(from) == block(to)
        && first.iter().all(is_fixed)
}
