//! Directives of modules and bodies that declare no variable and no function.

use super::{
    declaration::{literal, new_name},
    expression::name_reference,
    function::{function_directives, parameter_list},
    words::{
        at_stray_brace, is_linkage, is_module_directive, is_statement_directive, opens_block,
        starts_statement,
    },
};
use crate::{
    SyntaxKind::{self, *},
    parser::{END, Parser},
};

/// `.version 8.5`
pub(super) fn version(p: &mut Parser<'_>) {
    p.start_with_trivia(VERSION_DIRECTIVE);
    p.bump();
    let number = p.expect(FLOAT, "a version such as `8.5`");
    end_without_semicolon(p, number);
}

/// `.target sm_90a, debug`
pub(super) fn target(p: &mut Parser<'_>) {
    p.start_with_trivia(TARGET_DIRECTIVE);
    p.bump();
    let mut well_formed = true;
    loop {
        if p.at(IDENT) {
            p.start(TARGET_WORD);
            p.bump();
            p.finish();
        } else {
            p.expected("a target such as `sm_90`");
            well_formed = false;
            break;
        }
        if !p.eat(COMMA) {
            break;
        }
    }
    end_without_semicolon(p, well_formed);
}

/// `.address_size 64`
pub(super) fn address_size(p: &mut Parser<'_>) {
    p.start_with_trivia(ADDRESS_SIZE_DIRECTIVE);
    p.bump();
    let number = literal(p, "`32` or `64`");
    end_without_semicolon(p, number);
}

/// `.file 1 "a.cu", 1339013327, 64118`
pub(super) fn file(p: &mut Parser<'_>) {
    p.start_with_trivia(FILE_DIRECTIVE);
    p.bump();
    let mut well_formed = literal(p, "a file index") && p.expect(STRING, "a file name in quotes");
    if well_formed && p.at(STRING) && !p.line_break_before() {
        p.error_with_help(
            p.current_range(),
            "`.file` takes one string, the path of the file",
            "a directory and a name are DWARF 5, which ptxas does not read: compile with `-gdwarf-4`",
        );
        well_formed = false;
    }
    for what in ["a time stamp", "a file size"] {
        well_formed = well_formed && (!p.eat(COMMA) || literal(p, what));
    }
    end_without_semicolon(p, well_formed);
}

/// Ends a directive that takes no semicolon; what else is on its line is an error, reported unless
/// the directive itself has one.
fn end_without_semicolon(p: &mut Parser<'_>, well_formed: bool) {
    let unexpected = |p: &Parser<'_>| {
        !p.line_break_before() && matches!(p.kind(), INTEGER | FLOAT | BAD_NUMBER | STRING | COMMA)
    };
    if p.at(SEMICOLON) {
        if well_formed {
            p.error_at(
                crate::SyntaxErrorCode::Syntax,
                p.current_range(),
                "this directive takes no `;`".to_owned(),
            );
        }
        p.bump_as_error();
    } else if unexpected(p) {
        if well_formed {
            p.expected("the end of the directive");
        }
        p.start(ERROR);
        while unexpected(p) {
            p.bump();
        }
        p.finish();
    }
    p.attach_trailing_comments();
    p.finish();
    p.complete = false;
}

/// `.section .debug_info { .b8 1, 2 label: .b32 a-b }`
pub(super) fn section(p: &mut Parser<'_>) {
    p.start_with_trivia(SECTION);
    p.bump();
    p.expect(DOTTED, "a section name such as `.debug_info`");
    let open = p.current_range();
    if p.expect(L_BRACE, "`{`") {
        while !matches!(p.kind(), R_BRACE | END) {
            match p.kind() {
                DOTTED if starts_other_item(p) => break,
                DOTTED => data_line(p),
                IDENT if p.second() == COLON => label(p),
                _ => {
                    p.expected("a line such as `.b8 1, 2`, a label or `}`");
                    p.start_with_trivia(ERROR);
                    while !(matches!(p.kind(), R_BRACE | END | DOTTED)
                        || p.at(IDENT) && p.second() == COLON)
                    {
                        p.bump();
                    }
                    p.finish();
                }
            }
        }
        p.complete = p.expect_close(R_BRACE, open);
    }
    p.attach_trailing_comments();
    p.finish();
}

