//! Which blocks lie on every way to others.

use crate::flow::{graph::Graph, ids::BlockId};

/// Numbers of a walk through the tree of immediate dominators: a block dominates those that are met between its two.
pub(super) struct Dominance {
    spans: Vec<(u32, u32)>,
}

impl Dominance {
    /// That of a graph, which takes time for each block once.
    pub(super) fn of(graph: &Graph) -> Dominance {
        let count = graph.dominator.len();
        let mut children: Vec<Vec<BlockId>> = vec![Vec::new(); count];
        let mut roots = Vec::new();
        for (block, dominator) in (0..).zip(&graph.dominator) {
            match dominator.and_then(|it| children.get_mut(it as usize)) {
                Some(it) if *dominator != Some(block) => it.push(block),
                _ => roots.push(block),
            }
        }
        let mut spans = vec![(0, 0); count];
        let mut clock = 0;
        let mut work: Vec<(BlockId, bool)> = roots.into_iter().map(|it| (it, false)).collect();
        while let Some((block, done)) = work.pop() {
            clock += 1;
            if done {
                spans[block as usize].1 = clock;
                continue;
            }
            spans[block as usize].0 = clock;
            work.push((block, true));
            work.extend(children[block as usize].iter().map(|it| (*it, false)));
        }
        Dominance { spans }
    }

    /// Whether every way to the second block leads through the first.
    pub(super) fn dominates(&self, one: BlockId, other: BlockId) -> bool {
        let span = |it: BlockId| self.spans.get(it as usize);
        match (span(one), span(other)) {
            (Some(a), Some(b)) => a.0 <= b.0 && b.1 <= a.1,
            _ => false,
        }
    }
}
