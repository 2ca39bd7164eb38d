//! The size of a variable.

use std::fmt::Write as _;

use isa::word_class::{WordClass, classify, is_state_space, type_bits, vector_length};
use syntax::{Cursor, SyntaxKind};

use crate::{SymbolKind, hir::number::integer};

/// State space, width and array size of a variable.
pub(super) fn storage(
    out: &mut String,
    declaration: &Cursor<'_>,
    declarator: &Cursor<'_>,
    kind: SymbolKind,
) {
    let words: Vec<&str> = declaration
        .tokens()
        .filter(|it| it.kind() == SyntaxKind::DOTTED)
        .map(|it| it.text())
        .collect();
    if kind != SymbolKind::Register
        && let Some(space) = words.iter().find(|it| is_state_space(it))
    {
        let _ = write!(out, " in `{space}` space");
    }
    let vector = words.iter().find(|it| vector_length(it).is_some());
    let ty = words
        .iter()
        .find(|it| classify(it) == WordClass::Type && vector_length(it).is_none());
    let Some(ty) = ty else {
        return;
    };
    let _ = match vector {
        Some(vector) => write!(out, ", type `{vector} {ty}`"),
        None => write!(out, ", type `{ty}`"),
    };
    let Some(bits) = type_bits(ty) else {
        return;
    };
    let bits = u64::from(bits * vector.and_then(|it| vector_length(it)).unwrap_or(1));
    let _ = if bits % 8 == 0 {
        write!(out, ", {bits} bits ({})", bytes(bits / 8))
    } else {
        write!(out, ", {bits} bits")
    };
    let mut elements = Some(1u64);
    let mut array = false;
    for dimension in declarator
        .nodes()
        .filter(|it| it.kind() == SyntaxKind::ARRAY_DIMENSION)
    {
        array = true;
        let size = dimension
            .node(SyntaxKind::LITERAL)
            .and_then(|it| integer(it.tokens().next()?.text()));
        elements = elements.zip(size).and_then(|(a, b)| a.checked_mul(b));
    }
    if array {
        match elements.and_then(|it| Some((it, it.checked_mul(bits / 8)?))) {
            Some((elements, size)) => {
                let _ = write!(out, " × {elements} elements = {}", bytes(size));
            }
            None => out.push_str(" × an unknown number of elements"),
        }
    }
}

fn bytes(number: u64) -> String {
    format!("{number} byte{}", if number == 1 { "" } else { "s" })
}
