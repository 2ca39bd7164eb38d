//! Diagnostics that wait while a statement is written: those that it causes only because it is unfinished, until the
//! edits leave it, the file is saved, or no edit comes for a while.

use std::{
    hash::{Hash, Hasher},
    sync::{Mutex, PoisonError},
};

use analysis::{Diagnostic, DiagnosticTag, FileId, Telling, Writing};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{
    TextRange, TextSize,
    text::{LineTable, StableHasher},
};

/// The text that is being written in each open document, and the diagnostics that the client has of it.
///
/// The state thread records edits after it has written them to the analysis; workers filter diagnostics.
#[derive(Debug, Default)]
pub struct Quiet(Mutex<FxHashMap<FileId, DocumentState>>);

/// The writing position and the shown diagnostics of an open document.
#[derive(Debug, Default)]
struct DocumentState {
    /// The text that the last edit inserted, until the document settles.
    written: Option<TextRange>,
    /// Whether something was held back since.
    holds_back: bool,
    /// The diagnostics shown before.
    shown: Option<DiagnosticKeys>,
    /// The diagnostics held back in the statement that was written: they are shown when the edits are elsewhere.
    held_back: DiagnosticKeys,
    /// The diagnostics about text without use that were shown last.
    faded: Vec<Faded>,
}

/// A diagnostic about text without use, which clients fade. In a function with a syntax error none is found, so that
/// the text would flicker with each statement that is written.
#[derive(Debug)]
struct Faded {
    diagnostic: Diagnostic,
    start: LineAnchor,
    end: LineAnchor,
}

impl Faded {
    fn new(diagnostic: &Diagnostic, lines: &LineTable) -> Faded {
        let mut diagnostic = diagnostic.clone();
        // These would be of the text before the edits.
        diagnostic.fixes.clear();
        diagnostic.related.clear();
        Faded {
            start: LineAnchor::new(diagnostic.range.start(), lines),
            end: LineAnchor::new(diagnostic.range.end(), lines),
            diagnostic,
        }
    }

    /// The diagnostic after edits of a statement, unless it starts or ends in a line of the statement.
    fn after(&self, statement: TextRange, lines: &LineTable) -> Option<Diagnostic> {
        let start = self.start.after(statement, lines)?;
        let end = self.end.after(statement, lines)?;
        let mut diagnostic = self.diagnostic.clone();
        diagnostic.range = TextRange::new(start, end.max(start));
        Some(diagnostic)
    }
}

/// A position that edits of other lines move.
#[derive(Debug)]
struct LineAnchor {
    /// Its line, counted from the start and from the end of the text.
    line: [u32; 2],
    /// Its offset in the line, in UTF-8 bytes.
    column: TextSize,
}

impl LineAnchor {
    fn new(offset: TextSize, lines: &LineTable) -> LineAnchor {
        let line = lines.line_of(offset);
        LineAnchor {
            line: [line, lines.line_count() - line],
            column: offset - lines.line_start(line),
        }
    }

    /// The state after edits of a statement, unless its line is one of the statement or has become shorter.
    fn after(&self, statement: TextRange, lines: &LineTable) -> Option<TextSize> {
        let (first, last) = (
            lines.line_of(statement.start()),
            lines.line_of(statement.end()),
        );
        let [above, below] = self.line;
        let line = match lines.line_count().checked_sub(below) {
            _ if above < first => above,
            Some(line) if last < line => line,
            _ => return None,
        };
        let offset = lines.line_start(line) + self.column;
        (offset <= lines.line_end(line)).then_some(offset)
    }
}

/// Diagnostics by code, message and line. Above an edit lines keep their numbers, and below it their distance from the
/// end of the text, so one is the same if either is.
#[derive(Debug, Default)]
struct DiagnosticKeys(FxHashSet<u64>);

impl DiagnosticKeys {
    fn add(&mut self, diagnostic: &Diagnostic, lines: &LineTable) {
        self.0.extend(fingerprints(diagnostic, lines));
    }

    fn has(&self, diagnostic: &Diagnostic, lines: &LineTable) -> bool {
        let mut both = fingerprints(diagnostic, lines).into_iter();
        both.any(|it| self.0.contains(&it))
    }
}

fn fingerprints(diagnostic: &Diagnostic, lines: &LineTable) -> [u64; 2] {
    let line = lines.line_of(diagnostic.range.start());
    [(true, line), (false, lines.line_count() - line)].map(|place| {
        let mut hasher = StableHasher::default();
        (diagnostic.code, &diagnostic.message, place).hash(&mut hasher);
        hasher.finish()
    })
}

