//! Which variants of an instruction fit a statement, and why the others do not.

use crate::{
    accidents::{REPEATABLE, UNCHECKED},
    condition::Choices,
    explain,
    kind::{Kind, fits},
    operand::Operand,
    table::{
        Consequence, Form, Instruction, OperandPattern, Presence, Rule, Tables, Variant, WordSet,
    },
    target::{Gate, Module},
    words,
};

/// A statement to be matched.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    /// The first word.
    pub opcode: &'a str,
    /// The words after it, without their full stops, in the order of the text.
    pub words: &'a [&'a str],
    /// The operands.
    pub operands: &'a [Operand],
    /// What it is judged against.
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
    /// Words that ptxas reads over, as indices into the words of the statement.
    pub ignored: Vec<usize>,
}

/// Where a problem stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The opcode.
    Opcode,
    /// A word after it, by index.
    Word(usize),
    /// An operand, by index.
    Operand(usize),
    /// The whole statement: something is missing.
    Statement,
}

/// Why a variant does not fit.
#[derive(Debug)]
pub struct Problem<'t> {
    /// Where.
    pub place: Place,
    /// What.
    pub reason: Reason<'t>,
}

/// What is wrong.
#[derive(Debug)]
pub enum Reason<'t> {
    /// No instruction has this opcode.
    UnknownOpcode,
    /// The opcode needs one of these fixed words after it.
    FixedWord(Vec<&'t str>),
    /// No slot of the variant takes the word.
    Word {
        /// Words that the variant still takes.
        allowed: Vec<&'t str>,
    },
    /// One of these words is missing.
    Missing {
        /// The words.
        words: Vec<&'t str>,
        /// How many words of the statement stand before the missing one in the order of the table.
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
    /// The form of the operand (brackets, pair) is wrong.
    Form,
}

/// The instructions whose opcode and fixed words the statement has.
fn candidates<'t>(
    tables: &'t Tables,
    statement: &Statement<'_>,
) -> impl Iterator<Item = &'t Instruction> {
    tables.with_opcode(statement.opcode).filter(|it| {
        let fixed = it.fixed.len();
        statement.words.len() >= fixed && statement.words[..fixed] == it.fixed[..]
    })
}

/// The first variant that fits a statement; cheaper than [`match_statement`] when none does.
#[must_use]
pub fn fit<'t>(tables: &'t Tables, statement: &Statement<'_>) -> Option<Fit<'t>> {
    candidates(tables, statement).find_map(|instruction| {
        let mut variants = instruction.variants.iter();
        variants.find_map(|it| Search::new(instruction, it, statement, false).run())
    })
}

/// Matches a statement.
#[must_use]
pub fn match_statement<'t>(tables: &'t Tables, statement: &Statement<'_>) -> Outcome<'t> {
    if let Some(fit) = fit(tables, statement) {
        return Outcome::Fit(fit);
    }
    // Only now the reasons are worth their price.
    let mut best: Option<Failure<'t>> = None;
    for instruction in candidates(tables, statement) {
        for variant in &instruction.variants {
            let mut search = Search::new(instruction, variant, statement, true);
            search.run();
            if let Some((cost, problems)) = search.best {
                // More fixed words are a better reading of the statement.
                let cost = cost + 1000 * 8u32.saturating_sub(instruction.fixed.len() as u32);
                match &mut best {
                    Some((least, first)) if cost == *least => explain::merge(first, problems),
                    Some((least, _)) if cost > *least => {}
                    _ => best = Some((cost, problems)),
                }
            }
        }
    }
    Outcome::Mismatch(match best {
        Some((_, mut problems)) => {
            if let [problem] = &mut problems[..] {
                explain::complete(tables, statement, problem);
            }
            problems
        }
        None if tables.with_opcode(statement.opcode).next().is_some() => {
            let mut words: Vec<&str> = tables
                .with_opcode(statement.opcode)
                .filter_map(|it| it.fixed.first().copied())
                .collect();
            words.sort_unstable();
            words.dedup();
            let place = if statement.words.is_empty() {
                Place::Opcode
            } else {
                Place::Word(0)
            };
            vec![Problem {
                place,
                reason: Reason::FixedWord(words),
            }]
        }
        None => vec![Problem {
            place: Place::Opcode,
            reason: Reason::UnknownOpcode,
        }],
    })
}

/// How far a variant is from the statement, and why.
type Failure<'t> = (u32, Vec<Problem<'t>>);

