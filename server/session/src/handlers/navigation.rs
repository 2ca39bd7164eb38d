//! What a name means and where it is used.

use analysis::{FilePosition, NavigationTarget, RangeInfo};

use super::{Handler, Priority, source};
use crate::{
    lsp::{
        lsp_types::{
            DocumentHighlight, DocumentHighlightParams, GotoDefinitionParams,
            GotoDefinitionResponse, Hover, HoverContents, HoverParams, Location, LocationLink,
            MarkupContent, MarkupKind, ReferenceParams, SymbolInformation,
            TextDocumentPositionParams, WorkspaceSymbolParams,
        },
        markdown, to_proto,
    },
    snapshot::{Answer, Snapshot},
};

pub(crate) const HOVER: Handler<HoverParams, Option<Hover>> = Handler {
    method: "textDocument/hover",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document_position_params.text_document),
    reads_all_files: false,
    run: |snapshot, params| {
        let Some((document, position)) =
            snapshot.position(&params.text_document_position_params)?
        else {
            return Ok(None);
        };
        let exact = snapshot.exact_entries(position.file);
        let Some(hover) = snapshot.analysis.hover_with(position, exact)? else {
            return Ok(None);
        };
        let (kind, value) = if snapshot.shared.client.hover_markdown {
            (MarkupKind::Markdown, hover.info.markdown)
        } else {
            (
                MarkupKind::PlainText,
                markdown::to_plain_text(&hover.info.markdown),
            )
        };
        Ok(Some(Hover {
            contents: HoverContents::Markup(MarkupContent { kind, value }),
            range: Some(document.range(hover.range)),
        }))
    },
};

type Goto = Handler<GotoDefinitionParams, Option<GotoDefinitionResponse>>;

pub(crate) const DEFINITION: Goto = Handler {
    method: "textDocument/definition",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document_position_params.text_document),
    reads_all_files: true,
    run: |snapshot, params| {
        let links = snapshot.shared.client.definition_links;
        let at = &params.text_document_position_params;
        let of_name = goto(snapshot, at, links, |position| {
            Ok(snapshot.analysis.goto_definition(position)?)
        })?;
        if of_name.is_some() {
            return Ok(of_name);
        }
        let of_source = source::definition(snapshot, at)?;
        Ok(of_source.map(|it| response(it, links)))
    },
};

pub(crate) const DECLARATION: Goto = Handler {
    method: "textDocument/declaration",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document_position_params.text_document),
    reads_all_files: true,
    run: |snapshot, params| {
        let links = snapshot.shared.client.declaration_links;
        let at = &params.text_document_position_params;
        goto(snapshot, at, links, |position| {
            Ok(snapshot.analysis.goto_declaration(position)?)
        })
    },
};

pub(crate) const TYPE_DEFINITION: Goto = Handler {
    method: "textDocument/typeDefinition",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document_position_params.text_document),
    reads_all_files: true,
    run: |snapshot, params| {
        let links = snapshot.shared.client.type_definition_links;
        let at = &params.text_document_position_params;
        goto(snapshot, at, links, |position| {
            Ok(snapshot.analysis.goto_type_definition(position)?)
        })
    },
};

fn goto(
    snapshot: &Snapshot,
    at: &TextDocumentPositionParams,
    links: bool,
    find: impl FnOnce(FilePosition) -> Answer<Option<RangeInfo<Vec<NavigationTarget>>>>,
) -> Answer<Option<GotoDefinitionResponse>> {
    let Some((origin, position)) = snapshot.position(at)? else {
        return Ok(None);
    };
    let Some(found) = find(position)? else {
        return Ok(None);
    };
    let mut targets = Vec::new();
    for target in found.info {
        let (Some(document), Some(uri)) = (
            snapshot.document_of(target.file)?,
            snapshot.uri(target.file),
        ) else {
            continue;
        };
        targets.push(LocationLink {
            origin_selection_range: Some(origin.range(found.range)),
            target_uri: uri,
            target_range: document.range(target.full_range.cover(target.focus_range)),
            target_selection_range: document.range(target.focus_range),
        });
    }
    Ok(Some(response(targets, links)))
}

/// The places in the form that the client knows.
fn response(targets: Vec<LocationLink>, links: bool) -> GotoDefinitionResponse {
    if links {
        return GotoDefinitionResponse::Link(targets);
    }
    let plain = |link: LocationLink| Location {
        uri: link.target_uri,
        range: link.target_selection_range,
    };
    GotoDefinitionResponse::Array(targets.into_iter().map(plain).collect())
}

pub(crate) const REFERENCES: Handler<ReferenceParams, Option<Vec<Location>>> = Handler {
    method: "textDocument/references",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document_position.text_document),
    reads_all_files: true,
    run: |snapshot, params| {
        let Some((_, position)) = snapshot.position(&params.text_document_position)? else {
            return Ok(None);
        };
        let declaration = params.context.include_declaration;
        let Some(references) = snapshot.analysis.references(position, declaration)? else {
            return Ok(None);
        };
        let mut locations = Vec::with_capacity(references.len());
        for reference in references {
            locations.extend(snapshot.location(reference.location)?);
        }
        Ok(Some(locations))
    },
};

pub(crate) const HIGHLIGHT: Handler<DocumentHighlightParams, Option<Vec<DocumentHighlight>>> =
    Handler {
        method: "textDocument/documentHighlight",
        priority: Priority::Latency,
        document: |params| Some(&params.text_document_position_params.text_document),
        reads_all_files: false,
        run: |snapshot, params| {
            let Some((document, position)) =
                snapshot.position(&params.text_document_position_params)?
            else {
                return Ok(None);
            };
            let references = snapshot.analysis.highlight(position)?;
            let highlight = |reference: analysis::Reference| DocumentHighlight {
                range: document.range(reference.location.range),
                kind: Some(to_proto::highlight_kind(reference.access)),
            };
            Ok(Some(references.into_iter().map(highlight).collect()))
        },
    };

/// More symbols than anybody reads through; the query narrows them down.
const MAX_WORKSPACE_SYMBOLS: usize = 512;

pub(crate) const WORKSPACE_SYMBOL: Handler<WorkspaceSymbolParams, Option<Vec<SymbolInformation>>> =
    Handler {
        method: "workspace/symbol",
        priority: Priority::Background,
        document: |_| None,
        reads_all_files: true,
        run: |snapshot, params| {
            let targets = snapshot
                .analysis
                .workspace_symbols(&params.query, MAX_WORKSPACE_SYMBOLS)?;
            let mut symbols = Vec::with_capacity(targets.len());
            for target in targets {
                let at = analysis::FileRange {
                    file: target.file,
                    range: target.focus_range,
                };
                let Some(location) = snapshot.location(at)? else {
                    continue;
                };
                #[expect(deprecated, reason = "the field has to be given")]
                symbols.push(SymbolInformation {
                    name: to_proto::symbol_name(target.name),
                    kind: to_proto::symbol_kind(target.kind),
                    tags: None,
                    deprecated: None,
                    location,
                    container_name: target.container,
                });
            }
            Ok(Some(symbols))
        },
    };
