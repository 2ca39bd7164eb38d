//! What editors show beside the text: inlay hints and code lenses.

use analysis::{CodeLensKind, FileRange, InlayHintKind};
use serde::{Deserialize, Serialize};

use super::{Handler, pressure::summary};
use crate::{
    lsp::{
        ext::{SHOW_REFERENCES, SHOW_REGISTERS},
        lsp_types::{
            self, CodeLens, CodeLensParams, Command, InlayHint, InlayHintLabel, InlayHintParams,
            InlayHintTooltip, MarkupContent, MarkupKind, TextDocumentIdentifier,
            TextDocumentPositionParams,
        },
    },
    pool::Priority,
    snapshot::{Answer, Snapshot},
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
        InlayHintKind::Default
        | InlayHintKind::DemangledName
        | InlayHintKind::FloatLiteral
        | InlayHintKind::Registers => None,
    }
}

/// Whether a blank stands before and behind a hint.
fn padding(kind: InlayHintKind) -> (bool, bool) {
    match kind {
        InlayHintKind::ParameterName => (false, true),
        InlayHintKind::DemangledName | InlayHintKind::FloatLiteral | InlayHintKind::Registers => {
            (true, false)
        }
        InlayHintKind::Default | InlayHintKind::RegisterType => (false, false),
    }
}

/// What has to be known about a lens to work out what it shows.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct LensData {
    #[serde(flatten)]
    name: TextDocumentPositionParams,
    /// Whether it is about the registers of an entry; about the uses of a name otherwise.
    #[serde(default)]
    registers: bool,
}

pub(crate) const CODE_LENS: Handler<CodeLensParams, Option<Vec<CodeLens>>> = Handler {
    method: "textDocument/codeLens",
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    run: |snapshot, params| {
        let kinds = snapshot.features.lenses;
        if !kinds.references && !kinds.registers {
            return Ok(None);
        }
        let uri = &params.text_document.uri;
        let Some(document) = snapshot.document(uri)? else {
            return Ok(None);
        };
        let lenses = snapshot.analysis.code_lenses(document.file, kinds)?;
        let convert = |lens: analysis::CodeLens| {
            let range = document.range(lens.range);
            let data = LensData {
                name: TextDocumentPositionParams {
                    text_document: TextDocumentIdentifier { uri: uri.clone() },
                    position: range.start,
                },
                registers: lens.kind == CodeLensKind::Registers,
            };
            CodeLens {
                range,
                command: None,
                data: serde_json::to_value(data).ok(),
            }
        };
        Ok(Some(lenses.into_iter().map(convert).collect()))
    },
};

/// Works out what the lens shows that the data describe.
pub(crate) const CODE_LENS_RESOLVE: Handler<CodeLens, CodeLens> = Handler {
    method: "codeLens/resolve",
    priority: Priority::Background,
    document: |_| None,
    run: |snapshot, params| {
        let mut lens = params.clone();
        let data = lens.data.take();
        let data: Option<LensData> = data.and_then(|it| serde_json::from_value(it).ok());
        lens.command = Some(match data {
            Some(data) if data.registers => registers(snapshot, &data.name)?,
            Some(data) => references(snapshot, Some(&data.name))?,
            None => references(snapshot, None)?,
        });
        Ok(lens)
    },
};

/// Estimates the registers of an entry.
fn registers(snapshot: &Snapshot, name: &TextDocumentPositionParams) -> Answer<Command> {
    let mut title = "registers are not known for this target".to_owned();
    if let Some((_, position)) = snapshot.position(name)?
        && let Some(entry) = snapshot.analysis.registers_at(position)?
    {
        let mut exact = snapshot.exact_entries(position.file).iter();
        let exact = exact.find(|it| it.name == entry.name);
        title = summary(&entry, exact.map(|it| &it.registers));
    }
    Ok(Command {
        title,
        command: SHOW_REGISTERS.to_owned(),
        arguments: Some(vec![
            serde_json::json!(name.text_document.uri),
            serde_json::json!(name.position),
        ]),
    })
}

/// Counts the uses of a name.
fn references(snapshot: &Snapshot, name: Option<&TextDocumentPositionParams>) -> Answer<Command> {
    let mut locations = Vec::new();
    if let Some(name) = name
        && let Some((_, position)) = snapshot.position(name)?
    {
        let found = snapshot.analysis.references(position, false)?;
        for found in found.unwrap_or_default() {
            locations.extend(snapshot.location(found.location)?);
        }
    }
    let title = match locations.len() {
        1 => "1 reference".to_owned(),
        count => format!("{count} references"),
    };
    Ok(Command {
        title,
        command: SHOW_REFERENCES.to_owned(),
        arguments: name.map(|name| {
            vec![
                serde_json::json!(name.text_document.uri),
                serde_json::json!(name.position),
                serde_json::json!(locations),
            ]
        }),
    })
}
