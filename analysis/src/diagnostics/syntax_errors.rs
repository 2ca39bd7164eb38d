//! Errors of the parser.

use salsa::Database;

use crate::{Diagnostic, FileRange, RelatedInformation, Severity, db::SourceFile};

/// The syntax errors of a file, sorted by range.
pub(crate) fn syntax_diagnostics(db: &dyn Database, file: SourceFile) -> Vec<Diagnostic> {
    let id = file.id(db);
    let mut all: Vec<_> = file
        .contents(db)
        .all_errors()
        .map(|error| Diagnostic {
            range: error.range,
            severity: Severity::Error,
            code: error.code.as_str(),
            message: error.message,
            help: None,
            related: error
                .related
                .into_iter()
                .map(|(range, message)| RelatedInformation {
                    location: FileRange { file: id, range },
                    message,
                })
                .collect(),
            tags: Vec::new(),
        })
        .collect();
    all.sort_by_key(|it| (it.range.start(), it.range.end()));
    all
}
