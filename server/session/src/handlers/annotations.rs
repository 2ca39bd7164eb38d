//! Text that editors add to the document: inlay hints and code lenses.

use analysis::{CodeLensKind, FileRange, FragmentOperand, InlayHintKind};
use serde::{Deserialize, Serialize};
use syntax::{TextRange, TextSize};

use super::{
    Handler, Priority, Reads, Run, embedded, kernels, machine,
    pressure::{details, summary},
    runs,
};
use crate::{
    lsp::{
        ext::{REFERENCES_TEXT, REGISTERS_TEXT, SHOW_REFERENCES, SHOW_REGISTERS},
        lsp_types::{
            self, CodeLens, CodeLensParams, Command, InlayHint, InlayHintLabel, InlayHintParams,
            InlayHintTooltip, InlineValue, InlineValueParams, InlineValueVariableLookup, Location,
            MarkupContent, MarkupKind, Position, TextDocumentIdentifier,
            TextDocumentPositionParams, Url,
        },
    },
    snapshot::{Answer, Document, Snapshot},
};

pub(crate) const INLAY_HINT: Handler<InlayHintParams, Option<Vec<InlayHint>>> = Handler {
    method: "textDocument/inlayHint",
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let at = FileRange {
            file: document.file,
            range: document.text_range(params.range),
        };
        if let Some(host) = &document.host {
            let hints = embedded::operand_hints(snapshot, document, host, at.range)?;
            let hints = hints.iter().map(|it| of_operand(document, it));
            return Ok(Some(hints.collect()));
        }
        let exact = snapshot.exact_entries(document.file);
        let kinds = snapshot.features.hints;
        let hints = snapshot.analysis.inlay_hints(at, kinds, exact)?;
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
        let mut hints: Vec<InlayHint> = hints.into_iter().map(convert).collect();
        if snapshot.features.machine_instructions {
            hints.extend(machine_instructions(snapshot, document, at.range));
        }
        Ok(Some(hints))
    }),
};

/// How many machine instructions `ptxas` made of the statements in a range, if it read this text.
fn machine_instructions(
    snapshot: &Snapshot,
    document: &Document,
    range: TextRange,
) -> Vec<InlayHint> {
    let Some((findings, false)) = snapshot.findings(document.file) else {
        return Vec::new();
    };
    let (lines, code) = (document.lines(), &findings.code);
    let wanted = lines.line_of(range.start()) + 1..=lines.line_of(range.end()) + 1;
    let counts = code.counts();
    let counts = counts
        .range(wanted)
        .filter(|it| *it.0 <= lines.line_count());
    let hint = |(line, count): (&u32, &u32)| InlayHint {
        position: document.position(lines.line_end(line - 1)),
        label: InlayHintLabel::String(format!("{count} SASS")),
        kind: None,
        text_edits: None,
        tooltip: machine::markdown(findings, *line).map(|value| {
            InlayHintTooltip::MarkupContent(MarkupContent {
                kind: MarkupKind::Markdown,
                value,
            })
        }),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    };
    counts.map(hint).collect()
}

pub(crate) const INLINE_VALUE: Handler<InlineValueParams, Option<Vec<InlineValue>>> = Handler {
    method: "textDocument/inlineValue",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let stop = document.at(params.context.stopped_location.start);
        let shown = document.text_range(params.range);
        let found = snapshot.analysis.inline_values(stop, shown)?;
        let convert = |it: TextRange| {
            InlineValue::VariableLookup(InlineValueVariableLookup {
                range: document.range(it),
                variable_name: None,
                case_sensitive_lookup: true,
            })
        };
        Ok(Some(found.into_iter().map(convert).collect()))
    }),
};

/// The expression of an operand after its placeholder.
fn of_operand(document: &Document, (offset, operand): &(TextSize, FragmentOperand)) -> InlayHint {
    let (label, more) = embedded::hint_of(operand);
    InlayHint {
        position: document.position(*offset),
        label: InlayHintLabel::String(label),
        kind: None,
        text_edits: None,
        tooltip: Some(InlayHintTooltip::MarkupContent(MarkupContent {
            kind: MarkupKind::Markdown,
            value: more,
        })),
        padding_left: Some(true),
        padding_right: Some(false),
        data: None,
    }
}

fn kind(kind: InlayHintKind) -> Option<lsp_types::InlayHintKind> {
    match kind {
        InlayHintKind::ParameterName => Some(lsp_types::InlayHintKind::PARAMETER),
        InlayHintKind::RegisterType => Some(lsp_types::InlayHintKind::TYPE),
        InlayHintKind::Default
        | InlayHintKind::DemangledName
        | InlayHintKind::FloatLiteral
        | InlayHintKind::MemoryAccess
        | InlayHintKind::Registers => None,
    }
}

