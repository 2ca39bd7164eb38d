//! One constant per request: from LSP parameters to LSP results, over a snapshot.

pub(crate) mod annotations;
pub(crate) mod calls;
pub(crate) mod code_actions;
pub(crate) mod completion;
pub(crate) mod diagnostics;
pub(crate) mod difference;
pub(crate) mod embedded;
pub(crate) mod formatting;
pub(crate) mod kernels;
pub(crate) mod machine;
pub(crate) mod navigation;
pub(crate) mod pressure;
pub(crate) mod protocols;
pub(crate) mod rename;
pub(crate) mod runs;
pub(crate) mod source;
pub(crate) mod structure;
pub(crate) mod targets;
#[cfg(debug_assertions)]
pub(crate) mod test_panic;
pub(crate) mod tokens;
pub(crate) mod trial;
pub(crate) mod words;

use crate::{
    lsp::lsp_types::TextDocumentIdentifier,
    snapshot::{Answer, Document, Snapshot},
};

/// How soon an answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Priority {
    /// A person waits for it now.
    Latency,
    /// It may take long.
    Background,
    /// As above, and there is a lot of it: reading the workspace.
    Bulk,
}

/// The files that an answer depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// The document of the parameters. What is said of names that other files declare may come from before the last
    /// opening.
    Document,
    /// All files that are known so far.
    Known,
    /// All files of the workspace: an answer without those that are not read yet would be wrong.
    Workspace,
}

/// A request that is answered over a snapshot; `P` are its parameters, `R` is its result.
pub struct Handler<P, R> {
    /// Name of the LSP method.
    pub method: &'static str,
    /// How soon the answer is wanted.
    pub priority: Priority,
    /// The document that the answer is about.
    pub document: fn(&P) -> Option<&TextDocumentIdentifier>,
    /// The files that the answer depends on.
    pub reads: Reads,
    /// The function that answers.
    pub run: Run<P, R>,
}

/// The function that answers a request.
pub enum Run<P, R> {
    /// It reads a snapshot.
    Snapshot(fn(&Snapshot, &P) -> Answer<R>),
    /// It reads the document of the parameters as well; the second function is the result when the server does not know
    /// this document.
    Document(fn(&Snapshot, &Document, &P) -> Answer<R>, fn() -> R),
}

impl<P, R: Default> Run<P, R> {
    /// A function that answers about the document of the parameters; without one the result is empty.
    pub(crate) const fn about(run: fn(&Snapshot, &Document, &P) -> Answer<R>) -> Run<P, R> {
        Run::Document(run, R::default)
    }
}

impl<P, R> Handler<P, R> {
    /// Answers over a snapshot.
    ///
    /// # Errors
    /// Those of [`RequestError`](crate::snapshot::RequestError).
    pub fn answer(&self, snapshot: &Snapshot, params: &P) -> Answer<R> {
        let (run, absent) = match self.run {
            Run::Snapshot(run) => return run(snapshot, params),
            Run::Document(run, absent) => (run, absent),
        };
        let document = match (self.document)(params) {
            Some(it) => snapshot.document(&it.uri)?,
            None => None,
        };
        match document {
            Some(document) => run(snapshot, &document, params),
            None => Ok(absent()),
        }
    }
}
