//! Where the leaves of values in lanes come from.

use std::rc::Rc;

use isa::{
    compute::{AddressSpace, Node, Op},
    event::EventKind,
    operand::Space,
};
use rustc_hash::FxHashSet;
use syntax::SyntaxKind;

use super::{
    engine::Leaf,
    joins::{Join, LeafSource, Parameter, Phi},
    lanes::LaneSamples,
    memory::MemoryAccess,
    sampling::{SHARED_ALIGNMENT, Style},
    variables::{Variable, variable},
};
use crate::{
    flow::{
        effects::semantics,
        ids::{BlockId, Step, Value, VariableName},
    },
    hir::{body::body, declaration::Declaration, tree},
};

/// The keys of uniform values: kinds of things in the upper bits.
const SPECIAL: u64 = 1 << 40;
const VARIABLE: u64 = 2 << 40;
const PARAMETER: u64 = 3 << 40;

fn parameter_key((definition, offset): (u32, i64)) -> u64 {
    PARAMETER | u64::from(definition) << 20 | offset.cast_unsigned() & 0xF_FFFF
}

impl<'a> LaneSamples<'a> {
    /// The source of a leaf.
    pub(super) fn resolve(&mut self, index: u32) -> LeafSource {
        match self.values.leaves().get(index as usize).copied() {
            Some(Leaf::Name(name)) => match name.special() {
                Some(special) => named(special, name.1),
                None => match self.values.symbol_of(name) {
                    Some(symbol) => self.address(symbol),
                    None => LeafSource::Varying,
                },
            },
            Some(Leaf::Result(step, value)) => self.result(step, value),
            Some(Leaf::Phi(value, block)) => self.phi(value, block),
            _ => LeafSource::Varying,
        }
    }

    fn address(&self, symbol: VariableName) -> LeafSource {
        let number = match symbol {
            VariableName::Own(it) => u64::from(it),
            VariableName::Free(it) => 1 << 24 | u64::from(it),
        };
        let style = match variable(self.db, self.function, symbol) {
            Some(it) => match it.space {
                Space::Shared if it.external => Style::Address(SHARED_ALIGNMENT, SHARED_ALIGNMENT),
                Space::Shared => Style::Address(it.alignment, SHARED_ALIGNMENT),
                _ => Style::Address(it.alignment, 1 << 20),
            },
            None => Style::Address(1, 1 << 20),
        };
        LeafSource::Uniform(VARIABLE | number, style)
    }

    /// The variable whose address a leaf is.
    pub(crate) fn variable_of(&self, leaf: u32) -> Option<(VariableName, Variable)> {
        let Leaf::Name(name) = self.values.leaves().get(leaf as usize)? else {
            return None;
        };
        let symbol = self.values.symbol_of(*name)?;
        Some((symbol, variable(self.db, self.function, symbol)?))
    }

    fn result(&mut self, step: Step, value: Value) -> LeafSource {
        let block = self.flow.graph.block_of[step as usize];
        let accesses = self.values.accesses(step);
        match &accesses[..] {
            [access] if Self::is_shared_read(access) => {
                if let Some(found) = self.loaded(step, value, access) {
                    return found;
                }
                match self.space(access) {
                    AddressSpace::Local | AddressSpace::Generic => LeafSource::Varying,
                    // Results of calls are those of each thread.
                    AddressSpace::Parameter => LeafSource::Varying,
                    _ => LeafSource::Read([access.address].into(), block),
                }
            }
            [] if self.values.is_value(step) => {
                LeafSource::Read(self.values.reads(step).into(), block)
            }
            _ => LeafSource::Varying,
        }
    }

    /// A part of a parameter of the entry.
    fn loaded(&mut self, step: Step, value: Value, access: &MemoryAccess) -> Option<LeafSource> {
        if access.space != AddressSpace::Parameter || !self.entry {
            return None;
        }
        let sum = self.values.graph.linear(access.address, 64);
        let mut terms = sum.terms.iter();
        let (Some((node, 1)), None) = (terms.next(), terms.next()) else {
            return None;
        };
        let Some(VariableName::Own(definition)) = self.values.symbol(*node) else {
            return None;
        };
        let declared = variable(self.db, self.function, VariableName::Own(definition))?;
        if declared.space != Space::EntryParameter {
            return None;
        }
        let writes = self.flow.facts.writes.get(step as usize);
        let element = writes.iter().position(|it| *it == value)? as u64;
        let bytes = access.bytes? / writes.len().max(1) as u64;
        let offset = sum.constant.cast_signed() + (element * bytes).cast_signed();
        let key = (definition, offset);
        let body = body(self.db, self.function);
        let name = &body.definition(definition).name;
        self.parameters.entry(key).or_insert_with(|| Parameter {
            name: match offset {
                0 => name.to_string(),
                _ => format!("{name}[{offset}]"),
            },
            bits: 8 * bytes as u32,
            pointer: false,
        });
        Some(LeafSource::Uniform(
            parameter_key(key),
            Style::Parameter(8 * bytes as u32),
        ))
    }

