//! One reading of a statement, and what is wrong with it.

use crate::{
    condition::{Atom, Choices},
    kind::Kind,
    matcher::{
        Mismatch, OperandProblem, Place, Problem, Reason, Statement, Wanted, choices, fit,
        match_operands,
    },
    matching::{
        kinds::ELEMENTS,
        vector::{self, alike},
    },
    messages,
    operand::Operand,
    table::{Consequence, Instruction, Rule, Tables, Variant, WordSet},
    target::Gate,
    types::type_of,
};

use super::{
    likeness::kin,
    remedy::{extend, superfluous},
};

/// One way to read a statement as a variant.
pub(super) struct Reading<'t> {
    pub(super) cost: u32,
    pub(super) instruction: &'t Instruction,
    pub(super) variant: &'t Variant,
    /// Word id and index among the words after the fixed ones.
    pub(super) slots: Vec<Option<(u16, usize)>>,
    /// Words that no slot takes, as such indices.
    pub(super) extra: Vec<usize>,
    /// Slots that lack their word, each with the index in `extra` of the word that stands for it.
    pub(super) missing: Vec<(usize, Option<usize>)>,
    /// Words of the only missing slot with which the rest fits best.
    pub(super) fitting: WordSet,
}

pub(super) fn broken_rules<'a, 't>(
    variant: &'t Variant,
    choices: &'a Choices<'_>,
) -> impl Iterator<Item = &'t Rule> + use<'a, 't> {
    let broken = move |rule: &&'t Rule| match &rule.then {
        Consequence::Gate(_) => false,
        Consequence::Never => rule.when.holds(choices),
        Consequence::Require(then) => rule.when.holds(choices) && !then.holds(choices),
    };
    variant.rules.iter().filter(broken)
}

/// The gates that the module does not meet, and where.
pub(super) fn gates<'t>(
    instruction: &'t Instruction,
    variant: &'t Variant,
    slots: &[Option<(u16, usize)>],
    choices: &Choices<'_>,
    fixed: usize,
) -> Vec<(&'t Gate, Place)> {
    let module = choices.module;
    let mut out = Vec::new();
    let mut check = |gate: &'t Gate, place: Place| {
        if !gate.admits_version(module.version) || !gate.admits_target(module.target) {
            out.push((gate, place));
        }
    };
    check(&instruction.gate, Place::Opcode);
    check(&variant.gate, Place::Opcode);
    for (slot, it) in variant.slots.iter().zip(slots) {
        if let Some((id, index)) = it {
            for (set, gate) in slot.gates.iter() {
                if set.contains(*id) {
                    check(gate, Place::Word(fixed + index));
                }
            }
        }
    }
    for rule in &variant.rules {
        if let Consequence::Gate(gate) = &rule.then
            && rule.when.holds(choices)
        {
            check(gate, place_of(rule, slots, fixed));
        }
    }
    out
}

/// The word that a rule is about: the first that its condition names and that is there.
fn place_of(rule: &Rule, slots: &[Option<(u16, usize)>], fixed: usize) -> Place {
    let mut words = rule.when.0.iter().flatten().filter_map(|it| match it {
        Atom::Word(id) => slots.iter().flatten().find(|it| it.0 == *id).copied(),
        Atom::Slot(slot) | Atom::In(slot, _) => slots.get(usize::from(*slot)).copied().flatten(),
        _ => None,
    });
    words
        .next()
        .map_or(Place::Statement, |it| Place::Word(fixed + it.1))
}

