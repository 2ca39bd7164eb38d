//! The capabilities of the client and of the server.

use serde_json::Value;
use syntax::text::Encoding;

use super::{
    ext,
    lsp_types::{
        CallHierarchyServerCapability, CodeActionKind, CodeActionOptions,
        CodeActionProviderCapability, CodeLensOptions, CompletionOptions, DeclarationCapability,
        DiagnosticOptions, DiagnosticServerCapabilities, DocumentLinkOptions,
        DocumentOnTypeFormattingOptions, ExecuteCommandOptions, FoldingRangeProviderCapability,
        HoverProviderCapability, ImplementationProviderCapability, InitializeResult, OneOf,
        PositionEncodingKind, Registration, RenameOptions, SelectionRangeProviderCapability,
        SemanticTokensFullOptions, SemanticTokensOptions, ServerCapabilities, ServerInfo,
        SignatureHelpOptions, TextDocumentSyncCapability, TextDocumentSyncKind,
        TextDocumentSyncOptions, TextDocumentSyncSaveOptions, TypeDefinitionProviderCapability,
        Url, WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities,
        WorkspaceServerCapabilities,
    },
    semantic_tokens, to_proto,
};
use crate::config::SECTION;

/// The capabilities of the client that the server needs to know, read leniently from the raw `initialize`
/// parameters: whatever is absent or of an unexpected type counts as not supported.
#[derive(Clone, Debug, Default)]
pub struct Client {
    /// Unit of columns, the client's first choice that the server knows.
    pub encoding: Encoding,
    /// Folders to index.
    pub folders: Vec<Url>,
    /// The folder to index if there are no [`Self::folders`], as a path: old clients name it so.
    pub root_path: Option<String>,
    /// Settings given at the start.
    pub options: Value,
    /// Whether the user trusts the open folders; `None` when the client does not say.
    pub trusted: Option<bool>,
    /// Hovers may be Markdown.
    pub hover_markdown: bool,
    /// Hovers may have pictures, for a dark background if this is true.
    pub hover_pictures: Option<bool>,
    /// Completions may have the command that opens the next list.
    pub suggests: bool,
    /// Completions may have places for the cursor.
    pub snippets: bool,
    /// The documentation of completions may be Markdown.
    pub completion_markdown: bool,
    /// The documentation of signatures may be Markdown.
    pub signature_markdown: bool,
    /// Document symbols may be a tree.
    pub symbol_tree: bool,
    /// Definitions may name the range of the origin.
    pub definition_links: bool,
    /// As above, for declarations.
    pub declaration_links: bool,
    /// As above, for implementations.
    pub implementation_links: bool,
    /// As above, for type definitions.
    pub type_definition_links: bool,
    /// Folding ranges are whole lines.
    pub line_folding_only: bool,
    /// Semantic tokens may span lines.
    pub multiline_tokens: bool,
    /// The client asks for diagnostics; they are pushed otherwise.
    pub pull_diagnostics: bool,
    /// Diagnostics may carry related places.
    pub related_information: bool,
    /// Diagnostics may carry a link.
    pub code_description: bool,
    /// Diagnostics may carry tags.
    pub diagnostic_tags: bool,
    /// The client can be told to ask for diagnostics again.
    pub refresh_diagnostics: bool,
    /// The client can be told to ask for semantic tokens again.
    pub refresh_semantic_tokens: bool,
    /// The client can be told to ask for inlay hints again.
    pub refresh_inlay_hints: bool,
    /// The client can be told to ask for code lenses again.
    pub refresh_code_lenses: bool,
    /// Workspace edits may name document versions.
    pub document_changes: bool,
    /// Workspace edits may create files.
    pub create_files: bool,
    /// Code actions may be more than commands.
    pub code_action_literals: bool,
    /// Code actions may be marked as the preferred ones.
    pub preferred_code_actions: bool,
    /// The client shows progress.
    pub progress: bool,
    /// The client answers questions for its settings.
    pub configuration: bool,
    /// The client accepts a registration for changed settings.
    pub register_configuration: bool,
    /// The client accepts a registration for watched files.
    pub register_watchers: bool,
    /// The client accepts registrations of features by language.
    pub register_languages: bool,
    /// The client has the command [`ext::SHOW_REFERENCES`].
    pub shows_references: bool,
    /// The client has the command [`ext::SHOW_REGISTERS`].
    pub shows_registers: bool,
    /// Whether the client has [`ext::SHOW_KERNEL`].
    pub shows_kernels: bool,
    /// The client has the commands [`ext::RUN`] and [`ext::ADD_RUN`].
    pub runs: bool,
    /// Whether the client has the command [`ext::DEBUG`].
    pub debugs: bool,
    /// The client has the command [`ext::RENAME_FAMILY`].
    pub renames_families: bool,
    /// Whether the client has the command [`ext::TRY`].
    pub tries_statements: bool,
}

