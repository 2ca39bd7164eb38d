//! The dotted words that decide which production follows.
//!
//! The grammar itself knows these; types, modifiers and special registers are none of its
//! business.

use crate::{
    SyntaxKind::{self, *},
    parser::{END, Parser},
};

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

/// Words that start a variable declaration and are not linkage.
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
/// where an instruction might continue with a modifier or a selector.
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
    is_declaration_start(word)
        && p.line_break_before()
        && (!next_is_adjacent(p) || p.text_at(p.next_index(p.current_index())) == ".align")
}

/// Whether the next statement starts here, so that an unfinished one before it has no further operands.
///
/// An operand may also be on a new line, so this is judged by shape: a word with an adjacent modifier
/// that is followed by what looks like an operand is an instruction, and so are two words on one line.
/// Looks at no token after the first statement that starts here.
pub(super) fn at_next_statement(p: &Parser<'_>) -> bool {
    match p.kind() {
        END | AT | AT_AT => true,
        R_BRACE => !at_stray_brace(p),
        DOTTED => starts_statement(p),
        L_BRACE => p.line_break_before() && opens_block(p),
        IDENT => at_word_of_statement(p),
        _ => false,
    }
}

fn at_word_of_statement(p: &Parser<'_>) -> bool {
    let mut index = p.next_index(p.current_index());
    if p.kind_at(index) == COLON {
        return p.previous() != QUESTION;
    }
    // No opcode looks like that; `%tid.x` is an operand, whatever is on the next line.
    let word = p.current_text();
    if word.starts_with(['%', '$', '_']) {
        return false;
    }
    let modified = next_is_adjacent(p) && p.kind_at(index) == DOTTED;
    let mut component = false;
    while modified && p.kind_at(index) == DOTTED {
        component = is_component(p.text_at(index));
        index = p.next_index(index);
    }
    let operand_is_due = matches!(p.previous(), COMMA | L_BRACE | L_BRACKET | L_PAREN);
    let starts_line = p.line_break_before();
    match p.kind_at(index) {
        MINUS | BANG | L_BRACE | L_BRACKET | UNDERSCORE => modified,
        IDENT | INTEGER | FLOAT => modified || starts_line && !p.line_break_before_index(index),
        L_PAREN => modified || starts_line && word == "call",
        // `ret` and its like on a line of their own; registers hardly ever lack a `%` and a comma. After
        // a comma only a modifier tells `bar.arrive;` from a register.
        SEMICOLON => starts_line && (!operand_is_due || modified && !component),
        _ => false,
    }
}

/// Components of vectors and selectors of bytes, the dotted words that follow names of registers.
fn is_component(word: &str) -> bool {
    matches!(
        word.as_bytes(),
        [b'.', b'x' | b'y' | b'z' | b'w' | b'r' | b'g' | b'b' | b'a']
    ) || matches!(word.as_bytes(), [b'.', b'b' | b'h', digits @ ..] if digits.iter().all(u8::is_ascii_digit))
}

/// Whether the `{` here opens a block and not a vector.
pub(super) fn opens_block(p: &Parser<'_>) -> bool {
    let first = p.next_index(p.current_index());
    let second = p.next_index(first);
    match p.kind_at(first) {
        DOTTED | AT | AT_AT | L_BRACE | R_BRACE | SEMICOLON | END => true,
        IDENT => match p.kind_at(second) {
            IDENT | COLON | SEMICOLON | L_PAREN => true,
            DOTTED => first + 1 == second && !is_component(p.text_at(second)),
            _ => false,
        },
        _ => false,
    }
}

/// Whether the `}` here, in an unfinished statement, lacks its `{` in that statement: the rest goes
/// on with operands or ends them.
pub(super) fn at_stray_brace(p: &Parser<'_>) -> bool {
    p.at(R_BRACE) && goes_on_after_brace(p.second())
}

/// Tokens with which a statement continues after the `}` of a vector.
pub(crate) fn goes_on_after_brace(kind: SyntaxKind) -> bool {
    matches!(kind, COMMA | SEMICOLON | R_BRACKET | R_PAREN)
}

/// Tokens after a `}` that say that the body of a function continues, so that the `}` has no `{`: they
/// start statements and no items. A name before a parenthesis is rather a function.
pub(crate) fn body_goes_on(kind: SyntaxKind, text: &str, next: SyntaxKind) -> bool {
    match kind {
        IDENT => text == "call" || next != L_PAREN,
        AT | L_BRACE => true,
        DOTTED => matches!(
            text,
            ".loc" | ".loc_intermediate" | ".branchtargets" | ".calltargets" | ".callprototype"
        ),
        _ => false,
    }
}

/// Whether the token after the current one follows without a blank.
pub(super) fn next_is_adjacent(p: &Parser<'_>) -> bool {
    p.next_index(p.current_index()) == p.current_index() + 1
}
