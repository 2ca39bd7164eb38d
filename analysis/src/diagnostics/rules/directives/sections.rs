//! Debug sections: `.section`, and `@@DWARF` of PTX ISA 1.x.

use std::fmt::Display;

use isa::directive::{
    SECTION_DATA, SECTION_DIFFERENCE, SECTION_LABEL, SECTION_NEGATIVE, SECTION_OFFSET,
    may_name_section,
};
use syntax::{Cursor, CursorToken, SyntaxKind, TextRange};

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        fix::Repair,
        registry::{INVALID_DIRECTIVE, UNKNOWN_DIRECTIVE},
        rules::directives::{
            context::Judge,
            numbers::{integer, invalid, token, value},
        },
        suggestion::most_similar,
    },
    hir::tree::{self, trimmed},
};

/// The bytes of a value that a label can stand for.
const LABEL_BYTES: u8 = 4;

/// Checks what is between the braces of a section.
pub(super) fn section(section: &Cursor<'_>, judge: &Judge, findings: &mut Vec<Finding>) {
    let words = section
        .tokens()
        .filter(|it| it.kind() == SyntaxKind::DOTTED);
    if let Some(name) = words.skip(1).find(|it| !may_name_section(it.text())) {
        findings.push(not_a_section(&name));
    }
    for part in section.nodes() {
        match part.kind() {
            SyntaxKind::LABEL => {
                if let Some(name) = tree::name(&part) {
                    judge.demand(name.range(), SECTION_LABEL, SECTION_LABEL, findings);
                }
            }
            SyntaxKind::DATA_LINE => data_line(&part, judge, findings),
            _ => {}
        }
    }
}

/// The width of the values after a data word; anything else is reported.
fn width(word: &CursorToken<'_>, findings: &mut Vec<Finding>) -> Option<u8> {
    let text = word.text();
    let width = SECTION_DATA.iter().find(|it| it.0 == text).map(|it| it.1);
    if width.is_none() {
        let mut finding = finding(
            word.range(),
            UNKNOWN_DIRECTIVE,
            format!("`{text}` is not valid in a section"),
            Some("allowed here: .b8, .b16, .b32, .b64".to_owned()),
        );
        let alike = format!(
            ".b{}",
            text.trim_start_matches(|it: char| !it.is_ascii_digit())
        );
        let similar = SECTION_DATA
            .iter()
            .map(|it| it.0)
            .find(|it| *it == alike)
            .or_else(|| most_similar(text, SECTION_DATA.iter().map(|it| it.0)));
        let fix = similar.map(|it| Repair::respell(word.range(), text, it.to_owned()));
        finding.fixes.extend(fix);
        findings.push(finding);
    }
    width
}

fn data_line(line: &Cursor<'_>, judge: &Judge, findings: &mut Vec<Finding>) {
    let Some(word) = line.token(SyntaxKind::DOTTED) else {
        return;
    };
    let Some(width) = width(&word, findings) else {
        return;
    };
    let what = &format_args!("`{}`", word.text());
    let several = line.nodes().nth(1).is_some();
    for (index, node) in line.nodes().enumerate() {
        let label = matches!(
            node.kind(),
            SyntaxKind::NAME_REFERENCE | SyntaxKind::BINARY_EXPRESSION
        );
        if label && several {
            findings.push(finding(
                trimmed(&line.nodes().nth(index.max(1)).unwrap_or(node)),
                INVALID_DIRECTIVE,
                "a label is the only value of its line".to_owned(),
                None,
            ));
            return;
        }
        let section = node.token(SyntaxKind::DOTTED);
        if let Some(name) = section.filter(|it| !may_name_section(it.text())) {
            findings.push(not_a_section(&name));
            return;
        }
        match node.kind() {
            SyntaxKind::LITERAL => number(&node, what, width, findings),
            SyntaxKind::NAME_REFERENCE if is_constant(&node) => findings.push(finding(
                trimmed(&node),
                INVALID_DIRECTIVE,
                format!("{what} takes numbers and labels, no named constants"),
                None,
            )),
            SyntaxKind::PREFIX_EXPRESSION => negative(&node, what, width, judge, findings),
            _ if label && width < LABEL_BYTES => findings.push(finding(
                trimmed(&node),
                INVALID_DIRECTIVE,
                format!("a label does not fit into {what}: it needs `.b32` or `.b64`"),
                None,
            )),
            SyntaxKind::BINARY_EXPRESSION => sum(&node, judge, findings),
            _ => {}
        }
    }
}

fn not_a_section(word: &CursorToken<'_>) -> Finding {
    finding(
        word.range(),
        INVALID_DIRECTIVE,
        format!(
            "`{}` means something else in PTX, so it cannot name a section",
            word.text()
        ),
        Some("a section has a name such as `.debug_info`".to_owned()),
    )
}

fn is_constant(name: &Cursor<'_>) -> bool {
    name.token(SyntaxKind::IDENT)
        .is_some_and(|it| it.text() == "WARP_SZ")
}

fn number(node: &Cursor<'_>, what: &dyn Display, width: u8, findings: &mut Vec<Finding>) {
    let Some(token) = token(node) else {
        return;
    };
    let Some(value) = integer(node, what, findings) else {
        return;
    };
    let most = match width {
        1 => u64::from(u8::MAX),
        2 => u64::from(u16::MAX),
        // ptxas cuts off what is too large.
        _ => return,
    };
    // It looks at 32 bits.
    if value & u64::from(u32::MAX) > most {
        findings.push(out_of_range(token.range(), token.text(), what, width));
    }
}

