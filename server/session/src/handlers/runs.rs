//! The comments that describe runs: which there are, what continues them, and what their keys mean.

use std::ops::Range;

use analysis::{EntryPlace, FileId, FilePosition, code::Code};
use run::description::{Proposals, comments_above, complete, explain as explain_key, new_comment};
use syntax::{SyntaxKind, TextRange, TextSize, token_at};

use crate::{
    lsp::{
        ext,
        lsp_types::{
            Command, CompletionItem, CompletionItemKind, CompletionList, CompletionResponse,
            CompletionTextEdit, InsertTextFormat, TextDocumentPositionParams, TextEdit,
        },
    },
    snapshot::{Answer, Document, Snapshot},
};

/// The lens of an entry: it runs the entry if a comment above it says how, and writes such a comment otherwise.
pub(super) fn lens(
    snapshot: &Snapshot,
    at: &TextDocumentPositionParams,
) -> Answer<Option<Command>> {
    let Some((document, entry)) = entry_named(snapshot, at)? else {
        return Ok(None);
    };
    let uri = serde_json::json!(at.text_document.uri);
    Ok(Some(match comments_above(&entry).is_empty() {
        false => Command {
            title: "Run".to_owned(),
            command: ext::RUN.to_owned(),
            arguments: Some(vec![uri, entry.name.into()]),
        },
        true => {
            let code = snapshot.analysis.code_headers(document.file)?;
            let edit = serde_json::json!(new_run(&document, &entry, &code));
            Command {
                title: "Add a run…".to_owned(),
                command: ext::ADD_RUN.to_owned(),
                arguments: Some(vec![uri, edit]),
            }
        }
    }))
}

/// The lens of an entry that debugs it as the comment above it says.
pub(super) fn debug_lens(
    snapshot: &Snapshot,
    at: &TextDocumentPositionParams,
) -> Answer<Option<Command>> {
    let entry = entry_named(snapshot, at)?;
    Ok(entry.map(|(_, entry)| Command {
        title: "Debug".to_owned(),
        command: ext::DEBUG.to_owned(),
        arguments: Some(vec![
            serde_json::json!(at.text_document.uri),
            entry.name.into(),
        ]),
    }))
}

/// The starts of the names of entries above which a comment describes a run.
pub(super) fn described(snapshot: &Snapshot, file: FileId) -> Answer<Vec<TextSize>> {
    let entries = snapshot.analysis.entries(file)?;
    let described = entries.iter().filter(|it| !comments_above(it).is_empty());
    Ok(described.map(|it| it.name_range.start()).collect())
}

/// The entry whose name starts at a position, and its document.
fn entry_named(
    snapshot: &Snapshot,
    at: &TextDocumentPositionParams,
) -> Answer<Option<(Document, EntryPlace)>> {
    let Some((document, position)) = snapshot.position(at)? else {
        return Ok(None);
    };
    let mut entries = snapshot.analysis.entries(document.file)?.into_iter();
    let entry = entries.find(|it| it.name_range.start() == position.offset);
    Ok(entry.map(|it| (document, it)))
}

/// Writes a comment right above an entry.
fn new_run(document: &Document, entry: &EntryPlace, code: &Code) -> TextEdit {
    let margin = entry.above.rsplit('\n').next().unwrap_or_default();
    let is_blank = margin.chars().all(|it| matches!(it, ' ' | '\t'));
    let margin = if is_blank { margin } else { "" };
    let end = match entry.above.contains("\r\n") {
        true => "\r\n",
        false => "\n",
    };
    let functions = (0..).zip(&code.functions);
    let mut found = functions.filter(|it| it.1.name_range == entry.name_range);
    let lines = found.next().map(|it| new_comment(code, it.0));
    let lines = lines.unwrap_or_default();
    let text = lines.iter().map(|it| format!("{it}{end}{margin}"));
    TextEdit {
        range: document.range(TextRange::empty(entry.start)),
        new_text: text.collect(),
    }
}

/// The entry above which a comment is at an offset, if it may describe a run.
fn entry_at(snapshot: &Snapshot, at: FilePosition) -> Answer<Option<EntryPlace>> {
    let Some(contents) = snapshot.analysis.contents(at.file)? else {
        return Ok(None);
    };
    // Most offsets are not in a comment, and each keystroke has one.
    let root = contents.tree.syntax();
    let before = at.offset.checked_sub(TextSize::new(1));
    let token = before.and_then(|it| token_at(&root, it));
    if token.is_none_or(|it| it.kind() != SyntaxKind::LINE_COMMENT) {
        return Ok(None);
    }
    let mut entries = snapshot.analysis.entries(at.file)?.into_iter();
    Ok(entries.find(|it| {
        let above = TextRange::at(
            it.start - TextSize::of(&*it.above),
            TextSize::of(&*it.above),
        );
        above.contains(at.offset)
    }))
}

/// The words that continue a comment that describes a run; none outside such comments.
pub(super) fn completions(
    snapshot: &Snapshot,
    document: &Document,
    at: FilePosition,
) -> Answer<Option<CompletionResponse>> {
    let Some(entry) = entry_at(snapshot, at)? else {
        return Ok(None);
    };
    let code = snapshot.analysis.code_headers(at.file)?;
    let found = complete(&entry, &code, at.offset.into());
    let suggests = snapshot.shared.client.suggests;
    Ok(found.map(|it| response(document, it, suggests)))
}

fn response(document: &Document, found: Proposals, suggests: bool) -> CompletionResponse {
    let range = document.range(text_range(found.replace));
    let items = found.words.into_iter().enumerate().map(|(order, word)| {
        let continues = word.insert.ends_with(['.', '"']) && word.detail.is_some();
        CompletionItem {
            kind: Some(match word.detail {
                Some(_) => CompletionItemKind::PROPERTY,
                None => CompletionItemKind::VALUE,
            }),
            detail: word.detail.map(str::to_owned),
            sort_text: Some(format!("{order:05}")),
            insert_text_format: Some(InsertTextFormat::PLAIN_TEXT),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                range,
                new_text: word.insert,
            })),
            command: (suggests && continues).then(|| Command {
                title: "Show the values".to_owned(),
                command: ext::TRIGGER_SUGGEST.to_owned(),
                arguments: None,
            }),
            label: word.label,
            ..CompletionItem::default()
        }
    });
    CompletionResponse::List(CompletionList {
        is_incomplete: false,
        items: items.collect(),
    })
}

/// A sentence about the key of a run at an offset, and its place.
pub(super) fn explain(
    snapshot: &Snapshot,
    at: FilePosition,
) -> Answer<Option<(TextRange, &'static str)>> {
    // The first character of a word also belongs to it.
    let after = FilePosition {
        offset: at.offset + TextSize::new(1),
        ..at
    };
    let entry = entry_at(snapshot, after)?;
    let found = entry.and_then(|it| explain_key(&it, at.offset.into()));
    Ok(found.map(|it| (text_range(it.0), it.1)))
}

/// A range of bytes of a text, which has at most 4 GB.
fn text_range(range: Range<usize>) -> TextRange {
    let offset = |it: usize| TextSize::new(u32::try_from(it).unwrap_or(u32::MAX));
    TextRange::new(offset(range.start), offset(range.end))
}
