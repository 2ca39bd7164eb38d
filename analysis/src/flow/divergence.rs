//! Branches that divide a warp, and instructions that its threads then run apart.
//!
//! The analysis says nothing unless it is sure: it computes predicates for each thread of two warps from
//! `%tid.x`, `%laneid` and constants, and knows of others only whether they depend on the thread.

use std::collections::hash_map::Entry;

use isa::semantics::{Control, Operation as Computes};
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Database;

use crate::hir::{
    body::{Body, body},
    bound::Operands,
    items::Function,
    tree,
};

use super::{
    Flow,
    dominators::immediate_dominators,
    effects::meaning,
    facts::{Facts, Step, Value, guard},
    ids::BlockId,
    lists::Lists,
    operation::Operation,
};

/// Threads of a warp.
const WARP: usize = isa::limits::THREADS_PER_WARP as usize;
/// Threads that are looked at.
const THREADS: usize = 2 * WARP;
/// How many instructions are followed from a predicate to its sources.
const MAX_DEPTH: u32 = 64;
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

/// The known facts about a value in the threads of a warp.
#[derive(Clone, Debug, PartialEq)]
enum Lanes {
    /// The number in each thread.
    Known(Box<[u64; THREADS]>),
    /// The same in all threads of a warp.
    Same,
    /// A number that depends on the thread and on something that the text does not tell.
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
    let mut values = Values::new(db, function, flow, width as usize);
    let mut found: Vec<Apart> = Vec::new();
    for step in &facts.together {
        if facts.guarded[*step as usize]
            && let Some(certain) = values.divides(*step)
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
        let Some(certain) = values.divides(last) else {
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
struct Values<'f> {
    body: &'f Body,
    operands: Operands<'f>,
    entry: bool,
    facts: &'f Facts,
    db: &'f dyn Database,
    /// The instruction that alone writes each value.
    writer: Vec<Option<Step>>,
    lanes: FxHashMap<Value, Lanes>,
    /// Threads of a block along x at most.
    width: usize,
}

impl<'f> Values<'f> {
    fn new(
        db: &'f dyn Database,
        function: Function<'f>,
        flow: &'f Flow,
        width: usize,
    ) -> Values<'f> {
        let facts = &flow.facts;
        let mut writes = vec![0_u32; facts.values.len()];
        let mut writer = vec![None; facts.values.len()];
        for step in 0..facts.len() {
            for value in facts.writes.get(step) {
                let at = *value as usize;
                writes[at] += 1;
                writer[at] = (writes[at] == 1 && !facts.keeps[step]).then_some(step as Step);
            }
        }
        let cursor = function.green(db).cursor();
        Values {
            db,
            body: body(db, function),
            operands: Operands::of(db, function),
            entry: tree::has_word(&cursor, ".entry"),
            facts,
            writer,
            lanes: FxHashMap::default(),
            width,
        }
    }

    fn operation(&self, step: Step) -> Option<Operation<'f>> {
        let instruction = self.operands.get(step)?;
        let meaning = meaning(self.db, self.operands.form(step)?);
        Some(Operation::of(self.body, self.facts, instruction, meaning))
    }

    /// Whether the guard of an instruction holds for some threads of a warp only: `Some(true)` if it does,
    /// `Some(false)` if that depends on more than the thread, and `None` if nothing says so.
    fn divides(&mut self, step: Step) -> Option<bool> {
        let guard = guard(self.body, self.facts, step)?;
        match self.lanes(guard, 0) {
            Lanes::Known(numbers) => self.differs(&numbers).then_some(true),
            Lanes::Varies => Some(false),
            Lanes::Same | Lanes::Unknown => None,
        }
    }

    /// Whether a number is not the same in all threads of a warp.
    fn differs(&self, numbers: &[u64; THREADS]) -> bool {
        let threads = numbers.get(..self.width.min(THREADS)).unwrap_or_default();
        threads
            .chunks(WARP)
            .any(|warp| warp.iter().any(|it| Some(it) != warp.first()))
    }

    fn lanes(&mut self, value: Value, depth: u32) -> Lanes {
        if let Some(known) = self.lanes.get(&value) {
            return known.clone();
        }
        let found = match self.writer[value as usize] {
            Some(step) if depth < MAX_DEPTH => self.written(step, depth),
            _ => Lanes::Unknown,
        };
        self.lanes.insert(value, found.clone());
        found
    }

    /// The values that an instruction writes.
    fn written(&mut self, step: Step, depth: u32) -> Lanes {
        let Some(operation) = self.operation(step) else {
            return Lanes::Unknown;
        };
        if let Some(source) = operation.operands().nth(1)
            && let Some(name) = source.special()
            && operation.is(Computes::Move)
        {
            return special(name, source.component());
        }
        let constant = operation.semantics.is_load()
            && (operation.has("const") || self.entry && operation.has("param"));
        let mut sources: Vec<(Value, Lanes)> = Vec::new();
        for value in operation.reads() {
            sources.push((value, self.lanes(value, depth + 1)));
        }
        if constant {
            let same = |it: &(Value, Lanes)| match &it.1 {
                Lanes::Known(numbers) => !self.differs(numbers),
                other => *other == Lanes::Same,
            };
            return match sources.iter().all(same) {
                true => Lanes::Same,
                false => Lanes::Unknown,
            };
        }
        if operation.special || sources.iter().any(|it| it.1 == Lanes::Unknown) {
            return Lanes::Unknown;
        }
        let known = operation.computation().and_then(|it| {
            it.lanes(|value| match sources.iter().find(|it| it.0 == value) {
                Some((_, Lanes::Known(numbers))) => Some(**numbers),
                _ => None,
            })
        });
        if let Some(numbers) = known {
            return Lanes::Known(Box::new(numbers));
        }
        let varies = sources.iter().any(|it| match &it.1 {
            Lanes::Known(numbers) => self.differs(numbers),
            other => *other == Lanes::Varies,
        });
        match varies {
            false if operation.semantics.is_value() => Lanes::Same,
            // These keep what tells threads apart; others, such as shifts, may drop it.
            true if operation.plain.is_some_and(keeps_differences) => Lanes::Varies,
            _ => Lanes::Unknown,
        }
    }
}

/// Whether results differ where one of the sources does.
fn keeps_differences(operation: Computes) -> bool {
    matches!(
        operation,
        Computes::Move
            | Computes::Convert
            | Computes::Negate
            | Computes::Not
            | Computes::Add
            | Computes::Subtract
            | Computes::Multiply
            | Computes::MultiplyWide
            | Computes::MultiplyAdd
            | Computes::MultiplyAddWide
            | Computes::Compare
    )
}

/// A special register in the threads of a warp.
fn special(name: &str, component: Option<char>) -> Lanes {
    let thread = |number: fn(usize) -> usize| {
        let mut numbers = Box::new([0; THREADS]);
        for (thread, it) in numbers.iter_mut().enumerate() {
            *it = number(thread) as u64;
        }
        Lanes::Known(numbers)
    };
    match (name, component) {
        ("%tid", Some('x')) => thread(|it| it),
        ("%laneid", _) => thread(|it| it % WARP),
        _ if isa::special::is_same_in_block(name) => Lanes::Same,
        _ => Lanes::Unknown,
    }
}
