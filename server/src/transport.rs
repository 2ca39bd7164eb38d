//! Everything between the client's bytes and the handlers of [`Backend`].
//!
//! tower-lsp 0.20 does the framing, the routing and the cancellation of requests. What it leaves
//! open is done here, so that the rest of the server may rely on it:
//!
//! - Malformed input never ends the server ([`filter`]).
//! - Every handler runs up to its first `await` in wire order, because [`Guard`] polls it once
//!   inside `call`, which tower-lsp calls in wire order.
//! - A panic in a handler is answered with `-32603` and nothing else.
//! - `exit` ends [`serve`] even while the input stays open, as does the end of the client.
//! - A slow request never holds up other messages (`concurrency_level`).
//! - Diagnostics, which are sent at every keystroke, go to the client as the JSON that a worker has made of
//!   them ([`output`]); tower-lsp would read and write it once more.

mod client;
mod filter;
mod output;
mod parent;

use std::{
    future::Future,
    panic::AssertUnwindSafe,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use futures::FutureExt;
use serde_json::{Value, json};
use session::lsp::ext;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::{Notify, mpsc},
};
use tower_lsp::{
    LspService, Server,
    jsonrpc::{Error, Request, Response},
};
use tower_service::Service;
use tracing::{error, info};

use crate::{
    backend::{Backend, with_own_methods},
    state,
};

/// More requests than this in flight would hold up reading; no client gets near it.
const CONCURRENCY: usize = 4096;
/// How long answers that are already on their way may still be written after `exit`.
const FLUSH: Duration = Duration::from_millis(30);
/// How long runs of other programs may take to end and to remove their files.
const CLEANUP: Duration = Duration::from_secs(2);

/// Serves one client until it exits, disappears or closes its stream.
///
/// Returns the exit status for the process: 0 after an orderly `shutdown`, else 1. The caller
/// should end the process at once: a read of standard input may still be blocked.
pub async fn serve<R, W>(reader: R, writer: W) -> u8
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let lifecycle = Arc::new(Lifecycle::default());
    let (outgoing, queue) = mpsc::unbounded_channel();
    let state = state::spawn(outgoing);

    let backend_state = state.clone();
    let mut client = None;
    let builder = LspService::build(|handle| {
        client = Some(handle);
        Backend::new(backend_state)
    });
    let (service, socket) = with_own_methods(builder).finish();
    let output = output::Output::new(writer, lifecycle.clone());
    if let Some(client) = client {
        tokio::spawn(client::forward(
            client,
            output.share(),
            queue,
            state.clone(),
        ));
    }

    let guard = Guard {
        inner: service,
        lifecycle: lifecycle.clone(),
    };
    let serving = Server::new(filter::MessageFilter::new(reader), output, socket)
        .concurrency_level(CONCURRENCY)
        .serve(guard);
    // A panic of tower-lsp itself ends this connection and not the process.
    let mut serving = Box::pin(AssertUnwindSafe(serving).catch_unwind());
    tokio::select! {
        ended = &mut serving => match ended {
            Ok(()) => info!("the client closed the connection"),
            Err(_) => error!("the connection to the client broke"),
        },
        () = lifecycle.exit.notified() => {
            let _ = tokio::time::timeout(FLUSH, &mut serving).await;
        }
    }
    state.stop();
    // The process may end right after this, and other programs must not outlive it.
    let jobs = state.jobs().clone();
    let _ = tokio::task::spawn_blocking(move || jobs.close(CLEANUP)).await;
    u8::from(!lifecycle.is_shut_down())
}

/// The events on the wire.
#[derive(Default)]
struct Lifecycle {
    shutdown: AtomicBool,
    exit: Notify,
}

impl Lifecycle {
    fn is_shut_down(&self) -> bool {
        self.shutdown.load(Ordering::SeqCst)
    }
}

type Answer<E> = Pin<Box<dyn Future<Output = Result<Option<Response>, E>> + Send>>;

/// Layer around tower-lsp's service; see the module documentation.
struct Guard<S> {
    inner: S,
    lifecycle: Arc<Lifecycle>,
}

impl<S> Service<Request> for Guard<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = Answer<S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let id = request.id().cloned();
        let request = match request.method() {
            filter::PARSE_ERROR => return answer(id.map(|id| fail(id, Error::parse_error()))),
            filter::INVALID_REQUEST => {
                return answer(id.map(|id| fail(id, Error::invalid_request())));
            }
            "initialize" => {
                self.watch_parent(request.params());
                wrap_initialize(request)
            }
            "shutdown" => {
                self.lifecycle.shutdown.store(true, Ordering::SeqCst);
                without_params(request)
            }
            "exit" => {
                self.lifecycle.exit.notify_one();
                request
            }
            ext::SERVER_STATUS | ext::DID_GRANT_TRUST => without_params(request),
            // tower-lsp ignores what starts like this, but a request wants an answer.
            method if method.starts_with("$/") && id.is_some() => {
                return answer(id.map(|id| fail(id, Error::method_not_found())));
            }
            _ => request,
        };
        let method = request.method().to_owned();
        let mut future = Box::pin(AssertUnwindSafe(self.inner.call(request)).catch_unwind());
        let settle = move |result: Option<Result<Option<Response>, S::Error>>| {
            result.unwrap_or_else(|| {
                error!(method, "a handler panicked");
                Ok(id.map(|id| fail(id, Error::internal_error())))
            })
        };
        // The handler's synchronous prefix, which hands the message to the state thread, runs here
        // and now, in wire order, whatever order tower-lsp polls its futures in later.
        match future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(result) => Box::pin(std::future::ready(settle(result.ok()))),
            // The rest turns the answer into JSON, which for a large one would hold up tower-lsp's
            // only task. Dropping the handle does not stop it; tower-lsp cancels from inside.
            Poll::Pending => Box::pin(
                tokio::spawn(future)
                    .map(|joined| joined.ok().and_then(Result::ok))
                    .map(settle),
            ),
        }
    }
}

