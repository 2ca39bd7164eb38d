//! The meaning of a name and where it is used.

use analysis::{Access, FilePosition, NavigationTarget, RangeInfo, Reference};
use syntax::{TextRange, TextSize};

use super::{Handler, Priority, Reads, Run, embedded, machine, runs, source};
use crate::{
    draw,
    lsp::{
        ext::{self, NameAccess, Slice},
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

/// Characters of a hover, which is for reading at a glance: additions that would exceed them are omitted.
const MAX_HOVER: usize = 2_500;

pub(crate) const HOVER: Handler<HoverParams, Option<Hover>> = Handler {
    method: "textDocument/hover",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document_position_params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let position = document.at(params.text_document_position_params.position);

        let found = match &document.host {
            Some(host) => embedded::hover(snapshot, document, host, position.offset)?,
            None => {
                let exact = snapshot.exact_entries(position.file);
                snapshot.analysis.hover_with(position, exact)?
            }
        };
        let Some(hover) = found else {
            let key = match &document.host {
                Some(_) => None,
                None => runs::explain(snapshot, position)?,
            };
            return Ok(key.map(|(range, text)| Hover {
                contents: HoverContents::Markup(MarkupContent {
                    kind: MarkupKind::PlainText,
                    value: text.replace('`', ""),
                }),
                range: Some(document.range(range)),
            }));
        };
        let (mut text, figure) = (hover.info.markdown, hover.info.figure);
        let room = |text: &str, more: &str| text.chars().count() + more.chars().count() < MAX_HOVER;
        if document.host.is_none()
            && let Some(line) = source::markdown(snapshot, &params.text_document_position_params)?
            && room(&text, &line.info)
        {
            // Who points at a `.loc` asks for the line; who points at an opcode, for the instruction.
            let is_directive = line.range.len() > hover.range.len();
            text = match is_directive {
                true => format!("{}\n\n{text}", line.info),
                false => format!("{text}\n\n{}", line.info),
            };
        }
        if let Some((findings, false)) = snapshot.findings(position.file)
            && let Some(code) =
                machine::markdown(findings, document.lines().line_of(position.offset) + 1)
            && room(&text, &code)
        {
            text.push_str("\n\n");
            text.push_str(&code);
        }
        let (kind, value) = if snapshot.shared.client.hover_markdown {
            if let (Some(figure), Some(theme)) = (figure, snapshot.hover_theme()) {
                text.push_str("\n\n");
                text.push_str(&draw::hover::picture(&figure, &theme));
            }
            (MarkupKind::Markdown, text)
        } else {
            (MarkupKind::PlainText, markdown::to_plain_text(&text))
        };
        Ok(Some(Hover {
            contents: HoverContents::Markup(MarkupContent { kind, value }),
            range: Some(document.range(hover.range)),
        }))
    }),
};

type Goto = Handler<GotoDefinitionParams, Option<GotoDefinitionResponse>>;

pub(crate) const DEFINITION: Goto = Handler {
    method: "textDocument/definition",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document_position_params.text_document),
    reads: Reads::Known,
    run: Run::Snapshot(|snapshot, params| {
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
    }),
};

pub(crate) const DECLARATION: Goto = Handler {
    method: "textDocument/declaration",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document_position_params.text_document),
    reads: Reads::Known,
    run: Run::Snapshot(|snapshot, params| {
        let links = snapshot.shared.client.declaration_links;
        let at = &params.text_document_position_params;
        goto(snapshot, at, links, |position| {
            Ok(snapshot.analysis.goto_declaration(position)?)
        })
    }),
};

pub(crate) const IMPLEMENTATION: Goto = Handler {
    method: "textDocument/implementation",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document_position_params.text_document),
    reads: Reads::Known,
    run: Run::Snapshot(|snapshot, params| {
        let links = snapshot.shared.client.implementation_links;
        let at = &params.text_document_position_params;
        goto(snapshot, at, links, |position| {
            Ok(snapshot.analysis.goto_implementation(position)?)
        })
    }),
};

pub(crate) const TYPE_DEFINITION: Goto = Handler {
    method: "textDocument/typeDefinition",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document_position_params.text_document),
    reads: Reads::Known,
    run: Run::Snapshot(|snapshot, params| {
        let links = snapshot.shared.client.type_definition_links;
        let at = &params.text_document_position_params;
        goto(snapshot, at, links, |position| {
            Ok(snapshot.analysis.goto_type_definition(position)?)
        })
    }),
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
    let found = match &origin.host {
        Some(host) => embedded::definition(snapshot, &origin, host, position.offset)?,
        None => find(position)?,
    };
    let Some(found) = found else {
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

/// Clients show no longer list.
const MAX_REFERENCES: usize = 100_000;
/// The most occurrences that are marked; those nearest to the cursor are kept.
const MAX_HIGHLIGHTS: usize = 10_000;

/// The sorted occurrences nearest to the cursor, at most `max`.
fn around(mut all: Vec<Reference>, cursor: TextSize, most: usize) -> Vec<Reference> {
    let Some(surplus) = all.len().checked_sub(most) else {
        return all;
    };
    let at = all.partition_point(|it| it.location.range.end() < cursor);
    all.drain(..at.saturating_sub(most / 2).min(surplus));
    all.truncate(most);
    all
}

pub(crate) const REFERENCES: Handler<ReferenceParams, Option<Vec<Location>>> = Handler {
    method: "textDocument/references",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document_position.text_document),
    reads: Reads::Workspace,
    run: Run::about(|snapshot, document, params| {
        let position = document.at(params.text_document_position.position);

        let declaration = params.context.include_declaration;
        let found = match &document.host {
            Some(host) => {
                let found = embedded::occurrences(snapshot, document, host, position.offset)?;
                let keep = |it: &Reference| declaration || it.access != Access::Declaration;
                found.map(|it| it.into_iter().filter(keep).collect())
            }
            None => snapshot.analysis.references(position, declaration)?,
        };
        let Some(mut references) = found else {
            return Ok(None);
        };
        references.truncate(MAX_REFERENCES);
        let mut locations = Vec::with_capacity(references.len());
        for reference in references {
            locations.extend(snapshot.location(reference.location)?);
        }
        Ok(Some(locations))
    }),
};

