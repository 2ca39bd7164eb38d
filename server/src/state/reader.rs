//! The thread that reads the files of the workspace. A disk that does not answer keeps this thread, and no worker.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

use analysis::FileId;
use rustc_hash::FxHashMap;
use session::config::Exclude;
use tracing::{error, warn};
use walkdir::{DirEntry, WalkDir};

use super::{Event, StateHandle};
use crate::files::{self, decode, is_ptx};

/// No workspace of PTX is larger; a home folder that was opened by mistake may be.
const MAX_FILES: usize = 20_000;
/// A larger file is read only when it is opened.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// The most bytes of text of all files: the trees of odd texts take twenty times as much memory.
pub(super) const MAX_TEXT: u64 = 128 << 20;
/// The most bytes that are read and wait to be parsed, unless it is one file.
const MAX_WAITING: u64 = MAX_FILE_BYTES;

/// How files are read, and how long that may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disk {
    pub(super) read: fn(&Path, u64) -> io::Result<Vec<u8>>,
    /// How long nothing may be read before the questions that wait for it are answered.
    pub(super) patience: Duration,
    /// The most bytes of text of all files.
    pub(super) text: u64,
}

impl Disk {
    /// The disk of this machine.
    pub(super) const REAL: Disk = Disk {
        read: files::read,
        patience: Duration::from_secs(10),
        text: MAX_TEXT,
    };
}

/// A task of the thread.
pub(super) enum ReadTask {
    Walk {
        /// Number of the walk; results of older ones are void.
        walk: u64,
        folders: Vec<PathBuf>,
        exclude: Exclude,
    },
    Read {
        file: FileId,
        /// Number of the attempt.
        load: u64,
        path: PathBuf,
    },
    /// A file has left the index.
    Forget(FileId),
}

/// Result of a walk through the folders.
pub(crate) struct WalkedFolders {
    pub(super) walk: u64,
    pub(super) paths: Vec<PathBuf>,
}

/// The text of a file.
pub(crate) struct Read {
    pub(super) file: FileId,
    pub(super) load: u64,
    pub(super) text: Result<String, Unread>,
    pub(super) reserved: ReservedBytes,
}

/// Why there is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    Failed,
    /// All files together have too much of it.
    TooMuch,
}

/// Starts the thread, which ends with the sender of its jobs.
pub(super) fn spawn(disk: Disk, events: StateHandle) -> mpsc::Sender<ReadTask> {
    let (sender, jobs) = mpsc::channel();
    let reader = Reader {
        disk,
        events,
        folders: Vec::new(),
        lengths: FxHashMap::default(),
        total: 0,
        waiting: Arc::default(),
    };
    let spawned = thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || reader.run(&jobs));
    if let Err(error) = spawned {
        error!(%error, "cannot start the thread that reads files");
    }
    sender
}

struct Reader {
    disk: Disk,
    events: StateHandle,
    /// The folders of the workspace.
    folders: Vec<PathBuf>,
    /// How many bytes each file of the index has.
    lengths: FxHashMap<FileId, u64>,
    /// Their sum.
    total: u64,
    waiting: Arc<Waiting>,
}

/// The bytes that are read and wait to be parsed.
#[derive(Default)]
struct Waiting {
    bytes: Mutex<u64>,
    fewer: Condvar,
}

/// A part of [`Waiting`], until it is dropped.
pub(crate) struct ReservedBytes {
    bytes: u64,
    waiting: Arc<Waiting>,
}

impl Waiting {
    /// Waits until there is room for `bytes`, and reserves it.
    fn reserve(self: &Arc<Self>, bytes: u64) -> ReservedBytes {
        let mut waiting = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        while *waiting > 0 && *waiting + bytes > MAX_WAITING {
            waiting = self
                .fewer
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *waiting += bytes;
        ReservedBytes {
            bytes,
            waiting: Arc::clone(self),
        }
    }
}

impl Drop for ReservedBytes {
    fn drop(&mut self) {
        let waiting = &self.waiting;
        *waiting.bytes.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        waiting.fewer.notify_one();
    }
}

impl Reader {
    fn run(mut self, jobs: &mpsc::Receiver<ReadTask>) {
        for job in jobs {
            match job {
                ReadTask::Walk {
                    walk,
                    folders,
                    exclude,
                } => {
                    self.folders.clone_from(&folders);
                    let paths = walk_folders(&folders, &exclude);
                    self.events
                        .send(Event::WalkedFolders(WalkedFolders { walk, paths }));
                }
                ReadTask::Read { file, load, path } => {
                    self.forget(file);
                    let text = self.text(file, &path);
                    let bytes = text.as_ref().map_or(0, |it| it.len() as u64);
                    self.events.send(Event::Read(Read {
                        file,
                        load,
                        text,
                        reserved: self.waiting.reserve(bytes),
                    }));
                }
                ReadTask::Forget(file) => self.forget(file),
            }
        }
    }

    fn forget(&mut self, file: FileId) {
        self.total -= self.lengths.remove(&file).unwrap_or_default();
    }

    fn text(&mut self, file: FileId, path: &Path) -> Result<String, Unread> {
        let failed = |error: io::Error| {
            if error.kind() != io::ErrorKind::NotFound {
                warn!(path = %path.display(), %error, "cannot read a file of the workspace");
            }
            Unread::Failed
        };
        if !self.is_inside(path).map_err(failed)? {
            warn!(path = %path.display(), "a link leads out of the workspace");
            return Err(Unread::Failed);
        }
        let len = fs::metadata(path).map_err(failed)?.len();
        if len <= MAX_FILE_BYTES && len > self.disk.text.saturating_sub(self.total) {
            return Err(Unread::TooMuch);
        }
        let bytes = (self.disk.read)(path, MAX_FILE_BYTES).map_err(failed)?;
        let (text, exact) = decode(bytes);
        if !exact {
            warn!(path = %path.display(), "a file is not UTF-8, other bytes are read as placeholders");
        }
        self.total += text.len() as u64;
        self.lengths.insert(file, text.len() as u64);
        Ok(text)
    }

    /// Whether a file is in a folder of the workspace, and no link to elsewhere.
    fn is_inside(&self, path: &Path) -> io::Result<bool> {
        if !fs::symlink_metadata(path)?.is_symlink() {
            return Ok(true);
        }
        let real = path.canonicalize()?;
        let mut folders = self.folders.iter().filter_map(|it| it.canonicalize().ok());
        Ok(folders.any(|it| real.starts_with(it)))
    }
}

fn walk_folders(folders: &[PathBuf], exclude: &Exclude) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for folder in folders {
        // A pattern that names everything in a folder spares the walk through it.
        let is_excluded = |entry: &DirEntry| {
            let path = entry.path();
            let everything = || exclude.names(folder, &path.join("\u{1}.\u{1}"));
            exclude.names(folder, path) || entry.file_type().is_dir() && everything()
        };
        let entries = WalkDir::new(folder)
            .follow_links(false)
            .into_iter()
            .filter_entry(|it| it.depth() == 0 || !is_excluded(it));
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    warn!(%error, "cannot read a folder of the workspace");
                    continue;
                }
            };
            if entry.file_type().is_dir() || !is_ptx(entry.path()) {
                continue;
            }
            if paths.len() == MAX_FILES {
                warn!(limit = MAX_FILES, "too many files, the rest is not indexed");
                return paths;
            }
            paths.push(entry.into_path());
        }
    }
    // Folders may be nested, and a walk has the order of the file system.
    paths.sort_unstable();
    paths.dedup();
    paths
}
