//! The directives at the start of a module, and directives that the module does not have.

use isa::{
    directive::{OF_ENTRY, OF_FUNCTION, TARGET_OPTIONS, gate},
    target::{Module, Target, Version, least_version, targets, versions},
};
use salsa::Database;
use syntax::{Cursor, CursorToken, SyntaxKind, TextRange};

use crate::{
    db::SourceFile,
    hir::{
        declared::header,
        in_force::{in_force, in_force_at_item},
        items::{Function, items},
        tree,
    },
};

use super::{
    Finding, ItemIndex,
    codes::{
        MISSING_DIRECTIVE, UNKNOWN_DIRECTIVE, UNKNOWN_TARGET, UNKNOWN_VERSION,
        UNSUPPORTED_BY_VERSION,
    },
    instructions::{finding, gate_finding},
    suggestion::most_similar,
};

/// The header of the module, and directives between the functions.
pub(super) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    let items = items(db, file);
    let module = items.module.items(db);
    let cursor = |index: usize| module.get(index).map(|it| it.green.cursor());
    let of = |index: u32, finding: Finding| (ItemIndex::Other(index), finding);
    match cursor(0) {
        Some(first) if first.kind() == SyntaxKind::VERSION_DIRECTIVE => {
            findings.extend(version(&first).map(|it| of(0, it)));
            match cursor(1).filter(|it| it.kind() == SyntaxKind::TARGET_DIRECTIVE) {
                Some(second) if items.before.first().is_none_or(|it| *it >= 2) => {
                    let number = header(db, file).version;
                    findings.extend(target(&second, number).into_iter().map(|it| of(1, it)));
                }
                _ if module[0].errors.is_empty() => findings.push(of(
                    0,
                    missing(
                        tree::trimmed(&first),
                        "`.target` must follow `.version`, as in `.target sm_90`",
                    ),
                )),
                _ => {}
            }
        }
        // A text without any item needs no header yet.
        Some(first) if items.before.first().is_none_or(|it| *it > 0) => {
            findings.push(of(0, missing(start(&first), FIRST)));
        }
        _ => {
            if let Some(function) = items.functions.first() {
                let range = start(&function.green(db).cursor());
                findings.push((ItemIndex::Function(0), missing(range, FIRST)));
            }
        }
    }
    for (index, item) in (0u32..).zip(module) {
        let Some(judge) = in_force_at_item(db, file, index) else {
            return;
        };
        let cursor = item.green.cursor();
        let mut found = Vec::new();
        words(&cursor, &mut |word| check(word, judge, &mut found));
        findings.extend(found.into_iter().map(|it| of(index, it)));
    }
}

const FIRST: &str =
    "a module starts with `.version` and `.target`, as in `.version 8.5` and `.target sm_90`";

fn missing(range: TextRange, message: &str) -> Finding {
    finding(range, MISSING_DIRECTIVE, message.to_owned(), None)
}

/// The first token of an item.
fn start(item: &Cursor<'_>) -> TextRange {
    let range = tree::trimmed(item);
    let mut first = None;
    tree::for_each_token(item, &mut |token: CursorToken<'_>| {
        if first.is_none() && token.range().start() == range.start() {
            first = Some(token.range());
        }
    });
    first.unwrap_or(range)
}

fn version(directive: &Cursor<'_>) -> Option<Finding> {
    let number = directive.token(SyntaxKind::FLOAT)?;
    let known = Version::parse(number.text()).is_some_and(|it| versions().any(|known| known == it));
    if known {
        return None;
    }
    let last = versions().last().map(|it| format!("the newest is {it}"));
    Some(finding(
        number.range(),
        UNKNOWN_VERSION,
        format!("there is no PTX ISA version {}", number.text()),
        last,
    ))
}

