//! One constant per request: from LSP parameters to LSP results, over a snapshot.

pub(crate) mod annotations;
pub(crate) mod calls;
pub(crate) mod code_actions;
pub(crate) mod completion;
pub(crate) mod diagnostics;
pub(crate) mod difference;
pub(crate) mod embedded;
pub(crate) mod formatting;
pub(crate) mod machine;
pub(crate) mod navigation;
pub(crate) mod pressure;
pub(crate) mod protocols;
pub(crate) mod rename;
pub(crate) mod source;
pub(crate) mod structure;
pub(crate) mod targets;
#[cfg(debug_assertions)]
pub(crate) mod test_panic;
pub(crate) mod tokens;
pub(crate) mod words;

use crate::{
    lsp::lsp_types::TextDocumentIdentifier,
    snapshot::{Answer, Snapshot},
};

/// How soon an answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Priority {
    /// Somebody waits for it now.
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
    /// Answers.
    pub run: fn(&Snapshot, &P) -> Answer<R>,
}
