//! Branches that divide a warp, and instructions that its threads then run apart.
//!
//! The analysis says nothing unless it is sure: it computes predicates for each thread of two warps from
//! `%tid.x`, `%laneid` and constants, and knows of others only whether they depend on the thread.

use std::{cell::LazyCell, collections::hash_map::Entry};

use isa::{
    compute::{Binary, FloatUnary, Graph, LaneValues, Node, Op, Unary, float},
    semantics::Control,
};
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Database;

use super::engine::{Leaf, Purpose, Values};
use crate::{
    flow::{
        Flow,
        dominators::immediate_dominators,
        effects::semantics,
        facts::{Step, guard},
        ids::BlockId,
        lists::Lists,
        operation::Operation,
    },
    hir::{
        body::{Body, body},
        bound::Operands,
        items::Function,
        tree,
    },
};

/// Threads of a warp.
const WARP: usize = isa::limits::THREADS_PER_WARP as usize;
/// Threads that are looked at.
const THREADS: usize = 2 * WARP;
/// How many blocks are walked in all.
const MAX_BLOCKS: usize = 1 << 16;

/// An instruction that the threads of a warp do not run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Apart {
    /// The instruction.
    pub(crate) step: Step,
    /// The branch that divides the warp, or the instruction itself if its guard does.
    pub(crate) branch: Step,
    /// Whether the text alone says so; else it depends on numbers that are known at run time only, such as a bound.
    pub(crate) certain: bool,
}

/// How a value is across the threads of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Across {
    /// The same in all.
    Same,
    /// It depends on the thread.
    Varies,
    Unknown,
}

/// How often a long body looks for a cancellation, in blocks.
const CHECK_INTERVAL: BlockId = 256;

/// The instructions of a function that must be run together and are not, in the order of the text, at most
/// one for each. Blocks have `width` threads along x at most.
pub(crate) fn apart(
    db: &dyn Database,
    function: Function<'_>,
    flow: &Flow,
    width: u32,
) -> Vec<Apart> {
    let facts = &flow.facts;
    if facts.together.is_empty() {
        return Vec::new();
    }
    let mut threads = LazyCell::new(|| Threads::new(db, function, flow, width as usize));
    let mut found: Vec<Apart> = Vec::new();
    for step in &facts.together {
        if facts.guarded[*step as usize]
            && let Some(certain) = threads.divides(*step)
        {
            found.push(Apart {
                step: *step,
                branch: *step,
                certain,
            });
        }
    }
    db.unwind_if_revision_cancelled();
    let joins = joins(flow);
    db.unwind_if_revision_cancelled();
    let meets = meets(flow);
    let mut together: FxHashMap<BlockId, Vec<Step>> = FxHashMap::default();
    for step in &facts.together {
        let block = flow.graph.block_of[*step as usize];
        together.entry(block).or_default().push(*step);
    }
    let indices = found.iter().enumerate().map(|(index, it)| (it.step, index));
    let mut index_of: FxHashMap<Step, usize> = indices.collect();
    let mut room = MAX_BLOCKS;
    let mut glance = Glance::new(flow);
    for (block, steps) in (0..).zip(&flow.graph.blocks) {
        if block % CHECK_INTERVAL == 0 {
            db.unwind_if_revision_cancelled();
        }
        let Some(last) = steps.clone().last() else {
            continue;
        };
        let branches = facts.control[last as usize] == Control::Branch;
        if !flow.graph.reachable[block as usize] || !branches || !facts.guarded[last as usize] {
            continue;
        }
        let Some(join) = joins[block as usize] else {
            continue;
        };
        // Most branches have no such instruction after them, and to see that costs less than to follow a predicate.
        if !glance.may_meet(flow, block, join) {
            continue;
        }
        // A branch that depends on numbers which the text does not tell is most often the test of a bound,
        // and threads that just end after it are missed by nobody.
        let Some(certain) = threads.divides(last) else {
            continue;
        };
        if !certain && !meets[join as usize] {
            continue;
        }
        let inside = between(flow, block, join, &mut room);
        let met = inside.iter().filter_map(|it| together.get(it)).flatten();
        for step in met {
            let new = Apart {
                step: *step,
                branch: last,
                certain,
            };
            match index_of.entry(*step) {
                Entry::Vacant(it) => {
                    it.insert(found.len());
                    found.push(new);
                }
                Entry::Occupied(it) => {
                    let known = &mut found[*it.get()];
                    if certain && !known.certain {
                        *known = new;
                    }
                }
            }
        }
    }
    found.sort_unstable_by_key(|it| it.step);
    found
}

