//! The structure of a function: loops, conditions and jumps, from the tree of dominators.
//!
//! A block is told where control gets there first: a block that only one block leads to inside the condition of that
//! one, a block where ways meet after the block that dominates it, and a block that only ways out of a loop lead to
//! after the loop. Every block is told once. A way that this order does not express is a jump, so loops with several
//! entries need no special case. After N. Ramsey, "Beyond Relooper", 2022.

use isa::semantics::Control;

use crate::flow::{
    Flow,
    graph::Graph,
    ids::{BlockId, Step},
};

/// A list of items, by its index.
pub(super) type List = usize;

/// A part of a function.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// The instructions of a block before the one with which control leaves it.
    Steps(BlockId),
    /// The place that a jump names.
    Label(BlockId),
    /// A loop.
    Loop(BlockId, List),
    /// A branch, by its instruction: what happens if its guard holds, and if it does not.
    If(Step, List, List),
    /// A branch by a table, and what happens in each case.
    Table(Step, Vec<List>),
    /// A way to a place that does not follow.
    Jump(Jump),
    /// The instruction with which control leaves the function, if there is one.
    Leave(Option<Step>),
}

/// A way to a place that does not follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Jump {
    Continue,
    Break,
    To(BlockId),
}

/// The structure of a function.
#[derive(Default)]
pub(super) struct Structure {
    /// The lists; the first is the function, and a list comes after the one that it is in.
    pub(super) lists: Vec<Vec<Item>>,
    /// Whether a jump names a block.
    pub(super) labeled: Vec<bool>,
    /// Whether a block was told where ways do not meet.
    told: Vec<bool>,
}

/// The innermost loop around a task.
#[derive(Clone, Copy)]
struct Around {
    head: BlockId,
    after: Option<BlockId>,
}

/// A block that is to be told.
#[derive(Clone, Copy)]
struct Task {
    block: BlockId,
    list: List,
    /// The block that follows in the text.
    next: Option<BlockId>,
    around: Option<Around>,
    /// Whether it is the head of a loop whose body this is.
    inside: bool,
}

/// Where blocks are told.
struct Places {
    /// The blocks after each block where ways meet.
    joins: Vec<Vec<BlockId>>,
    /// The blocks after each loop.
    after: Vec<Vec<BlockId>>,
    /// Whether a block is told in one of these places, and not in a condition.
    placed: Vec<bool>,
    /// The loop of which a block is the head.
    head_of: Vec<Option<u32>>,
}

impl Structure {
    /// The structure of a function that has blocks.
    pub(super) fn new(flow: &Flow) -> Structure {
        let graph = &flow.graph;
        let mut structure = Structure {
            lists: vec![Vec::new()],
            labeled: vec![false; graph.blocks.len()],
            told: vec![false; graph.blocks.len()],
        };
        if graph.blocks.is_empty() {
            return structure;
        }
        let places = Places::new(graph);
        structure.told[0] = true;
        let mut work = vec![Task {
            block: 0,
            list: 0,
            next: None,
            around: None,
            inside: false,
        }];
        while let Some(task) = work.pop() {
            structure.block(flow, &places, task, &mut work);
        }
        structure
    }

    fn block(&mut self, flow: &Flow, places: &Places, task: Task, work: &mut Vec<Task>) {
        let graph = &flow.graph;
        let index = task.block as usize;
        if let Some(own) = places.head_of[index].filter(|_| !task.inside) {
            let after = &places.after[own as usize];
            self.push_all(after, task, work);
            let body = self.new_list();
            self.lists[task.list].push(Item::Loop(task.block, body));
            let follows = after.first().copied().or(task.next);
            work.push(Task {
                list: body,
                next: Some(task.block),
                around: Some(Around {
                    head: task.block,
                    after: follows,
                }),
                inside: true,
                ..task
            });
            return;
        }
        let list = task.list;
        if places.head_of[index].is_none() {
            self.lists[list].push(Item::Label(task.block));
        }
        self.lists[list].push(Item::Steps(task.block));
        let joins = &places.joins[index];
        self.push_all(joins, task, work);
        let task = Task {
            next: joins.first().copied().or(task.next),
            inside: false,
            ..task
        };
        let block = &graph.blocks[index];
        let Some(last) = block.end.checked_sub(1).filter(|_| !block.is_empty()) else {
            // A jump to anywhere.
            for to in graph.successors.get(index) {
                self.go(places, Some(*to), task, work);
            }
            return;
        };
        let control = flow.facts.control[last as usize];
        let guarded = flow.facts.guarded[last as usize];
        let following = graph.block_of.get(block.end as usize).copied();
        let leaves = control.leaves();
        if !leaves {
            match following {
                Some(to) => self.go(places, Some(to), task, work),
                None => self.lists[list].push(Item::Leave(None)),
            }
            return;
        }
        if control == Control::Table {
            let mut cases = Vec::new();
            for target in flow.facts.targets.get(last as usize) {
                let case = self.new_list();
                let to = graph.block_of.get(*target as usize).copied();
                let to = to.or_else(|| {
                    (*target as usize > graph.block_of.len())
                        .then_some(graph.blocks.len() as BlockId - 1)
                });
                // The second case that goes to a block jumps there.
                self.go(places, to, Task { list: case, ..task }, work);
                cases.push(case);
            }
            self.lists[list].push(Item::Table(last, cases));
            return;
        }
        let mut targets = flow.facts.targets.get(last as usize).iter();
        let to = targets
            .next()
            .map(|it| match graph.block_of.get(*it as usize) {
                Some(it) => Some(*it),
                // After the last instruction, or anywhere.
                None if *it as usize == graph.block_of.len() => None,
                None => Some(graph.blocks.len() as BlockId - 1),
            });
        let taken = |structure: &mut Structure, list: List, work: &mut Vec<Task>| match to {
            Some(to) => structure.go(places, to, Task { list, ..task }, work),
            None => structure.lists[list].push(Item::Leave(Some(last))),
        };
        if !guarded {
            taken(self, list, work);
            return;
        }
        let (then, otherwise) = (self.new_list(), self.new_list());
        self.lists[list].push(Item::If(last, then, otherwise));
        taken(self, then, work);
        let task = Task {
            list: otherwise,
            ..task
        };
        self.go(places, following, task, work);
    }

