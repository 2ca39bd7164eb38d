//! The leaves from which values are made, through what comes from several writes.

use isa::compute::Node;
use rustc_hash::FxHashSet;

use super::{
    joins::{LeafSource, OriginKinds},
    lanes::LaneSamples,
};

impl LaneSamples<'_> {
    /// The leaves from which a value is made.
    pub(crate) fn origins(&mut self, node: Node) -> FxHashSet<u32> {
        let mut found = FxHashSet::default();
        let mut work = vec![node];
        while let Some(node) = work.pop() {
            let leaves = self.leaves_of(node);
            for leaf in leaves.iter().flat_map(|it| it.iter()) {
                if found.insert(*leaf)
                    && let LeafSource::Phi(phi) = &self.sources[*leaf as usize]
                {
                    work.extend(phi.values());
                }
            }
        }
        found
    }

    /// The kinds of [`Self::origins`]. They are computed for all leaves at once, since a walk for each access would take
    /// quadratic time on a chain of values.
    pub(crate) fn origin_kinds(&mut self, node: Node) -> OriginKinds {
        if self.origin_kinds.len() < self.sources.len() {
            self.find_origin_kinds();
        }
        let mut found = OriginKinds::default();
        let leaves = self.leaves_of(node);
        for leaf in leaves.iter().flat_map(|it| it.iter()) {
            found.add(self.origin_kinds[*leaf as usize]);
        }
        found
    }

    fn find_origin_kinds(&mut self) {
        let count = self.sources.len() as u32;
        let mut kinds: Vec<OriginKinds> = (0..count).map(|it| self.kinds_of_leaf(it)).collect();
        // The leaves whose values come from each leaf.
        let mut uses = vec![Vec::new(); kinds.len()];
        for leaf in 0..count {
            let LeafSource::Phi(phi) = &self.sources[leaf as usize] else {
                continue;
            };
            let values: Vec<Node> = phi.values().collect();
            for value in values {
                for origin in self.leaves_of(value).iter().flat_map(|it| it.iter()) {
                    uses[*origin as usize].push(leaf);
                }
            }
        }
        let mut work: Vec<u32> = (0..count).collect();
        while let Some(leaf) = work.pop() {
            let known = kinds[leaf as usize];
            for to in &uses[leaf as usize] {
                if kinds[*to as usize].add(known) {
                    work.push(*to);
                }
            }
        }
        self.origin_kinds = kinds;
    }

    fn kinds_of_leaf(&self, leaf: u32) -> OriginKinds {
        let variable = self.variable_of(leaf);
        OriginKinds {
            external: variable.as_ref().is_some_and(|it| it.1.external),
            variable: variable.is_some(),
            pointer: self.is_pointer(leaf) && self.parameter_of(leaf).is_some(),
            place: matches!(
                self.source(leaf),
                Some(LeafSource::Tid(_) | LeafSource::Threads(_) | LeafSource::Lane)
            ),
        }
    }
}
