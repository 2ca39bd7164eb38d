//! The findings of the rules of [`crate::protocols`].

use salsa::Database;
use syntax::{SyntaxKind, TextRange};

use crate::{
    FixKind, Severity,
    diagnostics::{
        finding::{Finding, finding},
        fix::{Repair, blank_before},
        lints::statements::Statements,
        place::Place,
        registry::code,
    },
    hir::{
        body::{Body, body},
        items::Function,
    },
    protocols::{Insertion, ask, reports},
};

pub(super) fn check(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    let (body, flow) = (body(db, function), statements.flow());
    let found = ask(db, function, flow, reports);
    for it in found {
        let (Some(at), Some(code)) = (body.instructions.get(it.step as usize), code(it.code))
        else {
            continue;
        };
        if statements.is_wrong(at.range) {
            continue;
        }
        let range = statements.name(it.step).unwrap_or(at.opcode);
        let mut found = finding(range, code, it.message, Some(it.help.into_owned()));
        if it.hint {
            found.severity = Severity::Hint;
        }
        for (step, words) in it.related {
            if let Some(other) = statements.name(step) {
                found.related.push((Place::Own(other), words));
            }
        }
        if let Some(fix) = it.fix {
            found.fixes.extend(repair(statements, body, &fix));
        }
        findings.push(found);
    }
}

/// The repair that inserts a statement beside another one, on a line of its own.
fn repair(statements: &Statements<'_>, body: &Body, fix: &Insertion) -> Option<Repair> {
    let instruction = body.instructions.get(fix.beside as usize)?;
    let node = statements.instruction(fix.beside)?;
    let guard = match node.node(SyntaxKind::GUARD) {
        Some(guard) if fix.guarded => {
            let words: String = guard.tokens().map(|it| it.text()).collect();
            format!("{words} ")
        }
        _ => String::new(),
    };
    let separator = blank_before(&node);
    let (at, text) = match fix.behind {
        true => (
            instruction.range.end(),
            format!("{separator}{guard}{}", fix.text),
        ),
        false => (
            instruction.range.start(),
            format!("{guard}{}{separator}", fix.text),
        ),
    };
    Some(Repair::new(
        FixKind::InsertStatement,
        format!("Insert `{guard}{}`", fix.text.trim_end_matches(';')),
        TextRange::empty(at),
        text,
    ))
}
