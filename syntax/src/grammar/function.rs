//! Entries, functions, prototypes and their parameters.

use super::{
    declaration::{array_dimensions, attribute, literal, new_name, specifiers},
    directive::{is_value, may_start_statement, pragma},
    statement::{body, body_without_brace},
    words::{
        at_next_statement, is_declaration_start, is_linkage, is_module_directive, is_variable_type,
    },
};
use crate::{
    SyntaxErrorCode,
    SyntaxKind::{self, *},
    parser::{END, Parser},
};

/// Whether `.entry` or `.func` follows, after linkage words.
pub(super) fn function_follows(p: &Parser<'_>) -> bool {
    let mut index = p.current_index();
    while p.kind_at(index) == DOTTED {
        let word = p.text_at(index);
        if matches!(word, ".entry" | ".func") {
            return true;
        }
        if !is_linkage(word) {
            return false;
        }
        index = p.next_index(index);
    }
    false
}

/// `.visible .func .attribute(…) (ret) name (params) .noreturn { … }`
pub(super) fn function(p: &mut Parser<'_>) {
    p.start_with_trivia(FUNCTION);
    linkage(p);
    let entry = p.at_dotted(".entry");
    if entry || p.at_dotted(".func") {
        p.bump();
    } else {
        p.expected("`.entry` or `.func`");
    }
    while p.at_dotted(".attribute") {
        attribute(p);
    }
    let mut parameters = false;
    if p.at(L_PAREN) {
        let returns = name_follows_list(p);
        parameters = !returns;
        if entry && returns {
            p.error_at(
                SyntaxErrorCode::Syntax,
                p.current_range(),
                "expected the name of the entry: an entry returns nothing".to_owned(),
            );
        } else if parameters {
            p.expected(name_of(entry));
        }
        parameter_list(p, if returns { RETURN_LIST } else { PARAMETER_LIST });
    } else if at_list_without_parenthesis(p) {
        p.expected_missing("`(`", "(");
        parameter_list(p, RETURN_LIST);
    }
    let named = p.at(IDENT);
    if named {
        new_name(p);
    } else if !parameters {
        p.expected(name_of(entry));
    }
    if p.at(L_PAREN) {
        parameter_list(p, PARAMETER_LIST);
    } else if at_list_without_parenthesis(p) {
        p.expected_missing("`(`", "(");
        parameter_list(p, PARAMETER_LIST);
    }
    function_directives(p, entry);
    body_or_semicolon(p, entry, entry && named);
    p.attach_trailing_comments();
    p.finish();
}

fn name_of(entry: bool) -> &'static str {
    if entry {
        "the name of the entry"
    } else {
        "the name of the function"
    }
}

/// Whether a name or a second list follows the list in parentheses that starts here, so that the list is
/// one of results.
fn name_follows_list(p: &Parser<'_>) -> bool {
    let mut index = p.next_index(p.current_index());
    loop {
        match p.kind_at(index) {
            R_PAREN => return matches!(p.kind_at(p.next_index(index)), IDENT | L_PAREN),
            // A second list: the parenthesis of the first is not closed.
            L_PAREN if p.kind_at(index - 1) != DOTTED => return true,
            L_BRACE | R_BRACE | SEMICOLON | END => return false,
            _ => index = p.next_index(index),
        }
    }
}

/// Whether parameters start here that lack their `(`.
fn at_list_without_parenthesis(p: &Parser<'_>) -> bool {
    if p.in_body() || !p.at_dotted(".param") {
        return false;
    }
    let mut index = p.current_index();
    loop {
        match p.kind_at(index) {
            COMMA | R_PAREN => return true,
            L_BRACE | R_BRACE | SEMICOLON | END => return false,
            _ => index = p.next_index(index),
        }
    }
}

/// At most one linking directive, and one that functions have.
fn linkage(p: &mut Parser<'_>) {
    let mut first = true;
    while p.at(DOTTED) && is_linkage(p.current_text()) {
        let word = p.current_text();
        let message = if !first {
            format!("unexpected `{word}`: there is a linking directive already")
        } else if word == ".common" {
            "only variables are `.common`: expected `.extern`, `.visible` or `.weak`".to_owned()
        } else {
            String::new()
        };
        if !message.is_empty() {
            p.error_at(SyntaxErrorCode::Syntax, p.current_range(), message);
        }
        first = false;
        p.bump();
    }
}

