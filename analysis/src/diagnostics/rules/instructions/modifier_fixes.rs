//! Fixes of instructions. The matcher is asked about each of them: what it offers is a statement that
//! fits, wherever there is one.

use std::cmp::Reverse;

use crate::{
    FixKind,
    diagnostics::{
        fix::{Repair, prefer_single},
        place::Place,
        rules::{
            gates::change_header,
            instructions::{
                misspelt::meant,
                operand_fixes::{correct, exchange},
                rejected::{Rejected, known_words, words},
            },
        },
        suggestion::most_similar,
    },
};

use isa::{
    matcher::{Outcome, Place as At, Problem, Reason, Statement, fit},
    matching::match_statement,
    table::tables,
    target::{Gate, Module, targets, versions},
    types::type_of,
    usage,
};
use syntax::TextRange;

/// Fixes that one problem has at most.
const MAX_CHOICES: usize = 12;
/// Statements that are tried for one problem at most.
const MAX_TRIES: usize = 400;

/// Statements with more modifiers get no fixes: none that is legal has half as many.
const MAX_MODIFIERS: usize = 32;

/// The fixes of one of the problems of a statement.
pub(in crate::diagnostics) fn fixes(
    found: &Rejected<'_>,
    problem: &Problem<'_>,
    problems: &[Problem<'_>],
) -> Vec<Repair> {
    if MAX_MODIFIERS < found.modifiers.len() {
        return Vec::new();
    }
    match (&problem.reason, problem.place) {
        (Reason::UnknownOpcode, _) => {
            let word = found.opcode.text();
            let similar = most_similar(word, tables().opcodes());
            let range = found.opcode.range();
            similar
                .map(|it| Repair::respell(range, word, it.to_owned()))
                .into_iter()
                .collect()
        }
        (Reason::FixedWord { words, depth }, place) => {
            let respelt = match place {
                At::Word(index) => respell(found, index, words),
                _ => Vec::new(),
            };
            if respelt.is_empty() {
                insert(found, *depth, words)
            } else {
                respelt
            }
        }
        (Reason::Missing { words, before }, _) => insert(found, *before, words),
        (Reason::Word { allowed, .. }, At::Word(index)) => not_allowed(found, index, allowed),
        (Reason::Superfluous { .. }, At::Word(index)) => not_allowed(found, index, &[]),
        (Reason::Unlike { words }, At::Word(index)) => replace(found, index, words.to_vec()),
        (Reason::Swapped { with }, At::Operand(index)) => exchange(found, index, *with),
        (Reason::Kind(_), place) => place
            .operand()
            .map_or_else(Vec::new, |it| correct(found, it)),
        (Reason::Misplaced { before }, At::Word(index)) => {
            moved(found, index, *before).into_iter().collect()
        }
        (Reason::Rule(_), place) => {
            let removed = match place {
                At::Word(index) => remove(found, index, |words| fits(found, words)),
                _ => None,
            };
            match removed {
                Some(it) => vec![it],
                None => complete(found),
            }
        }
        (Reason::Gate(_), place) => {
            let mut repairs = gate_fixes(found, problems);
            if let At::Word(index) = place {
                let removed = remove(found, index, |words| fits(found, words));
                repairs.extend(removed.map(|it| it.preferred(false)));
            }
            repairs
        }
        _ => Vec::new(),
    }
}

fn fits(found: &Rejected<'_>, words: &[&str]) -> bool {
    let Rejected {
        operands, module, ..
    } = *found;
    fit(
        tables(),
        &Statement {
            opcode: found.opcode.text(),
            words,
            operands,
            module,
        },
    )
    .is_some()
}

/// Whether the words fit in a module of the newest version for some target.
fn fits_elsewhere(found: &Rejected<'_>, words: &[&str]) -> bool {
    let Some(version) = versions().last() else {
        return false;
    };
    targets().any(|(target, _)| {
        let module = Module::new(version, target);
        let statement = Statement {
            opcode: found.opcode.text(),
            words,
            operands: found.operands,
            module,
        };
        fit(tables(), &statement).is_some()
    })
}

/// Replaces a modifier that the instruction does not know by the most similar one that makes the
/// statement fit, or else of the allowed ones.
fn respell(found: &Rejected<'_>, index: usize, allowed: &[&str]) -> Vec<Repair> {
    let Some(token) = found.modifiers.get(index) else {
        return Vec::new();
    };
    let similar = meant(found, &words(found), index, allowed);
    similar
        .map(|it| Repair::respell(token.range(), token.text(), format!(".{it}")))
        .into_iter()
        .collect()
}

/// Inserts after this many modifiers each word that makes the statement fit, or that would with a
/// newer version or another target.
fn insert(found: &Rejected<'_>, before: usize, choices: &[&str]) -> Vec<Repair> {
    let mut words = words(found);
    let before = before.min(words.len());
    words.insert(before, "");
    // The choices are those of the nearest variant; others may want another word there.
    let mut good = all_choices(found, choices);
    good.retain(|it| {
        words[before] = it;
        fits(found, &words)
    });
    if good.is_empty() {
        good.extend(choices.iter().take(MAX_CHOICES));
        good.retain(|it| {
            words[before] = it;
            fits_elsewhere(found, &words)
        });
    }
    // What people write comes first.
    words.truncate(before);
    let often = usage::next_words(found.opcode.text(), &words);
    good.sort_by_key(|it| Reverse(often.get(it).copied().unwrap_or_default()));
    good.truncate(MAX_CHOICES);
    prefer_single(
        good.into_iter()
            .map(|it| insertion(found, before, it))
            .collect(),
    )
}

/// These words and then the others that the instruction knows.
fn all_choices<'a>(found: &Rejected<'_>, choices: &[&'a str]) -> Vec<&'a str> {
    let mut all = choices.to_vec();
    all.extend(
        known_words(found)
            .into_iter()
            .filter(|it| !choices.contains(it)),
    );
    all.truncate(MAX_TRIES);
    all
}

/// The repair that inserts a word after this many modifiers.
fn insertion(found: &Rejected<'_>, before: usize, word: &str) -> Repair {
    let previous = before
        .checked_sub(1)
        .and_then(|it| found.modifiers.get(it))
        .unwrap_or(&found.opcode);
    let range = TextRange::empty(previous.range().end());
    Repair::new(
        FixKind::InsertModifier,
        format!("Insert `.{word}`"),
        range,
        format!(".{word}"),
    )
}

/// Removes a modifier if `good` accepts the words that remain.
fn remove(found: &Rejected<'_>, index: usize, good: impl Fn(&[&str]) -> bool) -> Option<Repair> {
    let token = found.modifiers.get(index)?;
    let mut words = words(found);
    words.remove(index);
    good(&words).then(|| {
        Repair::new(
            FixKind::RemoveModifier,
            format!("Remove `{}`", token.text()),
            token.range(),
            "",
        )
        .preferred(true)
    })
}

/// Moves a modifier to its place.
fn moved(found: &Rejected<'_>, index: usize, before: usize) -> Option<Repair> {
    let token = found.modifiers.get(index)?;
    let mut words = words(found);
    let word = words.remove(index);
    words.insert(before.min(words.len()), word);
    let mut repair = insertion(found, before, word);
    repair.title = format!("Move `{}`", token.text());
    repair
        .edits
        .push((Place::Own(token.range()), String::new()));
    fits(found, &words).then(|| repair.preferred(true))
}

/// A word that no slot takes: it is misspelt, or it or another one is too much, or it stands for one of
/// the allowed ones.
fn not_allowed(found: &Rejected<'_>, index: usize, allowed: &[&str]) -> Vec<Repair> {
    let mut repairs = respell(found, index, allowed);
    let removed = remove(found, index, |words| fits(found, words));
    repairs.extend(removed.map(|it| it.preferred(repairs.is_empty())));
    if !repairs.is_empty() {
        return repairs;
    }
    // The word may be right and another one too much: `.rn` in `add.rn.s32`.
    let others = (0..found.modifiers.len()).filter(|it| *it != index && !is_type(found, *it));
    repairs.extend(others.filter_map(|it| remove(found, it, |words| fits(found, words))));
    if !repairs.is_empty() {
        let unique = repairs.len() == 1;
        return repairs.into_iter().map(|it| it.preferred(unique)).collect();
    }
    repairs = replace(found, index, all_choices(found, allowed));
    if repairs.is_empty() {
        return remove(found, index, |words| is_better(found, words))
            .into_iter()
            .collect();
    }
    repairs
}

/// Replaces a modifier by each of the choices that makes the statement fit.
fn replace(found: &Rejected<'_>, index: usize, choices: Vec<&str>) -> Vec<Repair> {
    let Some(token) = found.modifiers.get(index) else {
        return Vec::new();
    };
    let mut words = words(found);
    let wrong = token.text();
    let mut repairs = Vec::new();
    for choice in choices {
        words[index] = choice;
        if fits(found, &words) {
            let title = format!("Replace `{wrong}` by `.{choice}`");
            repairs.push(Repair::new(
                FixKind::ReplaceModifier,
                title,
                token.range(),
                format!(".{choice}"),
            ));
        }
    }
    // A word that does not exist is the one with the same letters, mistyped: `.u23` is `.u32`.
    let same_letters = |it: &Repair| {
        let sorted = |it: &str| {
            let mut letters: Vec<char> = it.chars().collect();
            letters.sort_unstable();
            letters
        };
        let text = it.edits.first().map_or("", |it| &it.1);
        type_of(&wrong[1..]).is_none() && sorted(text) == sorted(wrong)
    };
    if let Some(meant) = repairs.iter().position(same_letters) {
        let meant = repairs.remove(meant);
        repairs.insert(0, meant.preferred(true));
        repairs.truncate(MAX_CHOICES);
        return repairs;
    }
    repairs.truncate(MAX_CHOICES);
    prefer_single(repairs)
}

/// Whether no word is missing from what does not fit yet: then the one that was removed stood for none.
fn is_better(found: &Rejected<'_>, words: &[&str]) -> bool {
    let Rejected {
        operands, module, ..
    } = *found;
    let statement = Statement {
        opcode: found.opcode.text(),
        words,
        operands,
        module,
    };
    match match_statement(tables(), &statement) {
        Outcome::Fit(_) => true,
        Outcome::Mismatch(problems) => !problems
            .iter()
            .any(|it| matches!(it.reason, Reason::Missing { .. } | Reason::FixedWord { .. })),
    }
}

fn is_type(found: &Rejected<'_>, index: usize) -> bool {
    found
        .modifiers
        .get(index)
        .is_some_and(|it| type_of(&it.text()[1..]).is_some())
}

/// Inserts each modifier that repairs a broken rule. Types are left alone: another one is another
/// statement.
fn complete(found: &Rejected<'_>) -> Vec<Repair> {
    let words = words(found);
    let mut choices = known_words(found);
    choices.retain(|it| type_of(it).is_none() && !words.contains(it));
    let fixed = tables()
        .with_opcode(found.opcode.text())
        .find(|it| words.starts_with(&it.fixed));
    let first = fixed.map_or(0, |it| it.fixed.len());
    let mut tries = 0;
    let mut repairs = Vec::new();
    for choice in choices {
        let place = (first..=words.len()).find(|before| {
            tries += 1;
            let mut words = words.clone();
            words.insert(*before, choice);
            tries <= MAX_TRIES && fits(found, &words)
        });
        repairs.extend(place.map(|it| insertion(found, it, choice)));
    }
    repairs.truncate(MAX_CHOICES);
    prefer_single(repairs)
}

/// Makes the module new enough for the statement.
fn gate_fixes(found: &Rejected<'_>, problems: &[Problem<'_>]) -> Vec<Repair> {
    let gates: Vec<&Gate> = problems
        .iter()
        .filter_map(|it| match it.reason {
            Reason::Gate(gate) => Some(gate),
            _ => None,
        })
        .collect();
    let words = words(found);
    change_header(found.module, found.forced, &gates, |module| {
        let statement = Statement {
            opcode: found.opcode.text(),
            words: &words,
            operands: found.operands,
            module,
        };
        fit(tables(), &statement).is_some()
    })
}
