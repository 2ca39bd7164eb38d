//! A function as the model reads it: instructions with values that the model may rename, join and drop.

use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextRange};

use crate::{
    constant::{Constant, Value as Constants, evaluate},
    flow::{
        Flow,
        facts::{Numbering, Value, for_each_instruction, references},
    },
    hir::{
        body::{Body, Target, body},
        declared::declared,
        items::Function,
        tree,
    },
};

/// A function.
pub(super) struct Program<'a> {
    /// Its instructions; parallel to those of the body.
    pub(super) operations: Vec<Operation<'a>>,
    /// How many 32-bit registers each value takes; 0 for a predicate.
    pub(super) weights: Vec<u32>,
    /// Whether it is an entry, whose parameters lie in constant memory.
    pub(super) entry: bool,
}

/// An instruction.
#[derive(Default)]
pub(super) struct Operation<'a> {
    pub(super) opcode: &'a str,
    /// Its words, without full stops.
    pub(super) modifiers: Vec<&'a str>,
    /// The register of the guard.
    pub(super) guard: Option<Value>,
    pub(super) writes: Vec<Value>,
    /// What it reads outside of addresses, guards left out.
    pub(super) data: Vec<Value>,
    /// What it reads inside of addresses.
    pub(super) address: Vec<Value>,
    /// Whether the old values may stay behind the writes.
    pub(super) keeps: bool,
    pub(super) operands: Vec<Shape<'a>>,
    /// Whether a special register is among its operands.
    pub(super) special: bool,
    /// Where it accesses memory, if that is a register or variable with an offset.
    pub(super) place: Option<(Base<'a>, i64)>,
}

/// An operand, as far as the model cares.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Shape<'a> {
    /// A constant; its value if it is an integer.
    Constant(Option<i64>),
    /// A variable, function or label.
    Name,
    /// A special register.
    Special(&'a str),
    /// In brackets.
    Address,
    /// In braces.
    Vector,
    /// A register, or anything else.
    Other,
}

/// What an address starts from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Base<'a> {
    Value(Value),
    Name(&'a str),
}

impl Operation<'_> {
    /// Everything it reads, as often as it stands there.
    pub(super) fn reads(&self) -> impl Iterator<Item = Value> + '_ {
        let operands = self.data.iter().chain(&self.address);
        operands.copied().chain(self.guard)
    }

    /// Whether one of its operands is in brackets.
    pub(super) fn accesses_memory(&self) -> bool {
        self.operands.contains(&Shape::Address)
    }

    /// Whether a word is among its modifiers, perhaps with a part after `::`.
    pub(super) fn has(&self, word: &str) -> bool {
        let bare = |it: &&str| it.split("::").next().unwrap_or_default() == word;
        self.modifiers.iter().any(bare)
    }

    /// Whether it must stay when nobody reads what it writes.
    pub(super) fn has_effect(&self) -> bool {
        isa::control::has_effect(self.opcode, self.modifiers.iter().copied())
    }
}