/// A depth-first search for an assignment of words to slots.
struct Search<'t, 's> {
    instruction: &'t Instruction,
    variant: &'t Variant,
    words: &'s [&'s str],
    fixed: usize,
    /// Word id and index of the word in the statement.
    slots: Vec<Option<(u16, usize)>>,
    ignored: Vec<usize>,
    best: Option<Failure<'t>>,
    statement: &'s Statement<'s>,
    /// Whether reasons are wanted.
    explain: bool,
}

impl<'t, 's> Search<'t, 's> {
    fn new(
        instruction: &'t Instruction,
        variant: &'t Variant,
        statement: &'s Statement<'s>,
        explain: bool,
    ) -> Search<'t, 's> {
        let fixed = instruction.fixed.len();
        Search {
            instruction,
            variant,
            words: &statement.words[fixed..],
            fixed,
            slots: vec![None; variant.slots.len()],
            ignored: Vec::new(),
            best: None,
            statement,
            explain,
        }
    }

    fn run(&mut self) -> Option<Fit<'t>> {
        if self.positional() {
            self.place(self.first_free_word())
        } else {
            None
        }
    }

    fn fail(&mut self, cost: u32, problems: impl FnOnce(&Self) -> Vec<Problem<'t>>) {
        if self.explain && self.best.as_ref().is_none_or(|it| cost < it.0) {
            self.best = Some((cost, problems(self)));
        }
    }

    fn id(&self, word: &str) -> Option<u16> {
        self.instruction.word_ids.get(word).copied()
    }

    fn first_free_word(&self) -> usize {
        self.variant
            .slots
            .iter()
            .zip(&self.slots)
            .filter(|(slot, it)| slot.positional && it.is_some())
            .count()
    }

    /// Fills the slots whose words must stand first.
    fn positional(&mut self) -> bool {
        let mut next = 0;
        for (index, slot) in self.variant.slots.iter().enumerate() {
            if !slot.positional {
                continue;
            }
            match self
                .words
                .get(next)
                .and_then(|it| self.id(it))
                .filter(|it| slot.values.contains(*it))
            {
                Some(id) => {
                    self.slots[index] = Some((id, next));
                    next += 1;
                }
                None if slot.required => {
                    let place = if next < self.words.len() {
                        Place::Word(self.fixed + next)
                    } else {
                        Place::Statement
                    };
                    // A word of other variants only speaks for those.
                    let elsewhere =
                        self.words
                            .get(next)
                            .and_then(|it| self.id(it))
                            .is_some_and(|id| {
                                !self.variant.slots.iter().any(|it| it.values.contains(id))
                            });
                    self.fail(if elsewhere { 300 } else { 160 }, |it| {
                        let words = it.spell(&slot.values);
                        // A word that the instruction never has is the mistake itself.
                        let strange = it.words.get(next).is_some_and(|word| it.id(word).is_none());
                        let reason = if strange {
                            Reason::Word { allowed: words }
                        } else {
                            let before = it.fixed + next;
                            Reason::Missing { words, before }
                        };
                        vec![Problem { place, reason }]
                    });
                    return false;
                }
                None => {}
            }
        }
        true
    }

    fn spell(&self, set: &WordSet) -> Vec<&'t str> {
        set.iter()
            .map(|it| self.instruction.words[usize::from(it)])
            .collect()
    }

    /// Places the words from `next` on.
    fn place(&mut self, next: usize) -> Option<Fit<'t>> {
        let Some(word) = self.words.get(next) else {
            return self.finish();
        };
        let id = self.id(word);
        let mut placed = false;
        if let Some(id) = id {
            for index in 0..self.variant.slots.len() {
                let slot = &self.variant.slots[index];
                if slot.positional || self.slots[index].is_some() || !slot.values.contains(id) {
                    continue;
                }
                // Within a group the order of the text is the order of the slots.
                let later_filled = self.variant.slots[index + 1..]
                    .iter()
                    .zip(&self.slots[index + 1..])
                    .any(|(other, it)| other.group == slot.group && it.is_some());
                if later_filled {
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
        if !placed {
            let repeated = REPEATABLE.contains(word) && self.words[..next].contains(word);
            // A word that the instruction knows is not read over.
            let unchecked = UNCHECKED.contains(word) && id.is_none();
            let spare = self.instruction.spare.contains(word) && !self.words[..next].contains(word);
            if repeated || unchecked || spare {
                self.ignored.push(self.fixed + next);
                let fit = self.place(next + 1);
                if fit.is_none() {
                    self.ignored.pop();
                }
                return fit;
            }
            let cost = 200 + 40 * (self.words.len() - next) as u32;
            self.fail(cost, |it| {
                let mut free = WordSet::default();
                for (slot, word) in it.variant.slots.iter().zip(&it.slots) {
                    if word.is_none() {
                        free.extend(&slot.values);
                    }
                }
                let reason = Reason::Word {
                    allowed: it.spell(&free),
                };
                vec![Problem {
                    place: Place::Word(it.fixed + next),
                    reason,
                }]
            });
        }
        None
    }

    /// All words are placed: checks what is missing, the rules, the operands and the gates.
    fn finish(&mut self) -> Option<Fit<'t>> {
        for (index, slot) in self.variant.slots.iter().enumerate() {
            if slot.required && self.slots[index].is_none() {
                self.fail(150, |it| {
                    let words = it.spell(&slot.values);
                    let earlier = it.slots[..index].iter().flatten().map(|it| it.1 + 1).max();
                    let before = it.fixed + earlier.unwrap_or_default();
                    vec![Problem {
                        place: Place::Statement,
                        reason: Reason::Missing { words, before },
                    }]
                });
                return None;
            }
        }
        let mut present = WordSet::default();
        for (id, _) in self.slots.iter().flatten() {
            present.insert(*id);
        }
        let mut choices = Choices {
            words: &self.instruction.words,
            slots: self.slots.iter().map(|it| it.map(|it| it.0)).collect(),
            present,
            operands: Vec::new(),
            module: self.statement.module,
            explain: self.explain,
        };
        let mut problems = Vec::new();
        let mut cost = 0;
        match_operands(
            self.variant,
            self.statement.operands,
            &mut choices,
            &mut problems,
            &mut cost,
        );
        if !problems.is_empty() && !self.explain {
            return None;
        }
        for rule in &self.variant.rules {
            let broken = match &rule.then {
                Consequence::Gate(_) => false,
                Consequence::Never => rule.when.holds(&choices),
                Consequence::Require(then) => rule.when.holds(&choices) && !then.holds(&choices),
            };
            if broken {
                if !self.explain {
                    return None;
                }
                cost += 60;
                let text = words::rule(rule, self.variant, &choices);
                problems.push(Problem {
                    place: self.place_of(rule),
                    reason: Reason::Rule(text),
                });
            }
        }
        if problems.is_empty() {
            self.gates(&choices, &mut problems);
            // A form that is gone is hardly what was meant.
            let gone = |it: &Problem<'_>| {
                matches!(it.reason, Reason::Gate(gate) if gate.until.is_some_and(|it| self.statement.module.version > it)
                    || gate.below.is_some_and(|it| self.statement.module.target.number >= it))
            };
            cost = problems
                .iter()
                .map(|it| if gone(it) { 170 } else { 10 })
                .sum();
        }
        if problems.is_empty() {
            return Some(Fit {
                instruction: self.instruction,
                variant: self.variant,
                slots: choices.slots,
                ignored: std::mem::take(&mut self.ignored),
            });
        }
        self.fail(cost, |_| problems);
        None
    }

    /// The word that a rule is about: the first that its condition names and that is there.
    fn place_of(&self, rule: &Rule) -> Place {
        use crate::condition::Atom;
        let atoms = rule.when.0.iter().flatten();
        let words: Vec<Option<(u16, usize)>> = atoms
            .filter_map(|it| match it {
                Atom::Word(id) => self
                    .slots
                    .iter()
                    .flatten()
                    .find(|it| it.0 == *id)
                    .copied()
                    .map(Some),
                Atom::Slot(slot) | Atom::In(slot, _) => self.slots.get(usize::from(*slot)).copied(),
                _ => None,
            })
            .collect();
        words
            .into_iter()
            .flatten()
            .next()
            .map_or(Place::Statement, |it| Place::Word(self.fixed + it.1))
    }

    fn gates(&self, choices: &Choices<'_>, problems: &mut Vec<Problem<'t>>) {
        let module = self.statement.module;
        let mut check = |gate: &'t Gate, place: Place| {
            if !gate.admits_version(module.version) || !gate.admits_target(module.target) {
                problems.push(Problem {
                    place,
                    reason: Reason::Gate(gate),
                });
            }
        };
        check(&self.instruction.gate, Place::Opcode);
        check(&self.variant.gate, Place::Opcode);
        for (slot, it) in self.variant.slots.iter().zip(&self.slots) {
            if let Some((id, index)) = it {
                for (set, gate) in &slot.gates {
                    if set.contains(*id) {
                        check(gate, Place::Word(self.fixed + index));
                    }
                }
            }
        }
        for rule in &self.variant.rules {
            if let Consequence::Gate(gate) = &rule.then
                && rule.when.holds(choices)
            {
                check(gate, self.place_of(rule));
            }
        }
    }
}

