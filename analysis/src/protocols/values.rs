//! Where values come from.

use isa::event::EventKind;
use rustc_hash::FxHashSet;

use crate::{
    flow::{
        ids::{Base, BlockId, Step, Symbol, Value},
        operation::Operation,
    },
    hir::{body::Target, bound::Bound, instruction::references},
    protocols::kernel::{Event, Kernel, MAX_DEPTH, MAX_SLICE, Origin, Place, Source},
};

impl Kernel<'_> {
    /// The instruction that wrote what a value holds before another one, if that is the same on all ways.
    pub(super) fn writer(&self, value: Value, at: Step) -> Option<Step> {
        if let [only] = self.definitions(value) {
            return (!self.flow.facts.keeps[*only as usize]).then_some(*only);
        }
        if let Some(known) = self.reaching.borrow().get(&(value, at)) {
            return *known;
        }
        let found = self.find_writer(value, at);
        self.reaching.borrow_mut().insert((value, at), found);
        found
    }

    pub(super) fn find_writer(&self, value: Value, at: Step) -> Option<Step> {
        let graph = &self.flow.graph;
        let definitions = self.definitions(value);
        let mut found = None;
        let mut seen: FxHashSet<BlockId> = FxHashSet::default();
        let own = *graph.block_of.get(at as usize)?;
        let mut work = vec![(own, at)];
        while let Some((block, end)) = work.pop() {
            let start = graph.blocks[block as usize].start;
            let before = definitions.partition_point(|it| *it < end);
            match definitions[..before].last().filter(|it| **it >= start) {
                Some(it) if self.flow.facts.keeps[*it as usize] => return None,
                Some(it) if found.is_some_and(|other| other != *it) => return None,
                Some(it) => found = Some(*it),
                None if seen.len() > MAX_SLICE => return None,
                None => {
                    for from in graph.predecessors.get(block as usize) {
                        if graph.reachable[*from as usize] && seen.insert(*from) {
                            work.push((*from, graph.blocks[*from as usize].end));
                        }
                    }
                }
            }
        }
        found
    }

    /// The number that an operand of an event always has.
    pub(super) fn constant(&self, event: &Event, operand: usize) -> Option<i64> {
        let bound = self.operand(event, operand)?.integer();
        bound.or_else(|| self.number(self.register_of(event, operand)?, event.step, 0))
    }

    pub(super) fn number(&self, value: Value, at: Step, depth: u32) -> Option<i64> {
        if depth > MAX_DEPTH {
            return None;
        }
        let step = self.writer(value, at)?;
        let operation = self.operation(step)?;
        if operation.guard.is_some() || operation.special {
            return None;
        }
        let computation = operation.computation()?;
        let known = |it| Some(self.number(it, step, depth + 1)?.cast_unsigned());
        Some(computation.as_number(computation.bits(known)?))
    }

    /// Where an address lies, followed through copies and sums with constants.
    pub(super) fn place(&self, base: Base, offset: i64, at: Step) -> Option<Place> {
        let place = match base {
            Base::Symbol(it) => Some(Place {
                origin: Origin::Symbol(it),
                offset: 0,
            }),
            Base::Value(value) => {
                let known = self.placed.borrow().get(&(value, at)).copied();
                known.unwrap_or_else(|| {
                    let found = self.find_place(base, at);
                    self.placed.borrow_mut().insert((value, at), found);
                    found
                })
            }
        };
        place.map(|it| Place {
            offset: it.offset.wrapping_add(offset),
            ..it
        })
    }

    fn find_place(&self, base: Base, at: Step) -> Option<Place> {
        let (mut base, mut offset, mut at) = (base, 0_i64, at);
        for _ in 0..MAX_DEPTH {
            let value = match base {
                Base::Symbol(it) => {
                    let origin = Origin::Symbol(it);
                    return Some(Place { origin, offset });
                }
                Base::Value(it) => it,
            };
            if self.definitions(value).is_empty() {
                let origin = Origin::Input(value);
                return Some(Place { origin, offset });
            }
            let step = self.writer(value, at)?;
            match self.computed(step) {
                Some((from, more)) => {
                    (base, offset, at) = (from, offset.wrapping_add(more), step);
                }
                None => {
                    let origin = Origin::Written(step);
                    return Some(Place { origin, offset });
                }
            }
        }
        None
    }

    /// Whether two addresses start from the same number, perhaps computed twice.
    pub(super) fn same_origin(&self, one: Origin, other: Origin) -> bool {
        match (one, other) {
            (Origin::Written(one), Origin::Written(other)) => self.same_result(one, other, 0),
            _ => one == other,
        }
    }

    /// Whether two instructions compute the same from the same.
    fn same_result(&self, one: Step, other: Step, depth: u32) -> bool {
        if one == other {
            return true;
        }
        let (Some(a), Some(b)) = (self.operation(one), self.operation(other)) else {
            return false;
        };
        let computes = |it: &Operation<'_>, step: Step| {
            let pure = it.special || self.is_pure(step) || self.same_address(step);
            it.guard.is_none() && it.writes.len() == 1 && pure
        };
        if depth > MAX_DEPTH
            || !(computes(&a, one) && computes(&b, other))
            || self.name(one) != self.name(other)
            || a.words() != b.words()
            || a.operands().count() != b.operands().count()
            || !a
                .operands()
                .zip(b.operands())
                .all(|it| it.0.is_alike(&it.1))
            || a.data.len() != b.data.len()
            || self.named_sources(one) != self.named_sources(other)
        {
            return false;
        }
        a.data.iter().zip(&b.data).all(|(a, b)| {
            match (self.writer(*a, one), self.writer(*b, other)) {
                (Some(one), Some(other)) => self.same_result(one, other, depth + 1),
                _ => a == b && self.definitions(*a).is_empty(),
            }
        })
    }

    /// The variables that an instruction names.
    fn named_sources(&self, step: Step) -> Vec<Symbol> {
        let instruction = self.body.instructions.get(step as usize);
        let references = instruction.map_or(&[][..], |it| references(self.body, it));
        let named = references.iter().filter_map(|it| self.base(it));
        named
            .filter_map(|it| match it {
                Base::Symbol(it) => Some(it),
                Base::Value(_) => None,
            })
            .collect()
    }

    /// The values that an instruction copies, and those that it adds.
    pub(super) fn computed(&self, step: Step) -> Option<(Base, i64)> {
        let operation = self.operation(step)?;
        if operation.guard.is_some() || operation.writes.len() != 1 {
            return None;
        }
        let address = self.same_address(step);
        if (self.flow.facts.copies[step as usize] || address)
            && operation.data.is_empty()
            && let Some(source) = operation.operands().nth(1)
        {
            return match source.bound() {
                Bound::Name(name, None) => Some((self.base(name)?, 0)),
                Bound::Sum(name, offset) => Some((self.base(name)?, offset)),
                _ => None,
            };
        }
        let [source] = operation.data[..] else {
            return None;
        };
        if address {
            return Some((Base::Value(source), 0));
        }
        let distance = operation.computation()?.distance_from(source)?;
        Some((Base::Value(source), distance))
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
