//! The files of the workspace: found and read in the background, watched by the client.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use analysis::FileId;
use rustc_hash::{FxHashMap, FxHashSet};
use session::{
    Priority,
    lsp::capabilities::Client,
    lsp::lsp_types::{
        FileChangeType, FileEvent, MessageType, NumberOrString, ProgressParams,
        ProgressParamsValue, Url, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressEnd,
        WorkDoneProgressReport, WorkspaceFoldersChangeEvent,
    },
};
use syntax::{Document, FileContents};
use tracing::{info, warn};

use super::{
    Event, State,
    reader::{Read, ReadTask, Unread, WalkedFolders},
    work::Work,
};
use crate::{
    files::{is_ptx, path_of},
    outgoing::Outgoing,
};

/// How many files, or how much time, one write collects: each write interrupts running questions.
const BATCH_FILES: usize = 64;
const BATCH_TIME: Duration = Duration::from_millis(100);
/// Shorter work is not worth a progress bar.
const PROGRESS_AFTER: Duration = Duration::from_millis(200);
const PROGRESS_EVERY: Duration = Duration::from_millis(100);
/// How long the index waits for the settings.
const CONFIGURATION_WAIT: Duration = Duration::from_secs(2);

/// Bookkeeping of the index.
#[derive(Default)]
pub(super) struct Workspace {
    folders: Vec<PathBuf>,
    phase: Phase,
    /// Number of the latest walk; results of older ones are void.
    walk: u64,
    walking: bool,
    /// Files being read, each with the number of the latest attempt.
    reading: FxHashMap<FileId, u64>,
    found: usize,
    batch: Vec<(FileId, Option<Arc<FileContents>>)>,
    batch_due: Option<Instant>,
    /// Something was written since the client was last shown to ask again.
    changed: bool,
    started: Option<Instant>,
    progress: Progress,
    /// The questions that wait until all files are read.
    held: Vec<Event>,
    /// How many files are being parsed.
    parsing: usize,
    /// When the last file was read.
    heard: Option<Instant>,
    /// Nothing has been read for so long that questions are answered without the rest.
    stalled: bool,
    /// The files that were not read because all together have too much text.
    unread: FxHashSet<FileId>,
    /// The messages that the user has had.
    shown: ShownMessages,
}

/// The messages that are shown once, and whether they were.
#[derive(Default)]
struct ShownMessages {
    stalled: bool,
    unread: bool,
}

/// Nothing is indexed before the settings are known.
#[derive(Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Starting,
    WaitingForConfiguration(Instant),
    Ready,
}

#[derive(Debug, Default)]
enum Progress {
    #[default]
    None,
    Due(Instant),
    Requested,
    Shown {
        reported: Instant,
    },
}

/// Result of reading and parsing a file.
pub(crate) struct Loaded {
    file: FileId,
    load: u64,
    contents: Option<Arc<FileContents>>,
}

impl Workspace {
    pub(super) fn set_folders(&mut self, client: &Client) {
        self.folders = client.folders.iter().filter_map(path_of).collect();
        if client.folders.is_empty() {
            let root = client.root_path.as_ref().map(PathBuf::from);
            self.folders.extend(root.filter(|it| it.is_absolute()));
        }
    }

    /// The open folders.
    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    pub(super) fn wait_for_configuration(&mut self) {
        self.phase = Phase::WaitingForConfiguration(Instant::now() + CONFIGURATION_WAIT);
    }

    /// Whether the client has said `initialized`.
    pub(super) fn is_begun(&self) -> bool {
        self.phase != Phase::Starting
    }

    pub(super) fn is_ready(&self) -> bool {
        self.phase == Phase::Ready
    }

    /// Whether files of the workspace are still to be read.
    pub(super) fn is_incomplete(&self) -> bool {
        match self.phase {
            // A client that never says `initialized` has no index.
            Phase::Starting => false,
            Phase::WaitingForConfiguration(_) => true,
            Phase::Ready => (self.pending() > 0 || !self.batch.is_empty()) && !self.stalled,
        }
    }

