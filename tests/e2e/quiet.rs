//! Problems that exist only because a statement is not finished wait until the edits have left it.

#![expect(clippy::print_stdout, reason = "the shares are what one wants to know")]

use ptx_tests::client::TestServer;
use serde_json::{Value, json};

use crate::{KERNEL, URI};

/// A client with the settings of a new user.
fn writer(capabilities: Value) -> TestServer {
    let mut server = TestServer::start();
    server.initialize(json!({
        "capabilities": capabilities,
        "initializationOptions": { "diagnostics": { "quietWhileTyping": true, "debounce": 0 } },
    }));
    server
}

/// The lines on which there is something wrong.
fn lines(diagnostics: &[Value]) -> Vec<u64> {
    diagnostics
        .iter()
        .filter_map(|it| it["range"]["start"]["line"].as_u64())
        .collect()
}

#[test]
fn an_unfinished_statement_is_told_after_a_pause() {
    let mut server = writer(json!({}));
    server.open(URI, KERNEL);
    assert_eq!(lines(&server.diagnostics(URI)), [0; 0]);
    server.edit(URI, (10, 4), (10, 4), "add.s32 %r2, %r1\n    ");
    server.edit(URI, (10, 20), (10, 20), ", %r");
    assert_eq!(lines(&server.diagnostics(URI)), [0; 0]);
    // Nothing else happens, and then it is told.
    assert_eq!(lines(&server.diagnostics(URI)), [10]);
}

#[test]
fn leaving_the_statement_tells_it_at_once() {
    let mut server = writer(json!({}));
    server.open(URI, KERNEL);
    assert_eq!(lines(&server.diagnostics(URI)), [0; 0]);
    server.edit(URI, (10, 23), (10, 24), "");
    assert_eq!(lines(&server.diagnostics(URI)), [0; 0]);
    server.edit(URI, (2, 16), (2, 16), " ");
    assert_eq!(lines(&server.diagnostics(URI)), [10]);
}

#[test]
fn saving_tells_everything() {
    let mut server = writer(json!({}));
    server.open(URI, KERNEL);
    assert_eq!(lines(&server.diagnostics(URI)), [0; 0]);
    server.edit(URI, (10, 23), (10, 24), "");
    assert_eq!(lines(&server.diagnostics(URI)), [0; 0]);
    server.notify(
        "textDocument/didSave",
        json!({ "textDocument": { "uri": URI } }),
    );
    assert_eq!(lines(&server.diagnostics(URI)), [10]);
}

#[test]
fn clients_that_ask_are_told_to_ask_again() {
    let mut server = writer(json!({
        "textDocument": { "diagnostic": {} },
        "workspace": { "diagnostics": { "refreshSupport": true } },
    }));
    server.open(URI, KERNEL);
    assert_eq!(lines(&server.pull_diagnostics(URI)), [0; 0]);
    server.edit(URI, (10, 23), (10, 24), "");
    assert_eq!(lines(&server.pull_diagnostics(URI)), [0; 0]);
    while !(server.server_requests.iter()).any(|it| it == "workspace/diagnostic/refresh") {
        server.has_notification("");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(lines(&server.pull_diagnostics(URI)), [10]);
}

#[test]
fn whoever_cannot_be_told_later_is_told_at_once() {
    let mut server = writer(json!({ "textDocument": { "diagnostic": {} } }));
    server.open(URI, KERNEL);
    server.edit(URI, (10, 23), (10, 24), "");
    assert_eq!(lines(&server.pull_diagnostics(URI)), [10]);
}

/// Every line of a right file is written again, key by key.
#[test]
fn typing_what_is_right_is_calm() {
    let mut server = writer(json!({}));
    server.open(URI, KERNEL);
    assert_eq!(lines(&server.diagnostics(URI)), [0; 0]);
    let (mut keys, mut own, mut others) = (0, 0, Vec::new());
    for (number, line) in (0..).zip(KERNEL.lines()) {
        let length = u32::try_from(line.len()).expect("a short line");
        server.edit(URI, (number, 0), (number, length), "");
        server.diagnostics(URI);
        for (column, key) in (0..).zip(line.chars()) {
            server.edit(URI, (number, column), (number, column), &key.to_string());
            keys += 1;
            for found in lines(&server.diagnostics(URI)) {
                match found == u64::from(number) {
                    true => own += 1,
                    false => others.push((number, column, found)),
                }
            }
        }
    }
    println!(
        "{keys} keys, {own} problems in the line itself, {} in others",
        others.len()
    );
    // A machine that stands still for a second between two keys lets everything be told.
    assert!(others.len() * 50 <= keys, "{keys} keys: {others:?}");
    assert!(own * 4 <= keys, "{own} of {keys}");
}
