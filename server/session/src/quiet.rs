//! Where somebody is writing: what is wrong there only because it is not finished waits until the edits
//! leave the statement, the file is saved, or no edit comes for a while.

use std::{
    hash::{Hash, Hasher},
    sync::{Mutex, PoisonError},
};

use analysis::{Diagnostic, FileId, Telling, Writing};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{TextSize, text::StableHasher};

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
    /// The diagnostics told before, by code and message: places change while somebody writes.
    told: Option<FxHashSet<u64>>,
    /// The diagnostics held back in the statement that was written, in the same way: they are told when the edits are elsewhere.
    own: FxHashSet<u64>,
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
                it.own.clear();
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
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        self.with(|all| {
            let place = all.entry(file).or_default();
            let at = at.filter(|(offset, _)| place.offset == Some(*offset));
            let Some((_, writing)) = at else {
                if place.offset.is_none() {
                    place.told = Some(diagnostics.iter().map(fingerprint).collect());
                }
                return;
            };
            let found = diagnostics.len();
            diagnostics.retain(|it| match writing.telling(it) {
                Telling::Now => true,
                Telling::IfKnown => {
                    let (told, it) = (place.told.as_ref(), fingerprint(it));
                    told.is_none_or(|told| told.contains(&it)) || place.own.contains(&it)
                }
                Telling::Later => {
                    place.own.insert(fingerprint(it));
                    false
                }
            });
            place.holds_back |= diagnostics.len() < found;
            let told = place.told.get_or_insert_default();
            told.extend(diagnostics.iter().map(fingerprint));
        });
    }
}

fn fingerprint(diagnostic: &Diagnostic) -> u64 {
    let mut hasher = StableHasher::default();
    (diagnostic.code, &diagnostic.message).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use analysis::Severity;
    use syntax::TextRange;

    use super::*;

    const FILE: FileId = FileId(7);

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
        let mut found: Vec<_> = all.iter().map(|it| wrong(it.0, it.1)).collect();
        let at = quiet.offset(FILE).map(|it| (it, writing(finished)));
        quiet.hold_back(FILE, at, &mut found);
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
        assert_eq!(
            told(&quiet, false, &[(30, "own"), (12, "next"), (40, "new")]),
            ["own"]
        );
    }

    #[test]
    fn an_answer_about_an_older_edit_holds_nothing_back() {
        let quiet = Quiet::default();
        quiet.edited(FILE, 20.into());
        let at = Some((19.into(), writing(false)));
        let mut found = vec![wrong(12, "own")];
        quiet.hold_back(FILE, at, &mut found);
        assert_eq!(found.len(), 1);
    }
}
