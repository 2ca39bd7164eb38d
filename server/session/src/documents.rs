//! Bookkeeping of open documents that is the same for a program with threads and for a [`connection`](crate::connection).

use analysis::FileId;
use syntax::TextRange;

use crate::snapshot::Shared;

impl Shared {
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

    /// Drops all about a document that was closed.
    pub fn forget_document(&self, file: FileId) {
        self.tokens.forget(file);
        self.quiet.forget(file);
    }
}
