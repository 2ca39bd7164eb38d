//! Our own advice about code that ptxas accepts.
//!
//! Every lint has a code of its own and a level that the settings and comments may change, see
//! [`super::levels`]. A level is chosen by how often the lint fires on the output of compilers, about
//! which nobody can do anything.

mod addresses;
mod flow;
#[cfg(test)]
mod flow_tests;
pub(super) mod statement;
#[cfg(test)]
mod tests;
mod threads;
mod unused;

use salsa::Database;

use crate::{DiagnosticTag, Level, Severity, db::SourceFile, hir::items::Function};

use super::{Finding, ItemIndex, codes, levels};

/// A lint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lint {
    /// Its code.
    pub(super) code: &'static str,
    /// How bad its findings are when nobody says otherwise.
    pub(super) level: Level,
    /// How editors may show them.
    pub(super) tags: &'static [DiagnosticTag],
}

const fn entry(code: &'static str, level: Level, tags: &'static [DiagnosticTag]) -> Lint {
    Lint { code, level, tags }
}

const UNNECESSARY: &[DiagnosticTag] = &[DiagnosticTag::Unnecessary];
const DEPRECATED: &[DiagnosticTag] = &[DiagnosticTag::Deprecated];

/// Every lint.
pub(super) const LINTS: &[Lint] = &[
    entry(codes::UNUSED_REGISTER, Level::Hint, UNNECESSARY),
    entry(codes::UNUSED_LABEL, Level::Hint, UNNECESSARY),
    entry(codes::UNUSED_PARAMETER, Level::Hint, UNNECESSARY),
    entry(codes::UNUSED_VARIABLE, Level::Hint, UNNECESSARY),
    entry(codes::SHADOWED_NAME, Level::Hint, &[]),
    entry(codes::UNREACHABLE_CODE, Level::Hint, UNNECESSARY),
    entry(codes::UNINITIALIZED_REGISTER, Level::Warning, &[]),
    entry(codes::MISSING_RETURN, Level::Hint, &[]),
    entry(codes::DEPRECATED_FORM, Level::Warning, DEPRECATED),
    entry(codes::TRUNCATED_IMMEDIATE, Level::Warning, &[]),
    entry(codes::OUT_OF_BOUNDS, Level::Warning, &[]),
    entry(codes::MISALIGNED_ACCESS, Level::Warning, &[]),
    entry(codes::INCOMPLETE_ARGUMENT, Level::Warning, &[]),
    entry(codes::TOO_MANY_THREADS, Level::Warning, &[]),
    entry(codes::MODIFIER_ORDER, Level::Hint, &[]),
    entry(codes::CONTROL_COMMENT, Level::Warning, &[]),
];

/// The lint with a code.
pub(super) fn lint(code: &str) -> Option<&'static Lint> {
    LINTS.iter().find(|it| it.code == code)
}

/// Whether a code is that of a lint.
#[cfg(test)]
pub(crate) fn is_lint(code: &str) -> bool {
    lint(code).is_some()
}

/// Whether a code is that of a lint about flow.
#[cfg(test)]
pub(crate) fn is_flow_lint(code: &str) -> bool {
    use codes::{MISSING_RETURN, UNINITIALIZED_REGISTER, UNREACHABLE_CODE};
    [UNREACHABLE_CODE, UNINITIALIZED_REGISTER, MISSING_RETURN].contains(&code)
}

/// A finding of a lint; its severity may be changed at the end.
pub(super) fn finding(
    code: &'static str,
    range: syntax::TextRange,
    message: String,
    help: Option<String>,
) -> Finding {
    let level = lint(code).and_then(|it| it.level.severity());
    Finding {
        range,
        severity: level.unwrap_or(Severity::Hint),
        code,
        message,
        help,
        related: Vec::new(),
        fixes: Vec::new(),
    }
}

/// Lints of one function, but for those of single statements.
pub(super) fn in_function(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    unused::in_function(db, function, findings);
    threads::in_function(db, function, findings);
    flow::in_function(db, function, findings);
    addresses::arguments(db, function, findings);
    findings.extend(
        levels::function_controls(db, function)
            .findings
            .iter()
            .cloned(),
    );
}

/// Lints of what stands around the functions.
pub(super) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    unused::in_module(db, file, findings);
    let module = crate::hir::items::items(db, file).module;
    for (index, controls) in levels::module_controls(db, module) {
        let item = ItemIndex::Other(*index);
        findings.extend(controls.findings.iter().map(|it| (item, it.clone())));
    }
}
