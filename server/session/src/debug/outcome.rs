//! The outcome of a run as data, for clients that show more than the console: findings, expectations and arrays.

use run::{
    Ended, Outcome, Related, Severity,
    description::{Judgement, Shown, bits_at},
};
use serde_json::{Value, json};
use syntax::TextRange;

use super::{
    program::Program,
    state::{Client, KernelRun},
};

/// The most elements of an array that are sent.
const MOST_ELEMENTS: u64 = 1024;

/// The body of the event `ptx/outcome`.
pub(super) fn outcome_event(run: &KernelRun<'_>, outcome: &Outcome, client: Client) -> Value {
    let program = run.program;
    let place = |range| place(program, range, client);
    let related = |it: &Related| {
        let mut shown = place(it.range);
        shown["message"] = it.message.clone().into();
        shown
    };
    let findings = outcome.findings.iter().map(|it| {
        let mut shown = place(it.range);
        shown["code"] = it.code.word().into();
        shown["message"] = it.message.clone().into();
        shown["isError"] = (it.severity == Severity::Error).into();
        shown["block"] = json!(it.block);
        shown["warp"] = it.warp.into();
        shown["lanes"] = json!(it.lanes);
        shown["related"] = it.related.iter().map(related).collect();
        shown
    });
    let not_run = outcome.not_run.iter().map(|it| {
        let mut shown = place(it.range);
        shown["message"] = format!("{} is not run yet", it.what).into();
        shown
    });
    let ended = match outcome.ended {
        Ended::Finished => "finished",
        Ended::Stopped => "stopped",
        Ended::Deadlock => "deadlock",
        Ended::Trap => "trap",
        Ended::Limit => "limit",
    };
    let is_judged = !matches!(outcome.ended, Ended::Stopped | Ended::Limit);
    let judged = match is_judged {
        true => run.prepared.judge(outcome),
        false => Vec::new(),
    };
    let entry = run.prepared.launch.entry as usize;
    let count = run.prepared.launch.arrays.len();
    json!({
        "entry": program.code.functions.get(entry).map(|it| &*it.name),
        "ended": ended,
        "steps": outcome.steps,
        "findings": findings.collect::<Vec<_>>(),
        "notRun": not_run.collect::<Vec<_>>(),
        "wrongLaunch": outcome.wrong_launch,
        "approximated": outcome.approximated,
        "expectations": judged.iter().map(expectation).collect::<Vec<_>>(),
        "arrays": (0..count).map(|it| array(run, outcome, it)).collect::<Vec<_>>(),
    })
}

/// A range as the client counts.
fn place(program: &Program, range: TextRange, client: Client) -> Value {
    let (start, end) = (program.position(range), program.end(range));
    json!({
        "line": i64::from(start.line) + client.first_line,
        "column": i64::from(start.character) + client.first_column,
        "endLine": i64::from(end.line) + client.first_line,
        "endColumn": i64::from(end.character) + client.first_column,
    })
}

fn expectation(it: &Judgement) -> Value {
    let first = it.first.as_ref().map(|first| {
        json!({
            "index": first.index,
            "got": first.got.to_string(),
            "want": first.want.to_string(),
        })
    });
    json!({
        "name": it.name,
        "holds": it.holds(),
        "different": it.different,
        "of": it.of,
        "first": first,
    })
}

/// An array with its first elements, and whether the run changed it.
fn array(run: &KernelRun<'_>, outcome: &Outcome, index: usize) -> Value {
    let launched = &run.prepared.launch.arrays[index];
    let bytes = outcome.arrays.get(index).map_or(&[][..], |it| it);
    let undefined = outcome.undefined.get(index).map_or(&[][..], |it| it);
    let Some(layout) = run.prepared.arrays.get(index) else {
        return json!({ "name": launched.name });
    };
    let count: u64 = layout.shape.iter().product();
    let bits = u64::from(layout.element.bits());
    let values = (0..count.min(MOST_ELEMENTS)).map(|it| {
        let first = (it * bits / 8) as usize;
        let end = ((it + 1) * bits).div_ceil(8) as usize;
        let at = undefined.partition_point(|byte| *byte < first);
        let is_undefined = undefined.get(at).is_some_and(|byte| *byte < end);
        match bits_at(layout.element, bytes, it as usize) {
            Some(bits) if !is_undefined => layout.element.shown(bits),
            _ => Shown::Undefined,
        }
        .to_string()
    });
    json!({
        "name": launched.name,
        "type": layout.element.word(),
        "shape": layout.shape,
        "isChanged": launched.undefined || launched.bytes != bytes,
        "values": values.collect::<Vec<_>>(),
    })
}
