//! Graphs: what values are computed from, across statements.
//!
//! The programs of statements are put together here: the result of one is the source of others. What no program gives,
//! such as a parameter or the result of a load, is a leaf. Questions are answered from the graph: which bits are
//! known, what the numbers are in some lanes, by how much two values differ, how a value is written as an expression.

use rustc_hash::FxHashMap;

use super::{
    builder::Builder,
    known_bits::{KnownBits, known_bits},
    lower::LANES,
    node::Node,
    program::{Binary, Destination, Input, Op, Program, Width},
    run::{Store, evaluate, evaluate_wide},
};

/// The expressions of values.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub(super) builder: Builder,
    /// The known bits of the first nodes.
    known: Vec<KnownBits>,
    /// The known bits of leaves, by their numbers.
    leaves: Vec<KnownBits>,
}

impl Graph {
    /// A value that nothing gives, of so many bits, at most 64: its node, and its number among the leaves.
    pub fn leaf(&mut self, bits: u8) -> (Node, u32) {
        self.leaf_with(bits, KnownBits::NOTHING)
    }

    /// The same, with what is known of its bits.
    pub fn leaf_with(&mut self, bits: u8, known: KnownBits) -> (Node, u32) {
        self.leaves.push(known);
        let index = self.builder.inputs.len();
        self.builder.inputs.push(Input {
            operand: 0,
            element: None,
            half: 0,
            bits,
        });
        (self.builder.push(Op::Input(index as u32)), index as u32)
    }

    /// A number of 64 bits.
    pub fn constant(&mut self, value: u64) -> Node {
        self.builder.push(Op::Constant(value))
    }

    /// A value plus a number, in so many bits.
    pub fn add(&mut self, node: Node, number: u64, bits: u32) -> Node {
        let number = self.constant(number);
        let sum = Op::Binary(Binary::Add, Width::Narrow, node, number);
        let sum = self.builder.push(sum);
        self.builder.zero_extend(sum, bits)
    }

    /// The difference of two values, in so many bits.
    pub fn subtract(&mut self, a: Node, b: Node, bits: u32) -> Node {
        let difference = Op::Binary(Binary::Subtract, Width::Narrow, a, b);
        let difference = self.builder.push(difference);
        self.builder.zero_extend(difference, bits)
    }

    /// One of two values, by a truth.
    pub fn select(&mut self, condition: Node, a: Node, b: Node) -> Node {
        let select = Op::Select(Width::Narrow, condition, a, b);
        self.builder.push(select)
    }

