//! `.attribute(…)` of variables; that of functions is judged with their directives.

use isa::{
    directive::gate,
    variable::{ATTRIBUTES, StateSpace},
};
use syntax::{Cursor, CursorToken, NodeOrToken, SyntaxKind, TextRange};

use crate::{
    diagnostics::{
        finding::finding, registry::COMPILE_ONLY, rules::declarations::context::Judge,
        suggestion::most_similar,
    },
    hir::{
        declaration::{Declaration, WordKind},
        tree::trimmed,
    },
};

/// An attribute with its numbers.
struct Item<'a> {
    word: CursorToken<'a>,
    /// From `(` to `)`, if it has them.
    list: Option<TextRange>,
    closed: bool,
    numbers: Vec<Cursor<'a>>,
}

/// The attributes in a node.
fn attributes<'a>(node: &Cursor<'a>) -> Vec<Item<'a>> {
    let mut found: Vec<Item<'a>> = Vec::new();
    for child in node.children() {
        match child {
            NodeOrToken::Token(token) => match (token.kind(), found.last_mut()) {
                (SyntaxKind::DOTTED, _) if token.text() != ".attribute" => found.push(Item {
                    word: token,
                    list: None,
                    closed: false,
                    numbers: Vec::new(),
                }),
                (SyntaxKind::L_PAREN, Some(last)) => last.list = Some(token.range()),
                // The last one closes the whole, whose opening is that of no attribute.
                (SyntaxKind::R_PAREN, Some(last)) if !last.closed => {
                    last.closed = true;
                    last.list = last.list.map(|it| it.cover(token.range()));
                }
                _ => {}
            },
            NodeOrToken::Node(number) => {
                if let Some(last) = found.last_mut() {
                    last.numbers.push(number);
                }
            }
        }
    }
    found
}

/// Judges the attributes of a variable.
pub(in crate::diagnostics) fn of_variable(
    judge: &mut Judge<'_>,
    declaration: &Declaration<'_>,
    space: StateSpace,
) {
    let name = declaration.declarators.first().and_then(|it| it.name);
    for word in &declaration.words {
        let WordKind::Attribute(node) = word.kind else {
            continue;
        };
        for item in attributes(&node) {
            let Some(compile_only) = form(judge, &item) else {
                return;
            };
            let text = item.word.text();
            if let Some(name) = name.filter(|_| space != StateSpace::Global) {
                judge.report(
                    item.word.range(),
                    format!(
                        "`{text}` is for `.global` variables; `{}` is in `{}`",
                        name.text(),
                        space.word()
                    ),
                    None,
                );
                return;
            }
            if compile_only_demanded(judge, &item, compile_only) {
                return;
            }
        }
    }
}

/// Reports an attribute that needs `--compile-only`, unless it is not for this module anyway, which is
/// reported elsewhere.
fn compile_only_demanded(judge: &mut Judge<'_>, item: &Item<'_>, compile_only: bool) -> bool {
    let text = item.word.text();
    let gate = gate(text);
    let admitted = judge
        .module
        .is_none_or(|it| gate.admits_target(it.target) && gate.admits_version(it.version));
    if compile_only && admitted {
        judge.push(finding(
            item.word.range(),
            COMPILE_ONLY,
            format!("ptxas takes `{text}` with `--compile-only` only"),
            Some("such modules are linked before they run".to_owned()),
        ));
    }
    compile_only && admitted
}

/// Whether an attribute that is written as it should be needs `--compile-only`.
fn form(judge: &mut Judge<'_>, item: &Item<'_>) -> Option<bool> {
    let text = item.word.text();
    let Some(known) = ATTRIBUTES.iter().find(|it| it.word == text) else {
        let similar = most_similar(text, ATTRIBUTES.iter().map(|it| it.word));
        judge.report(
            item.word.range(),
            format!("there is no attribute `{text}`"),
            similar.map(|it| format!("did you mean `{it}`?")),
        );
        return None;
    };
    let float = item
        .numbers
        .iter()
        .find(|it| it.token(SyntaxKind::FLOAT).is_some());
    if let Some(number) = float {
        judge.report(
            trimmed(number),
            format!("the numbers of `{text}` are integers"),
            None,
        );
        return None;
    }
    if item.numbers.len() != known.numbers || (known.numbers == 0 && item.list.is_some()) {
        let message = match known.numbers {
            0 => format!("`{text}` takes no numbers"),
            count => format!("`{text}` takes {count} numbers in parentheses"),
        };
        judge.report(item.list.unwrap_or(item.word.range()), message, None);
        return None;
    }
    Some(known.compile_only)
}
