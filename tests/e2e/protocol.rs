//! Messages that are wrong, and the server's calm about them.

use ptx_tests::client::{RpcError, TestServer, place};
use serde_json::{Value, json};

use crate::{KERNEL, URI};

#[track_caller]
fn still_works(server: &mut TestServer) {
    server.open(URI, KERNEL);
    assert!(server.hover(URI, 8, 14).contains("%r<4>"));
    server.close(URI);
}

#[test]
fn malformed_json_is_answered() {
    let mut server = TestServer::ready();
    let long = "[".repeat(100_000);
    for body in [
        "",
        "{",
        "nonsense",
        "{\"jsonrpc\":",
        "\"\\u12\"",
        "[}",
        "\0\0",
        "{'a':1}",
        &long,
    ] {
        server.send_body(body);
        let error = server.response(Value::Null).expect_err("an error");
        assert_eq!(error.code, RpcError::PARSE_ERROR, "{body:.20?}");
        still_works(&mut server);
    }
}

#[test]
fn json_that_is_no_message_is_answered() {
    let mut server = TestServer::ready();
    for body in ["1", "null", "\"x\"", "[]", "{}", "{\"a\":{\"b\":[1,2]}}"] {
        server.send_body(body);
        let error = server.response(Value::Null).expect_err("an error");
        assert_eq!(error.code, RpcError::INVALID_REQUEST, "{body}");
        still_works(&mut server);
    }
}

