//! Reasons of several variants as one.

use crate::{
    matcher::{Problem, Reason, Statement, fit},
    table::Tables,
};

/// Completes what is missing by words of other variants, as `.approx` beside `.rn` for `div.f32`; a form
/// that is gone, such as `ex2.f32`, lacks a word, too.
pub(crate) fn complete<'t>(
    tables: &'t Tables,
    statement: &Statement<'_>,
    problem: &mut Problem<'t>,
) {
    let version = statement.module.version;
    let (mut words, before) = match &mut problem.reason {
        Reason::Missing { words, before } => (std::mem::take(words), *before),
        Reason::Gate(gate) if gate.until.is_some_and(|it| version > it) => (Vec::new(), 0),
        _ => return,
    };
    let known = tables.with_opcode(statement.opcode);
    for word in known.flat_map(|it| it.fixed.iter().take(1).chain(&it.words)) {
        let mut longer = statement.words.to_vec();
        longer.insert(before.min(longer.len()), word);
        let longer = Statement {
            words: &longer,
            ..*statement
        };
        if !words.contains(word)
            && !statement.words.contains(word)
            && fit(tables, &longer).is_some_and(|it| it.ignored.is_empty())
        {
            words.push(word);
        }
    }
    if !words.is_empty() {
        problem.reason = Reason::Missing { words, before };
    }
}

/// What two variants want that fail alike: the words of both.
pub(crate) fn merge<'t>(first: &mut [Problem<'t>], other: Vec<Problem<'t>>) {
    let ([first], [other]) = (first, &other[..]) else {
        return;
    };
    let (into, from) = match (&mut first.reason, &other.reason) {
        (Reason::Word { allowed: into }, Reason::Word { allowed: from }) => (into, from),
        (
            Reason::Missing {
                words: into,
                before,
            },
            Reason::Missing {
                words: from,
                before: other,
            },
        ) if before == other => (into, from),
        _ => return,
    };
    if first.place == other.place {
        let new = from.iter().filter(|it| !into.contains(it)).copied();
        let new: Vec<&str> = new.collect();
        into.extend(new);
    }
}
