//! The test client itself: it must notice what it promises to notice.

use std::panic::AssertUnwindSafe;

use ptx_tests::client::{TestServer, place};
use serde_json::{Value, json};

use crate::{KERNEL, URI};

/// The verdict of the client when it is dropped after `session`; `None` when it is content.
fn complaint(session: impl FnOnce(&mut TestServer)) -> Option<String> {
    let mut server = TestServer::ready();
    session(&mut server);
    let dropped = std::panic::catch_unwind(AssertUnwindSafe(move || drop(server)));
    dropped
        .err()
        .map(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_default())
}

#[test]
fn a_quiet_session_is_fine() {
    assert_eq!(complaint(|_| {}), None);
    assert_eq!(complaint(|server| server.open(URI, KERNEL)), None);
}

#[test]
fn answers_that_nobody_waited_for_are_noticed() {
    let complaint = complaint(|server| {
        server.open(URI, KERNEL);
        server.send_request("textDocument/hover", place(URI, 8, 14));
    });
    assert!(complaint.is_some_and(|it| it.contains("nobody asked for")));
}

#[test]
fn an_error_without_an_id_is_noticed() {
    let complaint = complaint(|server| server.send_body("{"));
    assert!(complaint.is_some_and(|it| it.contains("nobody asked for")));
}

#[test]
fn a_failed_shutdown_is_noticed() {
    let complaint = complaint(|server| {
        assert_eq!(server.request("shutdown", Value::Null), Ok(Value::Null));
    });
    assert!(complaint.is_some());
}

#[test]
fn requests_of_the_server_are_answered() {
    let mut server = TestServer::start();
    server.settings = json!({ "diagnostics": { "enable": false } });
    server.initialize(json!({
        "capabilities": { "workspace": { "configuration": true } },
    }));
    server.open(URI, "ret");
    // Diagnostics are off once the settings have arrived.
    while !server
        .server_requests
        .iter()
        .any(|it| it == "workspace/configuration")
    {
        server.has_notification("");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    server.replace(URI, "ret ");
    assert!(server.diagnostics(URI).is_empty());
}