fn negative(
    node: &Cursor<'_>,
    what: &dyn Display,
    width: u8,
    judge: &Judge,
    findings: &mut Vec<Finding>,
) {
    let Some(literal) = node.node(SyntaxKind::LITERAL) else {
        return;
    };
    if !judge.demand(trimmed(node), SECTION_NEGATIVE, SECTION_NEGATIVE, findings) {
        return;
    }
    let Some(token) = token(&literal) else {
        return;
    };
    let Some(value) = integer(&literal, what, findings) else {
        return;
    };
    // ptxas has no token for the least number of 64 bits.
    let most = match width {
        8 => i64::MAX as u64,
        _ => 1 << (8 * u32::from(width) - 1),
    };
    if value > most {
        let text = format!("-{}", token.text());
        findings.push(out_of_range(trimmed(node), &text, what, width));
    }
}

fn out_of_range(range: TextRange, value: &str, what: &dyn Display, width: u8) -> Finding {
    let bytes = match width {
        1 => "a byte".to_owned(),
        _ => format!("{width} bytes"),
    };
    finding(
        range,
        INVALID_DIRECTIVE,
        format!("`{value}` does not fit into {bytes} of {what}"),
        None,
    )
}

/// `label+4` or `end-begin`.
fn sum(node: &Cursor<'_>, judge: &Judge, findings: &mut Vec<Finding>) {
    let minus = node.token(SyntaxKind::MINUS).is_some();
    let operands: Vec<_> = node.nodes().collect();
    let [left, right] = operands.as_slice() else {
        return;
    };
    let is_label = |it: &Cursor<'_>| it.token(SyntaxKind::IDENT).is_some();
    let is_name = |it: &Cursor<'_>| it.kind() == SyntaxKind::NAME_REFERENCE;
    let wrong = if minus {
        if !is_name(left) || !is_label(left) {
            Some((left, "only labels can be subtracted from each other"))
        } else if is_name(right) {
            None
        } else {
            Some((right, "only a label can be subtracted from a label"))
        }
    } else if is_name(right) {
        Some((right, "only a number can be added to a label"))
    } else {
        integer(right, "a label", findings);
        None
    };
    if let Some((place, message)) = wrong {
        let message = message.to_owned();
        findings.push(finding(trimmed(place), INVALID_DIRECTIVE, message, None));
        return;
    }
    let feature = if minus {
        SECTION_DIFFERENCE
    } else {
        SECTION_OFFSET
    };
    judge.demand(trimmed(node), feature, feature, findings);
}

/// Checks a line such as `@@DWARF .byte 0x2b, 0x00`.
pub(super) fn dwarf_line(line: &Cursor<'_>, judge: &Judge, findings: &mut Vec<Finding>) {
    let tokens: Vec<_> = line.tokens().filter(|it| !it.kind().is_trivia()).collect();
    let [start, name, rest @ ..] = tokens.as_slice() else {
        return;
    };
    let range = start.range().cover(name.range());
    let before = findings.len();
    judge.demand(range, "`@@DWARF`", "@@DWARF", findings);
    if findings.len() > before {
        return;
    }
    let at = |it: Option<&CursorToken<'_>>| it.map_or(range, CursorToken::range);
    let Some((word, values)) = rest.split_first() else {
        findings.push(wrong_line(range));
        return;
    };
    if word.kind() != SyntaxKind::DOTTED {
        findings.push(wrong_line(word.range()));
        return;
    }
    if word.text() == ".section" {
        use SyntaxKind::{AT, COMMA, DOTTED, IDENT, STRING};
        let expected = [DOTTED, COMMA, STRING, COMMA, AT, IDENT];
        let good = (0..expected.len())
            .take_while(|it| {
                values
                    .get(*it)
                    .is_some_and(|token| token.kind() == expected[*it])
            })
            .count();
        let named = values.get(5).is_none_or(|it| it.text() == "progbits");
        if good < expected.len() || !named || values.len() > expected.len() {
            let place = if named { good.min(expected.len()) } else { 5 };
            findings.push(finding(
                at(values.get(place).or(Some(word))),
                INVALID_DIRECTIVE,
                "expected a section as in `@@DWARF .section .debug_info, \"\", @progbits`"
                    .to_owned(),
                None,
            ));
        }
        return;
    }
    let Some(width) = width(word, findings) else {
        return;
    };
    dwarf_values(word, width, values, findings);
}

/// The numbers after a data word, or the one label.
fn dwarf_values(
    word: &CursorToken<'_>,
    width: u8,
    values: &[CursorToken<'_>],
    findings: &mut Vec<Finding>,
) {
    let what = format!("`{}`", word.text());
    if let [label] = values
        && matches!(label.kind(), SyntaxKind::IDENT | SyntaxKind::DOTTED)
    {
        if width < LABEL_BYTES {
            let message = format!("a label does not fit into {what}");
            findings.push(invalid(label, message));
        }
        return;
    }
    for (index, token) in values.iter().enumerate() {
        let expected = if index % 2 == 0 {
            SyntaxKind::INTEGER
        } else {
            SyntaxKind::COMMA
        };
        if token.kind() != expected {
            findings.push(invalid(token, format!("{what} takes numbers or one label")));
            return;
        }
        let limit = 1u64.checked_shl(8 * u32::from(width)).unwrap_or(u64::MAX);
        if width < LABEL_BYTES && value(token).is_some_and(|it| it & u64::from(u32::MAX) >= limit) {
            findings.push(out_of_range(token.range(), token.text(), &what, width));
        }
    }
    if values.len().is_multiple_of(2) {
        let last = values.last().unwrap_or(word);
        findings.push(invalid(
            last,
            format!("a number must follow `{}`", last.text()),
        ));
    }
}

fn wrong_line(range: TextRange) -> Finding {
    finding(
        range,
        INVALID_DIRECTIVE,
        "expected a section or data after `@@DWARF`, as in `@@DWARF .byte 0x2b`".to_owned(),
        None,
    )
}
