//! The files that the analysis was told about, and their names in the client.

use std::{path::PathBuf, sync::Arc};

use analysis::FileId;
use rustc_hash::FxHashMap;

use crate::{host::Host, lsp::lsp_types::Url};

/// Numbers files, forever: the analysis never forgets a number either.
#[derive(Debug)]
pub struct FileTable {
    host: Arc<dyn Host>,
    ids: FxHashMap<Key, FileId>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    uri: Url,
    /// Version of the open document.
    version: Option<i32>,
}

/// The identity of the file that two names may share.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Path(PathBuf),
    Uri(Url),
}

impl FileTable {
    /// A table without files.
    pub(crate) fn new(host: Arc<dyn Host>) -> FileTable {
        FileTable {
            host,
            ids: FxHashMap::default(),
            entries: Vec::new(),
        }
    }

    fn key(&self, uri: &Url) -> Key {
        match self.host.path_of(uri) {
            Some(path) => Key::Path(path),
            None => Key::Uri(uri.clone()),
        }
    }

    /// The number of a file that was named before.
    pub fn get(&self, uri: &Url) -> Option<FileId> {
        self.ids.get(&self.key(uri)).copied()
    }

    /// The number of a file, a new one if need be.
    pub fn intern(&mut self, uri: &Url) -> FileId {
        let key = self.key(uri);
        *self.ids.entry(key).or_insert_with(|| {
            // 2^32 files do not fit into memory.
            let file = FileId(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
            self.entries.push(Entry {
                uri: uri.clone(),
                version: None,
            });
            file
        })
    }

    /// The name of a file, in the spelling of the client if it has the file open.
    pub fn uri(&self, file: FileId) -> Option<&Url> {
        self.entries.get(file.0 as usize).map(|it| &it.uri)
    }

    /// Every file that was ever named, and its name.
    pub fn all(&self) -> Vec<(FileId, Url)> {
        let entries = (0..).map(FileId).zip(&self.entries);
        entries.map(|(file, it)| (file, it.uri.clone())).collect()
    }

    /// Version of a document that is open.
    pub fn version(&self, file: FileId) -> Option<i32> {
        self.entries.get(file.0 as usize)?.version
    }

    /// Notes that the client opened the document under this name, or changed it.
    pub fn opened(&mut self, file: FileId, uri: &Url, version: i32) {
        if let Some(entry) = self.entries.get_mut(file.0 as usize) {
            if entry.uri != *uri {
                entry.uri = uri.clone();
            }
            entry.version = Some(version);
        }
    }

    /// Notes that the client closed the document.
    pub fn closed(&mut self, file: FileId) {
        if let Some(entry) = self.entries.get_mut(file.0 as usize) {
            entry.version = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine that takes no heed of case.
    #[derive(Debug)]
    struct CaseBlind;

    impl Host for CaseBlind {
        fn path_of(&self, uri: &Url) -> Option<PathBuf> {
            (uri.scheme() == "file").then(|| uri.path().to_lowercase().into())
        }
    }

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URI")
    }

    #[test]
    fn names_of_one_path_are_one_file() {
        let mut table = FileTable::new(Arc::new(CaseBlind));
        let file = table.intern(&url("file:///a/b.ptx"));
        assert_eq!(table.get(&url("file:///A/b.ptx")), Some(file));
        assert_eq!(table.get(&url("file:///a/d.ptx")), None);
        let other = table.intern(&url("untitled:Untitled-1"));
        assert_ne!(file, other);
        assert_eq!(table.get(&url("untitled:untitled-1")), None);
        table.opened(file, &url("file:///A/b.ptx"), 4);
        assert_eq!(table.version(file), Some(4));
        assert_eq!(table.uri(file).map(Url::as_str), Some("file:///A/b.ptx"));
        table.closed(file);
        assert_eq!(table.version(file), None);
    }
}
