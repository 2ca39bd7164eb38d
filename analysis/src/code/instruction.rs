//! An instruction: its program, and where it reads, writes and jumps.

use std::sync::Arc;

use isa::{
    compute::{Destination, Input, Obstacle, Program, constant_bits, program},
    matching::binding::{Binding, OperandPath},
    operand::Operand,
    semantics::{Control, Order, Proxy, Together},
    strength::Strength,
};
use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::TextSize;

use crate::{
    SymbolKind,
    flow::facts::step_at,
    hir::{
        body::{Place, Reference, Target},
        bound::{Bound, BoundInstruction, BoundOperand},
        fit::{bindings, fit},
        form::Form,
    },
};

use super::{
    Actual, CARRY, Call, Callee, Event, Guard, Instruction, OperandTypes, STACK, Slot, Source,
    Symbol,
    places::{Places, component_index, component_letter},
};

/// Lowers the instructions of a function.
pub(super) struct InstructionLowering<'a> {
    db: &'a dyn Database,
    /// The start of the function in the file.
    start: TextSize,
    /// The parts that instructions of a form have in common.
    forms: FxHashMap<Form<'a>, Common>,
}

/// The parts that instructions of a form have in common.
#[derive(Clone)]
struct Common {
    name: Arc<str>,
    section: &'static str,
    obstacle: Option<&'static str>,
    program: Option<Arc<Program>>,
    strength: Strength,
    types: Arc<OperandTypes>,
}

impl<'a> InstructionLowering<'a> {
    /// For a function that starts there.
    pub(super) fn new(db: &'a dyn Database, start: TextSize) -> InstructionLowering<'a> {
        InstructionLowering {
            db,
            start,
            forms: FxHashMap::default(),
        }
    }

    /// An instruction.
    pub(super) fn lower(
        &mut self,
        bound: BoundInstruction<'a>,
        places: &mut Places<'_>,
    ) -> Instruction {
        let db = self.db;
        let common = self.forms.entry(bound.id);
        let common = common.or_insert_with(|| common_of(db, bound.id)).clone();
        let bindings = bindings(db, bound.id);
        let semantics = bound.form.semantics();
        let guard = bound.guard().and_then(|it| {
            Some(Guard {
                slot: places.slot(it, None)?,
                negated: bound.is_negated(),
            })
        });
        let mut sources = Vec::new();
        let mut later_sources = Vec::new();
        let mut destinations = Vec::new();
        let mut later_destinations = Vec::new();
        if let Some(program) = &common.program {
            let mut read = |inputs: &[Input]| -> Vec<Source> {
                let read = |it: &Input| source(bound, bindings, *it, places);
                inputs.iter().map(read).collect()
            };
            sources = read(&program.inputs);
            if let Some(later) = &program.later {
                later_sources = read(&later.inputs);
            }
            let mut slots = |program: &Program| -> Vec<Option<Slot>> {
                let slot = |it: &(Destination, u32)| destination(bound, bindings, it.0, places);
                program.outputs.iter().map(slot).collect()
            };
            destinations = slots(program);
            if let Some(later) = &program.later {
                later_destinations = slots(later);
            }
        }
        let event = |it: &isa::event::Event, places: &mut Places<'_>| Event {
            kind: it.kind,
            operands: it.operands.map(|name| {
                let index = bindings.iter().position(|it| Some(it.name) == name)?;
                Some(source(bound, bindings, whole(index), places))
            }),
        };
        let mut events = Vec::with_capacity(semantics.events.len());
        for it in semantics.events {
            events.push(event(it, places));
        }
        let is_known = |all: &[Source]| !all.contains(&Source::Unknown);
        let is_runnable =
            common.program.is_some() && is_known(&sources) && is_known(&later_sources);
        let is_alone = is_runnable
            && semantics.control == Control::Next
            && semantics.together == Together::Nobody
            && semantics.order == Order::None
            && events.is_empty();
        let exchanges_only = (common.program.as_deref()).is_some_and(Program::exchanges_only);
        let program = common.program.as_deref().filter(|_| is_alone);
        let computes_only = program.is_some_and(Program::computes_only);
        let accesses_only = program.is_some_and(Program::accesses_only);
        Instruction {
            range: bound.instruction.range + self.start,
            guard,
            name: common.name,
            section: common.section,
            obstacle: common.obstacle,
            program: common.program,
            sources,
            destinations,
            later_sources,
            later_destinations,
            copies: semantics.copy,
            control: semantics.control,
            targets: targets(bound, places),
            index: match semantics.control {
                Control::Table => bound.operand(0).map(|it| value(it, 0, places)),
                _ => None,
            },
            call: bound
                .instruction
                .call
                .then(|| Box::new(call(bound, places))),
            events,
            order: semantics.order,
            together: semantics.together,
            strength: common.strength,
            types: common.types,
            is_runnable,
            computes_only,
            accesses_only,
            exchanges_only,
            by_proxy: {
                let mut accesses = semantics.reads.iter().chain(semantics.writes);
                accesses.any(|it| it.proxy == Proxy::Async)
            },
            read_only: semantics.reads.iter().any(|it| it.proxy == Proxy::Readonly),
        }
    }
}

