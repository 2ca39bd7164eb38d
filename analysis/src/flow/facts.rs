//! The reads and writes of each instruction of a function, and where it may go.

use std::cell::OnceCell;

use isa::semantics::Control;
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextSize};

use crate::{
    SymbolKind,
    hir::{
        body::{Body, DefinitionId, Instruction, Place, Reference, Target, body},
        declared::{Declared, declared},
        forms::{Forms, forms},
        header::FunctionHeader,
        instruction::references,
        items::Function,
        module::header_of,
        outer::outer_name,
        tree,
    },
};

pub(crate) use super::ids::{Step, Value};
use super::{
    effects::{Effects, effects},
    ids::{Accesses, Base, VariableName},
    lists::Lists,
};

/// The accesses and jumps of a function; all lists are parallel to the instructions of its body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The registers that instructions use; each member of a family is one.
    pub(crate) values: Vec<Register>,
    /// The reads, in the order of the text, guards included.
    pub(crate) reads: Lists,
    /// The writes.
    pub(crate) writes: Lists,
    /// Whether the old values may stay after a write: under a guard, or when a part is written.
    pub(crate) keeps: Vec<bool>,
    /// The instructions that overwrite what others like them add to, by their first references.
    pub(crate) overwrites: FxHashSet<u32>,
    /// Whether there is a guard.
    pub(crate) guarded: Vec<bool>,
    /// Whether it only carries a value on.
    pub(crate) copies: Vec<bool>,
    /// The instructions that all threads of a warp must run together.
    pub(crate) together: Vec<Step>,
    /// The instructions that may take part in protocols: they have events, or access shared memory, or memory
    /// that nobody writes.
    pub(crate) eventful: Vec<Step>,
    /// Where control goes.
    pub(crate) control: Vec<Control>,
    /// The instructions to which a branch may go; the number of instructions stands for the end, and
    /// [`ANYWHERE`] for every label.
    pub(crate) targets: Lists,
    /// The instructions after all labels, if a branch may go anywhere.
    pub(crate) labels: Vec<Step>,
    /// The values by their names.
    pub(crate) numbers: Numbers,
}

/// Represents, among the targets of a branch, every label of the function.
pub(crate) const ANYWHERE: Step = Step::MAX;
/// How many targets of branches are told apart in one function.
const MAX_TARGETS: usize = 1 << 20;

/// How often a long body looks for a cancellation, in instructions.
const CHECK_INTERVAL: usize = 4096;

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Register {
    /// Its declaration.
    pub(crate) definition: DefinitionId,
    /// Its number in the family that the declaration declares.
    pub(crate) member: Option<u32>,
    /// How many 32-bit registers hold it; 0 for a predicate.
    pub(crate) weight: u32,
}

impl Facts {
    /// The accesses, as liveness wants them.
    pub(crate) fn accesses(&self) -> Accesses<'_> {
        Accesses {
            reads: &self.reads,
            writes: &self.writes,
            keeps: &self.keeps,
        }
    }

    /// How many instructions there are.
    pub(crate) fn len(&self) -> usize {
        self.control.len()
    }

    /// The value that a reference of an instruction names, if that is a register.
    pub(crate) fn value(&self, reference: &Reference) -> Option<Value> {
        let Target::Definition(definition) = reference.target else {
            return None;
        };
        let number = reference.member.unwrap_or(0) as usize;
        let family = self.numbers.near.get(definition as usize)?;
        let known = family.get(number).copied();
        let known = known.or_else(|| self.numbers.far.get(&(definition, number)).copied());
        known.filter(|it| *it != NOWHERE)
    }

    /// The start of an address that a reference names: what a register holds, or a variable.
    pub(crate) fn base(&self, body: &Body, reference: &Reference) -> Option<Base> {
        if let Some(value) = self.value(reference) {
            return Some(Base::Value(value));
        }
        match reference.target {
            Target::Definition(it) => matches!(
                body.definition(it).kind,
                SymbolKind::Variable | SymbolKind::Parameter
            )
            .then_some(Base::Symbol(VariableName::Own(it))),
            Target::Free(it) => Some(Base::Symbol(VariableName::Free(it))),
            _ => None,
        }
    }
}

