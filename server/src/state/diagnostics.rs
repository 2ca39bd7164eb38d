//! Diagnostics for clients that do not ask for them.

use std::{
    panic::AssertUnwindSafe,
    time::{Duration, Instant},
};

use analysis::FileId;
use serde_json::value::RawValue;
use session::{
    Priority,
    diagnostics::{all_diagnostics, file_diagnostics, fingerprint, known_at_once},
    lsp::lsp_types::{Diagnostic, Url},
    snapshot::{Answer, RequestError, Snapshot},
};
use syntax::TextRange;
use tracing::error;

use super::{
    Event, State, StateHandle, documents::OpenDocument, requests::panic_message, work::Work,
};
use crate::transport::{Outgoing, PublishedDiagnostics};

/// Bounds of the time without typing that the server waits for.
const MIN_DEBOUNCE: Duration = Duration::from_millis(50);
const MAX_DEBOUNCE: Duration = Duration::from_millis(200);
/// Somebody who types without a pause sees diagnostics at least this often.
const MAX_DELAY: Duration = Duration::from_millis(600);
/// How long a search waits when it has told what is known at once. That message passes three more threads, and the
/// system may wake one of them on the processor on which the search continues: then it waits for milliseconds. For the
/// rest nobody waits so impatiently, and it takes much longer than this.
const HEAD_START: Duration = Duration::from_micros(300);
/// After this time without an edit, what was held back about the statement at the cursor is told.
const QUIET: Duration = Duration::from_secs(1);
/// For longer texts, syntax errors are sent before the rest is known, when a file is opened.
const LONG_TEXT: u32 = 1 << 20;

/// When the diagnostics of one open file are due.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    due: Option<Instant>,
    /// When nothing is held back any more.
    settles: Option<Instant>,
    /// When the first change came that is not yet diagnosed.
    dirty: Option<Instant>,
    /// Number of the latest diagnosis; results of older ones are void.
    latest: u64,
    /// How long the latest diagnosis took.
    cost: Duration,
    /// The state that the client shows: the version of the text and a fingerprint.
    published: Option<(i32, u64)>,
}

impl Schedule {
    /// Plans a diagnosis after `delay`; a change during the delay restarts it, up to a limit.
    pub(super) fn request(&mut self, now: Instant, delay: Duration) {
        let dirty = *self.dirty.get_or_insert(now);
        self.due = Some((now + delay).min(dirty + MAX_DELAY.max(delay)));
    }

    fn debounce(&self, fixed: Option<Duration>) -> Duration {
        fixed.unwrap_or_else(|| self.cost.clamp(MIN_DEBOUNCE, MAX_DEBOUNCE))
    }
}

/// Search for the problems of one file.
pub(super) struct Diagnosis {
    file: FileId,
    number: u64,
    version: i32,
    /// Nothing was sent yet about this file.
    first: bool,
}

/// Result of a [`Diagnosis`].
pub(crate) struct Report {
    file: FileId,
    number: u64,
    version: i32,
    cost: Duration,
    /// More is to follow.
    partial: bool,
    /// `None` when a write interrupted the search.
    diagnostics: Option<Found>,
}

/// Diagnostics as a client gets them.
struct Found {
    /// An array, as JSON.
    json: Box<RawValue>,
    fingerprint: u64,
}

impl Found {
    fn new(diagnostics: &[Diagnostic]) -> Found {
        let json = serde_json::value::to_raw_value(diagnostics).unwrap_or_default();
        Found {
            fingerprint: fingerprint(json.get()),
            json,
        }
    }
}

