//! The form of an instruction that is nearest to what is written, finished or not.
//!
//! The words are read as signature help reads them; words that fit nothing are left out, so that an unfinished or
//! wrong statement still has a form, with what is missing and what does not belong.

use std::fmt::Write as _;

use isa::{
    completion::{Continuation, Partial, Reading, complete, continuations, reachable},
    condition::Choices,
    matcher::Fit,
    table::{Form, Instruction, OperandPattern, Presence, WordSet, tables},
    target::{Module, Suffix, Target, Version, targets, versions},
};

use crate::features::completion::signature_help::spell;

/// Words that are listed as missing at one place.
const MAX_MISSING: usize = 6;

/// The nearest form, and how the statement differs from it.
#[derive(Debug)]
pub(crate) struct Nearest {
    /// The form with the choices that were made.
    pub(crate) reading: Reading<'static>,
    /// The words that do not belong to it, without their period.
    pub(crate) foreign: Vec<String>,
    /// The words one of which is still missing, without their period; empty when the words are complete.
    pub(crate) missing: Vec<&'static str>,
}

/// The nearest form of a statement in a module.
///
/// `operands` is how many operands are written; it decides among forms with the same words.
pub(crate) fn nearest(
    opcode: &str,
    words: &[&str],
    operands: usize,
    module: Module,
) -> Option<Nearest> {
    tables().with_opcode(opcode).next()?;
    // All words, then without the last one, which may be unfinished, then without any other, then fewer.
    let attempts = std::iter::once(words.to_vec())
        .chain((0..words.len()).rev().map(|gone| without(words, gone)))
        .chain(
            (0..words.len().saturating_sub(1))
                .rev()
                .map(|count| words[..count].to_vec()),
        );
    for kept in attempts {
        for module in std::iter::once(module).chain(everywhere()) {
            if let Some(found) = read(opcode, &kept, operands, module) {
                let mut rest = kept.clone();
                let foreign = words.iter().filter(|word| {
                    let at = rest.iter().position(|it| it == *word);
                    at.map(|it| rest.remove(it)).is_none()
                });
                let missing = match complete(tables(), &partial(opcode, &kept, module)).is_empty() {
                    true => missing(opcode, &kept, module),
                    false => Vec::new(),
                };
                return Some(Nearest {
                    foreign: foreign.map(|it| (*it).to_owned()).collect(),
                    reading: found,
                    missing,
                });
            }
        }
    }
    unfinished_name(opcode, words)
}

fn without<'a>(words: &[&'a str], gone: usize) -> Vec<&'a str> {
    let mut kept = words.to_vec();
    kept.remove(gone);
    kept
}

fn partial<'a>(opcode: &'a str, before: &'a [&'a str], module: Module) -> Partial<'a> {
    Partial {
        opcode,
        before,
        after: &[],
        module,
    }
}

/// Modules that together have every instruction.
pub(crate) fn everywhere() -> impl Iterator<Item = Module> {
    let newest = versions().last();
    let known: Vec<Target> = targets()
        .map(|it| it.0)
        .filter(|it| it.suffix == Suffix::Architecture)
        .collect();
    let last = known
        .into_iter()
        .rev()
        .filter_map(move |it| Some(Module::new(newest?, it)));
    let old = [
        ("6.0", "sm_60"),
        ("3.0", "sm_30"),
        ("2.0", "sm_20"),
        ("1.4", "sm_13"),
    ];
    last.chain(old.into_iter().filter_map(|(version, target)| {
        Some(Module::new(
            Version::parse(version)?,
            Target::parse(target)?,
        ))
    }))
}

/// The best reading of words that can become a statement.
fn read(opcode: &str, words: &[&str], operands: usize, module: Module) -> Option<Reading<'static>> {
    let partial = partial(opcode, words, module);
    let mut readings = complete(tables(), &partial);
    if readings.is_empty() {
        readings = reachable(tables(), &partial);
    }
    let distance = |it: &Reading<'_>| {
        let (least, most) = counts(it);
        least.saturating_sub(operands) + 2 * operands.saturating_sub(most)
    };
    let best = readings.iter().map(distance).min()?;
    readings.into_iter().find(|it| distance(it) == best)
}