/// Matches the operands in order; fills in which of the optional ones are there.
fn match_operands<'t>(
    variant: &'t Variant,
    operands: &[Operand],
    choices: &mut Choices<'_>,
    problems: &mut Vec<Problem<'t>>,
    cost: &mut u32,
) {
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
        *cost += 100;
        problems.push(Problem {
            place: Place::Statement,
            reason: Reason::Count(least, most),
        });
        return;
    }
    // Optional operands are filled from the left, as long as there are more operands than demanded ones.
    let mut spare = operands.len() - least;
    let mut next = 0;
    for (pattern, demanded) in variant.operands.iter().zip(demanded) {
        let take = match demanded {
            Some(it) => it,
            None if spare > 0 => {
                spare -= 1;
                true
            }
            None => false,
        };
        if !take {
            continue;
        }
        choices.operands.push(pattern.name);
        // ptxas takes `d|_` for nearly every destination.
        let operand = match (&pattern.form, &operands[next]) {
            (Form::Plain(_), Operand::Pair(first, second))
                if next == 0 && matches!(**second, Operand::Sink) =>
            {
                first
            }
            (_, operand) => operand,
        };
        if let Some(reason) = match_operand(pattern, operand, choices) {
            *cost += 30;
            problems.push(Problem {
                place: Place::Operand(next),
                reason,
            });
        }
        next += 1;
    }
}