/// Where the ways after each block meet again; `None` where they only meet at the end, or never.
fn joins(flow: &Flow) -> Vec<Option<BlockId>> {
    let count = flow.graph.blocks.len();
    // Backwards, from an end of all ways that is not a block.
    let mut backwards = Lists::default();
    for block in 0..count {
        backwards.push(flow.graph.predecessors.get(block).iter().copied());
    }
    let is_end = |it: &BlockId| flow.graph.successors.get(*it as usize).is_empty();
    backwards.push((0..count as BlockId).filter(is_end));
    let end = count as BlockId;
    let mut joins = immediate_dominators(&backwards, count + 1, end);
    joins.truncate(count);
    for join in &mut joins {
        *join = join.filter(|it| *it != end);
    }
    joins
}

/// Whether some way from the start of each block gets to an instruction that must be run together.
fn meets(flow: &Flow) -> Vec<bool> {
    let mut meets = vec![false; flow.graph.blocks.len()];
    let starts = flow.facts.together.iter();
    let mut work: Vec<BlockId> = starts.map(|it| flow.graph.block_of[*it as usize]).collect();
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut meets[block as usize], true) {
            work.extend(flow.graph.predecessors.get(block as usize));
        }
    }
    meets
}

/// The blocks after a block and before the one where its ways meet.
fn between(flow: &Flow, block: BlockId, join: BlockId, room: &mut usize) -> FxHashSet<BlockId> {
    let mut inside = FxHashSet::default();
    let mut work = vec![block];
    while let Some(block) = work.pop() {
        for next in flow.graph.successors.get(block as usize) {
            if *next == join || *room == 0 || !inside.insert(*next) {
                continue;
            }
            *room -= 1;
            work.push(*next);
        }
    }
    inside
}

/// A walk over the blocks after a branch, in the memory of the one before.
struct Glance {
    /// Whether a block has an instruction that must be run together.
    together: Vec<bool>,
    /// The walk that has seen a block last.
    seen: Vec<u32>,
    walk: u32,
    work: Vec<BlockId>,
    /// How many blocks may still be walked.
    room: usize,
}

impl Glance {
    fn new(flow: &Flow) -> Glance {
        let count = flow.graph.blocks.len();
        let mut together = vec![false; count];
        for step in &flow.facts.together {
            together[flow.graph.block_of[*step as usize] as usize] = true;
        }
        Glance {
            together,
            seen: vec![0; count],
            walk: 0,
            work: Vec::new(),
            room: MAX_BLOCKS,
        }
    }

    /// Whether an instruction that must be run together may lie after a block and before the one where its ways meet.
    fn may_meet(&mut self, flow: &Flow, block: BlockId, join: BlockId) -> bool {
        self.walk += 1;
        self.work.clear();
        self.work.push(block);
        while let Some(block) = self.work.pop() {
            for next in flow.graph.successors.get(block as usize) {
                let seen = &mut self.seen[*next as usize];
                if *next == join || *seen == self.walk {
                    continue;
                }
                if self.together[*next as usize] || self.room == 0 {
                    return true;
                }
                *seen = self.walk;
                self.room -= 1;
                self.work.push(*next);
            }
        }
        false
    }
}

/// The values of a function, looked at when a predicate asks for them.
struct Threads<'f> {
    db: &'f dyn Database,
    body: &'f Body,
    flow: &'f Flow,
    operands: Operands<'f>,
    entry: bool,
    values: Values<'f>,
    numbers: LaneValues<THREADS>,
    across: FxHashMap<Node, Across>,
    /// Threads of a block along x at most.
    width: usize,
}

