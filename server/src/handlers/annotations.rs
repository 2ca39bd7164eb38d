//! What editors show beside the text: inlay hints and code lenses.

use analysis::{FileRange, InlayHintKind};

use super::Handler;
use crate::{
    lsp::{
        ext::SHOW_REFERENCES,
        lsp_types::{
            self, CodeLens, CodeLensParams, Command, InlayHint, InlayHintLabel, InlayHintParams,
            InlayHintTooltip, MarkupContent, MarkupKind, TextDocumentIdentifier,
            TextDocumentPositionParams,
        },
    },
    pool::Priority,
};

pub(crate) const INLAY_HINT: Handler<InlayHintParams, Option<Vec<InlayHint>>> = Handler {
    method: "textDocument/inlayHint",
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    run: |snapshot, params| {
        let Some(document) = snapshot.document(&params.text_document.uri)? else {
            return Ok(None);
        };
        let at = FileRange {
            file: document.file,
            range: document.text_range(params.range),
        };
        let hints = snapshot.analysis.inlay_hints(at, snapshot.features.hints)?;
        let convert = |hint: analysis::InlayHint| {
            let (left, right) = padding(hint.kind);
            InlayHint {
                position: document.position(hint.offset),
                label: InlayHintLabel::String(hint.label),
                kind: kind(hint.kind),
                text_edits: None,
                tooltip: hint.tooltip.map(|value| {
                    InlayHintTooltip::MarkupContent(MarkupContent {
                        kind: MarkupKind::Markdown,
                        value,
                    })
                }),
                padding_left: Some(left),
                padding_right: Some(right),
                data: None,
            }
        };
        Ok(Some(hints.into_iter().map(convert).collect()))
    },
};

fn kind(kind: InlayHintKind) -> Option<lsp_types::InlayHintKind> {
    match kind {
        InlayHintKind::ParameterName => Some(lsp_types::InlayHintKind::PARAMETER),
        InlayHintKind::RegisterType => Some(lsp_types::InlayHintKind::TYPE),
        InlayHintKind::Default | InlayHintKind::DemangledName | InlayHintKind::FloatLiteral => None,
    }
}

/// Whether a blank stands before and behind a hint.
fn padding(kind: InlayHintKind) -> (bool, bool) {
    match kind {
        InlayHintKind::ParameterName => (false, true),
        InlayHintKind::DemangledName | InlayHintKind::FloatLiteral => (true, false),
        InlayHintKind::Default | InlayHintKind::RegisterType => (false, false),
    }
}

pub(crate) const CODE_LENS: Handler<CodeLensParams, Option<Vec<CodeLens>>> = Handler {
    method: "textDocument/codeLens",
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    run: |snapshot, params| {
        if !snapshot.features.code_lenses {
            return Ok(None);
        }
        let uri = &params.text_document.uri;
        let Some(document) = snapshot.document(uri)? else {
            return Ok(None);
        };
        let lenses = snapshot.analysis.code_lenses(document.file)?;
        let convert = |lens: analysis::CodeLens| {
            let range = document.range(lens.range);
            let name = TextDocumentPositionParams {
                text_document: TextDocumentIdentifier { uri: uri.clone() },
                position: range.start,
            };
            CodeLens {
                range,
                command: None,
                data: serde_json::to_value(name).ok(),
            }
        };
        Ok(Some(lenses.into_iter().map(convert).collect()))
    },
};

/// Counts the uses of the name that the data of a lens says.
pub(crate) const CODE_LENS_RESOLVE: Handler<CodeLens, CodeLens> = Handler {
    method: "codeLens/resolve",
    priority: Priority::Background,
    document: |_| None,
    run: |snapshot, params| {
        let mut lens = params.clone();
        let name: Option<TextDocumentPositionParams> = lens
            .data
            .take()
            .and_then(|it| serde_json::from_value(it).ok());
        let mut locations = Vec::new();
        if let Some(name) = &name
            && let Some((_, position)) = snapshot.position(name)?
        {
            for found in snapshot
                .analysis
                .references(position, false)?
                .unwrap_or_default()
            {
                locations.extend(snapshot.location(found.location)?);
            }
        }
        let title = match locations.len() {
            1 => "1 reference".to_owned(),
            count => format!("{count} references"),
        };
        lens.command = Some(Command {
            title,
            command: SHOW_REFERENCES.to_owned(),
            arguments: name.map(|name| {
                vec![
                    serde_json::json!(name.text_document.uri),
                    serde_json::json!(name.position),
                    serde_json::json!(locations),
                ]
            }),
        });
        Ok(lens)
    },
};