fn starts_other_item(p: &Parser<'_>) -> bool {
    let word = p.current_text();
    is_module_directive(word)
        || is_linkage(word)
        || (is_statement_directive(word) && word != ".reg")
}

/// `.b8 1, 2`, `.b32 .debug_str+4`, `.b64 end-begin`
fn data_line(p: &mut Parser<'_>) {
    p.start_with_trivia(DATA_LINE);
    p.bump();
    loop {
        data_value(p);
        if !p.eat(COMMA) {
            break;
        }
    }
    p.attach_trailing_comments();
    p.finish();
}

/// The types of the lines of a section.
fn is_data_type(word: &str) -> bool {
    matches!(word, ".b8" | ".b16" | ".b32" | ".b64")
}

fn data_value(p: &mut Parser<'_>) {
    let start = p.checkpoint();
    match p.kind() {
        MINUS => {
            p.start(PREFIX_EXPRESSION);
            p.bump();
            literal(p, "a number");
            p.finish();
        }
        INTEGER | FLOAT | BAD_NUMBER => {
            literal(p, "a number");
        }
        // Another line: this one has no value yet.
        DOTTED if p.line_break_before() && is_data_type(p.current_text()) => {
            p.expected("a number or a label");
        }
        IDENT if p.line_break_before() && p.second() == COLON => {
            p.expected("a number or a label");
        }
        // Sections are named by their dotted word.
        IDENT | DOTTED => {
            p.start(NAME_REFERENCE);
            p.bump();
            p.finish();
            if matches!(p.kind(), PLUS | MINUS) {
                p.start_at(start, BINARY_EXPRESSION);
                p.bump();
                match p.kind() {
                    IDENT => name_reference(p),
                    _ => {
                        literal(p, "a number or a label");
                    }
                }
                p.finish();
            }
        }
        _ => p.expected("a number or a label"),
    }
}

/// A label: `name:`
pub(super) fn label(p: &mut Parser<'_>) {
    p.start_with_trivia(LABEL);
    new_name(p);
    p.bump();
    p.attach_trailing_comments();
    p.finish();
    p.complete = true;
}

/// A label that lacks its colon: `name` alone on a line.
pub(super) fn label_without_colon(p: &mut Parser<'_>) {
    p.start_with_trivia(LABEL);
    new_name(p);
    p.expected_missing("`:` after the label", ":");
    p.attach_trailing_comments();
    p.finish();
    p.complete = false;
}

/// `@@DWARF .byte 0x2b, 0x00`: everything up to the end of the line.
pub(super) fn dwarf_line(p: &mut Parser<'_>) {
    p.start_with_trivia(DWARF_LINE);
    p.bump();
    if !(p.at(IDENT) && p.adjacent() && p.current_text() == "DWARF") {
        p.expected("`DWARF`");
    }
    while !p.at(END) && !p.line_break_before() {
        p.bump();
    }
    p.attach_trailing_comments();
    p.finish();
    p.complete = false;
}

/// `.nv_intermediate_source_section { .code_block { … } }`
pub(super) fn intermediate_section(p: &mut Parser<'_>) {
    p.start_with_trivia(INTERMEDIATE_SECTION);
    p.bump();
    let open = p.current_range();
    if p.expect(L_BRACE, "`{`") {
        while p.at_dotted(".code_block") {
            code_block(p);
        }
        p.complete = p.expect_close(R_BRACE, open);
    }
    p.attach_trailing_comments();
    p.finish();
}

