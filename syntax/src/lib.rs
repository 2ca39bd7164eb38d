//! Lossless syntax tree, incremental parser and text utilities for NVIDIA PTX.
//!
//! This crate knows the grammar of PTX and nothing about its instruction set: an opcode is a word,
//! modifiers are words. Parsing never fails: any text gives a tree that reproduces the text exactly,
//! plus a list of errors. All offsets are UTF-8 bytes.

mod builder;
mod document;
mod error;
mod grammar;
mod green;
pub mod host;
mod kind;
pub mod lexer;
mod parse;
mod parser;
mod reparse;
pub mod text;
mod tree;

pub use document::{Document, FileContents, MARK};
pub use error::{ItemErrors, SyntaxError, SyntaxErrorCode};
pub use green::{Cursor, CursorToken, Green};
pub use kind::SyntaxKind;
pub use parse::{Parse, parse};
pub use reparse::ReparseLevel;
pub use rowan::{TextRange, TextSize};
pub use tree::{
    NodeOrToken, PtxLanguage, SyntaxElement, SyntaxNode, SyntaxToken, WalkEvent, debug_tree,
    debug_tree_within, token_at, tokens_around, trimmed_range,
};
