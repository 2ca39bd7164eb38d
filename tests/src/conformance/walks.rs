//! Statements that an author writes who only ever takes what completion offers.

use fastrand::Rng;
use isa::{
    completion::{Partial, complete, continuations, is_available},
    table::tables,
    target::Module,
};

use super::{
    generator::{admits, case, operands},
    program::Case,
};

/// Words after which an author has enough.
const MAX_WORDS: usize = 24;
/// How often operands are drawn for one opcode with its modifiers.
const TRIES: usize = 40;

/// The outcome of a walk.
pub enum Walk {
    /// A statement.
    Statement(Case),
    /// Completion led to words from which no legal statement can be reached.
    DeadEnd(String),
    /// No operands were found, or the module lacks what they need.
    Nothing,
}

/// The opcodes to begin with.
pub fn opcodes() -> impl Iterator<Item = &'static str> {
    tables().opcodes().filter(|it| *it != "call")
}

/// Writes one statement: an opcode, if a random module has it, then words that completion offers, until it may end.
///
/// Operands are drawn until `accepts` takes them, as completion offers only such that fit.
pub fn walk(
    opcode: &str,
    modules: &[Module],
    rng: &mut Rng,
    accepts: &mut dyn FnMut(&Case) -> bool,
) -> Walk {
    let Some(module) = rng.choice(modules).copied() else {
        return Walk::Nothing;
    };
    let known = tables()
        .with_opcode(opcode)
        .any(|it| is_available(it, module));
    if !known {
        return Walk::Nothing;
    }
    let mut words: Vec<&'static str> = Vec::new();
    loop {
        let partial = Partial {
            opcode,
            before: &words,
            after: &[],
            module,
        };
        let readings = complete(tables(), &partial);
        let next = continuations(tables(), &partial);
        let enough = !readings.is_empty()
            && (next.is_empty() || words.len() >= MAX_WORDS || rng.u8(..3) == 0);
        if !enough {
            match rng.choice(&next) {
                Some(it) if words.len() < 2 * MAX_WORDS => {
                    words.push(it.word);
                    continue;
                }
                // An opcode whose every form is gated is none of this module.
                _ if words.is_empty() => return Walk::Nothing,
                _ => {
                    let head = words
                        .iter()
                        .fold(opcode.to_owned(), |head, it| head + "." + it);
                    return Walk::DeadEnd(format!(
                        "{head} in {} {}",
                        module.version, module.target
                    ));
                }
            }
        }
        let Some(reading) = rng.choice(&readings) else {
            return Walk::Nothing;
        };
        let mut choices = reading.choices.clone();
        for _ in 0..TRIES {
            let Some(items) = operands(reading.variant, &mut choices, rng) else {
                continue;
            };
            if !admits(reading.instruction, reading.variant, &choices) {
                continue;
            }
            let words: Vec<String> = words.iter().map(|it| (*it).to_owned()).collect();
            match case(reading.instruction, &words, &items, module) {
                Some(case) if accepts(&case) => return Walk::Statement(case),
                Some(_) => {}
                None => return Walk::Nothing,
            }
        }
        return Walk::Nothing;
    }
}

/// The examples of the documentation and the snippets of completion as programs, with their names.
pub fn examples() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for page in isa::documentation::instructions() {
        all.extend(
            page.examples
                .iter()
                .map(|it| (page.name.to_owned(), it.program())),
        );
    }
    for topic in isa::documentation::Topic::ALL {
        for entry in isa::documentation::entries(topic) {
            let name = entry.words.join(", ");
            all.extend(entry.examples.iter().map(|it| (name.clone(), it.program())));
        }
    }
    for snippet in isa::snippets::SNIPPETS {
        all.push((format!("snippet {}", snippet.name), snippet.program()));
    }
    all.sort();
    all
}
