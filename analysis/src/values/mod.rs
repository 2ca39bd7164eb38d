//! The values of registers: the one engine that follows values from instruction to instruction.
//!
//! A value is a node of a graph, see [`isa::compute::Graph`]: an expression over leaves, which are what a function is
//! given, what it loads, and what several writes leave. Everything that is said of a value, be it a number, its known
//! bits or a text, is asked of its node.
//!
//! An engine is made for a question, or for all questions about one function. It looks at what a question needs, and at
//! no more than [`MAX_STEPS`] instructions; what lies farther is not told apart.

mod dominance;

use std::rc::Rc;

use isa::compute::{Exactness, Graph, KnownBits, Node};
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Database;

use self::dominance::Dominance;
use crate::{
    flow::{
        Flow,
        chains::Chains,
        computation::{BoundName, Computation, Source, same_address},
        ids::{BlockId, Step, Value},
    },
    hir::{body::Target, bound::Operands, items::Function},
};

/// Instructions that one engine looks at: an expression of more is not for people, and each takes some microseconds.
const MAX_STEPS: usize = 512;
/// Values that more writes than these leave are not looked into.
const MAX_WRITES: usize = 8;

/// The source of a leaf of the graph.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leaf<'a> {
    /// A register that nothing writes before.
    Input(Value),
    /// A special register, or the address of a variable, a function or a label.
    Name(BoundName<'a>),
    /// The result of an instruction that has no program, or that is too far away.
    Result(Step, Value),
    /// The result of one of several writes.
    Merge(Value),
    /// Something that only one instruction reads.
    Unknown,
}

/// The identity of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Input(Value),
    Name(Target, Option<char>),
    Result(Step, Value),
    Merge(Value, BlockId),
}

/// How an instruction makes what it writes.
enum Origin<'a> {
    /// By its program.
    Computed(Computation<'a>),
    /// The register has the address of an operand.
    Same(Value, Source<'a>),
}

impl<'a> Origin<'a> {
    fn sources(&self) -> &[Source<'a>] {
        match self {
            Origin::Computed(it) => &it.sources,
            Origin::Same(_, it) => std::slice::from_ref(it),
        }
    }
}

/// The values of a function.
pub(crate) struct Values<'a> {
    flow: &'a Flow,
    operands: Operands<'a>,
    chains: Chains<'a>,
    /// Whether the values are for people and not for proofs: approximations are the nearest numbers, and an address is
    /// the same in each state space.
    reading: bool,
    /// Whether some instruction was not looked at because there were too many.
    incomplete: bool,
    pub(crate) graph: Graph,
    leaves: Vec<Leaf<'a>>,
    known: FxHashMap<Key, Node>,
    /// The nodes of what instructions write.
    results: FxHashMap<Step, Box<[(Value, Node)]>>,
    writers: FxHashMap<(Value, Step), Rc<[Step]>>,
    dominance: Dominance,
}

