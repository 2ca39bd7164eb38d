//! One constant per request: from LSP parameters to LSP results, over a snapshot.

pub(crate) mod annotations;
pub(crate) mod calls;
pub(crate) mod code_actions;
pub(crate) mod completion;
pub(crate) mod diagnostics;
pub(crate) mod formatting;
pub(crate) mod navigation;
pub(crate) mod pressure;
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
    pool::Priority,
    snapshot::{Answer, Snapshot},
};

/// A request that workers answer.
pub(crate) struct Handler<P, R> {
    /// Name of the LSP method.
    pub(crate) method: &'static str,
    pub(crate) priority: Priority,
    /// The document that the answer is about.
    pub(crate) document: fn(&P) -> Option<&TextDocumentIdentifier>,
    pub(crate) run: fn(&Snapshot, &P) -> Answer<R>,
}
