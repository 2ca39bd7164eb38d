//! Statements of a body.

use std::hash::Hasher as _;

use super::{
    declaration::variable_declaration,
    directive::{self, end_with_semicolon, label, label_without_colon},
    expression::{argument_list, at_further_operand, name_reference, operand},
    function::function_follows,
    item::{at_module_item, declaration},
    words::{at_next_statement, at_stray_brace, body_goes_on, is_linkage, starts_statement},
};
use crate::{
    SyntaxErrorCode,
    SyntaxKind::*,
    parser::{END, Parser, describe},
    text::StableHasher,
};

/// One statement in this many ends a run, on average.
const RUN_LENGTH: u64 = 64;
/// Bytes of a statement that decide whether it ends a run.
const HASHED_BYTES: usize = 128;

/// The body of a function. Returns whether it is closed.
pub(super) fn body(p: &mut Parser<'_>) -> bool {
    if !p.enter() {
        p.too_deep();
        return false;
    }
    p.start_function();
    let open = p.current_range();
    p.start(BLOCK);
    p.bump();
    statement_runs(p);
    let closed = p.eat(R_BRACE);
    if !closed {
        let open = p.unclosed_block(open);
        p.expect_close(R_BRACE, open);
    }
    p.finish();
    p.leave();
    closed
}

/// The body of a function whose `{` is missing and reported. Returns whether it is closed.
pub(super) fn body_without_brace(p: &mut Parser<'_>) -> bool {
    if !p.enter() {
        p.too_deep();
        return false;
    }
    p.start_function();
    p.start(BLOCK);
    statement_runs(p);
    let closed = p.eat(R_BRACE);
    p.finish();
    p.leave();
    closed
}

/// Statements up to a `}`, the end of the text or a top-level item, grouped into runs.
fn statement_runs(p: &mut Parser<'_>) {
    let mut open = false;
    while !p.at(END) && !at_end_of_block(p) && !at_module_item(p) {
        if !open {
            p.start_with_trivia(STATEMENT_RUN);
            open = true;
        }
        let start = p.offset();
        if !statement(p) || ends_run(p.text_since(start)) {
            p.finish();
            open = false;
        }
    }
    if open {
        p.finish();
    }
    p.run_open = open;
}

/// Whether a `}` is here that closes the block.
fn at_end_of_block(p: &Parser<'_>) -> bool {
    if !p.at(R_BRACE) {
        return false;
    }
    let next = p.next_index(p.current_index());
    let after = p.kind_at(p.next_index(next));
    !(p.in_outermost_block() && body_goes_on(p.kind_at(next), p.text_at(next), after))
}

/// Whether an instruction or a source location with this text ends its run. Depends on nothing else, so that an edit of one
/// statement moves no cut but its own.
fn ends_run(text: &str) -> bool {
    let mut hasher = StableHasher::default();
    hasher.write(&text.as_bytes()[..text.len().min(HASHED_BYTES)]);
    hasher.finish().is_multiple_of(RUN_LENGTH)
}

/// Rule for a piece of a body that holds whole statements only.
pub(crate) fn statement_runs_only(p: &mut Parser<'_>) {
    p.start_with_trivia(BLOCK);
    statement_runs(p);
    p.finish();
}

/// Rule for the rest of a body, up to and including its `}`.
pub(crate) fn block_tail(p: &mut Parser<'_>) {
    p.start_with_trivia(BLOCK);
    statement_runs(p);
    p.complete = p.eat(R_BRACE);
    p.finish();
}

/// One statement. Returns whether its run may continue after it: most are instructions, so that what declares
/// something is found fast if it is always the last of its run.
fn statement(p: &mut Parser<'_>) -> bool {
    p.complete = false;
    match p.kind() {
        IDENT if p.second() == COLON => label(p),
        IDENT if at_label_without_colon(p) => label_without_colon(p),
        IDENT | AT => {
            instruction(p);
            return true;
        }
        L_BRACE => {
            p.start_with_trivia(BLOCK);
            nested_block(p);
        }
        DOTTED if is_location(p.current_text()) => {
            directive::loc(p);
            return true;
        }
        DOTTED => directive_statement(p),
        BACKSLASH => {
            // ptxas ignores a backslash before a statement.
            p.start_with_trivia(ERROR);
            p.bump();
            p.finish();
        }
        SEMICOLON => {
            p.error_at(
                SyntaxErrorCode::Syntax,
                p.current_range(),
                "unexpected `;`: PTX has no empty statement".to_owned(),
            );
            error_token(p);
        }
        UNDERSCORE if p.second() == COLON => {
            p.error_at(
                SyntaxErrorCode::Syntax,
                p.current_range(),
                "`_` is not a name".to_owned(),
            );
            p.start_with_trivia(ERROR);
            p.bump();
            p.bump();
            p.finish();
        }
        _ => unexpected(p),
    }
    false
}

/// Whether a name that no opcode has is alone on its line.
fn at_label_without_colon(p: &Parser<'_>) -> bool {
    let next = p.next_index(p.current_index());
    p.current_text().starts_with(['$', '%', '_'])
        && p.kind_at(next) != DOTTED
        && p.line_break_before_index(next)
        && !matches!(p.kind_at(next), SEMICOLON | COMMA)
}

fn is_location(word: &str) -> bool {
    matches!(word, ".loc" | ".loc_intermediate")
}

