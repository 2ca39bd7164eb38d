//! Comparison of two readings of a statement.

use crate::{matching::matcher::Statement, module::target::Gate, operands::types::type_of};

/// Whether the module is past a form. It is hardly what was meant.
pub(super) fn is_gone(gate: &Gate, statement: &Statement<'_>) -> bool {
    let module = statement.module;
    gate.until.is_some_and(|it| module.version > it)
        || gate.below.is_some_and(|it| module.target.number >= it)
}

/// Whether two words are of one sort: types, or alike but for their numbers.
pub(super) fn kin(a: &str, b: &str) -> bool {
    fn stem(word: &str) -> impl Iterator<Item = u8> + '_ {
        word.bytes().filter(|it| !it.is_ascii_digit())
    }
    (a.bytes().any(|it| it.is_ascii_digit()) && stem(a).eq(stem(b)))
        || (type_of(a).is_some() && type_of(b).is_some())
}
