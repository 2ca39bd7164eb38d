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

use std::{cell::OnceCell, ops::Range};

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
    let carries = Carries::new(statements);
    for step in unread {
        let Some(instruction) = body.instructions.get(step as usize) else {
            continue;
        };
        // A rule of protocols tells of an election, or of a wait, that nobody looks at.
        let stays = statements
            .effects(step)
            .is_none_or(|it| it.stays || it.answers);
        if stays || carries.is_read(step) || statements.is_wrong(instruction.range) {
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

/// The reads of the carry flag, which instructions do not name.
struct Carries<'a, 'b> {
    statements: &'a Statements<'b>,
    /// By block, whether the carry flag is live at its start; computed on first use.
    read_in: OnceCell<Vec<bool>>,
}

impl<'a, 'b> Carries<'a, 'b> {
    fn new(statements: &'a Statements<'b>) -> Carries<'a, 'b> {
        Carries {
            statements,
            read_in: OnceCell::new(),
        }
    }

    /// Whether an instruction writes a carry that another one reads.
    fn is_read(&self, step: Step) -> bool {
        let writes = |it: Step| self.statements.effects(it).is_some_and(|it| it.carry.1);
        let graph = &self.statements.flow().graph;
        let block = graph.block_of[step as usize] as usize;
        let rest = step + 1..graph.blocks[block].end;
        writes(step)
            && self.first(rest).unwrap_or_else(|| {
                let mut next = graph.successors.get(block).iter();
                next.any(|it| self.read_in()[*it as usize])
            })
    }

    /// Whether the first of some steps that concerns the carry reads it.
    fn first(&self, mut steps: Range<Step>) -> Option<bool> {
        steps.find_map(|it| {
            // What is unknown may read it.
            let (reads, writes) = self
                .statements
                .effects(it)
                .map_or((true, false), |it| it.carry);
            (reads || writes).then_some(reads)
        })
    }

    fn read_in(&self) -> &[bool] {
        self.read_in.get_or_init(|| {
            let graph = &self.statements.flow().graph;
            let first: Vec<Option<bool>> = graph
                .blocks
                .iter()
                .map(|it| self.first(it.clone()))
                .collect();
            let mut read: Vec<bool> = first.iter().map(|it| *it == Some(true)).collect();
            let mut open: Vec<usize> = (0..read.len()).filter(|it| read[*it]).collect();
            while let Some(block) = open.pop() {
                for before in graph.predecessors.get(block) {
                    let before = *before as usize;
                    if first[before].is_none() && !read[before] {
                        read[before] = true;
                        open.push(before);
                    }
                }
            }
            read
        })
    }
}
