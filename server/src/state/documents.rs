//! Open documents: the client's text wins over what is on disk.

use analysis::{FileId, Replacement};
use syntax::{
    Document,
    text::{Edit, Encoding, minimal_edit},
};
use tracing::warn;

use super::{
    State,
    diagnostics::Schedule,
    opening::{LONG_TEXT, Text},
};
use crate::{
    exact::results::LineEdit,
    files::path_of,
    lsp::{
        from_proto,
        lsp_types::{
            DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
            TextDocumentContentChangeEvent, Url,
        },
    },
};

/// More changes at once than somebody types: a formatter has been at work.
const MANY_CHANGES: usize = 16;

/// A document that the client has open.
pub(super) struct OpenDocument {
    pub(super) text: Text,
    pub(super) version: i32,
    /// When diagnostics are due, for clients that do not ask for them.
    pub(super) schedule: Schedule,
}

impl OpenDocument {
    pub(super) fn new(text: Text, version: i32) -> OpenDocument {
        OpenDocument {
            text,
            version,
            schedule: Schedule::default(),
        }
    }
}

impl State {
    pub(super) fn open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        let file = self.shared.change_files(|files| files.intern(&item.uri));
        let state = self.files.entry(file).or_default();
        // A reading of the file that is under way is void now.
        state.load += 1;
        let load = state.load;
        if let Some(open) = self.documents.get_mut(&file) {
            warn!(uri = %item.uri, "opened twice");
            open.version = item.version;
            if let Some(document) = open.text.document() {
                let edit = replace_text(document, &item.text);
                let lines: Vec<_> = edit.iter().map(|it| it.lines).collect();
                self.exact.edited(file, &lines);
            }
        } else if LONG_TEXT < item.text.len() {
            self.parse_on_worker(file, load, item);
            return;
        } else {
            let text = Text::Parsed(Document::new(item.text));
            let open = OpenDocument::new(text, item.version);
            self.documents.insert(file, open);
            self.schedule_first(file);
        }
        self.shared
            .change_files(|files| files.opened(file, &item.uri, item.version));
        self.write_document(file);
        self.shared.known.changed(file, None);
    }

    /// Applies changes of one document and tells the analysis once.
    pub(super) fn change(&mut self, batch: &[DidChangeTextDocumentParams]) {
        let Some(last) = batch.last() else {
            return;
        };
        let uri = &last.text_document.uri;
        let encoding = self.shared.client.encoding;
        let file = self.shared.files(|files| files.get(uri));
        let open = file.and_then(|file| self.documents.get_mut(&file));
        let open = open.and_then(|it| Some((it.text.document()?, &mut it.version)));
        let (Some(file), Some((document, open_version))) = (file, open) else {
            warn!(%uri, "changed without being open, ignored");
            return;
        };
        let changes: Vec<_> = batch.iter().flat_map(|it| &it.content_changes).collect();
        // What stood before a replacement of the whole text does not matter.
        let start = changes
            .iter()
            .rposition(|it| it.range.is_none())
            .unwrap_or(0);
        let changes = &changes[start..];
        let edits = apply_backwards(document, changes, encoding).unwrap_or_else(|| {
            let apply = |it: &&_| apply(document, it, encoding, uri);
            changes.iter().filter_map(apply).collect()
        });
        let version = last.text_document.version;
        *open_version = version;
        let lines: Vec<_> = edits.iter().map(|it| it.lines).collect();
        self.exact.edited(file, &lines);
        self.shared
            .change_files(|files| files.opened(file, uri, version));
        self.write_document(file);
        let replacements = edits.iter().map(|it| it.replacement).collect();
        self.shared.known.changed(file, Some(replacements));
        // That all of it is known no more is news.
        self.schedule_open_files();
    }

    pub(super) fn close(&mut self, params: &DidCloseTextDocumentParams) {
        let uri = &params.text_document.uri;
        let file = self.shared.files(|files| files.get(uri));
        let open = file.and_then(|file| self.documents.remove(&file));
        let (Some(file), Some(open)) = (file, open) else {
            warn!(%uri, "closed without being open, ignored");
            return;
        };
        let uri = self
            .shared
            .change_files(|files| {
                files.closed(file);
                files.uri(file).cloned()
            })
            .unwrap_or_else(|| uri.clone());
        self.shared.tokens.forget(file);
        self.drop_run(file);
        self.clear_diagnostics(&open, &uri);
        match open.text {
            Text::Parsing(parsing) => self.abandon(parsing, file),
            Text::Parsed(document) => self.free(document),
        }
        match path_of(&uri).filter(|path| self.belongs_to_workspace(path)) {
            Some(path) => self.load(file, path),
            None => self.write(vec![(file, None)], None),
        }
        self.shared.known.forget(file);
    }

    /// Tells the analysis about the text of an open document.
    pub(super) fn write_document(&mut self, file: FileId) {
        let open = self.documents.get_mut(&file);
        if let Some(document) = open.and_then(|it| it.text.document()) {
            let contents = document.contents();
            self.write(vec![(file, Some(contents))], None);
        }
    }
}

fn apply(
    document: &mut Document,
    change: &TextDocumentContentChangeEvent,
    encoding: Encoding,
    uri: &Url,
) -> Option<Applied> {
    let Some(range) = change.range else {
        return replace_text(document, &change.text);
    };
    if !from_proto::fits(range, document.lines(), encoding) {
        warn!(%uri, ?range, "changed a range that the text does not have");
    }
    let range = from_proto::range(range, document.lines(), encoding);
    apply_edit(document, &Edit::new(range, change.text.as_str()))
}

/// Applies changes each of which stands before those that come before it, as editors send what a
/// formatter does: then they all are about the old text, and it is parsed once. Otherwise, or when
/// there are few, nothing is done.
fn apply_backwards(
    document: &mut Document,
    changes: &[&TextDocumentContentChangeEvent],
    encoding: Encoding,
) -> Option<Vec<Applied>> {
    if changes.len() < MANY_CHANGES {
        return None;
    }
    let mut edits = Vec::with_capacity(changes.len());
    let mut behind = None;
    for change in changes {
        let range = change.range?;
        let lines = document.lines();
        let is_before = behind.is_none_or(|it| range.end < it);
        if !is_before || !from_proto::fits(range, lines, encoding) {
            return None;
        }
        behind = Some(range.start);
        edits.push((from_proto::range(range, lines, encoding), &change.text));
    }
    let old = document.text();
    let mut text = String::with_capacity(old.len());
    let mut end = 0;
    for (range, insert) in edits.iter().rev() {
        text.push_str(old.get(end..range.start().into()).unwrap_or_default());
        text.push_str(insert);
        end = range.end().into();
    }
    text.push_str(old.get(end..).unwrap_or_default());
    Some(replace_text(document, &text).into_iter().collect())
}

/// Reduces a new text to the edit that leads to it, which keeps most of the tree.
fn replace_text(document: &mut Document, text: &str) -> Option<Applied> {
    let edit = minimal_edit(document.text(), text)?;
    apply_edit(document, &edit)
}

/// What an edit did to a text.
struct Applied {
    lines: LineEdit,
    replacement: Replacement,
}

fn apply_edit(document: &mut Document, edit: &Edit) -> Option<Applied> {
    let applied = Applied {
        lines: LineEdit::new(document.lines(), edit),
        replacement: Replacement {
            range: edit.range,
            len: edit.range_after().len(),
        },
    };
    match document.apply(edit) {
        Ok(_) => Some(applied),
        Err(error) => {
            warn!(range = ?edit.range, %error, "an edit does not fit, ignored");
            None
        }
    }
}
