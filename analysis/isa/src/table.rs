//! The tables as they are in memory.

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use crate::{
    condition::Condition,
    kind::Kind,
    notation::{self, NotationError},
    role::{self, Role},
    target::Gate,
};

/// The instruction set.
#[derive(Debug, Default)]
pub struct Tables {
    /// Every instruction, in the order of the tables.
    pub instructions: Vec<Instruction>,
    by_opcode: FxHashMap<&'static str, Opcode>,
}

/// What is known of the instructions that begin with one word.
#[derive(Debug, Default)]
struct Opcode {
    /// Their indices, those with more fixed words first.
    instructions: Vec<u16>,
    /// What all their forms do with their operands.
    role: Option<Role>,
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
    /// Reads tables.
    ///
    /// # Errors
    /// The first mistake of each table, with its file and line.
    pub fn read(files: &[(&'static str, &'static str)]) -> Result<Tables, Vec<NotationError>> {
        let mut tables = Tables {
            instructions: notation::read(files)?,
            by_opcode: FxHashMap::default(),
        };
        for (index, instruction) in tables.instructions.iter().enumerate() {
            tables
                .by_opcode
                .entry(instruction.opcode)
                .or_default()
                .instructions
                .push(index as u16);
        }
        for opcode in tables.by_opcode.values_mut() {
            let instruction = |it: &u16| &tables.instructions[usize::from(*it)];
            let list = &mut opcode.instructions;
            list.sort_by_key(|it| std::cmp::Reverse(instruction(it).fixed.len()));
            opcode.role = role::common(list.iter().map(instruction));
        }
        Ok(tables)
    }

    /// The instructions with this first word, those with more fixed words first.
    pub fn with_opcode(&self, opcode: &str) -> impl Iterator<Item = &Instruction> {
        let found = self.by_opcode.get(opcode);
        let list = found.map_or(&[][..], |it| &it.instructions);
        list.iter().map(|it| &self.instructions[usize::from(*it)])
    }

    /// What all forms of an opcode do with their operands, if they do the same; `None` if there is no such
    /// opcode.
    pub(crate) fn common_role(&self, opcode: &str) -> Option<Option<Role>> {
        self.by_opcode.get(opcode).map(|it| it.role)
    }

    /// The opcode words.
    pub fn opcodes(&self) -> impl Iterator<Item = &'static str> {
        self.by_opcode.keys().copied()
    }
}

/// The tables of this crate.
pub fn tables() -> &'static Tables {
    static TABLES: LazyLock<Tables> = LazyLock::new(|| {
        // A test reads the same files, so a mistake in them cannot reach users.
        Tables::read(FILES).unwrap_or_default()
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
