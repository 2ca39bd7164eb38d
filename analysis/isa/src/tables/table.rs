//! The tables as they are in memory.

use std::{
    cmp::Reverse,
    sync::{LazyLock, OnceLock},
};

use rustc_hash::FxHashMap;

use super::{
    computation::Computation,
    event::{EventKind, Spelling},
    notation::{NotationError, Outline},
    role::{self, Role},
    semantics::{Assumed, Facts, Semantics},
};

pub use super::{
    instruction::{Consequence, Form, Instruction, OperandPattern, Presence, Rule, Slot, Variant},
    word_set::WordSet,
};

/// The instruction set.
///
/// A program names a small part of it, so what a table says of an instruction is read when it is first asked for:
/// to read all takes 5 ms, which is more than to check a short file.
#[derive(Debug, Default)]
pub struct Tables {
    outline: Outline,
    /// The instructions that the outline names, in its order; none where the table has a mistake.
    instructions: Vec<OnceLock<Option<Instruction>>>,
    by_opcode: FxHashMap<&'static str, Opcode>,
    /// The computations of the instructions of each block; none where the table has a mistake.
    computations: Vec<OnceLock<Option<Computation>>>,
}

/// The instructions that begin with one word.
#[derive(Debug, Default)]
struct Opcode {
    /// Their indices, those with more fixed words first.
    instructions: Vec<u16>,
    /// The effects of all their forms on their operands.
    role: OnceLock<Option<Role>>,
    /// Their semantics, by name, those with more fixed words first.
    facts: OnceLock<Vec<(&'static str, Facts)>>,
    /// Whether some of them take part in protocols.
    events: OnceLock<bool>,
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
        let mut names: Vec<&str> = tables.outline.headings.iter().map(|it| it.name).collect();
        names.sort_unstable();
        names.dedup();
        if !errors.is_empty() {
            return Err(errors);
        }
        for name in names {
            let instructions: Vec<&Instruction> = tables.with_name(name).collect();
            let facts = tables.outline.facts(name, Some(&instructions));
            errors.extend(facts.err());
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut blocks: Vec<Vec<&Instruction>> = vec![Vec::new(); tables.computations.len()];
        for instruction in tables.instructions() {
            blocks[instruction.block].push(instruction);
        }
        for (index, instructions) in blocks.iter().enumerate() {
            match tables.outline.computation(index) {
                Ok(read) => errors.extend(tables.outline.misstated(index, &read, instructions)),
                Err(it) => errors.push(it),
            }
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
            computations: (0..outline.len()).map(|_| OnceLock::new()).collect(),
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

    /// How many of the words after an opcode belong to the name of the instruction: 3 of `cp.async.bulk.tensor.1d`.
    /// The words are given without their periods; they need not fit.
    #[must_use]
    pub fn name_length(&self, opcode: &str, words: &[&str]) -> usize {
        let Some(known) = self.by_opcode.get(opcode) else {
            return 0;
        };
        let names = known.instructions.iter();
        let names = names.map(|it| self.outline.headings[usize::from(*it)].name);
        let length = |name: &str| {
            let mut length = 0;
            for fixed in name.split('.').skip(1) {
                (words.get(length) == Some(&fixed)).then(|| length += 1)?;
            }
            Some(length)
        };
        names.filter_map(length).max().unwrap_or_default()
    }

    fn of(&self, indices: &[u16]) -> impl Iterator<Item = &Instruction> {
        let all = indices.iter();
        all.filter_map(|it| self.instruction(usize::from(*it)))
    }

    /// The role of an opcode with its words, which are given without their periods; of unknown or
    /// incomplete ones the nearest forms count.
    pub fn role<'w, W: Iterator<Item = &'w str>>(
        &self,
        opcode: &str,
        words: impl FnOnce() -> W,
    ) -> Role {
        let Some(known) = self.by_opcode.get(opcode) else {
            return role::FIRST_IS_WRITTEN;
        };
        let find = || role::common(self.of(&known.instructions));
        known.role.get_or_init(find).unwrap_or_else(|| {
            let words: Vec<&str> = words().collect();
            role::nearest(|| self.of(&known.instructions), &words)
        })
    }

    /// Whether some form of an opcode takes part in a protocol between threads, copies and matrix units.
    #[must_use]
    pub fn has_events(&self, opcode: &str) -> bool {
        let Some(known) = self.by_opcode.get(opcode) else {
            return false;
        };
        let any = |it: &(&str, Facts)| it.1.has_events();
        *known
            .events
            .get_or_init(|| self.facts_of(known).iter().any(any))
    }

    /// Whether some form of an opcode reads the address of a variable by its name, without brackets.
    #[must_use]
    pub fn reads_names(&self, opcode: &str) -> bool {
        let known = self.by_opcode.get(opcode);
        known.is_some_and(|it| self.facts_of(it).iter().any(|it| it.1.reads_names()))
    }

    /// The semantics of the instruction that an opcode and words mean, and its name; `None` if there is no such
    /// opcode, or if the words do not say yet which instruction it is.
    fn facts<'w>(
        &self,
        opcode: &str,
        words: impl Iterator<Item = &'w str> + Clone,
    ) -> Option<&(&'static str, Facts)> {
        let known = self.by_opcode.get(opcode)?;
        let named = |it: &&(&str, Facts)| {
            let mut words = words.clone();
            let mut fixed = it.0.split('.').skip(1);
            fixed.all(|it| words.next() == Some(it))
        };
        self.facts_of(known).iter().find(named)
    }

    /// The semantics of the instructions that begin with an opcode, by name.
    fn facts_of<'t>(&'t self, known: &'t Opcode) -> &'t [(&'static str, Facts)] {
        known.facts.get_or_init(|| {
            let mut names: Vec<&str> = Vec::new();
            for index in &known.instructions {
                let name = self.outline.headings[usize::from(*index)].name;
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            let read = |name| Some((name, self.outline.facts(name, None).ok()?));
            names.into_iter().filter_map(read).collect()
        })
    }

    /// The effects of an opcode with its words, which are given without their periods, whether they fit or not.
    pub fn semantics<'w>(
        &self,
        opcode: &str,
        words: impl Iterator<Item = &'w str> + Clone,
    ) -> Semantics {
        let found = self.facts(opcode, words.clone());
        found.map_or(Semantics::UNKNOWN, |it| it.1.semantics(words))
    }

    /// The words that are assumed where an opcode with its words, given without their periods, has none in their
    /// place.
    #[must_use]
    pub fn assumed(&self, opcode: &str, words: &[&str]) -> Assumed {
        let Some((name, facts)) = self.facts(opcode, words.iter().copied()) else {
            return Assumed::default();
        };
        let present = facts.present(words.iter().copied());
        let mut out = Assumed::default();
        for word in facts.assumed(present) {
            // What may appear in its place, and before it.
            let (mut place, mut before) = (Vec::new(), Vec::new());
            for instruction in self.with_name(name) {
                let Some(id) = instruction.word_ids.get(word) else {
                    continue;
                };
                let names = |it: &WordSet| {
                    let ids: Vec<u16> = it.iter().collect();
                    ids.into_iter().map(|it| instruction.words[usize::from(it)])
                };
                before.extend(instruction.fixed.iter().copied());
                for variant in &instruction.variants {
                    let Some(slot) = variant.slots.iter().position(|it| it.values.contains(*id))
                    else {
                        continue;
                    };
                    place.extend(names(&variant.slots[slot].values));
                    variant.slots[..slot]
                        .iter()
                        .for_each(|it| before.extend(names(&it.values)));
                }
            }
            if words.iter().any(|it| place.contains(it)) {
                continue;
            }
            if out.words.is_empty() {
                let last = words.iter().rposition(|it| before.contains(it));
                out.after = last.map_or(0, |it| it + 1);
            }
            out.words.push(word);
        }
        out
    }

    /// The computation of an instruction, as the lines of its block state it; tests of the opcode (`$ = names`) are kept.
    #[must_use]
    pub fn computation(&self, instruction: &Instruction) -> Option<&Computation> {
        let read = || self.outline.computation(instruction.block).ok();
        self.computations
            .get(instruction.block)?
            .get_or_init(read)
            .as_ref()
    }

    /// How events are written.
    #[must_use]
    pub fn spellings(&self) -> &[Spelling] {
        &self.outline.spellings
    }

    /// How an event is written; `None` for those that no message names.
    #[must_use]
    pub fn spelling(&self, event: EventKind) -> Option<&Spelling> {
        self.spellings().iter().find(|it| it.event == event)
    }

    /// An instruction that does an event, as a message names it; empty for those that no message names.
    #[must_use]
    pub fn name_of(&self, event: EventKind) -> &'static str {
        self.spelling(event).map_or("", |it| it.name)
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
    ("sets.isa", include_str!("../../tables/sets.isa")),
    ("async.isa", include_str!("../../tables/async.isa")),
    ("atomic.isa", include_str!("../../tables/atomic.isa")),
    ("convert.isa", include_str!("../../tables/convert.isa")),
    ("fabric.isa", include_str!("../../tables/fabric.isa")),
    ("float.isa", include_str!("../../tables/float.isa")),
    ("flow.isa", include_str!("../../tables/flow.isa")),
    ("integer.isa", include_str!("../../tables/integer.isa")),
    ("logic.isa", include_str!("../../tables/logic.isa")),
    ("matrix.isa", include_str!("../../tables/matrix.isa")),
    ("memory.isa", include_str!("../../tables/memory.isa")),
    ("misc.isa", include_str!("../../tables/misc.isa")),
    ("surface.isa", include_str!("../../tables/surface.isa")),
    ("sync.isa", include_str!("../../tables/sync.isa")),
    ("tensor.isa", include_str!("../../tables/tensor.isa")),
    ("texture.isa", include_str!("../../tables/texture.isa")),
    ("video.isa", include_str!("../../tables/video.isa")),
];
