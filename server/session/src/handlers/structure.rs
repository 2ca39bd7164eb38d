//! The parts of a file: symbols, folds, selections, the tree itself.

use analysis::DocumentSymbol;

use super::{Handler, Priority, Reads, Run};
use crate::lsp::{
    ext::{self, ViewSyntaxTreeParams},
    lsp_types::{
        DocumentSymbolParams, DocumentSymbolResponse, FoldingRange, FoldingRangeParams,
        SelectionRange, SelectionRangeParams,
    },
    to_proto,
};

/// The most symbols of an outline; those inside functions are omitted first.
const MAX_SYMBOLS: usize = 50_000;

/// Leaves out what has no room, from the end and from the deepest.
fn limit(symbols: &mut Vec<DocumentSymbol>, room: &mut usize) {
    symbols.truncate(*room);
    *room -= symbols.len();
    for symbol in symbols {
        limit(&mut symbol.children, room);
    }
}

pub(crate) const DOCUMENT_SYMBOL: Handler<DocumentSymbolParams, Option<DocumentSymbolResponse>> =
    Handler {
        method: "textDocument/documentSymbol",
        priority: Priority::Background,
        document: |params| Some(&params.text_document),
        reads: Reads::Document,
        run: Run::about(|snapshot, document, params| {
            let uri = &params.text_document.uri;

            let mut symbols = snapshot.analysis.document_symbols(document.file)?;
            limit(&mut symbols, &mut MAX_SYMBOLS.clone());
            let (lines, encoding) = (document.lines(), document.encoding);
            Ok(Some(if snapshot.shared.client.symbol_tree {
                DocumentSymbolResponse::Nested(to_proto::document_symbols(symbols, lines, encoding))
            } else {
                let mut flat = Vec::new();
                to_proto::flat_symbols(symbols, None, uri, lines, encoding, &mut flat);
                DocumentSymbolResponse::Flat(flat)
            }))
        }),
    };

pub(crate) const FOLDING_RANGE: Handler<FoldingRangeParams, Option<Vec<FoldingRange>>> = Handler {
    method: "textDocument/foldingRange",
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, _| {
        let whole_lines = snapshot.shared.client.line_folding_only;
        let folds = snapshot.analysis.folding_ranges(document.file)?;
        let convert =
            |fold| to_proto::folding_range(fold, document.lines(), document.encoding, whole_lines);
        Ok(Some(folds.into_iter().filter_map(convert).collect()))
    }),
};

pub(crate) const SELECTION_RANGE: Handler<SelectionRangeParams, Option<Vec<SelectionRange>>> =
    Handler {
        method: "textDocument/selectionRange",
        priority: Priority::Latency,
        document: |params| Some(&params.text_document),
        reads: Reads::Document,
        run: Run::about(|snapshot, document, params| {
            let mut answers = Vec::with_capacity(params.positions.len());
            for &position in &params.positions {
                let ranges = snapshot.analysis.selection_ranges(document.at(position))?;
                answers.push(to_proto::selection_range(
                    &ranges,
                    position,
                    document.lines(),
                    document.encoding,
                ));
            }
            Ok(Some(answers))
        }),
    };

pub(crate) const VIEW_SYNTAX_TREE: Handler<ViewSyntaxTreeParams, Option<String>> = Handler {
    method: ext::VIEW_SYNTAX_TREE,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let range = params.range.map(|range| document.text_range(range));
        Ok(Some(snapshot.analysis.syntax_tree(document.file, range)?))
    }),
};