/// Whether a blank is before and after a hint.
fn padding(kind: InlayHintKind) -> (bool, bool) {
    match kind {
        InlayHintKind::ParameterName => (false, true),
        InlayHintKind::DemangledName
        | InlayHintKind::FloatLiteral
        | InlayHintKind::MemoryAccess
        | InlayHintKind::Registers => (true, false),
        InlayHintKind::Default | InlayHintKind::RegisterType => (false, false),
    }
}

/// The data of a lens that are needed to resolve it.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct LensData {
    #[serde(flatten)]
    name: TextDocumentPositionParams,
    /// Whether it is about the registers of an entry; about the uses of a name otherwise.
    #[serde(default)]
    registers: bool,
    /// Whether it is about the runs of an entry.
    #[serde(default)]
    runs: bool,
    /// Whether it debugs an entry.
    #[serde(default)]
    debugs: bool,
    /// Whether it is about a loop.
    #[serde(default, rename = "loop")]
    of_loop: bool,
}

pub(crate) const CODE_LENS: Handler<CodeLensParams, Option<Vec<CodeLens>>> = Handler {
    method: "textDocument/codeLens",
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::Snapshot(|snapshot, params| {
        let mut kinds = snapshot.features.lenses;
        kinds.runs &= snapshot.shared.client.runs;
        if !kinds.loops && !kinds.references && !kinds.registers && !kinds.runs {
            return Ok(None);
        }
        let uri = &params.text_document.uri;
        let Some(document) = snapshot.document(uri)? else {
            return Ok(None);
        };
        let lenses = snapshot.analysis.code_lenses(document.file, kinds)?;
        let debugged = match kinds.runs && snapshot.shared.client.debugs {
            true => runs::described(snapshot, document.file)?,
            false => Vec::new(),
        };
        let convert = |lens: &analysis::CodeLens, debugs: bool| {
            let range = document.range(lens.range);
            let data = LensData {
                name: TextDocumentPositionParams {
                    text_document: TextDocumentIdentifier { uri: uri.clone() },
                    position: range.start,
                },
                registers: lens.kind == CodeLensKind::Registers,
                runs: lens.kind == CodeLensKind::Runs && !debugs,
                debugs,
                of_loop: lens.kind == CodeLensKind::Loop,
            };
            CodeLens {
                range,
                command: None,
                data: serde_json::to_value(data).ok(),
            }
        };
        let mut found = Vec::with_capacity(lenses.len() + debugged.len());
        for lens in &lenses {
            found.push(convert(lens, false));
            if lens.kind == CodeLensKind::Runs && debugged.contains(&lens.range.start()) {
                found.push(convert(lens, true));
            }
        }
        Ok(Some(found))
    }),
};

/// Works out what the lens shows that the data describe.
pub(crate) const CODE_LENS_RESOLVE: Handler<CodeLens, CodeLens> = Handler {
    method: "codeLens/resolve",
    priority: Priority::Background,
    document: |_| None,
    reads: Reads::Known,
    run: Run::Snapshot(|snapshot, params| {
        let mut lens = params.clone();
        let data = lens.data.take();
        let data: Option<LensData> = data.and_then(|it| serde_json::from_value(it).ok());
        lens.command = Some(match data {
            Some(data) if data.registers => registers(snapshot, &data.name)?,
            Some(data) if data.runs => match runs::lens(snapshot, &data.name)? {
                Some(command) => command,
                None => references(snapshot, None)?,
            },
            Some(data) if data.debugs => match runs::debug_lens(snapshot, &data.name)? {
                Some(command) => command,
                None => references(snapshot, None)?,
            },
            Some(data) if data.of_loop => match kernels::lens(snapshot, &data.name)? {
                Some(command) => command,
                None => references(snapshot, None)?,
            },
            Some(data) => references(snapshot, Some(&data.name))?,
            None => references(snapshot, None)?,
        });
        Ok(lens)
    }),
};

/// Estimates the registers of an entry.
fn registers(snapshot: &Snapshot, name: &TextDocumentPositionParams) -> Answer<Command> {
    let title = match registers_text(snapshot, name, summary)? {
        Some(title) => title,
        None => "registers are not known for this target".to_owned(),
    };
    Ok(Command {
        title,
        command: match snapshot.shared.client.shows_registers {
            true => SHOW_REGISTERS.to_owned(),
            false => REGISTERS_TEXT.to_owned(),
        },
        arguments: Some(vec![
            serde_json::json!(name.text_document.uri),
            serde_json::json!(name.position),
        ]),
    })
}