impl Diagnosis {
    /// Runs on a worker.
    pub(super) fn run(self, snapshot: Snapshot, events: &StateHandle) {
        let start = Instant::now();
        let report = |diagnostics: Option<Vec<Diagnostic>>, partial| {
            events.send(Event::Diagnosed(Report {
                file: self.file,
                number: self.number,
                version: self.version,
                cost: start.elapsed(),
                partial,
                diagnostics: diagnostics.map(|it| Found::new(&it)),
            }));
        };
        let report_part = |diagnostics| {
            report(Some(diagnostics), true);
            std::thread::sleep(HEAD_START);
        };
        let search = || -> Answer<Vec<Diagnostic>> {
            let Some(document) = snapshot.document_of(self.file)? else {
                return Ok(Vec::new());
            };
            let pushes = snapshot.shared.client.pushes();
            if pushes
                && self.first
                && document.host.is_none()
                && u32::from(document.lines().text_len()) > LONG_TEXT
            {
                let syntax = snapshot.analysis.syntax_diagnostics(self.file)?;
                report_part(file_diagnostics(&snapshot, &document, syntax)?);
            }
            if pushes && let Some(found) = known_at_once(&snapshot, &document)? {
                report_part(file_diagnostics(&snapshot, &document, found)?);
            }
            let all = all_diagnostics(&snapshot, &document)?;
            file_diagnostics(&snapshot, &document, all)
        };
        let result = std::panic::catch_unwind(AssertUnwindSafe(search));
        drop(snapshot);
        match result {
            Ok(Ok(diagnostics)) => report(Some(diagnostics), false),
            Ok(Err(RequestError::ContentModified | RequestError::Cancelled)) => report(None, false),
            Ok(Err(error)) => error!(?error, "diagnostics failed"),
            Err(panic) => {
                error!(
                    reason = panic_message(&*panic),
                    "the search for problems panicked"
                );
            }
        }
    }
}

impl State {
    /// Nothing is known yet of a document that was opened: its first diagnostics do not wait.
    pub(super) fn schedule_first(&mut self, file: FileId) {
        if self.shared.client.pushes()
            && let Some(open) = self.documents.get_mut(&file)
        {
            open.schedule.request(Instant::now(), Duration::ZERO);
        }
    }

    pub(super) fn diagnostics_deadline(&self) -> Option<Instant> {
        self.documents
            .values()
            .flat_map(|it| [it.schedule.due, it.schedule.settles])
            .flatten()
            .min()
    }

    /// Somebody has written a text into an open document, or a program has changed much.
    pub(super) fn edited_at(&mut self, file: FileId, written: Option<TextRange>) {
        let client = &self.shared.client;
        // Whoever cannot be told later is told at once.
        let quiet = self.config.quiet && (client.pushes() || client.refresh_diagnostics);
        let Some(open) = self.documents.get_mut(&file) else {
            return;
        };
        match written.filter(|_| quiet) {
            Some(written) => {
                open.schedule.settles = Some(Instant::now() + QUIET);
                self.shared.quiet.edited(file, written);
            }
            None => {
                open.schedule.settles = None;
                self.shared.quiet.settle(file);
            }
        }
    }

    /// Tells what was held back about an open document.
    pub(super) fn tell_all(&mut self, file: FileId) {
        let held_back = self.shared.quiet.settle(file);
        let client = &self.shared.client;
        let Some(open) = self.documents.get_mut(&file) else {
            return;
        };
        open.schedule.settles = None;
        if client.pushes() {
            // A search that is under way may hold something back still.
            open.schedule.request(Instant::now(), Duration::ZERO);
        } else if held_back {
            self.say(Outgoing::RefreshDiagnostics);
        }
    }

    /// Plans diagnostics for every open file: a change of one file can concern all others.
    ///
    /// Parts that did not change are not searched again, and not sent again either.
    pub(super) fn schedule_open_files(&mut self) {
        let now = Instant::now();
        let fixed = self.config.debounce;
        let client = &self.shared.client;
        for (file, open) in &mut self.documents {
            // A text that is being parsed has none yet.
            if open.text.document().is_none() {
                continue;
            }
            // A client that asks is told what is known at once. To tell it to ask again, all must be found.
            let asks_again = client.refresh_diagnostics && self.shared.known.is_behind(*file);
            if !client.pushes() && !asks_again {
                continue;
            }
            let schedule = &mut open.schedule;
            // The first ones after opening keep their place.
            if schedule.published.is_some() || schedule.due.is_none() {
                schedule.request(now, schedule.debounce(fixed));
            }
        }
    }

    /// Plans diagnostics of a document in another language; nothing else concerns them.
    pub(super) fn schedule_host(&mut self, file: FileId) {
        if !self.shared.client.pushes() {
            return;
        }
        let fixed = self.config.debounce;
        if let Some(open) = self.documents.get_mut(&file) {
            let delay = open.schedule.debounce(fixed);
            open.schedule.request(Instant::now(), delay);
        }
    }