/// The values of a function by definition and number in its family.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// [`NOWHERE`] for those that were not met.
    near: Vec<Vec<Value>>,
    /// Those for which there was no room.
    far: FxHashMap<(DefinitionId, usize), Value>,
}

/// Gives the registers of a function numbers.
struct Numbering {
    numbers: Numbers,
    /// How many more numbers there may be in lists: one name of a large family is enough for a long list that is
    /// mostly empty.
    room: usize,
    values: Vec<Register>,
}

/// No value.
const NOWHERE: Value = Value::MAX;
/// Numbers that lists have room for in one function.
const ROOM: usize = 1 << 18;

impl Default for Numbering {
    fn default() -> Numbering {
        Numbering {
            numbers: Numbers::default(),
            room: ROOM,
            values: Vec::new(),
        }
    }
}

impl Numbering {
    /// The value that a reference names, if that is a register.
    fn value(&mut self, body: &Body, types: &[Declared], reference: &Reference) -> Option<Value> {
        let Target::Definition(definition) = reference.target else {
            return None;
        };
        if body.definition(definition).kind != SymbolKind::Register {
            return None;
        }
        let (family, number) = (definition as usize, reference.member.unwrap_or(0) as usize);
        let near = &mut self.numbers.near;
        if near.len() <= family {
            near.resize_with(family + 1, Vec::new);
        }
        let numbers = &mut near[family];
        let missing = (number + 1).saturating_sub(numbers.len());
        match self.room.checked_sub(missing) {
            Some(room) => {
                self.room = room;
                numbers.resize(numbers.len() + missing, NOWHERE);
            }
            // Nothing grows from now on, so that a number stays where it is.
            None => self.room = 0,
        }
        let known = match numbers.get_mut(number) {
            Some(known) => known,
            None => {
                let far = self.numbers.far.entry((definition, number));
                far.or_insert(NOWHERE)
            }
        };
        if *known == NOWHERE {
            *known = self.values.len() as Value;
            self.values.push(Register {
                definition,
                member: reference.member,
                weight: weight(types, definition),
            });
        }
        Some(*known)
    }
}

/// How many 32-bit registers a declared register takes.
pub(crate) fn weight(types: &[Declared], definition: DefinitionId) -> u32 {
    use isa::{operand::Operand, types::Family};
    match types.get(definition as usize) {
        Some(Declared(Operand::Register { class, lanes })) => {
            let one = match class.family() {
                Family::Predicate => 0,
                _ => class.bits().div_ceil(32),
            };
            one * u32::from(*lanes)
        }
        _ => 1,
    }
}

/// Whether a declaration declares vectors, of which instructions may write single elements.
fn is_vector(types: &[Declared], definition: DefinitionId) -> bool {
    use isa::operand::Operand;
    matches!(
        types.get(definition as usize),
        Some(Declared(Operand::Register { lanes: 2.., .. }))
    )
}

/// Calls `act` for each instruction with its place in the body.
pub(crate) fn for_each_instruction<'a>(
    function: &Cursor<'a>,
    body: &Body,
    act: &mut impl FnMut(&Instruction, &Cursor<'a>),
) {
    let mut instructions = body.instructions.iter();
    tree::for_each_instruction(function, &mut |node| {
        if let Some(instruction) = instructions.next() {
            act(instruction, node);
        }
    });
}

/// The nodes of the instructions of a function, for those who look at a few of them. All are found at the
/// first question: a way from the top to each takes time that grows with the square of the length.
pub(crate) struct Nodes<'a> {
    function: Cursor<'a>,
    body: &'a Body,
    nodes: OnceCell<Vec<Cursor<'a>>>,
}

