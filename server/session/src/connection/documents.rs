//! The documents of a connection, and their diagnostics.

use std::{path::Path, sync::Arc};

use analysis::FileId;
use serde_json::{Value, json};
use syntax::{Document, TextRange};
use tracing::{error, warn};

use super::Connection;
use crate::{
    diagnostics::{Stage, fingerprint, next_diagnostics},
    edits::{Applied, apply_changes, replace_text, written},
    embedded::{HostDocument, language_of},
    lsp::{
        ext::DidReadFilesParams,
        lsp_types::{
            Diagnostic, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
            DidOpenTextDocumentParams,
        },
    },
};

/// A document that the client has open.
pub(super) struct OpenDocument {
    /// `None` for one in another language.
    text: Option<Document>,
    version: i32,
    /// The diagnostics that the client has.
    pub(super) reported: Stage,
    /// The state that the client shows: the version of the text and a fingerprint.
    published: Option<(i32, u64)>,
}

impl OpenDocument {
    fn new(text: Option<Document>, version: i32) -> OpenDocument {
        OpenDocument {
            text,
            version,
            reported: Stage::Outdated,
            published: None,
        }
    }
}

impl Connection {
    pub(super) fn open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        let file = self.shared.change_files(|files| files.intern(&item.uri));
        if let Some(language) = language_of(&item.language_id, Path::new(item.uri.path())) {
            let document = HostDocument::new(item.text, language);
            Arc::make_mut(&mut self.hosts).insert(file, Arc::new(document));
            self.documents
                .insert(file, OpenDocument::new(None, item.version));
            self.shared
                .change_files(|files| files.opened(file, &item.uri, item.version));
            self.edited_at(file, None);
            return;
        }
        let open = self.documents.get_mut(&file);
        if let Some(open) = open
            && let Some(text) = &mut open.text
        {
            warn!(uri = %item.uri, "opened twice");
            open.version = item.version;
            replace_text(text, &item.text);
        } else {
            let document = Some(Document::new(item.text));
            self.documents
                .insert(file, OpenDocument::new(document, item.version));
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
        let file = self.shared.files(|files| files.get(uri));
        let open = file.and_then(|file| self.documents.get_mut(&file));
        let (Some(file), Some(open)) = (file, open) else {
            warn!(%uri, "changed without being open, ignored");
            return;
        };
        let encoding = self.shared.client.encoding;
        let host = Arc::make_mut(&mut self.hosts).remove(&file);
        let is_host = host.is_some();
        let edits = if let Some(host) = host {
            let (host, edits) = host.changed(batch, encoding);
            Arc::make_mut(&mut self.hosts).insert(file, Arc::new(host));
            edits
        } else if let Some(text) = &mut open.text {
            apply_changes(text, batch, encoding)
        } else {
            return;
        };
        open.version = last.text_document.version;
        let version = open.version;
        self.shared
            .change_files(|files| files.opened(file, uri, version));
        if is_host {
            // It concerns no other document.
            open.reported = Stage::Outdated;
            self.edited_at(file, written(&edits));
        } else {
            self.write_document(file, Some(&edits));
        }
    }

    pub(super) fn close(&mut self, params: &DidCloseTextDocumentParams) {
        let uri = &params.text_document.uri;
        let file = self.shared.files(|files| files.get(uri));
        let open = file.and_then(|file| self.documents.remove(&file));
        let (Some(file), Some(open)) = (file, open) else {
            warn!(%uri, "closed without being open, ignored");
            return;
        };
        self.shared.change_files(|files| files.closed(file));
        if self.shared.client.pushes() && open.published.is_some() {
            self.publish(file, &[], None);
        }
        if Arc::make_mut(&mut self.hosts).remove(&file).is_none() {
            let read = self.read.get(&file).cloned();
            self.write(vec![(file, read)], false);
        }
        self.shared.forget_document(file);
    }

    /// Takes files that the client has read; what is open wins over them.
    pub(super) fn read_files(&mut self, params: DidReadFilesParams) {
        let mut news = Vec::new();
        for it in params.files {
            let file = self.shared.change_files(|files| files.intern(&it.uri));
            let contents = it.text.map(|text| Document::new(text).contents());
            match &contents {
                Some(contents) => self.read.insert(file, contents.clone()),
                None => self.read.remove(&file),
            };
            if !self.documents.contains_key(&file) {
                news.push((file, contents));
            }
        }
        if !news.is_empty() {
            self.write(news, false);
            self.refresh();
        }
    }

    /// Writes the text of an open document to the analysis, after edits or as a new one.
    fn write_document(&mut self, file: FileId, edits: Option<&[Applied]>) {
        let open = self.documents.get(&file);
        if let Some(text) = open.and_then(|it| it.text.as_ref()) {
            let contents = text.contents();
            self.apply(vec![(file, Some(contents))], false);
            self.edited_at(file, edits.and_then(written));
            self.schedule_open_files();
        }
    }

    /// Notes the text that a person inserted last, `None` after any other change.
    fn edited_at(&mut self, file: FileId, text: Option<TextRange>) {
        self.shared.document_typed(file, text, self.config.quiet);
    }

    /// Makes the client show the diagnostics of an open document that were held back.
    pub(super) fn publish_held_back(&mut self, file: FileId) {
        let held_back = self.shared.quiet.settle(file);
        let Some(open) = self.documents.get_mut(&file).filter(|_| held_back) else {
            return;
        };
        if self.shared.client.pushes() {
            open.reported = Stage::Outdated;
        } else {
            self.request_client("workspace/diagnostic/refresh", &Value::Null);
        }
    }

    /// The diagnostics of every open file are wanted again: a change of one file can concern all others.
    pub(super) fn schedule_open_files(&mut self) {
        let client = &self.shared.client;
        for open in self.documents.values_mut() {
            open.reported = match client.pushes() {
                true => Stage::Outdated,
                false => Stage::Complete,
            };
        }
    }

    /// Searches the next diagnostics of the document whose diagnostics are least complete.
    pub(super) fn diagnose(&mut self) {
        let next = self.documents.iter().min_by_key(|it| it.1.reported);
        let Some((&file, open)) = next else {
            return;
        };
        let (reported, first) = (open.reported, open.published.is_none());
        if reported == Stage::Complete {
            return;
        }
        let snapshot = self.snapshot();
        let found = if self.config.diagnostics {
            next_diagnostics(&snapshot, file, reported, first)
        } else {
            Ok((Vec::new(), Stage::Complete))
        };
        drop(snapshot);
        let (found, knows) = found.unwrap_or_else(|error| {
            error!(?error, "diagnostics failed");
            (Vec::new(), Stage::Complete)
        });
        let Some(open) = self.documents.get_mut(&file) else {
            return;
        };
        open.reported = knows;
        let fingerprint = fingerprint(&found);
        let shown = Some((open.version, fingerprint));
        if open.published != shown {
            open.published = shown;
            let version = open.version;
            self.publish(file, &found, Some(version));
        }
    }

    fn publish(&mut self, file: FileId, diagnostics: &[Diagnostic], version: Option<i32>) {
        let Some(uri) = self.uri(file) else {
            return;
        };
        let diagnostics = serde_json::to_string(diagnostics).unwrap_or_else(|_| "[]".to_owned());
        let uri = json!(uri);
        let version = version.map_or_else(String::new, |it| format!(r#","version":{it}"#));
        self.out.push(format!(
            r#"{{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{{"uri":{uri},"diagnostics":{diagnostics}{version}}}}}"#
        ));
    }
}
