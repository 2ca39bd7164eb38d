//! Registrations for documents in other languages, for clients that register features by language.
//!
//! Such clients have other servers for these documents. Only what an editor merges from several servers is
//! registered, or what is silent outside fragments; formatting, symbols, folds, lenses, links and semantic tokens
//! stay with the other server.

use serde_json::{Value, json};

use super::{
    capabilities::Client,
    lsp_types::{Registration, Unregistration},
};

/// The languages in which documents hold PTX, by the identifiers of LSP.
pub const LANGUAGES: [&str; 7] = ["cuda-cpp", "cuda", "cpp", "c", "python", "rust", "llvm"];

/// The scheme of texts without a file.
const UNTITLED: &str = "untitled";

/// The methods that are registered, with their options.
fn methods() -> Vec<(&'static str, Value)> {
    vec![
        ("textDocument/didOpen", json!({})),
        ("textDocument/didChange", json!({ "syncKind": 2 })),
        ("textDocument/didSave", json!({ "includeText": false })),
        ("textDocument/didClose", json!({})),
        ("textDocument/hover", json!({})),
        (
            "textDocument/completion",
            json!({ "triggerCharacters": [".", "%", "$", "["], "resolveProvider": true }),
        ),
        (
            "textDocument/signatureHelp",
            json!({ "triggerCharacters": [" ", ","] }),
        ),
        ("textDocument/definition", json!({})),
        ("textDocument/references", json!({})),
        ("textDocument/documentHighlight", json!({})),
        ("textDocument/rename", json!({ "prepareProvider": true })),
        (
            "textDocument/codeAction",
            json!({ "codeActionKinds": ["quickfix", "refactor.rewrite", "refactor.extract"] }),
        ),
        ("textDocument/inlayHint", json!({})),
    ]
}

/// The schemes of documents that are edited: of files, of texts without a file, and of folders that are not on disk. Other
/// documents, such as the old side of a difference, are only shown.
fn schemes(client: &Client) -> Vec<&str> {
    let mut schemes = vec!["file", UNTITLED];
    for folder in &client.folders {
        if !schemes.contains(&folder.scheme()) {
            schemes.push(folder.scheme());
        }
    }
    schemes
}

fn id(method: &str) -> String {
    format!("ptx-analyzer/embedded/{method}")
}

/// The registrations for documents in other languages.
#[must_use]
pub fn embedded_registrations(client: &Client) -> Vec<Registration> {
    let mut selector = Vec::new();
    for scheme in schemes(client) {
        selector.extend(LANGUAGES.map(|it| json!({ "language": it, "scheme": scheme })));
        // Editors that do not know CUDA take these for plain text.
        if scheme != UNTITLED {
            selector.push(json!({ "pattern": "**/*.{cu,cuh}", "scheme": scheme }));
        }
    }
    let mut all = methods();
    if client.pull_diagnostics {
        let options = json!({
            "identifier": "ptx-analyzer",
            "interFileDependencies": false,
            "workspaceDiagnostics": false,
        });
        all.push(("textDocument/diagnostic", options));
    }
    all.into_iter()
        .map(|(method, mut options)| {
            options["documentSelector"] = json!(selector);
            Registration {
                id: id(method),
                method: method.to_owned(),
                register_options: Some(options),
            }
        })
        .collect()
}

/// The opposite of [`embedded_registrations`].
#[must_use]
pub fn embedded_unregistrations(client: &Client) -> Vec<Unregistration> {
    embedded_registrations(client)
        .into_iter()
        .map(|it| Unregistration {
            id: it.id,
            method: it.method,
        })
        .collect()
}
