//! Dominators, after Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph", 1979, with the
//! simple way to link and to compress paths: `m log n` steps.
//!
//! petgraph has the algorithm of Cooper, Harvey and Kennedy, which is as fast where loops are few. But it walks from
//! each head of a loop up to the end of the loop, and after a table of ten thousand branch targets every block is
//! such a head.

use super::lists::Lists;

/// Blocks without a number, and those above the roots of the forest.
const NONE: u32 = u32::MAX;

/// For each node of a graph the closest one that every way from `root` to it goes through; `None` for the root and
/// for nodes that no way reaches. The nodes are the indices of `successors`.
pub(crate) fn immediate_dominators(
    successors: &Lists,
    count: usize,
    root: u32,
) -> Vec<Option<u32>> {
    let walk = DepthFirst::from(root, count, successors);
    let reached = walk.order.len();
    let mut forest = Forest {
        ancestor: vec![NONE; reached],
        label: (0..reached as u32).collect(),
        semi: (0..reached as u32).collect(),
        path: Vec::new(),
    };
    let predecessors = walk.predecessors(successors);
    let mut dominator = vec![0; reached];
    // The nodes whose semidominator a node is, as lists.
    let (mut first, mut next) = (vec![NONE; reached], vec![NONE; reached]);
    for node in (1..reached as u32).rev() {
        let at = node as usize;
        for before in predecessors.get(at) {
            let best = forest.best(*before);
            forest.semi[at] = forest.semi[at].min(forest.semi[best as usize]);
        }
        let semi = forest.semi[at] as usize;
        next[at] = std::mem::replace(&mut first[semi], node);
        let parent = walk.parent[at];
        forest.ancestor[at] = parent;
        let mut waiting = std::mem::replace(&mut first[parent as usize], NONE);
        while waiting != NONE {
            let best = forest.best(waiting);
            let closer = forest.semi[best as usize] < forest.semi[waiting as usize];
            dominator[waiting as usize] = if closer { best } else { parent };
            waiting = next[waiting as usize];
        }
    }
    let mut found = vec![None; count];
    for node in 1..reached {
        if dominator[node] != forest.semi[node] {
            dominator[node] = dominator[dominator[node] as usize];
        }
        found[walk.order[node] as usize] = Some(walk.order[dominator[node] as usize]);
    }
    found
}

/// A walk in depth. Nodes that are reached get numbers in the order in which they are.
struct DepthFirst {
    /// The nodes by their numbers.
    order: Vec<u32>,
    /// The numbers of the nodes.
    number: Vec<u32>,
    /// By number, the number of the node from which it was reached.
    parent: Vec<u32>,
}

impl DepthFirst {
    fn from(root: u32, count: usize, successors: &Lists) -> DepthFirst {
        let mut walk = DepthFirst {
            order: vec![root],
            number: vec![NONE; count],
            parent: vec![NONE],
        };
        walk.number[root as usize] = 0;
        let mut open = vec![(root, 0)];
        while let Some((node, next)) = open.last_mut() {
            let node = *node as usize;
            let Some(to) = successors.get(node).get(*next) else {
                open.pop();
                continue;
            };
            *next += 1;
            if walk.number[*to as usize] == NONE {
                walk.number[*to as usize] = walk.order.len() as u32;
                walk.order.push(*to);
                walk.parent.push(walk.number[node]);
                open.push((*to, 0));
            }
        }
        walk
    }

    /// From where each node is reached; all as numbers.
    fn predecessors(&self, successors: &Lists) -> Lists {
        let mut found = vec![Vec::new(); self.order.len()];
        for (number, node) in (0..).zip(&self.order) {
            for to in successors.get(*node as usize) {
                found[self.number[*to as usize] as usize].push(number);
            }
        }
        let mut lists = Lists::default();
        for list in found {
            lists.push(list);
        }
        lists
    }
}

/// The nodes that were looked at, as trees with the edges of the walk; all are numbers.
struct Forest {
    /// Some node above, closer to the root of the tree the more often it was asked for.
    ancestor: Vec<u32>,
    /// The node with the least semidominator between a node and its ancestor, that one left out.
    label: Vec<u32>,
    semi: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    /// The node with the least semidominator between a node and the root of its tree, that one left out.
    fn best(&mut self, node: u32) -> u32 {
        let mut at = node;
        while self.ancestor[at as usize] != NONE {
            self.path.push(at);
            at = self.ancestor[at as usize];
        }
        let root = at;
        let mut above = NONE;
        while let Some(at) = self.path.pop() {
            let at = at as usize;
            if above != NONE {
                let (one, other) = (self.label[above as usize], self.label[at]);
                if self.semi[one as usize] < self.semi[other as usize] {
                    self.label[at] = one;
                }
                self.ancestor[at] = root;
            }
            above = at as u32;
        }
        self.label[node as usize]
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    /// The nodes that are reached from the start without going through a node.
    fn reached(successors: &[Vec<u32>], without: Option<u32>) -> Vec<bool> {
        let mut seen = vec![false; successors.len()];
        let mut work = vec![0];
        while let Some(node) = work.pop() {
            if Some(node) != without && !std::mem::replace(&mut seen[node as usize], true) {
                work.extend(&successors[node as usize]);
            }
        }
        seen
    }

    #[test]
    fn dominators_are_those_of_a_slow_reference() {
        let mut rng = Rng::with_seed(11);
        for _ in 0..2000 {
            let count = rng.usize(1..14);
            let edges = rng.usize(..3 * count);
            let mut successors = vec![Vec::new(); count];
            for _ in 0..edges {
                successors[rng.usize(..count)].push(rng.u32(..count as u32));
            }
            let mut lists = Lists::default();
            for list in &successors {
                lists.push(list.iter().copied());
            }
            let found = immediate_dominators(&lists, count, 0);
            let all = reached(&successors, None);
            let without: Vec<_> = (0..count as u32)
                .map(|it| reached(&successors, Some(it)))
                .collect();
            let dominates = |one: usize, other: usize| all[other] && !without[one][other];
            for (node, found) in found.into_iter().enumerate() {
                let above = (0..count).filter(|it| *it != node && dominates(*it, node));
                let closest =
                    above.max_by_key(|it| (0..count).filter(|up| dominates(*up, *it)).count());
                let closest = closest.map(|it| it as u32);
                assert_eq!(found, closest, "node {node} of {successors:?}");
            }
        }
    }
}
