//! A language server for PTX without I/O.
//!
//! Messages of LSP in, messages out. This crate knows LSP, JSON and settings, and neither threads nor the clock,
//! files nor processes: the program around it (crate `server`) and a worker of a browser (crate `wasm`) have those.
//! The services that it asks of the machine are in [`host`].
//!
//! [`connection`] is all of it for a program with one thread: the text of a message in, the texts of messages out.
//! [`mod@requests`] lists every request once, with its parameters, its result and its handler. Handlers answer over a
//! [`snapshot`], with the conversions of [`lsp`].

mod answer;
pub mod config;
pub mod connection;
pub mod debug;
pub mod diagnostics;
mod documents;
pub mod draw;
pub mod edits;
pub mod embedded;
pub mod exact;
pub mod files;
mod handlers;
pub mod host;

pub mod lsp;
pub mod machine_code;
pub mod quiet;
pub mod requests;
pub mod snapshot;
pub mod targets;

pub use handlers::{Handler, Priority, Reads, Run};
