//! The files from which PTX was made: links to them, and navigation between them and instructions.

use std::fmt::Write as _;

use analysis::{FileRange, RangeInfo};
use rustc_hash::FxHashMap;

use super::{Handler, Priority, Reads, Run};
use crate::{
    files::FileTable,
    lsp::{
        ext::{self, FromSourceLineParams, SameSourceLine},
        lsp_types::{
            DocumentLink, DocumentLinkParams, Location, LocationLink, Position, Range,
            TextDocumentPositionParams, Url,
        },
    },
    snapshot::{Answer, Snapshot},
};

pub(crate) const DOCUMENT_LINK: Handler<DocumentLinkParams, Option<Vec<DocumentLink>>> = Handler {
    method: "textDocument/documentLink",
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::Snapshot(|snapshot, params| {
        let uri = &params.text_document.uri;
        let host = &snapshot.shared.host;
        let Some(document) = snapshot.document(uri)? else {
            return Ok(None);
        };
        // Thousands of links lead to few files.
        let mut files: FxHashMap<String, Option<Url>> = FxHashMap::default();
        let mut links = Vec::new();
        for link in snapshot.analysis.document_links(document.file)? {
            let file = files
                .entry(link.path)
                .or_insert_with_key(|path| host.source_file(uri, path));
            let Some(mut target) = file.clone() else {
                continue;
            };
            if let Some(line) = link.line {
                // What editors understand as a line.
                target.set_fragment(Some(&format!("L{line}")));
            }
            links.push(DocumentLink {
                range: document.range(link.range),
                target: Some(target),
                tooltip: None,
                data: None,
            });
        }
        Ok(Some(links))
    }),
};

/// The source of the instruction or `.loc` at a position, as far as the files exist.
pub(super) fn definition(
    snapshot: &Snapshot,
    at: &TextDocumentPositionParams,
) -> Answer<Option<Vec<LocationLink>>> {
    let Some((document, position)) = snapshot.position(at)? else {
        return Ok(None);
    };
    let Some(found) = snapshot.analysis.source_locations(position)? else {
        return Ok(None);
    };
    let host = &snapshot.shared.host;
    let mut targets = Vec::new();
    for location in found.info {
        let Some(target_uri) = host.source_file(&at.text_document.uri, &location.path) else {
            continue;
        };
        // Both count from 1 there. The column counts bytes, of a line that is not at hand.
        let place = Position::new(
            location.line.saturating_sub(1),
            location.column.saturating_sub(1),
        );
        targets.push(LocationLink {
            origin_selection_range: Some(document.range(found.range)),
            target_uri,
            target_range: Range::new(place, place),
            target_selection_range: Range::new(place, place),
        });
    }
    Ok((!targets.is_empty()).then_some(targets))
}

/// Characters of a source line that a hover shows.
const MAX_LINE: usize = 160;

/// The source lines of the instruction or `.loc` at a position, as Markdown, as far as the files exist, with the range
/// of the opcode or of the whole directive.
pub(super) fn markdown(
    snapshot: &Snapshot,
    at: &TextDocumentPositionParams,
) -> Answer<Option<RangeInfo<String>>> {
    let Some((_, position)) = snapshot.position(at)? else {
        return Ok(None);
    };
    let Some(found) = snapshot.analysis.source_locations(position)? else {
        return Ok(None);
    };
    let host = &snapshot.shared.host;
    let mut text = String::new();
    for location in found.info {
        let file = host.source_file(&at.text_document.uri, &location.path);
        let line = file.and_then(|it| host.source_line(&it, location.line));
        let Some(line) = line.filter(|it| !it.trim().is_empty()) else {
            continue;
        };
        let name = location.path.rsplit(['/', '\\']).next().unwrap_or_default();
        let name: String = name.chars().filter(|it| *it != '`').collect();
        let before = if text.is_empty() { "" } else { "\ninlined at " };
        let language = match name.rsplit('.').next() {
            Some("py") => "python",
            Some("rs") => "rust",
            _ => "cpp",
        };
        // Nothing in the line ends the block.
        let line = line.trim().replace('`', "'");
        let shown: String = line.chars().take(MAX_LINE).collect();
        let cut = if shown.len() < line.len() { "…" } else { "" };
        let _ = write!(
            text,
            "{before}`{name}:{}`\n```{language}\n{shown}{cut}\n```",
            location.line
        );
    }
    Ok((!text.is_empty()).then_some(RangeInfo {
        range: found.range,
        info: text,
    }))
}

pub(crate) const SAME_SOURCE_LINE: Handler<TextDocumentPositionParams, Option<SameSourceLine>> =
    Handler {
        method: ext::SAME_SOURCE_LINE,
        priority: Priority::Background,
        document: |params| Some(&params.text_document),
        reads: Reads::Document,
        run: Run::about(|snapshot, document, params| {
            let position = document.at(params.position);

            let host = &snapshot.shared.host;
            let found = snapshot.analysis.same_source_line(position)?;
            Ok(found.map(|found| SameSourceLine {
                uri: host.source_file(&params.text_document.uri, &found.path),
                path: found.path,
                line: found.line.saturating_sub(1),
                ranges: found.ranges.iter().map(|it| document.range(*it)).collect(),
            }))
        }),
    };

pub(crate) const FROM_SOURCE_LINE: Handler<FromSourceLineParams, Vec<Location>> = Handler {
    method: ext::FROM_SOURCE_LINE,
    priority: Priority::Background,
    document: |_| None,
    reads: Reads::Known,
    run: Run::Snapshot(|snapshot, params| {
        let mut found = Vec::new();
        let host = &snapshot.shared.host;
        let Some(wanted) = host.real_path(&params.uri) else {
            return Ok(found);
        };
        let line = params.line.saturating_add(1);
        for (file, uri) in snapshot.shared.files(FileTable::all) {
            let lines = snapshot.analysis.instructions_of_line(file, line)?;
            let is_wanted =
                |path: &str| Some(host.real_path(&host.source_file(&uri, path)?)? == wanted);
            let lines = lines.iter().filter(|it| is_wanted(&it.path) == Some(true));
            for range in lines.flat_map(|it| &it.ranges) {
                let range = *range;
                found.extend(snapshot.location(FileRange { file, range })?);
            }
        }
        Ok(found)
    }),
};
