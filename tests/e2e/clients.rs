//! The first message of real clients, as they were recorded, and what is agreed on.

use ptx_tests::{
    client::TestServer,
    fixtures::{self, Fixture},
};
use serde_json::{Value, json};

use crate::{KERNEL, URI, assert_text};

/// Each client with the encoding it gets and whether it is sent problems unasked.
const AGREED: [(&str, &str, &str); 9] = [
    ("code-server-1.139.1.json", "utf-16", "pull"),
    ("eglot-1.17.30.json", "utf-32", "push"),
    ("helix-25.01.1.json", "utf-8", "push"),
    ("helix-25.07.1.json", "utf-8", "pull"),
    ("kate-22.12.json", "utf-16", "push"),
    ("neovim-0.10.4.json", "utf-16", "pull"),
    ("neovim-0.11.4.json", "utf-8", "pull"),
    ("neovim-0.12.4.json", "utf-8", "pull"),
    ("vim-ale-3.3.0.json", "utf-16", "push"),
];

fn params(fixture: &Fixture, root: &str) -> Value {
    serde_json::from_str(&fixture.text.replace("@ROOT@", root)).expect("a fixture in JSON")
}

#[test]
fn nine_clients_are_served() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().to_string_lossy().replace('\\', "/");
    std::fs::write(folder.path().join("b.ptx"), KERNEL).expect("a file in it");

    let recorded = fixtures::all("initialize", "json");
    let names: Vec<&str> = recorded.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, AGREED.map(|it| it.0));
    for (fixture, (name, encoding, diagnostics)) in recorded.iter().zip(AGREED) {
        let mut server = TestServer::start();
        let result = server.initialize(params(fixture, &root));
        assert_eq!(
            result["capabilities"]["positionEncoding"], encoding,
            "{name}"
        );
        let status = server
            .request("ptx/serverStatus", Value::Null)
            .expect("the status");
        assert_eq!(status["positionEncoding"], encoding, "{name}");
        assert_eq!(status["diagnostics"], diagnostics, "{name}");

        server.open(URI, &KERNEL.replace("bra again", "bra nowhere"));
        let found = match diagnostics {
            "pull" => server.pull_diagnostics(URI),
            _ => server.diagnostics(URI),
        };
        assert_eq!(found.len(), 1, "{name}: {found:#?}");
        assert_eq!(found[0]["code"], "undefined-label", "{name}");
        assert!(server.hover(URI, 8, 14).contains("%r<4>"), "{name}");
        server.edit(URI, (12, 8), (12, 15), "again");
        assert_text(&mut server, URI, KERNEL);
    }
}

#[test]
fn markdown_is_sent_to_those_who_can_show_it() {
    for (formats, kind) in [
        (json!(["markdown", "plaintext"]), "markdown"),
        (json!(["plaintext"]), "plaintext"),
        (Value::Null, "plaintext"),
    ] {
        let mut server = TestServer::with_capabilities(
            json!({ "textDocument": { "hover": { "contentFormat": formats } } }),
        );
        server.open(URI, KERNEL);
        let hover = server.settled("textDocument/hover", &ptx_tests::client::place(URI, 8, 14));
        assert_eq!(hover["contents"]["kind"], kind);
        let text = ptx_tests::client::hover_text(&hover);
        assert!(text.contains("%r<4>"), "{text}");
        assert_eq!(text.contains("```"), kind == "markdown", "{text}");
    }
}

#[test]
fn encodings_are_negotiated() {
    for (offered, agreed) in [
        (json!(["utf-8", "utf-16"]), "utf-8"),
        (json!(["utf-16", "utf-8"]), "utf-16"),
        (json!(["utf-32", "utf-16"]), "utf-32"),
        (json!(["utf-7", "utf-32"]), "utf-32"),
        (json!(["utf-7"]), "utf-16"),
        (json!([]), "utf-16"),
        (Value::Null, "utf-16"),
    ] {
        let mut server = TestServer::start();
        let capabilities = json!({ "general": { "positionEncodings": offered } });
        let result = server.initialize(json!({ "capabilities": capabilities }));
        assert_eq!(
            result["capabilities"]["positionEncoding"], agreed,
            "{offered}"
        );
    }
}

#[test]
fn strange_parameters_of_initialize_are_read_with_patience() {
    for params in [
        json!({}),
        json!({ "capabilities": null }),
        json!({ "capabilities": { "textDocument": 7, "workspace": [], "general": "x" } }),
        json!({ "capabilities": {}, "trace": "loud", "processId": "me", "locale": 5 }),
        json!({ "capabilities": {}, "rootUri": "no uri", "workspaceFolders": [{ "uri": 1 }] }),
        json!({ "capabilities": {}, "initializationOptions": { "target": 8, "unknown": {} } }),
    ] {
        let mut server = TestServer::start();
        let result = server.initialize(params.clone());
        assert!(result["capabilities"].is_object(), "{params}");
        server.open(URI, KERNEL);
        assert!(server.hover(URI, 8, 14).contains("%r<4>"), "{params}");
        server.expect_problems_in_log();
    }
}