/// A fit as a reading of its words.
pub(crate) fn reading_of(fit: &Fit<'static>, module: Module, operands: usize) -> Reading<'static> {
    let mut present = WordSet::default();
    fit.slots
        .iter()
        .flatten()
        .for_each(|it| present.insert(*it));
    let names = fit.variant.operands.iter().map(|it| it.name);
    Reading {
        instruction: fit.instruction,
        variant: fit.variant,
        choices: Choices {
            opcode: fit.instruction.opcode,
            words: &fit.instruction.words,
            slots: fit.slots.clone(),
            present,
            operands: names.take(operands).collect(),
            integers: Vec::new(),
            module,
        },
    }
}

/// How many operands a form has at least and at most.
fn counts(reading: &Reading<'_>) -> (usize, usize) {
    let there = present(reading);
    let required = there.iter().filter(|it| !is_optional(it)).count();
    (required, there.len())
}

/// The operands of a form that are there, in order.
pub(crate) fn present<'t>(reading: &Reading<'t>) -> Vec<&'t OperandPattern> {
    let operands = reading.variant.operands.iter();
    operands
        .filter(|it| match &it.presence {
            Presence::If(condition) => condition.holds(&reading.choices),
            _ => true,
        })
        .collect()
}

/// Whether an operand may be left out.
pub(crate) fn is_optional(pattern: &OperandPattern) -> bool {
    matches!(pattern.presence, Presence::Optional)
}

fn missing(opcode: &str, words: &[&str], module: Module) -> Vec<&'static str> {
    let next = continuations(tables(), &partial(opcode, words, module));
    let mandatory = |it: &&Continuation<'static>| {
        it.slot
            .is_none_or(|(variant, slot)| variant.slots[slot].required)
    };
    let needed: Vec<&str> = next.iter().filter(mandatory).map(|it| it.word).collect();
    match needed.is_empty() {
        true => next.iter().map(|it| it.word).collect(),
        false => needed,
    }
}

/// The form of an instruction of whose name only the beginning is written: `cp.async.bu`.
fn unfinished_name(opcode: &str, words: &[&str]) -> Option<Nearest> {
    let common = |it: &Instruction| {
        it.fixed
            .iter()
            .zip(words)
            .take_while(|(a, b)| a == b)
            .count()
    };
    let all: Vec<&Instruction> = tables().with_opcode(opcode).collect();
    let deepest = all.iter().map(|it| common(it)).max()?;
    let instruction = all
        .into_iter()
        .filter(|it| common(it) == deepest)
        .min_by_key(|it| it.fixed.len())?;
    let module = everywhere().find(|it| isa::completion::is_available(instruction, *it))?;
    let reading = read(opcode, &instruction.fixed, 0, module)?;
    let mut next: Vec<&str> = Vec::new();
    for it in tables()
        .with_opcode(opcode)
        .filter(|it| common(it) == deepest)
    {
        if let Some(word) = it.fixed.get(deepest)
            && !next.contains(word)
        {
            next.push(word);
        }
    }
    Some(Nearest {
        reading,
        foreign: words[deepest.min(words.len())..]
            .iter()
            .map(|it| (*it).to_owned())
            .collect(),
        missing: next,
    })
}

impl Nearest {
    /// The form as one line: the words that were chosen, `.…` where one is missing, and the operands.
    pub(crate) fn form(&self) -> String {
        form(&self.reading)
    }

