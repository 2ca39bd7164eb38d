//! Text, positions and edits: everything about offsets that is not grammar.

use crate::{TextRange, TextSize};

/// Unit of the `character` field of a [`Position`]; negotiated by LSP clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Encoding {
    /// UTF-8 code units (bytes).
    Utf8,
    /// UTF-16 code units, the default of LSP.
    #[default]
    Utf16,
    /// UTF-32 code units (Unicode scalar values).
    Utf32,
}

/// A zero-based line and a zero-based column, the column counted in some [`Encoding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Position {
    /// Zero-based line.
    pub line: u32,
    /// Zero-based column in code units of the encoding in use.
    pub character: u32,
}

/// Replacement of one range of a text by another text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that are removed, in UTF-8 offsets of the text before the edit.
    pub range: TextRange,
    /// What stands in their place afterwards.
    pub insert: String,
}

/// Starts of lines, kept up to date under edits, with the columns of non-ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LineTable {
    starts: Vec<TextSize>,
}
