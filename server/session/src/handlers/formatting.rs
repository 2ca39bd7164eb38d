//! Formatting of a document, of a range, and of the line that was just finished.

use analysis::FormattingOptions;

use super::{Handler, Priority, Reads, Run};
use crate::{
    lsp::{
        from_proto,
        lsp_types::{
            self, DocumentFormattingParams, DocumentOnTypeFormattingParams,
            DocumentRangeFormattingParams, Range, TextDocumentIdentifier, TextEdit,
        },
        to_proto,
    },
    snapshot::{Answer, Snapshot},
};

pub(crate) const FORMATTING: Handler<DocumentFormattingParams, Option<Vec<TextEdit>>> = Handler {
    method: "textDocument/formatting",
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::Snapshot(|snapshot, params| {
        format(snapshot, &params.text_document, None, &params.options)
    }),
};

pub(crate) const RANGE_FORMATTING: Handler<DocumentRangeFormattingParams, Option<Vec<TextEdit>>> =
    Handler {
        method: "textDocument/rangeFormatting",
        priority: Priority::Background,
        document: |params| Some(&params.text_document),
        reads: Reads::Document,
        run: Run::Snapshot(|snapshot, params| {
            format(
                snapshot,
                &params.text_document,
                Some(params.range),
                &params.options,
            )
        }),
    };

pub(crate) const ON_TYPE_FORMATTING: Handler<
    DocumentOnTypeFormattingParams,
    Option<Vec<TextEdit>>,
> = Handler {
    method: "textDocument/onTypeFormatting",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document_position.text_document),
    reads: Reads::Document,
    run: Run::Snapshot(|snapshot, params| {
        let at = params.text_document_position.position;
        // The line with the statement that the typed character ends.
        let line = Range {
            start: lsp_types::Position::new(at.line, 0),
            end: at,
        };
        let document = &params.text_document_position.text_document;
        format(snapshot, document, Some(line), &params.options)
    }),
};

fn format(
    snapshot: &Snapshot,
    document: &TextDocumentIdentifier,
    range: Option<Range>,
    options: &lsp_types::FormattingOptions,
) -> Answer<Option<Vec<TextEdit>>> {
    let Some(document) = snapshot.document(&document.uri)? else {
        return Ok(None);
    };
    let (lines, encoding) = (document.lines(), document.encoding);
    let options = FormattingOptions {
        indent_width: options.tab_size,
        tabs: !options.insert_spaces,
        insert_final_newline: options.insert_final_newline == Some(true),
        trim_final_newlines: options.trim_final_newlines == Some(true),
        operand_column: snapshot.features.operand_column,
    };
    let range = range.map(|it| from_proto::range(it, lines, encoding));
    let edits = snapshot
        .analysis
        .formatting(document.file, range, options)?;
    Ok(Some(
        edits
            .into_iter()
            .map(|it| to_proto::text_edit(it, lines, encoding))
            .collect(),
    ))
}
