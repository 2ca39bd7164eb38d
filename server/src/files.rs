//! The files that the analysis was told about, and their names in the client.

use std::path::{Path, PathBuf};

use analysis::FileId;
use rustc_hash::FxHashMap;

use crate::lsp::lsp_types::Url;

/// Numbers files, for ever: the analysis never forgets a number either.
#[derive(Debug, Default)]
pub(crate) struct FileTable {
    ids: FxHashMap<Key, FileId>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    uri: Url,
    /// Version of the open document.
    version: Option<i32>,
}

/// What makes two names name the same file.
///
/// Clients spell the same path in several ways (escapes, case of a drive letter), hence the path.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Path(PathBuf),
    Uri(Url),
}

impl FileTable {
    /// The number of a file that was named before.
    pub(crate) fn get(&self, uri: &Url) -> Option<FileId> {
        self.ids.get(&key(uri)).copied()
    }

    /// The number of a file, a new one if need be.
    pub(crate) fn intern(&mut self, uri: &Url) -> FileId {
        *self.ids.entry(key(uri)).or_insert_with(|| {
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
    pub(crate) fn uri(&self, file: FileId) -> Option<&Url> {
        self.entries.get(file.0 as usize).map(|it| &it.uri)
    }

    /// Every file that was ever named, and its name.
    pub(crate) fn all(&self) -> Vec<(FileId, Url)> {
        let entries = (0..).map(FileId).zip(&self.entries);
        entries.map(|(file, it)| (file, it.uri.clone())).collect()
    }

    /// Version of a document that is open.
    pub(crate) fn version(&self, file: FileId) -> Option<i32> {
        self.entries.get(file.0 as usize)?.version
    }

    /// Notes that the client opened the document under this name, or changed it.
    pub(crate) fn opened(&mut self, file: FileId, uri: &Url, version: i32) {
        if let Some(entry) = self.entries.get_mut(file.0 as usize) {
            if entry.uri != *uri {
                entry.uri = uri.clone();
            }
            entry.version = Some(version);
        }
    }

    /// Notes that the client closed the document.
    pub(crate) fn closed(&mut self, file: FileId) {
        if let Some(entry) = self.entries.get_mut(file.0 as usize) {
            entry.version = None;
        }
    }
}

fn key(uri: &Url) -> Key {
    match path_of(uri) {
        Some(path) => Key::Path(path),
        None => Key::Uri(uri.clone()),
    }
}

/// The path of a `file` URI.
pub(crate) fn path_of(uri: &Url) -> Option<PathBuf> {
    if uri.scheme() != "file" {
        return None;
    }
    let path = uri.to_file_path().ok()?;
    if cfg!(windows)
        && let Some(text) = path.to_str()
        && text.as_bytes().get(1) == Some(&b':')
    {
        let (drive, rest) = text.split_at(1);
        return Some(PathBuf::from(drive.to_ascii_uppercase() + rest));
    }
    Some(path)
}

/// Whether a path looks like a PTX module.
pub(crate) fn is_ptx(path: &Path) -> bool {
    path.extension()
        .is_some_and(|it| it.eq_ignore_ascii_case("ptx"))
}

/// The text of a file of unknown encoding, and whether it is what the file says.
///
/// PTX is ASCII outside of comments, so each byte that is no UTF-8 becomes one control character:
/// offsets stay those of the file.
pub(crate) fn decode(bytes: Vec<u8>) -> (String, bool) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, true),
        Err(error) => {
            let mut text = String::with_capacity(error.as_bytes().len());
            for chunk in error.as_bytes().utf8_chunks() {
                text.push_str(chunk.valid());
                text.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
            }
            (text, false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URI")
    }

    #[cfg(unix)]
    #[test]
    fn spellings_of_a_path_are_one_file() {
        let mut table = FileTable::default();
        let file = table.intern(&url("file:///a/b%20c.ptx"));
        assert_eq!(table.get(&url("file:///a/%62 c.ptx")), Some(file));
        assert_eq!(table.get(&url("file:///a/d.ptx")), None);
        let other = table.intern(&url("untitled:Untitled-1"));
        assert_ne!(file, other);
        table.opened(file, &url("file:///a/%62%20c.ptx"), 4);
        assert_eq!(table.version(file), Some(4));
        assert_eq!(
            table.uri(file).map(Url::as_str),
            Some("file:///a/%62%20c.ptx")
        );
        table.closed(file);
        assert_eq!(table.version(file), None);
    }

    #[test]
    fn bytes_that_are_no_text_keep_their_number() {
        let bytes = b"a\xff\xc3b\xe2\x82";
        let (text, exact) = decode(bytes.to_vec());
        assert_eq!((text.len(), exact), (bytes.len(), false));
        assert_eq!(text, "a\u{1a}\u{1a}b\u{1a}\u{1a}");
        assert_eq!(decode("ä".into()), ("ä".to_owned(), true));
    }
}
