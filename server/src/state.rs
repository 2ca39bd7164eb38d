//! The state thread: the one writer of everything that the server knows.
//!
//! It owns the [`AnalysisHost`], the open documents and the settings. Messages arrive over one
//! channel, in wire order. Questions go to workers together with a snapshot; before a write,
//! questions that no worker has begun are taken back, so that the write waits only for running
//! ones, which notice it and stop.

mod diagnosis;
mod diagnostics;
mod documents;
mod exact;
mod hosts;
mod open_document;
mod opening;
mod questions;
mod reader;
mod requests;
mod schedule;
mod turns;
mod work;
mod workspace;

use std::{
    collections::VecDeque,
    panic::AssertUnwindSafe,
    sync::{Arc, mpsc},
    thread,
    time::Instant,
};

use analysis::{AnalysisConfig, AnalysisHost, Change, FileId};
use rustc_hash::FxHashMap;
use serde_json::Value;
use session::{
    config::{Config, Problem},
    embedded::HostDocuments,
    lsp::{
        capabilities::{Client, settings_registration},
        ext::ServerStatus,
        lsp_types::{
            DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
            FileEvent, MessageType, NumberOrString, Registration, Url, WorkspaceFoldersChangeEvent,
        },
    },
    snapshot::{Shared, Snapshot},
};
use syntax::{FileContents, text::Encoding};
use tokio::sync::{mpsc::UnboundedSender, oneshot};
use tracing::{error, warn};

pub(crate) use exact::RunReply;
pub(crate) use requests::{CancelSlot, Request};

use self::{
    diagnosis::Report,
    exact::Exact,
    open_document::OpenDocument,
    opening::Opened,
    reader::{Disk, Read, ReadTask, WalkedFolders},
    turns::Turns,
    work::Work,
    workspace::{Loaded, Workspace},
};
use crate::{exact::jobs::Jobs, logging, outgoing::Outgoing, pool::Pool, session_host::Machine};

/// Deeply nested input is walked recursively.
const STACK: usize = 16 << 20;

/// The messages to the state thread.
pub(crate) enum Event {
    // From the client.
    Initialize(Box<Client>),
    Initialized,
    Shutdown,
    Open(DidOpenTextDocumentParams),
    Change(DidChangeTextDocumentParams),
    Close(DidCloseTextDocumentParams),
    Saved(Url),
    Trusted,
    RunPtxas(Url, Option<String>, RunReply),
    /// The open documents are wanted.
    OpenUris(oneshot::Sender<Vec<Url>>),
    CancelProgress(NumberOrString),
    ConfigurationChanged(Value),
    FilesChanged(Vec<FileEvent>),
    FoldersChanged(WorkspaceFoldersChangeEvent),
    Request(Box<Request>),
    Status(oneshot::Sender<ServerStatus>),
    /// The result of a command, for the user to read.
    ShowMessage(String),
    /// Answer to [`Outgoing::Configuration`].
    Configuration(Value),
    /// Answer to [`Outgoing::CreateProgress`].
    ProgressCreated(NumberOrString),

    // From workers.
    /// A write interrupted the work on a request.
    Interrupted(Box<Request>),
    /// A worker finished diagnostics, or a write interrupted it.
    Diagnosed(Report),
    /// A run of `ptxas` has ended.
    Compiled(Box<exact::Outcome>),
    /// A document that was opened is parsed.
    Opened(Opened),
    /// The folders were walked.
    WalkedFolders(WalkedFolders),
    /// A file was read.
    Read(Read),
    /// A file was read and parsed.
    Loaded(Loaded),

    /// The connection is gone.
    Stop,
}

impl Event {
    fn name(&self) -> &'static str {
        match self {
            Event::Initialize(_) => "initialize",
            Event::Initialized => "initialized",
            Event::Shutdown => "shutdown",
            Event::Open(_) => "textDocument/didOpen",
            Event::Change(_) => "textDocument/didChange",
            Event::Close(_) => "textDocument/didClose",
            Event::Saved(_) => "textDocument/didSave",
            Event::Trusted => "ptx/didGrantTrust",
            Event::RunPtxas(..) => "ptx/runPtxas",
            Event::OpenUris(_) => "open documents",
            Event::CancelProgress(_) => "window/workDoneProgress/cancel",
            Event::ConfigurationChanged(_) => "workspace/didChangeConfiguration",
            Event::FilesChanged(_) => "workspace/didChangeWatchedFiles",
            Event::FoldersChanged(_) => "workspace/didChangeWorkspaceFolders",
            Event::Request(request) | Event::Interrupted(request) => request.method(),
            Event::Status(_) => "ptx/serverStatus",
            Event::ShowMessage(_) => "workspace/executeCommand",
            Event::Configuration(_) => "configuration",
            Event::ProgressCreated(_) => "progress created",
            Event::Diagnosed(_) => "diagnosed",
            Event::Compiled(_) => "ptxas has run",
            Event::Opened(_) => "document parsed",
            Event::WalkedFolders(_) => "folders walked",
            Event::Read(_) => "file read",
            Event::Loaded(_) => "file loaded",
            Event::Stop => "stop",
        }
    }
}