    /// Takes the questions that wait until all files are read.
    pub(super) fn take_held(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.held)
    }

    pub(super) fn pending(&self) -> usize {
        self.reading.len() + usize::from(self.walking)
    }

    /// When the questions that wait are answered without what is not read.
    fn stalls(&self, patience: Duration) -> Option<Instant> {
        let waits = !self.held.is_empty() && self.pending() > 0 && self.parsing == 0;
        self.heard
            .filter(|_| waits && !self.stalled)
            .map(|it| it + patience)
    }

    pub(super) fn deadline(&self, patience: Duration) -> Option<Instant> {
        let configuration = match self.phase {
            Phase::WaitingForConfiguration(at) => Some(at),
            _ => None,
        };
        let progress = match self.progress {
            Progress::Due(at) => Some(at),
            _ => None,
        };
        let stalls = self.stalls(patience);
        [configuration, progress, self.batch_due, stalls]
            .into_iter()
            .flatten()
            .min()
    }
}

impl State {
    /// Indexes the workspace, if that waits for the settings.
    pub(super) fn start_index(&mut self) {
        if matches!(self.workspace.phase, Phase::WaitingForConfiguration(_)) {
            self.workspace.phase = Phase::Ready;
            self.register_hosts();
            self.reindex();
        }
    }

    pub(super) fn run_workspace_timers(&mut self, now: Instant) {
        if let Phase::WaitingForConfiguration(at) = self.workspace.phase
            && at <= now
        {
            warn!("the client does not answer the question for its settings");
            self.start_index();
        }
        if self.workspace.batch_due.is_some_and(|it| it <= now) {
            self.flush_batch();
        }
        if self
            .workspace
            .stalls(self.disk.patience)
            .is_some_and(|it| it <= now)
        {
            self.stalled();
        }
        if let Progress::Due(at) = self.workspace.progress
            && at <= now
        {
            self.workspace.progress = Progress::Requested;
            self.send(Outgoing::CreateProgress(progress_token()));
        }
    }

    pub(super) fn folders_changed(&mut self, change: WorkspaceFoldersChangeEvent) {
        let removed: Vec<_> = change
            .removed
            .iter()
            .filter_map(|it| path_of(&it.uri))
            .collect();
        let folders = &mut self.workspace.folders;
        folders.retain(|it| !removed.contains(it));
        for path in change.added.iter().filter_map(|it| path_of(&it.uri)) {
            if !folders.contains(&path) {
                folders.push(path);
            }
        }
        if self.workspace.is_ready() {
            self.reindex();
        }
    }

    /// Whether a file is part of the analysis even when it is not open.
    pub(super) fn belongs_to_workspace(&self, path: &Path) -> bool {
        self.config.index
            && is_ptx(path)
            && self
                .workspace
                .folders
                .iter()
                .any(|folder| path.starts_with(folder) && !self.config.exclude.covers(folder, path))
    }

    /// Finds and reads the files of the workspace, and forgets those that left it.
    pub(super) fn reindex(&mut self) {
        let workspace = &mut self.workspace;
        workspace.walk += 1;
        workspace.walking = true;
        let now = Instant::now();
        workspace.started = Some(now);
        if self.shared.client.progress && matches!(workspace.progress, Progress::None) {
            workspace.progress = Progress::Due(now + PROGRESS_AFTER);
        }
        let walk = workspace.walk;
        let folders = match self.config.index {
            true => workspace.folders.clone(),
            false => Vec::new(),
        };
        let exclude = self.config.exclude.clone();
        self.workspace.heard.get_or_insert(now);
        self.read_on_disk(ReadTask::Walk {
            walk,
            folders,
            exclude,
        });
    }

    fn read_on_disk(&self, job: ReadTask) {
        // Without its thread there is no index, which was logged.
        let _ = self.reader.send(job);
    }

    /// Something was read.
    fn heard(&mut self) {
        self.workspace.heard = Some(Instant::now());
        self.workspace.stalled = false;
    }

    /// Answers the questions that wait, because the disk does not.
    fn stalled(&mut self) {
        let workspace = &mut self.workspace;
        workspace.stalled = true;
        let missing = workspace.pending();
        warn!(missing, "no file of the workspace can be read for a while");
        if !std::mem::replace(&mut workspace.shown.stalled, true) {
            let text = "The files of the workspace cannot be read at the moment. Answers are without those that are \
                        missing.";
            self.send(Outgoing::Show(MessageType::WARNING, text.to_owned()));
        }
        self.flush_batch();
        self.release_held();
    }

    fn release_held(&mut self) {
        for event in self.workspace.take_held() {
            self.handle.send(event);
        }
    }