fn target(directive: &Cursor<'_>, version: Option<Version>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let words = directive
        .nodes()
        .filter_map(|it| it.token(SyntaxKind::IDENT));
    for word in words {
        let text = word.text();
        if TARGET_OPTIONS.contains(&text) {
            continue;
        }
        let known = Target::parse(text).and_then(|it| Some((it, least_version(it)?)));
        match (known, version) {
            (None, _) => {
                let names: Vec<String> = targets().map(|it| it.0.to_string()).collect();
                let similar = most_similar(
                    text,
                    names
                        .iter()
                        .map(String::as_str)
                        .chain(TARGET_OPTIONS.iter().copied()),
                );
                findings.push(finding(
                    word.range(),
                    UNKNOWN_TARGET,
                    format!("there is no target `{text}`"),
                    similar.map(|it| format!("did you mean `{it}`?")),
                ));
            }
            (Some((target, least)), Some(version)) if version < least => findings.push(finding(
                word.range(),
                UNSUPPORTED_BY_VERSION,
                format!("`{target}` needs PTX ISA {least}; this module is {version}"),
                None,
            )),
            _ => {}
        }
    }
    findings
}

/// Directives in the header and in the body of a function.
pub(super) fn in_function(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    let cursor = function.green(db).cursor();
    let entry = tree::has_word(&cursor, ".entry");
    for directive in cursor
        .nodes()
        .filter(|it| it.kind() == SyntaxKind::TUNING_DIRECTIVE)
    {
        let Some(word) = directive.token(SyntaxKind::DOTTED) else {
            continue;
        };
        let (allowed, other) = if entry {
            (OF_ENTRY, OF_FUNCTION)
        } else {
            (OF_FUNCTION, OF_ENTRY)
        };
        if allowed.contains(&word.text()) {
            continue;
        }
        let owner = if entry { ".entry" } else { ".func" };
        let message = if other.contains(&word.text()) {
            format!(
                "`{}` is not allowed in the header of an `{owner}`",
                word.text()
            )
        } else {
            format!(
                "there is no directive `{}` in the header of an `{owner}`",
                word.text()
            )
        };
        let similar = most_similar(word.text(), allowed.iter().copied());
        findings.push(finding(
            word.range(),
            UNKNOWN_DIRECTIVE,
            message,
            similar.map(|it| format!("did you mean `{it}`?")),
        ));
    }
    if let Some(in_force) = in_force(db, function) {
        words(&cursor, &mut |word| {
            check(word, in_force.at(word.range().start()), findings);
        });
    }
}

fn check(word: CursorToken<'_>, module: Module, findings: &mut Vec<Finding>) {
    let gate = gate(word.text());
    if !gate.admits_target(module.target) || !gate.admits_version(module.version) {
        findings.push(gate_finding(
            word.range(),
            &format!("`{}`", word.text()),
            module,
            &gate,
        ));
    }
}

/// Calls `act` for each dotted word that is a directive by its place: modifiers of instructions are not.
fn words<'a>(node: &Cursor<'a>, act: &mut impl FnMut(CursorToken<'a>)) {
    let directive = matches!(
        node.kind(),
        SyntaxKind::ADDRESS_SIZE_DIRECTIVE
            | SyntaxKind::SECTION
            | SyntaxKind::INTERMEDIATE_SECTION
            | SyntaxKind::PRAGMA
            | SyntaxKind::ALIAS
            | SyntaxKind::VARIABLE_DECLARATION
            | SyntaxKind::ATTRIBUTE
            | SyntaxKind::FUNCTION
            | SyntaxKind::PARAMETER
            | SyntaxKind::TUNING_DIRECTIVE
            | SyntaxKind::LOC_DIRECTIVE
            | SyntaxKind::BRANCH_TARGETS
            | SyntaxKind::CALL_TARGETS
            | SyntaxKind::CALL_PROTOTYPE
    );
    if directive {
        node.tokens()
            .filter(|it| it.kind() == SyntaxKind::DOTTED)
            .for_each(&mut *act);
    }
    if node.kind() != SyntaxKind::INSTRUCTION {
        for child in node.nodes() {
            words(&child, act);
        }
    }
}
