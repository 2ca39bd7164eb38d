//! The end of lowering: steps that nothing reads are dropped, and what the rest needs is found out.

use super::{
    fuse::passes,
    node::Node,
    program::{Exactness, Op, Program},
};

impl Program {
    /// The program without steps that nothing reads.
    pub(super) fn without_dead_steps(mut self) -> Program {
        let mut live = vec![false; self.steps.len()];
        self.for_each_end(|it| live[*it as usize] = true);
        for (index, op) in self.steps.iter().enumerate().rev() {
            if live[index] {
                op.for_each_operand(|it| live[it as usize] = true);
            }
        }
        let mut moved = vec![0; self.steps.len()];
        let mut steps = Vec::new();
        for (index, op) in self.steps.iter().enumerate() {
            if live[index] {
                moved[index] = steps.len() as Node;
                steps.push(op.map_operands(|it| moved[it as usize]));
            }
        }
        self.steps = steps;
        self.for_each_end(|it| *it = moved[*it as usize]);
        self.wide = self.steps.iter().any(Op::is_wide);
        let has = |is: &dyn Fn(&Op) -> bool| self.steps.iter().any(is);
        self.flags = has(&|it| matches!(it, Op::Carry | Op::Stack));
        self.accesses = !self.stores.is_empty()
            || !self.bulk.is_empty()
            || !self.fields.is_empty()
            || !self.textures.is_empty()
            || has(&|it| matches!(it, Op::Load { .. } | Op::BoxBytes { .. } | Op::Aligned(..)));
        let computes = self.computes_only() || self.exchanges_only();
        self.passes = match computes || self.accesses_only() {
            true => passes(&self),
            false => Vec::new(),
        };
        self
    }

    /// Whether all it does besides computing is to read elements of memory and then to write some, each lane for itself.
    #[must_use]
    pub fn accesses_only(&self) -> bool {
        let is_plain = |it: &Op| it.outside_bits().is_none() || matches!(it, Op::Load { .. });
        let has_effects = !self.bulk.is_empty()
            || !self.fields.is_empty()
            || !self.textures.is_empty()
            || !self.texels.is_empty()
            || self.matrix.is_some()
            || self.tensor.is_some()
            || self.later.is_some()
            || self.until.is_some();
        let is_repeated = self.repeated.is_some() || self.sweep.is_some();
        self.accesses
            && !(self.atomic || self.flags || is_repeated || has_effects)
            && self.exactness == Exactness::Exact
            && self.participants.is_none()
            && self.unspecified.is_none()
            && self.steps.iter().all(is_plain)
    }
}
