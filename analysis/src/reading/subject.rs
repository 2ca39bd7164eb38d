//! The function that is read, and the names in its text.

use std::fmt::Write as _;

use isa::{
    event::{Event, EventKind},
    operand::Operand,
    semantics::{Keep, Order, Semantics},
    types::Class,
};
use rustc_hash::FxHashMap;
use salsa::Database;

use crate::{
    SymbolKind,
    demangle::{local_name, short_name},
    flow::{
        Flow,
        computation::BoundName,
        effects::semantics,
        facts::step_at,
        flow,
        ids::{Base, BlockId, Step, Value, VariableName},
    },
    hir::{
        body::{Body, OUTERMOST, Reference, Target, body},
        bound::{Bound, BoundInstruction, BoundOperand, Operands},
        items::Function,
    },
};

/// A function with its flow.
pub(crate) struct Subject<'db> {
    pub(crate) db: &'db dyn Database,
    pub(crate) function: Function<'db>,
    pub(crate) body: &'db Body,
    pub(crate) flow: &'db Flow,
    pub(crate) operands: Operands<'db>,
    /// For a register that is unpacked from a packed one, the register that was packed there; empty after
    /// [`Subject::of`].
    pub(crate) parts: FxHashMap<Value, Value>,
    /// For a register, the one whose name it has; empty after [`Subject::of`].
    pub(super) names: FxHashMap<Value, Value>,
}

