//! An instruction as its table describes it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{condition::Condition, kind::Kind, word_set::WordSet};
use crate::module::target::Gate;

/// One instruction: what the manual describes in one section.
#[derive(Debug)]
pub struct Instruction {
    /// The opcode with its fixed words: `cp.async.bulk`.
    pub name: &'static str,
    /// Section of the PTX ISA 9.3 manual.
    pub section: &'static str,
    /// Which block of the tables describes it.
    pub(super) block: usize,
    /// The first word: `cp`.
    pub opcode: &'static str,
    /// The words that must directly follow it: `async`, `bulk`.
    pub fixed: Vec<&'static str>,
    /// The requirements of every variant.
    pub gate: Gate,
    /// Words that ptxas ignores on this instruction, without the period.
    pub spare: Vec<&'static str>,
    /// Every modifier that some variant has, without the period; a [`WordSet`] indexes this list.
    pub words: Vec<&'static str>,
    /// The same, by word.
    pub word_ids: FxHashMap<&'static str, u16>,
    /// The variants.
    pub variants: Vec<Variant>,
}

/// One line of the Syntax block of an instruction.
#[derive(Debug)]
pub struct Variant {
    /// The line as the table has it, for people.
    pub syntax: &'static str,
    /// The slots after the fixed words, in the canonical order.
    pub slots: Vec<Slot>,
    /// The words of all slots.
    pub words: WordSet,
    /// The operands.
    pub operands: Vec<OperandPattern>,
    /// The requirements of the variant.
    pub gate: Gate,
    /// Relations between the choices.
    pub rules: Vec<Rule>,
}

/// A place for one modifier.
#[derive(Debug)]
pub struct Slot {
    /// Its name in the table; for a literal the word itself.
    pub name: &'static str,
    /// Whether one of the values must be there.
    pub required: bool,
    /// Whether it must appear directly after the fixed words, in order.
    pub positional: bool,
    /// The values that may appear there.
    pub values: WordSet,
    /// The requirements of some of the values.
    pub gates: Arc<[(WordSet, Gate)]>,
    /// Slots of one group share values and keep their order; slots of different groups may be swapped.
    pub group: u8,
    /// The sets of slots that real code has in any order among themselves, as bits: two slots with a common bit may be
    /// exchanged.
    pub free: u8,
}

/// A relation between choices.
#[derive(Clone, Debug)]
pub struct Rule {
    /// When it applies.
    pub when: Condition,
    /// The consequence.
    pub then: Consequence,
    /// The line of the table, for messages.
    pub text: &'static str,
}

/// The requirements of a rule.
#[derive(Clone, Debug)]
pub enum Consequence {
    /// The condition must hold.
    Require(Condition),
    /// The combination is not allowed.
    Never,
    /// The combination has a gate.
    Gate(Gate),
}

/// An operand of a variant.
#[derive(Debug)]
pub struct OperandPattern {
    /// Its name in the table.
    pub name: &'static str,
    /// Its form.
    pub form: Form,
    /// When it is there.
    pub presence: Presence,
    /// Whether the instruction writes the registers in it: the first operand if it is not an address, where
    /// the table says nothing else.
    pub written: bool,
}

/// Form of an operand.
#[derive(Debug)]
pub enum Form {
    /// One operand of one of these kinds.
    Plain(Arc<[Kind]>),
    /// `[a]`, `[a, b]`, perhaps with a word after it.
    Bracket(Vec<OperandPattern>, Option<&'static str>),
    /// `a|b`; the second may be optional.
    Pair(Arc<[Kind]>, Box<OperandPattern>),
}

/// When an operand is there.
#[derive(Debug)]
pub enum Presence {
    /// Always.
    Required,
    /// As the writer likes.
    Optional,
    /// If and only if the condition holds.
    If(Condition),
}
