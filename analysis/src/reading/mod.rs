//! Functions as pseudocode for reading: loops and conditions by indentation, addresses as elements of arrays, and
//! results that are read once inside the statement that reads them.
//!
//! [`plan`] decides which instructions have a statement, [`structure`] finds loops and conditions, [`statement`] writes
//! the text of an instruction, and [`rows`] puts these together. [`reduction`] shortens reductions over lanes, [`chain`]
//! sums and extremes over many statements, [`polynomial`] polynomials, and [`repetition`] unrolled code. [`twins`] finds
//! branches that do nearly the same, which [`both`] puts together. [`crate::values`] makes the expressions;
//! nothing is computed here.

mod both;
mod chain;
mod combination;
mod compact;
mod line;
mod plan;
mod polynomial;
mod reduction;
mod repetition;
mod rows;
mod series;
mod statement;
mod structure;
mod subject;
#[cfg(test)]
mod tests;
mod twins;

use salsa::Database;
use syntax::{TextRange, TextSize};

use crate::{
    SourceLocation,
    db::SourceFile,
    demangle::short_name,
    features::navigation::source_locations::{instruction_locations, paths},
    flow::ids::Step,
    hir::{
        items::{Function, item_offsets, items},
        module::signature,
    },
    values::{Purpose, Values},
};

use combination::parts;
use line::Line;
use plan::Plan;
use rows::Rows;
use series::shortened;
use statement::Writer;
use structure::Structure;
pub(crate) use subject::Subject;
use twins::Twins;

/// How often a reading is begun again because an expression has no text: each time more results have names.
const ATTEMPTS: usize = 3;

/// A function as pseudocode for reading. It does not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The name of the function, as in the file.
    pub function: String,
    /// The names of its parameters, as the lines name them.
    pub parameters: Vec<String>,
    /// Its lines.
    pub lines: Vec<ReadingLine>,
}

impl Reading {
    /// The line above the others: the name of the function for people, and its parameters.
    #[must_use]
    pub fn heading(&self) -> String {
        let name = short_name(&self.function);
        format!("{name}({}):", shortened(&self.parameters).join(", "))
    }
}

/// A line of a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadingLine {
    /// How many loops, conditions and the like are around it.
    pub indent: u32,
    /// The text.
    pub text: String,
    /// The statements that it shows, in UTF-8 offsets of the file, ascending; empty for one that only shows the
    /// structure.
    pub ranges: Vec<TextRange>,
    /// The one of these by which the line has its place: the first that is not before the line above. The others
    /// are folded into it, or are in branches that are shown together.
    pub lead: Option<TextRange>,
    /// The place in the source from which the last of these was made, as `.loc` says.
    pub source: Option<SourceLocation>,
}

/// The readings of the functions of a file that have a body, or of those with a name.
pub(crate) fn readings(db: &dyn Database, file: SourceFile, name: Option<&str>) -> Vec<Reading> {
    let items = items(db, file);
    let offsets = item_offsets(db, file);
    let starts = items.functions.iter().zip(&offsets.functions);
    starts
        .filter(|it| name.is_none_or(|name| it.0.name(db) == name))
        .filter(|it| signature(db, *it.0).defined)
        .map(|(function, start)| reading(db, file, *function, *start))
        .collect()
}

fn reading(
    db: &dyn Database,
    file: SourceFile,
    function: Function<'_>,
    start: TextSize,
) -> Reading {
    let mut subject = Subject::of(db, function);
    let flow = subject.flow;
    let mut values = Values::of(db, function, flow, Purpose::Listing);
    subject.parts = parts(&subject, &mut values);
    let structure = Structure::new(flow);
    let count = flow.facts.len();
    let mut forced = vec![false; count];
    let mut attempt = 0;
    let mut twins: Option<Twins> = None;
    let lines = loop {
        db.unwind_if_revision_cancelled();
        let values = Values::of(db, function, flow, Purpose::Listing);
        let plan = Plan::new(&subject, &values, &forced);
        let values = values.with_named(plan.named.clone());
        let writer = Writer::new(&subject, values, &plan);
        let mut rows = Rows::new(writer, &structure);
        if !rows.failed().is_empty() && attempt < ATTEMPTS {
            for step in rows.failed() {
                forced[*step as usize] = true;
                for inside in &plan.inside[*step as usize] {
                    forced[*inside as usize] = true;
                }
            }
            attempt += 1;
            if attempt == ATTEMPTS {
                forced.fill(true);
            }
            continue;
        }
        // What branches share has a name only in the next attempt.
        let found = match &twins {
            None => rows.twins(),
            Some(found) if rows.merge(found) => break rows.finish(),
            Some(_) => Twins::default(),
        };
        if found.groups.is_empty() && subject.names.is_empty() {
            break rows.finish();
        }
        drop(rows);
        subject.names.clone_from(&found.names);
        twins = Some(found);
    };
    let sources = instruction_locations(&function.green(db).cursor());
    let paths = paths(db, file);
    let source = |step: Step| {
        let [index, line, column] = (*sources.get(step as usize)?)?;
        Some(SourceLocation {
            path: (*paths.get(&index)?).to_owned(),
            line,
            column,
        })
    };
    let range = |step: &Step| {
        let instruction = subject.body.instructions.get(*step as usize)?;
        Some(instruction.range + start)
    };
    let line = |it: Line| ReadingLine {
        indent: it.indent,
        source: it.steps.last().and_then(|it| source(*it)),
        ranges: it.steps.iter().filter_map(range).collect(),
        lead: it.lead.as_ref().and_then(range),
        text: it.text,
    };
    Reading {
        function: function.name(db).to_owned(),
        parameters: subject.parameters(),
        lines: lines.into_iter().map(line).collect(),
    }
}
