//! Mistakes in what an instruction computes: names that mean nothing where a line holds, modifiers, operands and results
//! of which no line speaks, and arithmetic that is not one rounded operation.
//!
//! Each form is tried with every combination of words and operands that its lines and its operands tell apart.

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use super::{
    names::{BlockWords, Walk, each_name, each_word},
    raw::{Block, DefinitionKind, Result},
    scanner::split_outside,
};
use crate::{
    condition::{Atom, Choices},
    kind::Kind,
    tables::{
        computation::{Choice, Clause, Computation, Expression, TestSubject},
        instruction::{Form, Instruction, OperandPattern, Presence, Variant},
    },
    target::{Module, Suffix, Target as Gpu, TextureMode, Version},
};

type Mistake = (usize, String);

/// The first mistake in the computation of a block.
pub(super) fn check(
    block: &Block,
    computation: &Computation,
    instructions: &[&Instruction],
    ignored: &[&'static str],
) -> Option<Mistake> {
    let mut ignored: FxHashSet<&str> = ignored.iter().copied().collect();
    for line in &computation.lines {
        if let Clause::Ignores(words) = &line.clause {
            ignored.extend(words);
        }
    }
    let checker = Checker {
        block,
        computation,
        words: BlockWords(instructions),
        ignored,
        needed: RefCell::default(),
    };
    checker.run().err()
}

struct Checker<'c> {
    block: &'c Block,
    computation: &'c Computation,
    words: BlockWords<'c>,
    /// Slots, words and operands that change no value.
    ignored: FxHashSet<&'static str>,
    /// Those of them of which nothing else speaks.
    needed: RefCell<FxHashSet<&'static str>>,
}