impl Client {
    /// Whether diagnostics are sent without being asked for.
    pub fn pushes(&self) -> bool {
        !self.pull_diagnostics
    }

    /// Reads the parameters of `initialize`.
    pub fn new(params: &Value) -> Client {
        let flag = |path: &str| {
            params
                .pointer(&format!("/capabilities/{path}"))
                .and_then(Value::as_bool)
                .unwrap_or(false)
        };
        let has = |path: &str| {
            params
                .pointer(&format!("/capabilities/{path}"))
                .is_some_and(Value::is_object)
        };
        let pull = has("textDocument/diagnostic");
        // A client with pull diagnostics describes them there, an older one under the push ones.
        let diagnostic = |name: &str| {
            pull && flag(&format!("textDocument/diagnostic/{name}"))
                || flag(&format!("textDocument/publishDiagnostics/{name}"))
        };
        let commands = strings(params, "/capabilities/experimental/commands/commands");
        Client {
            encoding: encoding(params),
            folders: folders(params),
            root_path: params
                .pointer("/rootPath")
                .and_then(Value::as_str)
                .map(str::to_owned),
            options: params
                .get("initializationOptions")
                .cloned()
                .unwrap_or(Value::Null),
            trusted: params
                .pointer("/initializationOptions/trusted")
                .and_then(Value::as_bool),
            hover_markdown: strings(params, "/capabilities/textDocument/hover/contentFormat")
                .contains(&"markdown"),
            hover_pictures: params
                .pointer("/capabilities/experimental/hoverPictures")
                .and_then(Value::as_str)
                .and_then(|it| match it {
                    "light" => Some(false),
                    "dark" => Some(true),
                    _ => None,
                }),
            snippets: flag("textDocument/completion/completionItem/snippetSupport"),
            completion_markdown: strings(
                params,
                "/capabilities/textDocument/completion/completionItem/documentationFormat",
            )
            .contains(&"markdown"),
            signature_markdown: strings(
                params,
                "/capabilities/textDocument/signatureHelp/signatureInformation/documentationFormat",
            )
            .contains(&"markdown"),
            symbol_tree: flag("textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            definition_links: flag("textDocument/definition/linkSupport"),
            declaration_links: flag("textDocument/declaration/linkSupport"),
            implementation_links: flag("textDocument/implementation/linkSupport"),
            type_definition_links: flag("textDocument/typeDefinition/linkSupport"),
            line_folding_only: flag("textDocument/foldingRange/lineFoldingOnly"),
            multiline_tokens: flag("textDocument/semanticTokens/multilineTokenSupport"),
            pull_diagnostics: pull,
            related_information: diagnostic("relatedInformation"),
            code_description: diagnostic("codeDescriptionSupport"),
            diagnostic_tags: has("textDocument/publishDiagnostics/tagSupport")
                || has("textDocument/diagnostic/tagSupport"),
            // The 3.17 text and its types disagree about the name of the first.
            refresh_diagnostics: flag("workspace/diagnostics/refreshSupport")
                || flag("workspace/diagnostic/refreshSupport"),
            refresh_semantic_tokens: flag("workspace/semanticTokens/refreshSupport"),
            refresh_inlay_hints: flag("workspace/inlayHint/refreshSupport"),
            refresh_code_lenses: flag("workspace/codeLens/refreshSupport"),
            document_changes: flag("workspace/workspaceEdit/documentChanges"),
            create_files: flag("workspace/workspaceEdit/documentChanges")
                && strings(
                    params,
                    "/capabilities/workspace/workspaceEdit/resourceOperations",
                )
                .contains(&"create"),
            code_action_literals: has("textDocument/codeAction/codeActionLiteralSupport"),
            preferred_code_actions: flag("textDocument/codeAction/isPreferredSupport"),
            progress: flag("window/workDoneProgress"),
            configuration: flag("workspace/configuration"),
            register_configuration: flag("workspace/didChangeConfiguration/dynamicRegistration"),
            register_watchers: flag("workspace/didChangeWatchedFiles/dynamicRegistration"),
            register_languages: ["synchronization", "hover", "completion", "codeAction"]
                .iter()
                .all(|it| flag(&format!("textDocument/{it}/dynamicRegistration"))),
            shows_references: commands.contains(&ext::SHOW_REFERENCES),
            shows_registers: commands.contains(&ext::SHOW_REGISTERS),
            shows_kernels: commands.contains(&ext::SHOW_KERNEL),
            runs: commands.contains(&ext::RUN) && commands.contains(&ext::ADD_RUN),
            debugs: commands.contains(&ext::DEBUG),
            suggests: commands.contains(&ext::TRIGGER_SUGGEST),
            renames_families: commands.contains(&ext::RENAME_FAMILY),
            tries_statements: commands.contains(&ext::TRY),
        }
    }
}

fn strings<'a>(params: &'a Value, pointer: &str) -> Vec<&'a str> {
    params
        .pointer(pointer)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn encoding(params: &Value) -> Encoding {
    strings(params, "/capabilities/general/positionEncodings")
        .into_iter()
        .find_map(|name| match name {
            "utf-8" => Some(Encoding::Utf8),
            "utf-16" => Some(Encoding::Utf16),
            "utf-32" => Some(Encoding::Utf32),
            _ => None,
        })
        .unwrap_or_default()
}

