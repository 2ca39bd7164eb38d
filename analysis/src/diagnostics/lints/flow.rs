//! Code that never runs, registers that nobody wrote, and ends without `ret`.

use isa::control::Control;
use rustc_hash::FxHashSet;
use salsa::Database;
use syntax::{TextRange, TextSize};

use crate::{
    flow::{Flow, facts::references, flow},
    hir::{
        body::{Body, OUTERMOST, Reference, Target, body},
        items::Function,
        tree,
    },
};

use super::{
    super::Finding,
    codes::{MISSING_RETURN, UNINITIALIZED_REGISTER, UNREACHABLE_CODE},
    finding,
};

pub(super) fn in_function(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    // What the parser did not understand may write anything and jump anywhere.
    if !function.errors(db).is_empty() {
        return;
    }
    let (body, flow) = (body(db, function), flow(db, function));
    unreachable(body, flow, findings);
    uninitialized(body, flow, findings);
    if tree::has_word(&function.green(db).cursor(), ".entry") {
        missing_return(body, flow, findings);
    }
}

/// One finding for each stretch of blocks that no way reaches.
fn unreachable(body: &Body, flow: &Flow, findings: &mut Vec<Finding>) {
    let blocks = flow.graph.blocks.iter().zip(&flow.graph.reachable);
    let dead = blocks.filter(|(steps, reachable)| !**reachable && !steps.is_empty());
    let mut stretches: Vec<std::ops::Range<u32>> = Vec::new();
    for (steps, _) in dead {
        match stretches.last_mut() {
            Some(last) if last.end == steps.start => last.end = steps.end,
            _ => stretches.push(steps.clone()),
        }
    }
    for steps in stretches {
        let steps = steps.start as usize..steps.end as usize;
        // Compilers close every block with a jump or an end, even behind a call that never returns.
        let control = &flow.facts.control[steps.clone()];
        if control
            .iter()
            .all(|it| it.leaves() && *it != Control::Table)
        {
            continue;
        }
        let (Some(first), Some(last)) = (
            body.instructions.get(steps.start),
            body.instructions.get(steps.end - 1),
        ) else {
            continue;
        };
        findings.push(finding(
            UNREACHABLE_CODE,
            first.range.cover(last.range),
            "control never gets here".to_owned(),
            None,
        ));
    }
}

/// The first use of each register that no way to it writes.
fn uninitialized(body: &Body, flow: &Flow, findings: &mut Vec<Finding>) {
    let mut reported = FxHashSet::default();
    let mut unwritten = FxHashSet::default();
    for (block, steps) in (0..).zip(&flow.graph.blocks) {
        if !flow.graph.reachable[block as usize] {
            continue;
        }
        unwritten.clear();
        unwritten.extend(flow.liveness.undefined_in(block));
        for step in steps.clone().map(|it| it as usize) {
            if unwritten.is_empty() {
                break;
            }
            let Some(instruction) = body.instructions.get(step) else {
                break;
            };
            for value in flow.facts.reads.get(step) {
                if !unwritten.contains(value) || flow.facts.copies[step] {
                    continue;
                }
                let register = flow.facts.values[*value as usize];
                let is_it = |it: &&Reference| {
                    it.target == Target::Definition(register.definition)
                        && it.member == register.member
                };
                let references = references(body, instruction);
                // The accumulators of an asynchronous multiplication need no first value.
                let Some(read) = references.iter().filter(is_it).find(|it| !it.write) else {
                    continue;
                };
                if reported.insert(*value) {
                    let definition = body.definition(register.definition);
                    let name = match register.member {
                        Some(member) => format!("{}{member}", definition.name),
                        None => definition.name.to_string(),
                    };
                    findings.push(finding(
                        UNINITIALIZED_REGISTER,
                        read.range,
                        format!("nothing writes `{name}` before this, so its value is undefined"),
                        None,
                    ));
                }
            }
            for value in flow.facts.writes.get(step) {
                unwritten.remove(value);
            }
        }
    }
}

/// Where control leaves an entry behind its last instruction.
fn missing_return(body: &Body, flow: &Flow, findings: &mut Vec<Finding>) {
    let mut ends = flow.graph.open_ends.iter();
    if !ends.any(|it| flow.graph.reachable[*it as usize]) {
        return;
    }
    let Some(scope) = body.scopes.get(OUTERMOST as usize) else {
        return;
    };
    let end = scope.range.end();
    let brace = TextRange::new(end - TextSize::new(1).min(end), end);
    findings.push(finding(
        MISSING_RETURN,
        brace,
        "control gets to the end of the entry without `ret` or `exit`".to_owned(),
        Some("ptxas ends the thread here, as `ret` would".to_owned()),
    ));
}