impl<'a> Values<'a> {
    /// Those of a function. `reading` takes approximations for the nearest numbers and an address for the same in each
    /// state space.
    pub(crate) fn of(
        db: &'a dyn Database,
        function: Function<'a>,
        flow: &'a Flow,
        reading: bool,
    ) -> Values<'a> {
        Values {
            flow,
            operands: Operands::of(db, function),
            chains: Chains::of(flow),
            reading,
            incomplete: false,
            graph: Graph::default(),
            leaves: Vec::new(),
            known: FxHashMap::default(),
            results: FxHashMap::default(),
            writers: FxHashMap::default(),
            dominance: Dominance::of(&flow.graph),
        }
    }

    /// The value of a register of so many bits before an instruction.
    pub(crate) fn before(&mut self, value: Value, step: Step, bits: u32) -> Node {
        let writers = self.writers(value, step);
        self.look_at(writers.iter().copied().collect());
        self.read(value, step, bits)
    }

    /// The value of a register of so many bits after an instruction.
    pub(crate) fn after(&mut self, value: Value, step: Step, bits: u32) -> Node {
        if self.flow.facts.keeps[step as usize] {
            return self.leaf(Key::Result(step, value), Leaf::Result(step, value), bits);
        }
        self.look_at(vec![step]);
        self.result(value, step, bits)
    }

    /// Whether leaves may stand for results that were too far away to be looked at.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// The sources of the leaves of the graph, by their numbers.
    pub(crate) fn leaves(&self) -> &[Leaf<'a>] {
        &self.leaves
    }

    fn leaf(&mut self, key: Key, leaf: Leaf<'a>, bits: u32) -> Node {
        self.leaf_with(key, leaf, bits, KnownBits::NOTHING)
    }

    fn leaf_with(&mut self, key: Key, leaf: Leaf<'a>, bits: u32, known: KnownBits) -> Node {
        if let Some(node) = self.known.get(&key) {
            return *node;
        }
        let node = self.fresh(leaf, bits, known);
        self.known.insert(key, node);
        node
    }

    fn fresh(&mut self, leaf: Leaf<'a>, bits: u32, known: KnownBits) -> Node {
        let (node, index) = self.graph.leaf_with(bits.min(64) as u8, known);
        self.leaves.resize(index as usize + 1, Leaf::Unknown);
        self.leaves[index as usize] = leaf;
        node
    }

    /// The instructions that may have written what a register holds before an instruction.
    fn writers(&mut self, value: Value, step: Step) -> Rc<[Step]> {
        if let Some(known) = self.writers.get(&(value, step)) {
            return Rc::clone(known);
        }
        // A name that is written once needs no search; what is read before that is nothing.
        let found: Rc<[Step]> = match self.chains.writes(value) {
            [only] if !self.flow.facts.keeps[*only as usize] => Rc::from([*only]),
            _ => self.chains.reaching_writes(value, step).into(),
        };
        self.writers.insert((value, step), Rc::clone(&found));
        found
    }

    /// Finds the results of instructions, and of those that their operands come from.
    fn look_at(&mut self, mut work: Vec<Step>) {
        let mut open: FxHashSet<Step> = FxHashSet::default();
        while let Some(step) = work.last().copied() {
            if self.results.contains_key(&step) {
                work.pop();
                continue;
            }
            let origin = match self.results.len() < MAX_STEPS {
                true => self.origin(step),
                false => {
                    self.incomplete = true;
                    None
                }
            };
            let Some(origin) = origin else {
                self.results.insert(step, Box::default());
                work.pop();
                continue;
            };
            // The second time all that can be found is there; what is still open comes round a loop.
            if open.insert(step) {
                let before = work.len();
                for source in origin.sources() {
                    if let Source::Register(value, _) = source {
                        let writers = self.writers(*value, step);
                        if writers.len() <= MAX_WRITES {
                            work.extend(writers.iter().filter(|it| !open.contains(it)));
                        }
                    }
                }
                if work.len() > before {
                    continue;
                }
            }
            let results = self.results_of(step, &origin);
            self.results.insert(step, results);
            work.pop();
        }
    }

    fn origin(&self, step: Step) -> Option<Origin<'a>> {
        let facts = &self.flow.facts;
        let unguarded = facts.guarded.get(step as usize) == Some(&false);
        let instruction = self.operands.get(step).filter(|_| unguarded)?;
        if self.reading
            && let Some((value, source)) = same_address(facts, instruction)
        {
            return Some(Origin::Same(value, source));
        }
        let found = Computation::of(facts, instruction)?;
        let program = found.form.program;
        let exact = self.reading || program.exactness == Exactness::Exact;
        (exact && !program.crosses_lanes).then_some(Origin::Computed(found))
    }

    fn results_of(&mut self, step: Step, origin: &Origin<'a>) -> Box<[(Value, Node)]> {
        let computation = match origin {
            Origin::Computed(it) => it,
            Origin::Same(value, from) => {
                let node = self.source(from, step, 64);
                return Box::new([(*value, node)]);
            }
        };
        let program = computation.form.program;
        let mut inputs = Vec::with_capacity(program.inputs.len());
        for (source, input) in computation.sources.iter().zip(&program.inputs) {
            inputs.push(self.source(source, step, input.bits.into()));
        }
        let outputs = self.graph.apply(program, &inputs);
        let values = computation.results(&self.flow.facts);
        let results = values
            .zip(outputs)
            .filter_map(|((value, _), (_, node))| Some((value?, node)));
        results.collect()
    }

    /// The value of an operand of so many bits of an instruction.
    fn source(&mut self, source: &Source<'a>, step: Step, bits: u32) -> Node {
        match *source {
            Source::Constant(it) => self.graph.constant(it),
            Source::Register(value, offset) => {
                let node = self.read(value, step, bits);
                match offset {
                    0 => node,
                    _ => self.graph.add(node, offset.cast_unsigned(), bits),
                }
            }
            Source::Operand(name) => {
                let key = Key::Name(name.0.target, name.1);
                self.leaf(key, Leaf::Name(name), bits)
            }
            Source::Unknown => self.fresh(Leaf::Unknown, bits, KnownBits::NOTHING),
        }
    }

    /// The value of a register before an instruction, from the results that are known.
    fn read(&mut self, value: Value, step: Step, bits: u32) -> Node {
        let writers = self.writers(value, step);
        let keeps = &self.flow.facts.keeps;
        match &*writers {
            [] => self.leaf(Key::Input(value), Leaf::Input(value), bits),
            // What comes round a loop is the result of the turn before, and an expression of what that turn had.
            [only] if !keeps[*only as usize] => match self.precedes(*only, step) {
                true => self.result(value, *only, bits),
                false => self.leaf(Key::Result(*only, value), Leaf::Result(*only, value), bits),
            },
            several => {
                let known = self.common(value, several);
                if let Some(constant) = known.as_constant() {
                    return self.graph.constant(constant as u64);
                }
                let block = self.flow.graph.block_of[step as usize];
                let key = Key::Merge(value, block);
                self.leaf_with(key, Leaf::Merge(value), bits, known)
            }
        }
    }

    /// Whether every way to an instruction leads through another one before.
    fn precedes(&self, one: Step, other: Step) -> bool {
        let block = |it: Step| self.flow.graph.block_of.get(it as usize).copied();
        match (block(one), block(other)) {
            (Some(a), Some(b)) if a == b => one < other,
            (Some(a), Some(b)) => self.dominance.dominates(a, b),
            _ => false,
        }
    }

    /// The bits that are the same whichever write counts.
    fn common(&mut self, value: Value, writers: &[Step]) -> KnownBits {
        let mut found: Option<KnownBits> = None;
        for writer in writers {
            // What may keep the old value, and what comes round a loop, says nothing.
            let known = match self.flow.facts.keeps[*writer as usize] {
                true => None,
                false => self.known_result(value, *writer),
            };
            let Some(node) = known.filter(|_| writers.len() <= MAX_WRITES) else {
                return KnownBits::NOTHING;
            };
            let one = self.graph.known_bits(node);
            found = Some(found.map_or(one, |it| it.common(one)));
        }
        found.unwrap_or(KnownBits::NOTHING)
    }

    fn known_result(&self, value: Value, step: Step) -> Option<Node> {
        let results = self.results.get(&step)?;
        let found = results.iter().find(|it| it.0 == value);
        found.map(|it| it.1)
    }

    fn result(&mut self, value: Value, step: Step, bits: u32) -> Node {
        match self.known_result(value, step) {
            Some(node) => node,
            None => self.leaf(Key::Result(step, value), Leaf::Result(step, value), bits),
        }
    }
}
