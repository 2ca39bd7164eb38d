//! The way to the client, which may be closed at any time.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tokio::io::AsyncWrite;
use tracing::warn;

use super::Lifecycle;

/// Ends the session when the client reads no longer.
///
/// tower-lsp must not see the failure: it takes an answer that it cannot write for impossible and
/// panics. What is written afterwards is lost, as it has to be.
pub(super) struct Output<W> {
    inner: W,
    lifecycle: Arc<Lifecycle>,
    closed: bool,
}

impl<W> Output<W> {
    pub(super) fn new(inner: W, lifecycle: Arc<Lifecycle>) -> Self {
        Output {
            inner,
            lifecycle,
            closed: false,
        }
    }

    /// Turns a failure into the end of the session.
    fn settle<T>(&mut self, result: Poll<io::Result<T>>, instead: T) -> Poll<io::Result<T>> {
        match result {
            Poll::Ready(Err(error)) => {
                warn!(%error, "the client does not read any more");
                self.closed = true;
                self.lifecycle.exit.notify_one();
                Poll::Ready(Ok(instead))
            }
            other => other,
        }
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Output<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.closed {
            return Poll::Ready(Ok(bytes.len()));
        }
        let result = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.settle(result, bytes.len())
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.closed {
            return Poll::Ready(Ok(()));
        }
        let result = Pin::new(&mut self.inner).poll_flush(cx);
        self.settle(result, ())
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.settle(result, ())
    }
}
