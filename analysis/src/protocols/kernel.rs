//! A function as the rules see it: its events with their operands, and what is known of its values.

use std::{
    cell::{Cell, OnceCell, RefCell, RefMut},
    rc::Rc,
};

use isa::{compute::LaneValues, event::EventKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    flow::{
        Flow,
        chains::Chains,
        ids::{Base, Step, Value, VariableName},
        operation::Operation,
    },
    hir::{
        body::{Body, Reference, Target},
        bound::{Bound, BoundInstruction, BoundOperand},
    },
    pressure::Bounds,
    protocols::{form::FormFacts, known::Known, lanes::THREADS, paths::Paths},
    values::{Origin, Values},
};

/// An address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MemoryPlace {
    pub(super) origin: Origin,
    /// In bytes.
    pub(super) offset: i64,
}

impl MemoryPlace {
    /// The variable in which it lies, if that is known.
    pub(super) fn symbol(self) -> Option<VariableName> {
        match self.origin {
            Origin::Symbol(it) => Some(it),
            _ => None,
        }
    }
}

/// An event of an instruction.
#[derive(Clone, Debug)]
pub(super) struct KernelEvent {
    pub(super) step: Step,
    pub(super) kind: EventKind,
    /// Index in [`Kernel::operands`].
    operands: usize,
}

/// An access to memory by an instruction with events or with accesses of interest.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) step: Step,
    pub(super) write: bool,
    /// The word of the state space, empty for a generic address.
    pub(super) space: &'static str,
    /// Whether the asynchronous proxy does it.
    pub(super) asynchronous: bool,
    /// Whether it is neither volatile nor of a memory model of its own.
    pub(super) weak: bool,
    /// Whether it says that nobody writes there.
    pub(super) constant: bool,
    /// The address, of plain loads and stores.
    pub(super) address: Option<(Base, i64)>,
    /// Whether that is the address of what the thread accesses alone.
    pub(super) alone: bool,
}

impl Access {
    /// Whether it is to shared memory of the block.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self.space, "shared" | "shared::cta")
    }
}

/// How many instructions are followed from a value to its sources.
pub(super) const MAX_DEPTH: u32 = 48;
/// Gets the definitions of a value, adds values that are to be followed, and ends a walk by `None`.
type Visit<'v> = dyn FnMut(&[Step], &mut Vec<Value>) -> Option<()> + 'v;

/// How many values are followed for one question.
const MAX_SLICE: usize = 512;

/// The function.
pub(super) struct Kernel<'f> {
    pub(super) body: &'f Body,
    pub(super) flow: &'f Flow,
    pub(super) paths: Paths<'f>,
    pub(super) entry: bool,
    /// Whether it calls functions.
    pub(super) calls: bool,
    /// The launch bounds in the text.
    pub(super) bounds: Bounds,
    /// Bytes of a variable, if that is known.
    pub(super) size: &'f dyn Fn(VariableName) -> Option<u64>,
    /// Is called now and then and may unwind.
    pub(super) check: &'f dyn Fn(),
    /// Whether an instruction calls what is not in the module.
    pub(super) foreign: &'f dyn Fn(Step) -> bool,
    /// All events, in the order of the text.
    pub(super) events: Vec<KernelEvent>,
    /// Accesses, in the order of the text.
    pub(super) accesses: Vec<Access>,
    /// The operands that describe each event, see [`FormFacts::events`].
    operands: Vec<[Option<BoundOperand<'f>>; 2]>,
    /// The addresses that the first of these are: rules compare each event with each other one.
    starts: Vec<Option<(Base, i64)>>,
    pub(super) bound: &'f dyn Fn(Step) -> Option<BoundInstruction<'f>>,
    pub(super) form: &'f dyn Fn(Step) -> Option<&'f FormFacts>,
    find_values: &'f dyn Fn() -> Values<'f>,
    values: OnceCell<RefCell<Values<'f>>>,
    chains: OnceCell<Rc<Chains<'f>>>,
    /// The numbers of nodes of the values in each thread that is looked at.
    pub(super) numbers: RefCell<LaneValues<THREADS>>,
    /// How many loads are followed at the moment.
    pub(super) asked: Cell<u32>,
    /// Whether values may differ between the threads of a block.
    pub(super) varying: RefCell<FxHashMap<Value, bool>>,
    /// The roots of values, and the names that not only events know.
    pub(super) roots: RefCell<FxHashMap<Value, Option<VariableName>>>,
    pub(super) shared: OnceCell<FxHashSet<VariableName>>,
    pub(super) operations: RefCell<FxHashMap<Step, Option<Rc<Operation<'f>>>>>,
}

