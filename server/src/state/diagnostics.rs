//! Diagnostics for clients that do not ask for them.

use std::time::{Duration, Instant};

use analysis::FileId;
use session::{Priority, lsp::lsp_types::Url};
use syntax::TextRange;

use super::{
    State,
    diagnosis::{Diagnosis, EncodedDiagnostics, Report},
    open_document::OpenDocument,
    work::Work,
};
use crate::outgoing::{Outgoing, PublishedDiagnostics};

/// After this time without an edit, the diagnostics that were held back are shown.
const QUIET: Duration = Duration::from_secs(1);
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

    /// Notes the text that a person inserted last, `None` after any other change.
    pub(super) fn edited_at(&mut self, file: FileId, text: Option<TextRange>) {
        if let Some(open) = self.documents.get_mut(&file) {
            let waits = self.shared.document_typed(file, text, self.config.quiet);
            open.schedule.settles = waits.then(|| Instant::now() + QUIET);
        }
    }

    /// Makes the client show the diagnostics of an open document that were held back.
    pub(super) fn publish_held_back(&mut self, file: FileId) {
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
            self.send(Outgoing::RefreshDiagnostics);
        }
    }

    /// Plans diagnostics for every open file: a change of one file can concern all others.
    ///
    /// Parts that did not change are not searched again, and not sent again either.
    pub(super) fn schedule_open_files(&mut self) {
        let now = Instant::now();
        let fixed = self.config.debounce;
        if !self.shared.client.pushes() {
            return;
        }
        for open in self.documents.values_mut() {
            // A text that is being parsed has none yet.
            if open.text.document().is_none() {
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
            self.publish_held_back(file);
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
                    diagnostics: Some(EncodedDiagnostics::new(&[])),
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
            self.publish(uri.clone(), EncodedDiagnostics::new(&[]), None);
        }
    }

    fn publish(&self, uri: Url, found: EncodedDiagnostics, version: Option<i32>) {
        self.send(Outgoing::Diagnostics(PublishedDiagnostics {
            uri,
            diagnostics: found.json,
            version,
        }));
    }

    /// Makes the client show answers that changed without a change of its documents.
    pub(super) fn refresh(&mut self) {
        let client = &self.shared.client;
        if !client.pushes() && client.refresh_diagnostics {
            self.send(Outgoing::RefreshDiagnostics);
        }
        if client.refresh_semantic_tokens {
            self.send(Outgoing::RefreshSemanticTokens);
        }
        let hosts: Vec<_> = self.hosts.keys().copied().collect();
        for file in hosts {
            self.schedule_host(file);
        }
        self.schedule_open_files();
    }
}
