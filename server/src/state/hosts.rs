//! Open documents in other languages: no tree and no query, only the text and the PTX in it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use analysis::FileId;
use session::{
    edits::written,
    embedded::{HostDocument, language_of},
    lsp::{
        lsp_types::{DidChangeTextDocumentParams, FileEvent, TextDocumentItem},
        registration::{embedded_registrations, embedded_unregistrations},
    },
};
use syntax::host::Language;

use super::{
    State,
    open_document::{DocumentText, OpenDocument},
};
use crate::{compile_commands, files::path_of, outgoing::Outgoing};

/// The language in which a document that is opened holds PTX.
pub(super) fn language(item: &TextDocumentItem) -> Option<Language> {
    let path = path_of(&item.uri).unwrap_or_else(|| PathBuf::from(item.uri.path()));
    language_of(&item.language_id, &path)
}

impl State {
    /// Takes over a document in another language; one that is open gets another text.
    pub(super) fn open_host(&mut self, file: FileId, language: Language, item: TextDocumentItem) {
        let TextDocumentItem {
            uri, version, text, ..
        } = item;
        let known = Arc::make_mut(&mut self.hosts).remove(&file);
        let document = match known {
            Some(known) if known.language() == language => known.replaced(&text),
            _ => HostDocument::new(text, language),
        };
        self.documents
            .insert(file, OpenDocument::new(DocumentText::Host, version));
        self.shared
            .change_files(|files| files.opened(file, &uri, version));
        self.put_host(file, document);
        self.edited_at(file, None);
        self.schedule_first(file);
    }

    /// Applies changes of one document in another language.
    pub(super) fn change_host(&mut self, file: FileId, batch: &[DidChangeTextDocumentParams]) {
        let Some(last) = batch.last() else {
            return;
        };
        let Some(document) = Arc::make_mut(&mut self.hosts).remove(&file) else {
            return;
        };
        let (document, edits) = document.changed(batch, self.shared.client.encoding);
        let version = last.text_document.version;
        if let Some(open) = self.documents.get_mut(&file) {
            open.version = version;
        }
        let uri = &last.text_document.uri;
        self.shared
            .change_files(|files| files.opened(file, uri, version));
        self.put_host(file, document);
        self.edited_at(file, written(&edits));
        self.schedule_host(file);
    }

    /// The state of a document in another language from now on.
    fn put_host(&mut self, file: FileId, document: HostDocument) {
        self.files.entry(file).or_default().revision += 1;
        Arc::make_mut(&mut self.hosts).insert(file, Arc::new(document));
    }

    pub(super) fn close_host(&mut self, file: FileId) {
        if let Some(document) = Arc::make_mut(&mut self.hosts).remove(&file) {
            document.supersede();
            self.files.entry(file).or_default().revision += 1;
            self.free(document);
        }
    }

    /// Asks a client that registers features by language for documents in other languages, or takes that back.
    pub(super) fn register_hosts(&mut self) {
        let wanted = self.config.embedded && self.shared.client.register_languages;
        if wanted == self.hosts_registered {
            return;
        }
        self.hosts_registered = wanted;
        let client = &self.shared.client;
        self.send(match wanted {
            true => Outgoing::Register(embedded_registrations(client)),
            false => Outgoing::Unregister(embedded_unregistrations(client)),
        });
    }

    /// Reads compile commands anew when their files changed.
    pub(super) fn builds_changed(&mut self, changes: &[FileEvent]) {
        let is_database = |path: &Path| path.ends_with(compile_commands::NAME);
        let mut paths = changes.iter().filter_map(|it| path_of(&it.uri));
        if !paths.any(|it| is_database(&it)) {
            return;
        }
        self.machine.forget_builds();
        let files: Vec<_> = self.hosts.keys().copied().collect();
        for file in files {
            let Some(document) = self.hosts.get(&file).map(|it| it.recompiled()) else {
                continue;
            };
            self.put_host(file, document);
        }
        self.refresh();
    }
}