impl<'t> Reading<'t> {
    fn spell(&self, set: &WordSet) -> Vec<&'t str> {
        set.iter()
            .map(|it| self.instruction.words[usize::from(it)])
            .collect()
    }

    /// The words of a slot, and how many of them fit the rest of the statement: those come first.
    fn choices_of(&self, slot: usize, wrong: Option<&str>) -> (Vec<&'t str>, usize) {
        let values = &self.variant.slots[slot].values;
        let mut words = self.spell(&self.fitting);
        // `.f16` of a load is `.b16`, not the `.b8` that its register would hold as well.
        if let Some(ty) = wrong.and_then(type_of) {
            let same = |it: &&str| type_of(it).is_some_and(|it| it.bits == ty.bits);
            if words.iter().any(same) {
                words.retain(same);
            }
        }
        let fitting = words.len();
        extend(&mut words, &self.spell(values));
        let some = fitting > 0 && fitting < words.len();
        (words, if some { fitting } else { 0 })
    }

    /// The problem with the statement in this reading.
    pub(super) fn problems(
        &self,
        tables: &'t Tables,
        statement: &Statement<'_>,
    ) -> Vec<Problem<'t>> {
        let fixed = self.instruction.fixed.len();
        let mut problems = Vec::new();
        for &(slot, word) in &self.missing {
            let word = word.map(|it| (fixed + it, statement.words[fixed + it]));
            let (words, fitting) = self.choices_of(slot, word.map(|it| it.1));
            let earlier = self.slots[..slot].iter().flatten().map(|it| it.1 + 1).max();
            let before = fixed + earlier.unwrap_or_default();
            let problem = match word {
                None => Problem {
                    place: Place::Statement,
                    reason: Reason::Missing { words, before },
                },
                Some((index, word))
                    if self.variant.slots[slot].positional && words.contains(&word) =>
                {
                    Problem {
                        place: Place::Word(index),
                        reason: Reason::Misplaced { before },
                    }
                }
                Some((index, _)) => Problem {
                    place: Place::Word(index),
                    reason: Reason::Word {
                        allowed: words,
                        fitting,
                    },
                },
            };
            problems.push(problem);
        }
        let used = |it: usize| self.missing.iter().any(|missing| missing.1 == Some(it));
        for index in self.extra.iter().copied().filter(|it| !used(*it)) {
            let word = statement.words[fixed + index];
            let known = || tables.with_opcode(statement.opcode);
            let reason = if known().any(|it| it.word_ids.contains_key(word)) {
                superfluous(tables, statement, fixed + index)
            } else {
                Reason::Word {
                    allowed: self.free_words(tables, word),
                    fitting: 0,
                }
            };
            problems.push(Problem {
                place: Place::Word(fixed + index),
                reason,
            });
        }
        if problems.is_empty() {
            self.beyond_words(tables, statement, &mut problems);
        }
        problems
    }

    /// The words of slots that are empty; those of the sort of `word` if there are any.
    fn free_words(&self, tables: &Tables, word: &str) -> Vec<&'t str> {
        let mut free = WordSet::default();
        for (slot, it) in self.variant.slots.iter().zip(&self.slots) {
            if it.is_none() {
                free.extend(&slot.values);
            }
        }
        let all = self.spell(&free);
        let alike = |it: &&&str| kin(it, word);
        let related: Vec<&str> = all.iter().filter(alike).copied().collect();
        if !related.is_empty() {
            return related;
        }
        // What is beside the word in a slot of some other instruction: the other state spaces.
        let homes: Vec<(&Instruction, u16)> = tables
            .instructions()
            .filter_map(|it| Some((it, *it.word_ids.get(word)?)))
            .collect();
        let sisters = |it: &&&str| {
            homes.iter().any(|(instruction, a)| {
                let Some(b) = instruction.word_ids.get(**it) else {
                    return false;
                };
                let mut slots = instruction.variants.iter().flat_map(|it| &it.slots);
                slots.any(|it| it.values.contains(*a) && it.values.contains(*b))
            })
        };
        let related: Vec<&str> = all.iter().filter(sisters).copied().collect();
        if related.is_empty() { all } else { related }
    }

    /// Broken rules; if there are none, wrong operands; if there are none, gates.
    fn beyond_words(
        &self,
        tables: &'t Tables,
        statement: &Statement<'_>,
        problems: &mut Vec<Problem<'t>>,
    ) {
        let fixed = self.instruction.fixed.len();
        let mut choices = choices(self.instruction, &self.slots, statement);
        let operands = statement.operands;
        let operands = match_operands(self.variant, operands, &mut choices, true, &mut |_, _| {});
        problems.extend(broken_rules(self.variant, &choices).map(|rule| Problem {
            place: place_of(rule, &self.slots, fixed),
            reason: Reason::Rule(messages::rule(rule, self.variant, &choices)),
        }));
        if !problems.is_empty() {
            return;
        }
        problems.extend(operands.into_iter().map(|it| match it {
            OperandProblem::Count(least, most) => Problem {
                place: Place::Statement,
                reason: Reason::Count(least, most),
            },
            OperandProblem::Operand(it) => operand_problem(&it, statement.operands, &choices),
        }));
        if let Some(problem) = swapped(tables, statement, problems) {
            *problems = vec![problem];
        }
        // Several operands that are wrong for one reason: they are those of another type or shape.
        if problems.len() > 1
            && let Some(problem) = self.unlike(statement)
        {
            *problems = vec![problem];
        }
        if problems.is_empty() {
            let gates = gates(self.instruction, self.variant, &self.slots, &choices, fixed);
            problems.extend(gates.into_iter().map(|(gate, place)| Problem {
                place,
                reason: Reason::Gate(gate),
            }));
        }
    }

    /// The word that, if it were another one, would make all operands right.
    fn unlike(&self, statement: &Statement<'_>) -> Option<Problem<'t>> {
        let fixed = self.instruction.fixed.len();
        let mut slots = self.slots.clone();
        for (index, slot) in self.variant.slots.iter().enumerate() {
            let Some((present, word)) = self.slots[index] else {
                continue;
            };
            let mut words = Vec::new();
            for id in slot.values.iter().filter(|it| *it != present) {
                slots[index] = Some((id, word));
                let mut choices = choices(self.instruction, &slots, statement);
                let operands = statement.operands;
                let fits =
                    match_operands(self.variant, operands, &mut choices, false, &mut |_, _| {})
                        .is_empty()
                        && broken_rules(self.variant, &choices).next().is_none()
                        && gates(self.instruction, self.variant, &slots, &choices, fixed)
                            .is_empty();
                if fits {
                    words.push(self.instruction.words[usize::from(id)]);
                }
            }
            slots[index] = self.slots[index];
            if !words.is_empty() {
                return Some(Problem {
                    place: Place::Word(fixed + word),
                    reason: Reason::Unlike { words },
                });
            }
        }
        None
    }
}

