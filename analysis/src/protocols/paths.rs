//! The ways between two instructions, and the branches that decide whether one runs.

use std::{
    cell::{OnceCell, RefCell},
    rc::Rc,
};

use isa::semantics::Control;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::{
    dominators::immediate_dominators,
    facts::{Facts, Step},
    graph::Graph,
    ids::BlockId,
    lists::Lists,
};

/// A set of blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Blocks(Vec<u64>);

impl Blocks {
    fn insert(&mut self, block: BlockId) -> bool {
        let (word, bit) = (block as usize / 64, 1 << (block % 64));
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    fn contains(&self, block: BlockId) -> bool {
        self.0[block as usize / 64] & (1 << (block % 64)) != 0
    }
}

/// How many branches that decide about a block are kept.
const MAX_KEPT: usize = 64;
/// How many words the sets of one function may have together.
const MAX_WORDS: usize = 1 << 22;

/// Questions about ways through a function.
pub(super) struct Paths<'f> {
    pub(super) facts: &'f Facts,
    pub(super) graph: &'f Graph,
    after: RefCell<FxHashMap<BlockId, Rc<Blocks>>>,
    before: RefCell<FxHashMap<BlockId, Rc<Blocks>>>,
    room: RefCell<usize>,
    /// The branches that decide directly whether a block runs.
    controllers: OnceCell<Vec<Vec<BlockId>>>,
    /// Those that decide directly or by deciding about another of them.
    all_controllers: RefCell<FxHashMap<BlockId, Rc<[BlockId]>>>,
}

/// The instructions that are met after, or before, one of them.
pub(super) struct Reach<'p> {
    graph: &'p Graph,
    step: Step,
    forward: bool,
    blocks: Rc<Blocks>,
}

impl Reach<'_> {
    /// Whether an instruction is among them.
    pub(super) fn contains(&self, step: Step) -> bool {
        let block = self.graph.block_of[step as usize];
        let same = block == self.graph.block_of[self.step as usize];
        let ordered = match self.forward {
            true => step > self.step,
            false => step < self.step,
        };
        same && ordered || self.blocks.contains(block)
    }
}

