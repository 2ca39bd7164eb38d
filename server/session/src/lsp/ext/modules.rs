//! Requests about whole modules: their protocols, and the difference between two of them.

use serde::{Deserialize, Serialize};

use crate::lsp::lsp_types::{Range, TextDocumentIdentifier};

/// Parameters of `ptx/protocols`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProtocolsParams {
    /// A document that the client has open.
    pub text_document: TextDocumentIdentifier,
}

/// Part of the result of `ptx/protocols`: instructions of a function that belong together.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct FunctionProtocol {
    /// The name of the function.
    pub function: String,
    /// The name of the protocol.
    pub title: String,
    /// The instructions, in the order of the text.
    pub parts: Vec<ProtocolStep>,
}

/// An instruction of a protocol.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ProtocolStep {
    /// Range of the statement.
    pub range: Range,
    /// The role of the instruction.
    pub role: String,
    /// The indices of the parts that it waits for or commits, or that do so with it; empty if all count.
    pub partners: Vec<usize>,
}

/// Parameters of `ptx/diff`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DiffParams {
    /// The file as it was.
    pub old: TextDocumentIdentifier,
    /// The file as it is.
    pub new: TextDocumentIdentifier,
}

/// Part of the result of `ptx/diff`: a function or variable that is not the same in both files.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Difference {
    /// Its name, the new one if it has two.
    pub name: String,
    /// `changed`, `added`, `removed`, or another one of `ptx-analyzer diff`.
    pub change: String,
    /// Where it is in the old file.
    pub old: Option<Range>,
    /// Where it is in the new file.
    pub new: Option<Range>,
    /// Instructions of the new function that the old one does not have.
    pub added: usize,
    /// Instructions of the old function that the new one does not have.
    pub removed: usize,
    /// Reordered instructions.
    pub moved: usize,
    /// The estimates of registers before and after, of entry functions.
    pub registers: (Option<u32>, Option<u32>),
}