fn folders(params: &Value) -> Vec<Url> {
    let url = |value: &Value| value.as_str().and_then(|it| Url::parse(it).ok());
    let listed = params.get("workspaceFolders").and_then(Value::as_array);
    let folders: Vec<_> = listed
        .into_iter()
        .flatten()
        .filter_map(|folder| folder.get("uri").and_then(url))
        .collect();
    if !folders.is_empty() {
        return folders;
    }
    params.get("rootUri").and_then(url).into_iter().collect()
}

/// The registration for changed settings, if the client accepts one.
#[must_use]
pub fn settings_registration(client: &Client) -> Option<Registration> {
    client.register_configuration.then(|| Registration {
        id: "ptx-analyzer/configuration".to_owned(),
        method: "workspace/didChangeConfiguration".to_owned(),
        register_options: Some(serde_json::json!({ "section": SECTION })),
    })
}

/// The answer to `initialize`.
pub fn initialize_result(client: &Client) -> InitializeResult {
    InitializeResult {
        capabilities: server_capabilities(client),
        server_info: Some(ServerInfo {
            name: "ptx-analyzer".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    }
}

fn server_capabilities(client: &Client) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(match client.encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                will_save: None,
                will_save_wait_until: None,
                save: Some(TextDocumentSyncSaveOptions::Supported(true)),
            },
        )),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([".", "%", "[", "@", "\"", " "].map(str::to_owned).to_vec()),
            resolve_provider: Some(true),
            ..CompletionOptions::default()
        }),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some([" ", ","].map(str::to_owned).to_vec()),
            retrigger_characters: None,
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        declaration_provider: Some(DeclarationCapability::Simple(true)),
        type_definition_provider: Some(TypeDefinitionProviderCapability::Simple(true)),
        implementation_provider: Some(ImplementationProviderCapability::Simple(true)),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        code_action_provider: client.code_action_literals.then(|| {
            CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![
                    CodeActionKind::QUICKFIX,
                    CodeActionKind::SOURCE_FIX_ALL,
                    CodeActionKind::REFACTOR_REWRITE,
                    CodeActionKind::REFACTOR_EXTRACT,
                    to_proto::RENAME,
                ]),
                ..CodeActionOptions::default()
            })
        }),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        document_on_type_formatting_provider: Some(DocumentOnTypeFormattingOptions {
            first_trigger_character: ";".to_owned(),
            more_trigger_character: Some(vec!["}".to_owned()]),
        }),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: None,
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        inlay_hint_provider: Some(OneOf::Left(true)),
        inline_value_provider: Some(OneOf::Left(true)),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(true),
        }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands(client),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                work_done_progress_options: WorkDoneProgressOptions::default(),
                legend: semantic_tokens::legend(),
                range: Some(true),
                full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
            }
            .into(),
        ),
        // Never both ways for one client: the problems would show twice.
        diagnostic_provider: client.pull_diagnostics.then(|| {
            DiagnosticServerCapabilities::Options(DiagnosticOptions {
                identifier: Some("ptx-analyzer".to_owned()),
                inter_file_dependencies: true,
                workspace_diagnostics: false,
                work_done_progress_options: WorkDoneProgressOptions::default(),
            })
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    }
}

