//! Use-definition and definition-use chains: the writes that reach a read, the reads that a write reaches, and
//! slices, which follow them from instruction to instruction.
//!
//! Only registers are followed. A value that goes through memory ends at the store, and a branch that decides which
//! of two writes happens is not among what a value was computed from.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use super::{
    Flow,
    facts::{Step, Value},
    ids::BlockId,
    lists::Lists,
};

/// Borders of blocks that one slice follows values over; a longer one is cut short.
const MOST_BORDERS: usize = 1 << 20;

/// The chains of a function.
pub(crate) struct Chains<'a> {
    flow: &'a Flow,
    /// The instructions that write each value, ascending.
    writes: Lists,
    /// Those of them that leave nothing of the old value, ascending, and the instructions that read each value; made
    /// when values are followed forward.
    forward: OnceCell<(Lists, Lists)>,
}

/// The way in which values are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From a read to the writes that reach it.
    Backward,
    /// From a write to the reads that it reaches.
    Forward,
}

/// The borders and accesses that one question has passed: nothing is followed twice, so that a question takes time and memory
/// for each access and not for each pair of a write and a read.
#[derive(Default)]
struct Passed {
    borders: FxHashSet<(BlockId, Value)>,
    work: Vec<(BlockId, Value)>,
    /// The accesses that were found. The chains from one on were followed when it was found.
    accesses: FxHashSet<(Step, Value)>,
}

impl Passed {
    fn pass(&mut self, blocks: &[BlockId], value: Value) {
        for block in blocks {
            if self.borders.len() < MOST_BORDERS && self.borders.insert((*block, value)) {
                self.work.push((*block, value));
            }
        }
    }
}

