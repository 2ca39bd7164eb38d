//! Messages from the server to the client.

use std::{collections::VecDeque, pin::pin};

use serde::Serialize;
use serde_json::Value;
use session::config;
use tokio::{io::AsyncWrite, sync::mpsc::UnboundedReceiver};
use tower_lsp::{
    Client,
    lsp_types::{
        ConfigurationItem, WorkDoneProgressCreateParams,
        notification::{Notification, Progress, PublishDiagnostics},
        request::WorkDoneProgressCreate,
    },
};
use tracing::{debug, error, warn};

use super::output::Output;
use crate::{
    outgoing::Outgoing,
    state::{Event, StateHandle},
};

/// Sends messages in order until the state thread ends.
///
/// While the client does not read, diagnostics that newer ones have overtaken are dropped, so that
/// what waits for a slow client does not grow with every keystroke.
///
/// Each request gets a task of its own that waits for the answer forever: tower-lsp 0.20 panics
/// on an answer to a request whose future was dropped.
pub(super) async fn forward<W: AsyncWrite + Unpin + Send + 'static>(
    client: Client,
    mut output: Output<W>,
    mut queue: UnboundedReceiver<Outgoing>,
    state: StateHandle,
) {
    let mut waiting = VecDeque::new();
    loop {
        let message = match waiting.pop_front() {
            Some(message) => message,
            None => match queue.recv().await {
                Some(message) => message,
                None => return,
            },
        };
        let mut sending = pin!(send(&client, &mut output, message, &state));
        loop {
            tokio::select! {
                () = &mut sending => break,
                Some(message) = queue.recv() => queue_up(&mut waiting, message),
            }
        }
    }
}

fn queue_up(waiting: &mut VecDeque<Outgoing>, message: Outgoing) {
    if let Outgoing::Diagnostics(new) = &message {
        waiting.retain(|it| !matches!(it, Outgoing::Diagnostics(old) if old.uri == new.uri));
    }
    waiting.push_back(message);
}

async fn send<W: AsyncWrite + Unpin + Send + 'static>(
    client: &Client,
    output: &mut Output<W>,
    message: Outgoing,
    state: &StateHandle,
) {
    match message {
        Outgoing::Diagnostics(params) => match notification::<PublishDiagnostics>(&params) {
            Ok(json) => output.notify(&json).await,
            Err(error) => error!(%error, "diagnostics that are not JSON"),
        },
        Outgoing::Log(kind, text) => client.log_message(kind, text).await,
        Outgoing::Show(kind, text) => client.show_message(kind, text).await,
        Outgoing::Progress(params) => client.send_notification::<Progress>(params).await,
        request => {
            tokio::spawn(send_request(client.clone(), request, state.clone()));
        }
    }
}

/// A notification as JSON.
fn notification<N: Notification>(params: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    #[derive(Serialize)]
    struct JsonNotification<'a, P> {
        jsonrpc: &'static str,
        method: &'static str,
        params: &'a P,
    }
    serde_json::to_vec(&JsonNotification {
        jsonrpc: "2.0",
        method: N::METHOD,
        params,
    })
}

async fn send_request(client: Client, request: Outgoing, state: StateHandle) {
    let result = match request {
        Outgoing::CreateProgress(token) => client
            .send_request::<WorkDoneProgressCreate>(WorkDoneProgressCreateParams {
                token: token.clone(),
            })
            .await
            .map(|()| state.send(Event::ProgressCreated(token))),
        Outgoing::Configuration => {
            let item = ConfigurationItem {
                scope_uri: None,
                section: Some(config::SECTION.to_owned()),
            };
            let answer = client.configuration(vec![item]).await;
            let settings = answer
                .as_ref()
                .ok()
                .and_then(|items| items.first().cloned())
                .unwrap_or(Value::Null);
            state.send(Event::Configuration(settings));
            answer.map(drop)
        }
        Outgoing::Register(registrations) => client.register_capability(registrations).await,
        Outgoing::Unregister(registrations) => client.unregister_capability(registrations).await,
        Outgoing::RefreshDiagnostics => client.workspace_diagnostic_refresh().await,
        Outgoing::RefreshSemanticTokens => client.semantic_tokens_refresh().await,
        Outgoing::RefreshInlayHints => client.inlay_hint_refresh().await,
        Outgoing::RefreshCodeLenses => client.code_lens_refresh().await,
        notification => {
            debug!(?notification, "not a request");
            return;
        }
    };
    if let Err(error) = result {
        warn!(%error, "the client refused a request");
    }
}
