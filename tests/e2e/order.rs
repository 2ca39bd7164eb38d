//! Order of messages, cancellation and isolation of requests.

use std::time::{Duration, Instant};

use ptx_tests::{
    client::{RpcError, TestServer, hover_text, place},
    generate,
};
use serde_json::json;

use crate::{KERNEL, URI, assert_text};

/// Line and column of a register's use, and of the number in its declaration, in [`KERNEL`].
const USE: (u32, u32) = (8, 14);
const COUNT: (u32, u32) = (5, 17);

#[test]
fn four_hundred_messages_keep_their_order() {
    let mut server = TestServer::ready();
    server.open(URI, KERNEL);
    let mut requests = Vec::new();
    let mut digits = 1;
    for count in 100..300_u32 {
        let end = (COUNT.0, COUNT.1 + digits);
        server.edit(URI, COUNT, end, &count.to_string());
        digits = 3;
        requests.push((
            count,
            server.send_request("textDocument/hover", place(URI, USE.0, USE.1)),
        ));
    }
    let mut answered = 0;
    for (count, id) in requests {
        match server.response(id) {
            // Whatever is answered is an answer about the text before the request.
            Ok(hover) => {
                let text = hover_text(&hover);
                assert!(text.contains(&format!("%r<{count}>")), "{count}: {text}");
                answered += 1;
            }
            Err(error) => assert_eq!(error.code, RpcError::CONTENT_MODIFIED, "{error:?}"),
        }
    }
    assert!(0 < answered, "the last request has no change after it");
    assert_text(&mut server, URI, &KERNEL.replace("%r<4>", "%r<299>"));
}

#[test]
fn every_request_is_answered_about_its_own_text() {
    let mut server = TestServer::ready();
    server.open(URI, KERNEL);
    let mut digits = 1;
    for count in 100..200_u32 {
        server.edit(URI, COUNT, (COUNT.0, COUNT.1 + digits), &count.to_string());
        digits = 3;
        let text = server.hover(URI, USE.0, USE.1);
        assert!(text.contains(&format!("%r<{count}>")), "{count}: {text}");
    }
}

#[test]
fn documents_do_not_mix() {
    let mut server = TestServer::ready();
    let uris: Vec<String> = (0..20)
        .map(|it| format!("file:///ptx-analyzer-tests/{it}.ptx"))
        .collect();
    for (index, uri) in uris.iter().enumerate() {
        server.open(
            uri,
            &KERNEL.replace("%r<4>", &format!("%r<{}>", 100 + index)),
        );
    }
    for (index, uri) in uris.iter().enumerate() {
        assert!(
            server
                .hover(uri, USE.0, USE.1)
                .contains(&format!("%r<{}>", 100 + index))
        );
    }
}

#[test]
fn a_running_request_can_be_cancelled() {
    let mut server = TestServer::ready();
    server.open(URI, &generate::module(2 << 20));
    let params = json!({ "textDocument": { "uri": URI } });
    for method in [
        "textDocument/documentSymbol",
        "textDocument/semanticTokens/full",
    ] {
        // Once this is answered, everything before it has been read from the stream.
        assert!(server.request("ptx/unknown", json!({})).is_err());
        let id = server.send_request(method, params.clone());
        server.notify("$/cancelRequest", json!({ "id": id }));
        let start = Instant::now();
        let error = server.response(id).expect_err("a cancelled request fails");
        assert_eq!(error.code, RpcError::REQUEST_CANCELLED, "{method}");
        // The document is still being read; the answer does not wait for that.
        let time = start.elapsed();
        assert!(time < Duration::from_millis(500), "{method}: {time:?}");
    }
    // The server is none the worse for it.
    let symbols = server.settled("textDocument/documentSymbol", &params);
    assert!(!symbols.as_array().expect("a list").is_empty());
}

#[test]
fn opening_a_long_document_keeps_the_order() {
    let mut server = TestServer::ready();
    let long = format!("{KERNEL}{}", "// long\n".repeat(60_000));
    for round in 0..3 {
        server.open(URI, &long);
        server.edit(URI, COUNT, (COUNT.0, COUNT.1 + 1), "66");
        let hover = server.send_request("textDocument/hover", place(URI, USE.0, USE.1));
        server.edit(URI, COUNT, (COUNT.0, COUNT.1 + 2), "77");
        if round == 1 {
            server.close(URI);
            server.open(URI, &long);
            server.edit(URI, COUNT, (COUNT.0, COUNT.1 + 1), "77");
        }
        match server.response(hover) {
            Ok(hover) => assert!(hover_text(&hover).contains("%r<66>"), "{hover}"),
            Err(error) => assert_eq!(error.code, RpcError::CONTENT_MODIFIED, "{error:?}"),
        }
        assert_text(&mut server, URI, &long.replace("%r<4>", "%r<77>"));
        server.close(URI);
    }
}

#[test]
fn cancelling_what_is_not_there_does_nothing() {
    let mut server = TestServer::ready();
    server.open(URI, KERNEL);
    for id in [json!(0), json!(999), json!("x")] {
        server.notify("$/cancelRequest", json!({ "id": id }));
    }
    let id = server.send_request("textDocument/hover", place(URI, USE.0, USE.1));
    assert!(server.response(id).is_ok());
    server.notify("$/cancelRequest", json!({ "id": id }));
    assert!(server.hover(URI, USE.0, USE.1).contains("%r<4>"));
}

#[test]
fn an_edit_is_not_held_up_by_slow_requests() {
    let mut server = TestServer::ready();
    let text = generate::module(1 << 20);
    server.open(URI, &text);
    let other = "file:///ptx-analyzer-tests/b.ptx";
    server.open(other, KERNEL);
    assert!(server.hover(other, USE.0, USE.1).contains("%r<4>"));
    let params = json!({ "textDocument": { "uri": URI } });
    let slow: Vec<i64> = (0..8)
        .map(|_| server.send_request("textDocument/semanticTokens/full", params.clone()))
        .collect();
    server.edit(other, COUNT, (COUNT.0, COUNT.1 + 1), "77");
    assert!(server.hover(other, USE.0, USE.1).contains("%r<77>"));
    for id in slow {
        match server.response(id) {
            Ok(tokens) => assert!(!tokens["data"].as_array().expect("a list").is_empty()),
            Err(error) => assert_eq!(error.code, RpcError::CONTENT_MODIFIED, "{error:?}"),
        }
    }
}

/// `ptx/testPanic` exists in debug builds only.
#[cfg(debug_assertions)]
#[test]
fn a_panic_fails_one_request_only() {
    let mut server = TestServer::ready();
    server.open(URI, KERNEL);
    for early in [false, true].repeat(4) {
        let error = server
            .request("ptx/testPanic", json!({ "early": early }))
            .expect_err("it panics");
        assert_eq!(error.code, RpcError::INTERNAL_ERROR);
        assert!(server.hover(URI, USE.0, USE.1).contains("%r<4>"));
        server.edit(URI, (0, 0), (0, 0), "\n");
        server.edit(URI, (0, 0), (1, 0), "");
    }
    assert_text(&mut server, URI, KERNEL);
}
