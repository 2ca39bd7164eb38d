//! Operands and constant expressions.

use rowan::TextRange;

use crate::{
    SyntaxErrorCode,
    SyntaxKind::{self, *},
    builder::Checkpoint,
    grammar::words::{at_next_statement, starts_statement},
    parser::{MAX_DEPTH, Parser},
};

/// An operand of an instruction.
pub(super) fn operand(p: &mut Parser<'_>) {
    let start = p.checkpoint();
    let kind = p.kind();
    // A register pair `p|q` is not a bitwise or: names are not part of constant expressions.
    if matches!(kind, IDENT | UNDERSCORE | BANG | L_BRACE) {
        unary(p);
        if p.at(PIPE) {
            p.start_at(start, PAIR);
            p.bump();
            unary(p);
            p.finish();
            return;
        }
        continue_binary(p, start, 0);
        return;
    }
    expression(p);
}

/// A constant expression, or any other operand instead of it.
pub(super) fn expression(p: &mut Parser<'_>) {
    binary(p, 0);
}

/// Left and right binding power of a binary operator; precedence as in C, PTX ISA table 4.
fn binding_power(kind: SyntaxKind) -> Option<u8> {
    Some(match kind {
        QUESTION => 1,
        PIPE_PIPE => 2,
        AMP_AMP => 3,
        PIPE => 4,
        CARET => 5,
        AMP => 6,
        EQ_EQ | NOT_EQ => 7,
        LT | GT | LT_EQ | GT_EQ => 8,
        SHL | SHR => 9,
        PLUS | MINUS => 10,
        STAR | SLASH | PERCENT => 11,
        _ => return None,
    })
}

fn binary(p: &mut Parser<'_>, least: u8) {
    let start = p.checkpoint();
    unary(p);
    continue_binary(p, start, least);
}

/// Operators after a left side that started at `start`.
fn continue_binary(p: &mut Parser<'_>, start: Checkpoint, least: u8) {
    while let Some(power) = binding_power(p.kind()) {
        if power < least {
            return;
        }
        // Each operator makes the tree one level higher on its left side.
        let left = p.height;
        if left >= MAX_DEPTH {
            p.too_deep();
            return;
        }
        if p.at(QUESTION) {
            // Right associative.
            p.start_at(start, CONDITIONAL_EXPRESSION);
            p.bump();
            nested(p, |p| binary(p, 1));
            let mut height = left.max(p.height);
            if p.expect(COLON, "`:`") {
                nested(p, |p| binary(p, 1));
                height = height.max(p.height);
            }
            p.finish();
            p.height = height + 1;
        } else {
            p.start_at(start, BINARY_EXPRESSION);
            p.bump();
            binary(p, power + 1);
            p.finish();
            p.height = left.max(p.height) + 1;
        }
    }
}

/// Runs a rule one level deeper.
fn nested(p: &mut Parser<'_>, rule: impl FnOnce(&mut Parser<'_>)) {
    if p.enter() {
        rule(p);
        p.leave();
    } else {
        p.too_deep();
    }
}

fn unary(p: &mut Parser<'_>) {
    match p.kind() {
        PLUS | MINUS | BANG | TILDE => nested(p, |p| {
            p.start(PREFIX_EXPRESSION);
            p.bump();
            unary(p);
            p.finish();
            p.height += 1;
        }),
        _ => postfix(p),
    }
}

fn postfix(p: &mut Parser<'_>) {
    let start = p.checkpoint();
    p.height = 1;
    match p.kind() {
        IDENT if p.second() == L_PAREN && p.current_text() == "generic" => {
            name_reference(p);
            apply(p, start);
        }
        // The first operand may be alone on the line below the opcode.
        IDENT
            if !matches!(p.previous(), IDENT | DOTTED)
                && p.line_break_before()
                && at_next_statement(p) =>
        {
            p.expected("an operand");
        }
        IDENT => {
            name_reference(p);
            if p.at(DOTTED) && !starts_statement(p) {
                p.start_at(start, MEMBER_EXPRESSION);
                p.bump();
                p.finish();
            } else if p.at(L_BRACKET) && !p.line_break_before() {
                let open = p.current_range();
                p.start_at(start, INDEX_EXPRESSION);
                p.bump();
                nested(p, expression);
                p.expect_close(R_BRACKET, open);
                p.finish();
                p.height += 1;
            }
        }
        UNDERSCORE => {
            p.start(SINK);
            p.bump();
            p.finish();
        }
        INTEGER | FLOAT | BAD_NUMBER => {
            p.start(LITERAL);
            p.bump();
            p.finish();
            // The mask operator of initializers: `0xff(g)`.
            if p.at(L_PAREN) && !p.line_break_before() {
                apply(p, start);
            }
        }
        L_PAREN => parenthesized(p),
        L_BRACKET => {
            bracketed_list(p, ADDRESS, R_BRACKET);
            // `[%rd1].unified`
            if p.at(DOTTED) && !starts_statement(p) {
                p.start_at(start, MEMBER_EXPRESSION);
                p.bump();
                p.finish();
            }
        }
        L_BRACE => bracketed_list(p, VECTOR, R_BRACE),
        _ => p.expected("an operand"),
    }
}

