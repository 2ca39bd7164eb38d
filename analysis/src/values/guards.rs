//! Guards: the truths under which instructions run, and the values that guarded ones and joins of paths leave.

use isa::compute::Node;

use super::{
    engine::{Key, Leaf, Values},
    phis::Writers,
};
use crate::flow::ids::{BlockId, Step, Value};

impl Values<'_> {
    /// The register of the guard of an instruction.
    pub(crate) fn guard(&self, step: Step) -> Option<Value> {
        let guard = self.operands.get(step)?.guard()?;
        self.flow.facts.value(guard)
    }

    /// The truth under which an instruction runs before it; `None` if it has no guard.
    pub(crate) fn condition(&mut self, step: Step) -> Option<Node> {
        let guard = self.guard(step)?;
        let negated = self.operands.get(step)?.is_negated();
        let node = self.before(guard, step);
        Some(self.truth(node, negated))
    }

    fn truth(&mut self, node: Node, negated: bool) -> Node {
        if !negated {
            return node;
        }
        let (no, yes) = (self.graph.constant(0), self.graph.constant(1));
        self.graph.select(node, no, yes)
    }

    /// The values after a guarded instruction of the registers that it writes: its results, or the old values.
    pub(super) fn guarded(
        &mut self,
        step: Step,
        results: &[(Value, Node)],
    ) -> Box<[(Value, Node)]> {
        let flow = self.flow;
        let condition = self.guard(step).map(|it| self.read(it, step, 1));
        let negated = self.operands.get(step).is_some_and(|it| it.is_negated());
        let Some(condition) = condition.map(|it| self.truth(it, negated)) else {
            return Box::default();
        };
        let written = flow.facts.writes.get(step as usize).iter().copied();
        let of_value = |values: &mut Self, value: Value| {
            let bits = values.bits(value);
            let new = match results.iter().find(|it| it.0 == value) {
                Some(it) => it.1,
                None => values.leaf(Key::Result(step, value), Leaf::Result(step, value), bits),
            };
            let old = values.read(value, step, bits);
            (value, values.graph.select(condition, new, old))
        };
        written.map(|it| of_value(self, it)).collect()
    }

    /// The values of a register at the ends of the blocks before a block, in the order of these.
    pub(crate) fn incoming(&mut self, value: Value, block: BlockId) -> Vec<(BlockId, Node)> {
        let flow = self.flow;
        let before = flow.graph.predecessors.get(block as usize).iter();
        let reached = before.filter(|it| flow.graph.reachable[**it as usize]);
        reached.map(|it| (*it, self.at_end(value, *it))).collect()
    }

    fn at_end(&mut self, value: Value, block: BlockId) -> Node {
        let bits = self.bits(value);
        let graph = &self.flow.graph;
        let writes = self.chains.writes(value);
        match self.phis.writers(graph, writes, value, block, Step::MAX) {
            Writers::Sole(it) => {
                self.look_at(vec![it]);
                self.result(value, it, bits)
            }
            Writers::Phi(it) => self.leaf(Key::Phi(value, it), Leaf::Phi(value, it), bits),
            _ => self.leaf(Key::Input(value), Leaf::Input(value), bits),
        }
    }
}