    /// The problem and the missing words, as sentences; empty when nothing is wrong.
    pub(crate) fn problems(&self, operands: usize) -> String {
        let mut text = String::new();
        // A word that is not finished is what is missing.
        let begins = |it: &&&str| {
            self.foreign
                .last()
                .is_some_and(|word| it.starts_with(word.as_str()))
        };
        let begun: Vec<&str> = self.missing.iter().filter(begins).copied().collect();
        let foreign = &self.foreign[..self.foreign.len() - usize::from(!begun.is_empty())];
        for word in foreign {
            let _ = write!(text, "`.{word}` does not fit here. ");
        }
        let missing = if begun.is_empty() {
            &self.missing
        } else {
            &begun
        };
        if !missing.is_empty() {
            let shown: Vec<String> = missing
                .iter()
                .take(MAX_MISSING)
                .map(|it| format!("`.{it}`"))
                .collect();
            let more = if missing.len() > MAX_MISSING {
                ", …"
            } else {
                ""
            };
            let one = if shown.len() > 1 { "one of " } else { "" };
            let _ = write!(text, "Missing: {one}{}{more}. ", shown.join(", "));
        }
        let there = present(&self.reading);
        let required = there.iter().filter(|it| !is_optional(it)).count();
        if operands < required {
            let names: Vec<String> = there
                .iter()
                .skip(operands)
                .filter(|it| !is_optional(it))
                .map(|it| format!("`{}`", spell(it, &self.reading.choices)))
                .collect();
            let _ = write!(text, "Missing operands: {}. ", names.join(", "));
        } else if operands > there.len() {
            let extra = operands - there.len();
            let s = if extra == 1 { "" } else { "s" };
            let _ = write!(text, "{extra} operand{s} too many. ");
        }
        text.trim_end().to_owned()
    }
}

/// A form as one line.
pub(crate) fn form(reading: &Reading<'_>) -> String {
    let mut text = reading.instruction.opcode.to_owned();
    for word in &reading.instruction.fixed {
        let _ = write!(text, ".{word}");
    }
    for (index, slot) in reading.variant.slots.iter().enumerate() {
        let chosen = reading.choices.slots.get(index).copied().flatten();
        match chosen.and_then(|it| reading.instruction.words.get(usize::from(it))) {
            Some(word) => {
                let _ = write!(text, ".{word}");
            }
            None if slot.required => {
                let mut values = slot.values.iter();
                let only = values.next().filter(|_| values.next().is_none());
                let only = only.and_then(|it| reading.instruction.words.get(usize::from(it)));
                let _ = match only {
                    Some(word) => write!(text, ".{word}"),
                    None => write!(text, ".<{}>", slot.name),
                };
            }
            None => {}
        }
    }
    for (index, pattern) in present(reading).into_iter().enumerate() {
        text.push_str(if index == 0 { " " } else { ", " });
        let name = spell(pattern, &reading.choices);
        let _ = match is_optional(pattern) {
            true => write!(text, "{{{name}}}"),
            false => write!(text, "{name}"),
        };
    }
    text
}

/// The names of an operand and of those inside it, flattened in the order of the text: `d|p`, `[a, {b, c}]`.
pub(crate) fn flattened(
    pattern: &'static OperandPattern,
    reading: &Reading<'_>,
    names: &mut Vec<&'static str>,
) {
    if let Presence::If(condition) = &pattern.presence
        && !condition.holds(&reading.choices)
    {
        return;
    }
    match &pattern.form {
        Form::Plain(_) => names.push(pattern.name),
        Form::Pair(_, second) => {
            names.push(pattern.name);
            flattened(second, reading, names);
        }
        Form::Bracket(elements, _) => {
            for element in elements {
                flattened(element, reading, names);
            }
        }
    }
}

/// The targets, of all that ptxas knows, for which the words can become a statement of some version, and the least
/// version of the first of them.
pub(crate) fn availability(opcode: &str, words: &[&str]) -> (Vec<Target>, Option<Version>) {
    let newest = versions().last();
    let accepts = |version: Version, target: Target| {
        let partial = partial(opcode, words, Module::new(version, target));
        !complete(tables(), &partial).is_empty() || !reachable(tables(), &partial).is_empty()
    };
    let accepted: Vec<Target> = targets()
        .map(|it| it.0)
        .filter(|target| newest.is_some_and(|it| accepts(it, *target)))
        .collect();
    let least = accepted
        .first()
        .and_then(|target| versions().find(|version| accepts(*version, *target)));
    (accepted, least)
}
