//! Variables.

use super::{
    directive::end_with_semicolon,
    expression::expression,
    words::{
        at_next_statement, is_linkage, is_module_directive, is_state_space, is_statement_directive,
    },
};
use crate::{
    SyntaxErrorCode,
    SyntaxKind::*,
    parser::{END, Parser},
};

/// `.visible .global .align 16 .v4 .f32 a[4] = {…}, b<3>;`
pub(super) fn variable_declaration(p: &mut Parser<'_>) {
    p.start_with_trivia(VARIABLE_DECLARATION);
    specifiers(p);
    // A declaration with a type and no name is legal: `.reg .b32;`
    if !p.at(SEMICOLON) {
        loop {
            if p.at(IDENT)
                && !(p.line_break_before() && at_next_statement(p) && p.second() != SEMICOLON)
            {
                declarator(p);
            } else {
                p.expected("the name of a variable");
                break;
            }
            if !p.eat(COMMA) {
                break;
            }
        }
    }
    end_with_semicolon(p, "`,` or `;`");
}

/// The dotted words before a name: linkage, state space, alignment, attributes and type.
pub(super) fn specifiers(p: &mut Parser<'_>) {
    let mut first = true;
    let mut space = false;
    while p.at(DOTTED) {
        let word = p.current_text();
        let another = is_statement_directive(word)
            || is_module_directive(word)
            || space && (is_state_space(word) || is_linkage(word));
        if !first && p.line_break_before() && another {
            break;
        }
        first = false;
        space |= is_state_space(word);
        match word {
            ".align" => {
                p.start(ALIGN);
                p.bump();
                literal(p, "an alignment in bytes");
                p.finish();
            }
            ".attribute" => attribute(p),
            ".const" => {
                p.bump();
                if p.at(L_BRACKET) {
                    let open = p.current_range();
                    p.start(BANK);
                    p.bump();
                    literal(p, "the number of a constant bank");
                    p.expect_close(R_BRACKET, open);
                    p.finish();
                }
            }
            _ => p.bump(),
        }
    }
}

/// `.attribute(.managed, .unified(1, 2))`
pub(super) fn attribute(p: &mut Parser<'_>) {
    p.start(ATTRIBUTE);
    p.bump();
    let open = p.current_range();
    if p.expect(L_PAREN, "`(`") {
        loop {
            if !p.at(DOTTED) {
                p.expected("an attribute such as `.managed`");
                break;
            }
            p.bump();
            if p.at(L_PAREN) {
                let open = p.current_range();
                p.bump();
                while literal(p, "an integer") && p.eat(COMMA) {}
                p.expect_close(R_PAREN, open);
            }
            if !p.eat(COMMA) {
                break;
            }
        }
        p.expect_close(R_PAREN, open);
    }
    p.finish();
}

fn declarator(p: &mut Parser<'_>) {
    p.start(DECLARATOR);
    new_name(p);
    if p.at(LT) {
        count_suffix(p);
    }
    array_dimensions(p);
    if p.eat(EQ) {
        p.initializer = true;
        initializer(p);
        p.initializer = false;
    }
    p.finish();
}

/// The name of a variable or label, at an identifier.
pub(super) fn new_name(p: &mut Parser<'_>) {
    let reserved = match p.current_text() {
        "WARP_SZ" => Some("`WARP_SZ` is a constant, not a name".to_owned()),
        // ptxas takes these two for parts of `.loc` everywhere.
        it @ ("function_name" | "inlined_at") => {
            Some(format!("`{it}` is a word of `.loc`, not a name"))
        }
        _ => None,
    };
    if let Some(message) = reserved {
        p.error_at(SyntaxErrorCode::Syntax, p.current_range(), message);
    }
    p.start(NAME);
    p.bump();
    p.finish();
}

/// `<100>`
pub(super) fn count_suffix(p: &mut Parser<'_>) {
    p.start(COUNT_SUFFIX);
    p.bump();
    literal(p, "the number of names");
    p.expect(GT, "`>`");
    p.finish();
}

/// `[2][3]`, `[]`
pub(super) fn array_dimensions(p: &mut Parser<'_>) {
    while p.at(L_BRACKET) {
        let open = p.current_range();
        p.start(ARRAY_DIMENSION);
        p.bump();
        if !p.at(R_BRACKET) {
            literal(p, "an array size or `]`");
        }
        p.expect_close(R_BRACKET, open);
        p.finish();
    }
}

/// An integer, float or named constant where the language takes no expression.
pub(super) fn literal(p: &mut Parser<'_>, what: &str) -> bool {
    let found = match p.kind() {
        INTEGER | FLOAT | BAD_NUMBER => true,
        IDENT => p.current_text() == "WARP_SZ",
        _ => false,
    };
    if found {
        p.start(LITERAL);
        p.bump();
        p.finish();
    } else {
        p.expected(what);
    }
    found
}

fn initializer(p: &mut Parser<'_>) {
    if p.at(L_BRACE) {
        initializer_list(p)
    } else {
        expression(p)
    }
}

/// `{1, 2, {3, 4}}`, `{filter_mode = nearest}`
fn initializer_list(p: &mut Parser<'_>) {
    if !p.enter() {
        p.too_deep();
        return;
    }
    let open = p.current_range();
    p.start(INITIALIZER_LIST);
    p.bump();
    while !matches!(p.kind(), R_BRACE | END | SEMICOLON) {
        if p.at(IDENT) && p.second() == EQ {
            p.start(FIELD_INITIALIZER);
            p.bump();
            p.bump();
            expression(p);
            p.finish();
        } else {
            initializer(p);
        }
        if !p.eat(COMMA) {
            break;
        }
        if p.at(R_BRACE) {
            p.expected("another value after `,`");
        }
    }
    p.expect_close(R_BRACE, open);
    p.finish();
    p.leave();
}
