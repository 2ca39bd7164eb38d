//! The documents of a connection, and their diagnostics.

use std::{path::Path, sync::Arc};

use analysis::FileId;
use serde_json::{Value, json, value::RawValue};
use syntax::{Document, TextRange};
use tracing::{error, warn};

use super::Connection;
use crate::{
    diagnostics::{all_diagnostics, file_diagnostics, fingerprint, known_at_once},
    edits::{apply_changes, replace_text, written},
    embedded::{HostDocument, language_of},
    lsp::{
        ext::DidReadFilesParams,
        lsp_types::{
            Diagnostic, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
            DidOpenTextDocumentParams,
        },
    },
    snapshot::{Answer, RequestError, Snapshot},
};

/// For longer texts, in bytes, syntax errors are sent before the rest is known, when a file is opened.
const LONG_TEXT: u32 = 1 << 20;

/// A document that the client has open.
pub(super) struct OpenDocument {
    /// `None` for one in another language.
    text: Option<Document>,
    version: i32,
    pub(super) told: Told,
    /// The state that the client shows: the version of the text and a fingerprint.
    published: Option<(i32, u64)>,
}

/// How much the client knows of the diagnostics of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Told {
    /// Those of another text.
    Nothing,
    /// The diagnostics known at once.
    Something,
    /// All of them.
    Everything,
}

impl OpenDocument {
    fn new(text: Option<Document>, version: i32) -> OpenDocument {
        OpenDocument {
            text,
            version,
            told: Told::Nothing,
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
        self.write_document(file);
        self.shared.known.changed(file, None);
        // Nobody has written in this text yet.
        self.edited_at(file, None);
    }

    /// Applies changes of one document and tells the analysis once.
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
        self.write_document(file);
        self.edited_at(file, written(&edits));
        if is_host {
            // It concerns no other document.
            if let Some(open) = self.documents.get_mut(&file) {
                open.told = Told::Nothing;
            }
            return;
        }
        let replacements = edits.iter().map(|it| it.replacement).collect();
        self.shared.known.changed(file, Some(replacements));
        // That all of it is known no more is news.
        self.tell_anew();
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
        self.shared.tokens.forget(file);
        if self.shared.client.pushes() && open.published.is_some() {
            self.publish(file, "[]", None);
        }
        if Arc::make_mut(&mut self.hosts).remove(&file).is_none() {
            let read = self.read.get(&file).cloned();
            self.write(vec![(file, read)], false);
        }
        self.shared.known.forget(file);
        self.shared.quiet.forget(file);
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

    fn write_document(&mut self, file: FileId) {
        let open = self.documents.get(&file);
        if let Some(text) = open.and_then(|it| it.text.as_ref()) {
            let contents = text.contents();
            self.write(vec![(file, Some(contents))], false);
        }
    }

    /// Somebody has written a text into an open document, or a program has changed much.
    fn edited_at(&mut self, file: FileId, written: Option<TextRange>) {
        let client = &self.shared.client;
        // Whoever cannot be told later is told at once.
        let quiet = self.config.quiet && (client.pushes() || client.refresh_diagnostics);
        match written.filter(|_| quiet) {
            Some(written) => self.shared.quiet.edited(file, written),
            None => {
                self.shared.quiet.settle(file);
            }
        }
    }

    /// Tells what was held back about an open document.
    pub(super) fn tell_all(&mut self, file: FileId) {
        let held_back = self.shared.quiet.settle(file);
        let Some(open) = self.documents.get_mut(&file).filter(|_| held_back) else {
            return;
        };
        if self.shared.client.pushes() {
            open.told = Told::Nothing;
        } else {
            self.ask_client("workspace/diagnostic/refresh", &Value::Null);
        }
    }

    /// The diagnostics of every open file are wanted again: a change of one file can concern all others.
    pub(super) fn tell_anew(&mut self) {
        let client = &self.shared.client;
        for (file, open) in &mut self.documents {
            open.told = if client.pushes() {
                Told::Nothing
            } else if client.refresh_diagnostics && self.shared.known.is_behind(*file) {
                // A client that asks was told what is known at once. To tell it to ask again, all must be found.
                Told::Something
            } else {
                Told::Everything
            };
        }
    }

    /// Searches the problems of the document about which the client knows least.
    pub(super) fn diagnose(&mut self) {
        let next = self.documents.iter().min_by_key(|it| it.1.told);
        let Some((&file, open)) = next else {
            return;
        };
        let (told, first) = (open.told, open.published.is_none());
        if told == Told::Everything {
            return;
        }
        let snapshot = self.snapshot();
        let found = if self.config.diagnostics {
            search(&snapshot, file, told, first)
        } else {
            Ok((Vec::new(), Told::Everything))
        };
        drop(snapshot);
        let (found, knows) = found.unwrap_or_else(|error| {
            error!(?error, "diagnostics failed");
            (Vec::new(), Told::Everything)
        });
        let json = serde_json::to_string(&found).unwrap_or_else(|_| "[]".to_owned());
        let Some(open) = self.documents.get_mut(&file) else {
            return;
        };
        open.told = knows;
        let fingerprint = fingerprint(&json);
        if !self.shared.client.pushes() {
            let owed = self.shared.known.take_owed(file);
            if owed.is_some_and(|it| it != fingerprint) {
                self.ask_client("workspace/diagnostic/refresh", &Value::Null);
            }
            return;
        }
        let shown = Some((open.version, fingerprint));
        if open.published != shown {
            open.published = shown;
            let version = open.version;
            self.publish(file, &json, Some(version));
        }
    }

    fn publish(&mut self, file: FileId, diagnostics: &str, version: Option<i32>) {
        let Some(uri) = self.uri(file) else {
            return;
        };
        let Ok(diagnostics) = RawValue::from_string(diagnostics.to_owned()) else {
            return;
        };
        let uri = json!(uri);
        let version = version.map_or_else(String::new, |it| format!(r#","version":{it}"#));
        self.out.push(format!(
            r#"{{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{{"uri":{uri},"diagnostics":{diagnostics}{version}}}}}"#
        ));
    }
}

/// The diagnostics of a file: what is known at once if the client knows nothing, all of them otherwise.
fn search(
    snapshot: &Snapshot,
    file: FileId,
    told: Told,
    first: bool,
) -> Answer<(Vec<Diagnostic>, Told)> {
    let Some(document) = snapshot.document_of(file)? else {
        return Err(RequestError::Internal("an open document is unknown".into()));
    };
    let early = if told != Told::Nothing || !snapshot.shared.client.pushes() {
        None
    } else if first && document.host.is_none() && u32::from(document.lines().text_len()) > LONG_TEXT
    {
        Some(snapshot.analysis.syntax_diagnostics(file)?)
    } else {
        known_at_once(snapshot, &document)?
    };
    let (found, knows) = match early {
        Some(found) => (found, Told::Something),
        None => (all_diagnostics(snapshot, &document)?, Told::Everything),
    };
    Ok((file_diagnostics(snapshot, &document, found)?, knows))
}
