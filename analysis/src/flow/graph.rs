//! Basic blocks and how control moves among them.

use std::ops::Range;

use super::{
    dominators::immediate_dominators,
    facts::{ANYWHERE, Facts},
    ids::{BlockId, Step},
    lists::Lists,
};

/// The control-flow graph of a function. Block 0 is the start, if there is any instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Graph {
    /// The instructions of each block. A last, empty block stands for jumps to anywhere, if there are
    /// such.
    pub(crate) blocks: Vec<Range<Step>>,
    /// The block of each instruction.
    pub(crate) block_of: Vec<BlockId>,
    /// Where control may go from each block; sorted.
    pub(crate) successors: Lists,
    /// From where control may come.
    pub(crate) predecessors: Lists,
    /// The closest block that every way to a block goes through; `None` for the start and for blocks
    /// that no way reaches.
    pub(crate) dominator: Vec<Option<BlockId>>,
    /// Whether control may get there.
    pub(crate) reachable: Vec<bool>,
    /// The blocks from which control may leave the function after its last instruction.
    pub(crate) open_ends: Vec<BlockId>,
    /// The natural loops; one that contains another comes after it.
    pub(crate) loops: Vec<Loop>,
    /// The innermost loop of each block.
    pub(crate) loop_of: Vec<Option<u32>>,
}

/// A natural loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    /// The block through which control enters it.
    pub(crate) head: BlockId,
    /// The loop around it.
    pub(crate) parent: Option<u32>,
    /// 1 for a loop that no other surrounds.
    pub(crate) depth: u32,
}

impl Graph {
    /// The graph of a function.
    pub(super) fn of(facts: &Facts) -> Graph {
        let mut graph = Graph::default();
        graph.cut(facts);
        graph.connect(facts);
        graph.dominate();
        graph.find_loops();
        graph
    }

    /// How many loops surround a block.
    pub(crate) fn depth(&self, block: BlockId) -> u32 {
        let innermost = self.loop_of.get(block as usize).copied().flatten();
        innermost.map_or(0, |it| self.loops[it as usize].depth)
    }

    /// The loops around a block, the innermost first.
    pub(crate) fn loops_around(&self, block: BlockId) -> impl Iterator<Item = u32> {
        std::iter::successors(self.loop_of[block as usize], |it| {
            self.loops[*it as usize].parent
        })
    }

    /// Whether a block lies in a loop, or in one nested in it.
    pub(crate) fn in_loop(&self, block: BlockId, index: u32) -> bool {
        self.loops_around(block).any(|it| it == index)
    }

    fn cut(&mut self, facts: &Facts) {
        let count = facts.len();
        let mut starts = vec![false; count + 1];
        let mut start = |step: Step| {
            if let Some(start) = starts.get_mut(step as usize) {
                *start = true;
            }
        };
        start(0);
        for step in 0..count {
            if facts.control[step].leaves() {
                start(step as Step + 1);
            }
            for target in facts.targets.get(step) {
                start(*target);
            }
        }
        for label in &facts.labels {
            start(*label);
        }
        for (step, starts) in starts[..count].iter().enumerate() {
            let step = step as Step;
            match self.blocks.last_mut() {
                Some(last) if !starts => last.end = step + 1,
                _ => self.blocks.push(step..step + 1),
            }
            self.block_of.push(self.blocks.len() as BlockId - 1);
        }
    }

    fn connect(&mut self, facts: &Facts) {
        let count = self.blocks.len() as BlockId;
        let steps = facts.len() as Step;
        let anywhere = !facts.labels.is_empty();
        let mut successors: Vec<Vec<BlockId>> = Vec::new();
        for (id, block) in self.blocks.iter().enumerate() {
            let last = block.end as usize - 1;
            let mut next: Vec<BlockId> = Vec::new();
            let mut end = false;
            let mut go = |step: Step| match self.block_of.get(step as usize) {
                Some(block) => next.push(*block),
                None if step == ANYWHERE && anywhere => next.push(count),
                None => end |= step == steps,
            };
            for target in facts.targets.get(last) {
                go(*target);
            }
            if !facts.control[last].leaves() || facts.guarded[last] {
                go(block.end);
            }
            next.sort_unstable();
            next.dedup();
            successors.push(next);
            if end {
                self.open_ends.push(id as BlockId);
            }
        }
        if anywhere {
            self.blocks.push(steps..steps);
            let labels = facts.labels.iter();
            let mut next: Vec<BlockId> = labels
                .filter_map(|it| self.block_of.get(*it as usize).copied())
                .collect();
            next.dedup();
            successors.push(next);
        }
        let mut predecessors = vec![Vec::new(); successors.len()];
        for (from, next) in successors.iter().enumerate() {
            for to in next {
                predecessors[*to as usize].push(from as BlockId);
            }
        }
        for list in successors {
            self.successors.push(list);
        }
        for list in predecessors {
            self.predecessors.push(list);
        }
    }

