//! Levels of what others found in a file: a run of its kernels.

use salsa::Database;
use syntax::TextRange;

use super::levels::{HasLevel, apply};
use crate::{DiagnosticTag, Severity, db::SourceFile};

/// Something that was found elsewhere.
struct Foreign {
    /// Which one it is.
    index: usize,
    range: TextRange,
    code: &'static str,
    severity: Severity,
}

impl HasLevel for Foreign {
    fn place(&self) -> (TextRange, &'static str) {
        (self.range, self.code)
    }

    fn severity(&mut self) -> &mut Severity {
        &mut self.severity
    }

    fn tag(&mut self, _: &'static [DiagnosticTag]) {}
}

/// The severities of findings, given with theirs, after the comments of a file and the settings have been heard;
/// `None` for those that nobody wants.
pub(crate) fn severities(
    db: &dyn Database,
    file: SourceFile,
    findings: &[(TextRange, &'static str, Severity)],
) -> Vec<Option<Severity>> {
    let all = findings.iter().enumerate();
    let mut all: Vec<Foreign> = all
        .map(|(index, &(range, code, severity))| Foreign {
            index,
            range,
            code,
            severity,
        })
        .collect();
    all.sort_by_key(|it| it.range.start());
    apply(db, file, &mut all);
    let mut found = vec![None; findings.len()];
    for it in all {
        found[it.index] = Some(it.severity);
    }
    found
}
