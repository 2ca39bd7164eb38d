//! Instructions that all threads of a warp must run together, where the text divides them.

use crate::{
    diagnostics::{
        finding::{Finding, LINE, MORE, finding},
        lints::statements::Statements,
        place::Place,
        registry::DIVERGENT_BARRIER,
    },
    hir::{body::body, items::Function},
    pressure::width,
    values::divergence::apart,
};

use salsa::Database;

pub(super) fn check(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    let (body, flow) = (body(db, function), statements.flow());
    if flow.facts.together.is_empty() {
        return;
    }
    for it in apart(db, function, flow, width(db, function)) {
        let instruction = |step: u32| body.instructions.get(step as usize);
        let (Some(at), Some(branch)) = (instruction(it.step), instruction(it.branch)) else {
            continue;
        };
        if statements.is_wrong(at.range) {
            continue;
        }
        let name = |step: u32| statements.name(step);
        let (range, branch) = (
            name(it.step).unwrap_or(at.opcode),
            name(it.branch).unwrap_or(branch.opcode),
        );
        let instruction = statements.mnemonic(it.step);
        let (is, divergent, related) = match it.certain {
            true => ("is not", "is divergent", "the divergent branch"),
            false => ("may not be", "may be divergent", "the branch"),
        };
        let what = format!("`{instruction}` {is} executed by all threads of the warp");
        let help = Some("all threads of a warp must execute it together".to_owned());
        let mut found = if it.step == it.branch {
            let message = format!("{what}: its guard {divergent}");
            finding(range, DIVERGENT_BARRIER, message, help)
        } else {
            let message = format!("{what}: the branch on line {LINE} {divergent}");
            let mut found = finding(range, DIVERGENT_BARRIER, message, help);
            found.related.push((Place::Own(branch), related));
            found
        };
        // Of what is not proven, one says as much as a hundred.
        if !it.certain {
            found.message.push_str(MORE);
        }
        findings.push(found);
    }
}
