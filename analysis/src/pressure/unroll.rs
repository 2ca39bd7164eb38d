//! Loops that ptxas unrolls: those without branches inside that run a number of times that constants
//! decide. Their loads move together, so they need more registers than one turn of the text tells.
//!
//! ptxas also puts a few turns of other loops together, but to reckon with four of them made estimates
//! worse.

use rustc_hash::FxHashMap;
use syntax::{Cursor, SyntaxKind, TextSize};

use crate::{
    flow::{
        Flow,
        facts::{Step, Value},
        graph::BlockId,
        operation::Shape,
    },
    hir::body::Body,
};

use super::program::Program;

/// Loops with more turns are taken as they are.
const MAX_TURNS: u32 = 128;
/// As are those that would become longer, in instructions.
const MAX_LENGTH: usize = 1024;
/// How many blocks one loop may have.
const MAX_BLOCKS: usize = 8;
/// How many blocks are searched for the value that a loop starts with.
const MAX_DOMINATORS: usize = 64;
/// How many copies of a register are followed.
const MAX_COPIES: usize = 8;

/// A loop that is unrolled.
#[derive(Debug)]
pub(super) struct Unrolled {
    /// Its blocks in the order of control, from the head on.
    pub(super) blocks: Vec<BlockId>,
    /// How many turns stand one after the other.
    pub(super) turns: u32,
}

/// The loops of a function that ptxas unrolls. The program is as the text has it, with no value renamed.
pub(super) fn unrolled(program: &Program<'_>, flow: &Flow, kept: &[Step]) -> Vec<Unrolled> {
    let mut found = Vec::new();
    for (index, it) in (0..).zip(&flow.graph.loops) {
        let Some(blocks) = cycle(flow, index, it.head) else {
            continue;
        };
        let head = flow.graph.blocks[it.head as usize].start;
        if kept.binary_search(&head).is_ok() {
            continue;
        }
        let lengths = blocks.iter().map(|it| &flow.graph.blocks[*it as usize]);
        let length: usize = lengths.map(|it| it.len()).sum();
        let mut steps = blocks
            .iter()
            .flat_map(|it| flow.graph.blocks[*it as usize].clone());
        let fixed = |step: Step| {
            let opcode = program.operations[step as usize].opcode;
            isa::control::orders_memory(opcode) && opcode != "bra"
        };
        if steps.any(fixed) {
            continue;
        }
        let Some(turns) = (Turns { program, flow }).count(&blocks) else {
            continue;
        };
        if turns > 1 && length.saturating_mul(turns as usize) <= MAX_LENGTH {
            found.push(Unrolled { blocks, turns });
        }
    }
    found
}

/// The first instructions of loops that pragmas keep from being unrolled, sorted.
pub(super) fn kept(function: &Cursor<'_>, body: &Body) -> Vec<Step> {
    fn walk(node: &Cursor<'_>, act: &mut impl FnMut(TextSize)) {
        for child in node.nodes() {
            match child.kind() {
                SyntaxKind::PRAGMA
                    if child
                        .tokens()
                        .any(|it| it.text().trim_matches('"') == "nounroll") =>
                {
                    act(child.range().end());
                }
                SyntaxKind::BLOCK | SyntaxKind::STATEMENT_RUN => walk(&child, act),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    walk(function, &mut |offset| {
        found.push(crate::flow::facts::step_at(body, offset));
    });
    found
}

/// The blocks of a loop in the order of control, if there is only one way through it.
fn cycle(flow: &Flow, index: u32, head: BlockId) -> Option<Vec<BlockId>> {
    let graph = &flow.graph;
    let mut blocks = vec![head];
    loop {
        let last = *blocks.last()?;
        let inside = |it: &&BlockId| graph.loop_of[**it as usize] == Some(index);
        let mut next = graph.successors.get(last as usize).iter().filter(inside);
        match (next.next(), next.next()) {
            (Some(only), None) if *only == head => return Some(blocks),
            (Some(only), None) if blocks.len() < MAX_BLOCKS => blocks.push(*only),
            _ => return None,
        }
    }
}

/// Runs a loop as far as constants reach.
struct Turns<'p, 'a> {
    program: &'p Program<'a>,
    flow: &'p Flow,
}

impl Turns<'_, '_> {
    /// How often the loop runs from its head on, if constants decide that.
    fn count(&self, blocks: &[BlockId]) -> Option<u32> {
        let graph = &self.flow.graph;
        let mut known: FxHashMap<Value, Option<i64>> = FxHashMap::default();
        let before = graph.dominator[*blocks.first()? as usize];
        for turn in 0..=MAX_TURNS {
            for (at, block) in blocks.iter().enumerate() {
                let steps = graph.blocks[*block as usize].clone();
                for step in steps.clone() {
                    let operation = &self.program.operations[step as usize];
                    for value in operation.reads() {
                        known
                            .entry(value)
                            .or_insert_with(|| self.before(before, value, 0));
                    }
                    let result = match operation.guard {
                        None => operation.evaluate(|it| *known.get(&it)?),
                        Some(_) => None,
                    };
                    for value in &operation.writes {
                        known.insert(*value, result);
                    }
                }
                let next = blocks.get(at + 1).or(blocks.first())?;
                let last = steps.end.checked_sub(1)? as usize;
                let operation = &self.program.operations[last];
                let jumps = match (operation.opcode, operation.guard) {
                    ("bra", Some(guard)) => {
                        (known.get(&guard)?.as_ref()? != &0) != operation.negated
                    }
                    ("bra", None) => true,
                    _ => false,
                };
                let target = match jumps {
                    true => *self.flow.facts.targets.get(last).first()?,
                    false => steps.end,
                };
                if graph.block_of.get(target as usize) != Some(next) {
                    // A loop that is left behind its last block has run that turn as well.
                    return Some(turn + u32::from(at + 1 == blocks.len()));
                }
            }
        }
        None
    }

    /// The constant that a value has at the end of a block.
    fn before(&self, block: Option<BlockId>, value: Value, depth: usize) -> Option<i64> {
        let graph = &self.flow.graph;
        let mut block = block;
        for _ in 0..MAX_DOMINATORS {
            let steps = graph.blocks[block? as usize].clone();
            for step in steps.rev() {
                let operation = &self.program.operations[step as usize];
                if !operation.writes.contains(&value) {
                    continue;
                }
                return match (operation.opcode, &operation.operands[..]) {
                    ("mov", [_, Shape::Constant(number)]) if operation.guard.is_none() => *number,
                    ("mov", [_, Shape::Other]) if depth < MAX_COPIES => {
                        let source = *operation.data.first()?;
                        self.before(block, source, depth + 1)
                    }
                    _ => None,
                };
            }
            block = graph.dominator[block? as usize];
        }
        None
    }
}
