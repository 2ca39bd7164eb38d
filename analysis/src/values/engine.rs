//! The graph of the values of a function.

use std::{array, cell::OnceCell, rc::Rc};

use isa::{
    compute::{Destination, Exactness, Graph, KnownBits, LaneValues, Node, Op},
    operand::Operand,
};
use rustc_hash::FxHashMap;
use salsa::Database;

use super::{
    dominance::Dominance,
    phis::{Phis, Writers},
    sums::Sums,
};
use crate::{
    flow::{
        Flow,
        chains::Chains,
        computation::{BoundName, Computation, InputSource, same_address},
        effects::semantics,
        ids::{BlockId, Step, Value},
    },
    hir::{
        body::{Body, Target, body},
        bound::Operands,
        declared::{Declared, declared},
        items::Function,
    },
};

/// Instructions that are looked at for one fact: an expression of more is not for people, and each takes some
/// microseconds.
const MAX_STEPS: usize = 512;
/// Values that more writes than these leave are not looked into.
const MAX_WRITES: usize = 8;
/// Threads of a warp.
const WARP: u64 = isa::limits::THREADS_PER_WARP as u64;
/// Blocks in which the writes of a value are searched.
const MAX_BLOCKS: usize = 512;

/// The purpose of an engine, which decides what it takes for equal and how far it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A text for people: approximations are the nearest numbers, and an address is the same in each state space.
    Reading,
    /// The known bits of one value.
    Bits,
    /// Facts about many values of a function. The results of several writes are not looked into.
    Function,
    /// The same, and an address is the same in each state space.
    Addresses,
    /// Texts for people about a whole function: as for [`Purpose::Reading`], but the results of several writes are not
    /// looked into.
    Listing,
    /// The values in the lanes of a warp: what several writes leave is a [`Leaf::Phi`], guarded writes are choices, and
    /// an address is the same in each state space.
    Lanes,
}

impl Purpose {
    /// Whether only one value is asked for, and the results of several writes are looked into.
    fn is_one(self) -> bool {
        matches!(self, Purpose::Reading | Purpose::Bits)
    }

    /// Whether texts for people are made.
    fn is_text(self) -> bool {
        matches!(self, Purpose::Reading | Purpose::Listing)
    }
}

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
    /// The value of a register at the start of a block in which paths with different writes of it meet, see
    /// [`Values::incoming`]; of [`Purpose::Lanes`] only.
    Phi(Value, BlockId),
    /// Something that only one instruction reads.
    Unknown,
}

/// The identity of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Input(Value),
    /// The name, the component and the width in bits.
    Name(Target, Option<char>, u32),
    Result(Step, Value),
    /// The same of an earlier turn of a loop.
    Earlier(Step, Value),
    /// The value in a block, after an instruction of it that may have written it.
    Merge(Value, BlockId, Option<Step>),
    Phi(Value, BlockId),
}

/// How an instruction makes what it writes.
enum Making<'a> {
    /// By its program.
    Computed(Rc<Computation<'a>>),
    /// The register has the address of an operand.
    Same(Value, InputSource<'a>),
    /// In a way that is not known, under a guard.
    Unknown,
}

impl<'a> Making<'a> {
    fn sources(&self) -> &[InputSource<'a>] {
        match self {
            Making::Computed(it) => &it.sources,
            Making::Same(_, it) => std::slice::from_ref(it),
            Making::Unknown => &[],
        }
    }
}

/// The values of a function.
pub(crate) struct Values<'a> {
    pub(super) body: &'a Body,
    pub(super) flow: &'a Flow,
    pub(super) operands: Operands<'a>,
    types: &'a [Declared],
    pub(super) chains: Rc<Chains<'a>>,
    purpose: Purpose,
    /// How many instructions were looked at, and whether others were not because there were too many.
    looked_at: usize,
    incomplete: bool,
    pub(crate) graph: Graph,
    leaves: Vec<Leaf<'a>>,
    known: FxHashMap<Key, Node>,
    /// The nodes of what instructions write; none where only leaves stand for that.
    results: FxHashMap<Step, Box<[(Value, Node)]>>,
    /// The instructions whose results are leaves although they have programs; none of the last ones if it is shorter.
    named: Vec<bool>,
    /// The first instruction that was found to compute each node.
    pub(super) makers: FxHashMap<Node, Step>,
    /// The computations of instructions that were run with numbers.
    run: FxHashMap<Step, Option<Rc<Computation<'a>>>>,
    /// Whether the first nodes are the same at all times.
    fixed: Vec<bool>,
    writers: FxHashMap<(Value, Step), Writers>,
    pub(super) sums: Sums,
    dominance: OnceCell<Dominance>,
    pub(super) phis: Phis,
}