impl Checker<'_> {
    fn run(&self) -> Result<()> {
        let header = self.block.header.map_or(1, |it| it.number);
        let lines = &self.computation.lines;
        let states = |it: &Clause| matches!(it, Clause::Nothing | Clause::Effects(_));
        if !lines.iter().any(|it| states(&it.clause)) {
            let message = format!(
                "`{}` does not state what it computes: a line `computes …`, or `computes nothing`, must",
                self.block.names.join(" ")
            );
            return Err((header, message));
        }
        for line in lines {
            for test in line.when.iter().flatten() {
                self.subject(&test.subject)
                    .map_err(|it| (line.number, it))?;
            }
            if let Clause::Ignores(names) = &line.clause {
                for name in names {
                    if !(self.words.is_slot(name)
                        || self.words.has_word(name)
                        || self.words.is_operand(name))
                    {
                        let message = format!("`{name}` is neither a slot, a word nor an operand");
                        return Err((line.number, message));
                    }
                }
            }
        }
        let mut held: FxHashSet<usize> = FxHashSet::default();
        for instruction in self.words.0 {
            for variant in &instruction.variants {
                self.cases(instruction, variant, &mut |choice| {
                    let holding = lines.iter().filter(|it| it.holds(choice));
                    held.extend(holding.map(|it| it.number));
                    self.case(choice, header)
                })?;
            }
        }
        match lines.iter().find(|it| !held.contains(&it.number)) {
            Some(line) => Err((
                line.number,
                "no form has what this line is about".to_owned(),
            )),
            None => self.modifiers(header),
        }
    }

    /// Checks that a condition names what is there.
    fn subject(&self, subject: &TestSubject) -> std::result::Result<(), String> {
        let names = self.block.names.join("`, `");
        match subject {
            TestSubject::Word(word) if !self.words.has_word(word) => {
                Err(format!("no form of `{names}` has the word `.{word}`"))
            }
            TestSubject::Slot(slot) | TestSubject::OneOf(slot, _) if !self.words.is_slot(slot) => {
                Err(format!("`{slot}` is not a slot of `{names}`"))
            }
            TestSubject::OneOf(slot, words) => {
                let holds = |word: &&&str| {
                    let mut all = self.words.0.iter();
                    all.any(|instruction| {
                        let id = instruction.word_ids.get(**word);
                        let of = |it: &Variant| {
                            let mut slots = it.slots.iter().filter(|it| it.name == *slot);
                            slots.any(|it| id.is_some_and(|id| it.values.contains(*id)))
                        };
                        instruction.variants.iter().any(of)
                    })
                };
                // A set may hold words of other instructions.
                match words.iter().any(|it| holds(&it)) {
                    true => Ok(()),
                    false => Err(format!("`{slot}` has no word `.{}`", words.join("`, `."))),
                }
            }
            TestSubject::Instruction(list) => {
                match list.iter().find(|it| !self.block.names.contains(it)) {
                    Some(name) => Err(format!("`{name}` is not an instruction of this block")),
                    None => Ok(()),
                }
            }
            TestSubject::Operand(name) if !self.words.is_operand(name) => {
                Err(format!("no form of `{names}` has an operand `{name}`"))
            }
            _ => Ok(()),
        }
    }

    /// Calls a function with the combinations of words and operands of a variant, one for each that lines or operands
    /// tell apart.
    fn cases(
        &self,
        instruction: &Instruction,
        variant: &Variant,
        with: &mut dyn FnMut(&Choice<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut atoms = Vec::new();
        for pattern in &variant.operands {
            each_presence(pattern, &mut |it| {
                if let Presence::If(condition) = it {
                    atoms.extend(condition.0.iter().flatten());
                }
            });
        }
        let mut words: Vec<Vec<Option<u16>>> = Vec::new();
        for (index, slot) in variant.slots.iter().enumerate() {
            let mut seen = FxHashSet::default();
            let mut choices: Vec<Option<u16>> = Vec::new();
            for id in slot.values.iter() {
                let word = instruction.words[usize::from(id)];
                let mut signature = Vec::new();
                for test in self
                    .computation
                    .lines
                    .iter()
                    .flat_map(|it| &it.when)
                    .flatten()
                {
                    signature.push(u16::from(match &test.subject {
                        TestSubject::Word(it) => *it == word,
                        TestSubject::OneOf(of, words) => *of == slot.name && words.contains(&word),
                        _ => false,
                    }));
                }
                for atom in &atoms {
                    signature.push(match atom {
                        Atom::Word(it) | Atom::NoWord(it) => u16::from(*it == id),
                        Atom::In(of, set) | Atom::NotIn(of, set) => {
                            u16::from(usize::from(*of) == index && set.contains(id))
                        }
                        Atom::Same(..)
                        | Atom::Different(..)
                        | Atom::Compare(..)
                        | Atom::AtMost(..) => id,
                        _ => 0,
                    });
                }
                if seen.insert(signature) {
                    choices.push(Some(id));
                }
            }
            if !slot.required {
                choices.push(None);
            }
            words.push(choices);
        }
        let mut at = vec![0; words.len()];
        loop {
            let slots: Vec<Option<u16>> = words.iter().zip(&at).map(|(it, at)| it[*at]).collect();
            let mut choices = Choices {
                opcode: instruction.opcode,
                words: &instruction.words,
                present: Default::default(),
                operands: Vec::new(),
                integers: Vec::new(),
                module: Module {
                    texture_mode: TextureMode::Independent,
                    ..Module::new(
                        Version::new(9, 4),
                        Gpu {
                            number: 107,
                            suffix: Suffix::Architecture,
                        },
                    )
                },
                slots,
            };
            for id in choices.slots.iter().flatten() {
                choices.present.insert(*id);
            }
            let mut lists = vec![Vec::new()];
            for pattern in &variant.operands {
                lists = operands(pattern, lists, &mut choices);
            }
            for operands in &lists {
                with(&Choice {
                    instruction,
                    variant,
                    slots: &choices.slots,
                    operands,
                })?;
            }
            // The next combination.
            let Some(next) = (0..at.len()).find(|it| at[*it] + 1 < words[*it].len()) else {
                return Ok(());
            };
            at[next] += 1;
            at[..next].fill(0);
        }
    }

    /// Checks what is stated of a combination.
    fn case(&self, choice: &Choice<'_>, header: usize) -> Result<()> {
        let stated = self.computation.of(choice);
        let mut results: Vec<&str> = Vec::new();
        for pattern in choice.variant.operands.iter().filter(|it| it.written) {
            // `_` alone is not a result, and the callee computes those of a call.
            let register = |it: &Kind| !matches!(it, Kind::Any | Kind::Sink | Kind::Name(_));
            match &pattern.form {
                Form::Plain(kinds) if !kinds.iter().any(register) => {}
                _ => each_name(pattern, &mut |it| results.push(it)),
            }
        }
        let has = |name: &&str| choice.operands.contains(name);
        let stated_of = |name: &&str| {
            let mut effects = stated.effects.iter();
            effects.any(|it| it.1.target.operand() == Some(*name))
        };
        if let Some(name) = results
            .iter()
            .filter(|it| has(it))
            .find(|it| !stated_of(it))
        {
            let message = format!(
                "no line says what `{name}` of `{}` becomes{}",
                choice.variant.syntax,
                shown(choice)
            );
            return Err((header, message));
        }
        if stated.effects.is_empty() {
            return Ok(());
        }
        let mut walk = Walk {
            words: self.words,
            choice,
            stated: &stated,
            bound: Vec::new(),
            matrix: false,
            open: Vec::new(),
            used: FxHashSet::default(),
        };
        for (number, effect) in &stated.effects {
            walk.effect(effect).map_err(|it| at(*number, it, choice))?;
        }
        for (number, condition) in &stated.unspecified {
            walk.value(condition)
                .map_err(|it| at(*number, it, choice))?;
        }
        for line in &self.computation.lines {
            for test in line.when.iter().flatten() {
                if let TestSubject::Operand(name) = test.subject {
                    walk.used.insert(name);
                }
            }
        }
        let written = |name: &str| {
            let mut operands = choice.variant.operands.iter();
            results.contains(&name) || operands.any(|it| it.written && it.name == name)
        };
        let unread = choice.operands.iter().copied();
        let unread = unread.filter(|it| !written(it) && !walk.used.contains(it));
        for name in unread {
            if !self.ignored.contains(name) {
                let message = format!(
                    "no line reads `{name}` of `{}`{}: `ignores {name}` says that it changes no value",
                    choice.variant.syntax,
                    shown(choice)
                );
                return Err((header, message));
            }
            self.needed.borrow_mut().insert(name);
        }
        Ok(())
    }

    /// Checks that each modifier is in a condition, an expression or the type of an operand, or ignored.
    fn modifiers(&self, header: usize) -> Result<()> {
        let lines = &self.computation.lines;
        if !lines
            .iter()
            .any(|it| matches!(it.clause, Clause::Effects(_)))
        {
            return Ok(());
        }
        let mut used: FxHashSet<&str> = FxHashSet::default();
        for line in lines {
            for test in line.when.iter().flatten() {
                match &test.subject {
                    TestSubject::Word(it) | TestSubject::Slot(it) | TestSubject::OneOf(it, _) => {
                        used.insert(it);
                    }
                    _ => {}
                }
            }
            let mut names = |it: &Expression| each_word(it, &mut |it| _ = used.insert(it));
            match &line.clause {
                Clause::Let(all) => all.iter().for_each(|it| names(&it.value)),
                Clause::Effects(all) => all.iter().for_each(|it| it.each_expression(&mut names)),
                Clause::Unspecified(it) => names(it),
                _ => {}
            }
            if let Clause::Effects(effects) = &line.clause {
                if effects.iter().any(|it| it.matrix) {
                    // The types of the elements of fragments.
                    used.extend(["atype", "btype", "ctype", "dtype", "stype", "shape"]);
                }
                used.extend(effects.iter().filter_map(|it| it.ty));
            }
        }
        // The types of operands, without the conditions of kinds and of operands.
        let of_variants = self.block.variants.iter().flat_map(|it| &it.1);
        for definition in of_variants.chain(&self.block.shared) {
            let DefinitionKind::Operand { kinds, .. } = definition.kind else {
                continue;
            };
            let kinds = kinds.split(" if ").next().unwrap_or(kinds);
            for kind in split_outside(kinds, b'|') {
                let kind = kind.split(" when ").next().unwrap_or(kind);
                used.extend(kind.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')));
            }
        }
        for instruction in self.words.0 {
            for slot in instruction.variants.iter().flat_map(|it| &it.slots) {
                let words = slot.values.iter();
                let words = words.map(|it| instruction.words[usize::from(it)]);
                let mut names: Vec<&str> = words.collect();
                let fixed = slot.required && names.len() < 2;
                names.push(slot.name);
                if fixed || names.iter().any(|it| used.contains(it)) {
                    continue;
                }
                names.retain(|it| self.ignored.contains(it));
                let ignored = names;
                if ignored.is_empty() {
                    let message = format!(
                        "no line says what `.{0}` of `{1}` changes: `ignores {0}` says that it changes no value",
                        slot.name, instruction.name
                    );
                    return Err((header, message));
                }
                self.needed.borrow_mut().extend(ignored);
            }
        }
        let needed = self.needed.borrow();
        for line in lines {
            let Clause::Ignores(names) = &line.clause else {
                continue;
            };
            let names = names.iter().filter(|it| !needed.contains(*it));
            let names: Vec<String> = names.map(|it| format!("`{it}`")).collect();
            if !names.is_empty() {
                let names = names.join(", ");
                let message = format!(
                    "{names}: no need to ignore what other lines speak of, or every form has"
                );
                return Err((line.number, message));
            }
        }
        Ok(())
    }
}

/// A message with the words of the combination.
fn at(number: usize, message: String, choice: &Choice<'_>) -> Mistake {
    (
        number,
        format!("{message}, in `{}`{}", choice.variant.syntax, shown(choice)),
    )
}

/// The words that a combination chooses.
fn shown(choice: &Choice<'_>) -> String {
    let slots = choice.variant.slots.iter().zip(choice.slots);
    let open = slots.filter(|(it, _)| !it.required || it.values.iter().nth(1).is_some());
    let words = open.filter_map(|(_, word)| *word);
    let words: String = words
        .map(|it| format!(".{}", choice.instruction.words[usize::from(it)]))
        .collect();
    match words.is_empty() {
        true => words,
        false => format!(" with {words}"),
    }
}

fn each_presence<'p>(pattern: &'p OperandPattern, with: &mut dyn FnMut(&'p Presence)) {
    with(&pattern.presence);
    match &pattern.form {
        Form::Plain(_) => {}
        Form::Bracket(inner, _) => inner.iter().for_each(|it| each_presence(it, with)),
        Form::Pair(_, inner) => each_presence(inner, with),
    }
}

/// The lists with the names of a pattern, for each way in which its optional parts may be there.
fn operands(
    pattern: &OperandPattern,
    lists: Vec<Vec<&'static str>>,
    choices: &mut Choices<'_>,
) -> Vec<Vec<&'static str>> {
    let mut out = Vec::new();
    for list in lists {
        let there = match &pattern.presence {
            Presence::Required => true,
            Presence::Optional => {
                out.push(list.clone());
                true
            }
            Presence::If(condition) => {
                choices.operands.clone_from(&list);
                condition.holds(choices)
            }
        };
        if !there {
            out.push(list);
            continue;
        }
        let mut with = list;
        out.extend(match &pattern.form {
            Form::Plain(_) => {
                with.push(pattern.name);
                vec![with]
            }
            Form::Pair(_, inner) => {
                with.push(pattern.name);
                operands(inner, vec![with], choices)
            }
            Form::Bracket(inner, _) => {
                let parts = inner.iter();
                parts.fold(vec![with], |lists, it| operands(it, lists, choices))
            }
        });
    }
    out
}
