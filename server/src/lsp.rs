//! Conversions between LSP and the plain data of the analysis.
//!
//! The types of LSP come from tower-lsp; the rest of the crate names them only through this module.

pub(crate) mod capabilities;
pub(crate) mod ext;
pub(crate) mod from_proto;
pub(crate) mod markdown;
pub(crate) mod semantic_tokens;
pub(crate) mod to_proto;

pub(crate) use tower_lsp::lsp_types;
