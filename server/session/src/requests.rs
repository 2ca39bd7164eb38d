//! Every request that is answered over a snapshot, once.
//!
//! From this list are made the functions of this module, [`answer`], the methods of tower-lsp and those of our own
//! in the program (`server/src/backend.rs`). A new request is a handler and a line here; a request of LSP is
//! announced in [`crate::lsp::capabilities`] too.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::{
    handlers::{
        Handler, annotations, calls, code_actions, completion, diagnostics, difference, formatting,
        kernels, machine, navigation, pressure, protocols, rename, source, structure, targets,
        tokens, trial, words,
    },
    lsp::{
        ext::{
            ChartParams, CompareTargetsParams, DiffParams, Difference, DrawingParams,
            ExplainParams, Explanation, FlowGraph, FromSourceLineParams, FunctionProtocol,
            FunctionReading, FunctionsParams, KernelMap, LiveRange, LoopCost, MachineCode,
            MachineCodeParams, MemoryAccess, NameAccess, ProtocolsParams, RegisterChart, Registers,
            RegistersParams, SameSourceLine, Slice, TargetMatrix, Trial, TryStatementsParams,
            ViewSyntaxTreeParams, Word, WordsParams,
        },
        lsp_types::{
            CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
            CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams,
            CallHierarchyPrepareParams, CodeActionParams, CodeActionResponse, CodeLens,
            CodeLensParams, CompletionItem, CompletionParams, CompletionResponse,
            DocumentDiagnosticParams, DocumentDiagnosticReportResult, DocumentFormattingParams,
            DocumentHighlight, DocumentHighlightParams, DocumentLink, DocumentLinkParams,
            DocumentOnTypeFormattingParams, DocumentRangeFormattingParams, DocumentSymbolParams,
            DocumentSymbolResponse, FoldingRange, FoldingRangeParams, GotoDefinitionParams,
            GotoDefinitionResponse, Hover, HoverParams, InlayHint, InlayHintParams, InlineValue,
            InlineValueParams, Location, PrepareRenameResponse, ReferenceParams, RenameParams,
            SelectionRange, SelectionRangeParams, SemanticTokensDeltaParams,
            SemanticTokensFullDeltaResult, SemanticTokensParams, SemanticTokensRangeParams,
            SemanticTokensRangeResult, SemanticTokensResult, SignatureHelp, SignatureHelpParams,
            SymbolInformation, TextDocumentPositionParams, TextEdit, WorkspaceEdit,
            WorkspaceSymbolParams,
        },
    },
    snapshot::{Answer, RequestError, Snapshot},
};

pub use crate::handlers::annotations::LensTextParams;