impl<'a> Program<'a> {
    /// Reads a function.
    pub(super) fn of(db: &'a dyn Database, function: Function<'a>, flow: &Flow) -> Program<'a> {
        let body = body(db, function);
        let types = declared(db, function);
        let cursor = function.green(db).cursor();
        let mut numbering = Numbering::default();
        let mut operations = Vec::with_capacity(body.instructions.len());
        for_each_instruction(&cursor, body, &mut |instruction, node| {
            let mut it = Operation {
                opcode: node.token(SyntaxKind::IDENT).map_or("", |it| it.text()),
                ..Operation::default()
            };
            let words = node.tokens().filter(|it| it.kind() == SyntaxKind::DOTTED);
            it.modifiers = words.map(|it| it.text().trim_start_matches('.')).collect();
            let mut guard = TextRange::default();
            let mut addresses: Vec<TextRange> = Vec::new();
            let mut place = None;
            for operand in node.nodes() {
                match operand.kind() {
                    SyntaxKind::GUARD => guard = operand.range(),
                    SyntaxKind::ERROR => {}
                    kind => {
                        if kind == SyntaxKind::ADDRESS {
                            addresses.push(operand.range());
                            place = place.or_else(|| address(&operand));
                        }
                        it.operands.push(shape(body, &operand));
                    }
                }
            }
            for reference in references(body, instruction) {
                it.special |= matches!(reference.target, Target::Special(_));
                let Some(value) = numbering.value(body, types, reference) else {
                    continue;
                };
                let range = reference.range;
                if guard.contains_range(range) && !guard.is_empty() {
                    it.guard = Some(value);
                } else if reference.write {
                    it.writes.push(value);
                    if isa::control::reads_destination(it.opcode) {
                        it.data.push(value);
                    }
                } else if addresses.iter().any(|it| it.contains_range(range)) {
                    it.address.push(value);
                } else {
                    it.data.push(value);
                }
            }
            it.place = place.and_then(|(base, offset)| {
                let base = base.token(SyntaxKind::IDENT)?;
                let reference = body.reference_at(base.range())?;
                let value = numbering.value(body, types, reference);
                Some((value.map_or(Base::Name(base.text()), Base::Value), offset))
            });
            it.keeps = !it.writes.is_empty() && flow.facts.keeps[operations.len()];
            operations.push(it);
        });
        Program {
            operations,
            weights: numbering.values.iter().map(|it| it.weight).collect(),
            entry: tree::has_word(&cursor, ".entry"),
        }
    }

    /// Gives each value that a block replaces later on a name of its own, as the registers of a compiler
    /// that reuses names are several values. A constant that a load under a guard replaces at once is one
    /// write together with the load.
    pub(super) fn rename(&mut self, flow: &Flow) {
        let mut writes = vec![0_u32; self.weights.len()];
        for operation in &self.operations {
            for value in &operation.writes {
                writes[*value as usize] += 1;
            }
        }
        let several = |value: Value| writes.get(value as usize).is_some_and(|it| *it > 1);
        for steps in &flow.graph.blocks {
            let range = steps.start as usize..steps.end as usize;
            let mut last: FxHashMap<Value, usize> = FxHashMap::default();
            for step in range.clone() {
                let operation = &self.operations[step];
                if !operation.keeps {
                    let written = operation.writes.iter().filter(|it| several(**it));
                    last.extend(written.map(|it| (*it, step)));
                }
            }
            let mut current: FxHashMap<Value, Value> = FxHashMap::default();
            // Values that hold a constant nobody has read yet, with the step that writes it.
            let mut fresh: FxHashMap<Value, usize> = FxHashMap::default();
            let mut constant: FxHashMap<Value, ()> = FxHashMap::default();
            for step in range {
                let mut operation = std::mem::take(&mut self.operations[step]);
                let new = |value: &mut Value| {
                    *value = current.get(value).copied().unwrap_or(*value);
                };
                operation.data.iter_mut().for_each(new);
                operation.address.iter_mut().for_each(new);
                operation.guard.iter_mut().for_each(new);
                if let Some((Base::Value(base), _)) = &mut operation.place {
                    new(base);
                }
                let mut joined = Vec::new();
                for value in &mut operation.writes {
                    let old = *value;
                    if !several(old) {
                        continue;
                    }
                    if operation.keeps {
                        *value = current.get(&old).copied().unwrap_or(old);
                        let loads = matches!(operation.opcode, "ld" | "mov" | "ldmatrix" | "tex");
                        if let Some(first) = fresh.get(value).filter(|_| loads) {
                            joined.push((*first, *value));
                        }
                    } else if last.get(&old).is_some_and(|it| step < *it) {
                        *value = self.weights.len() as Value;
                        self.weights.push(self.weights[old as usize]);
                        current.insert(old, *value);
                    } else {
                        current.remove(&old);
                    }
                }
                for value in operation.reads() {
                    fresh.remove(&value);
                }
                let only = match operation.writes[..] {
                    [only] => Some(only),
                    _ => None,
                };
                if !joined.is_empty() {
                    if joined.len() == operation.writes.len() {
                        for (first, _) in &joined {
                            self.operations[*first] = Operation::default();
                        }
                        operation.keeps = false;
                    }
                    for value in &operation.writes {
                        fresh.remove(value);
                    }
                } else if let (Some(written), "mov", None, 2) = (
                    only,
                    operation.opcode,
                    operation.guard,
                    operation.operands.len(),
                ) {
                    let copied = match operation.data[..] {
                        [] => !operation.special,
                        [source] => constant.contains_key(&source),
                        _ => false,
                    };
                    if copied {
                        fresh.insert(written, step);
                        constant.insert(written, ());
                    } else {
                        fresh.remove(&written);
                        constant.remove(&written);
                    }
                } else {
                    for value in &operation.writes {
                        fresh.remove(value);
                        constant.remove(value);
                    }
                }
                self.operations[step] = operation;
            }
        }
    }
}

fn shape<'a>(body: &Body, operand: &Cursor<'a>) -> Shape<'a> {
    match operand.kind() {
        SyntaxKind::ADDRESS => Shape::Address,
        SyntaxKind::VECTOR => Shape::Vector,
        SyntaxKind::MEMBER_EXPRESSION => match operand.nodes().next() {
            Some(it) => match shape(body, &it) {
                special @ Shape::Special(_) => special,
                _ => Shape::Other,
            },
            None => Shape::Other,
        },
        SyntaxKind::NAME_REFERENCE => {
            let Some(token) = operand.token(SyntaxKind::IDENT) else {
                return Shape::Other;
            };
            match body.reference_at(token.range()).map(|it| it.target) {
                Some(Target::Special(index)) => {
                    Shape::Special(isa::special::get(index).map_or("", |it| it.name))
                }
                Some(Target::WarpSize) => Shape::Constant(None),
                Some(Target::Free(_)) => Shape::Name,
                Some(Target::Definition(id))
                    if body.definition(id).kind != crate::SymbolKind::Register =>
                {
                    Shape::Name
                }
                _ => Shape::Other,
            }
        }
        _ => match evaluate(operand, &mut Vec::new()) {
            Constants::Constant(Constant::Signed(it)) => Shape::Constant(Some(it)),
            Constants::Constant(Constant::Unsigned(it)) => Shape::Constant(i64::try_from(it).ok()),
            Constants::Constant(_) => Shape::Constant(None),
            Constants::Offset(..) => Shape::Name,
            _ => Shape::Other,
        },
    }
}

/// The name and the offset of an address.
fn address<'a>(node: &Cursor<'a>) -> Option<(Cursor<'a>, i64)> {
    let mut parts = node.nodes();
    let expression = parts.next()?;
    if parts.next().is_some() {
        return None;
    }
    if expression.kind() == SyntaxKind::NAME_REFERENCE {
        return Some((expression, 0));
    }
    match evaluate(&expression, &mut Vec::new()) {
        Constants::Offset(base, offset) if base.kind() == SyntaxKind::NAME_REFERENCE => {
            Some((base, i64::try_from(offset).ok()?))
        }
        _ => None,
    }
}