    fn new_list(&mut self) -> List {
        self.lists.push(Vec::new());
        self.lists.len() - 1
    }

    /// Adds blocks that follow each other.
    fn push_all(&mut self, blocks: &[BlockId], task: Task, work: &mut Vec<Task>) {
        let mut next = task.next;
        for block in blocks.iter().rev() {
            work.push(Task {
                block: *block,
                next,
                inside: false,
                ..task
            });
            next = Some(*block);
        }
    }

    /// Control goes from a block to another one, or leaves the function.
    fn go(&mut self, places: &Places, to: Option<BlockId>, task: Task, work: &mut Vec<Task>) {
        let Some(block) = to else {
            self.lists[task.list].push(Item::Leave(None));
            return;
        };
        // A block where no ways meet is told where the first way to it is.
        if places.placed[block as usize] || std::mem::replace(&mut self.told[block as usize], true)
        {
            self.jump(block, task);
        } else {
            work.push(Task { block, ..task });
        }
    }

    fn jump(&mut self, to: BlockId, task: Task) {
        if task.next == Some(to) {
            return;
        }
        let jump = match task.around {
            Some(it) if it.head == to => Jump::Continue,
            Some(it) if it.after == Some(to) => Jump::Break,
            _ => {
                self.labeled[to as usize] = true;
                Jump::To(to)
            }
        };
        self.lists[task.list].push(Item::Jump(jump));
    }
}

impl Places {
    fn new(graph: &Graph) -> Places {
        let count = graph.blocks.len();
        let mut places = Places {
            joins: vec![Vec::new(); count],
            after: vec![Vec::new(); graph.loops.len()],
            placed: vec![false; count],
            head_of: vec![None; count],
        };
        for (index, it) in (0..).zip(&graph.loops) {
            places.head_of[it.head as usize] = Some(index);
        }
        let order = reverse_postorder(graph);
        let mut number = vec![u32::MAX; count];
        for (at, block) in (0..).zip(&order) {
            number[*block as usize] = at;
        }
        let is_back = |from: BlockId, to: BlockId| {
            places.head_of[to as usize].is_some_and(|it| graph.in_loop(from, it))
        };
        // The outermost loop that has the block from which a block is reached, and not the block.
        let left = |from: BlockId, block: BlockId| {
            let around = graph.loops_around(from);
            around.take_while(|it| !graph.in_loop(block, *it)).last()
        };
        // The last exit of each loop follows it.
        let mut follow: Vec<Option<(bool, u32, BlockId)>> = vec![None; graph.loops.len()];
        for block in &order {
            for to in graph.successors.get(*block as usize) {
                if let Some(own) = left(*block, *to) {
                    let ends = graph.successors.get(*to as usize).is_empty();
                    let candidate = (!ends, number[*to as usize], *to);
                    let known = &mut follow[own as usize];
                    *known = (*known).max(Some(candidate));
                }
            }
        }
        let mut follows = vec![false; count];
        for it in follow.iter().flatten() {
            follows[it.2 as usize] = true;
        }
        for block in order.iter().skip(1).copied() {
            let Some(dominator) = graph.dominator[block as usize] else {
                continue;
            };
            let before = graph.predecessors.get(block as usize);
            let forward = before
                .iter()
                .filter(|it| graph.reachable[**it as usize] && !is_back(**it, block));
            let ways = forward.count();
            if ways < 2 && !follows[block as usize] {
                continue;
            }
            places.placed[block as usize] = true;
            match left(dominator, block) {
                Some(own) => places.after[own as usize].push(block),
                None => places.joins[dominator as usize].push(block),
            }
        }
        places
    }
}

/// The blocks that control reaches, each after those from which it is reached without a jump back.
fn reverse_postorder(graph: &Graph) -> Vec<BlockId> {
    let mut seen = vec![false; graph.blocks.len()];
    let mut order = Vec::new();
    let mut open: Vec<(BlockId, usize)> = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, next)) = open.last_mut() {
        // The last successor first, so that the first one comes first in the order.
        let successors = graph.successors.get(*block as usize);
        let to = successors
            .len()
            .checked_sub(*next + 1)
            .map(|it| successors[it]);
        *next += 1;
        match to {
            Some(to) if !seen[to as usize] => {
                seen[to as usize] = true;
                open.push((to, 0));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}
