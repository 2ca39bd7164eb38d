//! Which words would make a statement right.

use rustc_hash::FxHashSet;

use crate::{
    matcher::{Place, Problem, Reason, Statement, fit},
    operand::Operand,
    table::Tables,
    types::type_of,
};

use super::likeness::is_gone;

/// Statements with more words get no remedies: none that is legal has half as many, and each word is tried
/// in each place.
const MAX_WORDS: usize = 32;

/// A word that the instruction takes in other forms.
pub(super) fn superfluous<'t>(
    tables: &'t Tables,
    statement: &Statement<'_>,
    index: usize,
) -> Reason<'t> {
    if MAX_WORDS < statement.words.len() {
        return Reason::Superfluous {
            types: Vec::new(),
            conflict: None,
        };
    }
    let mut words = statement.words.to_vec();
    words.remove(index);
    let without = Statement {
        words: &words,
        ..*statement
    };
    if fit(tables, &without).is_none() {
        // `.rni` where `.rn` is wanted.
        let known = known_words(tables, statement);
        let allowed = insertable(tables, &without, &known, index);
        if !allowed.is_empty() {
            let fitting = 0;
            return Reason::Word { allowed, fitting };
        }
    }
    let operands = vec![Operand::Unknown; statement.operands.len()];
    let takes = |words: &[&str]| {
        let other = Statement {
            words,
            operands: &operands,
            ..*statement
        };
        fit(tables, &other).is_some_and(|it| it.ignored.is_empty())
    };
    let mut typed = (0..statement.words.len()).filter(|it| type_of(statement.words[*it]).is_some());
    let mut types = Vec::new();
    if let (Some(index), None) = (typed.next(), typed.next()) {
        let mut words = statement.words.to_vec();
        for ty in known_words(tables, statement) {
            words[index] = ty;
            if type_of(ty).is_some() && !types.contains(&ty) && takes(&words) {
                types.push(ty);
            }
        }
    }
    let conflict = (0..statement.words.len()).find(|other| {
        let mut words = statement.words.to_vec();
        words.remove(*other);
        *other != index && type_of(statement.words[*other]).is_none() && takes(&words)
    });
    Reason::Superfluous { types, conflict }
}

/// The words that some instruction with the opcode has.
fn known_words<'t>(tables: &'t Tables, statement: &Statement<'_>) -> Vec<&'t str> {
    let known = tables.with_opcode(statement.opcode);
    known
        .flat_map(|it| it.fixed.iter().take(1).chain(&it.words).copied())
        .collect()
}

/// Puts the words into a problem whose insertion makes the statement fit: `.approx` beside `.rn` for
/// `div.f32`, `.rn` for a rule that wants a rounding, `.approx` for a form that is gone.
pub(super) fn complete<'t>(
    tables: &'t Tables,
    statement: &Statement<'_>,
    problem: &mut Problem<'t>,
) {
    if MAX_WORDS < statement.words.len() {
        return;
    }
    let (mut known, before) = match &problem.reason {
        Reason::Missing { words, before } => (words.clone(), *before),
        Reason::Rule(_) | Reason::Count(..) => (Vec::new(), statement.words.len()),
        Reason::Gate(gate) if is_gone(gate, statement) => (Vec::new(), 0),
        _ => return,
    };
    known.extend(known_words(tables, statement));
    let mut words = insertable(tables, statement, &known, before);
    let gone = match problem.reason {
        Reason::Gate(_) => true,
        Reason::Rule(_) => problem.place == Place::Statement,
        _ => false,
    };
    if words.is_empty() && gone {
        // `shfl` became `shfl.sync`, which has one operand more.
        let operands = vec![Operand::Unknown; statement.operands.len() + 1];
        let other = Statement {
            operands: &operands,
            ..*statement
        };
        words = insertable(tables, &other, &known, 0);
    }
    if !words.is_empty() {
        *problem = Problem {
            place: Place::Statement,
            reason: Reason::Missing { words, before },
        };
    }
}

/// The words that make a statement fit if one is inserted after so many of its words.
fn insertable<'t>(
    tables: &Tables,
    statement: &Statement<'_>,
    known: &[&'t str],
    before: usize,
) -> Vec<&'t str> {
    let mut words: Vec<&str> = Vec::new();
    let before = before.min(statement.words.len());
    let mut with = statement.words.to_vec();
    with.insert(before, "");
    let mut seen = FxHashSet::default();
    for word in known.iter().filter(|it| seen.insert(**it)) {
        with[before] = word;
        let longer = Statement {
            words: &with,
            ..*statement
        };
        if fit(tables, &longer).is_some_and(|it| it.ignored.is_empty()) {
            words.push(word);
        }
    }
    words
}

/// The words of two variants that fail alike.
pub(super) fn merge<'t>(first: &mut [Problem<'t>], other: Vec<Problem<'t>>) {
    let ([first], [other]) = (first, &other[..]) else {
        return;
    };
    if first.place != other.place {
        return;
    }
    match (&mut first.reason, &other.reason) {
        (
            Reason::Word {
                allowed: into,
                fitting,
            },
            Reason::Word {
                allowed: from,
                fitting: more,
            },
        ) => {
            let (good, rest) = from.split_at(*more);
            for word in good
                .iter()
                .filter(|it| !into[..*fitting].contains(it))
                .copied()
                .collect::<Vec<_>>()
            {
                into.retain(|it| *it != word);
                into.insert(*fitting, word);
                *fitting += 1;
            }
            extend(into, rest);
        }
        (
            Reason::Missing {
                words: into,
                before,
            },
            Reason::Missing {
                words: from,
                before: other,
            },
        ) if before == other => extend(into, from),
        _ => {}
    }
}

pub(super) fn extend<'t>(into: &mut Vec<&'t str>, from: &[&'t str]) {
    for word in from {
        if !into.contains(word) {
            into.push(word);
        }
    }
}
