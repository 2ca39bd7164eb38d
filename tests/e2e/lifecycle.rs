//! The life of a session, and the ways in which it ends.

use ptx_tests::client::{RpcError, TestServer, place};
use serde_json::{Value, json};

use crate::{KERNEL, URI};

fn code(answer: Result<Value, RpcError>) -> i64 {
    answer.expect_err("the request is refused").code
}

#[test]
fn exit_ends_the_server_while_its_input_stays_open() {
    let mut server = TestServer::ready();
    assert_eq!(server.request("shutdown", Value::Null), Ok(Value::Null));
    server.notify("exit", Value::Null);
    assert_eq!(server.exit_status(), 0);
}

#[test]
fn exit_without_shutdown_is_a_failure() {
    let mut server = TestServer::ready();
    server.notify("exit", Value::Null);
    assert_eq!(server.exit_status(), 1);
    let mut server = TestServer::start();
    server.notify("exit", Value::Null);
    assert_eq!(server.exit_status(), 1);
}

#[test]
fn the_end_of_the_input_ends_the_server() {
    assert_eq!(TestServer::start().hang_up(), 1);
    let mut server = TestServer::ready();
    server.open(URI, KERNEL);
    assert_eq!(server.hang_up(), 1);
    let mut server = TestServer::ready();
    assert_eq!(server.request("shutdown", Value::Null), Ok(Value::Null));
    assert_eq!(server.hang_up(), 0);
}

#[test]
fn the_input_may_end_in_the_middle_of_a_message() {
    for half in [
        "C",
        "Content-Length: 5",
        "Content-Length: 50\r\n\r\n",
        "Content-Length: 50\r\n\r\n{\"jso",
    ] {
        let mut server = TestServer::ready();
        server.open(URI, KERNEL);
        server.send_bytes(half.as_bytes());
        assert_eq!(server.hang_up(), 1, "{half:?}");
    }
}

#[test]
fn requests_before_initialize_are_refused() {
    let mut server = TestServer::start();
    // Documents are not the concern of a server that is not initialized.
    server.open(URI, KERNEL);
    let params = place(URI, 8, 14);
    assert_eq!(
        code(server.request("textDocument/hover", params.clone())),
        RpcError::SERVER_NOT_INITIALIZED
    );
    server.initialize(json!({ "capabilities": {} }));
    assert_eq!(
        server.request("textDocument/hover", params),
        Ok(Value::Null)
    );
}

#[test]
fn initialize_works_once() {
    let mut server = TestServer::ready();
    let again = server.request("initialize", json!({ "capabilities": {} }));
    assert_eq!(code(again), RpcError::INVALID_REQUEST);
    server.open(URI, KERNEL);
    assert!(server.hover(URI, 8, 14).contains("%r<4>"));
}

#[test]
fn requests_after_shutdown_are_refused() {
    let mut server = TestServer::ready();
    server.open(URI, KERNEL);
    assert_eq!(server.request("shutdown", Value::Null), Ok(Value::Null));
    server.edit(URI, (0, 0), (0, 0), "x");
    assert_eq!(
        code(server.request("textDocument/hover", place(URI, 8, 14))),
        RpcError::INVALID_REQUEST
    );
    assert_eq!(
        code(server.request("shutdown", Value::Null)),
        RpcError::INVALID_REQUEST
    );
    server.notify("exit", Value::Null);
    assert_eq!(server.exit_status(), 0);
}

#[test]
fn a_shutdown_does_not_wait_for_work() {
    let mut server = TestServer::ready();
    server.open(URI, &ptx_tests::generate::module(1 << 20));
    let params = json!({ "textDocument": { "uri": URI } });
    let slow: Vec<i64> = (0..4)
        .map(|_| server.send_request("textDocument/semanticTokens/full", params.clone()))
        .collect();
    assert_eq!(server.request("shutdown", Value::Null), Ok(Value::Null));
    for id in slow {
        // Each of them is answered, one way or another.
        let _ = server.response(id);
    }
    server.notify("exit", Value::Null);
    assert_eq!(server.exit_status(), 0);
}
