//! Conversions between LSP and the plain data of the analysis.

pub mod capabilities;
pub mod ext;
pub mod from_proto;
pub mod markdown;
pub mod registration;
pub mod semantic_tokens;
pub mod to_proto;

pub use lsp_types;