impl<'f> Paths<'f> {
    pub(super) fn new(facts: &'f Facts, graph: &'f Graph) -> Paths<'f> {
        Paths {
            facts,
            graph,
            after: RefCell::default(),
            before: RefCell::default(),
            room: RefCell::new(MAX_WORDS),
            controllers: OnceCell::new(),
            all_controllers: RefCell::default(),
        }
    }

    /// The instructions that control may meet after an instruction. `None` if the function is too large to tell.
    pub(super) fn after(&self, step: Step) -> Option<Reach<'_>> {
        self.reach(step, true)
    }

    /// The instructions that control may have met before an instruction.
    pub(super) fn before(&self, step: Step) -> Option<Reach<'_>> {
        self.reach(step, false)
    }

    fn reach(&self, step: Step, forward: bool) -> Option<Reach<'_>> {
        let (cache, edges) = match forward {
            true => (&self.after, &self.graph.successors),
            false => (&self.before, &self.graph.predecessors),
        };
        let block = *self.graph.block_of.get(step as usize)?;
        let known = cache.borrow().get(&block).cloned();
        let blocks = match known {
            Some(it) => it,
            None => {
                let words = self.graph.blocks.len().div_ceil(64);
                let mut room = self.room.borrow_mut();
                *room = room.checked_sub(words)?;
                let found = Rc::new(closure(edges, block, words));
                cache.borrow_mut().insert(block, Rc::clone(&found));
                found
            }
        };
        Some(Reach {
            graph: self.graph,
            step,
            forward,
            blocks,
        })
    }

    /// Whether no way from an instruction continues to one of some others. Not known counts as no.
    pub(super) fn never_after(&self, step: Step, others: impl IntoIterator<Item = Step>) -> bool {
        let reach = self.after(step);
        reach.is_some_and(|it| !others.into_iter().any(|other| it.contains(other)))
    }

    /// Whether some way leads from one instruction to another, and none of them meets one of some others in between.
    /// Not known counts as no.
    pub(super) fn nothing_between(
        &self,
        from: Step,
        to: Step,
        others: impl IntoIterator<Item = Step>,
    ) -> bool {
        let (Some(after), Some(before)) = (self.after(from), self.before(to)) else {
            return false;
        };
        if !after.contains(to) {
            return false;
        }
        let met = |it: &Step| after.contains(*it) && before.contains(*it);
        let met: Vec<Step> = others.into_iter().filter(met).collect();
        met.is_empty() || self.nothing_in_turn(from, to, &met)
    }

    /// The same for the ways within one turn of the innermost loop around both.
    fn nothing_in_turn(&self, from: Step, to: Step, others: &[Step]) -> bool {
        let graph = self.graph;
        let (first, last) = (graph.block_of[from as usize], graph.block_of[to as usize]);
        let mut around = graph.loops_around(first);
        let around = around.find(|it| graph.in_loop(last, *it));
        let turn = |start, forward| self.turn(start, around?, forward);
        let (Some(after), Some(before)) = (turn(from, true), turn(to, false)) else {
            return false;
        };
        let met = |it: &Step| after.contains(*it) && before.contains(*it);
        after.contains(to) && !others.iter().any(met)
    }

    /// The instructions that are met after, or before, an instruction in the same turn of a loop around it.
    fn turn(&self, start: Step, index: u32, forward: bool) -> Option<Reach<'f>> {
        let graph = self.graph;
        let head = graph.loops[index as usize].head;
        let words = graph.blocks.len().div_ceil(64);
        let mut room = self.room.borrow_mut();
        *room = room.checked_sub(words)?;
        Some(Reach {
            graph,
            step: start,
            forward,
            blocks: Rc::new(closure_within(graph, start, forward, head, words)),
        })
    }

    /// Whether a turn of a loop may meet both of two instructions.
    pub(super) fn meets_in_turn(&self, one: Step, other: Step, index: u32) -> bool {
        let reaches = |from, to| {
            let turn = self.turn(from, index, true);
            turn.is_some_and(|it| it.contains(to))
        };
        reaches(one, other) || reaches(other, one)
    }

    /// Whether control leaves the function on some way after an instruction.
    pub(super) fn may_end_after(&self, step: Step) -> bool {
        let Some(reach) = self.after(step) else {
            return false;
        };
        let own = self.graph.block_of[step as usize];
        let blocks = (0..).zip(&self.graph.blocks);
        blocks
            .filter(|(block, _)| *block == own || reach.blocks.contains(*block))
            .any(|(block, _)| leaves(self.facts, self.graph, block))
    }

    /// The branches that decide whether a block runs, directly or by deciding about another of them.
    pub(super) fn controllers(&self, block: BlockId) -> Rc<[BlockId]> {
        if let Some(known) = self.all_controllers.borrow().get(&block) {
            return Rc::clone(known);
        }
        let found: Rc<[BlockId]> = self.find_controllers(block).into();
        // Long ones of very many blocks would take too much room.
        if found.len() <= MAX_KEPT {
            let mut known = self.all_controllers.borrow_mut();
            known.insert(block, Rc::clone(&found));
        }
        found
    }

    fn find_controllers(&self, block: BlockId) -> Vec<BlockId> {
        let mut found: Vec<BlockId> = Vec::new();
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            for it in self.direct_controllers(block) {
                if seen.insert(*it) {
                    found.push(*it);
                    work.push(*it);
                }
            }
        }
        found
    }

    /// The branches that decide whether a block runs at all: those that it comes before, such as the end of a loop
    /// around it, decide only whether it runs again.
    pub(super) fn deciders(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        let all = self.controllers(block);
        let first: Vec<BlockId> = all
            .iter()
            .copied()
            .filter(|it| !self.dominates(block, *it))
            .collect();
        first.into_iter()
    }

    /// Whether every way to a block goes through another one, or it is the same.
    fn dominates(&self, block: BlockId, other: BlockId) -> bool {
        let mut at = Some(other);
        while let Some(it) = at {
            if it == block {
                return true;
            }
            at = self.graph.dominator[it as usize];
        }
        false
    }

    /// The branches that decide directly whether a block runs.
    pub(super) fn direct_controllers(&self, block: BlockId) -> &[BlockId] {
        let all = self
            .controllers
            .get_or_init(|| controllers(self.facts, self.graph));
        &all[block as usize]
    }

    /// The instruction with which a block ends.
    pub(super) fn last(&self, block: BlockId) -> Option<Step> {
        self.graph.blocks[block as usize].clone().last()
    }
}

