//! A text with its tree, errors and line table, kept up to date under edits.

use std::sync::Arc;

use memchr::memmem;
use rowan::TextSize;

use crate::{
    Green, ItemErrors, Parse, ReparseLevel, SyntaxError, parse,
    reparse::reparse,
    text::{BEGINNING, Edit, InvalidEdit, LineTable, MAX_LEN, apply_edit, is_binary},
};

/// The facts that follow from the text alone; immutable and cheap to share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileContents {
    /// The tree; it reproduces the text.
    pub tree: Green,
    /// The syntax errors of each child of the root, with ranges relative to that child.
    pub errors: Arc<ItemErrors>,
    /// Lines and columns.
    pub lines: Arc<LineTable>,
    /// Whether [`MARK`] appears anywhere in the text.
    pub marked: bool,
}

/// The start of a comment that is meant for this program. Few files have one, and to know this of a whole
/// text is much cheaper than to look at each of its comments.
pub const MARK: &str = "ptx-analyzer:";

/// Some bytes of a text with as much around them as a mark has; fewer where the text ends before.
fn around(text: &str, start: usize, len: usize) -> &[u8] {
    let end = text.len().min(start + len + MARK.len());
    &text.as_bytes()[start.saturating_sub(MARK.len()).min(end)..end]
}

fn is_marked(text: &[u8]) -> bool {
    memmem::find(text, MARK.as_bytes()).is_some()
}

impl FileContents {
    /// Parses a text; bytes beyond [`MAX_LEN`] are truncated.
    #[must_use]
    pub fn new(text: &str) -> FileContents {
        let text = &text[..text.floor_char_boundary(MAX_LEN)];
        let parse = parse(text);
        FileContents {
            tree: parse.tree,
            errors: Arc::new(parse.errors),
            lines: Arc::new(LineTable::new(text)),
            marked: is_marked(text.as_bytes()),
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

    /// Whether this is other data than text, by its beginning; see [`is_binary`].
    pub fn is_binary(&self) -> bool {
        let mut beginning = String::new();
        let mut token = self.tree.syntax().first_token();
        while let Some(it) = token.filter(|_| beginning.len() < BEGINNING) {
            let text = it.text();
            beginning += &text[..text.floor_char_boundary(BEGINNING)];
            token = it.next_token();
        }
        is_binary(&beginning)
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
    marked: bool,
}

impl Document {
    /// Opens a text; bytes beyond [`MAX_LEN`] are truncated.
    #[must_use]
    pub fn new(mut text: String) -> Document {
        if text.len() > MAX_LEN {
            text.truncate(text.floor_char_boundary(MAX_LEN));
        }
        let parse = parse(&text);
        let lines = Arc::new(LineTable::new(&text));
        let marked = is_marked(text.as_bytes());
        Document {
            text,
            parse,
            lines,
            marked,
        }
    }

    /// Text after all edits so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Lines and columns of the text.
    #[must_use]
    pub fn lines(&self) -> &LineTable {
        &self.lines
    }

    /// The facts about the text now.
    #[must_use]
    pub fn contents(&self) -> Arc<FileContents> {
        Arc::new(FileContents {
            tree: self.parse.tree.clone(),
            errors: Arc::new(self.parse.errors.clone()),
            lines: Arc::clone(&self.lines),
            marked: self.marked,
        })
    }

    /// Applies an edit and parses again what it may have changed. The result equals a fresh parse of
    /// the new text. Returns how much was parsed.
    ///
    /// # Errors
    /// [`InvalidEdit`] when the edit does not fit the text; nothing is changed then.
    pub fn apply(&mut self, edit: &Edit) -> Result<ReparseLevel, InvalidEdit> {
        let start = usize::from(edit.range.start());
        let touches_mark =
            self.marked && is_marked(around(&self.text, start, edit.range.len().into()));
        apply_edit(&mut self.text, edit)?;
        Arc::make_mut(&mut self.lines).apply(edit, &self.text);
        let (parse, level) = reparse(&self.parse, &self.text, edit);
        self.parse = parse;
        // All of a long text is searched only when a mark may have gone.
        self.marked = match (self.marked, touches_mark) {
            (true, false) => true,
            (true, true) => is_marked(self.text.as_bytes()),
            (false, _) => is_marked(around(&self.text, start, edit.insert.len())),
        };
        Ok(level)
    }
}

#[cfg(test)]
mod tests {
    use rowan::{TextRange, TextSize};

    use super::*;

    #[test]
    fn edits_are_marked_as_fresh_texts_are() {
        let mut rng = fastrand::Rng::with_seed(3);
        let pieces = ["ptx-", "analyzer", ":", "//", "\n", "é", "p", MARK, " "];
        let mut document = Document::new(String::new());
        let mut marked = 0;
        for _ in 0..4000 {
            let len = document.text().len();
            let boundary = |at: usize| document.text().floor_char_boundary(at);
            let start = boundary(rng.usize(..=len));
            // Longer texts would always be marked.
            let reach = if len > 40 { 20 } else { 4 };
            let end = boundary((start + rng.usize(..reach)).min(len)).max(start);
            let insert = match rng.u8(..3) {
                0 => String::new(),
                _ => (*rng.choice(&pieces).unwrap_or(&"")).to_owned(),
            };
            let offset = |it: usize| TextSize::new(it as u32);
            let range = TextRange::new(offset(start), offset(end));
            document.apply(&Edit { range, insert }).unwrap();
            let fresh = FileContents::new(document.text());
            assert_eq!(*document.contents(), fresh, "{}", document.text());
            marked += usize::from(fresh.marked);
        }
        assert!((100..3900).contains(&marked), "{marked}");
    }
}
