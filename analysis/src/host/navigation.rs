//! Questions about where things are: definitions, uses, outlines, sources.

use syntax::{TextRange, TextSize};

use crate::{
    Call, Cancellable, DocumentLink, DocumentSymbol, FileId, FilePosition, Fold, NavigationTarget,
    RangeInfo, Reference, SourceLines, SourceLocation, ValueSlice,
    features::{navigation, views},
    kernel,
};

use super::Analysis;

impl Analysis {
    /// Where the name at a position is defined, with the range of that name; for a register that is read, the
    /// writes that reach this place.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn goto_definition(
        &self,
        at: FilePosition,
    ) -> Cancellable<Option<RangeInfo<Vec<NavigationTarget>>>> {
        self.with_file(at.file, |db, file| {
            navigation::goto::goto_definition(db, file, at)
        })
    }

    /// All writes of the register at a position; the definition of any other name.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn goto_implementation(
        &self,
        at: FilePosition,
    ) -> Cancellable<Option<RangeInfo<Vec<NavigationTarget>>>> {
        self.with_file(at.file, |db, file| {
            navigation::goto::goto_implementation(db, file, at)
        })
    }

    /// Where the name at a position is declared: prototypes and `.extern` declarations first.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn goto_declaration(
        &self,
        at: FilePosition,
    ) -> Cancellable<Option<RangeInfo<Vec<NavigationTarget>>>> {
        self.with_file(at.file, |db, file| {
            navigation::goto::goto_declaration(db, file, at)
        })
    }

    /// Where the register or variable at a position is declared; for an argument of a call, the
    /// parameter that it is passed to.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn goto_type_definition(
        &self,
        at: FilePosition,
    ) -> Cancellable<Option<RangeInfo<Vec<NavigationTarget>>>> {
        self.with_file(at.file, |db, file| {
            navigation::goto::goto_type_definition(db, file, at)
        })
    }

    /// The lines of other languages from which the instruction or `.loc` at a position was made: its
    /// own, and the one into which that was inlined.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn source_locations(
        &self,
        at: FilePosition,
    ) -> Cancellable<Option<RangeInfo<Vec<SourceLocation>>>> {
        self.with_file(at.file, |db, file| {
            navigation::source_locations::source_locations(db, file, at)
        })
    }

    /// The `.loc` directives of the functions of a file in the order of the text: where each begins, the place that it
    /// names, and the one into which that was inlined. Each function begins with an element without places.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn located(
        &self,
        file: FileId,
    ) -> Cancellable<Vec<(TextSize, [Option<SourceLocation>; 2])>> {
        self.with_file(file, navigation::source_locations::located)
    }

    /// All instructions of the file that were made from the same source line as the one at a position.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn same_source_line(&self, at: FilePosition) -> Cancellable<Option<SourceLines>> {
        self.with_file(at.file, |db, file| {
            navigation::source_locations::same_source_line(db, file, at)
        })
    }

    /// All instructions of the file that were made from the line with this number, counted from 1, of
    /// whichever source files have such instructions.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn instructions_of_line(&self, file: FileId, line: u32) -> Cancellable<Vec<SourceLines>> {
        self.with_file(file, |db, file| {
            navigation::source_locations::instructions_of_line(db, file, line)
        })
    }

    /// The files that a file names, in the order of the text.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn document_links(&self, file: FileId) -> Cancellable<Vec<DocumentLink>> {
        self.with_file(file, navigation::source_locations::document_links)
    }

    /// The function at a position, from which calls can be followed.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn call_hierarchy(&self, at: FilePosition) -> Cancellable<Vec<NavigationTarget>> {
        self.with_file(at.file, |db, file| {
            navigation::call_hierarchy::prepare(db, file, at)
        })
    }

    /// The functions that call the one at a position, in all files that share its name.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn incoming_calls(&self, at: FilePosition) -> Cancellable<Vec<Call>> {
        self.with_file(at.file, |db, file| {
            navigation::call_hierarchy::incoming(db, file, at)
        })
    }

    /// The functions that the one at a position calls, if it is defined in that file.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn outgoing_calls(&self, at: FilePosition) -> Cancellable<Vec<Call>> {
        self.with_file(at.file, |db, file| {
            navigation::call_hierarchy::outgoing(db, file, at)
        })
    }

    /// All occurrences of the name at a position, in all files that share it; `None` if there is no
    /// name.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn references(
        &self,
        at: FilePosition,
        include_declaration: bool,
    ) -> Cancellable<Option<Vec<Reference>>> {
        self.with_file(at.file, |db, file| {
            navigation::references::references(db, file, at, include_declaration)
        })
    }

    /// The occurrences of the name at a position in its own file.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn highlight(&self, at: FilePosition) -> Cancellable<Vec<Reference>> {
        self.with_file(at.file, |db, file| {
            let found = navigation::references::highlight(db, file, at);
            match found.is_empty() {
                true => views::protocols::highlight(db, file, at),
                false => found,
            }
        })
    }

    /// The outline of a file.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn document_symbols(&self, file: FileId) -> Cancellable<Vec<DocumentSymbol>> {
        self.with_file(file, |db, file| {
            let symbols = navigation::document_symbols::document_symbols(db, file);
            kernel::with_roles(db, file, symbols)
        })
    }

    /// The names of modules in all files that match a query, best first, at most `limit`.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn workspace_symbols(
        &self,
        query: &str,
        limit: usize,
    ) -> Cancellable<Vec<NavigationTarget>> {
        self.with(|db| navigation::workspace_symbols::workspace_symbols(db, query, limit))
    }

    /// The foldable regions of a file, sorted by range.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn folding_ranges(&self, file: FileId) -> Cancellable<Vec<Fold>> {
        self.with_file(file, navigation::folding::folding_ranges)
    }

    /// The ranges that a growing selection goes through, innermost first.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn selection_ranges(&self, at: FilePosition) -> Cancellable<Vec<TextRange>> {
        self.with_file(at.file, |db, file| {
            navigation::selection_ranges::selection_ranges(db, file, at.offset)
        })
    }

    /// The values from which the register at a position was computed, and those computed from it.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Cancelled), as with every question.
    pub fn slice(&self, at: FilePosition) -> Cancellable<Option<ValueSlice>> {
        self.with_file(at.file, |db, file| navigation::values::slice(db, file, at))
    }
}
