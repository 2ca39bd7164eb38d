//! The methods of LSP: each hands its message to the state thread and waits for the answer.
//!
//! The first statement of every method sends, before any `await`, because the synchronous prefixes
//! of the methods run in wire order (see [`crate::transport`]) and what follows does not.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::oneshot;
use tower_lsp::{
    LanguageServer, async_trait,
    jsonrpc::{Error, ErrorCode, Result},
    lsp_types::{
        CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
        CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
        CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, CompletionItem,
        CompletionParams, CompletionResponse, DidChangeConfigurationParams,
        DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
        DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
        DocumentDiagnosticParams, DocumentDiagnosticReportResult, DocumentFormattingParams,
        DocumentHighlight, DocumentHighlightParams, DocumentLink, DocumentLinkParams,
        DocumentOnTypeFormattingParams, DocumentRangeFormattingParams, DocumentSymbolParams,
        DocumentSymbolResponse, ExecuteCommandParams, FoldingRange, FoldingRangeParams,
        GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverParams, InitializeParams,
        InitializeResult, InitializedParams, InlayHint, InlayHintParams, Location,
        PrepareRenameResponse, ReferenceParams, RenameParams, SelectionRange, SelectionRangeParams,
        SemanticTokensDeltaParams, SemanticTokensFullDeltaResult, SemanticTokensParams,
        SemanticTokensRangeParams, SemanticTokensRangeResult, SemanticTokensResult, SignatureHelp,
        SignatureHelpParams, SymbolInformation, TextDocumentPositionParams, TextEdit, Url,
        WorkDoneProgressCancelParams, WorkspaceEdit, WorkspaceSymbolParams,
        request::{
            GotoDeclarationParams, GotoDeclarationResponse, GotoTypeDefinitionParams,
            GotoTypeDefinitionResponse,
        },
    },
};

use crate::{
    handlers::{
        Handler,
        annotations::{self, TellParams},
        calls, code_actions, completion, diagnostics, formatting, navigation, pressure, rename,
        source, structure, targets, tokens, words,
    },
    lsp::{
        capabilities::{Client, initialize_result},
        ext::{
            self, CompareTargetsParams, DrawingParams, ExplainParams, Explanation, FlowGraph,
            FromSourceLineParams, LiveRange, RegisterChart, Registers, RegistersParams, RunPtxas,
            RunPtxasParams, SameSourceLine, ServerStatus, TargetVerdict, ViewSyntaxTreeParams,
            Word, WordsParams,
        },
    },
    snapshot::RequestError,
    state::{CancelSlot, Event, Request, StateHandle},
};

/// tower-lsp's view of the server.
pub(crate) struct Backend {
    state: StateHandle,
}

impl Backend {
    pub(crate) fn new(state: StateHandle) -> Self {
        Backend { state }
    }

