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
    hir::tree::trimmed,
};

use isa::target::Version;
use syntax::TextRange;

/// The mask of all threads of a warp.
const ALL_THREADS: &str = "0xffffffff";

/// `shfl` and `vote` without `.sync`.
pub(super) fn check(accepted: &Accepted<'_>, findings: &mut Vec<Finding>) {
    let opcode = accepted.opcode;
    let module = accepted.statement.module;
    let old = matches!(opcode.text(), "shfl" | "vote")
        && accepted.statement.words.first() != Some(&"sync")
        && module.version >= Version::new(6, 0);
    if !old {
        return;
    }
    let mut found = finding(
        opcode.range(),
        DEPRECATED_FORM,
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
            .push((Place::Own(end), format!(", {ALL_THREADS}")));
        found.fixes.push(repair);
    }
    findings.push(found);
}
