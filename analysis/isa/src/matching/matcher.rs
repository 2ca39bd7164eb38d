//! Which variants of an instruction fit a statement, and why the others do not.

use super::{
    kinds::{fits, fits_bare},
    operand_path::{OperandPath, PairPart},
};
use crate::{
    condition::Choices,
    kind::Kind,
    operand::{Operand, Space, Symbol},
    quirks::{REPEATABLE, UNCHECKED, is_selector_ignored},
    table::{
        Consequence, Form, Instruction, OperandPattern, Presence, Rule, Slot, Tables, Variant,
        WordSet,
    },
    target::{Gate, Module},
};

/// A statement to be matched.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    /// The first word.
    pub opcode: &'a str,
    /// The words after it, without their periods, in the order of the text.
    pub words: &'a [&'a str],
    /// The operands.
    pub operands: &'a [Operand],
    /// The version and target for which it is checked.
    pub module: Module,
}

/// Result of matching.
#[derive(Debug)]
pub enum Outcome<'t> {
    /// A variant fits.
    Fit(Fit<'t>),
    /// None fits; the problems are those of the nearest variant.
    Mismatch(Vec<Problem<'t>>),
}

/// A variant that fits.
#[derive(Debug)]
pub struct Fit<'t> {
    /// The instruction.
    pub instruction: &'t Instruction,
    /// The variant.
    pub variant: &'t Variant,
    /// The word chosen for each slot.
    pub slots: Vec<Option<u16>>,
    /// Words that ptxas ignores, as indices into the words of the statement.
    pub ignored: Vec<usize>,
}

/// Where a problem appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The opcode.
    Opcode,
    /// A word after it, by index.
    Word(usize),
    /// An operand, by index.
    Operand(usize),
    /// An element of an operand in brackets or braces.
    Element {
        /// Index of the operand.
        operand: usize,
        /// Index of the element in it.
        element: usize,
    },
    /// The whole statement: something is missing.
    Statement,
}

impl Place {
    /// The operand, if it is one or in one.
    #[must_use]
    pub fn operand(self) -> Option<usize> {
        match self {
            Place::Operand(operand) | Place::Element { operand, .. } => Some(operand),
            _ => None,
        }
    }
}

/// Why a variant does not fit.
#[derive(Debug)]
pub struct Problem<'t> {
    /// Where.
    pub place: Place,
    /// What.
    pub reason: Reason<'t>,
}

/// The problem.
#[derive(Debug)]
pub enum Reason<'t> {
    /// No instruction has this opcode.
    UnknownOpcode,
    /// The opcode needs a certain word after it.
    FixedWord {
        /// The words that it may be.
        words: Vec<&'t str>,
        /// How many words before it are right.
        depth: usize,
    },
    /// No slot of the variant takes the word; another one may be meant.
    Word {
        /// Words that could stand for it.
        allowed: Vec<&'t str>,
        /// How many of the first of them go with the rest of the statement; 0 if that says nothing.
        fitting: usize,
    },
    /// The word is too much: the instruction knows it, but in other forms.
    Superfluous {
        /// The types with which it could appear here.
        types: Vec<&'t str>,
        /// Another word, by index, without which it could.
        conflict: Option<usize>,
    },
    /// The operands are not those of the word, but would be those of one of these.
    Unlike {
        /// The words.
        words: Vec<&'t str>,
    },
    /// The operand and another one are in each other's place.
    Swapped {
        /// Index of the other one.
        with: usize,
    },
    /// The word must appear further ahead.
    Misplaced {
        /// How many words of the statement are before its right place.
        before: usize,
    },
    /// One of these words is missing.
    Missing {
        /// The words.
        words: Vec<&'t str>,
        /// How many words of the statement are before the missing one in the order of the table.
        before: usize,
    },
    /// A rule of the table is broken: what it says, as a clause.
    Rule(String),
    /// The version or target is too low.
    Gate(&'t Gate),
    /// The number of operands is wrong: least and most.
    Count(usize, usize),
    /// The operand is of none of these kinds, which are given as noun phrases.
    Kind(Vec<String>),
}

/// The instructions whose opcode and fixed words the statement has.
pub(crate) fn candidates<'t>(
    tables: &'t Tables,
    statement: &Statement<'_>,
) -> impl Iterator<Item = &'t Instruction> {
    tables.with_opcode(statement.opcode).filter(|it| {
        let fixed = it.fixed.len();
        statement.words.len() >= fixed && statement.words[..fixed] == it.fixed[..]
    })
}

