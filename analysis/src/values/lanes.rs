//! Values in the lanes of a warp, in samples of everything that is unknown.
//!
//! A sample gives each parameter, block index and loaded value that all lanes share one number, and each value that may
//! differ between lanes one number for each. What holds in all samples is taken for true, so the numbers are chosen to
//! be awkward: odd sizes, any block, any turn of a loop.

use std::rc::Rc;

use isa::{
    compute::{LANES, LaneValues, Node, Op},
    semantics::Control,
};
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Database;

use super::{
    engine::{Leaf, Purpose, Values},
    joins::{Join, LeafSource, OriginKinds, Parameter},
    memory::{AccessKind, MemoryAccess},
    sampling::{BlockShape, LoopTurns, Random, RowLengths, Style, Warp},
};
use crate::{
    flow::{
        Flow,
        ids::{BlockId, Step},
    },
    hir::items::Function,
};

/// How many samples there are.
pub(crate) const SAMPLES: u32 = 32;
/// The number of a value in each lane.
pub(crate) type Numbers = [u64; LANES];
/// Leaves beyond these are not looked into.
const MAX_LEAVES: usize = 1 << 15;
/// Values inside values that are followed for one number.
const MAX_DEPTH: u32 = 160;
/// Leaves of a value of which anything is known.
const MAX_OWN_LEAVES: usize = 256;
/// Operations between a value and its leaves.
const MAX_OWN_NODES: usize = 1 << 12;
/// Numbers that one sample keeps, each of 256 bytes. Later ones are as unknown as data.
const MAX_NUMBERS: usize = 1 << 17;

/// The values of a function in the lanes of warps.
pub(crate) struct LaneSamples<'a> {
    pub(super) db: &'a dyn Database,
    pub(super) function: Function<'a>,
    pub(super) flow: &'a Flow,
    pub(crate) values: Values<'a>,
    pub(super) entry: bool,
    pub(crate) shape: BlockShape,
    /// The sources of leaves, by their numbers.
    pub(super) sources: Vec<LeafSource>,
    pub(super) parameters: FxHashMap<(u32, i64), Parameter>,
    /// The accesses of instructions that have some.
    pub(crate) accesses: Vec<(Step, Vec<MemoryAccess>)>,
    /// The truths under which the last instruction of a block branches.
    branches: FxHashMap<BlockId, Option<Node>>,
    /// The truths under which instructions with accesses run.
    conditions: FxHashMap<Step, Node>,
    pub(super) joins: FxHashMap<BlockId, Rc<Join>>,
    /// The blocks from which control leaves each loop.
    exits: Vec<Vec<BlockId>>,
    /// Leaves and branches that may differ between the lanes of a warp.
    varying: FxHashSet<u32>,
    divided: FxHashSet<BlockId>,
    /// Whether each node may differ, and whether it depends on nothing but the place of the thread in its block.
    varies: Vec<bool>,
    placed: Vec<bool>,
    leaves: FxHashMap<Node, Option<Rc<[u32]>>>,
    /// The origins of each leaf by kind; empty until the first question.
    pub(super) origin_kinds: Vec<OriginKinds>,
    /// How many numbers the sample has.
    kept: usize,
    random: Random,
    rows: RowLengths,
    warp: Warp,
    frames: FxHashMap<LoopTurns, Frame>,
    open: FxHashSet<(u32, LoopTurns)>,
    depth: u32,
}

/// The numbers of one sample in one turn of each loop.
#[derive(Default)]
struct Frame {
    numbers: LaneValues<LANES>,
    leaves: FxHashMap<u32, Numbers>,
}

