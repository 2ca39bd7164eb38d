//! The way to the client, which may be closed at any time, and which two write to: tower-lsp, and
//! [`Output::notify`] for messages that are JSON already.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use futures::{FutureExt, future::BoxFuture};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::{Mutex, OwnedMutexGuard},
};
use tracing::warn;

use super::Lifecycle;

/// A writer of whole messages.
///
/// It ends the session when the client reads no longer. tower-lsp must not see the failure: it takes an
/// answer that it cannot write for impossible and panics. What is written afterwards is lost, as it has
/// to be.
pub(super) struct Output<W> {
    inner: Arc<Mutex<W>>,
    lifecycle: Arc<Lifecycle>,
    closed: bool,
    /// Held from the first byte of a message to its last one, and while it is flushed.
    turn: Turn<W>,
    message: Remaining,
}

enum Turn<W> {
    Others,
    Waiting(BoxFuture<'static, OwnedMutexGuard<W>>),
    Ours(OwnedMutexGuard<W>),
}

/// How much of a message was written.
#[derive(Debug, PartialEq)]
enum Remaining {
    /// The bytes of its header so far.
    Header(Vec<u8>),
    /// So many bytes of its body are to come.
    Body(usize),
}

impl<W> Output<W> {
    pub(super) fn new(inner: W, lifecycle: Arc<Lifecycle>) -> Self {
        Output::to(Arc::new(Mutex::new(inner)), lifecycle)
    }

    /// Another one that writes to the same place.
    pub(super) fn share(&self) -> Self {
        Output::to(self.inner.clone(), self.lifecycle.clone())
    }

    fn to(inner: Arc<Mutex<W>>, lifecycle: Arc<Lifecycle>) -> Self {
        Output {
            inner,
            lifecycle,
            closed: false,
            turn: Turn::Others,
            message: Remaining::start(),
        }
    }

    /// Turns a failure into the end of the session.
    fn settle<T>(&mut self, result: io::Result<T>, instead: T) -> T {
        result.unwrap_or_else(|error| {
            warn!(%error, "the client does not read any more");
            self.closed = true;
            self.lifecycle.exit.notify_one();
            instead
        })
    }
}

impl<W: AsyncWrite + Unpin + Send + 'static> Output<W> {
    /// Writes a notification, unless the session is over.
    pub(super) async fn notify(&mut self, json: &[u8]) {
        if self.lifecycle.is_shut_down() {
            return;
        }
        let header = format!("Content-Length: {}\r\n\r\n", json.len());
        // The failures end up in `settle`.
        let _ = self.write_all(header.as_bytes()).await;
        let _ = self.write_all(json).await;
        let _ = self.flush().await;
    }

    /// Waits until no other output is in the middle of a message.
    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<&mut W> {
        if matches!(self.turn, Turn::Others) {
            self.turn = Turn::Waiting(self.inner.clone().lock_owned().boxed());
        }
        if let Turn::Waiting(future) = &mut self.turn {
            self.turn = Turn::Ours(ready!(future.as_mut().poll(cx)));
        }
        match &mut self.turn {
            Turn::Ours(inner) => Poll::Ready(&mut **inner),
            Turn::Others | Turn::Waiting(_) => Poll::Pending,
        }
    }
}

impl<W: AsyncWrite + Unpin + Send + 'static> AsyncWrite for Output<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.closed {
            return Poll::Ready(Ok(bytes.len()));
        }
        // No byte of the next message before the turn for it.
        let bytes = &bytes[..self.message.fitting(bytes)];
        let inner = ready!(self.poll_turn(cx));
        let result = ready!(Pin::new(inner).poll_write(cx, bytes));
        let written = self.settle(result, bytes.len());
        if self.message.advance(&bytes[..written]) {
            self.turn = Turn::Others;
        }
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.closed {
            return Poll::Ready(Ok(()));
        }
        let inner = ready!(self.poll_turn(cx));
        let result = ready!(Pin::new(inner).poll_flush(cx));
        self.settle(result, ());
        if self.message == Remaining::start() {
            self.turn = Turn::Others;
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let inner = ready!(self.poll_turn(cx));
        let result = ready!(Pin::new(inner).poll_shutdown(cx));
        self.settle(result, ());
        self.turn = Turn::Others;
        Poll::Ready(Ok(()))
    }
}

