//! The one writer.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use salsa::Setter as _;
use syntax::FileContents;

use crate::{
    AnalysisConfig, FileId,
    db::{Database, EventCallback, SourceFile, Workspace},
};

/// The changes since the last one; all of them become visible at once.
#[derive(Debug, Default)]
pub struct Change {
    /// New contents of files, in the order in which they came; `None` removes a file.
    pub files: Vec<(FileId, Option<Arc<FileContents>>)>,
    /// New settings.
    pub config: Option<AnalysisConfig>,
}

/// The owner of the state: the one writer.
pub struct AnalysisHost {
    pub(super) db: Database,
    /// Every file that ever existed: salsa never frees an input, so it is used again.
    inputs: FxHashMap<FileId, SourceFile>,
}

impl Default for AnalysisHost {
    fn default() -> AnalysisHost {
        AnalysisHost::new()
    }
}

impl AnalysisHost {
    /// A host without files.
    #[must_use]
    pub fn new() -> AnalysisHost {
        AnalysisHost::with_events(None)
    }

    /// A host with one file, such as for a command.
    #[must_use]
    pub fn with_file(
        file: FileId,
        contents: Arc<FileContents>,
        config: Option<AnalysisConfig>,
    ) -> AnalysisHost {
        let mut host = AnalysisHost::new();
        let files = vec![(file, Some(contents))];
        host.apply_change(Change { files, config });
        host
    }

    /// A host that reports what salsa does.
    pub(crate) fn with_events(events: Option<EventCallback>) -> AnalysisHost {
        AnalysisHost {
            db: Database::new(events),
            inputs: FxHashMap::default(),
        }
    }

    /// Applies a change. Blocks until every [`Analysis`](crate::Analysis) is dropped; those that are computing are
    /// cancelled. A thread that holds an `Analysis` itself must not call this.
    pub fn apply_change(&mut self, change: Change) {
        let db = &mut self.db;
        let workspace = Workspace::get(db);
        let mut files = None;
        for (id, contents) in change.files {
            match (self.inputs.get(&id).copied(), contents) {
                (Some(file), Some(contents)) => {
                    file.set_contents(db).to(contents);
                    add(
                        files.get_or_insert_with(|| workspace.files(db).to_vec()),
                        id,
                        file,
                        db,
                    );
                }
                (None, Some(contents)) => {
                    let file = SourceFile::new(db, id, contents);
                    self.inputs.insert(id, file);
                    add(
                        files.get_or_insert_with(|| workspace.files(db).to_vec()),
                        id,
                        file,
                        db,
                    );
                }
                (Some(file), None) => {
                    file.set_contents(db).to(Arc::new(FileContents::new("")));
                    files
                        .get_or_insert_with(|| workspace.files(db).to_vec())
                        .retain(|it| *it != file);
                }
                (None, None) => {}
            }
        }
        // A set counts as a change, equal or not.
        if let Some(files) = files
            && files != workspace.files(db)
        {
            workspace.set_files(db).to(files);
        }
        if let Some(config) = change.config
            && config != *workspace.config(db)
        {
            workspace.set_config(db).to(config);
        }
    }
}

/// Puts a file in its place in the list, unless it is there.
fn add(files: &mut Vec<SourceFile>, id: FileId, file: SourceFile, db: &Database) {
    if let Err(place) = files.binary_search_by_key(&id, |it| it.id(db)) {
        files.insert(place, file);
    }
}
