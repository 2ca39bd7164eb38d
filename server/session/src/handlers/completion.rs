//! Completion and signature help.

use analysis::{CompletionKind, DocumentationKey, documentation};
use syntax::TextRange;

use super::{Handler, Priority, Reads, Run, embedded, runs};
use crate::lsp::{
    ext,
    lsp_types::{
        Command, CompletionItem, CompletionItemKind, CompletionList, CompletionParams,
        CompletionResponse, CompletionTextEdit, Documentation, InsertTextFormat, MarkupContent,
        MarkupKind, ParameterInformation, ParameterLabel, SignatureHelp, SignatureHelpParams,
        SignatureInformation, TextEdit,
    },
    markdown,
};
use crate::snapshot::Document;

pub(crate) const COMPLETION: Handler<CompletionParams, Option<CompletionResponse>> = Handler {
    method: "textDocument/completion",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document_position.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let position = document.at(params.text_document_position.position);

        let context = params.context.as_ref();
        let blank = context.is_some_and(|it| it.trigger_character.as_deref() == Some(" "));
        if let Some(host) = &document.host {
            let found = embedded::completion(snapshot, document, host, position.offset)?;
            let found = found.filter(|_| !blank);
            return Ok(found.map(|it| of_string(document, it)));
        }
        if let Some(found) = runs::completions(snapshot, document, position)? {
            return Ok(Some(found));
        }
        // Elsewhere a blank opens nothing.
        if blank && !snapshot.analysis.opens_after_blank(position)? {
            return Ok(None);
        }
        let Some(found) = snapshot.analysis.completions(position)? else {
            return Ok(None);
        };
        let range = document.range(found.replace);
        let snippets = snapshot.shared.client.snippets;
        let suggests = snapshot.shared.client.suggests;
        let items = found.items.into_iter().enumerate().map(|(order, item)| {
            let suggest = suggests && item.continues;
            let (text, format) = match item.insert {
                Some(it) if suggest => (it.plain, InsertTextFormat::PLAIN_TEXT),
                Some(it) if snippets => (it.snippet, InsertTextFormat::SNIPPET),
                Some(it) => (it.plain, InsertTextFormat::PLAIN_TEXT),
                None => (item.label.clone(), InsertTextFormat::PLAIN_TEXT),
            };
            CompletionItem {
                kind: Some(kind(item.kind)),
                detail: item.detail,
                // Editors sort by this text; the order of ours is the order of the answer.
                sort_text: Some(format!("{order:05}")),
                insert_text_format: Some(format),
                text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                    range,
                    new_text: text,
                })),
                command: suggest.then(|| Command {
                    title: "Show the values".to_owned(),
                    command: ext::TRIGGER_SUGGEST.to_owned(),
                    arguments: None,
                }),
                data: item
                    .documentation
                    .map(|it| serde_json::Value::String(it.to_text())),
                label: item.label,
                ..CompletionItem::default()
            }
        });
        Ok(Some(CompletionResponse::List(CompletionList {
            is_incomplete: found.is_incomplete,
            items: items.collect(),
        })))
    }),
};

/// The completions in a string of another language.
fn of_string(
    document: &Document,
    (range, items, is_incomplete): (TextRange, Vec<embedded::FragmentCompletion>, bool),
) -> CompletionResponse {
    let range = document.range(range);
    let items = items
        .into_iter()
        .enumerate()
        .map(|(order, found)| CompletionItem {
            kind: Some(kind(found.item.kind)),
            detail: found.item.detail,
            sort_text: Some(format!("{order:05}")),
            filter_text: Some(found.filter),
            insert_text_format: Some(InsertTextFormat::PLAIN_TEXT),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                range,
                new_text: found.text,
            })),
            data: found
                .item
                .documentation
                .map(|it| serde_json::Value::String(it.to_text())),
            label: found.item.label,
            ..CompletionItem::default()
        });
    CompletionResponse::List(CompletionList {
        is_incomplete,
        items: items.collect(),
    })
}

pub(crate) const RESOLVE: Handler<CompletionItem, CompletionItem> = Handler {
    method: "completionItem/resolve",
    priority: Priority::Latency,
    document: |_| None,
    reads: Reads::Document,
    run: Run::Snapshot(|snapshot, params| {
        let key = params.data.as_ref().and_then(serde_json::Value::as_str);
        let text = key
            .and_then(DocumentationKey::from_text)
            .and_then(|it| documentation(&it));
        Ok(CompletionItem {
            documentation: text.map(|it| markup(it, snapshot.shared.client.completion_markdown)),
            ..params.clone()
        })
    }),
};

pub(crate) const SIGNATURE_HELP: Handler<SignatureHelpParams, Option<SignatureHelp>> = Handler {
    method: "textDocument/signatureHelp",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document_position_params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let position = document.at(params.text_document_position_params.position);

        let found = match &document.host {
            Some(host) => embedded::signature_help(snapshot, document, host, position.offset)?,
            None => snapshot.analysis.signature_help(position)?,
        };
        let Some(help) = found else {
            return Ok(None);
        };
        let is_markdown = snapshot.shared.client.signature_markdown;
        let parameter = |it: analysis::SignatureParameter| ParameterInformation {
            // Labels are ASCII, so bytes are UTF-16 units.
            label: ParameterLabel::LabelOffsets([it.start, it.end]),
            documentation: Some(markup(it.documentation, is_markdown)),
        };
        let signature = SignatureInformation {
            label: help.label,
            documentation: None,
            parameters: Some(help.parameters.into_iter().map(parameter).collect()),
            active_parameter: None,
        };
        Ok(Some(SignatureHelp {
            signatures: vec![signature],
            active_signature: Some(0),
            active_parameter: Some(help.active_parameter as u32),
        }))
    }),
};

fn markup(text: String, is_markdown: bool) -> Documentation {
    Documentation::MarkupContent(if is_markdown {
        MarkupContent {
            kind: MarkupKind::Markdown,
            value: text,
        }
    } else {
        MarkupContent {
            kind: MarkupKind::PlainText,
            value: markdown::to_plain_text(&text),
        }
    })
}

fn kind(kind: CompletionKind) -> CompletionItemKind {
    match kind {
        CompletionKind::Instruction => CompletionItemKind::FUNCTION,
        CompletionKind::Modifier => CompletionItemKind::KEYWORD,
        CompletionKind::Type => CompletionItemKind::TYPE_PARAMETER,
        CompletionKind::StateSpace => CompletionItemKind::MODULE,
        CompletionKind::Register | CompletionKind::Variable => CompletionItemKind::VARIABLE,
        CompletionKind::SpecialRegister => CompletionItemKind::CONSTANT,
        CompletionKind::Parameter => CompletionItemKind::PROPERTY,
        CompletionKind::Function => CompletionItemKind::METHOD,
        CompletionKind::Label => CompletionItemKind::REFERENCE,
        CompletionKind::Directive => CompletionItemKind::KEYWORD,
        CompletionKind::Value => CompletionItemKind::VALUE,
        CompletionKind::Snippet => CompletionItemKind::SNIPPET,
    }
}
