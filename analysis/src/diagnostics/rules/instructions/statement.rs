//! One statement: compared with the tables, and looked at by the lints.

use isa::{
    matcher::{Fit, Outcome, Statement},
    matching::match_statement,
    operand::Operand,
    table::tables,
    types::Class,
};
use salsa::Database;
use syntax::{Cursor, SyntaxKind};

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        lints::{self, accepted::Accepted, addresses::Named, constant_access},
        registry::{IGNORED_MODIFIER, INVALID_OPERAND, REGISTER_PLUS_CONSTANT},
        rules::instructions::{
            address_width, context::Context, misspelt, modifier_fixes, parameter_map,
            rejected::Rejected,
        },
    },
    hir::{
        fit::fit,
        form::Form,
        instruction::{Parts, Ranges},
        operand::describe,
        tree::trimmed,
    },
};

/// Findings of a function that get fixes; a file with more is not written by hand.
const MAX_FIXED: usize = 500;

/// The verdict on the instructions of a form, and the width of an address of theirs that is too narrow, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::diagnostics) struct Judged {
    pub(in crate::diagnostics) verdict: Verdict,
    pub(in crate::diagnostics) narrow: Option<u32>,
}

/// The verdict on the instructions of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::diagnostics) enum Verdict {
    /// Nothing.
    Silent,
    /// Nothing, but perhaps something about the variables that one names.
    OfVariables,
    /// Something.
    Told,
}

/// The verdict on the instructions of a form.
#[salsa::tracked(returns(copy))]
pub(in crate::diagnostics) fn verdict<'db>(db: &'db dyn Database, form: Form<'db>) -> Judged {
    let fit = fit(db, form);
    let form = form.data(db);
    let of = |verdict| Judged {
        verdict,
        narrow: None,
    };
    if form.guard.as_ref().is_some_and(|it| !is_predicate(it)) {
        return of(Verdict::Told);
    }
    if form.opcode.is_empty() {
        return of(Verdict::Silent);
    }
    let mut narrow = None;
    let is_told = form.with_statement(|statement| {
        let Some(fit) = fit else {
            return true;
        };
        // Where it appears does not matter.
        let mut findings = Vec::new();
        advise(statement, fit, &Ranges::default(), &mut findings);
        narrow = address_width::narrow(statement, fit).map(|it| it.1);
        !findings.is_empty()
    });
    let verdict = match is_told {
        Some(true) => Verdict::Told,
        _ if form.operands.iter().any(may_name_variable) => Verdict::OfVariables,
        _ => Verdict::Silent,
    };
    Judged { verdict, narrow }
}

/// Whether an operand may be in the memory of a variable.
fn may_name_variable(operand: &Operand) -> bool {
    fn is_register(operand: &Operand) -> bool {
        match operand {
            Operand::Register { .. } => true,
            Operand::Offset(base, _) => is_register(base),
            _ => false,
        }
    }
    match operand {
        Operand::Address(items, _) => !items.iter().all(is_register),
        Operand::Element(..) | Operand::Unknown | Operand::Invalid => true,
        _ => false,
    }
}

/// Finds what is wrong with a statement, and what else is to be said about it.
pub(in crate::diagnostics) fn check(
    parts: &Parts<'_>,
    verdict: Verdict,
    context: &Context<'_>,
    findings: &mut Vec<Finding>,
) {
    if verdict == Verdict::Told && !is_accepted(parts, context, findings) {
        return;
    }
    elements(parts, context, findings);
    constant_access::check(parts, context.form, context.named, findings);
}

/// Whether the tables accept a statement; if not, that is reported.
fn is_accepted(parts: &Parts<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) -> bool {
    guard(parts, context, findings);
    let Some(opcode) = parts.opcode else {
        return false;
    };
    let operands = parts.resolved(context.resolve);
    let statement = Statement {
        opcode: opcode.text(),
        words: &parts.words,
        operands: &operands,
        module: context.module,
    };
    if let Some(fit) = context.fit {
        let ranges = parts.ranges();
        advise(&statement, fit, &ranges, findings);
        return true;
    }
    let problems = match match_statement(tables(), &statement) {
        Outcome::Fit(_) => Vec::new(),
        Outcome::Mismatch(problems) => problems,
    };
    let found = Rejected {
        opcode,
        modifiers: &parts.modifiers,
        nodes: &parts.operands,
        operands: &operands,
        module: context.module,
        forced: context.fixed,
    };
    let problems = misspelt::without_consequences(&found, &statement, problems);
    for problem in &problems {
        if let Some(mut finding) = parameter_map::check(&found, problem, context) {
            // A state space that the instruction can name is simpler than an address.
            let others = modifier_fixes::fixes(&found, problem, &problems);
            for fix in finding.fixes.iter_mut().filter(|_| !others.is_empty()) {
                fix.preferred = false;
            }
            finding.fixes.splice(0..0, others);
            findings.push(finding);
            continue;
        }
        let mut finding = found.finding(problem);
        if findings.len() < MAX_FIXED {
            finding.fixes = modifier_fixes::fixes(&found, problem, &problems);
        }
        findings.push(finding);
    }
    problems.is_empty()
}

