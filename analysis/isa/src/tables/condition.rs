//! Conditions over the choices of a statement, and numbers that follow from them.

use std::sync::Arc;

use crate::{
    tables::word_set::WordSet,
    target::{Module, Suffix, TextureMode},
    types::type_of,
};

/// The choices by which a variant was matched so far.
#[derive(Clone, Debug)]
pub struct Choices<'a> {
    /// The first word of the instruction.
    pub opcode: &'a str,
    /// The words of the instruction, see [`crate::table::Instruction::words`].
    pub words: &'a [&'static str],
    /// The chosen word of each slot.
    pub slots: Vec<Option<u16>>,
    /// All chosen words.
    pub present: WordSet,
    /// Names of the operands that are there, by index of the top-level pattern.
    pub operands: Vec<&'static str>,
    /// The operands among them that are integer constants, with their values.
    pub integers: Vec<(&'static str, i64)>,
    /// The version and target for which the statement is checked.
    pub module: Module,
}

impl Choices<'_> {
    /// The word chosen for a slot.
    #[must_use]
    pub fn word(&self, slot: u8) -> Option<&'static str> {
        self.slots
            .get(usize::from(slot))
            .copied()
            .flatten()
            .map(|it| self.words[usize::from(it)])
    }

    /// The value of an operand that is an integer constant.
    fn integer(&self, operand: &str) -> Option<i64> {
        let found = self.integers.iter().find(|it| it.0 == operand);
        found.map(|it| it.1)
    }
}

/// Alternatives of conjunctions: `a, b or c` is `(a and b) or c`.
#[derive(Debug, Clone, Default)]
pub struct Condition(pub Arc<[Box<[Atom]>]>);

/// A simple condition.
#[derive(Debug, Clone)]
pub enum Atom {
    /// Some slot has this word.
    Word(u16),
    /// No slot has it.
    NoWord(u16),
    /// The slot has a word.
    Slot(u8),
    /// The slot is empty.
    NoSlot(u8),
    /// The word of the slot is one of these.
    In(u8, WordSet),
    /// The slot is empty or its word is none of these.
    NotIn(u8, WordSet),
    /// Both slots have the same word.
    Same(u8, u8),
    /// The slots have different words.
    Different(u8, u8),
    /// The operand is there.
    Operand(&'static str),
    /// The operand is not there.
    NoOperand(&'static str),
    /// The version is at least this, `10 * major + minor`.
    VersionFrom(u16),
    /// The version is below this.
    VersionBelow(u16),
    /// The number of the target is at least this.
    TargetFrom(u16),
    /// The number of the target is below this.
    TargetBelow(u16),
    /// The target is one of these: number and letter.
    TargetIn(Vec<(u16, Suffix)>),
    /// The texture mode of the module is this.
    TextureMode(TextureMode),
    /// The first number is smaller than, equal to or larger than the second.
    Compare(Expression, std::cmp::Ordering, Expression),
    /// The first number is not larger than the second.
    AtMost(Expression, Expression),
}

impl Condition {
    /// Whether the condition holds.
    #[must_use]
    pub fn holds(&self, choices: &Choices<'_>) -> bool {
        self.0
            .iter()
            .any(|all| all.iter().all(|it| it.holds(choices)))
    }
}

impl Atom {
    /// Whether the condition holds.
    #[must_use]
    pub fn holds(&self, choices: &Choices<'_>) -> bool {
        let slot = |it: u8| choices.slots.get(usize::from(it)).copied().flatten();
        let version =
            u16::from(choices.module.version.major) * 10 + u16::from(choices.module.version.minor);
        let target = choices.module.target;
        match self {
            Atom::Word(id) => choices.present.contains(*id),
            Atom::NoWord(id) => !choices.present.contains(*id),
            Atom::Slot(it) => slot(*it).is_some(),
            Atom::NoSlot(it) => slot(*it).is_none(),
            Atom::In(it, set) => slot(*it).is_some_and(|id| set.contains(id)),
            Atom::NotIn(it, set) => slot(*it).is_none_or(|id| !set.contains(id)),
            Atom::Same(a, b) => slot(*a) == slot(*b),
            Atom::Different(a, b) => slot(*a) != slot(*b),
            Atom::Operand(name) => choices.operands.contains(name),
            Atom::NoOperand(name) => !choices.operands.contains(name),
            Atom::VersionFrom(it) => version >= *it,
            Atom::VersionBelow(it) => version < *it,
            Atom::TargetFrom(it) => target.number >= *it,
            Atom::TargetBelow(it) => target.number < *it,
            Atom::TextureMode(it) => choices.module.texture_mode == *it,
            Atom::TargetIn(list) => list.contains(&(target.number, target.suffix)),
            Atom::Compare(a, order, b) => match (a.value(choices), b.value(choices)) {
                (Some(a), Some(b)) => a.cmp(&b) == *order,
                _ => false,
            },
            Atom::AtMost(a, b) => match (a.value(choices), b.value(choices)) {
                (Some(a), Some(b)) => a <= b,
                _ => false,
            },
        }
    }
}

/// A number that follows from the choices.
#[derive(Debug, Clone)]
pub enum Expression {
    /// A constant.
    Number(i64),
    /// The number in the word of a slot: 4 of `x4` and `v4`, 3 of `3d`.
    Slot(u8),
    /// The number after a letter in the word of a slot: 16 after `m` in `m16n8k4`.
    Dimension(u8, char),
    /// Width in bits of the type in a slot.
    Bits(u8),
    /// The value of an earlier operand that is an integer constant.
    Value(&'static str),
    /// Its low 32 bits as an unsigned number; 0 if the operand is not a constant.
    Low32(&'static str),
    /// Sum, difference, product and quotient, rounded up.
    Binary(Box<Expression>, char, Box<Expression>),
    /// The second if the condition holds, else the third.
    If(Box<Condition>, Box<Expression>, Box<Expression>),
}

impl Expression {
    /// The number, if every slot that it needs has a word with a number.
    #[must_use]
    pub fn value(&self, choices: &Choices<'_>) -> Option<i64> {
        Some(match self {
            Expression::Number(it) => *it,
            Expression::Slot(slot) => first_number(choices.word(*slot)?)?,
            Expression::Dimension(slot, letter) => {
                let word = choices.word(*slot)?;
                first_number(&word[word.find(*letter)? + 1..])?
            }
            Expression::Bits(slot) => i64::from(type_of(choices.word(*slot)?)?.bits),
            Expression::Value(name) => choices.integer(name)?,
            Expression::Low32(name) => choices.integer(name).unwrap_or_default() & 0xffff_ffff,
            Expression::Binary(a, operator, b) => {
                let (a, b) = (a.value(choices)?, b.value(choices)?);
                match operator {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    _ => (a + b - 1).checked_div(b)?,
                }
            }
            Expression::If(condition, then, otherwise) => {
                if condition.holds(choices) {
                    then.value(choices)?
                } else {
                    otherwise.value(choices)?
                }
            }
        })
    }
}

fn first_number(word: &str) -> Option<i64> {
    let start = word.find(|c: char| c.is_ascii_digit())?;
    let rest = &word[start..];
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..end].parse().ok()
}