impl<'a> LaneSamples<'a> {
    /// Those of a function with all accesses.
    pub(crate) fn new(
        db: &'a dyn Database,
        function: Function<'a>,
        flow: &'a Flow,
        shape: BlockShape,
        entry: bool,
    ) -> LaneSamples<'a> {
        let mut it = LaneSamples::begun(db, function, flow, shape, entry, |_| true);
        if !it.accesses.is_empty() {
            it.finish();
        }
        it
    }

    /// Those of a function with the accesses of the wanted instructions and what their addresses are made from;
    /// [`Self::finish`] finds what differs between lanes.
    pub(crate) fn begun(
        db: &'a dyn Database,
        function: Function<'a>,
        flow: &'a Flow,
        shape: BlockShape,
        entry: bool,
        is_wanted: impl Fn(Step) -> bool,
    ) -> LaneSamples<'a> {
        let mut it = LaneSamples {
            db,
            function,
            flow,
            values: Values::of(db, function, flow, Purpose::Lanes),
            entry,
            shape,
            sources: Vec::new(),
            parameters: FxHashMap::default(),
            accesses: Vec::new(),
            branches: FxHashMap::default(),
            conditions: FxHashMap::default(),
            joins: FxHashMap::default(),
            exits: Vec::new(),
            varying: FxHashSet::default(),
            divided: FxHashSet::default(),
            varies: Vec::new(),
            placed: Vec::new(),
            leaves: FxHashMap::default(),
            origin_kinds: Vec::new(),
            kept: 0,
            random: Random::default(),
            rows: RowLengths::Any,
            warp: Warp::default(),
            frames: FxHashMap::default(),
            open: FxHashSet::default(),
            depth: 0,
        };
        it.find_accesses(is_wanted);
        if it.accesses.is_empty() {
            return it;
        }
        it.find_branches();
        it.resolve_sources();
        it.find_pointers();
        it
    }

    /// Finds what depends on the place of a thread and what differs between the lanes of a warp, which numbers need.
    pub(crate) fn finish(&mut self) {
        self.find_placed();
        self.settle();
    }

    fn find_accesses(&mut self, is_wanted: impl Fn(Step) -> bool) {
        for step in (0..self.flow.facts.len() as Step).filter(|it| is_wanted(*it)) {
            if step.is_multiple_of(256) {
                self.db.unwind_if_revision_cancelled();
            }
            let found = self.values.accesses(step);
            if !found.is_empty() {
                if let Some(it) = self.values.condition(step) {
                    self.conditions.insert(step, it);
                }
                self.accesses.push((step, found));
            }
        }
    }

    /// The branches: their conditions decide which lanes go where.
    fn find_branches(&mut self) {
        let graph = &self.flow.graph;
        self.exits = vec![Vec::new(); graph.loops.len()];
        for (block, steps) in (0..).zip(&graph.blocks) {
            let after = graph.successors.get(block as usize);
            if after.len() < 2 {
                continue;
            }
            let last = steps.end.saturating_sub(1);
            let branches = self.flow.facts.control.get(last as usize) == Some(&Control::Branch);
            let condition = match branches && !steps.is_empty() {
                true => self.values.condition(last),
                false => None,
            };
            self.branches.insert(block, condition);
            for index in graph.loops_around(block) {
                if after.iter().any(|next| !graph.in_loop(*next, index)) {
                    self.exits[index as usize].push(block);
                }
            }
        }
    }

    fn resolve_sources(&mut self) {
        while self.sources.len() < self.values.graph.leaf_count() {
            let index = self.sources.len() as u32;
            if index.is_multiple_of(256) {
                self.db.unwind_if_revision_cancelled();
            }
            let source = match self.sources.len() < MAX_LEAVES {
                true => self.resolve(index),
                false => LeafSource::Varying,
            };
            self.sources.push(source);
        }
    }

    /// The condition under which the last instruction of a block branches.
    pub(crate) fn branch(&self, block: BlockId) -> Option<Node> {
        self.branches.get(&block).copied().flatten()
    }

    /// The nodes that depend only on the place of a thread in its block, and which of them the lanes of a warp share:
    /// all warps of a block are tried.
    fn find_placed(&mut self) {
        let count = self.values.graph.len();
        self.placed = vec![false; count];
        let mut wanted = Vec::new();
        for node in 0..count as Node {
            let op = self.values.graph.op(node);
            let placed = match op {
                Op::Input(index) => self.sources[index as usize].is_place(),
                Op::Constant(_) | Op::WideConstant(_) | Op::Lane => true,
                _ => {
                    let mut all = true;
                    let mut some = false;
                    op.for_each_operand(|it| {
                        all &= self.placed[it as usize];
                        some = true;
                    });
                    all && some
                }
            };
            self.placed[node as usize] = placed;
            if placed && !op.is_wide() && self.values.graph.as_constant(node).is_none() {
                wanted.push(node);
            }
        }
        self.varies = self.placed.clone();
        for node in 0..count {
            if self.values.graph.as_constant(node as Node).is_some() {
                self.varies[node] = false;
            }
        }
        let mut same: FxHashSet<Node> = wanted.iter().copied().collect();
        let context = LoopTurns::default();
        for sample in 0..SAMPLES.max(self.shape.warps()) {
            if same.is_empty() {
                break;
            }
            self.begin(sample);
            same.retain(|node| {
                let all = self.number(*node, &context);
                let mut there = (0..LANES).filter(|it| self.warp.lanes >> it & 1 == 1);
                let first = there.next().map_or(0, |it| all[it]);
                there.all(|it| all[it] == first)
            });
        }
        for node in same {
            self.varies[node as usize] = false;
        }
    }

    /// Finds what may differ between lanes: nothing does at first, and what is found makes other values differ.
    fn settle(&mut self) {
        let placed = std::mem::take(&mut self.placed);
        let of_place = std::mem::take(&mut self.varies);
        loop {
            self.db.unwind_if_revision_cancelled();
            let mut varies = vec![false; of_place.len()];
            for node in 0..of_place.len() {
                if placed[node] {
                    varies[node] = of_place[node];
                    continue;
                }
                let op = self.values.graph.op(node as Node);
                varies[node] = match op {
                    Op::Input(index) => self.varying.contains(&index),
                    Op::Gather(a, lane) => varies[a as usize] && varies[lane as usize],
                    Op::Broadcast(..) | Op::Ballot(_) => false,
                    _ => {
                        let mut any = matches!(op, Op::Active | Op::Carry | Op::Stack);
                        op.for_each_operand(|it| any |= varies[it as usize]);
                        any
                    }
                };
            }
            self.varies = varies;
            let mut changed = false;
            let branches: Vec<(BlockId, Option<Node>)> =
                self.branches.iter().map(|it| (*it.0, *it.1)).collect();
            for (block, condition) in branches {
                let divides = condition.is_none_or(|it| self.differs(it, block));
                changed |= divides && self.divided.insert(block);
            }
            for index in 0..self.sources.len() as u32 {
                if !self.varying.contains(&index) && self.leaf_varies(index) {
                    self.varying.insert(index);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        self.placed = placed;
    }

    fn leaf_varies(&mut self, index: u32) -> bool {
        match self.sources[index as usize].clone() {
            LeafSource::Varying => true,
            LeafSource::Tid(_) | LeafSource::Lane | LeafSource::Mask(_) => true,
            LeafSource::Uniform(..) | LeafSource::Threads(_) => false,
            LeafSource::Read(nodes, block) => nodes.iter().any(|it| self.differs(*it, block)),
            LeafSource::Phi(phi) => {
                let lists = [&phi.entry, &phi.back];
                let operands = lists.iter().flat_map(|it| it.iter());
                let mut nodes = operands.map(|(block, node)| (*block, *node));
                if nodes.any(|(block, node)| self.differs(node, block)) {
                    return true;
                }
                let chosen = |list: &[(BlockId, Node)]| {
                    list.iter()
                        .any(|it| Some(it.1) != list.first().map(|it| it.1))
                };
                chosen(&phi.entry) && self.is_divided(&phi.join.entry)
                    || chosen(&phi.back) && self.is_divided(&phi.join.back)
            }
        }
    }

    fn is_divided(&self, blocks: &[BlockId]) -> bool {
        blocks.iter().any(|it| self.divided.contains(it))
    }

    /// Whether a value may differ between the lanes of a warp where a block reads it.
    pub(crate) fn differs(&mut self, node: Node, block: BlockId) -> bool {
        if self.varies.get(node as usize) != Some(&false) {
            return true;
        }
        // Lanes leave a loop in other turns.
        let Some(leaves) = self.leaves_of(node) else {
            return true;
        };
        leaves.iter().any(|it| self.leaves_loop_apart(*it, block))
    }

    fn leaves_loop_apart(&self, leaf: u32, block: BlockId) -> bool {
        let Some(home) = self.sources[leaf as usize].block() else {
            return false;
        };
        let graph = &self.flow.graph;
        graph
            .loops_around(home)
            .any(|it| !graph.in_loop(block, it) && self.is_divided(&self.exits[it as usize]))
    }

    /// Whether a node depends only on the place of the thread in its block.
    pub(crate) fn is_placed(&self, node: Node) -> bool {
        self.placed.get(node as usize) == Some(&true)
    }

    /// The leaves of a node; `None` if it has too many, so that nothing is known of it.
    pub(crate) fn leaves_of(&mut self, node: Node) -> Option<Rc<[u32]>> {
        if let Some(known) = self.leaves.get(&node) {
            return known.clone();
        }
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work = vec![node];
        while let Some(it) = work.pop() {
            if !seen.insert(it) {
                continue;
            }
            if seen.len() > MAX_OWN_NODES || found.len() > MAX_OWN_LEAVES {
                self.leaves.insert(node, None);
                return None;
            }
            let op = self.values.graph.op(it);
            if let Op::Input(index) = op {
                found.push(index);
            }
            op.for_each_operand(|it| work.push(it));
        }
        found.sort_unstable();
        let found: Rc<[u32]> = found.into();
        self.leaves.insert(node, Some(found.clone()));
        Some(found)
    }

    /// Whether a node is computed from a truth, or from what that is the opposite of.
    pub(crate) fn depends(&self, node: Node, truth: Node) -> bool {
        let mut wanted = vec![truth];
        let graph = &self.values.graph;
        if let Op::Select(_, opposite, _, _) = graph.op(truth) {
            wanted.push(opposite);
        }
        let mut seen = FxHashSet::default();
        let mut work = vec![node];
        while let Some(it) = work.pop() {
            if wanted.contains(&it) {
                return true;
            }
            if seen.insert(it) {
                graph.op(it).for_each_operand(|it| work.push(it));
            }
        }
        false
    }

    /// The source of a leaf.
    pub(crate) fn source(&self, leaf: u32) -> Option<&LeafSource> {
        self.sources.get(leaf as usize)
    }

    /// The flow of the function.
    pub(crate) fn flow(&self) -> &'a Flow {
        self.flow
    }

    /// The blocks from which control leaves a loop.
    pub(crate) fn exits_of(&self, index: u32) -> &[BlockId] {
        self.exits.get(index as usize).map_or(&[], |it| it)
    }

    /// Whether a loop does not change a value.
    pub(crate) fn is_outside(&mut self, node: Node, index: u32) -> bool {
        let leaves = self.leaves_of(node);
        leaves.is_some_and(|it| self.are_outside(&it, index))
    }

    fn are_outside(&self, leaves: &[u32], index: u32) -> bool {
        leaves.iter().all(|it| {
            let source = self.sources.get(*it as usize);
            let home = source.and_then(LeafSource::block);
            home.is_none_or(|it| !self.flow.graph.in_loop(it, index))
        })
    }

    /// The truth under which an instruction runs.
    pub(crate) fn condition(&mut self, step: Step) -> Option<Node> {
        self.conditions.get(&step).copied()
    }

    /// The number of the leaf that a node is.
    pub(crate) fn leaf_number(&self, node: Node) -> Option<u32> {
        self.leaf_of(node).map(|it| it.0)
    }

    /// Sets what the integer parameters may be in all samples that begin afterwards.
    pub(crate) fn assume_rows(&mut self, rows: RowLengths) {
        self.rows = rows;
    }

    /// Begins a sample.
    pub(crate) fn begin(&mut self, sample: u32) {
        self.random = Random::new(sample, self.rows);
        self.warp = self.shape.warp(sample, &self.random);
        self.frames.clear();
        self.kept = 0;
    }

    /// The lanes of the warp that have threads.
    pub(crate) fn lanes(&self) -> u32 {
        self.warp.lanes
    }

    /// The index of the thread of a lane along x, y and z.
    pub(crate) fn thread(&self, lane: usize) -> [u64; 3] {
        self.warp.threads.map(|it| it[lane])
    }

    /// The numbers of a node where a block reads it, in this sample.
    pub(crate) fn at(&mut self, node: Node, block: BlockId) -> Numbers {
        let mut context = LoopTurns::default();
        for index in self.loops_of(block) {
            let turn = self.random.turn(index, &context);
            context = context.with(index, turn);
        }
        self.number(node, &context)
    }

    /// The same in a turn of the innermost loop around the block, counted from 0.
    pub(crate) fn in_turn(&mut self, node: Node, block: BlockId, turn: u32) -> Numbers {
        let mut context = LoopTurns::default();
        let loops = self.loops_of(block);
        for (at, index) in loops.iter().enumerate() {
            let turn = match at + 1 == loops.len() {
                true => turn,
                false => self.random.turn(*index, &context),
            };
            context = context.with(*index, turn);
        }
        self.number(node, &context)
    }

    /// The number of a leaf that all threads share, in this sample.
    pub(crate) fn leaf_number_of(&mut self, leaf: u32) -> u64 {
        self.leaf(leaf, &LoopTurns::default())[0]
    }

    /// The loops around a block, the outermost first.
    fn loops_of(&self, block: BlockId) -> Vec<u32> {
        let mut found: Vec<u32> = self.flow.graph.loops_around(block).collect();
        found.reverse();
        found
    }

    /// The turns of the loops around a block, seen from a place with these turns; `None` if lanes leave one of the
    /// loops in other turns.
    fn turns(&self, block: BlockId, context: &LoopTurns) -> Option<LoopTurns> {
        let loops = self.loops_of(block);
        if let Some(known) = context.of_outermost(&loops) {
            return Some(known);
        }
        let mut found = LoopTurns::default();
        for index in loops {
            let turn = match context.turn(index) {
                Some(it) => it,
                None if self.is_divided(&self.exits[index as usize]) => return None,
                None => self.random.turn(index, &found),
            };
            found = found.with(index, turn);
        }
        Some(found)
    }

    fn number(&mut self, node: Node, context: &LoopTurns) -> Numbers {
        let Some(leaves) = self.leaves_of(node).filter(|_| self.kept < MAX_NUMBERS) else {
            return self.random.each(u64::from(node) ^ context.hash(), 64);
        };
        for leaf in leaves.iter() {
            self.leaf(*leaf, context);
        }
        let mut frame = self.frames.remove(context).unwrap_or_default();
        let Frame { numbers, leaves } = &mut frame;
        let graph = &self.values.graph;
        let before = numbers.count();
        let found = numbers.get(graph, node, &mut |it| leaves.get(&it).copied());
        let found = found.copied();
        self.kept += numbers.count() - before;
        self.frames.insert(context.clone(), frame);
        found.unwrap_or_else(|| self.random.each(u64::from(node), 64))
    }

    fn known_leaf(&self, leaf: u32, context: &LoopTurns) -> Option<&Numbers> {
        self.frames.get(context)?.leaves.get(&leaf)
    }

    fn leaf(&mut self, leaf: u32, context: &LoopTurns) -> Numbers {
        if let Some(known) = self.known_leaf(leaf, context) {
            return *known;
        }
        let bits = self.values.graph.leaf_bits(leaf);
        let mut found = self.new_leaf(leaf, context, bits);
        if bits < 64 {
            found = found.map(|it| it & ((1 << bits) - 1));
        }
        let frame = self.frames.entry(context.clone()).or_default();
        frame.leaves.insert(leaf, found);
        self.kept += 1;
        found
    }

    fn new_leaf(&mut self, leaf: u32, context: &LoopTurns, bits: u32) -> Numbers {
        let source = self.sources[leaf as usize].clone();
        let key = u64::from(leaf) + 1;
        match &source {
            LeafSource::Tid(axis) => return self.warp.threads[*axis],
            LeafSource::Threads(axis) => return [self.warp.shape[*axis]; LANES],
            LeafSource::Lane => return std::array::from_fn(|it| it as u64),
            LeafSource::Mask(of) => return std::array::from_fn(|it| of(it as u32)),
            LeafSource::Uniform(key, style) => return [self.random.styled(*key, *style); LANES],
            LeafSource::Varying => return self.random.each(key ^ context.hash(), bits),
            LeafSource::Read(..) | LeafSource::Phi(_) => {}
        }
        let home = source.block().unwrap_or_default();
        let Some(turns) = self.turns(home, context) else {
            return self.random.each(key ^ context.hash(), bits);
        };
        if turns != *context {
            return self.leaf(leaf, &turns);
        }
        match source {
            LeafSource::Read(..) => match self.varying.contains(&leaf) {
                true => self.random.each(key ^ turns.hash(), bits),
                false => {
                    let style = Style::Data(bits);
                    [self.random.styled(key ^ turns.hash(), style); LANES]
                }
            },
            LeafSource::Phi(phi) => {
                let open = (leaf, turns.clone());
                if self.depth > MAX_DEPTH || !self.open.insert(open.clone()) {
                    return self.random.each(key ^ turns.hash(), bits);
                }
                self.depth += 1;
                let found = match phi
                    .index
                    .and_then(|it| turns.turn(it).map(|turn| (it, turn)))
                {
                    Some((index, 1..)) => {
                        let last = turns.turn(index).unwrap_or_default();
                        let before = turns.with(index, last - 1);
                        // Earlier turns first, so that none waits for a long row of others.
                        if self.known_leaf(leaf, &before).is_none() {
                            for turn in 0..last - 1 {
                                self.leaf(leaf, &turns.with(index, turn));
                            }
                        }
                        let divided = self.is_divided(&phi.join.back);
                        self.chosen(&phi.back, phi.join.block, divided, &before, None)
                    }
                    Some(_) => {
                        let divided = self.is_divided(&phi.join.entry);
                        let outside = turns.outside();
                        self.chosen(&phi.entry, phi.join.block, divided, &outside, None)
                    }
                    None => {
                        let divided = self.is_divided(&phi.join.entry);
                        let by = phi.join.sides.as_ref();
                        self.chosen(&phi.entry, phi.join.block, divided, &turns, by)
                    }
                };
                self.depth -= 1;
                self.open.remove(&open);
                found.unwrap_or_else(|| self.random.each(key ^ turns.hash(), bits))
            }
            _ => [0; LANES],
        }
    }

    /// One of the values that come from several blocks.
    fn chosen(
        &mut self,
        list: &[(BlockId, Node)],
        block: BlockId,
        divided: bool,
        context: &LoopTurns,
        by: Option<&(Node, Vec<(BlockId, bool)>)>,
    ) -> Option<Numbers> {
        let first = list.first()?.1;
        if list.iter().all(|it| it.1 == first) {
            return Some(self.number(first, context));
        }
        let all: Vec<Numbers> = match divided || by.is_some() {
            true => list.iter().map(|it| self.number(it.1, context)).collect(),
            false => Vec::new(),
        };
        if let Some((condition, sides)) = by {
            let taken = self.number(*condition, context);
            let on = |side: bool| {
                let from = sides.iter().find(|it| it.1 == side)?.0;
                list.iter().position(|it| it.0 == from)
            };
            if let (Some(yes), Some(no)) = (on(true), on(false)) {
                let side = |it: usize| if taken[it] & 1 == 1 { yes } else { no };
                return Some(std::array::from_fn(|it| all[side(it)][it]));
            }
        }
        let key = u64::from(block) << 20 ^ context.hash();
        Some(match divided {
            true => {
                let picks = self.random.each(key, 32);
                std::array::from_fn(|it| all[picks[it] as usize % all.len()][it])
            }
            false => {
                let pick = self.random.number(key) as usize % list.len();
                self.number(list[pick].1, context)
            }
        })
    }

    /// Whether an access is one of all lanes to one address at one time, so that they all get one value.
    pub(super) fn is_shared_read(access: &MemoryAccess) -> bool {
        access.kind == AccessKind::Load && !access.bulk
    }

    /// The leaf of a node, if it is one.
    pub(super) fn leaf_of(&self, node: Node) -> Option<(u32, Leaf<'a>)> {
        match self.values.graph.op(node) {
            Op::Input(index) => Some((index, self.values.leaf_of(node)?)),
            _ => None,
        }
    }
}