/// All bits of the operand of a binding.
fn whole(binding: usize) -> Input {
    Input {
        operand: binding as u8,
        element: None,
        half: 0,
        bits: 64,
    }
}

fn common_of<'db>(db: &'db dyn Database, form: Form<'db>) -> Common {
    let contents = form.data(db);
    let words = contents.words.iter().map(|it| &**it);
    let name: Vec<&str> = std::iter::once(&*contents.opcode).chain(words).collect();
    let fitting = fit(db, form);
    let made = fitting.and_then(|fit| {
        contents.with_statement(|statement| program(fit, statement, bindings(db, form)))
    });
    let (program, obstacle) = match made {
        Some(Ok(it)) => (Some(Arc::new(it)), None),
        Some(Err(Obstacle::Nothing)) => (Some(Arc::default()), None),
        Some(Err(obstacle)) => (None, Some(obstacle.phrase())),
        None => (None, None),
    };
    let types = types_of(program.as_deref(), bindings(db, form));
    Common {
        name: name.join(".").into(),
        section: fitting.map_or("", |it| it.instruction.section),
        obstacle,
        types: Arc::new(types),
        program,
        strength: Strength::from_words(contents.words.iter().map(|it| &**it)),
    }
}

/// The types of what a program reads and writes.
fn types_of(program: Option<&Program>, bindings: &[Binding]) -> OperandTypes {
    let Some(program) = program else {
        return OperandTypes::default();
    };
    let word = |operand: u8| bindings.get(usize::from(operand))?.ty.clone();
    let written = |it: Destination| match it {
        Destination::Operand { operand, .. } => word(operand),
        Destination::Carry | Destination::Stack => None,
    };
    OperandTypes {
        sources: program.inputs.iter().map(|it| word(it.operand)).collect(),
        destinations: program.outputs.iter().map(|it| written(it.0)).collect(),
    }
}

/// Where an input of a program comes from.
fn source(
    bound: BoundInstruction<'_>,
    bindings: &[Binding],
    input: Input,
    places: &mut Places<'_>,
) -> Source {
    let Some(binding) = bindings.get(usize::from(input.operand)) else {
        return Source::Unknown;
    };
    let Some(operand) = bound.operand_at(binding.path, input.element) else {
        let found = element_of_register(bound, binding.path, input.element, input.half, places);
        return found.unwrap_or(Source::Unknown);
    };
    if let (Some(_), Operand::Integer(address)) = (binding.space, operand.operand()) {
        return Source::Constant(*address as u64);
    }
    if let Some(constant) = constant_bits(operand.operand(), binding.ty.as_deref()) {
        return Source::Constant((constant >> (64 * u32::from(input.half))) as u64);
    }
    match value(operand, input.half, places) {
        // `[name]` without a state space is in that of the variable.
        Source::Address(symbol, plus) if binding.space == Some("") => {
            Source::GenericAddress(symbol, plus)
        }
        other => other,
    }
}

/// An element of a vector register that is an operand as a whole.
fn element_of_register(
    bound: BoundInstruction<'_>,
    path: OperandPath,
    element: Option<u8>,
    half: u8,
    places: &mut Places<'_>,
) -> Option<Source> {
    let component = component_letter(element?)?;
    match bound.operand_at(path, None)?.bound() {
        Bound::Name(name, None) => Some(named(name, Some(component), 0, half, places)),
        _ => None,
    }
}

/// The value of an operand other than a constant of a known type.
fn value(operand: BoundOperand<'_>, half: u8, places: &mut Places<'_>) -> Source {
    match operand.bound() {
        Bound::Name(name, component) => named(name, component, 0, half, places),
        Bound::Sum(name, plus) => named(name, None, plus, half, places),
        Bound::Element(name, index) => named(name, None, index as i64, half, places),
        Bound::Not(inner) | Bound::Minus(inner) | Bound::Selected(inner) => {
            value(inner, half, places)
        }
        Bound::Integer(it) => Source::Constant((it >> (64 * u32::from(half).min(1))) as u64),
        _ => Source::Unknown,
    }
}