/// The channel to the state thread.
#[derive(Clone, Debug)]
pub(crate) struct StateHandle {
    events: mpsc::Sender<Event>,
    jobs: Jobs,
}

impl StateHandle {
    /// Sends an event; never blocks. After the end of the thread it is dropped.
    pub(crate) fn send(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// The runs of other programs that are under way.
    pub(crate) fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    /// Ends the thread after the events that were sent before.
    pub(crate) fn stop(&self) {
        self.send(Event::Stop);
    }
}

/// Starts the state thread of one connection.
pub(crate) fn spawn(outgoing: UnboundedSender<Outgoing>) -> StateHandle {
    spawn_on(outgoing, Disk::REAL)
}

fn spawn_on(outgoing: UnboundedSender<Outgoing>, disk: Disk) -> StateHandle {
    let (sender, events) = mpsc::channel();
    let handle = StateHandle {
        events: sender,
        jobs: Jobs::default(),
    };
    let own = handle.clone();
    let spawned = thread::Builder::new()
        .name("state".to_owned())
        .stack_size(STACK)
        .spawn(move || State::new(own, outgoing, disk).run(&events));
    if let Err(error) = spawned {
        error!(%error, "cannot start the state thread");
    }
    handle
}

/// The state of one file.
#[derive(Default)]
struct FileState {
    /// The text that was written to the analysis last.
    contents: Option<Arc<FileContents>>,
    /// Rises with every change of the contents.
    revision: u64,
    /// Number of the latest attempt to read the file from disk; older ones are void.
    load: u64,
    /// The file belongs to the index.
    indexed: bool,
}

struct State {
    handle: StateHandle,
    outgoing: UnboundedSender<Outgoing>,
    host: AnalysisHost,
    pool: Pool<Work>,
    shared: Arc<Shared>,
    config: Config,
    files: FxHashMap<FileId, FileState>,
    /// The documents that the client has open.
    documents: FxHashMap<FileId, OpenDocument>,
    /// The open documents in other languages.
    hosts: Arc<HostDocuments>,
    /// Whether the server has registered for such documents.
    hosts_registered: bool,
    /// The settings of the analysis.
    settings: Arc<AnalysisConfig>,
    machine: Arc<Machine>,
    disk: Disk,
    /// The way to the thread that reads files.
    reader: mpsc::Sender<ReadTask>,
    /// Number of the latest search for problems.
    diagnosis: u64,
    workspace: Workspace,
    exact: Exact,
    turns: Turns,
    /// Messages about the settings that came before `initialized`.
    early: Vec<Outgoing>,
    started: Instant,
    shut_down: bool,
}

impl State {
    fn new(handle: StateHandle, outgoing: UnboundedSender<Outgoing>, disk: Disk) -> Self {
        let events = handle.clone();
        let machine = Arc::new(Machine::default());
        State {
            pool: Pool::new(move |work: Work| work.run(&events)),
            exact: Exact::new(handle.jobs.clone()),
            reader: reader::spawn(disk, handle.clone()),
            disk,
            handle,
            outgoing,
            host: AnalysisHost::new(),
            shared: Arc::new(Shared::new(machine.clone(), Client::default())),
            config: Config::default(),
            files: FxHashMap::default(),
            documents: FxHashMap::default(),
            hosts: Arc::default(),
            hosts_registered: false,
            settings: Arc::default(),
            machine,
            diagnosis: 0,
            workspace: Workspace::default(),
            turns: Turns::default(),
            early: Vec::new(),
            started: Instant::now(),
            shut_down: false,
        }
    }

    fn run(mut self, events: &mpsc::Receiver<Event>) {
        let mut queue = VecDeque::new();
        loop {
            let next = match self.deadline() {
                Some(deadline) => {
                    events.recv_timeout(deadline.saturating_duration_since(Instant::now()))
                }
                None => events.recv().map_err(Into::into),
            };
            match next {
                Ok(event) => queue.push_back(event),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            }
            loop {
                queue.extend(events.try_iter());
                let Some(event) = queue.pop_front() else {
                    break;
                };
                if matches!(event, Event::Stop) {
                    return;
                }
                self.turn(event.name(), |state| state.handle(event, &mut queue));
            }
            self.turn("timers", Self::run_timers);
        }
    }

