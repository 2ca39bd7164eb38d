//! The methods of LSP: each hands its message to the state thread and waits for the answer.
//!
//! The first statement of every method sends, before any `await`, because the synchronous prefixes
//! of the methods run in wire order (see [`crate::transport`]) and the rest does not.

use std::sync::Arc;

use serde_json::Value;
use session::{
    Handler,
    lsp::{
        capabilities::{Client, initialize_result},
        ext::*,
    },
    requests::{self, LensTextParams},
    snapshot::RequestError,
};
use tokio::sync::oneshot;
use tower_lsp::{
    LanguageServer, LspServiceBuilder, async_trait,
    jsonrpc::{Error, ErrorCode, Result},
    lsp_types::*,
};

use crate::state::{CancelSlot, Event, Request, StateHandle};

/// tower-lsp's view of the server.
pub(crate) struct Backend {
    state: StateHandle,
}

impl Backend {
    pub(crate) fn new(state: StateHandle) -> Self {
        Backend { state }
    }

    /// Sends a request to the state thread, now, and returns a future for its answer.
    fn request<P, R>(
        &self,
        handler: &'static Handler<P, R>,
        params: P,
    ) -> impl Future<Output = Result<R>> + Send + use<P, R>
    where
        P: Send + 'static,
        R: Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let cancel = Arc::new(CancelSlot::default());
        let request = Request::new(handler, params, reply, cancel.clone());
        self.state.send(Event::Request(Box::new(request)));
        let guard = CancelOnDrop(cancel);
        async move {
            let answer = answer.await;
            drop(guard);
            match answer {
                Ok(answer) => answer.map_err(to_error),
                Err(_) => Err(Error::internal_error()),
            }
        }
    }

    fn begin(&self, params: InitializeParams) -> InitializeResult {
        // The transport keeps the whole raw parameters here.
        let client = Client::new(&params.initialization_options.unwrap_or_default());
        let result = initialize_result(&client);
        self.state.send(Event::Initialize(Box::new(client)));
        result
    }

    async fn execute(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        if let Some(lens) = LensTextParams::new(&params.command, &params.arguments) {
            if let Some(text) = self.request(requests::lens_text(), lens).await? {
                self.state.send(Event::ShowMessage(text));
            }
            return Ok(None);
        }
        if params.command != RUN_PTXAS {
            return Err(Error::invalid_params("there is no such command"));
        }
        let uri = params.arguments.first().and_then(Value::as_str);
        let uris = match uri.map(Url::parse) {
            Some(Ok(uri)) => vec![uri],
            Some(Err(_)) => return Err(Error::invalid_params("the argument is not a URI")),
            None => {
                let (reply, answer) = oneshot::channel();
                self.state.send(Event::OpenUris(reply));
                answer.await.map_err(|_| Error::internal_error())?
            }
        };
        let runs: Vec<_> = uris
            .into_iter()
            .map(|it| self.run_ptxas_on(it, None))
            .collect();
        let mut results = Vec::new();
        for run in runs {
            let result = run.await?;
            // Editors show what a request of theirs brings, but not the result of a command.
            self.state.send(Event::ShowMessage(result.to_string()));
            results.push(result);
        }
        serde_json::to_value(results)
            .map(Some)
            .map_err(|_| Error::internal_error())
    }

    /// `ptx/testPanic`.
    #[cfg(debug_assertions)]
    async fn test_panic(&self, params: requests::TestPanicParams) -> Result<()> {
        assert!(!params.early, "a test asked for this");
        self.request(&requests::TEST_PANIC, params).await
    }

    /// `ptx/runPtxas`.
    async fn run_ptxas(&self, params: RunPtxasParams) -> Result<RunPtxas> {
        self.run_ptxas_on(params.text_document.uri, params.target)
            .await
    }

    /// Sends the wish to the state thread, now.
    fn run_ptxas_on(
        &self,
        uri: Url,
        target: Option<String>,
    ) -> impl Future<Output = Result<RunPtxas>> + Send + use<> {
        let (reply, answer) = oneshot::channel();
        self.state.send(Event::RunPtxas(uri, target, reply));
        async move {
            match answer.await {
                Ok(answer) => answer.map_err(to_error),
                Err(_) => Err(Error::internal_error()),
            }
        }
    }

    /// `ptx/didGrantTrust`.
    async fn did_grant_trust(&self) {
        self.state.send(Event::Trusted);
    }

    /// `window/workDoneProgress/cancel`.
    async fn cancel_progress(&self, params: WorkDoneProgressCancelParams) {
        self.state.send(Event::CancelProgress(params.token));
    }

    /// `ptx/serverStatus`.
    async fn server_status(&self) -> Result<ServerStatus> {
        let (reply, answer) = oneshot::channel();
        self.state.send(Event::Status(reply));
        answer.await.map_err(|_| Error::internal_error())
    }
}

