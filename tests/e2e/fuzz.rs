//! Random messages in random order: every request is answered, and the server stays well.

use std::sync::LazyLock;

use ptx_tests::{
    client::{RpcError, TestServer, change},
    fixtures::{self, Fixture},
    fuzz::fuzz,
    mutate,
};
use serde_json::{Value, json};
use syntax::Document;

use crate::{KERNEL, URI, assert_text};

/// Sessions with a seed of their own.
const SESSIONS: u64 = 12;
/// Messages of each.
const MESSAGES: usize = 250;

const REQUESTS: [&str; 43] = [
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "codeLens/resolve",
    "ptx/sameSourceLine",
    "textDocument/codeLens",
    "textDocument/documentLink",
    "textDocument/inlayHint",
    "textDocument/prepareCallHierarchy",
    "textDocument/typeDefinition",
    "textDocument/implementation",
    "ptx/slice",
    "ptx/registerAccesses",
    "ptx/accesses",
    "ptx/costs",
    "ptx/kernelMap",
    "ptx/reading",
    "ptx/tryStatements",
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/declaration",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/codeAction",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/full/delta",
    "textDocument/semanticTokens/range",
    "textDocument/diagnostic",
    "textDocument/completion",
    "completionItem/resolve",
    "textDocument/signatureHelp",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/onTypeFormatting",
    "workspace/symbol",
    "ptx/viewSyntaxTree",
    "ptx/serverStatus",
    "initialize",
    "textDocument/unknown",
];

/// Documents, of which some are never opened.
fn uri(rng: &mut fastrand::Rng) -> String {
    match rng.u8(..10) {
        0 => "no uri".to_owned(),
        1 => "untitled:x".to_owned(),
        it => format!("file:///ptx-analyzer-tests/{}.ptx", it % 4),
    }
}

fn position(rng: &mut fastrand::Rng) -> (u32, u32) {
    let number = |rng: &mut fastrand::Rng| match rng.u8(..10) {
        0 => rng.u32(..),
        _ => rng.u32(..40),
    };
    let line = match rng.bool() {
        true => rng.u32(..200),
        false => number(rng),
    };
    (line, number(rng))
}

/// Parameters that suit every request, or nearly.
fn params(rng: &mut fastrand::Rng) -> Value {
    let at = position(rng);
    let place = json!({ "line": at.0, "character": at.1 });
    let mut params = json!({
        "textDocument": { "uri": uri(rng) },
        "position": place,
        "positions": [place],
        "range": change(at, position(rng), "")["range"],
        "context": {
            "includeDeclaration": rng.bool(), "diagnostics": [],
            "triggerKind": rng.u8(1..4), "isRetrigger": rng.bool(),
        },
        "newName": "%fresh",
        "query": "k",
        // Formatting, and an item of a completion.
        "options": { "tabSize": *rng.choice(&[0, 2, 8, u32::MAX]).expect("a width"), "insertSpaces": rng.bool() },
        "ch": *rng.choice(&[";", "}", "\n", "x"]).expect("a character"),
        "label": "add",
        "data": *rng.choice(&["instruction\tadd", "instruction\t", "modifier\tadd\tsat", "", "\t"]).expect("a key"),
        "previousResultId": rng.u8(..4).to_string(),
    });
    if rng.u8(..8) == 0 {
        let keys: Vec<String> = params
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect();
        params[rng.choice(keys).expect("a key")] = json!([null, -1, "x"])[rng.usize(..3)].clone();
    }
    params
}

fn text(rng: &mut fastrand::Rng) -> String {
    match rng.u8(..8) {
        0 | 1 => mutate::soup(rng, 50),
        2 => KERNEL.to_owned(),
        // So long that a worker parses it while other messages come.
        3 => format!("{KERNEL}{}", "// long\n".repeat(20_000)),
        _ => {
            let fixture = rng.choice(files()).expect("a fixture");
            let mut document = Document::new(fixture.text.clone());
            for _ in 0..rng.usize(..12) {
                let edit = mutate::edit(rng, document.text(), document.lines());
                document.apply(&edit).expect("the edit fits");
            }
            document.text().to_owned()
        }
    }
}

/// The fixtures, and the smaller files of the corpus if there is one.
fn files() -> &'static [Fixture] {
    static FILES: LazyLock<Vec<Fixture>> = LazyLock::new(|| {
        let mut files = fixtures::corpus();
        files.retain(|it| it.text.len() < 60_000);
        files.extend(fixtures::ptx());
        files
    });
    &FILES
}

/// Sends one message; the id when it wants an answer.
fn send(rng: &mut fastrand::Rng, server: &mut TestServer, sent: &[i64]) -> Option<i64> {
    let uri = uri(rng);
    match rng.u8(..16) {
        0 => server.open(&uri, &text(rng)),
        1 => server.close(&uri),
        2 => server.replace(&uri, &text(rng)),
        3..=6 => {
            let changes: Vec<Value> = (0..rng.usize(..4))
                .map(|_| change(position(rng), position(rng), &mutate::soup(rng, 2)))
                .collect();
            server.change(&uri, json!(changes));
        }
        7 => {
            let id = sent.get(rng.usize(..=sent.len())).copied();
            server.notify("$/cancelRequest", json!({ "id": id }));
        }
        8 => {
            let method = [
                "workspace/didChangeConfiguration",
                "workspace/didChangeWatchedFiles",
                "x",
            ];
            let params = params(rng);
            server.notify(method[rng.usize(..3)], params);
        }
        _ => {
            let params = params(rng);
            return Some(server.send_request(REQUESTS[rng.usize(..REQUESTS.len())], params));
        }
    }
    None
}

#[test]
fn random_sessions() {
    fuzz("sessions", SESSIONS, |rng| {
        let mut server = TestServer::ready();
        server.expect_problems_in_log();
        let mut sent = Vec::new();
        for _ in 0..MESSAGES {
            sent.extend(send(rng, &mut server, &sent));
        }
        for id in sent {
            // An answer of any kind will do, but not an internal error.
            if let Err(error) = server.response(id) {
                assert_ne!(error.code, RpcError::INTERNAL_ERROR, "{error:?}");
            }
        }
        server.open(URI, KERNEL);
        assert_text(&mut server, URI, KERNEL);
        assert!(server.hover(URI, 8, 14).contains("%r<4>"));
    });
}