    /// Runs one step, measured, and survives its panics.
    fn turn(&mut self, name: &'static str, step: impl FnOnce(&mut Self)) {
        let start = Instant::now();
        if std::panic::catch_unwind(AssertUnwindSafe(|| step(self))).is_err() {
            error!(turn = name, "the state thread panicked");
        }
        self.turns.record(name, start.elapsed());
    }

    fn deadline(&self) -> Option<Instant> {
        [
            self.workspace.deadline(self.disk.patience),
            self.exact.deadline(),
            self.diagnostics_deadline(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    fn run_timers(&mut self) {
        let now = Instant::now();
        self.run_workspace_timers(now);
        self.run_exact_timers(now);
        self.run_due_diagnostics(now);
    }

    fn handle(&mut self, event: Event, queue: &mut VecDeque<Event>) {
        if self.shut_down {
            // tower-lsp refuses requests by then; later messages may not change anything.
            if let Event::Request(request) | Event::Interrupted(request) = event {
                request.interrupt();
            }
            return;
        }
        let Some(event) = self.hold(event) else {
            return;
        };
        match event {
            Event::Initialize(client) => self.initialize(*client),
            Event::Initialized => self.initialized(),
            Event::Shutdown => {
                self.shut_down = true;
                self.abandon_all();
                self.drop_runs();
            }
            Event::Open(params) => self.open(params),
            Event::Change(params) => {
                let mut batch = vec![params];
                while let Some(Event::Change(next)) = queue.front()
                    && next.text_document.uri == batch[0].text_document.uri
                    && let Some(Event::Change(next)) = queue.pop_front()
                {
                    batch.push(next);
                }
                self.change(&batch);
            }
            Event::Close(params) => self.close(&params),
            Event::Saved(uri) => self.saved(&uri),
            Event::Trusted => self.exact.trusted = Some(true),
            Event::RunPtxas(uri, target, reply) => self.run_ptxas(&uri, target, reply),
            Event::OpenUris(reply) => {
                let _ = reply.send(self.open_uris());
            }
            Event::CancelProgress(token) => self.cancel_progress(&token),
            Event::Compiled(outcome) => self.compiled(*outcome),
            Event::ConfigurationChanged(settings) => {
                if self.shared.client.configuration {
                    self.send(Outgoing::Configuration);
                } else {
                    self.configure(&settings);
                }
            }
            Event::Configuration(settings) => {
                // Null is what a client without any such settings answers; what came with
                // `initialize` stays then.
                if !settings.is_null() {
                    self.configure(&settings);
                }
                self.start_index();
            }
            Event::FilesChanged(changes) => {
                self.builds_changed(&changes);
                self.files_changed(&changes);
            }
            Event::FoldersChanged(change) => self.folders_changed(change),
            Event::Request(request) | Event::Interrupted(request) => self.ask(*request),
            Event::Status(reply) => {
                let _ = reply.send(self.status());
            }
            Event::ShowMessage(text) => self.send(Outgoing::Show(MessageType::INFO, text)),
            Event::ProgressCreated(token) => {
                if !self.ptxas_progress_created(&token) {
                    self.progress_created();
                }
            }
            Event::Diagnosed(report) => self.diagnosed(report),
            Event::Opened(opened) => self.opened(opened, queue),
            Event::WalkedFolders(found) => self.found(found),
            Event::Read(read) => self.read(read),
            Event::Loaded(loaded) => self.parsed(loaded),
            Event::Stop => {}
        }
    }

    fn initialize(&mut self, client: Client) {
        self.workspace.set_folders(&client);
        self.exact.trusted = client.trusted;
        let options = client.options.clone();
        self.shared = Arc::new(Shared::new(self.machine.clone(), client));
        self.configure(&options);
    }

    fn initialized(&mut self) {
        let mut registrations: Vec<_> = settings_registration(&self.shared.client)
            .into_iter()
            .collect();
        if self.shared.client.register_watchers {
            registrations.push(Registration {
                id: "ptx-analyzer/files".to_owned(),
                method: "workspace/didChangeWatchedFiles".to_owned(),
                register_options: Some(serde_json::json!({
                    "watchers": [
                        { "globPattern": "**/*.ptx" },
                        { "globPattern": "**/compile_commands.json" },
                    ],
                })),
            });
        }
        if !registrations.is_empty() {
            self.send(Outgoing::Register(registrations));
        }
        self.workspace.wait_for_configuration();
        self.send_early();
        if self.shared.client.configuration {
            // The answer may exclude files; the index waits for it, but not forever.
            self.send(Outgoing::Configuration);
        } else {
            self.start_index();
        }
    }

    fn configure(&mut self, settings: &Value) {
        let (config, problems) = Config::from_json(settings);
        for problem in problems {
            match problem {
                Problem::Unknown(text) => {
                    warn!("{text}");
                    self.early.push(Outgoing::Log(MessageType::WARNING, text));
                }
                Problem::Invalid(text) => {
                    warn!("{text}");
                    self.early.push(Outgoing::Show(MessageType::ERROR, text));
                }
            }
        }
        if self.workspace.is_begun() {
            self.send_early();
        }
        if let Some(level) = config.log_level {
            logging::set_level(level);
        }
        let old = std::mem::replace(&mut self.config, config);
        if old.ptxas != self.config.ptxas {
            self.exact.reconfigured();
        }
        let analysis_changed = old.target != self.config.target
            || old.portability != self.config.portability
            || old.severity != self.config.severity;
        let launch_changed = old.launch != self.config.launch;
        if analysis_changed || launch_changed {
            let config = self.config.analysis();
            self.settings = Arc::new(config.clone());
            self.write(Vec::new(), Some(config));
        }
        let index_changed = old.index != self.config.index || old.exclude != self.config.exclude;
        if self.workspace.is_ready() {
            if index_changed {
                self.reindex();
            }
            self.register_hosts();
        }
        if analysis_changed
            || old.diagnostics != self.config.diagnostics
            || old.embedded != self.config.embedded
        {
            self.refresh();
        }
        let hints_changed = old.features.hints != self.config.features.hints
            || old.features.operands != self.config.features.operands;
        if (launch_changed || hints_changed) && self.shared.client.refresh_inlay_hints {
            self.send(Outgoing::RefreshInlayHints);
        }
        if (launch_changed || old.features.lenses != self.config.features.lenses)
            && self.shared.client.refresh_code_lenses
        {
            self.send(Outgoing::RefreshCodeLenses);
        }
    }

    /// Sends what had to wait until the client was ready for it.
    fn send_early(&mut self) {
        for message in std::mem::take(&mut self.early) {
            self.send(message);
        }
    }

    fn send(&self, message: Outgoing) {
        let _ = self.outgoing.send(message);
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            analysis: self.host.analysis(),
            shared: self.shared.clone(),
            diagnostics: self.config.diagnostics,
            embedded: self.config.embedded,
            features: self.config.features,
            exact: self.exact.results(),
            hosts: Arc::clone(&self.hosts),
            settings: Arc::clone(&self.settings),
        }
    }

    /// Writes new contents or settings to the analysis, and schedules diagnostics.
    fn write(
        &mut self,
        files: Vec<(FileId, Option<Arc<FileContents>>)>,
        config: Option<AnalysisConfig>,
    ) {
        let interrupted = self.apply(files, config);
        self.after_write(interrupted);
    }

    /// Writes new contents or settings to the analysis, and returns the requests that [`Self::after_write`] is to begin
    /// again. All writes go through here.
    fn apply(
        &mut self,
        files: Vec<(FileId, Option<Arc<FileContents>>)>,
        config: Option<AnalysisConfig>,
    ) -> Vec<Request> {
        let mut garbage = Vec::new();
        for (file, contents) in &files {
            let state = self.files.entry(*file).or_default();
            state.revision += 1;
            garbage.extend(std::mem::replace(&mut state.contents, contents.clone()));
        }
        // Nothing that waits may hold a snapshot now, or this thread would wait for it.
        let waiting = self.pool.reclaim(Work::holds_snapshot);
        let waiting: Vec<_> = waiting
            .into_iter()
            .filter_map(|(_, work)| work.without_snapshot())
            .collect();
        self.host.apply_change(Change { files, config });
        if !garbage.is_empty() {
            // Freeing a large tree takes tens of milliseconds.
            self.free(garbage);
        }
        waiting
    }

    /// Begins requests again, and schedules diagnostics.
    fn after_write(&mut self, interrupted: Vec<Request>) {
        for request in interrupted {
            self.resume(request);
        }
        self.schedule_open_files();
    }

    fn status(&self) -> ServerStatus {
        let (workers_running, workers_waiting) = self.pool.load();
        let contents = || self.files.values().filter_map(|it| it.contents.as_ref());
        let client = &self.shared.client;
        ServerStatus {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            uptime_seconds: self.started.elapsed().as_secs_f64(),
            position_encoding: match client.encoding {
                Encoding::Utf8 => "utf-8",
                Encoding::Utf16 => "utf-16",
                Encoding::Utf32 => "utf-32",
            }
            .to_owned(),
            diagnostics: if client.pull_diagnostics {
                "pull"
            } else {
                "push"
            }
            .to_owned(),
            open_documents: self.documents.len(),
            files: contents().count(),
            text_bytes: contents()
                .map(|it| u64::from(u32::from(it.lines.text_len())))
                .chain(self.hosts.values().map(|it| it.text().len() as u64))
                .sum(),
            ptxas: self.ptxas_status(),
            indexing: self.workspace.pending(),
            workers_running,
            workers_waiting,
            turns: self.turns.summary(),
        }
    }
}

#[cfg(test)]
mod tests;
