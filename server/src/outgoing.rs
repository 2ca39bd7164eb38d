//! The messages that the state thread sends to the client.

use serde::Serialize;
use serde_json::value::RawValue;
use tower_lsp::lsp_types::{
    MessageType, NumberOrString, ProgressParams, Registration, Unregistration, Url,
};

/// The messages that the state thread sends to the client.
#[derive(Debug)]
pub(crate) enum Outgoing {
    /// `textDocument/publishDiagnostics`.
    Diagnostics(PublishedDiagnostics),
    /// `window/logMessage`.
    Log(MessageType, String),
    /// `window/showMessage`.
    Show(MessageType, String),
    /// `$/progress`.
    Progress(ProgressParams),
    /// `window/workDoneProgress/create`; answered by [`crate::state::Event::ProgressCreated`].
    CreateProgress(NumberOrString),
    /// `workspace/configuration`; answered by [`crate::state::Event::Configuration`].
    Configuration,
    /// `client/registerCapability`.
    Register(Vec<Registration>),
    /// `client/unregisterCapability`.
    Unregister(Vec<Unregistration>),
    /// `workspace/diagnostic/refresh`.
    RefreshDiagnostics,
    /// `workspace/semanticTokens/refresh`.
    RefreshSemanticTokens,
    /// `workspace/inlayHint/refresh`.
    RefreshInlayHints,
    /// `workspace/codeLens/refresh`.
    RefreshCodeLenses,
}

/// Parameters of `textDocument/publishDiagnostics`.
#[derive(Debug, Serialize)]
pub(crate) struct PublishedDiagnostics {
    pub(crate) uri: Url,
    /// An array of diagnostics.
    pub(crate) diagnostics: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<i32>,
}