impl<'a> Chains<'a> {
    /// Indexes the accesses of a function by value, which takes some 10 ns per instruction.
    pub(crate) fn of(flow: &'a Flow) -> Chains<'a> {
        let values = flow.facts.values.len();
        Chains {
            flow,
            writes: flow.facts.writes.transposed(values, |_| true),
            forward: OnceCell::new(),
        }
    }

    fn forward(&self) -> &(Lists, Lists) {
        self.forward.get_or_init(|| {
            let facts = &self.flow.facts;
            let values = facts.values.len();
            (
                facts.writes.transposed(values, |it| !facts.keeps[it]),
                facts.reads.transposed(values, |_| true),
            )
        })
    }

    /// The instructions that write a value, ascending.
    pub(crate) fn writes(&self, value: Value) -> &[Step] {
        self.writes.get(value as usize)
    }

    /// The instructions whose writes of a value may reach the place before an instruction, ascending.
    pub(crate) fn reaching_writes(&self, value: Value, before: Step) -> Vec<Step> {
        self.all(Direction::Backward, value, &[before])
    }

    /// The same, if there are at most so many of them in at most so many blocks; those in blocks that control does not
    /// reach are left out.
    pub(crate) fn few_reaching_writes(
        &self,
        value: Value,
        before: Step,
        most: usize,
        most_blocks: usize,
    ) -> Option<Vec<Step>> {
        let graph = &self.flow.graph;
        let own = *graph.block_of.get(before as usize)?;
        let (mut found, mut passed) = (Vec::new(), Passed::default());
        if self.back(value, own, before, &mut passed, &mut found) {
            passed.pass(graph.predecessors.get(own as usize), value);
        }
        while let Some((block, value)) = passed.work.pop() {
            if found.len() > most || passed.borders.len() > most_blocks {
                return None;
            }
            if graph.reachable[block as usize]
                && self.back(value, block, Step::MAX, &mut passed, &mut found)
            {
                passed.pass(graph.predecessors.get(block as usize), value);
            }
        }
        if found.len() > most {
            return None;
        }
        found.sort_unstable();
        Some(found)
    }

    /// The instructions that may read what one of some instructions writes to a value, ascending.
    pub(crate) fn reached_reads(&self, value: Value, after: &[Step]) -> Vec<Step> {
        self.all(Direction::Forward, value, after)
    }

    /// All instructions that a value was computed by before an instruction, or that are computed from what an
    /// instruction writes; ascending. What decides about a slice is in the documentation of this module.
    pub(crate) fn slice(
        &self,
        direction: Direction,
        values: &[Value],
        step: Step,
        check: &dyn Fn(),
    ) -> Vec<Step> {
        let mut passed = Passed::default();
        let mut found = Vec::new();
        let mut in_slice = vec![false; self.flow.facts.len()];
        for value in values {
            self.follow(direction, *value, step, &mut passed, &mut found);
        }
        let mut next = 0;
        while let Some(step) = found.get(next).copied() {
            next += 1;
            if std::mem::replace(&mut in_slice[step as usize], true) {
                continue;
            }
            check();
            let facts = &self.flow.facts;
            let values = match direction {
                Direction::Backward => facts.reads.get(step as usize),
                Direction::Forward => facts.writes.get(step as usize),
            };
            for value in values {
                self.follow(direction, *value, step, &mut passed, &mut found);
            }
        }
        (0..)
            .zip(&in_slice)
            .filter_map(|(step, it)| it.then_some(step))
            .collect()
    }

    /// The accesses of the value that is read or written at an instruction, and of all that share a read or a
    /// write with it: what has to be the same register even if every value had one of its own. The writes, then
    /// the reads, both ascending.
    pub(crate) fn web(&self, value: Value, step: Step, written: bool) -> (Vec<Step>, Vec<Step>) {
        let mut writes = FxHashSet::default();
        let mut reads = FxHashSet::default();
        let (mut back, mut forth) = (Passed::default(), Passed::default());
        let mut work = vec![(step, written)];
        let mut found = Vec::new();
        while let Some((step, written)) = work.pop() {
            let set = if written { &mut writes } else { &mut reads };
            if !set.insert(step) {
                continue;
            }
            // What a write leaves of the old value is the same register too.
            let keeps = written && self.flow.facts.keeps[step as usize];
            if written {
                self.follow(Direction::Forward, value, step, &mut forth, &mut found);
                work.extend(found.drain(..).map(|it| (it, false)));
            }
            if !written || keeps {
                self.follow(Direction::Backward, value, step, &mut back, &mut found);
                work.extend(found.drain(..).map(|it| (it, true)));
            }
        }
        let sorted = |set: FxHashSet<Step>| {
            let mut all: Vec<Step> = set.into_iter().collect();
            all.sort_unstable();
            all
        };
        (sorted(writes), sorted(reads))
    }

    fn all(&self, direction: Direction, value: Value, steps: &[Step]) -> Vec<Step> {
        let mut found = Vec::new();
        let mut passed = Passed::default();
        for step in steps {
            self.follow(direction, value, *step, &mut passed, &mut found);
        }
        found.sort_unstable();
        found
    }

    /// Appends the accesses at the other ends of the chains of a value that start at an instruction, but none that
    /// was passed before.
    fn follow(
        &self,
        direction: Direction,
        value: Value,
        step: Step,
        passed: &mut Passed,
        found: &mut Vec<Step>,
    ) {
        let graph = &self.flow.graph;
        let Some(block) = graph.block_of.get(step as usize).copied() else {
            return;
        };
        match direction {
            Direction::Backward => {
                if self.back(value, block, step, passed, found) {
                    passed.pass(graph.predecessors.get(block as usize), value);
                }
                while let Some((block, value)) = passed.work.pop() {
                    if self.back(value, block, Step::MAX, passed, found) {
                        passed.pass(graph.predecessors.get(block as usize), value);
                    }
                }
            }
            Direction::Forward => {
                if self.forth(value, block, step + 1, passed, found) {
                    passed.pass(graph.successors.get(block as usize), value);
                }
                while let Some((block, value)) = passed.work.pop() {
                    if self.forth(value, block, 0, passed, found) {
                        passed.pass(graph.successors.get(block as usize), value);
                    }
                }
            }
        }
    }

    /// Appends the writes of a value in a block that may still are before an instruction, or at the end.
    /// Returns whether one from before the block may, and was not looked for.
    fn back(
        &self,
        value: Value,
        block: BlockId,
        before: Step,
        passed: &mut Passed,
        found: &mut Vec<Step>,
    ) -> bool {
        let steps = &self.flow.graph.blocks[block as usize];
        let writes = self.writes(value);
        let end = writes.partition_point(|it| *it < before.min(steps.end));
        for write in writes[..end]
            .iter()
            .rev()
            .take_while(|it| **it >= steps.start)
        {
            if !passed.accesses.insert((*write, value)) {
                return false;
            }
            found.push(*write);
            if !self.flow.facts.keeps[*write as usize] {
                return false;
            }
        }
        true
    }

    /// Appends the reads in a block of a value that is before an instruction, or at the start. Returns
    /// whether it may still are at the end of the block, and was not looked for.
    fn forth(
        &self,
        value: Value,
        block: BlockId,
        from: Step,
        passed: &mut Passed,
        found: &mut Vec<Step>,
    ) -> bool {
        let steps = &self.flow.graph.blocks[block as usize];
        let from = from.max(steps.start);
        let within = |all: &'_ [Step]| {
            let start = all.partition_point(|it| *it < from);
            start..start + all[start..].partition_point(|it| *it < steps.end)
        };
        let (replacements, reads) = self.forward();
        let replacements = replacements.get(value as usize);
        let last = replacements[within(replacements)].first().copied();
        let reads = reads.get(value as usize);
        // An instruction reads before it writes.
        let reads = reads[within(reads)].iter();
        for read in reads.take_while(|it| last.is_none_or(|last| **it <= last)) {
            if !passed.accesses.insert((*read, value)) {
                return false;
            }
            found.push(*read);
        }
        last.is_none()
    }
}

#[cfg(test)]
mod tests {
    use crate::{db::SourceFile, fixture::Fixture, flow::flow, hir::items::items};

    use super::*;