/// Advice about a statement that ptxas accepts. What 13.5 accepts by accident: words that it ignores,
/// and a register plus a constant as data, which it takes or refuses depending on text elsewhere.
fn advise(statement: &Statement<'_>, fit: &Fit<'_>, ranges: &Ranges, findings: &mut Vec<Finding>) {
    for index in &fit.ignored {
        let Some(word) = statement.words.get(*index) else {
            continue;
        };
        findings.push(finding(
            ranges.modifier(*index),
            IGNORED_MODIFIER,
            format!("`.{word}` has no effect here (ptxas ignores it)"),
            None,
        ));
    }
    for (index, operand) in statement.operands.iter().enumerate() {
        if matches!(operand, Operand::Offset(base, _) if matches!(**base, Operand::Register { .. }))
        {
            findings.push(finding(
                ranges.operand(index),
                REGISTER_PLUS_CONSTANT,
                "a register plus a constant is an address, not data".to_owned(),
                Some("add the constant with an `add` instruction".to_owned()),
            ));
        }
    }
    let accepted = Accepted {
        statement,
        fit,
        ranges,
    };
    lints::statement::check(&accepted, findings);
}

/// Elements of variables that are not arrays, and components of special registers that have none.
fn elements(parts: &Parts<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
    for node in &parts.operands {
        findings.extend(component(node));
        if node.kind() != SyntaxKind::INDEX_EXPRESSION {
            continue;
        }
        let Some(name) = node.node(SyntaxKind::NAME_REFERENCE) else {
            continue;
        };
        let range = trimmed(&name);
        if let Some(named) = (context.named)(range).filter(Named::is_scalar) {
            let text = name.tokens().next().map_or("", |it| it.text());
            let mut finding = finding(
                trimmed(node),
                INVALID_OPERAND,
                format!("`{text}` is not an array, so it has no elements"),
                Some(format!(
                    "its address plus a constant is written `[{text}+4]`"
                )),
            );
            finding.related = vec![(named.declared(), "declared here")];
            findings.push(finding);
        }
    }
}

/// The component of a special register that has none and may be read in several widths, so that the tables take it for
/// anything.
fn component(node: &Cursor<'_>) -> Option<Finding> {
    let base = node.node(SyntaxKind::NAME_REFERENCE)?;
    let selector = node.token(SyntaxKind::DOTTED)?;
    let name = base.tokens().next()?;
    let register = isa::special::get(isa::special::find(name.text())?.0)?;
    let unknown = node.kind() == SyntaxKind::MEMBER_EXPRESSION
        && register.components.is_empty()
        && register.class().is_none();
    unknown.then(|| {
        finding(
            selector.range(),
            INVALID_OPERAND,
            format!("`{}` has no component `{}`", name.text(), selector.text()),
            None,
        )
    })
}

fn is_predicate(operand: &Operand) -> bool {
    matches!(
        operand,
        Operand::Unknown
            | Operand::Register {
                class: Class::Pred,
                lanes: 1,
            }
            | Operand::Special {
                class: Class::Pred,
                ..
            }
    )
}

/// The predicate of a guard.
fn guard(parts: &Parts<'_>, context: &Context<'_>, findings: &mut Vec<Finding>) {
    let name = parts
        .guard
        .and_then(|it| it.node(SyntaxKind::NAME_REFERENCE));
    let Some((name, found)) = name.zip(parts.predicate(context.resolve)) else {
        return;
    };
    if !is_predicate(&found) {
        findings.push(finding(
            name.range(),
            INVALID_OPERAND,
            format!(
                "a guard needs a .pred register; this is {}",
                describe(&found)
            ),
            None,
        ));
    }
}