impl<S> Guard<S> {
    /// Ends the session when the process that the client says it is has ended.
    fn watch_parent(&self, params: Option<&Value>) {
        let Some(pid) = params
            .and_then(|params| params.get("processId"))
            .and_then(Value::as_u64)
            .and_then(|pid| u32::try_from(pid).ok())
        else {
            return;
        };
        let lifecycle = self.lifecycle.clone();
        tokio::spawn(async move {
            parent::ended(pid).await;
            lifecycle.exit.notify_one();
        });
    }
}

fn answer<E: Send + 'static>(response: Option<Response>) -> Answer<E> {
    Box::pin(std::future::ready(Ok(response)))
}

fn fail(id: tower_lsp::jsonrpc::Id, error: Error) -> Response {
    Response::from_error(id, error)
}

fn rebuild(request: Request, params: impl FnOnce(Option<Value>) -> Option<Value>) -> Request {
    let (method, id, old) = request.into_parts();
    let mut builder = Request::build(method);
    if let Some(params) = params(old) {
        builder = builder.params(params);
    }
    if let Some(id) = id {
        builder = builder.id(id);
    }
    builder.finish()
}

/// tower-lsp refuses `"params": null` for methods without parameters, which clients do send.
fn without_params(request: Request) -> Request {
    rebuild(request, |_| None)
}

/// Moves the parameters of `initialize` to where tower-lsp does not judge them.
///
/// The frozen `lsp-types` of tower-lsp refuse the whole request for one unknown value of one
/// capability. [`session::lsp::capabilities`] reads the raw JSON instead, leniently.
fn wrap_initialize(request: Request) -> Request {
    rebuild(request, |params| {
        Some(json!({ "capabilities": {}, "initializationOptions": params }))
    })
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

    use super::*;

    const INITIALIZE: &str =
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}}"#;
    const SHUTDOWN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"shutdown","params":null}"#;
    const EXIT: &str = r#"{"jsonrpc":"2.0","method":"exit"}"#;

    /// Sends messages without waiting and returns the exit status, once `end` has let it come.
    fn session(messages: &[&str], end: impl FnOnce(DuplexStream, DuplexStream) -> Streams) -> u8 {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_time()
            .build()
            .expect("a runtime");
        let (mut input, reader) = tokio::io::duplex(1 << 16);
        let (writer, output) = tokio::io::duplex(1 << 16);
        runtime.block_on(async {
            let serving = tokio::spawn(serve(reader, writer));
            for message in messages {
                let bytes = format!("Content-Length: {}\r\n\r\n{message}", message.len());
                input.write_all(bytes.as_bytes()).await.expect("a reader");
            }
            let kept = end(input, output);
            let status = tokio::time::timeout(Duration::from_secs(20), serving)
                .await
                .expect("an end in time")
                .expect("an end without a panic");
            drop(kept);
            status
        })
    }

    /// The documents that the client keeps open.
    type Streams = (Option<DuplexStream>, Option<DuplexStream>);

    #[test]
    fn exit_ends_while_the_input_stays_open() {
        let open = |input, output| (Some(input), Some(output));
        assert_eq!(session(&[INITIALIZE, SHUTDOWN, EXIT], open), 0);
        assert_eq!(session(&[INITIALIZE, EXIT], open), 1);
        assert_eq!(session(&[EXIT], open), 1);
    }

    #[test]
    fn the_end_of_the_input_ends() {
        let hang_up = |_, output| (None, Some(output));
        assert_eq!(session(&[INITIALIZE], hang_up), 1);
        assert_eq!(session(&[INITIALIZE, SHUTDOWN], hang_up), 0);
        assert_eq!(session(&[], hang_up), 1);
    }

    #[test]
    fn a_client_that_does_not_read_ends() {
        assert_eq!(session(&[INITIALIZE], |input, _| (Some(input), None)), 1);
    }

    #[test]
    fn answers_on_their_way_are_written_after_exit() {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let said = runtime.block_on(async {
            let (mut input, reader) = tokio::io::duplex(1 << 16);
            let (writer, mut output) = tokio::io::duplex(1 << 16);
            let serving = tokio::spawn(serve(reader, writer));
            for message in [INITIALIZE, SHUTDOWN, EXIT] {
                let bytes = format!("Content-Length: {}\r\n\r\n{message}", message.len());
                input.write_all(bytes.as_bytes()).await.expect("a reader");
            }
            serving.await.expect("no panic");
            let mut said = String::new();
            output.read_to_string(&mut said).await.expect("UTF-8");
            said
        });
        assert!(
            said.ends_with(r#"{"jsonrpc":"2.0","result":null,"id":1}"#),
            "{said}"
        );
    }

    fn request(body: &str) -> Request {
        body.parse().expect("a request")
    }

    #[test]
    fn null_params_are_dropped() {
        let request = without_params(request(
            r#"{"jsonrpc":"2.0","id":1,"method":"shutdown","params":null}"#,
        ));
        assert_eq!(request.params(), None);
        assert_eq!(request.id(), Some(&1i64.into()));
    }

    #[test]
    fn initialize_params_are_kept_raw() {
        let request = wrap_initialize(request(
            r#"{"jsonrpc":"2.0","id":"x","method":"initialize","params":{"trace":"loud"}}"#,
        ));
        assert_eq!(
            request.params(),
            Some(&json!({"capabilities": {}, "initializationOptions": {"trace": "loud"}}))
        );
    }
}
