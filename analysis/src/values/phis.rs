//! Where paths with different writes of a register meet, as in static single assignment form.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::{
    graph::Graph,
    ids::{BlockId, Step, Value},
};

/// The instructions that may have written what a register holds.
#[derive(Clone)]
pub(super) enum Writers {
    None,
    /// This one has.
    Sole(Step),
    /// One of these, or one that may have left the old value.
    Several(Rc<[Step]>),
    /// Several, whose paths meet at the start of a block.
    Phi(BlockId),
    /// Too many, or too far away.
    Unknown,
}

/// The blocks at whose start registers have values of several writes, found for each register at the first question.
#[derive(Default)]
pub(super) struct Phis {
    /// The dominance frontier of each block.
    frontiers: Option<Vec<Vec<BlockId>>>,
    placed: FxHashMap<Value, Rc<FxHashSet<BlockId>>>,
}

impl Phis {
    /// The last write of a register in a block before an instruction, or what the block begins with. `writes` are all
    /// writes of the register, ascending.
    pub(super) fn writers(
        &mut self,
        graph: &Graph,
        writes: &[Step],
        value: Value,
        block: BlockId,
        before: Step,
    ) -> Writers {
        if writes.is_empty() {
            return Writers::None;
        }
        let last_in = |block: BlockId, before: Step| {
            let steps = &graph.blocks[block as usize];
            let end = writes.partition_point(|it| *it < before.min(steps.end));
            let last = writes[..end].last().copied();
            last.filter(|it| *it >= steps.start)
        };
        if let Some(it) = last_in(block, before) {
            return Writers::Sole(it);
        }
        let placed = self.placed(graph, writes, value);
        let mut block = block;
        loop {
            if placed.contains(&block) {
                return Writers::Phi(block);
            }
            match graph.dominator[block as usize] {
                Some(it) if it != block => block = it,
                _ => return Writers::None,
            }
            if let Some(it) = last_in(block, Step::MAX) {
                return Writers::Sole(it);
            }
        }
    }

    fn placed(&mut self, graph: &Graph, writes: &[Step], value: Value) -> Rc<FxHashSet<BlockId>> {
        if let Some(known) = self.placed.get(&value) {
            return known.clone();
        }
        let frontiers = self.frontiers.get_or_insert_with(|| frontiers(graph));
        let mut found = FxHashSet::default();
        let blocks = writes.iter().map(|it| graph.block_of[*it as usize]);
        let mut work: Vec<BlockId> = blocks.collect();
        // What the function begins with counts as a write.
        work.push(0);
        while let Some(block) = work.pop() {
            for it in &frontiers[block as usize] {
                if found.insert(*it) {
                    work.push(*it);
                }
            }
        }
        let found = Rc::new(found);
        self.placed.insert(value, found.clone());
        found
    }
}

/// The dominance frontier of each block (Cooper, Harvey and Kennedy).
fn frontiers(graph: &Graph) -> Vec<Vec<BlockId>> {
    let mut found = vec![Vec::new(); graph.blocks.len()];
    for block in 0..graph.blocks.len() as BlockId {
        let before = graph.predecessors.get(block as usize);
        if !graph.reachable[block as usize] || before.len() + usize::from(block == 0) < 2 {
            continue;
        }
        let dominator = graph.dominator[block as usize];
        for from in before.iter().filter(|it| graph.reachable[**it as usize]) {
            let mut runner = Some(*from);
            while let Some(it) = runner.filter(|it| Some(*it) != dominator) {
                let list: &mut Vec<BlockId> = &mut found[it as usize];
                if list.last() != Some(&block) {
                    list.push(block);
                }
                runner = graph.dominator[it as usize].filter(|next| *next != it);
            }
        }
    }
    found
}
