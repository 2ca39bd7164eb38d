//! The work of worker threads.

use session::snapshot::Snapshot;

use super::{Request, StateHandle, diagnosis::Diagnosis};

/// A piece of work.
pub(super) enum Work {
    /// Answer a question of the client.
    Request(Request, Snapshot),
    /// Find the problems of a file.
    Diagnosis(Diagnosis, Snapshot),
    /// Anything that needs no snapshot.
    Task(Box<dyn FnOnce() + Send>),
}

impl Work {
    pub(super) fn task(task: impl FnOnce() + Send + 'static) -> Work {
        Work::Task(Box::new(task))
    }

    pub(super) fn holds_snapshot(&self) -> bool {
        !matches!(self, Work::Task(_))
    }

    pub(super) fn run(self, events: &StateHandle) {
        match self {
            Work::Request(request, snapshot) => request.run(snapshot, events),
            Work::Diagnosis(diagnosis, snapshot) => diagnosis.run(snapshot, events),
            Work::Task(task) => task(),
        }
    }

    /// Drops the snapshot; the request is begun again after the write.
    ///
    /// Diagnostics are not kept: every write schedules them anew.
    pub(super) fn without_snapshot(self) -> Option<Request> {
        match self {
            Work::Request(request, _) => Some(request),
            Work::Diagnosis(..) | Work::Task(_) => None,
        }
    }
}