/// Hands the list to the macro of the given name: first the requests of LSP, by the names that tower-lsp has for
/// them, then our own. Each line is `name(parameters) -> result = handler;`.
#[macro_export]
macro_rules! requests {
    ($with:ident) => {
        $with! {
            lsp {
                hover(HoverParams) -> Option<Hover> = navigation::HOVER;
                goto_definition(GotoDefinitionParams) -> Option<GotoDefinitionResponse> = navigation::DEFINITION;
                goto_declaration(GotoDefinitionParams) -> Option<GotoDefinitionResponse> = navigation::DECLARATION;
                goto_type_definition(GotoDefinitionParams) -> Option<GotoDefinitionResponse> = navigation::TYPE_DEFINITION;
                goto_implementation(GotoDefinitionParams) -> Option<GotoDefinitionResponse> = navigation::IMPLEMENTATION;
                references(ReferenceParams) -> Option<Vec<Location>> = navigation::REFERENCES;
                document_highlight(DocumentHighlightParams) -> Option<Vec<DocumentHighlight>> = navigation::HIGHLIGHT;
                symbol(WorkspaceSymbolParams) -> Option<Vec<SymbolInformation>> = navigation::WORKSPACE_SYMBOL;
                document_link(DocumentLinkParams) -> Option<Vec<DocumentLink>> = source::DOCUMENT_LINK;
                prepare_call_hierarchy(CallHierarchyPrepareParams) -> Option<Vec<CallHierarchyItem>> = calls::PREPARE;
                incoming_calls(CallHierarchyIncomingCallsParams) -> Option<Vec<CallHierarchyIncomingCall>> = calls::INCOMING;
                outgoing_calls(CallHierarchyOutgoingCallsParams) -> Option<Vec<CallHierarchyOutgoingCall>> = calls::OUTGOING;
                completion(CompletionParams) -> Option<CompletionResponse> = completion::COMPLETION;
                completion_resolve(CompletionItem) -> CompletionItem = completion::RESOLVE;
                signature_help(SignatureHelpParams) -> Option<SignatureHelp> = completion::SIGNATURE_HELP;
                diagnostic(DocumentDiagnosticParams) -> DocumentDiagnosticReportResult = diagnostics::DIAGNOSTIC;
                code_action(CodeActionParams) -> Option<CodeActionResponse> = code_actions::CODE_ACTION;
                prepare_rename(TextDocumentPositionParams) -> Option<PrepareRenameResponse> = rename::PREPARE_RENAME;
                rename(RenameParams) -> Option<WorkspaceEdit> = rename::RENAME;
                formatting(DocumentFormattingParams) -> Option<Vec<TextEdit>> = formatting::FORMATTING;
                range_formatting(DocumentRangeFormattingParams) -> Option<Vec<TextEdit>> = formatting::RANGE_FORMATTING;
                on_type_formatting(DocumentOnTypeFormattingParams) -> Option<Vec<TextEdit>> = formatting::ON_TYPE_FORMATTING;
                document_symbol(DocumentSymbolParams) -> Option<DocumentSymbolResponse> = structure::DOCUMENT_SYMBOL;
                folding_range(FoldingRangeParams) -> Option<Vec<FoldingRange>> = structure::FOLDING_RANGE;
                selection_range(SelectionRangeParams) -> Option<Vec<SelectionRange>> = structure::SELECTION_RANGE;
                semantic_tokens_full(SemanticTokensParams) -> Option<SemanticTokensResult> = tokens::TOKENS_FULL;
                semantic_tokens_full_delta(SemanticTokensDeltaParams) -> Option<SemanticTokensFullDeltaResult> = tokens::TOKENS_DELTA;
                semantic_tokens_range(SemanticTokensRangeParams) -> Option<SemanticTokensRangeResult> = tokens::TOKENS_RANGE;
                inline_value(InlineValueParams) -> Option<Vec<InlineValue>> = annotations::INLINE_VALUE;
                inlay_hint(InlayHintParams) -> Option<Vec<InlayHint>> = annotations::INLAY_HINT;
                code_lens(CodeLensParams) -> Option<Vec<CodeLens>> = annotations::CODE_LENS;
                code_lens_resolve(CodeLens) -> CodeLens = annotations::CODE_LENS_RESOLVE;
            }
            own {
                view_syntax_tree(ViewSyntaxTreeParams) -> Option<String> = structure::VIEW_SYNTAX_TREE;
                same_source_line(TextDocumentPositionParams) -> Option<SameSourceLine> = source::SAME_SOURCE_LINE;
                instructions_of_line(FromSourceLineParams) -> Vec<Location> = source::FROM_SOURCE_LINE;
                registers(RegistersParams) -> Option<Registers> = pressure::REGISTERS;
                register_chart(ChartParams) -> Option<RegisterChart> = pressure::REGISTER_CHART;
                flow_graph(DrawingParams) -> Option<FlowGraph> = pressure::FLOW_GRAPH;
                machine_code(MachineCodeParams) -> Option<MachineCode> = machine::MACHINE_CODE;
                live_range(TextDocumentPositionParams) -> Option<LiveRange> = pressure::LIVE_RANGE;
                slice(TextDocumentPositionParams) -> Option<Slice> = navigation::SLICE;
                register_accesses(TextDocumentPositionParams) -> Vec<NameAccess> = navigation::REGISTER_ACCESSES;
                accesses(FunctionsParams) -> Vec<MemoryAccess> = kernels::ACCESSES;
                costs(FunctionsParams) -> Vec<LoopCost> = kernels::COSTS;
                kernel_map(DrawingParams) -> Option<KernelMap> = kernels::KERNEL_MAP;
                reading(FunctionsParams) -> Vec<FunctionReading> = kernels::READING;
                try_statements(TryStatementsParams) -> Option<Trial> = trial::TRY_STATEMENTS;
                compare_targets(CompareTargetsParams) -> TargetMatrix = targets::COMPARE_TARGETS;
                protocols(ProtocolsParams) -> Vec<FunctionProtocol> = protocols::PROTOCOLS;
                diff(DiffParams) -> Vec<Difference> = difference::DIFF;
                words(WordsParams) -> Vec<Word> = words::WORDS;
                explain(ExplainParams) -> Vec<Explanation> = words::EXPLAIN;
            }
        }
    };
}

macro_rules! functions {
    (
        lsp { $($lsp:ident($lsp_params:ty) -> $lsp_result:ty = $lsp_handler:path;)* }
        own { $($own:ident($own_params:ty) -> $own_result:ty = $own_handler:path;)* }
    ) => {
        $(
            #[doc = concat!("`", stringify!($lsp), "` of LSP.")]
            #[must_use]
            pub fn $lsp() -> &'static Handler<$lsp_params, $lsp_result> {
                &$lsp_handler
            }
        )*
        $(
            #[doc = concat!("Our own `", stringify!($own), "`; see [`crate::lsp::ext`].")]
            #[must_use]
            pub fn $own() -> &'static Handler<$own_params, $own_result> {
                &$own_handler
            }
        )*

        /// Answers a request by the name of its method, in JSON; `None` if there is no such method.
        #[must_use]
        pub fn answer(
            snapshot: &Snapshot,
            method: &str,
            params: &RawValue,
        ) -> Option<Answer<Box<RawValue>>> {
            $(
                if method == $lsp().method {
                    return Some(run($lsp(), snapshot, params));
                }
            )*
            $(
                if method == $own().method {
                    return Some(run($own(), snapshot, params));
                }
            )*
            None
        }
    };
}

requests!(functions);

fn run<P: DeserializeOwned, R: Serialize>(
    handler: &Handler<P, R>,
    snapshot: &Snapshot,
    params: &RawValue,
) -> Answer<Box<RawValue>> {
    let params = serde_json::from_str(params.get())
        .map_err(|error| RequestError::InvalidParams(error.to_string()))?;
    let result = handler.answer(snapshot, &params)?;
    serde_json::value::to_raw_value(&result)
        .map_err(|error| RequestError::Internal(error.to_string()))
}

/// The text that a click on a lens shows in clients that cannot show more; it has no method of its own.
#[must_use]
pub fn lens_text() -> &'static Handler<LensTextParams, Option<String>> {
    &annotations::LENS_TEXT
}

#[cfg(debug_assertions)]
pub use crate::handlers::test_panic::{METHOD as TEST_PANIC_METHOD, TEST_PANIC, TestPanicParams};
