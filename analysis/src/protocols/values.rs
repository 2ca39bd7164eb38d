//! Where values come from.

use isa::event::EventKind;
use rustc_hash::FxHashSet;

use crate::{
    flow::ids::{Base, BlockId, Step, Symbol, Value},
    hir::{body::Target, instruction::references},
    protocols::kernel::{Event, Kernel, MAX_SLICE, Place, Source},
    values::Origin,
};

impl Kernel<'_> {
    /// The number that an operand of an event always has.
    pub(super) fn constant(&self, event: &Event, operand: usize) -> Option<i64> {
        let bound = self.operand(event, operand)?.integer();
        bound.or_else(|| {
            let register = self.register_of(event, operand)?;
            let number = self.values().number(register, event.step)?;
            Some(number.cast_signed())
        })
    }

    /// Where an address lies, followed through copies and sums with constants.
    pub(super) fn place(&self, base: Base, offset: i64, at: Step) -> Option<Place> {
        let (origin, distance) = match base {
            Base::Symbol(it) => (Origin::Symbol(it), 0),
            Base::Value(value) => self.values().place(value, at)?,
        };
        let offset = distance.wrapping_add(offset);
        Some(Place { origin, offset })
    }

    /// The variable from which an address is computed, whatever is added to it.
    pub(super) fn root(&self, base: Base) -> Option<Symbol> {
        let value = match base {
            Base::Symbol(it) => return Some(it),
            Base::Value(it) => it,
        };
        let known = self.roots.borrow().get(&value).copied();
        known.unwrap_or_else(|| {
            let found = self.find_root(base);
            self.roots.borrow_mut().insert(value, found);
            found
        })
    }

    fn find_root(&self, base: Base) -> Option<Symbol> {
        let mut found = None;
        let mut seen = Vec::new();
        let mut work = vec![base];
        while let Some(base) = work.pop() {
            match base {
                Base::Symbol(it) if found.is_some_and(|other| other != it) => return None,
                Base::Symbol(it) => found = Some(it),
                Base::Value(value) => {
                    if seen.contains(&value) || seen.len() > MAX_SLICE {
                        continue;
                    }
                    seen.push(value);
                    for step in self.definitions(value) {
                        if !matches!(self.source(*step), Source::Computed) {
                            continue;
                        }
                        let instruction = self.body.instructions.get(*step as usize)?;
                        let references = references(self.body, instruction).iter();
                        work.extend(
                            references
                                .filter(|it| !it.write)
                                .filter_map(|it| self.base(it)),
                        );
                    }
                }
            }
        }
        found
    }

    /// Where the first operand of an event lies.
    pub(super) fn address(&self, event: &Event) -> Option<Place> {
        let (base, offset) = self.start(event)?;
        self.place(base, offset, event.step)
    }

    /// The variable from which the first operand of an event is computed.
    pub(super) fn address_root(&self, event: &Event) -> Option<Symbol> {
        self.root(self.start(event)?.0)
    }

    /// Whether an address is computed from one in another block of the cluster.
    pub(super) fn is_remote(&self, base: Base) -> bool {
        let Base::Value(value) = base else {
            return false;
        };
        let mut seen = vec![value];
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            for step in self.definitions(value) {
                if self.is(*step, EventKind::Remote) {
                    return true;
                }
                if seen.len() < MAX_SLICE && matches!(self.source(*step), Source::Computed) {
                    for it in self.flow.facts.reads.get(*step as usize) {
                        if !seen.contains(it) {
                            seen.push(*it);
                            work.push(*it);
                        }
                    }
                }
            }
        }
        false
    }

    /// The parameter of the entry from which alone an address is computed.
    pub(super) fn parameter(&self, base: Base) -> Option<(Base, i64)> {
        let Base::Value(value) = base else {
            return None;
        };
        let mut found = None;
        let mut seen = vec![value];
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            if self.definitions(value).is_empty() || seen.len() > MAX_SLICE {
                return None;
            }
            for step in self.definitions(value) {
                let operation = self.operation(*step)?;
                if self.entry && operation.has("param") && operation.accesses_memory() {
                    let bits = |it: &str| matches!(it, "u64" | "b64" | "s64");
                    // Of numbers that are added, only one is a pointer.
                    if !operation.words().iter().any(|it| bits(it)) {
                        continue;
                    }
                    let name = self.parameter_name(*step)?;
                    match found {
                        None => found = Some(name),
                        Some(other) if other == name => {}
                        Some(_) => return None,
                    }
                    continue;
                }
                match self.source(*step) {
                    Source::Same => {}
                    Source::Differs if operation.special => {}
                    Source::Differs => return None,
                    Source::Computed => {
                        for it in self.flow.facts.reads.get(*step as usize) {
                            if !seen.contains(it) {
                                seen.push(*it);
                                work.push(*it);
                            }
                        }
                    }
                }
            }
        }
        found
    }

    /// The parameter that a load names, and the offset in it.
    pub(super) fn parameter_name(&self, step: Step) -> Option<(Base, i64)> {
        self.address_of((self.bound)(step)?)
    }

    /// Whether only the events of this function can name a variable: its address is in no register, but for those
    /// that events read it from.
    pub(super) fn is_own(&self, symbol: Symbol) -> bool {
        let shared = self.shared.get_or_init(|| {
            let named = self.body.references.iter().filter_map(|reference| {
                let symbol = match reference.target {
                    Target::Definition(it) => Symbol::Own(it),
                    Target::Free(it) => Symbol::Free(it),
                    _ => return None,
                };
                let all = &self.body.instructions;
                let at = all.partition_point(|it| it.range.end() < reference.range.start());
                (!self.is_event_or_copy(at as Step)).then_some(symbol)
            });
            named.collect()
        });
        !shared.contains(&symbol)
    }

    fn is_event_or_copy(&self, step: Step) -> bool {
        let copies = &self.flow.facts.copies;
        self.events_at(step).next().is_some()
            || self
                .accesses
                .binary_search_by_key(&step, |it| it.step)
                .is_ok()
            || copies.get(step as usize).copied().unwrap_or(false)
    }

    /// Whether something reads a value after an instruction that writes it.
    pub(super) fn is_read_after(&self, value: Value, step: Step) -> bool {
        let facts = &self.flow.facts;
        let graph = &self.flow.graph;
        let overwrites =
            |it: Step| !facts.keeps[it as usize] && facts.writes.get(it as usize).contains(&value);
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let mut work = vec![step + 1];
        while let Some(start) = work.pop() {
            let Some(block) = graph.block_of.get(start as usize - 1) else {
                continue;
            };
            // A start after the end of its block continues in the next ones.
            let end = graph.blocks[*block as usize].end;
            let mut over = false;
            for at in start..end {
                if facts.reads.get(at as usize).contains(&value) {
                    return true;
                }
                if overwrites(at) {
                    over = true;
                    break;
                }
            }
            if over {
                continue;
            }
            let mut open = vec![*block];
            while let Some(block) = open.pop() {
                for next in graph.successors.get(block as usize) {
                    if !seen.insert(*next) {
                        continue;
                    }
                    let mut over = false;
                    for at in graph.blocks[*next as usize].clone() {
                        if facts.reads.get(at as usize).contains(&value) {
                            return true;
                        }
                        if overwrites(at) {
                            over = true;
                            break;
                        }
                    }
                    if !over {
                        open.push(*next);
                    }
                }
            }
        }
        false
    }
}
