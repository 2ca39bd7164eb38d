//! This machine as the host of the session: its files, and its threads.

use std::{
    path::PathBuf,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use run::statements::Statements;
use session::{
    host::{Host, RunStatements},
    lsp::lsp_types::Url,
};

use crate::{
    compile_commands::CompileCommands,
    files::{path_of, source_file, source_line},
};

/// How often attended work is checked: a keystroke may wait this long.
const POLL: Duration = Duration::from_millis(10);

/// A machine with files and threads.
#[derive(Debug, Default)]
pub(crate) struct Machine {
    commands: CompileCommands,
}

impl Machine {
    /// The compile commands of projects are read anew.
    pub(crate) fn forget_builds(&self) {
        self.commands.forget();
    }
}

impl Host for Machine {
    fn path_of(&self, uri: &Url) -> Option<PathBuf> {
        path_of(uri)
    }

    fn source_file(&self, ptx: &Url, path: &str) -> Option<Url> {
        source_file(ptx, path)
    }

    fn source_line(&self, uri: &Url, line: u32) -> Option<String> {
        source_line(&path_of(uri)?, line)
    }

    fn real_path(&self, uri: &Url) -> Option<PathBuf> {
        path_of(uri)?.canonicalize().ok()
    }

    fn compile_targets(&self, uri: &Url) -> Vec<String> {
        path_of(uri).map_or_else(Vec::new, |it| self.commands.targets(&it))
    }

    fn run_statements(&self) -> Option<RunStatements> {
        Some(Statements::run)
    }

    fn attend(&self, work: &mut (dyn FnMut() + Send), check: &mut dyn FnMut() -> bool) {
        let (done, waiting) = mpsc::channel();
        thread::scope(|scope| {
            let worker = scope.spawn(move || {
                work();
                // The receiver is gone when the work has been abandoned.
                let _ = done.send(());
            });
            while waiting.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) && check() {}
            // A panic of the worker is one of ours.
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_attended_until_it_is_not_wanted() {
        let wanted = std::sync::atomic::AtomicBool::new(true);
        let order = std::sync::atomic::Ordering::SeqCst;
        let mut checks = 0;
        Machine::default().attend(
            &mut || {
                while wanted.load(order) {
                    thread::yield_now();
                }
            },
            &mut || {
                checks += 1;
                wanted.store(checks < 2, order);
                checks < 2
            },
        );
        assert_eq!(checks, 2);
    }

    #[test]
    fn panics_of_attended_work_arrive() {
        let attend =
            || Machine::default().attend(&mut || panic!("a test asked for this"), &mut || true);
        let panic = std::panic::catch_unwind(attend).expect_err("a panic");
        assert_eq!(panic.downcast_ref(), Some(&"a test asked for this"));
    }
}