/// tower-lsp drops the future of a request that the client cancels; this stops the work as well.
struct CancelOnDrop(Arc<CancelSlot>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn to_error(error: RequestError) -> Error {
    let retrigger = error == RequestError::ServerCancelled;
    Error {
        code: ErrorCode::from(error.code()),
        message: error.message().to_owned().into(),
        data: retrigger.then(|| serde_json::json!({ "retriggerRequest": true })),
    }
}

/// The methods of LSP that are not in the list of requests are here in full; the others are made from the list, as
/// are those of our own.
macro_rules! methods {
    (
        lsp { $($lsp:ident($lsp_params:ty) -> $lsp_result:ty = $_lsp:path;)* }
        own { $($own:ident($own_params:ty) -> $own_result:ty = $_own:path;)* }
    ) => {
        #[async_trait]
        impl LanguageServer for Backend {
            async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
                Ok(self.begin(params))
            }

            async fn initialized(&self, _: InitializedParams) {
                self.state.send(Event::Initialized);
            }

            async fn shutdown(&self) -> Result<()> {
                self.state.send(Event::Shutdown);
                Ok(())
            }

            async fn did_open(&self, params: DidOpenTextDocumentParams) {
                self.state.send(Event::Open(params));
            }

            async fn did_change(&self, params: DidChangeTextDocumentParams) {
                self.state.send(Event::Change(params));
            }

            async fn did_close(&self, params: DidCloseTextDocumentParams) {
                self.state.send(Event::Close(params));
            }

            async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
                self.state
                    .send(Event::ConfigurationChanged(params.settings));
            }

            async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
                self.state.send(Event::FilesChanged(params.changes));
            }

            async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
                self.state.send(Event::FoldersChanged(params.event));
            }

            async fn did_save(&self, params: DidSaveTextDocumentParams) {
                self.state.send(Event::Saved(params.text_document.uri));
            }

            async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
                self.execute(params).await
            }

            $(
                async fn $lsp(&self, params: $lsp_params) -> Result<$lsp_result> {
                    self.request(requests::$lsp(), params).await
                }
            )*
        }

        impl Backend {
            $(
                async fn $own(&self, params: $own_params) -> Result<$own_result> {
                    self.request(requests::$own(), params).await
                }
            )*
        }

        fn with_own_requests(builder: LspServiceBuilder<Backend>) -> LspServiceBuilder<Backend> {
            builder$(.custom_method(requests::$own().method, Backend::$own))*
        }
    };
}

session::requests!(methods);

/// Adds the methods that LSP does not have.
pub(crate) fn with_own_methods(builder: LspServiceBuilder<Backend>) -> LspServiceBuilder<Backend> {
    let builder = with_own_requests(builder)
        .custom_method(RUN_PTXAS, Backend::run_ptxas)
        .custom_method(DID_GRANT_TRUST, Backend::did_grant_trust)
        .custom_method(CANCEL_PROGRESS, Backend::cancel_progress)
        .custom_method(SERVER_STATUS, Backend::server_status);
    #[cfg(debug_assertions)]
    let builder = builder.custom_method(requests::TEST_PANIC_METHOD, Backend::test_panic);
    builder
}