/// The blocks that some way along edges reaches from a block, itself only if a way comes back.
fn closure(edges: &Lists, block: BlockId, words: usize) -> Blocks {
    let mut found = Blocks(vec![0; words]);
    let mut work = vec![block];
    while let Some(block) = work.pop() {
        for next in edges.get(block as usize) {
            if found.insert(*next) {
                work.push(*next);
            }
        }
    }
    found
}

/// The blocks that some way from an instruction reaches without a new turn of a loop, or from which one comes to it.
fn closure_within(graph: &Graph, step: Step, forward: bool, head: BlockId, words: usize) -> Blocks {
    let mut found = Blocks(vec![0; words]);
    let mut work = vec![graph.block_of[step as usize]];
    while let Some(block) = work.pop() {
        let next = match forward {
            true => graph.successors.get(block as usize),
            false if block == head => &[],
            false => graph.predecessors.get(block as usize),
        };
        for next in next {
            if !(forward && *next == head) && found.insert(*next) {
                work.push(*next);
            }
        }
    }
    found
}

/// Whether control may leave the function at the end of a block.
fn leaves(facts: &Facts, graph: &Graph, block: BlockId) -> bool {
    let last = graph.blocks[block as usize].clone().last();
    let ends = last.is_some_and(|it| {
        matches!(
            facts.control[it as usize],
            Control::End | Control::Trap | Control::Return
        )
    });
    ends || graph.successors.get(block as usize).is_empty() || graph.open_ends.contains(&block)
}

/// For each block the branches that decide directly whether it runs, after Ferrante, Ottenstein and Warren, "The
/// program dependence graph and its use in optimization", 1987.
fn controllers(facts: &Facts, graph: &Graph) -> Vec<Vec<BlockId>> {
    let count = graph.blocks.len();
    let end = count as BlockId;
    let post = post_dominators(facts, graph);
    let mut found = vec![Vec::new(); count];
    for block in 0..count as BlockId {
        let mut next: Vec<BlockId> = graph.successors.get(block as usize).to_vec();
        if leaves(facts, graph, block) {
            next.push(end);
        }
        if next.len() < 2 {
            continue;
        }
        let join = post[block as usize];
        for mut at in next {
            while at != end && Some(at) != join {
                let list: &mut Vec<BlockId> = &mut found[at as usize];
                if list.last() == Some(&block) {
                    break;
                }
                list.push(block);
                match post[at as usize] {
                    Some(it) => at = it,
                    None => break,
                }
            }
        }
    }
    found
}

/// The closest block that every way from each block to the end goes through, the number of blocks for the end itself;
/// `None` for blocks from which no way leads there.
fn post_dominators(facts: &Facts, graph: &Graph) -> Vec<Option<BlockId>> {
    let count = graph.blocks.len();
    let mut backwards = Lists::default();
    for block in 0..count {
        backwards.push(graph.predecessors.get(block).iter().copied());
    }
    let blocks = 0..count as BlockId;
    backwards.push(blocks.filter(|it| leaves(facts, graph, *it)));
    let mut found = immediate_dominators(&backwards, count + 1, count as BlockId);
    found.truncate(count);
    found
}

#[cfg(test)]
pub(super) mod tests {
    use fastrand::Rng;

    use super::*;