impl<'a> Values<'a> {
    /// Those of a function.
    pub(crate) fn of(
        db: &'a dyn Database,
        function: Function<'a>,
        flow: &'a Flow,
        purpose: Purpose,
    ) -> Values<'a> {
        Values {
            body: body(db, function),
            flow,
            operands: Operands::of(db, function),
            types: declared(db, function),
            chains: Rc::new(Chains::of(flow)),
            purpose,
            looked_at: 0,
            incomplete: false,
            graph: Graph::default(),
            leaves: Vec::new(),
            known: FxHashMap::default(),
            results: FxHashMap::default(),
            named: Vec::new(),
            makers: FxHashMap::default(),
            run: FxHashMap::default(),
            fixed: Vec::new(),
            writers: FxHashMap::default(),
            sums: Sums::default(),
            dominance: OnceCell::new(),
            phis: Phis::default(),
        }
    }

    /// Makes leaves of the results of some instructions, by their indices, which have names in texts.
    pub(crate) fn with_named(mut self, named: Vec<bool>) -> Values<'a> {
        self.named = named;
        self
    }

    /// The results of an instruction, whatever its guard is, computed from what it reads even if they have names; empty
    /// if it has no program.
    pub(crate) fn computed(&mut self, step: Step) -> Vec<(Value, Node)> {
        let Some(making) = self.making_of(step) else {
            return Vec::new();
        };
        let mut work = Vec::new();
        for source in making.sources() {
            if let InputSource::Register(value, _) = source {
                self.push_writers(*value, step, &mut work);
            }
        }
        self.look_at(work);
        self.results_of(step, &making).into_vec()
    }

    /// Whether an instruction has a program, whatever its guard is.
    pub(crate) fn has_program(&self, step: Step) -> bool {
        self.making_of(step).is_some()
    }

    /// The value of a register before an instruction.
    pub(crate) fn before(&mut self, value: Value, step: Step) -> Node {
        let mut work = Vec::new();
        self.push_writers(value, step, &mut work);
        self.look_at(work);
        self.read(value, step, self.bits(value))
    }

    /// The value of a register after an instruction that writes it.
    pub(crate) fn after(&mut self, value: Value, step: Step) -> Node {
        let bits = self.bits(value);
        if self.flow.facts.keeps[step as usize] {
            return self.leaf(Key::Result(step, value), Leaf::Result(step, value), bits);
        }
        self.look_at(vec![step]);
        self.result(value, step, bits)
    }

    /// The number that a register always has before an instruction.
    pub(crate) fn number(&mut self, value: Value, step: Step) -> Option<u64> {
        let node = self.before(value, step);
        self.graph.as_constant(node)
    }

    /// The number that a register always has at the end of a block that is not empty.
    pub(crate) fn number_at_end(&mut self, value: Value, block: BlockId) -> Option<u64> {
        let last = self.flow.graph.blocks[block as usize].clone().last()?;
        let written = self.flow.facts.writes.get(last as usize).contains(&value);
        let node = match written {
            true => self.after(value, last),
            false => self.before(value, last),
        };
        self.graph.as_constant(node)
    }

    /// The number that an instruction writes if registers hold these, and if it writes no more.
    pub(crate) fn number_with(
        &mut self,
        step: Step,
        known: &dyn Fn(Value) -> Option<u64>,
    ) -> Option<u64> {
        if !self.run.contains_key(&step) {
            let found = match self.making(step) {
                Some(Making::Computed(it)) => Some(it),
                _ => None,
            };
            self.run.insert(step, found);
        }
        let computation = self.run.get(&step)?.clone()?;
        let program = computation.form.program;
        let number = |values: &mut Self, value: Value, _: u32| {
            let number = known(value)?;
            Some(values.graph.constant(number))
        };
        let inputs = self.inputs(&computation, number)?;
        match self.graph.apply(program, &inputs, true)[..] {
            [(Destination::Operand { half: 0, .. }, node)] => self.graph.as_constant(node),
            _ => None,
        }
    }

    /// The numbers of a node in some threads of a block, if all are known: `thread` gives their numbers along x, and
    /// `result` the numbers of what an instruction writes that has no program.
    pub(crate) fn in_threads<const N: usize>(
        &self,
        node: Node,
        known: &mut LaneValues<N>,
        thread: impl Fn(usize) -> u64,
        result: impl Fn(Step) -> Option<[u64; N]>,
    ) -> Option<[u64; N]> {
        let mut leaf = |index: u32| match self.leaves.get(index as usize)? {
            Leaf::Name(name) => match (name.special()?, name.1) {
                ("%tid", Some('x')) => Some(array::from_fn(&thread)),
                ("%laneid", _) => Some(array::from_fn(|it| thread(it) % WARP)),
                _ => None,
            },
            Leaf::Result(step, _) => result(*step),
            _ => None,
        };
        known.get(&self.graph, node, &mut leaf).copied()
    }

    /// The values that an instruction reads from registers.
    pub(crate) fn reads(&mut self, step: Step) -> Vec<Node> {
        let reads = self.flow.facts.reads.get(step as usize);
        reads.iter().map(|it| self.before(*it, step)).collect()
    }

    /// Whether an instruction that was looked at has a program.
    pub(crate) fn is_computed(&self, step: Step) -> bool {
        self.results.get(&step).is_some_and(|it| !it.is_empty())
    }

    /// The first instruction that was found to compute a node.
    pub(crate) fn maker_of(&self, node: Node) -> Option<Step> {
        self.makers.get(&node).copied()
    }

    /// The chains of the function.
    pub(crate) fn chains(&self) -> &Rc<Chains<'a>> {
        &self.chains
    }

    /// Whether leaves may stand for results that were too far away to be looked at.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// A node as an expression for people, `name` being the names of leaves; `None` if it is too long or has an operation
    /// without notation.
    pub(crate) fn text(
        &mut self,
        node: Node,
        name: &dyn Fn(Leaf<'a>) -> Option<String>,
    ) -> Option<String> {
        let leaves = &self.leaves;
        let leaf = |index: u32| name(*leaves.get(index as usize)?);
        self.graph.text(node, &leaf)
    }

    /// The sources of the leaves of the graph, by their numbers.
    pub(crate) fn leaves(&self) -> &[Leaf<'a>] {
        &self.leaves
    }

    /// The source of a node that is a leaf.
    pub(crate) fn leaf_of(&self, node: Node) -> Option<Leaf<'a>> {
        match self.graph.op(node) {
            Op::Input(index) => self.leaves.get(index as usize).copied(),
            _ => None,
        }
    }

    /// The width of a register in bits, at most 64.
    pub(crate) fn bits(&self, value: Value) -> u32 {
        let register = self.flow.facts.values.get(value as usize);
        match register.and_then(|it| self.types.get(it.definition as usize)) {
            Some(Declared(Operand::Register { class, .. })) => class.bits().min(64),
            _ => 64,
        }
    }

    pub(super) fn leaf(&mut self, key: Key, leaf: Leaf<'a>, bits: u32) -> Node {
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
    pub(super) fn writers(&mut self, value: Value, step: Step) -> Writers {
        if self.purpose == Purpose::Lanes {
            let block = self.flow.graph.block_of[step as usize];
            let writes = self.chains.writes(value);
            return self
                .phis
                .writers(&self.flow.graph, writes, value, block, step);
        }
        let keeps = &self.flow.facts.keeps;
        let sole = |it: Step| !keeps[it as usize];
        // A name that is written once needs no search; what is read before that is nothing.
        match self.chains.writes(value) {
            [] => return Writers::None,
            [only] if sole(*only) => return Writers::Sole(*only),
            _ => {}
        }
        if let Some(known) = self.writers.get(&(value, step)) {
            return known.clone();
        }
        let most = if self.purpose.is_one() { MAX_WRITES } else { 1 };
        let chains = &self.chains;
        let found = chains.few_reaching_writes(value, step, most, MAX_BLOCKS);
        let found = match found.as_deref() {
            None => Writers::Unknown,
            Some([]) => Writers::None,
            Some([only]) if sole(*only) => Writers::Sole(*only),
            Some(several) => Writers::Several(several.into()),
        };
        self.writers.insert((value, step), found.clone());
        found
    }

    /// Adds the instructions that are to be looked at for what a register holds before one.
    fn push_writers(&mut self, value: Value, step: Step, work: &mut Vec<Step>) {
        match self.writers(value, step) {
            Writers::Sole(it) => work.push(it),
            Writers::Several(it) if self.purpose.is_one() => work.extend(&*it),
            _ => {}
        }
    }

    /// Finds the results of instructions, and of those that their operands come from.
    pub(super) fn look_at(&mut self, mut work: Vec<Step>) {
        let mut open: FxHashMap<Step, Option<Making<'a>>> = FxHashMap::default();
        let mut more = Vec::new();
        while let Some(step) = work.last().copied() {
            if self.results.contains_key(&step) {
                work.pop();
                continue;
            }
            // The second time all that can be found is there; what is still open comes round a loop.
            if let Some(making) = open.get_mut(&step).and_then(Option::take) {
                let mut results = self.results_of(step, &making);
                if self.flow.facts.guarded[step as usize] {
                    results = self.guarded(step, &results);
                }
                for (_, node) in &results {
                    self.makers.entry(*node).or_insert(step);
                }
                self.results.insert(step, results);
                work.pop();
                continue;
            }
            let full = self.purpose.is_one() && self.looked_at == MAX_STEPS;
            self.incomplete |= full;
            self.looked_at += usize::from(!full);
            let is_named = self.named.get(step as usize).copied().unwrap_or(false);
            let Some(making) = self.making(step).filter(|_| !full && !is_named) else {
                self.results.insert(step, Box::default());
                work.pop();
                continue;
            };
            for source in making.sources() {
                if let InputSource::Register(value, _) = source {
                    self.push_writers(*value, step, &mut more);
                }
            }
            if self.flow.facts.guarded[step as usize] {
                let flow = self.flow;
                let written = flow.facts.writes.get(step as usize).iter();
                for value in written.copied().chain(self.guard(step)) {
                    self.push_writers(value, step, &mut more);
                }
            }
            open.insert(step, Some(making));
            let is_new = |it: &Step| !open.contains_key(it) && !self.results.contains_key(it);
            work.extend(more.drain(..).filter(is_new));
        }
    }

    fn making(&self, step: Step) -> Option<Making<'a>> {
        let guarded = self.flow.facts.guarded.get(step as usize) != Some(&false);
        if guarded && (self.purpose != Purpose::Lanes || self.operands.get(step).is_none()) {
            return None;
        }
        let unknown = || guarded.then_some(Making::Unknown);
        self.making_of(step).or_else(unknown)
    }

    fn making_of(&self, step: Step) -> Option<Making<'a>> {
        let facts = &self.flow.facts;
        let instruction = self.operands.get(step)?;
        let lanes = self.purpose == Purpose::Lanes;
        let spaces = self.purpose.is_text() || lanes || self.purpose == Purpose::Addresses;
        if spaces && let Some((value, source)) = same_address(facts, instruction) {
            return Some(Making::Same(value, source));
        }
        let found = Computation::of(facts, instruction)?;
        let program = found.form.program;
        let exact = self.purpose.is_text() || program.exactness == Exactness::Exact;
        let is_known = exact && (lanes || !program.crosses_lanes);
        is_known.then(|| Making::Computed(Rc::new(found)))
    }

    fn results_of(&mut self, step: Step, making: &Making<'a>) -> Box<[(Value, Node)]> {
        let read =
            |values: &mut Self, value: Value, bits: u32| Some(values.read(value, step, bits));
        let computation = match making {
            Making::Computed(it) => it,
            Making::Unknown => return Box::default(),
            Making::Same(value, from) => {
                let node = self.source(from, self.bits(*value), &read);
                return node.map(|it| (*value, it)).into_iter().collect();
            }
        };
        let Some(inputs) = self.inputs(computation, read) else {
            return Box::default();
        };
        let surely = !self.purpose.is_text() && self.purpose != Purpose::Lanes;
        let outputs = self.graph.apply(computation.form.program, &inputs, surely);
        let values = computation.results(&self.flow.facts);
        let results = values
            .zip(outputs)
            .filter_map(|((value, _), (_, node))| Some((value?, node)));
        results.collect()
    }

    /// The nodes of the steps of a program that an instruction runs, whatever its guard is.
    pub(super) fn steps(&mut self, step: Step, of: &Computation<'a>) -> Option<Vec<Node>> {
        let mut work = Vec::new();
        for source in &of.sources {
            if let InputSource::Register(value, _) = source {
                self.push_writers(*value, step, &mut work);
            }
        }
        self.look_at(work);
        let read = |it: &mut Self, value: Value, bits: u32| Some(it.read(value, step, bits));
        let inputs = self.inputs(of, read)?;
        Some(self.graph.nodes(of.form.program, &inputs))
    }

    /// The inputs of a program; `read` gives what registers of so many bits hold.
    fn inputs(
        &mut self,
        computation: &Computation<'a>,
        read: impl Fn(&mut Self, Value, u32) -> Option<Node>,
    ) -> Option<Vec<Node>> {
        let inputs = &computation.form.program.inputs;
        let sources = computation.sources.iter().zip(inputs);
        sources
            .map(|(source, input)| self.source(source, input.bits.into(), &read))
            .collect()
    }

    /// The value of an operand of so many bits.
    fn source(
        &mut self,
        source: &InputSource<'a>,
        bits: u32,
        read: &impl Fn(&mut Self, Value, u32) -> Option<Node>,
    ) -> Option<Node> {
        Some(match *source {
            InputSource::Constant(it) => self.graph.constant(it),
            InputSource::Register(value, offset) => {
                let node = read(self, value, bits)?;
                self.plus(node, offset, bits)
            }
            InputSource::Operand(name, offset) => {
                let key = Key::Name(name.0.target, name.1, bits);
                let special = name.special();
                let fewer = special.and_then(|it| isa::special::bits(it, name.1));
                let bits_there = fewer.map_or(bits, |it| bits.min(it.into()));
                let node = match self.lasts(name) {
                    true => self.leaf(key, Leaf::Name(name), bits_there),
                    false => self.fresh(Leaf::Name(name), bits, KnownBits::NOTHING),
                };
                self.plus(node, offset, bits)
            }
            InputSource::Unknown => self.fresh(Leaf::Unknown, bits, KnownBits::NOTHING),
        })
    }

    fn plus(&mut self, node: Node, offset: i64, bits: u32) -> Node {
        match offset {
            0 => node,
            _ => self.graph.add(node, offset.cast_unsigned(), bits),
        }
    }

    /// The value of a register before an instruction, from the results that are known.
    pub(super) fn read(&mut self, value: Value, step: Step, bits: u32) -> Node {
        let several = match self.writers(value, step) {
            Writers::None => return self.leaf(Key::Input(value), Leaf::Input(value), bits),
            Writers::Sole(only) => {
                // What comes round a loop is the result of the turn before, and an expression of what that turn had.
                if self.purpose == Purpose::Lanes || self.precedes(only, step) {
                    return self.result(value, only, bits);
                }
                let known = self.known_result(value, only);
                return match known.filter(|it| self.is_fixed(*it)) {
                    Some(node) => node,
                    None => self.leaf(Key::Earlier(only, value), Leaf::Result(only, value), bits),
                };
            }
            Writers::Phi(it) => {
                return self.leaf(Key::Phi(value, it), Leaf::Phi(value, it), bits);
            }
            Writers::Several(it) if self.purpose.is_one() => Some(it),
            Writers::Several(_) | Writers::Unknown => None,
        };
        let known = several.map_or(KnownBits::NOTHING, |it| self.common(value, &it));
        if let Some(constant) = known.as_constant() {
            return self.graph.constant(constant as u64);
        }
        let block = self.flow.graph.block_of[step as usize];
        let writes = self.chains.writes(value);
        let before = writes.partition_point(|it| *it < step);
        let start = self.flow.graph.blocks[block as usize].start;
        let last = writes[..before].last().copied().filter(|it| *it >= start);
        let key = Key::Merge(value, block, last);
        self.leaf_with(key, Leaf::Merge(value), bits, known)
    }

    /// Whether an instruction only reads memory.
    pub(super) fn loads(&self, step: Step) -> bool {
        let instruction = self.operands.get(step);
        instruction.is_some_and(|it| semantics(it.db, it.id).loads())
    }

    /// Whether every way to an instruction leads through another one before.
    pub(crate) fn precedes(&self, one: Step, other: Step) -> bool {
        let block = |it: Step| self.flow.graph.block_of.get(it as usize).copied();
        match (block(one), block(other)) {
            (Some(a), Some(b)) if a == b => one < other,
            (Some(a), Some(b)) => {
                let graph = &self.flow.graph;
                let dominance = self.dominance.get_or_init(|| Dominance::of(graph));
                dominance.dominates(a, b)
            }
            _ => false,
        }
    }

    /// Whether a name stands for the same number wherever it is read: it is neither a clock nor a part of a register.
    fn lasts(&self, name: BoundName<'_>) -> bool {
        match name.special() {
            Some(it) => !isa::special::changes(it),
            None => self.flow.facts.value(name.0).is_none(),
        }
    }

    /// Whether a node is computed from names and constants alone, so that it is the same in each turn of a loop.
    fn is_fixed(&mut self, node: Node) -> bool {
        while self.fixed.len() <= node as usize {
            let mut fixed = match self.graph.op(self.fixed.len() as Node) {
                Op::Input(index) => match self.leaves.get(index as usize) {
                    Some(Leaf::Name(name)) => self.lasts(*name),
                    _ => false,
                },
                Op::Active | Op::Carry | Op::Stack => false,
                _ => true,
            };
            let op = self.graph.op(self.fixed.len() as Node);
            op.for_each_operand(|it| fixed &= self.fixed[it as usize]);
            self.fixed.push(fixed);
        }
        self.fixed[node as usize]
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
            let Some(node) = known else {
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

    pub(super) fn result(&mut self, value: Value, step: Step, bits: u32) -> Node {
        match self.known_result(value, step) {
            Some(node) => node,
            None => self.leaf(Key::Result(step, value), Leaf::Result(step, value), bits),
        }
    }
}