fn kinds_expected<'t>(kinds: &[Kind], choices: &Choices<'_>) -> Reason<'t> {
    if !choices.explain {
        return Reason::Form;
    }
    let mut all: Vec<String> = Vec::new();
    for text in kinds.iter().filter_map(|it| words::kind(it, choices)) {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    Reason::Kind(all)
}

fn match_operand<'t>(
    pattern: &'t OperandPattern,
    operand: &Operand,
    choices: &mut Choices<'_>,
) -> Option<Reason<'t>> {
    let operand = match operand {
        Operand::Unknown => return None,
        // ptxas reads over these selectors of the scalar video instructions on any 32-bit register.
        Operand::Selected(base, selector) if matches!(&**selector, "b01" | "b12" | "b23") => base,
        _ => operand,
    };
    match &pattern.form {
        Form::Plain(kinds) => {
            (!fits(kinds, operand, choices)).then(|| kinds_expected(kinds, choices))
        }
        Form::Pair(kinds, second) => {
            let (first, rest) = match operand {
                Operand::Pair(a, b) => (&**a, Some(&**b)),
                _ => (operand, None),
            };
            let wanted = match &second.presence {
                Presence::Required => Some(true),
                Presence::Optional => None,
                Presence::If(condition) => Some(condition.holds(choices)),
            };
            if !fits(kinds, first, choices) {
                return Some(kinds_expected(kinds, choices));
            }
            match (rest, wanted) {
                (None, Some(true)) | (Some(_), Some(false)) => Some(Reason::Form),
                (None, _) => None,
                (Some(rest), _) => {
                    choices.operands.push(second.name);
                    match (first, rest) {
                        (Operand::Sink, Operand::Sink) => Some(Reason::Form),
                        (_, Operand::Sink) if wanted.is_none() => None,
                        _ => match_operand(second, rest, choices),
                    }
                }
            }
        }
        Form::Bracket(patterns, suffix) => {
            let element;
            let (items, word) = match operand {
                Operand::Address(items, word) => (items, word),
                // `table[4]` is the address of an element.
                Operand::Offset(base, _) if matches!(**base, Operand::Symbol(_)) => {
                    element = vec![operand.clone()];
                    (&element, &None)
                }
                _ if choices.explain => {
                    return Some(Reason::Kind(vec![
                        "an address in brackets `[…]`".to_owned(),
                    ]));
                }
                _ => return Some(Reason::Form),
            };
            if word.as_deref().is_some_and(|it| Some(it) != *suffix) {
                return Some(Reason::Form);
            }
            if word.is_some() {
                choices.operands.push("unified");
            }
            let mut rest = &items[..];
            for (index, pattern) in patterns.iter().enumerate() {
                let later = patterns[index + 1..]
                    .iter()
                    .filter(|it| matches!(it.presence, Presence::Required))
                    .count();
                let take = match &pattern.presence {
                    Presence::Required => true,
                    Presence::Optional => rest.len() > later,
                    Presence::If(condition) => condition.holds(choices),
                };
                if !take {
                    continue;
                }
                let (Some(first), tail) = (rest.first(), rest.get(1..).unwrap_or(&[])) else {
                    return Some(Reason::Form);
                };
                if index > 0 {
                    choices.operands.push(pattern.name);
                }
                if let Some(reason) = match_operand(pattern, first, choices) {
                    return Some(reason);
                }
                rest = tail;
            }
            if rest.is_empty() {
                None
            } else {
                Some(Reason::Form)
            }
        }
    }
}
