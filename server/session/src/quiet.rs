//! Where somebody is writing: what is wrong there only because it is not finished waits until the edits
//! leave the statement, the file is saved, or no edit comes for a while.

use std::{
    hash::{Hash, Hasher},
    sync::{Mutex, PoisonError},
};

use analysis::{Diagnostic, FileId, Telling, Writing};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{
    TextSize,
    text::{LineTable, StableHasher},
};

/// The state thread says where edits end, after the analysis knows them; workers hold diagnostics back.
#[derive(Debug, Default)]
pub struct Quiet(Mutex<FxHashMap<FileId, Place>>);

/// The known facts about an open document.
#[derive(Debug, Default)]
struct Place {
    /// The end of the last edit, while somebody is writing there.
    offset: Option<TextSize>,
    /// Whether something was held back since.
    holds_back: bool,
    /// The diagnostics told before.
    told: Option<Known>,
    /// The diagnostics held back in the statement that was written: they are told when the edits are elsewhere.
    own: Known,
}

/// Diagnostics by code, message and line. Above an edit lines keep their numbers, and below it their distance from the
/// end of the text, so one is the same if either is.
#[derive(Debug, Default)]
struct Known(FxHashSet<u64>);

impl Known {
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
    fn with<T>(&self, act: impl FnOnce(&mut FxHashMap<FileId, Place>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// An edit of a document ended at a place.
    pub fn edited(&self, file: FileId, offset: TextSize) {
        self.with(|all| all.entry(file).or_default().offset = Some(offset));
    }

    /// Everything is told from now on. Returns whether something was held back.
    pub fn settle(&self, file: FileId) -> bool {
        self.with(|all| {
            all.get_mut(&file).is_some_and(|it| {
                it.offset = None;
                it.own = Known::default();
                std::mem::take(&mut it.holds_back)
            })
        })
    }

    /// A document was closed.
    pub fn forget(&self, file: FileId) {
        self.with(|all| all.remove(&file));
    }

    /// Where somebody is writing.
    pub fn offset(&self, file: FileId) -> Option<TextSize> {
        self.with(|all| all.get(&file)?.offset)
    }

    /// Takes out of the diagnostics of a document what is not to be told yet. `writing` is the statement at
    /// the place that was asked for before.
    pub fn hold_back(
        &self,
        file: FileId,
        at: Option<(TextSize, Writing)>,
        lines: &LineTable,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        self.with(|all| {
            let place = all.entry(file).or_default();
            let at = at.filter(|(offset, _)| place.offset == Some(*offset));
            let Some((_, writing)) = at else {
                if place.offset.is_none() {
                    let told = place.told.insert(Known::default());
                    diagnostics.iter().for_each(|it| told.add(it, lines));
                }
                return;
            };
            let found = diagnostics.len();
            diagnostics.retain(|it| match writing.telling(it) {
                Telling::Now => true,
                Telling::IfKnown => {
                    let told = place.told.as_ref();
                    told.is_none_or(|told| told.has(it, lines)) || place.own.has(it, lines)
                }
                Telling::Later => {
                    place.own.add(it, lines);
                    false
                }
            });
            place.holds_back |= diagnostics.len() < found;
            let told = place.told.get_or_insert_default();
            diagnostics.iter().for_each(|it| told.add(it, lines));
        });
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
        }
    }

    fn told(quiet: &Quiet, finished: bool, all: &[(u32, &str)]) -> Vec<String> {
        told_at(quiet, writing(finished), all)
    }

    fn told_at(quiet: &Quiet, writing: Writing, all: &[(u32, &str)]) -> Vec<String> {
        let mut found: Vec<_> = all.iter().map(|it| wrong(it.0, it.1)).collect();
        let at = quiet.offset(FILE).map(|it| (it, writing));
        quiet.hold_back(FILE, at, &LineTable::new(TEXT), &mut found);
        found.into_iter().map(|it| it.message).collect()
    }

    #[test]
    fn an_unfinished_statement_waits_and_its_consequences_do() {
        let quiet = Quiet::default();
        assert_eq!(told(&quiet, false, &[(30, "old")]), ["old"]);
        quiet.edited(FILE, 20.into());
        let all = [(12, "own"), (31, "old"), (40, "new")];
        assert_eq!(told(&quiet, false, &all), ["old"]);
        assert!(quiet.settle(FILE) && !quiet.settle(FILE));
        assert_eq!(told(&quiet, false, &all), ["own", "old", "new"]);
        // Now the consequence is known, and stays.
        quiet.edited(FILE, 20.into());
        assert_eq!(told(&quiet, false, &all), ["old", "new"]);
        quiet.forget(FILE);
        assert!(!quiet.settle(FILE));
    }

    #[test]
    fn the_same_message_elsewhere_is_a_consequence() {
        let quiet = Quiet::default();
        assert_eq!(told(&quiet, false, &[]), [""; 0]);
        quiet.edited(FILE, 20.into());
        assert_eq!(told(&quiet, false, &[(12, "expected `;`")]), [""; 0]);
        assert_eq!(told(&quiet, false, &[(31, "expected `;`")]), [""; 0]);
        assert!(quiet.settle(FILE));
        assert_eq!(
            told(&quiet, false, &[(31, "expected `;`")]),
            ["expected `;`"]
        );
    }

    #[test]
    fn of_a_finished_statement_only_the_word_at_the_caret_waits() {
        let quiet = Quiet::default();
        quiet.edited(FILE, 20.into());
        let all = [(12, "own"), (16, "word"), (40, "new")];
        assert_eq!(told(&quiet, true, &all), ["own", "new"]);
    }

    #[test]
    fn a_statement_that_is_left_is_told() {
        let quiet = Quiet::default();
        assert_eq!(told(&quiet, false, &[]), [""; 0]);
        quiet.edited(FILE, 20.into());
        assert_eq!(told(&quiet, false, &[(12, "own"), (40, "new")]), [""; 0]);
        // The next statement is not finished either.
        let next = Writing {
            statement: TextRange::new(30.into(), 39.into()),
            word: TextRange::empty(39.into()),
            finished: false,
        };
        let all = [(12, "own"), (32, "next"), (40, "new")];
        assert_eq!(told_at(&quiet, next, &all), ["own"]);
    }

    #[test]
    fn an_answer_about_an_older_edit_holds_nothing_back() {
        let quiet = Quiet::default();
        quiet.edited(FILE, 20.into());
        let at = Some((19.into(), writing(false)));
        let mut found = vec![wrong(12, "own")];
        quiet.hold_back(FILE, at, &LineTable::new(TEXT), &mut found);
        assert_eq!(found.len(), 1);
    }
}
