//! Code that never runs, registers that nobody wrote, and ends without `ret`.

use isa::control::Control;
use rustc_hash::FxHashSet;
use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextRange, TextSize};

use crate::{
    flow::{Flow, facts::references},
    hir::{
        body::{Body, OUTERMOST, Reference, Target, body},
        items::Function,
        tree,
    },
};

use super::{
    super::Finding,
    Statements,
    codes::{MISSING_RETURN, UNINITIALIZED_REGISTER, UNREACHABLE_CODE},
    finding,
};

pub(super) fn in_function(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    let (body, flow) = (body(db, function), statements.flow());
    unreachable(body, flow, findings);
    uninitialized(db, function, statements, findings);
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
fn uninitialized(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    let (body, flow) = (body(db, function), statements.flow());
    let mut reported = FxHashSet::default();
    // For each value the last block that has written it.
    let mut written = vec![u32::MAX; flow.facts.values.len()];
    for (block, steps) in (0..).zip(&flow.graph.blocks) {
        if !flow.graph.reachable[block as usize] || !flow.liveness.any_undefined_in(block) {
            continue;
        }
        for step in steps.clone() {
            let at = step as usize;
            let Some(instruction) = body.instructions.get(at) else {
                break;
            };
            let mut node = None;
            for value in flow.facts.reads.get(at) {
                let is_unwritten = written[*value as usize] != block
                    && flow.liveness.is_undefined_in(block, *value);
                // What is wrong already may mean another register.
                if !is_unwritten || flow.facts.copies[at] || statements.is_wrong(instruction.range)
                {
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
                let node = node.get_or_insert_with(|| statements.instruction(step));
                if node.is_some_and(|it| may_be_undefined(&it, read.range)) {
                    continue;
                }
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
            for value in flow.facts.writes.get(at) {
                written[*value as usize] = block;
            }
        }
    }
}

/// Whether it does not matter what an operand of an instruction holds, as in what compilers write for
/// values of which they know a part.
fn may_be_undefined(instruction: &Cursor<'_>, range: TextRange) -> bool {
    let opcode = instruction
        .token(SyntaxKind::IDENT)
        .map_or("", |it| it.text());
    let of_operands = |it: &Cursor<'_>| !matches!(it.kind(), SyntaxKind::GUARD | SyntaxKind::ERROR);
    let operands = instruction.nodes().filter(of_operands);
    let found = operands
        .enumerate()
        .find(|it| it.1.range().contains_range(range));
    found.is_some_and(|(index, operand)| {
        let of_vector = operand.kind() == SyntaxKind::VECTOR;
        isa::control::takes_undefined(opcode, index, of_vector)
    })
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
