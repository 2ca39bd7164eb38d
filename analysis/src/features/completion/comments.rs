//! Control comments such as `// ptx-analyzer: allow(unused-register)`.

use syntax::MARK;

use crate::{
    CompletionItem, CompletionKind, DIAGNOSTIC_CODES, DocumentationKey, Insertion,
    diagnostics::control_verbs,
};

/// The codes of diagnostics.
pub(super) fn codes(items: &mut Vec<CompletionItem>) {
    items.extend(DIAGNOSTIC_CODES.iter().map(|it| CompletionItem {
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