impl<'f> Kernel<'f> {
    pub(super) fn new(known: &Known<'f>) -> Kernel<'f> {
        let Known {
            body,
            flow,
            bound,
            form,
            entry,
            bounds,
            size,
            check,
            foreign,
            values,
        } = *known;
        let facts = &flow.facts;
        let mut kernel = Kernel {
            body,
            flow,
            paths: Paths::new(facts, &flow.graph),
            entry,
            calls: body.instructions.iter().any(|it| it.call),
            bounds,
            size,
            check,
            foreign,
            events: Vec::new(),
            accesses: Vec::new(),
            operands: Vec::new(),
            starts: Vec::new(),
            bound,
            form,
            find_values: values,
            values: OnceCell::new(),
            chains: OnceCell::new(),
            numbers: RefCell::default(),
            asked: Cell::new(0),
            varying: RefCell::default(),
            roots: RefCell::default(),
            shared: OnceCell::new(),
            operations: RefCell::default(),
        };
        for step in &facts.eventful {
            kernel.read(*step);
        }
        // Another block of the cluster may be reached through a generic address.
        if kernel.has_remote() {
            let others =
                (0..facts.len() as Step).filter(|it| facts.eventful.binary_search(it).is_err());
            for step in others {
                kernel.read(step);
            }
            kernel.accesses.sort_by_key(|it| it.step);
        }
        kernel
    }

    /// Reads the events of an instruction that control may reach.
    pub(super) fn read(&mut self, step: Step) {
        let block = self.flow.graph.block_of[step as usize];
        if !self.flow.graph.reachable[block as usize] {
            return;
        }
        let Some(form) = (self.form)(step) else {
            return;
        };
        if form.events.is_empty() && form.accesses.is_empty() {
            return;
        }
        let Some(instruction) = (self.bound)(step) else {
            return;
        };
        for (kind, at) in &form.events {
            let event = KernelEvent {
                step,
                kind: *kind,
                operands: self.operands.len(),
            };
            let operands = at.map(|it| instruction.operand(it?));
            self.operands.push(operands);
            self.starts.push(self.find_start(&event));
            self.events.push(event);
        }
        let address = match form.accesses.iter().any(|it| it.addressed) {
            true => self.address_of(instruction),
            false => None,
        };
        self.accesses.extend(form.accesses.iter().map(|it| Access {
            step,
            write: it.write,
            space: it.space,
            asynchronous: it.asynchronous,
            weak: it.weak,
            constant: it.constant,
            address: address.filter(|_| it.addressed),
            alone: it.alone,
        }));
    }

    /// An operand that describes an event.
    pub(super) fn operand(&self, event: &KernelEvent, index: usize) -> Option<BoundOperand<'f>> {
        self.operands[event.operands][index]
    }

    /// The register that an operand of an event is.
    pub(super) fn register_of(&self, event: &KernelEvent, index: usize) -> Option<Value> {
        match self.operand(event, index)?.bound() {
            Bound::Name(name, None) => self.value(name),
            _ => None,
        }
    }

    /// The address that an operand of an event is: in brackets, or the name of a variable.
    pub(super) fn bracket(&self, event: &KernelEvent, index: usize) -> Option<(Base, i64)> {
        let operand = self.operand(event, index)?;
        match operand.bound() {
            Bound::Name(name, None) => match self.base(name)? {
                Base::Value(_) => None,
                base @ Base::Symbol(_) => Some((base, 0)),
            },
            _ => self.in_brackets(operand),
        }
    }

    /// The address that the first operand of an event is, or the register that holds it.
    pub(super) fn start(&self, event: &KernelEvent) -> Option<(Base, i64)> {
        self.starts[event.operands]
    }

    fn find_start(&self, event: &KernelEvent) -> Option<(Base, i64)> {
        let register = self.register_of(event, 0);
        register.map_or_else(|| self.bracket(event, 0), |it| Some((Base::Value(it), 0)))
    }

    /// The address in brackets.
    fn in_brackets(&self, operand: BoundOperand<'_>) -> Option<(Base, i64)> {
        let (name, offset) = operand.address(false)?;
        Some((self.base(name)?, offset))
    }

