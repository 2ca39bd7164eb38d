//! A text with its tree, errors and line table, kept up to date under edits.

use std::sync::Arc;

use rowan::TextSize;

use crate::{
    Green, ItemErrors, Parse, ReparseLevel, SyntaxError, parse,
    reparse::reparse,
    text::{Edit, InvalidEdit, LineTable, MAX_LEN, apply_edit},
};

/// What is known about a text from the text alone; immutable and cheap to share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileContents {
    /// The tree; it reproduces the text.
    pub tree: Green,
    /// The syntax errors of each child of the root, with ranges relative to that child.
    pub errors: Arc<ItemErrors>,
    /// Lines and columns.
    pub lines: Arc<LineTable>,
}

impl FileContents {
    /// Parses a text; bytes beyond [`MAX_LEN`] are cut off.
    #[must_use]
    pub fn new(text: &str) -> FileContents {
        let text = &text[..text.floor_char_boundary(MAX_LEN)];
        let parse = parse(text);
        FileContents {
            tree: parse.tree,
            errors: Arc::new(parse.errors),
            lines: Arc::new(LineTable::new(text)),
        }
    }

    /// Start of each child of the root, in bytes.
    pub fn item_offsets(&self) -> impl Iterator<Item = TextSize> + '_ {
        let mut next = TextSize::from(0);
        self.tree.node().children().map(move |child| {
            let start = next;
            next += match child {
                rowan::NodeOrToken::Node(it) => it.text_len(),
                rowan::NodeOrToken::Token(it) => it.text_len(),
            };
            start
        })
    }

    /// All syntax errors with offsets from the start of the text.
    pub fn all_errors(&self) -> impl Iterator<Item = SyntaxError> + '_ {
        self.item_offsets()
            .zip(self.errors.iter())
            .flat_map(|(offset, errors)| errors.iter().map(move |it| it.shifted(offset)))
    }
}

/// An open text: the one mutable thing of this crate.
#[derive(Debug)]
pub struct Document {
    text: String,
    parse: Parse,
    lines: Arc<LineTable>,
}

impl Document {
    /// Opens a text; bytes beyond [`MAX_LEN`] are cut off.
    #[must_use]
    pub fn new(mut text: String) -> Document {
        if text.len() > MAX_LEN {
            text.truncate(text.floor_char_boundary(MAX_LEN));
        }
        let parse = parse(&text);
        let lines = Arc::new(LineTable::new(&text));
        Document { text, parse, lines }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Lines and columns of the text.
    #[must_use]
    pub fn lines(&self) -> &LineTable {
        &self.lines
    }

    /// What is known about the text now.
    #[must_use]
    pub fn contents(&self) -> Arc<FileContents> {
        Arc::new(FileContents {
            tree: self.parse.tree.clone(),
            errors: Arc::new(self.parse.errors.clone()),
            lines: Arc::clone(&self.lines),
        })
    }

    /// Applies an edit and parses again what it may have changed. The result equals a fresh parse of
    /// the new text. Returns how much was parsed.
    ///
    /// # Errors
    /// [`InvalidEdit`] when the edit does not fit the text; nothing is changed then.
    pub fn apply(&mut self, edit: &Edit) -> Result<ReparseLevel, InvalidEdit> {
        apply_edit(&mut self.text, edit)?;
        Arc::make_mut(&mut self.lines).apply(edit, &self.text);
        let (parse, level) = reparse(&self.parse, &self.text, edit);
        self.parse = parse;
        Ok(level)
    }
}
