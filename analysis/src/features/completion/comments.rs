//! Control comments such as `// ptx-analyzer: allow(unused-register)`.

use rustc_hash::FxHashMap;
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
    let mut nearest: FxHashMap<&str, u32> = FxHashMap::default();
    for it in diagnostics(db, file, usize::MAX, Fixes::LeftOut) {
        // The unfinished list has a finding of its own.
        if !it.range.contains_inclusive(offset) {
            let distance = u32::from(it.range.start()).abs_diff(offset.into());
            let nearest = nearest.entry(it.code).or_insert(distance);
            *nearest = distance.min(*nearest);
        }
    }
    let rank = |name| nearest.get(name).copied().unwrap_or(u32::MAX);
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