    /// Sends a request to the state thread, now, and returns a future for its answer.
    fn ask<P, R>(
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
        self.state.send(Event::Ask(Box::new(request)));
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

    /// `ptx/viewSyntaxTree`.
    pub(crate) async fn view_syntax_tree(
        &self,
        params: ViewSyntaxTreeParams,
    ) -> Result<Option<String>> {
        self.ask(&structure::VIEW_SYNTAX_TREE, params).await
    }

    /// `ptx/sameSourceLine`.
    pub(crate) async fn same_source_line(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<SameSourceLine>> {
        self.ask(&source::SAME_SOURCE_LINE, params).await
    }

    /// `ptx/registers`.
    pub(crate) async fn registers(&self, params: RegistersParams) -> Result<Option<Registers>> {
        self.ask(&pressure::REGISTERS, params).await
    }

    /// `ptx/registerChart`.
    pub(crate) async fn register_chart(
        &self,
        params: DrawingParams,
    ) -> Result<Option<RegisterChart>> {
        self.ask(&pressure::REGISTER_CHART, params).await
    }

    /// `ptx/flowGraph`.
    pub(crate) async fn flow_graph(&self, params: DrawingParams) -> Result<Option<FlowGraph>> {
        self.ask(&pressure::FLOW_GRAPH, params).await
    }

    /// `ptx/liveRange`.
    pub(crate) async fn live_range(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<LiveRange>> {
        self.ask(&pressure::LIVE_RANGE, params).await
    }

    /// `ptx/fromSourceLine`.
    pub(crate) async fn instructions_of_line(
        &self,
        params: FromSourceLineParams,
    ) -> Result<Vec<Location>> {
        self.ask(&source::FROM_SOURCE_LINE, params).await
    }

    /// `ptx/compareTargets`.
    pub(crate) async fn compare_targets(
        &self,
        params: CompareTargetsParams,
    ) -> Result<Vec<TargetVerdict>> {
        self.ask(&targets::COMPARE_TARGETS, params).await
    }

    /// `ptx/words`.
    pub(crate) async fn words(&self, params: WordsParams) -> Result<Vec<Word>> {
        self.ask(&words::WORDS, params).await
    }

    /// `ptx/explain`.
    pub(crate) async fn explain(&self, params: ExplainParams) -> Result<Vec<Explanation>> {
        self.ask(&words::EXPLAIN, params).await
    }

    /// `ptx/testPanic`.
    #[cfg(debug_assertions)]
    pub(crate) async fn test_panic(
        &self,
        params: crate::handlers::test_panic::TestPanicParams,
    ) -> Result<()> {
        assert!(!params.early, "a test asked for this");
        self.ask(&crate::handlers::test_panic::TEST_PANIC, params)
            .await
    }

    /// `ptx/runPtxas`.
    pub(crate) async fn run_ptxas(&self, params: RunPtxasParams) -> Result<RunPtxas> {
        self.run_ptxas_on(params.text_document.uri).await
    }

    /// Sends the wish to the state thread, now.
    fn run_ptxas_on(&self, uri: Url) -> impl Future<Output = Result<RunPtxas>> + Send + use<> {
        let (reply, answer) = oneshot::channel();
        self.state.send(Event::RunPtxas(uri, reply));
        async move {
            match answer.await {
                Ok(answer) => answer.map_err(to_error),
                Err(_) => Err(Error::internal_error()),
            }
        }
    }

    /// `ptx/didGrantTrust`.
    pub(crate) async fn did_grant_trust(&self) {
        self.state.send(Event::Trusted);
    }

    /// `window/workDoneProgress/cancel`.
    pub(crate) async fn cancel_progress(&self, params: WorkDoneProgressCancelParams) {
        self.state.send(Event::CancelProgress(params.token));
    }

    /// `ptx/serverStatus`.
    pub(crate) async fn server_status(&self) -> Result<ServerStatus> {
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
    let (code, message, data) = match error {
        RequestError::ContentModified => (
            ErrorCode::ContentModified,
            "the content of the document was modified".to_owned(),
            None,
        ),
        RequestError::ServerCancelled => (
            ErrorCode::ServerError(-32802),
            "the content of the document was modified".to_owned(),
            Some(serde_json::json!({ "retriggerRequest": true })),
        ),
        RequestError::Cancelled => (
            ErrorCode::RequestCancelled,
            "the request was cancelled".to_owned(),
            None,
        ),
        RequestError::Refused(reason) => (ErrorCode::ServerError(-32803), reason, None),
        RequestError::Internal(reason) => (ErrorCode::InternalError, reason, None),
    };
    Error {
        code,
        message: message.into(),
        data,
    }
}

#[async_trait]
impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        // The transport keeps the whole raw parameters here.
        let client = Client::new(&params.initialization_options.unwrap_or_default());
        let result = initialize_result(&client);
        self.state.send(Event::Initialize(Box::new(client)));
        Ok(result)
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
        if let Some(tell) = TellParams::new(&params.command, &params.arguments) {
            if let Some(text) = self.ask(&annotations::TELL, tell).await? {
                self.state.send(Event::Tell(text));
            }
            return Ok(None);
        }
        if params.command != ext::RUN_PTXAS {
            return Err(Error::invalid_params("there is no such command"));
        }
        let uri = params.arguments.first().and_then(Value::as_str);
        let uris = match uri.map(Url::parse) {
            Some(Ok(uri)) => vec![uri],
            Some(Err(_)) => return Err(Error::invalid_params("the argument is no URI")),
            None => {
                let (reply, answer) = oneshot::channel();
                self.state.send(Event::OpenUris(reply));
                answer.await.map_err(|_| Error::internal_error())?
            }
        };
        let runs: Vec<_> = uris.into_iter().map(|it| self.run_ptxas_on(it)).collect();
        let mut results = Vec::new();
        for run in runs {
            let result = run.await?;
            // Editors show what a request of theirs brings, but not the result of a command.
            self.state.send(Event::Tell(result.to_string()));
            results.push(result);
        }
        serde_json::to_value(results)
            .map(Some)
            .map_err(|_| Error::internal_error())
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        self.ask(&navigation::HOVER, params).await
    }

    async fn formatting(&self, params: DocumentFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        self.ask(&formatting::FORMATTING, params).await
    }

    async fn range_formatting(
        &self,
        params: DocumentRangeFormattingParams,
    ) -> Result<Option<Vec<TextEdit>>> {
        self.ask(&formatting::RANGE_FORMATTING, params).await
    }

    async fn on_type_formatting(
        &self,
        params: DocumentOnTypeFormattingParams,
    ) -> Result<Option<Vec<TextEdit>>> {
        self.ask(&formatting::ON_TYPE_FORMATTING, params).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        self.ask(&completion::COMPLETION, params).await
    }

    async fn completion_resolve(&self, params: CompletionItem) -> Result<CompletionItem> {
        self.ask(&completion::RESOLVE, params).await
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        self.ask(&completion::SIGNATURE_HELP, params).await
    }

    async fn goto_definition(
        &self,
        params: GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>> {
        self.ask(&navigation::DEFINITION, params).await
    }

    async fn goto_declaration(
        &self,
        params: GotoDeclarationParams,
    ) -> Result<Option<GotoDeclarationResponse>> {
        self.ask(&navigation::DECLARATION, params).await
    }

    async fn goto_type_definition(
        &self,
        params: GotoTypeDefinitionParams,
    ) -> Result<Option<GotoTypeDefinitionResponse>> {
        self.ask(&navigation::TYPE_DEFINITION, params).await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        self.ask(&calls::PREPARE, params).await
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        self.ask(&calls::INCOMING, params).await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        self.ask(&calls::OUTGOING, params).await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        self.ask(&source::DOCUMENT_LINK, params).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        self.ask(&annotations::INLAY_HINT, params).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.ask(&annotations::CODE_LENS, params).await
    }

    async fn code_lens_resolve(&self, params: CodeLens) -> Result<CodeLens> {
        self.ask(&annotations::CODE_LENS_RESOLVE, params).await
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        self.ask(&navigation::REFERENCES, params).await
    }

    async fn document_highlight(
        &self,
        params: DocumentHighlightParams,
    ) -> Result<Option<Vec<DocumentHighlight>>> {
        self.ask(&navigation::HIGHLIGHT, params).await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        self.ask(&code_actions::CODE_ACTION, params).await
    }

    async fn prepare_rename(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>> {
        self.ask(&rename::PREPARE_RENAME, params).await
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        self.ask(&rename::RENAME, params).await
    }

    async fn document_symbol(
        &self,
        params: DocumentSymbolParams,
    ) -> Result<Option<DocumentSymbolResponse>> {
        self.ask(&structure::DOCUMENT_SYMBOL, params).await
    }

    async fn symbol(
        &self,
        params: WorkspaceSymbolParams,
    ) -> Result<Option<Vec<SymbolInformation>>> {
        self.ask(&navigation::WORKSPACE_SYMBOL, params).await
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        self.ask(&structure::FOLDING_RANGE, params).await
    }

    async fn selection_range(
        &self,
        params: SelectionRangeParams,
    ) -> Result<Option<Vec<SelectionRange>>> {
        self.ask(&structure::SELECTION_RANGE, params).await
    }

    async fn semantic_tokens_full(
        &self,
        params: SemanticTokensParams,
    ) -> Result<Option<SemanticTokensResult>> {
        self.ask(&tokens::TOKENS_FULL, params).await
    }

    async fn semantic_tokens_full_delta(
        &self,
        params: SemanticTokensDeltaParams,
    ) -> Result<Option<SemanticTokensFullDeltaResult>> {
        self.ask(&tokens::TOKENS_DELTA, params).await
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        self.ask(&tokens::TOKENS_RANGE, params).await
    }

    async fn diagnostic(
        &self,
        params: DocumentDiagnosticParams,
    ) -> Result<DocumentDiagnosticReportResult> {
        self.ask(&diagnostics::DIAGNOSTIC, params).await
    }
}
