//! Open documents: the client's text wins over what is on disk.

use analysis::FileId;
use session::{
    edits::{Applied, apply_changes, replace_text, written},
    lsp::lsp_types::{
        DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    },
};
use syntax::Document;
use tracing::warn;

use super::{
    State, hosts,
    open_document::{DocumentText, LONG_TEXT, OpenDocument},
};
use crate::files::path_of;

impl State {
    pub(super) fn open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        let file = self.shared.change_files(|files| files.intern(&item.uri));
        let state = self.files.entry(file).or_default();
        // A reading of the file that is under way is void now.
        state.load += 1;
        let load = state.load;
        if let Some(language) = hosts::language(&item) {
            if self.documents.remove(&file).is_some() {
                warn!(uri = %item.uri, "opened twice");
            }
            self.open_host(file, language, item);
            return;
        }
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
            let text = DocumentText::Parsed(Document::new(item.text));
            let open = OpenDocument::new(text, item.version);
            self.documents.insert(file, open);
            self.schedule_first(file);
        }
        self.shared
            .change_files(|files| files.opened(file, &item.uri, item.version));
        self.write_document(file, None);
    }

    /// Applies changes of one document and writes them to the analysis once.
    pub(super) fn change(&mut self, batch: &[DidChangeTextDocumentParams]) {
        let Some(last) = batch.last() else {
            return;
        };
        let uri = &last.text_document.uri;
        let encoding = self.shared.client.encoding;
        let file = self.shared.files(|files| files.get(uri));
        if let Some(file) = file.filter(|it| self.hosts.contains_key(it)) {
            self.change_host(file, batch);
            return;
        }
        let open = file.and_then(|file| self.documents.get_mut(&file));
        let open = open.and_then(|it| Some((it.text.document()?, &mut it.version)));
        let (Some(file), Some((document, open_version))) = (file, open) else {
            warn!(%uri, "changed without being open, ignored");
            return;
        };
        let edits = apply_changes(document, batch, encoding);
        let version = last.text_document.version;
        *open_version = version;
        let lines: Vec<_> = edits.iter().map(|it| it.lines).collect();
        self.exact.edited(file, &lines);
        self.shared
            .change_files(|files| files.opened(file, uri, version));
        self.write_document(file, Some(&edits));
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
        self.drop_run(file);
        self.clear_diagnostics(&open, &uri);
        match open.text {
            DocumentText::Parsing(parsing) => self.abandon(parsing, file),
            DocumentText::Parsed(document) => self.free(document),
            DocumentText::Host => self.close_host(file),
        }
        match path_of(&uri).filter(|path| self.belongs_to_workspace(path)) {
            Some(path) => self.load(file, path),
            None => self.write(vec![(file, None)], None),
        }
        self.shared.forget_document(file);
    }

    /// Writes the text of an open document to the analysis, after edits or as a new one.
    pub(super) fn write_document(&mut self, file: FileId, edits: Option<&[Applied]>) {
        let open = self.documents.get_mut(&file);
        if let Some(document) = open.and_then(|it| it.text.document()) {
            let contents = document.contents();
            let interrupted = self.apply(vec![(file, Some(contents))], None);
            self.edited_at(file, edits.and_then(written));
            self.after_write(interrupted);
        }
    }
}
