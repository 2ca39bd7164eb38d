//! The boundary: one writer, and snapshots that answer questions.

mod compiler;
mod edits;
mod navigation;
mod runs;
mod views;
mod writer;

use std::{panic::AssertUnwindSafe, sync::Arc};

use salsa::Database as _;
use syntax::{TextRange, text::Edit};

pub use writer::{AnalysisHost, Change};

pub(crate) use crate::db::find_file;

use crate::{
    Cancellable, Cancelled, CodeAction, CodeLens, CodeLensKinds, Comparable, Completions,
    Diagnostic, ExactEntry, FileContents, FileId, FilePosition, FileRange, FormattingOptions,
    Hover, InlayHint, InlayHintKinds, RangeInfo, RenameError, RenamePreparation, SemanticToken,
    SignatureHelp, SourceChange,
    db::{Database, SourceFile},
    diagnostics::{self, Fixes},
    diff, features,
};

/// Cancels the questions of one [`Analysis`].
#[derive(Clone)]
pub struct CancellationToken(salsa::CancellationToken);

impl CancellationToken {
    /// Makes the question that is being answered return [`Cancelled::Requested`] soon; without effect
    /// when there is none.
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

/// An immutable snapshot that answers questions; may be sent to another thread.
///
/// An unknown file has no diagnostics, no symbols and so on.
pub struct Analysis {
    db: Database,
}

impl AnalysisHost {
    /// A snapshot of the current state. Drop it as soon as the question is answered: writing waits.
    #[must_use]
    pub fn analysis(&self) -> Analysis {
        Analysis {
            db: self.db.clone(),
        }
    }
}

impl Analysis {
    /// The handle by which another thread cancels the questions of this snapshot.
    #[must_use]
    pub fn cancellation_token(&self) -> CancellationToken {
        CancellationToken(self.db.cancellation_token())
    }

    /// Runs a question; a salsa cancellation becomes an error, a panic stays a panic.
    pub(crate) fn with<T>(
        &self,
        question: impl FnOnce(&dyn salsa::Database) -> T,
    ) -> Cancellable<T> {
        let db = &self.db;
        // A question only reads; what it leaves half done are memos, which salsa guards itself.
        match salsa::Cancelled::catch(AssertUnwindSafe(|| question(db))) {
            Ok(answer) => Ok(answer),
            Err(salsa::Cancelled::Local) => Err(Cancelled::Requested),
            // A pending write. Or another thread unwound while it computed what this one needed, which
            // is what a write makes it do; if it panicked, it says so itself, and so does this one
            // when it is asked again.
            Err(_) => Err(Cancelled::PendingWrite),
        }
    }

    fn with_file<T: Default>(
        &self,
        file: FileId,
        question: impl FnOnce(&dyn salsa::Database, SourceFile) -> T,
    ) -> Cancellable<T> {
        self.with(|db| {
            find_file(db, file)
                .map(|it| question(db, it))
                .unwrap_or_default()
        })
    }

    /// Succeeds unless the questions of this snapshot have been cancelled: for askers that have long work
    /// of their own, during which writing waits.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn check_cancelled(&self) -> Cancellable<()> {
        self.with(|db| db.unwind_if_revision_cancelled())
    }

