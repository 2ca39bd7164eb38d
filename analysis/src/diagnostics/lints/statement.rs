//! Lints of single statements that fit the tables.

use isa::{
    matcher::{Fit, Statement},
    operand::Operand,
    target::Version,
};
use syntax::{Cursor, CursorToken, TextRange};

use crate::{FixKind, hir::tree::trimmed};

use super::{
    super::{Finding, fix::Repair},
    codes::{DEPRECATED_FORM, MODIFIER_ORDER, TRUNCATED_IMMEDIATE},
    finding, slow,
};

pub(in crate::diagnostics) use super::addresses::{Layouts, Named, access};

/// The mask of all threads of a warp.
const ALL_THREADS: &str = "0xffffffff";

/// A statement that a variant of the tables fits.
pub(in crate::diagnostics) struct Accepted<'a> {
    /// The opcode.
    pub(in crate::diagnostics) opcode: CursorToken<'a>,
    /// The words after it.
    pub(in crate::diagnostics) modifiers: &'a [CursorToken<'a>],
    /// The operands in the text.
    pub(in crate::diagnostics) nodes: &'a [Cursor<'a>],
    /// The statement as the tables see it.
    pub(in crate::diagnostics) statement: &'a Statement<'a>,
    /// How it fits.
    pub(in crate::diagnostics) fit: &'a Fit<'a>,
}

/// What can be said about a statement that ptxas accepts, whatever its names stand for.
pub(in crate::diagnostics) fn check(accepted: &Accepted<'_>, findings: &mut Vec<Finding>) {
    deprecated(accepted, findings);
    order(accepted, findings);
    immediates(accepted, findings);
    slow::statement(accepted, findings);
}

/// `shfl` and `vote` without `.sync`.
fn deprecated(accepted: &Accepted<'_>, findings: &mut Vec<Finding>) {
    let opcode = accepted.opcode;
    let module = accepted.statement.module;
    let old = matches!(opcode.text(), "shfl" | "vote")
        && accepted.statement.words.first() != Some(&"sync")
        && module.version >= Version::new(6, 0);
    if !old {
        return;
    }
    let mut found = finding(
        DEPRECATED_FORM,
        opcode.range(),
        format!(
            "`{0}` without `.sync` is deprecated since PTX ISA 6.0, which has `{0}.sync`",
            opcode.text()
        ),
        Some("the new form names the threads that take part in its last operand".to_owned()),
    );
    if let Some(last) = accepted.nodes.last() {
        let end = TextRange::empty(trimmed(last).end());
        let mut repair = Repair::new(
            FixKind::Modernize,
            format!("Use `{}.sync` with all threads of the warp", opcode.text()),
            TextRange::empty(opcode.range().end()),
            ".sync",
        );
        repair
            .edits
            .push((super::super::Place::Own(end), format!(", {ALL_THREADS}")));
        found.fixes.push(repair);
    }
    findings.push(found);
}

/// Words in another order than in the manual.
fn order(accepted: &Accepted<'_>, findings: &mut Vec<Finding>) {
    let fit = accepted.fit;
    let as_written = || accepted.statement.words.iter().copied();
    if fit.ignored.is_empty() && fit.ordered_words().eq(as_written()) {
        return;
    }
    let read: Vec<&CursorToken<'_>> = (0..)
        .zip(accepted.modifiers)
        .filter(|(index, _)| !fit.ignored.contains(index))
        .map(|it| it.1)
        .collect();
    let ordered: Vec<&str> = fit.ordered_words().collect();
    let plain = |it: &CursorToken<'_>| it.text().trim_start_matches('.').to_owned();
    let written: Vec<String> = read.iter().map(|it| plain(it)).collect();
    if written.len() != ordered.len() || written == ordered {
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
    let range = first.range().cover(last.range());
    let right: String = ordered.iter().map(|it| format!(".{it}")).collect();
    let mut found = finding(
        MODIFIER_ORDER,
        range,
        format!("the manual writes `{}{right}`", accepted.opcode.text()),
        None,
    );
    // What ptxas reads over, and comments between the words, would be lost.
    let gaps = read
        .windows(2)
        .any(|it| it[0].range().end() != it[1].range().start());
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

/// Integer constants that do not fit their type.
fn immediates(accepted: &Accepted<'_>, findings: &mut Vec<Finding>) {
    let operands = accepted.statement.operands;
    if !operands.iter().any(|it| matches!(it, Operand::Integer(_))) {
        return;
    }
    let bits = accepted.fit.constant_bits(accepted.statement);
    for ((operand, bits), node) in operands.iter().zip(bits).zip(accepted.nodes) {
        let (Operand::Integer(value), Some(bits @ 8..=32)) = (operand, bits) else {
            continue;
        };
        let (least, most) = (-(1i128 << (bits - 1)), (1i128 << bits) - 1);
        // `-1024U` is a large number, but not meant as one.
        let wrapped = i128::from(*value as i64);
        if (least..=most).contains(value) || (least..0).contains(&wrapped) {
            continue;
        }
        let low = value & most;
        findings.push(finding(
            TRUNCATED_IMMEDIATE,
            trimmed(node),
            format!("{value} does not fit into {bits} bits: ptxas uses {low}"),
            None,
        ));
    }
}
