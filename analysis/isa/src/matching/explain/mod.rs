//! Why no variant fits a statement.
//!
//! Every variant is asked how much of the statement it explains: words are given to slots, what is left
//! over, missing or forbidden has a price, and the cheapest reading is told. Readings whose words are in
//! order come first, whatever the operands are: the words say which operation is meant.

use std::cmp::Ordering;

use crate::{
    binding::OperandPath,
    condition::Choices,
    matcher::{
        OperandProblem, Place, Problem, Reason, Statement, candidates, choices, is_ignored,
        match_operand, match_operands, takes,
    },
    table::{Instruction, Slot, Tables, Variant, WordSet},
    types::type_of,
};

use likeness::{is_gone, kin};
use reading::{Reading, broken_rules, gates};
use remedy::{complete, merge};

mod likeness;
mod reading;
mod remedy;

/// Price of a word that no slot takes, and of a broken rule.
const WORD: u32 = 100;
/// Price of a slot that lacks its word.
const MISSING: u32 = 98;
/// Price of replacing a word by another one of its slot; slightly less in the right position.
const REPLACED: u32 = 105;
const REPLACED_IN_PLACE: u32 = 102;
/// Price of the right word in the wrong place.
const MISPLACED: u32 = 70;
/// Price of a type in the place of another one, on top: types are rarely what is wrong.
const TYPE: u32 = 10;
/// Price of a word of another sort in the place of a missing one, and elsewhere.
const DISPLACED_IN_PLACE: u32 = 110;
const DISPLACED: u32 = 150;
/// Price of a slot whose word must directly follow the opcode, on top: it is nearly part of the opcode.
const POSITIONAL: u32 = 20;
/// Price of a form that the module's version or target does not have any more.
const GONE: u32 = 150;
/// Price of a wrong number of operands, of a wrong operand, and of a version or target that is too low.
const COUNT: u32 = 25;
const OPERAND: u32 = 30;
const GATE: u32 = 5;
/// The highest cost of operands and rules if a word is wrong, because it may be about them.
const GUESSED: u32 = 15;
/// Assignments of words to slots that are tried for one variant.
const MAX_STEPS: u32 = 400;
/// Readings of the same price that are joined.
const MAX_READINGS: usize = 16;

/// The problems of the nearest reading of a statement that does not fit.
pub(crate) fn explain<'t>(tables: &'t Tables, statement: &Statement<'_>) -> Vec<Problem<'t>> {
    let Some(longest) = candidates(tables, statement).map(|it| it.fixed.len()).max() else {
        return vec![without_candidates(tables, statement)];
    };
    let mut forms = Vec::new();
    for instruction in candidates(tables, statement).filter(|it| it.fixed.len() == longest) {
        let words = StatementWords::new(instruction, &statement.words[longest..]);
        let least = |it| (it, words.least_price(it));
        let variants = instruction.variants.iter().map(least).collect::<Vec<_>>();
        forms.push((instruction, words, variants));
    }
    let mut nearest = Nearest::default();
    let search = |form: usize, variant: &'t Variant, limit: u32, nearest: &mut Nearest<'t>| {
        let (instruction, words, _) = &forms[form];
        let mut search = Search {
            instruction,
            variant,
            statement,
            fixed: longest,
            ids: &words.ids,
            slots: vec![None; variant.slots.len()],
            extra: Vec::new(),
            limit,
            steps: MAX_STEPS,
            nearest,
        };
        search.run();
    };
    let variants = || {
        let forms = forms.iter().enumerate();
        forms.flat_map(|(form, it)| it.2.iter().map(move |it| (form, it.0, it.1)))
    };
    // Nearly always one variant takes all words, and then the others need no long search.
    for limit in [0, u32::MAX] {
        if limit > 0
            && let Some((form, variant, _)) = variants().min_by_key(|it| it.2)
        {
            // The price of a good reading spares the search for worse ones.
            let mut first = Nearest::default();
            search(form, variant, limit, &mut first);
            nearest.bound = first.cost();
        }
        for (form, variant, least) in variants() {
            if least <= limit.min(nearest.cost()) {
                search(form, variant, limit, &mut nearest);
            }
        }
        if !nearest.readings.is_empty() {
            break;
        }
    }
    let mut readings = nearest.readings.iter();
    let mut problems = readings
        .next()
        .map_or_else(Vec::new, |it| it.problems(tables, statement));
    if let [_] = problems[..] {
        for reading in readings {
            merge(&mut problems, reading.problems(tables, statement));
        }
    }
    if let [problem] = &mut problems[..] {
        complete(tables, statement, problem);
    }
    problems
}

