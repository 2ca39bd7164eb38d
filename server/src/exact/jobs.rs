//! Runs that are under way: they can be cancelled one by one, and all of them at the end of the server.

use std::{
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Tells a run that its result is not wanted any more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cancel {
    own: Arc<AtomicBool>,
    all: Arc<AtomicBool>,
}

impl Cancel {
    /// Ends the run soon.
    pub(crate) fn cancel(&self) {
        self.own.store(true, Ordering::SeqCst);
    }

    /// Whether the run is to end.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.own.load(Ordering::SeqCst) || self.all.load(Ordering::SeqCst)
    }
}

/// All runs of one server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jobs {
    closed: Arc<AtomicBool>,
    running: Arc<(Mutex<usize>, Condvar)>,
}

impl Jobs {
    /// Counts a run, until the guard is dropped.
    pub(crate) fn begin(&self) -> (Cancel, JobGuard) {
        *self.lock() += 1;
        let cancel = Cancel {
            own: Arc::default(),
            all: self.closed.clone(),
        };
        (cancel, JobGuard(self.clone()))
    }

    /// Cancels all runs, present and future, and waits until they have ended their processes and removed
    /// their files, but not forever.
    pub(crate) fn close(&self, patience: Duration) {
        self.closed.store(true, Ordering::SeqCst);
        let running = self.lock();
        let waited = self
            .running
            .1
            .wait_timeout_while(running, patience, |it| *it > 0);
        drop(waited);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, usize> {
        self.running
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run that is under way.
#[derive(Debug)]
pub(crate) struct JobGuard(Jobs);

impl Drop for JobGuard {
    fn drop(&mut self) {
        let mut running = self.0.lock();
        *running = running.saturating_sub(1);
        self.0.running.1.notify_all();
    }
}
