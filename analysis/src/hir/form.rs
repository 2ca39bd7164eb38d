//! The form of an instruction: what it has in common with those that are like it but for names and offsets.
//!
//! Equal forms are interned, those of all files together, and what the tables say of one is found once.
#![expect(
    unused_lifetimes,
    reason = "salsa makes another struct of an interned one, and that uses it"
)]

use std::{
    hash::{Hash, Hasher},
    mem::discriminant,
    ops::Range,
};

use isa::{
    matcher::Statement,
    matching::positions,
    operand::Operand,
    semantics::Semantics,
    target::{Module, Suffix, Target, Version, versions},
};
use salsa::Database;
use syntax::{Cursor, SyntaxKind};

use crate::constant::{evaluate, is_plain};

use super::{
    instruction::{Parts, names},
    lowered::Reference,
    operand::{Resolve, component, names_of},
};

/// An instruction but for its names and the constants that are added to them.
#[derive(Clone, Debug)]
pub(crate) struct FormContents {
    /// The target in force where it appears; `None` if the file does not say.
    pub(crate) module: Option<Module>,
    pub(crate) opcode: Box<str>,
    /// The modifiers without their periods.
    pub(crate) words: Box<[Box<str>]>,
    /// The predicate of the guard.
    pub(crate) guard: Option<Operand>,
    /// Whether the guard holds when its predicate is false.
    pub(crate) negated: bool,
    /// Constants that are added to a name are 0.
    pub(crate) operands: Box<[Operand]>,
    /// The components of vectors among its names, by the indices of these.
    components: Box<[(u32, char)]>,
    /// Where the names of the guard and of each operand are among its references, if the operands do not tell that
    /// because something is wrong with one.
    pub(super) spans: Option<Box<[Range<usize>]>>,
    /// Whether a constant expression in it has no value.
    pub(crate) wrong_constant: bool,
}

impl FormContents {
    pub(super) fn of(
        instruction: &Cursor<'_>,
        parts: &Parts<'_>,
        module: Option<Module>,
        references: &[Reference],
        resolve: Resolve<'_>,
    ) -> FormContents {
        let mut problems = Vec::new();
        for node in instruction.nodes().filter(|it| !is_plain(it)) {
            evaluate(&node, &mut problems);
        }
        let mut operands = parts.resolved(resolve);
        operands.iter_mut().for_each(without_offset);
        let mut components = Vec::new();
        for node in &parts.operands {
            push_components(node, references, &mut components);
        }
        FormContents {
            module,
            opcode: parts.opcode.map_or("", |it| it.text()).into(),
            words: parts.words.iter().map(|it| (*it).into()).collect(),
            guard: parts.predicate(resolve),
            negated: parts
                .guard
                .is_some_and(|it| it.token(SyntaxKind::BANG).is_some()),
            spans: spans(parts, &operands, references),
            operands: operands.into(),
            components: components.into(),
            wrong_constant: !problems.is_empty(),
        }
    }

    /// The effects of its instructions.
    pub(crate) fn semantics(&self) -> Semantics {
        isa::tables().semantics(&self.opcode, self.words.iter().map(|it| &**it))
    }

    /// The indices of the operands with names in the tables; `None` for a name that no operand has.
    pub(crate) fn positions<const N: usize>(&self, names: [Option<&str>; N]) -> [Option<usize>; N] {
        let words: Vec<&str> = self.words.iter().map(|it| &**it).collect();
        let is_bracket = |it: &Operand| matches!(it, Operand::Address(_, None));
        let brackets: Vec<bool> = self.operands.iter().map(is_bracket).collect();
        positions(isa::tables(), &self.opcode, &words, &brackets, names)
    }

    /// The component that a name selects, by the index of the name.
    pub(super) fn component(&self, name: usize) -> Option<char> {
        let mut found = self.components.iter();
        found.find(|it| it.0 as usize == name).map(|it| it.1)
    }

