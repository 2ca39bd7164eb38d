//! Questions of those who run kernels.

use syntax::TextRange;

use crate::{
    AccessPattern, Cancellable, Cost, Diagnostic, EntryPlace, FileId, FilePosition,
    MissingRegister, accesses, code, code::Code, diagnostics, features,
};

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

    /// The name of the function around a position.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn function_at(&self, at: FilePosition) -> Cancellable<Option<String>> {
        self.with_file(at.file, |db, file| {
            let found = features::views::registers::function_at(db, file, at.offset);
            found.map(|it| it.0.name(db).to_owned())
        })
    }

    /// The registers that the functions of a file use and nothing declares, in the order of their first uses.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn missing_registers(&self, file: FileId) -> Cancellable<Vec<MissingRegister>> {
        self.with_file(file, diagnostics::missing_registers)
    }

    /// The accesses of memory of the functions of a file, or of those with a name, in the order of the text. `block` is
    /// the number of threads along x, y and z for entries that state none; without it, blocks have a multiple of 32
    /// threads along x.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn accesses(
        &self,
        file: FileId,
        entry: Option<&str>,
        block: Option<[u32; 3]>,
    ) -> Cancellable<Vec<AccessPattern>> {
        self.with_file(file, |db, file| accesses::accesses(db, file, entry, block))
    }

    /// The costs of the entries of a file, or of the one with a name: for each those outside its loops, then its loops in
    /// the order of the text. `block` is as in [`Analysis::accesses`]; without a shape, figures are not known.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn costs(
        &self,
        file: FileId,
        entry: Option<&str>,
        block: Option<[u32; 3]>,
    ) -> Cancellable<Vec<Cost>> {
        self.with_file(file, |db, file| accesses::costs(db, file, entry, block))
    }

    /// The entries of a file that have a body, with the comments above them.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn entries(&self, file: FileId) -> Cancellable<Vec<EntryPlace>> {
        self.with_file(file, features::navigation::entries::entries)
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
