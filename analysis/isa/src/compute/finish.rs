//! The end of lowering: steps that nothing reads are dropped, and what the rest needs is found out.

use super::{
    node::Node,
    pass::passes,
    program::{Op, Program},
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
        self.passes = match self.computes_only() {
            true => passes(&self),
            false => Vec::new(),
        };
        self
    }
}
