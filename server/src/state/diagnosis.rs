//! The search for the problems of one file, on a worker.

use std::{
    panic::AssertUnwindSafe,
    time::{Duration, Instant},
};

use analysis::FileId;
use serde_json::value::RawValue;
use session::{
    diagnostics::{Stage, fingerprint, next_diagnostics},
    lsp::lsp_types::Diagnostic,
    snapshot::{Answer, RequestError, Snapshot},
};
use tracing::error;

use super::{Event, StateHandle, requests::panic_message};

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
    pub(super) diagnostics: Option<EncodedDiagnostics>,
}

/// Diagnostics as a client gets them.
pub(super) struct EncodedDiagnostics {
    /// An array, as JSON.
    pub(super) json: Box<RawValue>,
    pub(super) fingerprint: u64,
}

impl EncodedDiagnostics {
    pub(super) fn new(diagnostics: &[Diagnostic]) -> EncodedDiagnostics {
        EncodedDiagnostics {
            fingerprint: fingerprint(diagnostics),
            json: serde_json::value::to_raw_value(diagnostics).unwrap_or_default(),
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
                diagnostics: diagnostics.map(|it| EncodedDiagnostics::new(&it)),
            }));
        };
        let search = || -> Answer<Vec<Diagnostic>> {
            let mut stage = Stage::Outdated;
            loop {
                let (found, reached) = next_diagnostics(&snapshot, self.file, stage, self.first)?;
                if reached == Stage::Complete {
                    return Ok(found);
                }
                report(Some(found), true);
                stage = reached;
            }
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