fn apply(p: &mut Parser<'_>, start: Checkpoint) {
    let open = p.current_range();
    if !p.initializer {
        p.error_at(
            SyntaxErrorCode::Syntax,
            open,
            "`generic(…)` and masks such as `0xff(…)` are allowed in initial values of variables only"
                .to_owned(),
        );
    }
    p.start_at(start, APPLY_EXPRESSION);
    p.bump();
    nested(p, expression);
    p.expect_close(R_PAREN, open);
    p.finish();
    p.height += 1;
}

/// `(1+2)`, `(.s64) 4`
fn parenthesized(p: &mut Parser<'_>) {
    let open = p.current_range();
    if !p.enter() {
        p.too_deep();
        return;
    }
    if p.second() == DOTTED {
        p.start(CAST_EXPRESSION);
        p.bump();
        p.bump();
        p.expect_close(R_PAREN, open);
        unary(p);
    } else {
        p.start(PARENTHESIZED_EXPRESSION);
        p.bump();
        expression(p);
        p.expect_close(R_PAREN, open);
    }
    p.finish();
    p.height += 1;
    p.leave();
}

/// `[%rd1+16]`, `[tensor, {%r1, %r2}]`, `{%f1, _}`
fn bracketed_list(p: &mut Parser<'_>, kind: SyntaxKind, close: SyntaxKind) {
    if !p.enter() {
        p.too_deep();
        return;
    }
    let open = p.current_range();
    p.start(kind);
    p.bump();
    let end = elements(p, close);
    p.expect_close(close, open);
    if let Some(end) = end {
        p.close_at(open, close, end);
    }
    p.finish();
    p.height += 1;
    p.leave();
}

/// One or more operands between commas. Returns where a list most likely ends whose bracket is missing: an address
/// after its first element, if coordinates in braces are not among the others; a vector before an address or another
/// vector, or with the statement.
fn elements(p: &mut Parser<'_>, close: SyntaxKind) -> Option<TextRange> {
    if p.at(close) {
        p.expected("an operand");
        return None;
    }
    let mut height = 0;
    let mut end = None;
    let mut coordinates = false;
    let (mut last, mut inner) = (None, None);
    loop {
        if p.at(SEMICOLON) || !p.at(close) && at_next_statement(p) {
            break;
        }
        coordinates |= end.is_some() && p.at(L_BRACE);
        if matches!(p.kind(), L_BRACE | L_BRACKET) {
            inner = inner.or(last);
        }
        operand(p);
        last = Some(p.previous_end_range());
        end.get_or_insert(p.previous_end_range());
        height = height.max(p.height);
        p.height = height;
        if !p.eat(COMMA) {
            if p.at(close) || !at_further_operand(p) {
                break;
            }
            p.expected_missing("`,`", ",");
        }
        if p.at(close) {
            p.expected("another operand after `,`");
            break;
        }
    }
    match close {
        R_BRACE => inner.or(last.filter(|_| p.at(SEMICOLON))),
        R_BRACKET => end.filter(|_| !coordinates),
        _ => None,
    }
}

/// Whether another operand starts here, after one without a comma after it.
pub(super) fn at_further_operand(p: &Parser<'_>) -> bool {
    matches!(
        p.kind(),
        IDENT | INTEGER | FLOAT | BAD_NUMBER | L_BRACKET | L_BRACE | L_PAREN | UNDERSCORE
    ) && !at_next_statement(p)
}

/// The parenthesized lists of `call`.
pub(super) fn argument_list(p: &mut Parser<'_>) {
    let open = p.current_range();
    p.start(ARGUMENT_LIST);
    p.bump();
    if !p.at(R_PAREN) {
        elements(p, R_PAREN);
    }
    p.expect_close(R_PAREN, open);
    p.finish();
}

/// A name in use.
pub(super) fn name_reference(p: &mut Parser<'_>) {
    p.start(NAME_REFERENCE);
    p.bump();
    p.finish();
}
