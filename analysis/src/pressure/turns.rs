//! Loops that ptxas unrolls by a few turns although nothing tells how often they run.
//!
//! The conditions were measured with ptxas 13.5 on small loops that differ in one thing: a constant changes the counter
//! once in a turn, the counter is compared with a value that no turn changes, there is one way out and no loop inside, a
//! turn is short, and it has no operation of several lanes, no fence and no routine that ptxas adds. A loop with more
//! turns than are unrolled as a whole is treated alike.

use isa::{
    compute::Operation as Computes,
    semantics::{Control, Order, Together},
};

use crate::flow::{
    Flow,
    facts::{Step, Value},
    ids::BlockId,
    operation::Operation,
};
use crate::hir::bound::Bound;

use super::{
    program::Program,
    turn::{Fate, Unrolled},
};

/// By how many turns ptxas unrolls such a loop.
const TURNS: usize = 4;
/// A turn costs less than this, where an access to memory costs [`ACCESS`] and all else 1: 40 additions
/// and a load, 15 additions and 15 loads were put together, and with 48 or 16 not.
const MAX_COST: u32 = 51;
/// The cost of an access to memory.
const ACCESS: u32 = 2;
/// Turns of more blocks are not followed.
const MAX_BLOCKS: usize = 4;

/// The turns by which ptxas unrolls a loop, if it does.
pub(super) fn together(
    program: &Program<'_>,
    flow: &Flow,
    kept: &[Step],
    index: u32,
) -> Option<Unrolled> {
    let graph = &flow.graph;
    let head = graph.loops.get(index as usize)?.head;
    let turn = turn(flow, index, head)?;
    let steps: Vec<Step> = (turn.blocks.iter())
        .flat_map(|it| graph.blocks[*it as usize].clone())
        .collect();
    if turn.blocks.iter().any(|it| {
        kept.binary_search(&graph.blocks[*it as usize].start)
            .is_ok()
    }) {
        return None;
    }
    let operation = |step: Step| &program.operations[step as usize];
    let cost = |step: &Step| match operation(*step) {
        it if it.semantics.accesses_memory() => ACCESS,
        _ => 1,
    };
    if steps.iter().map(cost).sum::<u32>() >= MAX_COST
        || steps.iter().any(|it| forbids(operation(*it)))
    {
        return None;
    }
    let writes = |value: Value| {
        let of = move |step: &&Step| operation(**step).writes.contains(&value);
        let mut writes = steps.iter().filter(of);
        (writes.next().copied(), writes.next().is_some())
    };
    // The test: a comparison of the counter with what no turn changes.
    let exit = graph.blocks[turn.exit as usize].end.checked_sub(1)?;
    let (Some(test), false) = writes(operation(exit).guard?) else {
        return None;
    };
    let compare = operation(test);
    if !compare.is(Computes::Compare) || compare.guard.is_some() {
        return None;
    }
    let changing: Vec<Value> = (compare.data.iter().copied())
        .filter(|it| writes(*it).0.is_some())
        .collect();
    let [counter] = changing[..] else { return None };
    let (Some(step), false) = writes(counter) else {
        return None;
    };
    let count = operation(step);
    // Compilers whose values have one name each copy the sum at the end of the turn.
    let copied = |it: &Step| {
        let it = operation(*it);
        it.is(Computes::Copy) && it.data[..] == [counter] && it.writes == count.data
    };
    let again = count.data[..] == [counter] || steps.iter().any(copied);
    let by_constant = count
        .operands()
        .nth(2)
        .is_some_and(|it| matches!(it.bound(), Bound::Integer(_) | Bound::Float));
    let adds = matches!(count.operation(), Some(Computes::Add | Computes::Subtract));
    if !adds || !by_constant || !again || count.guard.is_some() {
        return None;
    }
    let counts = |it: &Operation<'_>| {
        let sums = matches!(it.operation(), Some(Computes::Add | Computes::Subtract));
        sums && it.constant().is_some() && it.guard.is_none()
    };
    let mut found = Vec::new();
    for _ in 0..TURNS {
        for step in steps.iter().copied() {
            let it = operation(step);
            let fate = match it.semantics.control {
                Control::Branch => continue,
                _ if step == test => Fate::Constant,
                // What changes by a constant in each turn is one value with several offsets.
                _ if counts(it) => Fate::Offset,
                _ => Fate::Stays,
            };
            found.push((step, fate));
        }
    }
    Some(Unrolled {
        first: head,
        last: *turn.blocks.last()?,
        steps: found,
    })
}

/// The blocks of a turn in their order, and the one that leaves the loop.
struct Turn {
    blocks: Vec<BlockId>,
    exit: BlockId,
}

/// The turn of a loop that has one way only through it and one out of it.
fn turn(flow: &Flow, index: u32, head: BlockId) -> Option<Turn> {
    let graph = &flow.graph;
    let mut blocks = Vec::new();
    let mut exit = None;
    let mut block = head;
    loop {
        blocks.push(block);
        if blocks.len() > MAX_BLOCKS || graph.loop_of[block as usize] != Some(index) {
            return None;
        }
        let next = graph.successors.get(block as usize);
        let mut inside = next.iter().filter(|it| graph.in_loop(**it, index));
        let (following, other) = (*inside.next()?, inside.next());
        if other.is_some() {
            return None;
        }
        if next.len() > 1 && exit.replace(block).is_some() {
            return None;
        }
        if following == head {
            return Some(Turn {
                blocks,
                exit: exit?,
            });
        }
        block = following;
    }
}

/// Whether an instruction keeps ptxas from putting turns together.
fn forbids(operation: &Operation<'_>) -> bool {
    let semantics = &operation.semantics;
    let fence = !matches!(semantics.order, Order::None | Order::Volatile)
        && semantics.together == Together::Nobody
        && !semantics.accesses_memory();
    semantics.together == Together::Lanes
        || semantics.cost.subroutine
        || fence
        || matches!(
            semantics.control,
            Control::Call | Control::Table | Control::Return | Control::End | Control::Trap
        )
}
