//! Loops that wait for memory to change.

use crate::flow::{
    facts::Step,
    graph::{BlockId, Graph},
};
use crate::protocols::{
    kernel::Kernel,
    known::Known,
    report::{Report, report},
};

/// Longer loops do something.
const MAX_LENGTH: usize = 16;

/// Whether there may be something to say: some short loop has a load that takes no notice of other threads.
pub(in crate::protocols) fn may_poll(known: &Known<'_>) -> bool {
    let graph = &known.flow.graph;
    let weak_load = |step: &Step| (known.form)(*step).is_some_and(|it| it.weak_load);
    (0..graph.loops.len() as u32)
        .filter_map(|it| short_loop(graph, it))
        .any(|it| it.1.iter().any(weak_load))
}

/// The blocks and the instructions of a loop, if these are few.
fn short_loop(graph: &Graph, index: u32) -> Option<(Vec<BlockId>, Vec<Step>)> {
    let mut blocks: Vec<BlockId> = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    let mut work = vec![graph.loops[index as usize].head];
    while let Some(block) = work.pop() {
        if blocks.contains(&block) || !graph.in_loop(block, index) {
            continue;
        }
        blocks.push(block);
        let inside = graph.blocks[block as usize].clone();
        if steps.len() + inside.len() > MAX_LENGTH {
            return None;
        }
        steps.extend(inside);
        work.extend(graph.successors.get(block as usize));
    }
    Some((blocks, steps))
}

/// A loop that nothing but other threads can end, and that reads as if there were none.
pub(super) fn weak_poll(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    let (graph, facts) = (&kernel.flow.graph, &kernel.flow.facts);
    for index in 0..graph.loops.len() as u32 {
        let Some((blocks, steps)) = short_loop(graph, index) else {
            continue;
        };
        let inside = |step: &Step| steps.contains(step);
        // Each instruction is a weak load of an address that stays, arithmetic, or a branch.
        let mut loads: Vec<Step> = Vec::new();
        let quiet = steps.iter().all(|step| {
            if facts.control[*step as usize] == isa::semantics::Control::Branch {
                return true;
            }
            if kernel.is_weak_load(*step) {
                loads.push(*step);
                let reads = facts.reads.get(*step as usize);
                return !reads
                    .iter()
                    .any(|it| kernel.definitions(*it).iter().any(&inside));
            }
            kernel.is_pure(*step)
        });
        let Some(load) = loads.first().filter(|_| quiet) else {
            continue;
        };
        // Every number of the loop comes from the loads, or stays: nothing counts.
        let counts = steps.iter().any(|step| {
            let (reads, writes) = (
                facts.reads.get(*step as usize),
                facts.writes.get(*step as usize),
            );
            let later = |value: &u32| {
                let definitions = kernel.definitions(*value);
                definitions.iter().any(|it| inside(it) && *it >= *step)
            };
            !writes.is_empty() && reads.iter().any(later)
        });
        let exits: Vec<Step> = blocks
            .iter()
            .filter(|it| {
                let next = graph.successors.get(**it as usize);
                next.iter().any(|it| !blocks.contains(it))
            })
            .filter_map(|it| kernel.paths.last(*it))
            .collect();
        let [exit] = exits[..] else {
            continue;
        };
        if counts || !depends(kernel, exit, &loads, &inside) {
            continue;
        }
        let name = kernel.name(*load);
        reports.push(
            report(
                "weak-poll",
                *load,
                format!("this `{name}` may be done once for all turns of the loop, which then never ends"),
                "a weak load takes no notice of other threads; `.acquire` or `.relaxed` with a scope, or `.volatile`, does",
            )
            .related(exit, "only what is loaded ends the loop"),
        );
    }
}

/// Whether the guard of a branch comes from loads of the loop.
fn depends(
    kernel: &Kernel<'_>,
    exit: Step,
    loads: &[Step],
    inside: &dyn Fn(&Step) -> bool,
) -> bool {
    let facts = &kernel.flow.facts;
    let mut work = facts.reads.get(exit as usize).to_vec();
    let mut seen = work.clone();
    while let Some(value) = work.pop() {
        for step in kernel.definitions(value).iter().filter(|it| inside(it)) {
            if loads.contains(step) {
                return true;
            }
            for it in facts.reads.get(*step as usize) {
                if !seen.contains(it) {
                    seen.push(*it);
                    work.push(*it);
                }
            }
        }
    }
    false
}
