//! Runs of `ptxas`: when they begin, what becomes of their results, and what the user hears of them.
//!
//! There is at most one run for each document, and few in all; a newer wish replaces an older one. Each run
//! has a thread of its own, because workers are too few to wait for other programs.

use std::{
    collections::VecDeque,
    fmt,
    mem::Discriminant,
    panic::AssertUnwindSafe,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use analysis::{AnalysisHost, Change, FileId, Severity};
use rustc_hash::{FxHashMap, FxHashSet};
use session::{
    config::PtxasRuns,
    exact::{FileFindings, Findings, LineEdit, Results},
    lsp::{
        ext::{PtxasStatus, RunPtxas, RunPtxasEntry},
        lsp_types::{
            MessageType, NumberOrString, ProgressParams, ProgressParamsValue, Url,
            WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressEnd,
        },
    },
    snapshot::{Answer, RequestError},
};
use syntax::FileContents;
use tokio::sync::oneshot;
use tracing::{info, warn};

use super::{Event, State, requests::panic_message};
use crate::{
    exact::{
        compile::{self, Failure},
        find::{self, NotFound, Search, Tools},
        jobs::{Cancel, Jobs},
    },
    files::path_of,
    outgoing::Outgoing,
};

/// More would take the processors from the editor.
const MAX_RUNNING: usize = 2;
/// Shorter runs are not worth a progress bar.
const PROGRESS_AFTER: Duration = Duration::from_millis(300);
/// For files that name no target: any will do, because ptxas does not come to make code.
const FALLBACK_TARGET: &str = "sm_80";
/// Start of the tokens of progress bars.
const PROGRESS_TOKEN: &str = "ptx-analyzer/ptxas/";

/// Why there is no result: the document is gone,
pub(super) const CLOSED: &str = "the document was closed";
/// another target was requested in the meantime,
const REPLACED: &str = "another target was asked for";
/// or the server is.
pub(super) const ENDING: &str = "the server is shutting down";

/// The channel of a request for a run.
pub(crate) type RunReply = oneshot::Sender<Answer<RunPtxas>>;

/// Bookkeeping of the runs.
pub(super) struct Exact {
    /// Whether the user trusts the open folders; `None` when the client does not say.
    pub(super) trusted: Option<bool>,
    pub(super) jobs: Jobs,
    runs: FxHashMap<RunKey, Run>,
    /// Runs that have not begun.
    waiting: VecDeque<RunKey>,
    /// Number of the latest run; results of older ones for the same document are void.
    number: u64,
    results: Results,
    /// The kinds of trouble that were reported to the user.
    reported: FxHashSet<Kind>,
    /// The result of the latest run.
    latest: Option<String>,
}

/// The purpose of a run; there is at most one run for each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct RunKey {
    file: FileId,
    /// Whether it is for another target than the document's.
    other: bool,
}

impl RunKey {
    fn own(file: FileId) -> RunKey {
        RunKey { file, other: false }
    }
}

/// A run that waits or is under way.
struct Run {
    number: u64,
    /// The other target.
    target: Option<String>,
    /// `None` while it waits.
    begun: Option<ActiveRun>,
    replies: Vec<RunReply>,
}

/// A run that is under way.
struct ActiveRun {
    cancel: Cancel,
    /// Version of the text that is compiled.
    version: i32,
    /// The changes of the text since.
    edits: Vec<LineEdit>,
    progress: Progress,
}

enum Progress {
    None,
    Due(Instant),
    Requested,
    Shown,
}

/// The outcome of a run.
pub(crate) struct Outcome {
    key: RunKey,
    number: u64,
    result: Result<Findings, Failure>,
}

/// Why `ptxas` is not run.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Refusal {
    Off,
    Untrusted,
    /// The client does not say whether the folders are trusted.
    Unknown,
    NotFound(NotFound),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Off => f.write_str("the setting ptx-analyzer.ptxas.enable is off"),
            Refusal::Untrusted => f.write_str("the open folder is not trusted"),
            Refusal::Unknown => f.write_str(
                "the editor does not say whether the open folder is trusted; ptxas is run if the \
                 setting ptx-analyzer.ptxas.path names it",
            ),
            Refusal::NotFound(reason) => reason.fmt(f),
        }
    }
}

