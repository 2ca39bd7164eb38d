//! Mistakes in the comments that describe runs as diagnostics: whoever reads such comments finds them.

use salsa::Database;
use syntax::{TextRange, text::escape_controls};

use crate::{
    Diagnostic,
    db::SourceFile,
    diagnostics::{registry::RUN_COMMENT, rendering::levels},
};

/// The diagnostics of a file, and these mistakes.
pub(crate) fn with_run_comments(
    db: &dyn Database,
    file: SourceFile,
    mut diagnostics: Vec<Diagnostic>,
    mistakes: Vec<(TextRange, String)>,
) -> Vec<Diagnostic> {
    if mistakes.is_empty() {
        return diagnostics;
    }
    let found = mistakes.into_iter().map(|(range, message)| Diagnostic {
        range,
        severity: RUN_COMMENT.severity(),
        code: RUN_COMMENT.name,
        message: escape_controls(&message).into_owned(),
        help: None,
        related: Vec::new(),
        tags: Vec::new(),
        fixes: Vec::new(),
    });
    let mut found: Vec<Diagnostic> = found.collect();
    levels::apply(db, file, &mut found);
    diagnostics.append(&mut found);
    diagnostics.sort_by_key(|it| (it.range.start(), it.range.end()));
    diagnostics
}
