//! Modifiers in another order than in the manual.

use crate::{
    FixKind,
    diagnostics::{
        finding::{Finding, finding},
        fix::Repair,
        lints::accepted::Accepted,
        registry::MODIFIER_ORDER,
    },
};

/// Words in another order than in the manual.
pub(super) fn check(accepted: &Accepted<'_>, findings: &mut Vec<Finding>) {
    let fit = accepted.fit;
    let as_written = || accepted.statement.words.iter().copied();
    if fit.ignored.is_empty() && fit.ordered_words().eq(as_written()) {
        return;
    }
    let words = accepted.statement.words;
    let read: Vec<usize> = (0..words.len())
        .filter(|it| !fit.ignored.contains(it))
        .collect();
    let ordered: Vec<&str> = fit.ordered_words().collect();
    let written: Vec<&str> = read.iter().map(|it| words[*it]).collect();
    if written.len() != ordered.len() || fit.is_usual_order(&written) {
        return;
    }
    // Words that are written twice, and the like, are another matter.
    let mut sorted = (written, ordered.clone());
    sorted.0.sort_unstable();
    sorted.1.sort_unstable();
    let (Some(first), Some(last)) = (read.first(), read.last()) else {
        return;
    };
    if sorted.0 != sorted.1 {
        return;
    }
    let modifier = |it: usize| accepted.ranges.modifier(it);
    let range = modifier(*first).cover(modifier(*last));
    let right: String = ordered.iter().map(|it| format!(".{it}")).collect();
    let mut found = finding(
        range,
        MODIFIER_ORDER,
        format!("the manual writes `{}{right}`", accepted.statement.opcode),
        None,
    );
    // What ptxas ignores, and comments between the words, would be lost.
    let gaps = read
        .windows(2)
        .any(|it| modifier(it[0]).end() != modifier(it[1]).start());
    if !gaps {
        found.fixes.push(
            Repair::new(
                FixKind::ReorderModifiers,
                format!("Write `{right}`"),
                range,
                right,
            )
            .preferred(true),
        );
    }
    findings.push(found);
}