/// The first variant that fits a statement; cheaper than [`super::match_statement`] when none does.
#[must_use]
pub fn fit<'t>(tables: &'t Tables, statement: &Statement<'_>) -> Option<Fit<'t>> {
    candidates(tables, statement).find_map(|instruction| {
        let words = &statement.words[instruction.fixed.len()..];
        let mut ids = Vec::with_capacity(words.len());
        let (mut known, mut needed) = (WordSet::default(), WordSet::default());
        for (index, word) in words.iter().enumerate() {
            let id = instruction.word_ids.get(word).copied();
            let ignored = is_ignored(instruction, words, index, id);
            if id.is_none() && !ignored {
                return None;
            }
            if let Some(id) = id {
                known.insert(id);
                if !ignored {
                    needed.insert(id);
                }
            }
            ids.push(id);
        }
        // Most variants lack a word of the statement, or want one that it lacks.
        let mut variants = instruction.variants.iter().filter(|it| {
            let filled = |slot: &Slot| !slot.required || slot.values.intersects(&known);
            it.words.covers(&needed) && it.slots.iter().all(filled)
        });
        variants.find_map(|it| Search::new(instruction, it, statement, &ids).run())
    })
}

/// A depth-first search for an assignment of words to slots.
struct Search<'t, 's> {
    instruction: &'t Instruction,
    variant: &'t Variant,
    words: &'s [&'s str],
    ids: &'s [Option<u16>],
    fixed: usize,
    /// Word id and index of the word in the statement.
    slots: Vec<Option<(u16, usize)>>,
    ignored: Vec<usize>,
    statement: &'s Statement<'s>,
}

impl<'t, 's> Search<'t, 's> {
    fn new(
        instruction: &'t Instruction,
        variant: &'t Variant,
        statement: &'s Statement<'s>,
        ids: &'s [Option<u16>],
    ) -> Search<'t, 's> {
        let fixed = instruction.fixed.len();
        Search {
            instruction,
            variant,
            words: &statement.words[fixed..],
            ids,
            fixed,
            slots: vec![None; variant.slots.len()],
            ignored: Vec::new(),
            statement,
        }
    }

    fn run(&mut self) -> Option<Fit<'t>> {
        if self.positional() {
            self.place(self.first_free_word())
        } else {
            None
        }
    }

    fn first_free_word(&self) -> usize {
        self.variant
            .slots
            .iter()
            .zip(&self.slots)
            .filter(|(slot, it)| slot.positional && it.is_some())
            .count()
    }

    /// Fills the slots whose words must appear first.
    fn positional(&mut self) -> bool {
        let mut next = 0;
        for (index, slot) in self.variant.slots.iter().enumerate() {
            if !slot.positional {
                continue;
            }
            let id = self.ids.get(next).copied().flatten();
            match id.filter(|it| slot.values.contains(*it)) {
                Some(id) => {
                    self.slots[index] = Some((id, next));
                    next += 1;
                }
                None if slot.required => return false,
                None => {}
            }
        }
        true
    }

    /// Places the words from `next` on.
    fn place(&mut self, next: usize) -> Option<Fit<'t>> {
        let Some(id) = self.ids.get(next).copied() else {
            return self.finish();
        };
        let mut placed = false;
        if let Some(id) = id {
            for index in 0..self.variant.slots.len() {
                if !takes(self.variant, &self.slots, index, id) {
                    continue;
                }
                placed = true;
                self.slots[index] = Some((id, next));
                if let Some(fit) = self.place(next + 1) {
                    return Some(fit);
                }
                self.slots[index] = None;
            }
        }
        if !placed && is_ignored(self.instruction, self.words, next, id) {
            self.ignored.push(self.fixed + next);
            let fit = self.place(next + 1);
            if fit.is_none() {
                self.ignored.pop();
            }
            return fit;
        }
        None
    }

    /// All words are placed: checks that none is missing, the rules, the operands and the gates.
    fn finish(&mut self) -> Option<Fit<'t>> {
        let mut slots = self.variant.slots.iter().zip(&self.slots);
        if slots.any(|(slot, it)| slot.required && it.is_none()) {
            return None;
        }
        let mut choices = choices(self.instruction, &self.slots, self.statement);
        let operands = self.statement.operands;
        let operands = match_operands(self.variant, operands, &mut choices, false, &mut |_, _| {});
        let obeyed = |rule: &Rule| match &rule.then {
            Consequence::Gate(gate) => !rule.when.holds(&choices) || self.admits(gate),
            Consequence::Never => !rule.when.holds(&choices),
            Consequence::Require(then) => !rule.when.holds(&choices) || then.holds(&choices),
        };
        if !operands.is_empty() || !self.variant.rules.iter().all(obeyed) || !self.gates() {
            return None;
        }
        Some(Fit {
            instruction: self.instruction,
            variant: self.variant,
            slots: choices.slots,
            ignored: std::mem::take(&mut self.ignored),
        })
    }

    fn admits(&self, gate: &Gate) -> bool {
        let module = self.statement.module;
        gate.admits_version(module.version) && gate.admits_target(module.target)
    }

    /// Whether the module meets the gates of the instruction, the variant and the chosen words.
    fn gates(&self) -> bool {
        let mut words = self.variant.slots.iter().zip(&self.slots);
        self.admits(&self.instruction.gate)
            && self.admits(&self.variant.gate)
            && words.all(|(slot, it)| {
                it.is_none_or(|(id, _)| {
                    let mut gates = slot.gates.iter();
                    gates.all(|(set, gate)| !set.contains(id) || self.admits(gate))
                })
            })
    }
}

