//! The loops of a kernel, with what is in them.

use isa::event::EventKind;

use crate::{
    Cost,
    accesses::costs_of,
    flow::ids::Step,
    kernel::{
        events::{Kernel, is_copy, is_product, is_wait},
        map::KernelLoop,
    },
};

impl Kernel<'_, '_> {
    /// The loops, in the order of the text.
    pub(super) fn loops(&self) -> Vec<KernelLoop> {
        let graph = &self.subject.flow.graph;
        let mut found: Vec<(Step, Step, u32)> = graph
            .loops
            .iter()
            .map(|it| (Step::MAX, 0, it.depth))
            .collect();
        for (block, steps) in (0..).zip(&graph.blocks) {
            let Some(last) = steps.end.checked_sub(1).filter(|_| !steps.is_empty()) else {
                continue;
            };
            for index in graph.loops_around(block) {
                let it = &mut found[index as usize];
                (it.0, it.1) = (it.0.min(steps.start), it.1.max(last));
            }
        }
        let block = |step: Step| graph.block_of[step as usize];
        let costs = costs_of(self.subject.db, self.subject.function, None);
        let mut loops: Vec<(Step, KernelLoop)> = Vec::new();
        for (index, (first, last, depth)) in (0..).zip(found) {
            if first > last {
                continue;
            }
            let count = |is: fn(EventKind) -> bool| {
                let steps = self.steps(is);
                let inside = steps.iter().filter(|it| graph.in_loop(block(**it), index));
                inside.count()
            };
            let range = self.range(first).cover(self.range(last));
            let head = graph.blocks[graph.loops[index as usize].head as usize].start;
            let head = self.range(head);
            let at = |it: &Cost| it.head.is_some_and(|it| it + self.start == head);
            loops.push((
                first,
                KernelLoop {
                    range,
                    depth,
                    cost: costs.iter().find(|it| at(it)).map(|it| Cost {
                        head: Some(head),
                        ..it.clone()
                    }),
                    copies: count(is_copy),
                    products: count(is_product),
                    waits: count(is_wait),
                    barriers: count(|it| it == EventKind::BlockSync),
                },
            ));
        }
        loops.sort_by_key(|it| (it.0, it.1.depth));
        loops.into_iter().map(|it| it.1).collect()
    }
}
