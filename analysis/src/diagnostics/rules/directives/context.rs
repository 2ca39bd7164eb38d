//! The version and target for which a directive is checked.

use isa::{directive::gate, target::Module};
use syntax::{Cursor, CursorToken, SyntaxKind, TextRange};

use crate::{
    FixKind,
    diagnostics::{
        finding::Finding,
        fix::Repair,
        rules::gates::{change_header, gate_finding},
    },
};

/// The version and target for which a directive is checked.
#[derive(Clone, Copy)]
pub(super) struct Judge {
    /// The version and the target in force; `None` if the module does not say.
    pub(super) module: Option<Module>,
    /// Whether another target in the header changes nothing here.
    pub(super) fixed: bool,
}

impl Judge {
    /// Checks what a dotted word requires.
    pub(super) fn word(&self, word: &CursorToken<'_>, findings: &mut Vec<Finding>) {
        // Nearly every word is one that every module has.
        if !self.has(word.text()) {
            let subject = format!("`{}`", word.text());
            self.demand(word.range(), &subject, word.text(), findings);
        }
    }

    /// Whether the module has what a directive or feature requires.
    pub(super) fn has(&self, feature: &str) -> bool {
        let gate = gate(feature);
        self.module
            .is_none_or(|it| gate.admits_target(it.target) && gate.admits_version(it.version))
    }

    /// Checks what a directive or feature requires. Returns whether the module has it.
    pub(super) fn demand(
        &self,
        range: TextRange,
        subject: &str,
        feature: &str,
        findings: &mut Vec<Finding>,
    ) -> bool {
        let Some(module) = self.module.filter(|_| !self.has(feature)) else {
            return true;
        };
        let gate = gate(feature);
        let mut finding = gate_finding(range, subject, module, &gate);
        finding.fixes = change_header(module, self.fixed, &[&gate], |it| {
            gate.admits_target(it.target) && gate.admits_version(it.version)
        });
        findings.push(finding);
        false
    }
}

/// The fix that takes a directive out.
pub(super) fn removal(word: &str, range: TextRange) -> Repair {
    Repair::new(
        FixKind::RemoveDirective,
        format!("Remove `{word}`"),
        range,
        "",
    )
}

/// Calls `act` for each statement of a body, in the order of the text.
pub(super) fn statements<'a>(node: &Cursor<'a>, act: &mut impl FnMut(&Cursor<'a>)) {
    for child in node.nodes() {
        match child.kind() {
            SyntaxKind::BLOCK | SyntaxKind::STATEMENT_RUN => statements(&child, act),
            _ if node.kind() == SyntaxKind::STATEMENT_RUN => act(&child),
            _ => {}
        }
    }
}
