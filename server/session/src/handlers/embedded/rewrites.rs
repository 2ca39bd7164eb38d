//! Refactorings of strings with PTX: another layout, a file of its own, strings made from lines of PTX.

use analysis::{FormattingOptions, FragmentView, lines_as_strings};
use syntax::{
    TextRange, TextSize,
    text::{Edit, apply_edit},
};

use crate::{
    embedded::HostDocument,
    handlers::rename::workspace_edit,
    lsp::lsp_types::{
        CodeAction, CodeActionKind, CreateFile, CreateFileOptions, DocumentChangeOperation,
        DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, Position, Range,
        ResourceOp, TextDocumentEdit, TextEdit, Url, WorkspaceEdit,
    },
    snapshot::{Answer, Document, Snapshot},
};

/// The refactorings at a range of a document.
pub(in crate::handlers) fn rewrites(
    snapshot: &Snapshot,
    document: &Document,
    host: &HostDocument,
    range: TextRange,
) -> Answer<Vec<CodeAction>> {
    let mut actions = Vec::new();
    if !snapshot.embedded {
        return Ok(actions);
    }
    if let Some(index) = host.file().fragment_inside(range.start()) {
        let view = host.view(snapshot, document.file, index)?;
        let formatted = formatted(snapshot, &view)?;
        if let Some(edit) = view.one_a_line(&formatted) {
            let edit = workspace_edit(snapshot, super::of_file(document, vec![edit]))?;
            actions.push(action(
                "Format this PTX",
                CodeActionKind::REFACTOR_REWRITE,
                edit,
            ));
        }
        let line = document.position(range.start()).line + 1;
        if snapshot.shared.client.create_files
            && let Some(uri) = snapshot.uri(document.file)
            && let Some(uri) = file_beside(&uri, line)
        {
            let edit = new_file(uri, formatted);
            let kind = CodeActionKind::REFACTOR_EXTRACT;
            actions.push(action("Extract to a .ptx file", kind, edit));
        }
    } else if !range.is_empty() {
        let lines = whole_lines(host.text(), range);
        if let Some(text) = lines_as_strings(&host.text()[lines], host.language()) {
            let edits = vec![Edit::new(lines, text)];
            let edit = workspace_edit(snapshot, super::of_file(document, edits))?;
            let kind = CodeActionKind::REFACTOR_REWRITE;
            actions.push(action("Convert to strings of PTX", kind, edit));
        }
    }
    Ok(actions)
}

fn action(title: &str, kind: CodeActionKind, edit: WorkspaceEdit) -> CodeAction {
    CodeAction {
        title: title.to_owned(),
        kind: Some(kind),
        edit: Some(edit),
        ..CodeAction::default()
    }
}

/// The text of a module, formatted.
fn formatted(snapshot: &Snapshot, view: &FragmentView<'_>) -> Answer<String> {
    let fragments = &snapshot.shared.fragments;
    let options = FormattingOptions {
        operand_column: snapshot.features.operand_column,
        ..FormattingOptions::default()
    };
    let edits = fragments.query(&snapshot.settings, &view.module, |analysis, file| {
        analysis.formatting(file, None, options)
    })?;
    let mut text = view.module.clone();
    for edit in edits.iter().rev() {
        // They were made for this text, so each fits.
        let _ = apply_edit(&mut text, edit);
    }
    Ok(text)
}

/// The name of a PTX file in the folder of a document, for the statement on a line.
fn file_beside(document: &Url, line: u32) -> Option<Url> {
    let name = document.path_segments()?.next_back()?;
    let stem = name.rsplit_once('.').map_or(name, |it| it.0);
    document.join(&format!("{stem}_{line}.ptx")).ok()
}

/// The edit that makes a file with a text, if there is none of that name.
fn new_file(uri: Url, text: String) -> WorkspaceEdit {
    let start = Position::new(0, 0);
    let create = CreateFile {
        uri: uri.clone(),
        options: Some(CreateFileOptions {
            overwrite: Some(false),
            ignore_if_exists: Some(false),
        }),
        annotation_id: None,
    };
    let fill = TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri, version: None },
        edits: vec![OneOf::Left(TextEdit {
            range: Range::new(start, start),
            new_text: text,
        })],
    };
    WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(vec![
            DocumentChangeOperation::Op(ResourceOp::Create(create)),
            DocumentChangeOperation::Edit(fill),
        ])),
        ..WorkspaceEdit::default()
    }
}

/// The lines that a range touches, without the last line break.
fn whole_lines(text: &str, range: TextRange) -> TextRange {
    let start = text[..usize::from(range.start())]
        .rfind('\n')
        .map_or(0, |it| it + 1);
    // A selection of whole lines ends at the start of the next one.
    let last = usize::from(range.end());
    let last = if text[..last].ends_with('\n') {
        last - 1
    } else {
        last
    };
    let end = text[last..].find('\n').map_or(text.len(), |it| last + it);
    TextRange::new(
        TextSize::new(start as u32),
        TextSize::new(end.max(start) as u32),
    )
}
