//! The parts of a kernel that different warps execute, shared memory, and the barriers of the block.

use isa::{
    event::EventKind,
    operand::{Operand, Space, Symbol as SymbolOperand},
    semantics::Access,
};

use crate::{
    SymbolKind,
    flow::ids::{BlockId, Step, VariableName},
    hir::declared::Declared,
    kernel::{
        events::{Kernel, Start, is_copy, is_product, is_wait},
        map::{BlockBarrier, SharedVariable, WarpRole},
    },
};

/// A role with its blocks.
pub(super) struct Part {
    pub(super) role: WarpRole,
    /// Ascending.
    blocks: Vec<BlockId>,
}

/// How many roles are looked for.
const MAX_ROLES: usize = 16;

impl Kernel<'_, '_> {
    /// The parts that end in different places of the tree of dominators and that change how many registers their warps
    /// have; without such changes, those that wait for mbarriers in loops of their own.
    pub(super) fn roles(&mut self) -> Vec<Part> {
        let changes = self.steps(|it| {
            matches!(
                it,
                EventKind::RegistersIncrease | EventKind::RegistersDecrease
            )
        });
        let graph = &self.subject.flow.graph;
        let block = |step: Step| graph.block_of[step as usize];
        let marks: Vec<BlockId> = match changes.is_empty() {
            false => changes.iter().map(|it| block(*it)).collect(),
            true => {
                let waits = self.steps(is_wait);
                let looped = waits.iter().map(|it| block(*it));
                looped.filter_map(|it| self.outermost_head(it)).collect()
            }
        };
        let mut roots: Vec<BlockId> = Vec::new();
        for mark in &marks {
            if let Some(root) = self.role_root(*mark, &marks)
                && !roots.contains(&root)
            {
                roots.push(root);
            }
        }
        // A part that contains another one is not a role.
        let all = roots.clone();
        roots.retain(|it| {
            !all.iter()
                .any(|other| other != it && self.is_below(*other, *it))
        });
        if roots.len() < 2 || roots.len() > MAX_ROLES {
            return Vec::new();
        }
        roots.sort_unstable();
        roots.into_iter().filter_map(|it| self.part(it)).collect()
    }

    /// The head of the outermost loop around a block.
    fn outermost_head(&self, block: BlockId) -> Option<BlockId> {
        let graph = &self.subject.flow.graph;
        let outermost = graph.loops_around(block).last()?;
        Some(graph.loops[outermost as usize].head)
    }

    /// The dominator of a block that is the highest one without another mark below it.
    fn role_root(&self, mark: BlockId, marks: &[BlockId]) -> Option<BlockId> {
        let graph = &self.subject.flow.graph;
        let above = |block: BlockId| {
            let mut all = vec![block];
            while let Some(it) = graph.dominator[*all.last()? as usize] {
                all.push(it);
            }
            Some(all)
        };
        let others: Vec<Vec<BlockId>> = (marks.iter())
            .filter(|it| **it != mark)
            .filter_map(|it| above(*it))
            .collect();
        let own = above(mark)?;
        let alone = own.iter().take_while(|it| {
            let shared = |other: &Vec<BlockId>| other.contains(it) && !other.contains(&mark);
            // Marks one after the other are of one role.
            !others
                .iter()
                .any(|other| shared(other) && !own.contains(&other[0]))
        });
        alone.last().copied()
    }

    /// Whether every way to a block leads through another one, or is it.
    fn is_below(&self, block: BlockId, root: BlockId) -> bool {
        let mut at = Some(block);
        while let Some(it) = at {
            if it == root {
                return true;
            }
            at = self.subject.flow.graph.dominator[it as usize];
        }
        false
    }

    fn part(&mut self, root: BlockId) -> Option<Part> {
        let graph = &self.subject.flow.graph;
        let count = graph.blocks.len() as BlockId;
        let is_inside = |block: BlockId| self.is_below(block, root);
        let blocks: Vec<BlockId> = (0..count).filter(|it| is_inside(*it)).collect();
        let inside = |step: Step| {
            let block = graph.block_of[step as usize];
            blocks.binary_search(&block).is_ok()
        };
        let steps = blocks
            .iter()
            .flat_map(|it| graph.blocks[*it as usize].clone());
        let first = steps.clone().min()?;
        let last = steps.clone().max()?;
        let select = |is: fn(EventKind) -> bool| -> Vec<Step> {
            let found = self.steps(is).into_iter();
            found.filter(|it| inside(*it)).collect()
        };
        let (copies, products) = (select(is_copy), select(is_product));
        let is_global = |it: &Access| it.is_plain();
        let stores: Vec<Step> = steps
            .filter(|it| {
                let global = self
                    .subject
                    .get(*it)
                    .is_some_and(|it| it.form.words.iter().any(|it| &**it == "global"));
                global && self.subject.semantics(*it).writes.iter().any(is_global)
            })
            .collect();
        let changes = (0..self.events.all.len()).filter(|it| {
            let event = &self.events.all[*it];
            inside(event.step)
                && matches!(
                    event.kind,
                    EventKind::RegistersIncrease | EventKind::RegistersDecrease
                )
        });
        let changes: Vec<usize> = changes.collect();
        let name = match (copies.is_empty(), products.is_empty(), stores.is_empty()) {
            (false, true, _) => "producer",
            (_, false, _) => "consumer",
            (true, true, false) => "epilogue",
            (true, true, true) => "other",
        };
        let role = WarpRole {
            name,
            range: self.range(first).cover(self.range(last)),
            copies: self.ranges(copies),
            products: self.ranges(products),
            stores: self.ranges(stores),
            registers: changes
                .into_iter()
                .filter_map(|it| self.constant(it, 0))
                .collect(),
        };
        Some(Part { role, blocks })
    }