    /// A graph of blocks with one instruction each, of which those without successors end.
    pub(crate) fn graph(edges: &[&[BlockId]]) -> Graph {
        let count = edges.len();
        let mut graph = Graph {
            blocks: (0..count as Step).map(|it| it..it + 1).collect(),
            block_of: (0..count as BlockId).collect(),
            reachable: vec![true; count],
            loop_of: vec![None; count],
            dominator: vec![None; count],
            ..Graph::default()
        };
        let mut predecessors = vec![Vec::new(); count];
        for (from, to) in edges.iter().enumerate() {
            graph.successors.push(to.iter().copied());
            for to in *to {
                predecessors[*to as usize].push(from as BlockId);
            }
        }
        for list in predecessors {
            graph.predecessors.push(list);
        }
        graph
    }

    pub(crate) fn random_graph(rng: &mut Rng) -> Graph {
        let count = rng.usize(1..9);
        let mut edges = vec![Vec::new(); count];
        for list in &mut edges {
            for _ in 0..rng.usize(..3) {
                list.push(rng.u32(..count as u32));
            }
            list.sort_unstable();
            list.dedup();
        }
        let edges: Vec<&[BlockId]> = edges.iter().map(Vec::as_slice).collect();
        graph(&edges)
    }

    fn facts(graph: &Graph) -> Facts {
        Facts {
            control: vec![Control::Next; graph.blocks.len()],
            guarded: vec![false; graph.blocks.len()],
            ..Facts::default()
        }
    }

    /// Whether a way with at least one step leads from one block to another without entering some.
    fn walks(graph: &Graph, from: BlockId, to: BlockId, without: &[BlockId]) -> bool {
        let mut seen = vec![false; graph.blocks.len()];
        let mut work = vec![from];
        while let Some(at) = work.pop() {
            for next in graph.successors.get(at as usize) {
                if *next == to {
                    return true;
                }
                if !without.contains(next) && !std::mem::replace(&mut seen[*next as usize], true) {
                    work.push(*next);
                }
            }
        }
        false
    }

    #[test]
    fn reach_is_that_of_walks() {
        let mut rng = Rng::with_seed(5);
        for _ in 0..800 {
            let graph = random_graph(&mut rng);
            let facts = facts(&graph);
            let paths = Paths::new(&facts, &graph);
            let count = graph.blocks.len() as u32;
            for from in 0..count {
                for to in 0..count {
                    let reached = walks(&graph, from, to, &[]);
                    assert_eq!(paths.after(from).unwrap().contains(to), reached);
                    assert_eq!(paths.before(to).unwrap().contains(from), reached);
                    assert_eq!(paths.never_after(from, [to]), !reached);
                    for other in 0..count {
                        let met = walks(&graph, from, other, &[]) && walks(&graph, other, to, &[]);
                        let found = paths.nothing_between(from, to, [other]);
                        assert_eq!(found, reached && !met, "{from} {to} {other} {graph:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn controllers_are_those_of_walks() {
        let mut rng = Rng::with_seed(6);
        for _ in 0..1500 {
            let graph = random_graph(&mut rng);
            let facts = facts(&graph);
            let count = graph.blocks.len() as u32;
            let ends: Vec<BlockId> = (0..count)
                .filter(|it| graph.successors.get(*it as usize).is_empty())
                .collect();
            let ends_at = |from: BlockId, without: &[BlockId]| {
                !without.contains(&from)
                    && ends.iter().any(|end| {
                        !without.contains(end)
                            && (from == *end || walks(&graph, from, *end, without))
                    })
            };
            // What is on every way from a block to an end, if there is one.
            let post = |block: BlockId, from: BlockId| !ends_at(from, &[block]);
            if (0..count).any(|it| !ends_at(it, &[])) {
                continue;
            }
            let found = controllers(&facts, &graph);
            for block in 0..count {
                for branch in 0..count {
                    let next = graph.successors.get(branch as usize);
                    let decides = next.iter().any(|it| post(block, *it))
                        && (block == branch || !post(block, branch))
                        && next.len() > 1;
                    // A branch decides about itself when it closes a loop, unless all its ways come back.
                    let decides =
                        decides && !(block == branch && next.iter().all(|it| post(block, *it)));
                    let listed = found[block as usize].contains(&branch);
                    assert_eq!(listed, decides, "{block} {branch} {graph:?}");
                }
            }
        }
    }
}