    pub(super) fn found(&mut self, found: WalkedFolders) {
        self.heard();
        if found.walk != self.workspace.walk {
            return;
        }
        self.workspace.walking = false;
        self.workspace.found = found.paths.len();
        let mut kept = FxHashSet::default();
        for path in found.paths {
            let Ok(uri) = Url::from_file_path(&path) else {
                continue;
            };
            let file = self.shared.change_files(|files| files.intern(&uri));
            kept.insert(file);
            self.files.entry(file).or_default().indexed = true;
            self.load(file, path);
        }
        let documents = &self.documents;
        let left = |(file, state): (&FileId, &mut super::FileState)| {
            let left = state.indexed && !kept.contains(file);
            state.indexed &= !left;
            (left && !documents.contains_key(file)).then_some((*file, None))
        };
        let left: Vec<_> = self.files.iter_mut().filter_map(left).collect();
        self.workspace.unread.retain(|it| kept.contains(it));
        for (file, _) in &left {
            self.read_on_disk(ReadTask::Forget(*file));
        }
        if !left.is_empty() {
            self.write(left, None);
            self.workspace.changed = true;
        }
        self.settle();
    }

    /// Reads a file, unless it is open.
    pub(super) fn load(&mut self, file: FileId, path: PathBuf) {
        if self.documents.contains_key(&file) {
            return;
        }
        let state = self.files.entry(file).or_default();
        state.load += 1;
        let load = state.load;
        self.workspace.heard.get_or_insert_with(Instant::now);
        self.workspace.reading.insert(file, load);
        self.read_on_disk(ReadTask::Read { file, load, path });
    }

    /// Parses what was read of a file on a worker.
    pub(super) fn read(&mut self, read: Read) {
        self.heard();
        let Read {
            file,
            load,
            text,
            reserved,
        } = read;
        match text {
            Err(Unread::TooMuch) => self.workspace.unread.insert(file),
            _ => self.workspace.unread.remove(&file),
        };
        let Ok(text) = text else {
            self.loaded(Loaded {
                file,
                load,
                contents: None,
            });
            return;
        };
        self.workspace.parsing += 1;
        let events = self.handle.clone();
        let task = move || {
            let parse = || Some(Document::new(text).contents());
            let contents = std::panic::catch_unwind(parse).unwrap_or_default();
            drop(reserved);
            events.send(Event::Loaded(Loaded {
                file,
                load,
                contents,
            }));
        };
        self.pool.push(Priority::Bulk, Work::task(task));
    }

    /// Takes over a file that a worker has parsed.
    pub(super) fn parsed(&mut self, loaded: Loaded) {
        self.workspace.parsing -= 1;
        self.heard();
        self.loaded(loaded);
    }

    fn loaded(&mut self, loaded: Loaded) {
        let is_open = self.documents.contains_key(&loaded.file);
        let state = self.files.entry(loaded.file).or_default();
        let latest = state.load == loaded.load;
        if self.workspace.reading.get(&loaded.file) == Some(&loaded.load) {
            self.workspace.reading.remove(&loaded.file);
        }
        // A file that is absent from disk is not news unless it had contents.
        let news = loaded.contents.is_some() || state.contents.is_some();
        if latest && !is_open && news {
            self.workspace.batch.push((loaded.file, loaded.contents));
        }
        let workspace = &mut self.workspace;
        if workspace.batch.len() >= BATCH_FILES || workspace.pending() == 0 {
            self.flush_batch();
        } else if !workspace.batch.is_empty() && workspace.batch_due.is_none() {
            workspace.batch_due = Some(Instant::now() + BATCH_TIME);
        }
        self.settle();
    }

    /// Makes the client ask again once everything is read.
    fn settle(&mut self) {
        if self.workspace.pending() == 0 && std::mem::take(&mut self.workspace.changed) {
            self.refresh();
        }
        if self.workspace.pending() == 0 {
            self.workspace.heard = None;
        }
        if !self.workspace.is_incomplete() {
            self.report_unread();
            self.release_held();
        }
        self.index_progress();
    }

    /// Reports once that the index lacks files.
    fn report_unread(&mut self) {
        let workspace = &mut self.workspace;
        let count = workspace.unread.len();
        if count == 0 || std::mem::replace(&mut workspace.shown.unread, true) {
            return;
        }
        let files = match count {
            1 => "1 file is".to_owned(),
            count => format!("{count} files are"),
        };
        let most = self.disk.text >> 20;
        let text = format!(
            "The workspace has more than {most} MiB of PTX: {files} not indexed. References, renaming and symbols of \
             the workspace know such a file when it is open. `ptx-analyzer.workspace.exclude` leaves files out of the index."
        );
        warn!("{text}");
        self.send(Outgoing::Show(MessageType::WARNING, text));
    }

