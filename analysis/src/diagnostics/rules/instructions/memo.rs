//! Forms of statements about which nothing was to be said before.
//!
//! Most statements of a file are like others but for their names and offsets, and to find the variant that
//! fits one costs more than to remember that one did. What is remembered depends on the tables and on nothing
//! of a file, so every thread has one memory for all files.

use std::{
    cell::RefCell,
    hash::{Hash as _, Hasher as _},
    mem::discriminant,
};

use isa::{matcher::Statement, operand::Operand, target::Module};
use rustc_hash::{FxHashMap, FxHasher};

/// Forms that are remembered at a time.
const MAX_FORMS: usize = 8192;

thread_local! {
    static MEMO: RefCell<Memo> = RefCell::default();
}

#[derive(Default)]
struct Memo {
    forms: FxHashMap<u64, Form>,
}

/// A statement but for its names and the constants that are added to them.
struct Form {
    /// The opcode and the words behind it.
    head: String,
    operands: Box<[Operand]>,
    module: Module,
}

/// Whether a statement of this form was right before.
pub(in crate::diagnostics) fn is_known(statement: &Statement<'_>) -> bool {
    MEMO.with_borrow(|memo| {
        let form = memo.forms.get(&hash(statement));
        form.is_some_and(|it| it.is_of(statement))
    })
}

/// Remembers that nothing is to be said about statements of this form.
pub(in crate::diagnostics) fn remember(statement: &Statement<'_>) {
    // The tables bound how many operands there are, but for lists of arguments.
    let is_list = |it: &Operand| matches!(it, Operand::Arguments(_));
    if statement.operands.iter().any(is_list) {
        return;
    }
    MEMO.with_borrow_mut(|memo| {
        if memo.forms.len() >= MAX_FORMS {
            memo.forms.clear();
        }
        memo.forms.insert(hash(statement), Form::of(statement));
    });
}

impl Form {
    fn of(statement: &Statement<'_>) -> Form {
        let words: Vec<&str> = words(statement).collect();
        Form {
            head: words.join("."),
            operands: statement.operands.into(),
            module: statement.module,
        }
    }

    fn is_of(&self, statement: &Statement<'_>) -> bool {
        self.module == statement.module
            && self.has_words(statement)
            && all_alike(&self.operands, statement.operands)
    }

    /// Whether its words, which stand in one string with full stops between them, are those of a statement.
    fn has_words(&self, statement: &Statement<'_>) -> bool {
        let mut rest = self.head.strip_prefix(statement.opcode);
        for word in statement.words {
            rest = rest.and_then(|it| it.strip_prefix('.')?.strip_prefix(word));
        }
        rest == Some("")
    }
}

fn words<'a>(statement: &Statement<'a>) -> impl Iterator<Item = &'a str> {
    std::iter::once(statement.opcode).chain(statement.words.iter().copied())
}

fn all_alike(left: &[Operand], right: &[Operand]) -> bool {
    left.len() == right.len()
        && left
            .iter()
            .zip(right)
            .all(|(left, right)| alike(left, right))
}

/// Whether two operands are equal but for constants that are added to names.
fn alike(left: &Operand, right: &Operand) -> bool {
    match (left, right) {
        (Operand::Offset(left, _), Operand::Offset(right, _)) => alike(left, right),
        (Operand::Address(left, None), Operand::Address(right, None))
        | (Operand::Vector(left), Operand::Vector(right)) => all_alike(left, right),
        _ => left == right,
    }
}

/// A number that is equal for statements of one form, and most often not for others.
fn hash(statement: &Statement<'_>) -> u64 {
    fn one(operand: &Operand, hasher: &mut FxHasher) {
        discriminant(operand).hash(hasher);
        match operand {
            Operand::Register { class, lanes } => (class, lanes).hash(hasher),
            Operand::Special { class, .. } => class.hash(hasher),
            Operand::Integer(it) => it.hash(hasher),
            Operand::Float(_, it) => it.to_bits().hash(hasher),
            Operand::Offset(inner, _) => one(inner, hasher),
            Operand::Address(items, _) | Operand::Vector(items) => {
                items.len().hash(hasher);
                items.iter().for_each(|it| one(it, hasher));
            }
            _ => {}
        }
    }
    let mut hasher = FxHasher::default();
    words(statement).for_each(|it| it.hash(&mut hasher));
    let target = statement.module.target;
    (target.number, discriminant(&target.suffix)).hash(&mut hasher);
    statement
        .operands
        .iter()
        .for_each(|it| one(it, &mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use isa::{
        operand::{Space, Symbol},
        target::{Suffix, Target, Version},
        types::Class,
    };

    use super::*;

    #[test]
    fn forms() {
        let register = || Operand::Register {
            class: Class::B32,
            lanes: 1,
        };
        let name = || Operand::Symbol(Symbol::Variable(Space::Global));
        let at = |number: u16| {
            Module::new(
                Version::new(8, 0),
                Target {
                    number,
                    suffix: Suffix::Plain,
                },
            )
        };
        let offset = |base: Operand, by: i128| {
            Operand::Address(vec![Operand::Offset(Box::new(base), by)], None)
        };
        let statement = |operands: &[Operand], words: &[&str], module: Module, known: bool| {
            let statement = Statement {
                opcode: "memo",
                words,
                operands,
                module,
            };
            assert_eq!(is_known(&statement), known, "{statement:?}");
        };
        let first = [register(), offset(register(), 4)];
        let words = ["a", "b"];
        statement(&first, &words, at(90), false);
        remember(&Statement {
            opcode: "memo",
            words: &words,
            operands: &first,
            module: at(90),
        });
        statement(&first, &words, at(90), true);
        statement(&[register(), offset(register(), 8)], &words, at(90), true);
        statement(&first, &words, at(80), false);
        statement(&first, &["a"], at(90), false);
        statement(&first, &["a", "c"], at(90), false);
        statement(&first[..1], &words, at(90), false);
        statement(&[register(), offset(name(), 4)], &words, at(90), false);
        statement(&[register(), register()], &words, at(90), false);
        let two = Operand::Register {
            class: Class::B32,
            lanes: 2,
        };
        statement(&[two, offset(register(), 4)], &words, at(90), false);
        statement(&[register(), Operand::Integer(4)], &words, at(90), false);
        // A list of arguments may be as long as a file.
        let call = Statement {
            opcode: "memo",
            words: &words,
            operands: &[Operand::Arguments(Vec::new())],
            module: at(90),
        };
        remember(&call);
        assert!(!is_known(&call));
        // A full memory is emptied and goes on.
        for number in 0..=MAX_FORMS {
            let operands = [Operand::Integer(number as i128)];
            let statement = Statement {
                opcode: "memo",
                words: &words,
                operands: &operands,
                module: at(90),
            };
            remember(&statement);
            assert!(is_known(&statement));
        }
        statement(&first, &words, at(90), false);
    }
}
