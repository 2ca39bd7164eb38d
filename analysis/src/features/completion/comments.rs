//! Control comments such as `// ptx-analyzer: allow(unused-register)`.

use salsa::Database;
use syntax::{MARK, TextSize};

use crate::{
    CompletionItem, CompletionKind, DIAGNOSTIC_CODES, DocumentationKey, Insertion,
    db::SourceFile,
    diagnostics::{Fixes, control_verbs, diagnostics},
};

/// The codes of diagnostics that the list does not name yet: first those of the findings in the file, the nearest
/// first.
pub(super) fn codes(
    db: &dyn Database,
    file: SourceFile,
    offset: TextSize,
    named: &[String],
    items: &mut Vec<CompletionItem>,
) {
    let mut found = diagnostics(db, file, usize::MAX, Fixes::LeftOut);
    // Of the list itself is told that it is not whole.
    found.retain(|it| !it.range.contains_inclusive(offset));
    found.sort_by_key(|it| u32::from(it.range.start()).abs_diff(offset.into()));
    let rank = |name| {
        let place = found.iter().position(|it| it.code == name);
        place.unwrap_or(found.len())
    };
    let mut codes: Vec<_> = DIAGNOSTIC_CODES
        .iter()
        .filter(|it| !named.iter().any(|named| named == it.name))
        .collect();
    codes.sort_by_cached_key(|it| rank(it.name));
    items.extend(codes.into_iter().map(|it| CompletionItem {
        detail: Some(it.summary.to_owned()),
        documentation: Some(DocumentationKey::Diagnostic(it.name.to_owned())),
        ..CompletionItem::new(it.name, CompletionKind::Value)
    }));
}

/// Control comments without their codes.
pub(super) fn controls(items: &mut Vec<CompletionItem>) {
    items.extend(control_verbs().map(|verb| CompletionItem {
        insert: Some(Insertion {
            snippet: format!("{MARK} {verb}($1)"),
            plain: format!("{MARK} {verb}("),
        }),
        ..CompletionItem::new(format!("{MARK} {verb}"), CompletionKind::Snippet)
    }));
}