    /// Keeps a question until all files of the workspace are read. The progress of that is shown; a client that cannot
    /// show it is shown.
    pub(super) fn hold_for_index(&mut self, question: Event) {
        let first = self.workspace.held.is_empty();
        self.workspace.held.push(question);
        if first && !self.shared.client.progress {
            let text = "The answer follows when all PTX files of the workspace are read.";
            self.send(Outgoing::Show(MessageType::INFO, text.to_owned()));
        }
    }

    fn flush_batch(&mut self) {
        self.workspace.batch_due = None;
        let mut batch = std::mem::take(&mut self.workspace.batch);
        // A file may have been opened since it was read.
        batch.retain(|(file, _)| !self.documents.contains_key(file));
        if !batch.is_empty() {
            self.write(batch, None);
            self.workspace.changed = true;
        }
    }

    pub(super) fn files_changed(&mut self, changes: &[FileEvent]) {
        let mut gone = Vec::new();
        for change in changes {
            let Some(path) = path_of(&change.uri) else {
                continue;
            };
            if change.typ == FileChangeType::DELETED {
                let documents = &self.documents;
                let inside = |(file, state): (&FileId, &mut super::FileState)| {
                    let uri = self.shared.files(|files| files.uri(*file).cloned())?;
                    // The file itself, or any file of a folder that was deleted.
                    if !path_of(&uri)?.starts_with(&path) || !state.indexed {
                        return None;
                    }
                    state.indexed = false;
                    state.load += 1;
                    (!documents.contains_key(file)).then_some((*file, None))
                };
                gone.extend(self.files.iter_mut().filter_map(inside));
            } else if self.belongs_to_workspace(&path) {
                let file = self.shared.change_files(|files| files.intern(&change.uri));
                self.files.entry(file).or_default().indexed = true;
                self.load(file, path);
            }
        }
        if !gone.is_empty() {
            for (file, _) in &gone {
                self.workspace.reading.remove(file);
                self.workspace.unread.remove(file);
                self.read_on_disk(ReadTask::Forget(*file));
                self.workspace.batch.retain(|(it, _)| it != file);
            }
            self.write(gone, None);
            self.workspace.changed = true;
            self.settle();
        }
    }

    pub(super) fn progress_created(&mut self) {
        if !matches!(self.workspace.progress, Progress::Requested) {
            return;
        }
        self.workspace.progress = Progress::Shown {
            reported: Instant::now(),
        };
        self.send_progress(WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title: "Indexing PTX".to_owned(),
            cancellable: Some(false),
            message: None,
            percentage: Some(0),
        }));
        self.index_progress();
    }

    /// Reports the progress of the index, and notices its end.
    fn index_progress(&mut self) {
        let workspace = &mut self.workspace;
        let Some(started) = workspace.started else {
            return;
        };
        let pending = workspace.pending();
        if pending == 0 {
            workspace.started = None;
            info!(files = workspace.found, time = ?started.elapsed(), "indexed the workspace");
            match std::mem::take(&mut workspace.progress) {
                Progress::Shown { .. } => {
                    self.send_progress(WorkDoneProgress::End(WorkDoneProgressEnd {
                        message: None,
                    }));
                }
                // An answer that is under way finds nothing to show.
                Progress::None | Progress::Due(_) | Progress::Requested => {}
            }
        } else if let Progress::Shown { reported } = &mut workspace.progress
            && reported.elapsed() >= PROGRESS_EVERY
        {
            *reported = Instant::now();
            let found = workspace.found.max(pending);
            let done = found - pending;
            self.send_progress(WorkDoneProgress::Report(WorkDoneProgressReport {
                cancellable: Some(false),
                message: Some(format!("{done} of {found} files")),
                percentage: u32::try_from(done * 100 / found.max(1)).ok(),
            }));
        }
    }

    fn send_progress(&self, progress: WorkDoneProgress) {
        self.send(Outgoing::Progress(ProgressParams {
            token: progress_token(),
            value: ProgressParamsValue::WorkDone(progress),
        }));
    }
}

fn progress_token() -> NumberOrString {
    NumberOrString::String("ptx-analyzer/index".to_owned())
}