    /// Tree, errors and lines of a file.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn contents(&self, file: FileId) -> Cancellable<Option<Arc<FileContents>>> {
        self.with_file(file, |db, file| Some(file.contents(db)))
    }

    /// The syntax errors of a file, sorted by range: what is known without further analysis.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn syntax_diagnostics(&self, file: FileId) -> Cancellable<Vec<Diagnostic>> {
        self.with_file(file, diagnostics::syntax_diagnostics)
    }

    /// All diagnostics of a file, sorted by range.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn diagnostics(&self, file: FileId) -> Cancellable<Vec<Diagnostic>> {
        self.with_file(file, |db, file| {
            diagnostics::diagnostics(db, file, usize::MAX, Fixes::Found)
        })
    }

    /// At most so many diagnostics of a file, the worst and of equally bad ones the first, sorted by range;
    /// without their fixes.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn worst_diagnostics(&self, file: FileId, limit: usize) -> Cancellable<Vec<Diagnostic>> {
        self.with_file(file, |db, file| {
            diagnostics::diagnostics(db, file, limit, Fixes::LeftOut)
        })
    }

    /// The code actions for the problems at a range, those of the same kind in the file, and all that
    /// can safely be done in the file.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn code_actions(&self, at: FileRange) -> Cancellable<Vec<CodeAction>> {
        self.with_file(at.file, |db, file| {
            features::editing::code_actions::code_actions(db, file, at)
        })
    }

    /// The meaning of the name at a position.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn hover(&self, at: FilePosition) -> Cancellable<Option<RangeInfo<Hover>>> {
        self.hover_with(at, &[])
    }

    /// The meaning of the name at a position; for an entry of which a compiler told what it needs, with that.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn hover_with(
        &self,
        at: FilePosition,
        exact: &[ExactEntry],
    ) -> Cancellable<Option<RangeInfo<Hover>>> {
        self.with_file(at.file, |db, file| {
            let mut found = features::hover::hover(db, file, at, exact)?;
            if let Some(protocol) = features::views::protocols::hover(db, file, at.offset) {
                found.info.markdown.push_str("\n\n");
                found.info.markdown.push_str(&protocol);
            }
            Some(found)
        })
    }

    /// The completions at a position.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn completions(&self, at: FilePosition) -> Cancellable<Option<Completions>> {
        self.with_file(at.file, |db, file| {
            features::completion::completions(db, file, at)
        })
    }

    /// Whether a list of completions opens by itself after a blank: where a directive takes one of a few values.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn opens_after_blank(&self, at: FilePosition) -> Cancellable<bool> {
        self.with_file(at.file, |db, file| {
            features::completion::opens_after_blank(db, file, at)
        })
    }

    /// The edits that format a file, or the lines that a range touches; in the order of the text.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn formatting(
        &self,
        file: FileId,
        range: Option<TextRange>,
        options: FormattingOptions,
    ) -> Cancellable<Vec<Edit>> {
        self.with_file(file, |db, file| {
            features::editing::formatting::formatting(db, file, range, options)
        })
    }

    /// The forms of the instruction whose operands surround a position.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn signature_help(&self, at: FilePosition) -> Cancellable<Option<SignatureHelp>> {
        self.with_file(at.file, |db, file| {
            features::completion::signature_help::signature_help(db, file, at)
        })
    }

    /// The inlay hints of a range, in the order of the text; `exact` is what `ptxas` said of the entries of the file.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn inlay_hints(
        &self,
        at: FileRange,
        kinds: InlayHintKinds,
        exact: &[ExactEntry],
    ) -> Cancellable<Vec<InlayHint>> {
        self.with_file(at.file, |db, file| {
            features::hints::inlay_hints::inlay_hints(db, file, at.range, kinds, exact)
        })
    }

    /// The names of a file above which something about them may be shown.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn code_lenses(&self, file: FileId, kinds: CodeLensKinds) -> Cancellable<Vec<CodeLens>> {
        self.with_file(file, |db, file| {
            features::hints::code_lenses::code_lenses(db, file, kinds)
        })
    }

    /// The range that a rename at a position would replace, or why there is nothing to rename.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn prepare_rename(
        &self,
        at: FilePosition,
    ) -> Cancellable<Result<RenamePreparation, RenameError>> {
        self.with(|db| match find_file(db, at.file) {
            Some(file) => features::editing::rename::prepare_rename(db, file, at),
            None => Err(RenameError("The file is not known.".to_owned())),
        })
    }

    /// The numbered declaration that the register at a position belongs to, such as `%r<100>`, and the place of its
    /// name; renaming there renames all its registers.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn register_family(&self, at: FilePosition) -> Cancellable<Option<RenamePreparation>> {
        self.with(|db| features::editing::rename::family(db, find_file(db, at.file)?, at))
    }

    /// The edits that give the name at a position a new name, or why that is not possible.
    ///
    /// One register of a numbered declaration gets a declaration of its own; a new name with angle brackets, such as
    /// `%x<>`, is one for all of them.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn rename(
        &self,
        at: FilePosition,
        new_name: &str,
    ) -> Cancellable<Result<SourceChange, RenameError>> {
        self.with(|db| match find_file(db, at.file) {
            Some(file) => features::editing::rename::rename(db, file, at, new_name),
            None => Err(RenameError("The file is not known.".to_owned())),
        })
    }

    /// The tokens of a file, or those that touch a range; tokens may span lines.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn semantic_tokens(
        &self,
        file: FileId,
        range: Option<TextRange>,
    ) -> Cancellable<Vec<SemanticToken>> {
        self.with_file(file, |db, file| {
            features::hints::semantic_tokens::semantic_tokens(db, file, range)
        })
    }

    /// The severities of findings of a run, each given with its place, code and severity, after the comments of the file
    /// and the settings have been heard; `None` for those that nobody wants.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn severities(
        &self,
        file: FileId,
        findings: &[(TextRange, &'static str, crate::Severity)],
    ) -> Cancellable<Vec<Option<crate::Severity>>> {
        self.with_file(file, |db, file| {
            crate::diagnostics::severities(db, file, findings)
        })
    }

    /// A file as [`crate::compare`] compares it with another one.
    ///
    /// # Errors
    /// [`Cancelled`], as with every question.
    pub fn comparable(&self, file: FileId) -> Cancellable<Comparable> {
        self.with_file(file, |db, file| Comparable(diff::read::module(db, file)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_send<T: Send + std::panic::UnwindSafe>() {}

    #[test]
    fn snapshots_travel_between_threads() {
        is_send::<Analysis>();
        is_send::<CancellationToken>();
    }

    #[test]
    fn unknown_files_have_no_answers() {
        let host = AnalysisHost::new();
        let analysis = host.analysis();
        assert_eq!(analysis.contents(FileId(7)), Ok(None));
        assert_eq!(analysis.diagnostics(FileId(7)), Ok(Vec::new()));
    }

    #[test]
    fn a_removed_file_is_unknown_until_it_comes_back() {
        let mut host = AnalysisHost::new();
        let mut set = |text: Option<&str>| {
            host.apply_change(Change {
                files: vec![(FileId(3), text.map(|it| Arc::new(FileContents::new(it))))],
                config: None,
            });
            host.analysis().syntax_tree(FileId(3), None).unwrap().len()
        };
        let first = set(Some(".version 8.5"));
        assert_ne!(first, 0);
        assert_eq!(set(None), 0);
        assert_eq!(set(None), 0);
        assert_eq!(set(Some(".version 8.5")), first);
    }

    #[test]
    fn cancellation_is_told_apart_from_panics() {
        let host = AnalysisHost::new();
        let analysis = host.analysis();
        analysis.cancellation_token().cancel();
        let answer = analysis.with(|db| db.unwind_if_revision_cancelled());
        assert_eq!(answer, Err(Cancelled::Requested));

        let panic = std::panic::catch_unwind(AssertUnwindSafe(|| {
            let _ = host.analysis().with(|_| panic!("of the question"));
        }));
        assert_eq!(
            panic.unwrap_err().downcast_ref::<&str>(),
            Some(&"of the question")
        );
    }

    /// Salsa calls it a panic when a write interrupts the thread that this one waits for.
    #[test]
    fn a_question_that_waits_for_an_interrupted_one_is_interrupted() {
        let host = AnalysisHost::new();
        let unwind = || std::panic::resume_unwind(Box::new(salsa::Cancelled::PropagatedPanic));
        let answer: Cancellable<()> = host.analysis().with(|_| unwind());
        assert_eq!(answer, Err(Cancelled::PendingWrite));
    }

    #[test]
    fn a_write_overtakes_a_question() {
        let mut host = AnalysisHost::new();
        let analysis = host.analysis();
        let question = std::thread::spawn(move || {
            analysis.with(|db| {
                loop {
                    db.unwind_if_revision_cancelled();
                    std::thread::yield_now();
                }
            })
        });
        host.apply_change(Change {
            files: vec![(FileId(0), Some(Arc::new(FileContents::new(""))))],
            config: None,
        });
        let answer: Cancellable<()> = question.join().unwrap();
        assert_eq!(answer, Err(Cancelled::PendingWrite));
    }
}