impl<'a> Nodes<'a> {
    pub(crate) fn new(db: &'a dyn Database, function: Function<'a>) -> Nodes<'a> {
        Nodes {
            function: function.green(db).cursor(),
            body: body(db, function),
            nodes: OnceCell::new(),
        }
    }

    /// The node of an instruction.
    pub(crate) fn get(&self, step: Step) -> Option<Cursor<'a>> {
        let nodes = self.nodes.get_or_init(|| {
            let mut nodes = Vec::with_capacity(self.body.instructions.len());
            for_each_instruction(&self.function, self.body, &mut |_, node| nodes.push(*node));
            nodes
        });
        nodes.get(step as usize).copied()
    }
}

/// The facts of a function.
pub(super) fn of(db: &dyn Database, function: Function<'_>) -> Facts {
    let body = body(db, function);
    let types = declared(db, function);
    let cursor = function.green(db).cursor();
    let mut numbering = Numbering::default();
    let (count, names) = (body.instructions.len(), body.references.len());
    let mut facts = Facts {
        // Of three names in an instruction one is most often written.
        reads: Lists::with_capacity(count, names * 3 / 4),
        writes: Lists::with_capacity(count, names / 2),
        keeps: Vec::with_capacity(count),
        guarded: Vec::with_capacity(count),
        copies: Vec::with_capacity(count),
        control: Vec::with_capacity(count),
        targets: Lists::with_capacity(count, 0),
        ..Facts::default()
    };
    let mut room = MAX_TARGETS;
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let forms = forms(db, function);
    let effects: Vec<Effects> = forms.all.iter().map(|it| effects(db, *it)).collect();
    let known = constants(body, forms, &effects);
    for (index, instruction) in body.instructions.iter().enumerate() {
        if index.is_multiple_of(CHECK_INTERVAL) {
            db.unwind_if_revision_cancelled();
        }
        let Some(effects) = forms.index(index).map(|it| effects[it]) else {
            break;
        };
        let references = references(body, instruction);
        let mut control = effects.control;
        if control == Control::Call && never_returns(db, function, body, &cursor, references) {
            control = Control::End;
        }
        let mut keeps = effects.guarded;
        let decides = |reference: &Reference| {
            let value = register(reference).and_then(|it| known.get(&it).copied());
            value.is_some_and(|it| effects.overwrites_when == it)
        };
        // The guard decides nothing of that.
        let operands = references.iter().skip(usize::from(effects.guarded));
        let overwrites =
            effects.overwrites_when.is_some() && operands.filter(|it| !it.write).any(decides);
        if overwrites || effects.overwrites {
            facts.overwrites.insert(instruction.references.start);
        }
        let reads_destination = effects.reads_destination && !overwrites;
        for reference in references {
            let Some(value) = numbering.value(body, types, reference) else {
                continue;
            };
            if reference.write {
                keeps |= is_vector(types, numbering.values[value as usize].definition);
                writes.push(value);
            }
            if !reference.write || reads_destination {
                reads.push(value);
            }
        }
        facts.reads.push(reads.drain(..));
        facts.writes.push(writes.drain(..));
        facts.keeps.push(keeps);
        facts.guarded.push(effects.guarded);
        facts.copies.push(effects.copies);
        let step = facts.control.len() as Step;
        facts.together.extend(effects.together.then_some(step));
        facts.eventful.extend(effects.eventful.then_some(step));
        facts.control.push(control);
        facts.targets.push(match control {
            Control::Branch | Control::Table => match targets(body, references, room) {
                Some(found) => {
                    room -= found.len();
                    found
                }
                None => vec![ANYWHERE],
            },
            _ => Vec::new(),
        });
    }
    if (0..facts.len()).any(|it| facts.targets.get(it) == [ANYWHERE]) {
        let labels = body.definitions.iter();
        facts.labels = labels
            .filter(|it| it.kind == SymbolKind::Label)
            .map(|it| step_at(body, it.name_range.start()))
            .collect();
        facts.labels.dedup();
    }
    facts.values = numbering.values;
    facts.numbers = numbering.numbers;
    facts
}

/// The definition that a reference means, and the number in it.
fn register(reference: &Reference) -> Option<(DefinitionId, Option<u32>)> {
    match reference.target {
        Target::Definition(id) => Some((id, reference.member)),
        _ => None,
    }
}