    fn dominate(&mut self) {
        let count = self.blocks.len();
        self.dominator = vec![None; count];
        self.reachable = vec![false; count];
        if count == 0 {
            return;
        }
        self.dominator = immediate_dominators(&self.successors, count, 0);
        for block in 0..count {
            self.reachable[block] = block == 0 || self.dominator[block].is_some();
        }
    }

    /// For each block the times at which a walk of the dominator tree enters and leaves it, so that one
    /// dominates another when its span contains that of the other.
    fn dominator_spans(&self) -> Vec<(u32, u32)> {
        let count = self.blocks.len();
        let mut children = vec![Vec::new(); count];
        for (block, dominator) in self.dominator.iter().enumerate() {
            if let Some(it) = dominator {
                children[*it as usize].push(block);
            }
        }
        let mut spans = vec![(0, 0); count];
        let mut time = 1;
        let mut open = vec![(0, 0)];
        while let Some((block, next)) = open.last_mut() {
            if *next == 0 {
                spans[*block].0 = time;
                time += 1;
            }
            if let Some(child) = children[*block].get(*next) {
                *next += 1;
                open.push((*child, 0));
            } else {
                spans[*block].1 = time;
                open.pop();
            }
        }
        spans
    }

    /// Natural loops, innermost first: a walk backwards from the jumps to a head, in which a loop that
    /// is already known counts as one block.
    fn find_loops(&mut self) {
        let count = self.blocks.len();
        self.loop_of = vec![None; count];
        if count == 0 {
            return;
        }
        let spans = self.dominator_spans();
        let mut heads: Vec<BlockId> = (0..count as BlockId)
            .filter(|it| self.reachable[*it as usize])
            .collect();
        heads.sort_unstable_by_key(|it| std::cmp::Reverse(spans[*it as usize].0));
        // The outermost loop known so far around each loop, with shortened chains.
        let mut outer: Vec<u32> = Vec::new();
        for head in heads {
            let (from, to) = spans[head as usize];
            let back = self.predecessors.get(head as usize).iter().copied();
            let mut work: Vec<BlockId> = back
                .filter(|it| self.reachable[*it as usize])
                .filter(|it| (from..to).contains(&spans[*it as usize].0))
                .collect();
            if work.is_empty() {
                continue;
            }
            let new = self.loops.len() as u32;
            self.loops.push(Loop {
                head,
                parent: None,
                depth: 1,
            });
            outer.push(new);
            self.loop_of[head as usize] = Some(new);
            while let Some(block) = work.pop() {
                let entry = match self.loop_of[block as usize] {
                    None => {
                        self.loop_of[block as usize] = Some(new);
                        block
                    }
                    Some(inner) => {
                        let root = root(&mut outer, inner);
                        if root == new {
                            continue;
                        }
                        outer[root as usize] = new;
                        self.loops[root as usize].parent = Some(new);
                        self.loops[root as usize].head
                    }
                };
                let before = self.predecessors.get(entry as usize).iter().copied();
                work.extend(before.filter(|it| self.reachable[*it as usize]));
            }
        }
        for index in (0..self.loops.len()).rev() {
            if let Some(parent) = self.loops[index].parent {
                self.loops[index].depth = self.loops[parent as usize].depth + 1;
            }
        }
    }
}

/// The outermost loop around a loop.
fn root(outer: &mut [u32], mut index: u32) -> u32 {
    while outer[index as usize] != index {
        let next = outer[index as usize];
        outer[index as usize] = outer[next as usize];
        index = next;
    }
    index
}
