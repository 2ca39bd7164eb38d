//! The diagnostics that clients ask for.

use super::{Handler, Priority, Reads, Run};
use crate::{
    diagnostics::{all_diagnostics, file_diagnostics, fingerprint, provisional_diagnostics},
    lsp::lsp_types::{
        Diagnostic, DocumentDiagnosticParams, DocumentDiagnosticReport,
        DocumentDiagnosticReportResult, FullDocumentDiagnosticReport,
        RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport,
        UnchangedDocumentDiagnosticReport,
    },
    snapshot::{Answer, Document, Snapshot},
};

pub(crate) const DIAGNOSTIC: Handler<DocumentDiagnosticParams, DocumentDiagnosticReportResult> =
    Handler {
        method: "textDocument/diagnostic",
        priority: Priority::Background,
        document: |params| Some(&params.text_document),
        reads: Reads::Known,
        run: Run::Snapshot(|snapshot, params| {
            let items = match snapshot.document(&params.text_document.uri)? {
                Some(document) if snapshot.diagnostics => items(snapshot, &document)?,
                // No null is allowed here.
                _ => Vec::new(),
            };
            let result_id = format!("{:016x}", fingerprint(&items));
            let report = if params.previous_result_id.as_ref() == Some(&result_id) {
                DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
                    related_documents: None,
                    unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport {
                        result_id,
                    },
                })
            } else {
                DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
                    related_documents: None,
                    full_document_diagnostic_report: FullDocumentDiagnosticReport {
                        result_id: Some(result_id),
                        items,
                    },
                })
            };
            Ok(DocumentDiagnosticReportResult::Report(report))
        }),
    };

/// The diagnostics that a client gets that asks: if it can be told to ask again, those that are known at once.
fn items(snapshot: &Snapshot, document: &Document) -> Answer<Vec<Diagnostic>> {
    if snapshot.shared.client.refresh_diagnostics
        && let Some(found) = provisional_diagnostics(snapshot, document)?
    {
        let items = file_diagnostics(snapshot, document, found)?;
        let cache = &snapshot.shared.diagnostics_cache;
        if cache.set_provisional(document.file, fingerprint(&items)) {
            return Ok(items);
        }
    }
    let found = all_diagnostics(snapshot, document)?;
    file_diagnostics(snapshot, document, found)
}