impl<'db> Subject<'db> {
    /// A function, without the registers of [`Subject::parts`].
    pub(crate) fn of(db: &'db dyn Database, function: Function<'db>) -> Subject<'db> {
        Subject {
            db,
            function,
            body: body(db, function),
            flow: flow(db, function),
            operands: Operands::of(db, function),
            parts: FxHashMap::default(),
            names: FxHashMap::default(),
        }
    }

    /// An instruction with its operands.
    pub(crate) fn get(&self, step: Step) -> Option<BoundInstruction<'db>> {
        self.operands.get(step)
    }

    /// The effects of an instruction.
    pub(crate) fn semantics(&self, step: Step) -> Semantics {
        let found = self.get(step);
        found.map_or(Semantics::UNKNOWN, |it| semantics(it.db, it.id))
    }

    /// Whether an instruction has an event.
    pub(crate) fn has_event(&self, step: Step, is: impl Fn(EventKind) -> bool) -> bool {
        self.semantics(step).events.iter().any(|it| is(it.kind))
    }

    /// The indices of the operands of an event of an instruction.
    pub(crate) fn event_operands(&self, step: Step, event: &Event) -> [Option<usize>; 2] {
        self.operand_indices(step, event.operands)
    }

    /// The indices of the operands of an instruction with names in the tables.
    pub(super) fn operand_indices<const N: usize>(
        &self,
        step: Step,
        names: [Option<&str>; N],
    ) -> [Option<usize>; N] {
        let instruction = self.get(step);
        instruction.map_or([None; N], |it| it.form.positions(names))
    }

    /// Whether an instruction is a load that may move as long as nothing is written: weak, of a single register.
    pub(super) fn is_movable_load(&self, step: Step) -> bool {
        let found = self.semantics(step);
        found.is_load()
            && found.keep == Keep::No
            && found.order == Order::None
            && self.flow.facts.writes.get(step as usize).len() == 1
            && !self.flow.facts.keeps[step as usize]
    }

    /// The parameter that an instruction loads, with the offset in bytes.
    pub(crate) fn parameter(&self, step: Step) -> Option<(String, i64)> {
        if !self.semantics(step).is_load() {
            return None;
        }
        let (base, offset) = self.address(step)?;
        let Base::Symbol(VariableName::Own(id)) = base else {
            return None;
        };
        let parameter = self.body.definition(id).kind == SymbolKind::Parameter;
        parameter.then(|| (self.symbol(VariableName::Own(id)), offset))
    }

    /// The first address of an instruction: a register or a variable, and what is added.
    pub(crate) fn address(&self, step: Step) -> Option<(Base, i64)> {
        let mut operands = self.get(step)?.operands();
        let (name, offset) = operands.find_map(|it| it.address(false))?;
        Some((self.flow.facts.base(self.body, name)?, offset))
    }

    /// The name of a register, without the sign of percent.
    pub(crate) fn register(&self, value: Value) -> String {
        let value = self.names.get(&value).copied().unwrap_or(value);
        let Some(register) = self.flow.facts.values.get(value as usize) else {
            return String::new();
        };
        let definition = self.body.definition(register.definition);
        let name = definition.name.trim_start_matches('%');
        match register.member.filter(|_| definition.count.is_some()) {
            Some(member) => format!("{name}{member}"),
            None => name.to_owned(),
        }
    }

    /// The bits of a register that is declared as a float of 32 or 64.
    pub(super) fn float_bits(&self, value: Value) -> Option<u32> {
        let register = self.flow.facts.values.get(value as usize)?;
        let operand = &self.body.operands.get(register.definition as usize)?.0;
        match operand {
            Operand::Register {
                class: class @ (Class::F32 | Class::F64),
                ..
            } => Some(class.bits()),
            _ => None,
        }
    }

    /// The name of a variable or parameter, without what compilers put before it.
    pub(crate) fn symbol(&self, symbol: VariableName) -> String {
        let name = match symbol {
            VariableName::Own(id) => &*self.body.definition(id).name,
            VariableName::Free(id) => self.body.free.get(id as usize).map_or("", |it| it),
        };
        if let Some(own) = local_name(name) {
            return own;
        }
        match self.without_function(name) {
            rest if rest != name => rest.to_owned(),
            _ => {
                let shown = short_name(name);
                let function = short_name(self.function.name(self.db));
                let inner = shown.strip_prefix(&*function);
                let inner = inner.and_then(|it| it.strip_prefix("::"));
                inner.unwrap_or(&shown).to_owned()
            }
        }
    }

    /// A name without that of the function before it.
    pub(crate) fn without_function<'n>(&self, name: &'n str) -> &'n str {
        let own = name.strip_prefix(self.function.name(self.db));
        let rest = own.and_then(|it| it.strip_prefix('_'));
        rest.filter(|it| !it.is_empty()).unwrap_or(name)
    }

    /// A special register, or the name of a variable.
    pub(crate) fn name(&self, name: BoundName<'_>) -> String {
        let mut text = match name.0.target {
            Target::Special(index) => {
                let name = isa::special::get(index).map_or("", |it| it.name);
                name.trim_start_matches('%').to_owned()
            }
            Target::Definition(id) => match self.flow.facts.value(name.0) {
                Some(value) => self.register(value),
                None => self.symbol(VariableName::Own(id)),
            },
            Target::Free(id) | Target::Section(id) => self.symbol(VariableName::Free(id)),
            Target::WarpSize => "WARP_SZ".to_owned(),
        };
        if let Some(component) = name.1 {
            let _ = write!(text, ".{component}");
        }
        text
    }

    /// The names of the parameters of the function, in the order of the text.
    pub(super) fn parameters(&self) -> Vec<String> {
        let all = (0..).zip(&self.body.definitions);
        let parameters =
            all.filter(|it| it.1.kind == SymbolKind::Parameter && it.1.scope == OUTERMOST);
        parameters
            .map(|it| self.symbol(VariableName::Own(it.0)))
            .collect()
    }

    /// Whether a name is that of a parameter.
    pub(super) fn is_parameter(&self, symbol: VariableName) -> bool {
        match symbol {
            VariableName::Own(id) => self.body.definition(id).kind == SymbolKind::Parameter,
            VariableName::Free(_) => false,
        }
    }

    /// The label at a block, or a name for it.
    pub(super) fn label(&self, block: BlockId) -> String {
        let steps = self.flow.graph.blocks.get(block as usize);
        let start = steps.map_or(0, |it| it.start);
        let all = self.body.definitions.iter();
        let mut labels = all.filter(|it| it.kind == SymbolKind::Label);
        let found = labels.find(|it| step_at(self.body, it.name_range.start()) == start);
        found.map_or_else(|| format!("block{block}"), |it| it.name.to_string())
    }

    /// The elements of the vector that an instruction reads, at least 1.
    pub(super) fn width(&self, step: Step) -> u32 {
        let operands = self.get(step).into_iter().flat_map(|it| it.operands());
        let widths = operands.filter_map(|it| match it.bound() {
            Bound::Vector(elements) if !it.references.iter().any(|it| self.is_written(it)) => {
                Some(elements.count() as u32)
            }
            _ => None,
        });
        widths.max().unwrap_or(1).max(1)
    }

    /// The registers inside the brackets of an instruction.
    pub(super) fn in_brackets(&self, step: Step) -> Vec<Value> {
        let operands = self.get(step).into_iter().flat_map(|it| it.operands());
        let brackets = operands.filter(BoundOperand::is_address);
        let names = brackets.flat_map(|it| it.references.iter());
        names.filter_map(|it| self.flow.facts.value(it)).collect()
    }

    /// Whether a reference is a register that is written.
    pub(super) fn is_written(&self, reference: &Reference) -> bool {
        reference.write && self.flow.facts.value(reference).is_some()
    }

    /// Whether an instruction reads a special register whose number changes.
    pub(super) fn reads_clock(&self, step: Step) -> bool {
        let operands = self.get(step).into_iter().flat_map(|it| it.operands());
        let names = operands.filter_map(|it| match it.bound() {
            Bound::Name(name, component) => BoundName(name, component).special(),
            _ => None,
        });
        names.into_iter().any(isa::special::changes)
    }
}
