//! Constant expressions that ptxas does not evaluate.

use salsa::Database;
use syntax::{Cursor, SyntaxKind};

use crate::{
    FixKind,
    constant::{Problem, ProblemKind, evaluate, is_plain},
    db::SourceFile,
    diagnostics::{
        finding::{Finding, finding},
        fix::Repair,
        place::ItemIndex,
        registry::INVALID_CONSTANT,
        subject::Subject,
    },
    hir::{items::items, tree},
};

/// The constants in a function: in its header, declarations and operands.
pub(in crate::diagnostics) fn in_function(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let cursor = subject.cursor();
    let mut problems = Vec::new();
    visit(subject, &cursor, &mut problems);
    findings.extend(problems.into_iter().map(|it| found(&cursor, it)));
}

/// The constants in the items that are not functions.
pub(in crate::diagnostics) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    for (index, item) in (0u32..).zip(items(db, file).module.items(db)) {
        let cursor = item.green.cursor();
        let mut problems = Vec::new();
        evaluate(&cursor, &mut problems);
        findings.extend(
            problems
                .into_iter()
                .map(|it| (ItemIndex::Other(index), found(&cursor, it))),
        );
    }
}

/// Looks for a cancellation now and then in long bodies.
fn visit(subject: &Subject<'_>, node: &Cursor<'_>, problems: &mut Vec<Problem>) {
    for child in node.nodes() {
        match child.kind() {
            SyntaxKind::BLOCK => visit(subject, &child, problems),
            SyntaxKind::STATEMENT_RUN => {
                subject.db.unwind_if_revision_cancelled();
                visit(subject, &child, problems);
            }
            // The forms of instructions tell that none is wrong.
            SyntaxKind::INSTRUCTION if !subject.has_wrong_constants() => {}
            SyntaxKind::INSTRUCTION => {
                for operand in child.nodes().filter(|it| !is_plain(it)) {
                    evaluate(&operand, problems);
                }
            }
            _ => {
                evaluate(&child, problems);
            }
        }
    }
}

fn found(item: &Cursor<'_>, problem: Problem) -> Finding {
    let range = problem.range;
    let text = tree::text_of_range(item, range);
    let (message, help) = match problem.kind {
        ProblemKind::Overflow => {
            let float = !text.starts_with("0x") && text.contains(['.', 'e', 'E']);
            let message = match text.parse::<f64>() {
                Ok(value) if float && value.is_infinite() => {
                    format!("`{text}` is too large for a 64-bit float")
                }
                Ok(_) if float => format!("`{text}` is too small for a normal 64-bit float"),
                _ => format!("`{text}` does not fit into 64 bits"),
            };
            (message, None)
        }
        ProblemKind::DivisionByZero => (
            format!("division by zero: `{text}` is 0"),
            Some("ptxas divides in branches that are not taken, too".to_owned()),
        ),
        ProblemKind::Mixed => (
            format!("`{text}` joins an integer and a floating-point number"),
            Some("both sides of an operator must be of one kind".to_owned()),
        ),
        ProblemKind::IntegerExpected => (format!("`{text}` must be an integer here"), None),
        ProblemKind::Cast => (
            format!("constants cannot be cast to `{text}`"),
            Some("the casts of constants are `.s64` and `.u64`".to_owned()),
        ),
        ProblemKind::SingleInExpression => (
            format!("`{text}` cannot be combined with an operator"),
            Some("use decimal or `0d` constants in expressions".to_owned()),
        ),
    };
    let mut finding = finding(range, INVALID_CONSTANT, message, help);
    if problem.kind == ProblemKind::Cast {
        let cast = if text.starts_with(".s") {
            ".s64"
        } else {
            ".u64"
        };
        finding.fixes.push(Repair::new(
            FixKind::ReplaceModifier,
            format!("Replace `{text}` by `{cast}`"),
            range,
            cast,
        ));
    }
    finding
}