/// A block as a statement; its node is open already and holds the trivia before it.
fn nested_block(p: &mut Parser<'_>) {
    let open = p.current_range();
    if p.enter() {
        p.bump();
        statement_runs(p);
        if p.at(R_BRACE) {
            p.compare_indentation(open);
        }
        p.complete = p.expect_close(R_BRACE, open);
        p.leave();
    } else {
        p.too_deep();
        p.complete = false;
    }
    p.attach_trailing_comments();
    p.finish();
}

fn directive_statement(p: &mut Parser<'_>) {
    let word = p.current_text();
    match word {
        ".pragma" => directive::pragma(p),
        ".branchtargets" => directive::branch_targets(p),
        ".calltargets" => directive::call_targets(p),
        ".callprototype" => directive::call_prototype(p),
        ".alias" => directive::alias(p),
        ".target" => directive::target(p),
        _ if is_linkage(word) && !function_follows(p) => {
            p.error_at(
                SyntaxErrorCode::Syntax,
                p.current_range(),
                format!("`{word}` is not allowed in a body, where variables have no linkage; or is a `}}` missing before it?"),
            );
            variable_declaration(p);
        }
        _ if declaration(p, word, ".reg") => {}
        _ => {
            p.error_at(
                SyntaxErrorCode::Syntax,
                p.current_range(),
                format!("`{word}` cannot start a statement: expected an instruction, a declaration, a label or `}}`"),
            );
            p.start_with_trivia(ERROR);
            p.bump();
            end_with_recovery(p);
        }
    }
}

fn unexpected(p: &mut Parser<'_>) {
    if p.at(R_BRACE) {
        p.error_at(
            SyntaxErrorCode::Syntax,
            p.current_range(),
            "unmatched `}`".to_owned(),
        );
        error_token(p);
        return;
    }
    p.error_at(
        SyntaxErrorCode::Syntax,
        p.current_range(),
        format!(
            "expected an instruction, a declaration, a label or `}}`, found {}",
            describe(p.kind(), p.current_text())
        ),
    );
    p.start_with_trivia(ERROR);
    p.bump();
    end_with_recovery(p);
}

/// Ends an error statement: up to its semicolon, or before the next statement.
fn end_with_recovery(p: &mut Parser<'_>) {
    let mut depth = 0usize;
    loop {
        match p.kind() {
            END => break,
            SEMICOLON if depth == 0 => {
                p.bump();
                break;
            }
            R_BRACE if depth == 0 => break,
            R_BRACE => depth -= 1,
            L_BRACE if p.line_break_before() && depth == 0 => break,
            L_BRACE => depth += 1,
            _ if depth == 0 && directive::may_start_statement(p) => break,
            _ => {}
        }
        p.bump();
    }
    p.attach_trailing_comments();
    p.finish();
    p.complete = false;
}

fn error_token(p: &mut Parser<'_>) {
    p.start_with_trivia(ERROR);
    p.bump();
    p.attach_trailing_comments();
    p.finish();
    p.complete = true;
}

/// `@!%p1 ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];`
fn instruction(p: &mut Parser<'_>) {
    p.start_with_trivia(INSTRUCTION);
    if p.at(AT) {
        guard(p);
    }
    if !p.at(IDENT) {
        p.expected("an instruction after the guard");
        end_with_semicolon_quietly(p);
        return;
    }
    let call = p.current_text() == "call";
    p.bump();
    while p.at(DOTTED) && !starts_statement(p) {
        p.bump();
    }
    if p.at(COLON) {
        p.error_at(
            SyntaxErrorCode::Syntax,
            p.current_range(),
            "a label cannot follow a guard: write the label first".to_owned(),
        );
        end_with_semicolon_quietly(p);
        return;
    }
    // A word alone on the next line is the only operand for ptxas, as in `bra` and below it `L;`.
    let lone_word = p.at(IDENT) && p.second() == SEMICOLON;
    let has_operands = lone_word || !p.at(SEMICOLON) && !at_next_statement(p);
    if has_operands {
        operands(p, call);
    }
    end_with_semicolon(
        p,
        if has_operands {
            "`,` or `;`"
        } else {
            "an operand or `;`"
        },
    );
}

/// Ends a statement whose error is reported already.
fn end_with_semicolon_quietly(p: &mut Parser<'_>) {
    if p.eat(SEMICOLON) {
        p.attach_trailing_comments();
        p.finish();
        p.complete = true;
    } else {
        end_with_recovery(p);
    }
}

/// `@p`, `@!p`
fn guard(p: &mut Parser<'_>) {
    p.start(GUARD);
    p.bump();
    p.eat(BANG);
    if p.at(IDENT) && !(p.line_break_before() && p.second() != IDENT && at_next_statement(p)) {
        name_reference(p);
    } else {
        p.expected("a predicate register");
    }
    p.finish();
}

fn operands(p: &mut Parser<'_>, call: bool) {
    loop {
        if call && p.at(L_PAREN) {
            argument_list(p);
        } else {
            operand(p);
        }
        while at_stray_brace(p) {
            p.error_at(
                SyntaxErrorCode::Syntax,
                p.current_range(),
                "unmatched `}`".to_owned(),
            );
            p.bump_as_error();
        }
        if p.eat(COMMA) {
            if p.at(SEMICOLON) || at_next_statement(p) {
                p.expected("an operand after `,`");
                return;
            }
            continue;
        }
        // Two operands without a comma: report the comma and continue.
        if !at_further_operand(p) {
            return;
        }
        p.expected_missing("`,` or `;`", ",");
    }
}