/// Whether an empty slot takes a word. Within a group the order of the text is the order of the slots.
pub(crate) fn takes(
    variant: &Variant,
    slots: &[Option<(u16, usize)>],
    index: usize,
    id: u16,
) -> bool {
    let slot = &variant.slots[index];
    let later = || variant.slots[index + 1..].iter().zip(&slots[index + 1..]);
    !slot.positional
        && slots[index].is_none()
        && slot.values.contains(id)
        && !later().any(|(other, it)| other.group == slot.group && it.is_some())
}

/// Whether ptxas ignores a word that no slot takes; `id` is its index if the instruction knows it.
pub(crate) fn is_ignored(
    instruction: &Instruction,
    words: &[&str],
    index: usize,
    id: Option<u16>,
) -> bool {
    let word = words[index];
    let repeated = || words[..index].contains(&word);
    // A word that the instruction knows is not ignored.
    (REPEATABLE.contains(&word) && (repeated() || instruction.fixed.contains(&word)))
        || (id.is_none() && UNCHECKED.contains(&word))
        || (instruction.spare.contains(&word) && !repeated())
}

/// An operand of a statement that a variant takes.
pub(crate) struct Taken<'a> {
    /// Its name in the head.
    pub(crate) name: &'static str,
    /// Where it is.
    pub(crate) path: OperandPath,
    /// Whether the instruction writes it.
    pub(crate) written: bool,
    /// The kinds that it may be of.
    pub(crate) kinds: &'a [Kind],
    /// The operand; a selector that ptxas ignores is left out.
    pub(crate) operand: &'a Operand,
}

/// The choice that the words of a statement make.
pub(crate) fn choices<'t>(
    instruction: &'t Instruction,
    slots: &[Option<(u16, usize)>],
    statement: &Statement<'_>,
) -> Choices<'t> {
    let mut present = WordSet::default();
    for (id, _) in slots.iter().flatten() {
        present.insert(*id);
    }
    Choices {
        opcode: instruction.opcode,
        words: &instruction.words,
        slots: slots.iter().map(|it| it.map(|it| it.0)).collect(),
        present,
        operands: Vec::new(),
        integers: Vec::new(),
        module: statement.module,
    }
}

/// The problem with the operands of a statement.
#[derive(Debug)]
pub(crate) enum OperandProblem<'t> {
    /// Their number; least and most.
    Count(usize, usize),
    /// One of them.
    Operand(Mismatch<'t>),
}

/// An operand that a variant does not take.
#[derive(Debug)]
pub(crate) struct Mismatch<'t> {
    /// Its index.
    pub(crate) operand: usize,
    /// Index of the element in brackets that is wrong.
    pub(crate) element: Option<usize>,
    /// The expectation.
    pub(crate) wanted: Wanted<'t>,
}

