//! The version and target for which a declaration is checked.

use std::fmt::Display;

use isa::target::{Gate, Module};
use syntax::TextRange;

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        registry::INVALID_DECLARATION,
        rules::gates::{change_header, gate_finding},
    },
    hir::operand::Resolve,
};

/// Where a declaration appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::diagnostics) enum ParameterOwner {
    Module,
    Entry,
    Function,
}

/// The version and target for which one declaration is checked.
pub(in crate::diagnostics) struct Judge<'a> {
    pub(in crate::diagnostics) owner: ParameterOwner,
    /// None if the module lacks its version or target.
    pub(in crate::diagnostics) module: Option<Module>,
    /// Whether the settings require the target.
    pub(in crate::diagnostics) forced: bool,
    /// Whether textures and samplers are declared apart.
    pub(in crate::diagnostics) independent: bool,
    /// The class of a name.
    pub(in crate::diagnostics) resolve: Resolve<'a>,
    pub(in crate::diagnostics) findings: &'a mut Vec<Finding>,
}

impl Judge<'_> {
    /// Reports a mistake.
    pub(in crate::diagnostics) fn report(
        &mut self,
        range: TextRange,
        message: String,
        help: Option<String>,
    ) -> &mut Finding {
        self.push(finding(range, INVALID_DECLARATION, message, help))
    }

    /// Reports a finding.
    pub(in crate::diagnostics) fn push(&mut self, finding: Finding) -> &mut Finding {
        self.findings.push(finding);
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }

    /// Reports what the version or the target does not have. Returns whether it does.
    pub(in crate::diagnostics) fn gate(
        &mut self,
        range: TextRange,
        subject: impl Display,
        gate: &Gate,
    ) -> bool {
        let Some(module) = self.module else {
            return true;
        };
        let admits = |it: Module| gate.admits_target(it.target) && gate.admits_version(it.version);
        if admits(module) {
            return true;
        }
        let fixes = change_header(module, self.forced, &[gate], admits);
        let mut finding = gate_finding(range, &subject.to_string(), module, gate);
        finding.fixes = fixes;
        self.push(finding);
        false
    }
}
