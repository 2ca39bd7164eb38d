//! Requests that ptx-analyzer adds to LSP.
//!
//! | method | parameters | result |
//! |---|---|---|
//! | `ptx/viewSyntaxTree` | [`ViewSyntaxTreeParams`] | the tree as text, one node or token per line; `null` for a file that the server does not know |
//! | `ptx/sameSourceLine` | `TextDocumentPositionParams`: an opcode, or a `.loc` | [`SameSourceLine`], or `null` where no source line is known |
//! | `ptx/serverStatus` | none | [`ServerStatus`] |
//!
//! Code lenses have the command [`SHOW_REFERENCES`], which clients are to define: its arguments are a
//! URI, a position and a list of locations.

use serde::{Deserialize, Serialize};

use super::lsp_types::{Range, TextDocumentIdentifier, Url};

/// Shows the syntax tree of a file or a part of it.
pub(crate) const VIEW_SYNTAX_TREE: &str = "ptx/viewSyntaxTree";
/// Finds the instructions that were made from the same source line as one of them.
pub(crate) const SAME_SOURCE_LINE: &str = "ptx/sameSourceLine";
/// Command of the client that lists locations.
pub(crate) const SHOW_REFERENCES: &str = "ptx-analyzer.showReferences";
/// Says how the server is doing, for bug reports.
pub(crate) const SERVER_STATUS: &str = "ptx/serverStatus";

/// Parameters of `ptx/viewSyntaxTree`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ViewSyntaxTreeParams {
    /// The file.
    pub(crate) text_document: TextDocumentIdentifier,
    /// The smallest node that covers this range is shown; the whole file without it.
    pub(crate) range: Option<Range>,
}

/// Result of `ptx/sameSourceLine`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SameSourceLine {
    /// The source file, if it exists.
    pub(crate) uri: Option<Url>,
    /// The path as the `.file` has it.
    pub(crate) path: String,
    /// The line in the source file, counted from 0.
    pub(crate) line: u32,
    /// Runs of instructions in the PTX file.
    pub(crate) ranges: Vec<Range>,
}

/// Result of `ptx/serverStatus`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerStatus {
    /// Version of the server.
    pub(crate) version: String,
    /// Seconds since the server started.
    pub(crate) uptime_seconds: f64,
    /// Unit of columns: `utf-8`, `utf-16` or `utf-32`.
    pub(crate) position_encoding: String,
    /// `pull` or `push`.
    pub(crate) diagnostics: String,
    /// Files that the client has open.
    pub(crate) open_documents: usize,
    /// Files whose contents the server holds, open ones included.
    pub(crate) files: usize,
    /// Bytes of text of these files.
    pub(crate) text_bytes: u64,
    /// Files that wait to be read in the background.
    pub(crate) indexing: usize,
    /// Pieces of work that run on workers now.
    pub(crate) workers_running: usize,
    /// Pieces of work that wait for a worker.
    pub(crate) workers_waiting: usize,
    /// Durations of the latest turns of the state thread.
    pub(crate) turns: TurnTimes,
}

/// Durations of turns of the state thread, in milliseconds.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TurnTimes {
    /// How many turns these figures are about, at most 256.
    pub(crate) count: usize,
    /// Half of the turns were at most this long.
    pub(crate) p50: f64,
    /// 95 of 100 turns were at most this long.
    pub(crate) p95: f64,
    /// The longest turn.
    pub(crate) max: f64,
    /// What the longest turn did.
    pub(crate) longest: String,
}
