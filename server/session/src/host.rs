//! The services that a session asks of the machine on which it runs.

use std::{fmt::Debug, path::PathBuf};

use run::statements::{Statements, Tried};

use crate::lsp::lsp_types::Url;

/// Runs statements on values of their inputs, each `NAME=VALUE`; an `Err` is the sentence that refuses a value.
pub type RunStatements = fn(&Statements, &[String]) -> Result<Tried, String>;

/// The machine on which a session runs. Every method has a default, for a machine without files and threads,
/// as a page in a browser is one.
pub trait Host: Debug + Send + Sync {
    /// The path that a `file` URI names. Clients spell the same path in several ways (escapes, case of a drive
    /// letter), so URIs with one path name one file; a URI without a path names a file of its own.
    fn path_of(&self, uri: &Url) -> Option<PathBuf> {
        let _ = uri;
        None
    }

    /// The file that `path`, which is in the text of `ptx`, means, if it exists and may be opened.
    fn source_file(&self, ptx: &Url, path: &str) -> Option<Url> {
        let _ = (ptx, path);
        None
    }

    /// A line, from 1, of a file that [`Host::source_file`] named, without its end; none if the file has no such line
    /// or is not a text that people write.
    fn source_line(&self, uri: &Url, line: u32) -> Option<String> {
        let _ = (uri, line);
        None
    }

    /// The one path of an existing file, however many links lead to it.
    fn real_path(&self, uri: &Url) -> Option<PathBuf> {
        let _ = uri;
        None
    }

    /// The names of the targets that a file is compiled for, by the build of its project; none if that is not known.
    fn compile_targets(&self, uri: &Url) -> Vec<String> {
        let _ = uri;
        Vec::new()
    }

    /// [`Statements::run`] if statements can be tried here. Nothing else in a language server executes PTX, so the module
    /// for browsers, whose host has none, is built without the machine (130 KB with brotli).
    fn run_statements(&self) -> Option<RunStatements> {
        None
    }

    /// Runs `work` to its end. A host with threads calls `check` meanwhile, on the thread of the caller, again and
    /// again until it says `false`: it cancels `work` when its result is not wanted any more.
    fn attend(&self, work: &mut (dyn FnMut() + Send), check: &mut dyn FnMut() -> bool) {
        let _ = check;
        work();
    }
}

/// A machine without files and threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bare;

impl Host for Bare {}