/// The commands that the server executes; those of lenses only for clients that have none of their own.
fn commands(client: &Client) -> Vec<String> {
    let of_lenses = [
        (ext::REFERENCES_TEXT, client.shows_references),
        (ext::REGISTERS_TEXT, client.shows_registers),
    ];
    let of_lenses = of_lenses.into_iter().filter(|it| !it.1).map(|it| it.0);
    [ext::RUN_PTXAS]
        .into_iter()
        .chain(of_lenses)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_is_assumed() {
        for params in [json!(null), json!({}), json!({ "capabilities": 3 })] {
            let client = Client::new(&params);
            assert_eq!(client.encoding, Encoding::Utf16);
            assert!(!client.pull_diagnostics && !client.hover_markdown && !client.progress);
            assert_eq!(client.folders, []);
            assert!(server_capabilities(&client).diagnostic_provider.is_none());
        }
    }

    #[test]
    fn the_order_of_encodings_is_the_clients() {
        let offer = |names: &[&str]| {
            encoding(&json!({ "capabilities": { "general": { "positionEncodings": names } } }))
        };
        assert_eq!(offer(&["utf-32", "utf-8", "utf-16"]), Encoding::Utf32);
        assert_eq!(offer(&["utf-7", "utf-8"]), Encoding::Utf8);
        assert_eq!(offer(&["utf-7"]), Encoding::Utf16);
        assert_eq!(offer(&[]), Encoding::Utf16);
    }

    #[test]
    fn folders_come_from_the_newest_field() {
        let names = |params: &Value| {
            folders(params)
                .iter()
                .map(|it| it.to_string())
                .collect::<Vec<_>>()
        };
        let old = json!({ "rootPath": "/a", "rootUri": null, "workspaceFolders": null });
        assert_eq!(names(&old), [""; 0]);
        assert_eq!(Client::new(&old).root_path.as_deref(), Some("/a"));
        let root = json!({ "rootPath": "/a", "rootUri": "file:///b" });
        assert_eq!(names(&root), ["file:///b"]);
        let listed = json!({
            "rootUri": "file:///b",
            "workspaceFolders": [{ "uri": "file:///c", "name": "c" }, { "uri": "?" }],
        });
        assert_eq!(names(&listed), ["file:///c"]);
    }
}
