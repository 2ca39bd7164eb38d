//! Forms that the manual calls deprecated.

use crate::{
    FixKind,
    diagnostics::{
        finding::{Finding, finding},
        fix::Repair,
        lints::accepted::Accepted,
        place::Place,
        registry::DEPRECATED_FORM,
    },
};

use isa::target::Version;
use syntax::TextRange;

/// The mask of all threads of a warp.
const ALL_THREADS: &str = "0xffffffff";

/// Exchanges of a warp without the lanes that take part.
pub(super) fn check(accepted: &Accepted<'_>, findings: &mut Vec<Finding>) {
    let opcode = accepted.statement.opcode;
    let module = accepted.statement.module;
    let replaced = accepted.fit.semantics().replaced;
    let Some(word) = replaced.filter(|_| module.version >= Version::new(6, 0)) else {
        return;
    };
    let mut found = finding(
        accepted.ranges.name,
        DEPRECATED_FORM,
        format!(
            "`{opcode}` without `.{word}` is deprecated since PTX ISA 6.0, which has `{opcode}.{word}`"
        ),
        Some("the new form names the threads that take part in its last operand".to_owned()),
    );
    if let Some(last) = accepted.statement.operands.len().checked_sub(1) {
        let end = TextRange::empty(accepted.ranges.operand(last).end());
        let mut repair = Repair::new(
            FixKind::Modernize,
            format!("Use `{opcode}.{word}` with all threads of the warp"),
            TextRange::empty(accepted.ranges.opcode.end()),
            format!(".{word}"),
        );
        repair
            .edits
            .push((Place::Own(end), format!(", {ALL_THREADS}")));
        found.fixes.push(repair);
    }
    findings.push(found);
}
