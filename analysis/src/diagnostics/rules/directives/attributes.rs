//! Attributes of functions.

use syntax::{Cursor, NodeOrToken, SyntaxKind};

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        registry::{COMPILE_ONLY, INVALID_DIRECTIVE, UNKNOWN_DIRECTIVE},
        rules::directives::{
            context::{Judge, removal},
            numbers::integer,
        },
    },
    hir::tree::{has_word, trimmed},
};

/// How many numbers the identifier of a unified function has.
const IDENTIFIER_PARTS: usize = 2;

/// Checks the attributes of a function.
pub(super) fn check(function: &Cursor<'_>, judge: &Judge, findings: &mut Vec<Finding>) {
    let entry = has_word(function, ".entry");
    let attributes = function
        .nodes()
        .filter(|it| it.kind() == SyntaxKind::ATTRIBUTE);
    for (index, attribute) in attributes.enumerate() {
        let Some(word) = attribute.token(SyntaxKind::DOTTED) else {
            continue;
        };
        let wrong = match (entry, index) {
            (true, _) => Some("an `.entry` takes no `.attribute`"),
            (false, 0) => None,
            (false, _) => Some("a `.func` takes one `.attribute`"),
        };
        if let Some(message) = wrong {
            let mut finding = finding(word.range(), UNKNOWN_DIRECTIVE, message.to_owned(), None);
            finding
                .fixes
                .push(removal(".attribute", trimmed(&attribute)));
            findings.push(finding);
            return;
        }
        unified(&attribute, judge, findings);
    }
}

/// The one attribute of functions: `.unified` with its identifier.
fn unified(attribute: &Cursor<'_>, judge: &Judge, findings: &mut Vec<Finding>) {
    let mut words = attribute
        .tokens()
        .filter(|it| it.kind() == SyntaxKind::DOTTED)
        .skip(1);
    let Some(word) = words.next() else {
        return;
    };
    if word.text() != ".unified" {
        findings.push(finding(
            word.range(),
            UNKNOWN_DIRECTIVE,
            format!("`{}` is not an attribute of a function", word.text()),
            Some("functions have the attribute `.unified(a, b)`".to_owned()),
        ));
        return;
    }
    if let Some(surplus) = words.next() {
        let message = "a function has one attribute".to_owned();
        findings.push(finding(surplus.range(), UNKNOWN_DIRECTIVE, message, None));
        return;
    }
    let numbers: Vec<_> = attribute
        .children()
        .filter_map(NodeOrToken::into_node)
        .filter(|it| it.kind() == SyntaxKind::LITERAL)
        .collect();
    if numbers.len() != IDENTIFIER_PARTS {
        let message = format!("`.unified` takes {IDENTIFIER_PARTS} integers");
        let place = numbers.get(IDENTIFIER_PARTS).map_or(word.range(), trimmed);
        findings.push(finding(place, INVALID_DIRECTIVE, message, None));
        return;
    }
    let before = findings.len();
    for number in &numbers {
        integer(number, "`.unified`", findings);
    }
    // The gate of the word is judged with all others.
    if findings.len() == before && judge.has(".unified") {
        findings.push(finding(
            word.range(),
            COMPILE_ONLY,
            "ptxas accepts a `.unified` function only with `--compile-only`".to_owned(),
            Some("such modules are linked before they run".to_owned()),
        ));
    }
}