/// The expected operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'t> {
    /// One of these.
    Kinds(&'t [Kind]),
    /// Something in brackets.
    Brackets,
    /// Brackets with these elements.
    Elements(&'t [OperandPattern]),
    /// This word after the bracket, or none.
    Suffix(Option<&'static str>),
    /// A pair with such a second part.
    Pair(&'t [Kind]),
    /// No pair.
    NoPair,
}

/// Matches the operands in order; fills in which of the optional ones are there. Stops at the first
/// problem unless `all` are wanted. `take` is called for each operand that a pattern is compared with.
pub(crate) fn match_operands<'t>(
    variant: &'t Variant,
    operands: &[Operand],
    choices: &mut Choices<'_>,
    all: bool,
    take: &mut impl FnMut(&Taken<'_>, &Choices<'_>),
) -> Vec<OperandProblem<'t>> {
    let mut problems = Vec::new();
    let demanded: Vec<Option<bool>> = variant
        .operands
        .iter()
        .map(|it| match &it.presence {
            Presence::Required => Some(true),
            Presence::Optional => None,
            Presence::If(condition) => Some(condition.holds(choices)),
        })
        .collect();
    let least = demanded.iter().filter(|it| **it == Some(true)).count();
    let most = demanded.iter().filter(|it| **it != Some(false)).count();
    if operands.len() < least || operands.len() > most {
        return vec![OperandProblem::Count(least, most)];
    }
    // Optional operands are filled from the left, as long as there are more operands than required ones.
    let mut spare = operands.len() - least;
    let mut next = 0;
    for (pattern, demanded) in variant.operands.iter().zip(demanded) {
        let is_there = match demanded {
            Some(it) => it,
            None if spare > 0 => {
                spare -= 1;
                true
            }
            None => false,
        };
        if !is_there {
            continue;
        }
        choices.operands.push(pattern.name);
        if let Operand::Integer(value) = operands[next]
            && let Ok(value) = i64::try_from(value)
        {
            choices.integers.push((pattern.name, value));
        }
        // ptxas takes `d|_` for nearly every destination.
        let mut path = OperandPath::operand(next);
        let operand = match (&pattern.form, &operands[next]) {
            (Form::Plain(_), Operand::Pair(first, second))
                if next == 0
                    && matches!(**second, Operand::Sink)
                    && !matches!(**first, Operand::Vector(_) | Operand::Sink) =>
            {
                path.part = Some(PairPart::First);
                first
            }
            (_, operand) => operand,
        };
        if let Some((element, wanted)) = match_operand(pattern, operand, path, choices, take) {
            problems.push(OperandProblem::Operand(Mismatch {
                operand: next,
                element,
                wanted,
            }));
            if !all {
                break;
            }
        }
        next += 1;
    }
    problems
}

/// Whether the base of an address is a variable that `[a].unified` cannot name.
fn is_not_unified(address: &Operand) -> bool {
    let base = match address {
        Operand::Offset(base, _) => base,
        _ => address,
    };
    matches!(base, Operand::Symbol(Symbol::Variable(space, _)) if *space != Space::Unified)
}

/// The expected operand, and in brackets which element it is about; `None` if it fits. `take` is called for each
/// operand that a pattern is compared with.
pub(crate) fn match_operand<'t, T: FnMut(&Taken<'_>, &Choices<'_>)>(
    pattern: &'t OperandPattern,
    operand: &Operand,
    path: OperandPath,
    choices: &mut Choices<'_>,
    take: &mut T,
) -> Option<(Option<usize>, Wanted<'t>)> {
    let operand = match operand {
        Operand::Selected(base, selector)
            if is_selector_ignored(choices.opcode, pattern.name, base, selector) =>
        {
            base
        }
        Operand::Selected(..) => {
            choices.operands.push("selector");
            operand
        }
        _ => operand,
    };
    let taken = |kinds, operand, path| Taken {
        name: pattern.name,
        path,
        written: pattern.written,
        kinds,
        operand,
    };
    if let Operand::Unknown = operand {
        let kinds: &[Kind] = match &pattern.form {
            Form::Plain(kinds) | Form::Pair(kinds, _) => kinds,
            Form::Bracket(..) => &[],
        };
        take(&taken(kinds, operand, path), choices);
        return None;
    }
    match &pattern.form {
        Form::Plain(kinds) => {
            take(&taken(kinds, operand, path), choices);
            // Nothing is written to a sum.
            let sum = pattern.written && matches!(operand, Operand::Offset(..));
            (sum || !fits(kinds, operand, choices)).then_some((None, Wanted::Kinds(kinds)))
        }
        Form::Pair(kinds, second) => {
            let (first, rest) = match operand {
                Operand::Pair(a, b) => (&**a, Some(&**b)),
                _ => (operand, None),
            };
            let part = |part| OperandPath {
                part: Some(part),
                ..path
            };
            let place = rest.map_or(path, |_| part(PairPart::First));
            take(&taken(kinds, first, place), choices);
            let wanted = match &second.presence {
                Presence::Required => Some(true),
                Presence::Optional => None,
                Presence::If(condition) => Some(condition.holds(choices)),
            };
            if !fits(kinds, first, choices) {
                return Some((None, Wanted::Kinds(kinds)));
            }
            match (rest, wanted) {
                (None, Some(true)) => {
                    let Form::Plain(kinds) = &second.form else {
                        return None;
                    };
                    Some((None, Wanted::Pair(kinds)))
                }
                (Some(_), Some(false)) => Some((None, Wanted::NoPair)),
                (None, _) => None,
                (Some(rest), _) => {
                    choices.operands.push(second.name);
                    match (first, rest) {
                        (Operand::Sink | Operand::Vector(_), Operand::Sink) => {
                            Some((None, Wanted::Kinds(kinds)))
                        }
                        (_, Operand::Sink) if wanted.is_none() => {
                            if let Form::Plain(kinds) = &second.form {
                                let second = Taken {
                                    name: second.name,
                                    written: second.written,
                                    ..taken(kinds, rest, part(PairPart::Second))
                                };
                                take(&second, choices);
                            }
                            None
                        }
                        _ => match_operand(second, rest, part(PairPart::Second), choices, take),
                    }
                }
            }
        }
        Form::Bracket(patterns, suffix) => {
            let element;
            let (items, word) = match operand {
                Operand::Address(items, word) => (items, word),
                Operand::Element(base, at) if takes_elements(patterns) => {
                    element = vec![Operand::Offset(base.clone(), *at)];
                    (&element, &None)
                }
                _ if bare(patterns, operand, choices) => {
                    take(&taken(&[], operand, path), choices);
                    return None;
                }
                _ => return Some((None, Wanted::Brackets)),
            };
            if word.as_deref().is_some_and(|it| Some(it) != *suffix) {
                return Some((None, Wanted::Suffix(*suffix)));
            }
            if word.is_some() {
                choices.operands.push("unified");
                if items.iter().any(is_not_unified) {
                    return Some((None, Wanted::Suffix(None)));
                }
            }
            // ptxas reads no sum as the first of several.
            if let [Operand::Offset(..), _, ..] = &items[..] {
                return Some((Some(0), Wanted::Elements(patterns)));
            }
            let mut rest = &items[..];
            for (index, pattern) in patterns.iter().enumerate() {
                let later = patterns[index + 1..]
                    .iter()
                    .filter(|it| matches!(it.presence, Presence::Required))
                    .count();
                let is_there = match &pattern.presence {
                    Presence::Required => true,
                    Presence::Optional => rest.len() > later,
                    Presence::If(condition) => condition.holds(choices),
                };
                if !is_there {
                    continue;
                }
                let (Some(first), tail) = (rest.first(), rest.get(1..).unwrap_or(&[])) else {
                    return Some((None, Wanted::Elements(patterns)));
                };
                if index > 0 {
                    choices.operands.push(pattern.name);
                }
                let element = items.len() - rest.len();
                let place = match operand {
                    Operand::Address(..) => path.element(element),
                    _ => path,
                };
                if let Some((_, wanted)) = match_operand(pattern, first, place, choices, take) {
                    return Some((Some(element), wanted));
                }
                rest = tail;
            }
            if rest.is_empty() {
                None
            } else {
                Some((None, Wanted::Elements(patterns)))
            }
        }
    }
}

/// Whether `table[4]` may stand for `[table+4]`.
fn takes_elements(patterns: &[OperandPattern]) -> bool {
    matches!(
        patterns,
        [OperandPattern { form: Form::Plain(kinds), .. }] if kinds.iter().any(|it| matches!(it, Kind::Element))
    )
}

/// Whether the operand may appear without the brackets of this pattern.
fn bare(patterns: &[OperandPattern], operand: &Operand, choices: &Choices<'_>) -> bool {
    match patterns {
        [
            OperandPattern {
                form: Form::Plain(kinds),
                ..
            },
        ] => fits_bare(kinds, operand, choices),
        _ => false,
    }
}