/// The opcode is unknown, or it needs a certain word after it.
fn without_candidates<'t>(tables: &'t Tables, statement: &Statement<'_>) -> Problem<'t> {
    let known = || tables.with_opcode(statement.opcode);
    if known().next().is_none() {
        return Problem {
            place: Place::Opcode,
            reason: Reason::UnknownOpcode,
        };
    }
    // `cp.async.blk`: the words before the wrong one are right.
    let right = |it: &Instruction| {
        let pairs = it.fixed.iter().zip(statement.words);
        pairs.take_while(|(a, b)| a == b).count()
    };
    let depth = known().map(right).max().unwrap_or_default();
    let mut words: Vec<&str> = known()
        .filter(|it| right(it) == depth)
        .filter_map(|it| it.fixed.get(depth).copied())
        .collect();
    words.sort_unstable();
    words.dedup();
    let place = match (statement.words.len(), depth) {
        (0, _) => Place::Opcode,
        (len, depth) if depth < len => Place::Word(depth),
        _ => Place::Statement,
    };
    Problem {
        place,
        reason: Reason::FixedWord { words, depth },
    }
}

/// The words of a statement after the fixed ones, as an instruction knows them.
struct StatementWords {
    ids: Vec<Option<u16>>,
    /// All that the instruction knows.
    known: WordSet,
    /// Those that must find a slot.
    needed: Vec<u16>,
    /// How many the instruction does not know and ptxas does not ignored.
    unknown: u32,
}

impl StatementWords {
    fn new(instruction: &Instruction, words: &[&str]) -> StatementWords {
        let mut out = StatementWords {
            ids: Vec::with_capacity(words.len()),
            known: WordSet::default(),
            needed: Vec::with_capacity(words.len()),
            unknown: 0,
        };
        for (index, word) in words.iter().enumerate() {
            let id = instruction.word_ids.get(word).copied();
            let ignored = is_ignored(instruction, words, index, id);
            match id {
                Some(id) => {
                    out.known.insert(id);
                    if !ignored {
                        out.needed.push(id);
                    }
                }
                None => out.unknown += u32::from(!ignored),
            }
            out.ids.push(id);
        }
        out
    }

    /// The lower bound of the cost of a variant: a word without a slot may replace a missing one, and each of the
    /// rest has its own cost.
    fn least_price(&self, variant: &Variant) -> u32 {
        let extra = self
            .needed
            .iter()
            .filter(|it| !variant.words.contains(**it));
        let extra = self.unknown + extra.count() as u32;
        let empty = |it: &&Slot| it.required && !it.values.intersects(&self.known);
        let missing = variant.slots.iter().filter(empty).count() as u32;
        let both = extra.min(missing);
        both * REPLACED_IN_PLACE + (extra - both) * WORD + (missing - both) * MISSING
    }
}

/// The cheapest readings so far.
struct Nearest<'t> {
    readings: Vec<Reading<'t>>,
    /// There is a reading of this price.
    bound: u32,
}

impl Default for Nearest<'_> {
    fn default() -> Self {
        Nearest {
            readings: Vec::new(),
            bound: u32::MAX,
        }
    }
}

