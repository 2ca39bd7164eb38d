//! Loops that wait for memory to change.

use crate::flow::{facts::Step, graph::Graph, ids::BlockId};
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
    short_loops(graph).any(|it| it.1.iter().any(weak_load))
}

/// The blocks and the instructions of the short loops. Loops with a common head count one by one.
fn short_loops(graph: &Graph) -> impl Iterator<Item = (Vec<BlockId>, Vec<Step>)> {
    (0..graph.loops.len() as u32).flat_map(move |index| {
        let head = graph.loops[index as usize].head;
        let ends = graph.predecessors.get(head as usize).iter();
        let ends = ends.filter(move |it| graph.in_loop(**it, index));
        ends.filter_map(move |end| short_loop(graph, head, *end))
    })
}

/// The loop from a block back to its head, if it is short.
fn short_loop(graph: &Graph, head: BlockId, end: BlockId) -> Option<(Vec<BlockId>, Vec<Step>)> {
    let mut blocks: Vec<BlockId> = vec![head];
    let mut steps: Vec<Step> = graph.blocks[head as usize].clone().collect();
    let mut work = vec![end];
    while let Some(block) = work.pop() {
        if steps.len() > MAX_LENGTH {
            return None;
        }
        if !blocks.contains(&block) {
            blocks.push(block);
            steps.extend(graph.blocks[block as usize].clone());
            work.extend(graph.predecessors.get(block as usize));
        }
    }
    steps.sort_unstable();
    (steps.len() <= MAX_LENGTH).then_some((blocks, steps))
}

/// A loop that nothing but other threads can end, and that reads as if there were none.
pub(super) fn weak_poll(kernel: &Kernel<'_>, reports: &mut Vec<Report>) {
    let (graph, facts) = (&kernel.flow.graph, &kernel.flow.facts);
    for (blocks, steps) in short_loops(graph) {
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
