//! Bookkeeping of open documents that is the same for a program with threads and for a [`connection`](crate::connection).

use analysis::FileId;
use syntax::TextRange;

use crate::{edits::Applied, snapshot::Shared};

impl Shared {
    /// Notes the edits of an open document after they were written to the analysis; `None` for a new text.
    pub fn document_written(&self, file: FileId, edits: Option<&[Applied]>) {
        let replacements = edits.map(|it| it.iter().map(|it| it.replacement).collect());
        self.diagnostics_cache.changed(file, replacements);
    }

    /// Notes the text that a person inserted last, `None` after any other change; `enabled` is the setting. Returns
    /// whether diagnostics may wait for the end of the statement: a client must be able to get them later.
    pub fn document_typed(&self, file: FileId, text: Option<TextRange>, enabled: bool) -> bool {
        let may_wait = enabled && (self.client.pushes() || self.client.refresh_diagnostics);
        match text.filter(|_| may_wait) {
            Some(text) => {
                self.quiet.edited(file, text);
                true
            }
            None => {
                self.quiet.settle(file);
                false
            }
        }
    }

    /// Whether a client that requests diagnostics has provisional ones of a document, and supports a refresh.
    pub fn refreshes_later(&self, file: FileId) -> bool {
        self.client.refresh_diagnostics && self.diagnostics_cache.is_outdated(file)
    }

    /// Whether a client that requests diagnostics has other ones of a document than the complete ones, which have this
    /// fingerprint; once.
    pub fn must_refresh(&self, file: FileId, complete: u64) -> bool {
        let provisional = self.diagnostics_cache.take_provisional(file);
        provisional.is_some_and(|it| it != complete)
    }

    /// Drops all about a document that was closed.
    pub fn forget_document(&self, file: FileId) {
        self.tokens.forget(file);
        self.diagnostics_cache.forget(file);
        self.quiet.forget(file);
    }
}
