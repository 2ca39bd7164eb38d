//! The last diagnostics of long documents, from which a change is answered before the whole text is checked again.

use std::sync::{Arc, Mutex, PoisonError};

use analysis::{Diagnostic, Earlier, FileId, Replacement};
use rustc_hash::FxHashMap;

/// Edits since the last diagnostics that are kept; more come from programs, not from typing.
const MAX_EDITS: usize = 64;
/// Files shorter than this, in bytes, are diagnosed in full at once.
pub const LONG_TEXT: u32 = 32 << 10;

/// The last diagnostics of each long document, and the edits since.
///
/// The state thread records edits after it has written them to the analysis, while no worker holds a snapshot; workers
/// store diagnostics. So a worker that reads a [`Revision`] reads the one of its snapshot.
#[derive(Debug, Default)]
pub struct DiagnosticsCache(Mutex<FxHashMap<FileId, CachedDiagnostics>>);

/// The number of edits of a document so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(u64);

#[derive(Debug, Default)]
struct CachedDiagnostics {
    revision: Revision,
    /// Found for this text, or for one before `edits`.
    diagnostics: Option<Arc<[Diagnostic]>>,
    /// Whether they are complete, and not provisional.
    complete: bool,
    /// The edits since.
    edits: Vec<Replacement>,
    /// Fingerprint of the provisional diagnostics that the client has.
    provisional: Option<u64>,
}

impl CachedDiagnostics {
    /// Whether the complete diagnostics of the current text are known.
    fn is_settled(&self) -> bool {
        self.complete && self.diagnostics.is_some() && self.edits.is_empty()
    }
}

impl DiagnosticsCache {
    fn with<T>(&self, act: impl FnOnce(&mut FxHashMap<FileId, CachedDiagnostics>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Records an edit of a document; `None` if its extent is unknown.
    pub fn changed(&self, file: FileId, edits: Option<Vec<Replacement>>) {
        self.with(|all| {
            let known = all.entry(file).or_default();
            known.revision.0 += 1;
            match edits {
                Some(edits) if known.edits.len() + edits.len() <= MAX_EDITS => {
                    known.edits.extend(edits);
                }
                _ => known.diagnostics = None,
            }
        });
    }

    /// Drops all about a document that was closed.
    pub fn forget(&self, file: FileId) {
        self.with(|all| all.remove(&file));
    }

    /// Drops the diagnostics of a document: provisional ones may not be derived from them.
    pub fn invalidate(&self, file: FileId) {
        self.with(|all| {
            if let Some(known) = all.get_mut(&file) {
                known.diagnostics = None;
            }
        });
    }

    /// Drops all diagnostics, as after a change of settings.
    pub fn clear(&self) {
        self.with(|all| all.values_mut().for_each(|it| it.diagnostics = None));
    }

    /// The current revision of a document; for a worker, the revision of its snapshot.
    pub fn revision(&self, file: FileId) -> Revision {
        self.with(|all| all.get(&file).map(|it| it.revision).unwrap_or_default())
    }

    /// Stores the diagnostics of a revision, complete or provisional ones, unless the document has changed since.
    pub fn store(
        &self,
        file: FileId,
        revision: Revision,
        diagnostics: Arc<[Diagnostic]>,
        complete: bool,
    ) {
        self.with(|all| {
            let known = all.get_mut(&file).filter(|it| it.revision == revision);
            if let Some(known) = known.filter(|it| complete || !it.is_settled()) {
                known.diagnostics = Some(diagnostics);
                known.complete = complete;
                known.edits.clear();
            }
        });
    }

    /// The diagnostics of an older text and the edits since; `None` without edits.
    pub fn earlier(&self, file: FileId) -> Option<Earlier> {
        self.with(|all| {
            let known = all.get(&file).filter(|it| !it.edits.is_empty())?;
            Some(Earlier {
                diagnostics: Arc::clone(known.diagnostics.as_ref()?),
                edits: known.edits.clone(),
            })
        })
    }

    /// Whether a document has diagnostics that are not the complete ones of its current text.
    pub fn is_outdated(&self, file: FileId) -> bool {
        self.with(|all| {
            let known = all.get(&file);
            known.is_some_and(|it| it.diagnostics.is_some() && !it.is_settled())
        })
    }

    /// Notes the fingerprint of provisional diagnostics for the client; `false` if the complete ones are known by now.
    pub fn set_provisional(&self, file: FileId, fingerprint: u64) -> bool {
        self.with(|all| {
            let known = all.get_mut(&file).filter(|it| !it.is_settled());
            known.map(|it| it.provisional = Some(fingerprint)).is_some()
        })
    }

    /// Takes the fingerprint of the provisional diagnostics that the client has, once.
    pub fn take_provisional(&self, file: FileId) -> Option<u64> {
        self.with(|all| all.get_mut(&file)?.provisional.take())
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
    fn edits_are_counted_since_the_stored_diagnostics() {
        let known = DiagnosticsCache::default();
        assert!(known.earlier(FILE).is_none());
        known.changed(FILE, edit());
        // All of a text before the last change.
        let revision = known.revision(FILE);
        known.changed(FILE, edit());
        known.store(FILE, revision, [].into(), true);
        assert!(known.earlier(FILE).is_none());

        known.store(FILE, known.revision(FILE), [].into(), true);
        assert!(known.earlier(FILE).is_none() && !known.is_outdated(FILE));
        known.changed(FILE, edit());
        known.changed(FILE, edit());
        assert_eq!(known.earlier(FILE).expect("it is known").edits.len(), 2);
        assert!(known.is_outdated(FILE));
        // What is known at once is a start for the next change, but not all.
        known.store(FILE, known.revision(FILE), [].into(), false);
        assert!(known.earlier(FILE).is_none() && known.is_outdated(FILE));
        known.changed(FILE, edit());
        assert_eq!(known.earlier(FILE).expect("it is known").edits.len(), 1);
        // A change of unknown extent, and then a known one.
        known.changed(FILE, None);
        known.changed(FILE, edit());
        assert!(known.earlier(FILE).is_none());
        known.store(FILE, known.revision(FILE), [].into(), true);
        for _ in 0..MAX_EDITS {
            known.changed(FILE, edit());
        }
        assert!(known.earlier(FILE).is_some());
        known.changed(FILE, edit());
        assert!(known.earlier(FILE).is_none());
        known.store(FILE, known.revision(FILE), [].into(), true);
        known.changed(FILE, edit());
        known.clear();
        assert!(known.earlier(FILE).is_none());
        known.store(FILE, known.revision(FILE), [].into(), true);
        known.changed(FILE, edit());
        known.invalidate(FILE);
        assert!(known.earlier(FILE).is_none() && !known.is_outdated(FILE));
    }

    #[test]
    fn provisional_fingerprints_are_taken_once() {
        let known = DiagnosticsCache::default();
        known.changed(FILE, None);
        assert!(known.set_provisional(FILE, 5));
        assert_eq!(known.take_provisional(FILE), Some(5));
        known.store(FILE, known.revision(FILE), [].into(), true);
        assert!(!known.set_provisional(FILE, 5));
        known.changed(FILE, edit());
        assert!(known.set_provisional(FILE, 5));
        assert_eq!(known.take_provisional(FILE), Some(5));
        assert_eq!(known.take_provisional(FILE), None);
    }
}
