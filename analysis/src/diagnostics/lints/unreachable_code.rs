//! Code that never runs.

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        lints::statements::Statements,
        registry::UNREACHABLE_CODE,
    },
    hir::{body::body, items::Function},
};

use isa::semantics::Control;
use salsa::Database;

/// One finding for each stretch of blocks that no way reaches.
pub(super) fn check(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    let (body, flow) = (body(db, function), statements.flow());
    let blocks = flow.graph.blocks.iter().zip(&flow.graph.reachable);
    let dead = blocks.filter(|(steps, reachable)| !**reachable && !steps.is_empty());
    let mut stretches: Vec<std::ops::Range<u32>> = Vec::new();
    for (steps, _) in dead {
        match stretches.last_mut() {
            Some(last) if last.end == steps.start => last.end = steps.end,
            _ => stretches.push(steps.clone()),
        }
    }
    for steps in stretches {
        let steps = steps.start as usize..steps.end as usize;
        // Compilers close every block with a jump or an end, even after a call that never returns.
        let control = &flow.facts.control[steps.clone()];
        if control
            .iter()
            .all(|it| it.leaves() && *it != Control::Table)
        {
            continue;
        }
        let (Some(first), Some(last)) = (
            body.instructions.get(steps.start),
            body.instructions.get(steps.end - 1),
        ) else {
            continue;
        };
        findings.push(finding(
            first.range.cover(last.range),
            UNREACHABLE_CODE,
            "unreachable code".to_owned(),
            None,
        ));
    }
}