fn named(
    name: &Reference,
    component: Option<char>,
    plus: i64,
    half: u8,
    places: &mut Places<'_>,
) -> Source {
    if let Some(slot) = places.slot(name, component) {
        return Source::Register(slot + Slot::from(half), plus);
    }
    match name.target {
        Target::Special(index) => Source::Special {
            index,
            component: component.and_then(component_index).unwrap_or(0),
            number: name.member.unwrap_or(0),
        },
        Target::WarpSize => Source::Constant(u64::from(isa::limits::THREADS_PER_WARP)),
        _ if half > 0 => Source::Constant(0),
        _ => match places.symbol(name) {
            Some(symbol) => Source::Address(symbol, plus),
            None => Source::Unknown,
        },
    }
}

/// The slot that an output of a program goes to.
fn destination(
    bound: BoundInstruction<'_>,
    bindings: &[Binding],
    destination: Destination,
    places: &mut Places<'_>,
) -> Option<Slot> {
    match destination {
        Destination::Carry => Some(CARRY),
        Destination::Stack => Some(STACK),
        Destination::Operand {
            operand,
            element,
            half,
        } => {
            let path = bindings.get(usize::from(operand))?.path;
            let Some(found) = bound.operand_at(path, element) else {
                let found = element_of_register(bound, path, element, half, places);
                return found.and_then(slot_of);
            };
            slot_of(value(found, half, places))
        }
    }
}

fn slot_of(source: Source) -> Option<Slot> {
    match source {
        Source::Register(slot, _) => Some(slot),
        _ => None,
    }
}

/// The instructions to which an instruction may jump.
fn targets(bound: BoundInstruction<'_>, places: &Places<'_>) -> Vec<u32> {
    let body = places.body;
    let label = |reference: &Reference| match reference.target {
        Target::Definition(id) if body.definition(id).kind == SymbolKind::Label => {
            Some(step_at(body, body.definition(id).name_range.start()))
        }
        _ => None,
    };
    let mut found = Vec::new();
    for reference in bound.references {
        if reference.place != Place::Branch {
            continue;
        }
        let Target::Definition(id) = reference.target else {
            continue;
        };
        let definition = body.definition(id);
        if definition.kind != SymbolKind::TargetList {
            found.extend(label(reference));
            continue;
        }
        // The names of a list are references inside its declaration.
        let all = &body.references;
        let range = definition.full_range;
        let first = all.partition_point(|it| it.range.start() < range.start());
        let listed = all[first..].iter();
        let listed = listed.take_while(|it| it.range.start() < range.end());
        found.extend(listed.filter_map(label));
    }
    found
}

/// The parts of a call: results before the callee, arguments after it.
fn call(bound: BoundInstruction<'_>, places: &mut Places<'_>) -> Call {
    let mut lists: Vec<Vec<Actual>> = vec![Vec::new(), Vec::new()];
    let mut callee = None;
    for operand in bound.operands() {
        match operand.bound() {
            Bound::Vector(elements) => {
                let list = &mut lists[usize::from(callee.is_some())];
                list.extend(elements.flat_map(|it| actuals(it, places)));
            }
            Bound::Name(name, _) if callee.is_none() => {
                callee = Some(match places.slot(name, None) {
                    Some(slot) => Callee::Indirect(slot),
                    None => match places.symbol(name) {
                        Some(Symbol::Function(id)) => Callee::Function(id),
                        _ => Callee::Unknown(String::new()),
                    },
                });
            }
            _ => {}
        }
    }
    let arguments = lists.pop().unwrap_or_default();
    Call {
        callee: callee.unwrap_or(Callee::Unknown(String::new())),
        arguments,
        results: lists.pop().unwrap_or_default(),
    }
}

/// An argument or a result; a register of several slots is as many.
fn actuals(operand: BoundOperand<'_>, places: &mut Places<'_>) -> Vec<Actual> {
    if let Bound::Name(name, None) = operand.bound()
        && let Target::Definition(id) = name.target
        && places.is_register(id)
    {
        let slots = places.all_slots(id, name.member);
        return slots
            .map(|it| Actual::Value(Source::Register(it, 0)))
            .collect();
    }
    vec![actual(operand, places)]
}

fn actual(operand: BoundOperand<'_>, places: &mut Places<'_>) -> Actual {
    if let Bound::Name(name, _) = operand.bound()
        && let Some(Symbol::Variable(id)) = places.symbol(name)
    {
        return Actual::Variable(id);
    }
    if let Bound::Float = operand.bound() {
        let bits = constant_bits(operand.operand(), None).unwrap_or(0);
        return Actual::Value(Source::Constant(bits as u64));
    }
    Actual::Value(value(operand, 0, places))
}
