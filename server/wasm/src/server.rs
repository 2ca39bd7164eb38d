//! A session of the language server.

use std::sync::Arc;

use session::{
    connection::{Connection, Waiting},
    host::Bare,
};
use wasm_bindgen::prelude::wasm_bindgen;

/// A session with one client.
#[wasm_bindgen]
pub struct Server(Connection);

#[wasm_bindgen]
impl Server {
    /// A session that waits for `initialize`.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Server {
        Server(Connection::new(Arc::new(Bare)))
    }

    /// Takes a message of the client; `step` works on it.
    pub fn receive(&mut self, message: &str) {
        self.0.receive(message);
    }

    /// The work that is left: 0 for none, 1 for diagnostics that may wait for a pause in typing, 2 for messages.
    #[must_use]
    pub fn waiting(&self) -> u8 {
        match self.0.waiting() {
            Waiting::Nothing => 0,
            Waiting::Diagnostics => 1,
            Waiting::Messages => 2,
        }
    }

    /// Does one thing of what is waiting, the most urgent, and returns the messages for the client.
    pub fn step(&mut self) -> Vec<String> {
        self.0.step()
    }

    /// Shows the diagnostics that were held back for unfinished statements; called when no edit came for a while.
    pub fn settle(&mut self) {
        self.0.settle();
    }
}

impl Default for Server {
    fn default() -> Self {
        Server::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_and_go_as_text() {
        let mut server = Server::new();
        assert_eq!(server.waiting(), 0);
        server.receive(
            r#"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"capabilities":{}}}"#,
        );
        assert_eq!(server.waiting(), 2);
        let said = server.step();
        assert!(said[0].starts_with(r#"{"jsonrpc":"2.0","id":"a","result":{"capabilities":"#));
        let document = r#"{"uri":"untitled:a.ptx","languageId":"ptx","version":7,"text":".version 8.0\n.target sm_90\n.entry k() { bar; }"}"#;
        server.receive(&format!(
            r#"{{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"textDocument":{document}}}}}"#
        ));
        let mut said = Vec::new();
        while server.waiting() > 0 {
            said.extend(server.step());
        }
        let [diagnostics] = said.as_slice() else {
            panic!("{said:#?}");
        };
        assert!(diagnostics.contains("\"method\":\"textDocument/publishDiagnostics\""));
        assert!(diagnostics.contains("\"version\":7"), "{diagnostics}");
        server.settle();
        assert_eq!(server.waiting(), 0);
    }
}
