//! The values that differ between the threads of a block.

use isa::{compute::Node, event::EventKind};

use crate::{
    flow::ids::{Base, BlockId, Step, Value, VariableName},
    protocols::{
        kernel::{Kernel, MAX_DEPTH, ResultSource},
        lanes::{THREADS, thread},
    },
    values::Values,
};

impl Kernel<'_> {
    /// The number that a value has before an instruction in each thread that is looked at, if all are known.
    pub(super) fn lanes(&self, value: Value, at: Step) -> Option<[u64; THREADS]> {
        let values = &mut *self.values();
        let node = values.before(value, at);
        self.numbers_of(values, node)
    }

    fn numbers_of(&self, values: &Values<'_>, node: Node) -> Option<[u64; THREADS]> {
        let elected = |step: Step| {
            let leads = |it: usize| u64::from(thread(it) % 32 == 0);
            let elects = self.is(step, EventKind::Elect);
            elects.then(|| std::array::from_fn(leads))
        };
        let known = &mut *self.numbers.borrow_mut();
        values.in_threads(node, known, |it| thread(it).cast_unsigned(), elected)
    }

    /// An address as a variable and a distance from its start in each thread that is looked at.
    pub(super) fn places(
        &self,
        base: Base,
        offset: i64,
        at: Step,
    ) -> Option<(VariableName, [i64; THREADS])> {
        let value = match base {
            Base::Symbol(it) => return Some((it, [offset; THREADS])),
            Base::Value(it) => it,
        };
        let values = &mut *self.values();
        let sum = values.sum_before(value, at);
        let mut symbol = None;
        let mut lanes = [sum.constant; THREADS];
        for (node, factor) in &*sum.terms {
            match values.symbol(*node) {
                Some(it) if symbol.is_none() && *factor == 1 => symbol = Some(it),
                _ => {
                    let numbers = self.numbers_of(values, *node)?;
                    for (lane, number) in lanes.iter_mut().zip(numbers) {
                        *lane = lane.wrapping_add(factor.wrapping_mul(number.cast_signed()));
                    }
                }
            }
        }
        let distance = |it: i64| sum.signed(it).wrapping_add(offset);
        Some((symbol?, lanes.map(distance)))
    }

    /// The threads that run an instruction, of those that are looked at and that a block may have, as far as the
    /// branches before it and its guard decide that; `None` if one of them depends on what is not known.
    pub(super) fn runners(&self, step: Step) -> Option<Vec<usize>> {
        let mut runs = [true; THREADS];
        if self.is_guarded(step) {
            let (value, negated) = self.guard(step)?;
            let lanes = self.lanes(value, step)?;
            for (runs, lane) in runs.iter_mut().zip(lanes) {
                *runs &= (lane != 0) != negated;
            }
        }
        let block = self.flow.graph.block_of[step as usize];
        for branch in self.paths.deciders(block) {
            let last = self.paths.last(branch)?;
            let (value, negated) = self.guard(last)?;
            if !self.varies(value) {
                continue;
            }
            let takes = self.takes(branch, block)?;
            let lanes = self.lanes(value, last)?;
            for (runs, lane) in runs.iter_mut().zip(lanes) {
                let jumps = (lane != 0) != negated;
                *runs &= jumps == takes;
            }
        }
        let width = self.bounds.threads.map_or(1024, i64::from);
        let exists = |it: &usize| thread(*it) < width && runs[*it];
        Some((0..THREADS).filter(exists).collect())
    }

    /// Whether a branch must jump for control to come to a block, or must not; `None` if it comes there either way.
    pub(super) fn takes(&self, branch: u32, block: u32) -> Option<bool> {
        let graph = &self.flow.graph;
        let last = self.paths.last(branch)?;
        if !self.flow.facts.guarded[last as usize] {
            return None;
        }
        let [target] = self.flow.facts.targets.get(last as usize) else {
            // A guarded end: who continues does not take it.
            let ends = self.flow.facts.targets.get(last as usize).is_empty();
            return ends.then_some(false);
        };
        let jump = graph.block_of.get(*target as usize).copied();
        let next = graph.block_of.get(last as usize + 1).copied();
        // Ways that come back to the branch are another turn of a loop.
        let leads = |from: Option<u32>| {
            from.is_some_and(|from| {
                let mut seen = vec![from, branch];
                let mut work = vec![from];
                while let Some(at) = work.pop() {
                    if at == block {
                        return true;
                    }
                    for to in graph.successors.get(at as usize) {
                        if !seen.contains(to) {
                            seen.push(*to);
                            work.push(*to);
                        }
                    }
                }
                false
            })
        };
        match (leads(jump), leads(next)) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// Whether a value may differ between the threads of a block.
    pub(super) fn varies(&self, value: Value) -> bool {
        if let Some(known) = self.varying.borrow().get(&value) {
            return *known;
        }
        // Whoever asks for it on the way gets the careful answer.
        self.varying.borrow_mut().insert(value, true);
        let mut differs = |_: Step| {};
        let found = self.slice(vec![value], &mut differs);
        self.varying.borrow_mut().insert(value, found);
        found
    }

    /// Whether an instruction loads from an address that is the same in all threads of a block.
    fn loads_same(&self, step: Step) -> bool {
        let load = (self.form)(step).is_some_and(|it| it.load);
        let depth = self.asked.get();
        if !load || self.is_guarded(step) || depth > MAX_DEPTH {
            return false;
        }
        self.asked.set(depth + 1);
        let reads = self.flow.facts.reads.get(step as usize);
        let same = !reads.iter().any(|it| self.varies(*it));
        self.asked.set(depth);
        same
    }

    /// Whether a value is computed from what tells threads apart.
    pub(super) fn names_thread(&self, value: Value) -> bool {
        let mut found = false;
        let mut look = |step: Step| {
            found |= self.is(step, EventKind::Elect)
                || self.operation(step).is_some_and(|it| {
                    let special = it.operands().find_map(|it| it.special());
                    special.is_some_and(|it| matches!(it, "%tid" | "%laneid" | "%warpid"))
                });
        };
        self.slice(vec![value], &mut look);
        found
    }

    /// Walks backwards through all that values are computed from, and says whether some source of it may differ
    /// between the threads of a block. `look` is told of each source that may.
    pub(super) fn slice(&self, values: Vec<Value>, look: &mut dyn FnMut(Step)) -> bool {
        let facts = &self.flow.facts;
        let mut varies = false;
        let all = self.trace(values, &mut |definitions, next| {
            varies |= definitions.is_empty();
            for step in definitions {
                match self.source(*step) {
                    ResultSource::Computed => next.extend(facts.reads.get(*step as usize)),
                    ResultSource::Same => {}
                    ResultSource::Differs if self.loads_same(*step) => {}
                    ResultSource::Differs => {
                        look(*step);
                        varies = true;
                    }
                }
                // Which of several definitions counts depends on the branches around them.
                if definitions.len() > 1 {
                    let block = self.flow.graph.block_of[*step as usize];
                    for &branch in self.paths.controllers(block).iter() {
                        let last = self.paths.last(branch);
                        next.extend(last.map_or(&[][..], |it| facts.reads.get(it as usize)));
                    }
                }
            }
            Some(())
        });
        varies || all.is_none()
    }

    /// Whether some threads only run an instruction, because a guard or branch tells them apart by their number.
    pub(super) fn is_for_some(&self, step: Step) -> bool {
        self.guards(step)
            .into_iter()
            .any(|it| self.names_thread(it))
    }

    /// Whether a guard or branch before an instruction may differ between the threads of a block.
    pub(super) fn may_be_for_some(&self, step: Step) -> bool {
        self.guards(step).into_iter().any(|it| self.varies(it))
    }

    /// Whether a thread that runs an instruction in a loop does so in each turn: no branch that decides about it,
    /// but for those that end the loop, looks at what changes there.
    pub(super) fn runs_each_turn(&self, step: Step, index: u32) -> bool {
        let graph = &self.flow.graph;
        let block = graph.block_of[step as usize];
        let inside = |it: &BlockId| graph.in_loop(*it, index);
        let ends = |it: &BlockId| {
            graph
                .successors
                .get(*it as usize)
                .iter()
                .any(|it| !inside(it))
        };
        let mut branches = self
            .paths
            .deciders(block)
            .filter(|it| inside(it) && !ends(it));
        branches.all(|branch| {
            let last = self.paths.last(branch);
            let reads = last.map_or(&[][..], |it| self.flow.facts.reads.get(it as usize));
            let changes = |it: &Value| {
                let definitions = self.definitions(*it);
                definitions
                    .iter()
                    .any(|it| inside(&graph.block_of[*it as usize]))
            };
            !reads.iter().any(changes)
        })
    }

    /// Whether several threads of a warp are known to run an instruction.
    pub(super) fn is_for_warp(&self, step: Step) -> bool {
        let warp = |it: usize| thread(it) / i64::from(isa::limits::THREADS_PER_WARP);
        let runners = self.runners(step).unwrap_or_default();
        runners.windows(2).any(|it| warp(it[0]) == warp(it[1]))
    }

    /// Whether all threads of a block come to an instruction together, as far as the text tells.
    pub(super) fn is_common(&self, step: Step) -> bool {
        let block = self.flow.graph.block_of[step as usize];
        let branches = self.paths.controllers(block);
        let mut guards = branches
            .iter()
            .filter_map(|it| self.guard(self.paths.last(*it)?));
        !guards.any(|it| self.varies(it.0)) && self.flow.graph.loop_of[block as usize].is_none()
    }

    /// The predicates that decide whether an instruction runs.
    pub(super) fn guards(&self, step: Step) -> Vec<Value> {
        let block = self.flow.graph.block_of[step as usize];
        let branches = self
            .paths
            .deciders(block)
            .filter_map(|it| self.guard(self.paths.last(it)?));
        branches.chain(self.guard(step)).map(|it| it.0).collect()
    }

    /// Whether threads run an instruction that do not run another one before it.
    pub(super) fn others_run(&self, before: Step, step: Step) -> bool {
        match (self.runners(before), self.runners(step)) {
            (Some(one), Some(other)) => other.iter().any(|it| !one.contains(it)),
            // The one is for some, the other for all.
            (None, _) => !self.may_be_for_some(step),
            (_, None) => false,
        }
    }

    /// Whether threads of warps run an instruction none of whose threads run another one, as far as both are known.
    pub(super) fn reaches_warps(&self, one: Step, other: Step) -> bool {
        let warp = |it: &usize| thread(*it) / i64::from(isa::limits::THREADS_PER_WARP);
        let (Some(one), Some(other)) = (self.runners(one), self.runners(other)) else {
            return false;
        };
        let own: Vec<i64> = one.iter().map(warp).collect();
        other.iter().any(|it| !own.contains(&warp(it)))
    }

    /// Whether two blocks are reached only if the same branches go the same way.
    pub(super) fn shares_branch(&self, step: Step, block: BlockId) -> bool {
        let own = self.flow.graph.block_of[step as usize];
        own != block
            && self.paths.direct_controllers(own) == self.paths.direct_controllers(block)
            && !self.paths.direct_controllers(own).is_empty()
    }
}
