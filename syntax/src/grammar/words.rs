//! The dotted words that decide which production follows.
//!
//! These are the words of the grammar itself; types, modifiers and special registers are none of its
//! business.

use crate::{SyntaxKind::*, parser::Parser};

/// Linking directives, PTX ISA 11.6.
pub(super) fn is_linkage(word: &str) -> bool {
    matches!(word, ".extern" | ".visible" | ".weak" | ".common")
}

/// State spaces, PTX ISA 5.1.
pub(super) fn is_state_space(word: &str) -> bool {
    matches!(
        word,
        ".reg" | ".sreg" | ".const" | ".global" | ".local" | ".param" | ".shared" | ".tex"
    )
}

/// Words that start a variable declaration and are no linkage.
pub(super) fn is_declaration_start(word: &str) -> bool {
    is_state_space(word) || matches!(word, ".align" | ".attribute")
}

/// Fundamental and opaque types of variables; a declaration that lacks its state space starts so.
pub(super) fn is_variable_type(word: &str) -> bool {
    let width = |digits: &str, widths: &[&str]| widths.contains(&digits);
    match word.as_bytes() {
        [b'.', b'b', ..] => width(&word[2..], &["8", "16", "32", "64", "128"]),
        [b'.', b'u' | b's', ..] if word.len() <= 4 => width(&word[2..], &["8", "16", "32", "64"]),
        [b'.', b'f', ..] => width(&word[2..], &["16", "16x2", "32", "64"]),
        _ => matches!(
            word,
            ".pred" | ".v2" | ".v4" | ".texref" | ".samplerref" | ".surfref"
        ),
    }
}

/// Words that only a top-level item starts with.
pub(super) fn is_module_directive(word: &str) -> bool {
    matches!(
        word,
        ".version"
            | ".address_size"
            | ".file"
            | ".section"
            | ".entry"
            | ".nv_intermediate_source_section"
    )
}

/// Directives that are statements of a body and never modifiers of an instruction.
pub(super) fn is_statement_directive(word: &str) -> bool {
    matches!(
        word,
        ".loc"
            | ".loc_intermediate"
            | ".pragma"
            | ".branchtargets"
            | ".calltargets"
            | ".callprototype"
            | ".alias"
            | ".func"
            | ".target"
            | ".reg"
    )
}

/// Whether the current dotted word begins a statement or item, judged by the word and its place; used
/// where an instruction might go on with a modifier or a selector.
pub(super) fn starts_statement(p: &Parser<'_>) -> bool {
    if !p.at(DOTTED) || p.adjacent() {
        return false;
    }
    let word = p.current_text();
    if is_statement_directive(word) || is_module_directive(word) || is_linkage(word) {
        // Some are modifiers as well: `fence.proxy.alias`, `st.async.weak`.
        return p.line_break_before() || !matches!(word, ".alias" | ".weak" | ".common");
    }
    // `.shared .b32 x;` on a line of its own declares a variable; in `ld.shared.b32` the words touch.
    is_declaration_start(word) && p.line_break_before() && !next_is_adjacent(p)
}

/// Whether the token after the current one follows without a blank.
pub(super) fn next_is_adjacent(p: &Parser<'_>) -> bool {
    p.next_index(p.current_index()) == p.current_index() + 1
}
