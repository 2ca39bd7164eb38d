//! Accesses outside a variable, or not aligned to their size.

use crate::{
    diagnostics::{
        finding::{Finding, LINE, finding},
        lints::addresses::{Named, accessed, place},
        registry::{MISALIGNED_ACCESS, OUT_OF_BOUNDS},
    },
    hir::{form::FormContents, instruction::Parts, tree::trimmed},
};

use syntax::TextRange;

/// An access outside a variable, or one whose address is not a multiple of its size.
pub(in crate::diagnostics) fn check(
    parts: &Parts<'_>,
    form: &FormContents,
    named: &dyn Fn(TextRange) -> Option<Named>,
    findings: &mut Vec<Finding>,
) {
    let Some(bytes) = accessed(form) else {
        return;
    };
    for node in &parts.operands {
        let Some((name, offset)) = place(node) else {
            continue;
        };
        let Some(Named { layout, declared }) = named(name.range()) else {
            continue;
        };
        let shown = name.text();
        let last = offset + i128::from(bytes);
        let outside = layout
            .size
            .filter(|it| offset < 0 || last > i128::from(*it));
        let mut found = if let Some(size) = outside {
            finding(
                trimmed(node),
                OUT_OF_BOUNDS,
                format!(
                    "these {bytes} bytes at offset {offset} are outside `{shown}`, which has {size} bytes (line {LINE})"
                ),
                None,
            )
        } else {
            let known = bytes.min(layout.alignment);
            if bytes == 0 || offset.rem_euclid(i128::from(known)) == 0 {
                continue;
            }
            finding(
                trimmed(node),
                MISALIGNED_ACCESS,
                format!(
                    "an access to {bytes} bytes needs an address that is a multiple of {bytes}; `{shown}` is aligned to {} (line {LINE}) and the offset is {offset}",
                    layout.alignment
                ),
                None,
            )
        };
        found.related.push((declared, "declared here"));
        findings.push(found);
    }
}