fn code_block(p: &mut Parser<'_>) {
    p.start_with_trivia(CODE_BLOCK);
    p.bump();
    let open = p.current_range();
    if p.expect(L_BRACE, "`{`") {
        for (word, value) in [(".ir_name", STRING), (".sourceFileName", INTEGER)] {
            if p.at_dotted(word) {
                p.bump();
                p.expect(COLON, "`:`");
                p.expect(
                    value,
                    if value == STRING {
                        "a string"
                    } else {
                        "a file index"
                    },
                );
            } else {
                p.expected(&format!("`{word}:`"));
            }
        }
        if p.at_dotted(".source_begin") {
            p.bump();
            p.eat(RAW_TEXT);
            if p.at_dotted(".source_end") {
                p.bump();
            } else {
                p.expected("`.source_end`");
            }
        } else {
            p.expected("`.source_begin`");
        }
        while !matches!(p.kind(), R_BRACE | END) && !p.at_dotted(".code_block") {
            p.bump_as_error();
        }
        p.expect_close(R_BRACE, open);
    }
    p.finish();
}

/// `.pragma "nounroll";`
pub(super) fn pragma(p: &mut Parser<'_>) {
    p.start_with_trivia(PRAGMA);
    p.bump();
    separated(p, "a string", |p| p.at(STRING), |p| p.bump());
    end_with_semicolon(p, "`,` or `;`");
}

/// `.alias new_name, existing_function;`
pub(super) fn alias(p: &mut Parser<'_>) {
    p.start_with_trivia(ALIAS);
    p.bump();
    if p.at(IDENT) {
        name_reference(p);
        if p.expect(COMMA, "`,`") {
            if p.at(IDENT) {
                name_reference(p);
            } else {
                p.expected("the name of a function");
            }
        }
    } else {
        p.expected("the name of a function");
    }
    end_with_semicolon(p, "`;`");
}

/// `.loc 1 12 3, function_name $L__info+4, inlined_at 1 20 5`; also `.loc_intermediate 1 12 3`.
pub(super) fn loc(p: &mut Parser<'_>) {
    let inlines = p.at_dotted(".loc");
    p.start_with_trivia(LOC_DIRECTIVE);
    p.bump();
    let mut well_formed = source_location(p);
    if well_formed && inlines && p.eat(COMMA) {
        well_formed = word(p, "function_name")
            && function_label(p)
            && p.expect(COMMA, "`, inlined_at`")
            && word(p, "inlined_at")
            && source_location(p);
        if !well_formed {
            rest_of_line(p);
        }
    }
    end_without_semicolon(p, well_formed);
}

/// One of the words of `.loc`.
fn word(p: &mut Parser<'_>, word: &str) -> bool {
    let found = p.at(IDENT) && p.current_text() == word;
    if found {
        p.bump();
    } else {
        p.expected(&format!("`{word}`"));
    }
    found
}

/// The label of a function name in a section, with or without a number to add.
fn function_label(p: &mut Parser<'_>) -> bool {
    if !matches!(p.kind(), IDENT | DOTTED) {
        p.expected("the label of a function name");
        return false;
    }
    let start = p.checkpoint();
    p.start(NAME_REFERENCE);
    p.bump();
    p.finish();
    if p.at(MINUS) {
        p.expected("`+` or `,`");
        return false;
    }
    if !p.at(PLUS) {
        return true;
    }
    p.start_at(start, BINARY_EXPRESSION);
    p.bump();
    let found = literal(p, "a number");
    p.finish();
    found
}