    /// The space of an access, of a generic one that of the variable or array from which its address is made.
    pub(crate) fn space(&mut self, access: &MemoryAccess) -> AddressSpace {
        if access.space != AddressSpace::Generic {
            return access.space;
        }
        let mut found = None;
        let mut work = vec![access.address];
        let mut seen = FxHashSet::default();
        while let Some(node) = work.pop() {
            if !seen.insert(node) || seen.len() > 64 {
                continue;
            }
            let sum = self.values.graph.linear(node, 64);
            for (term, by) in &sum.terms {
                let Some((leaf, what)) = self.leaf_of(*term) else {
                    // Addresses in shared memory are often computed in 32 bits, and a part of the block may follow.
                    if let (Op::ZeroExtend(inner, 32), 1) = (self.values.graph.op(*term), *by) {
                        work.push(inner);
                    }
                    continue;
                };
                let space = match what {
                    Leaf::Phi(value, block) => {
                        let all = self.values.incoming(value, block);
                        work.extend(all.into_iter().map(|it| it.1));
                        continue;
                    }
                    _ => match self.variable_of(leaf) {
                        Some((_, it)) => match it.space {
                            Space::Shared => AddressSpace::Shared,
                            Space::Local => AddressSpace::Local,
                            Space::Const => AddressSpace::Constant,
                            Space::Global | Space::Unified => AddressSpace::Global,
                            _ => AddressSpace::Parameter,
                        },
                        None if *by == 1 && self.is_pointer(leaf) => AddressSpace::Global,
                        None => continue,
                    },
                };
                match found {
                    Some(it) if it != space => return AddressSpace::Generic,
                    _ => found = Some(space),
                }
            }
        }
        found.unwrap_or(AddressSpace::Generic)
    }

    /// The one variable from whose address a node is made, and whether loops change it; `None` if it depends on anything
    /// but that, the place of the thread and the turns of loops.
    pub(crate) fn single_variable(&mut self, node: Node) -> Option<(u32, bool)> {
        let mut found = None;
        let mut turning = false;
        for leaf in self.origins(node) {
            match &self.sources[leaf as usize] {
                it if it.is_place() => {}
                LeafSource::Uniform(_, Style::Address(..)) if found.is_none() => found = Some(leaf),
                // Of several ways only the way around a loop is known.
                LeafSource::Phi(phi)
                    if phi.index.is_some() && phi.entry.len() == 1 && phi.back.len() == 1 =>
                {
                    turning = true;
                }
                _ => return None,
            }
        }
        Some((found?, turning))
    }

    /// Whether a node depends on the number of threads of a block.
    pub(crate) fn depends_on_shape(&mut self, node: Node) -> bool {
        let leaves = self.origins(node);
        let of_shape = |it: u32| matches!(self.sources[it as usize], LeafSource::Threads(_));
        leaves.into_iter().any(of_shape)
    }

    /// Whether a leaf is the start of an array that the launch passes.
    pub(crate) fn is_pointer(&self, leaf: u32) -> bool {
        matches!(
            self.sources.get(leaf as usize),
            Some(LeafSource::Uniform(_, Style::Pointer))
        )
    }

