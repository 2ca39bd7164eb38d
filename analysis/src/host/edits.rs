//! Questions of those who know what has changed.

use crate::{Cancellable, FilePosition, Writing, features};

use super::Analysis;

impl Analysis {
    /// The statement that is being written where an edit ended; `None` if there is no such file.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn writing(&self, at: FilePosition) -> Cancellable<Option<Writing>> {
        self.with_file(at.file, |db, file| {
            Some(features::completion::writing::writing(db, file, at.offset))
        })
    }
}
