//! Questions of those who run kernels.

use syntax::TextRange;

use crate::{Cancellable, Diagnostic, EntryPlace, FileId, code, code::Code, diagnostics, features};

use super::Analysis;

impl Analysis {
    /// The code of a file, for a machine that runs it.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn code(&self, file: FileId) -> Cancellable<Code> {
        self.with_file(file, code::code)
    }

    /// The code of a file without its instructions: the parameters and the bounds of entries, which launches must fit.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn code_headers(&self, file: FileId) -> Cancellable<Code> {
        self.with_file(file, code::headers)
    }

    /// The entries of a file that have a body, with the comments above them.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn entries(&self, file: FileId) -> Cancellable<Vec<EntryPlace>> {
        self.with_file(file, features::entries::entries)
    }

    /// Diagnostics of a file together with mistakes in the comments that describe runs, by their places; each has the
    /// severity that the settings and comments of the file give it. Both are sorted by range.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn with_run_comments(
        &self,
        file: FileId,
        diagnostics: Vec<Diagnostic>,
        mistakes: Vec<(TextRange, String)>,
    ) -> Cancellable<Vec<Diagnostic>> {
        self.with_file(file, |db, file| {
            diagnostics::with_run_comments(db, file, diagnostics, mistakes)
        })
    }
}