    /// The number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.builder.steps.len()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.builder.steps.is_empty()
    }

    /// The operation of a node.
    #[must_use]
    pub fn op(&self, node: Node) -> Op {
        self.builder.steps[node as usize]
    }

    /// The number of a node, if it is a constant.
    #[must_use]
    pub fn as_constant(&self, node: Node) -> Option<u64> {
        self.builder.constant(node)
    }

    /// The results of a program on these inputs, in the order of [`Program::inputs`]; none where the manual leaves the
    /// results open for all that the leaves may hold, and if `surely`, for some of that.
    pub fn apply(
        &mut self,
        program: &Program,
        inputs: &[Node],
        surely: bool,
    ) -> Vec<(Destination, Node)> {
        let nodes = self.nodes(program, inputs);
        let open = program.unspecified.map(|it| nodes[it as usize]);
        if let Some(open) = open
            && match self.as_constant(open) {
                Some(it) => it == 1,
                None => surely,
            }
        {
            return Vec::new();
        }
        let outputs = program.outputs.iter();
        outputs
            .map(|(destination, node)| (*destination, nodes[*node as usize]))
            .collect()
    }

    /// The nodes of all steps of a program on these inputs, in the order of [`Program::steps`]. Steps that ask for
    /// memory or for what surrounds the lanes are new leaves.
    pub fn nodes(&mut self, program: &Program, inputs: &[Node]) -> Vec<Node> {
        let mut nodes: Vec<Node> = Vec::with_capacity(program.steps.len());
        for op in &program.steps {
            let node = match op {
                Op::Input(index) => match inputs.get(*index as usize) {
                    Some(it) => *it,
                    None => self.leaf(64).0,
                },
                Op::Aligned(address, _) => nodes[*address as usize],
                _ => match op.outside_bits() {
                    // These are others for each instruction.
                    Some(bits) => self.leaf(bits).0,
                    None => self.builder.push(op.map_operands(|it| nodes[it as usize])),
                },
            };
            nodes.push(node);
        }
        nodes
    }

    /// The number of leaves.
    #[must_use]
    pub fn leaf_count(&self) -> usize {
        self.builder.inputs.len()
    }

    /// The width in bits of a leaf, by its number.
    #[must_use]
    pub fn leaf_bits(&self, index: u32) -> u32 {
        let input = self.builder.inputs.get(index as usize);
        input.map_or(64, |it| it.bits.into())
    }

    /// The known bits of a node.
    pub fn known_bits(&mut self, node: Node) -> KnownBits {
        while self.known.len() <= node as usize {
            let op = &self.builder.steps[self.known.len()];
            let mut found = known_bits(op, |it| self.known[it as usize]);
            if let Op::Input(index) = op
                && let Some(leaf) = self.leaves.get(*index as usize)
            {
                found = *leaf;
            }
            if !op.is_wide() {
                let bits = u32::from(self.builder.bits(self.known.len() as Node));
                found = found.within(bits);
            }
            self.known.push(found);
        }
        self.known[node as usize]
    }
}

/// The numbers of nodes in `N` lanes, as far as those of the leaves are known.
#[derive(Clone, Debug, Default)]
pub struct LaneValues<const N: usize> {
    narrow: FxHashMap<Node, Option<Box<[u64; N]>>>,
    wide: FxHashMap<Node, Box<[u128; N]>>,
}

impl<const N: usize> Store<N> for LaneValues<N> {
    fn narrow(&self, node: Node) -> &[u64; N] {
        match self.narrow.get(&node) {
            Some(Some(it)) => it,
            _ => &[0; N],
        }
    }

    fn wide(&self, node: Node) -> &[u128; N] {
        self.wide.get(&node).map_or(&[0; N], |it| it)
    }
}

impl<const N: usize> LaneValues<N> {
    /// How many nodes have been asked for, themselves or for others.
    #[must_use]
    pub fn count(&self) -> usize {
        self.narrow.len()
    }

    /// The numbers of a node; `leaf` gives those of a leaf by its number, if they are known.
    pub fn get(
        &mut self,
        graph: &Graph,
        node: Node,
        leaf: &mut dyn FnMut(u32) -> Option<[u64; N]>,
    ) -> Option<&[u64; N]> {
        let mut work = vec![node];
        while let Some(node) = work.last().copied() {
            if self.narrow.contains_key(&node) {
                work.pop();
                continue;
            }
            let op = graph.op(node);
            let (before, mut known) = (work.len(), true);
            op.for_each_operand(|it| match self.narrow.get(&it) {
                Some(found) => known &= found.is_some(),
                None => work.push(it),
            });
            // Where one operand is unknown, the others do not matter.
            if known && work.len() > before {
                continue;
            }
            work.truncate(before - 1);
            let value = match op {
                Op::Input(index) => leaf(index).map(Box::new),
                _ if !known || op.outside_bits().is_some() => None,
                // These are the lanes of a warp, or else nothing is known of the others.
                Op::Broadcast(..) | Op::Gather(..) | Op::Ballot(_) if N != LANES => None,
                _ if op.is_wide() => {
                    let mut out = Box::new([0; N]);
                    evaluate_wide(&op, self, &mut out);
                    self.wide.insert(node, out);
                    Some(Box::new([0; N]))
                }
                _ => {
                    let mut out = Box::new([0; N]);
                    evaluate(&op, self, &mut out);
                    Some(out)
                }
            };
            self.narrow.insert(node, value);
        }
        self.narrow.get(&node)?.as_deref()
    }
}