#[test]
fn a_request_without_a_method_is_answered() {
    let mut server = TestServer::ready();
    // Without an id an answer has no address.
    server.send_body(r#"{"jsonrpc":"2.0"}"#);
    server.send_body(r#"{"jsonrpc":"2.0","id":"x"}"#);
    let error = server.response("x").expect_err("an error");
    assert!(
        [RpcError::INVALID_REQUEST, RpcError::METHOD_NOT_FOUND].contains(&error.code),
        "{error:?}"
    );
    still_works(&mut server);
}

#[test]
fn bytes_that_are_no_message_are_skipped() {
    let garbage: [&[u8]; 5] = [
        b"\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: 99999999999999999999999\r\n\r\n",
        b"Hello: world\r\n\r\n",
        b"Content-Length: 2\r\n\r\n\xff\xfe",
    ];
    for bytes in garbage {
        let mut server = TestServer::ready();
        server.send_bytes(bytes);
        // Every one of them is reported, with no id to answer to.
        let error = server.response(Value::Null).expect_err("an error");
        assert_eq!(error.code, RpcError::PARSE_ERROR, "{bytes:?}");
        still_works(&mut server);
    }
}

#[test]
fn a_message_may_come_byte_by_byte() {
    let mut server = TestServer::ready();
    server.open(URI, KERNEL);
    let body = json!({
        "jsonrpc": "2.0", "id": "é", "method": "textDocument/hover", "params": place(URI, 8, 14),
    })
    .to_string();
    let message = format!(
        "Content-Type: x\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    for byte in message.as_bytes() {
        server.send_bytes(&[*byte]);
    }
    assert!(server.response("é").is_ok());
}

#[test]
fn unknown_methods_are_refused_or_ignored() {
    let mut server = TestServer::ready();
    for method in ["textDocument/unknown", "x", "", "$/unknown", "ptx/unknown"] {
        let error = server
            .request(method, json!({}))
            .expect_err("an unknown method");
        assert_eq!(error.code, RpcError::METHOD_NOT_FOUND, "{method}");
        server.notify(method, json!({}));
    }
    server.notify("$/setTrace", json!({ "value": "verbose" }));
    server.notify(
        "textDocument/didSave",
        json!({ "textDocument": { "uri": URI } }),
    );
    still_works(&mut server);
}

#[test]
fn wrong_parameters_are_refused() {
    let mut server = TestServer::ready();
    for params in [
        Value::Null,
        json!([]),
        json!({}),
        json!({ "textDocument": 1 }),
        json!({ "position": {} }),
    ] {
        let error = server
            .request("textDocument/hover", params.clone())
            .expect_err("no parameters");
        assert_eq!(error.code, RpcError::INVALID_PARAMS, "{params}");
        server.notify("textDocument/didOpen", params.clone());
        server.notify("textDocument/didChange", params.clone());
        server.notify("textDocument/didClose", params.clone());
        server.notify("workspace/didChangeConfiguration", params.clone());
        server.notify("workspace/didChangeWatchedFiles", params.clone());
        server.notify("$/cancelRequest", params);
    }
    still_works(&mut server);
}

#[test]
fn places_outside_the_document_have_no_answer() {
    let mut server = TestServer::ready();
    server.open(URI, KERNEL);
    for (line, column) in [(0, 9999), (9999, 0), (u32::MAX, u32::MAX), (14, 0)] {
        for method in [
            "hover",
            "definition",
            "declaration",
            "documentHighlight",
            "prepareRename",
        ] {
            let params = place(URI, line, column);
            let answer = server.request(&format!("textDocument/{method}"), params);
            let is_refusal = answer.as_ref().is_err_and(|it| it.code == -32803);
            assert!(is_refusal || answer.is_ok(), "{method}: {answer:?}");
        }
    }
    // A number that no position can have.
    let mut params = place(URI, 0, 0);
    params["position"]["line"] = json!(-1);
    let error = server
        .request("textDocument/hover", params)
        .expect_err("a negative line");
    assert_eq!(error.code, RpcError::INVALID_PARAMS);
}

#[test]
fn every_request_works_everywhere_in_every_state_of_a_document() {
    let mut server = TestServer::ready();
    for text in [
        "",
        "\n",
        "{",
        "\u{feff}",
        "// é",
        ".entry",
        KERNEL,
        &KERNEL[..200],
        // An answer nested as deeply is one that some clients cannot read.
        &format!(".entry k() {}", "{".repeat(1_000)),
    ] {
        server.open(URI, text);
        for (line, column) in [(0, 0), (0, 1), (3, 20), (8, 14), (99, 99)] {
            let at = place(URI, line, column);
            let with = |name: &str, value: Value| {
                let mut params = at.clone();
                params[name] = value;
                params
            };
            let range = json!({ "start": at["position"], "end": { "line": 10, "character": 3 } });
            let requests = [
                ("textDocument/hover", at.clone()),
                ("textDocument/definition", at.clone()),
                ("textDocument/declaration", at.clone()),
                (
                    "textDocument/references",
                    with("context", json!({ "includeDeclaration": true })),
                ),
                ("textDocument/documentHighlight", at.clone()),
                ("textDocument/prepareRename", at.clone()),
                ("textDocument/rename", with("newName", json!("%x"))),
                ("textDocument/codeAction", {
                    let mut params = with("range", range.clone());
                    params["context"] = json!({ "diagnostics": [] });
                    params
                }),
                ("textDocument/documentSymbol", at.clone()),
                ("textDocument/foldingRange", at.clone()),
                (
                    "textDocument/selectionRange",
                    with("positions", json!([at["position"]])),
                ),
                ("textDocument/semanticTokens/full", at.clone()),
                (
                    "textDocument/semanticTokens/full/delta",
                    with("previousResultId", json!("0")),
                ),
                (
                    "textDocument/semanticTokens/range",
                    with("range", range.clone()),
                ),
                ("textDocument/diagnostic", at.clone()),
                ("workspace/symbol", json!({ "query": "s" })),
                ("ptx/viewSyntaxTree", with("range", range)),
                ("ptx/serverStatus", Value::Null),
            ];
            for (method, params) in requests {
                match server.request(method, params) {
                    Ok(_) => {}
                    // Renaming what cannot be renamed is refused, with a reason.
                    Err(error) => {
                        assert!(
                            method.to_lowercase().contains("rename"),
                            "{method}: {error:?}"
                        );
                        assert_eq!(error.code, -32803, "{method}: {error:?}");
                        assert!(!error.message.is_empty());
                    }
                }
            }
        }
        server.close(URI);
    }
}

/// A client that shows pictures gets a drawing of ours with the hover; others get text alone.
#[test]
fn hovers_have_figures_where_they_are_shown() {
    let uri = "file:///k.ptx";
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .pred %p; .reg .b32 %r;\n\
                mbarrier.try_wait.parity.shared.b64 %p, [%r], 0;\nret;\n}\n";
    let hover = |experimental: Value, settings: Value| {
        let mut server = TestServer::start();
        server.initialize(json!({
            "capabilities": {
                "textDocument": { "hover": { "contentFormat": ["markdown"] } },
                "experimental": experimental,
            },
            "initializationOptions": settings,
        }));
        server.open(uri, text);
        let at =
            json!({ "textDocument": { "uri": uri }, "position": { "line": 5, "character": 2 } });
        let found = server.settled("textDocument/hover", &at);
        found["contents"]["value"]
            .as_str()
            .expect("a text")
            .to_owned()
    };
    let plain = hover(json!({}), json!({}));
    assert!(!plain.contains("data:"), "{plain}");
    let shown = hover(json!({ "hoverPictures": "dark" }), json!({}));
    let picture = shown.strip_prefix(&plain).expect("the same text first");
    assert!(
        picture.starts_with("\n\n![Phases of an mbarrier](data:image/svg+xml;base64,"),
        "{picture}"
    );
    let light = hover(json!({}), json!({ "hover": { "figures": "light" } }));
    assert!(light.starts_with(&plain) && light.len() > plain.len() && light != shown);
    let off = hover(
        json!({ "hoverPictures": "dark" }),
        json!({ "hover": { "figures": "off" } }),
    );
    assert_eq!(off, plain);
}
