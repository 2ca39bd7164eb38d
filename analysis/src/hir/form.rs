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
};

use isa::{matcher::Statement, operand::Operand, target::Module};
use syntax::Cursor;

use crate::constant::{evaluate, is_plain};

use super::{instruction::Parts, operand::Resolve};

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
    /// Constants that are added to a name are 0.
    pub(crate) operands: Box<[Operand]>,
    /// Whether a constant expression in it has no value.
    pub(crate) wrong_constant: bool,
}

impl FormContents {
    pub(super) fn of(
        instruction: &Cursor<'_>,
        parts: &Parts<'_>,
        module: Option<Module>,
        resolve: Resolve<'_>,
    ) -> FormContents {
        let mut problems = Vec::new();
        for node in instruction.nodes().filter(|it| !is_plain(it)) {
            evaluate(&node, &mut problems);
        }
        let mut operands = parts.resolved(resolve);
        operands.iter_mut().for_each(without_offset);
        FormContents {
            module,
            opcode: parts.opcode.map_or("", |it| it.text()).into(),
            words: parts.words.iter().map(|it| (*it).into()).collect(),
            guard: parts.predicate(resolve),
            operands: operands.into(),
            wrong_constant: !problems.is_empty(),
        }
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
        Operand::Address(items, _) | Operand::Vector(items) => {
            items.iter_mut().for_each(without_offset);
        }
        _ => {}
    }
}

impl PartialEq for FormContents {
    fn eq(&self, other: &FormContents) -> bool {
        self.module == other.module
            && self.opcode == other.opcode
            && self.words == other.words
            && self.wrong_constant == other.wrong_constant
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
        (&self.opcode, &self.words, module).hash(state);
        self.operands.iter().for_each(|it| one(it, state));
    }
}

/// An interned form.
#[salsa::interned(debug)]
pub(crate) struct Form<'db> {
    /// The common part of its instructions.
    #[returns(ref)]
    pub(crate) data: FormContents,
}
