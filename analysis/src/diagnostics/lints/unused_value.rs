//! Results that nobody reads.

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        lints::statements::Statements,
        registry::UNUSED_VALUE,
    },
    flow::facts::Step,
    hir::{body::body, items::Function},
};

use std::ops::Range;

use salsa::Database;

/// How often a long body looks for a cancellation, in blocks.
const CHECK_INTERVAL: u32 = 1024;

pub(super) fn check(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    let (body, flow) = (body(db, function), statements.flow());
    let facts = &flow.facts;
    // For each value the last block in which something is known of it, and whether it is read later there.
    let mut known = vec![(u32::MAX, false); facts.values.len()];
    let mut unread: Vec<Step> = Vec::new();
    for (block, steps) in (0..).zip(&flow.graph.blocks) {
        if block % CHECK_INTERVAL == 0 {
            db.unwind_if_revision_cancelled();
        }
        if !flow.graph.reachable[block as usize] {
            continue;
        }
        // The others are asked about by name: very many values may be live in each of very many blocks.
        let is_read = |known: &[(u32, bool)], value: u32| match known[value as usize] {
            (found, is_read) if found == block => is_read,
            _ => flow.liveness.is_live_out(block, value),
        };
        for step in steps.clone().rev() {
            let at = step as usize;
            let writes = facts.writes.get(at);
            if !writes.is_empty() && !writes.iter().any(|it| is_read(&known, *it)) {
                unread.push(step);
            }
            if !facts.keeps[at] {
                for value in writes {
                    known[*value as usize] = (block, false);
                }
            }
            for value in facts.reads.get(at) {
                known[*value as usize] = (block, true);
            }
        }
    }
    unread.sort_unstable();
    for step in unread {
        let Some(instruction) = body.instructions.get(step as usize) else {
            continue;
        };
        // A rule of protocols tells of an election, or of a wait, that nobody looks at.
        let stays = statements
            .effects(step)
            .is_none_or(|it| it.stays || it.answers);
        let block = flow.graph.block_of[step as usize] as usize;
        let end = flow.graph.blocks[block].end;
        if stays || carry_is_read(statements, step..end) || statements.is_wrong(instruction.range) {
            continue;
        }
        findings.push(finding(
            instruction.range,
            UNUSED_VALUE,
            "the result is never used".to_owned(),
            None,
        ));
    }
}

/// Whether the first of some steps of a block writes a carry that another reads, in the block or after it.
fn carry_is_read(statements: &Statements<'_>, steps: Range<Step>) -> bool {
    let mut carries = steps.map(|it| statements.effects(it).map_or((true, false), |it| it.carry));
    if !carries.next().is_some_and(|it| it.1) {
        return false;
    }
    let next = carries.find(|(reads, writes)| *reads || *writes);
    next.is_none_or(|it| it.0)
}
