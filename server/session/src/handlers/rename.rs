//! Renaming.

use analysis::SourceChange;

use super::{Handler, Priority, Reads, Run, embedded};
use crate::{
    lsp::{
        lsp_types::{
            DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, PrepareRenameResponse,
            RenameParams, TextDocumentEdit, TextDocumentPositionParams, TextEdit, Url,
            WorkspaceEdit,
        },
        to_proto,
    },
    snapshot::{Answer, RequestError, Snapshot},
};

pub(crate) const PREPARE_RENAME: Handler<
    TextDocumentPositionParams,
    Option<PrepareRenameResponse>,
> = Handler {
    method: "textDocument/prepareRename",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let position = document.at(params.position);

        let prepared = match &document.host {
            Some(host) => {
                match embedded::prepare_rename(snapshot, document, host, position.offset)? {
                    Some(prepared) => prepared,
                    None => return Ok(None),
                }
            }
            None => {
                let prepared = snapshot.analysis.prepare_rename(position)?;
                prepared.map_err(|error| RequestError::Refused(error.0))?
            }
        };
        Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
            range: document.range(prepared.range),
            placeholder: prepared.placeholder,
        }))
    }),
};

pub(crate) const RENAME: Handler<RenameParams, Option<WorkspaceEdit>> = Handler {
    method: "textDocument/rename",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document_position.text_document),
    reads: Reads::Workspace,
    run: Run::about(|snapshot, document, params| {
        let position = document.at(params.text_document_position.position);

        if let Some(host) = &document.host {
            let name = &params.new_name;
            let change = embedded::rename(snapshot, document, host, position.offset, name)?;
            return change.map(|it| workspace_edit(snapshot, it)).transpose();
        }
        let change = snapshot.analysis.rename(position, &params.new_name)?;
        let change = change.map_err(|error| RequestError::Refused(error.0))?;
        workspace_edit(snapshot, change).map(Some)
    }),
};

/// A change in the form that the client understands.
pub(super) fn workspace_edit(snapshot: &Snapshot, change: SourceChange) -> Answer<WorkspaceEdit> {
    let mut files: Vec<(Url, Option<i32>, Vec<TextEdit>)> = Vec::new();
    for file in change.files {
        let (Some(document), Some(uri)) =
            (snapshot.document_of(file.file)?, snapshot.uri(file.file))
        else {
            continue;
        };
        let version = snapshot.shared.files(|files| files.version(file.file));
        let edit = |edit| to_proto::text_edit(edit, document.lines(), document.encoding);
        files.push((uri, version, file.edits.into_iter().map(edit).collect()));
    }
    if !snapshot.shared.client.document_changes {
        let changes = files.into_iter().map(|(uri, _, edits)| (uri, edits));
        return Ok(WorkspaceEdit::new(changes.collect()));
    }
    let edits = files
        .into_iter()
        .map(|(uri, version, edits)| TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
            edits: edits.into_iter().map(OneOf::Left).collect(),
        });
    Ok(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(edits.collect())),
        ..WorkspaceEdit::default()
    })
}
