//! Lossless syntax tree, incremental parser and text utilities for NVIDIA PTX.
//!
//! This crate knows the grammar of PTX and nothing about its instruction set: an opcode is a word,
//! modifiers are words. Parsing never fails: any text gives a tree that reproduces the text exactly,
//! plus a list of errors. All offsets are UTF-8 bytes.

pub mod text;

pub use rowan::{TextRange, TextSize};
