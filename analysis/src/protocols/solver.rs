//! A forward dataflow solver over the blocks of a function.

use std::collections::BTreeSet;

use crate::flow::{graph::Graph, ids::BlockId};

/// The domain of an analysis: states of a lattice of finite height, and what blocks make of them.
pub(super) trait Domain {
    /// The state at one place.
    type State: Clone + PartialEq;

    /// The state at the start of the function.
    fn start(&self) -> Self::State;

    /// Goes through a block.
    fn run(&self, block: BlockId, state: &mut Self::State);

    /// The state where two ways meet.
    fn join(&self, into: &mut Self::State, other: &Self::State);
}

/// How often each block is looked at before the solver gives up.
const MAX_VISITS: usize = 64;

/// The state at the start of each block, none for blocks that control does not reach. `None` for a lattice that is
/// too high for the function: nothing is known then. `check` is called now and then and may unwind.
pub(super) fn solve<P: Domain>(
    graph: &Graph,
    problem: &P,
    check: &dyn Fn(),
) -> Option<Vec<Option<P::State>>> {
    let count = graph.blocks.len();
    let mut states: Vec<Option<P::State>> = vec![None; count];
    if count == 0 {
        return Some(states);
    }
    let (order, rank) = order(graph);
    states[0] = Some(problem.start());
    let mut work = BTreeSet::from([rank[0]]);
    let mut room = count.saturating_mul(MAX_VISITS);
    while let Some(next) = work.pop_first() {
        if room.is_multiple_of(1024) {
            check();
        }
        room = room.checked_sub(1)?;
        let block = order[next];
        let Some(mut state) = states[block as usize].clone() else {
            continue;
        };
        problem.run(block, &mut state);
        for to in graph.successors.get(block as usize) {
            let at = &mut states[*to as usize];
            let changed = match at {
                None => {
                    *at = Some(state.clone());
                    true
                }
                Some(old) => {
                    let before = old.clone();
                    problem.join(old, &state);
                    *old != before
                }
            };
            if changed {
                work.insert(rank[*to as usize]);
            }
        }
    }
    Some(states)
}

/// The reachable blocks so that most come after those before them, and the place of each in that order.
fn order(graph: &Graph) -> (Vec<BlockId>, Vec<usize>) {
    let count = graph.blocks.len();
    let mut seen = vec![false; count];
    let mut order = Vec::with_capacity(count);
    let mut open = vec![(0 as BlockId, 0)];
    seen[0] = true;
    while let Some((block, next)) = open.last_mut() {
        match graph.successors.get(*block as usize).get(*next) {
            Some(to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[*to as usize], true) {
                    open.push((*to, 0));
                }
            }
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    let mut rank = vec![usize::MAX; count];
    for (index, block) in order.iter().enumerate() {
        rank[*block as usize] = index;
    }
    (order, rank)
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use rustc_hash::FxHashSet;

    use super::*;
    use crate::protocols::paths::tests::random_graph;

    /// Bits that blocks set and clear; `every` asks what holds on every way, else what holds on some.
    struct Bits {
        set: Vec<u32>,
        clear: Vec<u32>,
        every: bool,
    }

    impl Domain for Bits {
        type State = u32;

        fn start(&self) -> u32 {
            0
        }

        fn run(&self, block: BlockId, state: &mut u32) {
            *state = *state & !self.clear[block as usize] | self.set[block as usize];
        }

        fn join(&self, into: &mut u32, other: &u32) {
            match self.every {
                true => *into &= other,
                false => *into |= other,
            }
        }
    }

    /// Ages of what was issued: the least, or more than all numbers.
    struct Ages(Vec<u8>);

    impl Domain for Ages {
        type State = u8;

        fn start(&self) -> u8 {
            u8::MAX
        }

        fn run(&self, block: BlockId, state: &mut u8) {
            *state = match self.0[block as usize] {
                0 => 0,
                1 => state.saturating_add(1).max(*state),
                2 if *state >= 3 => u8::MAX,
                _ => *state,
            };
        }

        fn join(&self, into: &mut u8, other: &u8) {
            *into = (*into).min(*other);
        }
    }

    /// The states with which ways come to each block, found by walking all ways until nothing is new.
    fn enumerate<P: Domain>(graph: &Graph, problem: &P) -> Vec<FxHashSet<P::State>>
    where
        P::State: std::hash::Hash + Eq,
    {
        let mut found = vec![FxHashSet::default(); graph.blocks.len()];
        let mut work = vec![(0 as BlockId, problem.start())];
        while let Some((block, state)) = work.pop() {
            if !found[block as usize].insert(state.clone()) {
                continue;
            }
            let mut state = state;
            problem.run(block, &mut state);
            let next = graph.successors.get(block as usize).iter();
            work.extend(next.map(|it| (*it, state.clone())));
        }
        found
    }

    #[track_caller]
    fn compare<P: Domain<State: std::hash::Hash + Eq + std::fmt::Debug>>(
        graph: &Graph,
        problem: &P,
    ) {
        let solved = solve(graph, problem, &|| {}).expect("the lattice is low");
        for (solved, ways) in solved.iter().zip(enumerate(graph, problem)) {
            let mut ways = ways.into_iter();
            let joined = ways.next().map(|first| {
                ways.fold(first, |mut all, it| {
                    problem.join(&mut all, &it);
                    all
                })
            });
            assert_eq!(*solved, joined, "{graph:?}");
        }
    }

    #[test]
    fn solutions_are_those_of_all_paths() {
        let mut rng = Rng::with_seed(21);
        for _ in 0..1500 {
            let graph = random_graph(&mut rng);
            let count = graph.blocks.len();
            for every in [false, true] {
                let set = (0..count).map(|_| rng.u32(..16) & rng.u32(..16)).collect();
                let clear = (0..count).map(|_| rng.u32(..16) & rng.u32(..16)).collect();
                compare(&graph, &Bits { set, clear, every });
            }
            compare(&graph, &Ages((0..count).map(|_| rng.u8(..5)).collect()));
        }
    }

    #[test]
    fn a_lattice_without_an_end_is_given_up() {
        struct Count;
        impl Domain for Count {
            type State = u64;
            fn start(&self) -> u64 {
                0
            }
            fn run(&self, _: BlockId, state: &mut u64) {
                *state += 1;
            }
            fn join(&self, into: &mut u64, other: &u64) {
                *into = (*into).max(*other);
            }
        }
        let graph = crate::protocols::paths::tests::graph(&[&[0]]);
        assert_eq!(solve(&graph, &Count, &|| {}), None);
    }
}
