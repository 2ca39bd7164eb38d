//! Events along the ways through a function, for rules that go with the flow.

use std::ops::Range;

use crate::flow::{facts::Step, ids::BlockId};

use crate::protocols::{
    kernel::{Access, Kernel, KernelEvent},
    solver::{Domain, solve},
};

/// Something that rules look at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Moment<'k> {
    Event(&'k KernelEvent),
    Access(&'k Access),
    /// A call, which may do anything.
    Call,
}

/// The moments of a function in the order of the text.
pub(super) struct Moments<'k, 'f> {
    kernel: &'k Kernel<'f>,
    all: Vec<(Step, Moment<'k>)>,
}

/// A rule that goes with the flow: what a moment makes of a state, and what holds where ways meet.
struct Rule<'m, 'k, 'f, S, A, J> {
    moments: &'m Moments<'k, 'f>,
    start: S,
    apply: A,
    join: J,
}

impl<S, A, J> Domain for Rule<'_, '_, '_, S, A, J>
where
    S: Clone + PartialEq,
    A: Fn(Step, Moment<'_>, &mut S),
    J: Fn(&mut S, &S),
{
    type State = S;

    fn start(&self) -> S {
        self.start.clone()
    }

    fn run(&self, block: BlockId, state: &mut S) {
        for (step, moment) in self.moments.of_block(block) {
            (self.apply)(*step, *moment, state);
        }
    }

    fn join(&self, into: &mut S, other: &S) {
        (self.join)(into, other);
    }
}

impl<'k, 'f> Moments<'k, 'f> {
    pub(super) fn of(kernel: &'k Kernel<'f>) -> Moments<'k, 'f> {
        let events = kernel.events.iter().map(|it| (it.step, Moment::Event(it)));
        let accesses = kernel
            .accesses
            .iter()
            .map(|it| (it.step, Moment::Access(it)));
        let calls = (0..).zip(&kernel.body.instructions).filter(|it| it.1.call);
        let calls = calls.map(|(step, _)| (step, Moment::Call));
        let mut all: Vec<_> = accesses.chain(events).chain(calls).collect();
        all.sort_by_key(|it| it.0);
        Moments { kernel, all }
    }

    fn of_block(&self, block: BlockId) -> &[(Step, Moment<'k>)] {
        let steps = &self.kernel.flow.graph.blocks[block as usize];
        let first = self.all.partition_point(|it| it.0 < steps.start);
        let count = self.all[first..].partition_point(|it| it.0 < steps.end);
        &self.all[first..first + count]
    }

    /// Goes with the flow, and shows each moment that control reaches with the state before it.
    pub(super) fn go<S: Clone + PartialEq>(
        &self,
        start: S,
        apply: impl Fn(Step, Moment<'_>, &mut S),
        join: impl Fn(&mut S, &S),
        see: &mut dyn FnMut(Step, Moment<'k>, &S),
    ) {
        for (block, mut state) in self.states(start, &apply, join) {
            for (step, moment) in self.of_block(block) {
                see(*step, *moment, &state);
                apply(*step, *moment, &mut state);
            }
        }
    }

    /// The longest runs of instructions in blocks before or after each of which something holds.
    pub(super) fn spans<S: Clone + PartialEq>(
        &self,
        start: S,
        apply: impl Fn(Step, Moment<'_>, &mut S),
        join: impl Fn(&mut S, &S),
        holds: impl Fn(&S) -> bool,
    ) -> Vec<(BlockId, Range<Step>)> {
        let mut found = Vec::new();
        for (block, mut state) in self.states(start, &apply, join) {
            let steps = &self.kernel.flow.graph.blocks[block as usize];
            let mut since = holds(&state).then_some(steps.start);
            for (step, moment) in self.of_block(block) {
                apply(*step, *moment, &mut state);
                match (since, holds(&state)) {
                    (None, true) => since = Some(*step),
                    (Some(from), false) => {
                        found.push((block, from..*step + 1));
                        since = None;
                    }
                    _ => {}
                }
            }
            found.extend(since.map(|from| (block, from..steps.end)));
        }
        found
    }

    /// The state at the start of each block that control reaches.
    fn states<S: Clone + PartialEq>(
        &self,
        start: S,
        apply: impl Fn(Step, Moment<'_>, &mut S),
        join: impl Fn(&mut S, &S),
    ) -> impl Iterator<Item = (BlockId, S)> {
        let rule = Rule {
            moments: self,
            start,
            apply,
            join,
        };
        let states = solve(&self.kernel.flow.graph, &rule, self.kernel.check);
        let blocks = (0..).zip(states.into_iter().flatten());
        blocks.filter_map(|(block, state)| Some((block, state?)))
    }
}
