//! The tables as they are in memory.

use std::{
    cmp::Reverse,
    sync::{Arc, LazyLock, OnceLock},
};

use rustc_hash::FxHashMap;

use crate::{
    condition::Condition,
    kind::Kind,
    notation::{NotationError, Outline},
    role::{self, Role},
    target::Gate,
};

/// The instruction set.
///
/// A program names a small part of it, so what a table says of an instruction is read when it is first asked for:
/// to read all takes 5 ms, which is more than to check a short file.
#[derive(Debug, Default)]
pub struct Tables {
    outline: Outline,
    /// What the outline names, in its order; none where the table has a mistake.
    instructions: Vec<OnceLock<Option<Instruction>>>,
    by_opcode: FxHashMap<&'static str, Opcode>,
}

/// What is known of the instructions that begin with one word.
#[derive(Debug, Default)]
struct Opcode {
    /// Their indices, those with more fixed words first.
    instructions: Vec<u16>,
    /// What all their forms do with their operands.
    role: OnceLock<Option<Role>>,
}

/// One instruction: what the manual describes in one section.
#[derive(Debug)]
pub struct Instruction {
    /// The opcode with its fixed words: `cp.async.bulk`.
    pub name: &'static str,
    /// Section of the PTX ISA 9.3 manual.
    pub section: &'static str,
    /// The first word: `cp`.
    pub opcode: &'static str,
    /// The words that must directly follow it: `async`, `bulk`.
    pub fixed: Vec<&'static str>,
    /// What every variant demands.
    pub gate: Gate,
    /// Words that ptxas reads over on this instruction, without the full stop.
    pub spare: Vec<&'static str>,
    /// Every modifier that some variant has, without the full stop; a [`WordSet`] indexes this list.
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
    /// What follows the fixed words, in the canonical order.
    pub slots: Vec<Slot>,
    /// The words of all slots.
    pub words: WordSet,
    /// The operands.
    pub operands: Vec<OperandPattern>,
    /// What the variant demands.
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
    /// Whether it must stand directly after the fixed words, in order.
    pub positional: bool,
    /// What may stand there.
    pub values: WordSet,
    /// What some of the values demand.
    pub gates: Arc<[(WordSet, Gate)]>,
    /// Slots of one group share values and keep their order; slots of different groups may be swapped.
    pub group: u8,
}

/// A relation between choices.
#[derive(Clone, Debug)]
pub struct Rule {
    /// When it applies.
    pub when: Condition,
    /// What follows.
    pub then: Consequence,
    /// The line of the table, for messages.
    pub text: &'static str,
}

/// What a rule demands.
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
    /// Whether the instruction writes the registers in it: the first operand if it is no address, where
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

/// A set of words of one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordSet([u64; 5]);

impl WordSet {
    /// Number of words that one instruction may have.
    pub const CAPACITY: u16 = 320;

    /// Adds a word by its index.
    pub fn insert(&mut self, id: u16) {
        self.0[usize::from(id) / 64] |= 1 << (id % 64);
    }

    /// Whether the word is in the set.
    #[must_use]
    pub fn contains(&self, id: u16) -> bool {
        self.0
            .get(usize::from(id) / 64)
            .is_some_and(|it| it & (1 << (id % 64)) != 0)
    }

    /// Whether the sets share a word.
    #[must_use]
    pub fn intersects(&self, other: &WordSet) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    /// Whether all words of the other set are in this one.
    #[must_use]
    pub fn covers(&self, other: &WordSet) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| b & !a == 0)
    }

    /// Adds all words of another set.
    pub fn extend(&mut self, other: &WordSet) {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a |= b;
        }
    }

    /// The words as indices, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        (0u16..).zip(self.0).flat_map(|(index, mut bits)| {
            std::iter::from_fn(move || {
                let bit = bits.trailing_zeros() as u16;
                bits &= bits.checked_sub(1)?;
                Some(index * 64 + bit)
            })
        })
    }
}

impl Tables {
    /// Reads all of some tables.
    ///
    /// # Errors
    /// The first mistake of each table and of each instruction, with its file and line.
    pub fn read(files: &[(&'static str, &'static str)]) -> Result<Tables, Vec<NotationError>> {
        let tables = Tables::outline(files)?;
        let mut errors = Vec::new();
        for (heading, instruction) in tables.outline.headings.iter().zip(&tables.instructions) {
            let read = tables.outline.instruction(heading);
            let read = read.map_err(|it| errors.push(it)).ok();
            instruction.get_or_init(|| read);
        }
        match errors.is_empty() {
            true => Ok(tables),
            false => Err(errors),
        }
    }