    /// The first address in brackets of an instruction.
    pub(super) fn address_of(&self, instruction: BoundInstruction<'_>) -> Option<(Base, i64)> {
        let mut operands = instruction.operands();
        self.in_brackets(operands.find(BoundOperand::is_address)?)
    }

    /// The registers among names.
    pub(super) fn registers(&self, references: &[Reference]) -> Vec<Value> {
        let values = references.iter().filter_map(|it| self.value(it));
        values.collect()
    }

    pub(super) fn value(&self, reference: &Reference) -> Option<Value> {
        self.flow.facts.value(reference)
    }

    pub(super) fn base(&self, reference: &Reference) -> Option<Base> {
        self.flow.facts.base(self.body, reference)
    }

    /// An instruction with what it computes.
    pub(super) fn operation(&self, step: Step) -> Option<Rc<Operation<'f>>> {
        if let Some(known) = self.operations.borrow().get(&step) {
            return known.clone();
        }
        let read = || {
            let (facts, semantics) = (&self.flow.facts, (self.form)(step)?.semantics);
            let instruction = (self.bound)(step)?;
            let operation = Operation::of(self.body, facts, instruction, semantics);
            Some(Rc::new(operation))
        };
        let found = read();
        self.operations.borrow_mut().insert(step, found.clone());
        found
    }

    /// The text of the opcode with its words, for messages.
    pub(super) fn name(&self, step: Step) -> &'f str {
        (self.form)(step).map_or("", |it| &it.name)
    }

    /// The guard of an instruction, and whether it holds when the register is false.
    pub(super) fn guard(&self, step: Step) -> Option<(Value, bool)> {
        if !self.flow.facts.guarded[step as usize] {
            return None;
        }
        let operation = self.operation(step)?;
        Some((operation.guard?, operation.negated))
    }

    /// Whether there is a guard.
    pub(super) fn is_guarded(&self, step: Step) -> bool {
        self.flow.facts.guarded[step as usize]
    }

    /// The values of registers.
    pub(super) fn values(&self) -> RefMut<'_, Values<'f>> {
        let values = self
            .values
            .get_or_init(|| RefCell::new((self.find_values)()));
        values.borrow_mut()
    }

    /// The chains from writes to reads and back.
    pub(super) fn chains(&self) -> &Chains<'f> {
        let chains = || Rc::clone(self.values().chains());
        self.chains.get_or_init(chains)
    }

    /// The instructions that write a value.
    pub(super) fn definitions(&self, value: Value) -> &[Step] {
        self.chains().writes(value)
    }

    /// Walks from values back to all that they may be computed from, whatever the way: `None` if
    /// the visitor ends the walk, or if there are too many.
    pub(super) fn trace(&self, mut work: Vec<Value>, visit: &mut Visit<'_>) -> Option<()> {
        let mut seen: FxHashSet<Value> = work.iter().copied().collect();
        let mut next = Vec::new();
        while let Some(value) = work.pop() {
            if seen.len() > MAX_SLICE {
                return None;
            }
            visit(self.definitions(value), &mut next)?;
            work.extend(next.drain(..).filter(|it| seen.insert(*it)));
        }
        Some(())
    }

    /// Whether an instruction has an event.
    pub(super) fn is(&self, step: Step, kind: EventKind) -> bool {
        self.events_at(step).any(|it| it.kind == kind)
    }

    /// Everything that writes to global memory at an address, and the start of the address.
    pub(super) fn global_writes(&self) -> impl Iterator<Item = (Step, Base)> {
        let steps = 0..self.flow.facts.len() as Step;
        let writes = steps.filter(|it| (self.form)(*it).is_some_and(|it| it.global_write));
        writes.filter_map(|step| Some((step, self.address_of((self.bound)(step)?)?.0)))
    }

    /// Whether the text shows that blocks have more than one thread: it says how many, or tells them apart.
    pub(super) fn has_threads(&self) -> bool {
        let tells = |it: &Reference| match it.target {
            Target::Special(index) => isa::special::get(index)
                .is_some_and(|it| matches!(it.name, "%tid" | "%laneid" | "%warpid")),
            _ => false,
        };
        match self.bounds.threads {
            Some(1) => false,
            Some(_) if self.bounds.exact => true,
            _ => self.body.references.iter().any(tells),
        }
    }

    /// Whether the function only exercises one instruction after another, so that nobody waits for what it leaves
    /// out.
    pub(super) fn exercises(&self) -> bool {
        let meets = |it: EventKind| {
            matches!(
                it,
                EventKind::BlockSync
                    | EventKind::BlockArrive
                    | EventKind::PhaseWait
                    | EventKind::PhaseWaitRelaxed
            )
        };
        self.flow.graph.loops.is_empty() && !self.events.iter().any(|it| meets(it.kind))
    }

    /// Whether an instruction makes of an address the same in another state space.
    pub(super) fn same_address(&self, step: Step) -> bool {
        (self.form)(step).is_some_and(|it| it.same_address)
    }

    /// The instructions with some events.
    pub(super) fn steps(&self, is: impl Fn(EventKind) -> bool) -> Vec<Step> {
        let found = self.events.iter().filter(|it| is(it.kind));
        found.map(|it| it.step).collect()
    }

    pub(super) fn source(&self, step: Step) -> ResultSource {
        let Some(operation) = self.operation(step) else {
            return ResultSource::Differs;
        };
        if let Some(name) = operation.operands().find_map(|it| it.special()) {
            return match isa::special::is_same_in_block(name)
                && !matches!(name, "%warpid" | "%nwarpid")
            {
                true => ResultSource::Same,
                false => ResultSource::Differs,
            };
        }
        let same = operation.has("const") || self.entry && operation.has("param");
        let address = self.same_address(step) || self.is(step, EventKind::Remote);
        if same && operation.accesses_memory() || address || operation.semantics.cost.uniform {
            return ResultSource::Computed;
        }
        ResultSource::Differs
    }

    /// The events of an instruction.
    pub(super) fn events_at(&self, step: Step) -> impl Iterator<Item = &KernelEvent> {
        let first = self.events.partition_point(|it| it.step < step);
        self.events[first..]
            .iter()
            .take_while(move |it| it.step == step)
    }

    /// Whether an instruction calls what is not in the module, or what a register holds.
    pub(super) fn is_foreign_call(&self, step: Step) -> bool {
        (self.foreign)(step)
    }

    /// Whether some instructions have a call among them.
    pub(super) fn has_call(&self, inside: &dyn Fn(Step) -> bool) -> bool {
        let all = (0..).zip(&self.body.instructions);
        self.calls && all.into_iter().any(|(step, it)| it.call && inside(step))
    }

    /// Whether addresses of other blocks of the cluster are computed.
    pub(super) fn has_remote(&self) -> bool {
        self.events.iter().any(|it| it.kind == EventKind::Remote)
    }

    /// Whether an instruction is a load that may be moved as if there were no other threads.
    pub(super) fn is_weak_load(&self, step: Step) -> bool {
        (self.form)(step).is_some_and(|it| it.weak_load)
    }

    /// Whether an instruction only computes its result.
    pub(super) fn is_pure(&self, step: Step) -> bool {
        let operation = self.operation(step);
        operation.is_some_and(|it| !it.accesses_memory() && !it.semantics.stays() && !it.special)
            && self.events_at(step).next().is_none()
    }

    /// A register as the text writes it.
    pub(super) fn register(&self, value: Value) -> String {
        let Some(register) = self.flow.facts.values.get(value as usize) else {
            return String::new();
        };
        let name = &self.body.definition(register.definition).name;
        match register.member {
            Some(number) => format!("{name}{number}"),
            None => name.to_string(),
        }
    }

    /// A place as the text may write it.
    pub(super) fn describe(&self, place: MemoryPlace) -> String {
        let name = match place.origin {
            Origin::Symbol(VariableName::Own(it)) => self.body.definition(it).name.to_string(),
            Origin::Symbol(VariableName::Free(it)) => self.body.free[it as usize].to_string(),
            Origin::Written(step) => match self.flow.facts.writes.get(step as usize) {
                [value, ..] => self.register(*value),
                [] => String::new(),
            },
            Origin::Input(value) => self.register(value),
        };
        match place.offset {
            0 => name,
            offset => format!("{name}+{offset}"),
        }
    }
}

/// Where the result of an instruction comes from.
pub(super) enum ResultSource {
    /// From what it reads alone.
    Computed,
    /// It is the same in all threads of a block.
    Same,
    /// It may differ.
    Differs,
}
