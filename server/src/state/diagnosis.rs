//! The search for the problems of one file, on a worker.

use std::{
    panic::AssertUnwindSafe,
    time::{Duration, Instant},
};

use analysis::FileId;
use serde_json::value::RawValue;
use session::{
    diagnostics::{all_diagnostics, file_diagnostics, fingerprint, known_at_once},
    lsp::lsp_types::Diagnostic,
    snapshot::{Answer, RequestError, Snapshot},
};
use tracing::error;

use super::{Event, StateHandle, requests::panic_message};

/// How long a search waits when it has told what is known at once. That message passes three more threads, and the
/// system may wake one of them on the processor on which the search continues: then it waits for milliseconds. For the
/// rest nobody waits so impatiently, and it takes much longer than this.
const HEAD_START: Duration = Duration::from_micros(300);
/// For longer texts, syntax errors are sent before the rest is known, when a file is opened.
const LONG_TEXT: u32 = 1 << 20;

/// Search for the problems of one file.
pub(super) struct Diagnosis {
    pub(super) file: FileId,
    pub(super) number: u64,
    pub(super) version: i32,
    /// Nothing was sent yet about this file.
    pub(super) first: bool,
}

/// Result of a [`Diagnosis`].
pub(crate) struct Report {
    pub(super) file: FileId,
    pub(super) number: u64,
    pub(super) version: i32,
    pub(super) cost: Duration,
    /// More is to follow.
    pub(super) partial: bool,
    /// `None` when a write interrupted the search.
    pub(super) diagnostics: Option<Found>,
}

/// Diagnostics as a client gets them.
pub(super) struct Found {
    /// An array, as JSON.
    pub(super) json: Box<RawValue>,
    pub(super) fingerprint: u64,
}

impl Found {
    pub(super) fn new(diagnostics: &[Diagnostic]) -> Found {
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