    /// Finds the instructions in tables.
    fn outline(files: &[(&'static str, &'static str)]) -> Result<Tables, Vec<NotationError>> {
        let outline = Outline::read(files)?;
        let mut by_opcode: FxHashMap<&str, Opcode> = FxHashMap::default();
        for (index, heading) in (0..).zip(&outline.headings) {
            let opcode = by_opcode.entry(heading.words().0).or_default();
            opcode.instructions.push(index);
        }
        for opcode in by_opcode.values_mut() {
            let fixed = |it: &u16| outline.headings[usize::from(*it)].words().1.count();
            opcode.instructions.sort_by_key(|it| Reverse(fixed(it)));
        }
        Ok(Tables {
            instructions: outline.headings.iter().map(|_| OnceLock::new()).collect(),
            outline,
            by_opcode,
        })
    }

    fn instruction(&self, index: usize) -> Option<&Instruction> {
        let heading = &self.outline.headings[index];
        let read = || self.outline.instruction(heading).ok();
        self.instructions[index].get_or_init(read).as_ref()
    }

    /// Every instruction, in the order of the tables.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        (0..self.instructions.len()).filter_map(|it| self.instruction(it))
    }

    /// The instructions with this name: the first word with the fixed ones, as in `cp.async.bulk`.
    pub fn with_name(&self, name: &str) -> impl Iterator<Item = &Instruction> {
        let headings = self.outline.headings.iter().enumerate();
        let same = headings.filter(move |it| it.1.name == name);
        same.filter_map(|it| self.instruction(it.0))
    }

    /// The instructions with this first word, those with more fixed words first.
    pub fn with_opcode(&self, opcode: &str) -> impl Iterator<Item = &Instruction> {
        let found = self.by_opcode.get(opcode);
        self.of(found.map_or(&[], |it| &it.instructions))
    }

    fn of(&self, indices: &[u16]) -> impl Iterator<Item = &Instruction> {
        let all = indices.iter();
        all.filter_map(|it| self.instruction(usize::from(*it)))
    }

    /// What all forms of an opcode do with their operands, if they do the same; `None` if there is no such
    /// opcode.
    pub(crate) fn common_role(&self, opcode: &str) -> Option<Option<Role>> {
        let known = self.by_opcode.get(opcode)?;
        let find = || role::common(self.of(&known.instructions));
        Some(*known.role.get_or_init(find))
    }

    /// The opcode words.
    pub fn opcodes(&self) -> impl Iterator<Item = &'static str> {
        self.by_opcode.keys().copied()
    }
}

/// The tables of this crate.
pub fn tables() -> &'static Tables {
    static TABLES: LazyLock<Tables> = LazyLock::new(|| {
        // A test reads all of the same files, so a mistake in them cannot reach users.
        Tables::outline(FILES).unwrap_or_default()
    });
    &TABLES
}

/// The table files: name and text.
pub const FILES: &[(&str, &str)] = &[
    ("sets.isa", include_str!("../tables/sets.isa")),
    ("async.isa", include_str!("../tables/async.isa")),
    ("atomic.isa", include_str!("../tables/atomic.isa")),
    ("convert.isa", include_str!("../tables/convert.isa")),
    ("fabric.isa", include_str!("../tables/fabric.isa")),
    ("float.isa", include_str!("../tables/float.isa")),
    ("flow.isa", include_str!("../tables/flow.isa")),
    ("integer.isa", include_str!("../tables/integer.isa")),
    ("logic.isa", include_str!("../tables/logic.isa")),
    ("matrix.isa", include_str!("../tables/matrix.isa")),
    ("memory.isa", include_str!("../tables/memory.isa")),
    ("misc.isa", include_str!("../tables/misc.isa")),
    ("surface.isa", include_str!("../tables/surface.isa")),
    ("sync.isa", include_str!("../tables/sync.isa")),
    ("tensor.isa", include_str!("../tables/tensor.isa")),
    ("texture.isa", include_str!("../tables/texture.isa")),
    ("video.isa", include_str!("../tables/video.isa")),
];
