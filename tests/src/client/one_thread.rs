//! A session on one thread after a stream.

use std::sync::Arc;

use run::statements::Statements;
use session::{
    connection::{Connection, Waiting},
    host::{Host, RunStatements},
};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use super::read_body;

/// A machine without files that runs statements, as the program does.
#[derive(Debug)]
struct Runner;

impl Host for Runner {
    fn run_statements(&self) -> Option<RunStatements> {
        Some(Statements::run)
    }
}

/// Does what the worker of a page does, and returns the exit status of a program at its end.
pub(super) async fn serve(
    mut reader: impl AsyncRead + Unpin,
    mut writer: impl AsyncWrite + Unpin,
) -> u8 {
    let mut connection = Connection::new(Arc::new(Runner));
    while let Some(body) = read_body(&mut reader).await {
        connection.receive(&String::from_utf8(body).expect("a message in UTF-8"));
        while connection.waiting() != Waiting::Nothing {
            for message in connection.step() {
                let header = format!("Content-Length: {}\r\n\r\n", message.len());
                let bytes = [header.as_bytes(), message.as_bytes()].concat();
                if writer.write_all(&bytes).await.is_err() {
                    return 1;
                }
            }
        }
        if let Some(status) = connection.exit_status() {
            return status;
        }
    }
    1
}