/// Puts the rest of the line into an error node.
fn rest_of_line(p: &mut Parser<'_>) {
    let ends = |p: &Parser<'_>| {
        p.line_break_before() || matches!(p.kind(), END | SEMICOLON | L_BRACE | R_BRACE)
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

/// File index, line and column.
fn source_location(p: &mut Parser<'_>) -> bool {
    ["a file index", "a line number", "a column number"]
        .into_iter()
        .all(|what| literal(p, what))
}

/// `.branchtargets L1, N<5>;`
pub(super) fn branch_targets(p: &mut Parser<'_>) {
    p.start_with_trivia(BRANCH_TARGETS);
    p.bump();
    separated(
        p,
        "a label",
        |p| p.at(IDENT),
        |p| {
            p.start(TARGET_NAME);
            name_reference(p);
            if p.at(LT) {
                super::declaration::count_suffix(p);
            }
            p.finish();
        },
    );
    end_with_semicolon(p, "`,` or `;`");
}

/// `.calltargets f, g;`
pub(super) fn call_targets(p: &mut Parser<'_>) {
    p.start_with_trivia(CALL_TARGETS);
    p.bump();
    separated(p, "the name of a function", |p| p.at(IDENT), name_reference);
    end_with_semicolon(p, "`,` or `;`");
}

/// `.callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;`
pub(super) fn call_prototype(p: &mut Parser<'_>) {
    p.start_with_trivia(CALL_PROTOTYPE);
    p.bump();
    if p.at(L_PAREN) {
        parameter_list(p, RETURN_LIST);
    }
    p.expect(UNDERSCORE, "`_` in the place of the function name");
    if p.at(L_PAREN) {
        parameter_list(p, PARAMETER_LIST);
    }
    function_directives(p, false);
    end_with_semicolon(p, "`;`");
}

/// One or more elements between commas.
fn separated(
    p: &mut Parser<'_>,
    what: &str,
    at: fn(&Parser<'_>) -> bool,
    element: fn(&mut Parser<'_>),
) {
    loop {
        if !at(p) {
            p.expected(what);
            break;
        }
        element(p);
        if !p.eat(COMMA) {
            break;
        }
    }
}

/// Ends a statement or item with its semicolon and closes its node.
///
/// Without the semicolon the error appears where it belongs, and the rest of the same line is put
/// into an error node.
pub(super) fn end_with_semicolon(p: &mut Parser<'_>, what: &str) {
    p.complete = p.eat(SEMICOLON);
    if !p.complete {
        if p.at(END) || p.at(R_BRACE) && !at_stray_brace(p) || may_start_statement(p) {
            p.expected_missing(what, ";");
        } else {
            p.expected(what);
        }
        skip_to_statement_end(p);
        p.complete = p.eat(SEMICOLON);
    }
    p.attach_trailing_comments();
    p.finish();
}

/// Skips, as an error node, what cannot be a part of the statement, up to its semicolon or to a token
/// that can start another statement.
fn skip_to_statement_end(p: &mut Parser<'_>) {
    let ends = |p: &Parser<'_>, depth: usize| match p.kind() {
        END | SEMICOLON => true,
        R_BRACE => depth == 0 && !at_stray_brace(p),
        _ => depth == 0 && may_start_statement(p),
    };
    if ends(p, 0) {
        return;
    }
    p.start(ERROR);
    let mut depth = 0usize;
    while !ends(p, depth) {
        match p.kind() {
            L_BRACE => depth += 1,
            R_BRACE => depth = depth.saturating_sub(1),
            _ => {}
        }
        p.bump();
    }
    p.finish();
}

/// Whether the current token can start a statement, seen from the end of one that lacks its semicolon.
pub(super) fn may_start_statement(p: &Parser<'_>) -> bool {
    match p.kind() {
        AT | AT_AT => true,
        DOTTED => starts_statement(p),
        IDENT => {
            p.line_break_before() && (!p.current_text().starts_with('%') || p.second() == COLON)
        }
        L_BRACE => p.line_break_before() && opens_block(p),
        _ => false,
    }
}

/// Kinds that begin a value of a tuning directive.
pub(super) fn is_value(kind: SyntaxKind) -> bool {
    matches!(kind, INTEGER | FLOAT | BAD_NUMBER | STRING)
}