/// Messages that the user hears once of each kind, until the settings change.
enum Trouble {
    NotFound(NotFound),
    Failed(Failure),
}

/// A kind of trouble; failures are of several.
type Kind = Option<Discriminant<Failure>>;

impl Trouble {
    fn kind(&self) -> Kind {
        match self {
            Trouble::NotFound(_) => None,
            Trouble::Failed(failure) => Some(std::mem::discriminant(failure)),
        }
    }
}

impl Exact {
    pub(super) fn new(jobs: Jobs) -> Exact {
        Exact {
            trusted: None,
            jobs,
            runs: FxHashMap::default(),
            waiting: VecDeque::new(),
            number: 0,
            results: Results::default(),
            reported: FxHashSet::default(),
            latest: None,
        }
    }

    pub(super) fn results(&self) -> Results {
        self.results.clone()
    }

    /// The settings have changed: troubles may be reported again.
    pub(super) fn reconfigured(&mut self) {
        self.reported.clear();
    }

    /// The text of an open document was edited.
    pub(super) fn edited(&mut self, file: FileId, edits: &[LineEdit]) {
        let run = self.runs.get_mut(&RunKey::own(file));
        if let Some(begun) = run.and_then(|it| it.begun.as_mut()) {
            begun.edits.extend_from_slice(edits);
        }
        self.results.edited(file, edits);
    }

    fn running(&self) -> usize {
        self.runs.values().filter(|it| it.begun.is_some()).count()
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        let begun = self.runs.values().filter_map(|it| it.begun.as_ref());
        begun
            .filter_map(|it| match it.progress {
                Progress::Due(at) => Some(at),
                _ => None,
            })
            .min()
    }

    fn begun_by_number(&mut self, number: u64) -> Option<(FileId, &mut ActiveRun)> {
        let (key, run) = self.runs.iter_mut().find(|it| it.1.number == number)?;
        Some((key.file, run.begun.as_mut()?))
    }
}

