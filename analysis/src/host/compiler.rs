//! Questions of those who ask a compiler as well.

use crate::{Cancellable, CompilerMessage, Diagnostic, FileId, diagnostics, hir::declared::header};

use super::Analysis;

impl Analysis {
    /// The target that the header of a file names, or that the settings require.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn target(&self, file: FileId) -> Cancellable<Option<String>> {
        self.with_file(file, |db, file| {
            header(db, file).target.map(|it| it.to_string())
        })
    }

    /// Diagnostics of a file together with what a compiler said about it: without the messages that only
    /// repeat a diagnostic, and without those about lines whose text is another one by now.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn with_compiler_messages(
        &self,
        file: FileId,
        diagnostics: Vec<Diagnostic>,
        messages: &[CompilerMessage],
    ) -> Cancellable<Vec<Diagnostic>> {
        self.with_file(file, |db, file| {
            diagnostics::with_messages(db, file, diagnostics, messages)
        })
    }
}
