//! Questions of those who know what has changed.

use crate::{
    Cancellable, Diagnostic, Earlier, FileId, FilePosition, Writing, diagnostics, features,
};

use super::Analysis;

impl Analysis {
    /// Whether comments in a file set the levels of diagnostics.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn has_control_comments(&self, file: FileId) -> Cancellable<bool> {
        self.with_file(file, diagnostics::has_controls)
    }

    /// The statement that is being written where an edit ended; `None` if there is no such file.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn writing(&self, at: FilePosition) -> Cancellable<Option<Writing>> {
        self.with_file(at.file, |db, file| {
            Some(features::completion::writing::writing(db, file, at.offset))
        })
    }

    /// The diagnostics of a file after some instructions in a long function were edited, sorted by range and
    /// without fixes: those of the edited instructions and errors of the syntax are fresh, the others are earlier
    /// ones at their new places. `None` where [all](Analysis::worst_diagnostics) are found about as fast, or where
    /// others may have changed that can be known at once.
    ///
    /// The file had no [comments that set levels](Analysis::has_control_comments).
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn diagnostics_after_edits(
        &self,
        file: FileId,
        earlier: &Earlier,
    ) -> Cancellable<Option<Vec<Diagnostic>>> {
        self.with_file(file, |db, file| diagnostics::after_edits(db, file, earlier))
    }
}
