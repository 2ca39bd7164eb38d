//! Questions of the client, from their arrival to their one answer.

use std::{
    any::Any,
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use analysis::CancellationToken;
use session::{
    Handler, Priority, Reads,
    lsp::lsp_types::Url,
    snapshot::{Answer, RequestError, Snapshot},
};
use tokio::sync::oneshot;
use tracing::error;

use super::{Event, StateHandle};

/// Links the future of a handler with the work on its answer.
#[derive(Default)]
pub(crate) struct CancelSlot {
    cancelled: AtomicBool,
    token: Mutex<Option<CancellationToken>>,
}

impl CancelSlot {
    /// Stops the work, begun or not. Does nothing when it is done.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        if let Some(token) = self.lock().take() {
            token.cancel();
        }
    }

    /// Makes the work on a snapshot stoppable; `false` when it is already cancelled.
    pub(super) fn arm(&self, snapshot: &Snapshot) -> bool {
        *self.lock() = Some(snapshot.analysis.cancellation_token());
        !self.cancelled.load(Ordering::SeqCst)
    }

    /// Forgets the snapshot. The token is part of one; none may outlive its work.
    pub(super) fn disarm(&self) {
        self.lock().take();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<CancellationToken>> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that waits for its answer.
pub(crate) struct Request {
    pub(super) method: &'static str,
    pub(super) reads: Reads,
    pub(super) priority: Priority,
    pub(super) document: Option<Url>,
    /// Revision of the document when the question arrived; `None` before it has arrived.
    pub(super) revision: Option<Option<u64>>,
    pub(super) attempts: u32,
    pub(super) cancel: Arc<CancelSlot>,
    pub(super) responder: Box<dyn Responder>,
}

/// The typed part of a question.
pub(super) trait Responder: Send {
    /// Answers over a snapshot, or says why not; then the question is still open.
    fn run(&mut self, snapshot: &Snapshot) -> Result<(), RequestError>;
    /// Answers with an error.
    fn reject(&mut self, error: RequestError);
}

struct TypedResponder<P: 'static, R: 'static> {
    handler: &'static Handler<P, R>,
    params: P,
    reply: Option<oneshot::Sender<Answer<R>>>,
}

impl<P, R> TypedResponder<P, R> {
    fn answer(&mut self, answer: Answer<R>) {
        if let Some(reply) = self.reply.take() {
            // A closed channel means that the client took the question back.
            let _ = reply.send(answer);
        }
    }
}

impl<P: Send, R: Send> Responder for TypedResponder<P, R> {
    fn run(&mut self, snapshot: &Snapshot) -> Result<(), RequestError> {
        let answer = self.handler.answer(snapshot, &self.params)?;
        self.answer(Ok(answer));
        Ok(())
    }

    fn reject(&mut self, error: RequestError) {
        self.answer(Err(error));
    }
}

impl Request {
    pub(crate) fn new<P: Send + 'static, R: Send + 'static>(
        handler: &'static Handler<P, R>,
        params: P,
        reply: oneshot::Sender<Answer<R>>,
        cancel: Arc<CancelSlot>,
    ) -> Request {
        Request {
            method: handler.method,
            reads: handler.reads,
            priority: handler.priority,
            document: (handler.document)(&params).map(|it| it.uri.clone()),
            revision: None,
            attempts: 0,
            cancel,
            responder: Box::new(TypedResponder {
                handler,
                params,
                reply: Some(reply),
            }),
        }
    }

    pub(crate) fn method(&self) -> &'static str {
        self.method
    }

    /// The document that the answer is about.
    pub(super) fn document(&self) -> Option<&Url> {
        self.document.as_ref()
    }

    /// The files that the answer depends on.
    pub(super) fn reads(&self) -> Reads {
        self.reads
    }

    /// Notes which revision of its document the question is about; only the first call counts.
    pub(super) fn arrive(&mut self, revision: Option<u64>) {
        self.revision.get_or_insert(revision);
    }

    /// Answers that the document changed meanwhile.
    pub(super) fn interrupt(mut self) {
        // Clients stop asking for diagnostics unless told to continue.
        let error = match self.method {
            "textDocument/diagnostic" => RequestError::ServerCancelled,
            _ => RequestError::ContentModified,
        };
        self.responder.reject(error);
    }

    /// Runs on a worker.
    pub(super) fn run(mut self, snapshot: Snapshot, events: &StateHandle) {
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| self.responder.run(&snapshot)));
        // The state thread may be waiting for it.
        drop(snapshot);
        self.cancel.disarm();
        match result {
            Ok(Ok(())) => {}
            Ok(Err(RequestError::ContentModified)) => {
                events.send(Event::Interrupted(Box::new(self)));
            }
            Ok(Err(error)) => self.responder.reject(error),
            Err(panic) => {
                let reason = panic_message(&*panic);
                error!(
                    method = self.method,
                    document = self.document.as_ref().map(Url::as_str),
                    reason,
                    "a request panicked"
                );
                let text = format!("internal error in {}: {reason}", self.method);
                self.responder.reject(RequestError::Internal(text));
            }
        }
    }
}

/// The text of a panic.
pub(super) fn panic_message(panic: &(dyn Any + Send)) -> &str {
    if let Some(text) = panic.downcast_ref::<&str>() {
        text
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text
    } else {
        "unknown panic"
    }
}
