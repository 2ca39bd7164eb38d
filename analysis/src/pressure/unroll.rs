//! Loops that ptxas unrolls: those that run a number of times that constants decide, be they integers or
//! floating-point numbers, with the loops inside, and a few turns of some others. Their loads move
//! together, so they need more registers than one turn of the text tells.

use isa::{compute::Operation as Computes, semantics::Control};
use rustc_hash::FxHashMap;
use syntax::{Cursor, SyntaxKind};

use crate::{
    flow::{
        Flow,
        facts::{Step, Value},
        ids::BlockId,
        operation::Operation,
    },
    hir::{body::Body, tree},
    values::Values,
};

use super::{
    program::Program,
    turn::{Fate, Unrolled},
    turns,
};

/// Loops that run longer are taken as they are, in instructions.
const MAX_LENGTH: usize = 2048;
/// Loops that lie deeper in another are not run with it; nobody writes them.
const MAX_NESTING: u32 = 16;
/// The loops of a function that ptxas unrolls; none lies in another. The program is as the text has it,
/// with no value renamed.
pub(super) fn unrolled<'a>(
    program: &Program<'a>,
    flow: &Flow,
    kept: &[Step],
    values: &mut Values<'a>,
) -> Vec<Unrolled> {
    let loops = &flow.graph.loops;
    let mut order: Vec<usize> = (0..loops.len()).collect();
    order.sort_by_key(|it| loops[*it].depth);
    let mut inside = vec![false; loops.len()];
    let mut found = Vec::new();
    for index in order {
        let parent = loops[index].parent;
        inside[index] = parent.is_some_and(|it| inside[it as usize]);
        if inside[index] {
            continue;
        }
        let all = Run::new(program, flow, kept, values).of(index as u32);
        if let Some(it) = all.or_else(|| turns::together(program, flow, kept, index as u32)) {
            inside[index] = true;
            found.push(it);
        }
    }
    found
}

/// The first instructions of loops that pragmas keep from being unrolled, sorted.
pub(super) fn kept(function: &Cursor<'_>, body: &Body) -> Vec<Step> {
    let mut found = Vec::new();
    let mut see = |statement: &Cursor<'_>| {
        let mut words = statement.tokens();
        if statement.kind() == SyntaxKind::PRAGMA
            && words.any(|it| it.text().trim_matches('"') == "nounroll")
        {
            found.push(crate::flow::facts::step_at(body, statement.range().end()));
        }
    };
    function.nodes().for_each(|it| see(&it));
    tree::for_each_declaration(function, &mut see);
    found
}

/// Whether ptxas makes a constant of the result in a turn that it unrolls. Products of twice the width take registers
/// all the same (measured with ptxas 13.5: 31 of them for 16 loads from `base + 4*i`, and not 25).
fn folds(operation: &Operation<'_>) -> bool {
    use Computes::{MultiplyAddWide, MultiplyWide, Select};
    // Choices were not measured.
    let stays = |it| matches!(it, MultiplyWide | MultiplyAddWide | Select);
    operation.operation().is_some_and(|it| !stays(it))
}

/// Runs a loop as far as constants reach.
struct Run<'p, 'a> {
    program: &'p Program<'a>,
    flow: &'p Flow,
    kept: &'p [Step],
    values: &'p mut Values<'a>,
    /// The known values of registers; `None` of those that are not constant.
    known: FxHashMap<Value, Option<u64>>,
}

impl<'p, 'a> Run<'p, 'a> {
    fn new(
        program: &'p Program<'a>,
        flow: &'p Flow,
        kept: &'p [Step],
        values: &'p mut Values<'a>,
    ) -> Run<'p, 'a> {
        Run {
            program,
            flow,
            kept,
            values,
            known: FxHashMap::default(),
        }
    }

    /// The turns of a loop, if constants decide where control goes until it is left.
    fn of(mut self, index: u32) -> Option<Unrolled> {
        let graph = &self.flow.graph;
        let first = graph.loops.get(index as usize)?.head;
        let before = graph.dominator[first as usize];
        let mut steps = Vec::new();
        let (mut block, mut executed) = (first, 0);
        let mut turns = 0;
        loop {
            let here = graph.blocks[block as usize].clone();
            executed += here.len();
            if executed > MAX_LENGTH || self.kept.binary_search(&here.start).is_ok() {
                return None;
            }
            for step in here.clone() {
                let operation = &self.program.operations[step as usize];
                if operation.semantics.control == Control::Branch {
                    continue;
                }
                if operation.is_barrier() {
                    return None;
                }
                steps.push((step, self.run(step, before)));
            }
            let next = self.next(here)?;
            if next == first {
                turns += 1;
            }
            if !self.contains(index, next)? {
                // One turn is not a loop.
                return (turns > 0).then_some(Unrolled {
                    first,
                    last: block,
                    steps,
                });
            }
            block = next;
        }
    }

    /// Whether a block belongs to a loop; `None` if it lies too deep to be told at each branch.
    fn contains(&self, index: u32, block: BlockId) -> Option<bool> {
        let loops = &self.flow.graph.loops;
        let mut innermost = self.flow.graph.loop_of[block as usize];
        let depth = |it: Option<u32>| it.map_or(0, |it| loops[it as usize].depth);
        let levels = depth(innermost).saturating_sub(depth(Some(index)));
        if levels > MAX_NESTING {
            return None;
        }
        for _ in 0..levels {
            innermost = loops[innermost? as usize].parent;
        }
        Some(innermost == Some(index))
    }

    fn run(&mut self, step: Step, before: Option<BlockId>) -> Fate {
        let operation = &self.program.operations[step as usize];
        for value in operation.reads() {
            let values = &mut self.values;
            let known = self.known.entry(value);
            known.or_insert_with(|| values.number_at_end(value, before?));
        }
        let result = match operation.guard {
            None if folds(operation) => {
                let known = &self.known;
                self.values.number_with(step, &|it| *known.get(&it)?)
            }
            _ => None,
        };
        for value in &operation.writes {
            self.known.insert(*value, result);
        }
        let unknown = |it: &&Value| !matches!(self.known.get(it), Some(Some(_)));
        let unknown = operation.data.iter().filter(unknown).count();
        match operation.operation() {
            _ if result.is_some() => Fate::Constant,
            Some(Computes::Add | Computes::Subtract)
                if operation.guard.is_none()
                    && operation
                        .words()
                        .last()
                        .is_some_and(|it| it.ends_with("64"))
                    && !operation.has("f64")
                    && unknown == 1 =>
            {
                Fate::Offset
            }
            _ => Fate::Stays,
        }
    }

    /// The block after one that was run, if constants decide that.
    fn next(&self, block: std::ops::Range<Step>) -> Option<BlockId> {
        let last = block.end.checked_sub(1)? as usize;
        let operation = &self.program.operations[last];
        let jumps = match (operation.semantics.control, operation.guard) {
            (Control::Branch, Some(guard)) => match self.known.get(&guard)? {
                Some(holds) => (*holds != 0) != operation.negated,
                None => return None,
            },
            (Control::Branch, None) => true,
            _ => false,
        };
        let target = match jumps {
            true => *self.flow.facts.targets.get(last).first()?,
            false => block.end,
        };
        self.flow.graph.block_of.get(target as usize).copied()
    }
}
