//! The diagnostics that clients ask for.

use super::{Handler, Priority, Reads, Run};
use crate::{
    diagnostics::{all_diagnostics, file_diagnostics, fingerprint},
    lsp::lsp_types::{
        DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult,
        FullDocumentDiagnosticReport, RelatedFullDocumentDiagnosticReport,
        RelatedUnchangedDocumentDiagnosticReport, UnchangedDocumentDiagnosticReport,
    },
};

pub(crate) const DIAGNOSTIC: Handler<DocumentDiagnosticParams, DocumentDiagnosticReportResult> =
    Handler {
        method: "textDocument/diagnostic",
        priority: Priority::Background,
        document: |params| Some(&params.text_document),
        reads: Reads::Known,
        run: Run::Snapshot(|snapshot, params| {
            let items = match snapshot.document(&params.text_document.uri)? {
                Some(document) if snapshot.diagnostics => {
                    let found = all_diagnostics(snapshot, &document)?;
                    file_diagnostics(snapshot, &document, found)?
                }
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
