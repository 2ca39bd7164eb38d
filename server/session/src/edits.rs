//! Edits of open documents, as clients send them.

use syntax::{
    Document, TextRange,
    text::{Edit, Encoding, InvalidEdit, LineTable, minimal_edit},
};
use tracing::warn;

use crate::{
    exact::LineEdit,
    lsp::{
        from_proto,
        lsp_types::{DidChangeTextDocumentParams, TextDocumentContentChangeEvent, Url},
    },
};

/// More changes at once than a person types: they come from a formatter.
const MANY_CHANGES: usize = 16;

/// A text that clients edit.
pub trait Editable {
    /// Text before the next edit.
    fn text(&self) -> &str;
    /// Its lines and columns.
    fn lines(&self) -> &LineTable;
    /// Applies an edit.
    ///
    /// # Errors
    /// [`InvalidEdit`] when the edit does not fit the text; nothing is changed then.
    fn apply(&mut self, edit: &Edit) -> Result<(), InvalidEdit>;
}

impl Editable for Document {
    fn text(&self) -> &str {
        self.text()
    }

    fn lines(&self) -> &LineTable {
        self.lines()
    }

    fn apply(&mut self, edit: &Edit) -> Result<(), InvalidEdit> {
        self.apply(edit).map(|_| ())
    }
}

/// The text that the last of some edits inserted, if a person wrote it: such edits are few, and end
/// where the cursor is.
#[must_use]
pub fn written(edits: &[Applied]) -> Option<TextRange> {
    let last = edits.last().filter(|_| edits.len() < MANY_CHANGES)?;
    Some(last.inserted)
}

/// Applies messages about one document, in their order, and says what they did to its text.
pub fn apply_changes(
    document: &mut impl Editable,
    batch: &[DidChangeTextDocumentParams],
    encoding: Encoding,
) -> Vec<Applied> {
    let Some(last) = batch.last() else {
        return Vec::new();
    };
    let changes: Vec<_> = batch.iter().flat_map(|it| &it.content_changes).collect();
    // What stood before a replacement of the whole text does not matter.
    let start = changes
        .iter()
        .rposition(|it| it.range.is_none())
        .unwrap_or(0);
    let changes = &changes[start..];
    apply_backwards(document, changes, encoding).unwrap_or_else(|| {
        let uri = &last.text_document.uri;
        let apply = |it: &&_| apply(document, it, encoding, uri);
        changes.iter().filter_map(apply).collect()
    })
}

fn apply(
    document: &mut impl Editable,
    change: &TextDocumentContentChangeEvent,
    encoding: Encoding,
    uri: &Url,
) -> Option<Applied> {
    let Some(range) = change.range else {
        return replace_text(document, &change.text);
    };
    if !from_proto::fits(range, document.lines(), encoding) {
        warn!(%uri, ?range, "changed a range that the text does not have");
    }
    let range = from_proto::range(range, document.lines(), encoding);
    apply_edit(document, &Edit::new(range, change.text.as_str()))
}

/// Applies changes each of which is before those that come before it, as editors send what a
/// formatter does: then they all are about the old text, and it is parsed once. Otherwise, or when
/// there are few, nothing is done.
fn apply_backwards(
    document: &mut impl Editable,
    changes: &[&TextDocumentContentChangeEvent],
    encoding: Encoding,
) -> Option<Vec<Applied>> {
    if changes.len() < MANY_CHANGES {
        return None;
    }
    let mut edits = Vec::with_capacity(changes.len());
    let mut behind = None;
    for change in changes {
        let range = change.range?;
        let lines = document.lines();
        let is_before = behind.is_none_or(|it| range.end < it);
        if !is_before || !from_proto::fits(range, lines, encoding) {
            return None;
        }
        behind = Some(range.start);
        edits.push((from_proto::range(range, lines, encoding), &change.text));
    }
    let old = document.text();
    let mut text = String::with_capacity(old.len());
    let mut end = 0;
    for (range, insert) in edits.iter().rev() {
        text.push_str(old.get(end..range.start().into()).unwrap_or_default());
        text.push_str(insert);
        end = range.end().into();
    }
    text.push_str(old.get(end..).unwrap_or_default());
    Some(replace_text(document, &text).into_iter().collect())
}

/// Reduces a new text to the edit that leads to it, which keeps most of the tree.
pub fn replace_text(document: &mut impl Editable, text: &str) -> Option<Applied> {
    let edit = minimal_edit(document.text(), text)?;
    apply_edit(document, &edit)
}

/// The effect of an edit on a text.
#[derive(Debug)]
pub struct Applied {
    /// The lines that it moved.
    pub lines: LineEdit,
    /// The range of the inserted text.
    pub inserted: TextRange,
}

fn apply_edit(document: &mut impl Editable, edit: &Edit) -> Option<Applied> {
    let applied = Applied {
        lines: LineEdit::new(document.lines(), edit),
        inserted: edit.range_after(),
    };
    match document.apply(edit) {
        Ok(()) => Some(applied),
        Err(error) => {
            warn!(range = ?edit.range, %error, "an edit does not fit, ignored");
            None
        }
    }
}
