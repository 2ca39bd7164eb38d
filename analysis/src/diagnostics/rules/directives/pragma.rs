//! Pragmas.

use isa::directive::PRAGMAS;
use syntax::{Cursor, SyntaxKind};

use crate::diagnostics::{
    finding::{Finding, finding},
    fix::Repair,
    registry::{UNKNOWN_DIRECTIVE, UNKNOWN_PRAGMA},
    rules::directives::{context::Judge, numbers::invalid},
    suggestion::most_similar,
};

/// Checks the strings of a pragma, in a body or outside.
pub(super) fn check(
    pragma: &Cursor<'_>,
    in_body: bool,
    judge: &Judge,
    findings: &mut Vec<Finding>,
) {
    for string in pragma.tokens().filter(|it| it.kind() == SyntaxKind::STRING) {
        let text = string.text().trim_matches('"');
        let mut of_bodies = PRAGMAS.iter().filter(|it| it.of_bodies).map(|it| it.name);
        let Some(name) = of_bodies.find(|it| text.starts_with(it)) else {
            if let Some(unknown) = unknown(text) {
                let mut finding = finding(
                    string.range(),
                    UNKNOWN_PRAGMA,
                    format!("unknown pragma `{unknown}` (ptxas ignores it)"),
                    None,
                );
                let known = PRAGMAS.iter().map(|it| it.name);
                if let Some(similar) = most_similar(unknown, known) {
                    finding.help = Some(format!("did you mean `{similar}`?"));
                    let right = string.text().replacen(unknown, similar, 1);
                    finding
                        .fixes
                        .push(Repair::respell(string.range(), unknown, right));
                }
                findings.push(finding);
            }
            continue;
        };
        if !in_body {
            findings.push(finding(
                string.range(),
                UNKNOWN_DIRECTIVE,
                format!("the pragma `{name}` is allowed only inside a body"),
                None,
            ));
            continue;
        }
        judge.demand(
            string.range(),
            &format!("the pragma `{name}`"),
            name,
            findings,
        );
        if name == "frequency" && !is_frequency(&text[name.len()..]) {
            let message = "the pragma `frequency` takes an integer from 1 on, as in `frequency 8`";
            findings.push(invalid(&string, message.to_owned()));
        }
    }
}

/// The first word of a pragma that is not known.
fn unknown(text: &str) -> Option<&str> {
    let text = text.trim();
    let word = text.split_whitespace().next()?;
    let known = PRAGMAS.iter().any(|it| text.starts_with(it.name));
    (!known).then_some(word)
}

/// Whether what follows the word `frequency` is a positive integer as ptxas reads it: after one character
/// of any kind, blanks and a sign.
fn is_frequency(rest: &str) -> bool {
    let mut characters = rest.chars();
    characters.next();
    let number = characters.as_str().trim_start();
    let number = number.strip_prefix('+').unwrap_or(number);
    let (digits, radix) = match number.as_bytes() {
        [b'0', b'x' | b'X', ..] => (number.get(2..).unwrap_or_default(), 16),
        [b'0', _, ..] => (&number[1..], 8),
        _ => (number, 10),
    };
    !digits.is_empty()
        && digits.chars().all(|it| it.is_digit(radix))
        && digits.chars().any(|it| it != '0')
}