/// Two wrong operands that are right in each other's place.
fn swapped<'t>(
    tables: &Tables,
    statement: &Statement<'_>,
    problems: &[Problem<'_>],
) -> Option<Problem<'t>> {
    let [first, second] = problems else {
        return None;
    };
    let (first, second) = (first.place.operand()?, second.place.operand()?);
    let mut operands = statement.operands.to_vec();
    operands.swap(first, second);
    let other = Statement {
        operands: &operands,
        ..*statement
    };
    fit(tables, &other).map(|_| Problem {
        place: Place::Operand(first),
        reason: Reason::Swapped { with: second },
    })
}

/// The problem with an operand; in braces the element that is wrong, if one is.
fn operand_problem<'t>(
    mismatch: &Mismatch<'t>,
    operands: &[Operand],
    choices: &Choices<'_>,
) -> Problem<'t> {
    let operand = mismatch.operand;
    let mut place = match mismatch.element {
        Some(element) => Place::Element { operand, element },
        None => Place::Operand(operand),
    };
    let kinds = match mismatch.wanted {
        Wanted::Brackets => vec!["an address in brackets `[…]`".to_owned()],
        Wanted::Elements(patterns) => vec![messages::elements(patterns, choices)],
        Wanted::Suffix(Some(word)) => vec![format!("no word but `.{word}` after the bracket")],
        Wanted::Suffix(None) => vec!["no word after the bracket".to_owned()],
        Wanted::Pair(kinds) => vec![format!(
            "a pair `a|b` whose second part is {}",
            messages::any_of(kinds, choices)
        )],
        Wanted::NoPair => vec!["one operand, not a pair".to_owned()],
        Wanted::Kinds(mut kinds) => {
            let found = if mismatch.element.is_none() {
                operands.get(operand)
            } else {
                None
            };
            if let Some(Operand::Vector(elements)) = found
                && alike(elements)
                && let Some((element, inner)) = wrong_element(elements, kinds, choices)
            {
                place = Place::Element { operand, element };
                kinds = inner;
            }
            messages::kinds(kinds, choices)
        }
    };
    Problem {
        place,
        reason: Reason::Kind(kinds),
    }
}

/// The element of braces of the right size that makes them wrong, and what it may be.
fn wrong_element<'t>(
    elements: &[Operand],
    kinds: &'t [Kind],
    choices: &Choices<'_>,
) -> Option<(usize, &'t [Kind])> {
    kinds.iter().find_map(|kind| {
        let Kind::Vector(it) = kind else {
            return None;
        };
        Some((
            vector::wrong_element(it, elements, choices, ELEMENTS)?,
            &it.element[..],
        ))
    })
}
