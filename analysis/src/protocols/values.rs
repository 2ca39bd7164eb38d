//! Where values come from.

use isa::event::EventKind;

use crate::{
    flow::ids::{Base, Step, Value, VariableName},
    hir::{body::Target, instruction::references},
    protocols::kernel::{Kernel, KernelEvent, MemoryPlace, ResultSource},
    values::Origin,
};

impl Kernel<'_> {
    /// The number that an operand of an event always has.
    pub(super) fn constant(&self, event: &KernelEvent, operand: usize) -> Option<i64> {
        let bound = self.operand(event, operand)?.integer();
        bound.or_else(|| {
            let register = self.register_of(event, operand)?;
            let number = self.values().number(register, event.step)?;
            Some(number.cast_signed())
        })
    }

    /// Where an address lies, followed through copies and sums with constants.
    pub(super) fn place(&self, base: Base, offset: i64, at: Step) -> Option<MemoryPlace> {
        let (origin, distance) = match base {
            Base::Symbol(it) => (Origin::Symbol(it), 0),
            Base::Value(value) => self.values().place(value, at)?,
        };
        let offset = distance.wrapping_add(offset);
        Some(MemoryPlace { origin, offset })
    }

    /// The variable from which an address is computed, whatever is added to it.
    pub(super) fn root(&self, base: Base) -> Option<VariableName> {
        let value = match base {
            Base::Symbol(it) => return Some(it),
            Base::Value(it) => it,
        };
        let known = self.roots.borrow().get(&value).copied();
        known.unwrap_or_else(|| {
            let found = self.find_root(value);
            self.roots.borrow_mut().insert(value, found);
            found
        })
    }

    fn find_root(&self, value: Value) -> Option<VariableName> {
        let mut found = None;
        self.trace(vec![value], &mut |definitions, next| {
            let is_computed = |it: &&Step| matches!(self.source(**it), ResultSource::Computed);
            for step in definitions.iter().filter(is_computed) {
                let instruction = self.body.instructions.get(*step as usize)?;
                let read = references(self.body, instruction).iter();
                for base in read.filter(|it| !it.write).filter_map(|it| self.base(it)) {
                    match base {
                        Base::Symbol(it) if found.is_some_and(|other| other != it) => return None,
                        Base::Symbol(it) => found = Some(it),
                        Base::Value(it) => next.push(it),
                    }
                }
            }
            Some(())
        })?;
        found
    }

    /// Where the first operand of an event lies.
    pub(super) fn address(&self, event: &KernelEvent) -> Option<MemoryPlace> {
        let (base, offset) = self.start(event)?;
        self.place(base, offset, event.step)
    }

    /// The variable from which the first operand of an event is computed.
    pub(super) fn address_root(&self, event: &KernelEvent) -> Option<VariableName> {
        self.root(self.start(event)?.0)
    }

    /// Whether an address is computed from one in another block of the cluster.
    pub(super) fn is_remote(&self, base: Base) -> bool {
        let Base::Value(value) = base else {
            return false;
        };
        let mut found = false;
        self.trace(vec![value], &mut |definitions, next| {
            for step in definitions {
                found |= self.is(*step, EventKind::Remote);
                if matches!(self.source(*step), ResultSource::Computed) {
                    next.extend(self.flow.facts.reads.get(*step as usize));
                }
            }
            (!found).then_some(())
        });
        found
    }

    /// The parameter of the entry from which alone an address is computed.
    pub(super) fn parameter(&self, base: Base) -> Option<(Base, i64)> {
        let Base::Value(value) = base else {
            return None;
        };
        let mut found = None;
        self.trace(vec![value], &mut |definitions, next| {
            definitions.first()?;
            for step in definitions {
                let operation = self.operation(*step)?;
                if self.entry && operation.has("param") && operation.accesses_memory() {
                    let bits = |it: &str| matches!(it, "u64" | "b64" | "s64");
                    // Of numbers that are added, only one is a pointer.
                    if !operation.words().iter().any(|it| bits(it)) {
                        continue;
                    }
                    let name = self.parameter_name(*step)?;
                    if *found.get_or_insert(name) != name {
                        return None;
                    }
                    continue;
                }
                match self.source(*step) {
                    ResultSource::Same => {}
                    ResultSource::Differs if operation.special => {}
                    ResultSource::Differs => return None,
                    ResultSource::Computed => {
                        next.extend(self.flow.facts.reads.get(*step as usize))
                    }
                }
            }
            Some(())
        })?;
        found
    }

    /// The parameter that a load names, and the offset in it.
    pub(super) fn parameter_name(&self, step: Step) -> Option<(Base, i64)> {
        self.address_of((self.bound)(step)?)
    }

    /// Whether only the events of this function can name a variable: its address is in no register, but for those
    /// that events read it from.
    pub(super) fn is_own(&self, symbol: VariableName) -> bool {
        let shared = self.shared.get_or_init(|| {
            let named = self.body.references.iter().filter_map(|reference| {
                let symbol = match reference.target {
                    Target::Definition(it) => VariableName::Own(it),
                    Target::Free(it) => VariableName::Free(it),
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
        !self.chains().reached_reads(value, &[step]).is_empty()
    }
}