impl<'f> Threads<'f> {
    fn new(
        db: &'f dyn Database,
        function: Function<'f>,
        flow: &'f Flow,
        width: usize,
    ) -> Threads<'f> {
        Threads {
            db,
            body: body(db, function),
            flow,
            operands: Operands::of(db, function),
            entry: tree::has_word(&function.green(db).cursor(), ".entry"),
            values: Values::of(db, function, flow, Purpose::Function),
            numbers: LaneValues::default(),
            across: FxHashMap::default(),
            width: width.min(THREADS),
        }
    }

    /// Whether the guard of an instruction holds for some threads of a warp only: `Some(true)` if it does,
    /// `Some(false)` if that depends on more than the thread, and `None` if nothing says so.
    fn divides(&mut self, step: Step) -> Option<bool> {
        let guard = guard(self.body, &self.flow.facts, step)?;
        let node = self.values.before(guard, step);
        match self.known(node) {
            Some(known) => (known == Across::Varies).then_some(true),
            None => (self.across(node) == Across::Varies).then_some(false),
        }
    }

    /// How a value is across the threads of a warp, if its numbers are known.
    fn known(&mut self, node: Node) -> Option<Across> {
        let known = &mut self.numbers;
        let numbers = self
            .values
            .in_threads(node, known, |it| it as u64, |_| None)?;
        let mut warps = numbers.get(..self.width)?.chunks(WARP);
        let differs = warps.any(|warp| warp.iter().any(|it| Some(it) != warp.first()));
        Some(if differs {
            Across::Varies
        } else {
            Across::Same
        })
    }

    /// How a value is across the threads of a warp.
    fn across(&mut self, node: Node) -> Across {
        let mut open = FxHashSet::default();
        let mut work = vec![node];
        while let Some(node) = work.last().copied() {
            if self.across.contains_key(&node) {
                work.pop();
                continue;
            }
            let known = self.known(node);
            let sources = match known {
                Some(_) => Vec::new(),
                None => self.sources(node),
            };
            let is_new = |it: &&Node| !open.contains(*it) && !self.across.contains_key(*it);
            let new: Vec<Node> = sources.iter().filter(is_new).copied().collect();
            // The second time all that can be found is there; what is still open comes round a loop.
            if open.insert(node) && !new.is_empty() {
                work.extend(new);
                continue;
            }
            let found = known.unwrap_or_else(|| self.computed(node, &sources));
            self.across.insert(node, found);
            work.pop();
        }
        self.across.get(&node).copied().unwrap_or(Across::Unknown)
    }

    /// The nodes that decide about one.
    fn sources(&mut self, node: Node) -> Vec<Node> {
        match self.values.leaf_of(node) {
            Some(Leaf::Result(step, _)) => self.values.reads(step),
            _ => {
                let mut operands = Vec::new();
                self.values
                    .graph
                    .op(node)
                    .for_each_operand(|it| operands.push(it));
                operands
            }
        }
    }

    fn computed(&self, node: Node, sources: &[Node]) -> Across {
        let of = |it: &Node| self.across.get(it).copied().unwrap_or(Across::Unknown);
        let all_same = sources.iter().all(|it| of(it) == Across::Same);
        let op = self.values.graph.op(node);
        match self.values.leaf_of(node) {
            Some(Leaf::Name(name)) => {
                let is_register = || self.flow.facts.value(name.0).is_some();
                match name.special() {
                    Some(it) if isa::special::is_same_in_block(it) => Across::Same,
                    None if !is_register() => Across::Same,
                    _ => Across::Unknown,
                }
            }
            Some(Leaf::Result(step, _)) if all_same && self.hands_on(step) => Across::Same,
            Some(_) => Across::Unknown,
            None if matches!(
                op,
                Op::Input(_) | Op::Active | Op::Carry | Op::Stack | Op::Lane
            ) =>
            {
                Across::Unknown
            }
            None if all_same => Across::Same,
            None if sources.iter().any(|it| of(it) == Across::Unknown) => Across::Unknown,
            None if keeps_differences(&op, &self.values.graph) => Across::Varies,
            None => Across::Unknown,
        }
    }

    /// Whether an instruction without a program gives the same to threads that give it the same.
    fn hands_on(&self, step: Step) -> bool {
        let (Some(instruction), false) = (self.operands.get(step), self.values.is_computed(step))
        else {
            return false;
        };
        let semantics = semantics(self.db, instruction.id);
        let operation = Operation::of(self.body, &self.flow.facts, instruction, semantics);
        let constant = operation.semantics.is_load()
            && (operation.has("const") || self.entry && operation.has("param"));
        constant || !operation.special && operation.semantics.is_value()
    }
}

/// Whether results differ where one of the sources does; others, such as shifts, may drop the difference.
fn keeps_differences(op: &Op, graph: &Graph) -> bool {
    match *op {
        Op::Binary(Binary::Add | Binary::Subtract | Binary::Multiply, ..)
        | Op::Unary(Unary::Negate | Unary::Complement, ..)
        | Op::ZeroExtend(..)
        | Op::SignExtend(..)
        | Op::Widen(..)
        | Op::Narrow(_)
        | Op::FromInteger { .. }
        | Op::ToInteger { .. }
        | Op::Integral(..)
        | Op::FloatCompare(..)
        | Op::FloatUnary(FloatUnary::Flush, ..) => true,
        Op::Binary(Binary::Xor, _, a, b) => {
            graph.as_constant(a).is_some() || graph.as_constant(b).is_some()
        }
        Op::Binary(binary, ..) => binary.is_comparison(),
        Op::Float(step) => !matches!(
            step.operation,
            float::Operation::Divide | float::Operation::SquareRoot
        ),
        _ => false,
    }
}