impl State {
    /// The programs that may be run, or why none may be.
    fn permitted(&self) -> Result<Tools, Refusal> {
        let settings = &self.config.ptxas;
        if settings.runs == PtxasRuns::Never {
            return Err(Refusal::Off);
        }
        match self.exact.trusted {
            Some(true) => {}
            Some(false) => return Err(Refusal::Untrusted),
            None if settings.path.is_some() => {}
            None => return Err(Refusal::Unknown),
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        find::find(Search {
            ptxas: settings.path.as_deref(),
            nvdisasm: settings.nvdisasm.as_deref(),
            path: &path,
            folders: self.workspace.folders(),
        })
        .map_err(Refusal::NotFound)
    }

    /// A document was saved.
    pub(super) fn saved(&mut self, uri: &Url) {
        let Some(file) = self.shared.files(|files| files.get(uri)) else {
            return;
        };
        self.publish_held_back(file);
        if self.config.ptxas.runs != PtxasRuns::OnSave
            || !self.documents.contains_key(&file)
            || self.hosts.contains_key(&file)
        {
            return;
        }
        match self.permitted() {
            Ok(_) => self.want_run(file, None, None),
            // Most people have no ptxas; whoever names one wants to hear of it.
            Err(Refusal::NotFound(reason @ NotFound::Named { .. })) => {
                self.report_trouble(Trouble::NotFound(reason));
            }
            Err(refusal) => info!(%refusal, "ptxas is not run"),
        }
    }

    /// Runs `ptxas` for a client that waits for the end, perhaps for another target.
    pub(super) fn run_ptxas(&mut self, uri: &Url, target: Option<String>, reply: RunReply) {
        let file = self.shared.files(|files| files.get(uri));
        let file = file.filter(|it| self.documents.contains_key(it));
        let refusal = match (file, self.permitted()) {
            (Some(file), _) if self.hosts.contains_key(&file) => {
                "the document is not PTX".to_owned()
            }
            (Some(file), Ok(_)) => return self.want_run(file, target, Some(reply)),
            (None, _) => "the document is not open".to_owned(),
            (_, Err(refusal)) => refusal.to_string(),
        };
        refuse(reply, &refusal);
    }

    /// The open documents.
    pub(super) fn open_uris(&self) -> Vec<Url> {
        let mut files: Vec<_> = self.documents.keys().copied().collect();
        files.sort_unstable();
        let uri = |file: FileId| self.shared.files(|files| files.uri(file).cloned());
        files.into_iter().filter_map(uri).collect()
    }

    fn want_run(&mut self, file: FileId, target: Option<String>, reply: Option<RunReply>) {
        let key = RunKey {
            file,
            other: target.is_some(),
        };
        let mut replies = self.cancel_run(key);
        if target.is_some() {
            // Those who wait may have asked for a third target.
            for reply in replies.drain(..) {
                refuse(reply, REPLACED);
            }
        }
        self.exact.number += 1;
        let run = Run {
            number: self.exact.number,
            target,
            begun: None,
            replies: replies.into_iter().chain(reply).collect(),
        };
        self.exact.runs.insert(key, run);
        self.exact.waiting.push_back(key);
        self.begin_runs();
    }

    /// Ends a run that is not wanted any more, and returns those who wait for it.
    fn cancel_run(&mut self, key: RunKey) -> Vec<RunReply> {
        self.exact.waiting.retain(|it| *it != key);
        let Some(mut run) = self.exact.runs.remove(&key) else {
            return Vec::new();
        };
        if let Some(begun) = &mut run.begun {
            begun.cancel.cancel();
            self.end_progress(run.number, begun);
        }
        run.replies
    }

    /// The document is closed: its results are not shown any more.
    pub(super) fn drop_run(&mut self, file: FileId) {
        for other in [false, true] {
            for reply in self.cancel_run(RunKey { file, other }) {
                refuse(reply, CLOSED);
            }
        }
        self.exact.results.forget(file);
        self.exact.results.forget_other(file);
        self.begin_runs();
    }

    /// The server is about to end.
    pub(super) fn drop_runs(&mut self) {
        let keys: Vec<_> = self.exact.runs.keys().copied().collect();
        for reply in keys.into_iter().flat_map(|it| self.cancel_run(it)) {
            refuse(reply, ENDING);
        }
    }

    fn begin_runs(&mut self) {
        while self.exact.running() < MAX_RUNNING
            && let Some(key) = self.exact.waiting.pop_front()
        {
            let tools = self.permitted();
            let file = key.file;
            let Some(open) = self.documents.get_mut(&file) else {
                continue;
            };
            let version = open.version;
            let Some(document) = open.text.document() else {
                continue;
            };
            let (text, contents) = (document.text().to_owned(), document.contents());
            let limit = self.config.ptxas.timeout;
            let (cancel, guard) = self.exact.jobs.begin();
            let Some(run) = self.exact.runs.get_mut(&key) else {
                continue;
            };
            let wanted = match key.other {
                true => TargetChoice::Only(run.target.clone().unwrap_or_default()),
                false => TargetChoice::If(self.config.target.clone()),
            };
            let number = run.number;
            run.begun = Some(ActiveRun {
                cancel: cancel.clone(),
                version,
                edits: Vec::new(),
                progress: match self.shared.client.progress {
                    true => Progress::Due(Instant::now() + PROGRESS_AFTER),
                    false => Progress::None,
                },
            });
            let events = self.handle.clone();
            let work = move || {
                let compile = || match tools {
                    Ok(tools) => compile(&tools, &text, &contents, &wanted, limit, &cancel),
                    Err(refusal) => Err(Failure::NotRun(refusal.to_string())),
                };
                let result = std::panic::catch_unwind(AssertUnwindSafe(compile));
                let result = result.unwrap_or_else(|panic| {
                    let reason = panic_message(&*panic).to_owned();
                    Err(Failure::Crashed(format!("internal error: {reason}")))
                });
                events.send(Event::Compiled(Box::new(Outcome {
                    key,
                    number,
                    result,
                })));
                drop(guard);
            };
            let spawned = thread::Builder::new().name("ptxas".to_owned()).spawn(work);
            if let Err(error) = spawned {
                self.compiled(Outcome {
                    key,
                    number,
                    result: Err(Failure::NotRun(error.to_string())),
                });
            }
        }
    }

    /// A run has come to its end.
    pub(super) fn compiled(&mut self, outcome: Outcome) {
        let Outcome {
            key,
            number,
            result,
        } = outcome;
        let file = key.file;
        let is_latest = self
            .exact
            .runs
            .get(&key)
            .is_some_and(|it| it.number == number);
        let run = is_latest.then(|| self.exact.runs.remove(&key)).flatten();
        let Some(Run {
            begun: Some(mut begun),
            replies,
            ..
        }) = run
        else {
            return;
        };
        self.end_progress(number, &mut begun);
        let answer = match result {
            Ok(findings) if key.other => {
                let summary = summary(&findings);
                let findings = FileFindings::new(begun.version, findings);
                self.exact.results.insert_other(file, findings);
                Ok(summary)
            }
            Err(failure) if key.other => {
                self.exact.results.forget_other(file);
                Err(RequestError::Refused(failure.to_string()))
            }
            Ok(findings) => {
                let summary = summary(&findings);
                let (errors, warnings) = (summary.errors, summary.warnings);
                let release = &summary.release;
                self.exact.latest = Some(format!(
                    "ptxas {release}: {errors} errors, {warnings} warnings"
                ));
                let mut findings = FileFindings::new(begun.version, findings);
                begun.edits.iter().for_each(|it| findings.edited(*it));
                self.exact.results.insert(file, findings);
                self.show_results();
                Ok(summary)
            }
            Err(failure) => {
                self.exact.latest = Some(failure.to_string());
                if self.exact.results.forget(file) {
                    self.show_results();
                }
                let refused = RequestError::Refused(failure.to_string());
                // Whoever waits for an answer hears of it there.
                if replies.is_empty() {
                    self.report_trouble(Trouble::Failed(failure));
                }
                Err(refused)
            }
        };
        for reply in replies {
            let _ = reply.send(answer.clone());
        }
        self.begin_runs();
    }

    /// Makes the client ask again for what results are a part of.
    fn show_results(&mut self) {
        let client = &self.shared.client;
        if !client.pushes() && client.refresh_diagnostics {
            self.send(Outgoing::RefreshDiagnostics);
        }
        if client.refresh_code_lenses {
            self.send(Outgoing::RefreshCodeLenses);
        }
        if client.refresh_inlay_hints {
            self.send(Outgoing::RefreshInlayHints);
        }
        self.schedule_open_files();
    }

    /// Reports trouble to the user, each kind once.
    fn report_trouble(&mut self, trouble: Trouble) {
        let text = match &trouble {
            Trouble::Failed(Failure::Cancelled) => return,
            Trouble::NotFound(reason) => format!("Exact mode: {reason}."),
            Trouble::Failed(failure @ Failure::TimedOut(_)) => format!(
                "Exact mode: {failure}. The setting ptx-analyzer.ptxas.timeout gives it more time."
            ),
            Trouble::Failed(failure) => format!("Exact mode: {failure}."),
        };
        warn!("{text}");
        if self.exact.reported.insert(trouble.kind()) {
            self.send(Outgoing::Show(MessageType::WARNING, text));
        }
    }

    pub(super) fn run_exact_timers(&mut self, now: Instant) {
        let mut due = Vec::new();
        for run in self.exact.runs.values_mut() {
            if let Some(begun) = &mut run.begun
                && matches!(begun.progress, Progress::Due(at) if at <= now)
            {
                begun.progress = Progress::Requested;
                due.push(run.number);
            }
        }
        for number in due {
            self.send(Outgoing::CreateProgress(progress_token(number)));
        }
    }

    /// The client made a progress bar; `false` if it is not one of a run.
    pub(super) fn ptxas_progress_created(&mut self, token: &NumberOrString) -> bool {
        let Some(number) = run_of(token) else {
            return false;
        };
        let Some((file, begun)) = self.exact.begun_by_number(number) else {
            return true;
        };
        begun.progress = Progress::Shown;
        let uri = self.shared.files(|files| files.uri(file).cloned());
        let path = uri.as_ref().and_then(path_of);
        let name = path.and_then(|it| Some(it.file_name()?.to_string_lossy().into_owned()));
        self.send_run_progress(
            number,
            WorkDoneProgress::Begin(WorkDoneProgressBegin {
                title: "ptxas".to_owned(),
                cancellable: Some(true),
                message: name,
                percentage: None,
            }),
        );
        true
    }

    /// The user does not want to wait any longer.
    pub(super) fn cancel_progress(&mut self, token: &NumberOrString) {
        let begun = run_of(token).and_then(|it| self.exact.begun_by_number(it));
        if let Some((_, begun)) = begun {
            begun.cancel.cancel();
        }
    }

    fn end_progress(&self, number: u64, begun: &mut ActiveRun) {
        if matches!(begun.progress, Progress::Shown) {
            let end = WorkDoneProgressEnd { message: None };
            self.send_run_progress(number, WorkDoneProgress::End(end));
        }
        begun.progress = Progress::None;
    }

    fn send_run_progress(&self, number: u64, progress: WorkDoneProgress) {
        self.send(Outgoing::Progress(ProgressParams {
            token: progress_token(number),
            value: ProgressParamsValue::WorkDone(progress),
        }));
    }

    pub(super) fn ptxas_status(&self) -> PtxasStatus {
        let permitted = self.permitted();
        let state = match &permitted {
            Ok(_) => "ready",
            Err(Refusal::Off) => "off",
            Err(Refusal::Untrusted | Refusal::Unknown) => "untrusted",
            Err(Refusal::NotFound(_)) => "missing",
        };
        let reason = permitted.as_ref().err().map(Refusal::to_string);
        let tools = permitted.ok();
        let shown = |path: &std::path::Path| path.display().to_string();
        PtxasStatus {
            state: state.to_owned(),
            reason,
            path: tools.as_ref().map(|it| shown(&it.ptxas)),
            nvdisasm: tools.and_then(|it| it.nvdisasm.as_deref().map(shown)),
            running: self.exact.running(),
            waiting: self.exact.waiting.len(),
            latest: self.exact.latest.clone(),
        }
    }
}

/// Says why there is no result.
pub(super) fn refuse(reply: RunReply, reason: &str) {
    // A closed channel means that the client took the question back.
    let _ = reply.send(Err(RequestError::Refused(reason.to_owned())));
}

/// The target to make code for.
enum TargetChoice {
    /// This one if the file can be compiled for it, and otherwise the target of the file.
    If(Option<Arc<str>>),
    /// This one.
    Only(String),
}

/// Runs on a thread of its own.
fn compile(
    tools: &Tools,
    text: &str,
    contents: &Arc<FileContents>,
    wanted: &TargetChoice,
    limit: Duration,
    cancel: &Cancel,
) -> Result<Findings, Failure> {
    // A host of its own: a snapshot of the one of the state thread would hold up every write.
    let file = FileId(0);
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(file, Some(contents.clone()))],
        config: None,
    });
    let target = host.analysis().target(file).ok().flatten();
    // ptxas itself reports best that a file has no target.
    let target = target.as_deref().unwrap_or(FALLBACK_TARGET);
    let task = |wanted| compile::Task {
        tools,
        text,
        target,
        wanted,
        limit,
    };
    let wanted = match wanted {
        TargetChoice::Only(target) => return compile::compile(&task(Some(target)), cancel),
        TargetChoice::If(target) => target.as_deref(),
    };
    match compile::compile(&task(wanted), cancel) {
        // The file is for a GPU that the wanted one is not compatible with: then for its own.
        Err(Failure::NoTarget { .. }) if wanted.is_some() => compile::compile(&task(None), cancel),
        other => other,
    }
}

fn summary(findings: &Findings) -> RunPtxas {
    let count = |severity| {
        let all = findings.messages.iter();
        all.filter(|it| it.severity == severity).count()
    };
    let entry = |it: &analysis::ExactEntry| RunPtxasEntry {
        name: it.name.clone(),
        exact: it.into(),
    };
    RunPtxas {
        release: findings.release.clone(),
        target: findings.target.clone(),
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        entries: findings.entries.iter().map(entry).collect(),
    }
}

fn progress_token(number: u64) -> NumberOrString {
    NumberOrString::String(format!("{PROGRESS_TOKEN}{number}"))
}

/// The number of the run that a progress bar is about.
fn run_of(token: &NumberOrString) -> Option<u64> {
    match token {
        NumberOrString::String(token) => token.strip_prefix(PROGRESS_TOKEN)?.parse().ok(),
        NumberOrString::Number(_) => None,
    }
}