    pub(super) fn run_due_diagnostics(&mut self, now: Instant) {
        let settled: Vec<_> = self
            .documents
            .iter()
            .filter(|(_, it)| it.schedule.settles.is_some_and(|it| it <= now))
            .map(|(file, _)| *file)
            .collect();
        for file in settled {
            self.tell_all(file);
        }
        let mut due = Vec::new();
        for (file, open) in &mut self.documents {
            let schedule = &mut open.schedule;
            if schedule.due.is_some_and(|it| it <= now) {
                schedule.due = None;
                schedule.dirty = None;
                self.diagnosis += 1;
                schedule.latest = self.diagnosis;
                due.push(Diagnosis {
                    file: *file,
                    number: schedule.latest,
                    version: open.version,
                    first: schedule.published.is_none(),
                });
            }
        }
        for diagnosis in due {
            if self.config.diagnostics {
                let work = Work::Diagnosis(diagnosis, self.snapshot());
                self.pool.push(Priority::Background, work);
            } else {
                self.diagnosed(Report {
                    file: diagnosis.file,
                    number: diagnosis.number,
                    version: diagnosis.version,
                    cost: Duration::ZERO,
                    partial: false,
                    diagnostics: Some(Found::new(&[])),
                });
            }
        }
    }

    pub(super) fn diagnosed(&mut self, report: Report) {
        let fixed = self.config.debounce;
        let Some(open) = self.documents.get_mut(&report.file) else {
            return;
        };
        let schedule = &mut open.schedule;
        if schedule.latest != report.number {
            return;
        }
        let Some(found) = report.diagnostics else {
            if schedule.due.is_none() {
                schedule.request(Instant::now(), schedule.debounce(fixed));
            }
            return;
        };
        if !report.partial {
            schedule.cost = report.cost;
        }
        if !self.shared.client.pushes() {
            let owed = self.shared.known.take_owed(report.file);
            if owed.is_some_and(|it| it != found.fingerprint) {
                self.say(Outgoing::RefreshDiagnostics);
            }
            return;
        }
        let shown = Some((report.version, found.fingerprint));
        if open.version != report.version || schedule.published == shown {
            return;
        }
        schedule.published = shown;
        if let Some(uri) = self.shared.files(|files| files.uri(report.file).cloned()) {
            self.publish(uri, found, Some(report.version));
        }
    }

    /// Takes back what the client shows for a file that it closed.
    pub(super) fn clear_diagnostics(&self, closed: &OpenDocument, uri: &Url) {
        if self.shared.client.pushes() && closed.schedule.published.is_some() {
            self.publish(uri.clone(), Found::new(&[]), None);
        }
    }

    fn publish(&self, uri: Url, found: Found, version: Option<i32>) {
        self.say(Outgoing::Diagnostics(PublishedDiagnostics {
            uri,
            diagnostics: found.json,
            version,
        }));
    }

    /// Makes the client show answers that changed without a change of its documents.
    pub(super) fn refresh(&mut self) {
        let client = &self.shared.client;
        if !client.pushes() && client.refresh_diagnostics {
            self.say(Outgoing::RefreshDiagnostics);
        }
        if client.refresh_semantic_tokens {
            self.say(Outgoing::RefreshSemanticTokens);
        }
        let hosts: Vec<_> = self.hosts.keys().copied().collect();
        for file in hosts {
            self.schedule_host(file);
        }
        self.schedule_open_files();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_delays_but_not_for_ever() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let delay = Duration::from_millis(100);
        let mut schedule = Schedule::default();
        schedule.request(start, delay);
        assert_eq!(schedule.due, Some(at(100)));
        schedule.request(at(90), delay);
        assert_eq!(schedule.due, Some(at(190)));
        schedule.request(at(590), delay);
        assert_eq!(schedule.due, Some(at(600)));
    }

    #[test]
    fn the_delay_follows_the_cost() {
        let debounce = |cost, fixed| {
            Schedule {
                cost: Duration::from_millis(cost),
                ..Schedule::default()
            }
            .debounce(fixed)
        };
        assert_eq!(debounce(1, None), Duration::from_millis(50));
        assert_eq!(debounce(120, None), Duration::from_millis(120));
        assert_eq!(debounce(5000, None), Duration::from_millis(200));
        let fixed = Some(Duration::from_millis(7));
        assert_eq!(debounce(5000, fixed), Duration::from_millis(7));
    }
}
