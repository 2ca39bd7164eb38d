//! Numbers of directives, which are literals and no expressions.

use std::fmt::Display;

use syntax::{Cursor, CursorToken, SyntaxKind};

use crate::diagnostics::{
    finding::{Finding, finding},
    registry::INVALID_DIRECTIVE,
};

/// Numbers from here on are cut to 32 bits where so many are wanted; smaller ones must fit.
const WRAPS: u64 = 1 << 63;

/// The token of a literal.
pub(super) fn token<'a>(literal: &Cursor<'a>) -> Option<CursorToken<'a>> {
    literal.tokens().find(|it| !it.kind().is_trivia())
}

/// The value of an integer as ptxas reads it: what exceeds 64 bits is truncated. `None` if it is not an integer.
pub(super) fn value(token: &CursorToken<'_>) -> Option<u64> {
    let text = token.text();
    if text == "WARP_SZ" {
        return Some(32);
    }
    if token.kind() != SyntaxKind::INTEGER {
        return None;
    }
    let text = text.strip_suffix('U').unwrap_or(text);
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (text.get(2..)?, 16),
        [b'0', b'b' | b'B', ..] => (text.get(2..)?, 2),
        [b'0', _, ..] => (text.get(1..)?, 8),
        _ => (text, 10),
    };
    digits.chars().try_fold(0u64, |sum, digit| {
        let digit = digit.to_digit(radix)?;
        Some(
            sum.wrapping_mul(u64::from(radix))
                .wrapping_add(u64::from(digit)),
        )
    })
}

/// The value of an integer of any size. Another number is reported; `what` takes it.
pub(super) fn integer(
    literal: &Cursor<'_>,
    what: impl Display,
    findings: &mut Vec<Finding>,
) -> Option<u64> {
    let token = token(literal)?;
    let value = value(&token);
    if value.is_none() && token.kind() == SyntaxKind::FLOAT {
        findings.push(invalid(
            &token,
            format!("{what} takes an integer, not `{}`", token.text()),
        ));
    }
    value
}

/// The value of an integer of 32 bits. Any other number is reported; `what` takes it. Of a number from 2^63 on ptxas
/// takes the low 32 bits.
pub(super) fn integer32(
    literal: &Cursor<'_>,
    what: impl Display,
    findings: &mut Vec<Finding>,
) -> Option<u32> {
    let value = integer(literal, what, findings)?;
    let narrow = match value {
        WRAPS.. => Some(value as u32),
        _ => u32::try_from(value).ok(),
    };
    if narrow.is_none() {
        let token = token(literal)?;
        findings.push(invalid(
            &token,
            format!("`{}` does not fit into 32 bits", token.text()),
        ));
    }
    narrow
}

/// That a token is not a value that its directive takes.
pub(super) fn invalid(token: &CursorToken<'_>, message: String) -> Finding {
    finding(token.range(), INVALID_DIRECTIVE, message, None)
}