impl Quiet {
    fn with<T>(&self, act: impl FnOnce(&mut FxHashMap<FileId, DocumentState>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Records the text that an edit inserted; its end is the writing position.
    pub fn edited(&self, file: FileId, written: TextRange) {
        self.with(|all| all.entry(file).or_default().written = Some(written));
    }

    /// Ends the writing in a document, so that all is shown; returns whether something was held back.
    pub fn settle(&self, file: FileId) -> bool {
        self.with(|all| {
            all.get_mut(&file).is_some_and(|it| {
                it.written = None;
                it.held_back = DiagnosticKeys::default();
                std::mem::take(&mut it.holds_back)
            })
        })
    }

    /// Drops all about a document that was closed.
    pub fn forget(&self, file: FileId) {
        self.with(|all| all.remove(&file));
    }

    /// The writing position, if the document is being edited.
    pub fn offset(&self, file: FileId) -> Option<TextSize> {
        self.with(|all| Some(all.get(&file)?.written?.end()))
    }

    /// Removes the diagnostics of a document that are not to be shown yet. `at` is the writing position, as
    /// [`Self::offset`] returned it, and the statement there.
    pub fn hold_back(
        &self,
        file: FileId,
        at: Option<(TextSize, Writing)>,
        lines: &LineTable,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        self.with(|all| {
            let state = all.entry(file).or_default();
            let written = state.written;
            let at = at.filter(|(offset, _)| written.is_some_and(|it| it.end() == *offset));
            let (Some((_, writing)), Some(written)) = (at, written) else {
                if written.is_none() {
                    let shown = state.shown.insert(DiagnosticKeys::default());
                    diagnostics.iter().for_each(|it| shown.add(it, lines));
                    state.fade(diagnostics, lines);
                }
                return;
            };
            let found = diagnostics.len();
            // Statements pasted before the one at the cursor are complete.
            let pasted = |it: &Diagnostic| {
                written.start() <= it.range.start() && it.range.end() < writing.statement.start()
            };
            diagnostics.retain(|it| match writing.telling(it) {
                Telling::Now => true,
                Telling::IfKnown => {
                    let shown = state.shown.as_ref();
                    shown.is_none_or(|shown| shown.has(it, lines))
                        || state.held_back.has(it, lines)
                        || pasted(it)
                }
                Telling::Later => {
                    state.held_back.add(it, lines);
                    false
                }
            });
            state.holds_back |= diagnostics.len() < found;
            if !writing.finished || writing.inside {
                state.keep_faded(writing.statement, lines, diagnostics);
            }
            let shown = state.shown.get_or_insert_default();
            diagnostics.iter().for_each(|it| shown.add(it, lines));
            state.fade(diagnostics, lines);
        });
    }
}

impl DocumentState {
    /// Remembers what is shown of text without use.
    fn fade(&mut self, diagnostics: &[Diagnostic], lines: &LineTable) {
        let is_faded = |it: &&Diagnostic| it.tags.contains(&DiagnosticTag::Unnecessary);
        let faded = diagnostics.iter().filter(is_faded);
        self.faded = faded.map(|it| Faded::new(it, lines)).collect();
    }

    /// Adds what was shown of text without use and is not found while a statement is unfinished.
    fn keep_faded(
        &self,
        statement: TextRange,
        lines: &LineTable,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        if self.faded.is_empty() {
            return;
        }
        let mut found = DiagnosticKeys::default();
        diagnostics.iter().for_each(|it| found.add(it, lines));
        let faded = self
            .faded
            .iter()
            .filter_map(|it| it.after(statement, lines));
        diagnostics.extend(faded.filter(|it| !found.has(it, lines)));
        diagnostics.sort_by_key(|it| (it.range.start(), it.range.end()));
    }
}

#[cfg(test)]
mod tests {
    use analysis::Severity;
    use syntax::TextRange;

    use super::*;

    const FILE: FileId = FileId(7);
    /// Lines of ten bytes.
    const TEXT: &str = "123456789\n123456789\n123456789\n123456789\n123456789\n";

    fn wrong(start: u32, message: &str) -> Diagnostic {
        Diagnostic {
            range: TextRange::at(start.into(), 2.into()),
            severity: Severity::Error,
            code: "undefined-name",
            message: message.to_owned(),
            help: None,
            related: Vec::new(),
            tags: Vec::new(),
            fixes: Vec::new(),
        }
    }

    fn writing(finished: bool) -> Writing {
        Writing {
            statement: TextRange::new(10.into(), 20.into()),
            word: TextRange::new(16.into(), 20.into()),
            finished,
            inside: false,
            brace: TextRange::empty(20.into()),
        }
    }

    fn at(offset: u32) -> TextRange {
        TextRange::empty(offset.into())
    }

    fn shown(quiet: &Quiet, finished: bool, all: &[(u32, &str)]) -> Vec<String> {
        shown_at(quiet, writing(finished), all)
    }

    fn shown_at(quiet: &Quiet, writing: Writing, all: &[(u32, &str)]) -> Vec<String> {
        let mut found: Vec<_> = all.iter().map(|it| wrong(it.0, it.1)).collect();
        let at = quiet.offset(FILE).map(|it| (it, writing));
        quiet.hold_back(FILE, at, &LineTable::new(TEXT), &mut found);
        found.into_iter().map(|it| it.message).collect()
    }

    #[test]
    fn an_unfinished_statement_waits_and_its_consequences_do() {
        let quiet = Quiet::default();
        assert_eq!(shown(&quiet, false, &[(30, "old")]), ["old"]);
        quiet.edited(FILE, at(20));
        let all = [(12, "own"), (31, "old"), (40, "new")];
        assert_eq!(shown(&quiet, false, &all), ["old"]);
        assert!(quiet.settle(FILE) && !quiet.settle(FILE));
        assert_eq!(shown(&quiet, false, &all), ["own", "old", "new"]);
        // Now the consequence is known, and stays.
        quiet.edited(FILE, at(20));
        assert_eq!(shown(&quiet, false, &all), ["old", "new"]);
        quiet.forget(FILE);
        assert!(!quiet.settle(FILE));
    }

    #[test]
    fn the_same_message_elsewhere_is_a_consequence() {
        let quiet = Quiet::default();
        assert_eq!(shown(&quiet, false, &[]), [""; 0]);
        quiet.edited(FILE, at(20));
        assert_eq!(shown(&quiet, false, &[(12, "expected `;`")]), [""; 0]);
        assert_eq!(shown(&quiet, false, &[(31, "expected `;`")]), [""; 0]);
        assert!(quiet.settle(FILE));
        assert_eq!(
            shown(&quiet, false, &[(31, "expected `;`")]),
            ["expected `;`"]
        );
    }

    #[test]
    fn of_a_finished_statement_only_the_word_at_the_caret_waits() {
        let quiet = Quiet::default();
        quiet.edited(FILE, at(20));
        let all = [(12, "own"), (16, "word"), (40, "new")];
        assert_eq!(shown(&quiet, true, &all), ["own", "new"]);
    }

    #[test]
    fn inside_a_finished_statement_what_is_new_waits() {
        let quiet = Quiet::default();
        assert_eq!(shown(&quiet, true, &[(40, "old")]), ["old"]);
        quiet.edited(FILE, at(18));
        let inside = Writing {
            word: at(18),
            inside: true,
            ..writing(true)
        };
        let all = [(12, "own"), (17, "word"), (30, "consequence"), (40, "old")];
        assert_eq!(shown_at(&quiet, inside, &all), ["old"]);
    }

    #[test]
    fn what_is_pasted_before_the_statement_is_told() {
        let quiet = Quiet::default();
        assert_eq!(shown(&quiet, false, &[]), [""; 0]);
        quiet.edited(FILE, TextRange::new(2.into(), 20.into()));
        let all = [(0, "before"), (4, "pasted"), (12, "own")];
        assert_eq!(shown(&quiet, false, &all), ["pasted"]);
    }

    #[test]
    fn faded_text_stays_faded_while_a_statement_is_written() {
        let quiet = Quiet::default();
        let unused = |start: u32| Diagnostic {
            tags: vec![DiagnosticTag::Unnecessary],
            ..wrong(start, "unused")
        };
        let shown_in = |text: &str, found: &[Diagnostic], writing: Option<Writing>| {
            let mut found = found.to_vec();
            let at = writing.map(|it| (it.statement.end(), it));
            quiet.hold_back(FILE, at, &LineTable::new(text), &mut found);
            found
                .iter()
                .map(|it| u32::from(it.range.start()))
                .collect::<Vec<_>>()
        };
        // One begins before the statement and ends after it.
        let mut around = unused(5);
        around.message = "unreachable".to_owned();
        around.range = TextRange::new(5.into(), 35.into());
        let all = [unused(2), around, unused(12), unused(43)];
        assert_eq!(shown_in(TEXT, &all, None), [2, 5, 12, 43]);
        // Two bytes more in the second line, and nothing is found.
        let text = TEXT.replacen("123456789\n123456789", "123456789\nab123456789", 1);
        quiet.edited(FILE, TextRange::new(10.into(), 12.into()));
        let unfinished = Writing {
            statement: TextRange::new(10.into(), 12.into()),
            word: at(12),
            finished: false,
            inside: true,
            brace: at(12),
        };
        assert_eq!(shown_in(&text, &[], Some(unfinished)), [2, 5, 45]);
        assert_eq!(shown_in(&text, &[unused(2)], Some(unfinished)), [2, 5, 45]);
        quiet.settle(FILE);
        assert_eq!(shown_in(&text, &[], None), [0; 0]);
    }

    #[test]
    fn a_statement_that_is_left_is_told() {
        let quiet = Quiet::default();
        assert_eq!(shown(&quiet, false, &[]), [""; 0]);
        quiet.edited(FILE, at(20));
        assert_eq!(shown(&quiet, false, &[(12, "own"), (40, "new")]), [""; 0]);
        // The next statement is not finished either.
        let next = Writing {
            statement: TextRange::new(30.into(), 39.into()),
            word: TextRange::empty(39.into()),
            finished: false,
            inside: false,
            brace: at(39),
        };
        let all = [(12, "own"), (32, "next"), (40, "new")];
        assert_eq!(shown_at(&quiet, next, &all), ["own"]);
    }

    #[test]
    fn an_answer_about_an_older_edit_holds_nothing_back() {
        let quiet = Quiet::default();
        quiet.edited(FILE, at(20));
        let at = Some((19.into(), writing(false)));
        let mut found = vec![wrong(12, "own")];
        quiet.hold_back(FILE, at, &LineTable::new(TEXT), &mut found);
        assert_eq!(found.len(), 1);
    }
}