    /// The variables in shared memory that are declared in the kernel or named by it, and who accesses them.
    pub(super) fn variables(&mut self, size: &dyn Fn(u32) -> Option<u64>) -> Vec<SharedVariable> {
        let mut found: Vec<(VariableName, SharedVariable)> = Vec::new();
        let (body, flow) = (self.subject.body, self.subject.flow);
        for (id, definition) in (0..).zip(&body.definitions) {
            let shared = matches!(
                body.operands.get(id as usize),
                Some(Declared(Operand::Symbol(SymbolOperand::Variable(
                    Space::Shared,
                    _
                ))))
            );
            if definition.kind == SymbolKind::Variable && shared {
                found.push((
                    VariableName::Own(id),
                    SharedVariable {
                        name: self.subject.symbol(VariableName::Own(id)),
                        bytes: size(id),
                        writes: Vec::new(),
                        reads: Vec::new(),
                    },
                ));
            }
        }
        for step in 0..flow.facts.len() as Step {
            let semantics = self.subject.semantics(step);
            if !semantics.accesses_memory() {
                continue;
            }
            let Some(instruction) = self.subject.get(step) else {
                continue;
            };
            let mut brackets = instruction.operands().filter(|it| it.is_address());
            let Some(operand) = brackets.next() else {
                continue;
            };
            let Some(Start::Symbol(symbol)) =
                self.operand_address(operand, step).map(|it| it.start)
            else {
                continue;
            };
            let index = match found.iter().position(|it| it.0 == symbol) {
                Some(it) => it,
                None if self.is_shared_name(step, symbol) => {
                    found.push((
                        symbol,
                        SharedVariable {
                            name: self.subject.symbol(symbol),
                            bytes: None,
                            writes: Vec::new(),
                            reads: Vec::new(),
                        },
                    ));
                    found.len() - 1
                }
                None => continue,
            };
            let range = self.range(step);
            let variable = &mut found[index].1;
            if semantics.writes.is_empty() {
                variable.reads.push(range);
            } else {
                variable.writes.push(range);
            }
        }
        for step in self.steps(is_product) {
            let range = self.range(step);
            for address in self.descriptors(step) {
                let known = found
                    .iter_mut()
                    .find(|it| Start::Symbol(it.0) == address.start);
                if let Some((_, variable)) = known {
                    let at = variable
                        .reads
                        .partition_point(|it| it.start() < range.start());
                    if variable.reads.get(at) != Some(&range) {
                        variable.reads.insert(at, range);
                    }
                }
            }
        }
        found.into_iter().map(|it| it.1).collect()
    }

    /// Whether an instruction that accesses a name of the module accesses shared memory.
    fn is_shared_name(&self, step: Step, symbol: VariableName) -> bool {
        let shared = |it: &str| it.split("::").next() == Some("shared");
        let words = self.subject.get(step);
        matches!(symbol, VariableName::Free(_))
            && words.is_some_and(|it| it.form.words.iter().any(|it| shared(it)))
    }

    /// The barriers of the block by their numbers.
    pub(super) fn barriers(&mut self, roles: &[Part]) -> Vec<BlockBarrier> {
        let mut found: Vec<BlockBarrier> = Vec::new();
        for index in 0..self.events.all.len() {
            let (step, kind) = (self.events.all[index].step, self.events.all[index].kind);
            if !matches!(kind, EventKind::BlockSync | EventKind::BlockArrive) {
                continue;
            }
            let number = self.constant(index, 0);
            let threads = self.constant(index, 1);
            let block = self.subject.flow.graph.block_of[step as usize];
            let of_roles = roles.iter().enumerate();
            let of_roles = of_roles.filter(|it| it.1.blocks.binary_search(&block).is_ok());
            let of_roles: Vec<usize> = of_roles.map(|it| it.0).collect();
            let range = self.range(step);
            let known = found
                .iter_mut()
                .find(|it| it.number == number && it.threads == threads);
            match known {
                Some(it) => {
                    it.places.push(range);
                    it.roles.extend(of_roles);
                    it.roles.sort_unstable();
                    it.roles.dedup();
                }
                None => found.push(BlockBarrier {
                    number,
                    threads,
                    places: vec![range],
                    roles: of_roles,
                }),
            }
        }
        found.sort_by_key(|it| (it.number.is_none(), it.number));
        found
    }
}
