//! Top-level items.

use super::{
    declaration::variable_declaration,
    directive,
    function::{function, function_follows},
    words::{is_declaration_start, is_linkage, is_module_directive, is_variable_type},
};
use crate::{
    SyntaxErrorCode,
    SyntaxKind::*,
    parser::{END, Parser, describe},
};

/// A whole file.
pub(crate) fn source_file(p: &mut Parser<'_>) {
    items(p);
    p.flush_rest();
    p.finish();
}

/// Rule for a piece of a file that holds whole items only; trivia after the last one is not consumed.
pub(crate) fn items_only(p: &mut Parser<'_>) {
    items(p);
    p.finish();
    // The runs of a body end with the body.
    p.run_open = false;
}

/// Items up to the end of the text; the root node stays open.
fn items(p: &mut Parser<'_>) {
    p.start_with_trivia(SOURCE_FILE);
    while !p.at(END) {
        item(p);
    }
}

fn item(p: &mut Parser<'_>) {
    p.complete = false;
    if p.at(DOTTED) {
        let word = p.current_text();
        match word {
            ".version" => directive::version(p),
            ".target" => directive::target(p),
            ".address_size" => directive::address_size(p),
            ".file" => directive::file(p),
            ".section" => directive::section(p),
            ".nv_intermediate_source_section" => directive::intermediate_section(p),
            ".pragma" => directive::pragma(p),
            ".alias" => directive::alias(p),
            _ if lacks_function_word(p) => function(p),
            _ if declaration(p, word, ".global") => {}
            _ => stray(p),
        }
    } else if p.at(AT_AT) {
        directive::dwarf_line(p);
    } else {
        stray(p);
    }
}

/// A function or a variable, if that is what starts with `word`; `space` is a state space to propose when
/// there is none.
pub(super) fn declaration(p: &mut Parser<'_>, word: &str, space: &str) -> bool {
    if function_follows(p) {
        function(p);
    } else if is_declaration_start(word) || is_linkage(word) {
        variable_declaration(p);
    } else if is_variable_type(word) {
        // What declares no name needs no space.
        if !declares_nothing(p) {
            p.error_at(
                SyntaxErrorCode::Syntax,
                p.current_range(),
                format!("expected a state space such as `{space}` before the type `{word}`"),
            );
        }
        variable_declaration(p);
    } else {
        return false;
    }
    true
}

/// Whether linking directives are followed by what only a function has after `.entry` or `.func`.
fn lacks_function_word(p: &Parser<'_>) -> bool {
    let mut index = p.current_index();
    if !is_linkage(p.current_text()) {
        return false;
    }
    while p.kind_at(index) == DOTTED && is_linkage(p.text_at(index)) {
        index = p.next_index(index);
    }
    match p.kind_at(index) {
        L_PAREN => true,
        IDENT => matches!(p.kind_at(p.next_index(index)), L_PAREN | L_BRACE),
        _ => false,
    }
}

/// Whether only dotted words are before the semicolon, as in `.v2 .b32;`.
fn declares_nothing(p: &Parser<'_>) -> bool {
    let mut index = p.current_index();
    while p.kind_at(index) == DOTTED {
        index = p.next_index(index);
    }
    p.kind_at(index) == SEMICOLON
}

/// Tokens that start no item, up to the next one that does: one error for all of them.
fn stray(p: &mut Parser<'_>) {
    let text = p.current_text();
    let message = match p.kind() {
        R_BRACE => "unmatched `}`: no block is open here".to_owned(),
        SEMICOLON => "unexpected `;` at module scope: the item before it takes none".to_owned(),
        IDENT | AT => format!(
            "{} is outside a function: instructions and labels belong in the body of an `.entry` or `.func`",
            describe(p.kind(), text)
        ),
        kind => format!(
            "expected a directive, a variable or a function, found {}",
            describe(kind, text)
        ),
    };
    p.error_at(SyntaxErrorCode::Syntax, p.current_range(), message);
    p.start_with_trivia(ERROR);
    let mut depth = 0usize;
    loop {
        match p.kind() {
            L_BRACE => depth += 1,
            R_BRACE => depth = depth.saturating_sub(1),
            _ => {}
        }
        p.bump();
        if p.at(END) || p.at(AT_AT) || (depth == 0 && at_unmistakable_item(p)) {
            break;
        }
    }
    p.attach_trailing_comments();
    p.finish();
}

/// Words with which stray text certainly ends. `.reg`, `.local` and their like are none of them: among
/// stray instructions they declare what those use.
fn at_unmistakable_item(p: &Parser<'_>) -> bool {
    p.at(DOTTED) && {
        let word = p.current_text();
        is_module_directive(word)
            || is_linkage(word)
            || matches!(word, ".func" | ".alias" | ".target")
            || (matches!(word, ".global" | ".const") && p.line_break_before())
    }
}

/// Inside a body: whether a top-level item starts here, so that a `}` must be missing.
pub(super) fn at_module_item(p: &Parser<'_>) -> bool {
    if p.at(AT_AT) {
        return true;
    }
    if !p.at(DOTTED) {
        return false;
    }
    let word = p.current_text();
    if is_module_directive(word) {
        return true;
    }
    if !is_linkage(word) && word != ".func" {
        return false;
    }
    // A prototype is a statement, a definition is an item. A variable with linkage is neither, but more
    // likely a variable of the body with a word too much than the end of a body without a brace.
    if !function_follows(p) {
        return false;
    }
    let mut index = p.current_index();
    loop {
        match p.kind_at(index) {
            DOTTED if p.text_at(index) == ".entry" => return true,
            L_BRACE => return true,
            SEMICOLON | R_BRACE | END => return false,
            _ => {}
        }
        index = p.next_index(index);
    }
}