/// Describes the registers of the entry at a position.
fn registers_text(
    snapshot: &Snapshot,
    at: &TextDocumentPositionParams,
    words: fn(&analysis::EntryRegisters, Option<&analysis::ExactEntry>) -> String,
) -> Answer<Option<String>> {
    let Some((_, position)) = snapshot.position(at)? else {
        return Ok(None);
    };
    let Some(entry) = snapshot.analysis.registers_at(position)? else {
        return Ok(None);
    };
    let mut exact = snapshot.exact_entries(position.file).iter();
    let exact = exact.find(|it| it.name == entry.name);
    Ok(Some(words(&entry, exact)))
}

/// The most locations in the command of a lens.
const MAX_LOCATIONS: usize = 10_000;

/// Counts the uses of a name.
fn references(snapshot: &Snapshot, name: Option<&TextDocumentPositionParams>) -> Answer<Command> {
    let (total, locations) = match name {
        Some(name) => uses(snapshot, name)?,
        None => (0, Vec::new()),
    };
    let shows = snapshot.shared.client.shows_references;
    let arguments = |name: &TextDocumentPositionParams| {
        let mut arguments = vec![
            serde_json::json!(name.text_document.uri),
            serde_json::json!(name.position),
        ];
        // The server finds them again.
        arguments.extend(shows.then(|| serde_json::json!(locations)));
        arguments
    };
    Ok(Command {
        title: count(total),
        command: match shows {
            true => SHOW_REFERENCES.to_owned(),
            false => REFERENCES_TEXT.to_owned(),
        },
        arguments: name.map(arguments),
    })
}

/// How many uses a name has, and where; at most [`MAX_LOCATIONS`] places.
fn uses(snapshot: &Snapshot, name: &TextDocumentPositionParams) -> Answer<(usize, Vec<Location>)> {
    let mut locations = Vec::new();
    let mut total = 0;
    if let Some((_, position)) = snapshot.position(name)? {
        let found = snapshot.analysis.references(position, false)?;
        let found = found.unwrap_or_default();
        total = found.len();
        for found in found.into_iter().take(MAX_LOCATIONS) {
            locations.extend(snapshot.location(found.location)?);
        }
    }
    Ok((total, locations))
}

fn count(references: usize) -> String {
    match references {
        1 => "1 reference".to_owned(),
        count => format!("{count} references"),
    }
}

/// The text that a client without commands of its own shows after a click on a lens.
pub struct LensTextParams {
    at: TextDocumentPositionParams,
    /// Whether it is about the registers of an entry; about the uses of a name otherwise.
    registers: bool,
}

impl LensTextParams {
    /// Reads a command of the server and its arguments; `None` if they are not of this kind.
    #[must_use]
    pub fn new(command: &str, arguments: &[serde_json::Value]) -> Option<LensTextParams> {
        let registers = match command {
            REGISTERS_TEXT => true,
            REFERENCES_TEXT => false,
            _ => return None,
        };
        let [uri, position, ..] = arguments else {
            return None;
        };
        let uri: Url = serde_json::from_value(uri.clone()).ok()?;
        let position: Position = serde_json::from_value(position.clone()).ok()?;
        let at = TextDocumentPositionParams {
            text_document: TextDocumentIdentifier { uri },
            position,
        };
        Some(LensTextParams { at, registers })
    }
}

/// The text that is shown after a click on a lens, to clients that cannot show more.
pub(crate) const LENS_TEXT: Handler<LensTextParams, Option<String>> = Handler {
    method: "workspace/executeCommand",
    priority: Priority::Background,
    document: |params| Some(&params.at.text_document),
    reads: Reads::Document,
    run: Run::Snapshot(|snapshot, params| match params.registers {
        true => registers_text(snapshot, &params.at, details),
        false => {
            let (total, uses) = uses(snapshot, &params.at)?;
            Ok(Some(places(&params.at.text_document.uri, total, &uses)))
        }
    }),
};

/// More places than these are only counted: a message is not a list.
const MAX_PLACES: usize = 20;

/// Uses of a name in words: their lines, and their files where those are others.
fn places(here: &Url, total: usize, uses: &[Location]) -> String {
    let mut text = count(total);
    let place = |it: &Location| {
        let line = it.range.start.line.saturating_add(1);
        let file = it.uri.path_segments().and_then(Iterator::last);
        match file.filter(|_| it.uri != *here) {
            Some(file) => format!("{file}:{line}"),
            None => format!("line {line}"),
        }
    };
    let named: Vec<String> = uses.iter().take(MAX_PLACES).map(place).collect();
    if !named.is_empty() {
        text.push_str(": ");
        text.push_str(&named.join(", "));
    }
    if uses.len() > MAX_PLACES {
        text.push_str(", …");
    }
    text
}
