//! Instructions that all threads of a warp must run together, where the text divides them.

use crate::{
    diagnostics::{
        finding::{Finding, LINE, finding},
        lints::statements::Statements,
        place::Place,
        registry::DIVERGENT_BARRIER,
    },
    flow::divergence::apart,
    hir::{body::body, items::Function},
    pressure::width,
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
        let opcode = statements.opcode(it.step);
        let help = "all threads of a warp must execute it together".to_owned();
        if it.step == it.branch {
            findings.push(finding(
                at.opcode,
                DIVERGENT_BARRIER,
                format!(
                    "`{opcode}` is not executed by all threads of the warp: its guard is divergent"
                ),
                Some(help),
            ));
            continue;
        }
        let mut found = finding(
            at.opcode,
            DIVERGENT_BARRIER,
            format!(
                "`{opcode}` is not executed by all threads of the warp: the branch on line {LINE} is divergent"
            ),
            Some(help),
        );
        found
            .related
            .push((Place::Own(branch.opcode), "the divergent branch"));
        findings.push(found);
    }
}
