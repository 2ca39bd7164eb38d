//! Loops that never end and do nothing that others could see.

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        lints::statements::Statements,
        registry::INFINITE_LOOP,
    },
    flow::{Flow, facts::Step, ids::BlockId},
    hir::{body::body, items::Function},
};

use isa::semantics::Control;
use salsa::Database;

pub(super) fn check(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    let (body, flow) = (body(db, function), statements.flow());
    if flow.graph.loops.is_empty() {
        return;
    }
    let caught = caught(flow);
    let mut seen = vec![false; caught.len()];
    let is_caught = |block: BlockId| caught[block as usize];
    // An outer loop comes after those in it.
    for it in flow.graph.loops.iter().rev() {
        if !is_caught(it.head) || seen[it.head as usize] {
            continue;
        }
        let mut steps: Vec<Step> = Vec::new();
        let mut work = vec![it.head];
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut seen[block as usize], true) {
                steps.extend(flow.graph.blocks[block as usize].clone());
                work.extend(flow.graph.successors.get(block as usize));
            }
        }
        if steps.iter().any(|it| is_seen(statements, *it)) {
            continue;
        }
        let back = |it: &&BlockId| {
            let last = flow.graph.blocks[**it as usize].clone().last();
            last.is_some_and(|it| flow.facts.control[it as usize].leaves())
        };
        let before = flow.graph.predecessors.get(it.head as usize);
        let jump = before.iter().filter(|it| is_caught(**it)).find(back);
        let last = jump.and_then(|it| flow.graph.blocks[*it as usize].clone().last());
        let Some(instruction) = last.and_then(|it| body.instructions.get(it as usize)) else {
            continue;
        };
        findings.push(finding(
            instruction.range,
            INFINITE_LOOP,
            "this loop never ends and has no visible effect".to_owned(),
            None,
        ));
    }
}

/// The blocks that control reaches and from which no way leads out of the function.
fn caught(flow: &Flow) -> Vec<bool> {
    let graph = &flow.graph;
    let mut free = vec![false; graph.blocks.len()];
    let mut work: Vec<BlockId> = graph.open_ends.clone();
    for (block, steps) in (0..).zip(&graph.blocks) {
        let ends = steps.clone().last().is_some_and(|it| {
            matches!(
                flow.facts.control[it as usize],
                Control::End | Control::Trap | Control::Return
            )
        });
        if ends || graph.successors.get(block as usize).is_empty() {
            work.push(block);
        }
    }
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut free[block as usize], true) {
            work.extend(graph.predecessors.get(block as usize));
        }
    }
    let both = graph.reachable.iter().zip(&free);
    both.map(|(reachable, free)| *reachable && !free).collect()
}

/// Whether others could see what an instruction does.
fn is_seen(statements: &Statements<'_>, step: Step) -> bool {
    statements.effects(step).is_none_or(|it| it.seen)
}