pub(crate) const HIGHLIGHT: Handler<DocumentHighlightParams, Option<Vec<DocumentHighlight>>> =
    Handler {
        method: "textDocument/documentHighlight",
        priority: Priority::Latency,
        document: |params| Some(&params.text_document_position_params.text_document),
        reads: Reads::Document,
        run: Run::about(|snapshot, document, params| {
            let position = document.at(params.text_document_position_params.position);

            let references = match &document.host {
                Some(host) => {
                    let found = embedded::occurrences(snapshot, document, host, position.offset)?;
                    match found {
                        Some(found) => found,
                        None => return Ok(None),
                    }
                }
                None => snapshot.analysis.highlight(position)?,
            };
            let references = around(references, position.offset, MAX_HIGHLIGHTS);
            let highlight = |reference: Reference| DocumentHighlight {
                range: document.range(reference.location.range),
                kind: Some(to_proto::highlight_kind(&reference)),
            };
            Ok(Some(references.into_iter().map(highlight).collect()))
        }),
    };

pub(crate) const SLICE: Handler<TextDocumentPositionParams, Option<Slice>> = Handler {
    method: ext::SLICE,
    priority: Priority::Latency,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let position = document.at(params.position);

        let ranges = |all: Vec<TextRange>| {
            let all = all.into_iter().take(MAX_REFERENCES);
            all.map(|it| document.range(it)).collect()
        };
        let found = snapshot.analysis.slice(position)?;
        Ok(found.map(|it| Slice {
            register: it.register,
            origin: document.range(it.origin),
            definitions: ranges(it.definitions),
            uses: ranges(it.uses),
            backward: ranges(it.backward),
            forward: ranges(it.forward),
        }))
    }),
};

pub(crate) const REGISTER_ACCESSES: Handler<TextDocumentPositionParams, Vec<NameAccess>> =
    Handler {
        method: ext::REGISTER_ACCESSES,
        priority: Priority::Latency,
        document: |params| Some(&params.text_document),
        reads: Reads::Workspace,
        run: Run::about(|snapshot, document, params| {
            let position = document.at(params.position);

            let mut accesses = Vec::new();
            for it in snapshot
                .analysis
                .references(position, true)?
                .unwrap_or_default()
                .into_iter()
                .take(MAX_REFERENCES)
            {
                if let Some(location) = snapshot.location(it.location)? {
                    accesses.push(NameAccess {
                        location,
                        access: to_proto::access(it.access).to_owned(),
                        other_value: it.other_value,
                    });
                }
            }
            Ok(accesses)
        }),
    };

/// The most symbols of an answer; the query narrows them down.
const MAX_WORKSPACE_SYMBOLS: usize = 512;

pub(crate) const WORKSPACE_SYMBOL: Handler<WorkspaceSymbolParams, Option<Vec<SymbolInformation>>> =
    Handler {
        method: "workspace/symbol",
        priority: Priority::Background,
        document: |_| None,
        reads: Reads::Known,
        run: Run::Snapshot(|snapshot, params| {
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
        }),
    };

#[cfg(test)]
mod tests {
    use analysis::{FileId, FileRange};

    use super::*;

    #[test]
    fn occurrences_around_the_cursor_are_kept() {
        let all: Vec<_> = (0..9)
            .map(|it| Reference {
                location: FileRange {
                    file: FileId(0),
                    range: TextRange::new(TextSize::from(10 * it), TextSize::from(10 * it + 3)),
                },
                access: Access::Read,
                other_value: false,
            })
            .collect();
        let kept = |cursor: u32, most| -> Vec<u32> {
            let kept = around(all.clone(), cursor.into(), most);
            let starts = kept.into_iter().map(|it| it.location.range.start());
            starts.map(|it| u32::from(it) / 10).collect()
        };
        assert_eq!(kept(0, 4), [0, 1, 2, 3]);
        assert_eq!(kept(41, 4), [2, 3, 4, 5]);
        assert_eq!(kept(43, 3), [3, 4, 5]);
        assert_eq!(kept(99, 4), [5, 6, 7, 8]);
        assert_eq!(kept(50, 9).len(), 9);
        assert_eq!(kept(50, 20).len(), 9);
    }
}
