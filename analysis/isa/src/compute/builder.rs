//! Builds programs: each operation once.

use rustc_hash::FxHashMap;

use super::program::{Input, Node, Op};

/// The steps of a program that is being made.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) steps: Vec<Op>,
    pub(super) inputs: Vec<Input>,
    known: FxHashMap<Op, Node>,
}

impl Builder {
    /// The node of an operation.
    pub(super) fn push(&mut self, op: Op) -> Node {
        if let Some(node) = self.known.get(&op) {
            return *node;
        }
        let node = self.steps.len() as Node;
        self.steps.push(op);
        self.known.insert(op, node);
        node
    }

    /// The node of a value that is read.
    pub(super) fn input(&mut self, input: Input) -> Node {
        let found = self.inputs.iter().position(|it| *it == input);
        let index = found.unwrap_or_else(|| {
            self.inputs.push(input);
            self.inputs.len() - 1
        });
        self.push(Op::Input(index as u16))
    }
}
