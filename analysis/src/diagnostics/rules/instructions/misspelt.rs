//! Modifiers that are misspelt: one is one mistake, so the rest of the statement is judged with the word that was meant.

use isa::{
    matcher::{Outcome, Place, Problem, Reason, Statement},
    matching::match_statement,
    table::tables,
    types::type_of,
};

use crate::diagnostics::{
    rules::instructions::rejected::{Rejected, known_words},
    suggestion::most_similar,
};

/// Words that are tried in the place of one.
const MAX_TRIES: usize = 400;

/// The word of which a modifier that the instruction does not know is most likely a misspelling: the most similar one
/// of those that make the statement fit, else of those that are allowed in its place, else of those that the
/// instruction knows.
pub(super) fn meant<'a>(
    found: &Rejected<'_>,
    words: &[&'a str],
    index: usize,
    allowed: &[&'a str],
) -> Option<&'a str> {
    let wrong = *words.get(index)?;
    let mut known = known_words(found);
    // A type is not a misspelling of another one.
    if known.contains(&wrong) || type_of(wrong).is_some() {
        return None;
    }
    let opcode = found.opcode.text();
    let others = tables().with_opcode(opcode).map(|it| &it.fixed);
    known.extend(
        others
            .filter(|it| it.len() > index && it[..index] == words[..index])
            .map(|it| it[index]),
    );
    let mut words = words.to_vec();
    let mut fitting = known.clone();
    fitting.truncate(MAX_TRIES);
    fitting.retain(|it| {
        words[index] = it;
        let statement = Statement {
            opcode,
            words: &words,
            operands: found.operands,
            module: found.module,
        };
        isa::matcher::fit(tables(), &statement).is_some()
    });
    most_similar(wrong, fitting.into_iter())
        .or_else(|| most_similar(wrong, allowed.iter().copied()))
        .or_else(|| most_similar(wrong, known.into_iter()))
}

/// The problems of a statement without those that only a misspelt modifier makes.
pub(super) fn without_consequences<'t>(
    found: &Rejected<'_>,
    statement: &Statement<'_>,
    problems: Vec<Problem<'t>>,
) -> Vec<Problem<'t>> {
    if problems.len() < 2 {
        return problems;
    }
    let mut words = statement.words.to_vec();
    let mut misspelt = Vec::new();
    for problem in &problems {
        if let (Reason::Word { allowed, .. }, Place::Word(index)) = (&problem.reason, problem.place)
            && let Some(word) = meant(found, &words, index, allowed)
        {
            words[index] = word;
            misspelt.push(index);
        }
    }
    let is_misspelt =
        |it: &Problem<'_>| matches!(it.place, Place::Word(index) if misspelt.contains(&index));
    if misspelt.is_empty() {
        return problems;
    }
    let corrected = Statement {
        words: &words,
        ..*statement
    };
    let others = match match_statement(tables(), &corrected) {
        Outcome::Fit(_) => Vec::new(),
        Outcome::Mismatch(others) => others,
    };
    // What else is wrong was told before, too; a guess brings no new errors.
    let places: Vec<Place> = problems.iter().map(|it| it.place).collect();
    let others = others
        .into_iter()
        .filter(|it| places.contains(&it.place) && !is_misspelt(it));
    let mut kept: Vec<Problem<'t>> = Vec::new();
    kept.extend(problems.into_iter().filter(is_misspelt));
    kept.extend(others);
    kept
}