    /// The names of the integer parameters from which a value is made.
    pub(crate) fn integer_parameters(&mut self, node: Node) -> Vec<String> {
        let mut found = Vec::new();
        for leaf in self.origins(node) {
            if let LeafSource::Uniform(_, Style::Parameter(32..)) = self.sources[leaf as usize]
                && let Some(it) = self.parameter_of(leaf)
            {
                found.push(it.name.clone());
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The parameter that a leaf is.
    pub(crate) fn parameter_of(&self, leaf: u32) -> Option<&Parameter> {
        let Some(LeafSource::Uniform(key, _)) = self.sources.get(leaf as usize) else {
            return None;
        };
        let mut all = self.parameters.iter();
        all.find(|it| parameter_key(*it.0) == *key).map(|it| it.1)
    }

    /// Decides which parameters are starts of arrays: those that the text says are, those whose address is converted,
    /// and the only one of 64 bits that is a term of an address.
    pub(super) fn find_pointers(&mut self) {
        let mut stated = FxHashSet::default();
        let cursor = self.function.green(self.db).cursor();
        if let Some(list) = cursor.node(SyntaxKind::PARAMETER_LIST) {
            for node in list.nodes() {
                let names = Declaration::of(&node).declarators;
                if tree::has_word(&node, ".ptr")
                    && let Some(name) = names.first().and_then(|it| it.name)
                {
                    stated.insert(name.text().to_owned());
                }
            }
        }
        for parameter in self.parameters.values_mut() {
            parameter.pointer = stated.contains(&parameter.name);
        }
        for step in 0..self.flow.facts.len() as Step {
            let writes = self.flow.facts.writes.get(step as usize);
            if let ([value], true) = (writes, self.values.is_conversion(step)) {
                let node = self.values.after(*value, step);
                self.resolve_new();
                self.found_pointer(node);
            }
        }
        let addresses: Vec<Node> = self
            .accesses
            .iter()
            .flat_map(|it| &it.1)
            .filter(|it| it.space != AddressSpace::Parameter && !it.tensor)
            .map(|it| it.address)
            .collect();
        for address in addresses {
            self.found_pointer(address);
        }
        self.resolve_new();
        let pointers: FxHashSet<u64> = self
            .parameters
            .iter()
            .filter(|it| it.1.pointer)
            .map(|it| parameter_key(*it.0))
            .collect();
        for source in &mut self.sources {
            if let LeafSource::Uniform(key, style) = source
                && pointers.contains(key)
            {
                *style = Style::Pointer;
            }
        }
    }

    /// The value of a register before an instruction.
    pub(crate) fn before(&mut self, value: Value, step: Step) -> Node {
        let node = self.values.before(value, step);
        self.resolve_new();
        node
    }

    fn resolve_new(&mut self) {
        while self.sources.len() < self.values.graph.leaf_count() {
            let source = self.resolve(self.sources.len() as u32);
            self.sources.push(source);
        }
    }

    /// Takes the only parameter that is a term of an address for the start of an array.
    fn found_pointer(&mut self, address: Node) {
        let mut candidates = FxHashSet::default();
        let mut work = vec![address];
        let mut seen = FxHashSet::default();
        while let Some(node) = work.pop() {
            if !seen.insert(node) || seen.len() > 16 {
                continue;
            }
            let sum = self.values.graph.linear(node, 64);
            for (term, _) in sum.terms.iter().filter(|it| *it.1 == 1) {
                let Some((leaf, _)) = self.leaf_of(*term) else {
                    continue;
                };
                match self.sources.get(leaf as usize) {
                    Some(LeafSource::Uniform(key, _)) => {
                        candidates.insert(*key);
                    }
                    Some(LeafSource::Phi(phi)) => work.extend(phi.entry.iter().map(|it| it.1)),
                    _ => {}
                }
            }
        }
        let mut of_text = self
            .parameters
            .iter_mut()
            .filter(|(key, it)| it.bits == 64 && candidates.contains(&parameter_key(**key)));
        let found: Vec<&mut Parameter> = of_text.by_ref().map(|it| it.1).collect();
        if !found.iter().any(|it| it.pointer)
            && let [only] = found.into_iter().collect::<Vec<_>>().as_mut_slice()
        {
            only.pointer = true;
        }
    }

    fn phi(&mut self, value: Value, block: BlockId) -> LeafSource {
        let graph = &self.flow.graph;
        let all = graph.loops.iter();
        let index = all.zip(0..).find(|it| it.0.head == block).map(|it| it.1);
        let join = self.join(block, index);
        let mut phi = Phi {
            join,
            index,
            entry: Vec::new(),
            back: Vec::new(),
        };
        for (from, node) in self.values.incoming(value, block) {
            // Nothing reads what was not written on the way.
            if self.entry && matches!(self.values.leaf_of(node), Some(Leaf::Input(_))) {
                continue;
            }
            match index.is_some_and(|it| graph.in_loop(from, it)) {
                true => phi.back.push((from, node)),
                false => phi.entry.push((from, node)),
            }
        }
        LeafSource::Phi(Rc::new(phi))
    }

    fn join(&mut self, block: BlockId, index: Option<u32>) -> Rc<Join> {
        if let Some(known) = self.joins.get(&block) {
            return known.clone();
        }
        let graph = &self.flow.graph;
        let before = graph.predecessors.get(block as usize).iter().copied();
        let before = before.filter(|it| graph.reachable[*it as usize]);
        let (back, entry): (Vec<BlockId>, Vec<BlockId>) =
            before.partition(|from| index.is_some_and(|it| graph.in_loop(*from, it)));
        let dominator = graph.dominator[block as usize];
        let sides = match (&entry[..], dominator) {
            ([a, b], Some(top)) if back.is_empty() => self.sides(block, [*a, *b], top),
            _ => None,
        };
        let join = Rc::new(Join {
            block,
            sides,
            entry: self.deciding(&entry, dominator),
            back: self.deciding(&back, Some(block)),
        });
        self.joins.insert(block, join.clone());
        join
    }

    /// The blocks with several successors on the paths to some blocks from one that dominates them.
    fn deciding(&self, to: &[BlockId], from: Option<BlockId>) -> Vec<BlockId> {
        let graph = &self.flow.graph;
        let mut seen = FxHashSet::default();
        let mut work = to.to_vec();
        while let Some(block) = work.pop() {
            if seen.insert(block) && Some(block) != from {
                work.extend(graph.predecessors.get(block as usize));
            }
        }
        let several = |it: &BlockId| graph.successors.get(*it as usize).len() > 1;
        seen.into_iter().filter(several).collect()
    }

    /// The condition of a block that decides alone from which of two blocks control comes, and their sides.
    fn sides(
        &self,
        block: BlockId,
        before: [BlockId; 2],
        top: BlockId,
    ) -> Option<(Node, Vec<(BlockId, bool)>)> {
        let graph = &self.flow.graph;
        let condition = self.branch(top)?;
        let last = graph.blocks[top as usize].end - 1;
        let [target] = self.flow.facts.targets.get(last as usize) else {
            return None;
        };
        let taken = graph.block_of.get(*target as usize).copied()?;
        let next = graph.block_of.get(last as usize + 1).copied()?;
        let on_side = |from: BlockId, side: BlockId| {
            if from == top {
                return side == block;
            }
            let only = graph.predecessors.get(side as usize) == [top];
            let mut at = Some(from);
            while let Some(it) = at {
                if it == side {
                    return only;
                }
                at = graph.dominator[it as usize].filter(|next| *next != it);
            }
            false
        };
        let side = |from: BlockId| match (on_side(from, taken), on_side(from, next)) {
            (true, false) => Some((from, true)),
            (false, true) => Some((from, false)),
            _ => None,
        };
        let [a, b] = before.map(side);
        let (a, b) = (a?, b?);
        (a.1 != b.1).then(|| (condition, vec![a, b]))
    }
}

impl super::Values<'_> {
    /// Whether an instruction gives threads that give it the same the same, and reads no memory.
    fn is_value(&self, step: Step) -> bool {
        let instruction = self.operands.get(step);
        instruction.is_some_and(|it| {
            let special = |it: &crate::hir::body::Reference| {
                matches!(it.target, crate::hir::body::Target::Special(_))
            };
            semantics(it.db, it.id).is_value() && !it.references.iter().any(special)
        })
    }

    /// Whether an instruction converts an address between state spaces.
    fn is_conversion(&self, step: Step) -> bool {
        self.operands.get(step).is_some_and(|it| {
            let events = semantics(it.db, it.id).events;
            events.iter().any(|it| it.kind == EventKind::SameAddress)
        })
    }
}

/// The source of a special register.
fn named(name: &str, component: Option<char>) -> LeafSource {
    let axis = match component {
        Some('y') => 1,
        Some('z') => 2,
        _ => 0,
    };
    let key = name.bytes().fold(SPECIAL, |key, it| {
        key.wrapping_mul(31).wrapping_add(u64::from(it)) & ((1 << 36) - 1) | SPECIAL
    }) + axis as u64;
    match name {
        "%tid" => LeafSource::Tid(axis),
        "%ntid" => LeafSource::Threads(axis),
        "%laneid" => LeafSource::Lane,
        "%lanemask_eq" => LeafSource::Mask(|it| 1 << it),
        "%lanemask_lt" => LeafSource::Mask(|it| (1 << it) - 1),
        "%lanemask_le" => LeafSource::Mask(|it| (2 << it) - 1),
        "%lanemask_gt" => LeafSource::Mask(|it| !((2 << it) - 1) & 0xFFFF_FFFF),
        "%lanemask_ge" => LeafSource::Mask(|it| !((1 << it) - 1) & 0xFFFF_FFFF),
        "%ctaid" => LeafSource::Uniform(key, Style::Index),
        _ if isa::special::is_same_in_block(name) => LeafSource::Uniform(key, Style::Count),
        _ => LeafSource::Varying,
    }
}