impl Remaining {
    const END: &[u8] = b"\r\n\r\n";

    fn start() -> Remaining {
        Remaining::Header(Vec::new())
    }

    /// How many of the next bytes belong to the same part of the same message.
    fn fitting(&self, bytes: &[u8]) -> usize {
        match self {
            // A header may come in pieces, and is short.
            Remaining::Header(so_far) => {
                let mut header = so_far.clone();
                let end = bytes.iter().position(|it| {
                    header.push(*it);
                    header.ends_with(Remaining::END)
                });
                end.map_or(bytes.len(), |it| it + 1)
            }
            Remaining::Body(rest) => bytes.len().min(*rest),
        }
    }

    /// Notes that bytes were written that [fit](Remaining::fitting); `true` at the end of a message.
    fn advance(&mut self, bytes: &[u8]) -> bool {
        match self {
            Remaining::Header(header) => {
                header.extend_from_slice(bytes);
                if header.ends_with(Remaining::END) {
                    *self = Remaining::Body(length(header));
                }
            }
            Remaining::Body(rest) => *rest = rest.saturating_sub(bytes.len()),
        }
        let ended = *self == Remaining::Body(0);
        if ended {
            *self = Remaining::start();
        }
        ended
    }
}

/// The length of the body that a header announces.
fn length(header: &[u8]) -> usize {
    let header = String::from_utf8_lossy(header);
    header
        .lines()
        .find_map(|it| it.strip_prefix("Content-Length:")?.trim().parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    fn frame(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn messages_are_told_apart_in_pieces_of_any_size() {
        let text = frame("[]") + &frame("") + &frame("{\"a\":\"\\r\\n\\r\\n\"}");
        for size in 1..text.len() {
            let (mut message, mut ends) = (Remaining::start(), Vec::new());
            for piece in text.as_bytes().chunks(size) {
                let mut piece = piece;
                while !piece.is_empty() {
                    let (now, later) = piece.split_at(message.fitting(piece));
                    if message.advance(now) {
                        ends.push(text.len() - later.len());
                    }
                    piece = later;
                }
            }
            assert_eq!(ends.len(), 3, "{size}");
            assert_eq!(message, Remaining::start(), "{size}");
        }
    }

    #[test]
    fn messages_of_two_writers_do_not_mix() {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let read = runtime.block_on(async {
            // A slow reader, so that every write is one of a few bytes.
            let (writer, mut reader) = tokio::io::duplex(7);
            let mut ours = Output::new(writer, Arc::default());
            let mut theirs = ours.share();
            let one = tokio::spawn(async move {
                for _ in 0..50 {
                    ours.notify(br#"{"ours":1}"#).await;
                }
            });
            let two = tokio::spawn(async move {
                for _ in 0..50 {
                    let message = frame(r#"{"theirs":22}"#);
                    for piece in message.as_bytes().chunks(5) {
                        theirs.write_all(piece).await.expect("a reader");
                        tokio::task::yield_now().await;
                    }
                    theirs.flush().await.expect("a reader");
                }
            });
            let mut read = String::new();
            reader.read_to_string(&mut read).await.expect("UTF-8");
            one.await.expect("no panic");
            two.await.expect("no panic");
            read
        });
        let rest = read
            .replace(&frame(r#"{"ours":1}"#), "")
            .replace(&frame(r#"{"theirs":22}"#), "");
        assert_eq!((read.len(), &*rest), (50 * (32 + 35), ""));
    }
}
