//! The program itself, over standard input and output.

use ptx_tests::{binary, client::TestServer};
use serde_json::{Value, json};

use crate::{KERNEL, URI, assert_text};

#[test]
fn the_program_serves_over_standard_input_and_output() {
    let program = binary::build("dev");
    for arguments in [vec![], vec!["lsp"], vec!["lsp", "--stdio"], vec!["--stdio"]] {
        let mut server = TestServer::spawn(&program, &arguments);
        server.initialize(json!({ "processId": std::process::id(), "capabilities": {} }));
        server.open(URI, KERNEL);
        assert!(server.hover(URI, 8, 14).contains("%r<4>"));
        server.edit(URI, (12, 8), (12, 13), "nowhere");
        assert_eq!(server.diagnostics(URI).len(), 1);
        assert_text(
            &mut server,
            URI,
            &KERNEL.replace("bra again", "bra nowhere"),
        );
    }

    // The ways in which it ends, with its input open and without.
    let mut server = TestServer::spawn(&program, &[]);
    server.initialize(json!({ "capabilities": {} }));
    assert_eq!(server.request("shutdown", Value::Null), Ok(Value::Null));
    server.notify("exit", Value::Null);
    assert_eq!(server.exit_status(), 0);
    let mut server = TestServer::spawn(&program, &[]);
    server.initialize(json!({ "capabilities": {} }));
    server.notify("exit", Value::Null);
    assert_eq!(server.exit_status(), 1);
    assert_eq!(TestServer::spawn(&program, &[]).hang_up(), 1);
}
