//! The salsa database and its inputs.

use std::sync::Arc;

use salsa::Durability;

use crate::{AnalysisConfig, FileContents, FileId};

/// One file, for as long as the database lives: closing and opening it again changes its contents.
#[salsa::input(debug)]
pub(crate) struct SourceFile {
    /// The name by which users of the crate know the file.
    #[returns(copy)]
    pub(crate) id: FileId,
    /// Tree, errors and lines, in one field, so that an edit is one change.
    #[returns(clone)]
    pub(crate) contents: Arc<FileContents>,
}

/// Everything that is not text.
#[salsa::input(singleton)]
pub(crate) struct Workspace {
    /// The files that exist, sorted by their ids.
    #[returns(deref)]
    pub(crate) files: Vec<SourceFile>,
    /// Settings.
    #[returns(ref)]
    pub(crate) config: AnalysisConfig,
}

/// The input of a file that exists.
pub(crate) fn find_file(db: &dyn salsa::Database, file: FileId) -> Option<SourceFile> {
    let files = Workspace::get(db).files(db);
    let index = files.binary_search_by_key(&file, |it| it.id(db)).ok()?;
    files.get(index).copied()
}

/// The database; a clone is another handle to the same data.
#[salsa::db]
#[derive(Clone)]
pub(crate) struct Database {
    storage: salsa::Storage<Self>,
}

#[salsa::db]
impl salsa::Database for Database {}

/// Receives what salsa does; only tests listen.
pub(crate) type EventCallback = Box<dyn Fn(salsa::Event) + Send + Sync + 'static>;

impl Database {
    /// A database without files.
    pub(crate) fn new(events: Option<EventCallback>) -> Database {
        let db = Database {
            storage: salsa::Storage::new(events),
        };
        let _ = Workspace::builder(Vec::new(), AnalysisConfig::default())
            .durability(Durability::MEDIUM)
            .new(&db);
        db
    }
}