/// The end of a header; with `strict` it may not simply stop before another item.
fn body_or_semicolon(p: &mut Parser<'_>, entry: bool, strict: bool) {
    p.complete = false;
    if !p.in_body() && at_statement(p, entry) {
        p.expected_missing("`{`", "{");
        p.complete = body_without_brace(p);
        return;
    }
    if !matches!(p.kind(), L_BRACE | SEMICOLON | END | R_BRACE) && !header_ends(p) {
        p.expected("`{` or `;`");
        p.start(ERROR);
        while !matches!(p.kind(), L_BRACE | SEMICOLON | END | R_BRACE) && !header_ends(p) {
            p.bump();
        }
        p.finish();
        if p.at(L_BRACE) {
            p.complete = body(p);
        } else {
            p.complete = p.eat(SEMICOLON);
        }
        return;
    }
    match p.kind() {
        L_BRACE => p.complete = body(p),
        SEMICOLON => {
            p.bump();
            p.complete = true;
        }
        // ptxas lets the semicolon of a `.func` prototype go, outside bodies.
        _ if strict || p.in_body() => p.expected("`{` or `;`"),
        _ => {}
    }
}

/// Whether a statement starts here that no item is, so that a `{` is missing.
fn at_statement(p: &Parser<'_>, entry: bool) -> bool {
    match p.kind() {
        DOTTED => {
            let word = p.current_text();
            matches!(word, ".reg" | ".loc" | ".param")
                || entry && matches!(word, ".local" | ".shared")
        }
        AT | IDENT => p.line_break_before() && at_next_statement(p),
        _ => false,
    }
}

/// Whether something starts that cannot belong to a function header.
fn header_ends(p: &Parser<'_>) -> bool {
    if p.at(DOTTED) {
        let word = p.current_text();
        return is_linkage(word)
            || is_module_directive(word)
            || is_declaration_start(word)
            || is_variable_type(word)
            || word == ".alias"
            || may_start_statement(p);
    }
    matches!(p.kind(), AT | AT_AT) || (p.at(IDENT) && p.line_break_before())
}

/// Directives between the header of a function and its body.
pub(super) fn function_directives(p: &mut Parser<'_>, entry: bool) {
    while p.at(DOTTED) {
        if p.at_dotted(".pragma") {
            // After the name of a `.func`, ptxas takes a pragma for the next item.
            if !entry {
                break;
            }
            pragma(p);
            continue;
        }
        if header_ends(p) {
            break;
        }
        p.start(TUNING_DIRECTIVE);
        p.bump();
        while is_value(p.kind()) || (p.at(IDENT) && p.current_text() == "WARP_SZ") {
            if p.at(STRING) {
                p.bump();
            } else {
                literal(p, "a number");
            }
            if !p.eat(COMMA) {
                break;
            }
            if !is_value(p.kind()) && !p.at(IDENT) {
                p.expected("another value after `,`");
            }
        }
        p.finish();
    }
}

/// `(.param .b64 a, .param .align 8 .b8 b[16])`
pub(super) fn parameter_list(p: &mut Parser<'_>, kind: SyntaxKind) {
    let open = p.current_range();
    p.start(kind);
    let opened = p.eat(L_PAREN);
    while !matches!(p.kind(), R_PAREN | L_BRACE | R_BRACE | SEMICOLON | END)
        && !(p.at(DOTTED)
            && (is_linkage(p.current_text()) || is_module_directive(p.current_text())))
    {
        parameter(p);
        if matches!(p.kind(), R_PAREN | L_BRACE | R_BRACE | SEMICOLON | END) || at_end_of_list(p) {
            break;
        }
        if !p.eat(COMMA) {
            p.expected("`,` or `)`");
            if !matches!(p.kind(), DOTTED) {
                skip_in_list(p);
                p.eat(COMMA);
            }
        } else if p.at(R_PAREN) {
            p.expected("another parameter after `,`");
        }
    }
    if opened {
        p.expect_close(R_PAREN, open);
    } else {
        p.eat(R_PAREN);
    }
    p.finish();
}

/// Whether the tokens after a parameter belong to the header and to no list.
fn at_end_of_list(p: &Parser<'_>) -> bool {
    match p.kind() {
        IDENT => p.second() == L_PAREN,
        DOTTED => {
            let word = p.current_text();
            !is_declaration_start(word) && !is_variable_type(word)
        }
        _ => false,
    }
}

fn skip_in_list(p: &mut Parser<'_>) {
    let ends = |p: &Parser<'_>| {
        matches!(
            p.kind(),
            COMMA | R_PAREN | L_BRACE | R_BRACE | SEMICOLON | END
        ) || p.at(DOTTED)
            && p.line_break_before()
            && (is_linkage(p.current_text()) || is_module_directive(p.current_text()))
    };
    if ends(p) {
        return;
    }
    p.start(ERROR);
    while !ends(p) {
        p.bump();
    }
    p.finish();
}

fn parameter(p: &mut Parser<'_>) {
    p.start(PARAMETER);
    if p.at(DOTTED) {
        specifiers(p);
    } else {
        p.expected("a parameter such as `.param .u64 name`");
    }
    match p.kind() {
        IDENT => new_name(p),
        UNDERSCORE => {
            p.start(SINK);
            p.bump();
            p.finish();
        }
        _ => {
            p.expected("the name of the parameter");
            skip_in_list(p);
        }
    }
    array_dimensions(p);
    p.finish();
}