/// The predicates that have one value wherever they are read, as far as some instruction is decided by that.
fn constants(
    body: &Body,
    forms: &Forms<'_>,
    effects: &[Effects],
) -> FxHashMap<(DefinitionId, Option<u32>), Option<bool>> {
    let mut known = FxHashMap::default();
    if effects.iter().all(|it| it.overwrites_when.is_none()) {
        return known;
    }
    for (index, instruction) in body.instructions.iter().enumerate() {
        let Some(effects) = forms.index(index).map(|it| effects[it]) else {
            break;
        };
        for reference in references(body, instruction).iter().filter(|it| it.write) {
            let value = effects.constant.filter(|_| !effects.guarded);
            let Some(register) = register(reference) else {
                continue;
            };
            known
                .entry(register)
                .and_modify(|it| *it = value.filter(|_| *it == value))
                .or_insert(value);
        }
    }
    known
}

/// Where a branch may go; `None` if that is a mistake that is reported elsewhere, lies in a register, or
/// has no room.
fn targets(body: &Body, references: &[Reference], room: usize) -> Option<Vec<Step>> {
    let label = |reference: &Reference| match reference.target {
        Target::Definition(id) if body.definition(id).kind == SymbolKind::Label => {
            Some(step_at(body, body.definition(id).name_range.start()))
        }
        _ => None,
    };
    let mut found = Vec::new();
    for reference in references.iter().filter(|it| it.place == Place::Branch) {
        let Target::Definition(id) = reference.target else {
            return None;
        };
        let definition = body.definition(id);
        if definition.kind == SymbolKind::TargetList {
            let all = &body.references;
            let range = definition.full_range;
            let first = all.partition_point(|it| it.range.start() < range.start());
            let count = all[first..].partition_point(|it| it.range.start() < range.end());
            if count > room {
                return None;
            }
            for element in &all[first..first + count] {
                found.push(label(element)?);
            }
        } else {
            found.extend(label(reference));
        }
    }
    found.sort_unstable();
    found.dedup();
    (!found.is_empty() && found.len() <= room).then_some(found)
}

/// The register of the guard of an instruction.
pub(crate) fn guard(body: &Body, facts: &Facts, step: Step) -> Option<Value> {
    let instruction = body.instructions.get(step as usize)?;
    let first = references(body, instruction).first()?;
    let before = first.range.start() < instruction.opcode.start();
    facts.value(first).filter(|_| before)
}

/// The first instruction after an offset.
pub(crate) fn step_at(body: &Body, offset: TextSize) -> Step {
    let instructions = &body.instructions;
    instructions.partition_point(|it| it.range.start() < offset) as Step
}

/// Whether a call names a `.noreturn` function or prototype.
fn never_returns(
    db: &dyn Database,
    function: Function<'_>,
    body: &Body,
    cursor: &Cursor<'_>,
    references: &[Reference],
) -> bool {
    let file = function.file(db);
    let of_module = |name: &str| {
        let declarations = outer_name(db, function, name).all().iter();
        let mut headers = declarations.filter_map(|it| header_of(db, file, it.source));
        headers.any(|it| it.noreturn)
    };
    references.iter().any(|reference| match reference.target {
        Target::Free(name) if reference.place == Place::Callee => {
            body.free.get(name as usize).is_some_and(|it| of_module(it))
        }
        Target::Definition(id) => {
            let definition = body.definition(id);
            let kind = match definition.kind {
                SymbolKind::Prototype => SyntaxKind::CALL_PROTOTYPE,
                SymbolKind::Function => SyntaxKind::FUNCTION,
                _ => return false,
            };
            let inside = || {
                let block = cursor.node(SyntaxKind::BLOCK)?;
                let offset = definition.full_range.end() - TextSize::new(1);
                let node = tree::node_at(&block, kind, offset)?;
                Some(FunctionHeader::of(&node, &[]).noreturn)
            };
            inside().unwrap_or(false)
        }
        _ => false,
    })
}
