//! Paths through a function: which blocks come before others, and what decides whether they run.

use isa::{compute::Node, semantics::Control};
use rustc_hash::FxHashSet;

use super::lanes::LaneSamples;
use crate::flow::ids::BlockId;

impl LaneSamples<'_> {
    /// Whether every path to the second block leads through the first.
    pub(crate) fn dominates(&self, one: BlockId, other: BlockId) -> bool {
        let mut at = Some(other);
        while let Some(it) = at {
            if it == one {
                return true;
            }
            at = self.flow().graph.dominator[it as usize].filter(|next| *next != it);
        }
        false
    }

    /// The conditions of branches that decide whether a block runs, with the truth that leads there and the block of
    /// the branch; those outside the innermost loop decide about that.
    pub(crate) fn conditions_of(&self, block: BlockId) -> Vec<(Node, bool, BlockId)> {
        let graph = &self.flow().graph;
        let mut found = Vec::new();
        let mut at = block;
        while let Some(top) = graph.dominator[at as usize].filter(|it| *it != at) {
            if let Some(condition) = self.branch(top)
                && let [only] = graph.predecessors.get(at as usize)
                && *only == top
            {
                let last = graph.blocks[top as usize].end - 1;
                let target = self.flow().facts.targets.get(last as usize).first();
                let target = target.and_then(|it| graph.block_of.get(*it as usize));
                found.push((condition, target == Some(&at), top));
            }
            at = top;
        }
        found
    }

    /// The lanes in which a truth holds where a block reads it, as a mask.
    pub(crate) fn mask(&mut self, node: Node, block: BlockId) -> u32 {
        let all = self.at(node, block);
        let lanes = all.iter().enumerate();
        lanes.fold(0, |mask, (lane, it)| mask | ((it & 1) as u32) << lane)
    }

    /// The lanes that run a block, as far as branches depend on the place of the thread alone; others are taken to lead
    /// there.
    pub(crate) fn lanes_in(&mut self, block: BlockId) -> u32 {
        let mut lanes = self.lanes();
        for (condition, holds, at) in self.conditions_of(block) {
            if self.is_placed(condition) {
                let taken = self.mask(condition, at);
                lanes &= if holds { taken } else { !taken };
            }
        }
        lanes
    }

    /// Whether every thread runs a block: no path from the start to an end avoids it.
    pub(crate) fn is_always_run(&self, block: BlockId) -> bool {
        let graph = &self.flow().graph;
        let mut seen = FxHashSet::default();
        let mut work = vec![0];
        while let Some(at) = work.pop() {
            if at == block || !seen.insert(at) {
                continue;
            }
            let after = graph.successors.get(at as usize);
            let ends = (graph.blocks[at as usize].clone()).any(|step| {
                let control = self.flow().facts.control[step as usize];
                matches!(control, Control::Return | Control::End | Control::Trap)
            });
            if ends || after.is_empty() || graph.open_ends.contains(&at) {
                return false;
            }
            work.extend(after);
        }
        true
    }
}
