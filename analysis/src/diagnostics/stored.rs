//! Findings as salsa keeps them.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use syntax::TextRange;

use crate::{
    Severity,
    diagnostics::{
        finding::{Finding, MORE},
        fix::Repair,
        place::Place,
    },
};

/// A [`Finding`] in a third of its memory: there are tens of thousands in a large file, most of them alike and
/// without anything besides a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::diagnostics) struct StoredFinding {
    pub(in crate::diagnostics) range: TextRange,
    pub(in crate::diagnostics) code: &'static str,
    /// Shared with findings of the same function.
    pub(in crate::diagnostics) message: Arc<str>,
    pub(in crate::diagnostics) severity: Severity,
    rest: Option<Box<Rest>>,
}

/// The rare parts of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rest {
    help: Option<String>,
    related: Vec<(Place, &'static str)>,
    fixes: Vec<Repair>,
}

impl StoredFinding {
    pub(in crate::diagnostics) fn help(&self) -> Option<&str> {
        self.rest.as_ref()?.help.as_deref()
    }

    pub(in crate::diagnostics) fn related(&self) -> &[(Place, &'static str)] {
        self.rest.as_ref().map_or(&[], |it| &it.related)
    }

    /// Whether the first such finding of a file speaks for all.
    pub(in crate::diagnostics) fn is_gathered(&self) -> bool {
        self.message.ends_with(MORE)
    }

    pub(in crate::diagnostics) fn fixes(&self) -> &[Repair] {
        self.rest.as_ref().map_or(&[], |it| &it.fixes)
    }
}

/// Turns findings into what is kept of them.
#[derive(Default)]
pub(in crate::diagnostics) struct FindingInterner {
    messages: FxHashSet<Arc<str>>,
}

impl FindingInterner {
    pub(in crate::diagnostics) fn keep_all(findings: Vec<Finding>) -> Vec<StoredFinding> {
        let mut keeper = FindingInterner::default();
        findings.into_iter().map(|it| keeper.keep(it)).collect()
    }

    pub(in crate::diagnostics) fn keep(&mut self, finding: Finding) -> StoredFinding {
        let message = match self.messages.get(finding.message.as_str()) {
            Some(message) => Arc::clone(message),
            None => {
                let message: Arc<str> = finding.message.into();
                self.messages.insert(Arc::clone(&message));
                message
            }
        };
        let rest = Rest {
            help: finding.help,
            related: finding.related,
            fixes: finding.fixes,
        };
        let is_plain = rest.help.is_none() && rest.related.is_empty() && rest.fixes.is_empty();
        StoredFinding {
            range: finding.range,
            code: finding.code,
            message,
            severity: finding.severity,
            rest: (!is_plain).then(|| Box::new(rest)),
        }
    }
}