impl<'t> Nearest<'t> {
    fn cost(&self) -> u32 {
        self.readings.first().map_or(self.bound, |it| it.cost)
    }

    fn add(&mut self, reading: Reading<'t>) {
        match reading.cost.cmp(&self.cost()) {
            Ordering::Less => self.readings = vec![reading],
            Ordering::Equal if self.readings.len() < MAX_READINGS => self.readings.push(reading),
            _ => {}
        }
    }
}

struct Search<'t, 's> {
    instruction: &'t Instruction,
    variant: &'t Variant,
    statement: &'s Statement<'s>,
    /// Number of fixed words.
    fixed: usize,
    /// The words after the fixed ones.
    ids: &'s [Option<u16>],
    slots: Vec<Option<(u16, usize)>>,
    extra: Vec<usize>,
    /// The largest price of the words.
    limit: u32,
    steps: u32,
    nearest: &'s mut Nearest<'t>,
}

impl<'t> Search<'t, '_> {
    fn word(&self, index: usize) -> &str {
        self.statement.words[self.fixed + index]
    }

    /// Fills the slots whose words must appear first, then the others.
    fn run(&mut self) {
        let fits = |slot: usize, word: usize| {
            let id = self.ids.get(word).copied().flatten();
            id.filter(|it| self.variant.slots[slot].values.contains(*it))
        };
        let mut next = 0;
        for slot in 0..self.variant.slots.len() {
            if !self.variant.slots[slot].positional {
                continue;
            }
            if let Some(id) = fits(slot, next) {
                self.slots[slot] = Some((id, next));
                next += 1;
            } else if self.variant.slots[slot].required
                && next < self.ids.len()
                && !(0..self.variant.slots.len()).any(|it| it != slot && fits(it, next).is_some())
            {
                // The word stands for another one.
                self.extra.push(next);
                next += 1;
            }
        }
        let cost = WORD * self.extra.len() as u32;
        self.place(next, cost);
    }

    /// Gives the words from `next` on to slots.
    fn place(&mut self, next: usize, cost: u32) {
        // A word that is too much and a slot without one may be one mistake, so only half counts here.
        if cost / 2 > self.nearest.cost() || cost > self.limit || self.steps == 0 {
            return;
        }
        self.steps -= 1;
        let Some(id) = self.ids.get(next) else {
            self.finish();
            return;
        };
        let mut placed = false;
        if let Some(id) = *id {
            for index in 0..self.slots.len() {
                if !takes(self.variant, &self.slots, index, id) {
                    continue;
                }
                placed = true;
                self.slots[index] = Some((id, next));
                self.place(next + 1, cost);
                self.slots[index] = None;
            }
        }
        if placed {
            return;
        }
        let words = &self.statement.words[self.fixed..];
        if is_ignored(self.instruction, words, next, *id) {
            self.place(next + 1, cost);
        } else {
            self.extra.push(next);
            self.place(next + 1, cost + WORD);
            self.extra.pop();
        }
    }

    /// All words are placed: the price of what is missing, then of rules, operands and gates.
    fn finish(&mut self) {
        let mut free = self.extra.clone();
        let mut missing = Vec::new();
        let mut cost = 0;
        for (index, slot) in self.variant.slots.iter().enumerate() {
            if !slot.required || self.slots[index].is_some() {
                continue;
            }
            let best = free
                .iter()
                .enumerate()
                .map(|(at, word)| (self.price(index, *word), at))
                .min();
            let (price, word) = match best {
                Some((price, at)) => (price, Some(free.remove(at))),
                None => (MISSING, None),
            };
            let replaced = slot.positional && word.is_some();
            cost += price + if replaced { POSITIONAL } else { 0 };
            missing.push((index, word));
        }
        cost += WORD * free.len() as u32;
        if cost > self.limit || cost > self.nearest.cost() {
            return;
        }
        let mut fitting = WordSet::default();
        let rest = match missing[..] {
            [] if self.extra.is_empty() => self.rest(true),
            [] => self.guessed(),
            // Whichever word is missing: the one with which the rest fits best.
            [(slot, _)] => {
                let mut least = u32::MAX;
                for id in self.variant.slots[slot].values.iter() {
                    self.slots[slot] = Some((id, 0));
                    let price = self.rest(true);
                    if price < least {
                        (least, fitting) = (price, WordSet::default());
                    }
                    if price == least {
                        fitting.insert(id);
                    }
                }
                self.slots[slot] = None;
                if least < WORD {
                    least.min(GUESSED)
                } else {
                    least
                }
            }
            _ => self.rest(false),
        };
        let cost = cost.saturating_add(rest);
        if (self.limit == 0 && rest >= WORD) || cost > self.nearest.cost() {
            return;
        }
        self.nearest.add(Reading {
            cost,
            instruction: self.instruction,
            variant: self.variant,
            slots: self.slots.clone(),
            extra: self.extra.clone(),
            missing,
            fitting,
        });
    }

    /// The cost of replacing a word by one of a slot.
    fn price(&self, slot: usize, word: usize) -> u32 {
        let place = |it: &Option<(u16, usize)>| it.map(|it| it.1);
        let (before, after) = self.slots.split_at(slot);
        let previous = before.iter().rev().find_map(place);
        let next = after.iter().find_map(place);
        let in_place = previous.is_some_and(|it| it + 1 == word)
            || next.is_some_and(|it| it == word + 1)
            || self.variant.slots[slot].positional;
        let text = self.word(word);
        let wanted = &self.variant.slots[slot];
        if wanted.positional && self.ids[word].is_some_and(|it| wanted.values.contains(it)) {
            return MISPLACED;
        }
        let values = self.variant.slots[slot].values.iter();
        let related = self.ids[word].is_none()
            || values
                .map(|it| self.instruction.words[usize::from(it)])
                .any(|it| kin(it, text));
        let ty = if type_of(text).is_some() && self.ids[word].is_some() {
            TYPE
        } else {
            0
        };
        match (related, in_place) {
            (true, true) => REPLACED_IN_PLACE + ty,
            (true, false) => REPLACED + ty,
            (false, true) => DISPLACED_IN_PLACE,
            (false, false) => DISPLACED,
        }
    }

    /// The price of the rest if some word is too much.
    fn guessed(&self) -> u32 {
        let rest = self.rest(true);
        if rest < GONE { rest.min(GUESSED) } else { rest }
    }

    /// Operands of a wrong number that are wrong in themselves.
    fn wrong_ones(&self, choices: &mut Choices<'_>) -> u32 {
        let patterns = self.variant.operands.iter();
        let pairs = patterns.zip(self.statement.operands);
        pairs
            .filter(|(pattern, operand)| {
                let path = OperandPath::operand(0);
                match_operand(pattern, operand, path, choices, &mut |_, _| {}).is_some()
            })
            .count() as u32
    }

    /// The price of broken rules, wrong operands and gates.
    fn rest(&self, operands: bool) -> u32 {
        let mut choices = choices(self.instruction, &self.slots, self.statement);
        let mut cost = 0;
        if operands {
            let operands = self.statement.operands;
            let found = match_operands(self.variant, operands, &mut choices, true, &mut |_, _| {});
            let mut broken = 0;
            for problem in found {
                broken += match problem {
                    OperandProblem::Count(..) => COUNT + OPERAND * self.wrong_ones(&mut choices),
                    OperandProblem::Operand(_) => OPERAND,
                };
            }
            // However many: less than a wrong word.
            cost += broken.min(WORD - 10);
        }
        cost += WORD * broken_rules(self.variant, &choices).count() as u32;
        let statement = self.statement;
        for (gate, _) in gates(
            self.instruction,
            self.variant,
            &self.slots,
            &choices,
            self.fixed,
        ) {
            cost += if is_gone(gate, statement) { GONE } else { GATE };
        }
        cost
    }
}
