//! Lines with `let`, `computes`, `inputs`, `result`, `unspecified if` and `ignores`: what an instruction computes.

use std::borrow::Cow;

use super::{
    expressions::{definitions, effects, expression},
    raw::{Block, COMPUTATIONS, Result},
    scanner::{find, split_colon, split_outside},
    scope::{Sets, expand},
};
use crate::tables::computation::{
    Clause, Computation, ComputationLine, Primitive, Test, TestSubject,
};

type Read<T> = std::result::Result<T, String>;

/// The functions of `inputs` and `result`.
const FILTERS: [Primitive; 5] = [
    Primitive::Flush,
    Primitive::Saturate,
    Primitive::Relu,
    Primitive::Finite,
    Primitive::PositiveZero,
];

/// Reads what a block says that its instructions compute.
pub(super) fn computation(block: &Block, sets: &Sets) -> Result<Computation> {
    let mut lines = Vec::new();
    for line in &block.computations {
        let (number, text) = (line.number, line.text);
        let read = || {
            let (when, text) = match text.strip_prefix("when ").and_then(split_colon) {
                Some((when, text)) => (condition(when, sets)?, text),
                None => (Vec::new(), text),
            };
            let clause = clause(text)?;
            Ok(ComputationLine {
                number,
                when,
                clause,
            })
        };
        lines.push(read().map_err(|it: String| (number, it))?);
    }
    Ok(Computation { lines })
}

fn clause(text: &'static str) -> Read<Clause> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.trim_start();
    Ok(match word {
        "let" => Clause::Let(definitions(rest)?),
        "computes" if rest == "nothing" => Clause::Nothing,
        "computes" => Clause::Effects(effects(rest)?),
        "inputs" => {
            let (name, ty) = match rest.split_once(' ') {
                Some((name, ty)) => (name, Some(ty.trim())),
                None => (rest, None),
            };
            Clause::Inputs(filter(name)?, ty)
        }
        "result" => Clause::Result(filter(rest)?),
        "unspecified" => match rest.strip_prefix("if ") {
            Some(condition) => Clause::Unspecified(expression(condition)?),
            None => return Err("expected `unspecified if …`".to_owned()),
        },
        "ignores" => Clause::Ignores(rest.split_ascii_whitespace().collect()),
        _ => {
            return Err(format!(
                "`{word}` does not begin a line of a computation: one of {}",
                COMPUTATIONS.join(", ")
            ));
        }
    })
}

fn filter(name: &str) -> Read<Primitive> {
    let found = FILTERS.into_iter().find(|it| it.name() == name);
    found.ok_or_else(|| {
        format!(
            "`{name}` does not map one float to one: one of {}",
            FILTERS.map(Primitive::name).join(", ")
        )
    })
}

/// Reads `a, b or c`.
fn condition(text: &'static str, sets: &Sets) -> Read<Vec<Vec<Test>>> {
    let mut out = Vec::new();
    let mut rest = Some(text);
    while let Some(text) = rest {
        let (one, more) = match find(text, " or ") {
            Some(at) => (&text[..at], Some(&text[at + " or ".len()..])),
            None => (text, None),
        };
        rest = more;
        let tests = split_outside(one, b',').map(|it| test(it, sets));
        out.push(tests.collect::<Read<_>>()?);
    }
    Ok(out)
}

fn test(text: &'static str, sets: &Sets) -> Read<Test> {
    if let Some((subject, words)) = text.split_once('=') {
        let (subject, negated) = match subject.strip_suffix('!') {
            Some(subject) => (subject.trim(), true),
            None => (subject.trim(), false),
        };
        let mut list = Vec::new();
        expand(words, sets, |word| {
            list.push(match word {
                Cow::Borrowed(it) => it,
                // The tables live as long as the program.
                Cow::Owned(it) => Box::leak(it.into_boxed_str()),
            });
            Ok(())
        })?;
        let subject = match subject {
            "$" => TestSubject::Instruction(list),
            slot => TestSubject::OneOf(slot, list),
        };
        return Ok(Test { negated, subject });
    }
    let (negated, text) = match text.strip_prefix('!') {
        Some(text) => (true, text),
        None => (false, text),
    };
    let subject = if let Some(word) = text.strip_prefix('.') {
        TestSubject::Word(word)
    } else if let Some(operand) = text.strip_prefix("has ") {
        TestSubject::Operand(operand.trim())
    } else {
        TestSubject::Slot(text)
    };
    let (TestSubject::Word(name) | TestSubject::Operand(name) | TestSubject::Slot(name)) = &subject
    else {
        return Ok(Test { negated, subject });
    };
    if name.is_empty() || name.contains(' ') {
        return Err(format!(
            "`{text}` is not a condition of a computation: one of `.word`, `slot`, `has operand`, each perhaps after \
             `!`, `slot = words`, `slot != words`, `$ = names`"
        ));
    }
    Ok(Test { negated, subject })
}