    /// A reference: every way through the function, step by step.
    fn by_ways(flow: &Flow, value: Value, step: Step, direction: Direction) -> Vec<Step> {
        let facts = &flow.facts;
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work = vec![step];
        let around = |step: Step| -> Vec<Step> {
            let block = flow.graph.block_of[step as usize];
            let steps = &flow.graph.blocks[block as usize];
            // Empty blocks stand for all labels; the tests have none.
            match direction {
                Direction::Backward if step > steps.start => vec![step - 1],
                Direction::Backward => {
                    let before = flow.graph.predecessors.get(block as usize).iter();
                    before
                        .map(|it| flow.graph.blocks[*it as usize].end - 1)
                        .collect()
                }
                Direction::Forward if step + 1 < steps.end => vec![step + 1],
                Direction::Forward => {
                    let after = flow.graph.successors.get(block as usize).iter();
                    after
                        .map(|it| flow.graph.blocks[*it as usize].start)
                        .collect()
                }
            }
        };
        while let Some(step) = work.pop() {
            for next in around(step) {
                if !seen.insert(next) {
                    continue;
                }
                let written = facts.writes.get(next as usize).contains(&value);
                let read = facts.reads.get(next as usize).contains(&value);
                let ends = written && !facts.keeps[next as usize];
                if direction == Direction::Backward && written
                    || direction == Direction::Forward && read
                {
                    found.push(next);
                }
                if !ends {
                    work.push(next);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// A kernel of random assignments, guards and branches.
    fn random(seed: u64) -> String {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut below = |most: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % most
        };
        let mut text = String::from(".entry k() {\n.reg .b32 %r<4>; .reg .pred %p<2>;\n");
        for line in 0..14 {
            text += &format!("L{line}: ");
            let (a, b, c) = (below(4), below(4), below(4));
            text += &match below(7) {
                0 => format!("@%p{} bra L{};\n", a % 2, below(14)),
                1 => format!("@%p{} mov.b32 %r{b}, %r{c};\n", a % 2),
                2 => format!("setp.eq.u32 %p{}, %r{b}, %r{c};\n", a % 2),
                3 if below(3) == 0 => format!("bra L{};\n", below(14)),
                _ => format!("add.u32 %r{a}, %r{b}, %r{c};\n"),
            };
        }
        text + "ret;\n}\n"
    }

    #[test]
    fn chains_are_those_of_all_ways() {
        let mut found = 0;
        for seed in 0..300 {
            let fixture = Fixture::new(&random(seed));
            let analysis = fixture.host.analysis();
            let count = analysis.with(|db| {
                let file: SourceFile = crate::host::find_file(db, crate::FileId(0)).unwrap();
                let flow = flow(db, items(db, file).functions[0]);
                let chains = Chains::of(flow);
                let mut count = 0;
                for step in 0..flow.facts.len() as Step {
                    for value in 0..flow.facts.values.len() as Value {
                        let writes = chains.reaching_writes(value, step);
                        assert_eq!(
                            writes,
                            by_ways(flow, value, step, Direction::Backward),
                            "{seed}"
                        );
                        let reads = chains.reached_reads(value, &[step]);
                        assert_eq!(
                            reads,
                            by_ways(flow, value, step, Direction::Forward),
                            "{seed}"
                        );
                        // The slice is what is found by following each chain anew.
                        let slice = chains.slice(Direction::Backward, &[value], step, &|| {});
                        let mut all = writes;
                        let mut next = 0;
                        while let Some(it) = all.get(next).copied() {
                            next += 1;
                            for read in flow.facts.reads.get(it as usize) {
                                for more in chains.reaching_writes(*read, it) {
                                    if !all.contains(&more) {
                                        all.push(more);
                                    }
                                }
                            }
                        }
                        all.sort_unstable();
                        assert_eq!(slice, all, "{seed}");
                        count += slice.len();
                    }
                }
                count
            });
            found += count.unwrap();
        }
        assert!(found > 10_000, "{found}");
    }

    #[test]
    fn what_many_writes_and_reads_share_is_followed_once() {
        const COUNT: usize = 300;
        let text = format!(
            ".entry k() {{\n.reg .b32 %r<2>; .reg .pred %p;\n{}{}ret;\n}}\n",
            "@%p mov.b32 %r0, 1;\n".repeat(COUNT),
            "add.u32 %r1, %r0, %r0;\n".repeat(COUNT)
        );
        let fixture = Fixture::new(&text);
        let analysis = fixture.host.analysis();
        let followed = analysis.with(|db| {
            let file: SourceFile = crate::host::find_file(db, crate::FileId(0)).unwrap();
            let flow = flow(db, items(db, file).functions[0]);
            let chains = Chains::of(flow);
            let value = flow.facts.writes.get(0)[0];
            let (mut passed, mut found) = (Passed::default(), Vec::new());
            for step in 0..COUNT as Step {
                chains.follow(Direction::Forward, value, step, &mut passed, &mut found);
            }
            (found.len(), chains.web(value, 0, true))
        });
        let (found, (writes, reads)) = followed.unwrap();
        assert_eq!((found, writes.len(), reads.len()), (COUNT, COUNT, COUNT));
    }
}
