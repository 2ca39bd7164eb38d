//! Whatever bytes come, the server neither fails nor hangs.

use serde_json::json;

use crate::client::{RpcError, TestServer};

/// Sends pieces of a stream to a server and closes the stream: it ends in time, with a status that
/// LSP knows, and no answer of it is an internal error.
pub fn check<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) {
    let mut server = TestServer::start();
    for piece in pieces {
        // After `exit` the server does not read.
        if !server.try_send_bytes(piece) {
            break;
        }
    }
    assert!(server.hang_up() <= 1);
    for message in server.rest() {
        let code = &message["error"]["code"];
        assert_ne!(*code, json!(RpcError::INTERNAL_ERROR), "{message}");
    }
}

/// A body of a message with its header.
#[must_use]
pub fn framed(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}
