//! Text, positions and edits: everything about offsets that is not grammar.

mod control;
mod edit;
mod hash;
mod line_table;
#[cfg(test)]
mod tests;

pub(crate) use self::control::BEGINNING;
pub use self::{
    control::{escape_controls, is_binary, is_control},
    edit::{Edit, InvalidEdit, MAX_LEN, apply_edit, minimal_edit},
    hash::StableHasher,
    line_table::LineTable,
};

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
