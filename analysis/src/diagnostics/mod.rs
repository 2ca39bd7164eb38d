//! Diagnostics: one file per family of rules.

mod syntax_errors;

use salsa::Database;

use crate::{Diagnostic, db::SourceFile};

pub(crate) use syntax_errors::syntax_diagnostics;

/// All diagnostics of a file, sorted by range.
pub(crate) fn diagnostics(db: &dyn Database, file: SourceFile) -> Vec<Diagnostic> {
    let mut all = syntax_diagnostics(db, file);
    all.sort_by_key(|it| (it.range.start(), it.range.end()));
    all
}