    /// Calls `act` with the form as the tables see it, unless the file says no version and target.
    pub(crate) fn with_statement<T>(&self, act: impl FnOnce(&Statement<'_>) -> T) -> Option<T> {
        let words: Vec<&str> = self.words.iter().map(|it| &**it).collect();
        Some(act(&Statement {
            opcode: &self.opcode,
            words: &words,
            operands: &self.operands,
            module: self.module?,
        }))
    }
}

fn without_offset(operand: &mut Operand) {
    match operand {
        Operand::Offset(_, offset) => *offset = 0,
        Operand::Address(items, _) | Operand::Vector(items) | Operand::Arguments(items) => {
            items.iter_mut().for_each(without_offset);
        }
        Operand::Pair(first, second) => {
            without_offset(first);
            without_offset(second);
        }
        Operand::Selected(inner, _) => without_offset(inner),
        _ => {}
    }
}

/// Adds the components that an operand selects, with the indices of their names.
fn push_components(node: &Cursor<'_>, references: &[Reference], found: &mut Vec<(u32, char)>) {
    if node.kind() == SyntaxKind::MEMBER_EXPRESSION
        && let Some(name) = node.node(SyntaxKind::NAME_REFERENCE)
        && let Some(selector) = node.token(SyntaxKind::DOTTED)
        && let Some(component) = component(&selector.text()[1..])
    {
        let start = name.tokens().next().map(|it| it.range().start());
        let index = names(references).position(|it| Some(it.range.start()) == start);
        found.extend(index.map(|it| (it as u32, component)));
        return;
    }
    for child in node.nodes() {
        push_components(&child, references, found);
    }
}

/// Whether an operand has the names that it tells of.
pub(super) fn is_right(operand: &Operand, references: &[Reference]) -> bool {
    fn is_invalid(operand: &Operand) -> bool {
        match operand {
            Operand::Invalid => true,
            Operand::Address(items, _) | Operand::Vector(items) | Operand::Arguments(items) => {
                items.iter().any(is_invalid)
            }
            Operand::Pair(first, second) => is_invalid(first) || is_invalid(second),
            Operand::Not(inner) | Operand::Minus(inner) | Operand::Selected(inner, _) => {
                is_invalid(inner)
            }
            _ => false,
        }
    }
    !is_invalid(operand) && names(references).count() == names_of(operand)
}

/// See [`FormContents::spans`].
fn spans(
    parts: &Parts<'_>,
    operands: &[Operand],
    references: &[Reference],
) -> Option<Box<[Range<usize>]>> {
    let span = |node: &Cursor<'_>| {
        let range = node.range();
        let before = |offset| references.partition_point(|it| it.range.start() < offset);
        before(range.start())..before(range.end())
    };
    let guard = parts.guard.as_ref().map_or(0..0, span);
    let mut end = guard.end;
    let mut right = guard == (0..usize::from(parts.guard.is_some()));
    for (operand, node) in operands.iter().zip(&parts.operands) {
        let span = span(node);
        right &= span.start == end && is_right(operand, &references[span.clone()]);
        end = span.end;
    }
    (!right).then(|| {
        let operands = parts.operands.iter().map(span);
        [guard].into_iter().chain(operands).collect()
    })
}

impl PartialEq for FormContents {
    fn eq(&self, other: &FormContents) -> bool {
        self.module == other.module
            && self.opcode == other.opcode
            && self.words == other.words
            && self.wrong_constant == other.wrong_constant
            && self.negated == other.negated
            && self.components == other.components
            && self.spans == other.spans
            && all_same(self.guard.as_slice(), other.guard.as_slice())
            && all_same(&self.operands, &other.operands)
    }
}

impl Eq for FormContents {}

fn all_same(left: &[Operand], right: &[Operand]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|it| same(it.0, it.1))
}

/// Whether two operands are equal, floating-point numbers by their bits: what is none is equal to itself.
fn same(left: &Operand, right: &Operand) -> bool {
    match (left, right) {
        (Operand::Float(left, a), Operand::Float(right, b)) => {
            left == right && a.to_bits() == b.to_bits()
        }
        (Operand::Address(left, a), Operand::Address(right, b)) => a == b && all_same(left, right),
        (Operand::Vector(left), Operand::Vector(right))
        | (Operand::Arguments(left), Operand::Arguments(right)) => all_same(left, right),
        (Operand::Pair(left, a), Operand::Pair(right, b)) => same(left, right) && same(a, b),
        (Operand::Offset(left, a), Operand::Offset(right, b))
        | (Operand::Element(left, a), Operand::Element(right, b)) => a == b && same(left, right),
        (Operand::Not(left), Operand::Not(right))
        | (Operand::Minus(left), Operand::Minus(right)) => same(left, right),
        (Operand::Selected(left, a), Operand::Selected(right, b)) => a == b && same(left, right),
        _ => left == right,
    }
}

impl Hash for FormContents {
    fn hash<H: Hasher>(&self, state: &mut H) {
        fn one<H: Hasher>(operand: &Operand, state: &mut H) {
            discriminant(operand).hash(state);
            match operand {
                Operand::Register { class, lanes } => (class, lanes).hash(state),
                Operand::Special { class, .. } => class.hash(state),
                Operand::Symbol(it) => it.hash(state),
                Operand::Integer(it) => it.hash(state),
                Operand::Float(_, it) => it.to_bits().hash(state),
                Operand::Offset(inner, _) => one(inner, state),
                Operand::Address(items, _) | Operand::Vector(items) | Operand::Arguments(items) => {
                    items.len().hash(state);
                    items.iter().for_each(|it| one(it, state));
                }
                _ => {}
            }
        }
        let module = self.module.map(|it| (it.version, it.target));
        (
            &self.opcode,
            &self.words,
            module,
            self.negated,
            &self.components,
        )
            .hash(state);
        self.operands.iter().for_each(|it| one(it, state));
    }
}

/// The version and target that are assumed of a file that does not say them: the newest and a recent one.
pub(crate) fn assumed() -> Module {
    let target = Target {
        number: 90,
        suffix: Suffix::Plain,
    };
    Module::new(versions().last().unwrap_or(Version::new(9, 0)), target)
}

impl<'db> Form<'db> {
    /// The form for another version and target if the file does not say them.
    pub(crate) fn or_in_force(
        self,
        db: &'db dyn Database,
        module: impl FnOnce() -> Module,
    ) -> Form<'db> {
        let data = self.data(db);
        match data.module {
            Some(_) => self,
            None => Form::new(
                db,
                FormContents {
                    module: Some(module()),
                    ..data.clone()
                },
            ),
        }
    }
}

/// An interned form.
#[salsa::interned(debug)]
pub(crate) struct Form<'db> {
    /// The common part of its instructions.
    #[returns(ref)]
    pub(crate) data: FormContents,
}
