//! The last diagnostics of long documents, so that a change can be
//! answered before all is looked at again.

use std::sync::{Arc, Mutex, PoisonError};

use analysis::{Diagnostic, Earlier, FileId, Replacement};
use rustc_hash::FxHashMap;

/// Most changes that are remembered; more come from programs, not from typing.
const MAX_EDITS: usize = 64;
/// In shorter texts, in bytes, no function is so long that all is not found as fast.
pub const LONG_TEXT: u32 = 32 << 10;

/// The state thread puts in what changes, after the analysis knows it and so while no worker holds a snapshot;
/// workers put in what they find. So a [`Stamp`] that a worker takes is that of its snapshot.
#[derive(Debug, Default)]
pub struct KnownDiagnostics(Mutex<FxHashMap<FileId, Known>>);

/// How many changes of a document there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp(u64);

#[derive(Debug, Default)]
struct Known {
    now: Stamp,
    /// Those of an older text, or of this one.
    diagnostics: Option<Arc<[Diagnostic]>>,
    /// Whether these are all that were found, and not only what was known at once.
    all: bool,
    /// The changes of the text since.
    edits: Vec<Replacement>,
    /// Fingerprint of what the client was told before all was found.
    owed: Option<u64>,
}

impl Known {
    /// Whether all is known of the text as it is.
    fn is_settled(&self) -> bool {
        self.all && self.diagnostics.is_some() && self.edits.is_empty()
    }
}

impl KnownDiagnostics {
    fn with<T>(&self, act: impl FnOnce(&mut FxHashMap<FileId, Known>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A document has changed, in a way that may be known.
    pub fn changed(&self, file: FileId, edits: Option<Vec<Replacement>>) {
        self.with(|all| {
            let known = all.entry(file).or_default();
            known.now.0 += 1;
            match edits {
                Some(edits) if known.edits.len() + edits.len() <= MAX_EDITS => {
                    known.edits.extend(edits);
                }
                _ => known.diagnostics = None,
            }
        });
    }

    /// A document was closed.
    pub fn forget(&self, file: FileId) {
        self.with(|all| all.remove(&file));
    }

    /// Old knowledge of a document is not a start for what comes next.
    pub fn lose(&self, file: FileId) {
        self.with(|all| {
            if let Some(known) = all.get_mut(&file) {
                known.diagnostics = None;
            }
        });
    }

    /// Nothing that is known holds any more, as after a change of settings.
    pub fn clear(&self) {
        self.with(|all| all.values_mut().for_each(|it| it.diagnostics = None));
    }

    /// That of the snapshot of the worker that asks.
    pub fn stamp(&self, file: FileId) -> Stamp {
        self.with(|all| all.get(&file).map(|it| it.now).unwrap_or_default())
    }

    /// Diagnostics of an open document were found: all of them, or what is known at once.
    pub fn found(&self, file: FileId, stamp: Stamp, diagnostics: Arc<[Diagnostic]>, are_all: bool) {
        self.with(|all| {
            let known = all.get_mut(&file).filter(|it| it.now == stamp);
            if let Some(known) = known.filter(|it| are_all || !it.is_settled()) {
                known.diagnostics = Some(diagnostics);
                known.all = are_all;
                known.edits.clear();
            }
        });
    }

    /// The diagnostics of an older text, and the changes since.
    pub fn before(&self, file: FileId) -> Option<Earlier> {
        self.with(|all| {
            let known = all.get(&file).filter(|it| !it.edits.is_empty())?;
            Some(Earlier {
                diagnostics: Arc::clone(known.diagnostics.as_ref()?),
                edits: known.edits.clone(),
            })
        })
    }

    /// Whether all is not known yet of a text about which something was known.
    pub fn is_behind(&self, file: FileId) -> bool {
        self.with(|all| {
            let known = all.get(&file);
            known.is_some_and(|it| it.diagnostics.is_some() && !it.is_settled())
        })
    }

    /// A client is told something before all is found. `false` if all has been found by now.
    pub fn owe(&self, file: FileId, fingerprint: u64) -> bool {
        self.with(|all| {
            let known = all.get_mut(&file).filter(|it| !it.is_settled());
            known.map(|it| it.owed = Some(fingerprint)).is_some()
        })
    }

    /// The diagnostics that a client was told before all was found, once.
    pub fn take_owed(&self, file: FileId) -> Option<u64> {
        self.with(|all| all.get_mut(&file)?.owed.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: FileId = FileId(3);

    fn edit() -> Option<Vec<Replacement>> {
        Some(vec![Replacement {
            range: syntax::TextRange::empty(7.into()),
            len: 1.into(),
        }])
    }

    #[test]
    fn edits_are_counted_from_what_is_known() {
        let known = KnownDiagnostics::default();
        assert!(known.before(FILE).is_none());
        known.changed(FILE, edit());
        // All of a text before the last change.
        let stamp = known.stamp(FILE);
        known.changed(FILE, edit());
        known.found(FILE, stamp, [].into(), true);
        assert!(known.before(FILE).is_none());

        known.found(FILE, known.stamp(FILE), [].into(), true);
        assert!(known.before(FILE).is_none() && !known.is_behind(FILE));
        known.changed(FILE, edit());
        known.changed(FILE, edit());
        assert_eq!(known.before(FILE).expect("it is known").edits.len(), 2);
        assert!(known.is_behind(FILE));
        // What is known at once is a start for the next change, but not all.
        known.found(FILE, known.stamp(FILE), [].into(), false);
        assert!(known.before(FILE).is_none() && known.is_behind(FILE));
        known.changed(FILE, edit());
        assert_eq!(known.before(FILE).expect("it is known").edits.len(), 1);
        // A change of unknown extent, and then a known one.
        known.changed(FILE, None);
        known.changed(FILE, edit());
        assert!(known.before(FILE).is_none());
        known.found(FILE, known.stamp(FILE), [].into(), true);
        for _ in 0..MAX_EDITS {
            known.changed(FILE, edit());
        }
        assert!(known.before(FILE).is_some());
        known.changed(FILE, edit());
        assert!(known.before(FILE).is_none());
        known.found(FILE, known.stamp(FILE), [].into(), true);
        known.changed(FILE, edit());
        known.clear();
        assert!(known.before(FILE).is_none());
        known.found(FILE, known.stamp(FILE), [].into(), true);
        known.changed(FILE, edit());
        known.lose(FILE);
        assert!(known.before(FILE).is_none() && !known.is_behind(FILE));
    }

    #[test]
    fn what_is_owed_is_taken_once() {
        let known = KnownDiagnostics::default();
        known.changed(FILE, None);
        assert!(known.owe(FILE, 5));
        assert_eq!(known.take_owed(FILE), Some(5));
        known.found(FILE, known.stamp(FILE), [].into(), true);
        assert!(!known.owe(FILE, 5));
        known.changed(FILE, edit());
        assert!(known.owe(FILE, 5));
        assert_eq!(known.take_owed(FILE), Some(5));
        assert_eq!(known.take_owed(FILE), None);
    }
}
